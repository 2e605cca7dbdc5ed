//! Questions, answers, and the counting of units: what [`super::mvp`] and [`super::accuracy`] have in common.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::consensus;
use super::extract::Extractor;
use crate::model::board::{Behind, Board, Cell, Column, Counts, Row};
use crate::model::{Item, Key, Kind, Problem, QuestionKind, Result, Side};

/// What scoring needs to know of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Id of the item.
    pub item: String,
    /// Its data set.
    pub dataset: String,
    /// Its id in the source, which answers refer to.
    pub key: Key,
    /// The text of the data set (the instruction, else the question).
    pub text: String,
    /// Name of its first image; empty without one.
    pub image: String,
    /// How it is answered.
    pub kind: QuestionKind,
    /// What a right answer is read as: `yes`, `no` or a letter.
    pub gold: String,
    /// Id of its image pair, where it has one.
    pub pair: Option<Key>,
    /// Its side of that pair.
    pub side: Option<Side>,
    /// Its level.
    pub level: Option<String>,
    /// Its subtask or category.
    pub subtask: Option<String>,
    /// Its rotation set and position, where it has one.
    pub rotation: Option<(String, u32)>,
}

impl Question {
    /// The question of an item; `None` for one that no rule here can grade (free-form, or without options).
    pub fn of(item: &Item) -> Option<Question> {
        let gold = match item.kind {
            QuestionKind::YesNo => item.answer.to_lowercase(),
            QuestionKind::FreeForm => return None,
            _ => Item::letter(item.correct()?),
        };
        Some(Question {
            item: item.id.clone(),
            dataset: item.dataset.clone(),
            key: item.key.clone(),
            text: item.instruction.as_ref().unwrap_or(&item.question).clone(),
            image: item.images.first().map(|i| i.name.clone()).unwrap_or_default(),
            kind: item.kind,
            gold,
            pair: item.pair.as_ref().map(|p| p.id.clone()),
            side: item.pair.as_ref().map(|p| p.side),
            level: item.level.clone(),
            subtask: item.subtask.clone(),
            rotation: item.rotation.as_ref().map(|r| (r.set.clone(), r.index)),
        })
    }

    /// The rule that reads answers to it.
    pub fn extractor(&self) -> Extractor {
        match (self.kind, &self.rotation) {
            (QuestionKind::YesNo, _) => Extractor::MvpYesNo,
            (_, Some(_)) => Extractor::MvpCircular,
            (_, None) => Extractor::MvpMcq,
        }
    }
}

/// What a unit is, which also names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// One answer.
    Answer,
    /// The answers to one question text over an image pair.
    QuestionPair,
    /// The answers about one image.
    Image,
    /// The answers about an image pair.
    ImagePair,
    /// The rotations of one question.
    Rotations,
}

impl Unit {
    fn name(self, question: &Question) -> String {
        let pair = question.pair.as_ref().map(Key::to_string).unwrap_or_default();
        match self {
            Unit::Answer => format!("question {}", question.key),
            Unit::QuestionPair => format!("pair {pair}: {}", question.text.lines().next().unwrap_or_default()),
            Unit::Image => format!("image {}", question.image),
            Unit::ImagePair => format!("pair {pair}"),
            Unit::Rotations => {
                format!("rotations {}", question.rotation.as_ref().map(|r| r.0.as_str()).unwrap_or_default())
            }
        }
    }
}

/// One column of a board with its units: groups of questions that must all be answered right.
#[derive(Clone, Debug)]
pub struct Measure {
    /// How it is called and shown.
    pub column: Column,
    unit: Unit,
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Measure {
    /// A measure without units yet.
    pub fn new(name: impl Into<String>, group: &str, help: &str, unit: Unit) -> Measure {
        let column = Column { name: name.into(), group: group.to_string(), help: help.to_string() };
        Measure { column, unit, members: Vec::new(), ends: Vec::new() }
    }

    /// Adds a unit of questions, by their position in the set.
    pub fn push(&mut self, members: impl IntoIterator<Item = u32>) {
        self.members.extend(members);
        self.ends.push(u32::try_from(self.members.len()).unwrap_or(u32::MAX));
    }

    /// Whether it has no units.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The units, each the positions of its questions.
    pub fn units(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.members[start as usize..*end as usize])
    }
}

/// One answer of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The question's id in its source.
    pub key: Key,
    /// The raw output.
    pub output: String,
    /// The stored word of a judge.
    pub judge: Option<String>,
}

/// How one answer did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Absent,
    Wrong,
    Right,
}

/// A model's answers, graded against a [`Sheet`].
#[derive(Clone, Debug)]
pub struct Graded {
    /// The model.
    pub model: String,
    /// What was odd.
    pub counts: Counts,
    marks: Vec<Mark>,
    /// For each question the position of its answer in `answers`, or `u32::MAX`.
    at: Vec<u32>,
    answers: Vec<Answer>,
    /// Which (data set, rule) the model has answers for; elsewhere it is not scored.
    scopes: HashSet<u32>,
    /// For each question whether its answer came from an evaluated file.
    evaluated: Vec<bool>,
    /// Keys outside the set, and whether an evaluated file had them.
    extra: HashMap<(u32, Key), bool>,
}

/// What became of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is the answer that counts.
    Used,
    /// Its question is not in the set.
    Extra,
    /// Its question has an answer already.
    Duplicate,
    /// Its question has an answer from an evaluated file, which goes before a plain one; this is no oddity.
    Superseded,
}

/// A set of questions with its measures.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    questions: Vec<Question>,
    /// The scope of each question: data set and rule.
    scopes: Vec<u32>,
    datasets: Vec<String>,
    lookup: Vec<HashMap<Key, u32>>,
    measures: Vec<Measure>,
    /// Questions dropped because their data set had one of that key already.
    doubled: u64,
}

impl Sheet {
    /// A sheet of these questions. Of several with one key in one data set the first is kept.
    pub fn new(given: impl IntoIterator<Item = Question>) -> Sheet {
        let mut sheet = Sheet::default();
        for question in given {
            let dataset = match sheet.datasets.iter().position(|d| *d == question.dataset) {
                Some(found) => found,
                None => {
                    sheet.datasets.push(question.dataset.clone());
                    sheet.lookup.push(HashMap::new());
                    sheet.datasets.len() - 1
                }
            };
            let at = u32::try_from(sheet.questions.len()).unwrap_or(u32::MAX);
            if sheet.lookup[dataset].contains_key(&question.key) {
                sheet.doubled += 1;
                continue;
            }
            sheet.lookup[dataset].insert(question.key.clone(), at);
            sheet.scopes.push(u32::try_from(dataset).unwrap_or(u32::MAX) * 3 + question.extractor() as u32);
            sheet.questions.push(question);
        }
        sheet.measures = super::mvp::measures(&sheet.questions);
        sheet.measures.extend(super::accuracy::measures(&sheet.questions));
        sheet
    }

    /// The questions, first ones of their key.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// How many questions were dropped because their key was taken.
    pub fn doubled(&self) -> u64 {
        self.doubled
    }

    /// The question with that key in a data set (by position, see [`dataset_for`](Self::dataset_for)).
    pub fn question(&self, dataset: usize, key: &Key) -> Option<&Question> {
        self.lookup.get(dataset)?.get(key).map(|at| &self.questions[*at as usize])
    }

    /// Which data set a file's keys belong to: the one named, else the one with most of them; of equals the one they cover most
    /// of. `None` when no data set has any.
    pub fn dataset_for<'a>(&self, named: Option<&str>, keys: impl Iterator<Item = &'a Key> + Clone) -> Option<usize> {
        if let Some(named) = named {
            return self.datasets.iter().position(|d| d == named);
        }
        let hits = |set: &HashMap<Key, u32>| keys.clone().filter(|k| set.contains_key(*k)).count();
        let counted = self.lookup.iter().enumerate().map(|(i, set)| (hits(set), std::cmp::Reverse(set.len()), i));
        let best =
            counted.filter(|(hits, ..)| *hits > 0).max_by_key(|(hits, size, i)| (*hits, *size, std::cmp::Reverse(*i)));
        best.map(|(.., i)| i)
    }

    /// A model without answers yet.
    pub fn model(&self, name: impl Into<String>) -> Graded {
        Graded {
            model: name.into(),
            counts: Counts::default(),
            marks: vec![Mark::Absent; self.questions.len()],
            at: vec![u32::MAX; self.questions.len()],
            answers: Vec::new(),
            scopes: HashSet::new(),
            evaluated: vec![false; self.questions.len()],
            extra: HashMap::new(),
        }
    }

    /// Grades one answer to a question of a data set (by position). Of several rows for one question the first counts, so a
    /// model's `evaluated` files must come before its plain ones.
    pub fn grade(&self, model: &mut Graded, dataset: Option<usize>, answer: Answer, evaluated: bool) -> Outcome {
        let again = |before: bool, counts: &mut Counts| {
            if before && !evaluated {
                return Outcome::Superseded;
            }
            counts.duplicate += 1;
            Outcome::Duplicate
        };
        let known = dataset.and_then(|d| self.lookup.get(d)).and_then(|set| set.get(&answer.key)).copied();
        let Some(question) = known else {
            let scope = dataset.and_then(|d| u32::try_from(d).ok()).unwrap_or(u32::MAX);
            return match model.extra.entry((scope, answer.key)) {
                Entry::Occupied(before) => again(*before.get(), &mut model.counts),
                Entry::Vacant(place) => {
                    place.insert(evaluated);
                    model.counts.extra += 1;
                    Outcome::Extra
                }
            };
        };
        let at = question as usize;
        if model.marks[at] != Mark::Absent {
            return again(model.evaluated[at], &mut model.counts);
        }
        let asked = &self.questions[at];
        let read = asked.extractor().extract(&answer.output, answer.judge.as_deref());
        model.counts.used += 1;
        model.counts.unparsed += u64::from(read.is_none());
        model.marks[at] = if read.as_deref() == Some(asked.gold.as_str()) { Mark::Right } else { Mark::Wrong };
        model.at[at] = u32::try_from(model.answers.len()).unwrap_or(u32::MAX);
        model.answers.push(answer);
        model.evaluated[at] = evaluated;
        model.scopes.insert(self.scopes[at]);
        Outcome::Used
    }

    /// What a model made of the question at this place.
    pub fn outcome(&self, model: &Graded, at: usize) -> consensus::Outcome {
        use consensus::Outcome;
        let (Some(mark), Some(question)) = (model.marks.get(at), self.questions.get(at)) else {
            return Outcome::Missing;
        };
        let unread = || {
            let answer = model.at.get(at).and_then(|at| model.answers.get(*at as usize));
            answer.is_none_or(|a| question.extractor().extract(&a.output, a.judge.as_deref()).is_none())
        };
        match mark {
            Mark::Absent => Outcome::Missing,
            Mark::Right => Outcome::Right,
            Mark::Wrong if unread() => Outcome::Unparsed,
            Mark::Wrong => Outcome::Wrong,
        }
    }

    /// The board of these models, by name. Questions without an answer count as wrong in every data set and question type that
    /// the model answers at all; elsewhere it has no cell.
    pub fn board(&self, models: &[Graded]) -> Board {
        let row = |model: &Graded| {
            let missing = |at: &usize| model.marks[*at] == Mark::Absent && model.scopes.contains(&self.scopes[*at]);
            let missing = (0..self.questions.len()).filter(missing).count() as u64;
            Row {
                model: model.model.clone(),
                cells: self.measures.iter().map(|m| self.cell(model, m)).collect(),
                counts: Counts { missing, ..model.counts },
            }
        };
        let mut rows: Vec<Row> = models.iter().map(row).collect();
        rows.sort_by(|a, b| a.model.cmp(&b.model));
        Board { columns: self.measures.iter().map(|m| m.column.clone()).collect(), rows, notes: Vec::new() }
    }

    fn scored(&self, model: &Graded, unit: &[u32]) -> bool {
        unit.first().is_some_and(|at| model.scopes.contains(&self.scopes[*at as usize]))
    }

    fn right(model: &Graded, unit: &[u32]) -> bool {
        unit.iter().all(|at| model.marks[*at as usize] == Mark::Right)
    }

    fn cell(&self, model: &Graded, measure: &Measure) -> Option<Cell> {
        let mut cell = Cell { k: 0, n: 0 };
        for unit in measure.units().filter(|u| self.scored(model, u)) {
            cell.n += 1;
            cell.k += u64::from(Self::right(model, unit));
        }
        (cell.n > 0).then_some(cell)
    }

    /// The answers behind a cell, unit by unit in the order of the data set.
    ///
    /// # Errors
    /// [`Kind::NotFound`] when there is no column of that name.
    pub fn behind(&self, model: &Graded, column: &str) -> Result<Vec<Behind>> {
        let measure = self.measures.iter().find(|m| m.column.name == column).ok_or_else(|| {
            let names: Vec<&str> = self.measures.iter().map(|m| m.column.name.as_str()).collect();
            Problem::new(Kind::NotFound, format!("no column `{column}`"))
                .help(format!("there are: {}", names.join(", ")))
        })?;
        let mut found = Vec::new();
        for unit in measure.units().filter(|u| self.scored(model, u)) {
            let unit_right = Self::right(model, unit);
            let name = unit.first().map(|at| measure.unit.name(&self.questions[*at as usize])).unwrap_or_default();
            for at in unit {
                let question = &self.questions[*at as usize];
                let answer = model.answers.get(model.at[*at as usize] as usize);
                let rule = question.extractor();
                found.push(Behind {
                    unit: name.clone(),
                    unit_right,
                    key: question.key.to_string(),
                    item: question.item.clone(),
                    question: question.text.clone(),
                    gold: question.gold.clone(),
                    output: answer.map(|a| a.output.clone()),
                    extracted: answer.and_then(|a| rule.extract(&a.output, a.judge.as_deref())),
                    trace: answer.map_or("no answer; counts as wrong".to_string(), |a| {
                        rule.explain(&a.output, a.judge.as_deref())
                    }),
                    right: model.marks[*at as usize] == Mark::Right,
                });
            }
        }
        Ok(found)
    }
}
