//! Verification rounds at work: who has which item in hand, what a verdict of a round is for, and what is kept from whom.
//!
//! Rounds themselves are files beside the journals ([`benchtop_store::rounds`]); leases live here and end with the owner: what
//! was in hand then is given out again.

mod agreement;
mod answer;
mod at_work;
mod begin;
mod disputes;
mod given_answer;
mod open;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use answer::accepted;
pub use at_work::AtWork;
use open::{Open, RoundSnapshot};

use super::visibility::BlindMask;
use benchtop_model::round::Round;
use benchtop_model::round::state::{InRound, NextAssignment};
use benchtop_model::verdict::Part;
use benchtop_model::{Error, ErrorKind, Item, Judgement, Result, Verdict};
use benchtop_store::{Catalog, Ledger};

/// All rounds of a project.
#[derive(Default)]
pub struct Rounds {
    inner: Mutex<Inner>,
    /// There are some, and they are not read yet.
    unread: AtomicBool,
    /// Some cannot go on with the items that there are.
    lacking: AtomicBool,
    /// One change of a round's file at a time.
    changing: Mutex<()>,
}

#[derive(Default)]
struct Inner {
    all: BTreeMap<String, Open>,
    /// What each person must not see, as far as somebody asked; none where there is nothing.
    veils: HashMap<String, Option<Arc<BlindMask>>>,
    key: u64,
}

impl Rounds {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes these rounds as all there are, with leases of so many minutes and the verdicts of `ledger`; leases go on. Gives
    /// what a person should know.
    pub fn load(
        &self,
        (rounds, minutes): (Vec<Round>, u32),
        catalog: &Catalog,
        ledger: &Ledger,
    ) -> Vec<String> {
        let mut given: HashMap<String, Vec<InRound>> = ledger.by_round();
        let mut inner = self.inner();
        let mut before = std::mem::take(&mut inner.all);
        let mut notices = Vec::new();
        for round in rounds {
            let name = round.name.clone();
            let judged = given.remove(&name).unwrap_or_default();
            match Open::new((round, minutes), catalog, &judged, before.remove(&name)) {
                Ok(open) => drop(inner.all.insert(name, open)),
                Err(problem) => notices.push(format!("the round `{name}` cannot go on: {problem}")),
            }
        }
        self.lacking.store(!notices.is_empty(), Ordering::Release);
        for (name, judged) in given {
            notices.push(format!(
                "{} verdicts belong to the round `{name}`, whose file is not there",
                judged.len()
            ));
        }
        inner.veils.clear();
        self.unread.store(false, Ordering::Release);
        notices
    }

    /// There are rounds that are still to be read.
    pub fn wait(&self) {
        self.unread.store(true, Ordering::Release);
    }

    /// Whether there are rounds that are still to be read: until then nobody knows what to keep back.
    pub fn unread(&self) -> bool {
        self.unread.load(Ordering::Acquire)
    }

    /// Whether one cannot go on, for lack of items that an import may bring.
    pub fn lacking(&self) -> bool {
        self.lacking.load(Ordering::Acquire)
    }

    /// What `who` must not see; none where no blind round asks for it.
    pub fn veil(&self, who: &str) -> Option<Arc<BlindMask>> {
        let mut inner = self.inner();
        if let Some(veil) = inner.veils.get(who) {
            return veil.clone();
        }
        inner.key += 1;
        let mut veil = BlindMask::new(inner.key);
        for open in inner.all.values().filter(|open| open.is_blind_for(who)) {
            veil.round.clone_from(&open.round.name);
            open.rows()
                .filter(|row| open.veils(who, *row))
                .for_each(|row| veil.put(row, true));
            veil.in_hand.extend(open.in_hand(who));
        }
        let veil = (!veil.round.is_empty()).then(|| Arc::new(veil));
        inner.veils.insert(who.to_string(), veil.clone());
        veil
    }

    /// Makes out what a verdict of `who` on a row is for, before it is written, and says so in it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a round or an item that is not there, [`ErrorKind::Denied`] for somebody who is not in it,
    /// [`ErrorKind::Conflict`] when others have the item by now or the round is closed, and [`ErrorKind::Input`] for a verdict that the
    /// protocol does not ask for.
    pub fn decide(&self, who: &str, row: u32, judgement: &mut Judgement, now: i64) -> Result<()> {
        let Some(asked) = &judgement.asked else {
            return Ok(());
        };
        let name = asked.round.clone();
        let mut inner = self.inner();
        inner.named(&name)?.decide(who, row, judgement, now)?;
        inner.look_again(who, row);
        Ok(())
    }

    /// The answer of a judgement on this item as it is recorded.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for what answers nothing.
    pub fn answers(&self, item: &Item, judgement: &mut Judgement) -> Result<()> {
        if let (Verdict::Answer, Some(text)) = (judgement.verdict, &judgement.answer)
            && !text.trim().is_empty()
        {
            judgement.answer = Some(given_answer::taken(item, text)?);
        }
        Ok(())
    }

    /// Whether `who`, who had the item in this row on the screen to be judged, has not judged it in this round before.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] where another terminal of theirs did.
    pub fn is_first(&self, who: &str, row: u32, judgement: &Judgement) -> Result<()> {
        let Some(asked) = judgement
            .asked
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
            "you have judged #{} in this round already, perhaps at another terminal",
            row + 1
        );
        Err(Error::new(ErrorKind::Conflict, what).help("that verdict stands; undo takes it back"))
    }

    /// Whether `who` may judge a row outside of rounds.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] where an open blind round asks `who` for it: a verdict beside it would decide what the round is to
    /// decide. [`ErrorKind::Input`] for an answer, which only a round asks for.
    pub fn outside(&self, who: &str, row: u32, judgement: &Judgement) -> Result<()> {
        if judgement.verdict == Verdict::Answer {
            return Err(
                Error::input("an answer is given where a round asks for it").field("verdict")
            );
        }
        let inner = self.inner();
        match inner
            .all
            .values()
            .find(|open| open.is_blind_for(who) && open.veils(who, row))
        {
            Some(open) => {
                let name = &open.round.name;
                Err(Error::new(
                    ErrorKind::Conflict,
                    format!("#{} is for you to judge in the round `{name}`", row + 1),
                )
                .help(format!("take what `benchtop round next {name}` gives you")))
            }
            None => Ok(()),
        }
    }

    /// Whether what others say of the item of this verdict is kept from `who`, who gave it.
    pub fn keeps(&self, who: &str, judgement: &Judgement) -> bool {
        let asked = judgement
            .asked
            .as_ref()
            .filter(|asked| asked.part != Part::Adjudication);
        asked.is_some_and(|asked| {
            self.inner()
                .all
                .get(&asked.round)
                .is_some_and(|open| open.is_blind_for(who))
        })
    }

    /// Whether one of these rows is in a round.
    pub fn have(&self, rows: &[u32]) -> bool {
        let inner = self.inner();
        inner
            .all
            .values()
            .any(|open| rows.iter().any(|row| open.has(*row)))
    }

    /// A verdict of `who` could not be written, or was taken back.
    pub fn undone(&self, who: &str, row: u32, judgement: &Judgement) {
        let Some(asked) = &judgement.asked else {
            return;
        };
        let mut inner = self.inner();
        if let Some(open) = inner.all.get_mut(&asked.round) {
            open.undone(who, row, asked.part);
        }
        inner.look_again(who, row);
    }

    /// Whether a verdict that was taken back can count again.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] when others have judged the item meanwhile as often as the round wants.
    pub fn redo(&self, who: &str, row: u32, judgement: &Judgement, now: i64) -> Result<()> {
        let Some(asked) = &judgement.asked else {
            return Ok(());
        };
        let mut inner = self.inner();
        if let Some(open) = inner.all.get_mut(&asked.round) {
            open.redo(who, row, asked.part, judgement.verdict, now)?;
        }
        inner.look_again(who, row);
        Ok(())
    }

    /// What `who` is to judge next in a round. `version` is that of its guidelines as they are now.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for no such round, [`ErrorKind::Denied`] for somebody who is not in it.
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
            inner.look_again(who, row);
        }
        Ok(match turn {
            open::Given::Item(served) => NextAssignment::Item(served),
            open::Given::Wait(until) => NextAssignment::Wait(until),
            open::Given::Finished => NextAssignment::Finished,
            open::Given::Closed => NextAssignment::Closed,
        })
    }

    /// Gives back what `who` has in hand.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub fn release(&self, who: &str, name: &str) -> Result<()> {
        let mut inner = self.inner();
        let open = inner.named(name)?;
        let rows = open.in_hand(who);
        open.release(who)?;
        rows.into_iter().for_each(|row| inner.look_again(who, row));
        Ok(())
    }

    /// `who` was shown what others and machines say of a row.
    pub fn shown(&self, who: &str, row: u32) {
        self.inner()
            .all
            .values_mut()
            .filter(|open| open.round.has(who))
            .for_each(|open| open.shown(who, row));
    }

    /// `who` looks at the disputes of a round, under this version of its guidelines.
    fn settling(&self, who: &str, name: &str, version: Option<String>) {
        if let Some(open) = self.inner().all.get_mut(name) {
            open.tells(who, version);
        }
    }

    /// Whether some round is open that asks for answers.
    pub fn ask_answers(&self) -> bool {
        self.inner().all.values().any(Open::asks_answers)
    }

    /// Whether `who` is still to answer the item in this row, and so must not see the key.
    pub fn asks_answer(&self, who: &str, row: u32) -> bool {
        self.inner()
            .all
            .values()
            .any(|open| open.asks_answer(who, row))
    }

    /// All rounds as they are now, oldest first.
    fn glances(&self, who: &str) -> Vec<RoundSnapshot> {
        let inner = self.inner();
        let mut all: Vec<&Open> = inner.all.values().collect();
        all.sort_by(|a, b| (a.round.created, &a.round.name).cmp(&(b.round.created, &b.round.name)));
        all.into_iter().map(|open| open.glance(who)).collect()
    }

    /// Held while the file of a round is changed.
    fn change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives nothing of a round out any more and takes no verdict in, until rounds are read again.
    fn shut(&self, name: &str) {
        self.inner().all.remove(name);
    }

    /// Something of one round.
    fn of<T>(&self, name: &str, of: impl FnOnce(&Open) -> T) -> Result<T> {
        self.inner().named(name).map(|open| of(open))
    }
}

impl Inner {
    fn named(&mut self, name: &str) -> Result<&mut Open> {
        let known: Vec<&String> = self.all.keys().collect();
        let help = match known.is_empty() {
            true => "make one with `benchtop round new`".to_string(),
            false => format!(
                "there is: {}",
                known
                    .iter()
                    .map(|n| n.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        let none =
            || Error::new(ErrorKind::NotFound, format!("there is no round `{name}`")).help(help);
        self.all.get_mut(name).ok_or_else(none)
    }

    /// Something about `who` and a row is another now.
    fn look_again(&mut self, who: &str, row: u32) {
        let Some(Some(veil)) = self.veils.get_mut(who) else {
            return;
        };
        let blind = || self.all.values().filter(|open| open.is_blind_for(who));
        let veils = blind().any(|open| open.veils(who, row));
        let in_hand = blind().any(|open| open.in_hand(who).contains(&row));
        self.key += 1;
        let veil = Arc::make_mut(veil);
        veil.put(row, veils);
        veil.in_hand.retain(|r| *r != row);
        if in_hand {
            veil.in_hand.push(row);
        }
        veil.key = self.key;
    }
}
