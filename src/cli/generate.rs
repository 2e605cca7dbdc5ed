//! `benchtop generate`: begin a job that makes pictures, and watch it.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::consent;
use super::follow::{self, Follow};
use crate::context::Context;
use benchtop_model::generation::Scheduler;
use benchtop_model::job::{Begun, GenerationOverrides, MOST_SAMPLES, NewJob, Plan};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

/// Bytes of a list of items, at most.
const LIST_LIMIT: u64 = 64 << 20;

/// Arguments of `generate`.
#[derive(clap::Args)]
pub struct Args {
    /// `missing`: pictures that are not there, were made from another prompt, or are drafts where better is to be had;
    /// anything else are filter words, and the pictures of those items are made again
    #[arg(long, default_value = "missing", value_name = "WORDS")]
    plan: String,
    /// The items whose pictures are made: a file with an id or a number a line; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    items: Option<PathBuf>,
    /// Samples of each picture; the newest is shown
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_SAMPLES)))]
    samples: u32,
    /// Seed that the seeds of all pictures follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What the job is called
    #[arg(long)]
    name: Option<String>,
    /// What makes the pictures; as benchtop.toml says otherwise
    #[arg(long)]
    backend: Option<String>,
    /// The model: a name or a folder
    #[arg(long)]
    model: Option<String>,
    /// Width and height in pixels; what suits the model best otherwise, as with what follows
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Denoising steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    steps: Option<u32>,
    /// Classifier-free guidance scale
    #[arg(long, value_name = "G")]
    guidance: Option<f64>,
    /// euler, euler-ancestral, ddim or dpm++2m
    #[arg(long, value_parser = scheduler)]
    scheduler: Option<Scheduler>,
    /// Pictures made together; as many as the generator takes otherwise
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    batch: Option<u32>,
    /// At most so many pictures a minute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    per_minute: Option<u32>,
    /// Watch the job until it is over: what happens where none of the next three is said
    #[arg(long, conflicts_with_all = ["detach", "json_progress", "dry_run"])]
    watch: bool,
    /// Begin the job and leave it to the owner
    #[arg(long, conflicts_with = "dry_run")]
    detach: bool,
    /// Print how far it is as JSON lines
    #[arg(long, conflicts_with_all = ["detach", "dry_run"])]
    json_progress: bool,
    /// Say what would be made, and make nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the outcome as one JSON object
    #[arg(long, conflicts_with = "json_progress")]
    json: bool,
}

fn size(text: &str) -> std::result::Result<(u32, u32), String> {
    let sides = text
        .split_once('x')
        .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    sides
        .filter(|(w, h)| *w > 0 && *h > 0)
        .ok_or_else(|| "expected WxH in pixels, such as 1024x768".into())
}

fn scheduler(name: &str) -> std::result::Result<Scheduler, String> {
    Scheduler::from_name(name)
        .ok_or_else(|| format!("one of: {}", Scheduler::ALL.map(Scheduler::name).join(", ")))
}

/// Runs it.
///
/// # Errors
/// What is wrong with the wishes, and when there is nothing to make. A job that ends with pictures set aside, or does not
/// end, gives the exit code 1.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let mut follower = Follow::connect(context)?;
    let new = NewJob {
        name: args.name.clone(),
        plan: plan(args, follower.client())?,
        samples: args.samples,
        seed: args.seed,
        wishes: GenerationOverrides {
            backend: args.backend.clone(),
            model: args.model.clone(),
            size: args.size,
            steps: args.steps,
            guidance: args.guidance,
            scheduler: args.scheduler,
        },
        batch: args.batch,
        per_minute: args.per_minute,
        dry: args.dry_run,
    };
    let begun = begin(follower.client(), new)?;
    if begun.job.is_none() && !args.json && !args.json_progress {
        consent::note(begun.waits.as_deref())?;
    }
    let job = begun.job.clone().filter(|_| args.watch || !args.detach);
    follow::begun(
        &mut follower,
        job,
        (&value(&begun), &text(&begun)),
        (args.json, args.json_progress),
    )
}

/// Begins the job; where benchtop.toml names servers that the person has not agreed to, they are asked.
fn begin(client: &Client, new: NewJob) -> Result<Begun> {
    match client.ask(request::Generate(Box::new(new.clone()))) {
        Err(refusal) if refusal.kind == ErrorKind::Denied && !new.dry => {
            let dry = request::Generate(Box::new(NewJob {
                dry: true,
                ..new.clone()
            }));
            let counted = client.ask(dry)?;
            consent::begin(
                client,
                counted.waits.as_deref(),
                refusal,
                request::Generate(Box::new(new)),
            )
        }
        answer => answer,
    }
}

fn plan(args: &Args, client: &Client) -> Result<Plan> {
    let Some(path) = &args.items else {
        return Ok(if args.plan == "missing" {
            Plan::Missing
        } else {
            Plan::Filter(args.plan.clone())
        });
    };
    let text = read(path)?;
    let mut numbers = Vec::new();
    for (at, word) in text
        .lines()
        .map(str::trim)
        .enumerate()
        .filter(|(_, w)| !w.is_empty())
    {
        let number = match word.trim_start_matches('#').parse() {
            Ok(number) => Some(number),
            Err(_) => client.ask(request::NumberOf(word.to_string()))?,
        };
        let none =
            || Error::new(ErrorKind::NotFound, format!("there is no item `{word}`")).file(path);
        numbers.push(number.ok_or_else(|| none().line(at as u64 + 1))?);
    }
    if numbers.is_empty() {
        return Err(Error::input("no item is named").file(path));
    }
    Ok(Plan::Items(numbers))
}

fn read(path: &Path) -> Result<String> {
    let fail = |e: std::io::Error| Error::io(&e, "the items cannot be read", path);
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(LIST_LIMIT)
            .read_to_string(&mut text)
    } else {
        std::fs::File::open(path)
            .map_err(fail)?
            .take(LIST_LIMIT)
            .read_to_string(&mut text)
    };
    read.map_err(fail)?;
    Ok(text)
}

fn value(begun: &Begun) -> Value {
    let Begun {
        job,
        pictures,
        items,
        imported,
        without,
        disagree,
        generator,
        waits,
    } = begun;
    json!({
        "event": "begun", "job": job.as_ref().map(super::jobs::value), "pictures": pictures, "items": items,
        "imported": imported, "without": without, "disagree": disagree, "generator": generator,
        "waits": waits,
    })
}

fn text(begun: &Begun) -> String {
    let Begun {
        job,
        pictures,
        items,
        imported,
        without,
        disagree,
        generator,
        ..
    } = begun;
    let head = job
        .as_ref()
        .map_or("would make".into(), |job| format!("job {} makes", job.id));
    let mut out = format!("{head} {pictures} pictures of {items} items with {generator}\n");
    let mut more = |n: u64, what: &str| {
        if n > 0 {
            out.push_str(&format!("note: {n} items {what}\n"));
        }
    };
    more(*imported, "came with their picture");
    more(*without, "have no prompt to make one from");
    more(
        *disagree,
        "want another prompt for a picture than the first item that names it: each prompt gets its own",
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_two_sides() {
        assert_eq!(size("1024x768"), Ok((1024, 768)));
        for wrong in ["1024", "0x8", "8x", "axb", "8x-8", "8x8x8"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert!(scheduler("pndm").unwrap_err().contains("dpm++2m"));
    }
}
