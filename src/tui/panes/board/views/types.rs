//! SQ: multiple choice vs. true or false, by subtask.

use super::view::{CHART, View, chart, names, number};
use crate::widgets::table::{ColumnKind, LocalCell, Spec};
use benchtop_model::board::{Board, Cell, Row};

pub(super) const GROUPS: [&str; 2] = ["multiple-choice by subtask", "true-false by subtask"];
const KINDS: [&str; 2] = ["multiple-choice", "true-false"];
const WIDTH: usize = 21;

pub(super) fn view(board: &Board, row: &Row) -> Option<View> {
    let mut subtasks: Vec<&str> = Vec::new();
    for (group, kind) in GROUPS.into_iter().zip(KINDS) {
        for column in board.columns.iter().filter(|c| c.group == group) {
            let name = column
                .name
                .strip_prefix("Acc.")
                .and_then(|n| n.strip_prefix(kind)?.strip_prefix('.'));
            if let Some(name) = name.filter(|name| !subtasks.contains(name)) {
                subtasks.push(name);
            }
        }
    }
    subtasks.sort_unstable();
    let line = |subtask: &&str| {
        let cells = KINDS.map(|kind| board.cell(row, &format!("Acc.{kind}.{subtask}")));
        let [mc, tf] = cells.map(|cell| cell.and_then(Cell::value).map(|v| 100.0 * v));
        mc.or(tf)?;
        let n = |cell: Option<Cell>| {
            cell.map_or(LocalCell::missing("-"), |cell| LocalCell::count(cell.n()))
        };
        let sq = board
            .cell(row, &format!("SQ.{subtask}"))
            .and_then(Cell::value);
        let shown = vec![
            LocalCell::text(*subtask),
            number(mc, |v| format!("{v:.1}")),
            n(cells[0]),
            number(tf, |v| format!("{v:.1}")),
            n(cells[1]),
            number(mc.zip(tf).map(|(mc, tf)| tf - mc), |v| format!("{v:+.1}")),
            number(sq, |v| format!("{v:.1}")),
            chart(dumbbell(mc, tf)),
        ];
        let kind = if mc.is_some() { KINDS[0] } else { KINDS[1] };
        Some((format!("Acc.{kind}.{subtask}"), shown))
    };
    let rows: Vec<_> = subtasks.iter().filter_map(line).collect();
    let wide = |name: &str| Spec::number(name, "", ColumnKind::Number, 6);
    let mut specs = vec![names("subtask", &rows)];
    specs.extend([
        wide("MC"),
        wide("MC n"),
        wide("TF"),
        wide("TF n"),
        wide("TF-MC"),
        wide("SQ"),
    ]);
    specs.push(Spec::text(CHART, WIDTH as u16));
    let sq = board.cell(row, "SQ").and_then(Cell::value);
    let notes = vec![
        match (sq, board.cell(row, "SQ.paper").and_then(Cell::value)) {
            (Some(sq), Some(paper)) => {
                format!(
                    "SQ {sq:.2} squared points, normalized by each question's chance level; {paper:.2} with the paper's 25 and 50"
                )
            }
            (Some(sq), None) => {
                format!("SQ {sq:.2} squared points, normalized by chance")
            }
            (None, _) => String::new(),
        },
        "chart: ● multiple choice, ○ true or false, from 0 to 100 %".into(),
    ];
    View::of(&row.model, "question type", notes, specs, rows)
}

/// A column of these groups in a few words: the type in letters, and the subtask.
pub(super) fn abbreviated(column: &str) -> String {
    let name = column.strip_prefix("Acc.").unwrap_or(column);
    let letters = KINDS.into_iter().zip(["MC", "TF"]);
    let mut found = letters.filter_map(|(kind, letters)| {
        let subtask = name.strip_prefix(kind)?.strip_prefix('.')?;
        Some(format!("{letters} {subtask}"))
    });
    found.next().unwrap_or_else(|| name.to_string())
}

/// Two percentages on a line from 0 to 100.
fn dumbbell(mc: Option<f64>, tf: Option<f64>) -> String {
    let at = |value: f64| ((value / 100.0).clamp(0.0, 1.0) * (WIDTH - 1) as f64).round() as usize;
    let (mc, tf) = (mc.map(at), tf.map(at));
    let between = mc.zip(tf).map(|(mc, tf)| mc.min(tf)..=mc.max(tf));
    let mark = |place: usize| match (Some(place) == mc, Some(place) == tf) {
        (true, true) => '◉',
        (true, false) => '●',
        (false, true) => '○',
        _ if between.as_ref().is_some_and(|b| b.contains(&place)) => '─',
        _ => ' ',
    };
    (0..WIDTH).map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_types_are_drawn_at_their_scores() {
        let line = dumbbell(Some(0.0), Some(100.0));
        assert!(
            line.starts_with('●')
                && line.ends_with('○')
                && line.chars().filter(|c| *c == '─').count() == WIDTH - 2
        );
        assert_eq!(dumbbell(Some(50.0), Some(50.0)).trim(), "◉");
        assert_eq!(dumbbell(None, Some(0.0)).trim(), "○");
    }
}
