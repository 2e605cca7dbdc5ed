//! Dysca's final scores, and their drop from the clean scenario.

use crate::dysca::{CLEAN, ScenarioScore};
use crate::score::basis::mean_of_types;
use crate::score::column::{
    Basis, BoardEngine, Cell, Column, Columns, Data, Draw, Head, ItemSelection, Metric,
    ModelScores, Scale, Slots, Strata, StratumLabels, Value,
};
use crate::score::tallies::{Pieces, ScenarioScores, type_of, types};
use benchtop_model::QuestionKind;
use benchtop_model::sorting::sort_by_key;

pub const METRIC: Metric = Metric {
    reference: &[
        [
            "`Final.SCENARIO`, `MC+TF.SCENARIO`",
            "mean of the types' scores, each the mean of its subtasks; with and without free form",
            "Dysca 4.1, Tables 3 and 10",
        ],
        [
            "`Final.SCENARIO-clean`, `MC+TF.SCENARIO-clean`",
            "the same minus the clean scenario, in points",
            "Dysca Table 3",
        ],
    ],
    columns,
};

/// A final score: the mean over question types.
struct FinalScore {
    scenario: String,
    /// Whether free form is one of the types.
    free: bool,
    /// Whether the score of the clean scenario is subtracted.
    is_drop: bool,
}

impl FinalScore {
    /// The position of a stratum's type among the types of the score.
    fn kind(&self, labels: &StratumLabels) -> Option<usize> {
        type_of(labels.kind, self.free)
    }
}

impl Column for FinalScore {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let scores = ScenarioScores::of(of);
        let of_scenario = |s: &&ScenarioScore| s.scenario == self.scenario;
        let score = scores.0.iter().find(of_scenario)?;
        let number = match (self.is_drop, self.free) {
            (false, true) => &score.three_types,
            (false, false) => &score.two_types,
            (true, true) => &score.three_types_to_clean,
            (true, false) => &score.two_types_to_clean,
        };
        let (value, n) = (
            number.value?,
            Pieces::of(of).n(&self.scenario, None, types(self.free)),
        );
        Some(match self.is_drop {
            true => Cell::Number { value, n },
            false => Cell::Mean {
                value: value / 100.0,
                n,
            },
        })
    }

    fn basis(&self, engine: &BoardEngine) -> Basis {
        let (strata, mut slots) = (&engine.strata, Slots::default());
        let mut of = vec![None; strata.of_stack.len()];
        let mut add = |scenario: &str, slots: &mut Slots| {
            let own = of.iter_mut().zip(strata.by_stack());
            for (slot, labels) in own.filter(|(_, s)| strata.scenario(s) == scenario) {
                let kind = self.kind(labels);
                *slot = kind.map(|kind| slots.take(labels.subtask, kind));
            }
        };
        add(&self.scenario, &mut slots);
        let split = slots.split();
        if self.is_drop {
            add(CLEAN, &mut slots);
        }
        let free_form = self.free && strata.any(StratumLabels::is_free_form);
        let (types, all) = (slots.types, types(self.free).len());
        Basis::Sums(match self.is_drop {
            false => Draw::new(of, Value::Share, free_form, move |slots| {
                mean_of_types(slots, &types, all)
            }),
            true => Draw::new(of, Value::Number, free_form, move |slots| {
                let (own, clean) = slots.split_at_checked(split)?;
                let (own_types, clean_types) = types.split_at_checked(split)?;
                let own = mean_of_types(own, own_types, all)?;
                Some(100.0 * (own - mean_of_types(clean, clean_types, all)?))
            }),
        })
    }

    fn rows(&self, engine: &BoardEngine, _: usize, asked: &ItemSelection) -> Vec<u32> {
        let strata = &engine.strata;
        let is = |labels| self.kind(labels).is_some() && strata.scenario(labels) == self.scenario;
        engine.rows_of(
            |stack| is(&strata.labels[strata.of_stack[stack] as usize]),
            asked,
        )
    }
}

/// The scenarios that have a final score: the clean one first.
pub(super) fn scenarios(strata: &Strata) -> Vec<&str> {
    let has =
        |scenario: &str, kind| strata.any(|s| s.kind == kind && strata.scenario(s) == scenario);
    let mut found: Vec<&str> = strata.labels.iter().map(|s| strata.scenario(s)).collect();
    sort_by_key(&mut found, |s| (*s != CLEAN, *s));
    found.dedup();
    found.retain(|s| has(s, QuestionKind::MultipleChoice) && has(s, QuestionKind::TrueFalse));
    found
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    let (strata, scenarios) = (data.strata, scenarios(data.strata));
    let of_scenarios = |s: &StratumLabels| scenarios.contains(&strata.scenario(s));
    let free = strata.any(|s| s.is_free_form() && of_scenarios(s));
    let sorts = [
        (
            true,
            "Final",
            "mean of the scores of multiple choice, true or false, and free form; each is the mean over subtasks (Dysca, section 4.1)",
        ),
        (
            false,
            "MC+TF",
            "mean of the scores of multiple choice and true or false; each is the mean over subtasks (as in Dysca's Table 10)",
        ),
    ];
    for (with, name, help) in sorts.into_iter().filter(|(with, ..)| free || !with) {
        let mut add = |mut head: Head, scenario: &str, is_drop: bool| {
            head.free_form = with;
            head.variant = Some(scenario.into());
            let (scenario, free) = (scenario.into(), with);
            let score = FinalScore {
                scenario,
                free,
                is_drop,
            };
            found.add(head, score);
        };
        for scenario in &scenarios {
            let head = Head::share(format!("{name}.{scenario}"), name, help);
            add(head, scenario, false);
        }
        let clean = scenarios.contains(&CLEAN);
        for scenario in scenarios.iter().filter(|s| clean && **s != CLEAN) {
            let help = format!("{name}.{scenario} minus {name}.{CLEAN}, in points");
            let (name, group) = (format!("{name}.{scenario}-{CLEAN}"), format!("{name} drop"));
            add(
                Head::new(name, &group, &help, Scale::Points),
                scenario,
                true,
            );
        }
    }
}
