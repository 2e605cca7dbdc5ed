//! How steady and how right each person of a round is: known items, repeats, second verdicts.

use std::collections::HashMap;

use super::Material;
use super::collect::{Keep, Said, one_each};
use benchtop_metrics::agreement::quality;
use benchtop_model::agreement::analysis::PersonQuality;
use benchtop_model::annotator::ProbeQuality;
use benchtop_model::round::Gold;
use benchtop_model::verdict::Part;
use benchtop_model::{Result, Verdict};

/// Each person of the round and whoever else said something in it.
///
/// # Errors
/// None that is known: what is compared is on the scale.
pub(super) fn of(material: &Material) -> Result<Vec<PersonQuality>> {
    let Some(glance) = &material.glance else {
        return Ok(Vec::new());
    };
    let said = &material.collected.said;
    // Who only settled what others disagreed on is not among those who are looked at.
    let judged = |number: &u16| {
        said.iter()
            .any(|s| s.person == *number && s.part != Part::Adjudication)
    };
    let people = (0..material.collected.people.len() as u16)
        .filter(|number| usize::from(*number) < glance.round.people.len() || judged(number));
    let standing = |part| {
        by_person(
            one_each(said, part, Keep::First),
            material.collected.people.len(),
        )
    };
    let (practice, probes, repeats) = (
        standing(Part::Calibration),
        standing(Part::Probe),
        standing(Part::Repeat),
    );
    let revisions = by_person(
        one_each(said, Part::Revision, Keep::Last),
        material.collected.people.len(),
    );
    let firsts = standing(Part::Main);
    let [known, mixed] =
        [Part::Calibration, Part::Probe].map(|part| glance.known(part).collect::<HashMap<_, _>>());
    let one = |number: u16| {
        let at = usize::from(number);
        let second: HashMap<u32, &Said> =
            revisions[at].iter().map(|said| (said.row, *said)).collect();
        let told = firsts[at]
            .iter()
            .filter(|said| said.verdict != Verdict::Skip);
        let changes = told.map(|said| {
            (
                said.verdict,
                second.get(&said.row).map_or(said.verdict, |s| s.verdict),
            )
        });
        let twice = repeats[at].iter().filter_map(|said| {
            let first = material.agreement.rating(said.row, number)?;
            Some((first, material.scaled.category(said)))
        });
        Ok(PersonQuality {
            name: material.collected.people[at].clone(),
            practice: told_right(&practice[at], &known, |_| true),
            probes: told_right(&probes[at], &mixed, |_| true),
            lookalikes: told_right(&probes[at], &mixed, |gold| gold.lookalike),
            repeats: quality::repeats(material.scaled.scale, twice)?,
            revised: quality::revisions(changes),
            second: revisions[at].len() as u64,
            informed: revisions[at].iter().filter(|said| said.revealed).count() as u64,
        })
    };
    people.map(one).collect()
}

fn by_person(said: Vec<&Said>, people: usize) -> Vec<Vec<&Said>> {
    let mut lists = vec![Vec::new(); people];
    for one in said {
        lists[usize::from(one.person)].push(one);
    }
    lists
}

/// How known items were told.
fn told_right(
    said: &[&Said],
    known: &HashMap<u32, &Gold>,
    of: impl Fn(&Gold) -> bool,
) -> ProbeQuality {
    let accepted = |verdict| match verdict {
        Verdict::Accept => Some(true),
        Verdict::Reject | Verdict::Fix => Some(false),
        _ => None,
    };
    let told = said.iter().filter_map(|said| {
        let gold = known.get(&said.row).filter(|gold| of(gold))?;
        Some((gold.good, accepted(said.verdict)))
    });
    quality::probes(told)
}
