//! The agreement analysis: its query and its result.

use serde::{Deserialize, Serialize};

use super::{AgreementReport, Bootstrap, Estimate, Measures, PairMeasures, RaterCounts, Scale};
use crate::annotator::{Pace, ProbeQuality, Rate, RepeatQuality};
use crate::field::Field;
use crate::round::Protocol;

named! {
    /// The grouping of the rows of an agreement analysis.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub enum GroupBy {
        /// One row per pair of raters.
        #[default]
        Pair = "pair",
        /// One row per subtask.
        Subtask = "subtask",
        /// One row per question type (MVP-Bench, Table 1).
        Type = "type",
        /// One row per level.
        Level = "level",
        /// One row per style.
        Style = "style",
        /// One row per filter outcome: kept, flagged, parked.
        Outcome = "outcome",
    }
}

impl GroupBy {
    /// The heading of the rows.
    pub fn title(self) -> &'static str {
        match self {
            Self::Pair => "pair of people",
            Self::Type => "question type",
            Self::Outcome => "filter outcome",
            other => other.name(),
        }
    }

    /// The item field whose values are the rows, if it is a field.
    pub fn field(self) -> Option<Field> {
        match self {
            Self::Subtask => Some(Field::Subtask),
            Self::Type => Some(Field::Type),
            Self::Level => Some(Field::Level),
            Self::Style => Some(Field::Style),
            Self::Pair | Self::Outcome => None,
        }
    }
}

/// An agreement query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgreementQuery {
    /// The round; `None` for verdicts outside of rounds.
    pub round: Option<String>,
    pub by: GroupBy,
    /// Draws for intervals; `None` computes no intervals, which is faster.
    pub bootstrap: Option<Bootstrap>,
}

/// The result of an agreement analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgreementAnalysis {
    /// The round; `None` for verdicts outside of rounds.
    pub round: Option<String>,
    /// The protocol of the round, or the project's protocol outside of rounds.
    pub protocol: Protocol,
    pub by: GroupBy,
    pub scale: Scale,
    pub categories: Vec<String>,
    /// Names of the raters, by number.
    pub people: Vec<String>,
    /// Counts of each rater who rated an item.
    pub raters: Vec<RaterCounts>,
    /// Everybody on all items first, then the groups.
    pub rows: Vec<Row>,
    /// Intra-annotator quality as far as the round measures it; empty outside of rounds.
    pub quality: Vec<PersonQuality>,
    pub bootstrap: Option<Bootstrap>,
    /// Caveats about how the verdicts came about, as sentences.
    pub notes: Vec<String>,
    /// A paragraph for the methods section of a paper.
    pub methods: String,
}

/// Agreement within one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The value that the group's items share, empty for items without one. The first row and pairs
    /// have a title instead.
    pub name: String,
    /// The two raters of a pair.
    pub pair: Option<(u16, u16)>,
    /// All measures. If only two raters share items, Cohen's kappa and the table are theirs.
    pub measures: Measures,
}

impl Row {
    pub fn group(name: impl Into<String>, report: AgreementReport) -> Row {
        let mut measures = report.all;
        if let [pair] = report.pairs.as_slice() {
            measures.cohen_kappa = pair.measures.cohen_kappa;
            measures.table = pair.measures.table.clone();
        }
        Row {
            name: name.into(),
            pair: None,
            measures,
        }
    }

    pub fn pair(pair: PairMeasures, people: &[String]) -> Row {
        let name = |number: u16| people.get(usize::from(number)).map_or("?", String::as_str);
        let PairMeasures { a, b, measures } = pair;
        Row {
            name: format!("{} / {}", name(a), name(b)),
            pair: Some((a, b)),
            measures,
        }
    }

    /// The name for display: `(none)` for items without a value.
    pub fn label(&self) -> &str {
        if self.name.is_empty() {
            "(none)"
        } else {
            &self.name
        }
    }
}

/// Consistency and accuracy of one person in a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonQuality {
    pub name: String,
    /// On practice items, where each verdict gets feedback at once.
    pub practice: ProbeQuality,
    /// On probes.
    pub probes: ProbeQuality,
    /// On the probes that differ from the items of the round only by their defect.
    pub lookalikes: ProbeQuality,
    /// On repeats.
    pub repeats: RepeatQuality,
    /// First verdicts that the same person later revised, of all first verdicts.
    pub revised: Rate,
    /// Number of second verdicts.
    pub second: u64,
    /// Second verdicts given after the owner had sent the verdicts of others.
    pub informed: u64,
}

/// A person's own pace, which nobody else sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnPace {
    pub who: String,
    /// The round; `None` for all work.
    pub round: Option<String>,
    /// The pace without skipped items.
    pub pace: Pace,
    /// Verdicts with a known duration. Median and drift use only these.
    pub timed: u64,
}

named! {
    /// An agreement measure.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Measure {
        Raw = "raw agreement",
        Cohen = "Cohen's kappa",
        Fleiss = "Fleiss' kappa",
        Alpha = "Krippendorff's alpha",
        Ac1 = "Gwet's AC1",
        /// Specific agreement on the positive category of two.
        Positive = "positive agreement",
        /// Specific agreement on the other category.
        Negative = "negative agreement",
    }
}

impl Measure {
    /// The column heading.
    pub fn short(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Cohen => "Cohen",
            Self::Fleiss => "Fleiss",
            Self::Alpha => "alpha",
            Self::Ac1 => "AC1",
            Self::Positive => "pos",
            Self::Negative => "neg",
        }
    }

    /// The name in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Cohen => "cohen_kappa",
            Self::Fleiss => "fleiss_kappa",
            Self::Alpha => "krippendorff_alpha",
            Self::Ac1 => "gwet_ac1",
            Self::Positive => "positive_agreement",
            Self::Negative => "negative_agreement",
        }
    }

    /// The estimate of this measure.
    pub fn estimate(self, measures: &Measures) -> &Estimate {
        match self {
            Self::Raw => &measures.raw,
            Self::Cohen => &measures.cohen_kappa,
            Self::Fleiss => &measures.fleiss_kappa,
            Self::Alpha => &measures.krippendorff_alpha,
            Self::Ac1 => &measures.gwet_ac1,
            Self::Positive => &measures.positive_agreement,
            Self::Negative => &measures.negative_agreement,
        }
    }

    /// Formats a value: shares in percent, the others with two decimals and without a minus before
    /// 0.
    pub fn format_value(self, value: f64) -> String {
        match self {
            Self::Raw | Self::Positive | Self::Negative => format!("{:.1} %", value * 100.0),
            _ => match format!("{value:.2}") {
                text if text == "-0.00" => "0.00".into(),
                text => text,
            },
        }
    }

    /// Formats an interval in square brackets.
    pub fn format_interval(self, low: f64, high: f64) -> String {
        let bare = |value: f64| self.format_value(value).trim_end_matches(" %").to_string();
        format!("[{}, {}]", bare(low), bare(high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_papers_write_them() {
        assert_eq!(
            [
                Measure::Raw.format_value(0.9123),
                Measure::Alpha.format_value(-0.001)
            ],
            ["91.2 %", "0.00"]
        );
        assert_eq!(Measure::Raw.format_interval(0.5, 1.0), "[50.0, 100.0]");
        assert_eq!(Measure::Ac1.format_interval(-0.25, 0.5), "[-0.25, 0.50]");
        assert!(
            GroupBy::ALL
                .iter()
                .all(|by| GroupBy::from_name(by.name()) == Some(*by))
        );
    }
}
