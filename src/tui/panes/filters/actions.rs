//! The actions of the filters pane.

use super::thresholds::{self, Stride};
use super::{
    ChoiceFor, Effect, FiltersPane, GROUPS, Part, Side, TextFor, error_line, groups, refuse,
};
use crate::action::Action;
use crate::widgets::table::{Answer, TableEffect};
use benchtop_model::scoring::Measure;
use benchtop_model::scoring::rules::{Condition, RuleAction, Threshold};
use benchtop_model::{Field, Filter};
use benchtop_protocol::wire::{NeedsConsent, request};

impl FiltersPane {
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::ShowRules => {
                self.show_rules = !self.show_rules;
                vec![]
            }
            Action::Back => self.back(),
            Action::SaveRules => {
                let mut effects = self.rules.save();
                effects.extend(self.try_edited());
                effects
            }
            Action::RestoreRules => self.rules.revert(),
            Action::ResolveRules => self.rules.resolve(),
            Action::EditRules => vec![Effect::EditRules(self.rules.problem_line())],
            Action::RemoveThreshold if self.show_rules => match self.rules.remove() {
                Some(name) => {
                    let mut effects = vec![Effect::Say(format!(
                        "removed rule `{name}`; w saves, M restores it"
                    ))];
                    effects.extend(self.edited());
                    effects
                }
                None => refuse("no rule"),
            },
            Action::NextScore => self.go_to_score(true),
            Action::PreviousScore => self.go_to_score(false),
            Action::StartScoring => self.begin_scoring(),
            Action::PauseScoring => self.pause_scoring(),
            Action::CancelScoring => self.cancel_scoring(),
            Action::RetryScoring => self.retry_scoring(),
            Action::Find => {
                let label = "show items such as `subtask:text` (empty: all): ".to_string();
                vec![Effect::AskText {
                    purpose: TextFor::Items,
                    label,
                    text: self.filter.to_text(),
                }]
            }
            other if self.show_rules => self.in_rules(other),
            other => self.in_histogram(other),
        }
    }

    fn back(&mut self) -> Vec<Effect> {
        if std::mem::take(&mut self.show_rules) {
            return vec![];
        }
        if self.only.take().is_some() {
            return self.request_bench();
        }
        vec![Effect::Leave]
    }

    fn in_rules(&mut self, action: Action) -> Vec<Effect> {
        let answers = self.rules.table_mut().act(action);
        let mut effects = Vec::new();
        for answer in answers {
            effects.extend(match answer {
                Answer::Effect(TableEffect::Open { id, .. }) => match self.rules.words(id) {
                    Ok(words) => vec![Effect::Filter(words)],
                    Err(why) => refuse(why),
                },
                Answer::Effect(TableEffect::Refuse(why)) => refuse(why),
                Answer::Message(text) => vec![Effect::Say(text)],
                _ => refuse(format!(
                    "`{}` works on the histogram: press R",
                    action.name()
                )),
            });
        }
        effects
    }

    fn in_histogram(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::ThresholdLeft => self.shift(false, Stride::Bar),
            Action::ThresholdRight => self.shift(true, Stride::Bar),
            Action::ThresholdFarLeft => self.shift(false, Stride::Far),
            Action::ThresholdFarRight => self.shift(true, Stride::Far),
            Action::NudgeLeft => self.shift(false, Stride::Fine),
            Action::NudgeRight => self.shift(true, Stride::Fine),
            Action::TypeLine => self.ask_line(),
            Action::SwitchThreshold => {
                self.active = if self.active == RuleAction::Flag {
                    RuleAction::Park
                } else {
                    RuleAction::Flag
                };
                let line = self
                    .line(self.active)
                    .map_or("none yet: an arrow key sets it".into(), thresholds::number);
                vec![Effect::Say(format!(
                    "keys move the {} threshold ({line})",
                    name(self.active)
                ))]
            }
            Action::RemoveThreshold => match self.line(self.active) {
                Some(_)
                    if self.subtask().is_some_and(|s| {
                        self.own(s)[usize::from(self.active == RuleAction::Park)].is_none()
                    }) =>
                {
                    refuse("this subtask has no own threshold: esc shows all items")
                }
                Some(_) => self.put(None),
                None => refuse(format!("no {} threshold", name(self.active))),
            },
            Action::NextScale => self.next_scale(),
            Action::NextPart => {
                self.part = match self.part {
                    Part::Groups => Part::Samples,
                    Part::Samples => Part::Pair,
                    Part::Pair => Part::Groups,
                };
                vec![]
            }
            Action::GroupBy => {
                let at = GROUPS.iter().position(|f| *f == self.by).unwrap_or(0);
                self.by = GROUPS[(at + 1) % GROUPS.len()];
                self.only = None;
                // Do not cross a property with itself.
                self.across = self.across.filter(|across| *across != self.by);
                self.new_groups()
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
                let mut effects = vec![Effect::Say(match self.across {
                    Some(across) => {
                        format!(
                            "{} by {}: doubtful of all; ( and ) scroll",
                            self.by.name(),
                            across.name()
                        )
                    }
                    None => format!("by {} only", self.by.name()),
                })];
                effects.extend(self.new_groups());
                effects
            }
            Action::GroupLeft => self.in_groups(Action::Left),
            Action::GroupRight => self.in_groups(Action::Right),
            Action::OnlyGroup => self.only_group(),
            Action::OwnThreshold => self.ask_own_line(),
            Action::ChoosePair => self.choose_pair(),
            Action::OtherSample if self.part == Part::Samples => {
                self.side = if self.side == Side::Good {
                    Side::Doubtful
                } else {
                    Side::Good
                };
                vec![]
            }
            Action::OtherSample => refuse("press tab for the pictures at the threshold"),
            other => match self.part {
                Part::Groups => self.in_groups(other),
                Part::Samples => self.in_samples(other),
                Part::Pair if other == Action::Open => self.choose_pair(),
                Part::Pair => refuse(format!("`{}` works on the groups: press tab", other.name())),
            },
        }
    }

    /// Updates everything that depends on the edited rules.
    fn edited(&mut self) -> Vec<Effect> {
        let mut effects = self.request_bench();
        effects.extend(self.try_edited());
        self.fill_groups();
        effects
    }

    /// Sets or removes the active threshold.
    fn put(&mut self, to: Option<f32>) -> Vec<Effect> {
        if let Some(why) = self.rules.locked() {
            return refuse(why);
        }
        let Some(measure) = self.measure() else {
            return refuse("the scorers are still loading");
        };
        let subtask = self.subtask().map(str::to_string);
        if subtask.is_some()
            && thresholds::line(
                self.rules.edited(),
                &measure,
                self.active,
                None,
                self.logit(),
            )
            .is_none()
        {
            return refuse(format!(
                "set the {} threshold for all items first (esc)",
                name(self.active)
            ));
        }
        let rules = thresholds::with_line(
            self.rules.edited(),
            &measure,
            self.active,
            subtask.as_deref(),
            to,
            self.logit(),
        );
        self.rules.edit(rules);
        self.edited()
    }

    fn shift(&mut self, right: bool, stride: Stride) -> Vec<Effect> {
        let Some(measure) = self.measure() else {
            return refuse("the scorers are still loading");
        };
        let Some((_, bench, _)) = self.shown() else {
            return refuse("no scores yet");
        };
        let (low, high) = bench.ends;
        let bar = thresholds::step(high - low, histogram_columns(self.width));
        match self.line(self.active) {
            Some(line) => {
                // A threshold far beyond the last score has no further effect.
                let far = (high - low).max(bar as f32);
                let to = thresholds::moved(line, right, stride, bar);
                if (right && to > high + far) || (!right && to < low - far) {
                    return refuse("no scores in that direction");
                }
                self.put(Some(to))
            }
            None => {
                let at = measure.default_threshold();
                let mut effects = vec![Effect::Say(format!(
                    "{} threshold at {}",
                    name(self.active),
                    thresholds::number(at)
                ))];
                effects.extend(self.put(Some(at)));
                effects
            }
        }
    }

    fn ask_line(&self) -> Vec<Effect> {
        let Some(measure) = self.measure() else {
            return refuse("the scorers are still loading");
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
        vec![Effect::AskText {
            purpose: TextFor::Line,
            label,
            text,
        }]
    }

    fn next_scale(&mut self) -> Vec<Effect> {
        let Some(measure) = self.measure() else {
            return refuse("the scorers are still loading");
        };
        let Some(next) = measure.scales().get(1).cloned() else {
            return refuse(format!("{} has one scale", measure.scorer));
        };
        self.scales.insert(next.scorer.clone(), next);
        self.request_bench()
    }

    fn go_to_score(&mut self, next: bool) -> Vec<Effect> {
        let count = self
            .scorers
            .as_ref()
            .and_then(|s| s.as_ref().ok())
            .map_or(0, Vec::len);
        if count == 0 {
            return refuse("the scorers are still loading");
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
        self.request_bench()
    }

    fn group(&self) -> Option<String> {
        groups::value(&self.groups, self.groups.cursor_id()?)
    }

    fn only_group(&mut self) -> Vec<Effect> {
        if self.only.take().is_none() {
            let Some(value) = self.group() else {
                return refuse("no group");
            };
            self.only = Some(value);
        }
        self.request_bench()
    }

    fn ask_own_line(&self) -> Vec<Effect> {
        if self.by != Field::Subtask {
            return refuse("only subtasks can have own thresholds: press b");
        }
        let Some(value) = self.group().filter(|v| !v.is_empty()) else {
            return refuse("no subtask");
        };
        let (Some(measure), Some(line)) = (self.measure(), self.line(self.active)) else {
            return refuse(format!(
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
        vec![Effect::AskText {
            purpose: TextFor::OwnLine(value),
            label,
            text: own.map(thresholds::number).unwrap_or_default(),
        }]
    }

    fn choose_pair(&self) -> Vec<Effect> {
        let (Some(here), Some(Ok(list))) = (self.scorer(), &self.scorers) else {
            return refuse("the scorers are still loading");
        };
        let others: Vec<_> = list.iter().filter(|s| s.scorer != here.scorer).collect();
        let lines = others
            .iter()
            .map(|s| (s.scorer.name(), s.what.clone()))
            .collect();
        let measures = others
            .iter()
            .map(|s| Measure::with_default_scale(s.scorer.clone()))
            .collect();
        let title = format!("Compare {} with", here.scorer);
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Other(measures),
            title,
            lines,
        }]
    }

    fn new_groups(&mut self) -> Vec<Effect> {
        self.columns.clear();
        self.groups = groups::table(self.by, None);
        self.request_bench()
    }

    fn in_groups(&mut self, action: Action) -> Vec<Effect> {
        let answers = self.groups.act(action);
        let mut effects = Vec::new();
        for answer in answers {
            effects.extend(match answer {
                Answer::Effect(TableEffect::Open { id, column, .. }) => self.open_group(id, column),
                Answer::Effect(TableEffect::Refuse(why)) => refuse(why),
                Answer::Message(text) => vec![Effect::Say(text)],
                _ => refuse(format!("`{}` does nothing on groups", action.name())),
            });
        }
        effects
    }

    /// Opens the doubtful items of a group, or all of them if there is no threshold.
    fn open_group(&self, id: u64, column: usize) -> Vec<Effect> {
        let (Some(value), Some(measure)) = (groups::value(&self.groups, id), self.measure()) else {
            return refuse("no group");
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
        vec![Effect::Filter(filter.to_text())]
    }

    fn in_samples(&mut self, action: Action) -> Vec<Effect> {
        let count = self
            .shown()
            .map_or(0, |(_, bench, _)| bench.bad.len().max(bench.good.len()));
        match action {
            Action::Down if self.sample + 1 < count => self.sample += 1,
            Action::Down => return refuse("no more samples"),
            Action::Up if self.sample > 0 => self.sample -= 1,
            Action::Up => return refuse("these are nearest to the threshold"),
            Action::Top => self.sample = 0,
            Action::Open => {
                let [doubtful, good] = self.samples();
                let here = if self.side == Side::Doubtful {
                    doubtful
                } else {
                    good
                };
                return match here {
                    Some(sample) => vec![Effect::Item(sample.number)],
                    None => refuse("no item on this side; space shows the other"),
                };
            }
            other => {
                return refuse(format!(
                    "`{}` does nothing on samples: press tab",
                    other.name()
                ));
            }
        }
        vec![]
    }

    /// Receives a choice.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Vec<Effect> {
        match (purpose, pick) {
            (ChoiceFor::Which, pick) => self.chose_items(pick),
            (ChoiceFor::Begin(job, to), 0) => {
                let job = benchtop_model::scoring::job::NewScoring {
                    dry: false,
                    ..(**job).clone()
                };
                let ask = match to.is_empty() {
                    true => request::Score(job).into(),
                    false => request::Agree {
                        to: to.clone(),
                        then: Some(request::Score(job).then()),
                    }
                    .into(),
                };
                vec![Effect::Ask(super::ReplyFor::Begun, ask)]
            }
            (ChoiceFor::Begin(job, _), 1) if job.drafts => FiltersPane::without_drafts(job),
            (ChoiceFor::Agree(id, act, to), 0) => {
                let ask = request::Agree {
                    to: to.clone(),
                    then: Some(request::JobAct { id: *id, act: *act }.then()),
                }
                .into();
                vec![Effect::Ask(super::ReplyFor::Act, ask)]
            }
            (ChoiceFor::Other(measures), pick) => {
                self.other = measures.get(pick).cloned();
                self.part = Part::Pair;
                self.request_bench()
            }
            (ChoiceFor::Save, 0) => self.rules.apply(),
            (ChoiceFor::Revert, 0) => self.rules.do_revert(),
            (ChoiceFor::Settle, pick) => {
                self.rules.resolved(pick == 0);
                self.edited()
            }
            _ => vec![],
        }
    }

    /// Receives a typed line.
    pub fn typed(&mut self, purpose: &TextFor, text: &str) -> Vec<Effect> {
        let text = text.trim();
        let number = || match text {
            "" => Ok(None),
            text => match text.parse::<f32>() {
                Ok(n) if n.is_finite() => Ok(Some(n)),
                _ => Err(format!("`{text}` is not a number such as 24.5")),
            },
        };
        match purpose {
            TextFor::Score => self.count_filter(text),
            TextFor::Items => match Filter::parse(text) {
                Ok(filter) => {
                    self.filter = filter;
                    self.request_bench()
                }
                Err(problem) => refuse(error_line(&problem)),
            },
            TextFor::Line => match number() {
                Ok(None) if self.line(self.active).is_none() => {
                    refuse(format!("no {} threshold", name(self.active)))
                }
                Ok(to) => self.put(to),
                Err(why) => refuse(why),
            },
            TextFor::OwnLine(subtask) => match (number(), self.measure()) {
                (Ok(to), Some(measure)) => {
                    let rules = self.rules.edited();
                    let rules = thresholds::with_line(
                        rules,
                        &measure,
                        self.active,
                        Some(subtask),
                        to,
                        self.logit(),
                    );
                    self.rules.edit(rules);
                    self.edited()
                }
                (Err(why), _) => refuse(why),
                (_, None) => vec![],
            },
        }
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
