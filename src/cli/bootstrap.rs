//! `benchtop bootstrap`: starts a job that has models make and judge variants of questions and
//! pictures, and watches it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::consent;
use super::follow::{self, Follow, FollowOptions};
use super::limits::Limits;
use super::out::count;
use crate::context::Context;
use benchtop_metrics::vlb::Composition;
use benchtop_model::bootstrap::{BootstrapPlan, NewBootstrap, StartedBootstrap, TRIES};
use benchtop_model::{Result, clean};
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop bootstrap --strategies L1 L4 --dry-run\n  benchtop bootstrap --strategies V1 \"V3(V1)+L4\" --sample 20\n  benchtop bootstrap --strategies L1 L2 \"L4(L1)\" --filter 'subtask:animal' --sample 100 --max-requests 1000"
)]
pub struct Args {
    /// Compositions of strategies, such as L1, V1+L4, or "V3(V1)+L4"; V3@1.25 sets the ratio
    #[arg(long, value_name = "STRATEGY", num_args = 1.., required_unless_present = "plan")]
    strategies: Vec<String>,
    /// A named list of compositions: `pairs` are the 12 of a V and an L strategy
    #[arg(long, value_name = "NAME", value_parser = ["pairs"])]
    plan: Option<String>,
    /// Filter that selects the items [default: all items]
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Seed of all requests
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Use only a random sample of N items
    #[arg(long, alias = "limit", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Tries per strategy, after which the original stands in
    #[arg(long, value_name = "N", default_value_t = TRIES, value_parser = clap::value_parser!(u32).range(1..=20))]
    tries: u32,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    follow: FollowOptions,
}

/// The exit code is 1 unless the job completes and no item failed.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let mut strategies = args.strategies.clone();
    if args.plan.is_some() {
        strategies.extend(Composition::pairs().iter().map(ToString::to_string));
    }
    let mut seen = BTreeSet::new();
    strategies.retain(|text| seen.insert(text.clone()));
    let plan = BootstrapPlan {
        strategies,
        filter: args.filter.clone().unwrap_or_default(),
        seed: args.seed,
        limit: args.sample,
        tries: args.tries,
    };
    let mut follower = Follow::connect(context)?;
    let ask = |dry| {
        let plan = plan.clone();
        request::Bootstrap(Box::new(NewBootstrap { plan, dry }), args.limits.budget())
    };
    let started = consent::begin(follower.client(), args.follow.dry_run, ask, |started| {
        started.waits.as_deref()
    })?;
    if started.job.is_none() && !args.follow.json && !args.follow.json_progress {
        consent::note(started.waits.as_deref())?;
    }
    let job = started.job.clone().filter(|_| !args.follow.detach);
    follow::begun(
        &mut follower,
        job,
        (&value(&plan, &started), &text(&started)),
        (args.follow.json, args.follow.json_progress),
    )
}

fn value(plan: &BootstrapPlan, started: &StartedBootstrap) -> Value {
    let compositions = started.compositions.iter();
    let compositions: Vec<Value> = compositions
        .map(|c| json!({"composition": c.text, "name": c.name, "difficulty": c.difficulty}))
        .collect();
    let excluded = started.excluded.iter();
    let excluded: Vec<Value> = excluded
        .map(|(why, items)| json!({"why": why, "items": items}))
        .collect();
    let (least, most) = started.requests;
    json!({
        "event": "begun", "job": started.job.as_ref().map(super::jobs::value), "plan": plan,
        "sources": started.sources, "items": started.items, "compositions": compositions,
        "products": started.products, "requests": {"least": least, "most": most},
        "already": started.already, "excluded": excluded, "judges_itself": started.judges_itself,
    })
}

fn text(started: &StartedBootstrap) -> String {
    let head = started
        .job
        .as_ref()
        .map_or("Would make".into(), |job| format!("Job {} makes", job.id));
    let (least, most) = started.requests;
    let mut text = format!(
        "{head} {} from {}, with {least} to {most} requests.\n",
        count(started.items, "new item"),
        count(started.sources, "item"),
    );
    for composition in &started.compositions {
        text.push_str(&format!(
            "{}\t{}\t{}\n",
            clean::line(&composition.name),
            clean::line(&composition.text),
            clean::line(&composition.difficulty),
        ));
    }
    if started.already > 0 {
        text.push_str(&format!(
            "note: {} derived already\n",
            count(started.already, "item")
        ));
    }
    for (why, items) in &started.excluded {
        text.push_str(&format!(
            "note: {} left out: {}\n",
            count(*items, "item"),
            clean::line(why)
        ));
    }
    if started.judges_itself {
        text.push_str("note: the model that writes also judges\n");
    }
    text
}
