//! The answers behind a board: those of a cell, and those that two rules read otherwise.

use std::io::Write;

use serde::Serialize;

use super::looks::printed;
use super::source::Source;
use super::{Args, Output, written};
use crate::cli::out::json_text;
use crate::metrics::extract::Extractor;
use crate::model::Result;
use crate::model::board::Behind;
use crate::model::board::looks::Disagreement;
use crate::tui::widgets::text;

/// Columns of the terminal that a cell of such a table takes at most; other formats have it whole.
const MOST: usize = 48;

impl Source {
    /// Prints the answers of a model behind its cell of a column, or only the wrong ones.
    ///
    /// # Errors
    /// As [`super::run`].
    pub(super) fn print_behind(&self, model: &str, column: &str, args: &Args, out: &mut dyn Write) -> Result<()> {
        let (mut rows, mut shown, mut from) = (Vec::new(), 0_u64, 0);
        let all = loop {
            let page = self.behind((model, column), from)?;
            shown += page.answers.len() as u64;
            for answer in page.answers.iter().filter(|a| !args.wrong || a.right == Some(false)) {
                match args.format {
                    Output::Json => line(&AnswerLine { model, column, answer }, out)?,
                    format => rows.push(cells(answer, format)),
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
            notes
                .push(format!("{shown} of {all} answers: the others were not asked, or a blind round keeps them back"));
        }
        let none: [&(); 0] = [];
        printed(&HEADS, rows, &none, args.format, &notes, out)
    }

    /// Prints how often another rule reads another answer, by model.
    ///
    /// # Errors
    /// As [`super::run`].
    pub(super) fn print_against(&self, other: Extractor, args: &Args, out: &mut dyn Write) -> Result<()> {
        let found = self.against(other, args)?;
        let rule = args.rule.as_deref().map(super::extractor).transpose()?.map(Extractor::name);
        let told = |d: &Disagreement| AgainstLine {
            model: d.model.clone(),
            rules: [rule.map(str::to_string), Some(other.name().into())],
            answers: d.answers,
            differ: d.differ,
            first_right: d.first_right,
            second_right: d.second_right,
            examples: d
                .examples
                .iter()
                .map(|(answer, other)| Example { answer: answer.clone(), other: other.clone() })
                .collect(),
        };
        let lines: Vec<AgainstLine> = found.iter().map(told).collect();
        let percent = |d: &Disagreement| format!("{:.2}", 100.0 * d.differ as f64 / d.answers.max(1) as f64);
        let row = |d: &Disagreement| {
            let counts = [d.answers, d.differ].map(|n| n.to_string());
            let right = [d.first_right, d.second_right].map(|n| n.to_string());
            [d.model.clone()].into_iter().chain(counts).chain([percent(d)]).chain(right).collect()
        };
        let rows = found.iter().map(row).collect();
        let heads = ["model", "answers", "differ", "percent", "only 1st right", "only 2nd right"];
        let note = format!("1st {}, 2nd {}", rule.unwrap_or("the rule of each question's paper"), other.name());
        printed(&heads, rows, &lines, args.format, &[note], out)
    }
}

const HEADS: [&str; 7] = ["unit", "unit is", "answer is", "question", "gold", "read as", "raw output"];

/// An answer as a line of a table.
fn cells(a: &Behind, format: Output) -> Vec<String> {
    let is = |right: Option<bool>| right.map_or("", |right| if right { "right" } else { "wrong" }).to_string();
    let answer = match (a.right, a.similarity) {
        (None, Some(similarity)) => format!("{similarity:.4}"),
        (right, _) => is(right),
    };
    let read = a.extracted.clone().unwrap_or_else(|| if a.declined { "(declined)".into() } else { String::new() });
    let output = a.output.clone().unwrap_or_default();
    let all = [a.unit.clone(), is(a.unit_right), answer, a.key.clone(), a.gold.clone(), read, output];
    let one_line = |cell: String| match format {
        Output::Table => text::fit(&cell, MOST),
        _ => cell,
    };
    all.map(one_line).into()
}

fn line(of: &impl Serialize, out: &mut dyn Write) -> Result<()> {
    written(out.write_all(json_text(of).as_bytes()))
}

/// One answer behind a cell.
#[derive(Serialize)]
struct AnswerLine<'a> {
    model: &'a str,
    column: &'a str,
    #[serde(flatten)]
    answer: &'a Behind,
}

/// What two rules make of a model's answers.
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

/// An answer as the first rule reads it, and what the second reads.
#[derive(Serialize)]
struct Example {
    #[serde(flatten)]
    answer: Behind,
    other: Option<String>,
}
