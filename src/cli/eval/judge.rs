//! `benchtop eval judge`: show a language model the answers that no rule can read.

use serde_json::json;

use super::pool::Pool;
use crate::context::Context;
use crate::out::print;
use crate::{consent, import, out};
use benchtop_model::trust::Sends;
use benchtop_model::{Result, clean};
use benchtop_owner::trust::of_servers;
use benchtop_protocol::wire::{JudgeAsk, JudgeReport, JudgedOf, request};

/// Arguments of `eval judge`.
#[derive(clap::Args)]
pub struct Args {
    /// Whose answers; of all models otherwise
    #[arg(value_name = "MODEL")]
    models: Vec<String>,
    /// The judge, as its servers call it
    #[arg(long, value_name = "NAME")]
    judge: String,
    #[command(flatten)]
    pool: Pool,
    /// Say what was read before, and ask nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the outcome as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
///
/// # Errors
/// What is wrong with the wishes, and a judge that does not reply. Questions that got no reply give the exit code 1.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let ask = JudgeAsk {
        models: args.models.clone(),
        judge: args.judge.clone(),
        servers: args.pool.servers(),
        max_tokens: args.pool.max_tokens,
        tries: args.pool.tries,
        dry: args.dry_run,
    };
    // Who names hosts and a variable in a command agrees to them.
    let to = if ask.dry {
        Vec::new()
    } else {
        of_servers(&ask.servers, Sends::Texts)?
    };
    let (client, to) = (context.client()?, consent::elsewhere(to));
    let asked = request::Judge(Box::new(ask));
    let report = import::watching(!args.json, |watch| client.ask_agreed(to, asked, watch))?;
    let text = if args.json {
        out::json_text(&json!(report))
    } else {
        text(&report, args.dry_run)
    };
    print(&text).map(|()| u8::from(report.failed > 0))
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
        true => format!("{judge} ({instruction}): nothing is asked\n"),
        false => {
            format!(
                "{judge} ({instruction}): {asked} replies now; tokens: {} asked, {} answered\n",
                tokens.0, tokens.1
            )
        }
    };
    if *cut > 0 {
        out.push_str(&format!(
            "note: {cut} replies reached --max-tokens and name no option\n"
        ));
    }
    if *failed > 0 {
        let why = clean::line(why.as_deref().unwrap_or_default());
        out.push_str(&format!(
            "note: {failed} questions got no reply, the last: {why}; the same command asks them again\n"
        ));
    }
    for JudgedOf {
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
            "{model}: {unparsed} unparsed; judged {judged}: {read} read, {none} mean no option"
        ));
        let left = unparsed - skipped - judged;
        if left > 0 {
            out.push_str(&format!("; {left} not asked yet"));
        }
        if *skipped > 0 {
            out.push_str(&format!("; {skipped} say nothing or have no known options"));
        }
        out.push('\n');
    }
    out
}
