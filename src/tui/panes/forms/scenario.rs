//! The form of a scenario job: which scenario, of which items, with which settings.

use super::{FormPane, PREVIEW, Question, RUN, Task};
use crate::pane::{Ask, Context, Target, Worked};
use crate::theme::Role;
use crate::widgets::form::{Field, Fields, Subject};
use crate::widgets::lines::Lines;
use crate::widgets::text::{counted, error_line};
use benchtop_model::scenario::{
    NewScenario, SCENARIOS, ScenarioKind, ScenarioPlan, Setting, StartedScenario, Values,
};
use benchtop_model::{Error, Filter, Result, clean};
use benchtop_protocol::wire::request;

pub type ScenarioPane = FormPane<Scenario>;

/// The fields that all kinds have.
const KIND: &str = "scenario";
pub const FILTER: &str = "items";
const SEED: &str = "seed";

/// The most values of a setting that the preview lists.
const LISTED: usize = 12;

/// A scenario job.
#[derive(Clone, Copy, Debug)]
pub struct Scenario;

fn kind(fields: &Fields) -> Option<&'static ScenarioKind> {
    ScenarioKind::named(fields.text(KIND)).ok()
}

/// The settings of all kinds, each name once.
fn settings() -> Vec<&'static Setting> {
    let mut all: Vec<&Setting> = Vec::new();
    for setting in SCENARIOS.iter().flat_map(|kind| kind.settings) {
        if all.iter().all(|other| other.name != setting.name) {
            all.push(setting);
        }
    }
    all
}

fn field(setting: &'static Setting) -> Field {
    match setting.values {
        Values::Flag => Field::flag(setting.name, setting.help, false),
        Values::Several(_) | Values::Number(..) | Values::Name(_) => {
            Field::text(setting.name, setting.help, "")
        }
    }
}

/// The value of a setting, if it is not the default.
fn value(fields: &Fields, setting: &Setting) -> Option<String> {
    match setting.values {
        Values::Flag => fields.is_on(setting.name).then(|| "true".into()),
        Values::Several(_) | Values::Number(..) | Values::Name(_) => {
            fields.filled(setting.name).map(Into::into)
        }
    }
}

fn plan(fields: &Fields) -> Option<ScenarioPlan> {
    plan_with(fields, fields.number(SEED)?)
}

fn plan_with(fields: &Fields, seed: u64) -> Option<ScenarioPlan> {
    let kind = kind(fields)?;
    let of = |setting: &Setting| Some((setting.name.to_string(), value(fields, setting)?));
    Some(ScenarioPlan {
        scenario: kind.name.into(),
        filter: fields.text(FILTER).into(),
        seed,
        settings: kind.settings.iter().filter_map(of).collect(),
    })
}

impl Subject for Scenario {
    type Preview = StartedScenario;

    fn title(&self) -> &str {
        "make a scenario"
    }

    fn applies(&self, fields: &Fields, name: &str) -> bool {
        [KIND, FILTER, SEED].contains(&name)
            || kind(fields).is_some_and(|kind| kind.setting(name).is_some())
    }

    fn problem(&self, fields: &Fields, name: &str) -> Option<String> {
        if name == FILTER {
            let filter = Filter::parse(fields.text(FILTER));
            return filter.err().map(|problem| error_line(&problem));
        }
        let setting = kind(fields)?.setting(name)?;
        setting.problem(&value(fields, setting)?)
    }

    fn field_of(&self, problem: &Error) -> Option<&'static str> {
        let name = problem.place.field.as_deref()?;
        let of_kind = settings().into_iter().find(|setting| setting.name == name);
        of_kind.map(|setting| setting.name).or(match name {
            "scenario" => Some(KIND),
            "filter" => Some(FILTER),
            _ => None,
        })
    }

    fn command(&self, fields: &Fields) -> Vec<String> {
        let seed = fields.number(SEED);
        let plan = plan_with(fields, seed.unwrap_or_default());
        let mut words = plan.map(|plan| plan.command()).unwrap_or_default();
        if seed.is_none() {
            // As typed: the field says what is wrong with it.
            words.extend([format!("--{SEED}"), fields.text(SEED).to_string()]);
        }
        words
    }

    fn draw_preview(&self, fields: &Fields, started: &StartedScenario, lines: &mut Lines<'_>) {
        if let Some(kind) = kind(fields) {
            lines.wrapped(&format!(" {}", kind.help), Role::Dim);
        }
        let what = format!(
            " {} of {}",
            counted(started.pictures, "picture"),
            counted(started.sources, "source picture")
        );
        lines.wrapped(&what, Role::Text);
        let into: Vec<_> = started
            .datasets
            .iter()
            .map(|name| clean::line(name))
            .collect();
        if !into.is_empty() {
            let items = counted(started.items, "new item");
            let into = into.join(", ");
            lines.wrapped(&format!(" {items} in {into}"), Role::Text);
        }
        if started.bytes > 0 {
            lines.wrapped(&format!(" disk: about {}", started.disk()), Role::Text);
        }
        if started.already > 0 {
            let already = counted(started.already, "item");
            lines.wrapped(&format!(" {already} derived already"), Role::Dim);
        }
        for (why, items) in &started.excluded {
            let items = counted(*items, "item");
            let why = clean::line(why);
            lines.wrapped(&format!(" {items} left out: {why}"), Role::Warn);
        }
        if started.drafts > 0 {
            let drafts = counted(started.drafts, "item");
            lines.wrapped(&format!(" {drafts} with a draft picture"), Role::Warn);
        }
        draw_dealt(&started.dealt, lines);
    }
}

/// How many pictures get each value.
fn draw_dealt(dealt: &[(String, String, u64)], lines: &mut Lines<'_>) {
    let mut names: Vec<&String> = dealt.iter().map(|(name, ..)| name).collect();
    names.dedup();
    for name in names {
        let of: Vec<_> = dealt.iter().filter(|(other, ..)| other == name).collect();
        let each: Vec<String> = of
            .iter()
            .take(LISTED)
            .map(|(_, value, pictures)| format!("{} x {pictures}", clean::line(value)))
            .collect();
        let more = match of.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(", {more} more"),
        };
        let line = format!(" {}: {}{more}", clean::line(name), each.join(", "));
        lines.wrapped(&line, Role::Dim);
    }
}

impl Task for Scenario {
    const START: &'static str = FILTER;
    const BY_OWNER: bool = true;
    const PAUSE_MS: u64 = 400;
    const HELP: &'static str = "Starts a job that makes an altered picture of each item, and items with these pictures. The preview \
         counts them, says what is left out and why, and estimates the disk space.";

    fn new(_: &mut Context<'_>) -> (Scenario, Vec<Field>) {
        let names: Vec<&str> = SCENARIOS.iter().map(|kind| kind.name).collect();
        let mut fields = vec![
            Field::choice(KIND, "left/right to choose", &names, names[0]),
            Field::text(
                FILTER,
                "a filter such as subtask:animal status:accepted; empty for all items",
                "",
            ),
            Field::number(
                SEED,
                "the same items, settings, and seed give the same pictures",
                0..=u64::MAX,
                0,
            ),
        ];
        fields.extend(settings().into_iter().map(field));
        (Scenario, fields)
    }

    fn preview(&self, fields: &Fields, edit: u64, cx: &mut Context<'_>) {
        let Some(plan) = plan(fields) else { return };
        let ask = request::Scenario(Box::new(NewScenario { plan, dry: true }));
        let then = move |pane: &mut ScenarioPane, started, cx: &mut Context<'_>| {
            pane.on_preview(edit, started, cx);
        };
        cx.send(Ask::new(ask, then).named(PREVIEW));
    }

    fn question(
        &self,
        _: &Fields,
        preview: &StartedScenario,
    ) -> std::result::Result<Option<Question>, String> {
        match preview.pictures {
            0 => Err("there is nothing to make; the preview says why".into()),
            _ => Ok(None),
        }
    }

    fn start(&self, fields: &Fields, _: &StartedScenario, cx: &mut Context<'_>) {
        let Some(plan) = plan(fields) else { return };
        let ask = request::Scenario(Box::new(NewScenario { plan, dry: false }));
        let then =
            |pane: &mut ScenarioPane, started: Result<StartedScenario>, cx: &mut Context<'_>| {
                if let Some(started) = pane.on_run(Worked::Done(started), cx) {
                    let id = started.job.map_or(0, |job| job.id);
                    cx.open(Target::Job(id));
                    let pictures = counted(started.pictures, "picture");
                    cx.done(format!("job {id} makes {pictures}"));
                }
            };
        cx.send(Ask::new(ask, then).named(RUN).for_key());
    }
}
