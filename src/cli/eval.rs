//! `benchtop eval`: starts a job that asks a model the questions of the project, and watches it.

mod judge;
mod pool;

use std::path::Path;

use serde_json::{Value, json};

use self::pool::Pool;
use super::consent;
use super::follow::{self, Follow, FollowOptions};
use super::limits::Limits;
use crate::context::Context;
use crate::out;
use benchtop_files::bounded;
use benchtop_model::evaluation::{MAX_SHUFFLES, NewRun, OptionOrders, StartedRun, Wording, micros};
use benchtop_model::free_form::FreeForm;
use benchtop_model::{Error, Result, clean};
use benchtop_owner::trust::of_run;
use benchtop_protocol::wire::{ModelSimilarity, SimilarityReport, SimilarityRequest, request};

/// Maximum size of an instruction in bytes.
const TEXT_LIMIT: u64 = 1 << 20;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(
    after_help = "Examples:\n  benchtop eval --model my-model --endpoint http://127.0.0.1:8000/v1 --dry-run\n  benchtop eval --model gpt-4o --endpoint https://api.openai.com/v1 --key-env OPENAI_API_KEY --sample 200"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Model name, as its server knows it
    #[arg(long, value_name = "NAME", required = true)]
    model: Option<String>,
    #[command(flatten)]
    pool: Pool,
    /// Name of the answers on the board [default: the model name]
    #[arg(long, value_name = "LABEL")]
    name: Option<String>,
    /// Ask only about items that match this filter
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Ask only about a random sample of N items
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Seed of the sample and the shuffles
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Ask without the pictures
    #[arg(long)]
    blind: bool,
    /// Ask each question with its options in K random orders
    #[arg(long, value_name = "K", conflicts_with = "circular", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SHUFFLES)))]
    shuffles: Option<u32>,
    /// Ask each question with every rotation of its options (CircularEval)
    #[arg(long)]
    circular: bool,
    /// Instruction around the question: `paper`, a name in metadata/instruct/, or a file
    ///
    /// `paper` uses the item's own instruction, or the one of its paper. `plain` is always
    /// available.
    #[arg(long, value_name = "NAME", default_value = "paper")]
    instruction: String,
    /// Price of a million input tokens
    #[arg(long, value_name = "PRICE", default_value_t = 0.0)]
    price_in: f64,
    /// Price of a million output tokens
    #[arg(long, value_name = "PRICE", default_value_t = 0.0)]
    price_out: f64,
    #[command(flatten)]
    limits: Limits,
    /// Include items that show a draft picture
    #[arg(long)]
    drafts: bool,
    #[command(flatten)]
    follow: FollowOptions,
}

#[derive(clap::Subcommand)]
enum What {
    /// Score free-form answers by their semantic similarity to the reference
    Similarity(SimilarityArgs),
    /// Let a language model read the answers that no rule can read, or grade free-form answers
    ///
    /// The judge reads answers that the rule `strict` cannot read. `benchtop board --rule
    /// strict+judge` uses its readings. With `--grade`, it grades free-form answers for the rule
    /// `strict+grade`.
    Judge(judge::Args),
}

#[derive(clap::Args)]
struct SimilarityArgs {
    /// Models whose answers are compared [default: all]
    #[arg(value_name = "MODEL")]
    models: Vec<String>,
    /// Reference text: `dysca-code` (the short answer) or `dysca-paper` (the prompt of the picture)
    ///
    /// `dysca-code` follows the released code and rounds to two decimals. `dysca-paper` follows the
    /// paper.
    #[arg(long, value_name = "RULE", default_value = "dysca-code", value_parser = rule)]
    rule: FreeForm,
    /// Text encoder: a name from `benchtop models list`, or a folder
    #[arg(long, value_name = "NAME", default_value = "minilm")]
    encoder: String,
    /// Show the stored results, without computing new ones
    #[arg(long)]
    dry_run: bool,
    /// Print the outcome as one JSON object
    #[arg(long)]
    json: bool,
}

fn rule(name: &str) -> std::result::Result<FreeForm, String> {
    FreeForm::from_name(name)
        .ok_or_else(|| format!("one of: {}", FreeForm::ALL.map(FreeForm::name).join(", ")))
}

/// The exit code is 1 unless the job completes and every question got an answer.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    match &args.what {
        Some(What::Similarity(args)) => return similarity(context, args),
        Some(What::Judge(args)) => return judge::run(context, args),
        None => {}
    }
    let new = new_run(args)?;
    let mut follower = Follow::connect(context)?;
    // A command line that names the servers and the key variable counts as consent.
    let to = if new.dry { Vec::new() } else { of_run(&new)? };
    let begun = follower.client().ask_agreed(
        consent::elsewhere(to),
        request::Evaluate(Box::new(new), args.limits.budget()),
        &mut |_| (),
    )?;
    let job = begun.job.clone().filter(|_| !args.follow.detach);
    follow::begun(
        &mut follower,
        job,
        (&value(&begun), &text(&begun)),
        (args.follow.json, args.follow.json_progress),
    )
}

fn similarity(context: &Context, args: &SimilarityArgs) -> Result<u8> {
    let SimilarityArgs {
        models,
        rule,
        dry_run,
        json,
        ..
    } = args;
    // Made absolute because the owner runs in another folder.
    let folder = std::fs::canonicalize(&args.encoder)
        .ok()
        .filter(|path| path.is_dir());
    let encoder = folder.map_or_else(
        || args.encoder.clone(),
        |path| path.to_string_lossy().into_owned(),
    );
    let ask = SimilarityRequest {
        models: models.clone(),
        rule: *rule,
        encoder,
        dry: *dry_run,
    };
    let report = super::import::waited(
        &context.client()?,
        request::Similarity(Box::new(ask)),
        !json,
    )?;
    out::report(*json, &json!(report), || similarities(&report))
}

fn similarities(report: &SimilarityReport) -> String {
    let SimilarityReport {
        encoder,
        rule,
        pairs,
        cut,
        models,
    } = report;
    let mut out = format!(
        "{} compared by {encoder}, rule {rule}\n",
        out::count(*pairs, "pair")
    );
    if *cut > 0 {
        out.push_str(&format!(
            "note: {} too long for the encoder; only the beginning counts\n",
            out::count(*cut, "text")
        ));
    }
    for ModelSimilarity {
        model,
        answers,
        compared,
        mean,
    } in models
    {
        let mean = mean.map_or("-".into(), |mean| format!("{:.2}", 100.0 * mean));
        let model = clean::line(model);
        out.push_str(&format!(
            "{mean:>8}  {compared} of {answers} free-form answers  {model}\n"
        ));
    }
    out
}

fn new_run(args: &Args) -> Result<NewRun> {
    let orders = match (args.circular, args.shuffles) {
        (true, _) => OptionOrders::Circular,
        (false, Some(n)) => OptionOrders::Shuffles(n),
        (false, None) => OptionOrders::AsIs,
    };
    Ok(NewRun {
        model: args.model.clone().unwrap_or_default(),
        name: args.name.clone(),
        servers: args.pool.servers(),
        filter: args.filter.clone().unwrap_or_default(),
        sample: args.sample,
        seed: args.seed,
        blind: args.blind,
        orders,
        wording: wording(&args.instruction)?,
        max_tokens: args.pool.max_tokens,
        tries: args.pool.tries,
        prices: (
            price(args.price_in, "price-in")?,
            price(args.price_out, "price-out")?,
        ),
        dry: args.follow.dry_run,
        drafts: args.drafts,
    })
}

/// Converts a price to millionths.
fn price(price: f64, field: &str) -> Result<u64> {
    micros(price).ok_or_else(|| {
        Error::usage(format!("the price {price} is not between 0 and 1000000")).field(field)
    })
}

/// `paper`, a name, or the content of a file. A value with `/` or `.` is a file.
fn wording(instruction: &str) -> Result<Wording> {
    if instruction == "paper" {
        return Ok(Wording::Paper);
    }
    if !instruction.contains(['/', '.']) {
        return Ok(Wording::Named(instruction.to_string()));
    }
    let path = Path::new(instruction);
    let text =
        bounded::text(path, TEXT_LIMIT).map_err(|p| p.help("name a text file of at most 1 MiB"))?;
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Ok(Wording::Text { name, text })
}

fn value(begun: &StartedRun) -> Value {
    json!({
        "event": "begun", "job": begun.job.as_ref().map(super::jobs::value), "label": begun.label,
        "items": begun.items, "questions": begun.asks, "without_picture": begun.without,
        "waits": begun.waits, "drafts": begun.drafts,
    })
}

fn text(begun: &StartedRun) -> String {
    let head =
        (begun.job.as_ref()).map_or("Would ask".into(), |job| format!("Job {} asks", job.id));
    let mut text = format!(
        "{head} {} about {}. The answers are named `{}`.\n",
        out::count(begun.asks, "question"),
        out::count(begun.items, "item"),
        begun.label
    );
    let mut note = |n: u64, what: &str| {
        if n > 0 {
            text.push_str(&format!("note: {} {what}\n", out::count(n, "item")));
        }
    };
    note(begun.without, "without a picture file, set aside");
    note(begun.drafts, "with a draft picture");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;

    #[test]
    fn reads_instructions_and_prices() {
        assert_eq!(wording("paper").unwrap(), Wording::Paper);
        assert_eq!(wording("mm-sap").unwrap(), Wording::Named("mm-sap".into()));
        assert_eq!(
            wording("./no-such-file.toml").unwrap_err().kind,
            ErrorKind::NotFound
        );
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mine.toml");
        std::fs::write(&file, "version = 1").unwrap();
        let text = Wording::Text {
            name: "mine".into(),
            text: "version = 1".into(),
        };
        assert_eq!(wording(file.to_str().unwrap()).unwrap(), text);
        assert_eq!(
            (
                price(0.15, "p").unwrap(),
                price(f64::NAN, "p").is_err(),
                price(-1.0, "p").is_err()
            ),
            (150_000, true, true)
        );
    }
}
