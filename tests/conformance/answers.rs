//! The labelled corpora of answers: what each rule reads, and that `strict@2` and its Python port read the same.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use benchtop::metrics::extract::{Asked, Extractor, strict_in_python};
use benchtop::model::{Choice, QuestionKind, Role};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Need, skip, tell};

/// Files that nobody opens who works on the rule, with what was right at least, and wrong at most, when they were first measured.
/// Their misses are not printed. Taking a final statement before all else made a fourth answer of heldout-3 wrong.
const UNSEEN: &[(&str, f64, f64)] = &[("heldout-3", 94.5, 0.6), ("heldout-4", 87.0, 0.5)];

/// Files of which more is beyond the rule than of others, with what is right at least.
const HARD: &[(&str, f64)] = &[("development-3", 92.0)];

/// Files of answers that models gave, of which the texts are not in the repository: what is right at
/// least, and wrong at most, where they are.
const RELEASED: &[(&str, f64, f64)] = &[
    ("released-development", 99.0, 0.3),
    ("released-heldout", 99.0, 0.3),
];

/// A line of a corpus.
#[derive(Deserialize)]
struct Line {
    id: String,
    language: String,
    form: String,
    question: String,
    options: Vec<String>,
    /// How the prompt labels the options: `numbers`, or letters if nothing is said.
    #[serde(default)]
    labels: String,
    refusal: Option<usize>,
    output: String,
    intended: String,
    source: String,
}

impl Line {
    fn kind(&self) -> QuestionKind {
        if self.form == "yes-no" {
            QuestionKind::YesNo
        } else {
            QuestionKind::MultipleChoice
        }
    }

    /// The question and its options, labelled as in the prompt.
    fn instruction(&self) -> String {
        let label = |at: usize| match self.labels.as_str() {
            "numbers" => (at + 1).to_string(),
            _ => letter(at),
        };
        let line = |(at, text): (usize, &String)| format!("\n{}. {text}", label(at));
        let listed: String = self.options.iter().enumerate().map(line).collect();
        self.question.clone() + &listed
    }

    /// What a rule reads, in the words of `intended`.
    fn read(&self, rule: Extractor) -> String {
        let role = |at| {
            if self.refusal == Some(at) {
                Role::Refusal
            } else {
                Role::Distractor
            }
        };
        let choice = |(at, text): (usize, &String)| Choice {
            text: text.clone(),
            role: role(at),
        };
        let options: Vec<Choice> = self.options.iter().enumerate().map(choice).collect();
        let instruction = self.instruction();
        let asked = Asked {
            instruction: &instruction,
            kind: self.kind(),
            options: &options,
        };
        let read = rule.read(&asked, &self.output, None);
        match read.state() {
            "refused" => "refused".into(),
            _ => read.answer().unwrap_or_else(|| "none".into()),
        }
    }
}

fn letter(at: usize) -> String {
    benchtop::model::Item::letter(at)
}

/// Right, unread, wrong.
#[derive(Clone, Copy, Default)]
struct Tally([u32; 3]);

impl Tally {
    fn add(&mut self, intended: &str, read: &str) -> usize {
        let none = |word: &str| word == "none" || word == "refused";
        let at = match (none(intended), none(read)) {
            (true, true) => 0,
            (true, false) => 2,
            (false, true) => 1,
            (false, false) => {
                if intended == read {
                    0
                } else {
                    2
                }
            }
        };
        self.0[at] += 1;
        at
    }

    fn share(&self, at: usize) -> f64 {
        100.0 * f64::from(self.0[at]) / f64::from(self.0.iter().sum::<u32>().max(1))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/answers")
}

/// A corpus: its name, its lines, and what other tools' rules read, by id.
type Corpus = (String, Vec<Line>, BTreeMap<String, Vec<String>>);

/// The corpora that are there, each with what other tools' rules read of it, by id.
fn corpora() -> Vec<Corpus> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<Line> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_string();
        let csv = std::fs::read_to_string(folder().join(format!("reference_{stem}.csv")))
            .unwrap_or_default();
        let row = |row: &str| {
            let mut cells = row.trim().split(',').map(str::to_string);
            Some((cells.next()?, cells.collect::<Vec<_>>()))
        };
        found.push((stem, lines, csv.lines().skip(1).filter_map(row).collect()));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn strict_reads_the_labelled_answers() {
    let corpora = corpora();
    assert!(corpora.iter().any(|(stem, ..)| stem == "development"));
    let mut faults = Vec::new();
    for (stem, lines, others) in &corpora {
        let mut table: BTreeMap<String, [Tally; 4]> = BTreeMap::new();
        let ids: std::collections::BTreeSet<&str> =
            lines.iter().map(|line| line.id.as_str()).collect();
        assert_eq!(ids.len(), lines.len(), "{stem}: an id is there twice");
        for line in lines {
            assert!(!line.source.is_empty(), "{stem}: {}", line.id);
            let other = |at: usize| {
                others
                    .get(&line.id)
                    .and_then(|of| of.get(at))
                    .map_or("none", String::as_str)
            };
            let reads = [
                line.read(Extractor::Strict),
                line.read(Extractor::Strict1),
                other(0).into(),
                other(1).into(),
            ];
            for (at, read) in reads.into_iter().enumerate() {
                let of_file = &mut table.entry(String::new()).or_default()[at];
                let state = of_file.add(&line.intended, &read);
                table.entry(line.language.clone()).or_default()[at].add(&line.intended, &read);
                if at == 0 && state > 0 && !UNSEEN.iter().any(|(file, ..)| file == stem) {
                    faults.push(format!(
                        "{stem} {} {:?}: {read}, meant {}",
                        line.id, line.output, line.intended
                    ));
                }
            }
        }
        assert!(table.len() > 10, "{stem}: {} languages", table.len() - 1);
        tell(&format!(
            "{stem}: right, unread, wrong in percent by strict@2, strict@1, VLMEvalKit, lmms-eval"
        ));
        for (language, tallies) in &table {
            let name = if language.is_empty() { "all" } else { language };
            let n: u32 = tallies[0].0.iter().sum();
            // Without their readings in `reference_*.csv` other tools have no column.
            let some = if others.is_empty() { 2 } else { 4 };
            let cell =
                |t: &Tally| format!("{:5.1} {:5.1} {:5.1}", t.share(0), t.share(1), t.share(2));
            let cells: Vec<String> = tallies[..some].iter().map(cell).collect();
            tell(&format!("  {name:4} {n:4} | {}", cells.join(" | ")));
        }
        let ours = table[""][0];
        let mut bounds = UNSEEN.iter().chain(RELEASED);
        let bound = bounds.find(|(file, ..)| file == stem);
        let hard = HARD
            .iter()
            .find(|(file, _)| file == stem)
            .map_or(97.0, |(_, least)| *least);
        let (least, most) = bound.map_or((hard, 0.5), |(_, least, most)| (*least, *most));
        let holds = ours.share(0) >= least && ours.share(2) <= most;
        assert!(holds, "{stem}: {:?}\n{}", ours.0, faults.join("\n"));
    }
    faults.iter().for_each(|fault| tell(fault));
}

/// The exported lmms-eval task reads answers by this port.
#[test]
fn the_python_port_reads_what_strict_reads() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("rule.py"), strict_in_python()).unwrap();
    let script = "import json, sys\nfrom rule import read\nfor line in sys.stdin:\n    r = json.loads(line)\n    print(json.dumps(read(r['options'], r['form'], r['output'], r['question'])))\n";
    let python = std::env::var_os("BENCHTOP_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    command
        .arg("-c")
        .arg(script)
        .current_dir(dir.path())
        .env("PYTHONIOENCODING", "utf-8");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        skip(Need::Program("python3"), "the port needs python3");
        return;
    };
    let corpora = corpora();
    let unseen = |stem: &str| UNSEEN.iter().any(|(file, ..)| *file == stem);
    let mut lines: Vec<&Line> = Vec::new();
    let mut hidden: Vec<bool> = Vec::new();
    for (stem, of_file, _) in &corpora {
        hidden.extend(of_file.iter().map(|_| unseen(stem)));
        lines.extend(of_file);
    }
    let line = |l: &&Line| {
        json!({"options": l.options, "form": l.form, "output": l.output, "question": l.instruction()})
            .to_string()
            + "\n"
    };
    let text: String = lines.iter().map(line).collect();
    let mut stdin = child.stdin.take().unwrap();
    let feeds = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    feeds.join().unwrap().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let said = String::from_utf8(output.stdout).unwrap();
    let mut apart = Vec::new();
    for ((line, said), hidden) in lines.iter().zip(said.lines()).zip(hidden) {
        let theirs = match serde_json::from_str::<Value>(said).unwrap() {
            Value::Null => "none".to_string(),
            Value::String(word) => word,
            number => match number.as_u64() {
                // To the port an option that declines is one as the others are.
                Some(at) if line.refusal == Some(at as usize) => "refused".into(),
                at => letter(at.unwrap() as usize),
            },
        };
        let ours = line.read(Extractor::Strict);
        if ours != theirs {
            // Lines that nobody looks at are only counted.
            let of = format!(
                "{} {:?}: {ours}, and {theirs} in Python",
                line.id, line.output
            );
            apart.push(if hidden {
                "one of an unseen file".into()
            } else {
                of
            });
        }
    }
    assert_eq!(said.lines().count(), lines.len());
    assert!(apart.is_empty(), "{}", apart.join("\n"));
}
