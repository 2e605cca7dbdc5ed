//! Asking the person whether a job may send what it wants to send.

use std::io::{BufRead, IsTerminal};

use super::out;
use crate::out::print;
use benchtop_model::trust::{Destination, Waits};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::Client;
use benchtop_protocol::wire::NeedsConsent;

/// The destinations that are not this machine. A command whose arguments name the hosts and the variable agrees to them.
pub fn elsewhere(to: Vec<Destination>) -> Vec<Destination> {
    to.into_iter()
        .filter(|destination| !destination.is_here())
        .collect()
}

/// Does `then` with a job that `waits` as it says. On a terminal the person is asked; without one the owner refuses what
/// was not agreed to, and says how to.
///
/// # Errors
/// [`ErrorKind::Cancelled`] where the person does not want it, and what the owner refuses.
pub fn resume<R: NeedsConsent>(
    client: &Client,
    waits: Option<&Waits>,
    then: R,
) -> Result<R::Reply> {
    match waits {
        Some(waits) if is_terminal() => asked(client, waits, then),
        _ => client.ask(then),
    }
}

/// What the owner refused with `refusal` is asked again once the person agrees to what it `waits` for. Without a terminal the
/// refusal stands.
///
/// # Errors
/// `refusal`, and as [`resume`].
pub fn begin<R: NeedsConsent>(
    client: &Client,
    waits: Option<&Waits>,
    refusal: Error,
    then: R,
) -> Result<R::Reply> {
    match waits {
        Some(waits) if is_terminal() => asked(client, waits, then),
        _ => Err(refusal),
    }
}

fn asked<R: NeedsConsent>(client: &Client, waits: &Waits, then: R) -> Result<R::Reply> {
    let question = match waits.to.is_empty() {
        true => format!("{}: resume it?", waits.says()),
        false => format!("{}: send it?", waits.says()),
    };
    if !yes(&question)? {
        return Err(Error::new(ErrorKind::Cancelled, "nothing was sent"));
    }
    client.ask_agreed(waits.open(), then, &mut |_| ())
}

/// Whether a person can be asked here.
fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks on the terminal; whatever is not a yes is a no.
fn yes(question: &str) -> Result<bool> {
    out::progress(&format!("{question} [y/N] "));
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|e| Error::new(ErrorKind::Io, format!("the answer cannot be read: {e}")))?;
    Ok(matches!(
        line.trim().to_ascii_lowercase().as_str(),
        "y" | "yes"
    ))
}

/// A note for a command that only says what it would do.
///
/// # Errors
/// As [`print`].
pub fn note(waits: Option<&Waits>) -> Result<()> {
    waits.map_or(Ok(()), |waits| {
        print(&format!(
            "note: {}: you have not agreed to that yet\n",
            waits.says()
        ))
    })
}
