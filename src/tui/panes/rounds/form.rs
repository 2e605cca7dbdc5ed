//! The form of a new round. The owner previews the round, and its errors are shown at their fields.

use super::text::{self, rule_text};
use crate::theme::Role;
use crate::widgets::form::{Field, Fields, Form, Subject};
use crate::widgets::lines::Lines;
use crate::widgets::text::{counted, error_line, grouped, plural};
use benchtop_model::round::state::RoundState;
use benchtop_model::round::{
    Adjudication, Guidelines, NewRound, Order, Protocol, Rate, SEED, Sample,
};
use benchtop_model::{Error, Filter};

/// The rule that needs a further field.
const MAJORITY: &str = "majority";

const RULES: [&str; 7] = [
    "single",
    "both-accept",
    MAJORITY,
    "equivalence",
    "audit",
    "answer",
    "refusal",
];
const STRATA: [&str; 7] = [
    "no strata",
    "subtask",
    "type",
    "style",
    "level",
    "dataset",
    "side",
];
const VISIBILITY: [&str; 2] = ["blind", "open"];
const ORDERS: [&str; 2] = ["each their own", "as listed"];
const ADJUDICATORS_SEE: [&str; 4] = [
    "neither names nor scores",
    "names",
    "scores",
    "names and scores",
];

/// A round to create.
#[derive(Clone, Copy, Debug)]
pub struct RoundForm;

/// The form with the defaults of [`NewRound::new`], for `who` alone.
pub(super) fn new(name: String, who: String) -> Form<RoundForm> {
    let new = NewRound::new(name, Protocol::default(), vec![who], SEED);
    let (rule, rate) = (new.protocol.to_string(), |rate: Rate| rate.to_string());
    let fields = vec![
        Field::text("name", "letters, digits, `.`, `_` and `-`", new.name),
        Field::choice(
            "rule",
            "the question and the rule that keeps items; left/right to choose",
            &RULES,
            &rule,
        ),
        Field::text(
            MAJORITY,
            "votes needed to keep an item, such as 3 of 5",
            "3 of 5",
        ),
        Field::text(
            "people",
            "annotators, separated by commas",
            text::listed(&new.people),
        ),
        Field::text(
            "items",
            "a filter such as subtask:animal; empty for all items",
            new.filter,
        ),
        Field::text(
            "sample",
            "all, a share such as 10%, a number, or 100/stratum",
            new.sample.to_string(),
        ),
        Field::choice(
            "strata",
            "sample each group in proportion; left/right to choose",
            &STRATA,
            STRATA[0],
        ),
        Field::optional_number(
            "overlap",
            "annotators per item; empty for what the rule needs",
            1..=u64::from(u8::MAX),
        ),
        Field::choice(
            "visibility",
            "blind hides verdicts of others and scores until the own verdict is in",
            &VISIBILITY,
            VISIBILITY[usize::from(!new.blind)],
        ),
        Field::choice(
            "order",
            "random per annotator; `as listed` needs an open round",
            &ORDERS,
            ORDERS[usize::from(new.order == Order::AsListed)],
        ),
        Field::number(
            "practice",
            "number of gold items at the start, with immediate feedback",
            0..=u64::from(u32::MAX),
            new.calibration.into(),
        ),
        Field::text(
            "probes",
            "share of gold items hidden among the others",
            rate(new.probes),
        ),
        Field::text(
            "repeats",
            "share of items shown to the same annotator twice",
            rate(new.repeats),
        ),
        Field::path(
            "guidelines",
            "a file in the project, shown beside the item; may be empty",
            "",
        ),
        Field::choice(
            "adjudicators",
            "what adjudicators may see besides the verdicts",
            &ADJUDICATORS_SEE,
            ADJUDICATORS_SEE[0],
        ),
        Field::number(
            "seed",
            "makes sample, orders, probes, and repeats reproducible",
            0..=u64::MAX,
            new.seed,
        ),
    ];
    Form::new(RoundForm, fields)
}

fn people(fields: &Fields) -> Vec<String> {
    text::people(fields.text("people")).collect()
}

/// The rule, or why it is none.
fn rule(fields: &Fields) -> Result<Protocol, String> {
    match fields.text("rule") {
        MAJORITY => text::majority(fields.text(MAJORITY)).map(Protocol::Majority),
        name => name.parse(),
    }
}

impl Form<RoundForm> {
    /// The round that the form describes. `None` if a field has an error of its own.
    pub(super) fn request(&self) -> Option<NewRound> {
        let fields = self.fields();
        if !self.is_valid() {
            return None;
        }
        let see = fields.pick("adjudicators");
        Some(NewRound {
            blind: fields.pick("visibility") == 0,
            overlap: fields.number("overlap"),
            order: match fields.pick("order") {
                0 => Order::Seeded,
                _ => Order::AsListed,
            },
            repeats: fields.text("repeats").parse().ok()?,
            probes: fields.text("probes").parse().ok()?,
            calibration: fields.number("practice")?,
            // The owner reads the file and its version.
            guidelines: fields.filled("guidelines").map(|path| Guidelines {
                path: path.into(),
                version: String::new(),
            }),
            adjudication: Adjudication {
                names: see & 1 == 1,
                scores: see & 2 == 2,
            },
            filter: fields.text("items").into(),
            sample: fields.text("sample").parse().ok()?,
            strata: (fields.pick("strata") > 0).then(|| fields.text("strata").to_string()),
            ..NewRound::new(
                fields.text("name"),
                rule(fields).ok()?,
                people(fields),
                fields.number("seed")?,
            )
        })
    }
}

impl Subject for RoundForm {
    type Preview = RoundState;

    fn title(&self) -> &str {
        "new round"
    }

    fn applies(&self, fields: &Fields, name: &str) -> bool {
        name != MAJORITY || fields.text("rule") == MAJORITY
    }

    fn problem(&self, fields: &Fields, name: &str) -> Option<String> {
        let text = fields.text(name);
        match name {
            "name" if text.is_empty() => Some("a round needs a name".into()),
            "people" if people(fields).is_empty() => Some("type names, separated by commas".into()),
            MAJORITY => rule(fields).err(),
            "items" => Filter::parse(text).err().map(|p| error_line(&p)),
            "sample" => text.parse::<Sample>().err(),
            "probes" | "repeats" => text.parse::<Rate>().err(),
            _ => None,
        }
    }

    fn field_of(&self, problem: &Error) -> Option<&'static str> {
        let field = problem.place.field.as_deref()?;
        Some(match field.split('.').next()? {
            "name" => "name",
            "people" => "people",
            "items" | "filter" => "items",
            "sample" => "sample",
            "strata" => "strata",
            "overlap" => "overlap",
            "order" => "order",
            "calibration" => "practice",
            "probes" | "probe_items" => "probes",
            "repeats" => "repeats",
            "guidelines" => "guidelines",
            _ => return None,
        })
    }

    fn command(&self, fields: &Fields) -> Vec<String> {
        let rule =
            rule(fields).map_or_else(|_| fields.text("rule").into(), |rule| rule.to_string());
        let mut all: Vec<String> = ["round", "new", fields.text("name"), "--protocol", &rule]
            .map(String::from)
            .into();
        let usual = NewRound::new("", Protocol::default(), Vec::new(), SEED);
        let adjudicators = ["", "names", "scores", "names,scores"][fields.pick("adjudicators")];
        let strata = if fields.pick("strata") > 0 {
            fields.text("strata")
        } else {
            ""
        };
        for (option, value, usual) in [
            ("--people", people(fields).join(",").as_str(), ""),
            ("--filter", fields.text("items"), ""),
            ("--sample", fields.text("sample"), &usual.sample.to_string()),
            ("--strata", strata, ""),
            ("--overlap", fields.text("overlap"), ""),
            (
                "--calibration",
                fields.text("practice"),
                &usual.calibration.to_string(),
            ),
            ("--probes", fields.text("probes"), &usual.probes.to_string()),
            (
                "--repeats",
                fields.text("repeats"),
                &usual.repeats.to_string(),
            ),
            ("--guidelines", fields.text("guidelines"), ""),
            ("--adjudicators-see", adjudicators, ""),
            ("--seed", fields.text("seed"), &usual.seed.to_string()),
        ] {
            if value != usual && !value.is_empty() {
                all.extend([option.to_string(), value.to_string()]);
            }
        }
        for (option, field) in [("--open", "visibility"), ("--as-listed", "order")] {
            if fields.pick(field) > 0 {
                all.push(option.into());
            }
        }
        all
    }

    fn draw_preview(&self, _: &Fields, state: &RoundState, lines: &mut Lines<'_>) {
        let each = plural(state.overlap, "annotator");
        lines.wrapped(&format!(" {}", counted(state.items, "item")), Role::Text);
        lines.wrapped(
            &format!(" {each} each: {}", counted(state.wanted, "verdict")),
            Role::Text,
        );
        let share = state.wanted.div_ceil(state.people.len().max(1) as u64);
        lines.wrapped(
            &format!(
                " about {} for each of {} annotators",
                grouped(share),
                state.people.len()
            ),
            Role::Text,
        );
        lines.wrapped(
            &format!(" question: {}", state.protocol.question()),
            Role::Dim,
        );
        lines.wrapped(&format!(" rule: {}", rule_text(state.protocol)), Role::Dim);
        for note in &state.notes {
            lines.wrapped(&format!(" note: {note}"), Role::Warn);
        }
    }
}
