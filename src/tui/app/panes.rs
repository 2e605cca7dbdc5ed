//! Calls panes and carries out their effects.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::bulk_step::{Done, What};
use super::connection::{Pending, State};
use super::overlay::{MenuFor, Overlay};
use super::pictures::PictureThreads;
use super::{App, PaneId, REVIEW};
use crate::pane::context::{Later, OnTyped};
use crate::pane::work::{Work, WorkMessage};
use crate::pane::{Ask, Context, EditAt, Effect, Env, Notice, Pane, Scene, Tab, Target, Typed};
use crate::terminal::osc52;
use crate::widgets::prompt::Prompt;
use crate::widgets::text::counted;
use crate::widgets::toast::Toast;
use benchtop_files::{inspect, regular};
use benchtop_model::round::state::RoundState;
use benchtop_model::{ColorLevel, Error, Filter, Result};

impl App {
    /// Opens a pane, or loads it again.
    pub(super) fn go(&mut self, id: PaneId) {
        match id {
            REVIEW => self.go_review(),
            _ if id.is_form() => {
                let words = self.pane().and_then(Pane::filter_words);
                // Without a filter, the form keeps its own.
                let words = words.filter(|words| id.takes_items() && !words.is_empty());
                self.show(id, Target::Form(id, words), self.at);
            }
            PaneId::Sheet => {
                let queue = self.panes.get(REVIEW).and_then(Pane::queue);
                self.show(id, Target::Sheet(queue), self.at);
            }
            _ => {
                self.arrive(id);
                self.with_pane(id, |pane, cx| pane.open(cx));
            }
        }
    }

    /// Opens the review: at the item under the cursor of the pane, or where it was.
    pub(super) fn go_review(&mut self) {
        let pane = self.pane();
        let item = pane.and_then(|pane| pane.selected_item().map(str::to_string));
        let target = item.map_or(Target::Review, Target::ItemWithId);
        self.show(REVIEW, target, self.at);
    }

    /// Opens the pane of a tab that was last open there. If the tab is open, opens its next pane.
    pub(super) fn go_to_tab(&mut self, tab: Tab) {
        let panes: Vec<PaneId> = tab.panes().collect();
        let own = panes.iter().position(|id| *id == self.at);
        let next = own.map(|at| panes[(at + 1) % panes.len()]);
        let last = self.last.get(&tab).or(panes.first()).copied();
        if let Some(id) = next.or(last) {
            self.go(id);
        }
    }

    /// Asks for the item to open in the review.
    pub(super) fn ask_item(&mut self) {
        let items = self.items();
        let then: OnTyped = Later(Box::new(move |_, typed, cx| {
            let Typed::Done(text) = typed else {
                return Ok(());
            };
            match (text.trim(), text.trim().trim_start_matches('#').parse()) {
                ("", _) => return Err("type a number or an id".into()),
                (_, Ok(number)) if (1..=items).contains(&number) => cx.open(Target::Item(number)),
                (_, Ok(number)) => {
                    let items = counted(items.into(), "item");
                    return Err(format!("no item #{number}: the project has {items}"));
                }
                (id, Err(_)) => cx.open(Target::ItemWithId(id.to_string())),
            }
            Ok(())
        }));
        let prompt = Prompt::new("go to item (number or id)", "", Vec::new());
        self.overlay = Some(Overlay::Prompt((self.at, then), prompt));
    }

    fn arrive(&mut self, id: PaneId) {
        if !id.is_form() {
            self.last.insert(id.info().tab, id);
        }
        if self.at != id {
            (self.at, self.painted) = (id, Vec::new());
        }
    }

    /// Opens a pane for something that another one asks for.
    pub(super) fn show(&mut self, id: PaneId, target: Target, from: PaneId) {
        self.arrive(id);
        self.with_pane(id, |pane, cx| pane.show(target, from, cx));
    }

    /// Shows the item list with this filter.
    pub(super) fn show_items(&mut self, words: &str, from: PaneId) {
        match Filter::parse(words) {
            Ok(_) => self.show(PaneId::List, Target::Items(words.to_string()), from),
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    /// Calls a pane and carries out its effects. `None` if there is no such pane.
    pub(super) fn with_pane<T>(
        &mut self,
        id: PaneId,
        call: impl FnOnce(&mut dyn Pane, &mut Context<'_>) -> T,
    ) -> Option<T> {
        let now = self.now();
        self.with_pane_at(id, now, call)
    }

    /// As [`with_pane`](Self::with_pane), for a key pressed at `key_at`.
    pub(super) fn with_pane_at<T>(
        &mut self,
        id: PaneId,
        key_at: u64,
        call: impl FnOnce(&mut dyn Pane, &mut Context<'_>) -> T,
    ) -> Option<T> {
        let env = Env {
            keymap: &self.keymap,
            who: self.link.who(),
            reasons: &self.welcome.reasons,
            verdict_tags: &self.welcome.tags,
            error_labels: &self.welcome.errors,
            tags: self.tags.known(),
            history: &self.history,
            item: self.panes.get(REVIEW).and_then(Pane::item),
            now: self.setting.clock.ms(),
            key_at,
            columns: self.setting.columns,
            is_shown: self.at == id,
            is_covered: self.overlay.is_some(),
            is_still: self.setting.look.accessible || self.setting.level == ColorLevel::Mono,
            is_connected: self.link.state() == State::Up,
            commands: &self.works.setting,
        };
        let mut cx = Context::new(env, &mut self.metadata);
        let done = call(self.panes.get_mut(id)?, &mut cx);
        let effects = cx.into_effects();
        self.dirty |= self.at == id || !effects.is_empty();
        for effect in effects {
            self.pane_effect(id, effect);
        }
        Some(done)
    }

    /// Tells all panes.
    pub(super) fn notify(&mut self, notice: Notice<'_>) {
        for id in self.pane_ids(|_| true) {
            self.with_pane(id, |pane, cx| pane.on_notice(notice, cx));
        }
    }

    /// Runs what is due in panes.
    pub(super) fn tick_panes(&mut self, now: u64) {
        for id in self.pane_ids(|pane| pane.due().is_some_and(|due| due <= now)) {
            self.with_pane(id, |pane, cx| pane.tick(cx));
        }
    }

    pub(super) fn pane_ids(&self, is: impl Fn(&dyn Pane) -> bool) -> Vec<PaneId> {
        let panes = self.panes.all().filter(|(_, pane)| is(*pane));
        panes.map(|(id, _)| id).collect()
    }

    fn pane_effect(&mut self, id: PaneId, effect: Effect) {
        // Questions and messages respond to a key.
        self.urgent |= !matches!(effect, Effect::Ask(_));
        if let Some(title) = effect.opens()
            && (self.at != id || self.overlay.is_some())
        {
            let title = title.to_string();
            return self.not_opened(id, &title);
        }
        match effect {
            Effect::Ask(ask) => self.ask_for_pane(id, ask),
            Effect::Work(work) => self.start_work(id, work),
            Effect::Cancel(name) => {
                self.works.cancel(id, name);
                self.link.cancel(
                    |want| matches!(want, Pending::Pane(of) if of.pane == id && of.handling.name == Some(name)),
                );
            }
            Effect::Menu(menu, then) => {
                self.overlay = Some(Overlay::Menu(MenuFor::Pane(id, then), menu));
            }
            Effect::Prompt(prompt, then) => {
                self.overlay = Some(Overlay::Prompt((id, then), prompt));
            }
            Effect::Page(page) => self.overlay = Some(Overlay::Page(page)),
            Effect::WhenSeen(at, mut then) => {
                if let Some(viewed) = self.viewed(at) {
                    self.with_pane_at(id, at, |pane, cx| (then.0)(pane, viewed, cx));
                }
            }
            Effect::WhenEachSeen(at, numbers, mut then) => {
                let viewed = self.each_seen(&numbers, at);
                self.with_pane_at(id, at, |pane, cx| (then.0)(pane, viewed, cx));
            }
            Effect::Confirm(viewed, verdict, then) => {
                self.confirm_unseen(id, viewed, verdict, then);
            }
            Effect::Say(toast) => self.say(toast),
            Effect::Copy { text, what } => self.copy(&text, &what),
            Effect::Open(target) => self.open(target, id),
            Effect::Edit(path, at) => self.edit_file(&path, at),
            Effect::Tagged(note) => self.tags.used(&note),
            Effect::Searched(words) => self.searched(&words),
            Effect::JudgedMany(revs) => {
                let what = revs.map(What::Verdict);
                self.bulk.extend(what.map(|what| Done { what, since: 0 }));
            }
            Effect::Saved(rev) => {
                self.rev = self.rev.max(rev);
                self.count_after_bulk(false);
                self.changed();
            }
            Effect::EditedItem => self.count_after_bulk(false),
            Effect::ForgetPainted => self.painted.clear(),
            Effect::TogglePixels => self.toggle_pixels(),
            Effect::ReadMetadata => self.read_metadata(),
            Effect::Retire { terms, discard } => self.retire(terms, discard),
            Effect::Quit => self.leave(),
        }
    }

    /// Reports a question that arrived too late: nobody expects one of a pane that was left, and it
    /// must not take the keys and the text of what is open.
    fn not_opened(&mut self, id: PaneId, title: &str) {
        let why = match self.at == id {
            true => format!("not shown (something else was open): {title}"),
            false => format!("not shown (you left {}): {title}", id.info().name),
        };
        if let Some(Overlay::Prompt(_, prompt)) = &mut self.overlay {
            prompt.refuse(&why);
        }
        self.say(Toast::warning(why));
    }

    /// Works on a round in the review.
    fn work_on(&mut self, round: Box<RoundState>, from: PaneId) {
        let me = self.link.who();
        if round.people.iter().any(|(name, _)| name == me) {
            return self.show(REVIEW, Target::Round(round), from);
        }
        let people: Vec<&str> = round.people.iter().map(|(name, _)| name.as_str()).collect();
        let (name, people) = (&round.name, people.join(", "));
        let why = format!("round `{name}` is assigned to {people}; you are {me}");
        self.say(Toast::warning(why));
    }

    /// Remembers the words of a search.
    fn searched(&mut self, words: &str) {
        if !words.trim().is_empty() {
            self.history.retain(|h| h != words);
            self.history.push(words.to_string());
        }
    }

    fn open(&mut self, target: Target, from: PaneId) {
        match target {
            Target::Review => self.go_review(),
            Target::Pane(other) => self.go(other),
            Target::Back(other) | Target::Form(other, _) | Target::Fields(other, _) => {
                self.show(other, target, from);
            }
            Target::Items(words) => self.show_items(&words, from),
            Target::Sheet(_) | Target::Samples(_) | Target::Scenario(_) => {
                self.show(PaneId::Sheet, target, from);
            }
            Target::Job(_) => self.show(PaneId::Generate, target, from),
            Target::Round(round) => self.work_on(round, from),
            Target::Item(_) | Target::ItemWithId(_) | Target::Queue { .. } => {
                self.show(REVIEW, target, from);
            }
        }
    }

    fn ask_for_pane(&mut self, id: PaneId, ask: Ask) {
        let is_for_key = ask.handling.is_for_key;
        let (request, receiver) = ask.into_parts(id);
        if is_for_key {
            self.ask_now(Pending::Pane(receiver), request)
        } else {
            self.link.ask(Pending::Pane(receiver), request)
        }
    }

    pub(super) fn copy(&mut self, text: &str, what: &str) {
        match osc52::copy(text) {
            Ok(bytes) => {
                self.extra.extend(bytes);
                self.say(Toast::done(format!(
                    "{what} copied (needs a terminal with OSC 52)"
                )));
            }
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    /// Opens a file of the project in the user's editor.
    fn edit_file(&mut self, path: &Path, at: EditAt) {
        let root = &self.welcome.root;
        let file = root.join(path);
        if inspect::within(root, path).is_err() || !file.is_file() {
            let what = format!("{} no longer exists", path.display());
            return self.say(Toast::warning(what));
        }
        match line_at(&file, at) {
            Ok(line) => self.edit = Some((file, line)),
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    fn start_work(&mut self, pane: PaneId, work: Work) {
        if let Err(error) = self.works.start(pane, work) {
            let problem = Error::failed(format!("cannot start a thread: {error}"));
            self.say(Toast::from(&problem));
        }
    }

    /// Hands a pane the progress or the result of its work.
    pub(super) fn worked(&mut self, id: u64, message: WorkMessage) {
        if let Some((pane, mut then)) = self.works.receiver(id, &message) {
            self.with_pane(pane, |pane, cx| (then.0)(pane, message, cx));
            self.works.keep(id, then);
        }
    }

    /// Draws the pane on screen.
    pub(super) fn draw_pane(&mut self, area: Rect, buf: &mut Buffer) -> Option<Position> {
        let pictures = PictureThreads {
            setting: &self.setting,
            previews: &self.previews,
            pixels: &self.pixels,
            sharpness: self.true_pixels.now(),
            ahead_in_pixels: self.true_pixels.are_always_on(),
            paired: self.paired_items(),
            root: &self.welcome.root,
        };
        let scene = Scene {
            look: &self.setting.look,
            keymap: &self.keymap,
            root: &self.welcome.root,
            pictures: &pictures,
            metadata: &self.metadata,
            items: self.items(),
            now: self.setting.clock.ms(),
            is_covered: self.overlay.is_some(),
            program: &self.works.setting.program,
        };
        let pane = self.panes.get_mut(self.at)?;
        if pane.is_empty(&scene) {
            let area = pane.draw_while_empty(area, buf, &scene);
            scene.draw_purpose(self.at, area, buf);
            return None;
        }
        pane.draw(area, buf, &scene)
    }
}

/// The number of a line of a file, from 1.
fn line_at(file: &Path, at: EditAt) -> Result<u32> {
    let start = match at {
        EditAt::Line(line) => return Ok(line),
        EditAt::Start(start) => start,
    };
    let text = regular::read_text(file, regular::SETTINGS_LIMIT)?;
    let found = text.lines().position(|l| l.trim_start().starts_with(start));
    let at = found.unwrap_or_else(|| text.lines().count().saturating_sub(1));
    Ok(u32::try_from(at + 1).unwrap_or(1))
}
