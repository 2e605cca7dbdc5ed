//! An item as it was painted and seen.

use benchtop_model::{Judgement, PictureSeen, Seen, Verdict};

/// What frames have painted of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Painted {
    pub number: u32,
    pub rev: u64,
    /// The revision of its text.
    pub text_rev: u64,
    /// Whether no picture is still loading.
    pub ready: bool,
    /// The state of each picture.
    pub pictures: Vec<PictureSeen>,
}

impl Painted {
    /// Adds what an earlier frame painted of the same revision.
    pub fn after(mut self, earlier: Option<&Painted>) -> Painted {
        let same = earlier.filter(|e| (e.number, e.rev) == (self.number, self.rev));
        for (state, before) in self
            .pictures
            .iter_mut()
            .zip(same.iter().flat_map(|e| &e.pictures))
        {
            if *before == PictureSeen::Painted || *state == PictureSeen::NotPainted {
                *state = *before;
            }
        }
        self
    }
}

/// An item as the annotator saw it before giving a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewed {
    pub number: u32,
    /// The revision on the screen.
    pub rev: u64,
    /// The revision of the text on the screen.
    pub text_rev: u64,
    pub seen: Seen,
    /// Milliseconds from painting to the key.
    pub ms: Option<u32>,
    /// The state of each picture.
    pub pictures: Vec<PictureSeen>,
}

impl Viewed {
    /// A verdict with this record.
    pub fn judgement(&self, verdict: Verdict) -> Judgement {
        Judgement {
            ms: self.ms,
            pictures: self.pictures.clone(),
            ..Judgement::new(verdict, self.seen)
        }
    }

    /// A note that the terminal did not confirm the frame.
    pub fn unconfirmed(&self) -> Option<&'static str> {
        let said = "your terminal does not respond; the verdict is marked `seen:unconfirmed`";
        (self.seen == Seen::Unconfirmed).then_some(said)
    }

    /// The pictures that were not painted, in words.
    pub fn unseen(&self) -> Option<String> {
        PictureSeen::describe_unseen(&self.pictures)
    }
}
