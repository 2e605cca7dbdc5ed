//! From keys to actions, and what the actions do.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::link::{State, Want};
use super::overlay::{MenuFor, Overlay, PromptFor};
use super::{App, At};
use crate::model::{Field, Judgement, Seen, Verdict};
use crate::owner::wire::Ask;
use crate::tui::action::{Action, Scope};
use crate::tui::keymap::{Lookup, Press};
use crate::tui::panes::board::BoardEffect;
use crate::tui::panes::list::ListEffect;
use crate::tui::panes::review::Queue;
use crate::tui::terminal::osc52;
use crate::tui::widgets::keys;
use crate::tui::widgets::menu::{Choice, Menu, MenuOutcome};
use crate::tui::widgets::prompt::{Prompt, PromptOutcome};
use crate::tui::widgets::table::{CopyFormat, CopyWhat};
use crate::tui::widgets::text;
use crate::tui::widgets::toast::Toast;

impl App {
    pub(super) fn key(&mut self, key: KeyEvent, at: u64) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        self.dirty = true;
        if self.link.state() == State::Stopped {
            self.link.reconnect(std::time::Duration::ZERO);
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
        if self.overlay.is_some() {
            return self.overlay_key(key);
        }
        // What was said was about the key before this one.
        self.toast = None;
        self.chord.push(Press::from(key));
        let scopes = self.scopes();
        match self.keymap.lookup(&scopes, &self.chord) {
            // Half an arrow key on a slow line is an escape: it may close things, but not the program.
            Lookup::Action(Action::Back) if key.code == KeyCode::Esc && self.at_the_door() => {
                self.chord.clear();
                self.say(Toast::info("there is nothing to close; q quits"));
            }
            Lookup::Action(action) => {
                self.chord.clear();
                self.act(action, at);
            }
            Lookup::Pending(_) => {}
            Lookup::Elsewhere(actions) => {
                let pressed = std::mem::take(&mut self.chord);
                if pressed.len() > 1 || key.code != KeyCode::Esc {
                    self.explain(&pressed, &actions);
                }
            }
        }
    }

    /// Whether one step back is out of the program.
    fn at_the_door(&self) -> bool {
        self.at == At::Review && self.review.queue().is_all()
    }

    /// Says why a key did nothing.
    fn explain(&mut self, pressed: &[Press], actions: &[Action]) {
        let name = crate::tui::keymap::Chord(pressed.to_vec()).label();
        let said = match actions.iter().find(|a| a.scope() != Scope::Overlay) {
            Some(action) => {
                let place = match action.scope() {
                    Scope::Review => "in Review (1)",
                    Scope::List => "in Items (2)",
                    Scope::Board => "on the leaderboard (3)",
                    Scope::Table => "in tables (2, 3)",
                    Scope::Global | Scope::Overlay => "elsewhere",
                };
                format!("`{name}` is {} {place}; ? shows the keys of this pane", action.name())
            }
            None => format!("`{name}` does nothing; ? shows the keys"),
        };
        self.say(Toast::info(said));
    }

    pub(super) fn paste(&mut self, pasted: &str) {
        self.dirty = true;
        match &mut self.overlay {
            Some(Overlay::Menu(_, menu)) => menu.paste(pasted),
            Some(Overlay::Prompt(_, prompt)) => {
                if matches!(prompt.paste(pasted), PromptOutcome::Changed(_)) {
                    self.prompt_changed();
                }
            }
            _ => self.say(Toast::info("there is nothing to paste into: / finds")),
        }
    }

    fn overlay_key(&mut self, key: KeyEvent) {
        match &mut self.overlay {
            Some(Overlay::Menu(_, menu)) => match menu.key(key) {
                MenuOutcome::Open => {}
                MenuOutcome::Refused(why) => self.say(Toast::info(why)),
                MenuOutcome::Cancelled => self.overlay = None,
                MenuOutcome::Chosen { picks, note } => {
                    if let Some(Overlay::Menu(purpose, _)) = self.overlay.take() {
                        self.chosen(purpose, &picks, note);
                    }
                }
            },
            Some(Overlay::Prompt(_, prompt)) => match prompt.key(key) {
                PromptOutcome::Open => {}
                PromptOutcome::Changed(_) => self.prompt_changed(),
                PromptOutcome::Cancelled => {
                    if let Some(Overlay::Prompt(PromptFor::Find(before), _)) = self.overlay.take()
                        && self.at == At::List
                        && let Ok(effects) = self.list.find(&before)
                    {
                        self.list_effects(effects);
                    }
                }
                PromptOutcome::Done(text) => {
                    if let Some(Overlay::Prompt(purpose, prompt)) = self.overlay.take() {
                        self.submitted(purpose, prompt, &text);
                    }
                }
            },
            Some(Overlay::Page(page)) => {
                let scopes = [Scope::Overlay, Scope::Table, Scope::Global];
                match self.keymap.lookup(&scopes, &[Press::from(key)]) {
                    Lookup::Action(Action::MenuCancel | Action::MenuOk | Action::Back | Action::Help) => {
                        self.overlay = None;
                    }
                    Lookup::Action(action) => {
                        page.act(action);
                    }
                    _ => {}
                }
            }
            None => {}
        }
    }

    fn chosen(&mut self, purpose: MenuFor, picks: &[usize], note: String) {
        match purpose {
            MenuFor::Reject { number, rev, seen, ms } => {
                let reasons = &self.welcome.reasons;
                let reasons = picks.iter().filter_map(|p| reasons.get(*p)).map(|r| r.key.clone()).collect();
                let note = (!note.trim().is_empty()).then(|| note.trim().to_string());
                let judgement = Judgement { verdict: Verdict::Reject, reasons, note, ms, seen };
                let effects = self.review.decide(number, rev, judgement);
                self.carry_out(effects);
            }
            MenuFor::Palette(actions) => {
                if let Some(action) = picks.first().and_then(|p| actions.get(*p)) {
                    self.run_action(*action);
                }
            }
            MenuFor::Column => {
                let Some(column) = picks.first().copied() else { return };
                match (self.at, &mut self.board) {
                    (At::Board, Some(board)) => board.go_to_column(column),
                    _ => self.list.go_to_column(column),
                }
            }
            MenuFor::Value(field, values) => {
                if let Some(value) = picks.first().and_then(|p| values.get(*p)) {
                    let effects = self.list.filter_by(field, value);
                    self.list_effects(effects);
                }
            }
            MenuFor::Copy(what, formats) => {
                let Some(format) = picks.first().and_then(|p| formats.get(*p)).copied() else { return };
                match (self.at, &mut self.board) {
                    (At::Board, Some(board)) => {
                        let effects = board.copy(what, format);
                        self.board_effects(effects);
                    }
                    _ => {
                        let effects = self.list.copy(what, format);
                        self.list_effects(effects);
                    }
                }
            }
        }
    }

    fn prompt_changed(&mut self) {
        let Some(Overlay::Prompt(PromptFor::Find(_), prompt)) = &mut self.overlay else { return };
        if self.at != At::List {
            return;
        }
        let words = prompt.value().to_string();
        match self.list.find(&words) {
            Ok(effects) => self.list_effects(effects),
            Err(problem) => {
                if let Some(Overlay::Prompt(_, prompt)) = &mut self.overlay {
                    prompt.refuse(problem.what);
                }
            }
        }
    }

    fn submitted(&mut self, purpose: PromptFor, mut prompt: Prompt, words: &str) {
        match purpose {
            PromptFor::Find(before) => {
                if !words.trim().is_empty() {
                    self.history.retain(|h| h != words);
                    self.history.push(words.to_string());
                }
                match (self.at, crate::model::Filter::parse(words)) {
                    (At::Review, Ok(filter)) if filter.is_empty() => {
                        let number = self.review.number();
                        let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
                        let effects = self.review.set_queue(Queue::all(items), number);
                        self.carry_out(effects);
                    }
                    (At::Review, Ok(_)) => self.ask_queue(words.trim().to_string(), None),
                    (_, Ok(_)) => match self.list.find(words) {
                        Ok(effects) => self.list_effects(effects),
                        Err(problem) => self.say(Toast::from(&problem)),
                    },
                    (_, Err(problem)) => {
                        prompt.refuse(problem.to_string().replace('\n', ";"));
                        self.overlay = Some(Overlay::Prompt(PromptFor::Find(before), prompt));
                    }
                }
            }
            PromptFor::Regex { column, on } => {
                let done = match (self.at, &mut self.board) {
                    (At::Board, Some(board)) => {
                        board.select_regex(column, words, on).map(|effects| self.board_effects(effects))
                    }
                    _ => self.list.select_regex(column, words, on).map(|effects| self.list_effects(effects)),
                };
                if let Err(problem) = done {
                    prompt.refuse(problem.what);
                    self.overlay = Some(Overlay::Prompt(PromptFor::Regex { column, on }, prompt));
                }
            }
        }
    }

    pub(super) fn act(&mut self, action: Action, at: u64) {
        match action {
            Action::Quit => self.leave(),
            Action::GoReview => self.go_review(),
            Action::GoList => self.go_list(),
            Action::GoBoard => self.go_board(),
            Action::Undo => self.ask_now(Want::TakeBack { redo: false }, Ask::Undo(uuid::Uuid::now_v7())),
            Action::Redo => self.ask_now(Want::TakeBack { redo: true }, Ask::Redo(uuid::Uuid::now_v7())),
            Action::Sample => {
                if self.welcome.items > 0 {
                    self.say(Toast::info("the sample is for an empty project; `benchtop sample` adds it to any"));
                } else {
                    self.say(Toast::info("drawing the sample"));
                    self.ask_now(Want::Sample, Ask::Sample);
                }
            }
            Action::Palette => {
                let (choices, actions) = keys::palette(&self.keymap, &self.scopes());
                self.overlay = Some(Overlay::Menu(MenuFor::Palette(actions), Menu::new("do", choices).filtering()));
            }
            Action::Help => {
                let page = keys::help_page(&self.keymap, &self.scopes(), &[self.about()]);
                self.overlay = Some(Overlay::Page(page));
            }
            Action::Find if self.at != At::Board => self.ask_find(match self.at {
                At::List => self.list.words(),
                _ => self.review.queue().words.clone(),
            }),
            action => match self.at {
                At::Review => self.review_action(action, at),
                At::List => {
                    let effects = self.list.act(action);
                    self.list_effects(effects);
                }
                At::Board => self.board_action(action),
            },
        }
        self.dirty = true;
    }

    fn about(&self) -> String {
        match self.at {
            At::Review => "One item a screen. A verdict goes on to the next item; “saved” appears once it is on disk. \
                           `/` makes a queue: words are found fuzzily, `status:pending subtask:animal` filter."
                .into(),
            At::List => "Every item. `/` finds as you type; `field:value` filters; Enter reviews from here on.".into(),
            At::Board => "Models by columns, every cell k of n. Enter on a cell lists the answers behind it.".into(),
        }
    }

    fn ask_find(&mut self, words: String) {
        let prompt = Prompt::new("find ", words.clone(), self.history.clone());
        self.overlay = Some(Overlay::Prompt(PromptFor::Find(words), prompt));
    }

    fn go_review(&mut self) {
        let item = match (self.at, &self.board) {
            (At::Board, Some(board)) => board.behind().map(|b| b.item.clone()),
            _ => None,
        };
        self.at = At::Review;
        self.painted = None;
        if let Some(id) = item {
            self.ask_now(Want::NumberOf, Ask::NumberOf(id));
        }
        let effects = self.review.fetch();
        self.carry_out(effects);
    }

    fn go_list(&mut self) {
        self.at = At::List;
        let started = std::mem::replace(&mut self.list_started, true);
        let effects = if started { self.list.changed() } else { self.list.start() };
        self.list_effects(effects);
        if let (true, Some(number)) = (self.list.words().is_empty(), self.review.number()) {
            let effects = self.list.go_to(number);
            self.list_effects(effects);
        }
    }

    fn go_board(&mut self) {
        self.at = At::Board;
        if self.board.is_none() {
            self.link.ask(Want::Board, Ask::Board);
        }
    }

    fn review_action(&mut self, action: Action, at: u64) {
        let position = self.review.position();
        let gone = match action {
            Action::Accept => return self.judge(Verdict::Accept, at),
            Action::Skip => return self.judge(Verdict::Skip, at),
            Action::Flag => return self.judge(Verdict::Flag, at),
            Action::Reject => return self.reject(at),
            Action::Next => self.review.go(position + 1),
            Action::Previous => match position.checked_sub(1) {
                Some(position) => self.review.go(position),
                None => Err("this is the first item of the queue"),
            },
            Action::FirstItem => self.review.go(0),
            Action::LastItem => self.review.go(self.review.queue().len().saturating_sub(1)),
            Action::NextPending => return self.next_pending(),
            Action::ScrollDown | Action::ScrollUp => {
                let lines = if action == Action::ScrollDown { 5 } else { -5 };
                if !self.review.scroll(lines) {
                    self.say(Toast::info("there is no more text that way"));
                }
                return;
            }
            Action::Pixels => return self.toggle_pixels(),
            Action::Back => {
                if self.at_the_door() {
                    return self.leave();
                }
                let number = self.review.number();
                let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
                self.say(Toast::info("all items again"));
                Ok(self.review.set_queue(Queue::all(items), number))
            }
            other => return self.say(Toast::info(format!("{} is for tables: 2 shows the items", other.name()))),
        };
        match gone {
            Ok(effects) => self.carry_out(effects),
            Err(why) => self.say(Toast::info(why)),
        }
    }

    fn judge(&mut self, verdict: Verdict, at: u64) {
        match self.seen(at) {
            Ok((number, rev, seen, ms)) => {
                self.tell_unconfirmed(seen);
                let judgement = Judgement { verdict, reasons: Vec::new(), note: None, ms, seen };
                let effects = self.review.decide(number, rev, judgement);
                self.carry_out(effects);
            }
            Err(why) => self.say(Toast::warning(why)),
        }
    }

    fn tell_unconfirmed(&mut self, seen: Seen) {
        if seen == Seen::Unconfirmed {
            self.say(Toast::info("your terminal does not answer: the verdict is marked as unconfirmed"));
        }
    }

    fn reject(&mut self, at: u64) {
        match self.seen(at) {
            Ok((number, rev, seen, ms)) => {
                let choice = |r: &crate::model::config::Reason| {
                    let choice = Choice::new(r.label.clone());
                    if r.key == "other" { choice.wants_note() } else { choice }
                };
                let choices = self.welcome.reasons.iter().map(choice).collect();
                let menu = Menu::new(format!("reject #{number}: why?"), choices).several().with_note();
                self.overlay = Some(Overlay::Menu(MenuFor::Reject { number, rev, seen, ms }, menu));
            }
            Err(why) => self.say(Toast::warning(why)),
        }
    }

    fn next_pending(&mut self) {
        let queue = self.review.queue();
        let ask = if queue.is_all() {
            Ask::NextPending(self.review.number().unwrap_or(0))
        } else {
            Ask::FirstPending(queue.from(self.review.position(), 500_000))
        };
        self.ask_now(Want::NextPending, ask);
    }

    fn toggle_pixels(&mut self) {
        match self.pixels.protocol() {
            Some(protocol) => {
                self.true_pixels = !self.true_pixels;
                let name = protocol.name();
                self.say(Toast::info(if self.true_pixels {
                    format!("true pixels ({name})")
                } else {
                    "half-blocks".into()
                }));
            }
            None if self.setting.capabilities.tmux => {
                self.say(Toast::info("no true pixels inside tmux: run benchtop outside of it"));
            }
            None => self.say(Toast::info("this terminal has no pixel protocol (kitty, iTerm2, sixel)")),
        }
    }

    fn board_action(&mut self, action: Action) {
        let Some(board) = &mut self.board else {
            if action == Action::Back {
                return self.go_review();
            }
            return self.say(Toast::info("the leaderboard is being made"));
        };
        let effects = board.act(action);
        self.board_effects(effects);
    }

    pub(super) fn board_effects(&mut self, effects: Vec<BoardEffect>) {
        for effect in effects {
            match effect {
                BoardEffect::Behind { model, column } => {
                    let want = Want::Behind(model.clone(), column.clone());
                    self.ask_now(want, Ask::Behind { model, column });
                }
                BoardEffect::Copy { text, rows } => self.copy(&text, rows),
                BoardEffect::AskRegex { column, on } => self.ask_regex(column, on),
                BoardEffect::AskColumn(names) => self.ask_column(names),
                BoardEffect::AskCopy(what) => self.ask_copy(what),
                BoardEffect::Say(said) | BoardEffect::Refuse(said) => self.say(Toast::info(said)),
                BoardEffect::Leave => self.go_review(),
            }
        }
        self.dirty = true;
    }

    pub(super) fn list_effects(&mut self, effects: Vec<ListEffect>) {
        for effect in effects {
            match effect {
                ListEffect::Ask(want, ask) => self.link.ask(Want::List(want), ask),
                ListEffect::Open { number, filter, sort } => {
                    self.at = At::Review;
                    self.painted = None;
                    if filter.is_empty() && sort.is_empty() {
                        let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
                        let effects = self.review.set_queue(Queue::all(items), Some(number));
                        self.carry_out(effects);
                    } else {
                        self.ask_now(Want::Queue(filter.words(), Some(number)), Ask::Numbers(filter, sort));
                    }
                }
                ListEffect::Copy { text, rows } => self.copy(&text, rows),
                ListEffect::AskRegex { column, on } => self.ask_regex(column, on),
                ListEffect::AskColumn(names) => self.ask_column(names),
                ListEffect::AskCopy(what) => self.ask_copy(what),
                ListEffect::AskFind(words) => self.ask_find(words),
                ListEffect::AskValue { field, choices } => self.ask_value(field, choices),
                ListEffect::Say(said) | ListEffect::Refuse(said) => self.say(Toast::info(said)),
                ListEffect::Leave => self.go_review(),
            }
        }
        self.dirty = true;
    }

    fn copy(&mut self, text: &str, rows: usize) {
        match osc52::copy(text) {
            Ok(bytes) => {
                self.extra.extend(bytes);
                self.say(Toast::done(format!("{rows} rows copied, if your terminal takes OSC 52")));
            }
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    fn ask_regex(&mut self, column: usize, on: bool) {
        let label = if on { "select where it matches " } else { "let go where it matches " };
        self.overlay = Some(Overlay::Prompt(PromptFor::Regex { column, on }, Prompt::new(label, "", Vec::new())));
    }

    fn ask_column(&mut self, names: Vec<String>) {
        let menu = Menu::new("go to column", names.into_iter().map(Choice::new).collect()).filtering();
        self.overlay = Some(Overlay::Menu(MenuFor::Column, menu));
    }

    fn ask_copy(&mut self, what: CopyWhat) {
        let formats = CopyFormat::ALL.to_vec();
        let menu = Menu::new("copy as", formats.iter().map(|f| Choice::new(f.name())).collect());
        self.overlay = Some(Overlay::Menu(MenuFor::Copy(what, formats), menu));
    }

    fn ask_value(&mut self, field: Field, choices: Vec<(String, u64)>) {
        let shown = |(value, n): &(String, u64)| {
            let label = if value.is_empty() { "(none)".to_string() } else { value.clone() };
            Choice::new(label).help(text::grouped(*n))
        };
        let menu = Menu::new(format!("show one {}", field.name()), choices.iter().map(shown).collect()).filtering();
        let values = choices.into_iter().map(|(value, _)| value).collect();
        self.overlay = Some(Overlay::Menu(MenuFor::Value(field, values), menu));
    }
}
