//! Connects the agreement pane to the program.

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay};
use super::{App, PaneId};
use crate::panes::agreement::{self, AgreementEffect};
use crate::terminal::osc52;
use crate::widgets::toast::Toast;
use benchtop_model::Result;
use benchtop_protocol::wire::{AnyReply, Request, request};

/// Interval of background updates while people judge.
const AGREE_MS: u64 = 1_000;

impl App {
    pub(super) fn go_agreement(&mut self) {
        self.at = PaneId::Agreement;
        let effects = self.agreement.start();
        self.agreement_effects(effects);
    }

    /// Schedules an update after new verdicts, if the pane is on screen.
    pub(super) fn refresh_agreement_soon(&mut self) {
        if self.at == PaneId::Agreement && self.agree_at.is_none() {
            self.agree_at = Some(self.now() + AGREE_MS);
        }
    }

    pub(super) fn refresh_agreement(&mut self) {
        self.agree_at = None;
        if self.at == PaneId::Agreement {
            let effects = self.agreement.refresh();
            self.agreement_effects(effects);
        }
    }

    pub(super) fn agreement_effects(&mut self, effects: Vec<AgreementEffect>) {
        for effect in effects {
            // Questions and messages respond to a key.
            self.urgent |= !matches!(effect, AgreementEffect::Ask(..));
            match effect {
                AgreementEffect::Ask(want, ask) => self.link.ask(Pending::Agreement(want), ask),
                AgreementEffect::AskChoice {
                    purpose,
                    title,
                    lines,
                } => {
                    self.overlay = Some(Overlay::Menu(
                        MenuFor::Agreement(purpose),
                        super::metadata::menu(title, lines),
                    ));
                }
                AgreementEffect::Copy { text, what } => match osc52::copy(&text) {
                    Ok(bytes) => {
                        self.extra.extend(bytes);
                        self.say(Toast::done(format!(
                            "{what} copied (needs a terminal with OSC 52)"
                        )));
                    }
                    Err(problem) => self.say(Toast::from(&problem)),
                },
                AgreementEffect::Filter(words) => self.show_items(&words),
                AgreementEffect::Say(said) => self.say(Toast::info(said)),
                AgreementEffect::Refuse(why) => self.say(Toast::warning(why)),
                AgreementEffect::Leave => self.go_review(),
            }
        }
        self.dirty = true;
    }

    pub(super) fn agreement_answered(
        &mut self,
        want: agreement::ReplyFor,
        answer: Result<AnyReply>,
    ) {
        let pane = &mut self.agreement;
        let effects = match want {
            agreement::ReplyFor::Rounds => pane.on_rounds(answer.and_then(request::Rounds::reply)),
            agreement::ReplyFor::Agreed(ask) => {
                pane.on_agreement(ask, answer.and_then(request::Agreement::reply))
            }
        };
        self.agreement_effects(effects);
    }
}
