//! Questions as columns for scoring: one row per item, in project or file order.

pub use super::parsed_answer::ParsedAnswer;
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
}

/// Hash of the parts; 0 if the last part is empty.
fn hash(parts: &[&str]) -> u64 {
    first_bytes(&of_texts(parts.iter().copied())).max(1)
}

/// One row before it is written to the columns.
struct Row {
    values: [String; NAMED.len()],
    kind: u8,
    gold: u8,
    refusal: u8,
    side: u8,
    rule: u8,
    turn: u16,
    options: u8,
    chance: f64,
    hashes: [u64; 5],
    id: u64,
    modified: u8,
}

impl Row {
    fn of(item: &Item) -> Row {
        let index = |at: Option<usize>| {
            at.and_then(|at| u8::try_from(at).ok())
                .filter(|at| *at < 250)
                .unwrap_or(UNGRADED)
        };
        let refusal = item.options.iter().position(|o| o.role == Role::Refusal);
        let gold = match item.kind {
            QuestionKind::YesNo if item.answer.eq_ignore_ascii_case("yes") => 0,
            QuestionKind::YesNo if item.answer.eq_ignore_ascii_case("no") => 1,
            QuestionKind::YesNo | QuestionKind::FreeForm => UNGRADED,
            _ => index(item.gold()),
        };
        let dataset = item.dataset.as_str();
        let pair = item.pair.as_ref().map(|p| p.id.to_string());
        let text = item.instruction.as_ref().unwrap_or(&item.question);
        let image = item
            .images
            .first()
            .map(|i| i.hash.as_deref().unwrap_or(&i.name));
        let set = item.rotation.as_ref().map(|r| r.set.as_str());
        Row {
            values: NAMED.map(|field| field.of(item).to_string()),
            kind: QuestionKind::ALL
                .iter()
                .position(|k| *k == item.kind)
                .unwrap_or(0) as u8,
            gold,
            refusal: index(refusal),
            side: item.pair.as_ref().map_or(0, |p| 1 + side_code(p.side)),
            rule: code_of(rule_of(item)),
            turn: item
                .rotation
                .as_ref()
                .map_or(0, |r| u16::try_from(r.index).unwrap_or(u16::MAX)),
            options: u8::try_from(item.options.len()).unwrap_or(u8::MAX),
            chance: item.chance().unwrap_or(f64::NAN),
            hashes: [
                image.map_or(0, |image| hash(&[dataset, image])),
                pair.as_ref().map_or(0, |pair| hash(&[dataset, pair])),
                pair.as_ref().map_or(0, |pair| hash(&[dataset, pair, text])),
                set.map_or(0, |set| hash(&[dataset, set])),
                item.variant
                    .as_ref()
                    .and_then(|v| v.of.as_ref())
                    .map_or(0, |of| hash(&[of])),
            ],
            id: hash(&[&item.id]),
            modified: item
                .variant
                .as_ref()
                .and_then(|v| v.modified)
                .map_or(0, |is| if is { 1 } else { 2 }),
        }
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

fn code_of(rule: Extractor) -> u8 {
    RULES.iter().position(|r| *r == rule).unwrap_or(0) as u8
}

fn side_code(side: Side) -> u8 {
    match side {
        Side::Natural => 0,
        Side::Manipulated => 1,
        Side::Cross => 2,
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
        let row = Row::of(item);
        let mut codes = [0; NAMED.len()];
        for (property, value) in row.values.into_iter().enumerate() {
            codes[property] = self.code(property, value)?;
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
        place(&mut self.kind, at, row.kind);
        place(&mut self.gold, at, row.gold);
        place(&mut self.refusal, at, row.refusal);
        place(&mut self.side, at, row.side);
        place(&mut self.rule, at, row.rule);
        place(&mut self.rotation, at, row.turn);
        place(&mut self.options, at, row.options);
        place(&mut self.chance, at, row.chance);
        place(&mut self.id, at, row.id);
        place(&mut self.modified, at, row.modified);
        let columns = [
            &mut self.image,
            &mut self.pair,
            &mut self.text,
            &mut self.rotation_set,
            &mut self.original,
        ];
        columns
            .into_iter()
            .zip(row.hashes)
            .for_each(|(column, hash)| column.set(at, hash));
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
        let code = self.kind.get(row).copied().unwrap_or(0);
        QuestionKind::ALL
            .get(usize::from(code))
            .copied()
            .unwrap_or(QuestionKind::FreeForm)
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
        match self.side.get(row)? {
            1 => Some(Side::Natural),
            2 => Some(Side::Manipulated),
            3 => Some(Side::Cross),
            _ => None,
        }
    }

    /// Whether a rule can grade answers to this question.
    pub fn graded(&self, row: usize) -> bool {
        self.gold.get(row).is_some_and(|gold| *gold != UNGRADED)
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
