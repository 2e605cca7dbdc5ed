//! The filter bench: a score as a histogram with the lines that flag and park drawn through it, what they keep and what
//! they cost against the verdicts of people, and the rules that the lines are part of.
//!
//! | file | what it does |
//! |---|---|
//! | `lines` | where the lines are, on which scale, and how far a key moves them |
//! | `bench` | what an answer of the owner says of the lines as they are now |
//! | `effects` | what the pane asks of the program around it |
//! | `act` | what keys do |
//! | `scoring` | scorers and their jobs |
//! | `rules` | the rules as saved and as edited: difference, save, revert |
//! | `groups` | items by subtask, style or type |
//! | `histogram`, `draw`, `parts` | one frame |

mod act;
mod bench;
mod draw;
mod effects;
mod groups;
mod histogram;
mod lines;
mod parts;
mod rules;
mod scoring;

use std::collections::BTreeMap;

pub use draw::{Layout, Shown};
pub use effects::{ChoiceFor, FiltersEffect, TextFor, Want};

use self::bench::{Counted, Turn, counted};
use self::rules::Desk;
use super::metadata::edit_session::said;
use crate::action::Scope;
use crate::widgets::table::LocalTable;
use benchtop_model::scoring::bench::{Bench, BenchAsk, RulesDiff, RulesState, Sample, ScorerState};
use benchtop_model::scoring::job::ScoringState;
use benchtop_model::scoring::rules::{RuleSet, Then};
use benchtop_model::scoring::{Measure, ScoreState, Scorer};
use benchtop_model::{Field, Filter, Result};
use benchtop_protocol::wire::request;

/// Sample items asked for on each side of the line.
const SAMPLES: u8 = 8;
/// What groups can be made of, in the order of the key that goes round.
const GROUPS: [Field; 3] = [Field::Subtask, Field::Style, Field::Type];

use FiltersEffect as Effect;

fn refuse(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Refuse(why.into())]
}

/// What stands below the histogram and has the keys up, down and enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Groups,
    Samples,
    Pair,
}

/// Which of two pictures beside the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Doubtful,
    Good,
}

/// The filter bench.
#[derive(Debug)]
pub struct FiltersPane {
    scorers: Option<Result<Vec<ScorerState>>>,
    /// Which scorer is looked at.
    at: usize,
    /// The scale chosen for scorers that have several.
    scales: BTreeMap<Scorer, Measure>,
    rules: Desk,
    /// The rules fill the pane instead of the histogram.
    show_rules: bool,
    /// The line that keys move.
    active: Then,
    /// Which items are looked at.
    filter: Filter,
    by: Field,
    /// A second property that the groups are counted by.
    across: Option<Field>,
    /// Its values that the table of groups has columns for.
    columns: Vec<String>,
    /// Only this value of `by`.
    only: Option<String>,
    groups: LocalTable,
    other: Option<Measure>,
    part: Part,
    sample: usize,
    side: Side,
    /// The last answer, to which question.
    bench: Option<(BenchAsk, Bench)>,
    failed: Option<String>,
    turn: Turn<BenchAsk>,
    /// Columns that the histogram was drawn in.
    width: u16,
}

impl Default for FiltersPane {
    fn default() -> Self {
        FiltersPane::new()
    }
}

impl FiltersPane {
    /// A pane that has asked nothing yet.
    pub fn new() -> FiltersPane {
        FiltersPane {
            scorers: None,
            at: 0,
            scales: BTreeMap::new(),
            rules: Desk::new(),
            show_rules: false,
            active: Then::Flag,
            filter: Filter::default(),
            by: Field::Subtask,
            across: None,
            columns: Vec::new(),
            only: None,
            groups: groups::table(Field::Subtask, None),
            other: None,
            part: Part::Groups,
            sample: 0,
            side: Side::Doubtful,
            bench: None,
            failed: None,
            turn: Turn::default(),
            width: 80,
        }
    }

    /// Scopes whose keys are live now, the nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        &[Scope::Filters, Scope::Table, Scope::Global]
    }

    /// Shown, or connected again: everything is asked for, whatever was asked before.
    pub fn start(&mut self) -> Vec<Effect> {
        self.turn.reset();
        self.rules.lost();
        self.refresh()
    }

    /// Items, verdicts or scores changed: what is counted is counted again.
    pub fn refresh(&mut self) -> Vec<Effect> {
        let mut effects = vec![
            Effect::Ask(Want::Rules, request::Rules.into()),
            Effect::Ask(Want::Scorers, request::Scorers.into()),
        ];
        effects.extend(self.look());
        effects
    }

    /// Drawn in another size: the bars are asked for in a number that fits.
    pub fn resized(&mut self) -> Vec<Effect> {
        let fits = self
            .bench
            .as_ref()
            .is_none_or(|(asked, _)| asked.bars == histogram::bars(self.width));
        if fits { vec![] } else { self.look() }
    }

    /// The rules are others now.
    pub fn rules_changed(&self) -> Vec<Effect> {
        vec![Effect::Ask(Want::Rules, request::Rules.into())]
    }

    fn scorer(&self) -> Option<&ScorerState> {
        self.scorers.as_ref()?.as_ref().ok()?.get(self.at)
    }

    /// The score that is looked at, on the scale chosen for it.
    fn measure(&self) -> Option<Measure> {
        let scorer = &self.scorer()?.scorer;
        Some(
            self.scales
                .get(scorer)
                .cloned()
                .unwrap_or_else(|| Measure::of(scorer.clone())),
        )
    }

    /// The model's logit scale: what the owner said of it, else CLIP's.
    fn logit(&self) -> f32 {
        let known = |(_, b): &(BenchAsk, Bench)| {
            (b.measure.scorer == self.scorer()?.scorer).then_some(b.logit)
        };
        let usual = if self.scorer().is_some_and(|s| s.scorer == Scorer::Clip) {
            100.0
        } else {
            1.0
        };
        self.bench.as_ref().and_then(known).unwrap_or(usual)
    }

    /// The subtask whose own line the keys move: the only one that is looked at.
    fn subtask(&self) -> Option<&str> {
        self.only
            .as_deref()
            .filter(|only| self.by == Field::Subtask && !only.is_empty())
    }

    /// Where a line is, among the items looked at.
    fn line(&self, then: Then) -> Option<f32> {
        lines::line(
            self.rules.edited(),
            &self.measure()?,
            then,
            self.subtask(),
            self.logit(),
        )
    }

    /// What the owner is to be asked for what is shown.
    fn question(&self) -> Option<BenchAsk> {
        let rules = self.rules.edited();
        let line = |m: &Measure| {
            rules
                .threshold(m, Then::Flag)
                .or(rules.threshold(m, Then::Park))
        };
        let other = self.other.as_ref().map(|other| {
            let written = other
                .scales()
                .into_iter()
                .find_map(|m| line(&m).map(|at| (m, at.get())));
            written.unwrap_or_else(|| (other.clone(), other.default_threshold()))
        });
        Some(BenchAsk {
            measure: self.measure()?,
            filter: self.filter.clone(),
            flag: self.line(Then::Flag),
            park: self.line(Then::Park),
            by: self.by,
            value: self.only.clone(),
            bars: histogram::bars(self.width),
            range: None,
            other,
            samples: SAMPLES,
            across: self.across,
        })
    }

    /// Asks for a look at the score, once what was asked before is answered.
    fn look(&mut self) -> Vec<Effect> {
        let ask = self.question().and_then(|q| self.turn.ask(q));
        ask.map(look_ask).into_iter().collect()
    }

    /// Asks what the edited rules would change, where they are edited.
    fn try_edited(&mut self) -> Vec<Effect> {
        let ask = self.rules.untried();
        ask.map(|set| Effect::Ask(Want::Try(set.clone()), request::TryRules(set).into()))
            .into_iter()
            .collect()
    }

    /// The answer at hand, where it is of the same items and score as what is shown now.
    fn shown(&self) -> Option<(&BenchAsk, &Bench, Counted)> {
        let (asked, bench) = self.bench.as_ref()?;
        let now = self.question()?;
        let what = |ask: &'_ BenchAsk| {
            (
                ask.measure.clone(),
                ask.filter.clone(),
                ask.by,
                ask.across,
                ask.value.clone(),
            )
        };
        let same = what(asked) == what(&now);
        same.then(|| (asked, bench, counted(bench, asked, &now)))
    }

    /// The items beside the line that are looked at: on its doubtful side and on its good side.
    fn samples(&self) -> [Option<&Sample>; 2] {
        let Some((_, bench, _)) = self.shown() else {
            return [None, None];
        };
        [&bench.bad, &bench.good].map(|list| list.get(self.sample))
    }

    /// Takes the scorers in.
    pub fn take_scorers(&mut self, scorers: Result<Vec<ScorerState>>) -> Vec<Effect> {
        let here = self.scorer().map(|s| s.scorer.clone());
        let first = self.measure().is_none();
        self.scorers = Some(scorers);
        let list = self
            .scorers
            .as_ref()
            .and_then(|s| s.as_ref().ok())
            .map_or(&[][..], Vec::as_slice);
        let scored = |s: &ScorerState| s.items[usize::from(ScoreState::Scored.code())] > 0;
        let kept = here.and_then(|here| list.iter().position(|s| s.scorer == here));
        // What there is something to see of comes first.
        self.at = kept.or_else(|| list.iter().position(scored)).unwrap_or(0);
        if first { self.look() } else { vec![] }
    }

    /// Takes a look at a score in.
    pub fn take_bench(&mut self, asked: BenchAsk, bench: Result<Bench>) -> Vec<Effect> {
        let next = self.turn.answered().map(look_ask).into_iter().collect();
        match bench {
            Ok(bench) => {
                self.failed = None;
                self.bench = Some((asked, bench));
                let most = self
                    .shown()
                    .map_or(0, |(_, b, _)| b.good.len().max(b.bad.len()));
                self.sample = self.sample.min(most.saturating_sub(1));
                self.fill_groups();
            }
            Err(problem) => self.failed = Some(said(&problem)),
        }
        next
    }

    /// Takes the rules in.
    pub fn take_rules(&mut self, state: Result<RulesState>) -> Vec<Effect> {
        let mut effects = self.rules.take(state);
        effects.extend(self.look());
        effects.extend(self.try_edited());
        effects
    }

    /// Takes in what rules would change.
    pub fn take_diff(&mut self, of: RuleSet, diff: Result<RulesDiff>) -> Vec<Effect> {
        let (mut effects, next) = self.rules.take_diff(of, diff);
        effects.extend(
            next.map(|set| Effect::Ask(Want::Try(set.clone()), request::TryRules(set).into())),
        );
        effects
    }

    /// Takes in that the edited rules were saved, or why not.
    pub fn take_applied(&mut self, state: Result<RulesState>) -> Vec<Effect> {
        let mut effects = self.rules.applied(state);
        effects.extend(self.look());
        effects
    }

    /// Takes in that the rules before are back, or why not.
    pub fn take_reverted(&mut self, state: Result<RulesState>) -> Vec<Effect> {
        let mut effects = self.rules.reverted(state);
        effects.extend(self.look());
        effects
    }

    /// Takes in how far scoring is; the scorers are asked again where one is new or over.
    pub fn take_scoring(&mut self, job: ScoringState) -> Vec<Effect> {
        let Some(Ok(list)) = &mut self.scorers else {
            return vec![];
        };
        let over = job.phase.over();
        let Some(scorer) = list.iter_mut().find(|s| s.scorer == job.scorer) else {
            return vec![Effect::Ask(Want::Scorers, request::Scorers.into())];
        };
        scorer.job = Some(job);
        if over { self.refresh() } else { vec![] }
    }

    fn fill_groups(&mut self) {
        let Some((_, bench, _)) = self.shown() else {
            return;
        };
        let columns = bench
            .cross
            .as_ref()
            .map_or_else(Vec::new, |cross| cross.values.clone());
        let new = (columns != self.columns).then(|| {
            groups::table(
                self.by,
                self.across.map(|across| (across, columns.as_slice())),
            )
        });
        let rows = groups::rows(bench, |value| self.own(value));
        if let Some(table) = new {
            (self.groups, self.columns) = (table, columns);
        }
        let keep = self
            .groups
            .cursor_id()
            .and_then(|id| groups::value(&self.groups, id));
        self.groups.set_rows(rows, groups::nothing(self.by));
        if let Some(id) = keep.and_then(|value| groups::find(&self.groups, &value)) {
            self.groups.go_to_id(id);
        }
    }

    /// The lines of a group, where it has its own.
    fn own(&self, value: &str) -> [Option<f32>; 2] {
        let own = |then| {
            let measure = self.measure().filter(|_| self.by == Field::Subtask)?;
            lines::own_line(self.rules.edited(), &measure, then, value, self.logit())
        };
        [own(Then::Flag), own(Then::Park)]
    }
}

fn look_ask(question: BenchAsk) -> Effect {
    Effect::Ask(
        Want::Bench(Box::new(question.clone())),
        request::Bench(Box::new(question)).into(),
    )
}

#[cfg(test)]
mod tests;
