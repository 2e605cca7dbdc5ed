//! `benchtop release diff`.

use crate::context::Context;
use crate::out;
use benchtop_model::{Result, clean};
use benchtop_pipeline::release::diff::{ReleaseDiff, diff, load};

/// Ids in each list of the text output.
const SHOWN: usize = 50;

#[derive(clap::Args)]
pub struct Args {
    /// A release of the project, or the folder of one
    a: String,
    /// A later release, or its folder
    b: String,
    /// Print the differences as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    // Folders need no project.
    let project = context.project().ok();
    let a = load(project.as_ref(), &args.a)?;
    let b = load(project.as_ref(), &args.b)?;
    let found = diff(&a, &b);
    out::report(args.json, &found, || text(&found))
}

fn text(found: &ReleaseDiff) -> String {
    let side = |side: &benchtop_pipeline::release::diff::Side| {
        format!(
            "{} ({})",
            clean::line(&side.name),
            out::count(side.items, "item")
        )
    };
    let mut text = format!("{} to {}\n", side(&found.a), side(&found.b));
    let mut list = |title: &str, lines: Vec<String>| {
        text.push_str(&format!("{title}: {}\n", lines.len()));
        for line in lines.iter().take(SHOWN) {
            text.push_str(&format!("  {line}\n"));
        }
        let more = lines.len().saturating_sub(SHOWN);
        if more > 0 {
            text.push_str(&format!("  and {more} more; --json lists all\n"));
        }
    };
    let ids = |ids: &[String]| ids.iter().map(|id| clean::line(id).into_owned()).collect();
    list("added", ids(&found.added));
    list("removed", ids(&found.removed));
    let changed = found.changed.iter();
    let changed =
        changed.map(|item| format!("{}: {}", clean::line(&item.id), item.what.join(", ")));
    list("changed", changed.collect());
    let differs = |name: &&benchtop_pipeline::release::diff::Compared| name.a != name.b;
    let number = |n: Option<f64>| n.map_or("-".to_string(), |n| n.to_string());
    text += "statistics that differ\n";
    for row in found.statistics.iter().filter(differs) {
        text += &format!(
            "  {:<40} {:>12} {:>12}\n",
            clean::line(&row.name),
            number(row.a),
            number(row.b)
        );
    }
    text
}
