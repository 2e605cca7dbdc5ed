//! What scoring needs to know of questions, as columns: a row an item, in the order of the project or of the files.

use serde::{Deserialize, Serialize};

use crate::extract::Extractor;
use benchtop_model::{Error, Field, Form, Item, QuestionKind, Result, Role, Side};

/// The named properties a board has columns by, in stored order.
pub const NAMED: [Field; 5] = [
    Field::Dataset,
    Field::Subtask,
    Field::Level,
    Field::Style,
    Field::Variant,
];

/// The gold of a question that no rule here can grade.
pub const UNGRADED: u8 = u8::MAX;

/// A column of hashes in which nothing stands is not kept; 0 stands for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hashes {
    values: Vec<u64>,
}

impl Hashes {
    /// The hash in a row; 0 for none.
    pub fn get(&self, row: usize) -> u64 {
        self.values.get(row).copied().unwrap_or(0)
    }

    /// Whether any row has one.
    pub fn any(&self) -> bool {
        !self.values.is_empty()
    }

    /// The column itself: empty when nothing stands in it, else as long as its last hash needs.
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

/// Questions by row. Rows of one image, image pair or rotation set have equal hashes, which hold the data set too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuestionTable {
    /// Names by code of each property of [`NAMED`]; code 0 is "has none".
    pub names: [Vec<String>; NAMED.len()],
    /// Codes by row.
    pub codes: [Vec<u16>; NAMED.len()],
    /// Position in [`QuestionKind::ALL`].
    pub kind: Vec<u8>,
    /// What a right answer is read as: an option's index; 0 for yes and 1 for no; [`UNGRADED`] where nothing is right.
    pub gold: Vec<u8>,
    /// The option that says "I cannot tell" (MM-SAP); [`UNGRADED`] without one.
    pub refusal: Vec<u8>,
    /// 0 outside image pairs, else 1 + [`Side`].
    pub side: Vec<u8>,
    /// Position in the list of the rules that papers read answers with.
    pub rule: Vec<u8>,
    /// Position in its rotation set, from 1; 0 outside one.
    pub turn: Vec<u16>,
    /// Options that it has, which is in how many rotations they can be shown.
    pub options: Vec<u8>,
    /// Share of right answers that a blind guess gets; NaN where there is none.
    pub chance: Vec<f64>,
    /// Its first image.
    pub image: Hashes,
    /// Its image pair.
    pub pair: Hashes,
    /// Its text within its image pair: the two questions of a pair have one.
    pub text: Hashes,
    /// Its rotation set.
    pub set: Hashes,
    /// Its id.
    pub id: Vec<u64>,
    /// The id of the item that it is a variant of.
    pub of: Hashes,
    /// Whether a variant was really changed: 1 it was, 2 it was not, 0 nobody recorded it.
    pub modified: Vec<u8>,
}

/// Where an item belongs, as a hash; 0 where it belongs nowhere.
fn hash(parts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first).max(1)
}

/// What a row holds, before it is put in its place.
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
            values: [
                dataset.to_string(),
                item.subtask.clone().unwrap_or_default(),
                item.level.clone().unwrap_or_default(),
                item.style.clone().unwrap_or_default(),
                item.variant
                    .as_ref()
                    .map(|v| v.name.clone())
                    .unwrap_or_default(),
            ],
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

/// The rules that papers read answers with, in stored order.
const RULES: [Extractor; 4] = [
    Extractor::Strict,
    Extractor::MvpYesNo,
    Extractor::MvpCircular,
    Extractor::MvpMcq,
];

/// The rule that the paper of an item reads answers with: MVP-Bench's for its own, else `strict`.
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
    /// Rows.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    /// Adds an item's row.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] when a property would have more than 65,535 values; no row is added then.
    pub fn push(&mut self, item: &Item) -> Result<()> {
        self.put(self.len(), item)
    }

    /// Puts an item in a row: in the place of its earlier text, or after the last one.
    ///
    /// # Errors
    /// As [`push`](Self::push).
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
        place(&mut self.turn, at, row.turn);
        place(&mut self.options, at, row.options);
        place(&mut self.chance, at, row.chance);
        place(&mut self.id, at, row.id);
        place(&mut self.modified, at, row.modified);
        let columns = [
            &mut self.image,
            &mut self.pair,
            &mut self.text,
            &mut self.set,
            &mut self.of,
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
        // The last names are those of the rows before: sources come in blocks.
        if let Some(at) = names.iter().rposition(|n| *n == value) {
            return Ok(at as u16);
        }
        let code = u16::try_from(names.len()).map_err(|_| {
            let field = NAMED[property].name();
            Error::input(format!("more than 65,535 different values of {field}")).field(field)
        })?;
        names.push(value);
        Ok(code)
    }

    /// The name of a property in a row; empty for none.
    pub fn name(&self, property: Field, row: usize) -> &str {
        let at = NAMED.iter().position(|f| *f == property).unwrap_or(0);
        let code = self.codes[at].get(row).copied().unwrap_or(0);
        self.names[at]
            .get(usize::from(code))
            .map_or("", String::as_str)
    }

    /// How a row is answered.
    pub fn kind(&self, row: usize) -> QuestionKind {
        let code = self.kind.get(row).copied().unwrap_or(0);
        QuestionKind::ALL
            .get(usize::from(code))
            .copied()
            .unwrap_or(QuestionKind::FreeForm)
    }

    /// The rule that a row's paper reads answers with.
    pub fn rule(&self, row: usize) -> Extractor {
        RULES
            .get(usize::from(self.rule.get(row).copied().unwrap_or(0)))
            .copied()
            .unwrap_or(Extractor::Strict)
    }

    /// Its side of an image pair.
    pub fn side(&self, row: usize) -> Option<Side> {
        match self.side.get(row)? {
            1 => Some(Side::Natural),
            2 => Some(Side::Manipulated),
            3 => Some(Side::Cross),
            _ => None,
        }
    }

    /// Whether a rule can grade answers to it.
    pub fn graded(&self, row: usize) -> bool {
        self.gold.get(row).is_some_and(|gold| *gold != UNGRADED)
    }

    /// Whether a mark is the right answer to the question in a row.
    pub fn right(&self, row: usize, mark: ParsedAnswer) -> bool {
        let gold = self.gold.get(row).copied().unwrap_or(UNGRADED);
        gold != UNGRADED
            && (mark.chosen() == Some(gold) || mark.declines() && self.refusal[row] == gold)
    }

    /// Whether some question has an option that declines, so that declining in words can be right too.
    pub fn may_decline(&self) -> bool {
        self.refusal.iter().any(|refusal| *refusal != UNGRADED)
    }

    /// The data set and rule of a row: a model that answers none of them is not scored there.
    pub fn scope(&self, row: usize) -> u32 {
        u32::from(self.codes[0].get(row).copied().unwrap_or(0)) << 8
            | u32::from(self.rule.get(row).copied().unwrap_or(0))
    }
}

/// What a model's answer to a question was read as, in one byte: absent, unparsed, refused, declined, or an option's index (0 for yes and 1 for
/// no). Whether it is right follows from the question's gold alone, so that an edited key needs no answer read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParsedAnswer(pub u8);

impl ParsedAnswer {
    /// No answer.
    pub const ABSENT: ParsedAnswer = ParsedAnswer(0);
    /// An answer that the rule cannot read.
    pub const UNPARSED: ParsedAnswer = ParsedAnswer(1);
    /// The model would not answer: it declines in words.
    pub const REFUSED: ParsedAnswer = ParsedAnswer(2);
    /// It chose the option that declines to answer, which its rule reads as declining.
    pub const DECLINED: ParsedAnswer = ParsedAnswer(253);

    /// The option of this index was chosen.
    pub fn option(index: usize) -> ParsedAnswer {
        u8::try_from(index)
            .ok()
            .filter(|i| *i < 250)
            .map_or(ParsedAnswer::UNPARSED, |i| ParsedAnswer(i + 3))
    }

    /// The option that was chosen; none where it is only known that the chosen one declines.
    pub fn chosen(self) -> Option<u8> {
        self.0.checked_sub(3).filter(|at| *at < 250)
    }

    /// Whether it declines to answer, in words or by the option that does.
    pub fn declines(self) -> bool {
        matches!(self, ParsedAnswer::REFUSED | ParsedAnswer::DECLINED)
    }
}
