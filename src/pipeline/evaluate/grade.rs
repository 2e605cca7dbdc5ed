//! Asks a language-model judge to grade free-form answers against their references, and collects the
//! grades.

use super::judge::{JudgeContext, JudgeSummary, Question, Questions, ask_each};
use super::similarity::Compared;
use benchtop_metrics::extract::judge_grading::{
    INSTRUCTION, can_grade, grade, prompt, reply, system,
};
use benchtop_model::Result;
use benchtop_model::cancel::ProgressSink;
use benchtop_store::Catalog;
use benchtop_store::judge_cache::JudgeExtractions;

/// The free-form answers of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeAnswers {
    pub model: String,
    /// Number of answers with a reference.
    pub answers: u64,
    /// Those that a judge can be asked about.
    asks: Vec<Compared>,
}

impl FreeAnswers {
    /// Those of `model` in `all`.
    pub fn new(model: String, all: Vec<Compared>) -> FreeAnswers {
        FreeAnswers {
            model,
            answers: all.len() as u64,
            asks: all.into_iter().filter(|c| can_grade(&c.output)).collect(),
        }
    }

    /// Number of empty answers.
    pub fn skipped(&self) -> u64 {
        self.answers - self.asks.len() as u64
    }

    /// How many of them this judge has read, and how many of its replies are grades.
    pub fn judged(&self, readings: &JudgeExtractions, judge: &str) -> (u64, u64) {
        let read = self.asks.iter();
        let read = read.filter_map(|c| readings.by(&c.about, judge, INSTRUCTION));
        read.fold((0, 0), |(all, graded), reading| {
            (all + 1, graded + u64::from(reading.read.is_some()))
        })
    }
}

/// Asks for the grades that this judge has not given; see [`super::judge::ask`].
///
/// # Errors
///
/// As [`super::judge::ask`].
pub fn ask(
    catalog: &Catalog,
    all: &[FreeAnswers],
    context: JudgeContext<'_>,
    watch: ProgressSink<'_>,
) -> Result<JudgeSummary> {
    let load = |at: usize, some: &[usize]| -> Result<Vec<Question>> {
        let asks = all.get(at).map_or(&[][..], |one| &one.asks);
        let asks = some.iter().filter_map(|at| asks.get(*at));
        let question = |compared: &Compared| -> Result<Question> {
            let item = catalog.item(compared.row as usize)?;
            Ok(Question {
                item: item.id,
                about: compared.about.clone(),
                prompt: prompt(&item.question, &compared.reference, &compared.output),
                read: Box::new(reply),
            })
        };
        asks.map(question).collect()
    };
    let questions = Questions {
        instruction: INSTRUCTION,
        system: system(),
        models: all
            .iter()
            .map(|one| {
                let keys = one.asks.iter().map(|c| c.about.as_str());
                (one.model.as_str(), keys.collect())
            })
            .collect(),
        load: &load,
    };
    ask_each(&questions, context, watch)
}

/// The grade of each answer by row, for this many rows. NaN where there is none. An empty answer has
/// the grade 0, and no judge is asked about it.
pub fn column(list: &[Compared], readings: &JudgeExtractions, rows: usize) -> Vec<f32> {
    let mut grades = vec![f32::NAN; rows];
    for compared in list {
        let given = || {
            grade(
                readings
                    .last_with(&compared.about, INSTRUCTION)?
                    .read
                    .as_deref()?,
            )
        };
        let found = match can_grade(&compared.output) {
            true => given(),
            false => Some(0.0),
        };
        if let (Some(place), Some(grade)) = (grades.get_mut(compared.row as usize), found) {
            *place = grade;
        }
    }
    grades
}
