//! `benchtop board PATH...`: a leaderboard from files, without a project.

use std::cmp::Ordering;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::metrics::extract::Extractor;
use crate::model::board::{Board, Cell, Column, Row, Scale};
use crate::model::{Kind, Problem, Result};
use crate::pipeline::board::from_paths_by;

/// Arguments of `benchtop board`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Question and prediction files, or folders of them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// A mapping.toml that says which column of a table is what
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub format: Output,
    /// Sort by this column, best first; `COLUMN:asc` for worst first, `model` for names
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<String>,
    /// The rule that reads answers (strict, legacy-dysca, mvp-mcq, first-bracket ...); that of each question's paper otherwise
    #[arg(long, value_name = "NAME")]
    pub rule: Option<String>,
    /// Only columns that match; `*` and `?` stand for any text and any character, commas part alternatives
    #[arg(long, value_name = "GLOB")]
    pub columns: Option<String>,
}

/// How a board is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Blocks of columns that fit the terminal; percent and counts
    Table,
    /// One line a cell: model, column, k, n, value
    Csv,
    /// One Markdown table
    Md,
    /// One object a line and cell: {"model","column","k","n","value"}
    Json,
}

/// Prints the board. A reader that goes away early is no error.
///
/// # Errors
/// As [`from_paths_by`]; [`Kind::NotFound`] for a column that is not there; I/O problems of standard output.
pub fn run(args: &Args) -> Result<()> {
    let rule = args.rule.as_deref().map(extractor).transpose()?;
    let mapping = args.mapping.as_deref().map(super::import::mapping).transpose()?;
    let scored = from_paths_by(&args.paths, rule, mapping.as_ref())?;
    let mut board = scored.whole();
    if let Some(column) = &args.sort {
        sort(&mut board, column)?;
    }
    if let Some(globs) = &args.columns {
        choose(&mut board, globs)?;
    }
    for problem in &scored.skipped {
        // Standard error may be gone too; the board is what was asked for.
        let _ = writeln!(io::stderr(), "skipped: {problem}");
    }
    let out = io::stdout();
    let width = width(&out);
    let mut out = io::BufWriter::new(out.lock());
    let printed = print(&board, args.format, width, &mut out).and_then(|()| out.flush());
    match printed {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let mut problem = Problem::io(&e, "cannot write to standard output", std::path::Path::new(""));
            problem.place.file = None;
            Err(problem)
        }
        _ => Ok(()),
    }
}

/// The rule of that name.
///
/// # Errors
/// [`Kind::Usage`] with the names that there are.
pub fn extractor(name: &str) -> Result<Extractor> {
    Extractor::from_name(name).ok_or_else(|| {
        let names = Extractor::ALL.map(Extractor::name).join(", ");
        Problem::new(Kind::Usage, format!("no rule `{name}` reads answers")).help(format!("there are: {names}"))
    })
}

/// Columns of the terminal, or of `$COLUMNS`, or 120.
fn width(out: &io::Stdout) -> usize {
    let terminal = if out.is_terminal() { crossterm::terminal::size().ok().map(|(w, _)| usize::from(w)) } else { None };
    let asked = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.filter(|w| *w > 0).or_else(asked).unwrap_or(120)
}

fn unknown_column(board: &Board, what: String) -> Problem {
    let names: Vec<&str> = board.columns.iter().map(|c| c.name.as_str()).collect();
    Problem::new(Kind::NotFound, what).help(format!("there are: {}", names.join(", ")))
}

/// Sorts rows by a column, best first, ties by name; rows without that cell come last.
///
/// # Errors
/// [`Kind::NotFound`] for a column that is not there.
pub fn sort(board: &mut Board, by: &str) -> Result<()> {
    let (name, ascending) = by.strip_suffix(":asc").map_or((by, false), |name| (name, true));
    if name == "model" {
        board.rows.sort_by(|a, b| a.model.cmp(&b.model));
        return Ok(());
    }
    let Some(at) = board.columns.iter().position(|c| c.name == name) else {
        return Err(unknown_column(board, format!("no column `{name}` to sort by")));
    };
    let value = |row: &Row| row.cells.get(at).copied().flatten().and_then(Cell::value);
    board.rows.sort_by(|a, b| {
        let order = match (value(a), value(b)) {
            (Some(x), Some(y)) if ascending => x.total_cmp(&y),
            (Some(x), Some(y)) => y.total_cmp(&x),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        order.then_with(|| a.model.cmp(&b.model))
    });
    Ok(())
}

/// Keeps the columns that match one of the globs, which commas part.
///
/// # Errors
/// [`Kind::NotFound`] when none does.
pub fn choose(board: &mut Board, globs: &str) -> Result<()> {
    let keep: Vec<bool> = board.columns.iter().map(|c| globs.split(',').any(|g| matches(g.trim(), &c.name))).collect();
    if !keep.contains(&true) {
        return Err(unknown_column(board, format!("no column matches `{globs}`")));
    }
    let kept = |at: usize| keep.get(at).copied().unwrap_or(false);
    let mut at = 0;
    board.columns.retain(|_| {
        at += 1;
        kept(at - 1)
    });
    for row in &mut board.rows {
        let mut at = 0;
        row.cells.retain(|_| {
            at += 1;
            kept(at - 1)
        });
    }
    Ok(())
}

/// Whether `glob` matches the whole text.
fn matches(glob: &str, text: &str) -> bool {
    // reach[i]: the glob so far matches the first i characters.
    let text: Vec<char> = text.chars().collect();
    let mut reach = vec![false; text.len() + 1];
    reach[0] = true;
    for mark in glob.chars() {
        if mark == '*' {
            let first = reach.iter().position(|r| *r).unwrap_or(reach.len());
            reach[first..].fill(true);
        } else {
            for at in (1..=text.len()).rev() {
                reach[at] = reach[at - 1] && (mark == '?' || mark == text[at - 1]);
            }
            reach[0] = false;
        }
    }
    reach[text.len()]
}

/// Prints a board that fits `width` columns (tables only).
///
/// # Errors
/// Those of `out`.
pub fn print(board: &Board, format: Output, width: usize, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Output::Table => table(board, width, out),
        Output::Md => markdown(board, out),
        Output::Csv => {
            writeln!(out, "model,column,k,n,value")?;
            for (row, column, cell, value) in cells(board) {
                let k = cell.k().map_or(String::new(), |k| k.to_string());
                writeln!(out, "{},{},{k},{},{value}", csv(&row.model), csv(&column.name), cell.n())?;
            }
            notes_aside(board)
        }
        Output::Json => {
            for (row, column, cell, value) in cells(board) {
                let line = Line { model: &row.model, column: &column.name, k: cell.k(), n: cell.n(), value };
                serde_json::to_writer(&mut *out, &line)?;
                out.write_all(b"\n")?;
            }
            notes_aside(board)
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    model: &'a str,
    column: &'a str,
    k: Option<u64>,
    n: u64,
    value: f64,
}

/// Cells that have a value, row by row.
fn cells(board: &Board) -> impl Iterator<Item = (&Row, &Column, Cell, f64)> {
    board.rows.iter().flat_map(move |row| {
        board.columns.iter().zip(&row.cells).filter_map(move |(column, cell)| {
            let cell = (*cell)?;
            Some((row, column, cell, cell.value()?))
        })
    })
}

/// Notes go to standard error when a program reads standard output.
fn notes_aside(board: &Board) -> io::Result<()> {
    for note in &board.notes {
        // The note is a courtesy: nobody may be listening.
        let _ = writeln!(io::stderr(), "note: {note}");
    }
    Ok(())
}

fn csv(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

fn shown(cell: Option<Cell>, column: &Column) -> String {
    match cell.and_then(|c| Some((c, c.value()?))) {
        Some((Cell::Share { k, n }, value)) => format!("{:.2} {k}/{n}", value * 100.0),
        Some((cell, value)) => {
            let value = if column.scale == Scale::Share { value * 100.0 } else { value };
            let sign = if column.scale == Scale::Points && value > 0.0 { "+" } else { "" };
            format!("{sign}{value:.2} n={}", cell.n())
        }
        None => "-".to_string(),
    }
}

fn markdown(board: &Board, out: &mut dyn Write) -> io::Result<()> {
    let safe = |text: &str| text.replace('|', "\\|");
    write!(out, "| model |")?;
    board.columns.iter().try_for_each(|c| write!(out, " {} |", safe(&c.name)))?;
    write!(out, "\n| --- |")?;
    board.columns.iter().try_for_each(|_| write!(out, " ---: |"))?;
    for row in &board.rows {
        write!(out, "\n| {} |", safe(&row.model))?;
        row.cells.iter().zip(&board.columns).try_for_each(|(c, of)| write!(out, " {} |", shown(*c, of)))?;
    }
    writeln!(out)?;
    if !board.notes.is_empty() {
        writeln!(out)?;
    }
    board.notes.iter().try_for_each(|n| writeln!(out, "- {}", safe(n)))
}

fn table(board: &Board, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let names = board.rows.iter().map(|r| r.model.width()).chain([5]).max().unwrap_or(5);
    let line = |r: &Row| r.cells.iter().zip(&board.columns).map(|(c, of)| shown(*c, of)).collect();
    let text: Vec<Vec<String>> = board.rows.iter().map(line).collect();
    let wide = |at: usize| {
        let cells = text.iter().filter_map(|row| row.get(at)).map(|t| t.width());
        cells.chain([board.columns[at].name.width()]).max().unwrap_or(0)
    };
    for (i, block) in blocks(board, width.saturating_sub(names), &wide).into_iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        write!(out, "{}", pad("model", names, false))?;
        for at in block.clone() {
            write!(out, "  {}", pad(&board.columns[at].name, wide(at), true))?;
        }
        writeln!(out)?;
        for (row, cells) in board.rows.iter().zip(&text) {
            write!(out, "{}", pad(&row.model, names, false))?;
            for at in block.clone() {
                write!(out, "  {}", pad(cells.get(at).map_or("-", String::as_str), wide(at), true))?;
            }
            writeln!(out)?;
        }
    }
    if !board.notes.is_empty() {
        writeln!(out)?;
    }
    board.notes.iter().try_for_each(|n| writeln!(out, "note: {n}"))
}

/// Ranges of columns that fit beside the names: whole groups together where they fit, else split.
fn blocks(board: &Board, room: usize, wide: &dyn Fn(usize) -> usize) -> Vec<std::ops::Range<usize>> {
    let total = |range: std::ops::Range<usize>| range.map(|at| wide(at) + 2).sum::<usize>();
    let mut blocks: Vec<std::ops::Range<usize>> = Vec::new();
    let mut start = 0;
    while start < board.columns.len() {
        let group = &board.columns[start].group;
        let end = (start..board.columns.len()).find(|at| board.columns[*at].group != *group);
        let end = end.unwrap_or(board.columns.len());
        match blocks.last_mut() {
            Some(last) if total(last.start..end) <= room => last.end = end,
            _ => {
                let mut from = start;
                while from < end {
                    let mut to = from + 1;
                    while to < end && total(from..to + 1) <= room {
                        to += 1;
                    }
                    blocks.push(from..to);
                    from = to;
                }
            }
        }
        start = end;
    }
    blocks
}

fn pad(text: &str, width: usize, right: bool) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    if right { format!("{space}{text}") } else { format!("{text}{space}") }
}

#[cfg(test)]
mod tests {
    use crate::model::board::Counts;

    use super::*;

    fn board() -> Board {
        let column = |name: &str, group: &str| Column::share(name, group, "");
        let row = |model: &str, cells: [(u64, u64); 3]| Row {
            model: model.into(),
            cells: cells.iter().map(|(k, n)| (*n > 0).then_some(Cell::Share { k: *k, n: *n })).collect(),
            counts: Counts::default(),
            reference: None,
        };
        Board {
            questions: 4,
            columns: vec![column("qAcc.L_l", "qAcc"), column("qAcc.L_h", "qAcc"), column("mAcc.L_m", "mAcc")],
            rows: vec![row("a,b", [(1, 4), (3, 4), (0, 0)]), row("c", [(2, 4), (3, 4), (1, 3)])],
            notes: vec!["c: odd".into()],
        }
    }

    fn text(board: &Board, format: Output, width: usize) -> String {
        let mut out = Vec::new();
        print(board, format, width, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_format() {
        assert_eq!(
            text(&board(), Output::Table, 37),
            "model   qAcc.L_l   qAcc.L_h\na,b    25.00 1/4  75.00 3/4\nc      50.00 2/4  75.00 3/4\n\n\
             model   mAcc.L_m\na,b            -\nc      33.33 1/3\n\nnote: c: odd\n"
        );
        assert_eq!(text(&board(), Output::Table, 80).lines().next(), Some("model   qAcc.L_l   qAcc.L_h   mAcc.L_m"));
        assert_eq!(text(&board(), Output::Table, 1).matches("model").count(), 3);
        assert!(text(&board(), Output::Csv, 0).contains("\"a,b\",qAcc.L_h,3,4,0.75\n"));
        assert_eq!(text(&board(), Output::Csv, 0).lines().count(), 6);
        assert!(text(&board(), Output::Md, 0).contains("| c | 50.00 2/4 | 75.00 3/4 | 33.33 1/3 |"));
        let first = "{\"model\":\"a,b\",\"column\":\"qAcc.L_l\",\"k\":1,\"n\":4,\"value\":0.25}";
        assert_eq!(text(&board(), Output::Json, 0).lines().next(), Some(first));
    }

    #[test]
    fn sorting_and_choosing() {
        let order = |by: &str| {
            let mut board = board();
            sort(&mut board, by).unwrap();
            board.rows.iter().map(|r| r.model.clone()).collect::<Vec<_>>()
        };
        assert_eq!(order("qAcc.L_l"), ["c", "a,b"]);
        assert_eq!(order("qAcc.L_l:asc"), ["a,b", "c"]);
        assert_eq!(order("qAcc.L_h"), ["a,b", "c"]);
        assert_eq!(order("mAcc.L_m:asc"), ["c", "a,b"]);
        assert_eq!(sort(&mut board(), "x").unwrap_err().kind, Kind::NotFound);
        let mut chosen = board();
        choose(&mut chosen, "mAcc*, qAcc.?_h").unwrap();
        assert_eq!(chosen.columns.len(), 2);
        assert_eq!(chosen.rows[1].cells, [Some(Cell::Share { k: 3, n: 4 }), Some(Cell::Share { k: 1, n: 3 })]);
        assert!(choose(&mut board(), "z*").is_err());
        assert!(matches("*L_?", "qAcc.L_l") && !matches("L_?", "qAcc.L_l") && matches("*", "") && !matches("a", ""));
    }

    #[test]
    fn a_closed_pipe_reaches_the_caller_as_such() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for format in [Output::Table, Output::Csv, Output::Md, Output::Json] {
            assert_eq!(print(&board(), format, 80, &mut Closed).unwrap_err().kind(), ErrorKind::BrokenPipe);
        }
    }
}
