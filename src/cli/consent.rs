//! Asking the person whether a job may send what it wants to send.

use std::io::{BufRead, IsTerminal};

use super::{out, print};
use crate::model::trust::{Destination, Waits};
use crate::model::{Error, ErrorKind, Result};
use crate::owner::Client;
use crate::owner::wire::{AskNext, Request, Response};

/// What agrees to `to` and asks `then`; plain `then` where there is nothing to agree to. For commands whose arguments name the
/// hosts and the variable: that is the agreement.
pub fn named(to: Vec<Destination>, then: AskNext) -> Request {
    let to: Vec<Destination> = to.into_iter().filter(|destination| !destination.is_here()).collect();
    if to.is_empty() { then.ask() } else { Request::Agree { to, then: Some(then) } }
}

/// Does `then` with a job that `waits` as it says. On a terminal the person is asked; without one the owner refuses what
/// was not agreed to, and says how to.
///
/// # Errors
/// [`ErrorKind::Cancelled`] where the person does not want it, and what the owner refuses.
pub fn resume(client: &Client, waits: Option<&Waits>, then: AskNext) -> Result<Response> {
    match waits {
        Some(waits) if is_terminal() => asked(client, waits, then),
        _ => client.ask(then.ask()),
    }
}

/// What the owner refused with `refusal` is asked again once the person agrees to what it `waits` for. Without a terminal the
/// refusal stands.
///
/// # Errors
/// `refusal`, and as [`resume`].
pub fn begin(client: &Client, waits: Option<&Waits>, refusal: Error, then: AskNext) -> Result<Response> {
    match waits {
        Some(waits) if is_terminal() => asked(client, waits, then),
        _ => Err(refusal),
    }
}

fn asked(client: &Client, waits: &Waits, then: AskNext) -> Result<Response> {
    let question = match waits.to.is_empty() {
        true => format!("{}: resume it?", waits.says()),
        false => format!("{}: send it?", waits.says()),
    };
    if !yes(&question)? {
        return Err(Error::new(ErrorKind::Cancelled, "nothing was sent"));
    }
    match waits.open() {
        to if to.is_empty() => client.ask(then.ask()),
        to => client.ask(Request::Agree { to, then: Some(then) }),
    }
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
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// A note for a command that only says what it would do.
///
/// # Errors
/// As [`print`].
pub fn note(waits: Option<&Waits>) -> Result<()> {
    waits.map_or(Ok(()), |waits| print(&format!("note: {}: you have not agreed to that yet\n", waits.says())))
}
