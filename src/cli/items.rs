//! `benchtop items`: lists items.

use std::io::{BufWriter, Write};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::out;
use crate::context::Context;
use crate::out::{done, json_line};
use benchtop_model::{Error, ErrorKind, Field, Filter, Item, Result, Sort, Status, clean};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

/// Items per request.
const BATCH: usize = 1024;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop items --filter 'status:pending subtask:animal'\n  benchtop items --filter 'NOT status:rejected teapot' --sort -judged\n  benchtop items --json | head"
)]
pub struct Args {
    /// List only items that match this filter, such as `status:pending subtask:animal`
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Sort by fields, comma-separated; `-FIELD` sorts descending
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "FIELDS",
        allow_hyphen_values = true
    )]
    sort: String,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

/// Parses a sort order such as `-judged,subtask`.
///
/// # Errors
/// [`ErrorKind::Usage`] for an unknown field.
pub fn parse_sort(text: &str) -> Result<Vec<Sort>> {
    let words = text.split(',').map(str::trim).filter(|w| !w.is_empty());
    words
        .map(|word| {
            let name = word.strip_prefix('-').unwrap_or(word);
            let field = Field::from_name(name).ok_or_else(|| {
                Error::usage(format!("unknown field `{name}`")).help(format!(
                    "one of: {}",
                    Field::ALL.map(Field::name).join(", ")
                ))
            })?;
            Ok(Sort {
                field,
                descending: word.starts_with('-'),
            })
        })
        .collect()
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let filter = Filter::parse(args.filter.as_deref().unwrap_or_default())?;
    let sort = parse_sort(&args.sort)?;
    let client = context.client()?;
    let mut out = BufWriter::with_capacity(1 << 16, out::lines());
    each(&client, filter, sort, &mut |number, status, json| {
        let item: Map<String, Value> = parse(number, json)?;
        if args.json {
            let mut line = Map::new();
            line.insert("number".into(), number.into());
            line.insert("status".into(), status.name().into());
            line.extend(item);
            json_line(&mut out, &line)
        } else {
            let text =
                |key: &str| clean::line(item.get(key).and_then(Value::as_str).unwrap_or_default());
            done(writeln!(
                out,
                "#{number}\t{}\t{}\t{}",
                status.name(),
                text("id"),
                text("question")
            ))
        }
    })?;
    done(out.flush())?;
    Ok(0)
}

/// Parses the JSON of an item.
///
/// # Errors
/// [`ErrorKind::Corrupt`] with the number of the item.
fn parse<T: DeserializeOwned>(number: u32, json: &str) -> Result<T> {
    let bad = |e| {
        Error::new(
            ErrorKind::Corrupt,
            format!("cannot read item #{number}: {e}"),
        )
    };
    serde_json::from_str(json).map_err(bad)
}

/// Calls `take` with the number and content of every item that matches `filter`.
pub fn each_item(
    client: &Client,
    filter: Filter,
    mut take: impl FnMut(u32, Item) -> Result<()>,
) -> Result<()> {
    each(client, filter, Vec::new(), &mut |number, _, json| {
        take(number, parse(number, json)?)
    })
}

/// Calls `take` with the number, status, and JSON of every item that matches `filter`, in the order
/// of `sort`.
pub fn each(
    client: &Client,
    filter: Filter,
    sort: Vec<Sort>,
    take: &mut dyn FnMut(u32, Status, &str) -> Result<()>,
) -> Result<()> {
    if filter.is_empty() && sort.is_empty() {
        let mut next = Some(1);
        while let Some(from) = next {
            let found = client.ask(request::Lines(from))?;
            for (at, (json, status)) in found.json.lines().zip(found.statuses).enumerate() {
                take(from + at as u32, status, json)?;
            }
            next = found.next;
        }
        return Ok(());
    }
    let numbers = client.ask(request::Numbers(filter, sort))?;
    let mut rest = numbers.as_slice();
    while !rest.is_empty() {
        let batch = &rest[..rest.len().min(BATCH)];
        let found = client.ask(request::Items(batch.to_vec()))?;
        let taken = found.statuses.len();
        for ((json, status), number) in found.json.lines().zip(found.statuses).zip(batch) {
            take(*number, status, json)?;
        }
        rest = &rest[taken.max(1)..];
    }
    Ok(())
}
