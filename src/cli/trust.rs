//! `benchtop trust`: whom this person on this machine sends pictures, texts and keys to.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Value, json};

use super::out;
use crate::context::Context;
use crate::out::print;
use benchtop_model::history::stamp;
use benchtop_model::trust::{Destination, Sends, origin};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_owner::clock::now;
use benchtop_store::trust::{Agreement, Linked, Trust, TrustedJob};

/// Arguments of `trust`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON lines
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// List what was agreed to, and the jobs that go on by themselves
    List,
    /// Agree that projects on this machine send to a host, with the key in a variable
    Add {
        /// The address: its scheme, host and port count
        url: String,
        /// The environment variable that holds the key for this host; without it no key is sent
        #[arg(long, value_name = "VARIABLE")]
        key_env: Option<String>,
        /// What is sent at most: pictures (with texts), or texts
        #[arg(long, value_name = "WHAT", default_value = "pictures", value_parser = sends)]
        sends: Sends,
    },
    /// Send the pictures below a folder like those of the project, which links to them
    Link {
        /// The folder
        dir: PathBuf,
    },
    /// Send them no longer
    Unlink {
        /// The folder
        dir: PathBuf,
    },
    /// Agree no longer; what is at work stops at its next batch
    Remove {
        /// The address: its scheme, host and port count
        url: String,
        /// Only with this variable
        #[arg(long, value_name = "VARIABLE")]
        key_env: Option<String>,
    },
}

fn sends(name: &str) -> std::result::Result<Sends, String> {
    Sends::from_name(name)
        .ok_or_else(|| format!("one of: {}", Sends::ALL.map(Sends::name).join(", ")))
}

/// Runs it.
///
/// # Errors
/// An address or a variable that is none, [`ErrorKind::NotFound`] for what was not agreed to, and when the file cannot be read or
/// written.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let trust = Trust::of_person();
    match args.what.as_ref().unwrap_or(&What::List) {
        What::List => list(&trust, args.json),
        What::Add {
            url,
            key_env,
            sends,
        } => {
            let destination = Destination::new(url, key_env.as_deref(), *sends)?;
            trust.agree(std::slice::from_ref(&destination), &stamp(now()))?;
            let held = trust.read()?;
            let found = held
                .agreements
                .iter()
                .find(|a| a.destination.covers(&destination));
            let none = || {
                Error::new(
                    ErrorKind::Io,
                    "the agreement is not there after it was written",
                )
            };
            print(&shown(found.ok_or_else(none)?, args.json)).map(|()| 0)
        }
        What::Link { dir } => link(context, &trust, dir, true, args.json),
        What::Unlink { dir } => link(context, &trust, dir, false, args.json),
        What::Remove { url, key_env } => {
            let to = origin(url)?;
            let gone = trust.revoke(&to, key_env.as_deref())?;
            if gone.is_empty() {
                return Err(Error::new(
                    ErrorKind::NotFound,
                    format!("there is no agreement about {to}"),
                )
                .help("`benchtop trust list` lists them"));
            }
            print(&gone.iter().map(|a| shown(a, args.json)).collect::<String>()).map(|()| 0)
        }
    }
}

fn link(
    context: &Context,
    trust: &Trust,
    dir: &Path,
    is_linked: bool,
    is_json: bool,
) -> Result<u8> {
    let dir = dir
        .canonicalize()
        .map_err(|e| Error::io(&e, "cannot be opened", dir))?;
    let project = context.project()?;
    if !trust.link(project.root(), &dir, is_linked)? && !is_linked {
        return Err(Error::new(
            ErrorKind::NotFound,
            "these pictures are not linked to the project",
        )
        .file(dir));
    }
    let value =
        json!({"is": "pictures", "project": project.root(), "pictures": dir, "linked": is_linked});
    let word = if is_linked { "sent" } else { "not sent" };
    print(&if is_json {
        out::json_text(&value)
    } else {
        format!("pictures below {} are {word}\n", dir.display())
    })
    .map(|()| 0)
}

fn list(trust: &Trust, is_json: bool) -> Result<u8> {
    let held = trust.read()?;
    let mut out: String = held.agreements.iter().map(|a| shown(a, is_json)).collect();
    for Linked { folder, pictures } in &held.links {
        let value = json!({"is": "pictures", "project": folder.project, "pictures": pictures, "linked": true});
        let said = format!(
            "pictures of {}: {}",
            folder.project.escape_debug(),
            pictures.escape_debug()
        );
        out.push_str(&if is_json {
            out::json_text(&value)
        } else {
            format!("{said}\n")
        });
    }
    for TrustedJob {
        folder, kind, id, ..
    } in &held.jobs
    {
        let value = json!({"is": "job", "project": folder.project, "kind": kind, "id": id});
        match is_json {
            true => out.push_str(&out::json_text(&value)),
            false => {
                let kind = value["kind"].as_str().unwrap_or_default().to_string();
                out.push_str(&format!(
                    "goes on by itself: {kind} {id} of {}\n",
                    folder.project.escape_debug()
                ));
            }
        }
    }
    if !held.unread.is_empty() {
        let file = trust.file().unwrap_or_default();
        out::tell(format_args!(
            "note: {} lines of {} cannot be read, and trust nothing",
            held.unread.len(),
            file.display()
        ));
    }
    if out.is_empty() && !is_json {
        out =
            "nothing was agreed to; projects send only to servers on this machine, without keys\n"
                .into();
    }
    print(&out).map(|()| 0)
}

/// An agreement in a line: the JSON is the contract of `docs/cli.md`.
fn shown(agreement: &Agreement, is_json: bool) -> String {
    let Agreement { destination, at } = agreement;
    let Destination { to, key_env, sends } = destination;
    if is_json {
        let value: Value =
            json!({"is": "agreement", "to": to, "key_env": key_env, "sends": sends, "at": at});
        return out::json_text(&value);
    }
    format!("{destination}\t{}\tsince {at}\n", sends.name())
}
