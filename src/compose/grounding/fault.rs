//! What can be wrong with a reply.

use std::fmt;

benchtop_model::named! {
    /// The kind of a fault, by the name that journals and reports have.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum FaultKind {
        /// The reply has no text.
        Empty = "empty",
        /// The reply has no JSON: words only, such as a refusal.
        NoJson = "no-json",
        /// The JSON ends early. What was complete is read.
        Unfinished = "unfinished",
        /// The JSON has no entries.
        NoEntries = "no-entries",
        /// Pixels and thousandths are both possible, and the reply does not say which it uses.
        Ambiguous = "ambiguous",
        /// The stated size is not that of the picture at any scale.
        Size = "size",
        /// More or fewer entries than asked for.
        Count = "count",
        /// An entry without a name, or with one that is too long.
        Name = "name",
        /// An entry without a box of four numbers.
        Box = "box",
        /// A box in another order of numbers.
        Order = "order",
        /// An empty box, or one that is turned over.
        Degenerate = "degenerate",
        /// A box outside of the picture.
        Outside = "outside",
        /// A box in which nothing can be painted.
        TooSmall = "too-small",
        /// A box over most of the picture.
        TooLarge = "too-large",
        /// An entry that is there already.
        Twice = "twice",
        /// Not the number of a mark.
        Mark = "mark",
    }
}

/// Something that is wrong with a reply or with one of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// The entry, from 1; `None` if it concerns the whole reply.
    pub entry: Option<usize>,
    /// One line.
    pub what: String,
}

impl Fault {
    pub(super) fn of_reply(kind: FaultKind, what: impl Into<String>) -> Fault {
        let what = what.into();
        Fault {
            kind,
            entry: None,
            what,
        }
    }

    /// `at` counts from 0.
    pub(super) fn of_entry(at: usize, kind: FaultKind, what: impl Into<String>) -> Fault {
        Fault {
            entry: Some(at + 1),
            ..Fault::of_reply(kind, what)
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entry {
            Some(entry) => write!(f, "entry {entry}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}
