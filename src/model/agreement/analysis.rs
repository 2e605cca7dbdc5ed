//! A look at agreement: what is asked for, and what the owner answers.

use serde::{Deserialize, Serialize};

use super::{AgreementReport, Bootstrap, Estimate, Measures, PairMeasures, RaterCounts, Scale};
use crate::annotator::{Pace, ProbeQuality, Rate, RepeatQuality};
use crate::filter::Field;
use crate::round::Protocol;

/// What the rows of a look are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum By {
    /// Two people each.
    #[default]
    Pair,
    /// The items of a subtask each.
    Subtask,
    /// The items of a question type each (MVP-Bench, Table 1).
    Type,
    /// The items of a level or difficulty each.
    Level,
    /// The items of a style each.
    Style,
    /// The items that the rules keep, flag and park.
    Outcome,
}

impl By {
    /// All of them, in the order of the key that goes round.
    pub const ALL: [By; 6] = [
        Self::Pair,
        Self::Subtask,
        Self::Type,
        Self::Level,
        Self::Style,
        Self::Outcome,
    ];

    /// The word for it in arguments and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pair => "pair",
            Self::Subtask => "subtask",
            Self::Type => "type",
            Self::Level => "level",
            Self::Style => "style",
            Self::Outcome => "outcome",
        }
    }

    /// What a row is, for a heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Pair => "pair of people",
            Self::Type => "question type",
            Self::Outcome => "filter outcome",
            other => other.name(),
        }
    }

    /// The one of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<By> {
        Self::ALL.into_iter().find(|by| by.name() == name)
    }

    /// The field of the items whose values are the rows, where it is one.
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

/// What is asked of agreement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgreementAsk {
    /// The round; none for what was judged outside of rounds.
    pub round: Option<String>,
    /// What the rows are.
    pub by: By,
    /// Draws for intervals; none for the numbers alone, which come sooner.
    pub bootstrap: Option<Bootstrap>,
}

/// How far people agree in a round, or outside of rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreed {
    /// The round; none for what was judged outside of rounds.
    pub round: Option<String>,
    /// Its protocol, or the one that holds outside of rounds.
    pub protocol: Protocol,
    /// What the rows are.
    pub by: By,
    /// What could be said.
    pub scale: Scale,
    /// The categories of the scale, in words.
    pub categories: Vec<String>,
    /// The people, by their number.
    pub people: Vec<String>,
    /// What each of them said, of those who said something.
    pub raters: Vec<RaterCounts>,
    /// Everybody on all items, then the groups.
    pub rows: Vec<Row>,
    /// How steady and how right each person is, as far as the round can tell; none outside of rounds.
    pub quality: Vec<PersonQuality>,
    /// Draws that intervals are from.
    pub bootstrap: Option<Bootstrap>,
    /// What a reader must know of how the verdicts came about, in sentences.
    pub notes: Vec<String>,
    /// A paragraph for the methods section of a paper.
    pub methods: String,
}

/// Agreement within one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The value that its items have; empty for those that have none. Of the first row and of pairs what they are called.
    pub name: String,
    /// The two people, where it is a pair.
    pub pair: Option<(u16, u16)>,
    /// All measures. Where only two people have items in common, Cohen's kappa and the table are theirs.
    pub measures: Measures,
}

impl Row {
    /// A group of items.
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

    /// Two people.
    pub fn pair(pair: PairMeasures, people: &[String]) -> Row {
        let name = |number: u16| people.get(usize::from(number)).map_or("?", String::as_str);
        let PairMeasures { a, b, measures } = pair;
        Row {
            name: format!("{} / {}", name(a), name(b)),
            pair: Some((a, b)),
            measures,
        }
    }

    /// What it is called: a group of items without a value has no name of its own.
    pub fn label(&self) -> &str {
        if self.name.is_empty() {
            "(none)"
        } else {
            &self.name
        }
    }
}

/// How steady and how right one person is in a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonQuality {
    /// Who.
    pub name: String,
    /// On items of practice, where each verdict was answered at once.
    pub practice: ProbeQuality,
    /// On known items mixed in silently.
    pub probes: ProbeQuality,
    /// On those of them that nothing but a defect tells from the items of the round.
    pub lookalikes: ProbeQuality,
    /// On items shown twice.
    pub repeats: RepeatQuality,
    /// First verdicts that a second one of the same person says otherwise of, of all first verdicts.
    pub revised: Rate,
    /// Second verdicts.
    pub second: u64,
    /// Of these, given after the owner had sent what others said.
    pub informed: u64,
}

/// How one's own work goes: told to nobody else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnPace {
    /// Whose.
    pub who: String,
    /// In this round; everywhere where there is none.
    pub round: Option<String>,
    /// The pace; skipped items are left out.
    pub pace: Pace,
    /// Verdicts of which it is known how long they took. Median and drift are of these.
    pub timed: u64,
}

/// A measure of agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Share of equal pairs of ratings.
    Raw,
    /// Cohen's kappa.
    Cohen,
    /// Fleiss' kappa.
    Fleiss,
    /// Krippendorff's alpha.
    Alpha,
    /// Gwet's AC1.
    Ac1,
    /// Specific agreement on the positive one of two categories.
    Positive,
    /// Specific agreement on the other one.
    Negative,
}

impl Measure {
    /// All of them, in the order they are shown.
    pub const ALL: [Measure; 7] = [
        Self::Raw,
        Self::Cohen,
        Self::Fleiss,
        Self::Alpha,
        Self::Ac1,
        Self::Positive,
        Self::Negative,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw agreement",
            Self::Cohen => "Cohen's kappa",
            Self::Fleiss => "Fleiss' kappa",
            Self::Alpha => "Krippendorff's alpha",
            Self::Ac1 => "Gwet's AC1",
            Self::Positive => "positive agreement",
            Self::Negative => "negative agreement",
        }
    }

    /// What a column is called.
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

    /// Its name in JSON.
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

    /// What is known of it.
    pub fn of(self, measures: &Measures) -> &Estimate {
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

    /// A value as it is shown: shares in percent, the others with two decimals and never with a minus before 0.
    pub fn shown(self, value: f64) -> String {
        match self {
            Self::Raw | Self::Positive | Self::Negative => format!("{:.1} %", value * 100.0),
            _ => match format!("{value:.2}") {
                text if text == "-0.00" => "0.00".into(),
                text => text,
            },
        }
    }

    /// The ends of an interval as they are shown, in square brackets.
    pub fn range(self, low: f64, high: f64) -> String {
        let bare = |value: f64| self.shown(value).trim_end_matches(" %").to_string();
        format!("[{}, {}]", bare(low), bare(high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_papers_write_them() {
        assert_eq!(
            [Measure::Raw.shown(0.9123), Measure::Alpha.shown(-0.001)],
            ["91.2 %", "0.00"]
        );
        assert_eq!(Measure::Raw.range(0.5, 1.0), "[50.0, 100.0]");
        assert_eq!(Measure::Ac1.range(-0.25, 0.5), "[-0.25, 0.50]");
        assert!(
            By::ALL
                .iter()
                .all(|by| By::from_name(by.name()) == Some(*by))
        );
    }
}
