//! Reading the project again after somebody else changed its journals while it was open.

use super::{Writer, load_rounds};
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::Event;
use benchtop_store::{Overlay, open};

impl Writer {
    /// Looks whether the open journals are still those that their paths name.
    pub(super) fn look(&mut self) {
        let lost = self
            .journals
            .values_mut()
            .find_map(|journal| journal.confirm().err());
        if let Some(problem) = lost.filter(|_| self.unread.is_none()) {
            self.changed.get_or_insert(problem);
        }
        // What keeps it from being read is told to whoever decides next.
        let _ = self.read_again();
    }

    /// Reads all journals again where somebody else changed one; nothing is decided on what was known before.
    ///
    /// # Errors
    /// What keeps them from being read: then this is tried again before the next decision.
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
            let there = dir
                .symlink_metadata()
                .map_err(|e| Error::io(&e, "the folder is not there", &dir));
            there.map_err(|problem| problem.help("put it back; until then nothing is saved"))?;
        }
        let catalog = self.shared.items.catalog();
        let (pictures, mut notices) = open::load_pictures(project)?;
        let (ledger, found) = open::load_ledger(project, &catalog, &pictures)?;
        notices.extend(found);
        let mut overlay = Overlay::blank(catalog.len());
        ledger.write_over(&mut overlay);
        notices.extend(load_rounds(&self.shared, &ledger));
        // A fold under way is of journals that are no more; who waits for it is served by this one.
        if let Some(folding) = self.folding.take() {
            folding.abandon();
        }
        {
            let mut current = self.shared.items.ledger_mut();
            let (before, now) = (current.decisions(), ledger.decisions());
            notices.push(format!(
                "the journals were changed by somebody else while the project was open, and were read again: {now} decisions \
                 count where {before} did. {}",
                Error { help: None, ..why.clone() }
            ));
            *self.shared.items.pictures_mut() = pictures;
            self.shared.items.data_mut().overlay = overlay;
            *current = ledger;
        }
        for notice in &notices {
            crate::log::write(format_args!(
                "{} {notice}",
                benchtop_model::history::stamp(crate::clock::now())
            ));
        }
        let mut known = self.shared.broadcast.notices();
        for notice in notices {
            if !known.contains(&notice) {
                known.push(notice);
            }
        }
        drop(known);
        self.all_dirty();
        // Every client looks again at what it shows.
        self.shared.broadcast.tell(Event::Resync);
        Ok(())
    }
}
