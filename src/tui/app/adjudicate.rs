//! Connects the adjudication pane to the program.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::connection::{Pending, State};
use super::overlay::{ConfirmFor, MenuFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::action::Action;
use crate::panes::adjudicate::{self, AdjudicateEffect, Adjudication, GAP, Keys};
use crate::panes::review::{NoPicture, Picture, Sides, ViewState, Viewed, picture_of};
use crate::preview::{Part, Show, View};
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_files::inspect;
use benchtop_model::{ErrorKind, Result, Verdict};
use benchtop_protocol::wire::{AnyReply, Request, request};

/// The verdicts that can settle an item.
const SETTLES: [Verdict; 3] = [Verdict::Accept, Verdict::Reject, Verdict::Fix];

impl App {
    pub(super) fn go_adjudicate(&mut self) {
        if self.at != PaneId::Adjudicate {
            (self.at, self.painted) = (PaneId::Adjudicate, None);
        }
        let effects = self.adjudicate.start();
        self.adjudicate_effects(effects);
    }

    /// Runs an action of the pane. Actions that settle an item ask for a note first.
    pub(super) fn adjudicate_action(&mut self, action: Action, at: u64) {
        let verdict = match action {
            Action::AdjudicateAccept => Verdict::Accept,
            Action::AdjudicateReject | Action::GuidelineGap => Verdict::Reject,
            Action::AdjudicateFix => Verdict::Fix,
            other => {
                let effects = self.adjudicate.act(other);
                return self.adjudicate_effects(effects);
            }
        };
        if self.adjudicate.current().is_none() {
            return self.say(Toast::info("nothing to settle"));
        }
        let Some(viewed) = self.viewed(at) else {
            return;
        };
        let gap = action == Action::GuidelineGap;
        if verdict != Verdict::Reject {
            return self.confirm_unseen(viewed, ConfirmFor::Settle { verdict, gap });
        }
        // As in the review, the menu warns if a picture was not shown.
        if let Some(unseen) = viewed.unseen() {
            self.say(Toast::warning(unseen));
        }
        self.ask_why(viewed, verdict, gap);
    }

    /// Asks for the note that every adjudication requires.
    pub(super) fn ask_why(&mut self, viewed: Viewed, verdict: Verdict, gap: bool) {
        let number = viewed.number;
        let settle = Adjudication {
            viewed,
            verdict,
            gap,
        };
        let menu = match (settle.gap, settle.verdict) {
            (true, _) => {
                let choices = SETTLES.map(|v| Choice::new(v.name()).wants_note()).to_vec();
                Menu::new(
                    format!("#{number}, guideline gap: choose a verdict and describe the gap"),
                    choices,
                )
            }
            (_, Verdict::Reject) => {
                let choice =
                    |r: &benchtop_model::config::Reason| Choice::new(r.label.clone()).wants_note();
                let choices = self.welcome.reasons.iter().map(choice).collect();
                Menu::new(format!("#{number} rejected: reasons and note"), choices).several()
            }
            (_, verdict) => {
                let label = if verdict == Verdict::Fix {
                    "to fix: note"
                } else {
                    "accepted: note"
                };
                let prompt = Prompt::new(
                    format!("#{number} {label}"),
                    "",
                    self.adjudicate.whys().to_vec(),
                );
                self.overlay = Some(Overlay::Prompt(PromptFor::Why(Box::new(settle)), prompt));
                return;
            }
        };
        let menu = menu.with_note().with_tags(self.tags.known().to_vec());
        self.overlay = Some(Overlay::Menu(MenuFor::Settle(Box::new(settle)), menu));
    }

    /// Takes the reasons of a rejection, or the verdict for a gap in the guidelines.
    pub(super) fn settle_chosen(&mut self, settle: Adjudication, picks: &[usize], why: &str) {
        let reasons = &self.welcome.reasons;
        let (settle, reasons) = match settle.gap {
            true => {
                let verdict = picks.first().and_then(|pick| SETTLES.get(*pick)).copied();
                (
                    Adjudication {
                        verdict: verdict.unwrap_or(settle.verdict),
                        ..settle
                    },
                    Vec::new(),
                )
            }
            false => (
                settle,
                picks
                    .iter()
                    .filter_map(|p| reasons.get(*p))
                    .map(|r| r.key.clone())
                    .collect(),
            ),
        };
        self.settle(settle, reasons, why);
    }

    /// Takes the note. An empty one is asked for again.
    pub(super) fn why_given(&mut self, settle: Adjudication, mut prompt: Prompt, why: &str) {
        if why.trim().is_empty() {
            prompt.refuse("write a note: it is recorded with the verdict");
            self.overlay = Some(Overlay::Prompt(PromptFor::Why(Box::new(settle)), prompt));
            return;
        }
        self.settle(settle, Vec::new(), why);
    }

    fn settle(&mut self, settle: Adjudication, reasons: Vec<String>, why: &str) {
        self.tags.used(if settle.gap { GAP } else { why });
        let effects = self.adjudicate.settle(settle, reasons, why);
        self.adjudicate_effects(effects);
    }

    pub(super) fn adjudicate_effects(&mut self, effects: Vec<AdjudicateEffect>) {
        for effect in effects {
            match effect {
                AdjudicateEffect::Ask(want, ask) => self.link.ask(Pending::Adjudicate(want), ask),
                AdjudicateEffect::AskChoice {
                    purpose,
                    title,
                    lines,
                } => {
                    if self.at == PaneId::Adjudicate {
                        let menu = super::metadata::menu(title, lines);
                        self.overlay = Some(Overlay::Menu(MenuFor::Adjudicate(purpose), menu));
                    }
                }
                AdjudicateEffect::Edit(path) => {
                    let file = self.welcome.root.join(&path);
                    match inspect::within(&self.welcome.root, Path::new(&path)).is_ok()
                        && file.is_file()
                    {
                        true => self.metadata_editor.edit = Some((file, 1)),
                        false => self.say(Toast::warning(format!("{path} no longer exists"))),
                    }
                }
                AdjudicateEffect::Item(number) => {
                    self.go_review();
                    self.go_to_item(number);
                    self.opened_in(PaneId::Adjudicate);
                }
                AdjudicateEffect::Show(page) => self.overlay = Some(Overlay::Page(*page)),
                AdjudicateEffect::Say(said) => self.say(Toast::info(said)),
                AdjudicateEffect::Refuse(why) => self.say(Toast::warning(why)),
                AdjudicateEffect::Leave => self.go_review(),
            }
        }
        self.dirty = true;
    }

    pub(super) fn adjudicate_answered(
        &mut self,
        want: adjudicate::ReplyFor,
        answer: Result<AnyReply>,
    ) {
        let pane = &mut self.adjudicate;
        let effects = match want {
            adjudicate::ReplyFor::Rounds => pane.on_rounds(answer.and_then(request::Rounds::reply)),
            adjudicate::ReplyFor::Disputes(round) => {
                let list = answer.and_then(request::Disputes::reply);
                pane.on_disputes(&round, list)
            }
            adjudicate::ReplyFor::About(round, show) => {
                let about = answer.and_then(request::Adjudication::reply);
                pane.on_context(&round, show && self.at == PaneId::Adjudicate, about)
            }
            adjudicate::ReplyFor::Item(number) => {
                pane.on_item(number, answer.and_then(request::Item::reply));
                vec![]
            }
            adjudicate::ReplyFor::Settled(uuid) => {
                match answer.and_then(request::Decide::reply) {
                    Ok(receipt) => {
                        self.rev = self.rev.max(receipt.rev);
                        let effects = pane.acknowledged(&receipt);
                        self.changed();
                        effects
                    }
                    // Without an owner the verdict is kept and sent again.
                    Err(problem)
                        if self.link.state() != State::Up
                            || problem.kind == ErrorKind::Unreachable =>
                    {
                        return;
                    }
                    Err(problem) => {
                        let effects = pane.refused(uuid);
                        self.say(Toast::from(&problem));
                        effects
                    }
                }
            }
        };
        self.adjudicate_effects(effects);
    }

    /// Sends verdicts without a receipt again. A repeated uuid counts once.
    pub(super) fn resend_settled(&mut self) {
        for decide in self.adjudicate.pending().to_vec() {
            self.link.ask(
                Pending::Adjudicate(adjudicate::ReplyFor::Settled(decide.uuid)),
                request::Decide(decide),
            );
        }
    }

    /// New verdicts may change the disputes.
    pub(super) fn refresh_disputes(&mut self) {
        if self.at == PaneId::Adjudicate {
            let effects = self.adjudicate.refresh();
            self.adjudicate_effects(effects);
        }
    }

    pub(super) fn adjudicate_changed(&mut self, number: u32) {
        if self.at == PaneId::Adjudicate {
            let effects = self.adjudicate.changed(number);
            self.adjudicate_effects(effects);
        } else {
            self.adjudicate.forget(number);
        }
    }

    /// The user may have edited the guidelines.
    pub(super) fn guidelines_edited(&mut self) {
        if self.at == PaneId::Adjudicate {
            let mut effects = self.adjudicate.refresh();
            effects.extend(self.adjudicate.ask_about(true));
            self.adjudicate_effects(effects);
        }
    }

    pub(super) fn draw_adjudicate(&mut self, area: Rect, buf: &mut Buffer) {
        let mut pair = self
            .adjudicate
            .loaded()
            .and_then(|loaded| self.review.sides(loaded, &self.welcome.root));
        self.adjudicate.set_pair(pair.clone());
        let (picture, show, of) = self.dispute_picture(area, &mut pair);
        self.adjudicate.set_pair(pair);
        self.adjudicate.set_picture(picture, show, of);
        let key = |action| self.keymap.press(action);
        let keys = Keys {
            draw: format!(
                "{} in Rounds ({}) creates one",
                key(Action::NewRound),
                key(Action::GoRounds)
            ),
            choose: key(Action::ChooseRound),
            settled: key(Action::ShowAdjudicated),
            text: key(Action::TextDown),
            verdicts: key(Action::VerdictsDown),
        };
        self.adjudicate.draw(area, &keys, buf, &self.setting.look);
    }

    /// Prepares the picture of the dispute on screen for its place in `area`, and that of the next
    /// dispute.
    fn dispute_picture(
        &self,
        area: Rect,
        pair: &mut Option<Sides>,
    ) -> (Picture, Show, Option<String>) {
        let root = &self.welcome.root;
        let Some(loaded) = self.adjudicate.loaded() else {
            return (Picture::Loading, Show::First, None);
        };
        let view = self.cells_in(self.adjudicate.layout(area).picture);
        let part = self.adjudicate.looking().part(pair.as_ref(), false);
        let mut of = pair.as_ref().map(Sides::content);
        let picture = match pair {
            Some(sides) => self.one_of(sides, View { part, ..view }),
            None => match picture_of(&loaded.item, root) {
                Err(NoPicture { why, .. }) => Picture::None(why),
                Ok((key, path)) => {
                    of = Some(key.clone());
                    self.previews
                        .want(&key, &path, view)
                        .map_or(Picture::Loading, Picture::Ready)
                }
            },
        };
        if let Some(next) = self.adjudicate.next_loaded() {
            let sides = self.review.sides(next, root);
            let part = ViewState::default().part(sides.as_ref(), false);
            let wanted = match sides {
                Some(sides) => sides.wanted(part.show),
                None => picture_of(&next.item, root)
                    .map(|(key, path)| (vec![(key.into(), path)], part.show)),
            };
            if let Ok((sources, show)) = wanted {
                self.previews.ahead_of([(
                    sources,
                    View {
                        part: Part { show, ..part },
                        ..view
                    },
                )]);
            }
        }
        (picture, part.show, of)
    }
}
