//! `benchtop extract`: what a rule reads out of models' answers, from JSON lines to JSON lines.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::out;
use crate::out::{done, json_line};
use benchtop_formats::input;
use benchtop_metrics::extract::{Extractor, Instruction};
use benchtop_model::{Error, ErrorKind, Result};

/// Longest line that is read, in bytes.
const LINE_LIMIT: u64 = 16 << 20;

/// Arguments of `extract`.
#[derive(clap::Args)]
pub struct Args {
    /// JSON lines {"instruction","answer"}; standard input without one
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The rule, with or without its version; --rules lists them
    #[arg(long, value_name = "NAME", required_unless_present = "rules")]
    rule: Option<String>,
    /// Print the lines that this rule reads otherwise
    #[arg(long, value_name = "RULE")]
    compare: Option<String>,
    /// List the rules
    #[arg(long, conflicts_with_all = ["file", "rule", "compare"])]
    rules: bool,
}

/// A line: what was asked, and what a model said.
#[derive(Deserialize)]
struct Line {
    instruction: String,
    /// Text; see [`as_text`] for anything else.
    answer: Value,
    /// The stored word of a judge.
    #[serde(default)]
    judge: Option<String>,
}

/// Runs it.
///
/// # Errors
/// [`ErrorKind::Usage`] for a rule that does not exist; [`ErrorKind::Input`] at the first line that is not such a record.
pub fn run(args: &Args) -> Result<u8> {
    if args.rules {
        let names: String = bare().map(|rule| format!("{}\n", rule.name())).collect();
        return crate::out::print(&names).map(|()| 0);
    }
    let rule = rule(args.rule.as_deref().unwrap_or_default())?;
    let other = args.compare.as_deref().map(self::rule).transpose()?;
    let mut out = std::io::BufWriter::new(out::lines());
    let result = match &args.file {
        Some(path) => each(BufReader::new(input::open(path)?), rule, other, &mut out)
            .map_err(|p| p.file(path)),
        None => each(std::io::stdin().lock(), rule, other, &mut out),
    };
    // What was read before a bad line is printed.
    done(out.flush())?;
    let (read, apart) = result?;
    if let Some(other) = other {
        let lines = if read == 1 { "line" } else { "lines" };
        out::tell(format_args!(
            "{} and {} disagree on {apart} of {read} {lines}",
            rule.name(),
            other.name()
        ));
    }
    Ok(0)
}

/// The rules that need no project.
fn bare() -> impl Iterator<Item = Extractor> {
    Extractor::ALL
        .into_iter()
        .filter(|rule| !rule.is_of_project())
}

fn rule(name: &str) -> Result<Extractor> {
    Extractor::from_name(name)
        .filter(|rule| !rule.is_of_project())
        .ok_or_else(|| {
            let names: Vec<&str> = bare().map(Extractor::name).collect();
            Error::new(ErrorKind::Usage, format!("no rule `{name}`"))
                .help(format!("there are: {}", names.join(", ")))
        })
}

/// Reads line by line; how many there were, and on how many the two rules disagree.
fn each(
    mut input: impl BufRead,
    rule: Extractor,
    other: Option<Extractor>,
    out: &mut impl Write,
) -> Result<(u64, u64)> {
    let (mut number, mut read, mut apart) = (0, 0, 0);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        number += 1;
        let failed =
            |e: std::io::Error| Error::io(&e, "cannot be read", Path::new("")).line(number);
        let n = std::io::Read::take(&mut input, LINE_LIMIT)
            .read_until(b'\n', &mut bytes)
            .map_err(failed)?;
        if n == 0 {
            return Ok((read, apart));
        }
        if n as u64 == LINE_LIMIT {
            return Err(Error::input(format!("a line of over {LINE_LIMIT} bytes")).line(number));
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let line = parse(&bytes).map_err(|p| p.line(number))?;
        let instruction = Instruction::new(line.instruction);
        let (asked, judge) = (instruction.asked(), line.judge.as_deref());
        let told = |rule: Extractor| {
            let answer = as_text(rule, &line.answer);
            (
                rule.text(&asked, &answer, judge),
                rule.read(&asked, &answer, judge).state(),
            )
        };
        let trace = |rule: Extractor| rule.trace(&asked, &as_text(rule, &line.answer), judge);
        read += 1;
        let (text, state) = told(rule);
        let Some(other) = other else {
            json_line(
                out,
                &json!({"extracted": text, "state": state, "trace": trace(rule)}),
            )?;
            continue;
        };
        let (other_text, other_state) = told(other);
        if (&text, state) != (&other_text, other_state) {
            apart += 1;
            let one = |rule: Extractor, text: &Option<String>, state: &str| json!({"rule": rule.name(), "extracted": text, "state": state, "trace": trace(rule)});
            let readings = [
                one(rule, &text, state),
                one(other, &other_text, other_state),
            ];
            json_line(
                out,
                &json!({"line": number, "answer": line.answer, "readings": readings}),
            )?;
        }
    }
}

fn parse(bytes: &[u8]) -> Result<Line> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|e| {
        Error::input(format!("not such a record: {e}"))
            .help("a line is {\"instruction\": TEXT, \"answer\": TEXT}")
    })
}

/// An answer as a rule gets it. What is no text is nothing to most, and JSON for numbers and the like; the released code of Dysca
/// makes text of it as Python prints it: `None`, `True`.
fn as_text(rule: Extractor, answer: &Value) -> Cow<'_, str> {
    let legacy = rule == Extractor::LegacyDysca;
    match answer {
        Value::String(text) => text.as_str().into(),
        Value::Null => if legacy { "None" } else { "" }.into(),
        Value::Bool(true) if legacy => "True".into(),
        Value::Bool(false) if legacy => "False".into(),
        other => other.to_string().into(),
    }
}
