//! Calls panes and carries out their effects.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::bulk_step::{Done, What};
use super::connection::{Pending, State};
use super::overlay::{ConfirmFor, MenuFor, Overlay, PromptFor};
use super::pictures::PictureThreads;
use super::{App, PaneId};
use crate::pane::{Ask, Context, Effect, Env, Notice, Pane, Scene, Target};
use crate::panes::metadata::Phase;
use crate::panes::review::Queue;
use crate::terminal::osc52;
use crate::widgets::toast::Toast;
use benchtop_files::inspect;
use benchtop_model::{Filter, Sort};
use benchtop_protocol::wire::request;

impl App {
    /// Opens a pane, or loads it again.
    pub(super) fn go(&mut self, id: PaneId) {
        match id {
            PaneId::Review => self.go_review(),
            PaneId::Board => self.go_board(),
            PaneId::Filters => self.go_filters(),
            PaneId::Vocabulary | PaneId::Templates => self.go_metadata(id),
            _ => {
                self.arrive(id);
                self.with_pane(id, |pane, cx| pane.open(cx));
            }
        }
    }

    fn arrive(&mut self, id: PaneId) {
        if self.at != id {
            (self.at, self.painted) = (id, None);
        }
    }

    /// Opens a pane for something that another one asks for.
    pub(super) fn show(&mut self, id: PaneId, target: Target, from: PaneId) {
        if self.panes.get(id).is_none() {
            return self.go(id);
        }
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

    /// Calls a pane and carries out its effects. `None` if the registry does not hold it.
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
        let mut cx = Context::new(Env {
            keymap: &self.keymap,
            who: self.link.who(),
            reasons: &self.welcome.reasons,
            tags: self.tags.known(),
            history: &self.history,
            item: self.review.number(),
            session: self.metadata_editor.desk.session(),
            now: self.setting.clock.ms(),
            key_at,
            is_shown: self.at == id,
            is_covered: self.overlay.is_some(),
            is_connected: self.link.state() == State::Up,
        });
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

    fn pane_ids(&self, is: impl Fn(&dyn Pane) -> bool) -> Vec<PaneId> {
        let panes = self.panes.all().filter(|(_, pane)| is(*pane));
        panes.map(|(id, _)| id).collect()
    }

    fn pane_effect(&mut self, id: PaneId, effect: Effect) {
        // Questions and messages respond to a key.
        self.urgent |= !matches!(effect, Effect::Ask(_));
        match effect {
            Effect::Ask(ask) => self.ask_for_pane(id, ask),
            Effect::Cancel(name) => self.link.cancel(
                |want| matches!(want, Pending::Pane(of) if of.pane == id && of.name == Some(name)),
            ),
            // Nobody expects a question of a pane that was left.
            Effect::Menu(..) | Effect::Prompt(..) | Effect::Page(_) if self.at != id => {}
            Effect::Menu(menu, then) => {
                self.overlay = Some(Overlay::Menu(MenuFor::Pane(id, then), menu));
            }
            Effect::Prompt(prompt, then) => {
                self.overlay = Some(Overlay::Prompt(PromptFor::Pane(id, then), prompt));
            }
            Effect::Page(page) => self.overlay = Some(Overlay::Page(page)),
            Effect::WhenSeen(at, mut then) => {
                if let Some(viewed) = self.viewed(at) {
                    self.with_pane_at(id, at, |pane, cx| then(pane, viewed, cx));
                }
            }
            Effect::Confirm(viewed, verdict, then) => {
                self.confirm_unseen(viewed, ConfirmFor::Pane(id, verdict, then));
            }
            Effect::Say(toast) => self.say(toast),
            Effect::Copy { text, what } => self.copy(&text, &what),
            Effect::Open(Target::Review) => self.go_review(),
            Effect::Open(Target::Item(number)) => {
                self.go_review();
                self.go_to_item(number);
                self.opened_in(id);
            }
            Effect::Open(Target::Queue {
                number,
                filter,
                sort,
            }) => self.open_queue(number, filter, sort, id),
            Effect::Open(Target::Back(pane)) => self.show(pane, Target::Back(pane), id),
            Effect::Open(Target::Items(words)) => self.show_items(&words, id),
            Effect::Open(Target::Round(round)) => self.work_on(*round),
            Effect::Edit(path) => self.edit_file(&path),
            Effect::Tagged(note) => self.tags.used(&note),
            Effect::Searched(words) => self.searched(&words),
            Effect::JudgedMany(revs) => {
                self.bulk = revs.map(|revs| Done {
                    what: What::Verdict(revs),
                    since: 0,
                });
            }
            Effect::Saved(rev) => {
                self.rev = self.rev.max(rev);
                self.changed();
            }
            Effect::ReadMetadata => {
                if *self.metadata_editor.desk.phase() != Phase::Ready {
                    let effects = self.metadata_editor.desk.read();
                    self.metadata_effects(effects);
                }
            }
            Effect::Retire { terms, discard } => self.retire(terms, discard),
        }
    }

    /// Opens an item in the review, with the items of a filter as the queue.
    fn open_queue(&mut self, number: u32, filter: Filter, sort: Vec<Sort>, from: PaneId) {
        self.leave_round();
        (self.at, self.back_to) = (PaneId::Review, Some(from));
        self.painted = None;
        if filter.is_empty() && sort.is_empty() {
            let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
            let effects = self.review.set_queue(Queue::all(items), Some(number));
            self.carry_out(effects);
        } else {
            self.ask_now(
                Pending::Queue(filter.to_text(), Some(number)),
                request::Numbers(filter, sort),
            );
        }
    }

    /// Remembers the words of a search.
    pub(super) fn searched(&mut self, words: &str) {
        if !words.trim().is_empty() {
            self.history.retain(|h| h != words);
            self.history.push(words.to_string());
        }
    }

    fn ask_for_pane(&mut self, id: PaneId, ask: Ask) {
        let is_for_key = ask.is_for_key;
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
    fn edit_file(&mut self, path: &Path) {
        let root = &self.welcome.root;
        let file = root.join(path);
        if inspect::within(root, path).is_ok() && file.is_file() {
            self.metadata_editor.edit = Some((file, 1));
        } else {
            self.say(Toast::warning(format!(
                "{} no longer exists",
                path.display()
            )));
        }
    }

    /// Draws the pane on screen, if the registry holds it.
    pub(super) fn draw_pane(&mut self, area: Rect, buf: &mut Buffer) -> Option<Position> {
        let pictures = PictureThreads {
            setting: &self.setting,
            previews: &self.previews,
            review: &self.review,
            root: &self.welcome.root,
        };
        let scene = Scene {
            look: &self.setting.look,
            keymap: &self.keymap,
            root: &self.welcome.root,
            pictures: &pictures,
        };
        self.panes.get_mut(self.at)?.draw(area, buf, &scene)
    }
}
