//! Work on everything at once: all journals folded again, items under later texts.

use super::{Join, Revise, Writer, append, load_rounds};
use crate::owner::wire::Event;
use crate::store::{Overlay, open};

impl Writer {
    pub(super) fn imported(&mut self) {
        self.flush();
        let loaded = open::load_ledger(&self.shared.project, &self.shared.catalog(), &self.shared.pictures());
        match loaded {
            Ok((ledger, _)) => {
                let found = load_rounds(&self.shared, &ledger);
                self.shared.notices().extend(found);
                let mut current = self.shared.ledger_mut();
                let mut data = self.shared.data_mut();
                // A verdict may have ended to count: what it had written must go too.
                data.overlay = Overlay::blank(data.catalog.len());
                ledger.write_over(&mut data.overlay);
                *current = ledger;
            }
            Err(problem) => self.shared.notices().push(problem.to_string()),
        }
        self.all_dirty();
    }

    /// A journal at a time: what an interruption leaves out is added when the same files are merged again.
    pub(super) fn join(&mut self, join: &Join) {
        self.flush();
        let mut outcome = self.unread.clone().map_or(Ok(()), Err);
        for (who, decisions) in &join.fresh {
            if outcome.is_ok() {
                outcome = append(&mut self.journals, &self.shared, who, decisions);
            }
            if outcome.is_err() {
                self.journals.remove(who);
            }
        }
        if self.unread.is_none() {
            self.imported();
            self.shared.tell(Event::Resync);
        }
        let _ = join.reply.send(outcome);
    }

    /// Between the last decision on the earlier texts and the first on the later ones there is this revision alone.
    pub(super) fn revise(&mut self, revise: Revise) {
        self.flush();
        if let Some(problem) = &self.unread {
            let _ = revise.reply.send(Err(problem.clone()));
            return;
        }
        let rev = self.shared.ledger().rev() + 1;
        let recorded = (revise.record)(rev);
        if let Ok(recorded) = &recorded {
            let mut ledger = self.shared.ledger_mut();
            ledger.revise(&revise.changed, rev, false);
            ledger.revise(&revise.kept, rev, true);
            let mut data = self.shared.data_mut();
            data.catalog = recorded.catalog.clone();
            revise.changed.iter().for_each(|row| ledger.write_row(*row, &mut data.overlay));
            drop((ledger, data));
            let found = load_rounds(&self.shared, &self.shared.ledger());
            self.shared.notices().extend(found);
            // Every client looks again at what it shows.
            self.shared.tell(Event::Resync);
            self.all_dirty();
        }
        // Nobody waits any more: it is done all the same.
        let _ = revise.reply.send(recorded);
    }
}
