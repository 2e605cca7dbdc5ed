//! `benchtop compose`: composes questions from the metadata, into the project or into a file.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{import, out};
use crate::context::Context;
use crate::out::print;
use benchtop_compose::plan::{MAX_SIZE, Plan};
use benchtop_compose::shares::NAMED;
use benchtop_files::bounded;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::{Error, ErrorKind, Item, Result, clean};
use benchtop_pipeline::compose::{self, Chance, Composition, Order, PLAN_LIMIT, Summary};
use benchtop_pipeline::export::{DYSCA, Destination, Exporter, JSONL};
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop compose --dry-run\n  benchtop compose --plan plan.toml --seed 7\n  benchtop compose --count 500 --out questions.json"
)]
pub struct Args {
    /// Plan file, or `dysca` [default: all subtasks and question types in equal parts]
    ///
    /// `dysca` has multiple choice, true or false, and free form in the shares 41, 41, and 19
    /// (Dysca, Table 2). A file of this name comes first.
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Seed of the composition
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of questions [default: all of the plan, or 3000 without a plan]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_SIZE))]
    count: Option<u64>,
    /// Ignore compatibility.toml: allow impossible pictures, hidden answers, and repeats
    #[arg(long)]
    allow_impossible: bool,
    /// Show what would be composed, with an example of each question type
    #[arg(long, conflicts_with = "out")]
    dry_run: bool,
    /// Write to a file instead of the project; `-` is standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Format of the file
    #[arg(long, value_enum, default_value = "dysca", requires = "out")]
    format: Format,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Dysca's JSON
    Dysca,
    /// benchtop's JSONL: one item per line, with its provenance
    Jsonl,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let plan = args.plan.as_deref().map(read).transpose()?;
    if let (Some(text), Some(path)) = (&plan, &args.plan) {
        // Parsed here as well, so that errors name the file: the owner gets only the text.
        Plan::parse(text, path)?;
    }
    let order = Order {
        plan,
        seed: args.seed,
        count: args.count,
        allow_impossible: args.allow_impossible,
    };
    let named = |p: Error| match &args.plan {
        Some(path)
            if p.place
                .field
                .as_deref()
                .is_some_and(|f| f.starts_with("pictures")) =>
        {
            p.file(path)
        }
        _ => p,
    };
    if !args.dry_run && args.out.is_none() {
        let Order {
            plan,
            seed,
            count,
            allow_impossible,
        } = order;
        let ask = request::Compose {
            plan,
            seed,
            count,
            allow_impossible,
        };
        let report = import::waited(&context.client()?, ask, !args.json).map_err(named)?;
        return import::show(&report, args.json);
    }
    let stdout = args.out.as_deref() == Some(Path::new("-"));
    if stdout && args.json {
        return Err(Error::usage(
            "--json and --out - both write to standard output",
        ));
    }
    let project = match context.project() {
        Err(p) if p.kind == ErrorKind::NotFound && context.project.is_none() => None,
        found => Some(found?),
    };
    let (metadata, unreadable) = compose::metadata(project.as_ref())?;
    let composition = Composition::new(&metadata, &unreadable, &order).map_err(named)?;
    let Some(path) = &args.out else {
        let summary = composition.summary(ProgressSink::NONE)?;
        return out::report(args.json, &json!(summary), || text(&summary));
    };
    let export = match args.format {
        Format::Jsonl => &JSONL,
        Format::Dysca => &DYSCA,
    };
    let to = if stdout {
        Destination::Stream(Box::new(out::data()))
    } else {
        Destination::Path(path)
    };
    let (written, left_out) =
        composition.export(Exporter::create(export, to, false)?, ProgressSink::NONE)?;
    if args.json {
        let (dataset, file) = (composition.dataset(), path.display().to_string());
        let notes = composition.repeated();
        let report = json!({
            "dataset": dataset, "questions": written, "left_out": left_out, "out": file, "notes": notes,
        });
        print(&out::json_text(&report))?;
    } else {
        out::tell(format_args!("wrote {}", out::count(written, "question")));
        composition
            .repeated()
            .iter()
            .for_each(|note| out::tell(format_args!("note: {note}")));
        if left_out > 0 {
            out::tell(format_args!(
                "left out {} about image pairs, which this format cannot hold; --format jsonl writes all",
                out::count(left_out, "question")
            ));
        }
    }
    Ok(0)
}

fn read(path: &Path) -> Result<String> {
    let is_named = |(name, _): &&(&str, &str)| path == Path::new(name);
    if let Some((_, text)) = NAMED.iter().find(is_named).filter(|_| !path.exists()) {
        return Ok((*text).to_string());
    }
    let too_large =
        || Error::input(format!("the plan is larger than {} KiB", PLAN_LIMIT >> 10)).file(path);
    let bytes = bounded::read(path, PLAN_LIMIT).map_err(|problem| {
        if problem.kind == ErrorKind::Input {
            too_large()
        } else {
            problem
        }
    })?;
    String::from_utf8(bytes).map_err(|e| {
        let line = e.as_bytes()[..e.utf8_error().valid_up_to()]
            .iter()
            .filter(|b| **b == b'\n')
            .count() as u64
            + 1;
        Error::input("the plan is not UTF-8").file(path).line(line)
    })
}

fn text(summary: &Summary) -> String {
    let Summary {
        dataset,
        questions,
        pictures,
        counts,
        examples,
        notes,
    } = summary;
    let mut out = format!(
        "{dataset}: {} about {}\n\n",
        out::count(*questions, "question"),
        out::count(*pictures, "picture")
    );
    out.push_str(&format!(
        "{:<14} {:<16} {:>9}  chance\n",
        "subtask", "type", "questions"
    ));
    for count in counts {
        let chances: Vec<String> = count
            .chances
            .iter()
            .map(|c| chance(c, count.chances.len() > 1))
            .collect();
        let (subtask, kind) = (&count.subtask, count.kind.name());
        out.push_str(&format!(
            "{subtask:<14} {kind:<16} {:>9}  {}\n",
            count.questions,
            chances.join(", ")
        ));
    }
    for (nth, note) in notes.iter().enumerate() {
        out.push_str(&format!(
            "{}note: {}\n",
            if nth == 0 { "\n" } else { "" },
            clean::line(note)
        ));
    }
    for item in examples {
        out.push_str(&format!("\n{}", example(item)));
    }
    out
}

fn chance(chance: &Chance, several: bool) -> String {
    let level = chance
        .chance
        .map_or("-".into(), |c| format!("{:.1} %", c * 100.0));
    if several {
        format!("{level} of {}", chance.questions)
    } else {
        level
    }
}

fn example(item: &Item) -> String {
    let indent = |text: &str| text.lines().map(|l| format!("  {l}\n")).collect::<String>();
    let mut out = format!(
        "{} ({}, {})\n",
        item.id,
        item.subtask.as_deref().unwrap_or("-"),
        item.kind.name()
    );
    out.push_str(&indent(item.prompt.as_deref().unwrap_or_default()));
    out.push_str(&indent(item.instruction.as_deref().unwrap_or_default()));
    out.push_str(&format!("  => {}\n", item.answer));
    out
}
