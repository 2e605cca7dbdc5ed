//! Queries about items, and the status of the owner.

use super::list::{filtered, rows};
use super::{line, rev};
use crate::context::OwnerContext;
use crate::dispatch::{Query, Watch};
use crate::scoring;
use crate::visibility::AnnotatorView;
use benchtop_model::table::{Frequency, Summary};
use benchtop_model::{Error, Item, Result, Status, history};
use benchtop_protocol::wire::{ItemView, OriginalItem, OwnerStatus, request};
use benchtop_store::query;

impl Query for request::Locate {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Option<u64>> {
        let list = rows(view, &self.filter, &self.sort)?;
        Ok(list
            .iter()
            .position(|row| row + 1 == self.number)
            .map(|at| at as u64))
    }
}

impl Query for request::NumberOf {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Option<u32>> {
        Ok(view.items.catalog().row_of(&self.0)?.map(|row| row + 1))
    }
}

impl Query for request::Numbers {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<u32>> {
        Ok(rows(view, &self.0, &self.1)?
            .into_iter()
            .map(|row| row + 1)
            .collect())
    }
}

impl Query for request::FirstPending {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Option<u32>> {
        let data = view.items.data();
        let pending = |n: &u32| *n > 0 && view.shown(&data, *n - 1) == Status::Pending;
        Ok(self.0.into_iter().find(pending))
    }
}

impl Query for request::NextPending {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Option<u32>> {
        let data = view.items.data();
        let len = data.overlay.len() as u32;
        let after = self.0.min(len);
        let found = (after..len)
            .chain(0..after)
            .find(|row| view.shown(&data, *row) == Status::Pending);
        Ok(found.map(|row| row + 1))
    }
}

impl Query for request::Frequency {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Frequency> {
        let (view, rows) = filtered(view, &self.0)?;
        query::frequency(&view.catalog, &view.overlay, &rows, self.1)
    }
}

impl Query for request::Describe {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<Summary>> {
        let (view, rows) = filtered(view, &self.0)?;
        query::describe(&view.catalog, &view.overlay, &rows)
    }
}

impl Query for request::Select {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<u32>> {
        let (view, rows) = filtered(view, &self.0)?;
        query::matching_cells(&view.catalog, &view.overlay, &rows, self.1, &self.2)
    }
}

impl Query for request::Status {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<OwnerStatus> {
        let shared = view.shared();
        // Metadata errors are in the notices.
        let metadata = shared.metadata.look(shared).ok().map(|held| held.health());
        let (catalog, overlay) = view.items(false);
        let (items, counts, sets) = (
            catalog.len() as u64,
            overlay.counts(),
            catalog.answers().len() as u64,
        );
        let (rev, decisions) = {
            let ledger = shared.items.ledger();
            (ledger.rev(), ledger.decisions() as u64)
        };
        Ok(OwnerStatus {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            socket: shared.socket.clone(),
            started: history::stamp(shared.started),
            clients: shared.activity.clients(),
            jobs: shared.activity.jobs(),
            root: shared.project.root().to_path_buf(),
            project: shared.project.config().name.clone(),
            items,
            by_status: Status::ALL.into_iter().zip(counts).collect(),
            prediction_sets: sets,
            rev,
            decisions,
            store_bytes: shared.index.size(),
            read_only: shared.writable.read_only().clone(),
            notices: shared.broadcast.notices().clone(),
            latency: shared.latency.read(),
            metadata,
            released: view
                .check_scores()
                .ok()
                .map(|()| shared.releases.newest(&shared.project, &catalog)),
        })
    }
}

impl Query for request::Item {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<ItemView> {
        let number = self.0;
        let shared = view.shared();
        let none = || Error::not_found(format!("unknown item #{number}"));
        let row = number.checked_sub(1).ok_or_else(none)?;
        let json = view.visible(row, line(shared, row)?)?;
        let stale = changed(shared, &json);
        let original = original(shared, &json)?;
        let chips = if view.hides(row) {
            Vec::new()
        } else {
            scoring::chips(shared, row)
        };
        let (status, _) = view.status(row);
        let mut standing = shared.items.ledger().effective_verdicts(row);
        standing.retain(|s| view.sees(row, &s.who));
        let (rev, text_rev) = (rev(view, row), shared.items.ledger().text_rev(row));
        if !view.hides(row) && !view.who().is_empty() {
            shared.rounds.shown(view.who(), row);
        }
        Ok(ItemView {
            number,
            json,
            status,
            rev,
            text_rev,
            standing,
            stale,
            original,
            chips,
            comments: view.comments(row).len() as u32,
        })
    }
}

/// The item that this one is a variant of or was derived from.
fn original(shared: &OwnerContext, json: &str) -> Result<Option<OriginalItem>> {
    let has = |name: &[u8]| memchr::memmem::find(json.as_bytes(), name).is_some();
    if !has(b"\"variant\"") && !has(b"\"derivation\"") {
        return Ok(None);
    }
    let item: Item = serde_json::from_str(json)
        .map_err(|e| Error::corrupt(format!("a stored item is damaged: {e}")))?;
    let catalog = shared.items.catalog();
    let row = item.original().map(|id| catalog.row_of(id)).transpose()?;
    let Some(row) = row.flatten() else {
        return Ok(None);
    };
    Ok(Some(OriginalItem {
        number: row + 1,
        question: catalog.item(row as usize)?.question,
    }))
}

/// What changed since the item was composed or derived: the metadata, or its source. `None` if this
/// cannot be read.
pub(super) fn changed(shared: &OwnerContext, json: &str) -> Option<String> {
    // Skip imported items, so that they need not wait for the metadata.
    let has = |name: &[u8]| memchr::memmem::find(json.as_bytes(), name).is_some();
    if !has(b"\"provenance\"") && !has(b"\"derivation\"") {
        return None;
    }
    let item: Item = serde_json::from_str(json).ok()?;
    if let Some(derivation) = &item.derivation {
        let catalog = shared.items.catalog();
        let row = catalog.row_of(&derivation.source.id).ok()??;
        let source: Item = serde_json::from_str(&line(shared, row).ok()?).ok()?;
        let changed = source.digest() != derivation.source.digest;
        return changed.then(|| {
            let id = &derivation.source.id;
            format!("stale: it was derived from another text or picture of {id}")
        });
    }
    item.provenance.as_ref()?;
    shared.metadata.now(shared).ok()?.changed(&item)
}
