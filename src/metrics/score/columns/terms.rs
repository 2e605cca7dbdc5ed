//! Accuracy by the terms of a vocabulary (Dysca, section 4.3).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::score::bitmap_index::and;
use crate::score::column::{
    Basis, BoardEngine, Cell, Column, Columns, Data, Head, ItemSelection, Metric, ModelScores,
};
use crate::score::strata::is_base;
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Field, QuestionKind};

pub const METRIC: Metric = Metric {
    reference: &[[
        "`Acc.term.VOCABULARY.TERM`",
        "share of right answers to composed questions whose prompt has a term; for vocabularies of 2 to 200 terms; shown only if `--columns` names them, and in the Board pane as the last columns",
        "Dysca 4.3",
    ]],
    columns,
};

/// The questions with one term of a vocabulary.
struct OfTerm {
    /// Position of the vocabulary among those of the question table.
    vocabulary: usize,
    code: usize,
}

/// Right answers and questions by vocabulary and code.
struct TermTallies(Vec<Vec<(u64, u64)>>);

/// The counts of a model, one pass over its answers for all terms.
fn term_tallies(of: &ModelScores<'_>) -> Arc<TermTallies> {
    of.memo.get(|| {
        let (engine, strata) = (of.engine, &of.engine.strata);
        let terms = &engine.sheet.terms;
        let none = |codes: &Vec<String>| vec![(0, 0); codes.len()];
        let mut found: Vec<Vec<(u64, u64)>> = terms.iter().map(|t| none(&t.names)).collect();
        let right = and(&engine.bitmaps[of.model].right, &of.chosen.plane);
        for (stack, labels) in strata.by_stack().enumerate() {
            if !labels.is_clean || labels.is_free_form() || of.n[stack] == 0 {
                continue;
            }
            let mut add = |row: usize, k: u64, n: u64| {
                for (terms, found) in terms.iter().zip(&mut found) {
                    if let Some(sum) = found.get_mut(terms.code(row)) {
                        *sum = (sum.0 + k, sum.1 + n);
                    }
                }
            };
            let rows = |plane| engine.index.rows(stack, plane);
            rows(&of.chosen.plane).for_each(|row| add(row, 0, 1));
            rows(&right).for_each(|row| add(row, 1, 0));
        }
        TermTallies(found)
    })
}

impl Column for OfTerm {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let tallies = term_tallies(of);
        let (k, n) = *tallies.0.get(self.vocabulary)?.get(self.code)?;
        (n > 0).then_some(Cell::Share { k, n })
    }

    /// The bootstrap resamples the pictures of the answers.
    fn basis(&self, _: &BoardEngine) -> Basis {
        Basis::Units
    }

    fn rows(&self, engine: &BoardEngine, _: usize, asked: &ItemSelection) -> Vec<u32> {
        let counts = |stack: usize| {
            let labels = engine.strata.of_stack.get(stack);
            let labels = labels.and_then(|at| engine.strata.labels.get(*at as usize));
            labels.is_some_and(|labels| labels.is_clean && !labels.is_free_form())
        };
        let terms = engine.sheet.terms.get(self.vocabulary);
        let mut rows = engine.rows_of(counts, asked);
        rows.retain(|row| terms.is_some_and(|terms| terms.code(*row as usize) == self.code));
        rows
    }
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    let sheet = data.sheet;
    let counts = |row: &usize| {
        sheet.kind(*row) != QuestionKind::FreeForm
            && sheet.graded(*row)
            && sheet.pair.get(*row) == 0
            && sheet.rotation[*row] <= 1
            && is_base(sheet.name(Field::Variant, *row))
    };
    for (vocabulary, terms) in sheet.terms.iter().enumerate() {
        let rows = (0..terms.codes.len().min(sheet.len())).filter(counts);
        let codes: BTreeSet<usize> = rows.map(|row| terms.code(row)).collect();
        let mut codes: Vec<usize> = codes.into_iter().filter(|code| *code != 0).collect();
        if codes.len() < 2 {
            continue;
        }
        sort_by_key(&mut codes, |code| &terms.names[*code]);
        let group = format!("Acc by {}", terms.vocabulary);
        for code in codes {
            let help = "accuracy on composed questions whose prompt has this term";
            let name = format!("Acc.term.{}.{}", terms.vocabulary, terms.names[code]);
            let mut head = Head::share(name, &group, help);
            head.on_demand = true;
            found.add(head, OfTerm { vocabulary, code });
        }
    }
}
