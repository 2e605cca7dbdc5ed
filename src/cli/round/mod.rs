//! `benchtop round`: verification rounds of several annotators.

mod new;
mod report;
mod show;

use std::path::PathBuf;

use clap::Subcommand;

use super::agreement;
use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_files::disk;
use benchtop_model::round::Protocol;
use benchtop_model::round::protocol::WhatIf;
use benchtop_model::round::state::{NextAssignment, RoundState};
use benchtop_model::{Error, Result, clean, history};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Args)]
struct RoundName {
    /// Name of the round
    name: String,
}

#[derive(Subcommand)]
enum Command {
    /// Create a round: select items, annotators, and a protocol
    New(Box<new::Args>),
    /// List all rounds and their progress
    List,
    /// Show the progress of a round and the status of its items
    Show(RoundName),
    /// Close a round; its verdicts still count
    Close(RoundName),
    /// Reopen a closed round
    Reopen(RoundName),
    /// Delete a round without verdicts
    Delete(RoundName),
    /// Add annotators to a round, or remove them and reassign their items
    People {
        /// Name of the round
        name: String,
        /// Annotators to add, comma-separated
        #[arg(
            long,
            value_delimiter = ',',
            value_name = "NAMES",
            required_unless_present = "remove"
        )]
        add: Vec<String>,
        /// Annotators to remove, comma-separated; their verdicts still count
        #[arg(long, value_delimiter = ',', value_name = "NAMES")]
        remove: Vec<String>,
    },
    /// Get your next assignment, or renew its lease
    Next(RoundName),
    /// Release your current assignment
    Release(RoundName),
    /// List items that are disputed, flagged, or unsure
    Disputes(RoundName),
    /// Show the outcome of the round under another protocol
    WhatIf {
        /// Name of the round
        name: String,
        /// Protocol: single, both-accept, "majority 3 of 5", equivalence, audit, answer or refusal
        protocol: Protocol,
    },
    /// Write a full report of a round as Markdown (or JSON with --json)
    Report {
        /// Name of the round
        name: String,
        /// Output file [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        draws: agreement::Draws,
    },
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let client = context.client()?;
    let text = match &args.command {
        Command::New(new) => {
            let state = client.ask(new::ask(new)?)?;
            show::created(&state, new.dry_run, args.json)
        }
        Command::List => show::list(&rounds(&client)?, args.json),
        Command::Show(RoundName { name }) => show::one(&named(&client, name)?, args.json),
        Command::Close(RoundName { name }) => close(&client, name, true, args.json)?,
        Command::Reopen(RoundName { name }) => close(&client, name, false, args.json)?,
        Command::Delete(RoundName { name }) => {
            client.ask(request::DeleteRound(name.clone()))?;
            let value = serde_json::json!({"deleted": name});
            out::either(args.json, &value, || {
                format!("deleted the round `{name}`\n")
            })
        }
        Command::People { name, add, remove } => {
            let ask = request::RoundPeople {
                round: name.clone(),
                add: add.clone(),
                remove: remove.clone(),
            };
            let state = client.ask(ask)?;
            show::one(&state, args.json)
        }
        Command::Next(RoundName { name }) => {
            let assignment = client.ask(request::Next(name.clone()))?;
            next(&assignment, args.json)
        }
        Command::Release(RoundName { name }) => {
            client.ask(request::Release(name.clone()))?;
            String::new()
        }
        Command::Disputes(RoundName { name }) => {
            let list = client.ask(request::Disputes(name.clone()))?;
            show::disputes(&list, args.json)
        }
        Command::WhatIf { name, protocol } => {
            let ask = request::WhatIf {
                round: name.clone(),
                protocol: *protocol,
            };
            let found = client.ask(ask)?;
            what_if(*protocol, found, args.json)
        }
        Command::Report { name, out, draws } => {
            let ask = request::RoundReport {
                round: name.clone(),
                bootstrap: draws.plan(),
            };
            let found = client.ask(ask)?;
            let value = report::value(&found);
            let text = out::either(args.json, &value, || report::markdown(&found));
            match out {
                Some(path) => {
                    disk::write_atomic(path, text.as_bytes())?;
                    String::new()
                }
                None => text,
            }
        }
    };
    print(&text).map(|()| 0)
}

fn rounds(client: &Client) -> Result<Vec<RoundState>> {
    client.ask(request::Rounds)
}

fn named(client: &Client, name: &str) -> Result<RoundState> {
    let all = rounds(client)?;
    let known = all
        .iter()
        .map(|r| r.name.as_str())
        .collect::<Vec<_>>()
        .join(", ");
    let none = || {
        let help = if known.is_empty() {
            "create one with `benchtop round new`".into()
        } else {
            format!("the rounds: {known}")
        };
        Error::not_found(format!("no round `{name}`")).help(help)
    };
    all.iter()
        .find(|r| r.name == name)
        .cloned()
        .ok_or_else(none)
}

fn close(client: &Client, name: &str, closed: bool, json: bool) -> Result<String> {
    client.ask(request::CloseRound {
        round: name.into(),
        closed,
    })?;
    Ok(show::one(&named(client, name)?, json))
}

fn next(assignment: &NextAssignment, json: bool) -> String {
    let value = match assignment {
        NextAssignment::Item(served) => serde_json::json!({
            "turn": "item", "number": served.number, "item": served.item, "practice": served.practice, "nth": served.nth,
            "until": history::stamp(served.until), "elsewhere": served.elsewhere,
        }),
        NextAssignment::Wait(until) => {
            serde_json::json!({"turn": "wait", "until": history::stamp(*until)})
        }
        NextAssignment::Finished => serde_json::json!({"turn": "finished"}),
        NextAssignment::Closed => serde_json::json!({"turn": "closed"}),
    };
    out::either(json, &value, || match assignment {
        NextAssignment::Item(served) => {
            let practice = if served.practice { " (practice)" } else { "" };
            let item = clean::line(&served.item);
            format!(
                "#{}\t{item}{practice}\tassigned to you until {}\n",
                served.number,
                history::stamp(served.until)
            )
        }
        NextAssignment::Wait(until) => {
            format!(
                "all remaining items are assigned to others; the first lease ends at {}\n",
                history::stamp(*until)
            )
        }
        NextAssignment::Finished => "you have judged all of your items in this round\n".into(),
        NextAssignment::Closed => "the round is closed\n".into(),
    })
}

fn what_if(protocol: Protocol, found: WhatIf, json: bool) -> String {
    if json {
        return out::json_text(
            &serde_json::json!({"protocol": protocol.to_string(), "counts": found}),
        );
    }
    let WhatIf {
        kept,
        dropped,
        pending,
        flagged,
        to_fix,
        skipped,
        changed,
        gained,
        lost,
    } = found;
    format!(
        "under `{protocol}`: {kept} kept, {dropped} dropped, {pending} pending, {flagged} flagged, {to_fix} to fix, {skipped} \
         skipped\nchanges: {}, {gained} newly kept, {lost} no longer kept\n",
        out::count(changed, "item")
    )
}
