//! `benchtop eval`: ask a model the questions of the project, and watch it.

mod judge;
mod pool;

use std::path::Path;

use serde_json::{Value, json};

use self::pool::Pool;
use super::consent;
use super::follow::{self, Follow};
use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_files::bounded;
use benchtop_model::evaluation::{BegunRun, MOST_SHUFFLES, NewRun, Orders, Wording};
use benchtop_model::free_form::FreeForm;
use benchtop_model::{Error, ErrorKind, Result, clean};
use benchtop_owner::trust::of_run;
use benchtop_protocol::wire::{SimilarTo, SimilarityAsk, SimilarityReport, request};

/// Bytes of an instruction, at most.
const TEXT_LIMIT: u64 = 1 << 20;

/// Arguments of `eval`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// The model, as its servers call it; its answers go by this name too
    #[arg(long, value_name = "NAME", required = true)]
    model: Option<String>,
    #[command(flatten)]
    pool: Pool,
    /// What the answers go by on the board, in place of the model's name
    #[arg(long, value_name = "LABEL")]
    name: Option<String>,
    /// Only the items that pass these filter words
    #[arg(long, value_name = "WORDS", default_value = "")]
    filter: String,
    /// Only so many of them, drawn
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Seed of the sample and of shuffles
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Ask without pictures
    #[arg(long)]
    blind: bool,
    /// Ask each question with its options in so many drawn orders
    #[arg(long, value_name = "K", conflicts_with = "circular", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_SHUFFLES)))]
    shuffles: Option<u32>,
    /// Ask each question with every rotation of its options
    #[arg(long)]
    circular: bool,
    /// `paper`: the item's own words, or those of its paper; `plain`, or another of metadata/instruct/; or a file
    #[arg(long, value_name = "NAME", default_value = "paper")]
    instruction: String,
    /// What a million tokens of questions cost
    #[arg(long, value_name = "PRICE", default_value_t = 0.0)]
    price_in: f64,
    /// What a million tokens of answers cost
    #[arg(long, value_name = "PRICE", default_value_t = 0.0)]
    price_out: f64,
    /// Ask about drafts too
    #[arg(long)]
    drafts: bool,
    /// Begin the job and leave it to the owner
    #[arg(long, conflicts_with = "dry_run")]
    detach: bool,
    /// Print how far it is as JSON lines
    #[arg(long, conflicts_with_all = ["detach", "dry_run"])]
    json_progress: bool,
    /// Say what would be asked, and ask nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the outcome as one JSON object
    #[arg(long, conflicts_with = "json_progress")]
    json: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// Compare free-form answers with what the items say, by the meaning of their words
    Similarity(SimilarityArgs),
    /// Show a language model the answers that `strict` cannot read; `board --rule strict+judge` goes by what it reads
    Judge(judge::Args),
}

/// Arguments of `eval similarity`.
#[derive(clap::Args)]
struct SimilarityArgs {
    /// Whose answers; of all models otherwise
    #[arg(value_name = "MODEL")]
    models: Vec<String>,
    /// `dysca-code`: with the short answer, rounded to two decimals, as the released code does; `dysca-paper`: with the
    /// prompt of the picture, as the paper says
    #[arg(long, value_name = "RULE", default_value = "dysca-code", value_parser = rule)]
    rule: FreeForm,
    /// The text encoder: a name that `benchtop models list` shows, or a folder
    #[arg(long, value_name = "NAME", default_value = "minilm")]
    encoder: String,
    /// Say what was compared before, and compare nothing
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

/// Runs it.
///
/// # Errors
/// What is wrong with the wishes, and when there is nothing to ask. A job that ends with questions set aside, or does not
/// end, gives the exit code 1.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    match &args.what {
        Some(What::Similarity(args)) => return similarity(context, args),
        Some(What::Judge(args)) => return judge::run(context, args),
        None => {}
    }
    let new = wishes(args)?;
    let mut follower = Follow::connect(context)?;
    // Who names hosts and a variable in a command agrees to them.
    let to = if new.dry { Vec::new() } else { of_run(&new)? };
    let begun = follower.client().ask_agreed(
        consent::elsewhere(to),
        request::Evaluate(Box::new(new)),
        &mut |_| (),
    )?;
    let job = begun.job.clone().filter(|_| !args.detach);
    follow::begun(
        &mut follower,
        job,
        (&value(&begun), &text(&begun)),
        (args.json, args.json_progress),
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
    // A folder is meant from where the command runs, not from where the owner does.
    let folder = std::fs::canonicalize(&args.encoder)
        .ok()
        .filter(|path| path.is_dir());
    let encoder = folder.map_or_else(
        || args.encoder.clone(),
        |path| path.to_string_lossy().into_owned(),
    );
    let ask = SimilarityAsk {
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
    if *json {
        return print(&out::json_text(&json!(report))).map(|()| 0);
    }
    let SimilarityReport {
        encoder,
        rule,
        pairs,
        cut,
        models,
    } = report;
    let mut out = format!("{pairs} pairs of texts compared by {encoder}, counted by {rule}\n");
    if cut > 0 {
        out.push_str(&format!(
            "note: {cut} texts are longer than it reads; of those the beginning counts\n"
        ));
    }
    for SimilarTo {
        model,
        answers,
        compared,
        mean,
    } in models
    {
        let mean = mean.map_or("none".into(), |mean| format!("{:.2}", 100.0 * mean));
        let model = clean::line(&model);
        out.push_str(&format!(
            "{mean:>8}  {compared} of {answers} free-form answers  {model}\n"
        ));
    }
    print(&out).map(|()| 0)
}

fn wishes(args: &Args) -> Result<NewRun> {
    let orders = match (args.circular, args.shuffles) {
        (true, _) => Orders::Circular,
        (false, Some(n)) => Orders::Shuffles(n),
        (false, None) => Orders::AsIs,
    };
    Ok(NewRun {
        model: args.model.clone().unwrap_or_default(),
        name: args.name.clone(),
        servers: args.pool.servers(),
        filter: args.filter.clone(),
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
        dry: args.dry_run,
        drafts: args.drafts,
    })
}

/// A price in millionths.
fn price(price: f64, field: &str) -> Result<u64> {
    match (0.0..=1e6).contains(&price) {
        true => Ok((price * 1e6).round() as u64),
        false => Err(Error::new(
            ErrorKind::Usage,
            format!("{price} is no price: from 0 to 1000000"),
        )
        .field(field)),
    }
}

/// A name, or what a file holds: whatever looks like a path is one.
fn wording(instruction: &str) -> Result<Wording> {
    if instruction == "paper" {
        return Ok(Wording::Paper);
    }
    if !instruction.contains(['/', '.']) {
        return Ok(Wording::Named(instruction.to_string()));
    }
    let path = Path::new(instruction);
    let text =
        bounded::text(path, TEXT_LIMIT).map_err(|p| p.help("an instruction has at most 1 MiB"))?;
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Ok(Wording::Text { name, text })
}

fn value(begun: &BegunRun) -> Value {
    let BegunRun {
        job,
        label,
        items,
        asks,
        without,
        waits,
        drafts,
    } = begun;
    json!({
        "event": "begun", "job": job.as_ref().map(super::jobs::value), "label": label, "items": items, "questions": asks,
        "without_picture": without, "waits": waits, "drafts": drafts,
    })
}

fn text(begun: &BegunRun) -> String {
    let BegunRun {
        job,
        label,
        items,
        asks,
        without,
        drafts,
        ..
    } = begun;
    let head = job
        .as_ref()
        .map_or("would ask".into(), |job| format!("job {} asks", job.id));
    let mut out =
        format!("{head} {asks} questions about {items} items; the answers go by `{label}`\n");
    if *without > 0 {
        out.push_str(&format!(
            "note: {without} items show a picture that is not there: they are set aside\n"
        ));
    }
    if *drafts > 0 {
        out.push_str(&format!(
            "note: {drafts} items show a draft, which is no picture of a model\n"
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_a_name_or_a_file() {
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
