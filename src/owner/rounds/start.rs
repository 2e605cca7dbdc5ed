//! Creates, changes, and deletes rounds.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::clock::now;
use crate::context::OwnerContext;
use crate::queries;
use crate::visibility::AnnotatorView;
use crate::writer::WriterCommand;
use benchtop_files::{inspect, regular};
use benchtop_model::round::state::RoundState;
use benchtop_model::round::{GoldCandidate, Guidelines, NewRound, Round, draw};
use benchtop_model::{Error, ErrorKind, Field, Filter, Item, Result, Status};
use benchtop_store::rounds;

/// Maximum size of a guidelines file in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Draws a round, and stores it unless `dry` is set.
///
/// # Errors
/// Any error of [`draw`], an unknown filter or field, and [`ErrorKind::Conflict`] if the name is
/// taken.
pub(super) fn begin(view: &AnnotatorView, new: &NewRound, dry: bool) -> Result<RoundState> {
    let shared = view.shared();
    let filter = Filter::parse(&new.filter)?;
    let stratum = new.strata.as_deref().map(field).transpose()?;
    let candidates = queries::numbers(view, &filter)?;
    let (items, rotations) = read(shared, &candidates, stratum)?;
    let mut new = new.clone();
    new.guidelines = match new.guidelines.take() {
        Some(Guidelines { path, .. }) => {
            let version = version(shared, &path)?;
            Some(Guidelines { path, version })
        }
        None => None,
    };
    let judged = known(view, stratum)?;
    let known: Vec<GoldCandidate<'_>> = judged
        .iter()
        .map(|(id, stratum, good, reasons)| GoldCandidate {
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
    let mut drawn = draw(&new, &candidates, &known, view.who(), now())?;
    let chosen: HashSet<&String> = drawn.round.items.iter().collect();
    drawn.round.rotations = rotations
        .into_iter()
        .filter(|(id, _)| chosen.contains(id))
        .collect();
    // Another rotation of a judged question must not be a gold item.
    drawn.round.check()?;
    let mut notes = drawn.notes;
    if !drawn.round.rotations.is_empty() {
        let others: usize = drawn.round.rotations.values().map(Vec::len).sum();
        let what = format!(
            "{} questions have several rotations",
            drawn.round.rotations.len()
        );
        notes.insert(
            0,
            format!("{what}; a verdict on one also applies to the others ({others} in all)"),
        );
    }
    let state = RoundState {
        notes,
        ..RoundState::without_verdicts(&drawn.round)
    };
    if dry {
        return Ok(state);
    }
    store(shared, &drawn.round)?;
    Ok(state)
}

/// Stores a new round, which counts from then on.
///
/// # Errors
/// [`ErrorKind::Conflict`] if the name is taken; I/O errors.
pub fn store(shared: &Arc<OwnerContext>, round: &Round) -> Result<()> {
    let _one_at_a_time = shared.rounds.change();
    rounds::create(&shared.project, round)?;
    reload(shared)
}

/// Fails if the annotator may not change the round: in a shared project, only its creator may.
fn may_change(view: &AnnotatorView, round: &Round) -> Result<()> {
    let shared = !view.shared().project.config().shared.people.is_empty();
    if shared && round.by != view.who() {
        let what = format!("only its creator may change round `{}`", round.name);
        return Err(Error::denied(what).help(format!("ask `{}`", round.by)));
    }
    Ok(())
}

/// Deletes a round without verdicts.
///
/// # Errors
/// [`ErrorKind::NotFound`]; [`ErrorKind::Denied`] for people who may not change it;
/// [`ErrorKind::Conflict`] if it has verdicts, even undone ones; I/O errors.
pub(super) fn delete(view: &AnnotatorView, name: &str) -> Result<()> {
    let shared = view.shared();
    let _one_at_a_time = shared.rounds.change();
    let round = shared.rounds.of(name, |open| open.round.clone())?;
    may_change(view, &round)?;
    let check_unused = || match shared.items.ledger().verdicts_given_in(name) {
        0 => Ok(()),
        n => Err(
            Error::conflict(format!("round `{name}` has {n} verdicts")).help(format!(
                "run `benchtop round close {name}` to close it; its verdicts still count"
            )),
        ),
    };
    check_unused()?;
    // No new verdicts from here on. Those in progress are written before the rounds are reloaded.
    shared.rounds.shut(name);
    let removed = rounds::remove(&shared.project, name);
    reload(shared)?;
    removed?;
    if let Err(problem) = check_unused() {
        rounds::create(&shared.project, &round)?;
        reload(shared)?;
        return Err(problem);
    }
    Ok(())
}

/// Adds people to an open round and removes others, whose open items go to the rest.
///
/// # Errors
/// [`ErrorKind::NotFound`]; [`ErrorKind::Denied`] for people who may not change it;
/// [`ErrorKind::Conflict`] if it is closed; any error of [`Round::change`]; I/O errors.
pub(super) fn people(
    view: &AnnotatorView,
    name: &str,
    change: (&[String], &[String]),
) -> Result<()> {
    let shared = view.shared();
    let _one_at_a_time = shared.rounds.change();
    let (round, (judged, wanted)) = shared
        .rounds
        .of(name, |open| (open.round.clone(), open.leases.progress()))?;
    may_change(view, &round)?;
    if round.closed.is_some() {
        let help = format!("run `benchtop round reopen {name}` to open it again");
        return Err(Error::conflict(format!("round `{name}` is closed")).help(help));
    }
    let mut round = Round::clone(&round);
    round.change(change, judged >= wanted, view.who(), now())?;
    rounds::rewrite(&shared.project, &round)?;
    reload(shared)
}

/// Closes or reopens a round.
///
/// # Errors
/// [`ErrorKind::NotFound`]; [`ErrorKind::Denied`] for people for whom it is blind, except its
/// creator; I/O errors.
pub(super) fn close(view: &AnnotatorView, name: &str, closed: bool) -> Result<()> {
    let shared = view.shared();
    let _one_at_a_time = shared.rounds.change();
    let (round, blind) = shared.rounds.of(name, |open| {
        (open.round.clone(), open.is_blind_for(view.who()))
    })?;
    if blind && round.by != view.who() {
        let what = format!("closing round `{name}` would reveal verdicts that it hides from you");
        return Err(Error::denied(what).help(format!("ask its creator `{}` to close it", round.by)));
    }
    let mut round = Round::clone(&round);
    if round.closed.is_some() != closed {
        round.closed = closed.then(now);
        rounds::rewrite(&shared.project, &round)?;
        reload(shared)?;
    }
    Ok(())
}

/// Makes the writer thread reload the rounds and replay the journals.
fn reload(shared: &Arc<OwnerContext>) -> Result<()> {
    shared.ask_writer(WriterCommand::Rounds)
}

/// The version of the current guidelines file.
///
/// # Errors
/// As [`guidelines`].
pub(super) fn version(shared: &OwnerContext, path: &str) -> Result<String> {
    Ok(Guidelines::version_of(&guidelines(shared, path)?))
}

/// The contents of the current guidelines file.
///
/// # Errors
/// Read errors with the field `guidelines`; [`ErrorKind::Input`] if it is larger than
/// [`MOST_BYTES`].
pub(super) fn guidelines(shared: &OwnerContext, path: &str) -> Result<Vec<u8>> {
    let file = shared.project.root().join(path);
    let too_long = || {
        let what = format!("the guidelines are larger than {} KiB", MOST_BYTES >> 10);
        Error::input(what)
            .file(&file)
            .field("guidelines")
            .help("shorten them; annotators read them next to every item")
    };
    // Links in the folders of the path are refused like links to the file.
    inspect::within(shared.project.root(), Path::new(path))
        .map_err(|problem| problem.field("guidelines"))?;
    regular::read(&file, MOST_BYTES).map_err(|problem| match problem.kind {
        ErrorKind::Input => too_long(),
        _ => problem.field("guidelines"),
    })
}

fn field(name: &str) -> Result<Field> {
    let found = Field::from_name(name).filter(|field| field.is_group());
    found.ok_or_else(|| {
        Error::input(format!("unknown strata field `{name}`"))
            .field("strata")
            .help(format!("use one of: {}", Field::groups().join(", ")))
    })
}

/// The value of a field, as a stratum.
fn value(item: &Item, field: Option<Field>) -> String {
    field.map_or(String::new(), |field| field.of(item).into())
}

/// Ids and strata of items, and ids of other rotations by the id of the judged one.
type Candidates = (Vec<(String, String)>, BTreeMap<String, Vec<String>>);

/// Ids and strata of these items. Of several rotations of a question, only the first is included;
/// the others are listed by its id.
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

/// The rotation set of an item, with its data set.
fn set_of(item: &Item) -> Option<(String, String)> {
    item.rotation
        .as_ref()
        .map(|rotation| (item.dataset.clone(), rotation.set.clone()))
}

type Judged = (String, String, bool, Vec<String>);

/// The items that were accepted or rejected unanimously, as far as the annotator may know.
fn known(view: &AnnotatorView, stratum: Option<Field>) -> Result<Vec<Judged>> {
    let shared = view.shared();
    let (catalog, overlay) = view.items(false);
    let settled = |row: usize| match overlay.status(row) {
        Status::Accepted => Some((row as u32, true)),
        Status::Rejected => Some((row as u32, false)),
        _ => None,
    };
    let rows: Vec<(u32, bool)> = (0..overlay.len()).filter_map(settled).collect();
    let (mut list, mut sets) = (Vec::new(), HashSet::new());
    for (row, good) in rows {
        let standing = shared.items.ledger().effective_verdicts(row);
        let same = standing
            .windows(2)
            .all(|two| two[0].judgement.verdict == two[1].judgement.verdict);
        if same && !standing.is_empty() {
            let item = catalog.item(row as usize)?;
            // One rotation of each question is enough.
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
