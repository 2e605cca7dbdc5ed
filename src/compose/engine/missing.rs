//! Fills slots that were added to a prompt after its picture was composed.

use super::choose_content::{Choices, DrawnAnswer, term};
use crate::ambiguity::{contains_words, plain};
use crate::compatibility::Compatibility;
use crate::compiled_metadata::CompiledMetadata;
use benchtop_model::rng::{Stream, key};

/// Maximum number of combinations per picture.
const TRIES: usize = 10_000;

/// The lists of the prompt's slots for which `choices` has no term.
pub fn missing(compiled: &CompiledMetadata, choices: &Choices) -> Vec<usize> {
    let lists = compiled.subjects[choices.subject].lists.iter().copied();
    lists
        .filter(|list| term(&choices.terms, *list).is_none())
        .collect()
}

/// The candidates for the missing slots of one picture: terms that are compatible with its other
/// terms, hide nothing that is asked about, and make no wrong answer right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fitting {
    /// List, and whether each of its terms fits, sorted by list.
    lists: Vec<(usize, Vec<bool>)>,
}

impl Fitting {
    /// Excludes terms that do not fit one question about the picture. A question that no term fits
    /// is ignored.
    pub fn see(&mut self, compiled: &CompiledMetadata, choices: &Choices) {
        for list in missing(compiled, choices) {
            let fits: Vec<bool> = (0..compiled.lists[list].terms.len())
                .map(|term| fits(compiled, choices, (list, term as u32)))
                .collect();
            if !fits.contains(&true) {
                continue;
            }
            match self.lists.binary_search_by_key(&list, |(l, _)| *l) {
                Ok(at) => self.lists[at]
                    .1
                    .iter_mut()
                    .zip(fits)
                    .for_each(|(own, fits)| *own &= fits),
                Err(at) => self.lists.insert(at, (list, fits)),
            }
        }
    }

    /// Restricts a list to the term that another question about the picture already has.
    pub fn settle(&mut self, list: usize, settled: u32) {
        if let Ok(at) = self.lists.binary_search_by_key(&list, |(l, _)| *l) {
            self.lists[at]
                .1
                .iter_mut()
                .enumerate()
                .for_each(|(term, fits)| *fits &= term == settled as usize);
        }
    }

    /// Draws a term for each list; `None` if no combination is compatible. `picture` is the key.
    pub fn draw(&self, compiled: &CompiledMetadata, picture: u64) -> Option<Vec<(usize, u32)>> {
        let order = |(list, fits): &(usize, Vec<bool>)| {
            let mut order: Vec<u32> = (0..fits.len() as u32)
                .filter(|t| fits[*t as usize])
                .collect();
            Stream::new(key(picture, &[&compiled.lists[*list].name])).shuffle(&mut order);
            (*list, order)
        };
        let orders: Vec<_> = self.lists.iter().map(order).collect();
        let (mut taken, mut tries) = (Vec::new(), TRIES);
        take(compiled, &orders, &mut taken, &mut tries).then_some(taken)
    }
}

/// Chooses the first compatible combination in the given order.
fn take(
    compiled: &CompiledMetadata,
    orders: &[(usize, Vec<u32>)],
    taken: &mut Vec<(usize, u32)>,
    tries: &mut usize,
) -> bool {
    let Some((list, order)) = orders.get(taken.len()) else {
        return true;
    };
    for term in order {
        if *tries == 0 {
            return false;
        }
        *tries -= 1;
        let own = (*list, *term);
        let clash = |rules: &Compatibility| taken.iter().any(|other| rules.clash(own, *other));
        if compiled.compatibility.as_deref().is_some_and(clash) {
            continue;
        }
        taken.push(own);
        if take(compiled, orders, taken, tries) {
            return true;
        }
        taken.pop();
    }
    false
}

/// Whether a term fits the picture of this question.
pub fn fits(compiled: &CompiledMetadata, choices: &Choices, own: (usize, u32)) -> bool {
    let (subject, subtask) = (
        &compiled.subjects[choices.subject],
        &compiled.subtasks[choices.subtask],
    );
    // The question asks about something that its picture must not show.
    if subtask.list == own.0 {
        return false;
    }
    let list = &compiled.lists[subtask.list];
    let right = term(&choices.terms, subtask.list);
    let wrong = choices.asked.wrong(right).unwrap_or_default();
    let words = match own.0 == compiled.style {
        true => compiled
            .styles
            .get(own.1 as usize)
            .map_or("", |style| style.0.as_str()),
        false => &compiled.lists[own.0].terms[own.1 as usize],
    };
    let words = plain(words);
    if wrong
        .iter()
        .any(|w| contains_words(&words, list.words[*w as usize].folded()))
    {
        return false;
    }
    let Some(rules) = compiled.compatibility.as_deref() else {
        return true;
    };
    let mut others = choices.terms.iter().chain(&choices.second);
    if others.clone().any(|other| rules.clash(own, *other)) {
        return false;
    }
    if subject.lists.contains(&subtask.list) {
        let asked =
            compiled.lists_of_question(subject, subtask, choices.asked == DrawnAnswer::Free);
        let hidden = asked.iter().any(|asked| rules.hides(own, *asked));
        if hidden || asked.contains(&own.0) && others.any(|other| rules.hides(*other, own.0)) {
            return false;
        }
    }
    let shown = rules.shown(own, subtask.list);
    !wrong.iter().any(|w| shown.binary_search(w).is_ok())
}
