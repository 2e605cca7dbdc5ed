//! VLB's measures: how much a model loses when the same questions are modified.
//!
//! Source: Yang et al., "Dynamic Multimodal Evaluation with Flexible Complexity by Vision-Language
//! Bootstrapping" (2024), Tables 1 to 3. After five attempts that its judge rejects, VLB keeps the
//! original picture or question. So a variant contains unmodified questions; the paper counts them,
//! and `delta_modified` does not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod composition;
pub mod grid;

use super::statistics::Number;
use super::tally::Tally;
use benchtop_model::sorting::sort_by_key;

pub use composition::{Applied, Composition, Difficulty, RATIO, RATIOS, difficulty};

/// A modification of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Strategy {
    /// Adds an object to the picture.
    V1,
    /// Removes an object from the picture.
    V2,
    /// Extends the picture on all sides (by 1.5).
    V3,
    /// Replaces words of the question.
    L1,
    /// Rephrases the question.
    L2,
    /// Adds relevant context.
    L3,
    /// Adds irrelevant context.
    L4,
}

benchtop_model::named!(Strategy {
    V1: "V1",
    V2: "V2",
    V3: "V3",
    L1: "L1",
    L2: "L2",
    L3: "L3",
    L4: "L4",
});

impl Strategy {
    /// A short description.
    pub fn about(self) -> &'static str {
        match self {
            Strategy::V1 => "object added to the picture",
            Strategy::V2 => "object removed from the picture",
            Strategy::V3 => "picture extended on all sides",
            Strategy::L1 => "words of the question replaced",
            Strategy::L2 => "question rephrased",
            Strategy::L3 => "relevant context added",
            Strategy::L4 => "irrelevant context added",
        }
    }

    /// Whether the strategy changes the picture. The others change the question.
    pub fn is_of_picture(self) -> bool {
        matches!(self, Strategy::V1 | Strategy::V2 | Strategy::V3)
    }

    /// Whether the strategy is meant to make questions harder. V2 and L3 are meant to make them
    /// easier.
    pub fn is_harder(self) -> bool {
        !matches!(self, Strategy::V2 | Strategy::L3)
    }
}

/// The strategies in a variant's name, such as `V1+L4` or `V1+V3+L4`. `None` if it contains an
/// unknown strategy, none, or one twice. V3 can have a ratio: `V3@1.25`.
pub fn strategies(variant: &str) -> Option<Vec<Strategy>> {
    let one = |part: &str| {
        let (name, ratio) = part
            .split_once('@')
            .map_or((part, None), |(n, r)| (n, Some(r)));
        let strategy = Strategy::from_name(name.trim())?;
        let is_known = |ratio: &str| {
            let ratio = ratio.trim().parse::<f64>();
            RATIOS.iter().any(|of| ratio == Ok(f64::from(*of) / 100.0))
        };
        let fits = ratio.is_none_or(|ratio| strategy == Strategy::V3 && is_known(ratio));
        fits.then_some(strategy)
    };
    let found: Option<Vec<Strategy>> = variant.split('+').map(one).collect();
    found.filter(|found| {
        found
            .iter()
            .enumerate()
            .all(|(at, s)| !found[..at].contains(s))
    })
}

/// One question of a variant next to its original, as one model answered them.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired<'a> {
    /// The variant: `V1`, `V1+L4`, ...
    pub variant: &'a str,
    /// Whether the question was really changed; `None` if this was not recorded.
    pub modified: Option<bool>,
    /// Result of the original question.
    pub vanilla: Tally,
    /// Result of the variant.
    pub changed: Tally,
}

/// A question of a variant and its original, as one model answered both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredPair<'a> {
    pub variant: &'a str,
    /// Row of the question.
    pub row: usize,
    /// Row of the original.
    pub original: usize,
    /// Whether the question was really changed; `None` if this was not recorded.
    pub modified: Option<bool>,
    /// Whether the original was answered right.
    pub before: bool,
    /// Whether the variant was answered right.
    pub after: bool,
}

/// A model's change on one variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delta {
    pub variant: String,
    /// Result of the original questions.
    pub vanilla: Tally,
    /// Result of the variant.
    pub changed: Tally,
    /// Variant minus original, in points, over all questions (as printed in the paper).
    pub delta: Number,
    /// Variant minus original, in points, over the questions that were really modified.
    pub delta_modified: Number,
    /// Number of questions that were really modified.
    pub modified: u64,
    /// Number of questions for which this is recorded.
    pub recorded: u64,
    /// `modified` over `recorded` in percent: the effective modification rate.
    pub modification_rate: Number,
    /// Number of modified questions that only the original, and only the variant, got right, for
    /// McNemar's test.
    pub discordant: (u64, u64),
}

/// The reason for undefined numbers of modified questions.
const UNRECORDED: &str = "the data does not record which questions were modified";

/// The change on each variant in these pairs: single strategies in the paper's order, then
/// compositions by name.
pub fn deltas<'a>(pairs: impl IntoIterator<Item = Paired<'a>>) -> Vec<Delta> {
    #[derive(Default)]
    struct Sums {
        all: [Tally; 2],
        modified: [Tally; 2],
        recorded: u64,
        discordant: (u64, u64),
    }
    let mut of: BTreeMap<&str, Sums> = BTreeMap::new();
    for pair in pairs {
        let sums = of.entry(pair.variant).or_default();
        let both = [pair.vanilla, pair.changed];
        sums.all = [sums.all[0] + both[0], sums.all[1] + both[1]];
        sums.recorded += u64::from(pair.modified.is_some());
        if pair.modified == Some(true) {
            sums.modified = [sums.modified[0] + both[0], sums.modified[1] + both[1]];
            sums.discordant.0 += u64::from(both[0].points > both[1].points);
            sums.discordant.1 += u64::from(both[0].points < both[1].points);
        }
    }
    let told = |(variant, sums): (&str, Sums)| {
        let [vanilla, changed] = sums.all;
        let modified = sums.modified[1].n;
        let delta = |[before, after]: [Tally; 2]| {
            after
                .percent()
                .with(&before.percent(), |after, before| after - before)
        };
        let recorded = sums.recorded;
        let none = if recorded > 0 {
            "no question was modified"
        } else {
            UNRECORDED
        };
        let rate = Number::or(
            (recorded > 0).then(|| 100.0 * modified as f64 / recorded as f64),
            UNRECORDED,
        );
        Delta {
            variant: variant.into(),
            vanilla,
            changed,
            delta: delta(sums.all),
            delta_modified: if modified > 0 {
                delta(sums.modified)
            } else {
                Number::none(none)
            },
            modified,
            recorded,
            modification_rate: rate,
            discordant: sums.discordant,
        }
    };
    let mut found: Vec<Delta> = of.into_iter().map(told).collect();
    sort_by_key(&mut found, |d| {
        (
            d.variant.contains('+'),
            Strategy::ALL
                .iter()
                .position(|s| s.name() == d.variant)
                .unwrap_or(7),
        )
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(variant: &str, modified: bool, vanilla: u64, changed: u64) -> Paired<'_> {
        Paired {
            variant,
            modified: Some(modified),
            vanilla: Tally::of(vanilla, 1),
            changed: Tally::of(changed, 1),
        }
    }

    #[test]
    fn unmodified_questions_dilute_the_delta() {
        let pairs = [
            pair("V1", true, 1, 0),
            pair("V1", true, 1, 1),
            pair("V1", false, 1, 1),
            pair("V1", false, 0, 0),
        ];
        let found = &deltas(pairs)[0];
        assert_eq!(
            (found.delta.value, found.delta_modified.value),
            (Some(-25.0), Some(-50.0))
        );
        assert_eq!(
            (
                found.modified,
                found.modification_rate.value,
                found.discordant
            ),
            (2, Some(50.0), (1, 0))
        );
        let none = &deltas([pair("L3", false, 1, 1)])[0];
        assert_eq!(
            none.delta_modified.undefined.as_deref(),
            Some("no question was modified")
        );
        assert!(deltas([]).is_empty());
    }

    #[test]
    fn unrecorded_modification_is_unknown() {
        let unknown = Paired {
            modified: None,
            ..pair("V1", true, 1, 0)
        };
        let none = &deltas([unknown.clone()])[0];
        assert_eq!(
            (none.modified, none.recorded, none.modification_rate.value),
            (0, 0, None)
        );
        assert_eq!(
            (none.delta.value, none.delta_modified.value),
            (Some(-100.0), None)
        );
        let some = &deltas([unknown, pair("V1", true, 1, 1), pair("V1", false, 1, 1)])[0];
        assert_eq!(
            (some.modified, some.recorded, some.modification_rate.value),
            (1, 2, Some(50.0))
        );
        assert_eq!(some.delta_modified.value, Some(0.0));
    }

    #[test]
    fn variants_are_in_the_papers_order() {
        let names = ["V2+L3", "L1", "V1+L4", "V3", "V1"];
        let found = deltas(names.map(|v| pair(v, true, 1, 1)));
        assert_eq!(
            found.iter().map(|d| d.variant.as_str()).collect::<Vec<_>>(),
            ["V1", "V3", "L1", "V1+L4", "V2+L3"]
        );
        assert_eq!(
            strategies("V1+V3+L4"),
            Some(vec![Strategy::V1, Strategy::V3, Strategy::L4])
        );
        assert_eq!(
            (strategies("V1+V1"), strategies("V9"), strategies("")),
            (None, None, None)
        );
        assert_eq!(
            strategies("V3@2+L4"),
            Some(vec![Strategy::V3, Strategy::L4])
        );
        assert_eq!(
            (
                strategies("V3@3"),
                strategies("V1@2"),
                strategies("V3+V3@2")
            ),
            (None, None, None)
        );
        assert_eq!(Strategy::ALL.iter().filter(|s| !s.is_harder()).count(), 2);
    }
}
