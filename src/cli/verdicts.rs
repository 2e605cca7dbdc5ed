//! `benchtop verdicts`: the verdicts that count.

use std::io::BufWriter;

use serde_json::json;

use super::{Context, done, json_line};
use crate::model::{Kind, Problem, Result};
use crate::owner::wire::{Answer, Ask};
use crate::store::journal;

/// Arguments of `verdicts`.
#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Runs it.
///
/// # Errors
/// When the owner cannot be reached.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    use std::io::Write;
    let Answer::Verdicts(verdicts) = context.client()?.ask(Ask::Verdicts)? else {
        return Err(Problem::new(Kind::Unreachable, "the owner gave another answer than was asked for"));
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (number, item, standing) in verdicts {
        let j = &standing.judgement;
        if args.json {
            let line = json!({
                "number": number, "item": item, "who": standing.who, "verdict": j.verdict, "reasons": j.reasons,
                "note": j.note, "ms": j.ms, "seen": j.seen, "at": journal::stamp(standing.at), "rev": standing.rev,
                "uuid": standing.uuid,
                "answer": j.answer, "round": j.asked.as_ref().map(|a| &a.round), "part": j.asked.as_ref().map(|a| a.part),
            });
            json_line(&mut out, &line)?;
        } else {
            let reasons = j.reasons.join(", ");
            let note = j.note.as_deref().unwrap_or_default();
            let line = writeln!(out, "#{number}\t{item}\t{}\t{}\t{reasons}\t{note}", j.verdict.name(), standing.who);
            done(line)?;
        }
    }
    done(out.flush())?;
    Ok(0)
}
