//! `benchtop agreement`: how far annotators agree; `benchtop pace`: how one's own work goes.

pub mod pace;
pub mod table;
pub mod value;

use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::agreement::analysis::{Agreed, AgreementAsk, By};
use benchtop_model::{Result, clean};
use benchtop_protocol::wire::request;

/// Arguments of `agreement`.
#[derive(clap::Args)]
pub struct Args {
    /// Only what was said in this round; otherwise what was said outside of rounds
    #[arg(long, value_name = "NAME")]
    round: Option<String>,
    /// What the rows are: pair, subtask, type, level, style or outcome
    #[arg(long, value_name = "WHAT", default_value = "pair", value_parser = by)]
    by: By,
    /// Print a paragraph for the methods section of a paper, and nothing else
    #[arg(long)]
    methods: bool,
    #[command(flatten)]
    draws: Draws,
    /// Print one JSON object
    #[arg(long, conflicts_with = "methods")]
    json: bool,
}

/// How intervals are drawn.
#[derive(clap::Args)]
pub struct Draws {
    /// Bootstrap draws for the intervals; 0 for none
    #[arg(long, value_name = "N", default_value_t = Bootstrap::default().draws)]
    draws: u32,
    /// What they are drawn from
    #[arg(long, value_name = "N", default_value_t = Bootstrap::default().seed)]
    seed: u64,
}

impl Draws {
    /// The plan, if draws are wanted.
    pub fn plan(&self) -> Option<Bootstrap> {
        (self.draws > 0).then_some(Bootstrap {
            draws: self.draws,
            seed: self.seed,
        })
    }
}

fn by(name: &str) -> std::result::Result<By, String> {
    let known = By::ALL.map(By::name).join(", ");
    By::from_name(name)
        .ok_or_else(|| format!("`{name}` cannot group agreement, expected one of {known}"))
}

/// Runs it.
///
/// # Errors
/// What the owner refuses: no such round, or one that is blind for you and still open.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let ask = AgreementAsk {
        round: args.round.clone(),
        by: args.by,
        bootstrap: args.draws.plan(),
    };
    let found = context.client()?.ask(request::Agreement(ask))?;
    let text = match (args.methods, args.json) {
        (true, _) => format!("{}\n", found.methods),
        (_, true) => out::json_text(&value::agreed(&found)),
        _ => text(&found),
    };
    print(&text).map(|()| 0)
}

fn text(found: &Agreed) -> String {
    let of = found
        .round
        .as_ref()
        .map_or("outside of rounds".to_string(), |name| {
            format!("the round `{name}`")
        });
    let mut out = format!("{of} ({}), by {}\n\n", found.protocol, found.by.title());
    out.push_str(&table::plain(&table::of(&found.rows, found.by)));
    if let Some(first) = found.rows.first().filter(|row| row.measures.doubles > 0) {
        out.push('\n');
        out.push_str(&table::plain(&table::met(
            first,
            &found.people,
            &found.categories,
        )));
    }
    let why = table::undefined(&found.rows, &found.categories);
    if !why.is_empty() {
        out.push('\n');
        why.iter()
            .for_each(|line| out.push_str(&format!("{}\n", clean::line(line))));
    }
    let people = table::people(&found.quality);
    if people
        .rows
        .iter()
        .any(|row| row.iter().skip(1).any(|cell| cell != "-"))
    {
        out.push('\n');
        out.push_str(&table::plain(&people));
    }
    for note in &found.notes {
        out.push_str(&format!("note: {}\n", clean::line(note)));
    }
    out
}
