//! A board as a picture: bars of one column with intervals, or a shaded table of several.

use std::path::{Path, PathBuf};

use super::Draws;
use super::source::{Of, Source, other};
use crate::cli::{Context, board, print};
use crate::formats::chart::{Bar, Scene};
use crate::metrics::statistics::p_text;
use crate::model::board::{Board, Cell, Scale};
use crate::model::{Kind, Problem, Result};
use crate::pipeline::analysis::{Analysis, Intervals, Sure, What};

/// Arguments of `analyse chart`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    of: Of,
    /// Bars of this column, best first; the leading one otherwise
    #[arg(long, value_name = "COLUMN", conflicts_with = "columns")]
    column: Option<String>,
    /// A shaded table of the columns that match instead
    #[arg(long, value_name = "GLOB")]
    columns: Option<String>,
    /// The picture: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    draws: Draws,
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
/// [`Kind::Usage`] for a file that is neither SVG nor PNG; those of the board; I/O problems of the file.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let form = match args.out.extension().and_then(|e| e.to_str()).map(str::to_lowercase).as_deref() {
        Some("svg") => Form::Svg,
        Some("png") => Form::Png,
        _ => {
            let what = format!("{} ends neither in .svg nor in .png", args.out.display());
            return Err(Problem::new(Kind::Usage, what).help("the ending says how the picture is written"));
        }
    };
    let source = Source::open(context, &args.of)?;
    let scene = match &args.columns {
        Some(globs) => {
            let mut board = source.board()?;
            board::choose(&mut board, globs)?;
            table(&board)
        }
        None => {
            let columns = args.column.iter().cloned().collect();
            let plan = args.draws.plan();
            let Analysis::Sure(list) = source.analysed(What::Intervals(Intervals { columns, plan }))? else {
                return Err(other());
            };
            bars(&list, plan.draws)?
        }
    };
    write(&scene, &args.out, form)?;
    print(&format!("{}\n", args.out.display())).map(|()| 0)
}

/// Writes the picture beside its place first, so that no half of one is ever there.
fn write(scene: &Scene, path: &Path, form: Form) -> Result<()> {
    let mut bytes = Vec::new();
    match form {
        Form::Svg => scene.svg(&mut bytes)?,
        Form::Png => scene.png(&mut bytes)?,
    }
    crate::store::disk::write_atomic(path, &bytes)
}

fn bars(list: &[Sure], draws: u32) -> Result<Scene> {
    let Some(first) = list.first() else {
        return Err(Problem::new(Kind::NotFound, "no model has a number in this column").help("choose another column"));
    };
    let is_low_good = matches!(first.scale, Scale::Squared | Scale::Spread);
    let mut sorted: Vec<&Sure> = list.iter().collect();
    sorted.sort_by(|a, b| {
        let order = if is_low_good { a.value.total_cmp(&b.value) } else { b.value.total_cmp(&a.value) };
        order.then_with(|| a.model.cmp(&b.model))
    });
    let bar = |s: &&Sure| Bar {
        label: s.model.clone(),
        value: if s.scale == Scale::Squared { s.value.max(0.0) } else { s.value },
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
    let most = if first.scale == Scale::Share { 100.0 } else { 0.0 };
    let drawn = list.iter().all(|s| s.interval.is_some());
    let clusters = list.iter().map(|s| s.clusters).max().unwrap_or(0);
    let of_sc = list.iter().any(|s| s.sc.is_some());
    let footer = match (drawn, list.iter().any(|s| s.wilson.is_some() || s.interval.is_some())) {
        (true, _) if of_sc => "95 % intervals of the true SC; noise: SC where styles are equal".into(),
        (true, _) => format!("95 % intervals, {draws} draws of {clusters} images, pairs or questions"),
        (false, true) => format!(
            "95 % intervals, {draws} draws of {clusters} images, pairs or questions; Wilson's where none can be drawn"
        ),
        (false, false) => String::new(),
    };
    let unit = match first.scale {
        Scale::Share => " (%)",
        Scale::Squared => " (squared points, less is better)",
        Scale::Points => " (points)",
        Scale::Spread => " (points, less is better)",
        Scale::P => " (p)",
    };
    Ok(Scene::bars(&format!("{}{unit}", first.column), &bars, most, &footer))
}

/// A row of a shaded table: its name, and each number with its text.
type Line = (String, Vec<Option<(f64, String)>>);

fn table(board: &Board) -> Scene {
    let columns: Vec<String> = board.columns.iter().map(|c| c.name.clone()).collect();
    let cell = |cell: Option<Cell>, scale: Scale| {
        let by = if scale == Scale::Share { 100.0 } else { 1.0 };
        let value = by * cell?.value()?;
        Some(match scale {
            Scale::Squared => (value.max(0.0), format!("{:.2}", value.max(0.0))),
            Scale::P => (value, p_text(value)),
            _ => (value, format!("{value:.2}")),
        })
    };
    let rows: Vec<Line> = board
        .rows
        .iter()
        .map(|row| {
            (row.model.clone(), row.cells.iter().zip(&board.columns).map(|(c, of)| cell(*c, of.scale)).collect())
        })
        .collect();
    let footer = format!("{} questions; shares in percent; shaded by column", board.questions);
    Scene::table("", &columns, &rows, &footer)
}
