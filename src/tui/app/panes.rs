//! Calls panes and carries out their effects.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::connection::{Pending, State};
use super::overlay::{ConfirmFor, MenuFor, Overlay, PromptFor};
use super::pictures::PictureThreads;
use super::{App, PaneId};
use crate::pane::{Ask, Context, Effect, Env, Notice, Pane, Scene, Target};
use crate::terminal::osc52;
use crate::widgets::toast::Toast;
use benchtop_files::inspect;

impl App {
    /// Opens a pane, or loads it again.
    pub(super) fn go(&mut self, id: PaneId) {
        match id {
            PaneId::Review => self.go_review(),
            PaneId::List => self.go_list(),
            PaneId::Board => self.go_board(),
            PaneId::Filters => self.go_filters(),
            _ => {
                if self.at != id {
                    (self.at, self.painted) = (id, None);
                }
                self.with_pane(id, |pane, cx| pane.open(cx));
            }
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
        let env = Env {
            keymap: &self.keymap,
            who: self.link.who(),
            reasons: &self.welcome.reasons,
            tags: self.tags.known(),
            now: self.setting.clock.ms(),
            key_at,
            is_shown: self.at == id,
            is_covered: self.overlay.is_some(),
            is_connected: self.link.state() == State::Up,
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
            Effect::Open(Target::Pane(other)) => self.go(other),
            Effect::Open(Target::Item(number)) => {
                self.go_review();
                self.go_to_item(number);
                self.opened_in(id);
            }
            Effect::Open(Target::Items(words)) => self.show_items(&words),
            Effect::Open(Target::Round(round)) => self.work_on(*round),
            Effect::Edit(path, line) => self.edit_file(&path, line),
            Effect::Tagged(note) => self.tags.used(&note),
            Effect::Saved(rev) => {
                self.rev = self.rev.max(rev);
                self.changed();
            }
            Effect::ReadMetadata => self.read_metadata(),
            Effect::Retire { terms, discard } => self.retire(terms, discard),
            Effect::Quit => self.leave(),
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
    fn edit_file(&mut self, path: &Path, line: u32) {
        let root = &self.welcome.root;
        let file = root.join(path);
        if inspect::within(root, path).is_ok() && file.is_file() {
            self.edit = Some((file, line));
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
            metadata: &self.metadata,
        };
        self.panes.get_mut(self.at)?.draw(area, buf, &scene)
    }
}
