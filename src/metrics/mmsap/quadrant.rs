//! The knowledge quadrant: what a model knows, against whether it is aware of that.
//!
//! Source: Wang et al., "MM-SAP" (2024), section 3, whose scores count two of the four: known knowns (answered right, where there is
//! a right option: Basic and Knowledge) and known unknowns (declined, where declining is right: Knowledge and Beyond). Of what is
//! left, declining on Basic is an unknown known, since every model should answer there, and another option than the right one an
//! unknown unknown. Answers that are missing or cannot be read are in none of the four.

use super::{Given, Subset};
use crate::extract::Read;

/// Where an answer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quadrant {
    /// Answered right: Basic, Knowledge.
    KnownKnown,
    /// Declined on Basic, which can be answered.
    UnknownKnown,
    /// Declined rightly: Knowledge, Beyond.
    KnownUnknown,
    /// Answered, but not with the right option.
    UnknownUnknown,
    /// In none of the four: missing, or not readable.
    Unread,
}

impl Quadrant {
    /// All of them, in reading order of the usual drawing (known above unknown, aware before not aware), then those in none.
    pub const ALL: [Quadrant; 5] = [
        Quadrant::KnownKnown,
        Quadrant::UnknownKnown,
        Quadrant::KnownUnknown,
        Quadrant::UnknownUnknown,
        Quadrant::Unread,
    ];

    /// What the quadrant's answers are called: `known-knowns` and so on, `unread`.
    pub fn name(self) -> &'static str {
        match self {
            Quadrant::KnownKnown => "known-knowns",
            Quadrant::UnknownKnown => "unknown-knowns",
            Quadrant::KnownUnknown => "known-unknowns",
            Quadrant::UnknownUnknown => "unknown-unknowns",
            Quadrant::Unread => "unread",
        }
    }

    /// Where an answer stands.
    pub fn of(given: &Given) -> Quadrant {
        let declined = match given.said {
            None | Some(Read::Unparsed | Read::Yes | Read::No) => return Quadrant::Unread,
            Some(Read::Refused) => true,
            Some(Read::Option(at)) => at == given.refusal,
        };
        let right = given.correct.is_some() && given.said == given.correct.map(Read::Option);
        match (declined, given.subset) {
            (true, Subset::Basic) => Quadrant::UnknownKnown,
            (true, Subset::Knowledge | Subset::Beyond) => Quadrant::KnownUnknown,
            (false, Subset::Basic | Subset::Knowledge) if right => Quadrant::KnownKnown,
            (false, _) => Quadrant::UnknownUnknown,
        }
    }
}
