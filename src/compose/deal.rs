//! Dealing under rules of compatibility: which terms each picture of a course has, worked out once for all of them.
//!
//! The decks decide how often each term comes, as without rules. Where their cards would make a picture that cannot
//! be, or a question that another picture has word for word, two pictures of a block exchange a term: the counts stay
//! as the decks have them. What is left over when no exchange helps is counted, and said.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::compatibility::Compatibility;
use super::compiled_metadata::CompiledMetadata;
use super::schedule::{Ask, Block, Schedule};
use benchtop_model::rng::{BalancedSampler, BalancedSamplers, Stream, key, within};

/// Exchanges that are tried for a picture.
const TRIES: usize = 48;
/// Pictures of a block that is too small for exchanges.
const SMALL: usize = 8;
/// How far away the picture may be that a term is exchanged with.
const SPAN: usize = 512;
/// Pictures in a row for which no exchange helped, after which a block has no fresh ones left.
const EXHAUSTED: u32 = 64;
/// Questions that differ in their wrong answers alone, at most, for one picture.
const RANKS: u32 = 256;

/// What the pictures of a course show, and where the questions about them stand in the decks.
#[derive(Debug)]
pub struct Dealt {
    blocks: Vec<DealtBlock>,
    /// Questions that differ from an earlier one in their wrong answers alone, by block, picture and seat: how many
    /// such there were before.
    ranks: HashMap<(u32, u32, u32), u32>,
    /// What such questions have in common.
    shared: HashSet<u64>,
    /// Questions that repeat another, by subject and subtask.
    repeated: BTreeMap<(usize, usize), u64>,
}

#[derive(Debug)]
struct DealtBlock {
    /// Lists of the subject, and one more for the wording.
    width: usize,
    /// Wording and terms, picture by picture.
    cards: Vec<u32>,
    /// For each seat where its questions stand in the decks.
    places: Vec<Places>,
    /// Pictures that no exchange made possible.
    impossible: HashSet<u32>,
}

/// Where the questions of a seat stand in the decks.
#[derive(Debug)]
enum Places {
    /// One after the other from here on.
    From(u64),
    /// Each at a place of its own, among questions with as many options.
    Each(Vec<u32>),
}

/// How a question stands among those that were dealt before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Fresh,
    /// Its wrong answers must differ.
    Other,
    Repeated,
    Impossible,
}

impl Dealt {
    /// Wording and terms of a picture, the terms in the order of the subject's lists; `None` where none is possible.
    pub fn picture(&self, block: usize, unit: u64) -> Option<(usize, &[u32])> {
        let block = self.blocks.get(block)?;
        let unit = usize::try_from(unit).ok()?;
        let row = block
            .cards
            .get(unit * block.width..(unit + 1) * block.width)?;
        let (wording, terms) = row.split_first()?;
        (!block.impossible.contains(&(unit as u32))).then_some((*wording as usize, terms))
    }

    /// Where a question stands in the decks of its seat.
    pub fn place(&self, block: usize, unit: u64, seat: usize) -> u64 {
        match self.blocks.get(block).and_then(|b| b.places.get(seat)) {
            Some(Places::From(base)) => base + unit,
            Some(Places::Each(places)) => places.get(unit as usize).map_or(0, |at| u64::from(*at)),
            None => unit,
        }
    }

    /// For a question whose picture is asked the same elsewhere: how many such there are before it.
    pub fn rank(
        &self,
        seed: u64,
        course: &Schedule,
        at: (usize, u64, usize),
    ) -> Option<(u64, u32)> {
        if self.shared.is_empty() {
            return None;
        }
        let (block, unit, seat) = at;
        let (wording, terms) = self.picture(block, unit)?;
        let own = course.blocks.get(block)?;
        let part = part(own.seats.get(seat)?.ask)?;
        let what = question(own.subject, wording, terms, own.seats[seat].subtask, part);
        let rank = self
            .ranks
            .get(&(block as u32, unit as u32, seat as u32))
            .copied()
            .unwrap_or(0);
        self.shared
            .contains(&what)
            .then(|| (within(seed, what), rank))
    }

    /// Questions that repeat another word for word because there are no more, by subject and subtask.
    pub fn repeated(&self) -> impl Iterator<Item = ((usize, usize), u64)> + '_ {
        self.repeated.iter().map(|(what, n)| (*what, *n))
    }
}

/// Options of a question whose right answer is `term`.
pub fn options(rules: &Compatibility, block: &Block, list: usize, term: Option<u32>) -> usize {
    let allowed = block.allowed(list);
    match term {
        Some(term) if rules.is_uneven(list) => {
            1 + rules.wrong(list, term, allowed, block.options - 1)
        }
        _ => block.options.min(allowed.len()),
    }
}

/// The part of a question's identity that is drawn apart: which of several questions about a picture it is.
fn part(ask: Ask) -> Option<u64> {
    match ask {
        Ask::Choice => Some(1),
        Ask::Claim => Some(2),
        Ask::Refusal => Some(3),
        Ask::Beyond => Some(4),
        _ => None,
    }
}

/// A number for a question about a picture, without its wrong answers.
fn question(subject: usize, wording: usize, terms: &[u32], subtask: usize, part: u64) -> u64 {
    question_of(subject, wording, terms.iter().copied(), subtask, part)
}

fn question_of(
    subject: usize,
    wording: usize,
    terms: impl Iterator<Item = u32>,
    subtask: usize,
    part: u64,
) -> u64 {
    let head = [subject as u64, wording as u64, subtask as u64, part];
    head.into_iter()
        .chain(terms.map(u64::from))
        .fold(0x9E37_79B9_7F4A_7C15, within)
}

/// Deals a course.
pub fn deal(
    grammar: &CompiledMetadata,
    rules: &Compatibility,
    course: &Schedule,
    seed: u64,
) -> Dealt {
    let mut dealer = Dealer {
        grammar,
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
    for (at, block) in course.blocks.iter().enumerate() {
        dealer.block(at, block);
    }
    dealer.dealt
}

struct Dealer<'g> {
    grammar: &'g CompiledMetadata,
    rules: &'g Compatibility,
    seed: u64,
    /// How often each question came, without its wrong answers.
    seen: HashMap<u64, u32>,
    /// How many questions were dealt from each deck: of a subtask, an ask and a number of options.
    places: HashMap<(usize, Ask, (usize, usize)), u64>,
    dealt: Dealt,
}

/// A block while it is dealt.
struct Hand<'c> {
    at: u32,
    block: &'c Block,
    width: usize,
    lists: Vec<usize>,
    /// Columns with terms that cannot stand together.
    clashing: Vec<(usize, usize)>,
    /// The column that the two pictures of a pair differ in.
    pair: Option<usize>,
    cards: Vec<u32>,
    /// For each seat that a claim is made in whether it holds, picture by picture.
    holds: Vec<Vec<bool>>,
    /// What a free-form question is known by.
    free: Vec<u64>,
    impossible: HashSet<u32>,
    stream: Stream,
}

impl Hand<'_> {
    fn row(&self, unit: usize) -> &[u32] {
        &self.cards[unit * self.width..(unit + 1) * self.width]
    }

    fn exchange(&mut self, column: usize, a: usize, b: usize) {
        self.cards
            .swap(a * self.width + column, b * self.width + column);
    }

    /// Two columns whose terms cannot stand together.
    fn clash(&self, rules: &Compatibility, unit: usize) -> Option<(usize, usize)> {
        let row = self.row(unit);
        let apart = |(a, b): &&(usize, usize)| {
            rules.clash((self.lists[*a - 1], row[*a]), (self.lists[*b - 1], row[*b]))
        };
        let clash = self.clashing.iter().find(apart).copied();
        clash.or_else(|| self.unpaired(rules, row))
    }

    /// Of a pair the column that the pictures differ in, and one that its term does not go with: the second picture has
    /// all but the one term, so the rest must not show the first one's, and must go with another one.
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
                && !rules.alike(list, own, *t)
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

impl Dealer<'_> {
    fn block(&mut self, at: usize, block: &Block) {
        let subject = &self.grammar.subjects[block.subject];
        let units = usize::try_from(block.units).unwrap_or(usize::MAX);
        let width = 1 + subject.lists.len();
        let mut cards = vec![0; units * width];
        let mut wording = BalancedSampler::new(
            key(self.seed, &["wording", &block.name]),
            subject.prompts.len(),
        );
        (0..units).for_each(|unit| cards[unit * width] = wording.card(unit as u64) as u32);
        for (column, list) in subject.lists.iter().enumerate() {
            let drawn = block.drawn(*list);
            let names = ["term", &block.name, &self.grammar.lists[*list].name];
            let mut deck = BalancedSampler::new(key(self.seed, &names), drawn.len());
            (0..units)
                .for_each(|unit| cards[unit * width + column + 1] = drawn[deck.card(unit as u64)]);
        }
        let stream = Stream::new(key(self.seed, &["exchange", &block.name]));
        let column = |list: usize| Some(1 + subject.lists.iter().position(|l| *l == list)?);
        let mut hand = Hand {
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
            cards,
            holds: vec![Vec::new(); block.seats.len()],
            free: vec![0; block.seats.len()],
            impossible: HashSet::new(),
            stream,
        };
        // Which statements hold is dealt before the terms are: they do not depend on them.
        for (nth, seat) in block.seats.iter().enumerate() {
            let subtask = &self.grammar.subtasks[seat.subtask];
            match seat.ask {
                Ask::Claim => {
                    let cards = seat.ask.cards(0);
                    let base = self
                        .places
                        .get(&(seat.subtask, seat.ask, cards))
                        .copied()
                        .unwrap_or(0);
                    let mut decks = seat_decks(self.seed, &subtask.name, seat.ask, cards);
                    hand.holds[nth] = (0..units)
                        .map(|unit| decks.cards(base + unit as u64).0 == 0)
                        .collect();
                }
                Ask::Free => {
                    let texts = self.grammar.free_form(subject, subtask);
                    hand.free[nth] = key(0, &[texts.map_or("", |(describe, _)| describe.source())]);
                }
                _ => {}
            }
        }
        self.exchange(&mut hand, units);
        let places = (0..block.seats.len())
            .map(|seat| self.seat(&hand, seat, units))
            .collect();
        let Hand {
            width,
            cards,
            impossible,
            ..
        } = hand;
        self.dealt.blocks.push(DealtBlock {
            width,
            cards,
            places,
            impossible,
        });
    }

    /// Where the questions of a seat stand in the decks.
    fn seat(&mut self, hand: &Hand<'_>, nth: usize, units: usize) -> Places {
        let seat = &hand.block.seats[nth];
        let list = self.grammar.subtasks[seat.subtask].list;
        let column = hand.lists.iter().position(|l| *l == list);
        let dealt = |ask: Ask| matches!(ask, Ask::Choice | Ask::Refusal);
        let Some(column) = column.filter(|_| self.rules.is_uneven(list) && dealt(seat.ask)) else {
            let cards = seat.ask.cards(options(self.rules, hand.block, list, None));
            let place = self
                .places
                .entry((seat.subtask, seat.ask, cards))
                .or_default();
            let base = *place;
            *place += units as u64;
            return Places::From(base);
        };
        let mut known: HashMap<u32, usize> = HashMap::new();
        let each = (0..units).map(|unit| {
            let term = hand.row(unit)[column + 1];
            let options = *known
                .entry(term)
                .or_insert_with(|| options(self.rules, hand.block, list, Some(term)));
            let place = self
                .places
                .entry((seat.subtask, seat.ask, seat.ask.cards(options)))
                .or_default();
            *place += 1;
            (*place - 1) as u32
        });
        Places::Each(each.collect())
    }

    /// Exchanges terms until every picture is possible and no question comes twice, as far as that can be.
    fn exchange(&mut self, hand: &mut Hand<'_>, units: usize) {
        let columns: Vec<usize> = (0..hand.width)
            .filter(|c| self.choices(hand, *c) > 1)
            .collect();
        let mut failed = 0;
        for unit in 0..units {
            let mut best = self.standing(hand, unit);
            if best > Standing::Fresh
                && !columns.is_empty()
                && (best == Standing::Impossible || failed < EXHAUSTED)
            {
                best = self.forward(hand, unit, units, &columns, best);
                if best > Standing::Fresh {
                    best = self.backward(hand, unit, &columns, best);
                }
                // The few pictures of a small block have nobody to exchange with.
                if best == Standing::Impossible || (best > Standing::Fresh && units <= SMALL) {
                    best = self.redraw(hand, unit, &columns, best);
                }
                failed = if best == Standing::Fresh {
                    0
                } else {
                    failed + 1
                };
            }
            if best == Standing::Impossible {
                hand.impossible.insert(unit as u32);
            }
            self.record(hand, unit);
        }
    }

    fn choices(&self, hand: &Hand<'_>, column: usize) -> usize {
        match column.checked_sub(1) {
            None => self.grammar.subjects[hand.block.subject].prompts.len(),
            Some(list) => hand.block.drawn(hand.lists[list]).len(),
        }
    }

    /// The column to exchange: one of the two that cannot stand together, else any.
    fn column(&self, hand: &mut Hand<'_>, unit: usize, columns: &[usize]) -> usize {
        match hand.clash(self.rules, unit) {
            Some((a, b)) => [a, b][hand.stream.below(2)],
            None => columns[hand.stream.below(columns.len())],
        }
    }

    /// Exchanges a term with a picture that is not settled yet.
    fn forward(
        &mut self,
        hand: &mut Hand<'_>,
        unit: usize,
        units: usize,
        columns: &[usize],
        mut best: Standing,
    ) -> Standing {
        let ahead = SPAN.min(units - unit - 1);
        for _ in 0..if ahead > 0 { TRIES } else { 0 } {
            let column = self.column(hand, unit, columns);
            let other = unit + 1 + hand.stream.below(ahead);
            if hand.row(unit)[column] == hand.row(other)[column] {
                continue;
            }
            hand.exchange(column, unit, other);
            let standing = self.standing(hand, unit);
            if standing < best {
                best = standing;
            } else {
                hand.exchange(column, unit, other);
            }
            if best == Standing::Fresh {
                break;
            }
        }
        best
    }

    /// Exchanges a term with a picture that is settled, where both are fresh afterwards.
    fn backward(
        &mut self,
        hand: &mut Hand<'_>,
        unit: usize,
        columns: &[usize],
        best: Standing,
    ) -> Standing {
        let behind = SPAN.min(unit);
        let tries = if best == Standing::Impossible {
            8 * TRIES
        } else {
            TRIES
        };
        for _ in 0..if behind > 0 { tries } else { 0 } {
            let column = self.column(hand, unit, columns);
            let other = unit - 1 - hand.stream.below(behind);
            if hand.row(unit)[column] == hand.row(other)[column] || !self.is_single(hand, other) {
                continue;
            }
            self.forget(hand, other);
            hand.exchange(column, unit, other);
            if self.standing(hand, other) == Standing::Fresh {
                self.record(hand, other);
                if self.standing(hand, unit) == Standing::Fresh {
                    return Standing::Fresh;
                }
                self.forget(hand, other);
            }
            hand.exchange(column, unit, other);
            self.record(hand, other);
        }
        best
    }

    /// Gives a picture other terms than the decks have for it: that is a little uneven, and better than none.
    fn redraw(
        &mut self,
        hand: &mut Hand<'_>,
        unit: usize,
        columns: &[usize],
        mut best: Standing,
    ) -> Standing {
        let place = unit * hand.width..(unit + 1) * hand.width;
        let mut kept = hand.row(unit).to_vec();
        for _ in 0..8 * TRIES {
            let column = self.column(hand, unit, columns);
            hand.cards[unit * hand.width + column] = match column.checked_sub(1) {
                None => hand.stream.below(self.choices(hand, column)) as u32,
                Some(list) => {
                    let drawn = hand.block.drawn(hand.lists[list]);
                    drawn[hand.stream.below(drawn.len())]
                }
            };
            let standing = self.standing(hand, unit);
            if standing < best {
                best = standing;
                kept.copy_from_slice(hand.row(unit));
            }
            if best == Standing::Fresh {
                break;
            }
        }
        hand.cards[place].copy_from_slice(&kept);
        best
    }

    /// What each question of a picture is known by, without its wrong answers, and whether it can differ in them.
    fn questions<'h>(
        &self,
        hand: &'h Hand<'_>,
        unit: usize,
    ) -> impl Iterator<Item = (usize, u64, bool)> + use<'h> {
        let (wording, terms) = (hand.row(unit)[0] as usize, &hand.row(unit)[1..]);
        let subject = hand.block.subject;
        // The two pictures of a pair differ in one term: where the others come once, neither comes twice.
        let pair = hand.pair.into_iter().flat_map(move |column| {
            let subtask = hand.block.seats.first().map_or(0, |s| s.subtask);
            let other = terms
                .iter()
                .enumerate()
                .map(move |(at, t)| if at + 1 == column { u32::MAX } else { *t });
            let apart = question_of(subject, wording, other, subtask, 17);
            [
                (0, apart, true),
                (0, question(subject, wording, terms, subtask, 16), false),
            ]
        });
        let single = hand
            .block
            .seats
            .iter()
            .enumerate()
            .filter(|_| hand.pair.is_none());
        pair.chain(single.map(move |(nth, seat)| {
            let of = |subtask: usize, part: u64| question(subject, wording, terms, subtask, part);
            match (seat.ask, hand.holds[nth].get(unit)) {
                // The same words are asked by several subtasks.
                (Ask::Free, _) => (nth, of(0, hand.free[nth]), false),
                (Ask::Claim, Some(true)) => (nth, of(seat.subtask, 5), false),
                (ask, _) => match part(ask) {
                    Some(part) => (nth, of(seat.subtask, part), true),
                    None => (nth, of(seat.subtask, 6), false),
                },
            }
        }))
    }

    fn standing(&self, hand: &Hand<'_>, unit: usize) -> Standing {
        if hand.clash(self.rules, unit).is_some() {
            return Standing::Impossible;
        }
        let of = |(_, what, differs): (usize, u64, bool)| match self.seen.get(&what) {
            None => Standing::Fresh,
            Some(n) if differs && *n < RANKS => Standing::Other,
            Some(_) => Standing::Repeated,
        };
        self.questions(hand, unit)
            .map(of)
            .max()
            .unwrap_or(Standing::Fresh)
    }

    /// Whether every question of a settled picture came once alone.
    fn is_single(&self, hand: &Hand<'_>, unit: usize) -> bool {
        !hand.impossible.contains(&(unit as u32))
            && self
                .questions(hand, unit)
                .all(|(_, what, _)| self.seen.get(&what) == Some(&1))
    }

    fn record(&mut self, hand: &Hand<'_>, unit: usize) {
        for (nth, what, differs) in self.questions(hand, unit) {
            let seen = self.seen.entry(what).or_default();
            let before = *seen;
            *seen += 1;
            if before > 0 && differs && before < RANKS {
                self.dealt
                    .ranks
                    .insert((hand.at, unit as u32, nth as u32), before);
                self.dealt.shared.insert(what);
            } else if before > 0 {
                let subtask = hand.block.seats[nth].subtask;
                *self
                    .dealt
                    .repeated
                    .entry((hand.block.subject, subtask))
                    .or_default() += 1;
            }
        }
    }

    fn forget(&mut self, hand: &Hand<'_>, unit: usize) {
        for (_, what, _) in self.questions(hand, unit) {
            self.seen.remove(&what);
        }
    }
}

/// The decks that questions of a subtask are dealt from.
pub fn seat_decks(seed: u64, subtask: &str, ask: Ask, cards: (usize, usize)) -> BalancedSamplers {
    // Seats of one subtask share a deck across blocks, so that its deal goes on from block to block.
    let label = format!("{ask:?}/{}/{}", cards.0, cards.1);
    BalancedSamplers::new(key(seed, &["seat", subtask, &label]), cards)
}
