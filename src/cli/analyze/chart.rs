//! Charts of a board: bars of one column or one model with intervals, or a shaded table.

use std::path::{Path, PathBuf};

use super::draws::Draws;
use super::source;
use crate::board::{self, Of};
use crate::context::Context;
use crate::out::print;
use benchtop_formats::chart::{Bar, Bars, Entry, Grid, LONGEST, Scales, Scene};
use benchtop_metrics::statistics::{Z95, p_text, wilson};
use benchtop_model::analysis::{Intervals, ScoreInterval, What};
use benchtop_model::board::{Better, Board, Cell, Column, Scale};
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, Result};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop analyze chart --out accuracy.svg --column Acc\n  benchtop analyze chart --out styles.png --columns 'Acc.style.*'"
)]
pub struct Args {
    #[command(flatten)]
    of: Of,
    /// Draw bars of this column, best first [default: the main column]
    #[arg(long, value_name = "COLUMN", conflicts_with = "columns")]
    column: Option<String>,
    /// Draw a shaded table of these columns instead; may contain `*` and `?`
    #[arg(long, value_name = "GLOB")]
    columns: Option<String>,
    /// Draw bars of this model over --columns instead of the table
    #[arg(long, value_name = "MODEL", requires = "columns")]
    model: Option<String>,
    /// Rows of the table [default: columns if more than 12 and more than models]
    #[arg(
        long,
        value_enum,
        value_name = "models|columns",
        requires = "columns",
        conflicts_with = "model"
    )]
    rows: Option<Rows>,
    /// Output file, .svg or .png; a PNG longer than 2,000 pixels is split into FILE-1.png,
    /// FILE-2.png, ...
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    draws: Draws,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Rows {
    Models,
    Columns,
}

#[derive(Clone, Copy)]
enum Form {
    Svg,
    Png,
}

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
            let what = format!("unknown chart format: {}", args.out.display());
            return Err(Error::usage(what).help("name a .svg or .png file"));
        }
    };
    let longest = if matches!(form, Form::Png) {
        Some(LONGEST)
    } else {
        None
    };
    let source = source::open(context, &args.of)?;
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
                .analyzed(What::Intervals(Intervals { columns, plan }))?
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

/// The file of one part: `board-2.png` for `board.png`.
fn numbered(path: &Path, part: usize) -> PathBuf {
    let text =
        |name: Option<&std::ffi::OsStr>| name.unwrap_or_default().to_string_lossy().into_owned();
    path.with_file_name(format!(
        "{}-{part}.{}",
        text(path.file_stem()),
        text(path.extension())
    ))
}

fn write(scene: &Scene, path: &Path, form: Form) -> Result<()> {
    let mut bytes = Vec::new();
    match form {
        Form::Svg => scene.svg(&mut bytes)?,
        Form::Png => scene.png(&mut bytes)?,
    }
    benchtop_files::disk::write_atomic(path, &bytes)
}

/// The label of the axis.
fn unit(scale: Scale) -> &'static str {
    match scale {
        Scale::Share => "percent",
        Scale::Squared => "squared points, lower is better",
        Scale::Points => "points",
        Scale::Spread => "points, lower is better",
        Scale::P => "p",
    }
}

/// Bars of the cells of one model, best first, with Wilson intervals.
fn of_model(board: &Board, model: &str) -> Result<Bars> {
    let Some(row) = board.rows.iter().find(|row| row.model == model) else {
        let names: Vec<&str> = board.rows.iter().map(|row| row.model.as_str()).collect();
        return Err(Error::not_found(format!("no model `{model}`"))
            .help(format!("the models: {}", names.join(", "))));
    };
    let mut cells: Vec<(&Column, Cell, f64)> = row
        .cells
        .iter()
        .zip(&board.columns)
        .filter_map(|(cell, of)| Some((of, (*cell)?, shown((*cell)?, of.scale)?.0)))
        .collect();
    let Some(scale) = cells.first().map(|(of, ..)| of.scale) else {
        return Err(Error::not_found(format!(
            "{model} has no score in these columns"
        )));
    };
    if cells.iter().any(|(of, ..)| of.scale != scale) {
        let problem = Error::usage("these columns have different units, but bars share one axis");
        return Err(
            problem.help("choose columns of one group, such as `Acc.style.*`, or omit --model")
        );
    }
    sort_by(&mut cells, |a, b| {
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
            "best first; 95 % Wilson intervals".into()
        } else {
            "best first".into()
        },
    })
}

fn bars(list: &[ScoreInterval], draws: u32) -> Result<Bars> {
    let Some(first) = list.first() else {
        return Err(
            Error::not_found("no model has a score in this column").help("choose another column")
        );
    };
    let mut sorted: Vec<&ScoreInterval> = list.iter().collect();
    sort_by(&mut sorted, |a, b| {
        first
            .scale
            .better()
            .order(a.value, b.value)
            .then_with(|| a.model.cmp(&b.model))
    });
    let bar = |s: &&ScoreInterval| Bar {
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
            "95 % intervals of the true SC; noise: the expected SC if all styles were equal".into()
        }
        (true, _) => {
            format!("95 % intervals, {draws} draws of {clusters} images, pairs, or questions")
        }
        (false, true) => format!(
            "95 % intervals, {draws} draws of {clusters} images, pairs, or questions; Wilson intervals where \
             resampling is impossible"
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

/// The value of a cell on the chart's axis, and its text.
fn shown(cell: Cell, scale: Scale) -> Entry {
    let value = scale.unit() * cell.value()?;
    Some(match scale {
        // Subtracting the noise can make the estimate of a variance negative.
        Scale::Squared => (value.max(0.0), format!("{:.2}", value.max(0.0))),
        Scale::P => (value, p_text(value)),
        _ => (value, format!("{value:.2}")),
    })
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0_u32), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

/// The order of the rows by score, best first. Rows without a score come last, in their old order.
fn order(scores: &[Option<f64>], better: Better) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    sort_by(&mut order, |a, b| match (scores[*a], scores[*b]) {
        (Some(a), Some(b)) => better.order(a, b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    order
}

/// The length in bytes of the prefix that all column names share, up to a dot.
fn shared(columns: &[Column]) -> usize {
    let first = columns.first().map_or("", |c| c.name.as_str());
    let dots = first.match_indices('.').map(|(at, _)| at + 1);
    dots.filter(|at| columns.iter().all(|c| c.name.starts_with(&first[..*at])))
        .max()
        .unwrap_or(0)
}

/// A shaded table. If all columns belong to one group, they share one color scale, and models and
/// columns are sorted by their means. Otherwise each column has its own color scale, models are
/// sorted by the first column that has a better end, and columns keep the order of the board.
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
    // The title shows the prefix that all names share.
    let shared = if is_one { shared(&board.columns) } else { 0 };
    let of_columns: Vec<String> = columns
        .iter()
        .map(|at| board.columns[*at].name[shared..].to_string())
        .collect();
    let each: Vec<Better> = columns
        .iter()
        .map(|at| board.columns[*at].better())
        .collect();
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
    let entry = |model: usize, column: usize| cells[model][column].clone();
    let (cells, rows, columns, each) = match rows {
        Rows::Models => {
            let row = |m: &usize| columns.iter().map(|c| entry(*m, *c)).collect();
            let cells = models.iter().map(row).collect();
            (cells, of_models, of_columns, Scales::Columns(each))
        }
        Rows::Columns => {
            let row = |c: &usize| models.iter().map(|m| entry(*m, *c)).collect();
            let cells = columns.iter().map(row).collect();
            (cells, of_columns, of_models, Scales::Rows(each))
        }
    };
    Grid {
        title,
        cells,
        rows,
        columns,
        scales: match is_one {
            true => Scales::One(first.better()),
            false => each,
        },
        footer,
    }
}

/// Tables with more columns than this show them as rows by default.
const MANY: usize = 12;
