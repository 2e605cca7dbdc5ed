//! The terms with the most rejected items, and retiring them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::pane::id::Purpose;
use crate::panes::metadata::edit_session::error_line;
use crate::theme::{Look, Role};
use crate::widgets::lines::Lines;
use crate::widgets::purpose::Begin;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text::{counted, grouped};
use benchtop_metrics::statistics::wilson;
use benchtop_model::usage::{DiscardResult, FailingTerm};
use benchtop_model::{Filter, Result, Status};

/// The quantile of a 95 % interval.
const Z: f64 = 1.959_964;

fn columns() -> Vec<Spec> {
    vec![
        Spec::text("term", 20),
        Spec::text("vocabulary", 11),
        Spec::number("items", "", ColumnKind::Number, 7),
        Spec::number("judged", "", ColumnKind::Number, 7),
        Spec::number("rejected", "", ColumnKind::Number, 8),
        Spec::number("share", "", ColumnKind::Share, 7),
        Spec::number("95 %", "", ColumnKind::Share, 8),
    ]
}

const PURPOSE: Purpose = Purpose {
    about: "Failing terms are the words whose items are rejected most, once 5 judged items have them.",
    example: &[
        "term                items   rejected",
        "animal: red panda      12       75 %",
        "color: teal             8       50 %",
    ],
};

/// The table in the given order: most certain failures first.
pub fn table(failing: Option<&Result<Vec<FailingTerm>>>, review: String) -> LocalTable {
    let (list, empty) = match failing {
        None => (&[][..], Empty::Loading),
        Some(Err(problem)) => (&[][..], Empty::Failed(error_line(problem))),
        Some(Ok(list)) => {
            let begin = Begin {
                key: review,
                does: "opens the review, to judge items",
            };
            (&list[..], Empty::Begin(&PURPOSE, begin))
        }
    };
    let row = |f: &FailingTerm| {
        let (yes, no) = (
            f.items.count(Status::Accepted),
            f.items.count(Status::Rejected),
        );
        let count = LocalCell::count;
        let share = no as f64 / (yes + no).max(1) as f64;
        let (low, high) = wilson(no, yes + no, Z).unwrap_or((0.0, 1.0));
        let mut shown = LocalCell::number(format!("{:.0} %", share * 100.0), Some(share));
        shown.view.heat = Some(share as f32);
        let range = LocalCell::number(
            format!("{:.0}-{:.0}", low * 100.0, high * 100.0),
            Some(f.at_least),
        );
        vec![
            LocalCell::text(&f.term),
            LocalCell::text(&f.vocabulary),
            count(f.items.all()),
            count(yes + no),
            count(no),
            shown,
            range,
        ]
    };
    LocalTable::new(columns(), list.iter().map(row).collect(), 1, empty)
}

/// The filter for the rejected items of a term.
pub fn words(failing: &FailingTerm) -> String {
    let terms = vec![(failing.vocabulary.clone(), failing.term.clone())];
    Filter {
        status: vec![Status::Rejected],
        terms,
        ..Filter::default()
    }
    .to_text()
}

/// The title of the confirmation.
pub fn question(terms: &[(String, String)], count: &DiscardResult) -> String {
    let what = match terms {
        [(vocabulary, term)] => format!("{vocabulary} `{term}`"),
        many => format!("{} terms", many.len()),
    };
    let accepted = count.items.count(Status::Accepted);
    format!(
        "Retire {what}? {}, {} of them accepted",
        counted(count.items.all(), "item"),
        grouped(accepted)
    )
}

/// The options of the confirmation. The first rejects the items too.
pub fn answers(terms: &[(String, String)], count: &DiscardResult) -> Vec<(String, String)> {
    let them = if terms.len() == 1 { "it" } else { "them" };
    vec![
        (
            format!(
                "disable {them} and reject {}",
                counted(count.rejected, "item")
            ),
            "saves the metadata".into(),
        ),
        (
            format!("only disable {them}"),
            "keeps existing items".into(),
        ),
        ("cancel".into(), String::new()),
    ]
}

/// Draws the table with a title line.
pub fn draw(
    table: &mut LocalTable,
    failing: Option<&Result<Vec<FailingTerm>>>,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) {
    if area.height < 4 {
        return table.draw(area, buf, look);
    }
    let many = failing.and_then(|f| f.as_ref().ok()).map_or(0, Vec::len);
    let title = match many {
        0 => " terms with the most rejects".to_string(),
        n => format!(
            " terms with the most rejects, of {n} with {} judged  d: retire  f: map",
            super::JUDGED
        ),
    };
    let mut lines = Lines::new(area, buf, look);
    lines.text(&title, Role::Heading);
    let rest = lines.rest();
    table.draw(rest, buf, look);
}
