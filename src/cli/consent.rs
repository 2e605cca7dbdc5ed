//! Asks the user for consent before a job sends data to a server.

use std::io::{BufRead, IsTerminal};

use super::out;
use crate::out::print;
use benchtop_model::trust::{Destination, PendingConsent};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::Client;
use benchtop_protocol::wire::NeedsConsent;

/// The destinations that are not this machine. A command line that names the hosts and the key
/// variable counts as consent.
pub fn elsewhere(to: Vec<Destination>) -> Vec<Destination> {
    to.into_iter()
        .filter(|destination| !destination.needs_no_consent())
        .collect()
}

/// Sends `then` for a job with the consent that it `waits` for. On a terminal the user is asked
/// first. Without a terminal the owner refuses a job without consent, with the command that gives
/// it.
///
/// # Errors
/// [`ErrorKind::Cancelled`] if the user declines, and the owner's refusal.
pub fn resume<R: NeedsConsent>(
    client: &Client,
    waits: Option<&PendingConsent>,
    then: R,
) -> Result<R::Reply> {
    match waits {
        Some(waits) if is_terminal() => ask_user(client, waits, then),
        _ => client.ask(then),
    }
}

/// Sends a request for a job, dry or not. If benchtop.toml names servers without consent, the user
/// is asked first for the consent that the counted job `waits` for.
///
/// # Errors
/// The owner's refusal if there is no terminal or nothing to consent to; otherwise as [`resume`].
pub fn begin<R: NeedsConsent>(
    client: &Client,
    dry: bool,
    ask: impl Fn(bool) -> R,
    waits: impl Fn(&R::Reply) -> Option<&PendingConsent>,
) -> Result<R::Reply> {
    match client.ask(ask(dry)) {
        Err(refusal) if refusal.kind == ErrorKind::Denied && !dry => {
            let counted = client.ask(ask(true))?;
            match waits(&counted) {
                Some(waits) if is_terminal() => ask_user(client, waits, ask(false)),
                _ => Err(refusal),
            }
        }
        answer => answer,
    }
}

fn ask_user<R: NeedsConsent>(client: &Client, waits: &PendingConsent, then: R) -> Result<R::Reply> {
    let question = match waits.to.is_empty() {
        true => format!("{}: resume it?", waits.description()),
        false => format!("{}: send it?", waits.description()),
    };
    if !yes(&question)? {
        return Err(Error::new(ErrorKind::Cancelled, "nothing was sent"));
    }
    client.ask_agreed(waits.missing(), then, &mut |_| ())
}

/// Whether the user can be asked.
pub fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a yes-or-no question on the terminal. Anything but "y" or "yes" means no.
pub fn yes(question: &str) -> Result<bool> {
    out::progress(&format!("{question} [y/N] "));
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|e| Error::new(ErrorKind::Io, format!("cannot read the answer: {e}")))?;
    Ok(matches!(
        line.trim().to_ascii_lowercase().as_str(),
        "y" | "yes"
    ))
}

/// Prints the missing consent, for a dry run.
pub fn note(waits: Option<&PendingConsent>) -> Result<()> {
    waits.map_or(Ok(()), |waits| {
        print(&format!(
            "note: {}: you have not agreed to this yet\n",
            waits.description()
        ))
    })
}
