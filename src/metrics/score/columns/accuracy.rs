//! Accuracy by type, subtask, level, and data set.

use crate::autobench::place;
use crate::score::column::{
    Basis, BoardEngine, Cell, Column, Columns, Data, Draw, Head, Metric, ModelScores, StratumLabels,
};
use crate::score::tallies::tallies;
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Field, QuestionKind};

pub const METRIC: Metric = Metric {
    reference: &[
        [
            "`Acc`, `Acc.type.*`, `Acc.SUBTASK`, `Acc.TYPE.SUBTASK`, `Acc.level.*`, `Acc.dataset.*`",
            "share of right answers",
            "",
        ],
        [
            "`Acc.type.free-form`",
            "mean cosine of MiniLM embeddings with the reference (`benchtop eval similarity` compares); with the rule `strict+grade`, the mean grade of a judge (`benchtop eval judge --grade`)",
            "Dysca 3.4, MM-Vet",
        ],
    ],
    columns,
};

/// The share of right answers in some strata, or the mean similarity of free-form answers.
struct Accuracy {
    strata: Vec<u32>,
    free: bool,
}

impl Column for Accuracy {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let all = tallies(of).sum(&self.strata);
        match self.free {
            true => all
                .value()
                .value
                .map(|value| Cell::Mean { value, n: all.n }),
            false => (all.n > 0).then_some(Cell::Share {
                k: all.points as u64,
                n: all.n,
            }),
        }
    }

    fn basis(&self, engine: &BoardEngine) -> Basis {
        Basis::Sums(Draw::answers(engine.strata.stacks(&self.strata), self.free))
    }
}

/// Adds a column over the strata for which `is` holds: a share, or a mean if they are free-form.
/// Adds nothing if there are no such strata.
pub(super) fn add(
    found: &mut Columns,
    data: &Data<'_>,
    head: Head,
    is: impl Fn(&StratumLabels) -> bool,
) {
    let of = |free: bool| data.strata.all(|s| is(s) && s.is_free_form() == free);
    let (graded, free_form) = (of(false), of(true));
    let free = graded.is_empty();
    let strata = if free { free_form } else { graded };
    if !strata.is_empty() {
        found.add(head, Accuracy { strata, free });
    }
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    let strata = data.strata;
    let help = "accuracy on questions with options or with yes and no";
    let head = Head::share("Acc", "Acc", help);
    add(found, data, head, StratumLabels::is_graded);
    for kind in QuestionKind::ALL {
        let help = match kind {
            QuestionKind::FreeForm => {
                "mean cosine similarity of MiniLM embeddings of a free-form answer and its reference"
            }
            _ => "accuracy on questions of this type",
        };
        let mut head = Head::share(format!("Acc.type.{}", kind.name()), "Acc by type", help);
        head.free_form = kind == QuestionKind::FreeForm;
        add(found, data, head, |s| s.is_base && s.kind == kind);
    }
    let graded = |s: &StratumLabels, code: u16| s.is_graded().then_some(code);
    let subtasks = strata.named(Field::Subtask, |s| graded(s, s.subtask));
    for (code, name) in &subtasks {
        let help = "accuracy on questions of this subtask";
        let head = Head::share(format!("Acc.{name}"), "Acc by subtask", help);
        let is = |s: &StratumLabels| s.is_graded() && s.subtask == *code;
        add(found, data, head, is);
    }
    let mut kinds = QuestionKind::ALL.to_vec();
    kinds.retain(|kind| strata.any(|s| s.is_graded() && s.kind == *kind));
    for kind in kinds.iter().filter(|_| kinds.len() > 1) {
        let (kind_name, help) = (
            kind.name(),
            "accuracy on questions of this subtask and type",
        );
        for (code, name) in &subtasks {
            let (name, group) = (
                format!("Acc.{kind_name}.{name}"),
                format!("{kind_name} by subtask"),
            );
            let is = |s: &StratumLabels| s.is_base && s.kind == *kind && s.subtask == *code;
            add(found, data, Head::share(name, &group, help), is);
        }
    }
    type Code = fn(&StratumLabels) -> u16;
    let properties: [(Field, &str, Code); 2] = [
        (Field::Level, "Acc by level", |s| s.level),
        (Field::Dataset, "Acc by data set", |s| s.dataset),
    ];
    for (field, group, code) in properties {
        let mut codes = strata.named(field, |s| graded(s, code(s)));
        // Levels sort from easy to hard, everything else by name.
        if field == Field::Level {
            sort_by_key(&mut codes, |(_, name)| place(name));
        }
        let help = format!("accuracy on questions of this {}", field.name());
        for (value, name) in codes.iter().filter(|_| codes.len() > 1) {
            let head = Head::share(format!("Acc.{}.{name}", field.name()), group, &help);
            add(found, data, head, |s| s.is_graded() && code(s) == *value);
        }
    }
}
