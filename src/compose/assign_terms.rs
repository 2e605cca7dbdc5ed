//! Chooses the terms of every picture of a schedule under compatibility rules, once for all
//! pictures.
//!
//! The samplers decide how often each term occurs, as without rules. If their terms are
//! incompatible, or repeat a question of another picture verbatim, two pictures of a block swap a
//! term, which keeps the counts. Questions that no swap makes unique are counted and reported.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::compatibility::Compatibility;
use super::compiled_metadata::CompiledMetadata;
use super::schedule::{Block, QuestionForm, Schedule};
use benchtop_model::rng::{BalancedSampler, NestedSamplers, Stream, key, within};

/// Number of swaps to try per picture.
const MAX_SWAPS: usize = 48;
/// Blocks of up to this many pictures are too small for swaps.
const SMALL_BLOCK: usize = 8;
/// Maximum distance of the picture to swap with.
const MAX_DISTANCE: usize = 512;
/// After this many failed pictures in a row, a block counts as exhausted.
const FAILED_IN_A_ROW: u32 = 64;
/// Maximum number of questions about one set of terms that differ only in their wrong answers.
const MAX_RANK: u32 = 256;

/// The terms of all pictures, and the sampler positions of their questions.
#[derive(Debug)]
pub struct Dealt {
    blocks: Vec<DealtBlock>,
    /// Questions that differ from earlier ones only in their wrong answers, by block, picture, and
    /// slot, with the number of earlier ones.
    ranks: HashMap<(u32, u32, u32), u32>,
    /// The keys of such questions.
    shared: HashSet<u64>,
    /// Number of questions that repeat another one, by subject and subtask.
    repeated: BTreeMap<(usize, usize), u64>,
}

#[derive(Debug)]
struct DealtBlock {
    /// Number of lists of the subject, plus one for the wording.
    width: usize,
    /// Wording and terms, picture by picture.
    rows: Vec<u32>,
    /// Per slot, the sampler positions of its questions.
    places: Vec<Positions>,
    /// Pictures without a compatible set of terms.
    impossible: HashSet<u32>,
}

/// The sampler positions of a slot's questions.
#[derive(Debug)]
enum Positions {
    /// Consecutive positions from this one.
    From(u64),
    /// One position per picture, because the number of options varies.
    Each(Vec<u32>),
}

/// How a picture's questions compare with earlier ones, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Uniqueness {
    Unique,
    /// The wrong answers must differ.
    SharedPrompt,
    Repeated,
    Impossible,
}

impl Dealt {
    /// Wording and terms of a picture, in the order of the subject's lists; `None` if no terms are
    /// compatible.
    pub fn picture(&self, block: usize, unit: u64) -> Option<(usize, &[u32])> {
        let block = self.blocks.get(block)?;
        let unit = usize::try_from(unit).ok()?;
        let row = block
            .rows
            .get(unit * block.width..(unit + 1) * block.width)?;
        let (wording, terms) = row.split_first()?;
        (!block.impossible.contains(&(unit as u32))).then_some((*wording as usize, terms))
    }

    /// The sampler position of a question.
    pub fn place(&self, block: usize, unit: u64, seat: usize) -> u64 {
        match self.blocks.get(block).and_then(|b| b.places.get(seat)) {
            Some(Positions::From(base)) => base + unit,
            Some(Positions::Each(places)) => {
                places.get(unit as usize).map_or(0, |at| u64::from(*at))
            }
            None => unit,
        }
    }

    /// For a question that other pictures share: the key of the shared stream, and the number of
    /// earlier pictures.
    pub fn rank(
        &self,
        seed: u64,
        schedule: &Schedule,
        at: (usize, u64, usize),
    ) -> Option<(u64, u32)> {
        if self.shared.is_empty() {
            return None;
        }
        let (block, unit, seat) = at;
        let (wording, terms) = self.picture(block, unit)?;
        let own = schedule.blocks.get(block)?;
        let part = part(own.slots.get(seat)?.ask)?;
        let what = question(own.subject, wording, terms, own.slots[seat].subtask, part);
        let rank = self
            .ranks
            .get(&(block as u32, unit as u32, seat as u32))
            .copied()
            .unwrap_or(0);
        self.shared
            .contains(&what)
            .then(|| (within(seed, what), rank))
    }

    /// Number of questions that repeat another one verbatim, by subject and subtask.
    pub fn repeated(&self) -> impl Iterator<Item = ((usize, usize), u64)> + '_ {
        self.repeated.iter().map(|(what, n)| (*what, *n))
    }
}

/// Number of options of a question whose right answer is `term`.
pub fn options(rules: &Compatibility, block: &Block, list: usize, term: Option<u32>) -> usize {
    let allowed = block.allowed(list);
    match term {
        Some(term) if rules.is_uneven(list) => {
            1 + rules.wrong_answers(list, term, allowed, block.options - 1)
        }
        _ => block.options.min(allowed.len()),
    }
}

/// The part of a question's key that distinguishes several questions about a picture.
fn part(ask: QuestionForm) -> Option<u64> {
    match ask {
        QuestionForm::Choice => Some(1),
        QuestionForm::Claim => Some(2),
        QuestionForm::Refusal => Some(3),
        QuestionForm::Beyond => Some(4),
        _ => None,
    }
}

/// The key of a question about a picture, without its wrong answers.
fn question(subject: usize, wording: usize, terms: &[u32], subtask: usize, part: u64) -> u64 {
    let head = [subject as u64, wording as u64, subtask as u64, part];
    head.into_iter()
        .chain(terms.iter().map(|term| u64::from(*term)))
        .fold(0x9E37_79B9_7F4A_7C15, within)
}

/// Chooses the terms of all pictures of a schedule.
pub fn deal(
    compiled: &CompiledMetadata,
    rules: &Compatibility,
    schedule: &Schedule,
    seed: u64,
) -> Dealt {
    let mut chooser = Chooser {
        compiled,
        rules,
        seed,
        seen: HashMap::new(),
        places: HashMap::new(),
        dealt: Dealt {
            blocks: Vec::new(),
            ranks: HashMap::new(),
            shared: HashSet::new(),
            repeated: BTreeMap::new(),
        },
    };
    for (at, block) in schedule.blocks.iter().enumerate() {
        chooser.block(at, block);
    }
    chooser.dealt
}

struct Chooser<'g> {
    compiled: &'g CompiledMetadata,
    rules: &'g Compatibility,
    seed: u64,
    /// Number of occurrences of each question, without its wrong answers.
    seen: HashMap<u64, u32>,
    /// Number of questions drawn from each sampler: by subtask, kind, and sizes.
    places: HashMap<(usize, QuestionForm, (usize, usize)), u64>,
    dealt: Dealt,
}

/// A block in progress.
struct BlockDraft<'c> {
    at: u32,
    block: &'c Block,
    width: usize,
    lists: Vec<usize>,
    /// Columns with incompatible terms.
    clashing: Vec<(usize, usize)>,
    /// The column in which the two pictures of a pair differ.
    pair: Option<usize>,
    rows: Vec<u32>,
    /// Per slot with statements, whether the statement about each picture is true.
    holds: Vec<Vec<bool>>,
    /// Per slot, the key of its free-form question.
    free: Vec<u64>,
    impossible: HashSet<u32>,
    stream: Stream,
}

impl BlockDraft<'_> {
    fn row(&self, unit: usize) -> &[u32] {
        &self.rows[unit * self.width..(unit + 1) * self.width]
    }

    fn swap(&mut self, column: usize, a: usize, b: usize) {
        self.rows
            .swap(a * self.width + column, b * self.width + column);
    }

    /// Two columns with incompatible terms.
    fn clash(&self, rules: &Compatibility, unit: usize) -> Option<(usize, usize)> {
        let row = self.row(unit);
        let apart = |(a, b): &&(usize, usize)| {
            rules.clash((self.lists[*a - 1], row[*a]), (self.lists[*b - 1], row[*b]))
        };
        let clash = self.clashing.iter().find(apart).copied();
        clash.or_else(|| self.unpaired(rules, row))
    }

    /// For a pair without a valid second picture: the column in which its pictures differ, and one
    /// that conflicts with it. The second picture shares all other terms, so these must not show
    /// the first term, and must be compatible with another one.
    fn unpaired(&self, rules: &Compatibility, row: &[u32]) -> Option<(usize, usize)> {
        let column = self.pair?;
        let (list, own) = (self.lists[column - 1], row[column]);
        let others = || (1..self.width).filter(move |other| *other != column);
        let term = |other: usize| (self.lists[other - 1], row[other]);
        let shows =
            |t: u32| others().any(|other| rules.shown(term(other), list).binary_search(&t).is_ok());
        if shows(own) {
            return Some((column, column));
        }
        let goes = |t: &u32| {
            *t != own
                && !rules.look_alike(list, own, *t)
                && !shows(*t)
                && others().all(|other| !rules.clash((list, *t), term(other)))
        };
        let alone = !self.block.drawn(list).iter().any(goes);
        let partner = self
            .clashing
            .iter()
            .find(|(a, b)| *a == column || *b == column);
        alone.then(|| partner.copied().unwrap_or((column, column)))
    }
}

impl Chooser<'_> {
    fn block(&mut self, at: usize, block: &Block) {
        let subject = &self.compiled.subjects[block.subject];
        let units = usize::try_from(block.units).unwrap_or(usize::MAX);
        let width = 1 + subject.lists.len();
        let mut rows = vec![0; units * width];
        let mut wording = BalancedSampler::new(
            key(self.seed, &["wording", &block.name]),
            subject.prompts.len(),
        );
        (0..units).for_each(|unit| rows[unit * width] = wording.at(unit as u64) as u32);
        for (column, list) in subject.lists.iter().enumerate() {
            let drawn = block.drawn(*list);
            let names = ["term", &block.name, &self.compiled.lists[*list].name];
            let mut sampler = BalancedSampler::new(key(self.seed, &names), drawn.len());
            (0..units)
                .for_each(|unit| rows[unit * width + column + 1] = drawn[sampler.at(unit as u64)]);
        }
        let stream = Stream::new(key(self.seed, &["exchange", &block.name]));
        let column = |list: usize| Some(1 + subject.lists.iter().position(|l| *l == list)?);
        let mut draft = BlockDraft {
            at: at as u32,
            block,
            width,
            lists: subject.lists.clone(),
            clashing: self
                .rules
                .clashing()
                .filter_map(|(a, b)| Some((column(a)?, column(b)?)))
                .collect(),
            pair: block.differs.and_then(column),
            rows,
            holds: vec![Vec::new(); block.slots.len()],
            free: vec![0; block.slots.len()],
            impossible: HashSet::new(),
            stream,
        };
        // Whether statements are true is drawn first, because it does not depend on the terms.
        for (nth, seat) in block.slots.iter().enumerate() {
            let subtask = &self.compiled.subtasks[seat.subtask];
            match seat.ask {
                QuestionForm::Claim => {
                    let sizes = seat.ask.sampler_sizes(0);
                    let base = self
                        .places
                        .get(&(seat.subtask, seat.ask, sizes))
                        .copied()
                        .unwrap_or(0);
                    let mut samplers = slot_samplers(self.seed, &subtask.name, seat.ask, sizes);
                    draft.holds[nth] = (0..units)
                        .map(|unit| samplers.at(base + unit as u64).0 == 0)
                        .collect();
                }
                QuestionForm::Free => {
                    let texts = self.compiled.free_form(subject, subtask);
                    draft.free[nth] =
                        key(0, &[texts.map_or("", |(describe, _)| describe.source())]);
                }
                _ => {}
            }
        }
        self.swap(&mut draft, units);
        let places = (0..block.slots.len())
            .map(|seat| self.seat(&draft, seat, units))
            .collect();
        let BlockDraft {
            width,
            rows,
            impossible,
            ..
        } = draft;
        self.dealt.blocks.push(DealtBlock {
            width,
            rows,
            places,
            impossible,
        });
    }

    /// The sampler positions of a slot's questions.
    fn seat(&mut self, draft: &BlockDraft<'_>, nth: usize, units: usize) -> Positions {
        let seat = &draft.block.slots[nth];
        let list = self.compiled.subtasks[seat.subtask].list;
        let column = draft.lists.iter().position(|l| *l == list);
        let dealt = |ask: QuestionForm| matches!(ask, QuestionForm::Choice | QuestionForm::Refusal);
        let Some(column) = column.filter(|_| self.rules.is_uneven(list) && dealt(seat.ask)) else {
            let sizes = seat
                .ask
                .sampler_sizes(options(self.rules, draft.block, list, None));
            let place = self.places.entry((seat.subtask, seat.ask, sizes));
            let place = place.or_default();
            *place += units as u64;
            return Positions::From(*place - units as u64);
        };
        let mut known: HashMap<u32, usize> = HashMap::new();
        let each = (0..units).map(|unit| {
            let term = draft.row(unit)[column + 1];
            let options = *known
                .entry(term)
                .or_insert_with(|| options(self.rules, draft.block, list, Some(term)));
            let sizes = seat.ask.sampler_sizes(options);
            let place = self.places.entry((seat.subtask, seat.ask, sizes));
            let place = place.or_default();
            *place += 1;
            (*place - 1) as u32
        });
        Positions::Each(each.collect())
    }

    /// Swaps terms until every picture is possible and no question repeats, as far as that can be
    /// done.
    fn swap(&mut self, draft: &mut BlockDraft<'_>, units: usize) {
        let columns: Vec<usize> = (0..draft.width)
            .filter(|c| self.choices(draft, *c) > 1)
            .collect();
        let mut failed = 0;
        for unit in 0..units {
            let mut best = self.uniqueness(draft, unit);
            if best > Uniqueness::Unique
                && !columns.is_empty()
                && (best == Uniqueness::Impossible || failed < FAILED_IN_A_ROW)
            {
                best = self.forward(draft, unit, units, &columns, best);
                if best > Uniqueness::Unique {
                    best = self.backward(draft, unit, &columns, best);
                }
                // The few pictures of a small block have no partners to swap with.
                if best == Uniqueness::Impossible
                    || (best > Uniqueness::Unique && units <= SMALL_BLOCK)
                {
                    best = self.redraw(draft, unit, &columns, best);
                }
                failed = if best == Uniqueness::Unique {
                    0
                } else {
                    failed + 1
                };
            }
            if best == Uniqueness::Impossible {
                draft.impossible.insert(unit as u32);
            }
            self.record(draft, unit);
        }
    }

    fn choices(&self, draft: &BlockDraft<'_>, column: usize) -> usize {
        match column.checked_sub(1) {
            None => self.compiled.subjects[draft.block.subject].prompts.len(),
            Some(list) => draft.block.drawn(draft.lists[list]).len(),
        }
    }

    /// The column to swap: one of the two with incompatible terms, or any.
    fn column(&self, draft: &mut BlockDraft<'_>, unit: usize, columns: &[usize]) -> usize {
        match draft.clash(self.rules, unit) {
            Some((a, b)) => [a, b][draft.stream.below(2)],
            None => columns[draft.stream.below(columns.len())],
        }
    }

    /// Swaps a term with a later picture.
    fn forward(
        &mut self,
        draft: &mut BlockDraft<'_>,
        unit: usize,
        units: usize,
        columns: &[usize],
        mut best: Uniqueness,
    ) -> Uniqueness {
        let ahead = MAX_DISTANCE.min(units - unit - 1);
        for _ in 0..if ahead > 0 { MAX_SWAPS } else { 0 } {
            let column = self.column(draft, unit, columns);
            let other = unit + 1 + draft.stream.below(ahead);
            if draft.row(unit)[column] == draft.row(other)[column] {
                continue;
            }
            draft.swap(column, unit, other);
            let uniqueness = self.uniqueness(draft, unit);
            if uniqueness < best {
                best = uniqueness;
            } else {
                draft.swap(column, unit, other);
            }
            if best == Uniqueness::Unique {
                break;
            }
        }
        best
    }

    /// Swaps a term with an earlier picture, if both have unique questions afterwards.
    fn backward(
        &mut self,
        draft: &mut BlockDraft<'_>,
        unit: usize,
        columns: &[usize],
        best: Uniqueness,
    ) -> Uniqueness {
        let behind = MAX_DISTANCE.min(unit);
        let tries = if best == Uniqueness::Impossible {
            8 * MAX_SWAPS
        } else {
            MAX_SWAPS
        };
        for _ in 0..if behind > 0 { tries } else { 0 } {
            let column = self.column(draft, unit, columns);
            let other = unit - 1 - draft.stream.below(behind);
            if draft.row(unit)[column] == draft.row(other)[column] || !self.is_single(draft, other)
            {
                continue;
            }
            self.forget(draft, other);
            draft.swap(column, unit, other);
            if self.uniqueness(draft, other) == Uniqueness::Unique {
                self.record(draft, other);
                if self.uniqueness(draft, unit) == Uniqueness::Unique {
                    return Uniqueness::Unique;
                }
                self.forget(draft, other);
            }
            draft.swap(column, unit, other);
            self.record(draft, other);
        }
        best
    }

    /// Draws other terms for a picture. The counts become slightly uneven, but the picture stays.
    fn redraw(
        &mut self,
        draft: &mut BlockDraft<'_>,
        unit: usize,
        columns: &[usize],
        mut best: Uniqueness,
    ) -> Uniqueness {
        let place = unit * draft.width..(unit + 1) * draft.width;
        let mut kept = draft.row(unit).to_vec();
        for _ in 0..8 * MAX_SWAPS {
            let column = self.column(draft, unit, columns);
            draft.rows[unit * draft.width + column] = match column.checked_sub(1) {
                None => draft.stream.below(self.choices(draft, column)) as u32,
                Some(list) => {
                    let drawn = draft.block.drawn(draft.lists[list]);
                    drawn[draft.stream.below(drawn.len())]
                }
            };
            let uniqueness = self.uniqueness(draft, unit);
            if uniqueness < best {
                best = uniqueness;
                kept.copy_from_slice(draft.row(unit));
            }
            if best == Uniqueness::Unique {
                break;
            }
        }
        draft.rows[place].copy_from_slice(&kept);
        best
    }

    /// The questions of a picture: slot, key without the wrong answers, and whether the wrong
    /// answers can differ.
    fn questions<'h>(
        &self,
        draft: &'h BlockDraft<'_>,
        unit: usize,
    ) -> impl Iterator<Item = (usize, u64, bool)> + use<'h> {
        let (wording, terms) = (draft.row(unit)[0] as usize, &draft.row(unit)[1..]);
        let subject = draft.block.subject;
        // The pictures of a pair differ in one term. If the other terms are unique, neither picture
        // repeats.
        let pair = draft.pair.into_iter().flat_map(move |column| {
            let subtask = draft.block.slots.first().map_or(0, |s| s.subtask);
            let mut other = terms.to_vec();
            if let Some(term) = column.checked_sub(1).and_then(|at| other.get_mut(at)) {
                *term = u32::MAX;
            }
            [
                (0, question(subject, wording, &other, subtask, 17), true),
                (0, question(subject, wording, terms, subtask, 16), false),
            ]
        });
        let single = draft
            .block
            .slots
            .iter()
            .enumerate()
            .filter(|_| draft.pair.is_none());
        pair.chain(single.map(move |(nth, seat)| {
            let of = |subtask: usize, part: u64| question(subject, wording, terms, subtask, part);
            match (seat.ask, draft.holds[nth].get(unit)) {
                // Several subtasks can ask the same words.
                (QuestionForm::Free, _) => (nth, of(0, draft.free[nth]), false),
                (QuestionForm::Claim, Some(true)) => (nth, of(seat.subtask, 5), false),
                (ask, _) => match part(ask) {
                    Some(part) => (nth, of(seat.subtask, part), true),
                    None => (nth, of(seat.subtask, 6), false),
                },
            }
        }))
    }

    fn uniqueness(&self, draft: &BlockDraft<'_>, unit: usize) -> Uniqueness {
        if draft.clash(self.rules, unit).is_some() {
            return Uniqueness::Impossible;
        }
        let of = |(_, what, differs): (usize, u64, bool)| match self.seen.get(&what) {
            None => Uniqueness::Unique,
            Some(n) if differs && *n < MAX_RANK => Uniqueness::SharedPrompt,
            Some(_) => Uniqueness::Repeated,
        };
        self.questions(draft, unit)
            .map(of)
            .max()
            .unwrap_or(Uniqueness::Unique)
    }

    /// Whether all questions of an earlier picture are unique.
    fn is_single(&self, draft: &BlockDraft<'_>, unit: usize) -> bool {
        !draft.impossible.contains(&(unit as u32))
            && self
                .questions(draft, unit)
                .all(|(_, what, _)| self.seen.get(&what) == Some(&1))
    }

    fn record(&mut self, draft: &BlockDraft<'_>, unit: usize) {
        for (nth, what, differs) in self.questions(draft, unit) {
            let seen = self.seen.entry(what).or_default();
            let before = *seen;
            *seen += 1;
            if before > 0 && differs && before < MAX_RANK {
                self.dealt
                    .ranks
                    .insert((draft.at, unit as u32, nth as u32), before);
                self.dealt.shared.insert(what);
            } else if before > 0 {
                let subtask = draft.block.slots[nth].subtask;
                *self
                    .dealt
                    .repeated
                    .entry((draft.block.subject, subtask))
                    .or_default() += 1;
            }
        }
    }

    fn forget(&mut self, draft: &BlockDraft<'_>, unit: usize) {
        for (_, what, _) in self.questions(draft, unit) {
            self.seen.remove(&what);
        }
    }
}

/// The samplers for the questions of a subtask.
pub fn slot_samplers(
    seed: u64,
    subtask: &str,
    ask: QuestionForm,
    sizes: (usize, usize),
) -> NestedSamplers {
    // Slots of one subtask share a sampler across blocks, so that it stays balanced.
    let label = format!("{ask:?}/{}/{}", sizes.0, sizes.1);
    NestedSamplers::new(key(seed, &["seat", subtask, &label]), sizes)
}
