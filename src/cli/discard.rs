//! `benchtop discard`: rejects the items of terms (step 4 of Dysca's cleaning).

use serde_json::json;

use super::{coverage, import};
use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_model::Result;
use benchtop_protocol::wire::request;

/// Arguments of `discard`.
#[derive(clap::Args)]
pub struct Args {
    /// The terms whose items are rejected
    #[arg(required = true, value_name = "VOCABULARY:TERM", value_parser = term)]
    terms: Vec<(String, String)>,
    /// Say what would be rejected, and reject nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

fn term(text: &str) -> std::result::Result<(String, String), String> {
    match text.split_once(':') {
        Some((vocabulary, term)) if !vocabulary.is_empty() && !term.trim().is_empty() => {
            Ok((vocabulary.into(), term.into()))
        }
        _ => Err("expected VOCABULARY:TERM, such as animal:owl".into()),
    }
}

/// Runs it.
///
/// # Errors
/// When verdicts cannot be saved.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let ask = request::Discard {
        terms: args.terms.clone(),
        dry: args.dry_run,
    };
    let done = import::waited(&context.client()?, ask, !args.json)?;
    let text = if args.json {
        let value = json!({"dry_run": args.dry_run, "rejected": done.rejected, "items": coverage::tally(&done.items)});
        out::json_text(&value)
    } else {
        let would = if args.dry_run {
            "would be rejected"
        } else {
            "rejected"
        };
        format!(
            "{} items have these terms; {} {would}\n",
            done.items.all(),
            done.rejected
        )
    };
    print(&text).map(|()| 0)
}
