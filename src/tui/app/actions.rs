//! Runs actions, by pane.

use super::connection::Pending;
use super::overlay::{ConfirmFor, MenuFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::action::Action;
use crate::pane::{Pane, Viewed};
use crate::panes::registry::TABS;
use crate::panes::review::Queue;
use crate::widgets::keys;
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_model::{Judgement, Verdict};
use benchtop_protocol::wire::request;

impl App {
    pub(super) fn act(&mut self, action: Action, at: u64) {
        let tab = TABS.iter().find(|tab| tab.go == action);
        match action {
            _ if tab.is_some() => tab.into_iter().for_each(|tab| self.go(tab.id)),
            Action::Quit => self.leave(),
            Action::Undo | Action::Redo if self.panes.get(self.at).is_some_and(Pane::has_undo) => {
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
                if self.welcome.items > 0 {
                    self.say(Toast::info(
                        "the project is not empty; `benchtop sample` adds the sample anyway",
                    ));
                } else {
                    self.say(Toast::info("adding the sample"));
                    self.ask_now(Pending::Sample, request::Sample);
                }
            }
            Action::Repaint => self.repaint = true,
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
            Action::Find
                if self.at == PaneId::List
                    || (self.at == PaneId::Review && self.review.work().is_none()) =>
            {
                self.ask_find(match self.at {
                    PaneId::List => self.list.words(),
                    _ => self.review.queue().words.clone(),
                })
            }
            action => match self.at {
                PaneId::Review => self.review_action(action, at),
                PaneId::List => {
                    let effects = self.list.act(action);
                    self.list_effects(effects);
                }
                PaneId::Board => {
                    let effects = self.board.act(action);
                    self.board_effects(effects);
                }
                PaneId::Filters => {
                    let effects = self.filters.act(action);
                    self.filters_effects(effects);
                }
                other => {
                    self.with_pane_at(other, at, |pane, cx| pane.act(action, cx));
                }
            },
        }
        // Leaving the review for another pane drops the way back.
        self.back_to = self.back_to.filter(|_| self.at == PaneId::Review);
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
        let key = |action| self.keymap.press(action);
        let (find, open) = (key(Action::Find), key(Action::Open));
        match self.at {
            PaneId::Review => format!(
                "One item per screen. A verdict moves on to the next item, and “saved” appears once it is on disk. \
                 `{find}` makes a queue from text or filters such as `status:pending subtask:animal`. \
                 {} makes a queue of flagged items, and {} explains why an item is flagged.",
                key(Action::ReviewFlagged),
                key(Action::Explain)
            ),
            PaneId::List => format!(
                "All items. `{find}` searches as you type; `field:value` filters, as do `filter:flagged`, `score:clip<25`, and \
                 `picture:missing`. {open} starts the review here."
            ),
            PaneId::Filters => format!(
                "The histogram of a score. {} and {} move the threshold that flags; {} switches to the one that parks. Nothing is \
                 deleted. Counts, precision, and recall update; {} saves the thresholds as rules in benchtop.toml.",
                key(Action::ThresholdLeft),
                key(Action::ThresholdRight),
                key(Action::SwitchThreshold),
                key(Action::SaveRules)
            ),
            PaneId::Board => format!(
                "Models by measures; each cell is k of n. {open} lists the answers behind a cell. {} and {} choose the items to \
                 score, {} breaks a model down, {} compares two. Models that share a rank (2=) do not differ significantly: exact \
                 McNemar tests between neighbors, Holm-corrected.",
                key(Action::BoardFilter),
                key(Action::BoardCurated),
                key(Action::BoardViews),
                key(Action::CompareModels)
            ),
            other => {
                let pane = self.panes.get(other);
                pane.map_or(String::new(), |pane| pane.help(&self.keymap))
            }
        }
    }

    pub(super) fn ask_find(&mut self, words: String) {
        let prompt = Prompt::new("find", words.clone(), self.history.clone());
        self.overlay = Some(Overlay::Prompt(PromptFor::Find(words), prompt));
    }

    pub(super) fn go_review(&mut self) {
        let item = if self.at == PaneId::Board {
            self.board.behind().map(|b| b.item.clone())
        } else {
            None
        };
        (self.at, self.back_to) = (PaneId::Review, None);
        self.painted = None;
        if let Some(id) = item {
            self.ask_now(Pending::NumberOf, request::NumberOf(id));
        }
        let effects = self.review.fetch();
        self.carry_out(effects);
    }

    /// Remembers the pane that an item was opened from, so that back returns there.
    pub(super) fn opened_in(&mut self, pane: PaneId) {
        self.back_to = Some(pane);
    }

    /// Returns to the pane that the item was opened from.
    fn go_back_to(&mut self, pane: PaneId) {
        match pane {
            PaneId::List => {
                self.at = PaneId::List;
                let effects = self.list.changed();
                self.list_effects(effects);
            }
            other => self.go(other),
        }
    }

    pub(super) fn go_list(&mut self) {
        self.at = PaneId::List;
        let started = std::mem::replace(&mut self.list_started, true);
        let effects = if started {
            self.list.changed()
        } else {
            self.list.start()
        };
        self.list_effects(effects);
        if let (true, Some(number)) = (self.list.words().is_empty(), self.review.number()) {
            let effects = self.list.go_to(number);
            self.list_effects(effects);
        }
    }

    pub(super) fn review_action(&mut self, action: Action, at: u64) {
        if self.round_action(action, at) {
            return;
        }
        if matches!(
            action,
            Action::Next | Action::Previous | Action::FirstItem | Action::LastItem
        ) {
            // Cancels pending queues: a late answer must not move the user.
            self.link
                .cancel(|want| matches!(want, Pending::NextPending | Pending::NumberOf));
        }
        let position = self.review.position();
        let gone = match action {
            Action::Accept => return self.judge(Verdict::Accept, at),
            Action::Skip => return self.judge(Verdict::Skip, at),
            Action::Flag => return self.judge(Verdict::Flag, at),
            Action::Unsure => return self.judge(Verdict::Unsure, at),
            Action::Reject => return self.reject(at),
            Action::Note => return self.ask_note(),
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
                    self.say(Toast::info("end of the text"));
                }
                return;
            }
            Action::Pixels => return self.toggle_pixels(),
            Action::ZoomIn
            | Action::ZoomOut
            | Action::PanLeft
            | Action::PanDown
            | Action::PanUp
            | Action::PanRight
            | Action::Blink
            | Action::OtherPicture
            | Action::PictureDifference => return self.view_action(action),
            Action::Explain => return self.explain_item(),
            Action::ReviewFlagged => return self.ask_doubtful(),
            Action::EditItem => return self.edit_item(),
            Action::Back => {
                if let Some(pane) = self.back_to.take() {
                    return self.go_back_to(pane);
                }
                if self.would_quit() {
                    return self.leave();
                }
                let number = self.review.number();
                let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
                self.say(Toast::info("showing all items"));
                Ok(self.review.set_queue(Queue::all(items), number))
            }
            other => {
                let list = self.keymap.press(Action::GoList);
                return self.say(Toast::info(format!(
                    "`{}` works in tables; {list} opens Items",
                    other.name()
                )));
            }
        };
        match gone {
            Ok(effects) => self.carry_out(effects),
            Err(why) => self.say(Toast::info(why)),
        }
    }

    pub(super) fn judge(&mut self, verdict: Verdict, at: u64) {
        if let Some(viewed) = self.viewed(at) {
            self.confirm_unseen(viewed, ConfirmFor::Verdict(verdict));
        }
    }

    pub(super) fn judge_viewed(&mut self, viewed: &Viewed, verdict: Verdict) {
        let judgement = Judgement {
            note: self.take_note(viewed.number),
            ..viewed.judgement(verdict)
        };
        let effects = self.review.decide(viewed.number, viewed.rev, judgement);
        self.carry_out(effects);
    }

    /// Gives the verdict of a macro on the item on screen.
    pub(super) fn run_macro(&mut self, which: usize, at: u64) {
        if let Some(viewed) = self.viewed(at) {
            self.confirm_unseen(viewed, ConfirmFor::Macro(which));
        }
    }

    pub(super) fn macro_on(&mut self, viewed: &Viewed, which: usize) {
        let Some(made) = self.keymap.macros().get(which).cloned() else {
            return;
        };
        let mut judgement = made.judgement(viewed.judgement(made.verdict));
        if let Some(note) = self.take_note(viewed.number) {
            judgement.note = Some(
                judgement
                    .note
                    .map_or(note.clone(), |own| format!("{note} {own}")),
            );
        }
        let undo = self.keymap.press(Action::Undo);
        // One key did several things: say which, and how to undo them.
        self.say(Toast::info(format!(
            "#{} {}: {}; {undo} undoes it",
            viewed.number,
            made.name,
            made.help()
        )));
        self.report_unconfirmed(viewed.seen);
        self.tags
            .used(judgement.note.as_deref().unwrap_or_default());
        let effects = self.review.decide(viewed.number, viewed.rev, judgement);
        self.carry_out(effects);
    }

    /// Asks for the reasons. The menu warns if a picture was not shown.
    pub(super) fn reject(&mut self, at: u64) {
        let Some(viewed) = self.viewed(at) else {
            return;
        };
        if let Some(unseen) = viewed.unseen() {
            self.say(Toast::warning(unseen));
        }
        let number = viewed.number;
        let choice = |r: &benchtop_model::config::Reason| {
            let choice = Choice::new(r.label.clone());
            if r.key == "other" {
                choice.wants_note()
            } else {
                choice
            }
        };
        let choices = self.welcome.reasons.iter().map(choice).collect();
        let rule = self
            .review
            .work()
            .and_then(|work| work.state.protocol.key_labels());
        let what = rule.map_or("reject", |keys| keys.reject);
        let menu = Menu::new(format!("{what} #{number}: why?"), choices)
            .several()
            .keeping(&self.unfinished_note(number));
        let menu = menu.with_tags(self.tags.known().to_vec());
        self.overlay = Some(Overlay::Menu(MenuFor::Reject(viewed), menu));
    }

    pub(super) fn next_pending(&mut self) {
        let queue = self.review.queue();
        if queue.is_all() {
            let after = self.review.number().unwrap_or(0);
            self.ask_now(Pending::NextPending, request::NextPending(after));
        } else {
            let rest = queue.from(self.review.position(), 500_000);
            self.ask_now(Pending::FirstPending, request::FirstPending(rest));
        }
    }

    pub(super) fn toggle_pixels(&mut self) {
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
                self.say(Toast::info(
                    "no true pixels inside tmux; run benchtop outside of it",
                ));
            }
            None => self.say(Toast::info(
                "this terminal has no pixel protocol (kitty, iTerm2, sixel)",
            )),
        }
    }
}
