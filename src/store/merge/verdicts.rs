//! Verdicts and comments from files that are not journals, turned into decisions: their place in the
//! order of the project, and duplicates.

use std::collections::HashMap;

use uuid::Uuid;

use super::{Merge, comments, union};
use crate::columns::id_hash;
use crate::history::History;
use crate::pictures::Pictures;
use crate::{Catalog, Ledger};
use benchtop_model::history::HistoryPoint;
use benchtop_model::verdict_interchange::{
    ExchangedComment, ExchangedVerdict, ImportedComments, SkippedVerdict,
};
use benchtop_model::{Act, Decision, Item, Result};

/// What a file holds, each with its place in the file.
type Placed<T> = Vec<(String, T)>;

/// What an import would append.
#[derive(Debug)]
pub struct PlannedImport {
    /// Counts the verdicts, and has the decisions of comments too.
    pub merge: Merge,
    pub comments: ImportedComments,
    pub aside: Vec<SkippedVerdict>,
}

/// The project that is imported into.
pub(super) struct Place<'a> {
    ledger: &'a Ledger,
    catalog: &'a Catalog,
    pictures: &'a Pictures,
    /// The highest revision up to each time, sorted by time.
    revs: Vec<(i64, u64)>,
    /// The time of what has none, in milliseconds since 1970.
    pub now: i64,
}

impl Place<'_> {
    /// The row of an item, and the item as it is shown now.
    pub fn item(&self, id: &str) -> std::result::Result<(u32, Item), String> {
        let row = self.catalog.row_of_hash(id_hash(id));
        let row = row.ok_or("the project does not have this item")?;
        let here = self.pictures.shown_item(self.catalog, row as usize);
        Ok((row, here.map_err(|p| p.to_string())?))
    }

    /// The revision of a decision on `row` that has only a time: after all decisions before its
    /// time, and before all decisions after it.
    pub fn rev_at(&self, at: i64, row: u32) -> u64 {
        let before = self.revs.partition_point(|(then, _)| *then <= at);
        let last = before.checked_sub(1).and_then(|last| self.revs.get(last));
        last.map_or(0, |(_, rev)| *rev)
            .max(self.ledger.text_rev(row))
    }
}

/// Plans the merge of the verdicts and comments in `found`, each with its location in the file.
/// `now`, in milliseconds since 1970, is the time of those without one. [`Merge`] counts the
/// verdicts that the project already has.
///
/// # Errors
/// The items cannot be read.
pub fn plan(
    history: &History,
    (found, found_comments): (Placed<ExchangedVerdict>, Placed<ExchangedComment>),
    (catalog, pictures): (&Catalog, &Pictures),
    now: i64,
) -> Result<PlannedImport> {
    let (ledger, _) = history.fold(catalog, pictures, HistoryPoint::Now);
    let to = Place {
        ledger: &ledger,
        catalog,
        pictures,
        revs: revisions(history),
        now,
    };
    let mut by_receipt: HashMap<Uuid, Decision> = history
        .decisions
        .iter()
        .map(|d| (d.uuid, d.clone()))
        .collect();
    let (mut fresh, mut aside, mut known) = (Vec::new(), Vec::new(), 0);
    for (place, verdict) in found {
        let (item, who) = (verdict.item.clone(), verdict.who.clone());
        match decision(verdict, &to) {
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
    let planned = comments::plan(found_comments, &to, &mut by_receipt);
    let events = planned.fresh.len() as u64;
    fresh.extend(planned.fresh);
    aside.extend(planned.aside);
    let mut merge = union(history, fresh, catalog, pictures)?;
    merge.report.known += known;
    merge.report.added = merge.report.added.saturating_sub(events);
    Ok(PlannedImport {
        merge,
        comments: planned.counts,
        aside,
    })
}

/// Whether two decisions with one receipt are the same verdict. The revision and the item's digest
/// are optional in a file, so they may differ.
fn is_same_verdict(a: &Decision, b: &Decision) -> bool {
    (&a.item, &a.who, &a.act) == (&b.item, &b.who, &b.act)
}

/// The verdict as a decision, or the reason why it is skipped.
fn decision(verdict: ExchangedVerdict, to: &Place<'_>) -> std::result::Result<Decision, String> {
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
    let (row, here) = to.item(&item)?;
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
    if on.is_none() && to.catalog.revisions().locate(row as usize).is_some() {
        return Err(
            "the item was revised here, and the file does not name the text that was judged".into(),
        );
    }
    let at = at.unwrap_or(to.now);
    let rev = rev.unwrap_or_else(|| to.rev_at(at, row));
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
