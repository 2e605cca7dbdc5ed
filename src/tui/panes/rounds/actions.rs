//! Actions, choices, and typed lines of the rounds pane.

use super::effects::{ChoiceFor, ReplyFor, RoundsEffect as Effect, TextFor, refuse};
use super::form::Form;
use super::pane::RoundsPane;
use super::text::{majority, people, rule_text};
use crate::action::Action;
use crate::widgets::table::{Answer, TableEffect};
use benchtop_model::round::Protocol;
use benchtop_model::round::state::RoundState;
use benchtop_protocol::wire::request;

/// The rules that "what if" offers without typing.
const RULES: [Protocol; 6] = [
    Protocol::Single,
    Protocol::BothAccept,
    Protocol::Equivalence,
    Protocol::Audit,
    Protocol::Answer,
    Protocol::Refusal,
];

impl RoundsPane {
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Back => vec![Effect::Leave],
            Action::NewRound => {
                let taken = |name: &str| self.rounds.iter().any(|r| r.name == name);
                let free = (1..)
                    .map(|n| format!("round-{n}"))
                    .find(|name| !taken(name))
                    .unwrap_or_default();
                self.form
                    .get_or_insert_with(|| Form::new(free, self.who.clone()));
                self.open = true;
                self.preview()
            }
            Action::FormClose => {
                self.open = false;
                vec![Effect::Say(format!("{} reopens the form", self.keys[0]))]
            }
            Action::FormNext | Action::FormPrevious | Action::CreateRound => match &mut self.form {
                Some(form) => form.act(action),
                None => vec![],
            },
            Action::CloseRound => self.with_round(|round| {
                let (closed, name) = (round.closed.is_none(), &round.name);
                let (title, yes, more) = match closed {
                    true => (
                        format!("Close `{name}`?"),
                        "close",
                        "no new assignments; open ones may be finished",
                    ),
                    false => (
                        format!("Reopen `{name}`?"),
                        "reopen",
                        "items are assigned again",
                    ),
                };
                let lines = vec![
                    (yes.to_string(), more.to_string()),
                    ("cancel".into(), String::new()),
                ];
                vec![Effect::AskChoice {
                    purpose: ChoiceFor::Close(name.clone(), closed),
                    title,
                    lines,
                }]
            }),
            Action::WhatIf => self.with_round(|round| {
                let line = |p: &Protocol| (p.to_string(), rule_text(*p));
                let mut lines: Vec<_> = RULES.iter().map(line).collect();
                lines.push(("majority".into(), "kept if k of n accept".into()));
                let title = format!("Try which rule on `{}`?", round.name);
                vec![Effect::AskChoice {
                    purpose: ChoiceFor::Rule(round.name.clone()),
                    title,
                    lines,
                }]
            }),
            Action::DeleteRound => self.with_round(|round| {
                if round.judged > 0 {
                    return refuse(format!("`{}` has verdicts: close it instead", round.name));
                }
                let lines = vec![
                    (
                        "delete".to_string(),
                        "deletes its file; it has no verdicts".to_string(),
                    ),
                    ("cancel".into(), String::new()),
                ];
                let title = format!("Delete `{}`?", round.name);
                vec![Effect::AskChoice {
                    purpose: ChoiceFor::Delete(round.name.clone()),
                    title,
                    lines,
                }]
            }),
            Action::EditAnnotators => self.with_round(|round| {
                let label = format!("annotators of `{}`", round.name);
                let text = active(round).join(", ");
                vec![Effect::AskText {
                    purpose: TextFor::People(round.name.clone()),
                    label,
                    text,
                }]
            }),
            Action::ShowGuidelines => self.with_round(|round| match &round.guidelines {
                Some(_) => {
                    vec![Effect::Ask(
                        ReplyFor::Guidelines(round.name.clone()),
                        request::Guidelines(round.name.clone()).into(),
                    )]
                }
                None => refuse(format!("`{}` has no guidelines", round.name)),
            }),
            other => self.act_on_table(other),
        }
    }

    fn with_round(&self, act: impl FnOnce(&RoundState) -> Vec<Effect>) -> Vec<Effect> {
        match self.round() {
            Some(round) => act(round),
            None => refuse(format!("no rounds: {} creates one", self.keys[0])),
        }
    }

    fn act_on_table(&mut self, action: Action) -> Vec<Effect> {
        if action == Action::Open {
            return self.with_round(|round| vec![Effect::Work(Box::new(round.clone()))]);
        }
        let mut effects = Vec::new();
        for answer in self.table.act(action) {
            effects.extend(match answer {
                Answer::Effect(TableEffect::Refuse(why)) => refuse(why),
                Answer::Message(text) => vec![Effect::Say(text)],
                _ => refuse(format!("`{}` does nothing on rounds", action.name())),
            });
        }
        effects
    }

    /// Receives a choice.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Vec<Effect> {
        match purpose {
            ChoiceFor::Close(round, closed) if pick == 0 => {
                let ask = request::CloseRound {
                    round: round.clone(),
                    closed: *closed,
                }
                .into();
                vec![Effect::Ask(ReplyFor::Closed(round.clone(), *closed), ask)]
            }
            ChoiceFor::Make if pick == 0 => self.form.as_ref().map_or(vec![], Form::make),
            ChoiceFor::Delete(round) if pick == 0 => {
                vec![Effect::Ask(
                    ReplyFor::Deleted(round.clone()),
                    request::DeleteRound(round.clone()).into(),
                )]
            }
            ChoiceFor::Close(..) | ChoiceFor::Make | ChoiceFor::Delete(_) => vec![],
            ChoiceFor::Rule(round) => match RULES.get(pick) {
                Some(rule) => try_rule(round, *rule),
                None => {
                    let (purpose, label) = (
                        TextFor::Majority(round.clone()),
                        "kept if at least this many accept".to_string(),
                    );
                    vec![Effect::AskText {
                        purpose,
                        label,
                        text: "3 of 5".into(),
                    }]
                }
            },
        }
    }

    /// Receives a typed line.
    pub fn typed(&mut self, purpose: &TextFor, text: &str) -> Vec<Effect> {
        match purpose {
            TextFor::Majority(round) => match majority(text) {
                Ok(votes) => try_rule(round, Protocol::Majority(votes)),
                Err(why) => refuse(why),
            },
            TextFor::People(name) => match self.rounds.iter().find(|round| round.name == *name) {
                Some(round) => change_people(round, text),
                None => refuse(format!("round `{name}` no longer exists")),
            },
        }
    }
}

/// The annotators who still get items of a round.
fn active(round: &RoundState) -> Vec<String> {
    let all = round.people.iter().map(|(name, _)| name);
    all.filter(|name| !round.left.contains(name))
        .cloned()
        .collect()
}

/// Requests the change from the present annotators to the typed ones.
fn change_people(round: &RoundState, text: &str) -> Vec<Effect> {
    let now = active(round);
    let names: Vec<String> = people(text).collect();
    let add: Vec<String> = names
        .iter()
        .filter(|name| !now.contains(name))
        .cloned()
        .collect();
    let remove: Vec<String> = now
        .into_iter()
        .filter(|name| !names.contains(name))
        .collect();
    if add.is_empty() && remove.is_empty() {
        return vec![Effect::Say("no change".into())];
    }
    let want = ReplyFor::People(round.name.clone(), add.clone(), remove.clone());
    vec![Effect::Ask(
        want,
        request::RoundPeople {
            round: round.name.clone(),
            add,
            remove,
        }
        .into(),
    )]
}

fn try_rule(round: &str, rule: Protocol) -> Vec<Effect> {
    vec![Effect::Ask(
        ReplyFor::WhatIf(round.into(), rule),
        request::WhatIf {
            round: round.into(),
            protocol: rule,
        }
        .into(),
    )]
}
