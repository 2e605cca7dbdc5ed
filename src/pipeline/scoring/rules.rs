//! Applies rules to items, in one pass over the columns they need.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::column::Column;
use benchtop_model::scoring::queries::{RulesDiff, Tally};
use benchtop_model::scoring::rules::{Condition, Join, RuleSet, Test};
use benchtop_model::scoring::{Measure, Outcome, ScoreState, Scorer};
use benchtop_model::{Field, Status};
use benchtop_store::columns::{Columns, Names};
use benchtop_store::{Catalog, StatusColumns};

/// Columns by scorer.
pub type ColumnsBy = BTreeMap<Scorer, Arc<Column>>;

/// A condition, ready to be applied to rows.
pub(super) struct Ready {
    column: Option<Arc<Column>>,
    test: Test,
    /// Stored thresholds by subtask code.
    thresholds: Vec<f32>,
}

impl Ready {
    pub(super) fn new(condition: &Condition, columns: &ColumnsBy, subtasks: &Names) -> Ready {
        let Condition { score, test, .. } = condition;
        let column = columns.get(&score.scorer).cloned();
        let logit = column.as_ref().map_or(1.0, |c| c.logit);
        let threshold = |name: &String| {
            condition
                .threshold(name)
                .map_or(0.0, |t| score.from_scale(t.get(), logit))
        };
        Ready {
            column,
            test: *test,
            thresholds: subtasks.names.iter().map(threshold).collect(),
        }
    }

    /// The stored threshold for a subtask.
    pub(super) fn threshold(&self, subtask: u16) -> f32 {
        self.thresholds
            .get(usize::from(subtask))
            .copied()
            .unwrap_or_default()
    }

    pub(super) fn holds(&self, row: usize, subtask: u16) -> bool {
        let Some(column) = &self.column else {
            return self.test == Test::Is(ScoreState::Missing);
        };
        let value = || column.value(row);
        match self.test {
            Test::Is(state) => column.state(row) == state,
            Test::Below(_) => value().is_some_and(|v| v < self.threshold(subtask)),
            Test::Above(_) => value().is_some_and(|v| v > self.threshold(subtask)),
        }
    }

    /// How far a row exceeds the threshold, as a share of all scored items. Negative on the good
    /// side. `None` without a number or if the condition tests a state.
    pub(super) fn beyond(&self, row: usize, subtask: u16) -> Option<f32> {
        let column = self.column.as_ref()?;
        let (value, line) = (column.value(row)?, self.threshold(subtask));
        // Subtract whole numbers, so that equal distances are equal.
        let ranks = match self.test {
            Test::Below(_) => (column.rank_below(line), column.rank_below(value)),
            Test::Above(_) => (column.rank_above(line), column.rank_above(value)),
            Test::Is(_) => return None,
        };
        Some(column.share(ranks.0 as isize - ranks.1 as isize))
    }
}

pub(super) fn subtasks() -> Option<usize> {
    Columns::named(Field::Subtask)
}

/// A rule, ready to be applied.
pub(super) struct ReadyRule {
    pub(super) outcome: Outcome,
    join: Join,
    pub(super) conditions: Vec<Ready>,
}

impl ReadyRule {
    pub(super) fn holds(&self, row: usize, subtask: u16) -> bool {
        match self.join {
            Join::All => self.conditions.iter().all(|c| c.holds(row, subtask)),
            Join::Any => self.conditions.iter().any(|c| c.holds(row, subtask)),
        }
    }
}

/// All rules, ready to be applied.
pub(super) fn ready(rules: &RuleSet, columns: &ColumnsBy, catalog: &Catalog) -> Vec<ReadyRule> {
    let names = &catalog.columns().names;
    let empty = Names::default();
    let subtasks = subtasks().and_then(|at| names.get(at)).unwrap_or(&empty);
    let one = |condition: &Condition| Ready::new(condition, columns, subtasks);
    let rule = |rule: &benchtop_model::scoring::rules::Rule| ReadyRule {
        outcome: rule.then.outcome(),
        join: rule.join,
        conditions: rule.conditions.iter().map(one).collect(),
    };
    rules.rules.iter().map(rule).collect()
}

/// The subtask code of a row.
pub(super) fn subtask_of(columns: &Columns, row: usize) -> u16 {
    let codes = subtasks().and_then(|at| columns.codes.get(at));
    codes
        .and_then(|codes| codes.get(row))
        .copied()
        .unwrap_or_default()
}

/// The outcomes of all items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcomes {
    /// Codes of [`Outcome`] by row.
    pub codes: Vec<u8>,
    /// Number of items that each rule applies to.
    pub hits: Vec<u64>,
}

impl Outcomes {
    /// Applies all rules to all items.
    pub fn of(rules: &RuleSet, columns: &ColumnsBy, catalog: &Catalog) -> Outcomes {
        let ready = ready(rules, columns, catalog);
        let mut hits = vec![0; ready.len()];
        let code = |row: usize| {
            let subtask = subtask_of(catalog.columns(), row);
            let mut worst = Outcome::Kept;
            for (rule, hits) in ready.iter().zip(&mut hits) {
                if rule.holds(row, subtask) {
                    *hits += 1;
                    worst = worst.max(rule.outcome);
                }
            }
            worst.code()
        };
        let codes = (0..catalog.len()).map(code).collect();
        Outcomes { codes, hits }
    }

    /// The outcome of a row.
    pub fn of_row(&self, row: usize) -> Outcome {
        Outcome::from_code(self.codes.get(row).copied().unwrap_or_default())
    }

    /// Counts items by outcome and status. `without` stays 0, since it concerns a single score.
    pub fn tally(&self, overlay: &StatusColumns) -> Tally {
        let mut tally = Tally::default();
        for (row, code) in self.codes.iter().enumerate() {
            let at = usize::from(*code).min(2);
            tally.items[at] += 1;
            match overlay.status(row) {
                Status::Accepted => tally.accepted[at] += 1,
                Status::Rejected => tally.rejected[at] += 1,
                _ => {}
            }
        }
        tally
    }

    /// The effect of replacing these outcomes and the rules `before` by `next` and `rules`.
    pub fn diff(
        &self,
        next: &Outcomes,
        overlay: &StatusColumns,
        (before, rules): (&RuleSet, &RuleSet),
    ) -> RulesDiff {
        let mut moves = [[0; 3]; 3];
        for (from, to) in self.codes.iter().zip(&next.codes) {
            moves[usize::from(*from).min(2)][usize::from(*to).min(2)] += 1;
        }
        RulesDiff {
            tally: next.tally(overlay),
            hits: next.hits.clone(),
            moves,
            lines: lines(before, rules),
        }
    }
}

/// The differences of two rule sets, one line per rule.
fn lines(before: &RuleSet, after: &RuleSet) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in &before.rules {
        match after.rules.iter().find(|r| r.name == rule.name) {
            None => lines.push(format!("- {}: {}", rule.name, rule.describe())),
            Some(now) if now != rule => lines.push(format!(
                "~ {}: {} (was: {})",
                rule.name,
                now.describe(),
                rule.describe()
            )),
            Some(_) => {}
        }
    }
    let new = after
        .rules
        .iter()
        .filter(|r| before.rules.iter().all(|b| b.name != r.name));
    lines.extend(new.map(|rule| format!("+ {}: {}", rule.name, rule.describe())));
    lines
}

/// Keeps the rows that satisfy all conditions.
pub fn retain(
    rows: &mut Vec<u32>,
    conditions: &[Condition],
    columns: &ColumnsBy,
    catalog: &Catalog,
) {
    let empty = Names::default();
    let names = subtasks()
        .and_then(|at| catalog.columns().names.get(at))
        .unwrap_or(&empty);
    for condition in conditions {
        let ready = Ready::new(condition, columns, names);
        rows.retain(|row| ready.holds(*row as usize, subtask_of(catalog.columns(), *row as usize)));
    }
}

/// The scorers that measures need.
pub fn scorers<'a>(measures: impl IntoIterator<Item = &'a Measure>) -> Vec<Scorer> {
    let mut all: Vec<Scorer> = measures.into_iter().map(|m| m.scorer.clone()).collect();
    all.sort();
    all.dedup();
    all
}
