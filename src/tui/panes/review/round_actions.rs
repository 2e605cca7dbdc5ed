//! Actions in a round, and answers to the question on screen.

use super::{Phase, ReviewPane, pace};
use crate::action::{Action, Scope};
use crate::pane::{Context, Pane, PaneId, Scene, Target, Viewed};
use crate::widgets::prompt::Prompt;
use benchtop_model::{Item, Judgement, Verdict};

impl ReviewPane {
    /// Runs an action in a round. False if it means the same as elsewhere.
    pub(super) fn round_action(&mut self, action: Action, cx: &mut Context<'_>) -> bool {
        let Some(work) = self.work() else {
            return false;
        };
        match action {
            Action::Back => {
                self.leave_round(cx);
                cx.open(Target::Pane(PaneId::Rounds));
            }
            Action::Continue | Action::Next if matches!(work.phase, Phase::Feedback(..)) => {
                self.refresh_assignment(cx);
            }
            Action::Continue if work.phase == Phase::Item => {
                let pass = cx.key(Action::Skip);
                cx.say(format!("this item needs your verdict; {pass} skips it"));
            }
            Action::Continue => self.ask_next(cx),
            Action::RoundGuidelines => self.show_guidelines(cx),
            Action::OwnPace => cx.page(pace::page(&work.state.name, &work.pace())),
            Action::Accept | Action::Reject if work.asks_answers() => {
                let key = cx.key(Action::TypeAnswer);
                cx.say(format!(
                    "this round asks for the answer: press its letter, or {key} to type it"
                ));
            }
            Action::Next
            | Action::Previous
            | Action::FirstItem
            | Action::LastItem
            | Action::NextPending
            | Action::ReviewFlagged
            | Action::Find => {
                let (pass, back) = (cx.key(Action::Skip), cx.key(Action::Back));
                cx.say(format!(
                    "a round shows one item at a time; {pass} skips it, {back} leaves the round"
                ));
            }
            Action::Explain if self.hides_statuses() => {
                cx.say("a blind round hides scores and judge output");
            }
            other if other.scope() == Scope::Answers => self.answer(other, cx),
            _ => return false,
        }
        true
    }

    /// Answers the question on screen.
    fn answer(&self, action: Action, cx: &mut Context<'_>) {
        self.when_seen(cx, move |pane, viewed, cx| {
            let current = pane.current();
            let options = current.map_or(0, |loaded| loaded.item.options.len());
            let letters = [
                Action::AnswerA,
                Action::AnswerB,
                Action::AnswerC,
                Action::AnswerD,
                Action::AnswerE,
            ];
            let said = match letters.iter().position(|a| *a == action) {
                Some(at) if at < options => Item::letter(at),
                Some(_) => return cx.say(format!("this question has only {options} options")),
                None if action == Action::TypeAnswer => {
                    return cx.confirm(viewed, Verdict::Answer, Self::ask_answer);
                }
                None if options > 0 => {
                    return cx.say("this question has options: press a letter");
                }
                None if action == Action::AnswerYes => "yes".to_string(),
                None => "no".to_string(),
            };
            cx.confirm(viewed, Verdict::Answer, |pane: &mut Self, viewed, cx| {
                pane.answer_with(&viewed, said, cx);
            });
        });
    }

    /// Asks for the answer as text.
    fn ask_answer(&mut self, viewed: Viewed, cx: &mut Context<'_>) {
        let prompt = Prompt::new("your answer", "", Vec::new());
        cx.prompt(prompt, move |pane: &mut Self, said, cx| {
            if said.trim().is_empty() {
                return Err("type the letter of an option, or a text".into());
            }
            pane.answer_with(&viewed, said.trim().into(), cx);
            Ok(())
        });
    }

    fn answer_with(&mut self, viewed: &Viewed, answer: String, cx: &mut Context<'_>) {
        let judgement = Judgement {
            note: self.take_note(viewed.number, cx),
            answer: Some(answer),
            ..viewed.judgement(Verdict::Answer)
        };
        self.give(viewed, judgement, cx);
    }

    /// Sets the header above the item of a round, before drawing.
    pub(super) fn set_round_header(&mut self, scene: &Scene<'_>) {
        let Some(work) = self.work() else {
            return;
        };
        let named = |action: Action| (scene.key(action), action.name().to_string());
        let as_said = |action: Action, said: &str| (scene.key(action), said.to_string());
        let keys = match (&work.phase, work.state.protocol.key_labels()) {
            (Phase::Item | Phase::Saving(_) | Phase::Asking, Some(keys)) => vec![
                as_said(Action::Accept, keys.accept),
                as_said(Action::Reject, keys.reject),
                named(Action::Unsure),
                named(Action::Flag),
                named(Action::Skip),
            ],
            (Phase::Item | Phase::Saving(_) | Phase::Asking, None) => {
                let current = self.current();
                let options = current.map_or(0, |loaded| loaded.item.options.len());
                let mut keys = match options {
                    0 => vec![named(Action::AnswerYes), named(Action::AnswerNo)],
                    _ => vec![as_said(Action::AnswerA, "first option")],
                };
                keys.extend([
                    named(Action::TypeAnswer),
                    named(Action::Unsure),
                    named(Action::Skip),
                ]);
                keys
            }
            (Phase::Feedback(..) | Phase::Wait(_) | Phase::Failed(_), _) => {
                vec![named(Action::Continue), named(Action::Back)]
            }
            (Phase::Finished | Phase::Closed, _) => {
                vec![
                    as_said(Action::Go(PaneId::Rounds), "rounds"),
                    as_said(Action::Go(PaneId::List), "items"),
                    named(Action::Back),
                ]
            }
        };
        let note = match &work.phase {
            Phase::Wait(until) => Some(wait_words(*until)),
            Phase::Item if work.served.as_ref().is_some_and(|served| served.elsewhere) => Some(
                "this item is also open in your other terminal; the first verdict counts".into(),
            ),
            _ => work.lease_words(scene.now).or_else(|| {
                let pace = scene.key(Action::OwnPace);
                work.offer()
                    .map(|offer| format!("{offer} ({pace} shows your pace)"))
            }),
        };
        if let Some(work) = self.work_mut() {
            work.set_header(keys, note);
        }
    }
}

/// Describes when the first lease of others ends.
fn wait_words(until: i64) -> String {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let left = until
        .saturating_sub(i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
        .max(0);
    match (left + 59_999) / 60_000 {
        0 | 1 => "the first lease ends within a minute".into(),
        minutes => format!("the first lease ends within {minutes} minutes"),
    }
}
