//! Queries about comments, as far as the annotator may see them.

use super::list;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::cancel::Cancel;
use benchtop_model::filter::CommentCondition;
use benchtop_model::{Comment, Filter, Mark, Result};
use benchtop_protocol::wire::{CommentPage, ShownComment, Thread, request};

/// Approximate size of the texts in one reply, in bytes. Far below a frame.
const BYTES: usize = 4 << 20;
/// Approximate size of a comment or mark without its texts, in bytes.
const EACH: usize = 256;
/// Rows that are read under one lock, which delays decisions.
const AT_ONCE: usize = 1024;

/// The rows, in rising order, that a condition treats unlike rows without comments, marks, and labels: those
/// that meet it, or that fail it if rows without any meet it.
pub(super) fn rows(
    view: &AnnotatorView,
    said: &CommentCondition,
    cancel: Cancel<'_>,
) -> Result<Vec<u32>> {
    let candidates: Vec<u32> = {
        let ledger = view.items.ledger();
        let mut rows: Vec<u32> = ledger.commented_rows().collect();
        if !said.mark.is_empty() {
            rows.extend(ledger.judged_rows());
            rows.sort_unstable();
            rows.dedup();
        }
        rows
    };
    let others = said.passes_without();
    let mut found = Vec::new();
    for some in candidates.chunks(AT_ONCE) {
        cancel.check()?;
        let ledger = view.items.ledger();
        let differs = |row: u32| {
            let comments = view.comments_in(&ledger, row);
            let verdicts = match said.mark.is_empty() {
                true => Vec::new(),
                false => ledger.effective_verdicts(row),
            };
            let visible = verdicts.iter().filter(|v| view.sees(row, &v.who));
            let marks: Vec<&Mark> = visible.flat_map(|v| &v.judgement.marks).collect();
            let labels = match said.errors.is_empty() {
                true => Vec::new(),
                false => view.error_labels_in(&ledger, row),
            };
            said.passes(&comments, &marks, &labels) != others
        };
        found.extend(some.iter().copied().filter(|row| differs(*row)));
    }
    Ok(found)
}

/// The comments on a row as a reply, the newest if there are too many.
fn thread(view: &AnnotatorView, row: u32, room: usize) -> Result<Option<(String, Thread)>> {
    let comments = view.comments(row);
    if comments.is_empty() {
        return Ok(None);
    }
    let item = {
        let (catalog, pictures) = (view.items.catalog(), view.items.pictures());
        pictures.shown_item(&catalog, row as usize)?
    };
    let digest = item.digest();
    let (all, mut used) = (comments.len(), 0);
    let fits = |comment: &Comment| {
        used += size(comment);
        used <= room
    };
    let mut newest: Vec<Comment> = comments.into_iter().rev().take_while(fits).collect();
    newest.reverse();
    let left_out = (all - newest.len()) as u64;
    let shown = |comment: Comment| ShownComment {
        is_earlier: comment.on.as_ref().is_some_and(|on| *on != digest),
        comment,
    };
    let comments = newest.into_iter().map(shown).collect();
    Ok(Some((item.id, Thread { comments, left_out })))
}

fn size(comment: &Comment) -> usize {
    let label = |mark: &Mark| EACH + mark.label.as_ref().map_or(0, String::len);
    EACH + comment.text.len() + comment.marks.iter().map(label).sum::<usize>()
}

impl Query for request::Thread {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Thread> {
        let number = self.0;
        let row = view.items.catalog().row(number)?;
        let found = thread(view, row, BYTES)?;
        Ok(found.map(|(_, thread)| thread).unwrap_or_default())
    }
}

/// The rows from item number `from` on that match a filter and may have comments or labels.
///
/// # Errors
/// A filter that this person may not use, and errors of reading.
pub(super) fn commented_rows(
    view: &AnnotatorView,
    filter: &Filter,
    from: u32,
) -> Result<impl Iterator<Item = u32> + use<>> {
    let rows: Vec<u32> = match *filter == Filter::default() {
        true => view.items.ledger().commented_rows().collect(),
        false => {
            let numbers = list::numbers(view, filter)?;
            numbers.into_iter().map(|number| number - 1).collect()
        }
    };
    let from = from.max(1) - 1;
    Ok(rows.into_iter().filter(move |row| *row >= from))
}

impl Query for request::Comments {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<CommentPage> {
        let (mut page, mut room) = (CommentPage::default(), BYTES);
        for row in commented_rows(view, &self.filter, self.from)? {
            watch.cancel.check()?;
            let Some((id, thread)) = thread(view, row, BYTES)? else {
                continue;
            };
            let used: usize = thread.comments.iter().map(|c| size(&c.comment)).sum();
            if used > room && !page.list.is_empty() {
                page.next = Some(row + 1);
                break;
            }
            room = room.saturating_sub(used);
            page.list.push((row + 1, id, thread));
        }
        Ok(page)
    }
}
