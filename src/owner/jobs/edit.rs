//! Manual edits of items. Everybody judges the new text again.

use std::sync::Arc;

use parking_lot::Mutex;
use uuid::Uuid;

use super::revise;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::dispatch::{Task, TaskContext};
use crate::queries;
use crate::visibility::AnnotatorView;
use crate::writer::{DecisionRequest, Reply, WriterCommand};
use benchtop_model::edit::{EditAct, EditMark};
use benchtop_model::{Error, Item, Result, Status};
use benchtop_pipeline::revise::{Batch, Revised};
use benchtop_protocol::wire::{EditedItem, Receipt, request};
use benchtop_store::Catalog;

impl Task for request::Edit {
    fn run(self, task: TaskContext<'_>) -> Result<EditedItem> {
        let (shared, who, edit) = (task.shared, task.who, &self.0);
        let _one_at_a_time = shared.importing.lock();
        let catalog = shared.items.catalog();
        let row = catalog.row(edit.number)?;
        let view = AnnotatorView::of(shared, who);
        if let Some(expected) = edit.expected
            && expected != queries::rev(&view, row)
        {
            let what = format!("#{} changed while you edited it", edit.number);
            return Err(Error::conflict(what).help("review the new text; yours was not saved"));
        }
        if shared.rounds.asks_answer(who, row) {
            let what = format!("you have not answered #{} yet", edit.number);
            return Err(
                Error::denied(what).help("answer it first, because editing shows the right answer")
            );
        }
        let before = catalog.item(row as usize)?;
        let after = edit.apply(&before, who, now())?;
        // One per person, as far as the annotator may know of them.
        let voided = {
            let mut standing = shared.items.ledger().effective_verdicts(row);
            standing.retain(|s| view.sees(row, &s.who));
            standing.len() as u64
        };
        let mut notes = Vec::new();
        if let Some(rotation) = &after.rotation {
            let of = rotation.of.saturating_sub(1);
            notes.push(format!(
                "{of} other rotations of this question keep their text (set {})",
                rotation.set
            ));
        }
        if !edit.preview {
            let mark = EditMark {
                by: who.into(),
                act: EditAct::Edit,
                receipt: None,
            };
            notes.extend(put(shared, catalog, row, &after, mark)?);
        }
        Ok(EditedItem {
            before: json(&view.visible_item(row, before))?,
            after: json(&view.visible_item(row, after))?,
            voided,
            notes,
        })
    }
}

/// Makes `item` the latest text of its row. Returns a notice.
fn put(
    shared: &Arc<OwnerContext>,
    catalog: Arc<Catalog>,
    row: u32,
    item: &Item,
    mark: EditMark,
) -> Result<Option<String>> {
    let mut columns = catalog.columns().clone();
    columns.replace(row as usize, item)?;
    let mut batch = Batch::new(&shared.project, "edited", false)?;
    batch.push(row, item)?;
    let fresh = batch.finish(false, "edited by hand")?.into_iter().collect();
    revise::enter(
        shared,
        catalog,
        Revised {
            columns,
            fresh,
            changed: vec![row],
            kept: Vec::new(),
            edit: Some(mark),
        },
    )
}

/// An undo or redo of an edit by `who`.
#[derive(Clone, Debug)]
pub struct StepEdit {
    pub who: String,
    pub uuid: Uuid,
    /// The project revision of the edit.
    pub rev: u64,
    pub row: u32,
    /// Whether it is a redo.
    pub redo: bool,
}

/// Starts the undo or redo of an edit. Verdicts on the present text of the item no longer count.
pub fn step_edit(shared: &Arc<OwnerContext>, step: StepEdit, reply: Reply) {
    let counted = shared.activity.count_job();
    let (owner, reply) = (shared.clone(), Arc::new(Mutex::new(Some(reply))));
    let answer = reply.clone();
    let give = |reply: &Mutex<Option<Reply>>, receipt| {
        if let Some(reply) = reply.lock().take() {
            reply(receipt);
        }
    };
    let work = move || {
        let _counted = counted;
        match step_now(&owner, &step) {
            Ok(Some(receipt)) => give(&answer, Ok(receipt)),
            // It was undone in the meantime, so undo the step before it.
            Ok(None) => {
                let Some(reply) = answer.lock().take() else {
                    return;
                };
                let StepEdit {
                    who, uuid, redo, ..
                } = step;
                let wish = if redo {
                    DecisionRequest::Redo(uuid)
                } else {
                    DecisionRequest::Undo(uuid)
                };
                // Fails only if the owner is shutting down.
                let _ = owner.writer.send(WriterCommand::Decide {
                    who,
                    wish,
                    asked: None,
                    reply,
                });
            }
            Err(problem) => give(&answer, Err(problem)),
        }
    };
    if let Err(error) = std::thread::Builder::new().name("edit".into()).spawn(work) {
        give(
            &reply,
            Err(Error::failed(format!("cannot undo the edit: {error}"))),
        );
    }
}

/// The receipt; `None` if the step was already made.
fn step_now(shared: &Arc<OwnerContext>, step: &StepEdit) -> Result<Option<Receipt>> {
    let _one_at_a_time = shared.importing.lock();
    if !shared
        .items
        .ledger()
        .can_step(&step.who, step.rev, step.redo)
    {
        return Ok(None);
    }
    let (catalog, row) = (shared.items.catalog(), step.row);
    let (item, act) = match step.redo {
        true => (catalog.item_at(row, step.rev)?, EditAct::Redo(step.rev)),
        false => (
            catalog.item_at(row, step.rev.saturating_sub(1))?,
            EditAct::Undo(step.rev),
        ),
    };
    let mark = EditMark {
        by: step.who.clone(),
        act,
        receipt: Some(step.uuid),
    };
    let notice = put(shared, catalog, row, &item, mark)?;
    shared.broadcast.notices().extend(notice);
    let (rev, status) = {
        let ledger = shared.items.ledger();
        (ledger.text_rev(row), ledger.status(row))
    };
    let status = if AnnotatorView::of(shared, &step.who).hides(row) {
        Status::Pending
    } else {
        status
    };
    Ok(Some(Receipt {
        uuid: step.uuid,
        rev,
        number: row + 1,
        status,
        edit: true,
        comment: false,
    }))
}

fn json(item: &Item) -> Result<String> {
    serde_json::to_string(item)
        .map_err(|e| Error::corrupt(format!("cannot serialize the item: {e}")))
}
