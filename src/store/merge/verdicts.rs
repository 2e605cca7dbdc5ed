//! Verdicts from files that are not journals, turned into decisions: their place in the order of
//! the project, and duplicates.

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

/// Plans the merge of the verdicts in `found`, each with its location in the file. `now`, in
/// milliseconds since 1970, is the time of verdicts without one. [`Merge`] counts the verdicts that
/// the project already has.
///
/// A verdict without a revision is placed after all decisions before its time, and before all
/// decisions after it.
///
/// # Errors
/// The items cannot be read.
pub fn plan(
    history: &History,
    found: Vec<(String, ExchangedVerdict)>,
    (catalog, pictures): (&Catalog, &Pictures),
    now: i64,
) -> Result<(Merge, Vec<SkippedVerdict>)> {
    let (ledger, _) = history.fold(catalog, pictures, HistoryPoint::Now);
    let revs = revisions(history);
    let mut by_receipt: HashMap<Uuid, Decision> = history
        .decisions
        .iter()
        .map(|d| (d.uuid, d.clone()))
        .collect();
    let (mut fresh, mut aside, mut known) = (Vec::new(), Vec::new(), 0);
    for (place, verdict) in found {
        let (item, who) = (verdict.item.clone(), verdict.who.clone());
        match decision(verdict, &ledger, catalog, pictures, &revs, now) {
            Ok(decision) => match by_receipt.get(&decision.uuid) {
                Some(other) if is_same_verdict(other, &decision) => known += 1,
                Some(_) => aside.push(SkippedVerdict {
                    place,
                    item,
                    who,
                    why: "another decision has the same receipt".into(),
                }),
                None => {
                    by_receipt.insert(decision.uuid, decision.clone());
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

/// Whether two decisions with one receipt are the same verdict. The revision and the item's digest
/// are optional in a file, so they may differ.
fn is_same_verdict(a: &Decision, b: &Decision) -> bool {
    (&a.item, &a.who, &a.act) == (&b.item, &b.who, &b.act)
}

/// The verdict as a decision, or the reason why it is skipped.
fn decision(
    verdict: ExchangedVerdict,
    ledger: &Ledger,
    catalog: &Catalog,
    pictures: &Pictures,
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
        .ok_or("the project does not have this item")?;
    let here = pictures
        .shown_item(catalog, row as usize)
        .map_err(|p| p.to_string())?;
    let digest = here.digest();
    if on.as_ref().is_some_and(|on| *on != digest) {
        return Err("the verdict is on another text or picture of the item".into());
    }
    if question
        .as_ref()
        .is_some_and(|question| *question != here.question)
    {
        return Err("the verdict is on another question of the item".into());
    }
    // An annotator who saw this question judged the present text.
    let on = on.or_else(|| question.map(|_| digest));
    if on.is_none() && catalog.revisions().locate(row as usize).is_some() {
        return Err(
            "the item was revised here, and the file does not name the text that was judged".into(),
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

/// The highest revision up to each time, sorted by time.
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
