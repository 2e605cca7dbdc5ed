//! `benchtop coverage`: counts of items by two properties, and the terms whose items fail most.

use serde_json::json;

use crate::context::Context;
use crate::out::{self, json_line, print};
use benchtop_model::usage::{FailingTerm, Grid, Tally};
use benchtop_model::{Filter, Result, Status, clean};
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop coverage --rows subtask --columns style\n  benchtop coverage --failing 20"
)]
pub struct Args {
    /// Property of the rows: subject, subtask, type, style, or a vocabulary
    #[arg(long, default_value = "subject", value_name = "PROPERTY")]
    rows: String,
    /// Property of the columns
    #[arg(long, default_value = "style", value_name = "PROPERTY")]
    columns: String,
    /// Count only items that match this filter
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// List the terms whose items fail most, among terms with at least N judged items
    #[arg(long, value_name = "N", conflicts_with_all = ["rows", "columns", "filter"])]
    failing: Option<u64>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let client = context.client()?;
    let mut out = Vec::new();
    if let Some(judged) = args.failing {
        let list = client.ask(request::Failing(judged))?;
        list.iter()
            .try_for_each(|f| failing(f, args.json, &mut out))?;
    } else {
        let ask = request::Grid {
            rows: args.rows.clone(),
            columns: args.columns.clone(),
            filter: Filter::parse(args.filter.as_deref().unwrap_or_default())?,
        };
        let grid = client.ask(ask)?;
        if args.json {
            cells(&grid, args, &mut out)?
        } else {
            out.extend(table(&grid).bytes())
        }
    }
    print(&String::from_utf8_lossy(&out)).map(|()| 0)
}

pub(super) fn tally(tally: &Tally) -> serde_json::Value {
    let mut counts: serde_json::Map<_, _> = Status::ALL
        .iter()
        .map(|s| (s.name().to_string(), tally.count(*s).into()))
        .collect();
    counts.insert("items".into(), tally.all().into());
    counts.into()
}

fn failing(failing: &FailingTerm, as_json: bool, out: &mut Vec<u8>) -> Result<()> {
    let FailingTerm {
        vocabulary,
        term,
        items,
        at_least,
    } = failing;
    if as_json {
        let value = json!({"vocabulary": vocabulary, "term": term, "items": tally(items), "rejected_at_least": at_least});
        return json_line(out, &value);
    }
    let judged = items.count(Status::Accepted) + items.count(Status::Rejected);
    let rejected = items.count(Status::Rejected);
    let term = clean::line(term);
    let line = format!(
        "{vocabulary}\t{term}\t{rejected} of {judged} rejected\tat least {:.1} %\n",
        at_least * 100.0
    );
    out.extend(line.bytes());
    Ok(())
}

/// Writes one object for each cell that has items or that the rules exclude.
fn cells(grid: &Grid, args: &Args, out: &mut Vec<u8>) -> Result<()> {
    let across = grid.columns.len();
    for (at, cell) in grid.cells.iter().enumerate() {
        let why = grid.exclusion_reason(at);
        if cell.all() == 0 && why.is_none() {
            continue;
        }
        let (row, column) = (&grid.rows[at / across].0, &grid.columns[at % across].0);
        let mut value = tally(cell);
        if let Some(object) = value.as_object_mut() {
            object.insert("row".into(), json!({"property": args.rows, "value": row}));
            object.insert(
                "column".into(),
                json!({"property": args.columns, "value": column}),
            );
            if let Some(why) = why {
                object.insert("excluded".into(), why.into());
            }
        }
        json_line(out, &value)?;
    }
    Ok(())
}

/// The number of possible cells with items, and the reasons for the excluded ones. Empty if no cell
/// is excluded.
fn excluded(grid: &Grid) -> String {
    if grid.excluded.is_empty() {
        return String::new();
    }
    let (possible, filled) = grid.filled();
    let mut text = format!(
        "\n{filled} of {possible} possible cells have items; × marks {} that the rules exclude:\n",
        out::count(grid.excluded.len(), "cell")
    );
    let mut reasons: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    grid.excluded
        .iter()
        .for_each(|(_, why)| *reasons.entry(why).or_default() += 1);
    for (why, cells) in reasons {
        let cells = out::count(cells, "cell");
        text.push_str(&format!("{cells}\t{}\n", clean::line(why)));
    }
    text
}

/// The table with totals, tab-separated.
fn table(grid: &Grid) -> String {
    let mut out = String::new();
    for (name, _) in &grid.columns {
        out.push('\t');
        out.push_str(&clean::line(name));
    }
    out.push_str("\ttotal\n");
    for (at, (name, total)) in grid.rows.iter().enumerate() {
        out.push_str(&clean::line(name));
        for cell in at * grid.columns.len()..(at + 1) * grid.columns.len() {
            match (
                grid.cells.get(cell).map_or(0, Tally::all),
                grid.exclusion_reason(cell),
            ) {
                (0, Some(_)) => out.push_str("\t×"),
                (items, _) => out.push_str(&format!("\t{items}")),
            }
        }
        out.push_str(&format!("\t{}\n", total.all()));
    }
    out.push_str(&excluded(grid));
    out
}
