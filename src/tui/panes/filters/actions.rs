//! The actions of the filters pane.

use super::thresholds::{self, Stride};
use super::{
    FiltersPane, GROUPS, PROJECT_FILE, Part, SCORERS_LOADING, Side, error_line, groups, histogram,
};
use crate::action::Action;
use crate::pane::{Context, EditAt, Target, table_menus};
use crate::widgets::page::Page;
use crate::widgets::prompt::Prompt;
use benchtop_model::scoring::Measure;
use benchtop_model::scoring::queries::{ScorerState, ThresholdTuning};
use benchtop_model::scoring::rules::{Condition, RuleAction, Threshold};
use benchtop_model::{Field, Filter};

impl FiltersPane {
    /// Runs an action.
    pub(super) fn run(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::ShowRules => self.show_rules = !self.show_rules,
            Action::Back => self.back(cx),
            Action::SaveRules => {
                self.rules.save(cx);
                self.try_edited(cx);
            }
            Action::RestoreRules => self.rules.revert(cx),
            Action::ResolveRules => self.rules.resolve(cx),
            Action::EditRules => {
                let line = self.rules.problem_line().map(EditAt::Line);
                cx.edit(PROJECT_FILE, line.unwrap_or(EditAt::Start("[[rules]]")));
            }
            Action::RemoveThreshold if self.show_rules => match self.rules.remove() {
                Some(name) => {
                    cx.say(format!("removed rule `{name}`; w saves, M restores it"));
                    self.edited(cx);
                }
                None => cx.refuse("no rule"),
            },
            Action::NextScore => self.go_to_score(true, cx),
            Action::PreviousScore => self.go_to_score(false, cx),
            Action::StartScoring => self.begin_scoring(cx),
            Action::PauseScoring => self.pause_scoring(cx),
            Action::CancelScoring => self.cancel_scoring(cx),
            Action::RetryScoring => self.retry_scoring(cx),
            Action::Find => self.ask_items(cx),
            Action::Open if !self.show_rules && self.why_not_ready().is_some() => {
                let title = self.scorer().map(|s| s.scorer.to_string());
                let page = Page::new(format!("{} cannot run", title.unwrap_or_default()));
                cx.page(page.lines_of(self.why_not_ready().unwrap_or_default()));
            }
            other if self.show_rules => self.in_rules(other, cx),
            other => self.in_histogram(other, cx),
        }
    }

    fn back(&mut self, cx: &mut Context<'_>) {
        if std::mem::take(&mut self.show_rules) {
            return;
        }
        match self.only.take() {
            Some(_) => self.request_tuning(cx),
            None => cx.leave(),
        }
    }

    /// Asks for the filter of the items to show.
    fn ask_items(&self, cx: &mut Context<'_>) {
        let label = "show items such as `subtask:text` (empty: all): ";
        let prompt = Prompt::new(label, self.filter.to_text(), Vec::new());
        cx.prompt(prompt, |pane: &mut Self, text, cx| {
            pane.filter = Filter::parse(text.trim()).map_err(|p| error_line(&p))?;
            pane.request_tuning(cx);
            Ok(())
        });
    }

    fn in_rules(&mut self, action: Action, cx: &mut Context<'_>) {
        let nothing = format!("`{}` works on the histogram: press R", action.name());
        let answers = self.rules.table_mut().act(action);
        if let Some((id, _)) = table_menus::opened(answers, &nothing, cx) {
            match self.rules.words(id) {
                Ok(words) => cx.open(Target::Items(words)),
                Err(why) => cx.refuse(why),
            }
        }
    }

    fn in_histogram(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::ThresholdLeft => self.shift(false, Stride::Bar, cx),
            Action::ThresholdRight => self.shift(true, Stride::Bar, cx),
            Action::ThresholdFarLeft => self.shift(false, Stride::Far, cx),
            Action::ThresholdFarRight => self.shift(true, Stride::Far, cx),
            Action::NudgeLeft => self.shift(false, Stride::Fine, cx),
            Action::NudgeRight => self.shift(true, Stride::Fine, cx),
            Action::TypeThreshold => self.ask_line(cx),
            Action::SwitchThreshold => {
                self.active = if self.active == RuleAction::Flag {
                    RuleAction::Park
                } else {
                    RuleAction::Flag
                };
                let line = self
                    .line(self.active)
                    .map_or("none yet: an arrow key sets it".into(), thresholds::number);
                cx.say(format!(
                    "keys move the {} threshold ({line})",
                    name(self.active)
                ));
            }
            Action::RemoveThreshold => match self.line(self.active) {
                Some(_)
                    if self.subtask().is_some_and(|s| {
                        self.own(s)[usize::from(self.active == RuleAction::Park)].is_none()
                    }) =>
                {
                    cx.refuse("this subtask has no own threshold: esc shows all items");
                }
                Some(_) => self.set(None, cx),
                None => cx.refuse(format!("no {} threshold", name(self.active))),
            },
            Action::NextScale => self.next_scale(cx),
            Action::NextPart => {
                self.part = match self.part {
                    Part::Groups => Part::Samples,
                    Part::Samples => Part::Pair,
                    Part::Pair => Part::Groups,
                };
            }
            Action::GroupBy => {
                let at = GROUPS.iter().position(|f| *f == self.by).unwrap_or(0);
                self.by = GROUPS[(at + 1) % GROUPS.len()];
                self.only = None;
                // Do not cross a property with itself.
                self.across = self.across.filter(|across| *across != self.by);
                self.new_groups(cx);
            }
            Action::GroupAcross => {
                let others: Vec<Field> = GROUPS.into_iter().filter(|f| *f != self.by).collect();
                self.across = match self
                    .across
                    .and_then(|across| others.iter().position(|f| *f == across))
                {
                    None => others.first().copied(),
                    Some(at) => others.get(at + 1).copied(),
                };
                cx.say(match self.across {
                    Some(across) => {
                        format!(
                            "{} by {}: doubtful of all; ( and ) scroll",
                            self.by.name(),
                            across.name()
                        )
                    }
                    None => format!("by {} only", self.by.name()),
                });
                self.new_groups(cx);
            }
            Action::GroupLeft => self.in_groups(Action::Left, cx),
            Action::GroupRight => self.in_groups(Action::Right, cx),
            Action::OnlyGroup => self.only_group(cx),
            Action::OwnThreshold => self.ask_own_line(cx),
            Action::ChoosePair => self.choose_pair(cx),
            Action::OtherSample if self.part == Part::Samples => {
                self.side = if self.side == Side::Good {
                    Side::Doubtful
                } else {
                    Side::Good
                };
            }
            Action::OtherSample => cx.refuse("press tab for the pictures at the threshold"),
            other => match self.part {
                Part::Groups => self.in_groups(other, cx),
                Part::Samples => self.in_samples(other, cx),
                Part::Pair if other == Action::Open => self.choose_pair(cx),
                Part::Pair => {
                    cx.refuse(format!("`{}` works on the groups: press tab", other.name()));
                }
            },
        }
    }

    /// Why the scorer cannot run, if there are no scores to open instead.
    fn why_not_ready(&self) -> Option<&str> {
        let scored = |tuning: &ThresholdTuning| tuning.range.is_some();
        let shows_scores = self.shown().is_some_and(|(_, tuning, _)| scored(tuning));
        let why = self.scorer()?.not_ready.as_deref();
        why.filter(|_| !shows_scores)
    }

    /// Updates everything that depends on the edited rules.
    pub(super) fn edited(&mut self, cx: &mut Context<'_>) {
        self.request_tuning(cx);
        self.try_edited(cx);
        self.fill_groups();
    }

    /// Sets or removes the active threshold, or says why it cannot.
    fn set(&mut self, to: Option<f32>, cx: &mut Context<'_>) {
        if let Err(why) = self.put(to, cx) {
            cx.refuse(why);
        }
    }

    /// Sets or removes the active threshold.
    fn put(&mut self, to: Option<f32>, cx: &mut Context<'_>) -> Result<(), String> {
        if let Some(why) = self.rules.locked() {
            return Err(why);
        }
        let measure = self.measure().ok_or(SCORERS_LOADING)?;
        let (subtask, logit) = (self.subtask().map(str::to_string), self.logit());
        let all = thresholds::line(self.rules.edited(), &measure, self.active, None, logit);
        if subtask.is_some() && all.is_none() {
            return Err(format!(
                "set the {} threshold for all items first (esc)",
                name(self.active)
            ));
        }
        self.put_line(&measure, subtask.as_deref(), to, cx);
        Ok(())
    }

    /// Sets or removes the active threshold of all items or of a subtask.
    fn put_line(
        &mut self,
        measure: &Measure,
        subtask: Option<&str>,
        to: Option<f32>,
        cx: &mut Context<'_>,
    ) {
        let rules = thresholds::with_line(
            self.rules.edited(),
            measure,
            self.active,
            subtask,
            to,
            self.logit(),
        );
        self.rules.edit(rules);
        self.edited(cx);
    }

    fn shift(&mut self, right: bool, stride: Stride, cx: &mut Context<'_>) {
        let Some(measure) = self.measure() else {
            return cx.refuse(SCORERS_LOADING);
        };
        let Some((_, tuning, _)) = self.shown() else {
            return cx.refuse("no scores yet");
        };
        let (low, high) = tuning.ends;
        let bar = thresholds::step(high - low, histogram_columns(self.width));
        let Some(line) = self.line(self.active) else {
            let at = measure.default_threshold();
            cx.say(format!(
                "{} threshold at {}",
                name(self.active),
                thresholds::number(at)
            ));
            return self.set(Some(at), cx);
        };
        // A threshold far beyond the last score has no further effect.
        let far = (high - low).max(bar as f32);
        let to = thresholds::moved(line, right, stride, bar);
        if (right && to > high + far) || (!right && to < low - far) {
            return cx.refuse("no scores in that direction");
        }
        self.set(Some(to), cx);
    }

    /// Sets the threshold to a place on the histogram. A press on the other threshold takes that one.
    pub(super) fn slide_to(&mut self, place: (u16, u16), begins: bool, cx: &mut Context<'_>) {
        let (at, columns) = place;
        let Some((_, tuning, _)) = self.shown() else {
            return cx.refuse("no scores yet");
        };
        let ends = tuning.ends;
        let is_here = |then: RuleAction| {
            let line = self.line(then);
            line.is_some_and(|line| histogram::column(line, ends, columns) == (at, false, false))
        };
        let other = [RuleAction::Flag, RuleAction::Park]
            .into_iter()
            .find(|then| *then != self.active && is_here(*then));
        let grabbed = other.filter(|_| begins && !is_here(self.active));
        // A threshold in the column keeps its exact value.
        let keeps = grabbed.is_some() || is_here(self.active);
        self.active = grabbed.unwrap_or(self.active);
        if !keeps {
            self.set(Some(thresholds::in_column(at, columns, ends)), cx);
        }
    }

    fn ask_line(&self, cx: &mut Context<'_>) {
        let Some(measure) = self.measure() else {
            return cx.refuse(SCORERS_LOADING);
        };
        let text = self
            .line(self.active)
            .map(thresholds::number)
            .unwrap_or_default();
        let label = format!(
            "{} items {} ({}): ",
            name(self.active),
            thresholds::doubtful_side(&measure),
            measure.name()
        );
        let prompt = Prompt::new(label, text, Vec::new());
        cx.prompt(prompt, |pane: &mut Self, text, cx| match threshold(text)? {
            None if pane.line(pane.active).is_none() => {
                Err(format!("no {} threshold", name(pane.active)))
            }
            to => pane.put(to, cx),
        });
    }

    fn next_scale(&mut self, cx: &mut Context<'_>) {
        let Some(measure) = self.measure() else {
            return cx.refuse(SCORERS_LOADING);
        };
        let Some(next) = measure.scales().get(1).cloned() else {
            return cx.refuse(format!("{} has one scale", measure.scorer));
        };
        self.scales.insert(next.scorer.clone(), next);
        self.request_tuning(cx);
    }

    fn go_to_score(&mut self, next: bool, cx: &mut Context<'_>) {
        let count = self
            .scorers
            .as_ref()
            .and_then(|s| s.as_ref().ok())
            .map_or(0, Vec::len);
        if count == 0 {
            return cx.refuse(SCORERS_LOADING);
        }
        self.at = if next {
            (self.at + 1) % count
        } else {
            (self.at + count - 1) % count
        };
        self.sample = 0;
        if self
            .scorer()
            .is_some_and(|s| self.other.as_ref().is_some_and(|o| o.scorer == s.scorer))
        {
            self.other = None;
        }
        self.request_tuning(cx);
    }

    fn group(&self) -> Option<String> {
        groups::value(&self.groups, self.groups.cursor_id()?)
    }

    fn only_group(&mut self, cx: &mut Context<'_>) {
        if self.only.take().is_none() {
            let Some(value) = self.group() else {
                return cx.refuse("no group");
            };
            self.only = Some(value);
        }
        self.request_tuning(cx);
    }

    fn ask_own_line(&self, cx: &mut Context<'_>) {
        if self.by != Field::Subtask {
            return cx.refuse("only subtasks can have own thresholds: press b");
        }
        let Some(value) = self.group().filter(|v| !v.is_empty()) else {
            return cx.refuse("no subtask");
        };
        let (Some(measure), Some(line)) = (self.measure(), self.line(self.active)) else {
            return cx.refuse(format!(
                "set the {} threshold for all items first (arrow keys)",
                name(self.active)
            ));
        };
        let own = thresholds::own_line(
            self.rules.edited(),
            &measure,
            self.active,
            &value,
            self.logit(),
        );
        let label = format!(
            "{} threshold of {value} (empty: {}): ",
            name(self.active),
            thresholds::number(line)
        );
        let text = own.map(thresholds::number).unwrap_or_default();
        let prompt = Prompt::new(label, text, Vec::new());
        cx.prompt(prompt, move |pane: &mut Self, text, cx| {
            let measure = pane.measure().ok_or(SCORERS_LOADING)?;
            pane.put_line(&measure, Some(&value), threshold(text)?, cx);
            Ok(())
        });
    }

    fn choose_pair(&self, cx: &mut Context<'_>) {
        let (Some(here), Some(Ok(list))) = (self.scorer(), &self.scorers) else {
            return cx.refuse(SCORERS_LOADING);
        };
        let others = list.iter().filter(|s| s.scorer != here.scorer).cloned();
        let line = |s: &ScorerState| (s.scorer.name(), s.what.clone());
        let title = format!("Compare {} with", here.scorer);
        cx.choose_of(
            title,
            others.collect(),
            line,
            |pane: &mut Self, other, cx| {
                pane.other = Some(Measure::with_default_scale(other.scorer));
                pane.part = Part::Pair;
                pane.request_tuning(cx);
            },
        );
    }

    fn new_groups(&mut self, cx: &mut Context<'_>) {
        self.columns.clear();
        self.groups = groups::table(self.by, None);
        self.request_tuning(cx);
    }

    fn in_groups(&mut self, action: Action, cx: &mut Context<'_>) {
        let nothing = format!("`{}` does nothing on groups", action.name());
        let answers = self.groups.act(action);
        if let Some((id, column)) = table_menus::opened(answers, &nothing, cx) {
            self.open_group(id, column, cx);
        }
    }

    /// Opens the doubtful items of a group, or all of them if there is no threshold.
    fn open_group(&self, id: u64, column: usize, cx: &mut Context<'_>) {
        let (Some(value), Some(measure)) = (groups::value(&self.groups, id), self.measure()) else {
            return cx.refuse("no group");
        };
        let mut filter = groups::narrowed(&self.filter, self.by, &value);
        if let (Some(across), Some(other)) = (self.across, groups::across(&self.columns, column)) {
            filter = groups::narrowed(&filter, across, other);
        }
        let subtask = (self.by == Field::Subtask).then_some(value.as_str());
        // The column of quarantined items opens those. Other columns use the active threshold.
        let then = if column == 3 {
            RuleAction::Park
        } else {
            self.active
        };
        let line = thresholds::line(self.rules.edited(), &measure, then, subtask, self.logit());
        let threshold = line.and_then(|line| Threshold::new(thresholds::tidy(line)));
        filter
            .scores
            .extend(threshold.map(|threshold| Condition::suspicious(measure, threshold)));
        cx.open(Target::Items(filter.to_text()));
    }

    fn in_samples(&mut self, action: Action, cx: &mut Context<'_>) {
        let count = self
            .shown()
            .map_or(0, |(_, tuning, _)| tuning.bad.len().max(tuning.good.len()));
        match action {
            Action::Down if self.sample + 1 < count => self.sample += 1,
            Action::Down => cx.refuse("no more samples"),
            Action::Up if self.sample > 0 => self.sample -= 1,
            Action::Up => cx.refuse("these are nearest to the threshold"),
            Action::Top => self.sample = 0,
            Action::Open => {
                let [doubtful, good] = self.samples();
                let here = if self.side == Side::Doubtful {
                    doubtful
                } else {
                    good
                };
                match here {
                    Some(sample) => cx.open(Target::Item(sample.number)),
                    None => cx.refuse("no item on this side; space shows the other"),
                }
            }
            other => cx.refuse(format!(
                "`{}` does nothing on samples: press tab",
                other.name()
            )),
        }
    }
}

/// A typed threshold; none if the text is empty.
fn threshold(text: &str) -> Result<Option<f32>, String> {
    match text.trim() {
        "" => Ok(None),
        text => match text.parse::<f32>() {
            Ok(n) if n.is_finite() => Ok(Some(n)),
            _ => Err(format!("`{text}` is not a number such as 24.5")),
        },
    }
}

fn histogram_columns(width: u16) -> u16 {
    width.saturating_sub(super::histogram::GUTTER).max(1)
}

/// The word for a threshold.
pub(super) fn name(then: RuleAction) -> &'static str {
    if then == RuleAction::Flag {
        "flag"
    } else {
        "quarantine"
    }
}
