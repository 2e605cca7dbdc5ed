//! MM-SAP's columns: self-awareness, mean and deviation over the shuffles of the options, and the knowledge quadrant.

use super::ModelAnswers;
use super::question_table::{ParsedAnswer, QuestionTable};
use crate::extract::Read;
use crate::mmsap::{self, Given, Over, Quadrant, Report, Subset};
use crate::statistics::Number;
use benchtop_model::Field;
use benchtop_model::board::{Cell, Column, Scale};

/// What a column of MM-SAP holds.
pub(super) enum Source {
    /// Which measure of which subset.
    Mean(&'static str, Option<Subset>),
    /// Its deviation over the shuffles.
    Deviation(&'static str, Option<Subset>),
    /// Answers in a quadrant.
    Quadrant(Quadrant),
}

/// The measures: name, what it is, whether every subset has one, and whether deviations are shown.
const MEASURES: [(&str, &str, bool, bool); 5] = [
    (
        "AR",
        "score_AR: answered right, or declined where declining is right (MM-SAP, equation 4); mean over shuffles",
        true,
        true,
    ),
    (
        "KK",
        "score_KK: answered right, of the questions that can be known; mean over shuffles",
        false,
        false,
    ),
    (
        "KU",
        "score_KU: declined, of the questions that need not be known; mean over shuffles",
        false,
        false,
    ),
    (
        "AnswerRate",
        "Answer Rate: answered with an option that does not decline; unreadable answers are neither",
        true,
        false,
    ),
    (
        "AnswerAcc",
        "Answer Acc: right ones of the questions answered (equation 5)",
        true,
        false,
    ),
];

/// What a quadrant counts.
fn counted(quadrant: Quadrant) -> &'static str {
    match quadrant {
        Quadrant::KnownKnown => {
            "answered right: Basic, Knowledge; of all answers, all shuffles together (MM-SAP, section 3)"
        }
        Quadrant::UnknownKnown => {
            "declined on Basic, which can be answered; of all answers, all shuffles together"
        }
        Quadrant::KnownUnknown => {
            "declined rightly: Knowledge, Beyond; of all answers, all shuffles together"
        }
        Quadrant::UnknownUnknown => {
            "answered, but not with the right option; of all answers, all shuffles together"
        }
        Quadrant::Unread => "in none of the four quadrants: missing, or no rule could read it",
    }
}

/// The columns of questions in these rows, which have an option that declines.
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

/// All measures of answers: models with the number of the shuffle that they were asked in, where the items do not say it.
pub(super) fn report<'g>(
    sheet: &QuestionTable,
    shuffles: impl Iterator<Item = (Option<u32>, &'g ModelAnswers)>,
    rows: impl Iterator<Item = usize> + Clone,
) -> Report {
    mmsap::report(
        shuffles.flat_map(|(n, model)| rows.clone().map(move |row| given(sheet, n, model, row))),
    )
}

/// A cell out of these measures.
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

/// Whether a question counts for a column.
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

/// Whether a model's answer to such a question is one that a column counts: of a quadrant only those that stand in it, of Answer Acc
/// only those with an option that does not decline.
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

/// Whether an answer is right as a column counts it.
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
) -> Given<'s> {
    Given {
        subset: subset_of(sheet, row),
        subtask: sheet.name(Field::Subtask, row),
        shuffle: shuffle.unwrap_or_else(|| shuffle_of(sheet, row)),
        correct: (sheet.gold[row] != sheet.refusal[row]).then(|| usize::from(sheet.gold[row])),
        refusal: usize::from(sheet.refusal[row]),
        said: said(model.mark(row)),
    }
}

fn measure<'r>(report: &'r Report, scores: &'r mmsap::Scores, what: &str) -> &'r Over {
    match what {
        "KK" => &report.score_kk,
        "KU" => &report.score_ku,
        "AnswerRate" => &scores.answer_rate,
        "AnswerAcc" => &scores.answer_acc,
        _ => &scores.score_ar,
    }
}

fn said(mark: ParsedAnswer) -> Option<Read> {
    match mark {
        ParsedAnswer::ABSENT => None,
        ParsedAnswer::UNPARSED => Some(Read::Unparsed),
        mark if mark.declines() => Some(Read::Refused),
        mark => mark.chosen().map(|at| Read::Option(usize::from(at))),
    }
}

/// The subset by the level or subtask that names it; without such a name by its key.
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

/// Which shuffle of the options: the number in `shuffle-3`, else 1.
fn shuffle_of(sheet: &QuestionTable, row: usize) -> u32 {
    sheet
        .name(Field::Variant, row)
        .rsplit('-')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1)
}
