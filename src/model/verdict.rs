//! Verdicts and decisions. They are events and are never overwritten.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::comment::CommentAct;
use super::mark::Mark;

named! {
    /// An annotator's verdict on an item.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Verdict {
        /// Good as it is.
        Accept = "accept",
        /// Must not be used; reasons say why.
        Reject = "reject",
        /// Usable after the change described in the note.
        Fix = "fix",
        /// No verdict now.
        Skip = "skip",
        /// Somebody else should look.
        Flag = "flag",
        /// Examined, but undecidable.
        Unsure = "unsure",
        /// The question was answered, as the round asked: [`Judgement::answer`].
        Answer = "answer",
    }
}

/// How certain it is that the annotator had the item on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// The terminal confirmed that the item was drawn.
    Painted,
    /// Confirmed, but not all pictures were drawn; see [`Judgement::pictures`].
    Partly,
    /// The terminal does not send confirmations; the verdict was accepted after a timeout.
    Unconfirmed,
    /// From a script, without a screen.
    Script,
}

named! {
    /// Whether a picture of the item was on screen when its verdict was given.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum PictureSeen {
        /// Drawn.
        Painted = "painted",
        /// Not drawn, because another picture was in its place or there was no room.
        NotPainted = "not-painted",
        /// The file does not exist.
        Missing = "missing",
        /// The file cannot be decoded or does not match the recorded hash.
        Broken = "broken",
    }
}

impl PictureSeen {
    /// Describes the pictures that were not drawn; `None` if all were.
    pub fn describe_unseen(pictures: &[PictureSeen]) -> Option<String> {
        let of = pictures.len();
        let describe = |(at, state): (usize, &PictureSeen)| {
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
        let unseen: Vec<String> = pictures.iter().enumerate().filter_map(describe).collect();
        (!unseen.is_empty()).then(|| unseen.join(", "))
    }
}

/// A verdict with its circumstances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    pub verdict: Verdict,
    /// Keys of the reasons, from `benchtop.toml`.
    pub reasons: Vec<String>,
    /// Keys of the tags, from `benchtop.toml`. Any verdict can have some.
    pub tags: Vec<String>,
    /// Places on the pictures that the verdict is about.
    pub marks: Vec<Mark>,
    pub note: Option<String>,
    /// Milliseconds from the item's appearance to the key press, without network latency.
    pub ms: Option<u32>,
    /// Whether the item was on screen.
    pub seen: Seen,
    /// State of each of the item's pictures on screen, in the item's order. Empty for items without
    /// pictures, scripts, and verdicts from earlier versions.
    pub pictures: Vec<PictureSeen>,
    /// The answer: an option's letter, or a text.
    pub answer: Option<String>,
    /// The round; `None` outside of rounds.
    #[serde(rename = "asked")]
    pub round: Option<RoundContext>,
}

impl Judgement {
    /// A verdict without reasons, tags, marks, note, or round.
    pub fn new(verdict: Verdict, seen: Seen) -> Judgement {
        Judgement {
            verdict,
            reasons: Vec::new(),
            tags: Vec::new(),
            marks: Vec::new(),
            note: None,
            ms: None,
            seen,
            pictures: Vec::new(),
            answer: None,
            round: None,
        }
    }
}

/// The round of a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundContext {
    /// Name of the round.
    pub round: String,
    /// Part of the round.
    pub part: Part,
    /// Version of the guidelines shown: the first 8 hex digits of their BLAKE3 hash.
    pub guidelines: Option<String>,
    /// Whether verdicts of others or machine results had been shown before.
    pub revealed: bool,
}

named! {
    /// The purpose of a verdict in a round.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum Part {
        /// Decides the item.
        #[default]
        Main = "main",
        /// Decides again, after verdicts of others or machine results were shown.
        Revision = "revision",
        /// Checks consistency with the same person's first verdict; does not decide.
        Repeat = "repeat",
        /// Checks attention on a gold item, unmarked; does not decide.
        Probe = "probe",
        /// Practice on a gold item with feedback; does not decide.
        Calibration = "calibration",
        /// Settles a disagreement.
        Adjudication = "adjudication",
    }
}

impl Part {
    /// Whether it can change the status of the item.
    pub fn decides(self) -> bool {
        matches!(self, Self::Main | Self::Revision | Self::Adjudication)
    }
}

/// The kind of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// A verdict.
    Judge(Judgement),
    /// Undoes the decision with this uuid.
    Undo(Uuid),
    /// Redoes the undone decision with this uuid.
    Redo(Uuid),
    /// An event of the item's thread of comments. It changes no verdict.
    Comment(CommentAct),
}

/// A line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Receipt. Resending it has no effect.
    pub uuid: Uuid,
    /// Project revision after it, which increases by one with every decision of anyone.
    pub rev: u64,
    /// Time in milliseconds since 1970 UTC, by the owner's clock.
    pub at: i64,
    pub who: String,
    /// Item id.
    pub item: String,
    /// Digest of what was judged ([`super::Item::digest`]); `None` for undo, redo, and older lines.
    pub on: Option<String>,
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
    fn unseen_pictures_are_numbered() {
        for state in PictureSeen::ALL {
            assert_eq!(PictureSeen::from_name(state.name()), Some(state));
        }
        assert_eq!(PictureSeen::describe_unseen(&[]), None);
        assert_eq!(PictureSeen::describe_unseen(&[Painted, Painted]), None);
        assert_eq!(
            PictureSeen::describe_unseen(&[Missing]).unwrap(),
            "the picture is missing"
        );
        let said = PictureSeen::describe_unseen(&[Broken, Painted, NotPainted]).unwrap();
        assert_eq!(
            said,
            "picture 1 of 3 is broken, picture 3 of 3 was not shown"
        );
    }
}
