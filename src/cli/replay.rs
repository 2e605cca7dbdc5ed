//! `benchtop replay` and `benchtop diff`: earlier states of the project, rebuilt from the journals.

use std::fmt::Write as _;
use std::io::BufWriter;

use serde_json::{Map, Value, json};

use super::log::moment;
use super::out;
use crate::context::Context;
use crate::out::{done, json_line, print};
use benchtop_model::history::{HistoryPoint, StatusChange};
use benchtop_model::{Result, clean};
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    /// Point in time: a revision, a time such as 2026-01-31T12:00:00Z, or `now`
    #[arg(default_value = "now", value_parser = moment)]
    moment: HistoryPoint,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub struct DiffArgs {
    /// First point in time: a revision, or a time such as 2026-01-31T12:00:00Z
    #[arg(value_parser = moment)]
    from: HistoryPoint,
    /// Second point in time
    #[arg(default_value = "now", value_parser = moment)]
    to: HistoryPoint,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

/// Runs `replay`. The exit code is 1 if the owner's state differs from the journals.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let state = context.client()?.ask(request::Replay(args.moment))?;
    let text = if args.json {
        let by_status: Map<String, Value> = state
            .by_status
            .iter()
            .map(|(status, n)| (status.name().into(), (*n).into()))
            .collect();
        let value = json!({
            "rev": state.rev, "decisions": state.decisions, "by_status": by_status, "same": state.same,
            "notes": state.notes,
        });
        out::json_text(&value)
    } else {
        let mut text = format!(
            "revision {}, {}\n",
            state.rev,
            out::count(state.decisions, "decision")
        );
        for (status, n) in state.by_status.iter().filter(|(_, n)| *n > 0) {
            let _ = writeln!(text, "{n:>8}  {}", status.name());
        }
        if state.same == Some(true) {
            text.push_str("the owner's state matches the journals\n");
        }
        for note in &state.notes {
            let _ = writeln!(text, "note: {}", clean::line(note));
        }
        text
    };
    print(&text)?;
    Ok(u8::from(state.same == Some(false)))
}

pub fn diff(context: &Context, args: &DiffArgs) -> Result<u8> {
    use std::io::Write;
    let list = context
        .client()?
        .ask(request::StatusChanges(args.from, args.to))?;
    let mut out = BufWriter::new(out::lines());
    for StatusChange {
        number,
        item,
        from,
        to,
    } in &list
    {
        match args.json {
            true => json_line(
                &mut out,
                &json!({"number": number, "item": item, "from": from, "to": to}),
            )?,
            false => done(writeln!(
                out,
                "#{number}\t{}\t{}\t{}",
                clean::line(item),
                from.name(),
                to.name()
            ))?,
        }
    }
    done(out.flush())?;
    Ok(0)
}
