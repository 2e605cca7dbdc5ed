//! Running rounds: leases of items, the purpose of each verdict, and what must be hidden from whom.
//!
//! Rounds are files next to the journals ([`benchtop_store::rounds`]). Leases live only in the
//! owner and end with it; leased items are then served again.

mod activity;
mod agreement;
mod answer;
mod answer_check;
mod connections;
mod disputes;
mod open;
mod start;
mod verdicts;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};

pub use activity::activity;
pub use answer::tasks;
pub use connections::AtWork;
pub use disputes::open_disputes;
use open::{Open, RoundSnapshot};
pub use start::store;
pub use verdicts::accepted;

use super::visibility::BlindMask;
use benchtop_model::round::Round;
use benchtop_model::round::state::{NextAssignment, RoundVerdict};
use benchtop_model::sorting::sort_by;
use benchtop_model::verdict::Part;
use benchtop_model::{Error, Item, Judgement, Result, Verdict};
use benchtop_store::{Catalog, Ledger};

/// All rounds of a project.
#[derive(Default)]
pub struct Rounds {
    inner: Mutex<Inner>,
    /// Whether rounds exist that are not loaded yet.
    unread: AtomicBool,
    /// Whether some round lacks items that it needs.
    lacking: AtomicBool,
    /// Serializes changes of round files.
    changing: Mutex<()>,
}

#[derive(Default)]
struct Inner {
    all: BTreeMap<String, Open>,
    /// What each annotator must not see, computed on demand; `None` if nothing is hidden.
    masks: HashMap<String, Option<Arc<BlindMask>>>,
    key: u64,
}

impl Rounds {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Replaces all rounds, with this lease duration in minutes and the verdicts of `ledger`.
    /// Current leases are kept. Returns notices for people.
    pub fn load(
        &self,
        (rounds, minutes): (Vec<Round>, u32),
        catalog: &Catalog,
        ledger: &Ledger,
    ) -> Vec<String> {
        let mut given: HashMap<String, Vec<RoundVerdict>> = ledger.by_round();
        let mut inner = self.inner();
        let mut before = std::mem::take(&mut inner.all);
        let mut notices = Vec::new();
        for round in rounds {
            let name = round.name.clone();
            let judged = given.remove(&name).unwrap_or_default();
            match Open::new((round, minutes), catalog, &judged, before.remove(&name)) {
                Ok(open) => drop(inner.all.insert(name, open)),
                Err(problem) => notices.push(format!("cannot continue round `{name}`: {problem}")),
            }
        }
        self.lacking.store(!notices.is_empty(), Ordering::Release);
        for (name, judged) in given {
            notices.push(format!(
                "{} verdicts belong to round `{name}`, whose file is missing",
                judged.len()
            ));
        }
        inner.masks.clear();
        self.unread.store(false, Ordering::Release);
        notices
    }

    /// Marks the rounds as not loaded yet.
    pub fn wait(&self) {
        self.unread.store(true, Ordering::Release);
    }

    /// Whether rounds exist that are not loaded yet. Until then it is unknown what must be hidden.
    pub fn unread(&self) -> bool {
        self.unread.load(Ordering::Acquire)
    }

    /// Whether some round lacks items that an import may bring.
    pub fn lacking(&self) -> bool {
        self.lacking.load(Ordering::Acquire)
    }

    /// What must be hidden from `who`; `None` if no blind round requires it.
    pub fn mask(&self, who: &str) -> Option<Arc<BlindMask>> {
        let mut inner = self.inner();
        if let Some(mask) = inner.masks.get(who) {
            return mask.clone();
        }
        inner.key += 1;
        let mut mask = BlindMask::new(inner.key);
        for open in inner.all.values().filter(|open| open.is_blind_for(who)) {
            mask.round.clone_from(&open.round.name);
            open.rows()
                .filter(|row| open.masks(who, *row))
                .for_each(|row| mask.put(row, true));
            mask.in_hand.extend(open.in_hand(who));
        }
        let mask = (!mask.round.is_empty()).then(|| Arc::new(mask));
        inner.masks.insert(who.to_string(), mask.clone());
        mask
    }

    /// Determines the purpose of a verdict of `who` on a row, before it is written, and records it
    /// in the verdict.
    ///
    /// # Errors
    /// [`Error::not_found`] for an unknown round or item; [`Error::denied`] for people who
    /// are not in the round; [`Error::conflict`] if others have taken the item or the round is
    /// closed; [`Error::input`] for a verdict that does not fit the protocol.
    pub fn decide(&self, who: &str, row: u32, judgement: &mut Judgement, now: i64) -> Result<()> {
        let Some(asked) = &judgement.round else {
            return Ok(());
        };
        let name = asked.round.clone();
        let mut inner = self.inner();
        inner.named(&name)?.decide(who, row, judgement, now)?;
        inner.update_mask(who, row);
        Ok(())
    }

    /// Normalizes the answer of a judgement on this item.
    ///
    /// # Errors
    /// [`Error::input`] if it is not an answer to the question.
    pub fn answers(&self, item: &Item, judgement: &mut Judgement) -> Result<()> {
        if let (Verdict::Answer, Some(text)) = (judgement.verdict, &judgement.answer)
            && !text.trim().is_empty()
        {
            judgement.answer = Some(answer_check::taken(item, text)?);
        }
        Ok(())
    }

    /// Checks that `who`, who had this item on screen, has not judged it in the round yet.
    ///
    /// # Errors
    /// [`Error::conflict`] if they judged it in another terminal.
    pub fn is_first(&self, who: &str, row: u32, judgement: &Judgement) -> Result<()> {
        let Some(asked) = judgement
            .round
            .as_ref()
            .filter(|asked| asked.part == Part::Main)
        else {
            return Ok(());
        };
        let judged = self
            .inner()
            .all
            .get(&asked.round)
            .is_some_and(|open| open.has_judged(who, row));
        if !judged {
            return Ok(());
        }
        let what = format!(
            "you have already judged #{} in this round, perhaps in another terminal",
            row + 1
        );
        Err(Error::conflict(what).help("that verdict counts; undo it to judge again"))
    }

    /// Checks that `who` may judge a row outside of rounds.
    ///
    /// # Errors
    /// [`Error::conflict`] if an open blind round will ask `who` about it, because an outside
    /// verdict would preempt the round; [`Error::input`] for an answer, which only rounds ask
    /// for.
    pub fn outside(&self, who: &str, row: u32, judgement: &Judgement) -> Result<()> {
        if judgement.verdict == Verdict::Answer {
            return Err(
                Error::input("answers can only be given in rounds that ask for them")
                    .field("verdict"),
            );
        }
        let inner = self.inner();
        match inner
            .all
            .values()
            .find(|open| open.is_blind_for(who) && open.masks(who, row))
        {
            Some(open) => {
                let name = &open.round.name;
                Err(Error::conflict(format!(
                    "#{} will be yours to judge in round `{name}`",
                    row + 1
                ))
                .help(format!(
                    "run `benchtop round next {name}` to get your next item"
                )))
            }
            None => Ok(()),
        }
    }

    /// Whether verdicts of others on this item must be hidden from `who`, who gave this verdict.
    pub fn keeps(&self, who: &str, judgement: &Judgement) -> bool {
        let asked = judgement
            .round
            .as_ref()
            .filter(|asked| asked.part != Part::Adjudication);
        asked.is_some_and(|asked| {
            self.inner()
                .all
                .get(&asked.round)
                .is_some_and(|open| open.is_blind_for(who))
        })
    }

    /// Whether any of these rows is in a round.
    pub fn have(&self, rows: &[u32]) -> bool {
        let inner = self.inner();
        inner
            .all
            .values()
            .any(|open| rows.iter().any(|row| open.has(*row)))
    }

    /// Withdraws a verdict of `who` that was undone or could not be written.
    pub fn undone(&self, who: &str, row: u32, judgement: &Judgement) {
        let Some(asked) = &judgement.round else {
            return;
        };
        let mut inner = self.inner();
        if let Some(open) = inner.all.get_mut(&asked.round) {
            open.undone(who, row, asked.part);
        }
        inner.update_mask(who, row);
    }

    /// Checks that an undone verdict can count again, and records it.
    ///
    /// # Errors
    /// [`Error::conflict`] if others have judged the item up to the overlap since.
    pub fn redo(&self, who: &str, row: u32, judgement: &Judgement, now: i64) -> Result<()> {
        let Some(asked) = &judgement.round else {
            return Ok(());
        };
        let mut inner = self.inner();
        if let Some(open) = inner.all.get_mut(&asked.round) {
            open.redo(who, row, asked.part, judgement.verdict, now)?;
        }
        inner.update_mask(who, row);
        Ok(())
    }

    /// The next assignment of `who` in a round. `version` is the current version of its guidelines.
    ///
    /// # Errors
    /// [`Error::not_found`] for an unknown round; [`Error::denied`] for people who are not
    /// in it.
    pub fn next(
        &self,
        who: &str,
        name: &str,
        version: Option<String>,
        now: i64,
    ) -> Result<NextAssignment> {
        let mut inner = self.inner();
        let open = inner.named(name)?;
        open.tells(who, version);
        let before = open.in_hand(who);
        let turn = open.next(who, now)?;
        let after = open.in_hand(who);
        for row in before.into_iter().chain(after) {
            inner.update_mask(who, row);
        }
        Ok(turn)
    }

    /// Releases the current item of `who`.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub fn release(&self, who: &str, name: &str) -> Result<()> {
        let mut inner = self.inner();
        let open = inner.named(name)?;
        let rows = open.in_hand(who);
        open.release(who)?;
        rows.into_iter().for_each(|row| inner.update_mask(who, row));
        Ok(())
    }

    /// Records that `who` was shown verdicts of others or machine results on a row.
    pub fn shown(&self, who: &str, row: u32) {
        self.inner()
            .all
            .values_mut()
            .filter(|open| open.round.has(who))
            .for_each(|open| open.shown(who, row));
    }

    /// Records that `who` saw the disputes of a round under this version of its guidelines.
    fn settling(&self, who: &str, name: &str, version: Option<String>) {
        if let Some(open) = self.inner().all.get_mut(name) {
            open.tells(who, version);
        }
    }

    /// Whether any open round asks for answers.
    pub fn ask_answers(&self) -> bool {
        self.inner().all.values().any(Open::asks_answers)
    }

    /// Whether `who` still has to answer the item in this row, so that its answer key must be
    /// hidden.
    pub fn asks_answer(&self, who: &str, row: u32) -> bool {
        self.inner()
            .all
            .values()
            .any(|open| open.asks_answer(who, row))
    }

    /// Snapshots of all rounds, oldest first.
    fn glances(&self, who: &str) -> Vec<RoundSnapshot> {
        let inner = self.inner();
        let mut all: Vec<&Open> = inner.all.values().collect();
        sort_by(&mut all, |a, b| {
            (a.round.created, &a.round.name).cmp(&(b.round.created, &b.round.name))
        });
        all.into_iter().map(|open| open.snapshot(who)).collect()
    }

    /// A guard to hold while the file of a round changes.
    fn change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock()
    }

    /// Stops a round until rounds are reloaded: no items are served and no verdicts accepted.
    fn shut(&self, name: &str) {
        self.inner().all.remove(name);
    }

    /// Calls `of` with one round.
    fn of<T>(&self, name: &str, of: impl FnOnce(&Open) -> T) -> Result<T> {
        self.inner().named(name).map(|open| of(open))
    }
}

impl Inner {
    fn named(&mut self, name: &str) -> Result<&mut Open> {
        let known: Vec<&String> = self.all.keys().collect();
        let help = match known.is_empty() {
            true => "run `benchtop round new` to create one".to_string(),
            false => format!(
                "known rounds: {}",
                known
                    .iter()
                    .map(|n| n.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        let none = || Error::not_found(format!("unknown round `{name}`")).help(help);
        self.all.get_mut(name).ok_or_else(none)
    }

    /// Updates what must be hidden from `who` about a row.
    fn update_mask(&mut self, who: &str, row: u32) {
        let Some(Some(mask)) = self.masks.get_mut(who) else {
            return;
        };
        let blind = || self.all.values().filter(|open| open.is_blind_for(who));
        let is_masked = blind().any(|open| open.masks(who, row));
        let in_hand = blind().any(|open| open.in_hand(who).contains(&row));
        self.key += 1;
        let mask = Arc::make_mut(mask);
        mask.put(row, is_masked);
        mask.in_hand.retain(|r| *r != row);
        if in_hand {
            mask.in_hand.push(row);
        }
        mask.key = self.key;
    }
}
