//! The saved and the edited rules of `benchtop.toml`: diff, save, restore, and conflicts with edits
//! of the file.

mod draw;

use super::FiltersPane;
use super::outcome_counts::RequestSlot;
use crate::pane::Context;
use crate::panes::metadata::edit_session::error_line;
use crate::widgets::table::{ColumnKind, Empty, LocalTable, Spec};
use crate::widgets::text::{grouped, plural};
use benchtop_model::scoring::queries::{RulesDiff, RulesState, Tally};
use benchtop_model::scoring::rules::{Join, RuleSet};
use benchtop_model::{ErrorKind, Result};
use benchtop_protocol::wire::request;

/// Lines of the diff in the confirmation.
const LINES: usize = 3;

/// The rules being edited.
#[derive(Debug)]
pub(super) struct RuleEditor {
    /// The rules and counts of the owner's last reply.
    state: Option<RulesState>,
    /// The error of the last request.
    failed: Option<String>,
    edited: RuleSet,
    /// Whether the file's rules changed after the edits began.
    conflict: bool,
    /// Whether to ask about a conflict once the file's rules arrive.
    ask: bool,
    diff: Option<(RuleSet, RulesDiff)>,
    /// Whether `diff` is based on the latest counts.
    fresh: bool,
    turn: RequestSlot<RuleSet>,
    /// Whether to ask about saving once the effect is known.
    saving: bool,
    table: LocalTable,
}

/// The changes of the counts in words: `312 more kept, 41 fewer flagged`.
pub(super) fn difference(before: &Tally, after: &Tally) -> String {
    let names = ["kept", "flagged", "quarantined"]
        .into_iter()
        .zip(before.items.into_iter().zip(after.items));
    let changes = names.filter(|(_, (b, a))| a != b).map(|(name, (b, a))| {
        let word = if a > b { "more" } else { "fewer" };
        format!("{} {word} {name}", grouped(a.abs_diff(b)))
    });
    let changes: Vec<String> = changes.collect();
    if changes.is_empty() {
        "no change in counts".into()
    } else {
        changes.join(", ")
    }
}

/// An empty table.
fn table() -> LocalTable {
    let columns = vec![
        Spec::text("rule", 18),
        Spec::number("items", "", ColumnKind::Number, 11),
        Spec::text("rule text", 60),
    ];
    LocalTable::new(columns, Vec::new(), 1, Empty::Loading)
}

impl RuleEditor {
    pub(super) fn new() -> RuleEditor {
        RuleEditor {
            state: None,
            failed: None,
            edited: RuleSet::default(),
            conflict: false,
            ask: false,
            diff: None,
            fresh: false,
            turn: RequestSlot::default(),
            saving: false,
            table: table(),
        }
    }

    pub(super) fn edited(&self) -> &RuleSet {
        &self.edited
    }

    pub(super) fn is_edited(&self) -> bool {
        self.state.as_ref().is_some_and(|s| s.rules != self.edited)
    }

    /// The reason why the rules cannot be edited now.
    pub(super) fn locked(&self) -> Option<String> {
        match (&self.state, &self.failed) {
            (None, Some(why)) => Some(format!("cannot load the rules: {why}")),
            (None, None) => Some("the rules are still loading".into()),
            _ => None,
        }
    }

    /// Forgets requests after a lost connection.
    pub(super) fn lost(&mut self) {
        self.turn.reset();
        (self.ask, self.saving) = (false, false);
    }

    /// Replaces the edited rules.
    pub(super) fn edit(&mut self, rules: RuleSet) {
        self.edited = rules;
        self.saving = false;
        self.fill();
    }

    /// Receives the rules. Edits stay.
    pub(super) fn take(&mut self, state: Result<RulesState>, cx: &mut Context<'_>) {
        let new = match state {
            Ok(new) => new,
            Err(problem) => {
                self.failed = Some(error_line(&problem));
                self.table
                    .set_rows(Vec::new(), Empty::Failed(error_line(&problem)));
                return;
            }
        };
        self.failed = None;
        let edited = self.is_edited();
        let changed_on_disk = self
            .state
            .as_ref()
            .is_some_and(|old| old.rules != new.rules);
        if !edited || new.rules == self.edited {
            self.edited = new.rules.clone();
            self.conflict = false;
        } else if changed_on_disk {
            self.conflict = true;
        }
        // The diff refers to the rules in the file and the items as they were.
        self.fresh = false;
        if changed_on_disk {
            self.diff = None;
        }
        self.state = Some(new);
        self.fill();
        match (
            std::mem::take(&mut self.ask),
            self.conflict,
            edited && changed_on_disk,
        ) {
            (true, true, _) => self.resolve(cx),
            (false, true, true) => cx.say("the rules changed on disk and here: press M"),
            _ => {}
        }
    }

    /// The edited rules, if their effect still has to be requested.
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

    /// Receives the effect of rules. Returns the next rules to request it for.
    pub(super) fn take_diff(
        &mut self,
        of: RuleSet,
        diff: Result<RulesDiff>,
        cx: &mut Context<'_>,
    ) -> Option<RuleSet> {
        let next = self.turn.answered().filter(|next| *next != of);
        if next.is_none() {
            self.turn.reset();
        }
        match diff {
            Ok(diff) => {
                (self.diff, self.fresh) = (Some((of, diff)), true);
                self.fill();
                if self.saving && self.exact().is_some() {
                    self.save(cx);
                }
            }
            Err(problem) => {
                self.saving = false;
                cx.refuse(format!(
                    "cannot preview the rules: {}",
                    error_line(&problem)
                ));
            }
        }
        next
    }

    /// The effect of the edited rules, if it is up to date.
    fn exact(&self) -> Option<&RulesDiff> {
        self.diff
            .as_ref()
            .filter(|(of, _)| self.fresh && *of == self.edited)
            .map(|(_, diff)| diff)
    }

    /// The changes of the counts, and whether they are up to date.
    pub(super) fn difference(&self) -> Option<(String, bool)> {
        let (state, (of, diff)) = (self.state.as_ref()?, self.diff.as_ref()?);
        Some((
            difference(&state.tally, &diff.tally),
            self.fresh && *of == self.edited,
        ))
    }

    /// Asks whether to save, with exact counts. Waits for them if needed.
    pub(super) fn save(&mut self, cx: &mut Context<'_>) {
        if let Some(why) = self.locked() {
            return cx.refuse(why);
        }
        if !self.is_edited() {
            return cx.refuse("no unsaved rules");
        }
        if let Some(problem) = self.problem() {
            return cx.refuse(format!("{problem}; e opens the file"));
        }
        if self.conflict {
            return self.resolve(cx);
        }
        let (Some(diff), Some(state)) = (self.exact(), &self.state) else {
            self.saving = true;
            return cx.say("counting changes");
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
            ("save".to_string(), words),
            ("cancel".to_string(), "keeps the edits".into()),
        ];
        let title = difference(&state.tally, &diff.tally);
        self.saving = false;
        cx.choose(title, lines, |pane: &mut FiltersPane, pick, cx| {
            if pick == 0 {
                pane.rules.apply(cx);
            }
        });
    }

    /// Requests the save.
    fn apply(&self, cx: &mut Context<'_>) {
        let Some(state) = &self.state else {
            return;
        };
        let ask = request::ApplyRules {
            rules: self.edited.clone(),
            revision: state.revision.clone(),
        };
        cx.ask_now(ask, FiltersPane::on_applied);
    }

    /// Receives the result of the save.
    pub(super) fn applied(&mut self, state: Result<RulesState>, cx: &mut Context<'_>) {
        match state {
            Ok(new) => {
                let changed = self.renew(new, cx);
                cx.done(format!(
                    "rules saved: {changed}; X restores the previous ones"
                ));
            }
            Err(problem) if problem.kind == ErrorKind::Conflict => {
                self.ask = true;
                cx.refuse(error_line(&problem));
                cx.ask(request::Rules, FiltersPane::on_rules);
            }
            Err(problem) => cx.refuse(format!("rules not saved: {}", error_line(&problem))),
        }
    }

    /// Receives other rules. Says what they change.
    fn renew(&mut self, new: RulesState, cx: &mut Context<'_>) -> String {
        let old = self.state.as_ref();
        let changed = old.map(|old| difference(&old.tally, &new.tally));
        self.take(Ok(new), cx);
        changed.unwrap_or_default()
    }

    /// Asks whether to restore the previous rules.
    pub(super) fn revert(&self, cx: &mut Context<'_>) {
        let Some(state) = &self.state else {
            return cx.refuse(self.locked().unwrap_or_default());
        };
        if self.is_edited() {
            return cx.refuse("unsaved edits: w saves, M discards");
        }
        if state.history == 0 {
            return cx.refuse("no previous rules");
        }
        let sets = plural(state.history, "version");
        let lines = vec![
            ("restore".to_string(), format!("{sets} to go back to")),
            ("cancel".to_string(), String::new()),
        ];
        let title = "Restore the previous rules?";
        cx.choose(title, lines, |pane: &mut FiltersPane, pick, cx| {
            let revision = pane.rules.state.as_ref().map(|s| s.revision.clone());
            if let Some(revision) = revision.filter(|_| pick == 0) {
                cx.ask_now(request::RevertRules { revision }, FiltersPane::on_reverted);
            }
        });
    }

    /// Receives the result of restoring rules.
    pub(super) fn reverted(&mut self, state: Result<RulesState>, cx: &mut Context<'_>) {
        match state {
            Ok(new) => {
                let changed = self.renew(new, cx);
                cx.done(format!("previous rules restored: {changed}"));
            }
            Err(problem) => {
                cx.refuse(format!("rules not restored: {}", error_line(&problem)));
                cx.ask(request::Rules, FiltersPane::on_rules);
            }
        }
    }

    /// Asks whether to keep the edits or the file's rules.
    pub(super) fn resolve(&self, cx: &mut Context<'_>) {
        if !self.is_edited() {
            return cx.refuse("no unsaved rules");
        }
        let title = if self.conflict {
            "The rules changed on disk and here"
        } else {
            "Unsaved rules"
        };
        let mine = if self.conflict { "keep mine" } else { "keep" };
        let lines = vec![
            (mine.to_string(), "w saves them".to_string()),
            (
                "take the file's".to_string(),
                format!("{} rules", self.saved().map_or(0, |s| s.rules.len())),
            ),
        ];
        cx.choose(title, lines, |pane: &mut FiltersPane, pick, cx| {
            pane.rules.resolved(pick == 0);
            pane.edited(cx);
        });
    }

    /// Keeps the edits, or replaces them by the file's rules.
    fn resolved(&mut self, mine: bool) {
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

    /// The error in the file.
    pub(super) fn problem(&self) -> Option<&str> {
        self.state.as_ref()?.problem.as_deref()
    }

    /// The line of the error, if it names one.
    pub(super) fn problem_line(&self) -> Option<u32> {
        let (_, rest) = self.problem()?.split_once("benchtop.toml:")?;
        rest.chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .ok()
    }

    pub(super) fn table_mut(&mut self) -> &mut LocalTable {
        &mut self.table
    }

    /// Removes the rule under the cursor. Returns its name.
    pub(super) fn remove(&mut self) -> Option<String> {
        let at = usize::try_from(self.table.cursor_id()?)
            .ok()
            .filter(|at| *at < self.edited.rules.len())?;
        let mut rules = self.edited.clone();
        let gone = rules.rules.remove(at);
        self.edit(rules);
        Some(gone.name)
    }

    /// A filter for the items that a rule applies to. Fails if no filter can express the rule.
    pub(super) fn words(&self, id: u64) -> std::result::Result<String, String> {
        let rule = usize::try_from(id)
            .ok()
            .and_then(|at| self.edited.rules.get(at))
            .ok_or("no rule")?;
        let one = rule.join == Join::All || rule.conditions.len() == 1;
        if !one || rule.conditions.iter().any(|c| !c.subtasks.is_empty()) {
            return Err(format!(
                "no filter can express `{}`; review the flagged items in the Review pane",
                rule.describe()
            ));
        }
        let list: Vec<String> = rule.conditions.iter().map(|c| c.to_filter_text()).collect();
        Ok(format!("score:{}", list.join(",")))
    }
}
