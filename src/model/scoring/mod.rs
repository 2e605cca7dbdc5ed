//! Automatic scores as plain data: scorers and their scales, score states, rules, and the filter
//! bench.

pub mod job;
pub mod queries;
pub mod rules;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Minimum cosine of near pictures, unless another is set.
pub const NEAR: f32 = 0.9;

/// A source of scores.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scorer {
    /// Image-text consistency by CLIP (Dysca, section 3.3): the cosine of picture and prompt.
    Clip,
    /// Image-text consistency by SigLIP.
    Siglip,
    /// Whether the expected word is readable in the picture (Dysca's text subtask and print
    /// attacks): 1 minus the normalized edit distance.
    Ocr,
    /// The safety checker of Stable Diffusion: the highest concept score relative to its threshold.
    /// Above 0 is unsafe.
    Safety,
    /// A named question to a vision-language model (VLB's judge): 1 pass, 0 fail.
    Judge(String),
    /// AutoBench-V's self-validation S_a: the share of right answers to questions about the
    /// prompt's elements.
    Alignment,
    /// Dysca's step 3: of the chosen models that answered, the share that got the item wrong.
    Consensus,
    /// The largest cosine to another picture of the project or of the reference folders (VLB,
    /// section 3).
    Duplicate,
    /// Image-text contamination (VLB, section 3): of an item whose picture is near to one of the
    /// reference folders, whether that picture's caption answers the question. 1 if it does.
    Contamination,
    /// Standard deviation of the picture's lightness, 0 to 127.5. Blank and near-uniform pictures
    /// have low values.
    Flatness,
    /// Whether the question contains the words of the answer: 1 if it does.
    Leakage,
    /// How often models got the item right without the picture.
    Blind,
}

/// The end of a score that is suspicious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuspiciousEnd {
    Low,
    High,
}

impl Scorer {
    /// All scorers but judges, in display order.
    pub const ALL: [Scorer; 11] = [
        Scorer::Clip,
        Scorer::Siglip,
        Scorer::Ocr,
        Scorer::Safety,
        Scorer::Alignment,
        Scorer::Consensus,
        Scorer::Duplicate,
        Scorer::Contamination,
        Scorer::Flatness,
        Scorer::Leakage,
        Scorer::Blind,
    ];

    /// The name in rules, commands, and JSON: `clip`, `judge/NAME`.
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
            Scorer::Contamination => "contamination".into(),
            Scorer::Flatness => "flatness".into(),
            Scorer::Leakage => "leakage".into(),
            Scorer::Blind => "blind".into(),
        }
    }

    /// A one-line description.
    pub fn help(&self) -> &'static str {
        match self {
            Scorer::Clip => "CLIP: how well the picture matches its prompt",
            Scorer::Siglip => "SigLIP: how well the picture matches its prompt",
            Scorer::Ocr => "Tesseract: whether the expected word is readable in the picture",
            Scorer::Safety => "safety checker: highest concept score relative to its threshold",
            Scorer::Judge(_) => "judge: 1 pass, 0 fail",
            Scorer::Alignment => {
                "self-validation S_a: share of the prompt's elements found in the picture"
            }
            Scorer::Consensus => "model consensus: share of the chosen models that got it wrong",
            Scorer::Duplicate => "near duplicates: largest cosine to another picture",
            Scorer::Contamination => {
                "contamination: 1 if the caption of a near reference picture answers the question"
            }
            Scorer::Flatness => "blank pictures: standard deviation of lightness",
            Scorer::Leakage => "answer leakage: 1 if the question contains the answer",
            Scorer::Blind => "blind prior: how often models are right without the picture",
        }
    }

    /// The suspicious end of its scores.
    pub fn suspicious_end(&self) -> SuspiciousEnd {
        match self {
            Scorer::Safety
            | Scorer::Consensus
            | Scorer::Duplicate
            | Scorer::Contamination
            | Scorer::Leakage
            | Scorer::Blind => SuspiciousEnd::High,
            _ => SuspiciousEnd::Low,
        }
    }

    /// Whether it asks the judge's servers.
    pub fn asks_judge(&self) -> bool {
        matches!(
            self,
            Scorer::Judge(_) | Scorer::Alignment | Scorer::Contamination
        )
    }

    /// Whether it adds embeddings of pictures to a file, which has one writer.
    pub fn embeds_pictures(&self) -> bool {
        matches!(self, Scorer::Duplicate | Scorer::Contamination)
    }

    /// Whether it uses pictures.
    pub fn uses_pictures(&self) -> bool {
        !matches!(self, Scorer::Consensus | Scorer::Leakage | Scorer::Blind)
    }
}

/// The scale of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scale {
    /// As the scorer computes it; for CLIP and SigLIP the raw cosine. SigLIP has no other scale,
    /// since its logits have a bias; its probability is in the score's details.
    Raw,
    /// The cosine times the model's logit scale (100 for CLIP), which Dysca's released code
    /// compares with 25.
    Logit,
    /// CLIPScore, 2.5 max(cosine, 0) (Hessel et al. 2021, eq. 1). The paper's threshold of 0.75 may
    /// refer to it.
    ClipScore,
}

/// A scorer with a scale, as used in rules and in the Filters pane.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Measure {
    pub scorer: Scorer,
    pub scale: Scale,
}

/// The factor of CLIPScore (Hessel et al. 2021, eq. 1).
const CLIP_SCORE: f32 = 2.5;

impl Measure {
    /// A scorer on its default scale: the logit for CLIP, so that a threshold of 25 works.
    pub fn with_default_scale(scorer: Scorer) -> Measure {
        let scale = if scorer == Scorer::Clip {
            Scale::Logit
        } else {
            Scale::Raw
        };
        Measure { scorer, scale }
    }

    /// The name: `clip` (logits), `clip.cosine`, `clip.clipscore`, `judge/NAME`.
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

    /// Converts a stored value to this scale. `logit` is the model's logit scale.
    pub fn shown(&self, value: f32, logit: f32) -> f32 {
        match self.scale {
            Scale::Raw => value,
            Scale::Logit => value * logit,
            Scale::ClipScore => CLIP_SCORE * value.max(0.0),
        }
    }

    /// Converts a value on this scale to a stored value. A CLIPScore of 0 or less maps to negative
    /// infinity, below all values.
    pub fn from_scale(&self, shown: f32, logit: f32) -> f32 {
        match self.scale {
            Scale::Raw => shown,
            Scale::Logit => shown / logit,
            Scale::ClipScore if shown <= 0.0 => f32::NEG_INFINITY,
            Scale::ClipScore => shown / CLIP_SCORE,
        }
    }

    /// The scales of its scorer, this one first.
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

    /// The default threshold on this scale.
    pub fn default_threshold(&self) -> f32 {
        match (&self.scorer, self.scale) {
            // Dysca's released code removes items with logits of at most 25.
            (Scorer::Clip, Scale::Logit) => 25.0,
            (Scorer::Clip, Scale::Raw) => 0.25,
            (Scorer::Clip, Scale::ClipScore) => 0.625,
            (Scorer::Siglip, _) => 0.05,
            (Scorer::Ocr, _) => 0.8,
            (Scorer::Safety, _) => 0.0,
            (Scorer::Duplicate, _) => NEAR,
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
                    "invalid scorer `{text}`, expected judge/NAME with lowercase letters, digits, and `-`"
                )),
            };
        }
        Scorer::ALL
            .into_iter()
            .find(|s| s.name() == text)
            .ok_or_else(|| {
                let known: Vec<String> = Scorer::ALL.iter().map(Scorer::name).collect();
                format!(
                    "unknown scorer `{text}`, expected one of: {}, judge/NAME",
                    known.join(", ")
                )
            })
    }
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(text: &str) -> Result<Measure, String> {
        let (scorer, scale) = text.split_once('.').unwrap_or((text, ""));
        let measure = Measure::with_default_scale(scorer.parse()?);
        if scale.is_empty() && !text.ends_with('.') {
            return Ok(measure);
        }
        let scale = match scale {
            "logit" => Scale::Logit,
            "cosine" => Scale::Raw,
            "clipscore" => Scale::ClipScore,
            _ => {
                return Err(format!(
                    "unknown scale in `{text}`, expected .logit, .cosine, or .clipscore"
                ));
            }
        };
        let found = measure
            .scales()
            .into_iter()
            .find(|m| m.scale == scale && m.scales().len() > 1);
        found.ok_or_else(|| format!("`{scorer}` has only one scale, expected `{scorer}`"))
    }
}

/// Serializes as the name.
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

// All states. The position is the stored code.
named! {
    /// The state of an item's score.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ScoreState {
        /// Not scored yet, or the picture or text has changed since.
        #[default]
        Missing = "missing",
        /// Has a number.
        Scored = "scored",
        /// The answer could not be read. It counts as neither pass nor fail.
        Unparsed = "unparsed",
        /// The model refused to answer.
        Refused = "refused",
        /// Nothing to score: no picture, or no expected word.
        NotApplicable = "not-applicable",
        /// Failed, with the reason in the details.
        Failed = "failed",
    }
}

impl ScoreState {
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The state with this stored code; unknown codes are missing.
    pub fn from_code(code: u8) -> ScoreState {
        Self::ALL
            .get(usize::from(code))
            .copied()
            .unwrap_or_default()
    }
}

/// A score of one item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    pub state: ScoreState,
    /// The number on the stored scale ([`Scale::Raw`]), if there is one.
    pub value: f32,
    /// Details as one JSON object, such as the raw answer, the words read, or the error; may be
    /// empty.
    pub detail: String,
}

impl Score {
    pub fn scored(value: f32, detail: impl Into<String>) -> Score {
        Score {
            state: ScoreState::Scored,
            value,
            detail: detail.into(),
        }
    }

    /// A score without a number.
    pub fn without_number(state: ScoreState, detail: impl Into<String>) -> Score {
        Score {
            state,
            value: 0.0,
            detail: detail.into(),
        }
    }
}

// All outcomes, mildest first. The position is the stored code.
named! {
    /// The outcome of the rules for an item. Nothing is deleted.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum Outcome {
        /// No rule matches.
        #[default]
        Kept = "kept",
        /// A person reviews it first.
        Flagged = "flagged",
        /// Quarantined until somebody asks for it.
        Parked = "parked",
    }
}

impl Outcome {
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The outcome with this stored code; unknown codes are kept.
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
    fn names_round_trip_and_unknown_ones_fail() {
        let all = Scorer::ALL
            .into_iter()
            .chain([Scorer::Judge("v1-add".into())]);
        for measure in all.flat_map(|s| Measure::with_default_scale(s).scales()) {
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
    fn clip_scales_convert() {
        let [logit, cosine, clipscore] =
            ["clip", "clip.cosine", "clip.clipscore"].map(|n| n.parse::<Measure>().unwrap());
        assert_eq!(logit.shown(0.25, 100.0), 25.0);
        assert_eq!(cosine.shown(0.25, 100.0), 0.25);
        assert_eq!(clipscore.shown(0.25, 100.0), 0.625);
        assert_eq!(clipscore.shown(-0.1, 100.0), 0.0);
        for measure in [&logit, &cosine, &clipscore] {
            assert_eq!(measure.from_scale(measure.shown(0.25, 100.0), 100.0), 0.25);
            assert_eq!(
                measure.shown(0.25, 100.0),
                measure.default_threshold(),
                "{measure}"
            );
        }
        assert_eq!(clipscore.from_scale(-1.0, 100.0), f32::NEG_INFINITY);
    }

    #[test]
    fn codes_round_trip() {
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
