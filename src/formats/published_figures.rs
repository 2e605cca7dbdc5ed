//! Published figures of papers, as rows for comparison on the board.

use std::collections::BTreeMap;

use crate::published::{Figure, figures};
use benchtop_model::board::{Board, Cell, Column, Counts, PublishedFigures, Row, Scale};
use benchtop_model::evaluation::base_label;
use benchtop_model::{Error, ErrorKind, Result};

/// The final score over answers without pictures, if they are a scenario of the data set.
const BLIND: &str = "Final.blind";

/// The same score of a row whose model saw no pictures.
const BLIND_ROW: &str = "Final.clean";

/// The board column with the same measure as a published figure. `None` if there is none, as for
/// VLB, whose tables have columns by benchmark and variant, and for MVP-Bench's Table 6, whose
/// questions are a sample.
pub fn column_of(figure: &Figure) -> Option<String> {
    let column = figure.column.as_str();
    match figure.paper {
        "Dysca" => match column {
            // Chance levels are fixed, as in the paper.
            "sq" => Some("SQ.paper".into()),
            "sc" => Some("SC".into()),
            "print" => Some("Final.print-attack".into()),
            "blind" | "clean" | "corruption" | "adversarial" => Some(format!("Final.{column}")),
            _ => {
                let (kind, subtask) = column.split_once('.')?;
                let kind = match kind {
                    "mc_accuracy" => "multiple-choice",
                    "tf_accuracy" => "true-false",
                    _ => return None,
                };
                Some(format!("Acc.{kind}.{subtask}"))
            }
        },
        "MM-SAP" => {
            let (subset, what) = column
                .split_once('_')
                .map_or((column, "AR"), |(subset, what)| match what {
                    "answer_rate" => (subset, "AnswerRate"),
                    "answer_acc" => (subset, "AnswerAcc"),
                    _ => (subset, ""),
                });
            let of = match subset {
                "total" => "",
                "basic" => ".basic",
                "know" => ".knowledge",
                "beyond" => ".beyond",
                _ => return None,
            };
            (!what.is_empty()).then(|| format!("{what}{of}"))
        }
        "MVP-Bench" if figure.table != "6" => Some(column.to_string()),
        _ => None,
    }
}

/// The row and the column of a figure on a board with these columns; `None` if it has no such
/// column.
///
/// Dysca's Table 3 has a column for answers without pictures. An evaluation without pictures is a
/// row of its own here, `NAME (blind)`, with the clean scenario as its questions, so the figure is
/// in that row. If the board has a scenario `blind`, the figure is in its column.
pub fn place_of(figure: &Figure, columns: &[Column]) -> Option<(String, usize)> {
    let at = |name: &str| columns.iter().position(|c| c.name == name);
    let name = column_of(figure)?;
    match at(&name) {
        Some(column) => Some((figure.model.clone(), column)),
        None if name == BLIND => Some((base_label(&figure.model, true, 1), at(BLIND_ROW)?)),
        None => None,
    }
}

/// The figures of a paper, or of all papers. Names are case-insensitive.
///
/// # Errors
///
/// [`ErrorKind::NotFound`] with the list of papers.
pub fn of_paper(paper: Option<&str>) -> Result<Vec<Figure>> {
    let all = figures()?;
    let Some(paper) = paper else { return Ok(all) };
    let mut papers: Vec<&str> = all.iter().map(|f| f.paper).collect();
    papers.dedup();
    let found: Vec<Figure> = all
        .iter()
        .filter(|f| f.paper.eq_ignore_ascii_case(paper))
        .cloned()
        .collect();
    if found.is_empty() {
        let what = format!("no published figures of `{paper}`");
        return Err(Error::new(ErrorKind::NotFound, what)
            .help(format!("available papers: {}", papers.join(", "))));
    }
    Ok(found)
}

/// The papers with a figure for one of these columns, in the order of their files.
///
/// # Errors
///
/// If the built-in figures cannot be read.
pub fn papers_of(columns: &[Column]) -> Result<Vec<&'static str>> {
    let mut papers: Vec<&str> = Vec::new();
    for figure in figures()? {
        let is_here = || place_of(&figure, columns).is_some();
        if !papers.contains(&figure.paper) && is_here() {
            papers.push(figure.paper);
        }
    }
    Ok(papers)
}

/// Appends the requested published rows to the board.
///
/// # Errors
///
/// As for [`of_paper`].
pub fn beside(board: &mut Board, printed: &PublishedFigures) -> Result<()> {
    let paper = match printed {
        PublishedFigures::Off => return Ok(()),
        PublishedFigures::All => None,
        PublishedFigures::Paper(name) => Some(name.as_str()),
    };
    let rows = references(board, paper)?;
    board.rows.extend(rows);
    Ok(())
}

/// One row per paper and model with a figure for a column of this board. The rows state their
/// source, keep the paper's model names, and have cells without questions: they are not ranked.
///
/// # Errors
///
/// As for [`of_paper`].
pub fn references(board: &Board, paper: Option<&str>) -> Result<Vec<Row>> {
    let mut rows: Vec<(Row, Vec<String>)> = Vec::new();
    let mut at: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for figure in of_paper(paper)? {
        let Some((model, column)) = place_of(&figure, &board.columns) else {
            continue;
        };
        let place = *at.entry((figure.paper, model.clone())).or_insert_with(|| {
            let cells = vec![None; board.columns.len()];
            let reference = Some(figure.paper.to_string());
            rows.push((
                Row {
                    model,
                    cells,
                    counts: Counts::default(),
                    reference,
                    white_box: Vec::new(),
                },
                Vec::new(),
            ));
            rows.len() - 1
        });
        let (row, tables) = &mut rows[place];
        row.cells[column] = Some(match board.columns[column].scale {
            Scale::Share => Cell::Mean {
                value: figure.value / 100.0,
                n: 0,
            },
            _ => Cell::Number {
                value: figure.value,
                n: 0,
            },
        });
        if !tables.contains(&figure.table) {
            tables.push(figure.table);
        }
    }
    let told = |(row, tables): (Row, Vec<String>)| {
        let what = if tables.len() == 1 && !tables[0].contains(' ') {
            "Table"
        } else {
            "Tables"
        };
        let listed = match tables.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, before)) => format!("{} and {last}", before.join(", ")),
            None => String::new(),
        };
        let reference = row
            .reference
            .map(|paper| format!("{paper}, {what} {listed}"));
        Row { reference, ..row }
    };
    Ok(rows.into_iter().map(told).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::board::Column;

    #[test]
    fn published_figures_appear_in_the_matching_columns() {
        let columns = ["qAcc.L_l", "Acc", "SC", "AR.knowledge"].map(|name| Column {
            scale: if name == "SC" {
                Scale::Squared
            } else {
                Scale::Share
            },
            ..Column::share(name, "", "")
        });
        let board = Board {
            columns: columns.to_vec(),
            ..Board::default()
        };
        let rows = references(&board, None).unwrap();
        let find = |model: &str, from: &str| {
            let is = |r: &&Row| {
                r.model == model && r.reference.as_deref().is_some_and(|r| r.starts_with(from))
            };
            rows.iter().find(is).unwrap()
        };
        let gpt = find("GPT-4o", "MVP-Bench");
        assert_eq!(gpt.reference.as_deref(), Some("MVP-Bench, Table 2"));
        assert_eq!(
            gpt.cells[0]
                .and_then(Cell::value)
                .map(|v| (100.0 * v * 100.0).round()),
            Some(7444.0)
        );
        assert_eq!((gpt.cells[1], gpt.cells[0].map(Cell::n)), (None, Some(0)));
        let mini = find("MiniGPT-4 (Vicuna-7B)", "Dysca, Table 3");
        assert_eq!(mini.cells[2], Some(Cell::Number { value: 1.7, n: 0 }));
        assert!(find("LLaVA-7b", "MM-SAP").cells[3].is_some());
        let sq = figures()
            .unwrap()
            .into_iter()
            .find(|f| f.paper == "Dysca" && f.column == "sq")
            .unwrap();
        assert_eq!(
            column_of(&sq).as_deref(),
            Some("SQ.paper"),
            "with the paper's chance"
        );
        let mut only = references(&board, Some("mm-sap")).unwrap();
        assert_eq!(only.len(), 8);
        only.retain(|row| row.reference.as_deref() != Some("MM-SAP, Table 1"));
        assert!(only.is_empty());
        assert_eq!(
            papers_of(&board.columns).unwrap(),
            ["Dysca", "MM-SAP", "MVP-Bench"]
        );
        assert_eq!(
            papers_of(&board.columns[1..3]).unwrap(),
            ["Dysca"],
            "SC is of one paper, Acc of none"
        );
        assert!(
            references(&board, Some("x"))
                .unwrap_err()
                .to_string()
                .contains("Dysca")
        );
        assert!(references(&Board::default(), None).unwrap().is_empty());
        let with = |printed: PublishedFigures| {
            let mut board = board.clone();
            beside(&mut board, &printed).map(|()| board.rows.len())
        };
        assert_eq!(
            (
                with(PublishedFigures::Off).unwrap(),
                with(PublishedFigures::Paper("MM-SAP".into())).unwrap()
            ),
            (0, 8)
        );
        assert_eq!(with(PublishedFigures::All).unwrap(), rows.len());
        assert!(with(PublishedFigures::Paper("x".into())).is_err());
    }

    #[test]
    fn answers_without_pictures_are_a_row_of_the_clean_scenario_or_a_scenario() {
        let rows = |columns: &[&str]| {
            let columns = columns.iter().map(|name| Column::share(*name, "", ""));
            let board = Board {
                columns: columns.collect(),
                ..Board::default()
            };
            references(&board, Some("Dysca")).unwrap()
        };
        let of = |rows: &[Row], model: &str| {
            let row = rows.iter().find(|row| row.model == model)?;
            let value = |cell: &Option<Cell>| Some((cell.as_ref()?.value()? * 1e4).round());
            Some(row.cells.iter().map(value).collect::<Vec<_>>())
        };
        let (seeing, blind) = ("MiniGPT-4 (Vicuna-7B)", "MiniGPT-4 (Vicuna-7B) (blind)");
        let plain = rows(&["Final.clean"]);
        assert_eq!(of(&plain, seeing), Some(vec![Some(4138.0)]));
        assert_eq!(of(&plain, blind), Some(vec![Some(3537.0)]));
        let scenario = rows(&["Final.clean", "Final.blind"]);
        assert_eq!(
            of(&scenario, seeing),
            Some(vec![Some(4138.0), Some(3537.0)])
        );
        assert_eq!(of(&scenario, blind), None);
        assert_eq!(of(&rows(&["Acc"]), blind), None);
    }
}
