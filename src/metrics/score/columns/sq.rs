//! Dysca's sensitivity to question types.

use super::final_score::scenarios;
use crate::dysca::{self, CHANCE, CLEAN, Norm, Piece, above_chance};
use crate::score::basis::{Sums, share};
use crate::score::column::{
    Basis, BoardEngine, Cell, Column, Columns, Data, Draw, Head, Metric, ModelScores, Scale, Slots,
    Value,
};
use crate::score::tallies::{Pieces, type_of, types};
use crate::statistics::mean;
use benchtop_model::{Field, QuestionKind};

pub const METRIC: Metric = Metric {
    reference: &[
        [
            "`SQ`, `SQ.SUBTASK`",
            "variance of the two types' scores, normalized by each question's chance level (with its present options), in squared points",
            "Dysca eq. 1",
        ],
        [
            "`SQ.paper`",
            "the same with the paper's chance level: 25 % for every multiple-choice question, 50 % for true or false; printed values appear beside this one",
            "Dysca eq. 1 as printed",
        ],
    ],
    columns,
};

/// SQ of one subtask or of all.
struct Sq {
    subtask: Option<String>,
    norm: Norm,
}

/// SQ by [`Norm::Questions`] and by [`Norm::Paper`].
struct ByNorm([dysca::Sq; 2]);

impl Sq {
    /// The value of a model.
    fn value(&self, of: &ModelScores<'_>) -> Option<f64> {
        let found = of.memo.get(|| {
            let pieces = Pieces::of(of);
            let clean: Vec<&Piece> = pieces.0.iter().filter(|p| p.scenario == CLEAN).collect();
            ByNorm([Norm::Questions, Norm::Paper].map(|norm| dysca::sq(&clean, norm)))
        });
        let sq = &found.0[usize::from(self.norm == Norm::Paper)];
        match &self.subtask {
            None => sq.value.value,
            Some(subtask) => {
                let part = sq.subtasks.iter().find(|part| part.subtask == *subtask);
                part?.value.value
            }
        }
    }
}

impl Column for Sq {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let value = self.value(of)?;
        let n = Pieces::of(of).n(CLEAN, self.subtask.as_deref(), types(false));
        Some(Cell::Number { value, n })
    }

    /// Half the difference of the two types. Its square is SQ.
    fn basis(&self, engine: &BoardEngine) -> Basis {
        let (strata, mut slots) = (&engine.strata, Slots::default());
        let counts = |subtask: &str| self.subtask.as_ref().is_none_or(|own| own == subtask);
        let of = strata.by_stack().map(|labels| {
            let counts = labels.is_clean && counts(strata.subtask(labels));
            let kind = type_of(labels.kind, false).filter(|_| counts)?;
            Some(slots.take(labels.subtask, kind))
        });
        let of = of.collect();
        let (types, norm) = (slots.types, self.norm);
        let formula = move |slots: &[Sums]| {
            let chance = |kind: usize, slot: Sums| match norm {
                Norm::Paper => CHANCE[kind],
                Norm::Questions => slot[2] / slot[1],
            };
            let of = |kind: usize| {
                let own = slots.iter().zip(&types).filter(|(_, t)| **t == kind);
                let normal =
                    own.filter_map(|(slot, _)| above_chance(share(slot)?, chance(kind, slot)));
                mean(&normal.collect::<Vec<_>>())
            };
            Some((of(1)? - of(0)?) / 2.0)
        };
        Basis::Sums(Draw::new(of, Value::Root, false, formula))
    }
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    if !scenarios(data.strata).contains(&CLEAN) {
        return;
    }
    let mut add = |name: &str, group: &str, help: &str, subtask: Option<&str>, norm: Norm| {
        let subtask = subtask.map(str::to_string);
        let head = Head::new(name, group, help, Scale::Squared);
        found.add(head, Sq { subtask, norm });
    };
    let help = "sensitivity to question types: the variance of the two types' scores, each normalized by the chance level of its own questions (SQ.paper uses 25 and 50, as in Dysca's equation 1)";
    add("SQ", "SQ", help, None, Norm::Questions);
    let help = "SQ as printed in Dysca's equation 1: chance is 25 % for every multiple-choice question and 50 % for true or false; differs from SQ if questions have another number of options";
    add("SQ.paper", "SQ", help, None, Norm::Paper);
    let clean = data.strata.named(Field::Subtask, |s| {
        (s.is_clean && s.kind == QuestionKind::TrueFalse).then_some(s.subtask)
    });
    for (_, subtask) in clean {
        let (name, help) = (format!("SQ.{subtask}"), "SQ of this subtask only");
        add(&name, "SQ by subtask", help, Some(subtask), Norm::Questions);
    }
}
