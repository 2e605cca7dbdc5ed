//! Connects the rounds pane to the program.

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::panes::rounds::{self, PAUSE, RoundsEffect};
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_model::Result;
use benchtop_protocol::wire::{AnyReply, Request, request};

/// Interval of progress updates while people judge.
const RECOUNT_MS: u64 = 500;

impl App {
    pub(super) fn go_rounds(&mut self) {
        self.at = PaneId::Rounds;
        self.refresh_rounds();
    }

    /// Requests the progress of the rounds.
    pub(super) fn refresh_rounds(&mut self) {
        self.rounds_due = None;
        if self.at == PaneId::Rounds {
            let keymap = &self.keymap;
            let effects = self.rounds.start(|action| keymap.press(action));
            self.rounds_effects(effects);
        }
    }

    /// Schedules an update after new verdicts, if the pane is on screen.
    pub(super) fn refresh_rounds_soon(&mut self) {
        if self.at == PaneId::Rounds && self.rounds_due.is_none() {
            self.rounds_due = Some(self.now() + RECOUNT_MS);
        }
    }

    /// Previews the new round, once typing pauses.
    pub(super) fn preview_round(&mut self) {
        self.round_form_due = None;
        if self.at == PaneId::Rounds {
            let effects = self.rounds.preview();
            self.rounds_effects(effects);
        }
    }

    pub(super) fn rounds_effects(&mut self, effects: Vec<RoundsEffect>) {
        for effect in effects {
            match effect {
                RoundsEffect::Ask(want, ask) => self.link.ask(Pending::Rounds(want), ask),
                RoundsEffect::AskText {
                    purpose,
                    label,
                    text,
                } => {
                    let prompt = Prompt::new(label, text, Vec::new());
                    self.overlay = Some(Overlay::Prompt(PromptFor::Rounds(purpose), prompt));
                }
                RoundsEffect::AskChoice {
                    purpose,
                    title,
                    lines,
                } => {
                    let menu = super::metadata::menu(title, lines).at(purpose.begins());
                    self.overlay = Some(Overlay::Menu(MenuFor::Rounds(purpose), menu));
                }
                RoundsEffect::Work(round) => self.work_on(*round),
                RoundsEffect::Page(page) => self.overlay = Some(Overlay::Page(*page)),
                RoundsEffect::Changed => {
                    let pause = u64::try_from(PAUSE.as_millis()).unwrap_or(u64::MAX);
                    self.round_form_due = Some(self.now() + pause);
                }
                RoundsEffect::Done(said) => self.say(Toast::done(said)),
                RoundsEffect::Say(said) => self.say(Toast::info(said)),
                RoundsEffect::Refuse(why) => self.say(Toast::warning(why)),
                RoundsEffect::Leave => self.go_review(),
            }
        }
        self.dirty = true;
    }

    pub(super) fn rounds_answered(&mut self, want: rounds::ReplyFor, answer: Result<AnyReply>) {
        use rounds::ReplyFor as W;
        let pane = &mut self.rounds;
        let effects = match want {
            W::Rounds => {
                pane.on_rounds(answer.and_then(request::Rounds::reply));
                vec![]
            }
            W::Closed(name, closed) => {
                pane.on_closed(&name, closed, answer.and_then(request::CloseRound::reply))
            }
            W::WhatIf(name, rule) => {
                let found = answer.and_then(request::WhatIf::reply);
                pane.on_what_if(&name, rule, found);
                vec![]
            }
            W::Guidelines(name) => {
                let text = answer.and_then(request::Guidelines::reply);
                // Do not interrupt a user who is choosing something.
                if self.overlay.is_some() {
                    vec![]
                } else {
                    pane.on_guidelines(&name, text)
                }
            }
            W::Preview(edit) => {
                pane.on_preview(edit, answer.and_then(request::NewRound::reply));
                vec![]
            }
            W::Look(edit) => pane.on_check(edit, answer.and_then(request::NewRound::reply)),
            W::Deleted(name) => {
                pane.on_deleted(&name, answer.and_then(request::DeleteRound::reply))
            }
            W::People(name, joined, left) => pane.on_people(
                &name,
                (&joined, &left),
                answer.and_then(request::RoundPeople::reply),
            ),
            W::Made => pane.on_created(answer.and_then(request::NewRound::reply)),
        };
        self.rounds_effects(effects);
    }
}
