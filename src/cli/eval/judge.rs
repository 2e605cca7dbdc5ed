//! `benchtop eval judge`: lets a language model read the answers that no rule can read.

use serde_json::{Value, json};

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
    /// Grade free-form answers from 0 to 1 against their references, instead of reading answers
    ///
    /// `benchtop board --rule strict+grade` uses the grades.
    #[arg(long)]
    grade: bool,
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
        grade: args.grade,
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
    out::report(args.json, &json_of(&report, args.grade), || {
        text(&report, args)
    })?;
    Ok(u8::from(report.failed > 0))
}

/// The report. The answers of a model are `unparsed` if they are read, and `answers` if they are
/// graded.
fn json_of(report: &JudgeReport, grade: bool) -> Value {
    let mut value = json!(report);
    let models = value.get_mut("models").and_then(Value::as_array_mut);
    for model in models.into_iter().flatten().filter(|_| !grade) {
        let Value::Object(fields) = model else {
            continue;
        };
        let renamed = std::mem::take(fields).into_iter();
        *fields = renamed
            .map(|(name, value)| match name.as_str() {
                "answers" => ("unparsed".into(), value),
                _ => (name, value),
            })
            .collect();
    }
    value
}

fn text(report: &JudgeReport, args: &Args) -> String {
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
    // How the answers, the readings, and what is skipped are called.
    let (kind, [good, bad], why_skipped) = match args.grade {
        true => ("free-form", ["graded", "without a grade"], "empty answer"),
        false => (
            "unparsed",
            ["read", "without an option"],
            "empty answer or unknown options",
        ),
    };
    let mut out = match args.dry_run {
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
            "note: {} {bad}, cut off by --max-tokens\n",
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
        answers,
        skipped,
        judged,
        read,
        none,
    } in models
    {
        let model = clean::line(model);
        out.push_str(&format!(
            "{model}: {answers} {kind}, {judged} judged ({read} {good}, {none} {bad})"
        ));
        let left = answers - skipped - judged;
        if left > 0 {
            out.push_str(&format!(", {left} not asked yet"));
        }
        if *skipped > 0 {
            out.push_str(&format!(", {skipped} skipped ({why_skipped})"));
        }
        out.push('\n');
    }
    out
}
