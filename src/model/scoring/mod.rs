//! What machines say of items, as plain data: the scorers and their scales, what a score can be, the rules that turn
//! scores into flags, and what the filter bench shows of them.

pub mod bench;
pub mod job;
pub mod rules;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Something that gives every item a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scorer {
    /// Image-text consistency by CLIP (Dysca, section 3.3): the cosine of picture and prompt.
    Clip,
    /// The same by SigLIP.
    Siglip,
    /// Whether the wanted word can be read in the picture (Dysca's text subtask and print attacks): 1 less the normalised
    /// edit distance.
    Ocr,
    /// The safety checker of Stable Diffusion: the largest score of a concept over its threshold; above 0 is unsafe.
    Safety,
    /// A named question to a vision-language model (VLB's judge): 1 pass, 0 fail.
    Judge(String),
    /// AutoBench-V's self-validation S_a: the share of questions about the prompt's elements that the picture answers right.
    Alignment,
    /// Dysca's step 3: the share of the chosen models that got the item wrong, among those that answered.
    Consensus,
    /// The largest cosine to another picture of the set or of reference folders (VLB, section 3).
    Duplicate,
    /// Standard deviation of the picture's lightness, 0 to 127.5: blank and near-uniform pictures are low.
    Flatness,
    /// Whether the answer's words stand in the question: 1 they do.
    Leakage,
    /// How often models got the item right without seeing the picture.
    Blind,
}

/// Which end of a score is the doubtful one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlagPriority {
    /// Small numbers.
    Low,
    /// Large numbers.
    High,
}

impl Scorer {
    /// Those without a name of their own, in the order they are listed; the judge's questions come after them.
    pub const ALL: [Scorer; 10] = [
        Scorer::Clip,
        Scorer::Siglip,
        Scorer::Ocr,
        Scorer::Safety,
        Scorer::Alignment,
        Scorer::Consensus,
        Scorer::Duplicate,
        Scorer::Flatness,
        Scorer::Leakage,
        Scorer::Blind,
    ];

    /// The name used in rules, commands and JSON: `clip`, `judge/NAME`.
    pub fn name(&self) -> String {
        match self {
            Scorer::Clip => "clip".into(),
            Scorer::Siglip => "siglip".into(),
            Scorer::Ocr => "ocr".into(),
            Scorer::Safety => "safety".into(),
            Scorer::Judge(question) => format!("judge/{question}"),
            Scorer::Alignment => "alignment".into(),
            Scorer::Consensus => "consensus".into(),
            Scorer::Duplicate => "duplicate".into(),
            Scorer::Flatness => "flatness".into(),
            Scorer::Leakage => "leakage".into(),
            Scorer::Blind => "blind".into(),
        }
    }

    /// One line that says what it measures.
    pub fn help(&self) -> &'static str {
        match self {
            Scorer::Clip => "CLIP: how well the picture fits its prompt",
            Scorer::Siglip => "SigLIP: how well the picture fits its prompt",
            Scorer::Ocr => "Tesseract: whether the wanted word can be read in the picture",
            Scorer::Safety => "safety checker: the worst concept's score over its threshold",
            Scorer::Judge(_) => "judge: 1 pass, 0 fail",
            Scorer::Alignment => {
                "self-validation S_a: share of the prompt's elements found in the picture"
            }
            Scorer::Consensus => "model consensus: share of the chosen models that got it wrong",
            Scorer::Duplicate => "near duplicates: largest cosine to another picture",
            Scorer::Flatness => "blank pictures: standard deviation of lightness",
            Scorer::Leakage => "answer leakage: 1 where the question holds the answer",
            Scorer::Blind => "blind prior: how often text alone wins",
        }
    }

    /// Its doubtful end.
    pub fn doubt(&self) -> FlagPriority {
        match self {
            Scorer::Safety
            | Scorer::Consensus
            | Scorer::Duplicate
            | Scorer::Leakage
            | Scorer::Blind => FlagPriority::High,
            _ => FlagPriority::Low,
        }
    }

    /// Whether it looks at pictures.
    pub fn sees(&self) -> bool {
        !matches!(self, Scorer::Consensus | Scorer::Leakage | Scorer::Blind)
    }
}

/// The unit that a score is read in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scale {
    /// As the scorer gives it; of CLIP and SigLIP the raw cosine. SigLIP has no other: its logits have a bias of their own,
    /// and its probability is told with each score.
    Raw,
    /// The cosine times the model's logit scale, 100 for CLIP: what the released code of Dysca compares with 25.
    Logit,
    /// 2.5 max(cosine, 0) (Hessel et al. 2021, eq. 1): a scale that 0.75 could be meant on.
    ClipScore,
}

/// A scorer, read on one of its scales: what a rule compares and the bench draws.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Measure {
    /// Which scorer.
    pub scorer: Scorer,
    /// On which scale.
    pub scale: Scale,
}

/// The factor of CLIPScore (Hessel et al. 2021, eq. 1).
const CLIP_SCORE: f32 = 2.5;

impl Measure {
    /// A scorer on the scale that is meant when none is named: the logit for CLIP, since a threshold of 25 is one.
    pub fn of(scorer: Scorer) -> Measure {
        let scale = if scorer == Scorer::Clip {
            Scale::Logit
        } else {
            Scale::Raw
        };
        Measure { scorer, scale }
    }

    /// What it is called: `clip` (logits), `clip.cosine`, `clip.clipscore`, `judge/NAME`.
    pub fn name(&self) -> String {
        let scorer = self.scorer.name();
        match (&self.scorer, self.scale) {
            (Scorer::Clip, Scale::Logit) => scorer,
            (Scorer::Clip, Scale::Raw) => format!("{scorer}.cosine"),
            (_, Scale::Raw) => scorer,
            (_, Scale::Logit) => format!("{scorer}.logit"),
            (_, Scale::ClipScore) => format!("{scorer}.clipscore"),
        }
    }

    /// A stored value on this scale; `logit` is the model's logit scale.
    pub fn shown(&self, value: f32, logit: f32) -> f32 {
        match self.scale {
            Scale::Raw => value,
            Scale::Logit => value * logit,
            Scale::ClipScore => CLIP_SCORE * value.max(0.0),
        }
    }

    /// The stored value that is shown as `shown`: where a threshold lies among stored values. What no value is shown as
    /// (a negative CLIPScore) lies beyond them all.
    pub fn stored(&self, shown: f32, logit: f32) -> f32 {
        match self.scale {
            Scale::Raw => shown,
            Scale::Logit => shown / logit,
            Scale::ClipScore if shown <= 0.0 => f32::NEG_INFINITY,
            Scale::ClipScore => shown / CLIP_SCORE,
        }
    }

    /// The scales its scorer has, this one's first.
    pub fn scales(&self) -> Vec<Measure> {
        let all: &[Scale] = match self.scorer {
            Scorer::Clip => &[Scale::Logit, Scale::Raw, Scale::ClipScore],
            _ => &[Scale::Raw],
        };
        let at = all.iter().position(|s| *s == self.scale).unwrap_or(0);
        all.iter()
            .cycle()
            .skip(at)
            .take(all.len())
            .map(|s| Measure {
                scorer: self.scorer.clone(),
                scale: *s,
            })
            .collect()
    }

    /// The threshold that is meant where nobody set one, on this scale.
    pub fn default_threshold(&self) -> f32 {
        match (&self.scorer, self.scale) {
            // Released code of Dysca: logits of at most 25 go.
            (Scorer::Clip, Scale::Logit) => 25.0,
            (Scorer::Clip, Scale::Raw) => 0.25,
            (Scorer::Clip, Scale::ClipScore) => 0.625,
            (Scorer::Siglip, _) => 0.05,
            (Scorer::Ocr, _) => 0.8,
            (Scorer::Safety, _) => 0.0,
            (Scorer::Duplicate, _) => 0.9,
            (Scorer::Flatness, _) => 4.0,
            (Scorer::Consensus, _) => 0.999,
            _ => 0.5,
        }
    }
}

impl fmt::Display for Scorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl FromStr for Scorer {
    type Err = String;

    fn from_str(text: &str) -> Result<Scorer, String> {
        if let Some(question) = text.strip_prefix("judge/") {
            let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            return match !question.is_empty() && question.bytes().all(fits) {
                true => Ok(Scorer::Judge(question.into())),
                false => Err(format!(
                    "`{text}` names no question, expected judge/NAME in lower-case letters, digits and `-`"
                )),
            };
        }
        Scorer::ALL
            .into_iter()
            .find(|s| s.name() == text)
            .ok_or_else(|| {
                let known: Vec<String> = Scorer::ALL.iter().map(Scorer::name).collect();
                format!(
                    "there is no scorer `{text}`, expected one of: {}, judge/NAME",
                    known.join(", ")
                )
            })
    }
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(text: &str) -> Result<Measure, String> {
        let (scorer, scale) = text.split_once('.').unwrap_or((text, ""));
        let measure = Measure::of(scorer.parse()?);
        if scale.is_empty() && !text.ends_with('.') {
            return Ok(measure);
        }
        let scale = match scale {
            "logit" => Scale::Logit,
            "cosine" => Scale::Raw,
            "clipscore" => Scale::ClipScore,
            _ => {
                return Err(format!(
                    "`{text}` has no such scale, expected .logit, .cosine or .clipscore"
                ));
            }
        };
        let found = measure
            .scales()
            .into_iter()
            .find(|m| m.scale == scale && m.scales().len() > 1);
        found.ok_or_else(|| format!("`{scorer}` has one scale only, expected `{scorer}`"))
    }
}

/// Written as their names.
macro_rules! by_name {
    ($($what:ident),*) => {$(
        impl Serialize for $what {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(&self.name())
            }
        }

        impl<'de> Deserialize<'de> for $what {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<$what, D::Error> {
                String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

by_name!(Scorer, Measure);

/// What became of scoring one item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreState {
    /// Nobody has tried, or its picture or text is another one since.
    #[default]
    Missing,
    /// There is a number.
    Scored,
    /// The answer could not be read as one: a third state, and no guess.
    Unparsed,
    /// The model would not answer.
    Refused,
    /// There is nothing to score: no picture, no wanted word.
    NotApplicable,
    /// It failed, for a reason that is kept.
    Failed,
}

impl ScoreState {
    /// All of them; the position is the stored code.
    pub const ALL: [ScoreState; 6] = [
        Self::Missing,
        Self::Scored,
        Self::Unparsed,
        Self::Refused,
        Self::NotApplicable,
        Self::Failed,
    ];

    /// The name used in rules and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Scored => "scored",
            Self::Unparsed => "unparsed",
            Self::Refused => "refused",
            Self::NotApplicable => "not-applicable",
            Self::Failed => "failed",
        }
    }

    /// The stored code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The state of a stored code; unknown ones are missing.
    pub fn from_code(code: u8) -> ScoreState {
        Self::ALL
            .get(usize::from(code))
            .copied()
            .unwrap_or_default()
    }
}

/// What a scorer said of one item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// What became of it.
    pub state: ScoreState,
    /// The number, where there is one, as it is stored ([`Scale::Raw`]).
    pub value: f32,
    /// What a person should know of it as one JSON object: the answer as it was, the words read, why it failed. Empty for
    /// nothing.
    pub detail: String,
}

impl Score {
    /// A number.
    pub fn scored(value: f32, detail: impl Into<String>) -> Score {
        Score {
            state: ScoreState::Scored,
            value,
            detail: detail.into(),
        }
    }

    /// Something else.
    pub fn other(state: ScoreState, detail: impl Into<String>) -> Score {
        Score {
            state,
            value: 0.0,
            detail: detail.into(),
        }
    }
}

/// What the rules make of an item. Nothing is deleted: it is shown first, or put aside.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// No rule doubts it.
    #[default]
    Kept,
    /// A person looks at it first.
    Flagged,
    /// It is put aside until somebody asks for it.
    Parked,
}

impl Outcome {
    /// All of them, mildest first; the position is the stored code.
    pub const ALL: [Outcome; 3] = [Self::Kept, Self::Flagged, Self::Parked];

    /// The word for it, as `filter:flagged` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Flagged => "flagged",
            Self::Parked => "parked",
        }
    }

    /// The outcome of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Outcome> {
        Self::ALL.into_iter().find(|o| o.name() == name)
    }

    /// The stored code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The outcome of a stored code; unknown ones are kept.
    pub fn from_code(code: u8) -> Outcome {
        Self::ALL
            .get(usize::from(code))
            .copied()
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_wrong_ones_name_the_right_ones() {
        let all = Scorer::ALL
            .into_iter()
            .chain([Scorer::Judge("v1-add".into())]);
        for measure in all.flat_map(|s| Measure::of(s).scales()) {
            assert_eq!(measure.name().parse::<Measure>().unwrap(), measure);
        }
        assert_eq!("clip".parse::<Measure>().unwrap().scale, Scale::Logit);
        assert_eq!("clip.logit".parse::<Measure>().unwrap().name(), "clip");
        for wrong in [
            "clop",
            "clip.",
            "clip.inches",
            "ocr.logit",
            "judge/",
            "judge/A b",
        ] {
            assert!(
                wrong.parse::<Measure>().unwrap_err().contains("expected"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn the_three_scales_of_clip_are_one_number() {
        let [logit, cosine, clipscore] =
            ["clip", "clip.cosine", "clip.clipscore"].map(|n| n.parse::<Measure>().unwrap());
        assert_eq!(logit.shown(0.25, 100.0), 25.0);
        assert_eq!(cosine.shown(0.25, 100.0), 0.25);
        assert_eq!(clipscore.shown(0.25, 100.0), 0.625);
        assert_eq!(clipscore.shown(-0.1, 100.0), 0.0);
        for measure in [&logit, &cosine, &clipscore] {
            assert_eq!(measure.stored(measure.shown(0.25, 100.0), 100.0), 0.25);
            assert_eq!(
                measure.shown(0.25, 100.0),
                measure.default_threshold(),
                "{measure}"
            );
        }
        assert_eq!(clipscore.stored(-1.0, 100.0), f32::NEG_INFINITY);
    }

    #[test]
    fn codes_read_back() {
        for state in ScoreState::ALL {
            assert_eq!(ScoreState::from_code(state.code()), state);
        }
        for outcome in Outcome::ALL {
            assert_eq!(
                (
                    Outcome::from_code(outcome.code()),
                    Outcome::from_name(outcome.name())
                ),
                (outcome, Some(outcome))
            );
        }
    }
}
