//! `benchtop discard`: rejects all items with given terms (step 4 of Dysca's cleaning).

use serde_json::json;

use super::{coverage, import};
use crate::context::Context;
use crate::out;
use benchtop_model::Result;
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  benchtop discard animal:owl 'style:pixel art' --dry-run")]
pub struct Args {
    /// Terms whose items are rejected, such as `animal:owl`
    #[arg(required = true, value_name = "VOCABULARY:TERM", value_parser = term)]
    terms: Vec<(String, String)>,
    /// Show what would be rejected, without rejecting it
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

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let ask = request::Discard {
        terms: args.terms.clone(),
        dry: args.dry_run,
    };
    let done = import::waited(&context.client()?, ask, !args.json)?;
    let value = json!({"dry_run": args.dry_run, "rejected": done.rejected, "items": coverage::tally(&done.items)});
    out::report(args.json, &value, || {
        let verb = match args.dry_run {
            true => "Would reject",
            false => "Rejected",
        };
        let items = out::count(done.items.all(), "item");
        format!("{verb} {} of {items} with these terms.\n", done.rejected)
    })
}
