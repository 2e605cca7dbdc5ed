//! `benchtop scenario`: starts a job that makes the pictures and items of a scenario, and draws
//! contact sheets. The kinds and their options follow the table of the model.

mod sheet;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, FromArgMatches, Subcommand};
use serde_json::{Value, json};

use super::follow::{self, Follow, FollowOptions};
use super::out::count;
use crate::context::Context;
use benchtop_files::{disk, regular};
use benchtop_model::scenario::{
    NewScenario, PLAN_LIMIT, SCENARIOS, ScenarioKind, ScenarioPlan, Setting, StartedScenario,
    Values, shortened,
};
use benchtop_model::{Error, Result, clean};
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop scenario corruption --severities 1,2,3 --seed 7 --dry-run\n  benchtop scenario print-attack --opacity 100 --filter 'subtask:animal'\n  benchtop scenario adversarial --eps 8 --steps 10 --dry-run\n  benchtop scenario sheet --of '#12' --out sheet.png"
)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

/// A kind of scenario, or a contact sheet.
enum What {
    Make(&'static ScenarioKind, Box<Make>, BTreeMap<String, String>),
    Sheet(Box<sheet::Args>),
}

const SHEET: &str = "sheet";

/// The options that all kinds have.
#[derive(clap::Args)]
struct Make {
    /// Filter that selects the items [default: all items]
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Seed of everything that is dealt and drawn [default: 0]
    #[arg(long)]
    seed: Option<u64>,
    /// Plan file in TOML; options on the command line replace its values
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Write the plan to a file
    #[arg(long, value_name = "FILE")]
    write_plan: Option<PathBuf>,
    #[command(flatten)]
    follow: FollowOptions,
}

fn option(setting: &'static Setting) -> Arg {
    let arg = Arg::new(setting.name).long(setting.name);
    match &setting.values {
        Values::Flag => arg.help(setting.help).action(ArgAction::SetTrue),
        Values::Several(all) => arg
            .help(format!(
                "{}, separated by commas: {} [default: all]",
                setting.help,
                shortened(all)
            ))
            .value_name("LIST")
            .action(ArgAction::Append)
            .value_delimiter(',')
            .value_parser(PossibleValuesParser::new(*all))
            .hide_possible_values(true),
        Values::Number(least, most, default) => arg
            .help(format!(
                "{}, {least} to {most} [default: {default}]",
                setting.help
            ))
            .value_name("NUMBER")
            .value_parser(|text: &str| {
                text.parse::<f64>()
                    .map(|_| text.to_string())
                    .map_err(|e| e.to_string())
            }),
        Values::Name(default) => arg
            .help(format!("{} [default: {default}]", setting.help))
            .value_name("NAME"),
    }
}

/// The settings on the command line.
fn settings(kind: &ScenarioKind, matches: &ArgMatches) -> BTreeMap<String, String> {
    let of = |setting: &Setting| {
        let text = match setting.values {
            Values::Flag => matches.get_flag(setting.name).then(|| "true".to_string()),
            _ => matches
                .get_many::<String>(setting.name)
                .map(|all| all.cloned().collect::<Vec<_>>().join(",")),
        };
        Some((setting.name.to_string(), text?))
    };
    kind.settings.iter().filter_map(of).collect()
}

impl Subcommand for What {
    fn augment_subcommands(mut command: Command) -> Command {
        for kind in SCENARIOS {
            // The derived arguments set a help of their own.
            let made = Make::augment_args(Command::new(kind.name)).about(kind.help);
            command = command.subcommand(made.args(kind.settings.iter().map(option)));
        }
        let sheet = sheet::Args::augment_args(Command::new(SHEET))
            .about("A contact sheet of what a scenario does to one picture, as PNG");
        command
            .subcommand(sheet)
            .subcommand_required(true)
            .arg_required_else_help(true)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        What::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name == SHEET || SCENARIOS.iter().any(|kind| kind.name == name)
    }
}

impl FromArgMatches for What {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<What, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        if name == SHEET {
            let args = sheet::Args::from_arg_matches(matches)?;
            return Ok(What::Sheet(Box::new(args)));
        }
        let kind = SCENARIOS.iter().find(|kind| kind.name == name);
        let kind = kind.ok_or_else(missing)?;
        let make = Make::from_arg_matches(matches)?;
        Ok(What::Make(kind, Box::new(make), settings(kind, matches)))
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = What::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The exit code is 1 unless the job completes and every picture was made.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let (kind, make, settings) = match &args.what {
        What::Sheet(args) => return sheet::run(context, args),
        What::Make(kind, make, settings) => (*kind, make, settings),
    };
    let plan = plan(kind, make, settings)?;
    let mut follower = Follow::connect(context)?;
    let ask = NewScenario {
        plan: plan.clone(),
        dry: make.follow.dry_run,
    };
    let started = follower.client().ask(request::Scenario(Box::new(ask)))?;
    if let Some(path) = &make.write_plan {
        disk::write_atomic(path, plan.to_toml()?.as_bytes())?;
    }
    let job = started.job.clone().filter(|_| !make.follow.detach);
    follow::begun(
        &mut follower,
        job,
        (&value(&plan, &started), &text(&started)),
        (make.follow.json, make.follow.json_progress),
    )
}

/// The plan of the file, with the options in place of its values.
fn plan(
    kind: &ScenarioKind,
    make: &Make,
    settings: &BTreeMap<String, String>,
) -> Result<ScenarioPlan> {
    let mut plan = match &make.plan {
        Some(path) => read(path)?,
        None => ScenarioPlan {
            scenario: kind.name.into(),
            ..ScenarioPlan::default()
        },
    };
    if plan.scenario != kind.name {
        let what = format!("the plan is for the scenario `{}`", plan.scenario);
        let problem = Error::usage(what).field("scenario");
        let help = format!("run: benchtop scenario {} --plan FILE", plan.scenario);
        return Err(problem.help(clean::line(&help).into_owned()));
    }
    plan.settings.extend(settings.clone());
    plan.filter = make.filter.clone().unwrap_or(plan.filter);
    plan.seed = make.seed.unwrap_or(plan.seed);
    plan.check().map(|_| plan)
}

fn read(path: &Path) -> Result<ScenarioPlan> {
    let bytes = regular::read(path, PLAN_LIMIT)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::input("it is not UTF-8").file(path))?;
    ScenarioPlan::parse(&text).map_err(|problem| problem.file(path))
}

fn value(plan: &ScenarioPlan, started: &StartedScenario) -> Value {
    let dealt = started.dealt.iter();
    let dealt: Vec<Value> = dealt
        .map(|(name, value, pictures)| json!({"name": name, "value": value, "pictures": pictures}))
        .collect();
    let excluded = started.excluded.iter();
    let excluded: Vec<Value> = excluded
        .map(|(why, items)| json!({"why": why, "items": items}))
        .collect();
    json!({
        "event": "begun", "job": started.job.as_ref().map(super::jobs::value), "plan": plan,
        "items": started.items, "pictures": started.pictures, "sources": started.sources,
        "datasets": started.datasets, "already": started.already, "excluded": excluded,
        "drafts": started.drafts, "dealt": dealt, "bytes": started.bytes,
    })
}

fn text(started: &StartedScenario) -> String {
    let head = started
        .job
        .as_ref()
        .map_or("Would make".into(), |job| format!("Job {} makes", job.id));
    let mut text = format!(
        "{head} {} of {} for {}.\n",
        count(started.pictures, "picture"),
        count(started.sources, "source picture"),
        count(started.items, "new item"),
    );
    for dataset in &started.datasets {
        text.push_str(&format!("data set: {}\n", clean::line(dataset)));
    }
    if started.bytes > 0 {
        text.push_str(&format!("disk: about {}\n", started.disk()));
    }
    for (name, values) in by_name(&started.dealt) {
        text.push_str(&format!("{}: {values}\n", clean::line(name)));
    }
    let mut note = |n: u64, what: &str| {
        if n > 0 {
            text.push_str(&format!("note: {} {what}\n", count(n, "item")));
        }
    };
    note(started.already, "derived already");
    for (why, items) in &started.excluded {
        note(*items, &format!("left out: {}", clean::line(why)));
    }
    note(started.drafts, "with a draft picture");
    text
}

/// How often each value is dealt, by name: `1 x 20, 2 x 20`.
fn by_name(dealt: &[(String, String, u64)]) -> Vec<(&str, String)> {
    let mut all: Vec<(&str, String)> = Vec::new();
    for (name, value, pictures) in dealt {
        let one = format!("{} x {pictures}", clean::line(value));
        match all.last_mut().filter(|(last, _)| last == name) {
            Some((_, list)) => list.push_str(&format!(", {one}")),
            None => all.push((name, one)),
        }
    }
    all
}
