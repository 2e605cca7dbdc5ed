//! MM-SAP's columns: self-awareness (mean and deviation over the shuffles of the options) and the
//! knowledge quadrants.

use std::sync::Arc;

use crate::extract::Read;
use crate::mmsap::{self, GivenAnswer, OverShuffles, Quadrant, Report, Subset};
use crate::score::column::{
    BoardEngine, Cell, Column, Columns, Data, Head, ItemSelection, Metric, ModelAnswers,
    ModelScores, QuestionTable, Scale,
};
use crate::score::parsed_answer::ParsedAnswer;
use crate::score::question_table::UNGRADED;
use crate::statistics::Number;
use benchtop_model::{Field, QuestionKind};

pub const METRIC: Metric = Metric {
    reference: &[
        [
            "`AR`, `AR.SUBSET`, `KK`, `KU`, `AnswerRate.*`, `AnswerAcc.*`, `AR.*.sd`",
            "self-awareness, mean and population deviation over the shuffles of the options",
            "MM-SAP eq. 1 to 6",
        ],
        [
            "`quadrant.*`",
            "answers by knowledge quadrant, all shuffles together: `known-knowns` and `known-unknowns` make score_AR",
            "MM-SAP 3",
        ],
    ],
    columns,
};

/// The content of a column.
enum Source {
    /// A measure, of one subset or of all.
    Mean(&'static str, Option<Subset>),
    /// A measure's standard deviation over the shuffles.
    Deviation(&'static str, Option<Subset>),
    /// The share of answers in a quadrant.
    Quadrant(Quadrant),
}

struct Aware {
    source: Source,
    /// Rows with a refusal option.
    refusable: Arc<[u32]>,
}

/// What [`report`] returns.
struct Reported(Option<Report>);

impl Column for Aware {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let report = of.memo.get(|| Reported(report(&self.refusable, of)));
        cell(&self.source, report.0.as_ref()?)
    }

    fn rows(&self, engine: &BoardEngine, _: usize, asked: &ItemSelection) -> Vec<u32> {
        let rows = self.refusable.iter().copied();
        rows.filter(|row| {
            asked.holds(*row as usize) && is_of(&engine.sheet, &self.source, *row as usize)
        })
        .collect()
    }

    fn depends_on_answers(&self) -> bool {
        true
    }

    fn answerers(&self, engine: &BoardEngine, model: usize) -> Vec<usize> {
        match (engine.shuffles(model), engine.orders.family(model)) {
            (Some(_), Some(family)) => family.to_vec(),
            _ => vec![model],
        }
    }

    fn counts(&self, engine: &BoardEngine, answerer: usize, row: usize) -> bool {
        match self.source {
            Source::Quadrant(quadrant) => stands(engine, answerer, row) == quadrant,
            Source::Mean("AnswerAcc", _) => is_answered(stands(engine, answerer, row)),
            Source::Mean(..) | Source::Deviation(..) => true,
        }
    }

    fn right(&self, engine: &BoardEngine, answerer: usize, row: usize) -> bool {
        let stands = stands(engine, answerer, row);
        match self.source {
            Source::Mean("KK" | "AnswerAcc", _) => stands == Quadrant::KnownKnown,
            Source::Mean("KU", _) => stands == Quadrant::KnownUnknown,
            Source::Mean("AnswerRate", _) => is_answered(stands),
            _ => matches!(stands, Quadrant::KnownKnown | Quadrant::KnownUnknown),
        }
    }
}

/// The quadrant of an answer.
fn stands(engine: &BoardEngine, answerer: usize, row: usize) -> Quadrant {
    Quadrant::of(&given(&engine.sheet, None, engine.answers(answerer), row))
}

/// Whether an answer in this quadrant names an option other than the refusal option.
fn is_answered(stands: Quadrant) -> bool {
    matches!(stands, Quadrant::KnownKnown | Quadrant::UnknownUnknown)
}

/// The measures: name, help, whether each subset has a column, and whether deviations are shown.
const MEASURES: [(&str, &str, bool, bool); 5] = [
    (
        "AR",
        "score_AR: right answers, and refusals where declining is right (MM-SAP, equation 4); mean over shuffles",
        true,
        true,
    ),
    (
        "KK",
        "score_KK: right answers to questions that can be known; mean over shuffles",
        false,
        false,
    ),
    (
        "KU",
        "score_KU: refusals of questions that need not be known; mean over shuffles",
        false,
        false,
    ),
    (
        "AnswerRate",
        "Answer Rate: answers with an option other than the refusal option; unparsed answers do not count",
        true,
        false,
    ),
    (
        "AnswerAcc",
        "Answer Acc: right answers among the questions answered (equation 5)",
        true,
        false,
    ),
];

/// The help text of a quadrant.
fn counted(quadrant: Quadrant) -> &'static str {
    match quadrant {
        Quadrant::KnownKnown => {
            "right answers (Basic, Knowledge), as a share of all answers over all shuffles (MM-SAP, section 3)"
        }
        Quadrant::UnknownKnown => {
            "refusals of Basic questions, which can be answered, as a share of all answers over all shuffles"
        }
        Quadrant::KnownUnknown => {
            "right refusals (Knowledge, Beyond), as a share of all answers over all shuffles"
        }
        Quadrant::UnknownUnknown => "wrong answers, as a share of all answers over all shuffles",
        Quadrant::Unread => "answers in none of the four quadrants: missing or unparsed",
    }
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    let sheet = data.sheet;
    let is = |row: &u32| {
        let row = *row as usize;
        let is_choice = sheet.kind(row) == QuestionKind::MultipleChoice;
        is_choice && sheet.refusal[row] != UNGRADED && sheet.graded(row)
    };
    let refusable: Arc<[u32]> = (0..sheet.len() as u32).filter(is).collect();
    if refusable.is_empty() {
        return;
    }
    let mut add = |head: Head, source: Source| {
        let refusable = refusable.clone();
        found.add(head, Aware { source, refusable });
    };
    let has = |subset: &Subset| {
        let mut rows = refusable.iter();
        rows.any(|row| subset_of(sheet, *row as usize) == *subset)
    };
    let subsets = Subset::ALL.into_iter().filter(has).map(Some);
    let subsets: Vec<_> = [None].into_iter().chain(subsets).collect();
    let name = |what: &str, subset: &Option<Subset>| {
        subset.map_or(what.to_string(), |s| format!("{what}.{}", s.name()))
    };
    for (what, help, by_subset, _) in MEASURES {
        for subset in subsets.iter().filter(|s| by_subset || s.is_none()) {
            let mut head = Head::share(name(what, subset), "self-awareness", help);
            head.describes = what == "AnswerRate";
            add(head, Source::Mean(what, *subset));
        }
    }
    for (what, .., deviates) in MEASURES {
        for subset in subsets.iter().filter(|_| deviates) {
            let help = "population standard deviation of score_AR over the shuffles, in points";
            let name = format!("{}.sd", name(what, subset));
            let head = Head::new(name, "over shuffles", help, Scale::Spread);
            add(head, Source::Deviation(what, *subset));
        }
    }
    for quadrant in Quadrant::ALL {
        let name = format!("quadrant.{}", quadrant.name());
        let head = Head::share(name, "quadrant", counted(quadrant)).describing();
        add(head, Source::Quadrant(quadrant));
    }
}

/// All measures of a model; `None` if it has no answers. For an evaluation with shuffled options,
/// over the questions that were asked in all shuffles. Otherwise the items name their shuffle.
fn report(refusable: &[u32], of: &ModelScores<'_>) -> Option<Report> {
    let (engine, sheet) = (of.engine, &of.engine.sheet);
    let has_answer = |row: &u32| of.answers().mark(*row as usize) != ParsedAnswer::ABSENT;
    if !refusable.iter().any(has_answer) {
        return None;
    }
    let shuffles = engine.shuffles(of.model);
    let family = engine
        .orders
        .family(of.model)
        .filter(|_| shuffles.is_some());
    let asked = engine.narrowed(family.unwrap_or_default(), &of.chosen);
    let shuffles: Vec<(Option<u32>, &ModelAnswers)> = match shuffles {
        Some(shuffles) => shuffles
            .into_iter()
            .map(|(n, model)| (Some(n), model))
            .collect(),
        None => vec![(None, of.answers())],
    };
    let scopes = &engine.bitmaps[of.model].scopes;
    let rows = refusable.iter().map(|row| *row as usize);
    let rows = rows.filter(|row| asked.holds(*row) && scopes.contains(&sheet.scope(*row)));
    Some(mmsap::report(shuffles.into_iter().flat_map(
        |(n, model)| rows.clone().map(move |row| given(sheet, n, model, row)),
    )))
}

/// A cell of a column, from the measures.
fn cell(source: &Source, report: &Report) -> Option<Cell> {
    let n = |scores: &mmsap::Scores| scores.shuffles.iter().map(|c| c.n).sum::<u64>();
    let (what, subset) = match source {
        Source::Quadrant(quadrant) => {
            let (k, n) = (
                report.quadrants[*quadrant as usize],
                report.quadrants.iter().sum::<u64>(),
            );
            return (n > 0).then(|| Cell::Mean {
                value: k as f64 / n as f64,
                n,
            });
        }
        Source::Mean(what, subset) | Source::Deviation(what, subset) => (*what, *subset),
    };
    let scores = report
        .scores
        .iter()
        .find(|s| s.subset == subset && s.subtask.is_none())?;
    let without = |without: Subset| {
        let counts =
            |s: &&mmsap::Scores| s.subtask.is_none() && s.subset.is_some_and(|s| s != without);
        report.scores.iter().filter(counts).map(n).sum()
    };
    let n = match what {
        "KK" => without(Subset::Beyond),
        "KU" => without(Subset::Basic),
        _ => n(scores),
    };
    let over = measure(report, scores, what);
    let of = |number: &Number| number.value;
    match source {
        Source::Deviation(..) => of(&over.sd).map(|value| Cell::Number { value, n }),
        _ => of(&over.mean).map(|value| Cell::Mean {
            value: value / 100.0,
            n,
        }),
    }
}

/// Whether a column counts a question.
fn is_of(sheet: &QuestionTable, source: &Source, row: usize) -> bool {
    let own = subset_of(sheet, row);
    match source {
        Source::Mean("KK", _) => own != Subset::Beyond,
        Source::Mean("KU", _) => own != Subset::Basic,
        Source::Mean(_, subset) | Source::Deviation(_, subset) => {
            subset.is_none_or(|subset| own == subset)
        }
        Source::Quadrant(_) => true,
    }
}

fn given<'s>(
    sheet: &'s QuestionTable,
    shuffle: Option<u32>,
    model: &ModelAnswers,
    row: usize,
) -> GivenAnswer<'s> {
    GivenAnswer {
        subset: subset_of(sheet, row),
        subtask: sheet.name(Field::Subtask, row),
        shuffle: shuffle.unwrap_or_else(|| shuffle_of(sheet, row)),
        correct: (sheet.gold[row] != sheet.refusal[row]).then(|| usize::from(sheet.gold[row])),
        refusal: usize::from(sheet.refusal[row]),
        read: to_read(model.mark(row)),
    }
}

fn measure<'r>(report: &'r Report, scores: &'r mmsap::Scores, what: &str) -> &'r OverShuffles {
    match what {
        "KK" => &report.score_kk,
        "KU" => &report.score_ku,
        "AnswerRate" => &scores.answer_rate,
        "AnswerAcc" => &scores.answer_acc,
        _ => &scores.score_ar,
    }
}

fn to_read(mark: ParsedAnswer) -> Option<Read> {
    match mark {
        ParsedAnswer::ABSENT => None,
        ParsedAnswer::UNPARSED => Some(Read::Unparsed),
        mark if mark.declines() => Some(Read::Refused),
        mark => mark.chosen().map(|at| Read::Option(usize::from(at))),
    }
}

/// The subset named by the level or subtask; without a name, the subset that the answer key
/// implies.
fn subset_of(sheet: &QuestionTable, row: usize) -> Subset {
    let named = |field| {
        let name = sheet.name(field, row).to_lowercase();
        [
            ("basic", Subset::Basic),
            ("know", Subset::Knowledge),
            ("beyond", Subset::Beyond),
        ]
        .into_iter()
        .find(|(start, _)| name.starts_with(start))
        .map(|(_, subset)| subset)
    };
    let by_key = || {
        if sheet.gold[row] == sheet.refusal[row] {
            Subset::Beyond
        } else {
            Subset::Basic
        }
    };
    named(Field::Level)
        .or_else(|| named(Field::Subtask))
        .unwrap_or_else(by_key)
}

/// The number of the shuffle, from `shuffle-3`; else 1.
fn shuffle_of(sheet: &QuestionTable, row: usize) -> u32 {
    sheet
        .name(Field::Variant, row)
        .rsplit('-')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1)
}
