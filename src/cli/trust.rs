//! `benchtop trust`: manages the user's consent to send pictures, texts, and keys to servers.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::json;

use super::out;
use crate::context::Context;
use crate::out::print;
use benchtop_model::history::stamp;
use benchtop_model::trust::{DataKind, Destination, origin};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_owner::clock::now;
use benchtop_store::trust::{Agreement, Linked, Trust, TrustedJob};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop trust add https://api.openai.com/v1 --key-env OPENAI_API_KEY\n  benchtop trust remove https://api.openai.com/v1"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON lines
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// List your agreements and the jobs that continue without asking
    List,
    /// Allow projects on this machine to send data to a server
    Add {
        /// URL of the server; only scheme, host, and port count
        url: String,
        /// Environment variable with the API key of this server; without it, no key is sent
        #[arg(long, value_name = "VARIABLE")]
        key_env: Option<String>,
        /// Data that may be sent: pictures (and texts), or only texts
        #[arg(long, value_name = "WHAT", default_value = "pictures", value_parser = sends)]
        sends: DataKind,
    },
    /// Allow sending linked pictures from a folder outside of the project
    Link {
        /// Folder of the pictures
        dir: PathBuf,
    },
    /// Stop sending linked pictures from a folder
    Unlink {
        /// Folder of the pictures
        dir: PathBuf,
    },
    /// Revoke an agreement; running jobs stop at their next batch
    Remove {
        /// URL of the server; only scheme, host, and port count
        url: String,
        /// Revoke only the agreement with this key variable
        #[arg(long, value_name = "VARIABLE")]
        key_env: Option<String>,
    },
}

fn sends(name: &str) -> std::result::Result<DataKind, String> {
    DataKind::from_name(name)
        .ok_or_else(|| format!("one of: {}", DataKind::ALL.map(DataKind::name).join(", ")))
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let trust = Trust::of_current_user();
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
                    "the agreement was written but cannot be found",
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
                return Err(Error::not_found(format!("no agreement for {to}"))
                    .help("run `benchtop trust list` to list the agreements"));
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
        .map_err(|e| Error::io(&e, "cannot open the folder", dir))?;
    let project = context.project()?;
    if !trust.link(project.root(), &dir, is_linked)? && !is_linked {
        return Err(Error::not_found("this folder is not linked to the project").file(dir));
    }
    let value =
        json!({"is": "pictures", "project": project.root(), "pictures": dir, "linked": is_linked});
    let verb = if is_linked {
        "allowed sending"
    } else {
        "revoked sending"
    };
    out::report(is_json, &value, || {
        format!("{verb} pictures in {}\n", dir.display())
    })
}

fn list(trust: &Trust, is_json: bool) -> Result<u8> {
    let held = trust.read()?;
    let mut out: String = held.agreements.iter().map(|a| shown(a, is_json)).collect();
    for Linked { folder, pictures } in &held.links {
        let value = json!({"is": "pictures", "project": folder.project, "pictures": pictures, "linked": true});
        let (project, pictures) = (folder.project.escape_debug(), pictures.escape_debug());
        let line = || format!("pictures of {project}: {pictures}\n");
        out += &out::either(is_json, &value, line);
    }
    for TrustedJob {
        folder, kind, id, ..
    } in &held.jobs
    {
        let value = json!({"is": "job", "project": folder.project, "kind": kind, "id": id});
        let (kind, project) = (value["kind"].as_str(), folder.project.escape_debug());
        let kind = kind.unwrap_or_default();
        let line = || format!("continues without asking: {kind} {id} of {project}\n");
        out += &out::either(is_json, &value, line);
    }
    if !held.unread.is_empty() {
        let file = trust.file().unwrap_or_default();
        out::tell(format_args!(
            "note: ignored {} of {} that cannot be read",
            out::count(held.unread.len(), "line"),
            file.display()
        ));
    }
    if out.is_empty() && !is_json {
        out = "no agreements; projects send data only to servers on this machine, without keys\n"
            .into();
    }
    print(&out).map(|()| 0)
}

/// An agreement as one line. `docs/cli.md` documents the JSON; it is a contract.
fn shown(agreement: &Agreement, is_json: bool) -> String {
    let Agreement { destination, at } = agreement;
    let Destination { to, key_env, sends } = destination;
    let value = json!({"is": "agreement", "to": to, "key_env": key_env, "sends": sends, "at": at});
    let line = || format!("{destination}\t{}\tsince {at}\n", sends.name());
    out::either(is_json, &value, line)
}
