//! MM-SAP's columns: self-awareness (mean and deviation over the shuffles of the options) and the
//! knowledge quadrants.

use super::model_answers::ModelAnswers;
use super::parsed_answer::ParsedAnswer;
use super::question_table::QuestionTable;
use crate::extract::Read;
use crate::mmsap::{self, GivenAnswer, OverShuffles, Quadrant, Report, Subset};
use crate::statistics::Number;
use benchtop_model::Field;
use benchtop_model::board::{Cell, Column, Scale};

/// The content of an MM-SAP column.
pub(super) enum Source {
    /// A measure, of one subset or of all.
    Mean(&'static str, Option<Subset>),
    /// A measure's standard deviation over the shuffles.
    Deviation(&'static str, Option<Subset>),
    /// The share of answers in a quadrant.
    Quadrant(Quadrant),
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

/// The columns for these rows, which have a refusal option.
pub(super) fn columns(sheet: &QuestionTable, rows: &[u32]) -> Vec<(Column, Source)> {
    let mut found = Vec::new();
    let mut add = |name: String, group: &str, help: &str, scale: Scale, source: Source| {
        found.push((
            Column {
                name,
                group: group.into(),
                help: help.into(),
                scale,
            },
            source,
        ));
    };
    let has = |subset: &Subset| {
        rows.iter()
            .any(|row| subset_of(sheet, *row as usize) == *subset)
    };
    let subsets: Vec<_> = [None]
        .into_iter()
        .chain(Subset::ALL.into_iter().filter(has).map(Some))
        .collect();
    let name = |what: &str, subset: &Option<Subset>| {
        subset.map_or(what.to_string(), |s| format!("{what}.{}", s.name()))
    };
    for (what, help, by_subset, _) in MEASURES {
        for subset in subsets.iter().filter(|s| by_subset || s.is_none()) {
            add(
                name(what, subset),
                "self-awareness",
                help,
                Scale::Share,
                Source::Mean(what, *subset),
            );
        }
    }
    for (what, .., deviates) in MEASURES {
        for subset in subsets.iter().filter(|_| deviates) {
            let help = "population standard deviation of score_AR over the shuffles, in points";
            let name = format!("{}.sd", name(what, subset));
            add(
                name,
                "over shuffles",
                help,
                Scale::Spread,
                Source::Deviation(what, *subset),
            );
        }
    }
    for quadrant in Quadrant::ALL {
        let name = format!("quadrant.{}", quadrant.name());
        add(
            name,
            "quadrant",
            counted(quadrant),
            Scale::Share,
            Source::Quadrant(quadrant),
        );
    }
    found
}

/// All measures. Each model comes with the number of its shuffle, unless the items name it.
pub(super) fn report<'g>(
    sheet: &QuestionTable,
    shuffles: impl Iterator<Item = (Option<u32>, &'g ModelAnswers)>,
    rows: impl Iterator<Item = usize> + Clone,
) -> Report {
    mmsap::report(
        shuffles.flat_map(|(n, model)| rows.clone().map(move |row| given(sheet, n, model, row))),
    )
}

/// A cell of a column, from the measures.
pub(super) fn cell(source: &Source, report: &Report) -> Option<Cell> {
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
pub(super) fn is_of(sheet: &QuestionTable, source: &Source, row: usize) -> bool {
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

/// Whether a column counts a model's answer to such a question: for a quadrant the answers in it,
/// for Answer Acc the answers with an option other than the refusal option.
pub(super) fn counts(
    sheet: &QuestionTable,
    source: &Source,
    model: &ModelAnswers,
    row: usize,
) -> bool {
    let stands = || Quadrant::of(&given(sheet, None, model, row));
    match source {
        Source::Quadrant(quadrant) => stands() == *quadrant,
        Source::Mean("AnswerAcc", _) => {
            matches!(stands(), Quadrant::KnownKnown | Quadrant::UnknownUnknown)
        }
        Source::Mean(..) | Source::Deviation(..) => true,
    }
}

/// Whether the column counts an answer as right.
pub(super) fn right(
    sheet: &QuestionTable,
    source: &Source,
    model: &ModelAnswers,
    row: usize,
) -> bool {
    let stands = Quadrant::of(&given(sheet, None, model, row));
    match source {
        Source::Mean("KK" | "AnswerAcc", _) => stands == Quadrant::KnownKnown,
        Source::Mean("KU", _) => stands == Quadrant::KnownUnknown,
        Source::Mean("AnswerRate", _) => {
            matches!(stands, Quadrant::KnownKnown | Quadrant::UnknownUnknown)
        }
        _ => matches!(stands, Quadrant::KnownKnown | Quadrant::KnownUnknown),
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
