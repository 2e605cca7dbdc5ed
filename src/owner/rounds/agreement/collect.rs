//! Collects the verdicts for agreement in chunks, so that decisions are not delayed.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::visibility::AnnotatorView;
use benchtop_model::cancel::Cancel;
use benchtop_model::sorting::sort_by;
use benchtop_model::verdict::Part;
use benchtop_model::{Result, Verdict};
use benchtop_store::Ledger;

/// Number of verdicts to read under one lock, which bounds the delay of decisions.
const AT_ONCE: usize = 8192;

/// An effective verdict without its texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct VerdictRecord {
    pub(super) row: u32,
    /// Position in [`Collected::people`].
    pub(super) person: u16,
    pub(super) part: Part,
    pub(super) verdict: Verdict,
    /// Position in [`Collected::answers`] of an answer.
    pub(super) answer: Option<u32>,
    /// Position in [`Collected::versions`] of its guidelines version.
    pub(super) guidelines: Option<u32>,
    /// Whether verdicts of others had been sent before.
    pub(super) revealed: bool,
    pub(super) at: i64,
}

/// The verdicts of a round, or those outside of rounds.
pub(super) struct Collected {
    /// The people of the round in its order, then others with verdicts, by name.
    pub(super) people: Vec<String>,
    /// The verdicts in the order they were given.
    pub(super) records: Vec<VerdictRecord>,
    /// The different answers, trimmed and in lowercase.
    pub(super) answers: Vec<String>,
    /// The different guidelines versions.
    pub(super) versions: Vec<String>,
}

/// Numbers texts in order of appearance.
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

/// Calls `each` with all verdicts in chunks, and releases the lock in between.
///
/// # Errors
/// [`Cancelled`](benchtop_model::ErrorKind::Cancelled).
pub(in crate::rounds) fn walk(
    view: &AnnotatorView,
    cancel: Cancel<'_>,
    each: &mut dyn FnMut(&Ledger, Range<usize>),
) -> Result<()> {
    let mut from = 0;
    loop {
        cancel.check()?;
        let ledger = view.items.ledger();
        if from >= ledger.verdicts_given() {
            return Ok(());
        }
        each(&ledger, from..from + AT_ONCE);
        from += AT_ONCE;
    }
}

/// The verdicts in a round, whose `people` come first, or outside of rounds.
///
/// # Errors
/// [`Cancelled`](benchtop_model::ErrorKind::Cancelled).
pub(super) fn collect(
    view: &AnnotatorView,
    round: Option<&str>,
    people: &[String],
    cancel: Cancel<'_>,
) -> Result<Collected> {
    let items = view.items.catalog().len() as u32;
    let mut out = Collected {
        people: people.to_vec(),
        records: Vec::new(),
        answers: Vec::new(),
        versions: Vec::new(),
    };
    let (mut answers, mut versions) = (Numbers::default(), Numbers::default());
    walk(view, cancel, &mut |ledger, places| {
        let mut numbers: HashMap<u16, u16> = HashMap::new();
        for told in ledger.counted_verdicts(places) {
            let asked = told.judgement.round.as_ref();
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
            out.records.push(VerdictRecord {
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

/// The number of the `person`th annotator of the ledger, who is added if necessary.
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

/// Sorts people outside the round (after the first `known`) by name, so that numbers do not depend
/// on who judged first.
fn in_order(collected: &mut Collected, known: usize) {
    let mut places: Vec<usize> = (0..collected.people.len()).collect();
    sort_by(&mut places[known..], |a, b| {
        collected.people[*a].cmp(&collected.people[*b])
    });
    let mut numbers = vec![0u16; places.len()];
    for (number, place) in places.iter().enumerate() {
        numbers[*place] = number as u16;
    }
    collected.people = places
        .into_iter()
        .map(|place| std::mem::take(&mut collected.people[place]))
        .collect();
    for record in &mut collected.records {
        record.person = numbers[usize::from(record.person)];
    }
}

/// Which of several verdicts of one person on one item to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// The first one that is not a skip, which was given before verdicts of others could be seen.
    First,
    Last,
}

/// One verdict per person and item, among those of a part.
pub(super) fn one_each(records: &[VerdictRecord], part: Part, keep: Keep) -> Vec<&VerdictRecord> {
    let of_part = || records.iter().filter(|record| record.part == part);
    let key = |record: &VerdictRecord| u64::from(record.row) << 16 | u64::from(record.person);
    // One bit per row and person, shared by people 64 apart. Without a repeated bit, no lookup is
    // needed.
    let (mut seen, mut twice) = (Vec::<u64>::new(), HashSet::new());
    for record in of_part() {
        let (row, bit) = (record.row as usize, 1 << (record.person % 64));
        if row >= seen.len() {
            seen.resize(row + 1, 0);
        }
        if seen[row] & bit != 0 {
            twice.insert(key(record));
        }
        seen[row] |= bit;
    }
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut out: Vec<&VerdictRecord> = Vec::new();
    for record in of_part() {
        let before = if twice.contains(&key(record)) {
            places.get(&key(record)).copied()
        } else {
            None
        };
        match before {
            Some(at) if keep == Keep::Last || out[at].verdict == Verdict::Skip => out[at] = record,
            Some(_) => {}
            None => {
                if twice.contains(&key(record)) {
                    places.insert(key(record), out.len());
                }
                out.push(record);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(row: u32, person: u16, verdict: Verdict) -> VerdictRecord {
        VerdictRecord {
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
    fn one_of_several_verdicts_is_kept() {
        use Verdict::{Accept, Reject, Skip};
        // Two people who share a bit, on one row.
        let all = [
            record(7, 1, Skip),
            record(7, 65, Reject),
            record(7, 1, Accept),
            record(7, 1, Reject),
            record(8, 1, Skip),
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
    fn outsiders_follow_the_people_of_the_round() {
        let mut collected = Collected {
            people: ["zoe", "bob", "xi", "cem"].map(String::from).to_vec(),
            records: vec![
                record(0, 2, Verdict::Accept),
                record(0, 0, Verdict::Accept),
                record(0, 3, Verdict::Accept),
            ],
            answers: Vec::new(),
            versions: Vec::new(),
        };
        in_order(&mut collected, 2);
        assert_eq!(collected.people, ["zoe", "bob", "cem", "xi"]);
        assert_eq!(
            collected
                .records
                .iter()
                .map(|s| s.person)
                .collect::<Vec<_>>(),
            [3, 0, 2]
        );
    }
}
