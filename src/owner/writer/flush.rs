//! Writes a batch of decisions: writes all journals, syncs them at once, then checks and
//! acknowledges each.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Pending, Writer};
use crate::context::OwnerContext;
use crate::latency::Step;
use benchtop_model::{Act, Decision, Error, Result};
use benchtop_protocol::wire::{Event, Receipt};
use benchtop_store::columns::BLOCK_ROWS;
use benchtop_store::journal::{self, Journal};
use benchtop_store::prefix_digest::PrefixDigest;

/// Decisions of one annotator.
struct Group {
    who: String,
    pendings: Vec<Pending>,
}

impl Writer {
    pub(super) fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        if let Err(problem) = self.shared.writable.check_root() {
            *self.shared.writable.read_only() = Some(problem.to_string());
            for pending in std::mem::take(&mut self.batch) {
                self.release_lease(&pending);
                (pending.reply)(Err(problem.clone()));
            }
            return;
        }
        let mut by_person: BTreeMap<String, Vec<Pending>> = BTreeMap::new();
        for pending in self.batch.drain(..) {
            by_person
                .entry(pending.decision.who.clone())
                .or_default()
                .push(pending);
        }
        let (mut groups, mut files) = (Vec::new(), Vec::new());
        for (who, pendings) in by_person {
            let began = Instant::now();
            for times in pendings.iter().filter_map(|p| p.times) {
                self.shared
                    .latency
                    .record(Step::Batch, began.duration_since(times.prepared));
            }
            match self.write(&who, &pendings) {
                Ok(file) => {
                    files.push(file);
                    groups.push(Some(Group { who, pendings }));
                }
                Err(problem) => self.refuse(&who, pendings, &problem),
            }
        }
        let mut syncers = std::mem::take(&mut self.syncers);
        syncers.sync(files, |(at, synced, took)| {
            if let Some(group) = groups.get_mut(at).and_then(Option::take) {
                self.synced(group, synced, took);
            }
        });
        self.syncers = syncers;
    }

    /// Writes the decisions of one annotator. Returns the file to sync.
    fn write(&mut self, who: &str, pendings: &[Pending]) -> Result<std::sync::Arc<std::fs::File>> {
        let decisions: Vec<Decision> = pendings.iter().map(|p| p.decision.clone()).collect();
        let journal = self.journal(who)?;
        journal.begin_append(&decisions)?;
        Ok(journal.handle())
    }

    fn synced(&mut self, group: Group, synced: std::io::Result<()>, took: Duration) {
        let Group { who, pendings } = group;
        let Some(journal) = self.journals.get_mut(&who) else {
            return;
        };
        if let Err(problem) = journal.finish_append(synced, took) {
            return self.refuse(&who, pendings, &problem);
        }
        let (times, links) = (journal.times(), journal.links());
        for _ in pendings.iter().filter(|p| p.times.is_some()) {
            let latency = &self.shared.latency;
            latency.record(Step::Append, times.write);
            latency.record(Step::Sync, times.sync);
            latency.record(Step::Check, times.check);
        }
        if links > 1 && self.linked.insert(who.clone()) {
            self.shared.broadcast.notices().push(format!(
                "the journal of {who} has {links} hard links; editing another link in place changes the journal too"
            ));
        }
        *self.shared.writable.read_only() = None;
        pendings.into_iter().for_each(|p| self.apply(p));
    }

    /// Refuses decisions that could not be saved.
    fn refuse(&mut self, who: &str, pendings: Vec<Pending>, problem: &Error) {
        *self.shared.writable.read_only() = Some(problem.to_string());
        // Reopen the journal next time, because the file on disk counts.
        if self
            .journals
            .remove(who)
            .is_some_and(|journal| journal.must_reopen())
        {
            self.changed.get_or_insert_with(|| problem.clone());
        }
        for pending in pendings {
            self.release_lease(&pending);
            (pending.reply)(Err(problem.clone()));
        }
    }

    /// The open journal of an annotator.
    pub(super) fn journal(&mut self, who: &str) -> Result<&mut Journal> {
        if !self.journals.contains_key(who) {
            let sessions = self.shared.project.sessions();
            let prefix = self
                .shared
                .items
                .ledger()
                .digests
                .get(who)
                .cloned()
                .unwrap_or_default();
            let opened = Journal::after(&sessions, who, prefix).inspect_err(|problem| {
                // If the file differs from what was read, everything is reread.
                if !as_known(&self.shared, who) {
                    self.changed.get_or_insert_with(|| problem.clone());
                }
            })?;
            self.journals.insert(who.to_string(), opened);
        }
        self.journals
            .get_mut(who)
            .ok_or_else(|| Error::failed("the journal is not open"))
    }

    fn apply(&mut self, pending: Pending) {
        let Pending {
            decision,
            row,
            reply,
            times,
        } = pending;
        let began = Instant::now();
        let shared = self.shared.clone();
        let mut ledger = shared.items.ledger_mut();
        let mut locks = began.elapsed();
        ledger.digests.add(&decision.who, &journal::text(&decision));
        if let Some(folding) = &mut self.folding {
            folding.since.push((decision.clone(), row));
        }
        let change = match ledger.apply(&decision, row) {
            Ok(change) => change,
            Err(problem) => return reply(Err(problem)),
        };
        if let Act::Undo(target) = &decision.act
            && let Some((row, judgement)) = ledger.judgement(target)
        {
            shared.rounds.undone(&decision.who, row, judgement);
        }
        let is_comment = matches!(decision.act, Act::Comment(_));
        if is_comment {
            // It changes no status.
            drop(ledger);
        } else {
            let asked = Instant::now();
            let mut data = shared.items.data_mut();
            locks += asked.elapsed();
            let written = ledger.write_rows(change.row, &mut data.overlay);
            drop((ledger, data));
            self.dirty
                .extend(written.into_iter().map(|row| row as usize / BLOCK_ROWS));
        }
        self.since_checkpoint += 1;
        let receipt = Receipt {
            uuid: decision.uuid,
            rev: decision.rev,
            number: change.row + 1,
            status: change.status,
            edit: false,
            comment: is_comment,
        };
        let judgement = match &decision.act {
            Act::Judge(judgement) => Some(judgement),
            Act::Undo(_) | Act::Redo(_) | Act::Comment(_) => None,
        };
        let status = self.visible_status(&decision.who, change.row, judgement, change.status);
        if let Some(times) = times {
            shared.latency.record(Step::Locks, times.locks + locks);
            shared
                .latency
                .record(Step::Apply, began.elapsed().saturating_sub(locks));
        }
        reply(Ok(Receipt {
            status,
            ..receipt.clone()
        }));
        let who = decision.who;
        shared.broadcast.send(match is_comment {
            true => Event::Comment {
                who,
                number: receipt.number,
                rev: receipt.rev,
            },
            false => Event::Verdict { who, receipt },
        });
    }
}

/// Whether the journal of an annotator still has the length that was read.
fn as_known(shared: &OwnerContext, who: &str) -> bool {
    let sessions = shared.project.sessions();
    let length =
        std::fs::metadata(sessions.join(format!("{who}.jsonl"))).map_or(0, |meta| meta.len());
    let known = shared
        .items
        .ledger()
        .digests
        .get(who)
        .map_or(0, PrefixDigest::length);
    sessions.symlink_metadata().is_ok_and(|meta| meta.is_dir()) && length == known
}
