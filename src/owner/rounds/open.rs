//! One running round: its rows, its leases, and the purpose of verdicts in it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use benchtop_model::round::lease::{JournaledVerdict, Leases, NextTicket};
use benchtop_model::round::order::Ticket;
use benchtop_model::round::state::{Assignment, NextAssignment, RoundState, RoundVerdict};
use benchtop_model::round::{Gold, Protocol, Round};
use benchtop_model::verdict::Part;
use benchtop_model::{Error, ErrorKind, Judgement, Result, Verdict};
use benchtop_store::Catalog;
use benchtop_store::columns::id_hash;

/// Number of upcoming items that a client may preload.
const AHEAD: usize = 8;

/// A running round.
pub(super) struct Open {
    pub(super) round: Arc<Round>,
    /// By person, the guidelines version when they last got an item or a list of disputes.
    versions_seen: HashMap<String, String>,
    pub(super) leases: Leases,
    /// Number of items that the project does not have. They are not served.
    pub(super) missing: u32,
    /// Rows of its items, probes, and practice items.
    rows: Arc<[Vec<Option<u32>>; 3]>,
    /// Role and position of each row. Other rotations share the position of their item.
    places: HashMap<u32, (Role, u32)>,
    /// Rows of other rotations of its items.
    rotations: Vec<u32>,
    /// People and rows whose verdicts by others they were shown.
    shown: HashSet<(String, u32)>,
}

/// The role of a row in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Item,
    Probe,
    Practice,
}

impl Role {
    /// The part of a first verdict on it.
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

/// A snapshot of a round, for long computations while decisions continue.
#[derive(Clone)]
pub(super) struct RoundSnapshot {
    pub(super) round: Arc<Round>,
    pub(super) state: RoundState,
    /// Whether it hides anything from the annotator.
    pub(super) blind: bool,
    rows: Arc<[Vec<Option<u32>>; 3]>,
}

impl RoundSnapshot {
    /// Removes these rows, and returns how many items of the round they include.
    pub(super) fn leave_out(&mut self, is_masked: impl Fn(u32) -> bool) -> u64 {
        let mut rows = [Vec::new(), Vec::new(), Vec::new()];
        for (kept, all) in rows.iter_mut().zip(self.rows.iter()) {
            *kept = all
                .iter()
                .map(|row| row.filter(|row| !is_masked(*row)))
                .collect();
        }
        let there = |rows: &[Option<u32>]| rows.iter().flatten().count();
        let out = there(&self.rows[0]) - there(&rows[0]);
        self.rows = Arc::new(rows);
        out as u64
    }

    /// Rows of its items in order.
    pub(super) fn items(&self) -> impl Iterator<Item = u32> {
        self.rows[0].iter().filter_map(|row| *row)
    }

    /// Rows of its items and gold items.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().flatten().filter_map(|row| *row)
    }

    /// The gold items of practice or probes with their rows; empty for other parts.
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
    /// Builds the round from its verdicts `given`, with this lease duration in minutes. Leases of
    /// `before` are kept.
    pub(super) fn new(
        (round, minutes): (Round, u32),
        catalog: &Catalog,
        given: &[RoundVerdict],
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
                // Gold items keep their own role.
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
            JournaledVerdict {
                person: &g.who,
                item,
                part: g.part,
                skipped: g.judgement.verdict == Verdict::Skip,
            }
        });
        // Missing items count as judged by everybody.
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
            gone.iter().map(move |(part, item)| JournaledVerdict {
                person,
                item: *item,
                part: *part,
                skipped: false,
            })
        });
        let mut leases = Leases::rebuild(&round, minutes, judged.chain(past))?;
        let (mut shown, mut versions_seen) = (HashSet::new(), HashMap::new());
        if let Some(mut before) = before {
            for person in round.people_who_left() {
                // Their leased items become free. People who were not in the round had none.
                let _ = before.leases.release(&person);
            }
            leases.keep_leases(&before.leases);
            (shown, versions_seen) = (before.shown, before.versions_seen);
        }
        let missing = rows[0].iter().filter(|row| row.is_none()).count() as u32;
        let (round, rows) = (Arc::new(round), Arc::new(rows));
        Ok(Open {
            round,
            versions_seen,
            leases,
            missing,
            rows,
            places,
            rotations,
            shown,
        })
    }

    /// All rows of the round.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        self.rows
            .iter()
            .flatten()
            .filter_map(|row| *row)
            .chain(self.rotations.iter().copied())
    }

    /// A snapshot for long computations.
    pub(super) fn snapshot(&self, who: &str) -> RoundSnapshot {
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
            ..RoundState::without_verdicts(&self.round)
        };
        RoundSnapshot {
            round: self.round.clone(),
            state,
            blind: self.is_blind_for(who),
            rows: self.rows.clone(),
        }
    }

    /// Whether a row is in the round.
    pub(super) fn has(&self, row: u32) -> bool {
        self.places.contains_key(&row)
    }

    /// Whether the round hides anything from `who`.
    pub(super) fn is_blind_for(&self, who: &str) -> bool {
        self.round.blind && self.round.closed.is_none() && self.round.has(who)
    }

    /// Whether verdicts of others and machine results on a row are hidden from `who`. Gold items
    /// stay hidden until the round is closed.
    pub(super) fn masks(&self, who: &str, row: u32) -> bool {
        match self.places.get(&row) {
            Some((Role::Item, item)) => {
                !self.leases.has_judged(who, *item) || self.in_hand(who).contains(&row)
            }
            Some((Role::Probe | Role::Practice, _)) => true,
            None => false,
        }
    }

    /// Whether `who` has judged the item in this row and does not currently have it again.
    pub(super) fn has_judged(&self, who: &str, row: u32) -> bool {
        let place = self.places.get(&row);
        let item = place
            .filter(|(role, _)| *role == Role::Item)
            .map(|(_, item)| *item);
        item.is_some_and(|item| self.leases.has_judged(who, item))
            && !self.in_hand(who).contains(&row)
    }

    /// The rows that `who` has leased.
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

    pub(super) fn next(&mut self, who: &str, now: i64) -> Result<NextAssignment> {
        self.gives(who)?;
        let lease = match self.leases.next(who, now)? {
            NextTicket::Ticket(lease) => lease,
            NextTicket::Wait(until) => return Ok(NextAssignment::Wait(until)),
            NextTicket::Finished => return Ok(NextAssignment::Finished),
            NextTicket::Closed => return Ok(NextAssignment::Closed),
        };
        let none = || Error::not_found("the round served an item that is missing from the project");
        let row = self.row(lease.ticket).ok_or_else(none)?;
        let ahead = self.leases.upcoming(who, AHEAD);
        let rows = ahead
            .into_iter()
            .filter_map(|item| self.rows[0].get(item as usize).copied().flatten());
        Ok(NextAssignment::Item(Assignment {
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

    /// Records that `who` saw this version of the guidelines.
    pub(super) fn tells(&mut self, who: &str, version: Option<String>) {
        self.versions_seen
            .extend(version.map(|version| (who.to_string(), version)));
    }

    /// The guidelines version that `who` judges under: the last one that they saw, or the initial
    /// one.
    fn guidelines(&self, who: &str) -> Option<String> {
        self.versions_seen
            .get(who)
            .or_else(|| self.round.guidelines.as_ref().map(|g| &g.version))
            .cloned()
    }

    /// Whether `who` still has to answer the item in this row, so that its answer key must be
    /// hidden.
    pub(super) fn asks_answer(&self, who: &str, row: u32) -> bool {
        self.asks_answers() && self.round.has(who) && self.masks(who, row)
    }

    /// Whether the round is open and asks for answers.
    pub(super) fn asks_answers(&self) -> bool {
        self.round.protocol == Protocol::Answer && self.round.closed.is_none()
    }

    pub(super) fn release(&mut self, who: &str) -> Result<()> {
        self.leases.release(who)
    }

    pub(super) fn shown(&mut self, who: &str, row: u32) {
        if self.places.contains_key(&row) && !self.masks(who, row) {
            self.shown.insert((who.to_string(), row));
        }
    }

    fn place(&self, row: u32) -> Result<(Role, u32)> {
        let none = || {
            Error::not_found(format!(
                "round `{}` has no item #{}",
                self.round.name,
                row + 1
            ))
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
                "#{} is judged together with #{}, another rotation of its question",
                row + 1,
                asked + 1
            );
            return Err(Error::conflict(what).help(format!("judge #{}", asked + 1)));
        }
        self.fits(judgement)?;
        let verdict = judgement.verdict;
        let Some(asked) = &mut judgement.round else {
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
            let what = format!("round `{}` is closed", self.round.name);
            return Err(Error::conflict(what).help("reopen it, or judge outside of rounds"));
        }
        match verdict {
            Verdict::Skip => self.leases.skip(who, item, part, now)?,
            _ => self.leases.record_verdict(who, item, part, now)?,
        }
        asked.part = part;
        asked.guidelines = self.guidelines(who);
        asked.revealed = part == Part::Revision && self.shown.contains(&(who.to_string(), row));
        Ok(())
    }

    /// Checks that the round serves items to `who`, or did before it was closed.
    fn gives(&self, who: &str) -> Result<()> {
        let denied = |what: String, help: String| Err(Error::denied(what).help(help));
        let name = &self.round.name;
        match (self.round.has(who), self.round.is_active(who)) {
            (_, true) => Ok(()),
            (true, false) => denied(
                format!("`{who}` was removed from round `{name}`"),
                format!(
                    "your verdicts still count; run `benchtop round people {name} --add {who}` to join again"
                ),
            ),
            (false, _) => denied(
                format!("`{who}` is not in round `{name}`"),
                format!("people in this round: {}", self.round.people.join(", ")),
            ),
        }
    }

    /// Checks that the verdict fits the protocol.
    fn fits(&self, judgement: &Judgement) -> Result<()> {
        let answers = self.round.protocol == Protocol::Answer;
        let refuse =
            |field: &str, what: &str, help: &str| Err(Error::input(what).field(field).help(help));
        match judgement.verdict {
            Verdict::Accept | Verdict::Reject | Verdict::Fix if answers => refuse(
                "verdict",
                "this round asks for an answer",
                "use answer, skip, flag, or unsure",
            ),
            Verdict::Answer if !answers => refuse(
                "verdict",
                "this round does not ask for an answer",
                "use accept, reject, fix, skip, flag, or unsure",
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
                    "give an option's letter or a text",
                )
            }
            Verdict::Reject if judgement.reasons.is_empty() && judgement.note.is_none() => refuse(
                "reasons",
                "a rejection in a round needs a reason or a note",
                "give a reason from benchtop.toml or a note",
            ),
            _ => Ok(()),
        }
    }

    /// Checks that `who` may adjudicate an item.
    fn settles(&self, who: &str, (role, item): (Role, u32), row: u32) -> Result<()> {
        let refuse =
            |kind: ErrorKind, what: String, help: &str| Err(Error::new(kind, what).help(help));
        let name = &self.round.name;
        if role != Role::Item {
            let what = format!(
                "#{} is a gold item of round `{name}` and cannot be adjudicated",
                row + 1
            );
            return refuse(
                ErrorKind::Conflict,
                what,
                "run `benchtop round disputes` to list the disputed items",
            );
        }
        if self.is_blind_for(who) && !self.leases.has_judged(who, item) {
            return refuse(
                ErrorKind::Denied,
                format!(
                    "round `{name}` is blind, and you have not judged #{} in it yet",
                    row + 1
                ),
                "judge it first, or leave the adjudication to somebody else",
            );
        }
        Ok(())
    }

    pub(super) fn undone(&mut self, who: &str, row: u32, part: Part) {
        if let Some((_, item)) = self.places.get(&row).copied()
            && part != Part::Adjudication
        {
            // A person who has left the round since gets nothing back.
            let _ = self.leases.withdraw(who, item, part);
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
                self.leases.record_verdict(who, item, part, now)
            }
            _ => Ok(()),
        }
    }
}
