//! `benchtop filter`: scores items with models, and manages the rules that flag items and the
//! flagged items.

mod compare;
mod job;
mod report;
mod rules;

use clap::Subcommand;
use serde_json::json;

use super::out;
use crate::context::{Context, number_of};
use crate::jobs::JobNumber;
use crate::limits::Limits;
use crate::out::print;
use benchtop_model::job::JobAct;
use benchtop_model::scoring::job::NewScoring;
use benchtop_model::scoring::queries::{Explanation, FlagOrder};
use benchtop_model::scoring::rules::RuleAction;
use benchtop_model::scoring::{Measure, Scorer};
use benchtop_model::{Filter, Result, clean};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop filter run clip --filter status:pending\n  benchtop filter report clip --flag 22 --park 18\n  benchtop filter rules try rules.toml\n  benchtop filter queue"
)]
pub struct Args {
    #[command(subcommand)]
    what: What,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// Score items that have no score yet or have changed since
    Run {
        /// Scorer: clip, siglip, ocr, safety, judge/NAME, alignment, duplicate, contamination, flatness or leakage
        #[arg(value_parser = |text: &str| text.parse::<Scorer>())]
        scorer: Scorer,
        /// Score only items that match this filter
        #[arg(long, value_name = "FILTER")]
        filter: Option<String>,
        /// Show what would be scored, without scoring it
        #[arg(long)]
        dry_run: bool,
        /// Retry items whose score failed, was refused, or could not be parsed
        #[arg(long, conflicts_with_all = ["dry_run", "filter", "Limits"])]
        retry: bool,
        /// Include items that show a draft picture
        #[arg(long)]
        drafts: bool,
        /// Add a rule that flags items on the doubtful side of this score, or move its threshold
        #[arg(
            long,
            value_name = "SCORE",
            conflicts_with = "retry",
            allow_negative_numbers = true
        )]
        flag: Option<f64>,
        /// As --flag, for a rule that parks items
        #[arg(
            long,
            value_name = "SCORE",
            conflicts_with = "retry",
            allow_negative_numbers = true
        )]
        park: Option<f64>,
        #[command(flatten)]
        limits: Limits,
        /// Start the job in the background
        #[arg(long, conflicts_with = "dry_run")]
        detach: bool,
        /// Print progress as JSON lines
        #[arg(long, conflicts_with_all = ["detach", "dry_run"])]
        json_progress: bool,
    },
    /// Pause a scoring job
    Pause(JobNumber),
    /// Resume a paused or blocked scoring job
    Resume(JobNumber),
    /// Cancel a scoring job; finished scores stay
    Cancel(JobNumber),
    /// Report all scorers and rules, or the effect of thresholds on one score
    Report(report::Args),
    /// Show, try, apply, or revert the rules that flag items
    Rules(rules::Args),
    /// List flagged items, most doubtful first
    Queue {
        /// Order: nearest, worst, disagreement, against-people or random
        #[arg(long, default_value = "nearest", value_parser = order)]
        order: FlagOrder,
        /// List only items that match this filter [default: flagged and parked items]
        #[arg(long, value_name = "FILTER")]
        filter: Option<String>,
        /// Seed of the random order
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Compare folders of pictures: near-duplicates and kernel distance (KMMD)
    Compare(compare::Args),
    /// Show all scores of an item and the rules that hold for it
    Explain {
        /// Number or id of the item
        item: String,
    },
}

fn order(name: &str) -> std::result::Result<FlagOrder, String> {
    let known = || format!("one of: {}", FlagOrder::ALL.map(FlagOrder::name).join(", "));
    FlagOrder::from_name(name).ok_or_else(known)
}

fn measure(text: &str) -> std::result::Result<Measure, String> {
    text.parse()
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let json = args.json;
    match &args.what {
        What::Run {
            scorer,
            filter,
            dry_run,
            retry,
            drafts,
            flag,
            park,
            limits,
            detach,
            json_progress,
        } => {
            let new = NewScoring {
                scorer: scorer.clone(),
                filter: filter.clone().unwrap_or_default(),
                dry: *dry_run,
                drafts: *drafts,
            };
            let thresholds = [(RuleAction::Flag, *flag), (RuleAction::Park, *park)];
            job::run(
                context,
                (new, limits.budget()),
                *retry,
                &rules::thresholds(thresholds)?,
                job::Watch {
                    detach: *detach,
                    lines: *json_progress,
                    json,
                },
            )
        }
        What::Pause(JobNumber { id }) => job::act(context, *id, JobAct::Pause, json),
        What::Resume(JobNumber { id }) => job::act(context, *id, JobAct::Resume, json),
        What::Cancel(JobNumber { id }) => job::act(context, *id, JobAct::Cancel, json),
        What::Report(args) => report::run(&context.client()?, args, json),
        What::Rules(args) => rules::run(&context.client()?, args, json),
        What::Queue {
            order,
            filter,
            seed,
        } => {
            let ask = request::FlaggedItems {
                filter: Filter::parse(filter.as_deref().unwrap_or_default())?,
                order: *order,
                seed: *seed,
            };
            let numbers = context.client()?.ask(ask)?;
            let line = |n| out::either(json, &json!({"number": n}), || format!("{n}\n"));
            print(&numbers.iter().map(line).collect::<String>()).map(|()| 0)
        }
        What::Compare(args) => compare::run(context, args, json),
        What::Explain { item } => explain(&context.client()?, item, json),
    }
}

fn explain(client: &Client, item: &str, json: bool) -> Result<u8> {
    let number = number_of(client, item)?;
    let said = client.ask(request::Explain { number })?;
    out::report(json, &json!(said), || explanation(&said))
}

fn explanation(said: &Explanation) -> String {
    let mut out = format!("#{} is {}\n", said.number, said.outcome.name());
    for chip in &said.chips {
        out.push_str(&format!(
            "{}\t{}\n",
            clean::line(&chip.rule),
            clean::line(&chip.words)
        ));
    }
    for score in &said.scores {
        let values: Vec<String> = score
            .values
            .iter()
            .map(|(name, value)| format!("{name} {value:.4}"))
            .collect();
        out.push_str(&format!(
            "{}\t{}\t{}",
            score.scorer,
            score.state.name(),
            values.join(", ")
        ));
        if let Some(counted) = score.counted {
            out.push_str(&format!("\t{counted}"));
        }
        if let Some(percentile) = score.percentile {
            out.push_str(&format!(
                "\t{:.1} % of items are more doubtful",
                percentile * 100.0
            ));
        }
        if score.out_of_date {
            out.push_str("\tout of date");
        }
        out.push('\n');
        for (words, holds) in &score.conditions {
            out.push_str(&format!(
                "\t{words}: {}\n",
                if *holds { "holds" } else { "does not hold" }
            ));
        }
        if !score.detail.is_empty() {
            out.push_str(&format!("\t{}\n", clean::line(&score.detail)));
        }
    }
    if let Some((number, cosine)) = said.nearest_accepted {
        out.push_str(&format!(
            "nearest accepted item\t#{number}, cosine {cosine:.3}\n"
        ));
    }
    if said.overridden {
        out.push_str("overridden by an annotator\n");
    }
    out
}
