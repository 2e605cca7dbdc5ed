//! `benchtop export`: writes items and predictions in an interchange format.
//!
//! | file | what it does |
//! |---|---|
//! | `plan` | what an export would write |
//! | `write`, `tools` | the export, and the part for formats with tables |
//! | `source` | the items and answers that are exported |

mod plan;
mod source;
mod tools;
mod write;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::out;
use crate::context::Context;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::export::{Existing, ExportFormat, ExportPlan, ExportReport, ExportRequest};
use benchtop_model::{Result, clean};
use benchtop_pipeline::export::{self, Answers, EXPORTS, Export, Kind};
pub use plan::plan;
pub use write::write;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop export --format jsonl --filter status:accepted --out accepted.jsonl\n  benchtop export --format vlmevalkit --out vlmevalkit/ --with-predictions"
)]
pub struct Args {
    /// Output format
    #[arg(long, value_parser = format())]
    format: &'static Export,
    /// Output file (dysca, jsonl) or folder (all others) [default: standard output]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Export only items that match this filter, such as `status:accepted`
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Copy the pictures next to the file, under the names in the records
    #[arg(long, alias = "images", requires = "out")]
    pictures: bool,
    /// Include items that show a draft picture, and mark them
    #[arg(long)]
    drafts: bool,
    /// Export the models' answers as well (vlmevalkit; always on for mvp)
    #[arg(long)]
    with_predictions: bool,
    /// Show what would be written, without writing
    #[arg(long)]
    dry_run: bool,
    /// Print the outcome as one JSON object (requires --out or --dry-run)
    #[arg(long)]
    json: bool,
}

/// The formats as values of an option.
fn format() -> impl TypedValueParser<Value = &'static Export> {
    let value = |export: &Export| PossibleValue::new(export.name).help(export.summary);
    PossibleValuesParser::new(EXPORTS.iter().copied().map(value))
        .try_map(|name| export::named(&name).ok_or("no such format"))
}

/// The formats as data.
pub fn formats() -> Vec<ExportFormat> {
    let format = |export: &&Export| ExportFormat {
        name: export.name,
        summary: export.summary,
        is_file: matches!(export.kind, Kind::File(_)),
        has_pictures: matches!(export.kind, Kind::Tables(_)),
        takes_answers: export.answers == Answers::OnRequest,
    };
    EXPORTS.iter().map(format).collect()
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let ask = ExportRequest {
        format: args.format.name.into(),
        out: args.out.clone(),
        filter: args.filter.clone().unwrap_or_default(),
        images: args.pictures,
        drafts: args.drafts,
        with_predictions: args.with_predictions,
    };
    if args.json && !args.dry_run && ask.out.is_none() {
        return Err(benchtop_model::Error::usage(
            "--json needs --out, because the items go to standard output",
        )
        .help("add --out PATH, or --dry-run"));
    }
    write::check_options(args.format, &ask)?;
    let client = context.client()?;
    if args.dry_run {
        let plan = plan(&client, &ask, ProgressSink::NONE)?;
        return out::report(args.json, &plan, || plan_text(&plan));
    }
    let report = write(&client, &ask, || Box::new(out::data()), ProgressSink::NONE)?;
    match args.json {
        true => out::print(&out::json_text(&report))?,
        false => out::tell_text(&report_text(&report)),
    }
    Ok(u8::from(report.set_aside > 0))
}

fn plan_text(plan: &ExportPlan) -> String {
    let mut text = format!(
        "would write {} of {} with {}",
        out::count(plan.items - plan.left_out, "item"),
        out::count(plan.datasets.len() as u64, "data set"),
        out::count(plan.pictures, "picture"),
    );
    if plan.answer_sets > 0 {
        text += &format!(" and {}", out::count(plan.answer_sets, "answer file"));
    }
    if let Some(path) = &plan.out {
        text += &format!(" to {}", clean::line(&path.to_string_lossy()));
    }
    text.push('\n');
    for file in &plan.more_files {
        text += &format!("and {}\n", clean::line(&file.to_string_lossy()));
    }
    let mut note = |n: u64, what: &str| {
        if n > 0 {
            text.push_str(&format!("note: {} {what}\n", out::count(n, "item")));
        }
    };
    note(plan.left_out, "that this format cannot hold, left out");
    note(plan.without_file, "without a recorded picture file");
    match plan.existing {
        Existing::Nothing => {}
        Existing::File(bytes) => {
            text += &format!("note: replaces a file of {}\n", out::count(bytes, "byte"));
        }
        Existing::Folder => {
            text += "note: the folder exists; files of the same names are replaced\n"
        }
    }
    if plan.more_replaced > 0 {
        let files = out::count(plan.more_replaced, "further file");
        text += &format!("note: replaces {files}\n");
    }
    text
}

/// The report in lines, as the command prints it.
pub fn report_text(report: &ExportReport) -> String {
    let mut text = format!("wrote {}\n", out::count(report.items, "item"));
    if let Some(answers) = report.answers {
        text += &format!("wrote {}\n", out::count(answers, "answer"));
    }
    if report.unused_answers > 0 {
        text += &format!(
            "left out {} to items that were not exported\n",
            out::count(report.unused_answers, "answer")
        );
    }
    if report.without_picture > 0 {
        let then = report.then;
        text += &format!(
            "wrote {} without a picture{then}\n",
            out::count(report.without_picture, "item")
        );
    }
    for file in &report.more_files {
        let file = file.to_string_lossy();
        text += &format!("wrote {} as well\n", clean::line(&file));
    }
    if report.left_out > 0 {
        let first_problem = report.first_problem.as_deref();
        let first_problem = first_problem.map_or(String::new(), |why| format!(" (first: {why})"));
        text += &format!(
            "left out {} that this format cannot hold{first_problem}; --format jsonl writes all\n",
            out::count(report.left_out, "item")
        );
    }
    for (id, problem) in &report.aside {
        text += &format!("set aside: {id}: {problem}\n");
    }
    if report.set_aside > 0 {
        text += &format!(
            "set aside {} with damaged or missing pictures\n",
            out::count(report.set_aside, "item")
        );
    }
    text
}
