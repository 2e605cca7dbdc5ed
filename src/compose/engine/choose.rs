//! Drawing what a question is made of.

use std::cmp::Ordering;

use super::Composer;
use crate::ambiguity::{Overlap, holds, plain};
use crate::compatibility::Compatibility;
use crate::compiled_metadata::{CompiledMetadata, write_prompt};
use crate::deal;
use crate::plan::KNOW;
use crate::schedule::{Ask, CROSS, Slot};
use benchtop_model::rng::{Stream, key, within};

/// What a question is made of: positions in the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// What the picture shows.
    pub subject: usize,
    /// Which wording of its prompt.
    pub wording: usize,
    /// List and term, for every slot of the prompt, sorted by list.
    pub terms: Vec<(usize, u32)>,
    /// The same for the second picture, where the question is about both.
    pub second: Vec<(usize, u32)>,
    /// What is asked.
    pub subtask: usize,
    /// How.
    pub asked: Asked,
}

/// How a question is asked, as drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Which of the options.
    Options {
        /// Terms of the subtask's list, in their order; the refusal is apart.
        options: Vec<u32>,
        /// Position of the right one among them; `None` where declining is right.
        correct: Option<usize>,
        /// Where among all options the one that declines stands.
        refusal: Option<usize>,
        /// Whether declining is right too (MM-SAP's KnowVisQA).
        may_decline: bool,
    },
    /// Whether a statement is true.
    Claim {
        /// The term it claims.
        term: u32,
        /// Whether it holds.
        holds: bool,
        /// Whether "False" is the first option.
        false_first: bool,
    },
    /// Yes or no.
    YesNo {
        /// The term it claims.
        term: u32,
        /// Whether it holds.
        holds: bool,
    },
    /// In free form.
    Free,
    /// Across two pictures.
    Cross {
        /// Terms of the first and the second picture, option by option.
        options: Vec<(u32, u32)>,
        /// Position of the right one.
        correct: usize,
    },
}

impl Composer {
    /// Draws what the question in this place is made of; nothing where the vocabulary has no wrong answer left that is
    /// wrong of this picture.
    pub(super) fn choose(&mut self, seated: Slot) -> Option<Choices> {
        let Composer {
            grammar,
            course,
            hands,
            seed,
            dealt,
            ..
        } = self;
        let rules = grammar.compatibility.as_deref();
        let block = course.blocks.get(seated.block)?;
        let seat = block.seats.get(seated.seat)?;
        let subject = &grammar.subjects[block.subject];
        let hand = hands.get_mut(seated.block)?;
        let list = grammar.subtasks[seat.subtask].list;
        let mut terms: Vec<(usize, u32)> = Vec::with_capacity(subject.lists.len());
        let (wording, place) = match dealt.as_deref() {
            Some(dealt) => {
                let (wording, dealt_terms) = dealt.picture(seated.block, seated.unit)?;
                terms.extend(
                    subject
                        .lists
                        .iter()
                        .copied()
                        .zip(dealt_terms.iter().copied()),
                );
                (wording, dealt.place(seated.block, seated.unit, seated.seat))
            }
            None => {
                for (&list, deck) in subject.lists.iter().zip(&mut hand.terms) {
                    terms.push((list, *block.allowed(list).get(deck.card(seated.unit))?));
                }
                (hand.wording.card(seated.unit), seat.base + seated.unit)
            }
        };
        let many = match rules {
            Some(rules) => deal::options(rules, block, list, term(&terms, list)),
            None => course.options.min(block.allowed(list).len()),
        };
        let name = &grammar.subtasks[seat.subtask].name;
        let cards = hand
            .decks(*seed, name, (seated.seat, seat), seat.ask.cards(many))
            .cards(place);
        // Of a picture that is asked the same elsewhere too.
        let rank = dealt
            .as_deref()
            .and_then(|d| d.rank(*seed, course, (seated.block, seated.unit, seated.seat)));
        let unit = within(hand.key, seated.unit);
        let mut choices = Choices {
            subject: block.subject,
            wording,
            terms,
            second: Vec::new(),
            subtask: seat.subtask,
            asked: Asked::Free,
        };
        // The rotations of one question offer the same options.
        let of = match seat.ask {
            Ask::PairChoice { rotation, .. } => seated.seat - usize::from(rotation),
            _ => seated.seat,
        };
        let stream = Stream::new(within(unit, 1 + of as u64));
        let mut draw = Draw::new(grammar, list, block.allowed(list), stream);
        if let Some(differs) = block.differs {
            // Drawn from the unit's own key: all questions of a pair see the same two pictures.
            let second = draw.second(&choices, differs, block.drawn(differs), unit)?;
            let mut other = choices.terms.clone();
            if let Some(slot) = other.iter_mut().find(|(l, _)| *l == differs) {
                slot.1 = second;
            }
            choices.second = match seat.ask {
                Ask::PairClaim { side: 1, .. } | Ask::PairChoice { side: 1, .. } => {
                    std::mem::replace(&mut choices.terms, other)
                }
                _ => other,
            };
        }
        let right = term(&choices.terms, list);
        let other = term(&choices.second, list);
        let options = many;
        choices.asked = match seat.ask {
            Ask::Free => Asked::Free,
            Ask::Claim => {
                let (label, order) = cards;
                let holds = label == 0;
                let claimed = if holds {
                    right?
                } else {
                    *draw.see(&choices).distinct(right, 1, rank).first()?
                };
                // Both orders come equally often, with either label.
                Asked::Claim {
                    term: claimed,
                    holds,
                    false_first: (order == 1) == holds,
                }
            }
            Ask::Choice => {
                let mut drawn = draw.see(&choices).distinct(right, options - 1, rank);
                let correct = cards.0 % (drawn.len() + 1);
                drawn.insert(correct, right?);
                Asked::Options {
                    options: drawn,
                    correct: Some(correct),
                    refusal: None,
                    may_decline: false,
                }
            }
            Ask::PairChoice { rotation, .. } => {
                let mut drawn = draw.see(&choices).others(right, other, options - 1);
                drawn.insert(draw.stream.below(drawn.len() + 1), right?);
                let by = usize::from(rotation) % drawn.len();
                drawn.rotate_left(by);
                let correct = drawn.iter().position(|t| Some(*t) == right);
                Asked::Options {
                    options: drawn,
                    correct,
                    refusal: None,
                    may_decline: false,
                }
            }
            Ask::Refusal => {
                let mut drawn = draw.see(&choices).distinct(right, options - 1, rank);
                let all = drawn.len() + 2;
                let place = cards.0 % all;
                let refusal = (place + 1 + cards.1 % (all - 1)) % all;
                // Among the terms alone, without the refusal.
                let correct = place - usize::from(refusal < place);
                drawn.insert(correct, right?);
                let may_decline = block.level.as_deref() == Some(KNOW);
                Asked::Options {
                    options: drawn,
                    correct: Some(correct),
                    refusal: Some(refusal),
                    may_decline,
                }
            }
            Ask::Beyond => {
                let drawn = draw.see(&choices).distinct(None, options, rank);
                let refusal = cards.0 % (drawn.len() + 1);
                Asked::Options {
                    options: drawn,
                    correct: None,
                    refusal: Some(refusal),
                    may_decline: true,
                }
            }
            Ask::PairClaim { side, fits } => {
                let claimed = if side == fits { right? } else { other? };
                Asked::YesNo {
                    term: claimed,
                    holds: side == fits,
                }
            }
            Ask::Cross { rotation } => {
                cross(*seed, seated.picture, u32::from(rotation), (right?, other?))
            }
        };
        match &choices.asked {
            // A question with one option is none.
            Asked::Options { options, .. } if options.len() < 2 => None,
            _ => Some(choices),
        }
    }
}

/// The options of a question across two pictures whose terms are `a` and `b`: each rotation moves them on by one.
pub(super) fn cross(seed: u64, picture: u64, rotation: u32, (a, b): (u32, u32)) -> Asked {
    let mut options = vec![(a, b), (b, a), (a, a), (b, b)];
    Stream::new(within(key(seed, &["cross"]), picture)).shuffle(&mut options);
    options.rotate_left(rotation as usize % usize::from(CROSS));
    let correct = options
        .iter()
        .position(|o| *o == (a, b))
        .unwrap_or_default();
    Asked::Cross { options, correct }
}

/// The term of a list among these.
pub(super) fn term(terms: &[(usize, u32)], list: usize) -> Option<u32> {
    terms.iter().find(|(l, _)| *l == list).map(|(_, t)| *t)
}

/// What a picture with these terms is known to show: its prompt in plain words.
fn shown(grammar: &CompiledMetadata, choices: &Choices, terms: &[(usize, u32)]) -> String {
    let subject = &grammar.subjects[choices.subject];
    let mut prompt = String::with_capacity(160);
    write_prompt(&subject.prompts[choices.wording], &mut prompt, |list| {
        let Some(term) = term(terms, list) else {
            return "";
        };
        let words = if list == grammar.style {
            grammar.styles.get(term as usize).map(|s| &*s.0)
        } else {
            None
        };
        words.unwrap_or(&grammar.lists[list].terms[term as usize])
    });
    plain(&prompt)
}

/// Sets of wrong answers that are drawn until one is new.
const NEW: usize = 64;

/// Draws wrong answers.
struct Draw<'g> {
    grammar: &'g CompiledMetadata,
    rules: Option<&'g Compatibility>,
    list: usize,
    allowed: &'g [u32],
    /// What the picture is known to show, in plain words.
    prompt: String,
    /// Terms of the list that the picture shows although its prompt does not name them.
    shown: Vec<&'g [u32]>,
    stream: Stream,
}

impl<'g> Draw<'g> {
    fn new(
        grammar: &'g CompiledMetadata,
        list: usize,
        allowed: &'g [u32],
        stream: Stream,
    ) -> Draw<'g> {
        let rules = grammar.compatibility.as_deref();
        Draw {
            grammar,
            rules,
            list,
            allowed,
            prompt: String::new(),
            shown: Vec::new(),
            stream,
        }
    }

    /// Takes in what the picture shows: no wrong answer may be part of it.
    fn see(&mut self, choices: &Choices) -> &mut Self {
        self.prompt = shown(self.grammar, choices, &choices.terms);
        if let Some(rules) = self.rules {
            self.shown.clear();
            let shown = choices.terms.iter().map(|t| rules.shown(*t, self.list));
            self.shown.extend(shown.filter(|terms| !terms.is_empty()));
        }
        self
    }

    /// Wrong answers as by [`others`](Self::others). Where the same is asked of another picture with the same prompt,
    /// `rank` says how often before: each has other wrong answers, drawn from one stream for all of them.
    fn distinct(&mut self, right: Option<u32>, many: usize, rank: Option<(u64, u32)>) -> Vec<u32> {
        let Some((key, rank)) = rank else {
            return self.others(right, None, many);
        };
        self.stream = Stream::new(key);
        let mut before: Vec<Vec<u32>> = Vec::new();
        let mut drawn = Vec::new();
        for _ in 0..=rank {
            for _ in 0..NEW {
                drawn = self.others(right, None, many);
                let mut set = drawn.clone();
                set.sort_unstable();
                if !before.contains(&set) {
                    before.push(set);
                    break;
                }
            }
        }
        drawn
    }

    /// Takes words that read nearly like `right`, some of them longer: among neighbors shorter words prevail, and the
    /// right one would be the longest too often. For the longest words there are no others, so the rest make up for it.
    fn read_alike(&mut self, near: &[u32], taken: &mut Vec<u32>, right: u32, many: usize) {
        let words = &self.grammar.lists[self.list].words;
        let length = |term: u32| words[term as usize].folded().chars().count();
        let own = length(right);
        let wanted = many.saturating_sub(taken.len());
        let longer = self.stream.below(wanted + 1).max(self.stream.below(2));
        for nth in 0..wanted {
            let order = if nth < longer {
                Ordering::Greater
            } else {
                Ordering::Less
            };
            let order = if self.stream.below(3) == 0 {
                Ordering::Equal
            } else {
                order
            };
            for _ in 0..if near.is_empty() { 0 } else { 16 } {
                let candidate = near[self.stream.below(near.len())];
                let fits = length(candidate).cmp(&own) == order
                    && self.allowed.binary_search(&candidate).is_ok();
                if fits && self.good(candidate, taken, Some(right), true) {
                    taken.push(candidate);
                    break;
                }
            }
        }
    }

    /// Takes terms of `from` in a drawn order.
    fn take(&mut self, from: &[u32], taken: &mut Vec<u32>, right: Option<u32>, many: usize) {
        let mut tries = 0;
        while taken.len() < many && tries < 8 * many && !from.is_empty() {
            tries += 1;
            let candidate = from[self.stream.below(from.len())];
            if self.allowed.binary_search(&candidate).is_ok()
                && self.good(candidate, taken, right, true)
            {
                taken.push(candidate);
            }
        }
        if taken.len() < many {
            let mut rest = from.to_vec();
            self.stream.shuffle(&mut rest);
            for candidate in rest {
                let allowed = taken.len() < many && self.allowed.binary_search(&candidate).is_ok();
                if allowed && self.good(candidate, taken, right, true) {
                    taken.push(candidate);
                }
            }
        }
    }

    /// Up to `many` terms other than `right`, no two alike or near each other, none of them in the prompt; `first`
    /// is one of them. Fewer only when the list has no more; near ones only when there are no others.
    fn others(&mut self, right: Option<u32>, first: Option<u32>, many: usize) -> Vec<u32> {
        let mut taken: Vec<u32> = right.into_iter().chain(first).collect();
        let before = usize::from(right.is_some());
        let many = many + before;
        if let (Some(rules), Some(right)) = (self.rules, right)
            && let Some(near) = rules.letters(self.list, right)
        {
            self.read_alike(near, &mut taken, right, many);
            self.take(near, &mut taken, Some(right), many);
        }
        let mut tries = 0;
        while taken.len() < many && tries < 8 * many {
            tries += 1;
            let candidate = self.allowed[self.stream.below(self.allowed.len())];
            if self.good(candidate, &taken, right, true) {
                taken.push(candidate);
            }
        }
        // Short lists: what is left, in a drawn order; the strict rule first.
        for strict in [true, false] {
            if taken.len() < many {
                let mut rest = self.allowed.to_vec();
                self.stream.shuffle(&mut rest);
                for candidate in rest {
                    if taken.len() < many && self.good(candidate, &taken, right, strict) {
                        taken.push(candidate);
                    }
                }
            }
        }
        let mut others = taken.split_off(before);
        if first.is_some() {
            self.stream.shuffle(&mut others);
        }
        others
    }

    fn good(&self, candidate: u32, taken: &[u32], right: Option<u32>, strict: bool) -> bool {
        if taken.contains(&candidate) {
            return false;
        }
        if let Some(rules) = self.rules {
            let alike = |t: &u32| rules.alike(self.list, *t, candidate);
            let as_well = right.is_some_and(|r| rules.both(self.list, r, candidate) || alike(&r));
            let shown = self
                .shown
                .iter()
                .any(|terms| terms.binary_search(&candidate).is_ok());
            if as_well || shown || (strict && taken.iter().any(alike)) {
                return false;
            }
        }
        let words = &self.grammar.lists[self.list].words;
        let own = &words[candidate as usize];
        let near = |t: &u32| words[*t as usize].near(own);
        // What the prompt holds is true of the picture, so it is never a wrong answer.
        if holds(&self.prompt, own.folded()) {
            return false;
        }
        !taken
            .iter()
            .filter_map(near)
            .any(|how| strict || how == Overlap::Same)
    }

    /// The term of the second picture of a pair. Neither picture shows the other's term, or a claim could hold of both.
    fn second(
        &mut self,
        choices: &Choices,
        differs: usize,
        allowed: &[u32],
        unit: u64,
    ) -> Option<u32> {
        let right = term(&choices.terms, differs)?;
        let mut draw = Draw::new(self.grammar, differs, allowed, Stream::new(within(unit, 0)));
        draw.see(choices);
        let first = self.grammar.lists[differs].words[right as usize].folded();
        let apart = |second: &u32| {
            let with = |&(list, term)| (list, if list == differs { *second } else { term });
            let terms: Vec<_> = choices.terms.iter().map(with).collect();
            let possible = self
                .rules
                .is_none_or(|rules| rules.impossible(&terms).is_none());
            possible && !holds(&shown(self.grammar, choices, &terms), first)
        };
        let found = draw
            .others(Some(right), None, 1)
            .first()
            .copied()
            .filter(apart);
        found.or_else(|| {
            draw.others(Some(right), None, allowed.len())
                .into_iter()
                .find(apart)
        })
    }
}
