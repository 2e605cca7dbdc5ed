//! The columns of questions outside image pairs: accuracy by every property, and Dysca's scores over them.

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

/// Variants that are the benchmark as it was made, before anything was done to it.
const BASE: [&str; 3] = ["", CLEAN, "vanilla"];

/// How variants begin that are the same questions with their options in another order.
const ORDERS: [&str; 2] = ["shuffle-", "position-"];

/// Whether what is of this variant is of the benchmark as it was made.
pub(super) fn is_base(variant: &str) -> bool {
    BASE.contains(&variant)
}

/// Stacks that are alike but for their style.
struct StratumLabels {
    subtask: u16,
    kind: QuestionKind,
    variant: u16,
    /// Whether it is what plain columns count: the benchmark as it was made, or of a data set without that, its questions in some order.
    is_base: bool,
    /// Whether it is the scenario that the others are compared with.
    is_clean: bool,
}

/// Where a column's numbers come from.
enum Source {
    /// Right of all, over these strata.
    Share(Vec<u32>),
    /// The mean similarity of free-form answers, over these strata.
    Mean(Vec<u32>),
    /// Right of all with options, of this style.
    Style(usize),
    /// The final score of a scenario (the mean of its types), with free form or without.
    Final(String, bool),
    /// A final score less that of the clean scenario.
    Delta(String, bool),
    /// SQ, of one subtask or of all.
    Sq(Option<String>),
    /// SQ as equation 1 is printed.
    SqPaper,
    /// SC, and what of it is not sampling noise.
    Sc(Sc),
}

/// What is told of SC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sc {
    /// As equation 2 is printed.
    Printed,
    /// Without the sampling noise.
    Corrected,
    /// What equal styles would show.
    Noise,
    /// How often equal styles would show as much.
    P,
}

/// The plain columns and how each is computed from counts by stack.
#[derive(Default)]
pub struct AccuracyColumns {
    /// The columns.
    pub columns: Vec<Column>,
    sources: Vec<Source>,
    strata: Vec<StratumLabels>,
    /// The stratum of each stack.
    stratum: Vec<u32>,
    /// The style of each stack that counts for styles: base variant, with options.
    style: Vec<Option<u32>>,
    styles: Vec<String>,
    subtasks: Vec<String>,
    variants: Vec<String>,
}

/// One model's counts by stack.
pub struct Counted<'a> {
    /// Right answers.
    pub right: &'a [u32],
    /// Questions; 0 in stacks where the model is not scored.
    pub n: &'a [u32],
    /// Sums of similarities of free-form answers, NaN where one was not compared; none where none was.
    pub points: Option<&'a [f64]>,
    /// Sums of chance levels.
    pub chance: &'a [f64],
    /// What SC comes to, where there are two styles.
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

fn said(name: &str) -> &str {
    if name.is_empty() { "none" } else { name }
}

impl AccuracyColumns {
    /// The columns for these stacks.
    pub fn new(sheet: &QuestionTable, stacks: &[Stratum]) -> AccuracyColumns {
        let mut plain = AccuracyColumns::default();
        if stacks.is_empty() {
            return plain;
        }
        let variant =
            |stack: &Stratum| named(sheet, Field::Variant, stack.codes[property(Field::Variant)]);
        // Each data set by itself: what another one holds says nothing of this one.
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

    /// The scenario of a stratum: the benchmark as it was made is the clean one.
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

    /// The final scores of these scenarios, their distance from the clean one, and SQ of that.
    fn final_scores(&mut self, scenarios: &[String], free: bool) {
        let clean = scenarios.iter().any(|s| s == CLEAN);
        let sorts: &[bool] = if free { &[true, false] } else { &[false] };
        for &with in sorts {
            let (name, help) = match with {
                true => (
                    "Final",
                    "mean of the scores of multiple choice, true or false and free form, each the mean of its subtasks (Dysca, section 4.1)",
                ),
                false => (
                    "MC+TF",
                    "mean of the scores of multiple choice and true or false, each the mean of its subtasks (as Dysca's Table 10)",
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
                let help = format!("{name}.{scenario} less {name}.{CLEAN}, in points");
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
        let help = "sensitivity to question types: the variance of the two types' scores, each normalised by its own questions' chance (Dysca's equation 1 takes 25 and 50: SQ.paper)";
        self.add("SQ".into(), "SQ", help, Scale::Squared, Source::Sq(None));
        let help = "SQ as Dysca's equation 1 is printed: 25 % is chance for every multiple-choice question, 50 % for true or false; other than SQ where questions have another number of options";
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
            let help = "SQ of this subtask alone";
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
        let help = "sensitivity to styles: the variance of the accuracies by style, over the styles that there are (Dysca, equation 2); sampling noise included";
        self.add(
            "SC".into(),
            "SC",
            help,
            Scale::Squared,
            Source::Sc(Sc::Printed),
        );
        let help = "SC without the sampling noise: an unbiased estimate of the variance of the true accuracies; shown as 0 where styles differ less than noise alone makes them";
        self.add(
            "SC.corrected".into(),
            "SC",
            help,
            Scale::Squared,
            Source::Sc(Sc::Corrected),
        );
        let help = "what SC would be on average if all styles were equal: the mean where labels of style are dealt to the pictures by chance";
        self.add(
            "SC.noise".into(),
            "SC",
            help,
            Scale::Squared,
            Source::Sc(Sc::Noise),
        );
        let help = "how often styles that are equal would seem as unequal as these, or more (labels of style dealt to the pictures by chance)";
        self.add("SC.p".into(), "SC", help, Scale::P, Source::Sc(Sc::P));
        let mut order: Vec<usize> = (0..self.styles.len()).collect();
        order.sort_by_key(|at| self.styles[*at].clone());
        for at in order {
            let name = format!("Acc.style.{}", self.styles[at]);
            self.add(
                name,
                "Acc by style",
                "an answer to a question about a picture of this style",
                Scale::Share,
                Source::Style(at),
            );
        }
    }

    /// How many styles there are.
    pub fn styles(&self) -> usize {
        self.styles.len()
    }

    /// The style of a stack that counts for styles.
    pub fn style_of(&self, stack: usize) -> Option<usize> {
        self.style
            .get(stack)
            .copied()
            .flatten()
            .map(|style| style as usize)
    }

    /// What of SC a column tells; `None` for any other column.
    pub fn of_sc(&self, column: usize) -> Option<Sc> {
        if let Some(Source::Sc(what)) = self.sources.get(column) {
            Some(*what)
        } else {
            None
        }
    }

    /// The stacks that a column of shares or means counts; `None` for a column that follows from others.
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

    /// The stacks that a column follows from, whatever it is.
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

    /// A model's cells, a column each.
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

    /// The model's tallies as Dysca's scores take them.
    fn pieces(&self, tallies: &[Tally], chances: &[f64]) -> Vec<Piece> {
        let typed = |at: &usize| TYPES.contains(&self.strata[*at].kind) && tallies[*at].n > 0;
        let piece = |at: usize| Piece {
            subtask: said(
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

/// The types that a final score counts: all three, or those without free form.
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
