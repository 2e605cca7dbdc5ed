//! People who join a round that goes on, and who leave it.
//!
//! Nobody has a fixed share: an item is given to whoever asks first, so what somebody leaves undone is free for the others. Their
//! verdicts go on counting, and so they stay in the list of people.

use serde::{Deserialize, Serialize};

use super::Round;
use crate::error::{Error, Result};

/// Somebody joined a round that goes on, or left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeopleChange {
    /// The annotator.
    pub who: String,
    /// What they did.
    pub act: PeopleAct,
    /// When: milliseconds since 1970 UTC.
    pub at: i64,
    /// Who had it so.
    pub by: String,
}

/// What somebody did who joined a round or left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeopleAct {
    /// They are given items that others have left.
    Joined,
    /// They are given nothing any more; their verdicts go on counting.
    Left,
    /// They are given items again.
    Back,
}

impl Round {
    /// Whether this person is given items of it.
    pub fn gives(&self, person: &str) -> bool {
        let last = self
            .changes
            .iter()
            .rev()
            .find(|change| change.who == person);
        self.has(person) && last.is_none_or(|change| change.act != PeopleAct::Left)
    }

    /// Those who left it.
    pub fn left(&self) -> Vec<String> {
        self.people
            .iter()
            .filter(|person| !self.gives(person))
            .cloned()
            .collect()
    }

    /// How many people it was drawn for: orders and what is mixed in stay as they were drawn.
    pub fn drawn_for(&self) -> usize {
        self.people.len()
            - self
                .changes
                .iter()
                .filter(|change| change.act == PeopleAct::Joined)
                .count()
    }

    /// These people join it and those leave it, at `at`, as `by` has it; nothing is changed where that is refused. While it is not `done`, as many
    /// as judge each item must stay.
    ///
    /// # Errors
    /// [`Kind::Input`](super::error::Kind::Input) at `people`: somebody who is in it already or is not, a name that cannot be one, too few who stay.
    pub fn change(
        &mut self,
        (add, remove): (&[String], &[String]),
        done: bool,
        by: &str,
        at: i64,
    ) -> Result<()> {
        let refuse = |what: String, help: &str| Err(Error::input(what).field("people").help(help));
        let mut next = self.clone();
        let note = |next: &mut Round, who: &str, act| {
            next.changes.push(PeopleChange {
                who: who.into(),
                act,
                at,
                by: by.into(),
            });
        };
        for who in add {
            match (next.has(who), next.gives(who)) {
                (_, true) => {
                    return refuse(
                        format!("`{who}` is in the round already"),
                        "name only who joins",
                    );
                }
                (true, false) => note(&mut next, who, PeopleAct::Back),
                (false, _) => {
                    next.people.push(who.clone());
                    note(&mut next, who, PeopleAct::Joined);
                }
            }
        }
        for who in remove {
            if !next.gives(who) {
                let help = format!("it is for {}", next.people.join(", "));
                return refuse(format!("`{who}` is not in the round"), &help);
            }
            note(&mut next, who, PeopleAct::Left);
        }
        let stay = next
            .people
            .iter()
            .filter(|person| next.gives(person))
            .count();
        if !done && stay < usize::from(next.overlap) {
            let what = format!(
                "{stay} people would stay, and each item is to be judged by {}",
                next.overlap
            );
            return refuse(what, "add somebody in the same step");
        }
        next.check()?;
        *self = next;
        Ok(())
    }
}
