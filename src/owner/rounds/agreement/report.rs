//! The report of a round.

use crate::dispatch::{Query, Watch};
use benchtop_protocol::wire::request;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::collect::{Collected, Keep, one_each};
use super::material::Material;
use crate::queries;
use crate::rounds::disputes::{called, disputes};
use crate::rounds::verdicts::{each, part, state};
use crate::visibility::AnnotatorView;
use benchtop_metrics::agreement::{quality, revised};
use benchtop_model::agreement::analysis::{AgreementQuery, GroupBy};
use benchtop_model::annotator::Rate;
use benchtop_model::round::report::{AdjudicatedItem, Audit, AuditScore, RoundReport, VariantRate};
use benchtop_model::round::{Protocol, Round};
use benchtop_model::sorting::sort_by;
use benchtop_model::status::single;
use benchtop_model::verdict::Part;
use benchtop_model::{Error, Result, Status, Verdict};

/// Properties to report separately if they have more than one value.
const GROUPS: [GroupBy; 4] = [
    GroupBy::Type,
    GroupBy::Level,
    GroupBy::Subtask,
    GroupBy::Style,
];

impl Query for request::RoundReport {
    /// Builds the report of a round.
    ///
    /// # Errors
    /// As for agreement.
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<RoundReport> {
        let (name, bootstrap, cancel) = (self.round.as_str(), self.bootstrap, watch.cancel);
        let material = Material::of(view, Some(name), cancel)?;
        let agreement = material.agreed(&AgreementQuery {
            round: Some(name.into()),
            by: GroupBy::Pair,
            bootstrap,
        })?;
        let mut groups = Vec::new();
        for by in GROUPS {
            let rows = material.groups(by, bootstrap)?;
            if rows.len() > 1 {
                groups.push((by, rows));
            }
        }
        let Some(snapshot) = material.snapshot.as_ref() else {
            return Err(Error::not_found(format!("unknown round `{name}`")));
        };
        let kept: HashSet<u32> = snapshot.items().collect();
        let mut listed = disputes(view, name)?;
        listed.retain(|dispute| kept.contains(&(dispute.number - 1)));
        let settled = listed
            .iter()
            .filter(|dispute| dispute.settled.is_some())
            .count() as u64;
        let round = snapshot.round.clone();
        let mut counts = [0u64; Status::ALL.len()];
        let (mut adjudications, mut decided) = (Vec::new(), HashMap::new());
        let mut variants: BTreeMap<String, Accepted> = BTreeMap::new();
        let rows: Vec<u32> = snapshot.items().collect();
        let given = each(view, snapshot, |ledger, row| {
            ledger.in_round(row, name).collect::<Vec<_>>()
        });
        for (row, given) in rows.into_iter().zip(given) {
            let (settled, given): (Vec<_>, Vec<_>) = given
                .into_iter()
                .partition(|(_, j)| part(j) == Part::Adjudication);
            // As for the status of an item, the last one that is a decision counts.
            let settled = settled
                .into_iter()
                .rfind(|(_, j)| !matches!(j.verdict, Verdict::Skip | Verdict::Answer));
            let verdicts: Vec<Verdict> = given.iter().map(|(_, j)| j.verdict).collect();
            let status = match &settled {
                Some((_, judgement)) => single(&[judgement.verdict]),
                None => round.protocol.status(&verdicts),
            };
            counts[usize::from(status.code())] += 1;
            if let Some(good) = good(status) {
                let item = view.items.catalog().item(row as usize)?;
                if let Some(variant) = &item.variant {
                    let of = variants.entry(variant.name.clone()).or_default();
                    of.add(good, variant.modified);
                }
                decided.insert(item.id, good);
            }
            if let Some((by, judgement)) = settled {
                let mut called = called(&round);
                adjudications.push(AdjudicatedItem {
                    number: row + 1,
                    item: view.items.catalog().item(row as usize)?.id,
                    own: given
                        .iter()
                        .any(|(who, j)| *who == by && j.verdict != Verdict::Skip),
                    verdict: judgement.verdict,
                    reasons: judgement.reasons,
                    note: judgement.note,
                    verdicts: given
                        .into_iter()
                        .map(|(who, j)| (called(who), j.verdict))
                        .collect(),
                    by,
                });
            }
        }
        let outcome: Vec<(Status, u64)> = Status::ALL.into_iter().zip(counts).collect();
        let times = material.collected.records.iter().map(|record| record.at);
        Ok(RoundReport {
            origin: round.origin.clone(),
            order: round.order,
            seed: round.seed,
            repeats: round.repeats,
            probes: round.probes,
            practice: round.calibration.len() as u64,
            from: times.clone().min().zip(times.max()),
            audit: (round.protocol == Protocol::Audit)
                .then(|| audit(view, &decided, &round))
                .transpose()?,
            outcome,
            variants: variants.into_iter().map(Accepted::rate).collect(),
            groups,
            revised: revised(&agreement.quality),
            agreement,
            disputes: (listed.len() as u64, settled),
            adjudications,
            guidelines: round.guidelines.as_ref().map(|g| g.version.clone()),
            versions: versions(&material.collected),
            state: state(view, snapshot.clone()),
        })
    }
}

/// The decided items of a variant.
#[derive(Default)]
struct Accepted {
    count: u64,
    of: u64,
    unmodified: u64,
}

impl Accepted {
    fn add(&mut self, is_good: bool, modified: Option<bool>) {
        match modified {
            Some(false) => self.unmodified += 1,
            _ => {
                self.count += u64::from(is_good);
                self.of += 1;
            }
        }
    }

    fn rate((variant, counts): (String, Accepted)) -> VariantRate {
        VariantRate {
            variant,
            accepted: rate(counts.count, counts.of),
            unmodified: counts.unmodified,
        }
    }
}

/// The rate with its interval; without one if there is nothing to count.
fn rate(count: u64, of: u64) -> Rate {
    quality::rate(count, of).unwrap_or(Rate {
        count,
        of,
        interval: None,
    })
}

/// Whether a status means that the item is good; `None` if undecided.
fn good(status: Status) -> Option<bool> {
    match status {
        Status::Accepted => Some(true),
        Status::Rejected | Status::ToFix => Some(false),
        _ => None,
    }
}

/// The audit results from the decided items. Model accuracy includes their other rotations.
fn audit(view: &AnnotatorView, decided: &HashMap<String, bool>, round: &Round) -> Result<Audit> {
    let wrong = decided.values().filter(|good| !**good).count() as u64;
    let all = decided.iter().flat_map(|(id, good)| {
        let others = round.rotations.get(id).into_iter().flatten();
        std::iter::once(id)
            .chain(others)
            .map(|id| (id.clone(), *good))
    });
    let scores = queries::right_of(view.shared(), &all.collect())?.into_iter();
    let scores = scores
        .map(|s| AuditScore {
            model: s.model,
            with: rate(s.all.0, s.all.1),
            without: rate(s.good.0, s.good.1),
        })
        .collect();
    Ok(Audit {
        wrong: rate(wrong, decided.len() as u64),
        scores,
    })
}

/// First verdicts by guidelines version, most verdicts first.
fn versions(collected: &Collected) -> Vec<(Option<String>, u64)> {
    let mut counts: BTreeMap<Option<u32>, u64> = BTreeMap::new();
    for record in one_each(&collected.records, Part::Main, Keep::First) {
        *counts.entry(record.guidelines).or_default() += 1;
    }
    let text = |at: u32| collected.versions.get(at as usize).cloned();
    let mut list: Vec<_> = counts
        .into_iter()
        .map(|(version, n)| (version.and_then(text), n))
        .collect();
    sort_by(&mut list, |a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    list
}
