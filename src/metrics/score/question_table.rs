//! Questions as columns for scoring: one row per item, in project or file order.

use std::collections::BTreeSet;

pub use super::parsed_answer::ParsedAnswer;
use super::term_codes::{self, TermCodes};
use crate::extract::Extractor;
use benchtop_model::hash::{first_bytes, of_texts};
use benchtop_model::{Error, Field, Form, Item, QuestionKind, Result, Role, Side};

/// The properties that get board columns, in stored order.
pub const NAMED: [Field; 5] = [
    Field::Dataset,
    Field::Subtask,
    Field::Level,
    Field::Style,
    Field::Variant,
];

/// The `gold` value of a question that no rule can grade.
pub const UNGRADED: u8 = u8::MAX;

/// A value that no answer is parsed as: the expected answer of a question that no rule grades.
pub(super) const NEVER: ParsedAnswer = ParsedAnswer(u8::MAX);

/// A column of hashes, where 0 means "none". A column without any hash takes no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hashes {
    values: Vec<u64>,
}

impl Hashes {
    /// The hash in a row; 0 for none.
    pub fn get(&self, row: usize) -> u64 {
        self.values.get(row).copied().unwrap_or(0)
    }

    /// Whether any row has a hash.
    pub fn any(&self) -> bool {
        !self.values.is_empty()
    }

    /// The raw column: empty if no row has a hash, otherwise as long as the last hash needs.
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    fn set(&mut self, row: usize, value: u64) {
        if value != 0 && self.values.len() <= row {
            self.values.resize(row + 1, 0);
        }
        if let Some(place) = self.values.get_mut(row) {
            *place = value;
        }
    }
}

impl From<Vec<u64>> for Hashes {
    fn from(values: Vec<u64>) -> Hashes {
        Hashes { values }
    }
}

/// Questions by row. Rows of one image, image pair, or rotation set have equal hashes. The hashes
/// include the data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuestionTable {
    /// Names by code, for each property of [`NAMED`]. Code 0 means "none".
    pub names: [Vec<String>; NAMED.len()],
    /// Codes by row, for each property of [`NAMED`].
    pub codes: [Vec<u16>; NAMED.len()],
    /// Position in [`QuestionKind::ALL`].
    pub kind: Vec<u8>,
    /// The right answer: an option's index, or 0 for yes and 1 for no. [`UNGRADED`] if nothing is
    /// right.
    pub gold: Vec<u8>,
    /// The refusal option ("I cannot tell", MM-SAP); [`UNGRADED`] if there is none.
    pub refusal: Vec<u8>,
    /// 0 outside image pairs, else 1 + [`Side`].
    pub side: Vec<u8>,
    /// Position in `RULES`, the extraction rules of the papers.
    pub rule: Vec<u8>,
    /// Position in the rotation set, from 1; 0 outside one.
    pub rotation: Vec<u16>,
    /// Number of options, which is also the number of rotations.
    pub options: Vec<u8>,
    /// Share of right answers that a blind guess gets; NaN if undefined.
    pub chance: Vec<f64>,
    /// Hash of the first image.
    pub image: Hashes,
    /// Hash of the image pair.
    pub pair: Hashes,
    /// Hash of the text within the image pair. The two questions of a question pair share it.
    pub text: Hashes,
    /// Hash of the rotation set.
    pub rotation_set: Hashes,
    /// Hash of the id.
    pub id: Vec<u64>,
    /// Hash of the id of the original, for a variant.
    pub original: Hashes,
    /// Whether a variant was really changed: 1 yes, 2 no, 0 not recorded.
    pub modified: Vec<u8>,
    /// The models that adversarial pictures were computed against, with the variants of these
    /// pictures.
    pub proxies: BTreeSet<(String, String)>,
    /// The vocabulary terms of composed questions.
    pub terms: Vec<TermCodes>,
}

/// Hash of the parts; 0 if the last part is empty.
fn hash(parts: &[&str]) -> u64 {
    first_bytes(&of_texts(parts.iter().copied())).max(1)
}

/// The index of an option as a code; [`UNGRADED`] for none.
fn index(at: Option<usize>) -> u8 {
    at.and_then(|at| u8::try_from(at).ok())
        .filter(|at| *at < 250)
        .unwrap_or(UNGRADED)
}

fn gold(item: &Item) -> u8 {
    match item.kind {
        QuestionKind::YesNo if item.answer.eq_ignore_ascii_case("yes") => 0,
        QuestionKind::YesNo if item.answer.eq_ignore_ascii_case("no") => 1,
        QuestionKind::YesNo | QuestionKind::FreeForm => UNGRADED,
        _ => index(item.gold()),
    }
}

/// Extraction rules of the papers, in stored order.
const RULES: [Extractor; 4] = [
    Extractor::Strict,
    Extractor::MvpYesNo,
    Extractor::MvpCircular,
    Extractor::MvpMcq,
];

/// The extraction rule of the item's paper: MVP-Bench's rule for MVP-Bench items, else `strict`.
pub fn rule_of(item: &Item) -> Extractor {
    let is_mvp = item.pair.is_some() || matches!(item.form, Form::Mvp | Form::MvpCircular);
    match (item.kind, &item.rotation) {
        _ if !is_mvp => Extractor::Strict,
        (QuestionKind::YesNo, _) => Extractor::MvpYesNo,
        (_, Some(_)) => Extractor::MvpCircular,
        (_, None) => Extractor::MvpMcq,
    }
}

impl QuestionTable {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    /// Adds a row for an item.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] if a property would get more than 65,535 values. No row
    /// is added then.
    pub fn push(&mut self, item: &Item) -> Result<()> {
        self.put(self.len(), item)
    }

    /// Writes an item to a row: replaces an earlier revision, or appends.
    ///
    /// # Errors
    /// See [`push`](Self::push).
    pub fn put(&mut self, at: usize, item: &Item) -> Result<()> {
        let mut codes = [0; NAMED.len()];
        for (property, field) in NAMED.into_iter().enumerate() {
            codes[property] = self.code(property, field.of(item).to_string())?;
        }
        fn place<T: Copy>(column: &mut Vec<T>, at: usize, value: T) {
            match column.get_mut(at) {
                Some(place) => *place = value,
                None => column.push(value),
            }
        }
        self.codes
            .iter_mut()
            .zip(codes)
            .for_each(|(column, code)| place(column, at, code));
        term_codes::put(&mut self.terms, at, item);
        let refusal = item.options.iter().position(|o| o.role == Role::Refusal);
        let rule = RULES.iter().position(|rule| *rule == rule_of(item));
        let (pair, turn) = (item.pair.as_ref(), item.rotation.as_ref());
        let options = u8::try_from(item.options.len());
        let modified = item.variant.as_ref().and_then(|v| v.modified);
        place(&mut self.kind, at, item.kind as u8);
        place(&mut self.gold, at, gold(item));
        place(&mut self.refusal, at, index(refusal));
        place(&mut self.side, at, pair.map_or(0, |p| 1 + p.side as u8));
        place(&mut self.rule, at, rule.unwrap_or(0) as u8);
        let number = turn.map_or(0, |turn| u16::try_from(turn.index).unwrap_or(u16::MAX));
        place(&mut self.rotation, at, number);
        place(&mut self.options, at, options.unwrap_or(u8::MAX));
        place(&mut self.chance, at, item.chance().unwrap_or(f64::NAN));
        place(&mut self.id, at, hash(&[&item.id]));
        place(
            &mut self.modified,
            at,
            modified.map_or(0, |is| 2 - u8::from(is)),
        );
        let pair = pair.map(|pair| pair.id.to_string());
        let text = item.instruction.as_ref().unwrap_or(&item.question);
        let image = item.images.first();
        let image = image.map(|image| image.hash.as_deref().unwrap_or(&image.name));
        let of = |name: Option<&str>| name.map_or(0, |name| hash(&[&item.dataset, name]));
        self.image.set(at, of(image));
        self.pair.set(at, of(pair.as_deref()));
        let text = pair.map_or(0, |pair| hash(&[&item.dataset, &pair, text]));
        self.text.set(at, text);
        self.rotation_set
            .set(at, of(turn.map(|turn| turn.set.as_str())));
        if let Some(proxy) = item.derivation.as_ref().and_then(|d| d.proxy()) {
            let variant = item.variant.as_ref().map_or("", |v| &v.name);
            self.proxies.insert((proxy.into(), variant.into()));
        }
        let original = item.variant.as_ref().and_then(|v| v.of.as_ref());
        self.original.set(at, original.map_or(0, |of| hash(&[of])));
        Ok(())
    }

    fn code(&mut self, property: usize, value: String) -> Result<u16> {
        let names = &mut self.names[property];
        if names.is_empty() {
            names.push(String::new());
        }
        // Sources come in blocks, so search from the most recent name.
        if let Some(at) = names.iter().rposition(|n| *n == value) {
            return Ok(at as u16);
        }
        let code = u16::try_from(names.len()).map_err(|_| {
            let field = NAMED[property].name();
            Error::input(format!("`{field}` has more than 65,535 different values")).field(field)
        })?;
        names.push(value);
        Ok(code)
    }

    /// The value of a property in a row; empty if it has none.
    pub fn name(&self, property: Field, row: usize) -> &str {
        let at = NAMED.iter().position(|f| *f == property).unwrap_or(0);
        let code = self.codes[at].get(row).copied().unwrap_or(0);
        self.names[at]
            .get(usize::from(code))
            .map_or("", String::as_str)
    }

    /// The question type of a row.
    pub fn kind(&self, row: usize) -> QuestionKind {
        let code = usize::from(self.kind.get(row).copied().unwrap_or(0));
        let kind = QuestionKind::ALL.get(code).copied();
        kind.unwrap_or(QuestionKind::FreeForm)
    }

    /// The extraction rule of a row's paper.
    pub fn rule(&self, row: usize) -> Extractor {
        RULES
            .get(usize::from(self.rule.get(row).copied().unwrap_or(0)))
            .copied()
            .unwrap_or(Extractor::Strict)
    }

    /// The row's side of its image pair.
    pub fn side(&self, row: usize) -> Option<Side> {
        let code = self.side.get(row)?.checked_sub(1)?;
        Side::ALL.get(usize::from(code)).copied()
    }

    /// Whether a rule can grade answers to this question.
    pub fn graded(&self, row: usize) -> bool {
        self.gold.get(row).is_some_and(|gold| *gold != UNGRADED)
    }

    /// The right answer to the question in a row; [`NEVER`] if no rule can grade it.
    pub(super) fn wanted(&self, row: usize) -> ParsedAnswer {
        match self.graded(row) {
            true => ParsedAnswer::option(usize::from(self.gold[row])),
            false => NEVER,
        }
    }

    /// Whether an answer to the question in this row is right.
    pub fn right(&self, row: usize, mark: ParsedAnswer) -> bool {
        let gold = self.gold.get(row).copied().unwrap_or(UNGRADED);
        gold != UNGRADED
            && (mark.chosen() == Some(gold) || mark.declines() && self.refusal[row] == gold)
    }

    /// Whether any question has a refusal option, so that a free-text refusal can be right too.
    pub fn may_decline(&self) -> bool {
        self.refusal.iter().any(|refusal| *refusal != UNGRADED)
    }

    /// The data set and extraction rule of a row as one number. A model is scored only in scopes in
    /// which it has answers.
    pub fn scope(&self, row: usize) -> u32 {
        u32::from(self.codes[0].get(row).copied().unwrap_or(0)) << 8
            | u32::from(self.rule.get(row).copied().unwrap_or(0))
    }
}
