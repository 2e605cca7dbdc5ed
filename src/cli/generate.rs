//! `benchtop generate`: starts a job that generates pictures, and watches it.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::consent;
use super::follow::{self, Follow, FollowOptions};
use super::limits::Limits;
use super::out::count;
use crate::context::Context;
use benchtop_model::generation::Scheduler;
use benchtop_model::job::{GenerationOverrides, MAX_SAMPLES, NewJob, Plan, StartedJob};
use benchtop_model::{Error, Result};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

/// Maximum size of a list of items in bytes.
const LIST_LIMIT: u64 = 64 << 20;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop generate --dry-run\n  benchtop generate --model sdxl-turbo --steps 4 --detach\n  benchtop generate --filter 'status:to-fix' --samples 3"
)]
pub struct Args {
    /// Generate new pictures for the items that match this filter [default: only missing pictures]
    ///
    /// A picture is missing if it does not exist, was made from another prompt, or is a draft that
    /// the backend can replace. The empty filter selects all items.
    #[arg(long, alias = "plan", value_name = "FILTER")]
    filter: Option<String>,
    /// File that lists the items by id or number, one per line; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "filter")]
    items: Option<PathBuf>,
    /// Samples per picture; the newest is shown
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SAMPLES)))]
    samples: u32,
    /// Seed from which the seeds of all pictures are derived
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Name of the job
    #[arg(long)]
    name: Option<String>,
    /// Backend that generates the pictures [default: from benchtop.toml]
    #[arg(long)]
    backend: Option<String>,
    /// Model: a name or a folder [default: from benchtop.toml]
    #[arg(long)]
    model: Option<String>,
    /// Width and height in pixels [default: depends on the model]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Denoising steps [default: depends on the model]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    steps: Option<u32>,
    /// Classifier-free guidance scale [default: depends on the model]
    #[arg(long, value_name = "G")]
    guidance: Option<f64>,
    /// Scheduler: euler, euler-ancestral, ddim or dpm++2m [default: depends on the model]
    #[arg(long, value_parser = scheduler)]
    scheduler: Option<Scheduler>,
    /// Pictures per batch [default: as many as the backend allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    batch: Option<u32>,
    /// Maximum number of pictures per minute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    per_minute: Option<u32>,
    #[command(flatten)]
    limits: Limits,
    /// Watch the job until it ends (the default)
    #[arg(long, conflicts_with_all = ["detach", "json_progress", "dry_run"])]
    watch: bool,
    #[command(flatten)]
    follow: FollowOptions,
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

/// The exit code is 1 unless the job completes and every picture was generated.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let mut follower = Follow::connect(context)?;
    let new = NewJob {
        name: args.name.clone(),
        plan: plan(args, follower.client())?,
        samples: args.samples,
        seed: args.seed,
        overrides: GenerationOverrides {
            backend: args.backend.clone(),
            model: args.model.clone(),
            size: args.size,
            steps: args.steps,
            guidance: args.guidance,
            scheduler: args.scheduler,
        },
        batch: args.batch,
        per_minute: args.per_minute,
        dry: args.follow.dry_run,
    };
    let ask = |dry| {
        let new = new.clone();
        request::Generate(Box::new(NewJob { dry, ..new }), args.limits.budget())
    };
    let begun = consent::begin(follower.client(), args.follow.dry_run, ask, |begun| {
        begun.waits.as_deref()
    })?;
    if begun.job.is_none() && !args.follow.json && !args.follow.json_progress {
        consent::note(begun.waits.as_deref())?;
    }
    let job = begun
        .job
        .clone()
        .filter(|_| args.watch || !args.follow.detach);
    follow::begun(
        &mut follower,
        job,
        (&value(&begun), &text(&begun)),
        (args.follow.json, args.follow.json_progress),
    )
}

fn plan(args: &Args, client: &Client) -> Result<Plan> {
    let Some(path) = &args.items else {
        return Ok(match args.filter.as_deref() {
            // The earlier way to say that no filter is given.
            None | Some("missing") => Plan::Missing,
            Some(filter) => Plan::Filter(filter.into()),
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
        let none = || Error::not_found(format!("no item `{word}`")).file(path);
        numbers.push(number.ok_or_else(|| none().line(at as u64 + 1))?);
    }
    if numbers.is_empty() {
        return Err(Error::input("the list names no items").file(path));
    }
    Ok(Plan::Items(numbers))
}

fn read(path: &Path) -> Result<String> {
    let fail = |e: std::io::Error| Error::io(&e, "cannot read the list of items", path);
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

fn value(begun: &StartedJob) -> Value {
    json!({
        "event": "begun", "job": begun.job.as_ref().map(super::jobs::value), "pictures": begun.pictures,
        "items": begun.items, "imported": begun.imported, "without": begun.without,
        "disagree": begun.disagree, "generator": begun.generator, "waits": begun.waits,
    })
}

fn text(begun: &StartedJob) -> String {
    let head = begun.job.as_ref().map_or("Would generate".into(), |job| {
        format!("Job {} generates", job.id)
    });
    let mut text = format!(
        "{head} {} for {} with {}.\n",
        count(begun.pictures, "picture"),
        count(begun.items, "item"),
        begun.generator
    );
    let mut note = |n: u64, what: &str| {
        if n > 0 {
            text.push_str(&format!("note: {} {what}\n", count(n, "item")));
        }
    };
    note(begun.imported, "left out: imported with a picture");
    note(begun.without, "left out: no prompt");
    note(
        begun.disagree,
        "with a different prompt than the first item of the same picture: each prompt gets its own picture",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_sizes_and_schedulers() {
        assert_eq!(size("1024x768"), Ok((1024, 768)));
        for wrong in ["1024", "0x8", "8x", "axb", "8x-8", "8x8x8"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert!(scheduler("pndm").unwrap_err().contains("dpm++2m"));
    }
}
