//! The rules as they are saved in `benchtop.toml` and as they are edited here: what an edit would change, saving it,
//! bringing the rules before back, and what happens when the file changes meanwhile.

mod draw;

use super::bench::Turn;
use super::{ChoiceFor, Effect, Want, refuse, said};
use crate::widgets::table::{Empty, LocalTable};
use crate::widgets::text::grouped;
use benchtop_model::scoring::bench::{RulesDiff, RulesState, Tally};
use benchtop_model::scoring::rules::{Join, RuleSet};
use benchtop_model::{ErrorKind, Result};
use benchtop_protocol::wire::request;

/// Lines of the difference that are shown with a question.
const LINES: usize = 3;

/// The rules on the desk.
#[derive(Debug)]
pub(super) struct Desk {
    /// As last heard of.
    state: Option<RulesState>,
    /// Why they could not be had.
    failed: Option<String>,
    edited: RuleSet,
    /// The file holds other rules than those that the edits were made on.
    conflict: bool,
    /// Whether to ask what to do about a conflict as soon as the file's rules are here.
    ask: bool,
    diff: Option<(RuleSet, RulesDiff)>,
    /// Whether that is against the counts as last heard of.
    fresh: bool,
    turn: Turn<RuleSet>,
    /// Whether to ask about saving as soon as it is known what that changes.
    saving: bool,
    table: LocalTable,
}

/// How the counts differ, in words: `312 more kept, 41 fewer flagged`.
pub(super) fn difference(before: &Tally, after: &Tally) -> String {
    let names = ["kept", "flagged", "parked"]
        .into_iter()
        .zip(before.items.into_iter().zip(after.items));
    let said = names.filter(|(_, (b, a))| a != b).map(|(name, (b, a))| {
        let word = if a > b { "more" } else { "fewer" };
        format!("{} {word} {name}", grouped(a.abs_diff(b)))
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() {
        "the counts stay as they are".into()
    } else {
        said.join(", ")
    }
}

impl Desk {
    pub(super) fn new() -> Desk {
        Desk {
            state: None,
            failed: None,
            edited: RuleSet::default(),
            conflict: false,
            ask: false,
            diff: None,
            fresh: false,
            turn: Turn::default(),
            saving: false,
            table: draw::table(),
        }
    }

    /// The rules as edited.
    pub(super) fn edited(&self) -> &RuleSet {
        &self.edited
    }

    /// Whether anything is edited.
    pub(super) fn is_edited(&self) -> bool {
        self.state.as_ref().is_some_and(|s| s.rules != self.edited)
    }

    /// Why the rules cannot be edited now.
    pub(super) fn locked(&self) -> Option<String> {
        match (&self.state, &self.failed) {
            (None, Some(why)) => Some(format!("the rules cannot be had: {why}")),
            (None, None) => Some("the rules are not here yet".into()),
            _ => None,
        }
    }

    /// What was asked is lost with the connection.
    pub(super) fn lost(&mut self) {
        self.turn.reset();
        (self.ask, self.saving) = (false, false);
    }

    /// Puts other rules in place of the edited ones.
    pub(super) fn edit(&mut self, rules: RuleSet) {
        self.edited = rules;
        self.saving = false;
        self.fill();
    }

    /// Takes the rules in; edits stay.
    pub(super) fn take(&mut self, state: Result<RulesState>) -> Vec<Effect> {
        let new = match state {
            Ok(new) => new,
            Err(problem) => {
                self.failed = Some(said(&problem));
                self.table
                    .set_rows(Vec::new(), Empty::Failed(said(&problem)));
                return vec![];
            }
        };
        self.failed = None;
        let edited = self.is_edited();
        let moved = self
            .state
            .as_ref()
            .is_some_and(|old| old.rules != new.rules);
        if !edited || new.rules == self.edited {
            self.edited = new.rules.clone();
            self.conflict = false;
        } else if moved {
            self.conflict = true;
        }
        // What would change is said against what is in the file, and of the items as they are.
        self.fresh = false;
        if moved {
            self.diff = None;
        }
        self.state = Some(new);
        self.fill();
        match (
            std::mem::take(&mut self.ask),
            self.conflict,
            edited && moved,
        ) {
            (true, true, _) => self.settle(),
            (false, true, true) => {
                vec![Effect::Say(
                    "the rules in benchtop.toml changed while you edited them: M settles it".into(),
                )]
            }
            _ => vec![],
        }
    }

    /// The rules to try out, where they are edited and not tried yet.
    pub(super) fn untried(&mut self) -> Option<RuleSet> {
        if !self.is_edited() {
            self.diff = None;
            return None;
        }
        let tried = self.exact().is_some();
        if tried {
            None
        } else {
            self.turn.ask(self.edited.clone())
        }
    }

    /// Takes in what rules would change, and gives those to try next.
    pub(super) fn take_diff(
        &mut self,
        of: RuleSet,
        diff: Result<RulesDiff>,
    ) -> (Vec<Effect>, Option<RuleSet>) {
        let next = self.turn.answered().filter(|next| *next != of);
        if next.is_none() {
            self.turn.reset();
        }
        match diff {
            Ok(diff) => {
                (self.diff, self.fresh) = (Some((of, diff)), true);
                self.fill();
                let ready = self.saving && self.exact().is_some();
                (if ready { self.save() } else { vec![] }, next)
            }
            Err(problem) => {
                self.saving = false;
                (
                    refuse(format!(
                        "what the rules would change cannot be said: {}",
                        said(&problem)
                    )),
                    next,
                )
            }
        }
    }

    /// What the edited rules change, once that is known.
    fn exact(&self) -> Option<&RulesDiff> {
        self.diff
            .as_ref()
            .filter(|(of, _)| self.fresh && *of == self.edited)
            .map(|(_, diff)| diff)
    }

    /// How the counts of all rules would differ, and whether that is of the rules as they are now.
    pub(super) fn difference(&self) -> Option<(String, bool)> {
        let (state, (of, diff)) = (self.state.as_ref()?, self.diff.as_ref()?);
        Some((
            difference(&state.tally, &diff.tally),
            self.fresh && *of == self.edited,
        ))
    }

    /// Asks whether to save, with exact counts; they are waited for.
    pub(super) fn save(&mut self) -> Vec<Effect> {
        if let Some(why) = self.locked() {
            return refuse(why);
        }
        if !self.is_edited() {
            return refuse("the rules are as they are saved");
        }
        if let Some(problem) = self.problem() {
            return refuse(format!("{problem}; e opens the file"));
        }
        if self.conflict {
            return self.settle();
        }
        let (Some(diff), Some(state)) = (self.exact(), &self.state) else {
            self.saving = true;
            return vec![Effect::Say("counting what the rules change".into())];
        };
        let more = diff.lines.len().saturating_sub(LINES);
        let mut words = diff
            .lines
            .iter()
            .take(LINES)
            .cloned()
            .collect::<Vec<_>>()
            .join("; ");
        if more > 0 {
            words.push_str(&format!("; {more} more"));
        }
        let lines = vec![
            ("save these rules".to_string(), words),
            ("not now".to_string(), "the edits stay here".into()),
        ];
        let title = difference(&state.tally, &diff.tally);
        self.saving = false;
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Save,
            title,
            lines,
        }]
    }

    /// Writes the edited rules.
    pub(super) fn apply(&self) -> Vec<Effect> {
        let Some(state) = &self.state else {
            return vec![];
        };
        let ask = request::ApplyRules {
            rules: self.edited.clone(),
            revision: state.revision.clone(),
        }
        .into();
        vec![Effect::Ask(Want::Applied, ask)]
    }

    /// Takes in that the edited rules are in the file, or why not.
    pub(super) fn applied(&mut self, state: Result<RulesState>) -> Vec<Effect> {
        match state {
            Ok(new) => {
                let changed = self
                    .state
                    .as_ref()
                    .map(|old| difference(&old.tally, &new.tally))
                    .unwrap_or_default();
                let mut effects = self.take(Ok(new));
                effects.push(Effect::Done(format!(
                    "rules saved: {changed}; X brings those before back"
                )));
                effects
            }
            Err(problem) if problem.kind == ErrorKind::Conflict => {
                self.ask = true;
                vec![
                    Effect::Refuse(said(&problem)),
                    Effect::Ask(Want::Rules, request::Rules.into()),
                ]
            }
            Err(problem) => refuse(format!("the rules were not saved: {}", said(&problem))),
        }
    }

    /// Asks whether the rules before are brought back.
    pub(super) fn revert(&self) -> Vec<Effect> {
        let Some(state) = &self.state else {
            return refuse(self.locked().unwrap_or_default());
        };
        if self.is_edited() {
            return refuse("there are edits that are not saved: w saves them, M gives them up");
        }
        if state.history == 0 {
            return refuse("there are no rules before these");
        }
        let sets = if state.history == 1 {
            "one set".into()
        } else {
            format!("{} sets", state.history)
        };
        let lines = vec![
            (
                "bring them back".to_string(),
                format!("{sets} of rules to go back to"),
            ),
            ("leave the rules as they are".to_string(), String::new()),
        ];
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Revert,
            title: "the rules before these".into(),
            lines,
        }]
    }

    /// Brings them back.
    pub(super) fn do_revert(&self) -> Vec<Effect> {
        let revision = self.state.as_ref().map(|s| s.revision.clone());
        revision
            .map(|revision| Effect::Ask(Want::Reverted, request::RevertRules { revision }.into()))
            .into_iter()
            .collect()
    }

    /// Takes in that they are back, or why not.
    pub(super) fn reverted(&mut self, state: Result<RulesState>) -> Vec<Effect> {
        match state {
            Ok(new) => {
                let changed = self
                    .state
                    .as_ref()
                    .map(|old| difference(&old.tally, &new.tally))
                    .unwrap_or_default();
                let mut effects = self.take(Ok(new));
                effects.push(Effect::Done(format!(
                    "the rules before are back: {changed}"
                )));
                effects
            }
            Err(problem) => {
                let mut effects = refuse(format!("the rules stay as they are: {}", said(&problem)));
                effects.push(Effect::Ask(Want::Rules, request::Rules.into()));
                effects
            }
        }
    }

    /// Asks which rules stay.
    pub(super) fn settle(&self) -> Vec<Effect> {
        if !self.is_edited() {
            return refuse("the rules are as they are saved: there is nothing to settle");
        }
        let title = if self.conflict {
            "benchtop.toml has other rules now"
        } else {
            "edits that are not saved"
        };
        let mine = if self.conflict {
            "mine, over those in the file"
        } else {
            "keep them"
        };
        let lines = vec![
            (mine.to_string(), "w saves them".to_string()),
            (
                "the file's; my edits are given up".to_string(),
                format!("{} rules", self.saved().map_or(0, |s| s.rules.len())),
            ),
        ];
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Settle,
            title: title.into(),
            lines,
        }]
    }

    /// Keeps the edits over what is in the file, or gives them up.
    pub(super) fn settled(&mut self, mine: bool) {
        self.conflict = false;
        if !mine && let Some(state) = &self.state {
            self.edited = state.rules.clone();
            self.diff = None;
            self.fill();
        }
    }

    fn saved(&self) -> Option<&RuleSet> {
        self.state.as_ref().map(|s| &s.rules)
    }

    /// What is wrong with the file.
    pub(super) fn problem(&self) -> Option<&str> {
        self.state.as_ref()?.problem.as_deref()
    }

    /// The line that is wrong, where the problem names one.
    pub(super) fn problem_line(&self) -> Option<u32> {
        let (_, rest) = self.problem()?.split_once("benchtop.toml:")?;
        rest.chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .ok()
    }

    /// The rules as a table, to move in.
    pub(super) fn table_mut(&mut self) -> &mut LocalTable {
        &mut self.table
    }

    /// Takes the rule under the cursor out of the edited ones; its name.
    pub(super) fn remove(&mut self) -> Option<String> {
        let at = usize::try_from(self.table.cursor_id()?)
            .ok()
            .filter(|at| *at < self.edited.rules.len())?;
        let mut rules = self.edited.clone();
        let gone = rules.rules.remove(at);
        self.edit(rules);
        Some(gone.name)
    }

    /// Filter words for the items that a rule holds for.
    ///
    /// # Errors
    /// Why no words say that.
    pub(super) fn words(&self, id: u64) -> std::result::Result<String, String> {
        let rule = usize::try_from(id)
            .ok()
            .and_then(|at| self.edited.rules.get(at))
            .ok_or("there is no rule here")?;
        let one = rule.join == Join::All || rule.conditions.len() == 1;
        if !one || rule.conditions.iter().any(|c| !c.subtasks.is_empty()) {
            return Err(format!(
                "no filter words say `{}`: 1 and d review what is flagged",
                rule.words()
            ));
        }
        let list: Vec<String> = rule.conditions.iter().map(|c| c.short()).collect();
        Ok(format!("score:{}", list.join(",")))
    }
}
