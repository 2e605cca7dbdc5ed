//! Turns keys, menus, and prompts into actions.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::connection::State;
use super::overlay::{MenuFor, Overlay};
use super::{App, PaneId};
use crate::action::{Action, Scope};
use crate::keymap::file::Loaded;
use crate::keymap::macros::Known;
use crate::keymap::{Lookup, Press};
use crate::pane::{Chosen, Pane, Picked, Typed};
use crate::widgets::menu::MenuOutcome;
use crate::widgets::prompt::PromptOutcome;
use crate::widgets::toast::Toast;
use benchtop_model::Error;

/// An enter this soon after a line's number is taken as a habit.
const HABIT_MS: u64 = 400;

impl App {
    /// Replaces the default keys by the user's, or reports errors in the key file.
    pub fn on_keys(&mut self, keys: std::result::Result<Loaded, Vec<Error>>) {
        match keys {
            Ok(loaded) => self.keymap = loaded.keymap,
            Err(problems) => {
                let more = problems.len().saturating_sub(1);
                let more = if more > 0 {
                    format!(" (and {more} more)")
                } else {
                    String::new()
                };
                let first = problems.first().map_or(String::new(), |p| {
                    Error {
                        help: None,
                        ..p.clone()
                    }
                    .to_string()
                });
                self.say(Toast::warning(format!(
                    "using the default keys: {first}{more}; see `benchtop keys`"
                )));
            }
        }
        self.dirty = true;
    }

    /// What macros are checked against in this project.
    pub fn known(&self) -> Known<'_> {
        Known {
            project: &self.welcome.project,
            reasons: &self.welcome.reasons,
        }
    }

    /// What every key does first. Returns whether that is all.
    pub(super) fn begin_key(&mut self, key: KeyEvent, at: u64) -> bool {
        self.dirty = true;
        self.true_pixels.key(at);
        self.quits_once_saved = false;
        if self.with_pane_at(self.at, at, |pane, cx| pane.before_key(key, cx)) == Some(true) {
            return true;
        }
        if self.link.state() == State::Stopped {
            self.link.reconnect(std::time::Duration::ZERO);
        }
        false
    }

    pub(super) fn key(&mut self, key: KeyEvent, at: u64) {
        if key.kind == KeyEventKind::Release || self.begin_key(key, at) {
            return;
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('z') => {
                    self.suspend = true;
                    return;
                }
                KeyCode::Char('c') => return self.leave(),
                _ => {}
            }
        }
        // Repaint works everywhere, since the screen may be garbled anywhere.
        if self.keymap.lookup(&[Scope::Global], &[Press::from(key)])
            == Lookup::Action(Action::Repaint)
        {
            self.repaint = true;
            return;
        }
        // An enter right after a number that chose a menu line was meant for that menu.
        let was_for_menu = self
            .took_by_number
            .take()
            .is_some_and(|took| at.saturating_sub(took) < HABIT_MS);
        if was_for_menu && key.code == KeyCode::Enter && key.modifiers.is_empty() {
            self.say(Toast::info(
                "enter ignored: the number already chose the line; press enter again to use it here",
            ));
            return;
        }
        if self.hold_back(key, at) {
            return;
        }
        if self.overlay.is_some() {
            return self.overlay_key(key, at);
        }
        // The message was about the previous key.
        self.toast = None;
        self.chord.push(Press::from(key));
        let scopes = self.scopes();
        match self.keymap.lookup(&scopes, &self.chord) {
            // On a slow line, half an arrow key looks like escape: it may close things, but not the
            // program.
            Lookup::Action(Action::Back) if key.code == KeyCode::Esc && self.would_quit() => {
                self.chord.clear();
                let quits = self
                    .keymap
                    .keys(Action::Back)
                    .into_iter()
                    .find(|k| k != "esc");
                let quits = quits.unwrap_or_else(|| self.keymap.press(Action::Quit));
                self.say(Toast::info(format!("nothing to close; {quits} quits")));
            }
            Lookup::Action(action) => {
                self.chord.clear();
                self.act(action, at);
                self.watch_refusal(action, Some(key.code), at);
            }
            Lookup::Macro(which) => {
                self.chord.clear();
                self.with_pane_at(self.at, at, |pane, cx| pane.run_macro(which, cx));
            }
            Lookup::Pending(_) => {}
            // Keys that are no action are text.
            Lookup::Elsewhere(_) if self.typing() => {
                self.chord.clear();
                self.with_pane_at(self.at, at, |pane, cx| pane.key(key, cx));
            }
            Lookup::Elsewhere(actions) => {
                let pressed = std::mem::take(&mut self.chord);
                // Escape drops the keys before it.
                if key.code != KeyCode::Esc {
                    self.explain(&pressed, &actions);
                }
            }
        }
    }

    /// Whether going back would quit the program.
    pub(super) fn would_quit(&self) -> bool {
        self.pane().is_some_and(Pane::is_home)
    }

    /// Explains why a key did nothing.
    pub(super) fn explain(&mut self, pressed: &[Press], actions: &[Action]) {
        let name = crate::keymap::Chord(pressed.to_vec()).label();
        let key = |action| self.keymap.press(action);
        let help = key(Action::Help);
        // Prefer other scopes to the answers of a round, which use common letters.
        let told = |hidden: &[Scope]| actions.iter().find(|a| !hidden.contains(&a.scope()));
        let said = match told(&[Scope::Overlay, Scope::Answers]).or_else(|| told(&[Scope::Overlay]))
        {
            Some(action) => {
                let place = match action.scope() {
                    Scope::Table => format!(
                        "in Items and Board ({}, {})",
                        key(Action::Go(PaneId::List)),
                        key(Action::Go(PaneId::Board))
                    ),
                    Scope::Metadata => {
                        let (words, texts) = (
                            key(Action::Go(PaneId::Vocabulary)),
                            key(Action::Go(PaneId::Templates)),
                        );
                        format!("in Vocabularies and Templates ({words}, {texts})")
                    }
                    Scope::Round => {
                        format!("in a round ({})", key(Action::Go(PaneId::Rounds)))
                    }
                    Scope::Answers => format!(
                        "in a round that asks for answers ({})",
                        key(Action::Go(PaneId::Rounds))
                    ),
                    scope => {
                        let has = |id: &PaneId| id.info().live.concat().contains(&scope);
                        match PaneId::ALL.into_iter().find(has) {
                            Some(id) => format!("in {} ({})", id.info().name, key(Action::Go(id))),
                            None => "elsewhere".to_string(),
                        }
                    }
                };
                format!(
                    "`{name}` means `{}` {place}; {help} shows the keys of this pane",
                    action.name()
                )
            }
            None => format!("`{name}` is not bound; {help} shows the keys"),
        };
        self.say(Toast::info(said));
    }

    /// Translates a key of a menu or prompt, which the user may have remapped, to its default.
    /// `None` if the key no longer has this meaning. Text is unchanged.
    fn overlays_own(&self, key: KeyEvent) -> Option<KeyEvent> {
        let own = |code| {
            Some(KeyEvent {
                code,
                modifiers: KeyModifiers::NONE,
                ..key
            })
        };
        match self.keymap.lookup(&[Scope::Overlay], &[Press::from(key)]) {
            Lookup::Action(Action::MenuConfirm) => own(KeyCode::Enter),
            Lookup::Action(Action::MenuCancel) => own(KeyCode::Esc),
            Lookup::Action(Action::MenuDown) => own(KeyCode::Down),
            Lookup::Action(Action::MenuUp) => own(KeyCode::Up),
            Lookup::Action(Action::MenuMark) => own(KeyCode::Tab),
            _ => match key.code {
                KeyCode::Enter | KeyCode::Esc | KeyCode::Down | KeyCode::Up | KeyCode::Tab => None,
                KeyCode::Char('n' | 'p') if key.modifiers.contains(KeyModifiers::CONTROL) => None,
                _ => Some(key),
            },
        }
    }

    pub(super) fn paste(&mut self, pasted: &str) {
        self.dirty = true;
        let pastes = self.pane().is_some_and(Pane::pastes);
        match &mut self.overlay {
            Some(Overlay::Menu(_, menu)) => {
                menu.paste(pasted);
                self.menu_noted();
            }
            Some(Overlay::Prompt(_, prompt)) => {
                if matches!(prompt.paste(pasted), PromptOutcome::Changed(_)) {
                    self.prompt_changed();
                }
            }
            Some(Overlay::Page(page)) if page.typing() => page.paste(pasted),
            None if pastes => {
                self.with_pane(self.at, |pane, cx| pane.paste(pasted, cx));
            }
            _ => {
                let find = self.keymap.press(Action::Find);
                self.say(Toast::info(format!(
                    "nothing to paste into; {find} opens the search"
                )));
            }
        }
    }

    pub(super) fn overlay_key(&mut self, key: KeyEvent, at: u64) {
        let typed = key;
        if matches!(self.overlay, Some(Overlay::Confirm { .. })) {
            return self.confirm_key(key);
        }
        if let Some(key) = self.overlays_own(key) {
            self.overlay_own_key(key, typed, at);
        }
    }

    /// Runs an action of menus, prompts, and pages.
    pub(super) fn overlay_action(&mut self, action: Action, at: u64) {
        if let Some(Overlay::Page(page)) = &mut self.overlay {
            let closes = matches!(action, Action::MenuCancel | Action::MenuConfirm);
            if closes && !page.stop_search() {
                self.overlay = None;
            } else {
                page.act(action);
            }
            return;
        }
        if matches!(self.overlay, Some(Overlay::Confirm { .. })) {
            return self.confirm_with(action);
        }
        let code = match action {
            Action::MenuConfirm => KeyCode::Enter,
            Action::MenuCancel => KeyCode::Esc,
            Action::MenuDown => KeyCode::Down,
            Action::MenuUp => KeyCode::Up,
            Action::MenuMark => KeyCode::Tab,
            _ => return,
        };
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        self.overlay_own_key(key, key, at);
    }

    /// Handles a key of an overlay as it is by default. `typed` is the key that was pressed.
    fn overlay_own_key(&mut self, key: KeyEvent, typed: KeyEvent, at: u64) {
        // As in a pane: the message was about the previous key.
        self.toast = None;
        match &mut self.overlay {
            Some(Overlay::Menu(_, menu)) => {
                let is_number =
                    !menu.typing() && matches!(key.code, KeyCode::Char(c) if c.is_ascii_digit());
                let outcome = menu.key(key);
                let took = matches!(outcome, MenuOutcome::Chosen { .. });
                self.took_by_number = (is_number && took).then_some(at);
                self.menu_outcome(outcome);
            }
            Some(Overlay::Prompt(_, prompt)) => match prompt.key(key) {
                PromptOutcome::Open => {}
                PromptOutcome::Changed(_) => self.prompt_changed(),
                PromptOutcome::Cancelled => {
                    if let Some(Overlay::Prompt((id, mut then), _)) = self.overlay.take() {
                        self.with_pane(id, |pane, cx| (then.0)(pane, Typed::Cancelled, cx));
                    }
                }
                PromptOutcome::Done(text) => {
                    if let Some(Overlay::Prompt(purpose, prompt)) = self.overlay.take() {
                        self.submitted(purpose, prompt, &text);
                    }
                }
            },
            Some(Overlay::Page(page)) if page.typing() => page.key(key),
            Some(Overlay::Page(page)) => {
                let scopes = [Scope::Overlay, Scope::Table, Scope::Global];
                match self.keymap.lookup(&scopes, &[Press::from(typed)]) {
                    Lookup::Action(Action::Find) => page.find(),
                    Lookup::Action(Action::MenuCancel | Action::Back) if page.stop_search() => {}
                    Lookup::Action(
                        Action::MenuCancel | Action::MenuConfirm | Action::Back | Action::Help,
                    ) => {
                        self.overlay = None;
                    }
                    Lookup::Action(action) => {
                        page.act(action);
                    }
                    _ => {}
                }
            }
            Some(Overlay::Confirm { .. }) | None => {}
        }
    }

    /// One key confirms; any other key cancels.
    fn confirm_key(&mut self, key: KeyEvent) {
        let pressed = self.keymap.lookup(&[Scope::Overlay], &[Press::from(key)]);
        self.confirm_with(match pressed {
            Lookup::Action(action) => action,
            _ => Action::MenuCancel,
        });
    }

    fn confirm_with(&mut self, action: Action) {
        let Some(Overlay::Confirm { then, viewed, .. }) = self.overlay.take() else {
            return;
        };
        if action == Action::MenuConfirm {
            self.confirmed(viewed, then);
        }
    }

    fn menu_outcome(&mut self, outcome: MenuOutcome) {
        match outcome {
            MenuOutcome::Open => self.menu_noted(),
            MenuOutcome::Refused(why) => self.say(Toast::info(why)),
            MenuOutcome::Cancelled => match self.overlay.take() {
                Some(Overlay::Menu(MenuFor::Pane(id, mut then), _)) => {
                    self.with_pane(id, |pane, cx| (then.0)(pane, Picked::Cancelled, cx));
                }
                Some(Overlay::Menu(MenuFor::Unsaved(under), _)) => {
                    self.overlay = under.map(|under| *under);
                }
                _ => {}
            },
            MenuOutcome::Chosen { picks, note } => {
                if let Some(Overlay::Menu(purpose, _)) = self.overlay.take() {
                    self.chosen(purpose, &picks, note);
                }
            }
        }
    }

    /// Tells the pane of a menu the note that is being typed.
    fn menu_noted(&mut self) {
        let overlay = self.overlay.take();
        let Some(Overlay::Menu(MenuFor::Pane(id, mut then), menu)) = overlay else {
            self.overlay = overlay;
            return;
        };
        let note = menu.note().to_string();
        self.with_pane(id, |pane, cx| (then.0)(pane, Picked::Noted(&note), cx));
        self.overlay = Some(Overlay::Menu(MenuFor::Pane(id, then), menu));
    }

    pub(super) fn chosen(&mut self, purpose: MenuFor, picks: &[usize], note: String) {
        match purpose {
            MenuFor::Pane(id, mut then) => {
                let picks = picks.to_vec();
                let chosen = Picked::Chosen(Chosen { picks, note });
                self.with_pane(id, |pane, cx| (then.0)(pane, chosen, cx));
            }
            MenuFor::Theme(mut themes) => {
                if let Some(pick) = picks.first().filter(|pick| **pick < themes.len()) {
                    self.theme_chosen(themes.swap_remove(*pick));
                }
            }
            MenuFor::Palette(actions) => {
                if let Some(action) = picks.first().and_then(|p| actions.get(*p)) {
                    self.run_action(*action);
                }
            }
            MenuFor::Unsaved(under) => {
                if let Some(pick) = picks.first() {
                    self.unsaved_chosen(*pick, under);
                }
            }
        }
    }
}
