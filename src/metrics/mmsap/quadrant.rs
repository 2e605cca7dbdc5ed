//! The knowledge quadrants: what a model knows against whether it is aware of that.
//!
//! Source: Wang et al., "MM-SAP" (2024), section 3. The paper's scores count two of the four: known
//! knowns (right answers, if there is a right option: Basic and Knowledge) and known unknowns
//! (refusals, if declining is right: Knowledge and Beyond). Of the rest, a refusal on Basic is an
//! unknown known, because every model should answer there; an option other than the right one is an
//! unknown unknown. Missing and unparsed answers are in none of the four.

use super::{GivenAnswer, Subset};
use crate::extract::Read;

/// The quadrant of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quadrant {
    /// Right answers: Basic, Knowledge.
    KnownKnown,
    /// Refusals on Basic, which can be answered.
    UnknownKnown,
    /// Right refusals: Knowledge, Beyond.
    KnownUnknown,
    /// Answers with another option than the right one.
    UnknownUnknown,
    /// In none of the four: missing or unparsed.
    Unread,
}

benchtop_model::named!(Quadrant {
    KnownKnown: "known-knowns",
    UnknownKnown: "unknown-knowns",
    KnownUnknown: "known-unknowns",
    UnknownUnknown: "unknown-unknowns",
    Unread: "unread",
});

impl Quadrant {
    /// The quadrant of an answer.
    pub fn of(given: &GivenAnswer) -> Quadrant {
        let declined = match given.read {
            None | Some(Read::Unparsed | Read::Yes | Read::No) => return Quadrant::Unread,
            Some(Read::Refused) => true,
            Some(Read::Option(at)) => at == given.refusal,
        };
        let right = given.correct.is_some() && given.read == given.correct.map(Read::Option);
        match (declined, given.subset) {
            (true, Subset::Basic) => Quadrant::UnknownKnown,
            (true, Subset::Knowledge | Subset::Beyond) => Quadrant::KnownUnknown,
            (false, Subset::Basic | Subset::Knowledge) if right => Quadrant::KnownKnown,
            (false, _) => Quadrant::UnknownUnknown,
        }
    }
}
