//! A board as a picture: bars of one column or of one model with intervals, or a shaded table.

use std::path::{Path, PathBuf};

use super::Draws;
use super::source::{Of, Source};
use crate::board;
use crate::context::Context;
use crate::out::print;
use benchtop_formats::chart::{Bar, Bars, Entry, Grid, LONGEST, Scales, Scene};
use benchtop_metrics::statistics::{Z95, p_text, wilson};
use benchtop_model::analysis::{Intervals, Sure, What};
use benchtop_model::board::{Better, Board, Cell, Column, Scale};
use benchtop_model::{Error, ErrorKind, Result};

/// Arguments of `analyse chart`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    of: Of,
    /// Bars of this column, best first; the leading one otherwise
    #[arg(long, value_name = "COLUMN", conflicts_with = "columns")]
    column: Option<String>,
    /// A shaded table of the columns that match instead, best models first
    #[arg(long, value_name = "GLOB")]
    columns: Option<String>,
    /// Bars of this model over --columns instead of the table, best first
    #[arg(long, value_name = "MODEL", requires = "columns")]
    model: Option<String>,
    /// What stands below each other in the table: models, or columns; columns where there are more than 12 of them, and more than models
    #[arg(
        long,
        value_enum,
        value_name = "models|columns",
        requires = "columns",
        conflicts_with = "model"
    )]
    rows: Option<Rows>,
    /// The picture: FILE.svg or FILE.png; a PNG that is too large for 2,000 pixels becomes FILE-1.png, FILE-2.png ...
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    draws: Draws,
}

/// What stands below each other.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Rows {
    Models,
    Columns,
}

/// How a picture is written.
#[derive(Clone, Copy)]
enum Form {
    Svg,
    Png,
}

/// Runs it.
///
/// # Errors
/// [`ErrorKind::Usage`] for a file that is neither SVG nor PNG; those of the board; I/O problems of the file.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let form = match args
        .out
        .extension()
        .and_then(|e| e.to_str())
        .map(str::to_lowercase)
        .as_deref()
    {
        Some("svg") => Form::Svg,
        Some("png") => Form::Png,
        _ => {
            let what = format!("{} ends neither in .svg nor in .png", args.out.display());
            return Err(Error::new(ErrorKind::Usage, what)
                .help("the ending says how the picture is written"));
        }
    };
    let longest = if matches!(form, Form::Png) {
        Some(LONGEST)
    } else {
        None
    };
    let source = Source::open(context, &args.of)?;
    let scenes = match &args.columns {
        Some(globs) => {
            let mut board = source.board()?;
            board::choose(&mut board, globs)?;
            match &args.model {
                Some(model) => of_model(&board, model)?.scenes(longest),
                None => table(board, args.rows).scenes(longest),
            }
        }
        None => {
            let columns = args.column.iter().cloned().collect();
            let plan = args.draws.plan();
            let list = source
                .analysed(What::Intervals(Intervals { columns, plan }))?
                .intervals()?;
            bars(&list, plan.draws)?.scenes(longest)
        }
    };
    let mut written = String::new();
    for (at, scene) in scenes.iter().enumerate() {
        let path = if scenes.len() == 1 {
            args.out.clone()
        } else {
            numbered(&args.out, at + 1)
        };
        write(scene, &path, form)?;
        written += &format!("{}\n", path.display());
    }
    print(&written).map(|()| 0)
}

/// The file of a part: `board-2.png` of `board.png`.
fn numbered(path: &Path, part: usize) -> PathBuf {
    let of =
        |name: Option<&std::ffi::OsStr>| name.unwrap_or_default().to_string_lossy().into_owned();
    path.with_file_name(format!(
        "{}-{part}.{}",
        of(path.file_stem()),
        of(path.extension())
    ))
}

/// Writes the picture beside its place first, so that no half of one is ever there.
fn write(scene: &Scene, path: &Path, form: Form) -> Result<()> {
    let mut bytes = Vec::new();
    match form {
        Form::Svg => scene.svg(&mut bytes)?,
        Form::Png => scene.png(&mut bytes)?,
    }
    benchtop_files::disk::write_atomic(path, &bytes)
}

/// What the axis of a scale counts.
fn unit(scale: Scale) -> &'static str {
    match scale {
        Scale::Share => "percent",
        Scale::Squared => "squared points, less is better",
        Scale::Points => "points",
        Scale::Spread => "points, less is better",
        Scale::P => "p",
    }
}

/// Bars of a model's cells, best first, with Wilson's intervals.
fn of_model(board: &Board, model: &str) -> Result<Bars> {
    let Some(row) = board.rows.iter().find(|row| row.model == model) else {
        let names: Vec<&str> = board.rows.iter().map(|row| row.model.as_str()).collect();
        return Err(
            Error::new(ErrorKind::NotFound, format!("no model `{model}`"))
                .help(format!("there are: {}", names.join(", "))),
        );
    };
    let mut cells: Vec<(&Column, Cell, f64)> = row
        .cells
        .iter()
        .zip(&board.columns)
        .filter_map(|(cell, of)| Some((of, (*cell)?, shown((*cell)?, of.scale)?.0)))
        .collect();
    let Some(scale) = cells.first().map(|(of, ..)| of.scale) else {
        return Err(Error::new(
            ErrorKind::NotFound,
            format!("{model} has no number in these columns"),
        ));
    };
    if cells.iter().any(|(of, ..)| of.scale != scale) {
        let problem = Error::new(
            ErrorKind::Usage,
            "these columns have several units, and bars have one axis",
        );
        return Err(problem
            .help("choose the columns of one group, such as `Acc.style.*`, or leave --model out"));
    }
    cells.sort_by(|a, b| {
        scale
            .better()
            .order(a.2, b.2)
            .then_with(|| a.0.name.cmp(&b.0.name))
    });
    let bar = |(of, cell, value): &(&Column, Cell, f64)| {
        let interval = cell
            .k()
            .and_then(|k| wilson(k, cell.n(), Z95))
            .map(|(low, high)| (100.0 * low, 100.0 * high));
        let note = match cell.k() {
            Some(k) => format!("{value:.2} {k}/{}", cell.n()),
            None => format!("{value:.2} n={}", cell.n()),
        };
        Bar {
            label: of.name.clone(),
            value: *value,
            interval,
            note,
            is_reference: false,
        }
    };
    let has_intervals = cells.iter().any(|(_, cell, _)| cell.k().is_some());
    Ok(Bars {
        title: model.to_string(),
        unit: unit(scale).into(),
        bars: cells.iter().map(bar).collect(),
        most: if scale == Scale::Share { 100.0 } else { 0.0 },
        footer: if has_intervals {
            "best first; 95 % intervals: Wilson's".into()
        } else {
            "best first".into()
        },
    })
}

fn bars(list: &[Sure], draws: u32) -> Result<Bars> {
    let Some(first) = list.first() else {
        return Err(
            Error::new(ErrorKind::NotFound, "no model has a number in this column")
                .help("choose another column"),
        );
    };
    let mut sorted: Vec<&Sure> = list.iter().collect();
    sorted.sort_by(|a, b| {
        first
            .scale
            .better()
            .order(a.value, b.value)
            .then_with(|| a.model.cmp(&b.model))
    });
    let bar = |s: &&Sure| Bar {
        label: s.model.clone(),
        value: if s.scale == Scale::Squared {
            s.value.max(0.0)
        } else {
            s.value
        },
        interval: s.interval.map(|i| (i.low, i.high)).or(s.wilson),
        note: match (s.k, s.sc) {
            (Some(k), _) => format!("{:.2} {k}/{}", s.value, s.n),
            (None, Some(sc)) if s.scale == Scale::Squared => format!(
                "{:.2}; without noise {:.2}, noise {:.2}, p {}",
                s.value.max(0.0),
                sc.corrected.max(0.0),
                sc.noise,
                p_text(sc.p)
            ),
            (None, _) if s.scale == Scale::P => p_text(s.value),
            (None, _) => format!("{:.2} n={}", s.value, s.n),
        },
        is_reference: false,
    };
    let bars: Vec<Bar> = sorted.iter().map(bar).collect();
    let most = if first.scale == Scale::Share {
        100.0
    } else {
        0.0
    };
    let drawn = list.iter().all(|s| s.interval.is_some());
    let clusters = list.iter().map(|s| s.clusters).max().unwrap_or(0);
    let of_sc = list.iter().any(|s| s.sc.is_some());
    let footer = match (
        drawn,
        list.iter()
            .any(|s| s.wilson.is_some() || s.interval.is_some()),
    ) {
        (true, _) if of_sc => {
            "95 % intervals of the true SC; noise: SC where styles are equal".into()
        }
        (true, _) => {
            format!("95 % intervals, {draws} draws of {clusters} images, pairs or questions")
        }
        (false, true) => format!(
            "95 % intervals, {draws} draws of {clusters} images, pairs or questions; Wilson's where none can be drawn"
        ),
        (false, false) => String::new(),
    };
    Ok(Bars {
        title: first.column.clone(),
        unit: unit(first.scale).into(),
        bars,
        most,
        footer,
    })
}

/// A cell's number as a chart has it, and its text.
fn shown(cell: Cell, scale: Scale) -> Entry {
    let value = if scale == Scale::Share { 100.0 } else { 1.0 } * cell.value()?;
    Some(match scale {
        // Without its noise a variance may be below 0, which no variance is.
        Scale::Squared => (value.max(0.0), format!("{:.2}", value.max(0.0))),
        Scale::P => (value, p_text(value)),
        _ => (value, format!("{value:.2}")),
    })
}

/// The mean of some numbers; none of none.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0_u32), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

/// The order of some lines by their scores, best first; those without one come last, in the order they were in.
fn order(scores: &[Option<f64>], better: Better) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| match (scores[*a], scores[*b]) {
        (Some(a), Some(b)) => better.order(a, b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    order
}

/// Bytes that the names of all columns begin with, up to a dot.
fn shared(columns: &[Column]) -> usize {
    let first = columns.first().map_or("", |c| c.name.as_str());
    let dots = first.match_indices('.').map(|(at, _)| at + 1);
    dots.filter(|at| columns.iter().all(|c| c.name.starts_with(&first[..*at])))
        .max()
        .unwrap_or(0)
}

/// A shaded table. Columns of one group are shaded together, and models and columns stand by their means; else each column is shaded by
/// itself, models stand by the first column of which one end is better, and columns as the board has them.
fn table(board: Board, rows: Option<Rows>) -> Grid {
    let first = &board.columns[0];
    let is_one = board
        .columns
        .iter()
        .all(|c| (&c.group, c.scale) == (&first.group, first.scale))
        && board.columns.len() > 1;
    let cells: Vec<Vec<Entry>> = board
        .rows
        .iter()
        .map(|row| {
            row.cells
                .iter()
                .zip(&board.columns)
                .map(|(cell, of)| shown((*cell)?, of.scale))
                .collect()
        })
        .collect();
    let value = |row: usize, column: usize| Some(cells.get(row)?.get(column)?.as_ref()?.0);
    let (all_rows, all_columns) = (0..board.rows.len(), 0..board.columns.len());
    let lead = board
        .columns
        .iter()
        .position(|c| c.better() != Better::Neither);
    let better = if is_one {
        first.better()
    } else {
        lead.map_or(Better::Neither, |at| board.columns[at].better())
    };
    let by_model: Vec<Option<f64>> = match is_one {
        true => all_rows
            .clone()
            .map(|row| mean(all_columns.clone().filter_map(|at| value(row, at))))
            .collect(),
        false => all_rows.clone().map(|row| value(row, lead?)).collect(),
    };
    let models = order(&by_model, better);
    let columns = match is_one {
        true => order(
            &all_columns
                .clone()
                .map(|at| mean(all_rows.clone().filter_map(|row| value(row, at))))
                .collect::<Vec<_>>(),
            better,
        ),
        false => all_columns.clone().collect(),
    };
    let rows = rows.unwrap_or(
        match board.columns.len() > MANY && board.columns.len() > board.rows.len() {
            true => Rows::Columns,
            false => Rows::Models,
        },
    );
    let of_models: Vec<String> = models
        .iter()
        .map(|at| board.rows[*at].model.clone())
        .collect();
    // What all names begin with is said by the title.
    let shared = if is_one { shared(&board.columns) } else { 0 };
    let of_columns: Vec<String> = columns
        .iter()
        .map(|at| board.columns[*at].name[shared..].to_string())
        .collect();
    let each: Vec<Better> = columns
        .iter()
        .map(|at| board.columns[*at].better())
        .collect();
    let entry = |model: usize, column: usize| cells[model][column].clone();
    let sorted = match (is_one, lead) {
        (true, _) => "models and columns by their means, best first".to_string(),
        (false, Some(lead)) => format!("models by {}, best first", board.columns[lead].name),
        (false, None) => "models by name".to_string(),
    };
    let has_shares = board.columns.iter().any(|c| c.scale == Scale::Share);
    let percent = if has_shares {
        "; shares in percent"
    } else {
        ""
    };
    let footer = format!("{} questions{percent}; {sorted}", board.questions);
    let title = if is_one {
        format!("{}: {}*", first.group, &first.name[..shared])
    } else {
        String::new()
    };
    match rows {
        Rows::Models => Grid {
            title,
            cells: models
                .iter()
                .map(|m| columns.iter().map(|c| entry(*m, *c)).collect())
                .collect(),
            rows: of_models,
            columns: of_columns,
            scales: if is_one {
                Scales::One(first.better())
            } else {
                Scales::Columns(each)
            },
            footer,
        },
        Rows::Columns => Grid {
            title,
            cells: columns
                .iter()
                .map(|c| models.iter().map(|m| entry(*m, *c)).collect())
                .collect(),
            rows: of_columns,
            columns: of_models,
            scales: if is_one {
                Scales::One(first.better())
            } else {
                Scales::Rows(each)
            },
            footer,
        },
    }
}

/// Columns that a table has beside each other unless it is asked for; more of them stand below each other.
const MANY: usize = 12;
