//! Queries about past decisions and earlier states, answered from the journals.

use crate::context::OwnerContext;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::history::{HistoryPoint, HistoryState, StatusChange};
use benchtop_model::{Act, CommentAct, Decision, Result, Status};
use benchtop_protocol::wire::{LOG_PAGE_ENTRIES, LogPage, request};
use benchtop_store::columns::id_hash;
use benchtop_store::history::History;
use benchtop_store::{Catalog, Ledger};

impl Query for request::Log {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<LogPage> {
        let mut ask = self.0;
        ask.count = ask.count.min(LOG_PAGE_ENTRIES);
        let mut history = History::read(&view.project)?;
        let catalog = view.items.catalog();
        // A label says that an answer is wrong.
        let tells_answer = |row: u32, d: &Decision| {
            matches!(d.act, Act::Comment(CommentAct::Label { .. }))
                && !view.hears_comment(row, &d.who)
        };
        let seen = |d: &Decision| {
            catalog
                .row_of_hash(id_hash(&d.item))
                .is_none_or(|row| view.sees(row, &d.who) && !tells_answer(row, d))
        };
        history.decisions.retain(seen);
        let (entries, more) = history.log(&ask, &catalog, &view.items.ledger());
        Ok(LogPage { entries, more })
    }
}

impl Query for request::Replay {
    /// The project as of `moment`.
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<HistoryState> {
        let moment = self.0;
        let shared = view.shared();
        // Copy the statuses before reading the journals. Decisions made in between would look like
        // differences, so the statuses are compared again below.
        let shown = shared.items.data().overlay.status.clone();
        let (catalog, (ledger, mut notes)) = at(shared, moment)?;
        let statuses = statuses(&ledger, &catalog);
        let same = (moment == HistoryPoint::Now).then(|| {
            let now = shared.items.data().overlay.status.clone();
            let is_shown =
                |row: usize, code: u8| shown.get(row) == Some(&code) || now.get(row) == Some(&code);
            statuses
                .iter()
                .enumerate()
                .all(|(row, status)| is_shown(row, status.code()))
        });
        if same == Some(false) {
            notes.push(
                "the owner's statuses differ from the journals; run `benchtop stop` to make it reread them".into(),
            );
        }
        let visible = |(row, s): (usize, &Status)| {
            if view.hides(row as u32) {
                Status::Pending
            } else {
                *s
            }
        };
        let count = |status: Status| {
            statuses
                .iter()
                .enumerate()
                .filter(|s| visible(*s) == status)
                .count() as u64
        };
        let by_status = Status::ALL
            .into_iter()
            .map(|status| (status, count(status)))
            .collect();
        Ok(HistoryState {
            rev: ledger.rev(),
            decisions: ledger.decisions() as u64,
            by_status,
            same,
            notes,
        })
    }
}

impl Query for request::StatusChanges {
    /// Items whose status differs between `from` and `to`.
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<StatusChange>> {
        let shared = view.shared();
        let (catalog, (before, _)) = at(shared, self.0)?;
        let (_, (after, _)) = at(shared, self.1)?;
        let (before, after) = (statuses(&before, &catalog), statuses(&after, &catalog));
        let pairs = before
            .into_iter()
            .zip(after)
            .enumerate()
            .filter(|(_, (from, to))| from != to);
        let pairs = pairs.filter(|(row, _)| !view.hides(*row as u32));
        let moved = |(row, (from, to)): (usize, (Status, Status))| {
            Ok(StatusChange {
                number: row as u32 + 1,
                item: catalog.item(row)?.id,
                from,
                to,
            })
        };
        pairs.map(moved).collect()
    }
}

type At = (std::sync::Arc<Catalog>, (Ledger, Vec<String>));

fn at(shared: &OwnerContext, moment: HistoryPoint) -> Result<At> {
    let catalog = shared.items.catalog();
    let history = History::read(&shared.project)?;
    let (ledger, notices) = history.fold(&catalog, &shared.items.pictures(), moment);
    let notices = notices.iter().map(ToString::to_string).collect();
    Ok((catalog, (ledger, notices)))
}

fn statuses(ledger: &Ledger, catalog: &Catalog) -> Vec<Status> {
    (0..catalog.len() as u32)
        .map(|row| ledger.status(row))
        .collect()
}
