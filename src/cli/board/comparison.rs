//! Ranks, confidence intervals, and comparisons of two models.

use std::io::Write;

use serde::Serialize;

use super::args::{Args, Output};
use super::columns::unknown_column;
use super::print::{shown, written};
use super::source::Source;
use crate::agreement::table::{Words, aligned};
use crate::out::{count, json_text};
use benchtop_metrics::statistics::p_text;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::board::analysis::{BootstrapResult, Rank, ScEstimate, untested};
use benchtop_model::board::{Better, Board, Cell, Column, Row};
use benchtop_model::{Error, Result};
use benchtop_tui::widgets::table::CopyFormat;
use benchtop_tui::widgets::table::copy::{CopyCell, Heading, rows_as};

impl Source {
    /// Prints ranks by a column.
    pub(super) fn ranks(&self, column: &str, format: Output, out: &mut dyn Write) -> Result<()> {
        let (ranks, board) = (self.ranked(column)?, self.board()?);
        let of = column_of(&board, column)?;
        let line = |(model, rank): &(String, Rank)| {
            let cell = row_of(&board, model).and_then(|row| board.cell(row, column));
            RankLine {
                rank: rank.rank,
                rank_low: rank.rank,
                rank_high: rank.high,
                tied: rank.tied,
                tested: rank.tested,
                model: model.clone(),
                column: column.into(),
                k: cell.and_then(Cell::k),
                n: cell.map_or(0, Cell::n),
                value: cell.and_then(Cell::value),
                alone: rank.discordant.map(|d| d.0),
                next_alone: rank.discordant.map(|d| d.1),
                p: rank.p,
                corrected: rank.corrected,
                cell,
            }
        };
        let lines: Vec<RankLine> = ranks.iter().map(line).collect();
        let tested = lines.iter().any(|l| l.tested > 0);
        let place = |at: usize, rank: &Rank| {
            if tested {
                rank.said()
            } else {
                format!("({})", at + 1)
            }
        };
        let or_dash = |n: Option<u64>| n.map_or("-".to_string(), |n| n.to_string());
        let p = |p: Option<f64>| p.map_or("-".to_string(), p_text);
        let row = |(at, l): (usize, &RankLine)| {
            let first = vec![place(at, &ranks[at].1), l.model.clone(), shown(l.cell, of)];
            first
                .into_iter()
                .chain([
                    or_dash(l.alone),
                    or_dash(l.next_alone),
                    p(l.p),
                    p(l.corrected),
                ])
                .collect()
        };
        let rows = lines.iter().enumerate().map(row).collect();
        let heads = [
            "rank",
            "model",
            column,
            "alone",
            "next alone",
            "p",
            "corrected",
        ];
        let note = match tested {
            true => {
                "rank range: from 1 plus the number of significantly better models to the number of models minus the \
                 significantly worse ones; cluster tests of all pairs, Holm-corrected, at 0.05"
            }
            false => untested(
                ranks.len(),
                of,
                board.rows.iter().filter_map(|row| board.cell(row, column)),
            ),
        };
        let mut notes = vec![note.to_string()];
        if tested {
            notes.push(
                "alone: questions that only this model has right, compared with the model in the next line; next alone: \
                 the reverse; p, corrected: test of the difference"
                    .into(),
            );
        }
        if tested && lines.iter().rev().skip(1).any(|line| line.p.is_none()) {
            notes.push("p is - if a model shares no question with the next one".into());
        }
        let best = Best {
            at: 2,
            better: of.better(),
            values: lines.iter().map(|l| l.value).collect(),
        };
        printed_with(&heads, (rows, Some(best)), &lines, format, &notes, out)
    }

    /// Prints confidence intervals of a column.
    pub(super) fn intervals(&self, column: &str, args: &Args, out: &mut dyn Write) -> Result<()> {
        let (board, plan) = (
            self.board()?,
            Bootstrap {
                draws: args.draws,
                seed: args.seed,
            },
        );
        let of = column_of(&board, column)?;
        let (mut lines, mut rows): (Vec<IntervalLine>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
        for row in &board.rows {
            let Some(cell) = board.cell(row, column) else {
                continue;
            };
            let interval = self.interval(&row.model, column, plan)?;
            let wilson = interval
                .wilson
                .map_or("-".into(), |(low, high)| between(low, high, of));
            rows.push(vec![
                row.model.clone(),
                shown(Some(cell), of),
                wilson,
                interval_text(&interval.redrawn, of),
                count(interval.redrawn.clusters, &interval.redrawn.cluster),
            ]);
            lines.push(IntervalLine {
                model: row.model.clone(),
                column: column.into(),
                k: cell.k(),
                n: cell.n(),
                value: cell.value(),
                wilson: interval.wilson.map(|(low, high)| [low, high]),
                drawn: BootstrapLine::of(&interval.redrawn),
                sc: interval.sc,
            });
        }
        if of.group == "SC" {
            return sc_lines(column, &lines, args.format, out);
        }
        let heads = ["model", column, "Wilson 95 %", "drawn 95 %", "drawn from"];
        let note = format!(
            "drawn 95 %: cluster bootstrap, {} draws, seed {}",
            plan.draws, plan.seed
        );
        let best = Best {
            at: 1,
            better: of.better(),
            values: lines.iter().map(|l| l.value).collect(),
        };
        printed_with(
            &heads,
            (rows, Some(best)),
            &lines,
            args.format,
            &[note],
            out,
        )
    }

    /// Compares two models on the same questions.
    pub(super) fn compare(
        &self,
        models: &[String],
        column: &str,
        args: &Args,
        out: &mut dyn Write,
    ) -> Result<()> {
        let [a, b] = models else {
            return Err(Error::usage("--compare takes two models"));
        };
        let plan = Bootstrap {
            draws: args.draws,
            seed: args.seed,
        };
        let compared = self.compared((a, b), column, plan)?;
        let board = self.board()?;
        let of = column_of(&board, column)?;
        let by = of.scale.unit();
        let t = compared.table.as_ref();
        let line = CompareLine {
            models: compared.models.clone(),
            column: column.into(),
            k: compared.cells.map(|c| c.and_then(Cell::k)),
            n: compared.cells.map(|c| c.map_or(0, Cell::n)),
            values: compared.cells.map(|c| c.and_then(Cell::value)),
            shared: SharedLine {
                k: compared.shared.map(|c| c.and_then(Cell::k)),
                n: compared.shared.map(|c| c.map_or(0, Cell::n)),
                values: compared.shared.map(|c| c.and_then(Cell::value)),
            },
            delta: compared.delta,
            drawn: BootstrapLine::of(&compared.redrawn),
            both: t.map(|t| t.both),
            first: t.map(|t| t.first),
            second: t.map(|t| t.second),
            neither: t.map(|t| t.neither),
            p: t.map(|t| t.p),
            test: t.map(|t| {
                if t.is_exact {
                    "mcnemar"
                } else {
                    "cluster-flip"
                }
            }),
            interval: t.and_then(|t| t.interval).map(|(low, high)| [low, high]),
            first_items: t.map_or(Vec::new(), |t| t.first_items.clone()),
            second_items: t.map_or(Vec::new(), |t| t.second_items.clone()),
        };
        let mut rows = vec![
            vec![a.clone(), shown(compared.cells[0], of)],
            vec![b.clone(), shown(compared.cells[1], of)],
        ];
        if let Some(shared) = compared.narrowed() {
            rows.extend(
                [a, b]
                    .into_iter()
                    .zip(shared)
                    .map(|(m, cell)| vec![format!("{m}, shared"), shown(*cell, of)]),
            );
        }
        rows.extend([
            vec![
                "difference".into(),
                compared
                    .delta
                    .map_or("-".into(), |d| format!("{:+.2}", d * by)),
            ],
            match t {
                Some(t) => vec![
                    "95 %".into(),
                    t.interval
                        .map_or("none: too few clusters".into(), |(low, high)| {
                            between(low, high, of)
                        }),
                ],
                None => vec!["95 %, drawn".into(), interval_text(&compared.redrawn, of)],
            },
        ]);
        if let Some(t) = t {
            rows.extend([
                vec![format!("only {a}"), t.first.to_string()],
                vec![format!("only {b}"), t.second.to_string()],
                vec!["both".into(), t.both.to_string()],
                vec!["neither".into(), t.neither.to_string()],
                vec![
                    if t.is_exact {
                        "McNemar p"
                    } else {
                        "p by cluster"
                    }
                    .into(),
                    p_text(t.p),
                ],
            ]);
        }
        let r = &compared.redrawn;
        let mut notes = Vec::new();
        match t {
            Some(t) if !t.is_exact => notes.push(format!(
                "95 % and p: sign-flip test by cluster, {}; the interval excludes 0 exactly if p < 0.05",
                count(r.clusters, &r.cluster)
            )),
            Some(_) => notes.push(format!(
                "95 % and p: {}; the interval excludes 0 exactly if p < 0.05",
                count(r.clusters, &r.cluster)
            )),
            None if of.group == "SC" => {
                notes.push("95 %: interval of the true difference, from the intervals of both models".into());
            }
            None if r.clusters > 0 => {
                notes.push(format!(
                    "{} draws of {}, seed {}",
                    plan.draws,
                    count(r.clusters, &r.cluster),
                    plan.seed
                ));
            }
            None => {}
        }
        if compared.narrowed().is_some() {
            notes.push(
                "shared: questions that both models are scored on; the rows below use only these"
                    .into(),
            );
        }
        printed(&["", column], rows, &[line], args.format, &notes, out)
    }
}

fn column_of<'b>(board: &'b Board, name: &str) -> Result<&'b Column> {
    board
        .column(name)
        .ok_or_else(|| unknown_column(board, format!("no column `{name}`")))
}

fn row_of<'b>(board: &'b Board, model: &str) -> Option<&'b Row> {
    board.rows.iter().find(|row| row.model == model)
}

fn between(low: f64, high: f64, of: &Column) -> String {
    let by = of.scale.unit();
    format!("{:.2} to {:.2}", low * by, high * by)
}

fn interval_text(redrawn: &BootstrapResult, of: &Column) -> String {
    match (&redrawn.interval, &redrawn.why_not) {
        (Some(interval), _) => between(interval.low, interval.high, of),
        (None, Some(why)) => format!("none: {why}"),
        (None, None) => "none".into(),
    }
}

#[derive(Serialize)]
struct RankLine {
    rank: usize,
    rank_low: usize,
    rank_high: usize,
    tied: bool,
    model: String,
    column: String,
    k: Option<u64>,
    n: u64,
    value: Option<f64>,
    alone: Option<u64>,
    next_alone: Option<u64>,
    p: Option<f64>,
    corrected: Option<f64>,
    tested: usize,
    #[serde(skip)]
    cell: Option<Cell>,
}

/// A bootstrap interval.
#[derive(Serialize)]
struct BootstrapLine {
    low: Option<f64>,
    high: Option<f64>,
    standard_error: Option<f64>,
    undefined: Option<String>,
    cluster: String,
    clusters: u64,
    draws: u32,
    seed: u64,
}

impl BootstrapLine {
    fn of(r: &BootstrapResult) -> BootstrapLine {
        BootstrapLine {
            low: r.interval.map(|i| i.low),
            high: r.interval.map(|i| i.high),
            standard_error: r.interval.map(|i| i.standard_error),
            undefined: r.why_not.clone(),
            cluster: r.cluster.clone(),
            clusters: r.clusters,
            draws: r.plan.draws,
            seed: r.plan.seed,
        }
    }
}

#[derive(Serialize)]
struct IntervalLine {
    model: String,
    column: String,
    k: Option<u64>,
    n: u64,
    value: Option<f64>,
    wilson: Option<[f64; 2]>,
    drawn: BootstrapLine,
    #[serde(skip_serializing_if = "Option::is_none")]
    sc: Option<ScEstimate>,
}

/// Prints the estimates of SC with intervals of the true SC.
fn sc_lines(
    column: &str,
    lines: &[IntervalLine],
    format: Output,
    out: &mut dyn Write,
) -> Result<()> {
    let number = |value: Option<f64>| value.map_or("-".to_string(), |v| format!("{v:.2}"));
    let row = |line: &IntervalLine| {
        let (sc, drawn) = (line.sc, &line.drawn);
        let interval = match (drawn.low, drawn.high, &drawn.undefined) {
            (Some(low), Some(high), _) => format!("{low:.2} to {high:.2}"),
            (_, _, why) => format!("none: {}", why.as_deref().unwrap_or("not defined")),
        };
        vec![
            line.model.clone(),
            number(
                sc.map(|sc| sc.printed)
                    .or(line.value.filter(|_| column == "SC")),
            ),
            number(sc.map(|sc| sc.corrected.max(0.0))),
            interval,
            number(sc.map(|sc| sc.noise)),
            sc.map_or("-".into(), |sc| p_text(sc.p)),
            format!(
                "{}, {}",
                count(sc.map_or(0, |sc| sc.styles), "style"),
                count(drawn.clusters, &drawn.cluster)
            ),
        ]
    };
    let heads = [
        "model",
        "SC",
        "without noise",
        "95 % of the true SC",
        "noise",
        "p",
        "of",
    ];
    let notes = [
        "without noise: SC minus an estimate of the sampling noise, at least 0; the interval is for this value",
        "noise: the expected SC if all styles were equal, from permuted style labels; p: the share of permutations with \
         at least this SC",
    ];
    printed(
        &heads,
        lines.iter().map(row).collect(),
        lines,
        format,
        &notes.map(str::to_string),
        out,
    )
}

#[derive(Serialize)]
struct CompareLine {
    models: [String; 2],
    column: String,
    k: [Option<u64>; 2],
    n: [u64; 2],
    values: [Option<f64>; 2],
    shared: SharedLine,
    delta: Option<f64>,
    drawn: BootstrapLine,
    both: Option<u64>,
    first: Option<u64>,
    second: Option<u64>,
    neither: Option<u64>,
    p: Option<f64>,
    test: Option<&'static str>,
    interval: Option<[f64; 2]>,
    first_items: Vec<u32>,
    second_items: Vec<u32>,
}

/// The cells of two models on the questions that both are scored on.
#[derive(Serialize)]
struct SharedLine {
    k: [Option<u64>; 2],
    n: [u64; 2],
    values: [Option<f64>; 2],
}

/// The column whose best value is marked, and its values by row.
struct Best {
    at: usize,
    better: Better,
    values: Vec<Option<f64>>,
}

/// Prints rows as a table in `format`, or `lines` as JSON objects.
pub(super) fn printed<T: Serialize>(
    heads: &[&str],
    rows: Vec<Vec<String>>,
    lines: &[T],
    format: Output,
    notes: &[String],
    out: &mut dyn Write,
) -> Result<()> {
    printed_with(heads, (rows, None), lines, format, notes, out)
}

fn printed_with<T: Serialize>(
    heads: &[&str],
    (rows, best): (Vec<Vec<String>>, Option<Best>),
    lines: &[T],
    format: Output,
    notes: &[String],
    out: &mut dyn Write,
) -> Result<()> {
    written(match format {
        Output::Json => lines
            .iter()
            .try_for_each(|line| out.write_all(json_text(line).as_bytes())),
        Output::Csv | Output::Md | Output::Latex => {
            let format = match format {
                Output::Csv => CopyFormat::Csv,
                Output::Md => CopyFormat::Markdown,
                _ => CopyFormat::Latex,
            };
            let better = |at: usize| {
                best.as_ref()
                    .filter(|b| b.at == at)
                    .map_or(Better::Neither, |b| b.better)
            };
            let heads: Vec<Heading<'_>> = heads
                .iter()
                .enumerate()
                .map(|(at, head)| Heading {
                    better: better(at),
                    ..Heading::new(head, at > 1)
                })
                .collect();
            let cell = |row: usize, at: usize, text: String| {
                let value = best
                    .as_ref()
                    .filter(|b| b.at == at)
                    .and_then(|b| b.values.get(row).copied().flatten());
                CopyCell {
                    text,
                    number: value,
                }
            };
            let cells = |(row, texts): (usize, Vec<String>)| {
                texts
                    .into_iter()
                    .enumerate()
                    .map(|(at, text)| cell(row, at, text))
                    .collect()
            };
            let rows: Vec<Vec<CopyCell>> = rows.into_iter().enumerate().map(cells).collect();
            out.write_all(rows_as(&heads, &rows, format).as_bytes())
        }
        Output::Table => {
            let table = aligned(&Words::new(heads, rows), |_, at| at > 1);
            out.write_all((table + &crate::out::notes(notes)).as_bytes())
        }
    })
}
