//! Consistency and accuracy of each person of a round: gold items, repeats, revisions.

use std::collections::HashMap;

use super::collect::{Keep, VerdictRecord, one_each};
use super::material::Material;
use benchtop_metrics::agreement::quality;
use benchtop_model::agreement::analysis::PersonQuality;
use benchtop_model::annotator::ProbeQuality;
use benchtop_model::round::Gold;
use benchtop_model::verdict::Part;
use benchtop_model::{Result, Verdict};

/// The quality of each person of the round and of others with verdicts in it.
pub(super) fn of(material: &Material) -> Result<Vec<PersonQuality>> {
    let Some(snapshot) = &material.snapshot else {
        return Ok(Vec::new());
    };
    let records = &material.collected.records;
    // People who only adjudicated are not included.
    let judged = |number: &u16| {
        records
            .iter()
            .any(|s| s.person == *number && s.part != Part::Adjudication)
    };
    let people = (0..material.collected.people.len() as u16)
        .filter(|number| usize::from(*number) < snapshot.round.people.len() || judged(number));
    let standing = |part| {
        by_person(
            one_each(records, part, Keep::First),
            material.collected.people.len(),
        )
    };
    let (practice, probes, repeats) = (
        standing(Part::Calibration),
        standing(Part::Probe),
        standing(Part::Repeat),
    );
    let revisions = by_person(
        one_each(records, Part::Revision, Keep::Last),
        material.collected.people.len(),
    );
    let firsts = standing(Part::Main);
    let [known, mixed] = [Part::Calibration, Part::Probe]
        .map(|part| snapshot.known(part).collect::<HashMap<_, _>>());
    let one = |number: u16| {
        let at = usize::from(number);
        let second: HashMap<u32, &VerdictRecord> = revisions[at]
            .iter()
            .map(|record| (record.row, *record))
            .collect();
        let verdicts = firsts[at]
            .iter()
            .filter(|record| record.verdict != Verdict::Skip);
        let changes = verdicts.map(|record| {
            (
                record.verdict,
                second
                    .get(&record.row)
                    .map_or(record.verdict, |s| s.verdict),
            )
        });
        let twice = repeats[at].iter().filter_map(|record| {
            let first = material.agreement.rating(record.row, number)?;
            Some((first, material.scaled.category(record)))
        });
        Ok(PersonQuality {
            name: material.collected.people[at].clone(),
            practice: gold_quality(&practice[at], &known, |_| true),
            probes: gold_quality(&probes[at], &mixed, |_| true),
            lookalikes: gold_quality(&probes[at], &mixed, |gold| gold.lookalike),
            repeats: quality::repeats(material.scaled.scale, twice)?,
            revised: quality::revisions(changes),
            second: revisions[at].len() as u64,
            informed: revisions[at]
                .iter()
                .filter(|record| record.revealed)
                .count() as u64,
        })
    };
    people.map(one).collect()
}

fn by_person(records: Vec<&VerdictRecord>, people: usize) -> Vec<Vec<&VerdictRecord>> {
    let mut lists = vec![Vec::new(); people];
    for one in records {
        lists[usize::from(one.person)].push(one);
    }
    lists
}

/// Accuracy on gold items.
fn gold_quality(
    records: &[&VerdictRecord],
    known: &HashMap<u32, &Gold>,
    of: impl Fn(&Gold) -> bool,
) -> ProbeQuality {
    let accepted = |verdict| match verdict {
        Verdict::Accept => Some(true),
        Verdict::Reject | Verdict::Fix => Some(false),
        _ => None,
    };
    let outcomes = records.iter().filter_map(|record| {
        let gold = known.get(&record.row).filter(|gold| of(gold))?;
        Some((gold.good, accepted(record.verdict)))
    });
    quality::probes(outcomes)
}
