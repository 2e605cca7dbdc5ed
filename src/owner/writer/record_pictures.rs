//! Records generated pictures, with one revision per batch.

use super::Writer;
use super::command::MadePictures;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::Fingerprint;
use benchtop_model::{ErrorKind, Result};
use benchtop_protocol::wire::Event;
use benchtop_store::columns::BLOCK_ROWS;
use benchtop_store::pictures;

impl Writer {
    /// Assigns one revision between the last decision on the earlier pictures and the first on the
    /// new ones.
    pub(super) fn made(&mut self, made: MadePictures) {
        self.flush();
        let MadePictures {
            made: mut list,
            prints,
            rows,
            reply,
        } = made;
        if let Some(problem) = self.unread.clone().or_else(|| self.read_again().err()) {
            let _ = reply.send(Err(problem));
            return;
        }
        let rev = self.shared.items.ledger().rev() + 1;
        list.iter_mut().for_each(|made| made.rev = rev);
        let recorded = self.record(&list, &prints);
        if let Ok(offsets) = &recorded {
            {
                let mut pictures = self.shared.items.pictures_mut();
                list.iter()
                    .zip(offsets)
                    .for_each(|(made, at)| pictures.add(made, *at));
                // A reopened journal may contain lines of a failed write that could not be removed.
                if let Some(journal) = self.pictures.as_ref().filter(|_| !self.reread) {
                    pictures.set_journal(journal);
                }
            }
            self.keep_pictures();
            let mut ledger = self.shared.items.ledger_mut();
            ledger.revise(&rows, rev, false, None);
            let mut data = self.shared.items.data_mut();
            rows.iter()
                .for_each(|row| ledger.write_row(*row, &mut data.overlay));
            drop((ledger, data));
            if self.shared.rounds.have(&rows) {
                let found = super::load_rounds(&self.shared, &self.shared.items.ledger());
                self.shared.broadcast.notices().extend(found);
            }
            self.dirty
                .extend(rows.iter().map(|row| *row as usize / BLOCK_ROWS));
            self.since_checkpoint += list.len();
            self.shared.broadcast.send(Event::PicturesGenerated {
                rev,
                numbers: rows.iter().map(|row| row + 1).collect(),
            });
        }
        // The pictures are recorded even if nobody waits for the reply.
        let _ = reply.send(recorded.map(|_| ()));
    }

    /// Writes the picture snapshot on a separate thread, if rereading the journal would take long.
    pub(super) fn keep_pictures(&mut self) {
        if self
            .keeping
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
        {
            return;
        }
        if self.shared.writable.may_write().is_err() {
            return;
        }
        let Some(kept) = self.shared.items.pictures_mut().snapshot_to_write() else {
            return;
        };
        let (store, images) = (self.shared.project.store(), self.shared.project.images());
        // Without the snapshot, the next start reads more of the journal.
        let write = move || drop(kept.write(&store, &images));
        self.keeping = std::thread::Builder::new()
            .name("pictures".into())
            .spawn(write)
            .ok();
    }

    /// Waits for the thread of [`keep_pictures`](Self::keep_pictures).
    pub(super) fn end_keeping(&mut self) {
        if let Some(thread) = self.keeping.take() {
            let _ = thread.join();
        }
    }

    fn record(&mut self, list: &[GeneratedImage], prints: &[Fingerprint]) -> Result<Vec<u64>> {
        let images = self.shared.project.images();
        let journal = match &mut self.pictures {
            Some(journal) => journal,
            None if self.reread => self.pictures.insert(pictures::Journal::open(&images)?),
            None => {
                let opened = pictures::Journal::after(&images, &self.shared.items.pictures());
                self.pictures.insert(opened.inspect_err(|problem| {
                    // The file differs from what was read.
                    if matches!(problem.kind, ErrorKind::Io | ErrorKind::NotFound) {
                        self.changed.get_or_insert_with(|| problem.clone());
                    }
                })?)
            }
        };
        let recorded = journal.append(list, prints);
        if let Err(problem) = &recorded {
            if journal.lost() {
                self.changed.get_or_insert_with(|| problem.clone());
            }
            // Reopen the journal next time, because its length on disk counts.
            (self.pictures, self.reread) = (None, true);
        }
        recorded
    }
}
