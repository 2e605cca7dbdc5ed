//! Explains why an item is flagged: each of its scores against each condition.

use super::column::Column;
use super::rules::{ColumnsBy, Outcomes};
use benchtop_model::scoring::queries::{Counted, ExplainedScore, Explanation, MatchingRule};
use benchtop_model::scoring::rules::{Condition, Join, Rule, RuleSet, Test};
use benchtop_model::scoring::{Measure, Outcome, Score, ScoreState, Scorer, SuspiciousEnd};
use benchtop_model::{Field, Status};
use benchtop_store::{Catalog, StatusColumns};

/// The values of one item.
struct ItemScores<'a> {
    columns: &'a ColumnsBy,
    row: usize,
    subtask: &'a str,
}

impl<'a> ItemScores<'a> {
    fn new(columns: &'a ColumnsBy, catalog: &'a Catalog, row: usize) -> ItemScores<'a> {
        ItemScores {
            columns,
            row,
            subtask: catalog.columns().value(Field::Subtask, row),
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        let column = self.columns.get(&condition.score.scorer);
        let score = column.map_or(Score::default(), |c| Score {
            state: c.state(self.row),
            value: c.values.get(self.row).copied().unwrap_or_default(),
            detail: String::new(),
        });
        condition.holds(&score, column.map_or(1.0, |c| c.logit), self.subtask)
    }

    fn rule_holds(&self, rule: &Rule) -> bool {
        match rule.join {
            Join::All => rule.conditions.iter().all(|c| self.holds(c)),
            Join::Any => rule.conditions.iter().any(|c| self.holds(c)),
        }
    }

    /// The score of this item against a condition, such as `clip 21.3 < 25`.
    fn words(&self, condition: &Condition) -> String {
        let Condition { score, test, .. } = condition;
        let line = condition
            .threshold(self.subtask)
            .map(|t| short(t.get()))
            .unwrap_or_default();
        let column = self.columns.get(&score.scorer);
        match (
            test,
            column.and_then(|c| Some(score.shown(c.value(self.row)?, c.logit))),
        ) {
            (Test::Is(state), _) => format!("{score} {}", state.name()),
            (_, None) => format!("{score} has no value"),
            (_, Some(value)) => {
                let sign = if value < condition.threshold(self.subtask).map_or(0.0, |t| t.get()) {
                    '<'
                } else {
                    '>'
                };
                let sign = if short(value) == line { '=' } else { sign };
                format!("{score} {} {sign} {line}", short(value))
            }
        }
    }
}

/// Formats a number with three significant digits.
fn short(value: f32) -> String {
    let digits = match value.abs() {
        a if a >= 100.0 => 0,
        a if a >= 10.0 => 1,
        a if a >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// The rules that apply to the item in `row`.
pub fn chips(
    rules: &RuleSet,
    columns: &ColumnsBy,
    catalog: &Catalog,
    row: usize,
) -> Vec<MatchingRule> {
    let seen = ItemScores::new(columns, catalog, row);
    let chip = |rule: &Rule| {
        let held: Vec<String> = rule
            .conditions
            .iter()
            .filter(|c| seen.holds(c))
            .map(|c| seen.words(c))
            .collect();
        MatchingRule {
            rule: rule.name.clone(),
            then: rule.then,
            words: held.join(", "),
        }
    };
    rules
        .rules
        .iter()
        .filter(|rule| seen.rule_holds(rule))
        .map(chip)
        .collect()
}

/// The stored details of a score, whether it is outdated, and what it was computed from.
pub type StoredScore = (String, bool, Option<Counted>);

/// Explains the item in `row`. `detail` returns the stored details of a score.
pub fn explain(
    row: usize,
    (rules, columns, outcomes): (&RuleSet, &ColumnsBy, &Outcomes),
    (catalog, overlay): (&Catalog, &StatusColumns),
    detail: &dyn Fn(&Scorer) -> StoredScore,
) -> Explanation {
    let seen = ItemScores::new(columns, catalog, row);
    let outcome = outcomes.of_row(row);
    let status = overlay.status(row);
    let one = |(scorer, column): (&Scorer, &std::sync::Arc<Column>)| {
        let state = column.state(row);
        let (kept, out_of_date, counted) = detail(scorer);
        if matches!(state, ScoreState::NotApplicable)
            || (state == ScoreState::Missing && !out_of_date && counted.is_none())
        {
            return None;
        }
        let value = column.value(row);
        let shown = |m: &Measure| value.map(|v| (m.name(), m.shown(v, column.logit)));
        let conditions = rules
            .rules
            .iter()
            .flat_map(|r| &r.conditions)
            .filter(|c| c.score.scorer == *scorer);
        Some(ExplainedScore {
            scorer: scorer.clone(),
            state,
            values: Measure::with_default_scale(scorer.clone())
                .scales()
                .iter()
                .filter_map(shown)
                .collect(),
            percentile: value.map(|v| match scorer.suspicious_end() {
                SuspiciousEnd::Low => column.below(v),
                SuspiciousEnd::High => column.above(v),
            }),
            conditions: conditions.map(|c| (c.describe(), seen.holds(c))).collect(),
            detail: kept,
            version: column.version.clone(),
            out_of_date,
            counted,
        })
    };
    Explanation {
        number: row as u32 + 1,
        outcome,
        chips: chips(rules, columns, catalog, row),
        scores: columns.iter().filter_map(one).collect(),
        nearest_accepted: None,
        overridden: matches!(
            (outcome, status),
            (Outcome::Flagged | Outcome::Parked, Status::Accepted)
                | (Outcome::Kept, Status::Rejected)
        ),
    }
}
