//! `benchtop errors`: counts labels of errors in models' answers, and gives, exports, and imports
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::comments;
use crate::context::Context;
use crate::out;
use crate::out::{done, json_line};
use benchtop_files::regular;
use benchtop_model::error_label::digest;
use benchtop_model::history::stamp;
use benchtop_model::verdict_interchange::receipt;
use benchtop_model::{CommentAct, Error, Filter, Result, clean};
use benchtop_pipeline::export::{Renames, create};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{CommentOn, LabeledItem, request};

/// Maximum size of an imported file, in bytes.
const LIMIT: u64 = 256 << 20;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Examples:\n  benchtop errors\n  benchtop errors --filter 'subtask:spatial' --json\n  benchtop errors add 12 model-a reasoning\n  benchtop errors export --out errors.jsonl\n  benchtop errors import errors.jsonl"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Count the items that match this filter, such as 'subtask:spatial'
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// Label the error in a model's wrong answer; replaces your earlier label
    Add {
        /// Id or number of the item
        #[arg(value_name = "ITEM")]
        item: String,
        /// Name of the model
        model: String,
        /// Key of the label, from `errors` below `[review]` in benchtop.toml
        label: String,
    },
    /// Remove your label
    Remove {
        /// Id or number of the item
        #[arg(value_name = "ITEM")]
        item: String,
        /// Name of the model
        model: String,
    },
    /// Write all labels as JSON lines
    Export {
        /// Output file [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Give the labels in a file of JSON lines under your name
    Import {
        /// File with `item`, `model`, and `label` in each line
        file: PathBuf,
        /// Print the report as one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// A line of a file.
#[derive(Serialize, Deserialize)]
struct Line {
    item: String,
    model: String,
    label: String,
    /// Digest of the answer. Without one, the present answer is labeled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    who: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// Whether the model's answer is still the one that was labeled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    current: Option<bool>,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let client = context.client()?;
    match &args.what {
        None => count(&client, args),
        Some(What::Add { item, model, label }) => give(&client, item, model, Some(label)),
        Some(What::Remove { item, model }) => give(&client, item, model, None),
        Some(What::Export { out }) => export(&client, out.as_ref()),
        Some(What::Import { file, json }) => import(&client, &context.who()?, file, *json),
    }
}

/// Calls `take` with each item that has labels.
fn each(
    client: &Client,
    filter: &Filter,
    mut take: impl FnMut(&LabeledItem) -> Result<()>,
) -> Result<()> {
    let mut from = 1;
    loop {
        let filter = filter.clone();
        let page = client.ask(request::ErrorLabels { filter, from })?;
        page.list.iter().try_for_each(&mut take)?;
        match page.next {
            Some(next) => from = next,
            None => return Ok(()),
        }
    }
}

/// Labeled answers by model, label, and subtask. An answer that several annotators labeled counts
/// once for each of their labels.
#[derive(Default)]
struct Counts {
    by: BTreeMap<(String, String, String), u64>,
    answers: u64,
    /// Answers with different labels.
    differ: u64,
    /// Labels on answers that the model has no longer.
    earlier: u64,
}

impl Counts {
    fn add(&mut self, item: &LabeledItem) {
        let mut of_answer: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
        for shown in &item.labels {
            let label = &shown.label;
            match shown.is_current {
                true => {
                    let answer = (label.model.as_str(), label.answer.as_str());
                    of_answer.entry(answer).or_default().insert(&label.label);
                }
                false => self.earlier += 1,
            }
        }
        let subtask = item.subtask.clone().unwrap_or_default();
        for ((model, _), labels) in of_answer {
            self.answers += 1;
            self.differ += u64::from(labels.len() > 1);
            for label in labels {
                let key = (model.to_string(), label.to_string(), subtask.clone());
                *self.by.entry(key).or_default() += 1;
            }
        }
    }
}

fn count(client: &Client, args: &Args) -> Result<u8> {
    let filter = Filter::parse(args.filter.as_deref().unwrap_or_default())?;
    let mut counts = Counts::default();
    each(client, &filter, |item| {
        counts.add(item);
        Ok(())
    })?;
    let rows = counts.by.iter();
    let rows = rows.map(|((model, label, subtask), n)| {
        json!({"model": model, "label": label, "subtask": subtask, "answers": n})
    });
    let value = json!({
        "counts": rows.collect::<Vec<_>>(), "answers": counts.answers, "differ": counts.differ,
        "earlier": counts.earlier, "labels": client.welcome().errors,
    });
    out::report(args.json, &value, || {
        let mut text = "model\tlabel\tsubtask\tanswers\n".to_string();
        for ((model, label, subtask), n) in &counts.by {
            let [model, label, subtask] = [model, label, subtask].map(|part| clean::line(part));
            text += &format!("{model}\t{label}\t{subtask}\t{n}\n");
        }
        text += &format!("{} labeled", out::count(counts.answers, "answer"));
        if counts.differ > 0 {
            text += &format!(", {} with different labels", counts.differ);
        }
        text += "\n";
        if counts.earlier > 0 {
            let earlier = out::count(counts.earlier, "label");
            text += &format!("note: {earlier} on earlier answers not counted\n");
        }
        text
    })
}

/// The present answer of a model.
struct Present {
    number: u32,
    answer: String,
    is_right: bool,
}

/// The present answers of `model` to an item.
///
/// # Errors
/// [`benchtop_model::ErrorKind::NotFound`] without the item or an answer.
fn present(client: &Client, item: &str, model: &str) -> Result<Vec<Present>> {
    let ask = request::ModelAnswers {
        rule: None,
        column: None,
        item: item.into(),
    };
    let found = client.ask(ask)?;
    let of = found.answers.iter().filter(|of| of.model == model);
    let of = of.map(|of| Present {
        number: found.number,
        answer: digest(of.answer.output.as_deref()),
        is_right: of.answer.right == Some(true),
    });
    let all: Vec<Present> = of.collect();
    if all.is_empty() {
        let what = format!("`{}` has no answer to `{item}`", clean::line(model));
        return Err(Error::not_found(what).field("model"));
    }
    Ok(all)
}

/// The wrong answer of a model; the first of several rotations.
fn wrong(client: &Client, item: &str, model: &str) -> Result<Present> {
    let mut all = present(client, item, model)?.into_iter();
    all.find(|of| !of.is_right).ok_or_else(|| {
        let what = format!(
            "the answer of `{}` to `{item}` is right",
            clean::line(model)
        );
        Error::input(what)
            .field("model")
            .help("only wrong answers have errors to label")
    })
}

fn give(client: &Client, item: &str, model: &str, label: Option<&String>) -> Result<u8> {
    let of = match label {
        Some(_) => wrong(client, item, model)?,
        None => {
            let mut all = present(client, item, model)?;
            all.swap_remove(0)
        }
    };
    let act = CommentAct::Label {
        model: model.into(),
        answer: of.answer,
        label: label.cloned(),
    };
    comments::save(client, of.number, act)
}

fn export(client: &Client, to: Option<&PathBuf>) -> Result<u8> {
    let mut renames = Renames::default();
    let mut out: Box<dyn Write> = match to {
        Some(path) => Box::new(create(path, &mut renames)?),
        None => Box::new(BufWriter::new(out::data())),
    };
    each(client, &Filter::default(), |item| {
        for shown in &item.labels {
            let label = shown.label.clone();
            let line = Line {
                item: item.id.clone(),
                model: label.model,
                label: label.label,
                answer: Some(label.answer),
                who: Some(label.who),
                at: Some(stamp(label.at)),
                current: Some(shown.is_current),
            };
            json_line(&mut out, &json!(line))?;
        }
        Ok(())
    })?;
    done(out.flush())?;
    drop(out);
    renames.finish()?;
    Ok(0)
}

/// Reads all lines, checks them, and gives their labels. A second import adds nothing.
fn import(client: &Client, who: &str, path: &Path, json: bool) -> Result<u8> {
    let text = regular::read_text(path, LIMIT)?;
    let taxonomy = &client.welcome().errors;
    let (mut events, mut earlier) = (Vec::new(), 0_u64);
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let at = |problem: Error| problem.file(path).line(number);
        let line: Line = serde_json::from_str(line).map_err(|e| at(Error::input(e.to_string())))?;
        if !taxonomy.iter().any(|known| known.key == line.label) {
            let keys: Vec<&str> = taxonomy.iter().map(|known| known.key.as_str()).collect();
            let what = format!("unknown error `{}`", clean::line(&line.label));
            return Err(at(Error::input(what)
                .field("label")
                .help(format!("errors in benchtop.toml: {}", keys.join(", ")))));
        }
        let of = match &line.answer {
            None => wrong(client, &line.item, &line.model).map_err(at)?,
            Some(answer) => {
                let all = present(client, &line.item, &line.model).map_err(at)?;
                let same = all.into_iter().find(|of| of.answer == *answer);
                let Some(same) = same.filter(|of| !of.is_right) else {
                    earlier += 1;
                    continue;
                };
                same
            }
        };
        let uuid = receipt(&[
            "error label",
            who,
            &line.item,
            &line.model,
            &of.answer,
            &line.label,
        ]);
        let act = CommentAct::Label {
            model: line.model,
            answer: of.answer,
            label: Some(line.label),
        };
        let number = of.number;
        events.push(CommentOn { uuid, number, act });
    }
    let read = events.len() as u64;
    for event in events {
        client.ask(request::Comment(Box::new(event)))?;
    }
    let report = json!({"labels": read, "earlier": earlier});
    out::report(json, &report, || {
        let mut text = format!("{} in the project\n", out::count(read, "label"));
        if earlier > 0 {
            let left = out::count(earlier, "label");
            text +=
                &format!("note: {left} on answers that are no longer there, or right, left out\n");
        }
        text
    })
}
