//! Runs actions, by pane.

use super::App;
use super::connection::Pending;
use super::overlay::{MenuFor, Overlay};
use crate::action::Action;
use crate::pane::{Pane, PaneId};
use crate::widgets::keys;
use crate::widgets::menu::Menu;
use crate::widgets::toast::Toast;
use benchtop_protocol::wire::request;

impl App {
    pub(super) fn act(&mut self, action: Action, at: u64) {
        if let Some(tab) = action.tab() {
            self.go_to_tab(tab);
            self.dirty = true;
            return;
        }
        match action {
            Action::Go(pane) => self.go(pane),
            Action::Quit => self.leave(),
            Action::Undo | Action::Redo if self.pane().is_some_and(Pane::has_undo) => {
                if action == Action::Redo || !self.undo_retirement() {
                    self.with_pane_at(self.at, at, |pane, cx| pane.act(action, cx));
                }
            }
            Action::Undo if self.undo_bulk() => {}
            Action::Undo | Action::Redo => {
                let (redo, uuid) = (action == Action::Redo, uuid::Uuid::now_v7());
                let want = Pending::TakeBack { redo, uuid };
                if redo {
                    self.ask_now(want, request::Redo(uuid))
                } else {
                    self.ask_now(want, request::Undo(uuid))
                }
            }
            Action::Sample => {
                self.with_pane_at(PaneId::Home, at, |pane, cx| pane.act(action, cx));
            }
            Action::GoToItem => self.ask_item(),
            Action::Repaint => self.repaint = true,
            Action::Mouse => self.toggle_mouse(),
            Action::Theme => self.ask_theme(),
            Action::Palette => {
                let (choices, actions) = keys::palette(&self.keymap, &self.scopes());
                self.overlay = Some(Overlay::Menu(
                    MenuFor::Palette(actions),
                    Menu::new("do", choices).filtering(),
                ));
            }
            Action::Help => {
                let page = keys::help_page(&self.keymap, &self.scopes(), &[self.about()]);
                self.overlay = Some(Overlay::Page(page));
            }
            action => {
                self.with_pane_at(self.at, at, |pane, cx| pane.act(action, cx));
            }
        }
        self.dirty = true;
    }

    /// Runs an action chosen in the palette.
    pub(super) fn run_action(&mut self, action: Action) {
        let at = self.now();
        self.act(action, at);
        self.watch_refusal(action, None, at);
    }

    /// The description of the pane on its help page.
    pub(super) fn about(&self) -> String {
        let pane = self.pane();
        pane.map_or(String::new(), |pane| pane.help(&self.keymap))
    }

    pub(super) fn toggle_pixels(&mut self) {
        match self.pixels.protocol() {
            Some(protocol) => {
                self.true_pixels.toggle();
                let name = protocol.name();
                self.say(Toast::info(if self.true_pixels.are_always_on() {
                    format!("true pixels ({name})")
                } else {
                    "half-blocks".into()
                }));
            }
            None if self.setting.capabilities.tmux => {
                self.say(Toast::info(
                    "no true pixels inside tmux without kitty or Ghostty and `allow-passthrough on`",
                ));
            }
            None => self.say(Toast::info(
                "this terminal has no pixel protocol (kitty, iTerm2, sixel)",
            )),
        }
    }
}
