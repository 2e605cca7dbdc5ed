//! `benchtop sample [DIR]`: adds the sample, or removes it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{consent, import};
use crate::context::Context;
use crate::out;
use benchtop_files::project::Project;
use benchtop_model::sample::{RemovedSample, SampleContents};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::request;
use benchtop_protocol::{Client, lock};

/// How long to wait for the owner to end.
const ENDING: Duration = Duration::from_secs(60);

#[derive(clap::Args)]
pub struct Args {
    /// Project folder, created if needed [default: the current project]
    dir: Option<PathBuf>,
    /// Add only the items, without made-up answers, verdicts, scores, and jobs
    #[arg(long, conflicts_with = "remove")]
    items_only: bool,
    /// Remove the sample, with all verdicts on it; asks first
    #[arg(long)]
    remove: bool,
    /// Remove without asking
    #[arg(long, requires = "remove")]
    yes: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let project = match &args.dir {
        None => context.project()?,
        Some(dir) => match Project::open(dir) {
            Err(problem) if problem.kind == ErrorKind::NotFound && !args.remove => {
                Project::init(dir)?
            }
            opened => opened?,
        },
    };
    let client = Client::connect(&project, &context.who()?, |_| ())?;
    if args.remove {
        return remove(context, args, &project, client);
    }
    let ask = request::Sample {
        items_only: args.items_only,
    };
    let report = import::waited(&client, ask, !args.json)?;
    import::show(&report, args.json)
}

fn remove(context: &Context, args: &Args, project: &Project, client: Client) -> Result<u8> {
    let counted = client.ask(request::RemoveSample { confirmed: None })?;
    let contents = counted.contents;
    let question = format!("remove the sample: {}?", described(&contents));
    if !args.yes {
        if !consent::is_terminal() {
            return Err(
                Error::usage(format!("would {}", question.trim_end_matches('?')))
                    .help("add --yes to confirm it"),
            );
        }
        if !consent::yes(&question)? {
            return Err(Error::new(ErrorKind::Cancelled, "nothing was removed"));
        }
    }
    let confirmed = Some(Box::new(contents));
    let removed = client.ask(request::RemoveSample { confirmed })?;
    drop(client);
    await_empty(context, project)?;
    out::report(args.json, &serde_json::json!(removed), || text(&removed))
}

/// Waits for the owner to end, and starts the one that empties the project.
fn await_empty(context: &Context, project: &Project) -> Result<()> {
    let deadline = Instant::now() + ENDING;
    while lock::is_held(project) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    Client::connect(project, &context.who()?, |_| ()).map(drop)
}

fn described(contents: &SampleContents) -> String {
    let SampleContents {
        items,
        answers,
        made_up,
        jobs,
        ..
    } = contents;
    let job = if *jobs == 1 { "job" } else { "jobs" };
    let rest =
        format!("{items} items, {answers} answers, {made_up} made-up verdicts, {jobs} {job}");
    match contents.of_people().as_str() {
        "" => rest,
        people => format!("{rest}, with people's {people}"),
    }
}

fn text(removed: &RemovedSample) -> String {
    let folder = removed.folder.as_deref().unwrap_or("".as_ref());
    format!(
        "removed the sample: {}\nits files are in {}\n",
        described(&removed.contents),
        folder.display()
    )
}
