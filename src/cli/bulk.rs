//! `benchtop bulk`: one verdict on everything that a filter finds. Without the exact count it only says what it would do.

use serde_json::json;

use super::{coverage, import};
use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_model::{Error, Filter, Judgement, Result, Seen, Verdict};
use benchtop_protocol::wire::{Bulk, Bulked, request};

/// Arguments of `bulk`.
#[derive(clap::Args)]
pub struct Args {
    /// accept, reject, skip, flag or unsure
    #[arg(value_name = "VERDICT")]
    verdict: String,
    /// Which items, as in the list: `status:pending subtask:animal`
    #[arg(long, value_name = "FILTER")]
    filter: String,
    /// Why: reasons that benchtop.toml declares
    #[arg(long = "reason", value_name = "KEY")]
    reasons: Vec<String>,
    /// A note on each of them
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// How many items it must be; without it nothing is judged
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
///
/// # Errors
/// [`Conflict`](benchtop_model::ErrorKind::Conflict) when the filter finds another number of items than was said; then nothing was judged.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let known = [
        Verdict::Accept,
        Verdict::Reject,
        Verdict::Skip,
        Verdict::Flag,
        Verdict::Unsure,
    ];
    let verdict = known
        .into_iter()
        .find(|v| v.name() == args.verdict)
        .ok_or_else(|| {
            Error::input(format!("`{}` is no verdict for many items", args.verdict))
                .field("verdict")
                .help(format!("one of: {}", known.map(Verdict::name).join(", ")))
        })?;
    let judgement = Judgement {
        reasons: args.reasons.clone(),
        note: args.note.clone(),
        ..Judgement::new(verdict, Seen::Script)
    };
    let dry = args.count.is_none();
    let bulk = Bulk {
        count: args.count,
        dry,
        ..Bulk::new(Filter::parse(&args.filter)?, judgement)
    };
    let done = import::waited(
        &context.client()?,
        request::Bulk(Box::new(bulk)),
        !args.json,
    )?;
    let text = if args.json {
        report(&done, verdict, dry)
    } else {
        told(&done, verdict, dry)
    };
    print(&text).map(|()| 0)
}

fn report(done: &Bulked, verdict: Verdict, dry: bool) -> String {
    let value = json!({
        "dry_run": dry, "verdict": verdict.name(), "judged": done.judged, "same": done.same,
        "in_rounds": done.in_rounds, "meanwhile": done.meanwhile, "items": coverage::tally(&done.items),
        "revs": done.revs.map(|(first, last)| [first, last]),
    });
    out::json_text(&value)
}

fn told(done: &Bulked, verdict: Verdict, dry: bool) -> String {
    let mut out = match dry {
        true => format!(
            "`{}` would be said of {} items; give --count {} to do it\n",
            verdict.name(),
            done.judged,
            done.judged
        ),
        false => format!(
            "`{}` said of {} items; `benchtop undo --count {}` takes it back\n",
            verdict.name(),
            done.judged,
            done.judged
        ),
    };
    for (n, what) in [
        (done.same, "have that verdict of yours already"),
        (
            done.in_rounds,
            "are for you to judge in a round, one by one",
        ),
        (
            done.meanwhile,
            "were decided by somebody else meanwhile, and stay so",
        ),
    ] {
        if n > 0 {
            out.push_str(&format!("{n} {what}\n"));
        }
    }
    out
}
