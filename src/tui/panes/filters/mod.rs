//! The filters pane, for tuning thresholds: a score as a histogram with its flag and quarantine
//! thresholds, the resulting counts, precision and recall against the annotators' verdicts, and the
//! rules.
//!
//! | file | what it does |
//! |---|---|
//! | `thresholds` | the thresholds: position, scale, steps |
//! | `outcome_counts` | outcome counts for the present thresholds |
//! | `actions` | actions |
//! | `scoring` | scorers and their jobs |
//! | `rules` | saved and edited rules: diff, save, restore |
//! | `groups` | items by subtask, style, or type |
//! | `histogram`, `draw`, `parts` | drawing |

mod actions;
mod draw;
mod groups;
mod histogram;
mod outcome_counts;
mod parts;
mod rules;
mod scoring;
mod thresholds;

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub use histogram::role;

use self::outcome_counts::{Counted, RequestSlot, counted};
use self::rules::RuleEditor;
use super::metadata::edit_session::error_line;
use crate::action::Action;
use crate::keymap::Keymap;
use crate::pane::{Ask, Context, Notice, Pane, Scene, Timer};
use crate::widgets::table::LocalTable;
use benchtop_model::scoring::job::ScoringState;
use benchtop_model::scoring::queries::{
    RulesDiff, RulesState, Sample, ScorerState, ThresholdTuning, TuningQuery,
};
use benchtop_model::scoring::rules::{RuleAction, RuleSet};
use benchtop_model::scoring::{Measure, ScoreState, Scorer};
use benchtop_model::{Field, Filter, Result};
use benchtop_protocol::wire::request;

/// The file with the rules.
const PROJECT_FILE: &str = "benchtop.toml";
/// Why nothing can be done with scores yet.
const SCORERS_LOADING: &str = "the scorers are still loading";
/// Sample items to request on each side of the threshold.
const SAMPLES: u8 = 8;
/// The properties for groups, in the order of the key.
const GROUPS: [Field; 3] = [Field::Subtask, Field::Style, Field::Type];

/// Interval of background recounts while a job scores or people judge.
const RECOUNT_MS: u64 = 1_000;

/// The part below the histogram that is shown and has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Groups,
    Samples,
    Pair,
}

/// One of the two pictures at the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Doubtful,
    Good,
}

#[derive(Debug)]
pub struct FiltersPane {
    scorers: Option<Result<Vec<ScorerState>>>,
    /// The current scorer.
    at: usize,
    /// The chosen scale of scorers that have several.
    scales: BTreeMap<Scorer, Measure>,
    rules: RuleEditor,
    /// Whether the rules replace the histogram.
    show_rules: bool,
    /// The threshold that the keys move.
    active: RuleAction,
    /// The items to show.
    filter: Filter,
    by: Field,
    /// A second property to split the groups by.
    across: Option<Field>,
    /// The values of `across` that have columns in the table of groups.
    columns: Vec<String>,
    /// Limits the histogram to this value of `by`.
    only: Option<String>,
    groups: LocalTable,
    other: Option<Measure>,
    part: Part,
    sample: usize,
    side: Side,
    /// The last reply with its request.
    tuning: Option<(TuningQuery, ThresholdTuning)>,
    failed: Option<String>,
    turn: RequestSlot<TuningQuery>,
    /// Width of the histogram in the last frame.
    width: u16,
    /// When to request everything again.
    recount_at: Timer,
}

impl Default for FiltersPane {
    fn default() -> Self {
        FiltersPane {
            scorers: None,
            at: 0,
            scales: BTreeMap::new(),
            rules: RuleEditor::new(),
            show_rules: false,
            active: RuleAction::Flag,
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
            tuning: None,
            failed: None,
            turn: RequestSlot::default(),
            width: 80,
            recount_at: Timer::default(),
        }
    }
}

impl FiltersPane {
    /// Requests everything again after items, verdicts, or scores changed.
    fn refresh(&mut self, cx: &mut Context<'_>) {
        self.recount_at.stop();
        self.ask_rules(cx);
        self.ask_scorers(cx);
        self.request_tuning(cx);
    }

    /// Whether the bars of the last reply do not fit the width, and others can be requested now. The
    /// width is not known before the first frame.
    fn needs_other_bars(&self) -> bool {
        let wide = histogram::bars(self.width);
        let is_other = self
            .tuning
            .as_ref()
            .is_some_and(|(asked, _)| asked.bars != wide);
        let can_ask = self.failed.is_none() && self.measure().is_some();
        is_other && can_ask && !self.turn.is_in_flight()
    }

    fn ask_rules(&self, cx: &mut Context<'_>) {
        cx.ask(request::Rules, Self::on_rules);
    }

    fn ask_scorers(&self, cx: &mut Context<'_>) {
        cx.ask(request::Scorers, Self::on_scorers);
    }

    fn scorer(&self) -> Option<&ScorerState> {
        self.scorers.as_ref()?.as_ref().ok()?.get(self.at)
    }

    /// The current score, on its chosen scale.
    fn measure(&self) -> Option<Measure> {
        let scorer = &self.scorer()?.scorer;
        Some(
            self.scales
                .get(scorer)
                .cloned()
                .unwrap_or_else(|| Measure::with_default_scale(scorer.clone())),
        )
    }

    /// The model's logit scale: from the owner's reply, or a default.
    fn logit(&self) -> f32 {
        let from_reply = |(_, b): &(TuningQuery, ThresholdTuning)| {
            (b.measure.scorer == self.scorer()?.scorer).then_some(b.logit)
        };
        let default = if self.scorer().is_some_and(|s| s.scorer == Scorer::Clip) {
            100.0
        } else {
            1.0
        };
        self.tuning.as_ref().and_then(from_reply).unwrap_or(default)
    }

    /// The subtask whose own threshold the keys move: the only one in the histogram.
    fn subtask(&self) -> Option<&str> {
        self.only
            .as_deref()
            .filter(|only| self.by == Field::Subtask && !only.is_empty())
    }

    /// A threshold for the items in the histogram.
    fn line(&self, then: RuleAction) -> Option<f32> {
        thresholds::line(
            self.rules.edited(),
            &self.measure()?,
            then,
            self.subtask(),
            self.logit(),
        )
    }

    /// The request for what is shown.
    fn question(&self) -> Option<TuningQuery> {
        let rules = self.rules.edited();
        let line = |m: &Measure| {
            rules
                .threshold(m, RuleAction::Flag)
                .or(rules.threshold(m, RuleAction::Park))
        };
        let other = self.other.as_ref().map(|other| {
            let written = other
                .scales()
                .into_iter()
                .find_map(|m| line(&m).map(|at| (m, at.get())));
            written.unwrap_or_else(|| (other.clone(), other.default_threshold()))
        });
        Some(TuningQuery {
            measure: self.measure()?,
            filter: self.filter.clone(),
            flag: self.line(RuleAction::Flag),
            park: self.line(RuleAction::Park),
            by: self.by,
            value: self.only.clone(),
            bars: histogram::bars(self.width),
            range: None,
            other,
            samples: SAMPLES,
            across: self.across,
        })
    }

    /// Requests the histogram as soon as no other request is in flight.
    fn request_tuning(&mut self, cx: &mut Context<'_>) {
        if let Some(query) = self.question().and_then(|q| self.turn.ask(q)) {
            ask_tuning(query, cx);
        }
    }

    /// Requests the effect of the edited rules.
    fn try_edited(&mut self, cx: &mut Context<'_>) {
        if let Some(rules) = self.rules.untried() {
            try_rules(rules, cx);
        }
    }

    /// The last reply, if it matches the items and the score to show.
    fn shown(&self) -> Option<(&TuningQuery, &ThresholdTuning, Counted)> {
        let (asked, tuning) = self.tuning.as_ref()?;
        let now = self.question()?;
        let what = |ask: &'_ TuningQuery| {
            (
                ask.measure.clone(),
                ask.filter.clone(),
                ask.by,
                ask.across,
                ask.value.clone(),
            )
        };
        let same = what(asked) == what(&now);
        same.then(|| (asked, tuning, counted(tuning, asked, &now)))
    }

    /// The samples at the threshold: on its doubtful side and on its good side.
    fn samples(&self) -> [Option<&Sample>; 2] {
        let Some((_, tuning, _)) = self.shown() else {
            return [None, None];
        };
        [&tuning.bad, &tuning.good].map(|list| list.get(self.sample))
    }

    /// Receives the scorers.
    fn on_scorers(&mut self, scorers: Result<Vec<ScorerState>>, cx: &mut Context<'_>) {
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
        // Otherwise start with a scorer that has scores.
        self.at = kept.or_else(|| list.iter().position(scored)).unwrap_or(0);
        if first {
            self.request_tuning(cx);
        }
    }

    /// Receives the histogram.
    fn on_tuning(
        &mut self,
        asked: TuningQuery,
        tuning: Result<ThresholdTuning>,
        cx: &mut Context<'_>,
    ) {
        if let Some(next) = self.turn.answered() {
            ask_tuning(next, cx);
        }
        match tuning {
            Ok(tuning) => {
                self.failed = None;
                self.tuning = Some((asked, tuning));
                let most = self
                    .shown()
                    .map_or(0, |(_, b, _)| b.good.len().max(b.bad.len()));
                self.sample = self.sample.min(most.saturating_sub(1));
                self.fill_groups();
            }
            Err(problem) => self.failed = Some(error_line(&problem)),
        }
    }

    /// Receives the rules.
    fn on_rules(&mut self, state: Result<RulesState>, cx: &mut Context<'_>) {
        self.rules.take(state, cx);
        self.request_tuning(cx);
        self.try_edited(cx);
    }

    /// Receives the effect of rules.
    fn on_diff(&mut self, of: RuleSet, diff: Result<RulesDiff>, cx: &mut Context<'_>) {
        if let Some(next) = self.rules.take_diff(of, diff, cx) {
            try_rules(next, cx);
        }
    }

    /// Receives the result of saving the rules.
    fn on_applied(&mut self, state: Result<RulesState>, cx: &mut Context<'_>) {
        self.rules.applied(state, cx);
        self.request_tuning(cx);
    }

    /// Receives the result of restoring the previous rules.
    fn on_reverted(&mut self, state: Result<RulesState>, cx: &mut Context<'_>) {
        self.rules.reverted(state, cx);
        self.request_tuning(cx);
    }

    /// Receives the state of a scoring job. Requests the scorers again if the job is new or over.
    fn on_scoring(&mut self, job: ScoringState, cx: &mut Context<'_>) {
        let over = job.phase.is_finished();
        let Some(Ok(list)) = &mut self.scorers else {
            return self.recount_soon(cx);
        };
        let Some(scorer) = list.iter_mut().find(|s| s.scorer == job.scorer) else {
            return self.ask_scorers(cx);
        };
        scorer.job = Some(job);
        if over {
            self.refresh(cx);
        } else {
            self.recount_soon(cx);
        }
    }

    fn recount_soon(&mut self, cx: &Context<'_>) {
        self.recount_at.start(cx.env.now + RECOUNT_MS);
    }

    fn fill_groups(&mut self) {
        let Some((_, tuning, _)) = self.shown() else {
            return;
        };
        let columns = tuning
            .cross
            .as_ref()
            .map_or_else(Vec::new, |cross| cross.values.clone());
        let new = (columns != self.columns).then(|| {
            groups::table(
                self.by,
                self.across.map(|across| (across, columns.as_slice())),
            )
        });
        let rows = groups::rows(tuning, |value| self.own(value));
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

    /// The own thresholds of a group.
    fn own(&self, value: &str) -> [Option<f32>; 2] {
        let own = |then| {
            let measure = self.measure().filter(|_| self.by == Field::Subtask)?;
            thresholds::own_line(self.rules.edited(), &measure, then, value, self.logit())
        };
        [own(RuleAction::Flag), own(RuleAction::Park)]
    }
}

fn ask_tuning(query: TuningQuery, cx: &mut Context<'_>) {
    let ask = request::ThresholdTuning(Box::new(query.clone()));
    let then = move |pane: &mut FiltersPane, tuning, cx: &mut Context<'_>| {
        pane.on_tuning(query, tuning, cx);
    };
    cx.send(Ask::new(ask, then).at_once());
}

fn try_rules(rules: RuleSet, cx: &mut Context<'_>) {
    let ask = request::TryRules(rules.clone());
    let then = move |pane: &mut FiltersPane, diff, cx: &mut Context<'_>| {
        pane.on_diff(rules, diff, cx);
    };
    cx.send(Ask::new(ask, then).at_once());
}

impl Pane for FiltersPane {
    fn help(&self, keys: &Keymap) -> String {
        format!(
            "The histogram of a score. {} and {} move the threshold that flags; {} switches to the one that quarantines. Nothing is \
             deleted. Counts, precision, and recall update; {} saves the thresholds as rules in benchtop.toml.",
            keys.press(Action::ThresholdLeft),
            keys.press(Action::ThresholdRight),
            keys.press(Action::SwitchThreshold),
            keys.press(Action::SaveRules)
        )
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        self.turn.reset();
        self.rules.lost();
        self.refresh(cx);
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        self.run(action, cx);
    }

    fn slide(&mut self, place: (u16, u16), begins: bool, cx: &mut Context<'_>) {
        self.slide_to(place, begins, cx);
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        if !cx.env.is_shown {
            return;
        }
        match notice {
            Notice::Resync => self.open(cx),
            Notice::Changed => self.recount_soon(cx),
            Notice::Rules => self.ask_rules(cx),
            Notice::Scoring(job) => self.on_scoring(job.clone(), cx),
            _ => {}
        }
    }

    fn due(&self) -> Option<u64> {
        match self.needs_other_bars() {
            true => Some(0),
            false => self.recount_at.due(),
        }
    }

    fn tick(&mut self, cx: &mut Context<'_>) {
        if self.needs_other_bars() {
            self.request_tuning(cx);
        }
        if self.recount_at.is_over(cx.env.now) && cx.env.is_shown {
            self.refresh(cx);
        }
    }

    fn waits_for_pictures(&self) -> bool {
        true
    }

    fn unsaved(&self) -> Vec<String> {
        let edited = self.rules.is_edited();
        let edited = edited.then(|| format!("rules in {PROJECT_FILE}"));
        edited.into_iter().collect()
    }

    fn save_unsaved(&mut self, cx: &mut Context<'_>) {
        self.run(Action::SaveRules, cx);
    }

    fn shows_progress(&self) -> bool {
        true
    }

    fn is_empty(&self, scene: &Scene<'_>) -> bool {
        scene.items == 0 && !self.show_rules
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        let pictures = self.sample_pictures(area, scene);
        self.draw_parts(area, &pictures, buf, (scene.keymap, scene.look));
        None
    }
}

#[cfg(test)]
mod tests;
