//! Plans that give the shares of the question types instead of pictures.

use std::collections::BTreeMap;

use super::compiled_metadata::CompiledMetadata;
use super::plan::{KINDS, Pictures, Plan, missing, pictures_of, supported};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Error, QuestionKind, Result};

/// Plans that have a name instead of a file, with their text.
pub const NAMED: [(&str, &str); 1] = [("dysca", include_str!("plans/dysca.toml"))];

/// Maximum of a share.
const MOST: u64 = 1_000_000;

impl Plan {
    /// Refuses shares that no plan can have.
    pub(super) fn check_shares(&self) -> Result<()> {
        let wrong = |what: String, help: &str| {
            let problem = Error::input(what).field("shares");
            Err(problem.help(help))
        };
        if self.shares.is_empty() {
            return Ok(());
        }
        if !self.pictures.is_empty() {
            let what = "a plan has either [shares] or [[pictures]]".into();
            return wrong(what, "remove one of them");
        }
        if let Some(kind) = self.shares.keys().find(|kind| !KINDS.contains(kind)) {
            let what = format!("{} questions have no share", kind.name());
            return wrong(what, "use multiple-choice, true-false, and free-form");
        }
        let all = self.shares.values();
        if all.clone().any(|share| *share > MOST) || all.sum::<u64>() == 0 {
            let what = format!("shares are whole numbers up to {MOST}, and one is above 0");
            return wrong(what, "for example multiple-choice = 41");
        }
        Ok(())
    }

    /// The plan with its pictures: `count` questions in the shares of the plan, spread evenly over
    /// the subtasks and the subjects that support each. A plan without shares stays as it is.
    pub fn with_pictures(self, compiled: &CompiledMetadata, count: u64) -> Plan {
        if self.shares.is_empty() {
            return self;
        }
        let of_kinds = apportioned(&self.shares, count);
        let supported = supported(compiled);
        let seats = supported.len() as u64;
        let mut pictures = Vec::new();
        for (at, (subtask, subjects)) in supported.iter().enumerate() {
            let mut counts: Vec<(QuestionKind, u64)> = Vec::new();
            // The remainders of the types follow each other around the subtasks.
            let mut before = 0;
            for (kind, all) in &of_kinds {
                let rest = all % seats;
                let turn = (at as u64 + seats - before % seats) % seats;
                counts.push((*kind, all / seats + u64::from(turn < rest)));
                before += rest;
            }
            layers(&counts).into_iter().for_each(|(kinds, count)| {
                spread(
                    compiled,
                    (subtask, subjects, at),
                    (&kinds, count),
                    &mut pictures,
                );
            });
        }
        Plan { pictures, ..self }
    }
}

/// `count` in these shares, by largest remainders.
fn apportioned(shares: &BTreeMap<QuestionKind, u64>, count: u64) -> Vec<(QuestionKind, u64)> {
    let all: u128 = shares.values().map(|share| u128::from(*share)).sum();
    let exact = |share: u64| u128::from(count) * u128::from(share);
    let part = |(kind, share): (&QuestionKind, &u64)| {
        let (whole, rest) = (exact(*share) / all.max(1), exact(*share) % all.max(1));
        (*kind, u64::try_from(whole).unwrap_or(u64::MAX), rest)
    };
    let mut parts: Vec<(QuestionKind, u64, u128)> = shares.iter().map(part).collect();
    let given: u64 = parts.iter().map(|(_, n, _)| n).sum();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    sort_by_key(&mut order, |at| std::cmp::Reverse(parts[*at].2));
    let left = usize::try_from(count - given).unwrap_or(0);
    order.into_iter().take(left).for_each(|at| parts[at].1 += 1);
    parts.into_iter().map(|(kind, n, _)| (kind, n)).collect()
}

/// Numbers of questions by type as numbers of pictures: as many as possible have a question of
/// every type.
fn layers(counts: &[(QuestionKind, u64)]) -> Vec<(Vec<QuestionKind>, u64)> {
    let mut left = counts.to_vec();
    let mut found = Vec::new();
    loop {
        left.retain(|(_, n)| *n > 0);
        let Some(least) = left.iter().map(|(_, n)| *n).min() else {
            return found;
        };
        found.push((left.iter().map(|(kind, _)| *kind).collect(), least));
        left.iter_mut().for_each(|(_, n)| *n -= least);
    }
}

/// Adds `count` pictures of a subtask, spread over its subjects.
fn spread(
    compiled: &CompiledMetadata,
    (subtask, subjects, at): (&str, &[&str], usize),
    (kinds, count): (&[QuestionKind], u64),
    pictures: &mut Vec<Pictures>,
) {
    let many = subjects.len() as u64;
    for (nth, subject) in subjects.iter().enumerate() {
        let turn = (nth + at) as u64 % many;
        let count = count / many + u64::from(turn < count % many);
        if count > 0 {
            let whole = pictures_of(subject, subtask, kinds.to_vec(), count);
            let rest = missing(compiled, &whole);
            pictures.push(whole);
            pictures.extend(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::metadata::Metadata;
    use crate::schedule::Schedule;
    use benchtop_model::metafile;

    fn dysca() -> Plan {
        let (name, text) = NAMED[0];
        let plan = Plan::parse(text, Path::new(name)).unwrap();
        assert_eq!(plan.name, name);
        plan
    }

    /// The questions of a plan by type, as scheduled.
    fn by_kind(compiled: &CompiledMetadata, count: u64) -> BTreeMap<QuestionKind, u64> {
        let plan = dysca().with_pictures(compiled, count);
        let mut found = BTreeMap::new();
        for block in Schedule::new(compiled, &plan).unwrap().blocks {
            for slot in &block.slots {
                *found.entry(slot.ask.kind()).or_default() += block.units;
            }
        }
        found
    }

    #[test]
    fn the_shares_of_dysca_are_exact() {
        let small = CompiledMetadata::compile(&crate::fixtures::small()).0;
        let shipped = CompiledMetadata::compile(&Metadata::parse(metafile::shipped())).0;
        for compiled in [&small, &shipped] {
            for (count, expected) in [
                (101, [41, 41, 19]),
                (1010, [410, 410, 190]),
                (3000, [1218, 1218, 564]),
                (10_000, [4059, 4060, 1881]),
            ] {
                let found = by_kind(compiled, count);
                assert_eq!(found.values().sum::<u64>(), count);
                for (kind, n) in KINDS.into_iter().zip(expected) {
                    let found = found[&kind];
                    assert!(found.abs_diff(n) <= 1, "{count} {kind:?}: {found}, not {n}");
                }
                let twice = found[&QuestionKind::MultipleChoice];
                assert!(twice.abs_diff(found[&QuestionKind::TrueFalse]) <= 1);
            }
        }
    }

    #[test]
    fn every_subtask_gets_its_part_of_every_type() {
        let compiled = CompiledMetadata::compile(&crate::fixtures::small()).0;
        for count in [0, 1, 7, 100, 1234] {
            let plan = dysca().with_pictures(&compiled, count);
            let mut by: BTreeMap<(QuestionKind, &str), u64> = BTreeMap::new();
            for p in &plan.pictures {
                for kind in &p.kinds {
                    *by.entry((*kind, &p.about[0])).or_default() += p.count.unwrap();
                }
            }
            assert_eq!(by.values().sum::<u64>(), count);
            for kind in KINDS {
                let own = || by.iter().filter(|((k, _), _)| *k == kind).map(|(_, n)| *n);
                let (least, most) = (own().min().unwrap_or(0), own().max().unwrap_or(0));
                assert!(count < 100 || most - least <= 1, "{count}: {by:?}");
            }
        }
    }

    #[test]
    fn wrong_shares_are_refused_at_their_field() {
        for text in [
            "[shares]\nmultiple-choice = 0\n",
            "[shares]\nyes-no = 1\n",
            "[shares]\ntrue-false = 2000000\n",
            "[shares]\ntrue-false = 1\n[[pictures]]\nsubject = \"animal\"\ncount = 1\n",
        ] {
            let problem = Plan::parse(text, Path::new("plan.toml")).unwrap_err();
            assert_eq!(problem.place.field.as_deref(), Some("shares"), "{text}");
        }
        let problem = Plan::parse("[shares]\ntrue-false = -1\n", Path::new("p")).unwrap_err();
        assert_eq!(problem.place.line, Some(2));
    }
}
