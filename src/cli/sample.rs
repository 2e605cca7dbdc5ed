//! `benchtop sample [DIR]`: a small set that the program draws itself.

use std::path::PathBuf;

use super::import;
use crate::context::Context;
use benchtop_files::project::Project;
use benchtop_model::{ErrorKind, Result};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

/// Arguments of `sample`.
#[derive(clap::Args)]
pub struct Args {
    /// The project's folder, made into one when it is none; the project you are in otherwise
    dir: Option<PathBuf>,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
///
/// # Errors
/// When the project cannot be made or written.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let project = match &args.dir {
        None => context.project()?,
        Some(dir) => match Project::open(dir) {
            Err(problem) if problem.kind == ErrorKind::NotFound => Project::init(dir)?,
            opened => opened?,
        },
    };
    let client = Client::connect(&project, &context.who()?, |_| ())?;
    let report = import::waited(&client, request::Sample, !args.json)?;
    import::show(&report, args.json)
}
