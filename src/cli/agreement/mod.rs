//! `benchtop agreement`: agreement between annotators. `benchtop pace`: an annotator's own pace.

pub mod pace;
pub mod table;
pub mod value;

use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::agreement::analysis::{AgreementAnalysis, AgreementQuery, GroupBy};
use benchtop_model::{Result, clean};
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    /// Use the verdicts of this round [default: verdicts outside of rounds]
    #[arg(long, value_name = "NAME")]
    round: Option<String>,
    /// Group rows by pair, subtask, type, level, style or outcome
    #[arg(long, value_name = "WHAT", default_value = "pair", value_parser = by)]
    by: GroupBy,
    /// Print only a paragraph for the methods section of a paper
    #[arg(long)]
    methods: bool,
    #[command(flatten)]
    draws: Draws,
    /// Print one JSON object
    #[arg(long, conflicts_with = "methods")]
    json: bool,
}

/// Options of the bootstrap intervals.
#[derive(clap::Args)]
pub struct Draws {
    /// Bootstrap draws of the intervals; 0 for no intervals
    #[arg(long, value_name = "N", default_value_t = Bootstrap::default().draws)]
    draws: u32,
    /// Seed of the draws
    #[arg(long, value_name = "N", default_value_t = Bootstrap::default().seed)]
    seed: u64,
}

impl Draws {
    /// The bootstrap plan; `None` for 0 draws.
    pub fn plan(&self) -> Option<Bootstrap> {
        (self.draws > 0).then_some(Bootstrap {
            draws: self.draws,
            seed: self.seed,
        })
    }
}

fn by(name: &str) -> std::result::Result<GroupBy, String> {
    let known = GroupBy::ALL.map(GroupBy::name).join(", ");
    GroupBy::from_name(name)
        .ok_or_else(|| format!("cannot group by `{name}`; expected one of: {known}"))
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let ask = AgreementQuery {
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

fn text(found: &AgreementAnalysis) -> String {
    let source = found
        .round
        .as_ref()
        .map_or("verdicts outside of rounds".to_string(), |name| {
            format!("round `{name}`")
        });
    let mut out = format!("{source} ({}), by {}\n\n", found.protocol, found.by.title());
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
        out.extend(why.iter().map(|line| format!("{}\n", clean::line(line))));
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
    out + &out::notes(&found.notes)
}
