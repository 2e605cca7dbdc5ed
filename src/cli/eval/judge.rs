//! `benchtop eval judge`: lets a language model read the answers that no rule can read.

use serde_json::json;

use super::pool::Pool;
use crate::context::Context;
use crate::limits::Limits;
use crate::out::{self, count};
use crate::{consent, import};
use benchtop_model::trust::DataKind;
use benchtop_model::{Result, clean};
use benchtop_owner::trust::of_servers;
use benchtop_protocol::wire::{JudgeReport, JudgeRequest, JudgedModel, request};

#[derive(clap::Args)]
pub struct Args {
    /// Models whose answers are judged [default: all]
    #[arg(value_name = "MODEL")]
    models: Vec<String>,
    /// Model name of the judge, as its server knows it
    #[arg(long, value_name = "NAME")]
    judge: String,
    #[command(flatten)]
    pool: Pool,
    #[command(flatten)]
    limits: Limits,
    /// Show the stored readings, without asking
    #[arg(long)]
    dry_run: bool,
    /// Print the outcome as one JSON object
    #[arg(long)]
    json: bool,
}

/// The exit code is 1 if a question got no reply.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let ask = JudgeRequest {
        models: args.models.clone(),
        judge: args.judge.clone(),
        servers: args.pool.servers(),
        max_tokens: args.pool.max_tokens,
        tries: args.pool.tries,
        dry: args.dry_run,
    };
    // A command line that names the servers and the key variable counts as consent.
    let to = if ask.dry {
        Vec::new()
    } else {
        of_servers(&ask.servers, DataKind::Texts)?
    };
    let (client, to) = (context.client()?, consent::elsewhere(to));
    let asked = request::Judge(Box::new(ask), args.limits.budget());
    let report = import::watching(!args.json, |watch| client.ask_agreed(to, asked, watch))?;
    out::report(args.json, &json!(report), || text(&report, args.dry_run))?;
    Ok(u8::from(report.failed > 0))
}

fn text(report: &JudgeReport, is_dry: bool) -> String {
    let JudgeReport {
        judge,
        instruction,
        asked,
        failed,
        why,
        cut,
        tokens,
        models,
    } = report;
    let mut out = match is_dry {
        true => format!("{judge} ({instruction}): dry run\n"),
        false => {
            format!(
                "{judge} ({instruction}): {}; tokens: {} input, {} output\n",
                count(*asked, "reply"),
                tokens.0,
                tokens.1
            )
        }
    };
    if *cut > 0 {
        out.push_str(&format!(
            "note: {} cut off by --max-tokens without naming an option\n",
            count(*cut, "reply")
        ));
    }
    if *failed > 0 {
        let why = clean::line(why.as_deref().unwrap_or_default());
        out.push_str(&format!(
            "note: {} without a reply, last error: {why}; run the command again to retry\n",
            count(*failed, "question")
        ));
    }
    for JudgedModel {
        model,
        unparsed,
        skipped,
        judged,
        read,
        none,
    } in models
    {
        let model = clean::line(model);
        out.push_str(&format!(
            "{model}: {unparsed} unparsed, {judged} judged ({read} read, {none} without an option)"
        ));
        let left = unparsed - skipped - judged;
        if left > 0 {
            out.push_str(&format!(", {left} not asked yet"));
        }
        if *skipped > 0 {
            out.push_str(&format!(
                ", {skipped} skipped (empty answer or unknown options)"
            ));
        }
        out.push('\n');
    }
    out
}
