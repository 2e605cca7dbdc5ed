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
use benchtop_model::{Error, ErrorKind, Result, clean, history};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

/// Arguments of `round`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Do,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Do {
    /// Draw a round from the items: who judges which, under what rule
    New(Box<new::Args>),
    /// The rounds and how far they are
    List,
    /// How far a round is, and where its verdicts leave its items
    Show {
        /// The round
        name: String,
    },
    /// Close a round: nothing is given out any more, and its verdicts go on counting
    Close {
        /// The round
        name: String,
    },
    /// Open a closed round again
    Reopen {
        /// The round
        name: String,
    },
    /// Delete a round that has no verdicts
    Delete {
        /// The round
        name: String,
    },
    /// Have people join a round that goes on, or leave it: what they had left goes to the others
    People {
        /// The round
        name: String,
        /// Who joins, with commas between
        #[arg(
            long,
            value_delimiter = ',',
            value_name = "NAMES",
            required_unless_present = "remove"
        )]
        add: Vec<String>,
        /// Who leaves, with commas between; their verdicts go on counting
        #[arg(long, value_delimiter = ',', value_name = "NAMES")]
        remove: Vec<String>,
    },
    /// What you are to judge next: it is yours until its lease ends; asking again renews it
    Next {
        /// The round
        name: String,
    },
    /// Give back what you have in hand
    Release {
        /// The round
        name: String,
    },
    /// The items on which people differ, or that somebody flagged or was unsure of
    Disputes {
        /// The round
        name: String,
    },
    /// What another rule would make of the verdicts
    WhatIf {
        /// The round
        name: String,
        /// single, both-accept, "majority 3 of 5", equivalence, audit, answer or refusal
        protocol: Protocol,
    },
    /// What was asked, who said how much, how far they agree, and what came of it: as Markdown, or with --json
    Report {
        /// The round
        name: String,
        /// Write a file; replaced whole, or not at all
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        draws: agreement::Draws,
    },
}

/// Runs it.
///
/// # Errors
/// What the owner refuses.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let client = context.client()?;
    let text = match &args.what {
        Do::New(new) => {
            let state = client.ask(new::ask(new)?)?;
            show::made(&state, new.dry_run, args.json)
        }
        Do::List => show::list(&rounds(&client)?, args.json),
        Do::Show { name } => show::one(&named(&client, name)?, args.json),
        Do::Close { name } => close(&client, name, true, args.json)?,
        Do::Reopen { name } => close(&client, name, false, args.json)?,
        Do::Delete { name } => {
            client.ask(request::DeleteRound(name.clone()))?;
            match args.json {
                true => out::json_text(&serde_json::json!({"deleted": name})),
                false => format!("the round `{name}` is deleted\n"),
            }
        }
        Do::People { name, add, remove } => {
            let ask = request::RoundPeople {
                round: name.clone(),
                add: add.clone(),
                remove: remove.clone(),
            };
            let state = client.ask(ask)?;
            show::one(&state, args.json)
        }
        Do::Next { name } => {
            let turn = client.ask(request::Next(name.clone()))?;
            next(&turn, args.json)
        }
        Do::Release { name } => {
            client.ask(request::Release(name.clone()))?;
            String::new()
        }
        Do::Disputes { name } => {
            let list = client.ask(request::Disputes(name.clone()))?;
            show::disputes(&list, args.json)
        }
        Do::WhatIf { name, protocol } => {
            let ask = request::WhatIf {
                round: name.clone(),
                protocol: *protocol,
            };
            let found = client.ask(ask)?;
            what_if(*protocol, found, args.json)
        }
        Do::Report { name, out, draws } => {
            let ask = request::RoundReport {
                round: name.clone(),
                bootstrap: draws.plan(),
            };
            let found = client.ask(ask)?;
            let text = if args.json {
                out::json_text(&report::value(&found))
            } else {
                report::markdown(&found)
            };
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
            "make one with `benchtop round new`".into()
        } else {
            format!("there is: {known}")
        };
        Error::new(ErrorKind::NotFound, format!("there is no round `{name}`")).help(help)
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

fn next(turn: &NextAssignment, json: bool) -> String {
    let value = match turn {
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
    if json {
        return out::json_text(&value);
    }
    match turn {
        NextAssignment::Item(served) => {
            let practice = if served.practice { " (practice)" } else { "" };
            let item = clean::line(&served.item);
            format!(
                "#{}\t{item}{practice}\tyours until {}\n",
                served.number,
                history::stamp(served.until)
            )
        }
        NextAssignment::Wait(until) => {
            format!(
                "others have what is left in hand; the first lease ends at {}\n",
                history::stamp(*until)
            )
        }
        NextAssignment::Finished => "nothing is left for you in this round\n".into(),
        NextAssignment::Closed => "the round is closed\n".into(),
    }
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
         skipped\n{changed} stand elsewhere than now: {gained} more kept, {lost} no longer kept\n"
    )
}
