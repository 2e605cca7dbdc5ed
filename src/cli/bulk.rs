//! `benchtop bulk`: one verdict on all items that match a filter. Without the exact count it is a
//! dry run.

use serde_json::json;

use super::{coverage, import};
use crate::context::Context;
use crate::out;
use benchtop_model::{Error, Filter, Judgement, Result, Seen, Verdict};
use benchtop_protocol::wire::{Bulk, Bulked, request};

#[derive(clap::Args)]
#[command(
    after_help = "Without --count, nothing changes. `benchtop undo` undoes the verdicts.\n\nExamples:\n  benchtop bulk reject --filter 'picture:broken' --note 'broken picture'\n  benchtop bulk reject --filter 'picture:broken' --note 'broken picture' --count 12"
)]
pub struct Args {
    /// Verdict: accept, reject, skip, flag or unsure
    #[arg(value_name = "VERDICT")]
    verdict: String,
    /// Filter that selects the items, such as `status:pending subtask:animal`
    #[arg(long, value_name = "FILTER")]
    filter: String,
    /// Reason, declared in benchtop.toml (repeatable)
    #[arg(long = "reason", value_name = "KEY")]
    reasons: Vec<String>,
    /// Tag, declared in benchtop.toml (repeatable)
    #[arg(long = "tag", value_name = "KEY")]
    tags: Vec<String>,
    /// Note for each verdict
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Apply the verdict if exactly N items match; without it, only show how many would
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

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
            Error::input(format!(
                "`{}` is not a verdict for many items",
                args.verdict
            ))
            .field("verdict")
            .help(format!("one of: {}", known.map(Verdict::name).join(", ")))
        })?;
    let judgement = Judgement {
        reasons: args.reasons.clone(),
        tags: args.tags.clone(),
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
    let value = json!({
        "dry_run": dry, "verdict": verdict.name(), "judged": done.judged, "same": done.same,
        "in_rounds": done.in_rounds, "meanwhile": done.meanwhile, "items": coverage::tally(&done.items),
        "revs": done.revs.map(|(first, last)| [first, last]),
    });
    out::report(args.json, &value, || summary(&done, verdict, dry))
}

fn summary(done: &Bulked, verdict: Verdict, dry: bool) -> String {
    let (verdict, items) = (verdict.name(), out::count(done.judged, "item"));
    let mut out = match (dry, done.judged) {
        (true, 0) => format!("Would {verdict} {items}.\n"),
        (true, n) => {
            format!("Would {verdict} {items}. Re-run with --count {n} to apply.\n")
        }
        (false, 0) => format!("Recorded `{verdict}` on {items}.\n"),
        (false, n) => {
            format!("Recorded `{verdict}` on {items}. Run `benchtop undo --count {n}` to undo.\n")
        }
    };
    for (n, why) in [
        (done.same, "already your verdict"),
        (done.in_rounds, "assigned to you in a round; judge it there"),
        (done.meanwhile, "decided by another annotator meanwhile"),
    ] {
        if n > 0 {
            out.push_str(&format!("Left out {}: {why}.\n", out::count(n, "item")));
        }
    }
    out
}
