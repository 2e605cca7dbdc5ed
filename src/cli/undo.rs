//! `benchtop undo` and `benchtop redo`: take back your last verdict or edit, or bring it back.

use serde_json::json;
use uuid::Uuid;

use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_model::Result;
use benchtop_protocol::wire::request;

/// Arguments of `undo` and `redo`.
#[derive(clap::Args)]
pub struct Args {
    /// How many verdicts and edits
    #[arg(long, default_value_t = 1, value_name = "N")]
    count: u32,
}

/// Which way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Take back.
    Undo,
    /// Bring back.
    Redo,
}

/// Runs it: one receipt line a verdict, once it is durable.
///
/// # Errors
/// When there is nothing to take back or bring back.
pub fn run(context: &Context, args: &Args, way: Way) -> Result<u8> {
    let client = context.client()?;
    for _ in 0..args.count {
        let uuid = Uuid::now_v7();
        let receipt = match way {
            Way::Undo => client.ask(request::Undo(uuid)),
            Way::Redo => client.ask(request::Redo(uuid)),
        }?;
        let word = if way == Way::Undo { "undo" } else { "redo" };
        let line = json!({
            "saved": true, "act": word, "number": receipt.number, "status": receipt.status, "rev": receipt.rev,
            "uuid": receipt.uuid, "of": if receipt.edit { "edit" } else { "verdict" },
        });
        print(&out::json_text(&line))?;
    }
    Ok(0)
}
