//! Draws the content of a question.

use std::cmp::Ordering;

use super::Composer;
use crate::ambiguity::{Overlap, contains_words, plain};
use crate::assign_terms;
use crate::compatibility::Compatibility;
use crate::compiled_metadata::{CompiledMetadata, write_prompt};
use crate::plan::KNOW;
use crate::schedule::{CROSS_OPTIONS, QuestionForm, Slot};
use benchtop_model::rng::{Stream, key, within};

/// The content of a question, as positions in the compiled metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// The subject of the picture.
    pub subject: usize,
    /// Index of the wording of its prompt.
    pub wording: usize,
    /// List and term for every slot of the prompt, sorted by list.
    pub terms: Vec<(usize, u32)>,
    /// The same for the second picture of a pair.
    pub second: Vec<(usize, u32)>,
    /// The subtask.
    pub subtask: usize,
    /// Options or claim.
    pub asked: DrawnAnswer,
}

/// The drawn options or claim of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawnAnswer {
    /// Multiple choice.
    Options {
        /// Terms of the subtask's list in order, without the refusal option.
        options: Vec<u32>,
        /// Position of the right one among them; `None` if refusing is right.
        correct: Option<usize>,
        /// Position of the refusal option among all options.
        refusal: Option<usize>,
        /// Whether refusing is right too (MM-SAP's KnowVisQA).
        may_decline: bool,
    },
    /// A true/false statement.
    Claim {
        /// The claimed term.
        term: u32,
        /// Whether the claim is true.
        holds: bool,
        /// Whether "False" is the first option.
        false_first: bool,
    },
    /// A yes/no question.
    YesNo {
        /// The claimed term.
        term: u32,
        /// Whether the claim is true.
        holds: bool,
    },
    Free,
    /// A question across two pictures.
    Cross {
        /// Terms of the first and second picture, per option.
        options: Vec<(u32, u32)>,
        correct: usize,
    },
}

impl DrawnAnswer {
    fn options(
        options: Vec<u32>,
        correct: Option<usize>,
        refusal: Option<usize>,
        may_decline: bool,
    ) -> DrawnAnswer {
        DrawnAnswer::Options {
            options,
            correct,
            refusal,
            may_decline,
        }
    }

    /// The wrong terms that it offers, of a question whose right term is `right`. `None` if it offers
    /// none.
    pub fn wrong(&self, right: Option<u32>) -> Option<Vec<u32>> {
        match self {
            DrawnAnswer::Options { options, .. } => {
                let wrong = options.iter().copied().filter(|o| Some(*o) != right);
                Some(wrong.collect())
            }
            DrawnAnswer::Claim {
                term, holds: false, ..
            }
            | DrawnAnswer::YesNo { term, holds: false } => Some(vec![*term]),
            _ => None,
        }
    }
}

impl Composer {
    /// Draws the content of the question in this slot. `None` if the vocabulary has no wrong answer
    /// left for this picture.
    pub(super) fn choose(&mut self, slot: Slot) -> Option<Choices> {
        let Composer {
            compiled,
            schedule,
            samplers,
            seed,
            dealt,
            ..
        } = self;
        let rules = compiled.compatibility.as_deref();
        let block = schedule.blocks.get(slot.block)?;
        let seat = block.slots.get(slot.slot)?;
        let subject = &compiled.subjects[block.subject];
        let own = samplers.get_mut(slot.block)?;
        let list = compiled.subtasks[seat.subtask].list;
        let mut terms: Vec<(usize, u32)> = Vec::with_capacity(subject.lists.len());
        let (wording, place) = match dealt.as_deref() {
            Some(dealt) => {
                let (wording, dealt_terms) = dealt.picture(slot.block, slot.unit)?;
                terms.extend(
                    subject
                        .lists
                        .iter()
                        .copied()
                        .zip(dealt_terms.iter().copied()),
                );
                (wording, dealt.place(slot.block, slot.unit, slot.slot))
            }
            None => {
                for (&list, sampler) in subject.lists.iter().zip(&mut own.terms) {
                    terms.push((list, *block.allowed(list).get(sampler.at(slot.unit))?));
                }
                (own.wording.at(slot.unit), seat.base + slot.unit)
            }
        };
        let many = match rules {
            Some(rules) => assign_terms::options(rules, block, list, term(&terms, list)),
            None => schedule.options.min(block.allowed(list).len()),
        };
        let name = &compiled.subtasks[seat.subtask].name;
        let position = own
            .of_slot(*seed, name, (slot.slot, seat), seat.ask.sampler_sizes(many))
            .at(place);
        // Set if another picture has the same prompt and question.
        let rank = dealt
            .as_deref()
            .and_then(|d| d.rank(*seed, schedule, (slot.block, slot.unit, slot.slot)));
        let unit = within(own.key, slot.unit);
        let mut choices = Choices {
            subject: block.subject,
            wording,
            terms,
            second: Vec::new(),
            subtask: seat.subtask,
            asked: DrawnAnswer::Free,
        };
        // The rotations of one question share their options.
        let of = match seat.ask {
            QuestionForm::PairChoice { rotation, .. } => slot.slot - usize::from(rotation),
            _ => slot.slot,
        };
        let stream = Stream::new(within(unit, 1 + of as u64));
        let mut draw = Draw::new(compiled, list, block.allowed(list), stream);
        if let Some(differs) = block.differs {
            // The unit's key is used, so all questions of a pair get the same two pictures.
            let second = draw.second(&choices, differs, block.drawn(differs), unit)?;
            let mut other = choices.terms.clone();
            if let Some(slot) = other.iter_mut().find(|(l, _)| *l == differs) {
                slot.1 = second;
            }
            choices.second = match seat.ask {
                QuestionForm::PairClaim { side: 1, .. }
                | QuestionForm::PairChoice { side: 1, .. } => {
                    std::mem::replace(&mut choices.terms, other)
                }
                _ => other,
            };
        }
        let right = term(&choices.terms, list);
        let other = term(&choices.second, list);
        let options = many;
        choices.asked = match seat.ask {
            QuestionForm::Free => DrawnAnswer::Free,
            QuestionForm::Claim => {
                let (label, order) = position;
                let holds = label == 0;
                let claimed = if holds {
                    right?
                } else {
                    *draw.see(&choices).distinct(right, 1, rank).first()?
                };
                // Both orders occur equally often for each label.
                DrawnAnswer::Claim {
                    term: claimed,
                    holds,
                    false_first: (order == 1) == holds,
                }
            }
            QuestionForm::Choice => {
                let mut drawn = draw.see(&choices).distinct(right, options - 1, rank);
                let correct = position.0 % (drawn.len() + 1);
                drawn.insert(correct, right?);
                DrawnAnswer::options(drawn, Some(correct), None, false)
            }
            QuestionForm::PairChoice { rotation, .. } => {
                let mut drawn = draw.see(&choices).others(right, other, options - 1);
                drawn.insert(draw.stream.below(drawn.len() + 1), right?);
                let by = usize::from(rotation) % drawn.len();
                drawn.rotate_left(by);
                let correct = drawn.iter().position(|t| Some(*t) == right);
                DrawnAnswer::options(drawn, correct, None, false)
            }
            QuestionForm::Refusal => {
                let mut drawn = draw.see(&choices).distinct(right, options - 1, rank);
                let all = drawn.len() + 2;
                let place = position.0 % all;
                let refusal = (place + 1 + position.1 % (all - 1)) % all;
                // Position among the terms, without the refusal option.
                let correct = place - usize::from(refusal < place);
                drawn.insert(correct, right?);
                let may_decline = block.level.as_deref() == Some(KNOW);
                DrawnAnswer::options(drawn, Some(correct), Some(refusal), may_decline)
            }
            QuestionForm::Beyond => {
                let drawn = draw.see(&choices).distinct(None, options, rank);
                let refusal = position.0 % (drawn.len() + 1);
                DrawnAnswer::options(drawn, None, Some(refusal), true)
            }
            QuestionForm::PairClaim { side, fits } => {
                let claimed = if side == fits { right? } else { other? };
                DrawnAnswer::YesNo {
                    term: claimed,
                    holds: side == fits,
                }
            }
            QuestionForm::Cross { rotation } => {
                cross(*seed, slot.picture, u32::from(rotation), (right?, other?))
            }
        };
        match &choices.asked {
            // A question needs at least two options.
            DrawnAnswer::Options { options, .. } if options.len() < 2 => None,
            _ => Some(choices),
        }
    }
}

/// The options of a question across two pictures with terms `a` and `b`. Each rotation shifts them
/// by one.
pub(super) fn cross(seed: u64, picture: u64, rotation: u32, (a, b): (u32, u32)) -> DrawnAnswer {
    let mut options = vec![(a, b), (b, a), (a, a), (b, b)];
    Stream::new(within(key(seed, &["cross"]), picture)).shuffle(&mut options);
    options.rotate_left(rotation as usize % usize::from(CROSS_OPTIONS));
    let correct = options
        .iter()
        .position(|o| *o == (a, b))
        .unwrap_or_default();
    DrawnAnswer::Cross { options, correct }
}

/// The term of a list.
pub(super) fn term(terms: &[(usize, u32)], list: usize) -> Option<u32> {
    terms.iter().find(|(l, _)| *l == list).map(|(_, t)| *t)
}

/// The prompt of a picture with these terms, in plain words: what the picture is known to show.
fn shown(compiled: &CompiledMetadata, choices: &Choices, terms: &[(usize, u32)]) -> String {
    let subject = &compiled.subjects[choices.subject];
    let mut prompt = String::with_capacity(160);
    write_prompt(&subject.prompts[choices.wording], &mut prompt, |list| {
        let Some(term) = term(terms, list) else {
            return "";
        };
        let words = if list == compiled.style {
            compiled.styles.get(term as usize).map(|s| &*s.0)
        } else {
            None
        };
        words.unwrap_or(&compiled.lists[list].terms[term as usize])
    });
    plain(&prompt)
}

/// Maximum number of draws until a set of wrong answers is new.
const NEW: usize = 64;

/// Draws wrong answers.
struct Draw<'g> {
    compiled: &'g CompiledMetadata,
    rules: Option<&'g Compatibility>,
    list: usize,
    allowed: &'g [u32],
    /// The prompt in plain words.
    prompt: String,
    /// Terms of the list that the picture shows although its prompt does not name them.
    shown: Vec<&'g [u32]>,
    stream: Stream,
}

impl<'g> Draw<'g> {
    fn new(
        compiled: &'g CompiledMetadata,
        list: usize,
        allowed: &'g [u32],
        stream: Stream,
    ) -> Draw<'g> {
        let rules = compiled.compatibility.as_deref();
        Draw {
            compiled,
            rules,
            list,
            allowed,
            prompt: String::new(),
            shown: Vec::new(),
            stream,
        }
    }

    /// Sets the picture. Nothing that it shows may become a wrong answer.
    fn see(&mut self, choices: &Choices) -> &mut Self {
        self.prompt = shown(self.compiled, choices, &choices.terms);
        if let Some(rules) = self.rules {
            self.shown.clear();
            let shown = choices.terms.iter().map(|t| rules.shown(*t, self.list));
            self.shown.extend(shown.filter(|terms| !terms.is_empty()));
        }
        self
    }

    /// Draws wrong answers like [`others`](Self::others). If other pictures have the same prompt
    /// and question, `rank` is the number of earlier ones: each gets a different set of wrong
    /// answers from a shared stream.
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

    /// Adds words that read like `right`, some of them longer. Most neighbors of a word are
    /// shorter, so the right answer would be the longest option too often. The longest words have
    /// no longer neighbors, which the others compensate for.
    fn read_alike(&mut self, near: &[u32], taken: &mut Vec<u32>, right: u32, many: usize) {
        let words = &self.compiled.lists[self.list].words;
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
                if length(candidate).cmp(&own) == order
                    && self.add(candidate, taken, Some(right), true)
                {
                    break;
                }
            }
        }
    }

    /// Adds terms of `from` in random order.
    fn take(&mut self, from: &[u32], taken: &mut Vec<u32>, right: Option<u32>, many: usize) {
        let mut tries = 0;
        while taken.len() < many && tries < 8 * many && !from.is_empty() {
            tries += 1;
            let candidate = from[self.stream.below(from.len())];
            self.add(candidate, taken, right, true);
        }
        self.take_rest(from, taken, right, many, true);
    }

    /// Tries all terms of `from` in random order.
    fn take_rest(
        &mut self,
        from: &[u32],
        taken: &mut Vec<u32>,
        right: Option<u32>,
        many: usize,
        strict: bool,
    ) {
        if taken.len() >= many {
            return;
        }
        let mut rest = from.to_vec();
        self.stream.shuffle(&mut rest);
        for candidate in rest {
            if taken.len() < many {
                self.add(candidate, taken, right, strict);
            }
        }
    }

    /// Adds a term if it is allowed and [`good`](Self::good).
    fn add(&self, candidate: u32, taken: &mut Vec<u32>, right: Option<u32>, strict: bool) -> bool {
        let is_good = self.allowed.binary_search(&candidate).is_ok()
            && self.good(candidate, taken, right, strict);
        if is_good {
            taken.push(candidate);
        }
        is_good
    }

    /// Up to `many` terms other than `right` that do not overlap with each other and are not in the
    /// prompt; `first` is one of them. Returns fewer only if the list has no more, and overlapping
    /// ones only if there are no others.
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
        // For short lists, all terms are tried, with the strict rule first.
        self.take(self.allowed, &mut taken, right, many);
        self.take_rest(self.allowed, &mut taken, right, many, false);
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
            let alike = |t: &u32| rules.look_alike(self.list, *t, candidate);
            let as_well = right
                .is_some_and(|r| rules.can_both_be_right(self.list, r, candidate) || alike(&r));
            let shown = self
                .shown
                .iter()
                .any(|terms| terms.binary_search(&candidate).is_ok());
            if as_well || shown || (strict && taken.iter().any(alike)) {
                return false;
            }
        }
        let words = &self.compiled.lists[self.list].words;
        let own = &words[candidate as usize];
        let near = |t: &u32| words[*t as usize].overlap(own);
        // Whatever the prompt contains is true of the picture, so it cannot be a wrong answer.
        if contains_words(&self.prompt, own.folded()) {
            return false;
        }
        !taken
            .iter()
            .filter_map(near)
            .any(|how| strict || how == Overlap::Same)
    }

    /// The term of the second picture of a pair. Neither picture may show the other's term, or a
    /// claim could be true of both.
    fn second(
        &mut self,
        choices: &Choices,
        differs: usize,
        allowed: &[u32],
        unit: u64,
    ) -> Option<u32> {
        let right = term(&choices.terms, differs)?;
        let mut draw = Draw::new(
            self.compiled,
            differs,
            allowed,
            Stream::new(within(unit, 0)),
        );
        draw.see(choices);
        let first = self.compiled.lists[differs].words[right as usize].folded();
        let apart = |second: &u32| {
            let with = |&(list, term)| (list, if list == differs { *second } else { term });
            let terms: Vec<_> = choices.terms.iter().map(with).collect();
            let possible = self
                .rules
                .is_none_or(|rules| rules.impossible(&terms).is_none());
            possible && !contains_words(&shown(self.compiled, choices, &terms), first)
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
