//! `benchtop extract`: extracts answers from model outputs with a named rule, from JSON lines to
//! JSON lines.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::out;
use crate::out::{done, json_line};
use benchtop_formats::input;
use benchtop_metrics::extract::{Extractor, Instruction};
use benchtop_model::{Error, Result};

/// Maximum length of a line in bytes.
const LINE_LIMIT: u64 = 16 << 20;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop extract --rules\n  benchtop extract --rule strict outputs.jsonl\n  benchtop extract --rule strict --compare legacy-dysca outputs.jsonl"
)]
pub struct Args {
    /// File of JSON lines {"instruction","answer"} [default: standard input]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Extraction rule, with or without its version
    #[arg(long, value_name = "NAME", required_unless_present = "rules")]
    rule: Option<String>,
    /// Print only lines that this second rule reads differently
    #[arg(long, value_name = "RULE")]
    compare: Option<String>,
    /// List the rules
    #[arg(long, conflicts_with_all = ["file", "rule", "compare"])]
    rules: bool,
}

/// One line of the input.
#[derive(Deserialize)]
struct Line {
    instruction: String,
    /// Usually a string; see [`as_text`] for other types.
    answer: Value,
    /// The stored reading of a judge.
    #[serde(default)]
    judge: Option<String>,
}

pub fn run(args: &Args) -> Result<u8> {
    if args.rules {
        let names: String = standalone()
            .map(|rule| format!("{}\n", rule.name()))
            .collect();
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
    // The results before a bad line are printed as well.
    done(out.flush())?;
    let (read, differing) = result?;
    if let Some(other) = other {
        out::tell(format_args!(
            "{} and {} disagree on {differing} of {}",
            rule.name(),
            other.name(),
            out::count(read, "line")
        ));
    }
    Ok(0)
}

/// The rules that work without a project.
fn standalone() -> impl Iterator<Item = Extractor> {
    Extractor::ALL
        .into_iter()
        .filter(|rule| !rule.is_of_project())
}

fn rule(name: &str) -> Result<Extractor> {
    Extractor::from_name(name)
        .filter(|rule| !rule.is_of_project())
        .ok_or_else(|| {
            let names: Vec<&str> = standalone().map(Extractor::name).collect();
            Error::usage(format!("unknown extraction rule `{name}`"))
                .help(format!("one of: {}", names.join(", ")))
        })
}

/// Processes all lines. Returns their number and the number of lines on which the two rules
/// disagree.
fn each(
    mut input: impl BufRead,
    rule: Extractor,
    other: Option<Extractor>,
    out: &mut impl Write,
) -> Result<(u64, u64)> {
    let (mut number, mut read, mut differing) = (0, 0, 0);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        number += 1;
        let failed =
            |e: std::io::Error| Error::io(&e, "cannot read the input", Path::new("")).line(number);
        let n = std::io::Read::take(&mut input, LINE_LIMIT)
            .read_until(b'\n', &mut bytes)
            .map_err(failed)?;
        if n == 0 {
            return Ok((read, differing));
        }
        if n as u64 == LINE_LIMIT {
            return Err(
                Error::input(format!("the line is longer than {LINE_LIMIT} bytes")).line(number),
            );
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let line = parse(&bytes).map_err(|p| p.line(number))?;
        let instruction = Instruction::new(line.instruction);
        let (asked, judge) = (instruction.asked(), line.judge.as_deref());
        let extracted = |rule: Extractor| {
            let answer = as_text(rule, &line.answer);
            (
                rule.text(&asked, &answer, judge),
                rule.read(&asked, &answer, judge).state(),
            )
        };
        let trace = |rule: Extractor| rule.trace(&asked, &as_text(rule, &line.answer), judge);
        read += 1;
        let (text, state) = extracted(rule);
        let Some(other) = other else {
            json_line(
                out,
                &json!({"extracted": text, "state": state, "trace": trace(rule)}),
            )?;
            continue;
        };
        let (other_text, other_state) = extracted(other);
        if (&text, state) != (&other_text, other_state) {
            differing += 1;
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
        Error::input(format!("invalid record: {e}"))
            .help("write {\"instruction\": TEXT, \"answer\": TEXT} in each line")
    })
}

/// The answer as text. `null` is empty, and other values are JSON. For the rule of Dysca's released
/// code, values are written as Python prints them: `None`, `True`.
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
