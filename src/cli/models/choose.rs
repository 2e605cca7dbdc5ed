//! `benchtop models use`: what paints and what scores.

use serde_json::json;

use super::{plan, size_of};
use crate::context::Context;
use crate::{consent, out};
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::import::Progress;
use benchtop_model::settings::{ModelsChange, ModelsPlan, ServerTest, UsedModel, UsedServer};
use benchtop_model::trust;
use benchtop_model::weights::FileState;
use benchtop_model::{Error, ErrorKind, Result, clean};

/// The models and servers to use. An empty text removes a setting.
#[derive(clap::Args)]
pub struct Args {
    /// What makes pictures: storyboard, candle (a model on this machine), or http (a server)
    #[arg(long)]
    backend: Option<String>,
    /// The model that makes pictures: a name, a folder, or the name that the server knows
    #[arg(long)]
    model: Option<String>,
    /// Where candle runs: auto, cpu, cpu-worker, or cuda:N
    #[arg(long)]
    device: Option<String>,
    /// Base URL of the server that makes pictures; other servers of a pool stay
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Environment variable with the key of that server
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,
    /// The model that judges pictures, as its server knows it
    #[arg(long, value_name = "MODEL")]
    judge_model: Option<String>,
    /// Base URL of the server that judges pictures
    #[arg(long, value_name = "URL")]
    judge_endpoint: Option<String>,
    /// Environment variable with the key of that server
    #[arg(long, value_name = "VARIABLE")]
    judge_key_env: Option<String>,
    /// CLIP model: a name or a folder
    #[arg(long, value_name = "MODEL")]
    clip: Option<String>,
    /// SigLIP model: a name or a folder
    #[arg(long, value_name = "MODEL")]
    siglip: Option<String>,
    /// Safety checker: a name or a folder
    #[arg(long, value_name = "MODEL")]
    safety: Option<String>,
    /// Download the missing files of these models, after a question
    #[arg(long)]
    pull: bool,
    /// Ask the servers for their lists of models, after a question
    #[arg(long)]
    test: bool,
    /// Answer yes to the question about downloads
    #[arg(long, requires = "pull")]
    yes: bool,
    /// Show what would change and where data goes, without doing it
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    fn change(&self) -> ModelsChange {
        ModelsChange {
            backend: self.backend.clone(),
            model: self.model.clone(),
            device: self.device.clone(),
            endpoint: self.endpoint.clone(),
            key_env: self.key_env.clone(),
            judge_model: self.judge_model.clone(),
            judge_endpoint: self.judge_endpoint.clone(),
            judge_key_env: self.judge_key_env.clone(),
            clip: self.clip.clone(),
            siglip: self.siglip.clone(),
            safety: self.safety.clone(),
            pull: self.pull,
            test: self.test,
        }
    }
}

pub fn run(context: &Context, args: &Args, json: bool) -> Result<u8> {
    let (project, change) = (context.project()?, args.change());
    let mut done = plan::plan(&project, &change)?;
    if !args.dry_run {
        let refused = |what: &str| Error::new(ErrorKind::Cancelled, what);
        if !done.pulls.is_empty() && !args.yes {
            let question = format!("download {}?", downloads(&done).join(", "));
            if !consent::is_terminal() {
                let problem = Error::denied(format!("nobody to ask: {question}"));
                return Err(problem.help("run it on a terminal, or add --yes"));
            }
            if !consent::yes(&question)? {
                return Err(refused("nothing was downloaded or changed"));
            }
        }
        let open = if change.test {
            done.missing_consent()
        } else {
            Vec::new()
        };
        if !open.is_empty() {
            let names: Vec<String> = open.iter().map(ToString::to_string).collect();
            let question = format!("agree to send data to {}?", names.join(" and "));
            if !consent::is_terminal() {
                return Err(trust::refusal(&open));
            }
            if !consent::yes(&question)? {
                return Err(refused("nothing was sent or changed"));
            }
        }
        let tell = |progress: Progress| tell(&progress, json);
        let watch = ProgressSink::new(&tell, Cancel::NEVER);
        let applied = plan::apply(&project, &change, &open, watch);
        if !json && consent::is_terminal() {
            out::progress("");
        }
        done = applied?;
    }
    let failed = done.tests.iter().any(|test| test.problem.is_some());
    let value = json!({"dry_run": args.dry_run, "plan": done});
    out::report(json, &value, || told(&done, args.dry_run))?;
    Ok(u8::from(failed))
}

fn tell(progress: &Progress, json: bool) {
    if !json && consent::is_terminal() {
        let of = progress
            .of
            .map_or(String::new(), |of| format!(" of {:.1}", of as f64 / 1e6));
        let done = progress.done as f64 / 1e6;
        out::progress(&format!("{} {done:.1}{of} MB", progress.what));
    }
}

/// The models to download, with size and license.
fn downloads(plan: &ModelsPlan) -> Vec<String> {
    let pulled = |used: &&UsedModel| plan.pulls.contains(&used.model.name);
    let line = |used: &UsedModel| {
        let model = &used.model;
        format!(
            "{} ({}, license: {})",
            model.name,
            size_of(model),
            model.licence
        )
    };
    plan.models.iter().filter(pulled).map(line).collect()
}

fn told(plan: &ModelsPlan, dry: bool) -> String {
    let mut out = String::new();
    for setting in &plan.project {
        out.push_str(&format!(
            "benchtop.toml: {}\n",
            clean::line(&setting.line())
        ));
    }
    for UsedModel { setting, model } in &plan.models {
        let pulls = match dry && plan.pulls.contains(&model.name) {
            true => ", would be downloaded",
            false => "",
        };
        let name = clean::line(&model.name);
        let (state, size) = (super::state(model.state), size_of(model));
        out.push_str(&format!("{setting}: {name} is {state} ({size}){pulls}\n"));
        if model.state != FileState::Complete && pulls.is_empty() {
            out.push_str(&format!(
                "note: `benchtop models pull {name}` downloads it\n"
            ));
        }
    }
    for server in &plan.servers {
        out.push_str(&of_server(server));
    }
    plan.tests
        .iter()
        .for_each(|test| out.push_str(&of_test(test)));
    out.push_str(&out::notes(&plan.notes));
    match (plan.project.is_empty(), dry) {
        (true, _) => out.push_str("the settings stay as they are\n"),
        (false, true) => out.push_str("nothing was changed (dry run)\n"),
        (false, false) => {}
    }
    out
}

fn of_server(server: &UsedServer) -> String {
    let kind = server.destination.sends.name();
    let agreed = if server.agreed {
        ""
    } else {
        ", after you agree"
    };
    let to = server.destination.to_string();
    format!(
        "{}: {kind} go to {}{agreed}\n",
        server.setting,
        clean::line(&to)
    )
}

fn of_test(test: &ServerTest) -> String {
    let url = clean::line(&test.url);
    match (&test.problem, test.models) {
        (Some(problem), _) => format!("test: {}\n", clean::line(problem)),
        (None, models) => {
            let models = out::count(models.unwrap_or_default(), "model");
            let has = if test.has_model {
                "has"
            } else {
                "does not list"
            };
            format!("test: {url} answers with {models} and {has} the wanted one\n")
        }
    }
}
