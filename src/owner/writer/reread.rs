//! Rereads the project after somebody else changed its journals while it was open.

use super::{Writer, load_rounds};
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::Event;
use benchtop_store::{StatusColumns, open};

impl Writer {
    /// Checks that the open journals are still the files at their paths.
    pub(super) fn check_journals(&mut self) {
        let lost = self
            .journals
            .values_mut()
            .find_map(|journal| journal.confirm().err());
        if let Some(problem) = lost.filter(|_| self.unread.is_none()) {
            self.changed.get_or_insert(problem);
        }
        // The next decision reports the error.
        let _ = self.read_again();
    }

    /// Rereads all journals if one was changed from outside. No decision is based on the old state.
    ///
    /// # Errors
    /// The journals cannot be read. The next decision tries again.
    pub(super) fn read_again(&mut self) -> Result<()> {
        let Some(why) = self.changed.clone() else {
            return Ok(());
        };
        let read = self.read_all(&why);
        *self.shared.writable.read_only() = read.as_ref().err().map(ToString::to_string);
        if read.is_ok() {
            self.changed = None;
        }
        read
    }

    fn read_all(&mut self, why: &Error) -> Result<()> {
        self.journals.clear();
        (self.pictures, self.reread) = (None, false);
        let project = &self.shared.project;
        for dir in [project.sessions(), project.images()] {
            let found = dir
                .symlink_metadata()
                .map_err(|e| Error::io(&e, "cannot find the folder", &dir));
            found.map_err(|problem| {
                problem.help("restore the folder; until then nothing is saved")
            })?;
        }
        let catalog = self.shared.items.catalog();
        let (pictures, mut notices) = open::load_pictures(project)?;
        let (ledger, found) = open::load_ledger(project, &catalog, &pictures)?;
        notices.extend(found);
        let mut overlay = StatusColumns::blank(catalog.len());
        ledger.write_over(&mut overlay);
        notices.extend(load_rounds(&self.shared, &ledger));
        // A fold in progress uses outdated journals. This reread serves those who wait for it.
        if let Some(folding) = self.folding.take() {
            folding.abandon();
        }
        {
            let mut current = self.shared.items.ledger_mut();
            let (before, now) = (current.decisions(), ledger.decisions());
            notices.push(format!(
                "the journals were changed from outside while the project was open and were reread: {now} decisions count now, \
                 {before} did before. {}",
                Error { help: None, ..why.clone() }
            ));
            *self.shared.items.pictures_mut() = pictures;
            self.shared.items.data_mut().overlay = overlay;
            *current = ledger;
        }
        for notice in &notices {
            crate::log::stamped(notice);
        }
        let mut known = self.shared.broadcast.notices();
        for notice in notices {
            if !known.contains(&notice) {
                known.push(notice);
            }
        }
        drop(known);
        self.all_dirty();
        // All clients must request everything on screen again.
        self.shared.broadcast.send(Event::Resync);
        Ok(())
    }
}
