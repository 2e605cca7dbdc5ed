//! Verdicts of a file of another kind than a journal, as decisions: where in the order of this project's they belong, and
//! which of them are here already.

use std::collections::HashMap;

use uuid::Uuid;

use super::{Merge, union};
use crate::columns::id_hash;
use crate::history::History;
use crate::pictures::Pictures;
use crate::{Catalog, Ledger};
use benchtop_model::history::HistoryPoint;
use benchtop_model::verdict_interchange::{ExchangedVerdict, SkippedVerdict};
use benchtop_model::{Act, Decision, Result};

/// What `found` (each with its place in the file) brings to `history`; `now` is the time of those that say none, in
/// milliseconds since 1970. Of what is here already [`Merge`] tells how many.
///
/// A verdict without a revision comes after everything that was decided before its time, and before everything after it.
///
/// # Errors
/// What keeps the items from being read.
pub fn plan(
    history: &History,
    found: Vec<(String, ExchangedVerdict)>,
    (catalog, pictures): (&Catalog, &Pictures),
    now: i64,
) -> Result<(Merge, Vec<SkippedVerdict>)> {
    let (ledger, _) = history.fold(catalog, pictures, HistoryPoint::Now);
    let revs = revisions(history);
    let mut said: HashMap<Uuid, Decision> = history
        .decisions
        .iter()
        .map(|d| (d.uuid, d.clone()))
        .collect();
    let (mut fresh, mut aside, mut known) = (Vec::new(), Vec::new(), 0);
    for (place, verdict) in found {
        let (item, who) = (verdict.item.clone(), verdict.who.clone());
        match decision(verdict, &ledger, (catalog, pictures), &revs, now) {
            Ok(decision) => match said.get(&decision.uuid) {
                Some(other) if same(other, &decision) => known += 1,
                Some(_) => aside.push(SkippedVerdict {
                    place,
                    item,
                    who,
                    why: "its receipt is that of another decision".into(),
                }),
                None => {
                    said.insert(decision.uuid, decision.clone());
                    fresh.push(decision);
                }
            },
            Err(why) => aside.push(SkippedVerdict {
                place,
                item,
                who,
                why,
            }),
        }
    }
    let mut merge = union(history, fresh, catalog, pictures)?;
    merge.report.known += known;
    Ok((merge, aside))
}

/// Whether two decisions of one receipt are the same verdict. What a file need not say (the revision, the item's digest)
/// may differ.
fn same(a: &Decision, b: &Decision) -> bool {
    (&a.item, &a.who, &a.act) == (&b.item, &b.who, &b.act)
}

/// The verdict as a decision, or why it cannot be one here.
fn decision(
    verdict: ExchangedVerdict,
    ledger: &Ledger,
    (catalog, pictures): (&Catalog, &Pictures),
    revs: &[(i64, u64)],
    now: i64,
) -> std::result::Result<Decision, String> {
    let ExchangedVerdict {
        item,
        who,
        judgement,
        at,
        rev,
        uuid,
        on,
        question,
    } = verdict;
    let row = catalog
        .row_of_hash(id_hash(&item))
        .ok_or("the project has no such item")?;
    let here = pictures
        .seen(catalog, row as usize)
        .map_err(|p| p.to_string())?;
    let digest = here.digest();
    if on.as_ref().is_some_and(|on| *on != digest) {
        return Err("the item had another text or picture where it was judged".into());
    }
    if question
        .as_ref()
        .is_some_and(|question| *question != here.question)
    {
        return Err("the item has another question there".into());
    }
    // Somebody who saw the question that stands here judged that one.
    let on = on.or_else(|| question.map(|_| digest));
    if on.is_none() && catalog.revisions().locate(row as usize).is_some() {
        return Err(
            "the item was revised here, and the file does not say which text was judged".into(),
        );
    }
    let at = at.unwrap_or(now);
    let rev = rev.unwrap_or_else(|| {
        let before = revs.partition_point(|(then, _)| *then <= at);
        let known = before
            .checked_sub(1)
            .and_then(|last| revs.get(last))
            .map_or(0, |(_, rev)| *rev);
        known.max(ledger.text_rev(row))
    });
    Ok(Decision {
        uuid,
        rev,
        at,
        who,
        item,
        on,
        act: Act::Judge(judgement),
    })
}

/// The largest revision up to each time at which something was decided, in the order of times.
fn revisions(history: &History) -> Vec<(i64, u64)> {
    let mut list: Vec<(i64, u64)> = history.decisions.iter().map(|d| (d.at, d.rev)).collect();
    list.sort_unstable();
    let mut largest = 0;
    for (_, rev) in &mut list {
        largest = largest.max(*rev);
        *rev = largest;
    }
    list
}
