//! `benchtop explain ITEM`: where an item comes from.

use crate::context::{Context, number_of};
use crate::out;
use benchtop_model::lineage::Lineage;
use benchtop_model::{Result, clean};
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    /// Number or id of the item
    item: String,
    /// Print the steps as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let client = context.client()?;
    let number = number_of(&client, &args.item)?;
    let lineage = client.ask(request::Lineage { number })?;
    out::report(args.json, &lineage.to_json(), || text(&lineage))
}

fn text(lineage: &Lineage) -> String {
    let mut out = format!("#{} {}\n", lineage.number, clean::line(&lineage.id));
    if let Some(stale) = &lineage.stale {
        out.push_str(&format!("{}\n", clean::line(stale)));
    }
    for step in &lineage.steps {
        let item = match step.item == lineage.id {
            true => String::new(),
            false => format!("\t({})", clean::line(&step.item)),
        };
        out.push_str(&format!(
            "\n{}\t{}{item}\n",
            step.kind.name(),
            clean::line(&step.what)
        ));
        for (name, value) in step.readable() {
            let (name, value) = (clean::line(name), clean::line(&value));
            out.push_str(&format!("\t{name}: {value}\n"));
        }
    }
    out
}
