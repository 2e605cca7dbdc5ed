//! The vocabulary terms of composed questions, as columns of codes.

use benchtop_model::Item;

/// Vocabularies with more terms get no columns: few questions would have each term.
pub const MOST_TERMS: usize = 200;

/// Maximum number of vocabularies, so that an item from outside cannot make a board large.
pub const MOST_VOCABULARIES: usize = 64;

/// The slot of the style, which has columns of its own.
const STYLE: &str = "style";

/// The terms of one vocabulary by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermCodes {
    /// The slot of the vocabulary in prompts.
    pub vocabulary: String,
    /// Names by code. Code 0 means "none". Empty if the vocabulary has too many terms.
    pub names: Vec<String>,
    /// Codes by row, as many as the last term needs.
    pub codes: Vec<u16>,
}

impl TermCodes {
    /// The code of the term in a row; 0 for none.
    pub fn code(&self, row: usize) -> usize {
        self.codes.get(row).copied().map_or(0, usize::from)
    }

    fn set(&mut self, row: usize, term: Option<&str>) {
        let code = match term {
            Some(term) if !self.names.is_empty() => self.of(term),
            _ => 0,
        };
        if code != 0 && self.codes.len() <= row {
            self.codes.resize(row + 1, 0);
        }
        if let Some(place) = self.codes.get_mut(row) {
            *place = code;
        }
    }

    fn of(&mut self, term: &str) -> u16 {
        if let Some(at) = self.names.iter().rposition(|name| name == term) {
            return at as u16;
        }
        if self.names.len() > MOST_TERMS {
            (self.names, self.codes) = (Vec::new(), Vec::new());
            return 0;
        }
        self.names.push(term.into());
        self.names.len() as u16 - 1
    }
}

/// Writes the terms of an item to a row.
pub(super) fn put(all: &mut Vec<TermCodes>, row: usize, item: &Item) {
    let made = item.provenance.as_deref().map(|made| &made.terms);
    for column in all.iter_mut() {
        let term = made.and_then(|terms| terms.get(&column.vocabulary));
        column.set(row, term.map(String::as_str));
    }
    for (slot, term) in made.into_iter().flatten() {
        let is_known = slot == STYLE || all.iter().any(|column| column.vocabulary == *slot);
        if is_known || all.len() == MOST_VOCABULARIES || term.is_empty() {
            continue;
        }
        let mut column = TermCodes {
            vocabulary: slot.clone(),
            names: vec![String::new()],
            codes: Vec::new(),
        };
        column.set(row, Some(term));
        all.push(column);
    }
}
