//! `benchtop people`: who works on the project.

mod plan;

use std::collections::BTreeMap;

use clap::Subcommand;
use serde_json::json;

pub use plan::{apply, plan};

use super::out;
use crate::context::Context;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::settings::{Access, People, PeopleChange, PeoplePlan, RoundPerson};
use benchtop_model::{Error, Result, clean};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop people\n  benchtop people set --me ann\n  benchtop people set --group annotators --user alice=ann --user robert=bob --dry-run"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// Show who works on the project, and who has the most left in open rounds
    List,
    /// Change your name, or who may work on the project
    Set {
        /// Your annotator name in all your private projects
        #[arg(long, value_name = "NAME")]
        me: Option<String>,
        /// Share the project with the members of this Unix group who are listed
        #[arg(long, requires = "user")]
        group: Option<String>,
        /// Unix user and the annotator that they are, such as alice=ann; repeat it
        #[arg(long, value_name = "USER=NAME", requires = "group")]
        user: Vec<String>,
        /// End the sharing
        #[arg(long, conflicts_with_all = ["group", "user"])]
        private: bool,
        /// Show what would change, without changing it
        #[arg(long)]
        dry_run: bool,
    },
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let (project, who) = (context.project()?, context.who()?);
    match args.what.as_ref().unwrap_or(&What::List) {
        What::List => {
            let people = plan::people(&project, &who, Some(&context.client()?))?;
            out::report(args.json, &people, || text(&people))
        }
        What::Set {
            me,
            group,
            user,
            private,
            dry_run,
        } => {
            let access = match group {
                Some(group) => Some(Access::Shared {
                    group: group.clone(),
                    people: pairs(user.iter().map(String::as_str))?,
                }),
                None => private.then_some(Access::Private),
            };
            let me = me.clone();
            let change = PeopleChange { me, access };
            if change == PeopleChange::default() {
                return Err(Error::usage("nothing to change")
                    .help("name yourself with --me, share with --group and --user, or end it with --private"));
            }
            let run = if *dry_run { plan } else { apply };
            let plan = run(&project, &who, &change, ProgressSink::NONE)?;
            let value = json!({"dry_run": dry_run, "plan": plan});
            out::report(args.json, &value, || told(&plan, *dry_run))
        }
    }
}

/// Reads pairs such as `alice=ann`.
///
/// # Errors
/// A word that is no pair, or a user who is listed twice.
pub fn pairs<'a>(words: impl Iterator<Item = &'a str>) -> Result<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for word in words {
        let wrong = |what: &str| Error::usage(format!("`{word}` {what}")).field("people");
        let pair = word
            .split_once('=')
            .filter(|(user, name)| !user.is_empty() && !name.is_empty());
        let (user, name) = pair.ok_or_else(|| {
            wrong("is no pair").help("write the Unix user and the annotator name: alice=ann")
        })?;
        if all.insert(user.to_string(), name.to_string()).is_some() {
            return Err(wrong("lists a user twice"));
        }
    }
    Ok(all)
}

fn text(people: &People) -> String {
    let mut out = format!("you are {}\n", clean::line(&people.me));
    match &people.group {
        None => out.push_str("private: only your Unix user may open the project\n"),
        Some(group) => {
            out.push_str(&format!("shared with the group {}\n", clean::line(group)));
            for (user, name) in &people.people {
                let (user, name) = (clean::line(user), clean::line(name));
                out.push_str(&format!("  {user} is {name}\n"));
            }
        }
    }
    people
        .rounds
        .iter()
        .for_each(|p| out.push_str(&of_round(p)));
    out
}

fn of_round(person: &RoundPerson) -> String {
    let (round, who) = (clean::line(&person.round), clean::line(&person.who));
    let idle = match person.idle_days {
        None => "no verdict in 14 days".to_string(),
        Some(0) => "active today".into(),
        Some(days) => format!("idle for {}", out::count(days, "day")),
    };
    format!(
        "round {round}: {who} {} of {}, {idle}\n",
        person.judged, person.share
    )
}

fn told(plan: &PeoplePlan, dry: bool) -> String {
    let mut out = String::new();
    if let Some((path, setting)) = &plan.own {
        out.push_str(&format!(
            "{}: {}\n",
            path.display(),
            clean::line(&setting.line())
        ));
    }
    for setting in &plan.project {
        out.push_str(&format!(
            "benchtop.toml: {}\n",
            clean::line(&setting.line())
        ));
    }
    if plan.permissions > 0 {
        let paths = out::count(plan.permissions, "path");
        out.push_str(&format!(
            "permissions: {paths}, {} newly readable for the group\n",
            plan.opened
        ));
    }
    if plan.restarts {
        out.push_str("the owner process restarts; running jobs continue\n");
    }
    out.push_str(&out::notes(&plan.notes));
    match (plan.is_empty(), dry) {
        (true, _) => out.push_str("nothing changes\n"),
        (false, true) => out.push_str("nothing was changed (dry run)\n"),
        (false, false) => {}
    }
    out
}
