//! The form of an evaluation.

use super::{FormPane, PREVIEW, Question, RUN, Task};
use crate::pane::{Ask, Context, PaneId, Target, Worked};
use crate::theme::Role;
use crate::widgets::form::{Field, Fields, Subject};
use crate::widgets::lines::Lines;
use crate::widgets::text::{counted, error_line};
use benchtop_model::evaluation::{
    MAX_SHUFFLES, NewRun, OptionOrders, Server, StartedRun, Wording, micros,
};
use benchtop_model::job::Budget;
use benchtop_model::job::budget::parse_money;
use benchtop_model::trust::{DataKind, Destination};
use benchtop_model::{Error, Filter, Result, clean};
use benchtop_protocol::wire::request;

pub type EvaluatePane = FormPane<Evaluate>;

const MODEL: &str = "model";
const ENDPOINT: &str = "endpoint";
const KEY: &str = "key variable";
const NAME: &str = "name";
const FILTER: &str = "items";
const SAMPLE: &str = "sample";
const ORDERS: &str = "options";
const SHUFFLES: &str = "shuffles";
const PICTURES: &str = "pictures";
const INSTRUCTION: &str = "instruction";
const CONCURRENCY: &str = "at once";
const TIMEOUT: &str = "timeout";
const TOKENS: &str = "tokens";
const TRIES: &str = "tries";
const PRICE_IN: &str = "price in";
const PRICE_OUT: &str = "price out";
const MOST_REQUESTS: &str = "max requests";
const MOST_TOKENS: &str = "max tokens";
const MOST_COST: &str = "max cost";
const SEED: &str = "seed";
const DRAFTS: &str = "drafts";

/// The orders of options.
const AS_THEY_ARE: &str = "as they are";
const SHUFFLED: &str = "shuffled";
const CIRCULAR: &str = "all rotations (CircularEval)";

/// The settings that the command line leaves out, because they are its defaults.
const DEFAULTS: [(&str, &str); 8] = [
    (INSTRUCTION, "paper"),
    (CONCURRENCY, "4"),
    (TIMEOUT, "120"),
    (TOKENS, "512"),
    (TRIES, "6"),
    (PRICE_IN, "0"),
    (PRICE_OUT, "0"),
    (SEED, "1"),
];

fn default_of(name: &str) -> &'static str {
    let found = DEFAULTS.into_iter().find(|(field, _)| *field == name);
    found.map_or("", |(_, text)| text)
}

/// An evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Evaluate;

fn endpoints(fields: &Fields) -> impl Iterator<Item = &str> {
    let all = fields.text(ENDPOINT).split([',', ' ']);
    all.filter(|url| !url.is_empty())
}

fn sends(fields: &Fields) -> DataKind {
    match fields.is_on(PICTURES) {
        true => DataKind::Pictures,
        false => DataKind::Texts,
    }
}

/// Where the questions are sent.
fn destinations(fields: &Fields) -> Result<Vec<Destination>> {
    let to = |url| Destination::new(url, fields.filled(KEY), sends(fields));
    let mut all = endpoints(fields).map(to).collect::<Result<Vec<_>>>()?;
    all.dedup();
    Ok(all)
}

fn price(text: &str) -> Option<u64> {
    micros(text.parse().ok()?)
}

fn orders(fields: &Fields) -> Option<OptionOrders> {
    Some(match fields.text(ORDERS) {
        CIRCULAR => OptionOrders::Circular,
        SHUFFLED => OptionOrders::Shuffles(fields.number(SHUFFLES)?),
        _ => OptionOrders::AsIs,
    })
}

/// The limits of the job. An empty field is no limit.
fn budget(fields: &Fields) -> Budget {
    Budget {
        requests: fields.number(MOST_REQUESTS),
        tokens: fields.number(MOST_TOKENS),
        cost_micros: fields
            .filled(MOST_COST)
            .and_then(|text| parse_money(text).ok()),
    }
}

/// The request of these fields. `None` if one of them is invalid.
fn request_of(fields: &Fields, dry: bool) -> Option<NewRun> {
    let server = |url: &str| {
        Some(Server {
            url: url.into(),
            key_env: fields.filled(KEY).map(str::to_string),
            concurrency: fields.number(CONCURRENCY)?,
            timeout_s: fields.number(TIMEOUT)?,
        })
    };
    Some(NewRun {
        model: fields.text(MODEL).into(),
        name: fields.filled(NAME).map(str::to_string),
        servers: endpoints(fields).map(server).collect::<Option<_>>()?,
        filter: fields.text(FILTER).into(),
        sample: fields.number(SAMPLE),
        seed: fields.number(SEED)?,
        blind: !fields.is_on(PICTURES),
        orders: orders(fields)?,
        wording: match fields.text(INSTRUCTION) {
            "paper" => Wording::Paper,
            name => Wording::Named(name.into()),
        },
        max_tokens: fields.number(TOKENS)?,
        tries: fields.number(TRIES)?,
        prices: (
            price(fields.text(PRICE_IN))?,
            price(fields.text(PRICE_OUT))?,
        ),
        dry,
        drafts: fields.is_on(DRAFTS),
    })
}

impl Subject for Evaluate {
    type Preview = StartedRun;

    fn title(&self) -> &str {
        "evaluate a model"
    }

    fn applies(&self, fields: &Fields, name: &str) -> bool {
        name != SHUFFLES || fields.text(ORDERS) == SHUFFLED
    }

    fn problem(&self, fields: &Fields, name: &str) -> Option<String> {
        let text = fields.text(name);
        let line = |problem: Error| error_line(&problem);
        match name {
            MODEL if text.is_empty() => Some("type the name that its server knows".into()),
            ENDPOINT if text.is_empty() => Some("type the URL of a server".into()),
            ENDPOINT => {
                let mut all = endpoints(fields);
                all.find_map(|url| Destination::new(url, None, DataKind::Texts).err())
                    .map(line)
            }
            KEY => {
                let key = fields.filled(KEY);
                let checked = Destination::new("http://localhost", key, DataKind::Texts);
                checked.err().map(line)
            }
            FILTER => Filter::parse(text).err().map(line),
            INSTRUCTION if text.contains(['/', '.']) => Some(
                "a file works on the command line; here, name one in metadata/instruct/".into(),
            ),
            INSTRUCTION if text.is_empty() => Some("type paper, plain, or a name".into()),
            PRICE_IN | PRICE_OUT if price(text).is_none() => {
                Some("type a price between 0 and 1000000".into())
            }
            MOST_COST => parse_money(fields.filled(MOST_COST)?).err(),
            _ => None,
        }
    }

    fn field_of(&self, problem: &Error) -> Option<&'static str> {
        Some(match problem.place.field.as_deref()? {
            "model" => MODEL,
            "endpoint" => ENDPOINT,
            "key_env" => KEY,
            "name" => NAME,
            "filter" => FILTER,
            "sample" => SAMPLE,
            "shuffles" => SHUFFLES,
            "instruction" => INSTRUCTION,
            "max_tokens" => TOKENS,
            "drafts" => DRAFTS,
            _ => return None,
        })
    }

    fn command(&self, fields: &Fields) -> Vec<String> {
        let mut all = vec!["eval".to_string()];
        let mut put = |option: &str, value: &str| all.extend([option.into(), value.into()]);
        put("--model", fields.text(MODEL));
        endpoints(fields).for_each(|url| put("--endpoint", url));
        let shuffles = match fields.text(ORDERS) {
            SHUFFLED => fields.text(SHUFFLES),
            _ => "",
        };
        for (option, value, usual) in [
            ("--key-env", fields.text(KEY), ""),
            ("--name", fields.text(NAME), ""),
            ("--filter", fields.text(FILTER), ""),
            ("--sample", fields.text(SAMPLE), ""),
            ("--shuffles", shuffles, ""),
            (
                "--instruction",
                fields.text(INSTRUCTION),
                default_of(INSTRUCTION),
            ),
            (
                "--concurrency",
                fields.text(CONCURRENCY),
                default_of(CONCURRENCY),
            ),
            ("--timeout", fields.text(TIMEOUT), default_of(TIMEOUT)),
            ("--max-tokens", fields.text(TOKENS), default_of(TOKENS)),
            ("--tries", fields.text(TRIES), default_of(TRIES)),
            ("--price-in", fields.text(PRICE_IN), default_of(PRICE_IN)),
            ("--price-out", fields.text(PRICE_OUT), default_of(PRICE_OUT)),
            ("--max-requests", fields.text(MOST_REQUESTS), ""),
            ("--max-total-tokens", fields.text(MOST_TOKENS), ""),
            ("--max-cost", fields.text(MOST_COST), ""),
            ("--seed", fields.text(SEED), default_of(SEED)),
        ] {
            if !value.is_empty() && value != usual {
                put(option, value);
            }
        }
        let flags = [
            ("--circular", fields.text(ORDERS) == CIRCULAR),
            ("--blind", !fields.is_on(PICTURES)),
            ("--drafts", fields.is_on(DRAFTS)),
        ];
        let set = flags.into_iter().filter(|(_, is_set)| *is_set);
        all.extend(set.map(|(flag, _)| flag.to_string()));
        all
    }

    fn draw_preview(&self, fields: &Fields, run: &StartedRun, lines: &mut Lines<'_>) {
        let (asks, items) = (counted(run.asks, "question"), counted(run.items, "item"));
        lines.wrapped(&format!(" {asks} about {items}"), Role::Text);
        let label = clean::line(&run.label);
        lines.wrapped(&format!(" answers named `{label}`"), Role::Text);
        let to = destinations(fields).unwrap_or_default();
        for destination in &to {
            let place = match destination.needs_no_consent() {
                true => ", this machine",
                false => "",
            };
            lines.wrapped(&format!(" to {destination}{place}"), Role::Text);
        }
        let what = match fields.is_on(PICTURES) {
            true => "texts and pictures are sent",
            false => "texts are sent, no pictures",
        };
        lines.wrapped(&format!(" {what}"), Role::Dim);
        let servers = endpoints(fields).count() as u64;
        let at_once = fields.number::<u64>(CONCURRENCY).unwrap_or(1) * servers;
        lines.wrapped(
            &format!(" at most {} at once", counted(at_once, "request")),
            Role::Dim,
        );
        if run.without > 0 {
            let items = counted(run.without, "item");
            lines.wrapped(
                &format!(" note: {items} without a picture file, set aside"),
                Role::Warn,
            );
        }
        if run.drafts > 0 {
            let items = counted(run.drafts, "item");
            lines.wrapped(&format!(" note: {items} with a draft picture"), Role::Warn);
        }
        if run.waits.is_some() {
            lines.wrapped(
                " note: you have not agreed to send this yet; enter asks",
                Role::Warn,
            );
        }
    }
}

impl Task for Evaluate {
    const START: &'static str = FILTER;
    const BY_OWNER: bool = true;
    const HELP: &'static str = "Starts a job that asks a model the questions of the project. The preview shows how many requests \
         go where, and the last line is the command that does the same.";

    fn new(cx: &mut Context<'_>) -> (Evaluate, Vec<Field>) {
        let known = &cx.env.commands.endpoint;
        let text = |name, help| Field::text(name, help, default_of(name));
        let number = |name, help, range| {
            let usual = default_of(name).parse().unwrap_or_default();
            Field::number(name, help, range, usual)
        };
        let orders = [AS_THEY_ARE, SHUFFLED, CIRCULAR];
        let fields = vec![
            Field::text(MODEL, "the name that the server knows", known.model.clone()),
            Field::text(
                ENDPOINT,
                "base URL of the server, such as http://127.0.0.1:8000/v1; several share the work",
                known.url.clone(),
            ),
            Field::text(
                KEY,
                "environment variable of the owner process with the API key; may be empty",
                known.key_env.clone(),
            ),
            Field::text(
                NAME,
                "name of the answers on the board; empty for the model's",
                "",
            ),
            Field::text(
                FILTER,
                "a filter such as status:accepted; empty for all items",
                "status:accepted",
            ),
            Field::optional_number(
                SAMPLE,
                "size of a random sample; empty for all",
                1..=u64::MAX,
            ),
            Field::choice(
                ORDERS,
                "order of the options; left/right to choose",
                &orders,
                AS_THEY_ARE,
            ),
            Field::number(
                SHUFFLES,
                "random orders of each question",
                1..=u64::from(MAX_SHUFFLES),
                5,
            ),
            Field::flag(
                PICTURES,
                "sends the pictures with the questions; space changes it",
                true,
            ),
            text(INSTRUCTION, "paper, plain, or a name in metadata/instruct/"),
            number(CONCURRENCY, "requests in flight per server", 1..=256),
            number(TIMEOUT, "seconds until a request is given up", 1..=86_400),
            number(
                TOKENS,
                "most tokens of an answer, including reasoning",
                1..=1 << 20,
            ),
            number(TRIES, "most requests per question", 1..=100),
            text(PRICE_IN, "price of a million input tokens"),
            text(PRICE_OUT, "price of a million output tokens"),
            Field::optional_number(
                MOST_REQUESTS,
                "the job pauses after this many requests; empty for no limit",
                1..=u64::MAX,
            ),
            Field::optional_number(
                MOST_TOKENS,
                "the job pauses after this many tokens; empty for no limit",
                1..=u64::MAX,
            ),
            text(MOST_COST, "the job pauses at this cost; empty for no limit"),
            number(SEED, "makes sample and shuffles reproducible", 0..=u64::MAX),
            Field::flag(
                DRAFTS,
                "includes items that show a draft; space changes it",
                false,
            ),
        ];
        (Evaluate, fields)
    }

    fn preview(&self, fields: &Fields, edit: u64, cx: &mut Context<'_>) {
        let Some(new) = request_of(fields, true) else {
            return;
        };
        let then = move |pane: &mut EvaluatePane, run, cx: &mut Context<'_>| {
            pane.on_preview(edit, run, cx);
        };
        cx.send(Ask::new(request::Evaluate(Box::new(new), budget(fields)), then).named(PREVIEW));
    }

    fn question(
        &self,
        fields: &Fields,
        run: &StartedRun,
    ) -> std::result::Result<Option<Question>, String> {
        if run.drafts > 0 && !fields.is_on(DRAFTS) {
            let items = counted(run.drafts, "item");
            return Err(format!(
                "{items} with a draft picture: turn on {DRAFTS}, or add NOT picture:draft to {FILTER}"
            ));
        }
        let waits = run
            .waits
            .as_deref()
            .filter(|waits| !waits.missing().is_empty());
        Ok(waits.and_then(|waits| {
            Some(Question {
                title: waits.description(),
                yes: waits.choices().into_iter().next()?,
            })
        }))
    }

    fn start(&self, fields: &Fields, run: &StartedRun, cx: &mut Context<'_>) {
        let Some(new) = request_of(fields, false) else {
            return;
        };
        let then = |pane: &mut EvaluatePane, run: Result<StartedRun>, cx: &mut Context<'_>| {
            if let Some(run) = pane.on_run(Worked::Done(run), cx) {
                started(&run, cx);
            }
        };
        let ask = request::Evaluate(Box::new(new), budget(fields));
        let to = run
            .waits
            .as_ref()
            .map(|waits| waits.missing())
            .unwrap_or_default();
        let ask = match to.is_empty() {
            true => Ask::new(ask, then),
            false => Ask::consenting(to, ask, then),
        };
        cx.send(ask.named(RUN).for_key());
    }
}

/// Goes to the jobs, with the receipt.
fn started(run: &StartedRun, cx: &mut Context<'_>) {
    cx.open(Target::Pane(PaneId::Generate));
    let job = run
        .job
        .as_ref()
        .map_or(String::new(), |job| format!("job {} ", job.id));
    let label = clean::line(&run.label);
    let asks = counted(run.asks, "question");
    cx.done(format!("{job}asks {asks}; the answers are named `{label}`"));
}
