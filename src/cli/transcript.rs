//! `benchtop transcript ITEM`: the requests and answers that a derived item was made with.

use crate::context::{Context, number_of};
use crate::out;
use benchtop_model::bootstrap::TranscriptStep;
use benchtop_model::{Result, clean};
use benchtop_protocol::wire::request;
use serde_json::json;

#[derive(clap::Args)]
pub struct Args {
    /// Number or id of the item
    item: String,
    /// Print the steps as one JSON array
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let client = context.client()?;
    let number = number_of(&client, &args.item)?;
    let steps = client.ask(request::Transcript(number))?;
    out::report(args.json, &json!(steps), || {
        steps.iter().map(text).collect()
    })
}

fn text(step: &TranscriptStep) -> String {
    let product = clean::line(&step.product).into_owned();
    let indented = |text: &str| -> String {
        let lines = text.lines();
        lines
            .map(|line| format!("\t{}\n", clean::line(line)))
            .collect()
    };
    if step.role.is_empty() {
        return format!("{product}\t{}\n\n", clean::line(&step.reply));
    }
    let repair = if step.repair { " (repair)" } else { "" };
    let seed = step
        .seed
        .map_or(String::new(), |seed| format!("\tseed {seed}"));
    let temperature = step
        .temperature
        .map_or(String::new(), |t| format!("\ttemperature {t}"));
    format!(
        "{product}\t{} {}{repair}\t{}{seed}{temperature}\n{}-- answer:\n{}\n",
        clean::line(&step.role),
        step.ask,
        clean::line(&step.model),
        indented(&step.prompt),
        indented(&step.reply),
    )
}
