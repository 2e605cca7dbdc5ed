//! Columns for questions outside image pairs: accuracy by property, and Dysca's scores.

mod accuracy;
pub mod draws;

use std::collections::{BTreeMap, HashSet};

use super::bitmap_index::Stratum;
use super::question_table::{NAMED, QuestionTable};
use crate::dysca::{self, CLEAN, Norm, Piece, ScenarioScore, TYPES};
use crate::statistics::Number;
use crate::tally::Tally;
use benchtop_model::board::analysis::ScEstimate;
use benchtop_model::board::{Cell, Column, Scale};
use benchtop_model::{Field, QuestionKind};

/// Variants that stand for the unchanged benchmark.
const BASE: [&str; 3] = ["", CLEAN, "vanilla"];

/// Prefixes of variants that only reorder the options.
const ORDERS: [&str; 2] = ["shuffle-", "position-"];

/// Whether a variant name stands for the unchanged benchmark.
pub(super) fn is_base(variant: &str) -> bool {
    BASE.contains(&variant)
}

/// Stacks that differ in nothing but style.
struct StratumLabels {
    subtask: u16,
    kind: QuestionKind,
    variant: u16,
    /// Whether accuracy columns count it: the unchanged benchmark or, in a data set without one,
    /// its questions in some order.
    is_base: bool,
    /// Whether it is the clean scenario, the baseline of the others.
    is_clean: bool,
}

/// How a column is computed.
enum Source {
    /// Right answers over all answers, in these strata.
    Share(Vec<u32>),
    /// Mean similarity of free-form answers in these strata.
    Mean(Vec<u32>),
    /// Right answers over all graded answers, of this style.
    Style(usize),
    /// The final score of a scenario (the mean over question types), with or without free form.
    Final(String, bool),
    /// A final score minus that of the clean scenario.
    Delta(String, bool),
    /// SQ of one subtask or of all.
    Sq(Option<String>),
    /// SQ exactly as equation 1 is printed.
    SqPaper,
    /// SC or one of its parts.
    Sc(Sc),
}

/// The values that are reported for SC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sc {
    /// SC as equation 2 is printed.
    Printed,
    /// SC without the sampling noise.
    Corrected,
    /// The SC that equal styles would show on average.
    Noise,
    /// The probability that equal styles show an SC at least this large.
    P,
}

/// The accuracy columns, and how each is computed from counts by stack.
#[derive(Default)]
pub struct AccuracyColumns {
    pub columns: Vec<Column>,
    sources: Vec<Source>,
    strata: Vec<StratumLabels>,
    /// The stratum of each stack.
    stratum: Vec<u32>,
    /// The style of each stack that counts for styles: unchanged benchmark, graded questions.
    style: Vec<Option<u32>>,
    styles: Vec<String>,
    subtasks: Vec<String>,
    variants: Vec<String>,
}

/// One model's counts by stack.
pub struct Counted<'a> {
    pub right: &'a [u32],
    /// Questions; 0 in stacks in which the model is not scored.
    pub n: &'a [u32],
    /// Sums of free-form similarities; NaN if one answer was not compared. `None` if none were
    /// compared.
    pub points: Option<&'a [f64]>,
    /// Sums of chance levels.
    pub chance: &'a [f64],
    /// The SC estimate, if there are at least two styles.
    pub sc: Option<&'a ScEstimate>,
}

fn property(field: Field) -> usize {
    NAMED.iter().position(|f| *f == field).unwrap_or(0)
}

fn named(sheet: &QuestionTable, field: Field, code: u16) -> String {
    sheet.names[property(field)]
        .get(usize::from(code))
        .cloned()
        .unwrap_or_default()
}

fn name_or_none(name: &str) -> &str {
    if name.is_empty() { "none" } else { name }
}

impl AccuracyColumns {
    pub fn new(sheet: &QuestionTable, stacks: &[Stratum]) -> AccuracyColumns {
        let mut plain = AccuracyColumns::default();
        if stacks.is_empty() {
            return plain;
        }
        let variant =
            |stack: &Stratum| named(sheet, Field::Variant, stack.codes[property(Field::Variant)]);
        // Each data set is judged on its own: the variants of another one do not matter.
        let made: HashSet<u16> = stacks
            .iter()
            .filter(|s| is_base(&variant(s)))
            .map(|s| s.codes[property(Field::Dataset)])
            .collect();
        let mut of: BTreeMap<(u16, u16, u8, u16, u16), u32> = BTreeMap::new();
        let mut levels: Vec<(u16, u16)> = Vec::new();
        let mut styles: BTreeMap<u16, usize> = BTreeMap::new();
        for stack in stacks {
            let code = |field| stack.codes[property(field)];
            let (data, level, variant) = (code(Field::Dataset), code(Field::Level), variant(stack));
            let is_clean = is_base(&variant);
            let is_order = ORDERS.iter().any(|start| variant.starts_with(start));
            let is_base = is_clean || is_order && !made.contains(&data);
            let key = (
                data,
                code(Field::Subtask),
                stack.kind as u8,
                code(Field::Variant),
                level,
            );
            let at = *of.entry(key).or_insert_with(|| {
                plain.strata.push(StratumLabels {
                    subtask: key.1,
                    kind: stack.kind,
                    variant: key.3,
                    is_base,
                    is_clean,
                });
                levels.push((level, data));
                plain.strata.len() as u32 - 1
            });
            plain.stratum.push(at);
            let style = code(Field::Style);
            let counts = is_base && style != 0 && stack.kind != QuestionKind::FreeForm;
            let next = styles.len();
            plain
                .style
                .push(counts.then(|| *styles.entry(style).or_insert(next) as u32));
        }
        plain.styles = vec![String::new(); styles.len()];
        styles
            .into_iter()
            .for_each(|(code, at)| plain.styles[at] = named(sheet, Field::Style, code));
        plain.subtasks = sheet.names[property(Field::Subtask)].clone();
        plain.variants = sheet.names[property(Field::Variant)].clone();
        plain.accuracies(sheet, &levels);
        plain.dysca();
        plain.by_style();
        plain
    }

    fn add(&mut self, name: String, group: &str, help: &str, scale: Scale, source: Source) {
        self.columns.push(Column {
            name,
            group: group.into(),
            help: help.into(),
            scale,
        });
        self.sources.push(source);
    }

    /// The scenario of a stratum. The unchanged benchmark is the clean scenario.
    fn scenario(&self, stratum: &StratumLabels) -> &str {
        if stratum.is_clean {
            CLEAN
        } else {
            self.variants
                .get(usize::from(stratum.variant))
                .map_or("", String::as_str)
        }
    }

    fn dysca(&mut self) {
        let has = |scenario: &str, kind| {
            self.strata
                .iter()
                .any(|s| s.kind == kind && self.scenario(s) == scenario)
        };
        let mut scenarios: Vec<String> = self
            .strata
            .iter()
            .map(|s| self.scenario(s).to_string())
            .collect();
        scenarios.sort_by_key(|s| (s != CLEAN, s.clone()));
        scenarios.dedup();
        scenarios
            .retain(|s| has(s, QuestionKind::MultipleChoice) && has(s, QuestionKind::TrueFalse));
        let free = scenarios.iter().any(|s| has(s, QuestionKind::FreeForm));
        self.final_scores(&scenarios, free);
        self.variants(&scenarios);
    }

    /// Final scores of these scenarios, their drop from the clean scenario, and SQ.
    fn final_scores(&mut self, scenarios: &[String], free: bool) {
        let clean = scenarios.iter().any(|s| s == CLEAN);
        let sorts: &[bool] = if free { &[true, false] } else { &[false] };
        for &with in sorts {
            let (name, help) = match with {
                true => (
                    "Final",
                    "mean of the scores of multiple choice, true or false, and free form; each is the mean over subtasks (Dysca, section 4.1)",
                ),
                false => (
                    "MC+TF",
                    "mean of the scores of multiple choice and true or false; each is the mean over subtasks (as in Dysca's Table 10)",
                ),
            };
            for scenario in scenarios {
                self.add(
                    format!("{name}.{scenario}"),
                    name,
                    help,
                    Scale::Share,
                    Source::Final(scenario.clone(), with),
                );
            }
            for scenario in scenarios.iter().filter(|s| clean && *s != CLEAN) {
                let help = format!("{name}.{scenario} minus {name}.{CLEAN}, in points");
                let source = Source::Delta(scenario.clone(), with);
                self.add(
                    format!("{name}.{scenario}-{CLEAN}"),
                    &format!("{name} drop"),
                    &help,
                    Scale::Points,
                    source,
                );
            }
        }
        if !clean {
            return;
        }
        let help = "sensitivity to question types: the variance of the two types' scores, each normalized by the chance level of its own questions (SQ.paper uses 25 and 50, as in Dysca's equation 1)";
        self.add("SQ".into(), "SQ", help, Scale::Squared, Source::Sq(None));
        let help = "SQ as printed in Dysca's equation 1: chance is 25 % for every multiple-choice question and 50 % for true or false; differs from SQ if questions have another number of options";
        self.add(
            "SQ.paper".into(),
            "SQ",
            help,
            Scale::Squared,
            Source::SqPaper,
        );
        for (_, subtask) in self.named(
            |s| (s.is_clean && s.kind == QuestionKind::TrueFalse).then_some(s.subtask),
            &self.subtasks.clone(),
        ) {
            let help = "SQ of this subtask only";
            self.add(
                format!("SQ.{subtask}"),
                "SQ by subtask",
                help,
                Scale::Squared,
                Source::Sq(Some(subtask)),
            );
        }
    }

    fn by_style(&mut self) {
        if self.styles.len() < 2 {
            return;
        }
        let help = "sensitivity to styles: the variance of the accuracies over styles (Dysca, equation 2), including sampling noise";
        self.add(
            "SC".into(),
            "SC",
            help,
            Scale::Squared,
            Source::Sc(Sc::Printed),
        );
        let help = "SC without sampling noise: an unbiased estimate of the variance of the true accuracies; shown as 0 if styles differ less than by noise alone";
        self.add(
            "SC.corrected".into(),
            "SC",
            help,
            Scale::Squared,
            Source::Sc(Sc::Corrected),
        );
        let help =
            "the average SC if all styles were equal (style labels assigned to pictures at random)";
        self.add(
            "SC.noise".into(),
            "SC",
            help,
            Scale::Squared,
            Source::Sc(Sc::Noise),
        );
        let help = "probability that equal styles differ at least this much (style labels assigned to pictures at random)";
        self.add("SC.p".into(), "SC", help, Scale::P, Source::Sc(Sc::P));
        let mut order: Vec<usize> = (0..self.styles.len()).collect();
        order.sort_by_key(|at| self.styles[*at].clone());
        for at in order {
            let name = format!("Acc.style.{}", self.styles[at]);
            self.add(
                name,
                "Acc by style",
                "accuracy on questions about pictures of this style",
                Scale::Share,
                Source::Style(at),
            );
        }
    }

    /// Number of styles.
    pub fn styles(&self) -> usize {
        self.styles.len()
    }

    /// The style of a stack, if the stack counts for styles.
    pub fn style_of(&self, stack: usize) -> Option<usize> {
        self.style
            .get(stack)
            .copied()
            .flatten()
            .map(|style| style as usize)
    }

    /// The SC value that a column shows; `None` for other columns.
    pub fn sc_value(&self, column: usize) -> Option<Sc> {
        if let Some(Source::Sc(what)) = self.sources.get(column) {
            Some(*what)
        } else {
            None
        }
    }

    /// The stacks that a share or mean column counts; `None` if the column is derived from other
    /// numbers.
    pub fn stacks_of(&self, column: usize) -> Option<Vec<u32>> {
        let chosen = |is: &dyn Fn(usize) -> bool| {
            (0..self.stratum.len())
                .filter(|at| is(*at))
                .map(|at| at as u32)
                .collect()
        };
        match self.sources.get(column)? {
            Source::Share(strata) | Source::Mean(strata) => {
                Some(chosen(&|at| strata.contains(&self.stratum[at])))
            }
            Source::Style(style) => Some(chosen(&|at| self.style[at] == Some(*style as u32))),
            _ => None,
        }
    }

    /// All stacks behind a column.
    pub fn behind(&self, column: usize) -> Vec<u32> {
        let chosen = |is: &dyn Fn(usize) -> bool| {
            (0..self.stratum.len())
                .filter(|at| is(*at))
                .map(|at| at as u32)
                .collect()
        };
        let of = |at: usize| &self.strata[self.stratum[at] as usize];
        let typed = |s: &StratumLabels| {
            matches!(
                s.kind,
                QuestionKind::MultipleChoice | QuestionKind::TrueFalse
            )
        };
        let Some(source) = self.sources.get(column) else {
            return Vec::new();
        };
        match source {
            Source::Final(scenario, free) | Source::Delta(scenario, free) => chosen(&|at| {
                let s = of(at);
                self.scenario(s) == scenario
                    && (typed(s) || *free && s.kind == QuestionKind::FreeForm)
            }),
            Source::SqPaper => chosen(&|at| of(at).is_clean && typed(of(at))),
            Source::Sq(subtask) => chosen(&|at| {
                let s = of(at);
                let name = self.subtasks.get(usize::from(s.subtask));
                s.is_clean && typed(s) && subtask.as_ref().is_none_or(|wanted| name == Some(wanted))
            }),
            Source::Sc(_) => chosen(&|at| self.style[at].is_some()),
            _ => self.stacks_of(column).unwrap_or_default(),
        }
    }

    /// A model's cells, one per column.
    pub fn cells(&self, counted: &Counted) -> Vec<Option<Cell>> {
        let mut tallies = vec![Tally::default(); self.strata.len()];
        let mut chances = vec![0.0; self.strata.len()];
        let mut styles = vec![(0u64, 0u64); self.styles.len()];
        for (stack, (&stratum, style)) in self.stratum.iter().zip(&self.style).enumerate() {
            let (at, n) = (stratum as usize, u64::from(counted.n[stack]));
            let free = self.strata[at].kind == QuestionKind::FreeForm;
            let points = match (free, counted.points) {
                (false, _) => f64::from(counted.right[stack]),
                (true, Some(points)) => points[stack],
                (true, None) => continue,
            };
            tallies[at] += Tally {
                n,
                points,
                ..Tally::default()
            };
            if n > 0 {
                chances[at] += counted.chance[stack];
            }
            if let Some(style) = style {
                let sum = &mut styles[*style as usize];
                *sum = (sum.0 + u64::from(counted.right[stack]), sum.1 + n);
            }
        }
        let pieces = self.pieces(&tallies, &chances);
        let scores = dysca::scores(&pieces);
        let clean: Vec<&Piece> = pieces.iter().filter(|p| p.scenario == CLEAN).collect();
        let wants = |is: fn(&Source) -> bool| self.sources.iter().any(is);
        let sq = wants(|s| matches!(s, Source::Sq(_))).then(|| dysca::sq(&clean, Norm::Questions));
        let sq_paper =
            wants(|s| matches!(s, Source::SqPaper)).then(|| dysca::sq(&clean, Norm::Paper));
        let sum = |strata: &[u32]| strata.iter().map(|at| tallies[*at as usize]).sum::<Tally>();
        let n_of = |scenario: &str, types: &[QuestionKind]| {
            let counted = pieces
                .iter()
                .filter(|p| p.scenario == *scenario && types.contains(&p.kind));
            counted.map(|p| p.tally.n).sum::<u64>()
        };
        let number = |number: &Number, n: u64| number.value.map(|value| Cell::Number { value, n });
        let cell = |source: &Source| match source {
            Source::Share(strata) => {
                let all = sum(strata);
                (all.n > 0).then_some(Cell::Share {
                    k: all.points as u64,
                    n: all.n,
                })
            }
            Source::Mean(strata) => {
                let all = sum(strata);
                all.value()
                    .value
                    .map(|value| Cell::Mean { value, n: all.n })
            }
            Source::Style(at) => (styles[*at].1 > 0).then_some(Cell::Share {
                k: styles[*at].0,
                n: styles[*at].1,
            }),
            Source::Final(scenario, free) => {
                let score = scores.iter().find(|s| s.scenario == *scenario)?;
                let value = final_score(score, *free).value? / 100.0;
                Some(Cell::Mean {
                    value,
                    n: n_of(scenario, types(*free)),
                })
            }
            Source::Delta(scenario, free) => {
                let score = scores.iter().find(|s| s.scenario == *scenario)?;
                let delta = if *free {
                    &score.three_types_to_clean
                } else {
                    &score.two_types_to_clean
                };
                number(delta, n_of(scenario, types(*free)))
            }
            Source::Sq(None) => number(&sq.as_ref()?.value, n_of(CLEAN, types(false))),
            Source::SqPaper => number(&sq_paper.as_ref()?.value, n_of(CLEAN, types(false))),
            Source::Sq(Some(subtask)) => {
                let part = sq
                    .as_ref()?
                    .subtasks
                    .iter()
                    .find(|s| s.subtask == *subtask)?;
                let typed = |p: &&&Piece| p.subtask == *subtask && types(false).contains(&p.kind);
                let n = clean.iter().filter(typed).map(|p| p.tally.n).sum();
                number(&part.value, n)
            }
            Source::Sc(Sc::Corrected | Sc::Noise | Sc::P) => {
                let sc = counted.sc?;
                let value = match source {
                    Source::Sc(Sc::Corrected) => sc.corrected,
                    Source::Sc(Sc::Noise) => sc.noise,
                    _ => sc.p,
                };
                Some(Cell::Number {
                    value,
                    n: styles.iter().map(|s| s.1).sum(),
                })
            }
            Source::Sc(Sc::Printed) => {
                let percent = |(k, n): (u64, u64)| Tally::of(k, n).percent();
                let of: Vec<(String, Number)> = self
                    .styles
                    .iter()
                    .cloned()
                    .zip(styles.iter().map(|s| percent(*s)))
                    .collect();
                number(&dysca::sc(&of).value, styles.iter().map(|s| s.1).sum())
            }
        };
        self.sources.iter().map(cell).collect()
    }

    /// The model's tallies in the form that Dysca's scores need.
    fn pieces(&self, tallies: &[Tally], chances: &[f64]) -> Vec<Piece> {
        let typed = |at: &usize| TYPES.contains(&self.strata[*at].kind) && tallies[*at].n > 0;
        let piece = |at: usize| Piece {
            subtask: name_or_none(
                self.subtasks
                    .get(usize::from(self.strata[at].subtask))
                    .map_or("", String::as_str),
            )
            .into(),
            kind: self.strata[at].kind,
            scenario: self.scenario(&self.strata[at]).into(),
            style: None,
            tally: tallies[at],
            chance: chances[at],
        };
        (0..self.strata.len()).filter(typed).map(piece).collect()
    }
}

/// The question types in a final score: all three, or without free form.
fn types(free: bool) -> &'static [QuestionKind] {
    if free { &TYPES } else { &TYPES[..2] }
}

fn final_score(score: &ScenarioScore, free: bool) -> &Number {
    if free {
        &score.three_types
    } else {
        &score.two_types
    }
}
