//! Boards of questions and answers in memory.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::board_data::{BoardData, Texts};
use super::cache::Places;
use super::dataset_resolver::{Assignment, DatasetResolver, Origin, Tally};
use super::diagnostics::{BoardNotes, FileOutcomes, count};
use super::rows::as_asked;
use benchtop_formats as formats;
use benchtop_metrics::extract::Extractor;
use benchtop_metrics::score::question_table::QuestionTable;
use benchtop_metrics::score::{BoardEngine, Grader, Place};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Item, Prediction, Result};
use benchtop_store::columns::id_hash;

/// The rows of one prediction file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// The model; see [`super::model_name`].
    pub model: String,
    /// The file. Notes use its name, with folders if the name is not unique.
    pub source: String,
    /// The data set of its keys, if known; see [`super::dataset_resolver`].
    pub dataset: Option<String>,
    /// Whether it is an evaluated file, which contains judge output and is preferred to a plain
    /// one.
    pub evaluated: bool,
    /// The rows in file order.
    pub rows: Vec<Prediction>,
}

/// Questions and answers in memory.
struct Memory {
    items: Vec<Item>,
    /// By model, in the order of place numbers.
    answers: HashMap<String, Vec<Vec<Prediction>>>,
}

impl Texts for Memory {
    fn items(&self, rows: &[u32]) -> Result<Vec<Item>> {
        Ok(rows
            .iter()
            .filter_map(|row| self.items.get(*row as usize).cloned())
            .collect())
    }

    fn answers(&self, model: &str, places: &[Place]) -> Result<Vec<Option<Prediction>>> {
        let files = self.answers.get(model).map_or(&[][..], Vec::as_slice);
        let of = |place: &Place| {
            files
                .get(usize::from(place.file))?
                .get(place.row as usize)
                .cloned()
        };
        Ok(places.iter().map(of).collect())
    }
}

/// Questions in order of arrival, each id once, with their data sets.
#[derive(Default)]
pub(super) struct Questions {
    items: Vec<Item>,
    /// By id hash, as in a project: keys with the same text are one.
    rows: HashMap<u64, u32>,
    resolver: DatasetResolver,
    doubled: u64,
}

impl Questions {
    /// Adds a question from a file with this origin. The first of an id counts.
    pub(super) fn push(&mut self, item: Item, from: &Origin) {
        let hash = id_hash(&format!("{}/{}", item.dataset, item.key));
        match self.rows.entry(hash) {
            std::collections::hash_map::Entry::Occupied(_) => self.doubled += 1,
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(self.items.len() as u32);
                self.resolver.add(&item.dataset, 1, from);
                self.items.push(item);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether there is a question with this id hash.
    pub(super) fn holds(&self, hash: u64) -> bool {
        self.rows.contains_key(&hash)
    }

    pub(super) fn has(&self, dataset: &str) -> bool {
        self.resolver.has(dataset)
    }

    /// The assignment of rows with these keys, in a file with this origin that names no data set.
    pub(super) fn assign<'k>(
        &self,
        keys: impl Iterator<Item = &'k benchtop_model::Key>,
        from: &Path,
    ) -> Assignment {
        let mut tally = Tally::default();
        keys.for_each(|key| {
            self.resolver
                .count(&mut tally, &key.to_string(), &|hash| self.holds(hash))
        });
        self.resolver.assign(&tally, &Origin::of_file(from))
    }
}

/// The board of these answers to these items. `rule` reads all answers; by default each question
/// has its own rule.
///
/// # Errors
///
/// As for [`QuestionTable::push`].
pub fn from_items(
    given: Vec<Item>,
    answers: Vec<Answers>,
    rule: Option<Extractor>,
) -> Result<BoardData> {
    let mut questions = Questions::default();
    given
        .into_iter()
        .for_each(|item| questions.push(item, &Origin::default()));
    from_questions(questions, answers, rule)
}

/// Like [`from_items`], for questions that were added one by one.
///
/// # Errors
///
/// As for [`QuestionTable::push`].
pub(super) fn from_questions(
    questions: Questions,
    mut answers: Vec<Answers>,
    rule: Option<Extractor>,
) -> Result<BoardData> {
    let mut sheet = QuestionTable::default();
    questions
        .items
        .iter()
        .try_for_each(|item| sheet.push(item))?;
    let mut board_notes = BoardNotes::default();
    board_notes.compares("not compared; a project can compare them");
    if questions.doubled > 0 {
        let doubled = questions.doubled;
        board_notes.say(format!(
            "{} appear more than once; the first is used",
            count(doubled, "question")
        ));
    }
    board_notes.files(answers.iter().map(|a| a.source.as_str()));
    sort_by_key(&mut answers, |a| !a.evaluated);
    let mut names: Vec<String> = Vec::new();
    for file in &answers {
        if !names.contains(&file.model) {
            names.push(file.model.clone());
        }
    }
    let (mut models, mut places) = (Vec::new(), BTreeMap::new());
    for model in names {
        let mut grader = Grader::new(&sheet, model.clone(), rule);
        for file in answers.iter().filter(|f| f.model == model) {
            let file_outcomes = grade(&mut grader, file, &questions);
            board_notes.file(&model, &file.source, &file_outcomes);
        }
        let (graded, at) = grader.finish();
        models.push(Arc::new(graded));
        places.insert(model, Places::pack(&at));
    }
    let mut by_model: HashMap<String, Vec<Vec<Prediction>>> = HashMap::new();
    answers
        .into_iter()
        .for_each(|file| by_model.entry(file.model).or_default().push(file.rows));
    let texts = Memory {
        items: questions.items,
        answers: by_model,
    };
    Ok(BoardData::new(
        BoardEngine::new(Arc::new(sheet), models),
        places,
        Box::new(texts),
        board_notes,
        rule,
    ))
}

fn grade(grader: &mut Grader, file: &Answers, questions: &Questions) -> FileOutcomes {
    grader.file(file.evaluated);
    let assignment = match &file.dataset {
        Some(named) => Assignment::one(named),
        None => questions.assign(file.rows.iter().map(|r| &r.key), Path::new(&file.source)),
    };
    let mut file_outcomes = FileOutcomes::new(
        file.dataset
            .as_ref()
            .is_some_and(|named| questions.has(named)),
        assignment.shared.clone(),
    );
    let mut id = String::new();
    for (at, row) in (0u32..).zip(&file.rows) {
        let key = row.key.to_string();
        let place = match assignment.find(&key, &mut id, |hash| questions.rows.get(&hash).copied())
        {
            Ok(place) => place as usize,
            Err(hash) => {
                file_outcomes.count(grader.extra(hash));
                continue;
            }
        };
        let item = &questions.items[place];
        let is_text =
            |said: &str| formats::is_text_of(said, &item.question, item.instruction.as_deref());
        if formats::text_of(row).is_some_and(|said| !is_text(said)) {
            file_outcomes.drifted.insert(key);
        }
        file_outcomes.known = true;
        file_outcomes.count(grader.answer(
            place,
            at,
            &as_asked(item, row),
            &row.output,
            row.judge.as_deref(),
        ));
    }
    file_outcomes
}
