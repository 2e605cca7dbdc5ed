//! The verdicts that agreement is computed from, read in parts so that no decision waits long.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::visibility::AnnotatorView;
use benchtop_model::verdict::Part;
use benchtop_model::{Error, ErrorKind, Result, Verdict};
use benchtop_store::Ledger;

/// Verdicts that are read under one lock: a decision waits no longer than for these.
const AT_ONCE: usize = 8192;

/// A verdict that counts, without its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    pub(super) row: u32,
    /// Position in [`Collected::people`].
    pub(super) person: u16,
    pub(super) part: Part,
    pub(super) verdict: Verdict,
    /// Position in [`Collected::answers`], where it is an answer.
    pub(super) answer: Option<u32>,
    /// Position in [`Collected::versions`] of the guidelines it was given under.
    pub(super) guidelines: Option<u32>,
    /// What others say had been sent before.
    pub(super) revealed: bool,
    pub(super) at: i64,
}

/// The verdicts of a round, or those outside of rounds.
pub(super) struct Collected {
    /// The people of the round in its order, then whoever else said something, by name.
    pub(super) people: Vec<String>,
    /// In the order they were given.
    pub(super) said: Vec<Said>,
    /// The different answers, as they are compared: without blanks around them and in lower case.
    pub(super) answers: Vec<String>,
    /// The different versions of guidelines.
    pub(super) versions: Vec<String>,
}

/// Numbers for texts, in the order they come.
#[derive(Default)]
struct Numbers(HashMap<String, u32>);

impl Numbers {
    fn of(&mut self, text: &str) -> u32 {
        if let Some(number) = self.0.get(text) {
            return *number;
        }
        let next = self.0.len() as u32;
        self.0.insert(text.to_string(), next);
        next
    }

    fn texts(self) -> Vec<String> {
        let mut texts = vec![String::new(); self.0.len()];
        self.0
            .into_iter()
            .for_each(|(text, at)| texts[at as usize] = text);
        texts
    }
}

/// Shows all verdicts that were ever given, some at a time; the lock is let go in between.
///
/// # Errors
/// [`ErrorKind::Cancelled`].
pub(super) fn walk(
    sight: &AnnotatorView,
    cancelled: &dyn Fn() -> bool,
    each: &mut dyn FnMut(&Ledger, Range<usize>),
) -> Result<()> {
    let mut from = 0;
    loop {
        if cancelled() {
            return Err(Error::new(
                ErrorKind::Cancelled,
                "nobody waits for it any more",
            ));
        }
        let ledger = sight.items.ledger();
        if from >= ledger.given() {
            return Ok(());
        }
        each(&ledger, from..from + AT_ONCE);
        from += AT_ONCE;
    }
}

/// What was said in a round, whose `people` come first, or outside of rounds.
///
/// # Errors
/// [`ErrorKind::Cancelled`].
pub(super) fn collect(
    sight: &AnnotatorView,
    round: Option<&str>,
    people: &[String],
    cancelled: &dyn Fn() -> bool,
) -> Result<Collected> {
    let items = sight.items.catalog().len() as u32;
    let mut out = Collected {
        people: people.to_vec(),
        said: Vec::new(),
        answers: Vec::new(),
        versions: Vec::new(),
    };
    let (mut answers, mut versions) = (Numbers::default(), Numbers::default());
    walk(sight, cancelled, &mut |ledger, places| {
        let mut numbers: HashMap<u16, u16> = HashMap::new();
        for told in ledger.told(places) {
            let asked = told.judgement.asked.as_ref();
            if asked.map(|asked| asked.round.as_str()) != round || told.row >= items {
                continue;
            }
            let person = *numbers
                .entry(told.person)
                .or_insert_with(|| number(&mut out.people, ledger, told.person));
            let answer = told
                .judgement
                .answer
                .as_ref()
                .filter(|_| told.judgement.verdict == Verdict::Answer);
            out.said.push(Said {
                row: told.row,
                person,
                part: asked.map_or(Part::Main, |asked| asked.part),
                verdict: told.judgement.verdict,
                answer: answer.map(|text| answers.of(&text.trim().to_lowercase())),
                guidelines: asked
                    .and_then(|asked| asked.guidelines.as_ref())
                    .map(|version| versions.of(version)),
                revealed: asked.is_some_and(|asked| asked.revealed),
                at: told.at,
            });
        }
    })?;
    (out.answers, out.versions) = (answers.texts(), versions.texts());
    in_order(&mut out, people.len());
    Ok(out)
}

/// The number of the `person`th of the ledger, who is added where they are not there yet.
fn number(people: &mut Vec<String>, ledger: &Ledger, person: u16) -> u16 {
    let name = ledger.names().nth(usize::from(person)).unwrap_or_default();
    let at = people
        .iter()
        .position(|known| known == name)
        .unwrap_or_else(|| {
            people.push(name.to_string());
            people.len() - 1
        });
    at as u16
}

/// Puts those who are not in the round (`known` are) in the order of their names, so that a number does not depend on who
/// spoke first.
fn in_order(collected: &mut Collected, known: usize) {
    let mut places: Vec<usize> = (0..collected.people.len()).collect();
    places[known..].sort_by(|a, b| collected.people[*a].cmp(&collected.people[*b]));
    let mut numbers = vec![0u16; places.len()];
    for (number, place) in places.iter().enumerate() {
        numbers[*place] = number as u16;
    }
    collected.people = places
        .into_iter()
        .map(|place| std::mem::take(&mut collected.people[place]))
        .collect();
    for said in &mut collected.said {
        said.person = numbers[usize::from(said.person)];
    }
}

/// Which of several verdicts of one person on one item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// The first that is no skip: what was said before anything could have been seen of others.
    First,
    /// The last.
    Last,
}

/// One verdict for each person and item, of those of a part.
pub(super) fn one_each(said: &[Said], part: Part, keep: Keep) -> Vec<&Said> {
    let of_part = || said.iter().filter(|said| said.part == part);
    let key = |said: &Said| u64::from(said.row) << 16 | u64::from(said.person);
    // A bit for each row and person; people 64 apart share one. Who is not there twice needs no looking up.
    let (mut seen, mut twice) = (Vec::<u64>::new(), HashSet::new());
    for said in of_part() {
        let (row, bit) = (said.row as usize, 1 << (said.person % 64));
        if row >= seen.len() {
            seen.resize(row + 1, 0);
        }
        if seen[row] & bit != 0 {
            twice.insert(key(said));
        }
        seen[row] |= bit;
    }
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut out: Vec<&Said> = Vec::new();
    for said in of_part() {
        let before = if twice.contains(&key(said)) {
            places.get(&key(said)).copied()
        } else {
            None
        };
        match before {
            Some(at) if keep == Keep::Last || out[at].verdict == Verdict::Skip => out[at] = said,
            Some(_) => {}
            None => {
                if twice.contains(&key(said)) {
                    places.insert(key(said), out.len());
                }
                out.push(said);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(row: u32, person: u16, verdict: Verdict) -> Said {
        Said {
            row,
            person,
            part: Part::Main,
            verdict,
            answer: None,
            guidelines: None,
            revealed: false,
            at: 0,
        }
    }

    #[test]
    fn of_several_verdicts_one_stands() {
        use Verdict::{Accept, Reject, Skip};
        // Two people who share a bit, on one row.
        let all = [
            said(7, 1, Skip),
            said(7, 65, Reject),
            said(7, 1, Accept),
            said(7, 1, Reject),
            said(8, 1, Skip),
        ];
        let verdicts = |keep| {
            let list = one_each(&all, Part::Main, keep);
            list.into_iter()
                .map(|s| (s.row, s.person, s.verdict))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            verdicts(Keep::First),
            [(7, 1, Accept), (7, 65, Reject), (8, 1, Skip)]
        );
        assert_eq!(
            verdicts(Keep::Last),
            [(7, 1, Reject), (7, 65, Reject), (8, 1, Skip)]
        );
        assert!(one_each(&all, Part::Repeat, Keep::First).is_empty());
    }

    #[test]
    fn strangers_come_after_the_people_of_the_round_by_name() {
        let mut collected = Collected {
            people: ["zoe", "bob", "xi", "cem"].map(String::from).to_vec(),
            said: vec![
                said(0, 2, Verdict::Accept),
                said(0, 0, Verdict::Accept),
                said(0, 3, Verdict::Accept),
            ],
            answers: Vec::new(),
            versions: Vec::new(),
        };
        in_order(&mut collected, 2);
        assert_eq!(collected.people, ["zoe", "bob", "cem", "xi"]);
        assert_eq!(
            collected.said.iter().map(|s| s.person).collect::<Vec<_>>(),
            [3, 0, 2]
        );
    }
}
