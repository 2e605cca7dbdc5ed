//! Stacks that differ in nothing but style.

use std::collections::{BTreeMap, HashSet};

use super::bitmap_index::Stratum;
use super::question_table::{NAMED, QuestionTable};
use crate::dysca::CLEAN;
use benchtop_model::sorting::sort_by;
use benchtop_model::{Field, QuestionKind};

/// Variants that stand for the unchanged benchmark.
const BASE: [&str; 3] = ["", CLEAN, "vanilla"];

/// Prefixes of variants that only reorder the options.
const ORDERS: [&str; 2] = ["shuffle-", "position-"];

/// Whether a variant name stands for the unchanged benchmark.
pub fn is_base(variant: &str) -> bool {
    BASE.contains(&variant)
}

/// The properties of a stratum, as codes of the question table.
#[derive(Clone, Copy)]
pub struct StratumLabels {
    pub dataset: u16,
    pub subtask: u16,
    pub kind: QuestionKind,
    pub variant: u16,
    pub level: u16,
    /// Whether accuracy columns count it: the unchanged benchmark or, in a data set without one,
    /// its questions in some order.
    pub is_base: bool,
    /// Whether it is the clean scenario, the baseline of the others.
    pub is_clean: bool,
}

impl StratumLabels {
    /// Whether it belongs to the unchanged benchmark and has right and wrong answers.
    pub fn is_graded(&self) -> bool {
        self.is_base && !self.is_free_form()
    }

    pub fn is_free_form(&self) -> bool {
        self.kind == QuestionKind::FreeForm
    }
}

/// The strata of a board's stacks.
#[derive(Default)]
pub struct Strata {
    pub labels: Vec<StratumLabels>,
    /// The stratum of each stack.
    pub of_stack: Vec<u32>,
    /// The style of each stack that counts for styles: unchanged benchmark, graded questions.
    pub style: Vec<Option<u32>>,
    /// The names of the styles.
    pub styles: Vec<String>,
    names: [Vec<String>; NAMED.len()],
}

fn property(field: Field) -> usize {
    NAMED.iter().position(|f| *f == field).unwrap_or(0)
}

impl Strata {
    pub fn new(sheet: &QuestionTable, stacks: &[Stratum]) -> Strata {
        let mut strata = Strata {
            names: sheet.names.clone(),
            ..Strata::default()
        };
        let variant = |stack: &Stratum| {
            let code = usize::from(stack.codes[property(Field::Variant)]);
            sheet.names[property(Field::Variant)]
                .get(code)
                .map_or("", String::as_str)
        };
        // Each data set is judged on its own: the variants of another one do not matter.
        let made: HashSet<u16> = stacks
            .iter()
            .filter(|s| is_base(variant(s)))
            .map(|s| s.codes[property(Field::Dataset)])
            .collect();
        let mut of: BTreeMap<(u16, u16, u8, u16, u16), u32> = BTreeMap::new();
        let mut styles: BTreeMap<u16, usize> = BTreeMap::new();
        for stack in stacks {
            let code = |field| stack.codes[property(field)];
            let is_clean = is_base(variant(stack));
            let is_order = ORDERS.iter().any(|start| variant(stack).starts_with(start));
            let labels = StratumLabels {
                dataset: code(Field::Dataset),
                subtask: code(Field::Subtask),
                kind: stack.kind,
                variant: code(Field::Variant),
                level: code(Field::Level),
                is_base: is_clean || is_order && !made.contains(&code(Field::Dataset)),
                is_clean,
            };
            let key = (
                labels.dataset,
                labels.subtask,
                labels.kind as u8,
                labels.variant,
                labels.level,
            );
            let at = *of.entry(key).or_insert_with(|| {
                strata.labels.push(labels);
                strata.labels.len() as u32 - 1
            });
            strata.of_stack.push(at);
            let style = code(Field::Style);
            let next = styles.len();
            let counts = labels.is_graded() && style != 0;
            let style = counts.then(|| *styles.entry(style).or_insert(next) as u32);
            strata.style.push(style);
        }
        strata.styles = vec![String::new(); styles.len()];
        for (code, at) in styles {
            strata.styles[at] = strata.name(Field::Style, code).to_string();
        }
        strata
    }

    /// The name of a property's code; empty for none.
    pub fn name(&self, field: Field, code: u16) -> &str {
        let names = &self.names[property(field)];
        names.get(usize::from(code)).map_or("", String::as_str)
    }

    /// The name of a stratum's subtask, `none` without one.
    pub fn subtask(&self, labels: &StratumLabels) -> &str {
        match self.name(Field::Subtask, labels.subtask) {
            "" => "none",
            name => name,
        }
    }

    /// The scenario of a stratum. The unchanged benchmark is the clean scenario.
    pub fn scenario(&self, labels: &StratumLabels) -> &str {
        match labels.is_clean {
            true => CLEAN,
            false => self.name(Field::Variant, labels.variant),
        }
    }

    /// The strata for which `is` holds.
    pub fn all(&self, is: impl Fn(&StratumLabels) -> bool) -> Vec<u32> {
        let chosen = (0u32..).zip(&self.labels).filter(|(_, labels)| is(labels));
        chosen.map(|(at, _)| at).collect()
    }

    /// Whether there is a stratum for which `is` holds.
    pub fn any(&self, is: impl Fn(&StratumLabels) -> bool) -> bool {
        self.labels.iter().any(is)
    }

    /// The codes and names of a property in the strata with a code, sorted by name.
    pub fn named(
        &self,
        field: Field,
        code: impl Fn(&StratumLabels) -> Option<u16>,
    ) -> Vec<(u16, &str)> {
        let codes = self
            .labels
            .iter()
            .filter_map(code)
            .filter(|code| *code != 0);
        let mut found: Vec<(u16, &str)> = Vec::new();
        for code in codes {
            if !found.iter().any(|(c, _)| *c == code) {
                found.push((code, self.name(field, code)));
            }
        }
        sort_by(&mut found, |a, b| a.1.cmp(b.1));
        found
    }

    /// The labels of each stack.
    pub fn by_stack(&self) -> impl Iterator<Item = &StratumLabels> {
        self.of_stack.iter().map(|at| &self.labels[*at as usize])
    }

    /// Whether each stack belongs to one of these strata.
    pub fn stacks<'s>(&'s self, strata: &'s [u32]) -> impl Iterator<Item = bool> + 's {
        self.of_stack.iter().map(|at| strata.contains(at))
    }

    /// The style of a stack, if the stack counts for styles.
    pub fn style_of(&self, stack: usize) -> Option<usize> {
        let style = self.style.get(stack).copied().flatten();
        style.map(|style| style as usize)
    }
}
