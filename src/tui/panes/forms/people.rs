//! The form of who works on the project.

use std::collections::BTreeMap;

use super::{FormPane, PREVIEW, Question, RUN, Task};
use crate::pane::{Context, Worked};
use crate::theme::Role;
use crate::widgets::form::{Field, Fields, Subject};
use crate::widgets::lines::Lines;
use crate::widgets::text::{counted, error_line};
use benchtop_model::settings::{Access, PeopleChange, PeoplePlan, RoundPerson};
use benchtop_model::{Error, clean, name};

pub type PeoplePane = FormPane<People>;

const ME: &str = "your name";
const ACCESS: &str = "project";
const GROUP: &str = "group";
const PEOPLE: &str = "people";

const PRIVATE: &str = "only you";
const SHARED: &str = "several Unix users";

/// People of rounds that the preview lists.
const LISTED: usize = 6;

/// Who works on the project.
#[derive(Clone, Debug)]
pub struct People {
    /// The name at the start of the program.
    me: String,
    group: Option<String>,
    people: BTreeMap<String, String>,
}

/// The pairs of Unix users and annotators in a field, such as `alice=ann robert=bob`.
fn pairs(text: &str) -> std::result::Result<BTreeMap<String, String>, String> {
    let mut all = BTreeMap::new();
    for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
        let Some((user, who)) = word.split_once('=').filter(|(user, _)| !user.is_empty()) else {
            return Err(format!("`{word}` is no pair: write alice=ann"));
        };
        name::check_annotator(who).map_err(|problem| error_line(&problem))?;
        if all.insert(user.to_string(), who.to_string()).is_some() {
            return Err(format!("`{user}` is listed twice"));
        }
    }
    match all.is_empty() {
        true => Err("list each Unix user with their annotator name: alice=ann".into()),
        false => Ok(all),
    }
}

impl People {
    /// The change that the fields describe. `None` if one of them is invalid.
    fn change(&self, fields: &Fields) -> Option<PeopleChange> {
        let is_shared = fields.text(ACCESS) == SHARED;
        let access = match is_shared {
            false => self.group.is_some().then_some(Access::Private),
            true => {
                let (group, people) = (fields.text(GROUP), pairs(fields.text(PEOPLE)).ok()?);
                let is_same = self.group.as_deref() == Some(group) && self.people == people;
                (!is_same).then(|| Access::Shared {
                    group: group.into(),
                    people,
                })
            }
        };
        let me = Some(fields.text(ME)).filter(|me| *me != self.me);
        Some(PeopleChange {
            me: me.map(str::to_string),
            access,
        })
    }
}

impl Subject for People {
    type Preview = PeoplePlan;

    fn title(&self) -> &str {
        "people"
    }

    fn applies(&self, fields: &Fields, name: &str) -> bool {
        !matches!(name, GROUP | PEOPLE) || fields.text(ACCESS) == SHARED
    }

    fn problem(&self, fields: &Fields, name: &str) -> Option<String> {
        let text = fields.text(name);
        match name {
            ME => name::check_annotator(text).err().map(|p| error_line(&p)),
            GROUP if text.is_empty() => Some("type the name of a Unix group".into()),
            PEOPLE => pairs(text).err(),
            _ => None,
        }
    }

    fn field_of(&self, problem: &Error) -> Option<&'static str> {
        Some(match problem.place.field.as_deref()? {
            "me" => ME,
            "group" | "shared.group" => GROUP,
            "people" | "shared.people" => PEOPLE,
            _ => return None,
        })
    }

    fn command(&self, fields: &Fields) -> Vec<String> {
        let mut all = vec!["people".to_string()];
        let change = self.change(fields).unwrap_or_default();
        if change == PeopleChange::default() {
            return all;
        }
        all.push("set".into());
        if let Some(me) = change.me {
            all.extend(["--me".into(), me]);
        }
        match change.access {
            Some(Access::Private) => all.push("--private".into()),
            Some(Access::Shared { group, people }) => {
                all.extend(["--group".into(), group]);
                for (user, who) in people {
                    all.extend(["--user".into(), format!("{user}={who}")]);
                }
            }
            None => {}
        }
        all
    }

    fn draw_preview(&self, _fields: &Fields, plan: &PeoplePlan, lines: &mut Lines<'_>) {
        if plan.is_empty() {
            lines.wrapped(" nothing changes", Role::Dim);
        }
        if let Some((path, setting)) = &plan.own {
            let path = clean::line(&path.to_string_lossy()).into_owned();
            lines.wrapped(&format!(" {path}:"), Role::Dim);
            lines.wrapped(&format!(" {}", clean::line(&setting.line())), Role::Text);
            lines.wrapped(
                " for private projects, from the next start; your earlier verdicts stay under the earlier name",
                Role::Dim,
            );
        }
        if !plan.project.is_empty() {
            lines.text(" benchtop.toml:", Role::Dim);
        }
        for setting in &plan.project {
            lines.wrapped(&format!(" {}", clean::line(&setting.line())), Role::Text);
        }
        if plan.permissions > 0 {
            let paths = counted(plan.permissions, "path");
            let opened = counted(plan.opened, "path");
            lines.wrapped(
                &format!(" permissions of {paths}; the group can then read {opened} more"),
                Role::Text,
            );
            lines.wrapped(" verdicts, scores, and answers stay yours alone", Role::Dim);
        }
        if plan.restarts {
            lines.wrapped(
                " the owner process restarts, and running jobs go on",
                Role::Dim,
            );
        }
        for note in &plan.notes {
            lines.wrapped(&format!(" note: {}", clean::line(note)), Role::Warn);
        }
        if !plan.people.rounds.is_empty() {
            lines.text("", Role::Text);
            lines.text(" open rounds, most left first", Role::Heading);
        }
        for person in plan.people.rounds.iter().take(LISTED) {
            let role = match person.judged < person.share && person.idle_days != Some(0) {
                true => Role::Warn,
                false => Role::Text,
            };
            lines.wrapped(&format!(" {}", of_round(person)), role);
        }
    }
}

fn of_round(person: &RoundPerson) -> String {
    let (who, round) = (clean::line(&person.who), clean::line(&person.round));
    let idle = match person.idle_days {
        _ if person.judged >= person.share => "done".to_string(),
        Some(0) => "active today".into(),
        Some(days) => format!("idle {}", counted(days, "day")),
        None => "idle 14 days".into(),
    };
    format!(
        "{who} {} of {} in {round}, {idle}",
        person.judged, person.share
    )
}

impl Task for People {
    const START: &'static str = ME;
    const HELP: &'static str = "Says who works on the project: your own name, and for a shared project the Unix group and the \
         annotator that each user is. The preview shows what changes, and who has the most left in open rounds.";

    fn new(cx: &mut Context<'_>) -> (People, Vec<Field>) {
        let commands = cx.env.commands;
        let listed = commands.people.iter();
        let listed: Vec<String> = listed.map(|(user, who)| format!("{user}={who}")).collect();
        let access = match commands.group {
            Some(_) => SHARED,
            None => PRIVATE,
        };
        let fields = vec![
            Field::text(
                ME,
                "your annotator name in private projects on this machine",
                cx.env.who,
            ),
            Field::choice(
                ACCESS,
                "who may open it; left/right to choose",
                &[PRIVATE, SHARED],
                access,
            ),
            Field::text(
                GROUP,
                "the Unix group whose listed members may open it",
                commands.group.clone().unwrap_or_default(),
            ),
            Field::text(
                PEOPLE,
                "Unix user = annotator for each person: alice=ann robert=bob",
                listed.join(" "),
            ),
        ];
        let people = People {
            me: cx.env.who.into(),
            group: commands.group.clone(),
            people: commands.people.clone(),
        };
        (people, fields)
    }

    fn preview(&self, fields: &Fields, edit: u64, cx: &mut Context<'_>) {
        let Some(change) = self.change(fields) else {
            return;
        };
        cx.work(
            PREVIEW,
            move |commands, watch| commands.people(&change, true, watch),
            move |pane: &mut PeoplePane, worked, cx| pane.on_preview_work(edit, worked, cx),
        );
    }

    fn question(&self, _fields: &Fields, plan: &PeoplePlan) -> Result<Option<Question>, String> {
        if plan.is_empty() {
            return Err("nothing changes; esc closes the form".into());
        }
        let what = match plan.opened {
            0 => String::new(),
            opened => format!("the group can then read {}", counted(opened, "path")),
        };
        Ok((!plan.project.is_empty()).then(|| Question {
            title: "Change who may open the project?".into(),
            yes: ("change".into(), what),
        }))
    }

    fn start(&self, fields: &Fields, _plan: &PeoplePlan, cx: &mut Context<'_>) {
        let Some(change) = self.change(fields) else {
            return;
        };
        let after = (change.access.clone(), fields.text(ME).to_string());
        cx.work(
            RUN,
            move |commands, watch| commands.people(&change, false, watch),
            move |pane: &mut PeoplePane, worked: Worked<PeoplePlan>, cx| {
                if let Some(plan) = pane.on_run(worked, cx) {
                    pane.on_changed(&plan, &after, cx);
                }
            },
        );
    }
}

impl PeoplePane {
    /// Shows the receipt, and goes back.
    fn on_changed(
        &mut self,
        plan: &PeoplePlan,
        (access, me): &(Option<Access>, String),
        cx: &mut Context<'_>,
    ) {
        if let Some(form) = &mut self.form {
            form.subject.me.clone_from(me);
            match access {
                Some(Access::Private) => form.subject.group = None,
                Some(Access::Shared { group, people }) => {
                    form.subject.group = Some(group.clone());
                    form.subject.people.clone_from(people);
                }
                None => {}
            }
        }
        let mut said = Vec::new();
        if plan.own.is_some() {
            said.push(format!("you are {me} from the next start"));
        }
        if !plan.project.is_empty() {
            said.push(match access {
                Some(Access::Private) => "only you may open the project".to_string(),
                _ => "the listed users may open the project".into(),
            });
        }
        self.leave(cx);
        cx.done(said.join("; "));
    }
}
