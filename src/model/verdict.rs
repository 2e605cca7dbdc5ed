//! What people decided: events, never overwritten.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What an annotator says of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is good as it is.
    Accept,
    /// It must not be used; reasons say why.
    Reject,
    /// It can be used once what the note says is changed.
    Fix,
    /// No verdict now; come back to it.
    Skip,
    /// Somebody else should look.
    Flag,
    /// It was looked at and cannot be told.
    Unsure,
    /// Its question was answered, as a round asked: [`Judgement::answer`].
    Answer,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Verdict; 7] = [
        Self::Accept,
        Self::Reject,
        Self::Fix,
        Self::Skip,
        Self::Flag,
        Self::Unsure,
        Self::Answer,
    ];

    /// The name used in journals and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Fix => "fix",
            Self::Skip => "skip",
            Self::Flag => "flag",
            Self::Unsure => "unsure",
            Self::Answer => "answer",
        }
    }

    /// The verdict of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|v| v.name() == name)
    }
}

/// How sure we are that the annotator had the item on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// The terminal answered after the item was painted.
    Painted,
    /// The same, but not every picture of the item was painted: [`Judgement::pictures`] says which.
    Partly,
    /// The terminal does not answer; the time-out let the verdict through.
    Unconfirmed,
    /// Came from a script, no screen involved.
    Script,
}

/// What became of one picture of an item on the screen that its verdict was given at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureSeen {
    /// It was painted.
    Painted,
    /// It could have been painted, but another one stood in its place or there was no room for it.
    NotPainted,
    /// Its file is not there.
    Missing,
    /// Its file is there and cannot be shown: it cannot be decoded, or its bytes are not those that were recorded.
    Broken,
}

impl PictureSeen {
    /// All of them.
    pub const ALL: [PictureSeen; 4] =
        [Self::Painted, Self::NotPainted, Self::Missing, Self::Broken];

    /// The name used in journals, CSV and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Painted => "painted",
            Self::NotPainted => "not-painted",
            Self::Missing => "missing",
            Self::Broken => "broken",
        }
    }

    /// The one of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<PictureSeen> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Which of an item's pictures were not painted, as a person reads it; `None` where all were.
    pub fn unseen(pictures: &[PictureSeen]) -> Option<String> {
        let of = pictures.len();
        let words = |(at, state): (usize, &PictureSeen)| {
            let what = match state {
                Self::Painted => return None,
                Self::NotPainted => "was not shown",
                Self::Missing => "is missing",
                Self::Broken => "is broken",
            };
            Some(if of == 1 {
                format!("the picture {what}")
            } else {
                format!("picture {} of {of} {what}", at + 1)
            })
        };
        let said: Vec<String> = pictures.iter().enumerate().filter_map(words).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }
}

/// One verdict with its circumstances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Keys of the reasons chosen (declared in `benchtop.toml`).
    pub reasons: Vec<String>,
    /// A free note.
    pub note: Option<String>,
    /// Milliseconds from the item being seen to the key, without the line's lag.
    pub ms: Option<u32>,
    /// Whether the item was on screen.
    pub seen: Seen,
    /// What became of each of the item's pictures there, in the item's order. Empty for items without pictures, scripts
    /// and verdicts of earlier programs.
    pub pictures: Vec<PictureSeen>,
    /// What was answered: a letter of the options, or a text.
    pub answer: Option<String>,
    /// The round that asked for it; none for a verdict outside rounds.
    pub asked: Option<Asked>,
}

impl Judgement {
    /// A verdict and no more.
    pub fn new(verdict: Verdict, seen: Seen) -> Judgement {
        Judgement {
            verdict,
            reasons: Vec::new(),
            note: None,
            ms: None,
            seen,
            pictures: Vec::new(),
            answer: None,
            asked: None,
        }
    }
}

/// The round that a verdict belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Name of the round.
    pub round: String,
    /// Which part of it.
    pub part: Part,
    /// Version of the guidelines that lay beside the item: the first eight hex digits of their BLAKE3.
    pub guidelines: Option<String>,
    /// What others or a machine said of the item had been shown before.
    pub revealed: bool,
}

/// What a verdict in a round is for.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// To decide of the item.
    #[default]
    Main,
    /// To decide of it again, after others' verdicts or a machine's were shown.
    Revision,
    /// To see whether the same person says the same twice; decides nothing.
    Repeat,
    /// To see whether a known item is told right; decides nothing.
    Probe,
    /// Practice on a known item, with an answer at once; decides nothing.
    Calibration,
    /// To settle what others disagree on.
    Adjudication,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 6] = [
        Self::Main,
        Self::Revision,
        Self::Repeat,
        Self::Probe,
        Self::Calibration,
        Self::Adjudication,
    ];

    /// The name used in journals and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Revision => "revision",
            Self::Repeat => "repeat",
            Self::Probe => "probe",
            Self::Calibration => "calibration",
            Self::Adjudication => "adjudication",
        }
    }

    /// Whether it can make or change the status of its item.
    pub fn decides(self) -> bool {
        matches!(self, Self::Main | Self::Revision | Self::Adjudication)
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// A verdict was given.
    Judge(Judgement),
    /// The decision with this uuid no longer counts.
    Undo(Uuid),
    /// The undone decision with this uuid counts again.
    Redo(Uuid),
}

/// One line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Its receipt: resending the same uuid changes nothing.
    pub uuid: Uuid,
    /// Revision of the project after it, rising by one with every decision of anyone.
    pub rev: u64,
    /// When, in milliseconds since 1970 UTC, by the owner's clock.
    pub at: i64,
    /// Who.
    pub who: String,
    /// Id of the item.
    pub item: String,
    /// What was judged, where it is a verdict: [`super::Item::digest`]. Lines of earlier programs have none.
    pub on: Option<String>,
    /// What.
    pub act: Act,
}

/// A verdict that counts, as it is shown beside its item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectiveVerdict {
    /// Its receipt.
    pub uuid: Uuid,
    /// Revision of the project it made.
    pub rev: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who gave it.
    pub who: String,
    /// What was said.
    pub judgement: Judgement,
}

#[cfg(test)]
mod tests {
    use super::PictureSeen::{Broken, Missing, NotPainted, Painted};
    use super::*;

    #[test]
    fn pictures_that_were_not_painted_are_told_by_their_number() {
        for state in PictureSeen::ALL {
            assert_eq!(PictureSeen::from_name(state.name()), Some(state));
        }
        assert_eq!(PictureSeen::unseen(&[]), None);
        assert_eq!(PictureSeen::unseen(&[Painted, Painted]), None);
        assert_eq!(
            PictureSeen::unseen(&[Missing]).unwrap(),
            "the picture is missing"
        );
        let said = PictureSeen::unseen(&[Broken, Painted, NotPainted]).unwrap();
        assert_eq!(
            said,
            "picture 1 of 3 is broken, picture 3 of 3 was not shown"
        );
    }
}
