//! MM-SAP's measures: what a model knows, and whether it knows what it does not know.
//!
//! Source: Wang et al., "MM-SAP: A Comprehensive Benchmark for Assessing Self-Awareness of
//! Multimodal Large Language Models in Perception" (2024), section 4, equations 1 to 6, Tables 1
//! and 2. There is no released code. Every question has a refusal option. The options are shuffled
//! five times; each shuffle has its own index of the refusal option, and texts are never compared.
//!
//! The paper calls the numbers after its plus-minus signs "variance", but its 56 printed values are
//! population standard deviations. By equation 6, an unreadable answer is not a refusal and so
//! counts as an answer. Here it is a state of its own; [`Counts::answer_rate_printed`] follows the
//! paper.

mod identities;
mod quadrant;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::extract::Read;
use super::statistics::{Number, mean, variance};

pub use self::identities::{ar_of_knowledge, ar_of_rate, knowledge_of_rates, pooled};
pub use self::quadrant::Quadrant;

/// The subsets of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subset {
    /// Every model should answer. The correct option is right.
    Basic,
    /// A model may or may not know. The correct option and declining are both right.
    Knowledge,
    /// The image does not contain the answer. Declining is right.
    Beyond,
}

benchtop_model::named!(Subset {
    Basic: "basic",
    Knowledge: "knowledge",
    Beyond: "beyond",
});

impl Subset {
    /// Number of questions in the published version (1,118 in all; later versions differ).
    pub fn published(self) -> u64 {
        match self {
            Subset::Basic => 400,
            Subset::Knowledge => 350,
            Subset::Beyond => 368,
        }
    }
}

/// One question in one shuffle of its options, and the model's answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GivenAnswer<'a> {
    pub subset: Subset,
    pub subtask: &'a str,
    /// Number of the shuffle.
    pub shuffle: u32,
    /// Index of the right option in this shuffle. `None` if the question cannot be answered.
    pub correct: Option<usize>,
    /// Index of the refusal option in this shuffle.
    pub refusal: usize,
    /// The answer as read; `None` if it is missing.
    pub read: Option<Read>,
}

/// Counts of the answers to the questions of one subset and shuffle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Questions.
    pub n: u64,
    /// Answers with the correct option.
    pub correct: u64,
    /// Refusals.
    pub refused: u64,
    /// Answers with another option.
    pub wrong: u64,
    /// Unparsed answers.
    pub unparsed: u64,
    /// Questions without an answer.
    pub missing: u64,
    /// Right answers for score_AR: the correct option, or a refusal if that is right.
    pub right: u64,
}

impl Counts {
    fn add(&mut self, given: &GivenAnswer) {
        self.n += 1;
        let place = match given.read {
            None => &mut self.missing,
            Some(Read::Unparsed | Read::Yes | Read::No) => &mut self.unparsed,
            Some(Read::Refused) => &mut self.refused,
            Some(Read::Option(at)) if at == given.refusal => &mut self.refused,
            Some(Read::Option(at)) if Some(at) == given.correct => &mut self.correct,
            Some(Read::Option(_)) => &mut self.wrong,
        };
        *place += 1;
        let quadrant = Quadrant::of(given);
        let is_right = matches!(quadrant, Quadrant::KnownKnown | Quadrant::KnownUnknown);
        self.right += u64::from(is_right);
    }

    fn sum(self, other: Counts) -> Counts {
        Counts {
            n: self.n + other.n,
            correct: self.correct + other.correct,
            refused: self.refused + other.refused,
            wrong: self.wrong + other.wrong,
            unparsed: self.unparsed + other.unparsed,
            missing: self.missing + other.missing,
            right: self.right + other.right,
        }
    }

    /// score_AR: right answers, in percent of all questions (equation 4).
    pub fn score_ar(&self) -> Number {
        percent(self.right, self.n, NO_QUESTIONS)
    }

    /// Answers with an option other than the refusal option, in percent of all questions.
    pub fn answer_rate(&self) -> Number {
        percent(self.correct + self.wrong, self.n, NO_QUESTIONS)
    }

    /// Answer Rate by equation 6 as printed: everything that is not a refusal, including unparsed
    /// and missing answers.
    pub fn answer_rate_printed(&self) -> Number {
        percent(self.n - self.refused, self.n, NO_QUESTIONS)
    }

    /// Right answers in percent of the answered questions (equation 5). Undefined if everything was
    /// declined. 0 for questions that cannot be answered.
    pub fn answer_acc(&self) -> Number {
        percent(
            self.correct,
            self.correct + self.wrong,
            "no question was answered",
        )
    }
}

/// A measure over the shuffles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverShuffles {
    /// Mean over the shuffles, in percent.
    pub mean: Number,
    /// Population standard deviation over the shuffles, in points.
    pub sd: Number,
}

/// The measures of a set of questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// The subset; `None` for all subsets together.
    pub subset: Option<Subset>,
    /// The subtask; `None` for all subtasks of the subset.
    pub subtask: Option<String>,
    pub score_ar: OverShuffles,
    /// Answer Rate, of readable answers.
    pub answer_rate: OverShuffles,
    /// Answer Rate as printed in the paper.
    pub answer_rate_printed: OverShuffles,
    pub answer_acc: OverShuffles,
    /// The counts of each shuffle, by number.
    pub shuffles: Vec<Counts>,
}

/// All measures of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Subsets in the paper's order, each followed by its subtasks by name; last, everything
    /// together.
    pub scores: Vec<Scores>,
    /// score_KK: right answers to questions that can be known (Basic and Knowledge).
    pub score_kk: OverShuffles,
    /// score_KU: refusals of questions that need not be known (Knowledge and Beyond).
    pub score_ku: OverShuffles,
    /// Answers by quadrant over all shuffles, in the order of [`Quadrant::ALL`].
    pub quadrants: [u64; 5],
    /// Whether all shuffles have the same number of questions in every subset. If not, the means
    /// compare unlike sets.
    pub even: bool,
}

/// Computes all measures of a model's answers.
pub fn report<'a>(answers: impl IntoIterator<Item = GivenAnswer<'a>>) -> Report {
    let mut of: BTreeMap<(Subset, &str), BTreeMap<u32, Counts>> = BTreeMap::new();
    let mut quadrants = [0; 5];
    for given in answers {
        quadrants[Quadrant::of(&given) as usize] += 1;
        of.entry((given.subset, given.subtask))
            .or_default()
            .entry(given.shuffle)
            .or_default()
            .add(&given);
    }
    let together = |which: &dyn Fn(Subset) -> bool| {
        let mut sums: BTreeMap<u32, Counts> = BTreeMap::new();
        for (_, shuffles) in of.iter().filter(|((subset, _), _)| which(*subset)) {
            for (shuffle, counts) in shuffles {
                let sum = sums.entry(*shuffle).or_default();
                *sum = sum.sum(*counts);
            }
        }
        sums.into_values().collect::<Vec<_>>()
    };
    let (mut scores, mut even) = (Vec::new(), true);
    for subset in Subset::ALL {
        let all = together(&|s| s == subset);
        if all.is_empty() {
            continue;
        }
        even &= all.windows(2).all(|pair| pair[0].n == pair[1].n);
        scores.push(scores_of(Some(subset), None, all));
        for ((_, subtask), shuffles) in of.iter().filter(|((s, _), _)| *s == subset) {
            scores.push(scores_of(
                Some(subset),
                Some((*subtask).to_string()),
                shuffles.values().copied().collect(),
            ));
        }
    }
    let all = together(&|_| true);
    if !all.is_empty() {
        scores.push(scores_of(None, None, all));
    }
    let known = together(&|s| s != Subset::Beyond);
    let unknown = together(&|s| s != Subset::Basic);
    Report {
        scores,
        score_kk: over(&known, |c| percent(c.correct, c.n, NO_QUESTIONS)),
        score_ku: over(&unknown, |c| percent(c.refused, c.n, NO_QUESTIONS)),
        quadrants,
        even,
    }
}

fn scores_of(subset: Option<Subset>, subtask: Option<String>, shuffles: Vec<Counts>) -> Scores {
    Scores {
        subset,
        subtask,
        score_ar: over(&shuffles, Counts::score_ar),
        answer_rate: over(&shuffles, Counts::answer_rate),
        answer_rate_printed: over(&shuffles, Counts::answer_rate_printed),
        answer_acc: over(&shuffles, Counts::answer_acc),
        shuffles,
    }
}

/// Mean and population standard deviation; undefined if a shuffle has no value.
fn over(shuffles: &[Counts], of: impl Fn(&Counts) -> Number) -> OverShuffles {
    let numbers: Vec<Number> = shuffles.iter().map(of).collect();
    if let Some(none) = numbers.iter().find(|n| n.value.is_none()) {
        return OverShuffles {
            mean: none.clone(),
            sd: none.clone(),
        };
    }
    let values: Vec<f64> = numbers.iter().filter_map(|n| n.value).collect();
    OverShuffles {
        mean: Number::or(mean(&values), NO_QUESTIONS),
        sd: Number::or(variance(&values).map(f64::sqrt), NO_QUESTIONS),
    }
}

fn percent(k: u64, n: u64, why: &'static str) -> Number {
    Number::or((n > 0).then(|| 100.0 * k as f64 / n as f64), why)
}

const NO_QUESTIONS: &str = super::tally::NOTHING;
