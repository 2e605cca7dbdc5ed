//! `benchtop sample [DIR]`: adds a small sample data set.

use std::path::PathBuf;

use super::import;
use crate::context::Context;
use benchtop_files::project::Project;
use benchtop_model::{ErrorKind, Result};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    /// Project folder, created if needed [default: the current project]
    dir: Option<PathBuf>,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

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
