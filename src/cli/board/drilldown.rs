//! The answers behind a board: of one cell, of all models to one question, or those that two rules
//! read differently.

use std::io::Write;

use serde::Serialize;

use super::args::{Args, Output, extractor};
use super::comparison::printed;
use super::print::written;
use super::source::Source;
use crate::out::{count, json_text};
use benchtop_metrics::extract::Extractor;
use benchtop_model::board::analysis::{Disagreement, TOOL};
use benchtop_model::board::{AnswerDetail, ModelAnswer};
use benchtop_model::{Item, Result, ToolVerdict};
use benchtop_tui::widgets::text;

/// Maximum width of a table cell. Other formats print cells in full.
const CELL_WIDTH: usize = 48;

impl Source {
    /// Prints the answers behind a model's cell, or only the wrong ones.
    pub(super) fn print_drilldown(
        &self,
        model: &str,
        column: &str,
        args: &Args,
        out: &mut dyn Write,
    ) -> Result<()> {
        let (mut rows, mut shown, mut from) = (Vec::new(), 0_u64, 0);
        let all = loop {
            let page = self.drilldown((model, column), from)?;
            shown += page.answers.len() as u64;
            for answer in page
                .answers
                .iter()
                .filter(|a| !args.wrong || a.right == Some(false))
            {
                match args.format {
                    Output::Json => line(
                        &AnswerLine {
                            model,
                            column,
                            answer,
                        },
                        out,
                    )?,
                    format => rows.push(cells(answer).map(|cell| fitted(cell, format)).into()),
                }
            }
            match page.next {
                Some(next) => from = next,
                None => break page.all,
            }
        };
        if args.format == Output::Json {
            return Ok(());
        }
        let mut notes = Vec::new();
        if shown < all {
            notes.push(format!(
                "{shown} of {all} answers: the others are missing or hidden by a blind round"
            ));
        }
        let none: [&(); 0] = [];
        printed(&HEADS, rows, &none, args.format, &notes, out)
    }

    /// Prints how often another rule reads a different answer, by model.
    pub(super) fn print_against(
        &self,
        other: Option<Extractor>,
        args: &Args,
        out: &mut dyn Write,
    ) -> Result<()> {
        let found = self.against(other, args)?;
        let rule = args
            .rule
            .as_deref()
            .map(extractor)
            .transpose()?
            .map(Extractor::name);
        let name = other.map_or(TOOL, Extractor::name);
        let line = |d: &Disagreement| AgainstLine {
            model: d.model.clone(),
            rules: [rule.map(str::to_string), Some(name.into())],
            answers: d.answers,
            differ: d.differ,
            first_right: d.first_right,
            second_right: d.second_right,
            examples: d
                .examples
                .iter()
                .map(|(answer, other)| Example {
                    answer: answer.clone(),
                    other: other.clone(),
                })
                .collect(),
        };
        let lines: Vec<AgainstLine> = found.iter().map(line).collect();
        let percent =
            |d: &Disagreement| format!("{:.2}", 100.0 * d.differ as f64 / d.answers.max(1) as f64);
        let row = |d: &Disagreement| {
            let counts = [d.answers, d.differ].map(|n| n.to_string());
            let right = [d.first_right, d.second_right].map(|n| n.to_string());
            [d.model.clone()]
                .into_iter()
                .chain(counts)
                .chain([percent(d)])
                .chain(right)
                .collect()
        };
        let rows = found.iter().map(row).collect();
        let heads = [
            "model",
            "answers",
            "differ",
            "percent",
            "only 1st right",
            "only 2nd right",
        ];
        let second = if other.is_none() {
            "the verdicts that other tools stored with the answers"
        } else {
            name
        };
        let mut notes = vec![format!(
            "1st: {}; 2nd: {second}",
            rule.unwrap_or("the rule of each question's paper")
        )];
        if other.is_none() && found.is_empty() {
            notes.push("no answers with a stored verdict".into());
        }
        printed(&heads, rows, &lines, args.format, &notes, out)
    }

    /// Prints the answers of all models to one question.
    pub(super) fn print_item(&self, item: &str, args: &Args, out: &mut dyn Write) -> Result<()> {
        let found = self.answers_to(item, args)?;
        if args.format == Output::Json {
            return found.answers.iter().try_for_each(|of| {
                line(
                    &ItemLine {
                        model: &of.model,
                        order: of.order.as_deref(),
                        number: found.number,
                        answer: &of.answer,
                    },
                    out,
                )
            });
        }
        let row = |of: &ModelAnswer| {
            let name = of.order.as_ref().map_or_else(
                || of.model.clone(),
                |order| format!("{}, {order}", of.model),
            );
            let [_, _, is, _, _, read, output] = cells(&of.answer);
            [name, is, read, tool(&of.answer), output]
                .map(|cell| fitted(cell, args.format))
                .into()
        };
        let rows = found.answers.iter().map(row).collect();
        let mut notes = vec![format!("question {}: {}", found.key, found.question)];
        let options = found.options.iter().enumerate();
        notes.extend(options.map(|(at, option)| format!("{}. {option}", Item::letter(at))));
        notes.push(format!("right answer: {}", found.gold));
        if found.left_out > 0 {
            notes.push(format!(
                "left out {}: too long in total",
                count(found.left_out, "answer")
            ));
        }
        let none: [&(); 0] = [];
        printed(
            &["model", "answer is", "read as", "tool", "raw output"],
            rows,
            &none,
            args.format,
            &notes,
            out,
        )
    }
}

// These are also the column names in CSV, so they do not change.
const HEADS: [&str; 7] = [
    "unit",
    "unit is",
    "answer is",
    "question",
    "gold",
    "read as",
    "raw output",
];

/// The verdict of the tool that wrote the answer.
fn tool(answer: &AnswerDetail) -> String {
    answer
        .tool
        .as_ref()
        .map(ToolVerdict::describe)
        .unwrap_or_default()
}

/// The table cells of an answer.
fn cells(a: &AnswerDetail) -> [String; 7] {
    let is = |right: Option<bool>| {
        right
            .map_or("", |right| if right { "right" } else { "wrong" })
            .to_string()
    };
    let answer = match (a.right, a.similarity) {
        (None, Some(similarity)) => format!("{similarity:.4}"),
        (right, _) => is(right),
    };
    let read = a.extracted.clone().unwrap_or_else(|| {
        if a.declined {
            "(declined)".into()
        } else {
            String::new()
        }
    });
    let output = a.output.clone().unwrap_or_default();
    [
        a.unit.clone(),
        is(a.unit_right),
        answer,
        a.key.clone(),
        a.gold.clone(),
        read,
        output,
    ]
}

/// A cell, cut to its maximum width in tables.
fn fitted(cell: String, format: Output) -> String {
    if format == Output::Table {
        text::fit(&cell, CELL_WIDTH)
    } else {
        cell
    }
}

fn line(of: &impl Serialize, out: &mut dyn Write) -> Result<()> {
    written(out.write_all(json_text(of).as_bytes()))
}

#[derive(Serialize)]
struct AnswerLine<'a> {
    model: &'a str,
    column: &'a str,
    #[serde(flatten)]
    answer: &'a AnswerDetail,
}

#[derive(Serialize)]
struct ItemLine<'a> {
    model: &'a str,
    order: Option<&'a str>,
    number: u32,
    #[serde(flatten)]
    answer: &'a AnswerDetail,
}

/// How two rules read the answers of a model.
#[derive(Serialize)]
struct AgainstLine {
    model: String,
    rules: [Option<String>; 2],
    answers: u64,
    differ: u64,
    first_right: u64,
    second_right: u64,
    examples: Vec<Example>,
}

/// An answer as the first rule reads it, and the answer that the second rule reads.
#[derive(Serialize)]
struct Example {
    #[serde(flatten)]
    answer: AnswerDetail,
    other: Option<String>,
}
