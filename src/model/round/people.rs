//! People who join or leave an open round.
//!
//! Nobody has a fixed share. Items go to whoever asks next, so the others take over what somebody
//! leaves undone. Verdicts of people who left still count, so they stay in the list of people.

use serde::{Deserialize, Serialize};

use super::Round;
use crate::error::{Error, Result};

/// A person joined or left an open round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeopleChange {
    pub who: String,
    /// The kind of change.
    pub act: PeopleAct,
    /// Time in milliseconds since 1970 UTC.
    pub at: i64,
    /// The annotator who made the change.
    pub by: String,
}

/// The kind of a [`PeopleChange`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeopleAct {
    /// Joined; gets items that are still open.
    Joined,
    /// Left; gets no more items, but past verdicts count.
    Left,
    /// Came back; gets items again.
    Back,
}

impl Round {
    /// Whether the round serves items to this person.
    pub fn is_active(&self, person: &str) -> bool {
        let last = self
            .changes
            .iter()
            .rev()
            .find(|change| change.who == person);
        self.has(person) && last.is_none_or(|change| change.act != PeopleAct::Left)
    }

    /// People who left.
    pub fn people_who_left(&self) -> Vec<String> {
        self.people
            .iter()
            .filter(|person| !self.is_active(person))
            .cloned()
            .collect()
    }

    /// Number of people at creation. Orders, repeats, and probes are based on it.
    pub fn initial_people(&self) -> usize {
        self.people.len()
            - self
                .changes
                .iter()
                .filter(|change| change.act == PeopleAct::Joined)
                .count()
    }

    /// Adds and removes people, at time `at` on behalf of `by`. On error nothing changes. Unless
    /// the round is `done`, at least as many people as the overlap must stay.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](super::super::error::ErrorKind::Input) at `people`: a person who is
    /// already in the round or is not, an invalid name, or too few people left.
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
            match (next.has(who), next.is_active(who)) {
                (_, true) => {
                    return refuse(
                        format!("`{who}` is already in the round"),
                        "add only new people",
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
            if !next.is_active(who) {
                let help = format!("people in this round: {}", next.people.join(", "));
                return refuse(format!("`{who}` is not in the round"), &help);
            }
            note(&mut next, who, PeopleAct::Left);
        }
        let stay = next
            .people
            .iter()
            .filter(|person| next.is_active(person))
            .count();
        if !done && stay < usize::from(next.overlap) {
            let what = format!(
                "{stay} people would stay, but each item needs {}",
                next.overlap
            );
            return refuse(what, "add people in the same command");
        }
        next.check()?;
        *self = next;
        Ok(())
    }
}
