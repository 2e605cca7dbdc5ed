//! Statistics over many questions: positions of the right option, share of true statements, and
//! length of the right option. Only counts are kept.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use benchtop_model::sorting::sort_by;
use benchtop_model::{Item, QuestionKind, Role, Rule};

/// Maximum number of groups. Later ones count only in the totals.
const GROUPS: usize = 20_000;
/// Standard normal quantile of 1 - 1/10,000. Many groups are tested, so the threshold must be
/// strict.
const RARE: f64 = 3.719;
/// Maximum number of options for which positions are counted, one per letter.
const LETTERS: usize = 26;
/// Minimum expected count for a chi-square test.
const EXPECTED: f64 = 5.0;
/// Minimum ratio to chance before a length cue is reported.
const WORTH: f64 = 1.15;
/// Minimum number of questions for a length cue.
const ENOUGH: u64 = 30;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum What {
    /// Position of the right option.
    Position,
    /// Which of "True" and "False" is first.
    Order,
    /// Whether the statement is labeled true.
    Label,
}

/// Questions of one kind about one subtask.
#[derive(Clone, Debug)]
struct Group {
    of: String,
    what: What,
    kind: QuestionKind,
    /// Whether the questions were composed here, where counts must be balanced.
    composed: bool,
    /// Maximum difference in an incomplete block of the sampler.
    slack: u64,
    counts: Vec<u64>,
    /// Whether all questions of the family have the same number of options. Otherwise those with
    /// fewer are not a block of their own.
    alone: bool,
    /// Whether it is the total over all subtasks.
    whole: bool,
}

/// How often the right option is the longest, and the shortest.
#[derive(Clone, Debug, Default)]
struct Cue {
    of: String,
    questions: u64,
    hits: [u64; 2],
    expected: [f64; 2],
    variance: [f64; 2],
}

/// A reported imbalance.
pub(super) struct Skew {
    pub rule: Rule,
    pub of: String,
    pub what: String,
    pub help: &'static str,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    groups: HashMap<u64, Group>,
    cues: HashMap<u64, Cue>,
    /// Number of options per family (groups that differ only in it).
    options: HashMap<u64, usize>,
    mixed: HashMap<u64, bool>,
    /// Treat all sets as samples, even composed ones.
    pub sample: bool,
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Counts {
    /// Counts a question. `holds` is its label, if it is a statement.
    pub fn see(&mut self, item: &Item, holds: Option<bool>) {
        let refusal = item.options.iter().any(|o| o.role == Role::Refusal);
        match item.kind {
            QuestionKind::MultipleChoice => {
                if let Some(right) = item.gold() {
                    // The refusal option takes one of the other positions, so a block is longer.
                    let slack = if refusal && item.correct().is_some() {
                        item.options.len() as u64 - 1
                    } else {
                        1
                    };
                    self.count(item, What::Position, right, item.options.len(), slack);
                }
                self.cue(item);
            }
            QuestionKind::TrueFalse => {
                // A block has four entries: two labels times two orders.
                if let Some(holds) = holds {
                    self.count(item, What::Label, usize::from(!holds), 2, 2);
                }
                let first = item
                    .options
                    .first()
                    .map(|o| o.text.trim().eq_ignore_ascii_case("true"));
                if let Some(first) = first.filter(|_| item.options.len() == 2) {
                    self.count(item, What::Order, usize::from(!first), 2, 2);
                }
            }
            QuestionKind::YesNo => {
                if let Some(holds) = holds {
                    self.count(item, What::Label, usize::from(!holds), 2, 1);
                }
            }
            QuestionKind::FreeForm => {}
        }
    }

    fn count(&mut self, item: &Item, what: What, value: usize, values: usize, slack: u64) {
        if values > LETTERS {
            return;
        }
        let composed = item.provenance.is_some() && !self.sample;
        let subtask = item.subtask.as_deref().unwrap_or_default();
        let level = item.level.as_deref().filter(|_| composed);
        // The sides of an imported pair have opposite answers by design, so they are balanced
        // together.
        let side = item
            .pair
            .as_ref()
            .filter(|_| composed)
            .map(|p| p.side.name());
        let family = hash((
            &item.dataset,
            subtask,
            item.kind,
            level,
            side,
            what,
            composed,
        ));
        let first = *self.options.entry(family).or_insert(values);
        if first != values {
            self.mixed.insert(family, true);
        }
        let named = |subtask: &str| {
            let kind = item.kind.name();
            let about = if subtask.is_empty() {
                String::new()
            } else {
                format!(" about {subtask}")
            };
            let extra: String = [level, side]
                .into_iter()
                .flatten()
                .map(|word| format!(", {word}"))
                .collect();
            let options = if what == What::Position {
                format!(" with {values} options")
            } else {
                String::new()
            };
            format!("{kind} questions{about}{extra}{options}")
        };
        let new = |of: String, whole: bool| Group {
            of,
            what,
            kind: item.kind,
            composed,
            slack,
            counts: vec![0; values],
            alone: true,
            whole,
        };
        let own = hash((family, values));
        let has_room = self.groups.len() < GROUPS || self.groups.contains_key(&own);
        let mut add = |key: u64, subtask: &str, whole: bool| {
            let group = self.groups.entry(key);
            let group = group.or_insert_with(|| new(named(subtask), whole));
            if let Some(count) = group.counts.get_mut(value) {
                *count += 1;
            }
        };
        if has_room {
            add(own, subtask, false);
        }
        if !composed && !subtask.is_empty() {
            add(hash((item.kind, what, values, "whole")), "", true);
        }
    }

    fn cue(&mut self, item: &Item) {
        let own = hash((&item.dataset, &item.subtask));
        if self.cues.len() >= GROUPS && !self.cues.contains_key(&own) {
            return;
        }
        // Refusal options and joined terms have a wording of their own, so their length means
        // nothing.
        let Some(right) = item.correct().filter(|_| item.rotation.is_none()) else {
            return;
        };
        let asked = item.options.iter().filter(|o| o.role != Role::Refusal);
        let mut lengths: Vec<usize> = asked.map(|o| o.text.chars().count()).collect();
        lengths.sort_unstable();
        let [least, .., most] = lengths[..] else {
            return;
        };
        let own_length = item.options[right].text.chars().count();
        let cue = self.cues.entry(own).or_insert_with(|| Cue {
            of: item
                .subtask
                .clone()
                .map_or("multiple-choice questions".into(), |s| {
                    format!("multiple-choice questions about {s}")
                }),
            ..Cue::default()
        });
        cue.questions += 1;
        for (end, length) in [most, least].into_iter().enumerate() {
            // If a single option is the longest, it is the right one by chance once in n.
            if lengths.iter().filter(|other| **other == length).count() == 1 {
                let chance = 1.0 / lengths.len() as f64;
                cue.hits[end] += u64::from(own_length == length);
                cue.expected[end] += chance;
                cue.variance[end] += chance * (1.0 - chance);
            }
        }
    }

    /// The imbalances.
    pub fn finish(mut self) -> Vec<Skew> {
        let mixed: Vec<u64> = self.mixed.keys().copied().collect();
        for family in mixed {
            for values in 0..=LETTERS {
                if let Some(group) = self.groups.get_mut(&hash((family, values))) {
                    group.alone = false;
                }
            }
        }
        let mut found = Vec::new();
        let mut groups: Vec<&Group> = self.groups.values().collect();
        sort_by(&mut groups, |a, b| (a.whole, &a.of).cmp(&(b.whole, &b.of)));
        let mut parts: Vec<(What, QuestionKind)> = Vec::new();
        for group in groups {
            // The total is reported only if none of its parts is.
            if group.whole && parts.contains(&(group.what, group.kind)) {
                continue;
            }
            if let Some(skew) = group.skew() {
                parts.push((group.what, group.kind));
                found.push(skew);
            }
        }
        for cue in self.cues.values().filter(|c| c.questions >= ENOUGH) {
            for (end, word) in ["longest", "shortest"].into_iter().enumerate() {
                let (hits, expected) = (cue.hits[end] as f64, cue.expected[end]);
                if expected > EXPECTED
                    && hits > expected + RARE * cue.variance[end].sqrt()
                    && hits > expected * WORTH
                {
                    found.push(Skew {
                        rule: Rule::LengthCue,
                        of: cue.of.clone(),
                        what: format!(
                            "in {} the right option is the {word} {} times; {expected:.0} are expected by chance",
                            cue.of, cue.hits[end]
                        ),
                        help: "draw distractors of the same length as the answers",
                    });
                }
            }
        }
        sort_by(&mut found, |a, b| {
            (a.rule, &a.of, &a.what).cmp(&(b.rule, &b.of, &b.what))
        });
        found
    }
}

impl Group {
    fn skew(&self) -> Option<Skew> {
        let total: u64 = self.counts.iter().sum();
        let (least, most) = (self.counts.iter().min()?, self.counts.iter().max()?);
        let counts = self
            .counts
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join("/");
        let why = if self.composed && self.alone {
            if most - least <= self.slack {
                return None;
            }
            "a composed set must be balanced"
        } else {
            let expected = total as f64 / self.counts.len() as f64;
            let square: f64 = self
                .counts
                .iter()
                .map(|c| (*c as f64 - expected).powi(2) / expected)
                .sum();
            if expected < EXPECTED || square <= critical(self.counts.len() - 1) {
                return None;
            }
            "the probability by chance is below 1 in 10,000 (chi-square)"
        };
        let of = &self.of;
        let (rule, what, help) = match self.what {
            What::Position => (
                Rule::PositionSkew,
                format!(
                    "the right option of {of} is at {} {counts} times: {why}",
                    letters(self.counts.len())
                ),
                "shuffle the options, or ask every rotation",
            ),
            What::Order => (
                Rule::PositionSkew,
                format!(
                    "the first option of {of} is True {} of {total} times: {why}",
                    self.counts[0]
                ),
                "shuffle the two options",
            ),
            What::Label => (
                Rule::LabelSkew,
                format!("{} of {total} {of} are labeled true: {why}", self.counts[0]),
                "ask as many true as false statements",
            ),
        };
        Some(Skew {
            rule,
            of: of.clone(),
            what,
            help,
        })
    }
}

fn letters(n: usize) -> String {
    (0..n).map(Item::letter).collect::<Vec<_>>().join("/")
}

/// Upper 1/10,000 quantile of the chi-square distribution with this many degrees of freedom (Wilson
/// and Hilferty, 1931).
fn critical(freedom: usize) -> f64 {
    if freedom <= 1 {
        // The approximation is worst here, so use the exact value: the square of the normal
        // quantile of 1 - 1/20,000.
        return 15.137;
    }
    let n = freedom as f64;
    let part = 2.0 / (9.0 * n);
    n * (1.0 - part + RARE * part.sqrt()).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_match_tables() {
        // Upper 0.0001 quantiles of the chi-square distribution.
        for (freedom, value) in [(1, 15.137), (3, 21.108), (4, 23.513), (9, 33.720)] {
            let own = critical(freedom);
            assert!(
                (own - value).abs() / value < 0.05,
                "{freedom}: {own} is not {value}"
            );
        }
    }
}
