//! `benchtop sample`: fill the project with a small set that the program draws itself.

use super::{Context, import};
use crate::model::Result;
use crate::owner::wire::Ask;

/// Arguments of `sample`.
#[derive(clap::Args)]
pub struct Args {
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
///
/// # Errors
/// When the project cannot be written.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let client = context.client()?;
    let report = import::watched(&client, Ask::Sample, !args.json)?;
    import::show(&report, args.json)
}
