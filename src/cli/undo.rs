//! `benchtop undo` and `benchtop redo`: undo or redo your last verdict, edit, or comment.

use serde_json::json;
use uuid::Uuid;

use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_model::Result;
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    /// Number of verdicts, edits, and comments
    #[arg(long, default_value_t = 1, value_name = "N")]
    count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Undo,
    Redo,
}

/// Prints one receipt per verdict, edit, or comment, once it is on disk.
pub fn run(context: &Context, args: &Args, direction: Direction) -> Result<u8> {
    let client = context.client()?;
    for _ in 0..args.count {
        let uuid = Uuid::now_v7();
        let receipt = match direction {
            Direction::Undo => client.ask(request::Undo(uuid)),
            Direction::Redo => client.ask(request::Redo(uuid)),
        }?;
        let word = match direction {
            Direction::Undo => "undo",
            Direction::Redo => "redo",
        };
        let of = match (receipt.edit, receipt.comment) {
            (true, _) => "edit",
            (_, true) => "comment",
            _ => "verdict",
        };
        let line = json!({
            "saved": true, "act": word, "number": receipt.number, "status": receipt.status, "rev": receipt.rev,
            "uuid": receipt.uuid, "of": of,
        });
        print(&out::json_text(&line))?;
    }
    Ok(0)
}
