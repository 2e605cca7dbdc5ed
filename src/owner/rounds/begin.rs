//! Drawing a round from the project.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, mpsc};

use crate::answers;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::visibility::AnnotatorView;
use crate::writer::WriterCommand;
use benchtop_files::{inspect, regular};
use benchtop_model::round::state::RoundState;
use benchtop_model::round::{Guidelines, Known, NewRound, Round, draw};
use benchtop_model::{Error, ErrorKind, Field, Filter, Item, Result, Status};
use benchtop_store::rounds;

/// The fields that can be strata.
const STRATA: [Field; 7] = [
    Field::Subtask,
    Field::Type,
    Field::Style,
    Field::Level,
    Field::Dataset,
    Field::Side,
    Field::Variant,
];

/// Most bytes of a file of guidelines.
const MOST_BYTES: u64 = 1 << 20;

/// Draws a round and, unless it is only asked for, makes it part of the project.
///
/// # Errors
/// What [`draw`] refuses, a filter or a field that does not exist, and [`ErrorKind::Conflict`] for a name that is taken.
pub(super) fn begin(sight: &AnnotatorView, new: &NewRound, dry: bool) -> Result<RoundState> {
    let shared = sight.shared();
    let filter = Filter::parse(&new.filter)?;
    let stratum = new.strata.as_deref().map(field).transpose()?;
    let candidates = answers::numbers(sight, &filter)?;
    let (items, rotations) = read(shared, &candidates, stratum)?;
    let mut new = new.clone();
    new.guidelines = match new.guidelines.take() {
        Some(Guidelines { path, .. }) => {
            let version = version(shared, &path)?;
            Some(Guidelines { path, version })
        }
        None => None,
    };
    let judged = known(sight, stratum)?;
    let known: Vec<Known<'_>> = judged
        .iter()
        .map(|(id, stratum, good, reasons)| Known {
            id,
            stratum,
            good: *good,
            reasons,
        })
        .collect();
    let candidates: Vec<(&str, &str)> = items
        .iter()
        .map(|(id, stratum)| (id.as_str(), stratum.as_str()))
        .collect();
    let mut drawn = draw(&new, &candidates, &known, sight.who(), now())?;
    let chosen: HashSet<&String> = drawn.round.items.iter().collect();
    drawn.round.rotations = rotations
        .into_iter()
        .filter(|(id, _)| chosen.contains(id))
        .collect();
    // Nothing that is judged is mixed in as known too, in another order.
    drawn.round.check()?;
    let mut notes = drawn.notes;
    if !drawn.round.rotations.is_empty() {
        let others: usize = drawn.round.rotations.values().map(Vec::len).sum();
        let what = format!(
            "{} questions stand in several rotations",
            drawn.round.rotations.len()
        );
        notes.insert(
            0,
            format!("{what}: each is judged once, and its {others} other rotations with it"),
        );
    }
    let state = RoundState {
        notes,
        ..RoundState::fresh(&drawn.round)
    };
    if dry {
        return Ok(state);
    }
    let _one_at_a_time = shared.rounds.change();
    rounds::create(&shared.project, &drawn.round)?;
    reload(shared)?;
    Ok(state)
}

/// Who may change a round: in a project of several users the one who made it.
fn may_change(sight: &AnnotatorView, round: &Round) -> Result<()> {
    let shared = !sight.shared().project.config().shared.people.is_empty();
    if shared && round.by != sight.who() {
        let what = format!(
            "the round `{}` is for the one who made it to change",
            round.name
        );
        return Err(Error::new(ErrorKind::Denied, what).help(format!("ask `{}`", round.by)));
    }
    Ok(())
}

/// Deletes a round that nobody has said anything in.
///
/// # Errors
/// [`ErrorKind::NotFound`], [`ErrorKind::Denied`] for somebody who may not change it, [`ErrorKind::Conflict`] for a round with verdicts, also such as were
/// taken back, and the operating system's.
pub(super) fn delete(sight: &AnnotatorView, name: &str) -> Result<()> {
    let shared = sight.shared();
    let _one_at_a_time = shared.rounds.change();
    let round = shared.rounds.of(name, |open| open.round.clone())?;
    may_change(sight, &round)?;
    let said = || match shared.items.ledger().said_in(name) {
        0 => Ok(()),
        n => Err(Error::new(
            ErrorKind::Conflict,
            format!("{n} verdicts were given in the round `{name}`"),
        )
        .help(format!(
            "`benchtop round close {name}` closes it; its verdicts go on counting"
        ))),
    };
    said()?;
    // From here on nobody judges in it; what was on its way is written by the time the rounds are read again.
    shared.rounds.shut(name);
    let removed = rounds::remove(&shared.project, name);
    reload(shared)?;
    removed?;
    if let Err(problem) = said() {
        rounds::create(&shared.project, &round)?;
        reload(shared)?;
        return Err(problem);
    }
    Ok(())
}

/// Has people join a round that goes on, and others leave it: what those had left is given to whoever is in it.
///
/// # Errors
/// [`ErrorKind::NotFound`], [`ErrorKind::Denied`] for somebody who may not change it, [`ErrorKind::Conflict`] for a round that is closed, what
/// [`Round::change`] refuses, and the operating system's.
pub(super) fn people(
    sight: &AnnotatorView,
    name: &str,
    change: (&[String], &[String]),
) -> Result<()> {
    let shared = sight.shared();
    let _one_at_a_time = shared.rounds.change();
    let (round, (judged, wanted)) = shared
        .rounds
        .of(name, |open| (open.round.clone(), open.leases.progress()))?;
    may_change(sight, &round)?;
    if round.closed.is_some() {
        let help = format!("`benchtop round reopen {name}` opens it again");
        return Err(
            Error::new(ErrorKind::Conflict, format!("the round `{name}` is closed")).help(help),
        );
    }
    let mut round = Round::clone(&round);
    round.change(change, judged >= wanted, sight.who(), now())?;
    rounds::rewrite(&shared.project, &round)?;
    reload(shared)
}

/// Closes a round, or opens it again.
///
/// # Errors
/// [`ErrorKind::NotFound`], [`ErrorKind::Denied`] for somebody whom it is blind for and who did not make it, and the operating
/// system's.
pub(super) fn close(sight: &AnnotatorView, name: &str, closed: bool) -> Result<()> {
    let shared = sight.shared();
    let _one_at_a_time = shared.rounds.change();
    let (round, blind) = shared.rounds.of(name, |open| {
        (open.round.clone(), open.is_blind_for(sight.who()))
    })?;
    if blind && round.by != sight.who() {
        let what = format!("closing the round `{name}` would show you what it keeps from you");
        return Err(Error::new(ErrorKind::Denied, what)
            .help(format!("`{}` made it and can close it", round.by)));
    }
    let mut round = Round::clone(&round);
    if round.closed.is_some() != closed {
        round.closed = closed.then(now);
        rounds::rewrite(&shared.project, &round)?;
        reload(shared)?;
    }
    Ok(())
}

/// Has the thread that decides read the rounds and fold the journals again.
fn reload(shared: &Arc<OwnerContext>) -> Result<()> {
    let ending = || Error::new(ErrorKind::Unreachable, "the owner is ending");
    let (reply, done) = mpsc::channel();
    shared
        .writer
        .send(WriterCommand::Rounds(reply))
        .map_err(|_| ending())?;
    done.recv().map_err(|_| ending())
}

/// The version of a project's file of guidelines as it is now.
///
/// # Errors
/// What keeps it from being read.
pub(super) fn version(shared: &OwnerContext, path: &str) -> Result<String> {
    Ok(Guidelines::version_of(&guidelines(shared, path)?))
}

/// A project's file of guidelines as it is now.
///
/// # Errors
/// What keeps it from being read, at the field `guidelines`; a file of more than [`MOST_BYTES`].
pub(super) fn guidelines(shared: &OwnerContext, path: &str) -> Result<Vec<u8>> {
    let file = shared.project.root().join(path);
    let too_long = || {
        let what = format!("the guidelines are longer than {} KiB", MOST_BYTES >> 10);
        Error::input(what)
            .file(&file)
            .field("guidelines")
            .help("people read them beside every item")
    };
    // A link in the folders between them would lead as far as one at the end.
    inspect::within(shared.project.root(), Path::new(path))
        .map_err(|problem| problem.field("guidelines"))?;
    regular::read(&file, MOST_BYTES).map_err(|problem| match problem.kind {
        ErrorKind::Input => too_long(),
        _ => problem.field("guidelines"),
    })
}

fn field(name: &str) -> Result<Field> {
    STRATA
        .into_iter()
        .find(|field| field.name() == name)
        .ok_or_else(|| {
            let known = STRATA.map(Field::name).join(", ");
            Error::input(format!("`{name}` cannot divide items into strata"))
                .field("strata")
                .help(format!("one of: {known}"))
        })
}

/// The value of a field, by which items are divided.
fn value(item: &Item, field: Option<Field>) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    match field {
        None => String::new(),
        Some(Field::Type) => item.kind.name().into(),
        Some(Field::Style) => text(&item.style),
        Some(Field::Level) => text(&item.level),
        Some(Field::Dataset) => item.dataset.clone(),
        Some(Field::Variant) => item.variant.as_ref().map_or("", |v| v.name.as_str()).into(),
        Some(Field::Side) => item
            .pair
            .as_ref()
            .map_or("", |pair| pair.side.name())
            .into(),
        Some(_) => text(&item.subtask),
    }
}

/// Ids and strata of items, and other rotations by the id of the one that stands for them.
type Candidates = (Vec<(String, String)>, BTreeMap<String, Vec<String>>);

/// Ids and strata of these items, of the rotations of a question the first alone; the others by its id.
fn read(shared: &OwnerContext, numbers: &[u32], stratum: Option<Field>) -> Result<Candidates> {
    let catalog = shared.items.catalog();
    let (mut items, mut others) = (
        Vec::with_capacity(numbers.len()),
        BTreeMap::<String, Vec<String>>::new(),
    );
    let mut first: HashMap<(String, String), String> = HashMap::new();
    for number in numbers {
        let item = catalog.item(*number as usize - 1)?;
        if let Some(set) = set_of(&item) {
            if let Some(stands) = first.get(&set) {
                others.entry(stands.clone()).or_default().push(item.id);
                continue;
            }
            first.insert(set, item.id.clone());
        }
        let stratum = value(&item, stratum);
        items.push((item.id, stratum));
    }
    Ok((items, others))
}

/// The set of rotations that an item is of, with its data set.
fn set_of(item: &Item) -> Option<(String, String)> {
    item.rotation
        .as_ref()
        .map(|rotation| (item.dataset.clone(), rotation.set.clone()))
}

type Judged = (String, String, bool, Vec<String>);

/// The items that stand accepted or rejected by people who all say the same, as far as `sight` goes.
fn known(sight: &AnnotatorView, stratum: Option<Field>) -> Result<Vec<Judged>> {
    let shared = sight.shared();
    let (catalog, overlay) = sight.items(false);
    let settled = |row: usize| match overlay.status(row) {
        Status::Accepted => Some((row as u32, true)),
        Status::Rejected => Some((row as u32, false)),
        _ => None,
    };
    let rows: Vec<(u32, bool)> = (0..overlay.len()).filter_map(settled).collect();
    let (mut list, mut sets) = (Vec::new(), HashSet::new());
    for (row, good) in rows {
        let standing = shared.items.ledger().standing(row);
        let same = standing
            .windows(2)
            .all(|two| two[0].judgement.verdict == two[1].judgement.verdict);
        if same && !standing.is_empty() {
            let item = catalog.item(row as usize)?;
            // Known in one order is enough.
            if set_of(&item).is_some_and(|set| !sets.insert(set)) {
                continue;
            }
            let mut reasons: Vec<String> = standing
                .into_iter()
                .flat_map(|s| s.judgement.reasons)
                .collect();
            reasons.sort_unstable();
            reasons.dedup();
            let stratum = value(&item, stratum);
            list.push((item.id, stratum, good, reasons));
        }
    }
    Ok(list)
}
