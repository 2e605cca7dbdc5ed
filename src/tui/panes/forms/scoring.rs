//! The form of a scoring job and the rule on its scores.

use super::{FormPane, PREVIEW, Question, RUN, Task};
use crate::pane::{Ask, Context, PaneId, Target, Worked};
use crate::theme::Role;
use crate::widgets::form::{Field, Fields, Subject};
use crate::widgets::lines::Lines;
use crate::widgets::text::{counted, error_line};
use benchtop_model::job::Budget;
use benchtop_model::scoring::job::{NewScoring, ScoringState};
use benchtop_model::scoring::queries::{RulesState, ScorerState};
use benchtop_model::scoring::rules::{Condition, RuleAction, Threshold};
use benchtop_model::scoring::{Measure, ScoreState, Scorer};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Error, Filter, Result, brief, clean};
use benchtop_protocol::wire::request;

pub type ScoringPane = FormPane<Scoring>;

/// The fields that another pane may fill.
pub const SCORER: &str = "scorer";
pub const FILTER: &str = "items";
const DRAFTS: &str = "drafts";
const THEN: &str = "rule";
const THRESHOLD: &str = "threshold";

const FLAG: &str = "flag the doubtful";
const PARK: &str = "quarantine the doubtful";
const NO_RULE: &str = "none";

/// A scoring job.
#[derive(Clone, Copy, Debug)]
pub struct Scoring;

/// What the job would do.
#[derive(Debug)]
pub struct ScoringPreview {
    scorers: Vec<ScorerState>,
    job: Result<ScoringState>,
}

fn scorer(fields: &Fields) -> Option<Scorer> {
    fields.text(SCORER).parse().ok()
}

fn action(fields: &Fields) -> Option<RuleAction> {
    match fields.text(THEN) {
        FLAG => Some(RuleAction::Flag),
        PARK => Some(RuleAction::Park),
        _ => None,
    }
}

/// The threshold as typed, or the default of the scorer.
fn threshold(fields: &Fields) -> Option<Threshold> {
    let measure = Measure::with_default_scale(scorer(fields)?);
    match fields.filled(THRESHOLD) {
        Some(text) => Threshold::new(text.parse().ok()?),
        None => Threshold::new(f64::from(measure.default_threshold())),
    }
}

fn job(fields: &Fields, dry: bool) -> Option<NewScoring> {
    Some(NewScoring {
        scorer: scorer(fields)?,
        filter: fields.text(FILTER).into(),
        dry,
        drafts: fields.is_on(DRAFTS),
    })
}

/// The condition of the rule, as words.
fn rule(fields: &Fields) -> Option<String> {
    let then = match action(fields)? {
        RuleAction::Flag => "flag",
        RuleAction::Park => "quarantine",
    };
    let measure = Measure::with_default_scale(scorer(fields)?);
    let condition = Condition::suspicious(measure, threshold(fields)?);
    Some(format!("{then} if {}", condition.describe()))
}

impl Subject for Scoring {
    type Preview = ScoringPreview;

    fn title(&self) -> &str {
        "score items"
    }

    fn applies(&self, fields: &Fields, name: &str) -> bool {
        name != THRESHOLD || action(fields).is_some()
    }

    fn problem(&self, fields: &Fields, name: &str) -> Option<String> {
        let text = fields.text(name);
        match name {
            FILTER => Filter::parse(text).err().map(|p| error_line(&p)),
            THRESHOLD if threshold(fields).is_none() => {
                Some("type a number; empty for the usual one".into())
            }
            _ => None,
        }
    }

    fn field_of(&self, problem: &Error) -> Option<&'static str> {
        Some(match problem.place.field.as_deref()? {
            "filter" => FILTER,
            "drafts" => DRAFTS,
            "rules" => THRESHOLD,
            _ => return None,
        })
    }

    fn command(&self, fields: &Fields) -> Vec<String> {
        let mut all: Vec<String> = ["filter", "run", fields.text(SCORER)]
            .map(Into::into)
            .into();
        if let Some(filter) = fields.filled(FILTER) {
            all.extend(["--filter".into(), filter.into()]);
        }
        if fields.is_on(DRAFTS) {
            all.push("--drafts".into());
        }
        if let (Some(then), Some(threshold)) = (action(fields), threshold(fields)) {
            let option = match then {
                RuleAction::Flag => "--flag",
                RuleAction::Park => "--park",
            };
            all.extend([option.into(), threshold.number().to_string()]);
        }
        all
    }

    fn draw_preview(&self, fields: &Fields, preview: &ScoringPreview, lines: &mut Lines<'_>) {
        let chosen = scorer(fields);
        let state = preview
            .scorers
            .iter()
            .find(|state| Some(&state.scorer) == chosen.as_ref());
        if let Some(state) = state {
            lines.wrapped(&format!(" {}", clean::line(&state.what)), Role::Dim);
        }
        match (&preview.job, state.and_then(|s| s.not_ready.as_deref())) {
            (_, Some(why)) => {
                lines.wrapped(&format!(" cannot run: {}", why_not(why)), Role::Warn);
            }
            (Err(problem), None) => {
                lines.wrapped(&format!(" error: {}", error_line(problem)), Role::Bad);
            }
            (Ok(job), None) => draw_job(job, lines),
        }
        if let Some(rule) = rule(fields) {
            lines.wrapped(&format!(" rule: {}", clean::line(&rule)), Role::Text);
        }
        lines.text("", Role::Text);
        lines.text(" scorers", Role::Heading);
        let of_jobs =
            |state: &&ScorerState| !matches!(state.scorer, Scorer::Consensus | Scorer::Blind);
        let mut scorers: Vec<&ScorerState> = preview.scorers.iter().filter(of_jobs).collect();
        sort_by_key(&mut scorers, |state| state.not_ready.is_some());
        for state in scorers {
            let scored = state.items[usize::from(ScoreState::Scored.code())];
            let (said, role) = match &state.not_ready {
                _ if scored > 0 => (format!("{} scored", counted(scored, "item")), Role::Text),
                None => ("can run".into(), Role::Text),
                Some(why) => (why_not(why), Role::Dim),
            };
            lines.text(&format!(" {}: {said}", state.scorer), role);
        }
    }
}

/// Why a scorer cannot run, on one line, without the name of the setting.
fn why_not(why: &str) -> String {
    let why = brief::of_text(why);
    let named = why
        .strip_prefix("field `")
        .and_then(|rest| rest.split_once("`: "));
    clean::line(named.map_or(&why, |(_, rest)| rest)).into_owned()
}

fn draw_job(job: &ScoringState, lines: &mut Lines<'_>) {
    let of = job.of.unwrap_or(0);
    let inputs = match job.scorer.uses_pictures() {
        true => counted(of, "picture"),
        false => counted(of, "question"),
    };
    let is_model = !matches!(job.scorer, Scorer::Flatness | Scorer::Leakage);
    let with = match job.device.is_empty() || !is_model {
        true => String::new(),
        false => format!(" with {}", clean::line(&job.device)),
    };
    match of {
        0 => lines.wrapped(" all of them are scored already", Role::Text),
        _ => lines.wrapped(&format!(" scores {inputs}{with}"), Role::Text),
    }
    if job.drafts > 0 {
        let drafts = counted(job.drafts, "draft picture");
        lines.wrapped(&format!(" note: {drafts} among them"), Role::Warn);
    }
    if let Some((sent, received)) = job.tokens {
        let tokens = counted(sent + received, "token");
        let cost = job
            .cost_micros
            .map_or(String::new(), |c| format!(", cost {:.2}", c as f64 / 1e6));
        lines.wrapped(&format!(" about {tokens}{cost}"), Role::Dim);
    }
    if let Some(waits) = &job.waits {
        let said = waits.description();
        lines.wrapped(
            &format!(" note: {}; enter asks", clean::line(&said)),
            Role::Warn,
        );
    }
}

impl Task for Scoring {
    const START: &'static str = FILTER;
    const BY_OWNER: bool = true;
    const HELP: &'static str = "Starts a job that scores items, and adds a rule that flags or quarantines the doubtful ones. The \
         preview counts what would be scored, and says which scorers can run here.";

    fn new(cx: &mut Context<'_>) -> (Scoring, Vec<Field>) {
        let names = &cx.env.commands.scorers;
        let fields = vec![
            Field::choice(
                SCORER,
                "left/right to choose, or type its name",
                names,
                "flatness",
            ),
            Field::text(
                FILTER,
                "a filter such as subtask:text status:pending; empty for all items",
                "",
            ),
            Field::flag(
                DRAFTS,
                "scores draft pictures as well; space changes it",
                false,
            ),
            Field::choice(
                THEN,
                "the rule to add; left/right to choose",
                &[FLAG, PARK, NO_RULE],
                FLAG,
            ),
            Field::text(
                THRESHOLD,
                "scores on its doubtful side match the rule; empty for the usual one",
                "",
            ),
        ];
        (Scoring, fields)
    }

    fn preview(&self, fields: &Fields, edit: u64, cx: &mut Context<'_>) {
        let Some(job) = job(fields, true) else { return };
        let then =
            move |_: &mut ScoringPane, scorers: Result<Vec<ScorerState>>, cx: &mut Context<'_>| {
                let ask = request::Score(job, Budget::default());
                let then = move |pane: &mut ScoringPane, job, cx: &mut Context<'_>| {
                    let preview = scorers.map(|scorers| ScoringPreview { scorers, job });
                    pane.on_preview(edit, preview, cx);
                };
                cx.send(Ask::new(ask, then).named(PREVIEW));
            };
        cx.send(Ask::new(request::Scorers, then).named(PREVIEW));
    }

    fn question(
        &self,
        fields: &Fields,
        preview: &ScoringPreview,
    ) -> std::result::Result<Option<Question>, String> {
        let job = preview.job.as_ref().map_err(error_line)?;
        if job.of == Some(0) && action(fields).is_none() {
            return Err("all of them are scored already, and no rule is added".into());
        }
        if job.drafts > 0 && !fields.is_on(DRAFTS) {
            let drafts = counted(job.drafts, "draft picture");
            return Err(format!(
                "{drafts}: turn on {DRAFTS}, or add NOT picture:draft to {FILTER}"
            ));
        }
        let waits = job.waits.as_deref();
        let waits = waits.filter(|waits| !waits.missing().is_empty());
        Ok(waits.and_then(|waits| {
            Some(Question {
                title: waits.description(),
                yes: waits.choices().into_iter().next()?,
            })
        }))
    }

    fn start(&self, fields: &Fields, preview: &ScoringPreview, cx: &mut Context<'_>) {
        let Some(new) = job(fields, false) else {
            return;
        };
        let wanted = action(fields).zip(threshold(fields));
        let scorer = new.scorer.clone();
        let of = preview.job.as_ref().ok().and_then(|job| job.of);
        if of == Some(0) {
            return add_rule(&scorer, wanted, "every item has a score".into(), cx);
        }
        let then = move |pane: &mut ScoringPane,
                         job: Result<ScoringState>,
                         cx: &mut Context<'_>| {
            match job {
                Ok(job) => {
                    let of = counted(job.of.or(of).unwrap_or(0), "input");
                    let said = format!("job {} scores {of} with {scorer}", job.id);
                    add_rule(&scorer, wanted, said, cx);
                }
                Err(problem) => pane.finish(Err(problem), cx),
            }
        };
        let waits = preview.job.as_ref().ok().and_then(|job| job.waits.as_ref());
        let to = waits.map(|waits| waits.missing()).unwrap_or_default();
        let ask = request::Score(new, Budget::default());
        let ask = match to.is_empty() {
            true => Ask::new(ask, then),
            false => Ask::consenting(to, ask, then),
        };
        cx.send(ask.named(RUN).for_key());
    }
}

/// Adds the rule to those of the project, or moves its threshold, and goes to the filters.
fn add_rule(
    scorer: &Scorer,
    wanted: Option<(RuleAction, Threshold)>,
    said: String,
    cx: &mut Context<'_>,
) {
    let measure = Measure::with_default_scale(scorer.clone());
    let on_rules =
        move |pane: &mut ScoringPane, state: Result<RulesState>, cx: &mut Context<'_>| {
            let (state, (then, threshold)) = match (state, wanted) {
                (
                    Ok(RulesState {
                        problem: Some(problem),
                        ..
                    }),
                    Some(_),
                ) => {
                    let problem = Error::input(format!("the rules cannot be read: {problem}"));
                    return pane.finish(Err(problem), cx);
                }
                (Ok(state), Some(wanted)) => (state, wanted),
                (Ok(_), None) => return pane.finish(Ok(said), cx),
                (Err(problem), _) => return pane.finish(Err(problem), cx),
            };
            let ask = request::ApplyRules {
                rules: state.rules.with(&measure, then, None, Some(threshold)),
                revision: state.revision,
            };
            let then =
                move |pane: &mut ScoringPane, saved: Result<RulesState>, cx: &mut Context<'_>| {
                    pane.finish(saved.map(|_| format!("{said}; the rule is saved")), cx);
                };
            cx.send(Ask::new(ask, then).named(RUN));
        };
    cx.send(Ask::new(request::Rules, on_rules).named(RUN));
}

impl ScoringPane {
    /// Goes to the filters with the receipt, or shows why not.
    fn finish(&mut self, done: Result<String>, cx: &mut Context<'_>) {
        if let Some(said) = self.on_run(Worked::Done(done), cx) {
            cx.open(Target::Pane(PaneId::Filters));
            cx.done(said);
        }
    }
}
