//! One round: where its items are in the project, its leases, and what verdicts in it are for.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use benchtop_model::round::lease::{Judged, Leases, Next};
use benchtop_model::round::order::Ticket;
use benchtop_model::round::state::{Assignment, InRound, RoundState};
use benchtop_model::round::{Gold, Protocol, Round};
use benchtop_model::verdict::Part;
use benchtop_model::{Error, ErrorKind, Judgement, Result, Verdict};
use benchtop_store::Catalog;
use benchtop_store::columns::id_hash;

/// Items that a client is told to get ready.
const AHEAD: usize = 8;

/// A round and how far it is.
pub(super) struct Open {
    pub(super) round: Arc<Round>,
    /// Version of the guidelines as they were when somebody last got an item or a list of disputes.
    told: HashMap<String, String>,
    pub(super) leases: Leases,
    /// Items that the project does not have: nobody is asked for them.
    pub(super) missing: u32,
    /// Rows of its items, its probes and its practice.
    rows: Arc<[Vec<Option<u32>>; 3]>,
    /// Where in it a row is; other rotations of an item are where it is.
    places: HashMap<u32, (Role, u32)>,
    /// Rows of other rotations of its items.
    rotations: Vec<u32>,
    /// Who was shown what others say of which row.
    shown: HashSet<(String, u32)>,
}

/// What a row is in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Item,
    Probe,
    Practice,
}

impl Role {
    /// The part of a verdict on it, unless it is shown again.
    fn part(self) -> Part {
        match self {
            Role::Item => Part::Main,
            Role::Probe => Part::Probe,
            Role::Practice => Part::Calibration,
        }
    }

    fn of(part: Part) -> Role {
        match part {
            Part::Probe => Role::Probe,
            Part::Calibration => Role::Practice,
            Part::Main | Part::Revision | Part::Repeat | Part::Adjudication => Role::Item,
        }
    }
}

/// What there is for somebody.
pub(super) enum Given {
    Item(Assignment),
    Wait(i64),
    Finished,
    Closed,
}

/// A round at one moment: what takes long is made out of this, while decisions go on.
#[derive(Clone)]
pub(super) struct RoundSnapshot {
    pub(super) round: Arc<Round>,
    pub(super) state: RoundState,
    /// It keeps something from the one who asked.
    pub(super) blind: bool,
    rows: Arc<[Vec<Option<u32>>; 3]>,
}

impl RoundSnapshot {
    /// Leaves these rows out; how many items of the round that are.
    pub(super) fn leave_out(&mut self, veiled: impl Fn(u32) -> bool) -> u64 {
        let mut rows = [Vec::new(), Vec::new(), Vec::new()];
        for (kept, all) in rows.iter_mut().zip(self.rows.iter()) {
            *kept = all
                .iter()
                .map(|row| row.filter(|row| !veiled(*row)))
                .collect();
        }
        let there = |rows: &[Option<u32>]| rows.iter().flatten().count();
        let out = there(&self.rows[0]) - there(&rows[0]);
        self.rows = Arc::new(rows);
        out as u64
    }

    /// Rows of its items, in their order.
    pub(super) fn items(&self) -> impl Iterator<Item = u32> {
        self.rows[0].iter().filter_map(|row| *row)
    }

    /// Rows of all that is in it, known items too.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().flatten().filter_map(|row| *row)
    }

    /// The known items of practice or of probes, by their rows; none of other parts.
    pub(super) fn known(&self, part: Part) -> impl Iterator<Item = (u32, &Gold)> {
        let known = match part {
            Part::Probe => &self.round.probe_items[..],
            Part::Calibration => &self.round.calibration[..],
            Part::Main | Part::Revision | Part::Repeat | Part::Adjudication => &[],
        };
        self.rows[Role::of(part) as usize]
            .iter()
            .zip(known)
            .filter_map(|(row, gold)| Some(((*row)?, gold)))
    }
}

impl Open {
    /// The round with the verdicts `given` in it and leases of so many minutes; those of `before` go on.
    pub(super) fn new(
        (round, minutes): (Round, u32),
        catalog: &Catalog,
        given: &[InRound],
        before: Option<Open>,
    ) -> Result<Open> {
        let row = |id: &String| catalog.row_of_hash(id_hash(id));
        let items: Vec<Option<u32>> = round.items.iter().map(row).collect();
        let probes: Vec<Option<u32>> = round.probe_items.iter().map(|gold| row(&gold.id)).collect();
        let practice: Vec<Option<u32>> =
            round.calibration.iter().map(|gold| row(&gold.id)).collect();
        let rows = [items, probes, practice];
        let mut places = HashMap::with_capacity(rows[0].len());
        for (role, list) in [Role::Item, Role::Probe, Role::Practice]
            .into_iter()
            .zip(&rows)
        {
            places.extend(
                list.iter()
                    .enumerate()
                    .filter_map(|(at, row)| Some(((*row)?, (role, at as u32)))),
            );
        }
        let mut rotations = Vec::new();
        for (at, others) in round
            .items
            .iter()
            .enumerate()
            .filter_map(|(at, id)| Some((at, round.rotations.get(id)?)))
        {
            for row in others.iter().filter_map(row) {
                // What is asked for by itself, as known, stays that.
                if let Entry::Vacant(place) = places.entry(row) {
                    place.insert((Role::Item, at as u32));
                    rotations.push(row);
                }
            }
        }
        let judged = given.iter().map(|g| {
            let place = places
                .get(&g.row)
                .filter(|(role, _)| *role == Role::of(g.part));
            let item = place.map_or(u32::MAX, |(_, item)| *item);
            Judged {
                person: &g.who,
                item,
                part: g.part,
                skipped: g.judgement.verdict == Verdict::Skip,
            }
        });
        // What is not there is as good as judged: everybody is past it.
        let gone = [Part::Main, Part::Probe, Part::Calibration]
            .into_iter()
            .zip(&rows);
        let gone = gone.flat_map(|(part, list)| {
            list.iter()
                .enumerate()
                .filter(|(_, row)| row.is_none())
                .map(move |(at, _)| (part, at as u32))
        });
        let gone: Vec<(Part, u32)> = gone.collect();
        let past = round.people.iter().flat_map(|person| {
            gone.iter().map(move |(part, item)| Judged {
                person,
                item: *item,
                part: *part,
                skipped: false,
            })
        });
        let mut leases = Leases::rebuild(&round, minutes, judged.chain(past))?;
        let (mut shown, mut told) = (HashSet::new(), HashMap::new());
        if let Some(mut before) = before {
            for person in round.left() {
                // What they had in hand is free. Somebody who was not in it had nothing.
                let _ = before.leases.release(&person);
            }
            leases.keep_leases(&before.leases);
            (shown, told) = (before.shown, before.told);
        }
        let missing = rows[0].iter().filter(|row| row.is_none()).count() as u32;
        let (round, rows) = (Arc::new(round), Arc::new(rows));
        Ok(Open {
            round,
            told,
            leases,
            missing,
            rows,
            places,
            rotations,
            shown,
        })
    }

    /// All rows in it.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        self.rows
            .iter()
            .flatten()
            .filter_map(|row| *row)
            .chain(self.rotations.iter().copied())
    }

    /// What can be worked on while the round goes on.
    pub(super) fn glance(&self, who: &str) -> RoundSnapshot {
        let (judged, wanted) = self.leases.progress();
        let gone = u64::from(self.missing);
        let all_gone = gone * u64::from(self.round.overlap);
        let mains = |name: &String| u64::from(self.leases.done(name).map_or(0, |done| done.mains));
        let state = RoundState {
            missing: gone,
            people: self
                .round
                .people
                .iter()
                .map(|p| (p.clone(), mains(p).saturating_sub(gone)))
                .collect(),
            judged: judged.saturating_sub(all_gone),
            wanted: wanted.saturating_sub(all_gone),
            strangers: self.leases.strangers(),
            ..RoundState::fresh(&self.round)
        };
        RoundSnapshot {
            round: self.round.clone(),
            state,
            blind: self.is_blind_for(who),
            rows: self.rows.clone(),
        }
    }

    /// Whether a row is in it.
    pub(super) fn has(&self, row: u32) -> bool {
        self.places.contains_key(&row)
    }

    /// Whether it keeps anything from `who`.
    pub(super) fn is_blind_for(&self, who: &str) -> bool {
        self.round.blind && self.round.closed.is_none() && self.round.has(who)
    }

    /// Whether what others and machines say of a row is kept from `who`. Known items stay veiled to the end.
    pub(super) fn veils(&self, who: &str, row: u32) -> bool {
        match self.places.get(&row) {
            Some((Role::Item, item)) => {
                !self.leases.has_judged(who, *item) || self.in_hand(who).contains(&row)
            }
            Some((Role::Probe | Role::Practice, _)) => true,
            None => false,
        }
    }

    /// Whether `who` has judged the item in this row and does not have it in hand again.
    pub(super) fn has_judged(&self, who: &str, row: u32) -> bool {
        let place = self.places.get(&row);
        let item = place
            .filter(|(role, _)| *role == Role::Item)
            .map(|(_, item)| *item);
        item.is_some_and(|item| self.leases.has_judged(who, item))
            && !self.in_hand(who).contains(&row)
    }

    /// The row that `who` has in hand.
    pub(super) fn in_hand(&self, who: &str) -> Vec<u32> {
        self.leases
            .lease_of(who)
            .and_then(|lease| self.row(lease.ticket))
            .into_iter()
            .collect()
    }

    fn row(&self, ticket: Ticket) -> Option<u32> {
        let list = &self.rows[Role::of(ticket.part) as usize];
        list.get(ticket.item as usize).copied().flatten()
    }

    pub(super) fn next(&mut self, who: &str, now: i64) -> Result<Given> {
        self.gives(who)?;
        let lease = match self.leases.next(who, now)? {
            Next::Ticket(lease) => lease,
            Next::Wait(until) => return Ok(Given::Wait(until)),
            Next::Finished => return Ok(Given::Finished),
            Next::Closed => return Ok(Given::Closed),
        };
        let none = || {
            Error::new(
                ErrorKind::NotFound,
                "the round gives out an item that is not there",
            )
        };
        let row = self.row(lease.ticket).ok_or_else(none)?;
        let ahead = self.leases.ahead(who, AHEAD);
        let rows = ahead
            .into_iter()
            .filter_map(|item| self.rows[0].get(item as usize).copied().flatten());
        Ok(Given::Item(Assignment {
            number: row + 1,
            item: self.round.id(lease.ticket).unwrap_or_default().to_string(),
            practice: lease.ticket.part == Part::Calibration,
            nth: lease.ticket.nth,
            place: self.leases.place(who, lease.ticket).unwrap_or_default(),
            guidelines: self.guidelines(who),
            until: lease.until,
            elsewhere: false,
            ahead: rows.map(|row| row + 1).collect(),
        }))
    }

    /// `who` is told of the guidelines as they are in this version.
    pub(super) fn tells(&mut self, who: &str, version: Option<String>) {
        self.told
            .extend(version.map(|version| (who.to_string(), version)));
    }

    /// The version of the guidelines that `who` judges under: the last that they were told, or that of the beginning.
    fn guidelines(&self, who: &str) -> Option<String> {
        self.told
            .get(who)
            .or_else(|| self.round.guidelines.as_ref().map(|g| &g.version))
            .cloned()
    }

    /// Whether `who` is still to answer the item in this row, and so must not see the key.
    pub(super) fn asks_answer(&self, who: &str, row: u32) -> bool {
        self.asks_answers() && self.round.has(who) && self.veils(who, row)
    }

    /// Whether it is open and asks for answers.
    pub(super) fn asks_answers(&self) -> bool {
        self.round.protocol == Protocol::Answer && self.round.closed.is_none()
    }

    pub(super) fn release(&mut self, who: &str) -> Result<()> {
        self.leases.release(who)
    }

    pub(super) fn shown(&mut self, who: &str, row: u32) {
        if self.places.contains_key(&row) && !self.veils(who, row) {
            self.shown.insert((who.to_string(), row));
        }
    }

    fn place(&self, row: u32) -> Result<(Role, u32)> {
        let none = || {
            Error::new(
                ErrorKind::NotFound,
                format!("the round `{}` has no item #{}", self.round.name, row + 1),
            )
        };
        self.places.get(&row).copied().ok_or_else(none)
    }

    pub(super) fn decide(
        &mut self,
        who: &str,
        row: u32,
        judgement: &mut Judgement,
        now: i64,
    ) -> Result<()> {
        let (role, item) = self.place(row)?;
        let asked = self.rows[role as usize]
            .get(item as usize)
            .copied()
            .flatten();
        if let Some(asked) = asked.filter(|asked| *asked != row) {
            let what = format!(
                "#{} is judged with #{}, another rotation of its question",
                row + 1,
                asked + 1
            );
            return Err(Error::new(ErrorKind::Conflict, what).help(format!("judge #{}", asked + 1)));
        }
        self.fits(judgement)?;
        let verdict = judgement.verdict;
        let Some(asked) = &mut judgement.asked else {
            return Ok(());
        };
        if asked.part == Part::Adjudication {
            (asked.revealed, asked.guidelines) = (true, self.guidelines(who));
            return self.settles(who, (role, item), row);
        }
        self.gives(who)?;
        let lease = self
            .leases
            .lease_of(who)
            .filter(|l| l.ticket.item == item && Role::of(l.ticket.part) == role);
        let part = match lease {
            Some(lease) => lease.ticket.part,
            None if role == Role::Item && self.leases.has_judged(who, item) => Part::Revision,
            None => role.part(),
        };
        if lease.is_none() && self.round.closed.is_some() {
            let what = format!("the round `{}` is closed", self.round.name);
            return Err(
                Error::new(ErrorKind::Conflict, what).help("open it again, or judge outside of it")
            );
        }
        match verdict {
            Verdict::Skip => self.leases.skip(who, item, part, now)?,
            _ => self.leases.judged(who, item, part, now)?,
        }
        asked.part = part;
        asked.guidelines = self.guidelines(who);
        asked.revealed = part == Part::Revision && self.shown.contains(&(who.to_string(), row));
        Ok(())
    }

    /// Whether `who` is given items of it, or was before it was closed.
    fn gives(&self, who: &str) -> Result<()> {
        let denied =
            |what: String, help: String| Err(Error::new(ErrorKind::Denied, what).help(help));
        let name = &self.round.name;
        match (self.round.has(who), self.round.gives(who)) {
            (_, true) => Ok(()),
            (true, false) => denied(
                format!("`{who}` was taken out of the round `{name}`"),
                format!(
                    "your verdicts count; `benchtop round people {name} --add {who}` takes you in again"
                ),
            ),
            (false, _) => denied(
                format!("`{who}` is not in the round `{name}`"),
                format!("it is for {}", self.round.people.join(", ")),
            ),
        }
    }

    /// Whether the protocol asks for such a verdict.
    fn fits(&self, judgement: &Judgement) -> Result<()> {
        let answers = self.round.protocol == Protocol::Answer;
        let refuse =
            |field: &str, what: &str, help: &str| Err(Error::input(what).field(field).help(help));
        match judgement.verdict {
            Verdict::Accept | Verdict::Reject | Verdict::Fix if answers => refuse(
                "verdict",
                "this round asks for an answer",
                "give `answer`, or skip, flag, or say unsure",
            ),
            Verdict::Answer if !answers => refuse(
                "verdict",
                "this round asks for no answer",
                "accept, reject, fix, skip, flag, or say unsure",
            ),
            Verdict::Answer
                if judgement
                    .answer
                    .as_deref()
                    .is_none_or(|a| a.trim().is_empty()) =>
            {
                refuse(
                    "answer",
                    "the answer is empty",
                    "give the letter of an option, or a text",
                )
            }
            Verdict::Reject if judgement.reasons.is_empty() && judgement.note.is_none() => refuse(
                "reasons",
                "a rejection in a round needs a reason or a note",
                "benchtop.toml declares the reasons",
            ),
            _ => Ok(()),
        }
    }

    /// Whether `who` may settle an item.
    fn settles(&self, who: &str, (role, item): (Role, u32), row: u32) -> Result<()> {
        let refuse =
            |kind: ErrorKind, what: String, help: &str| Err(Error::new(kind, what).help(help));
        let name = &self.round.name;
        if role != Role::Item {
            let what = format!(
                "#{} is mixed into the round `{name}` and decides nothing",
                row + 1
            );
            return refuse(
                ErrorKind::Conflict,
                what,
                "`benchtop round disputes` lists what can be settled",
            );
        }
        if self.is_blind_for(who) && !self.leases.has_judged(who, item) {
            return refuse(
                ErrorKind::Denied,
                format!(
                    "the round `{name}` is blind, and you have not judged #{} in it",
                    row + 1
                ),
                "judge it as everybody does, or leave settling to somebody else",
            );
        }
        Ok(())
    }

    pub(super) fn undone(&mut self, who: &str, row: u32, part: Part) {
        if let Some((_, item)) = self.places.get(&row).copied()
            && part != Part::Adjudication
        {
            // Somebody who was in the round when it was written may not be in it any more: then nothing is given out again.
            let _ = self.leases.undone(who, item, part);
        }
    }

    pub(super) fn redo(
        &mut self,
        who: &str,
        row: u32,
        part: Part,
        verdict: Verdict,
        now: i64,
    ) -> Result<()> {
        match self.places.get(&row).copied() {
            Some((_, item)) if part != Part::Adjudication && verdict == Verdict::Skip => {
                self.leases.skip(who, item, part, now)
            }
            Some((_, item)) if part != Part::Adjudication => {
                self.leases.judged(who, item, part, now)
            }
            _ => Ok(()),
        }
    }
}
