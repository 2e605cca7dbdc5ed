//! Checks files of checksummed lines, and the JSON files next to them.

use std::collections::HashMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use super::{Finding, Verifier};
use benchtop_files::{disk, regular};
use benchtop_model::image::ImageRef;
use benchtop_model::round::Round;
use benchtop_model::{Decision, Result};
use benchtop_store::json_checksum::{self, Checksum};
use benchtop_store::{checksummed_line, journal, judge_cache, manifest, pictures, runs};

/// Largest line or JSON file to read.
const LIMIT: u64 = 16 << 30;
/// Maximum number of damaged lines to list per file.
const NAMED: usize = 50;

/// Guesses the content of a damaged line, without trusting it.
fn guess_content(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let field = |name: &str| {
        let from = text.find(&format!("\"{name}\":\""))? + name.len() + 4;
        let rest = text.get(from..)?;
        Some(
            rest.split('"')
                .next()?
                .chars()
                .filter(|c| !c.is_control())
                .take(80)
                .collect::<String>(),
        )
    };
    let item = field("item")
        .or_else(|| field("picture"))
        .or_else(|| field("source"))?;
    Some(match (field("who"), field("verdict")) {
        (Some(who), Some(verdict)) => format!("probably: {who} {verdict} {item}"),
        _ => format!("probably about {item}"),
    })
}

impl Verifier<'_> {
    pub(super) fn lines(&mut self) -> Result<()> {
        let root = self.project.root().to_path_buf();
        self.sessions(&root)?;
        for (name, path) in disk::list(&root.join("sessions/rounds")) {
            self.round(&format!("sessions/rounds/{name}"), &path)?;
        }
        for (name, path) in disk::list(&root.join("runs")) {
            let file = format!("runs/{name}");
            match name.as_str() {
                "judge.jsonl" => {
                    let n = self.each::<judge_cache::Reading>(
                        &file,
                        &path,
                        "a judge's reading",
                        &mut |_| {},
                    )?;
                    self.report.checked.answers += n;
                }
                name if name.ends_with(".items.json") => self.numbers(&file, &path)?,
                name if name.ends_with(".usage.json") => self.usage(&file, &path)?,
                name if name.ends_with(".jsonl") => {
                    let n =
                        self.each::<runs::Line>(&file, &path, "a model's answer", &mut |_| {})?;
                    self.report.checked.answers += n;
                    self.run_of(name, &file, &path);
                }
                name if name.ends_with(".json") => self.run(name, &file, &path)?,
                _ => {}
            }
        }
        self.each::<manifest::Entry>(
            "imports/manifest.jsonl",
            &root.join("imports/manifest.jsonl"),
            "an import",
            &mut |_| {},
        )?;
        self.made(&root)
    }

    /// The bytes of a file. `None` if it was refused, is missing, or cannot be read; this is
    /// reported.
    pub(super) fn bytes(&mut self, file: &str, path: &Path) -> Result<Option<Vec<u8>>> {
        if self.refused.contains(file) || path.symlink_metadata().is_err() {
            return Ok(None);
        }
        match regular::read(path, LIMIT) {
            Ok(bytes) => {
                self.tick(file, bytes.len() as u64)?;
                Ok(Some(bytes))
            }
            Err(problem) => {
                self.problem(file, &problem);
                Ok(None)
            }
        }
    }

    /// Reads every line of a file. Returns the number of good ones.
    pub(super) fn each<T: DeserializeOwned>(
        &mut self,
        file: &str,
        path: &Path,
        what: &str,
        take: &mut dyn FnMut((u64, T)),
    ) -> Result<u64> {
        let Some(bytes) = self.bytes(file, path)? else {
            return Ok(0);
        };
        let (mut at, mut number, mut good, mut bad) = (0, 0, 0, 0usize);
        while at < bytes.len() {
            number += 1;
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |i| at + i + 1);
            let (text, torn) = (&bytes[at..end], bytes[end - 1] != b'\n');
            match checksummed_line::decode::<T>(text) {
                Ok(value) if !torn => {
                    good += 1;
                    take((number, value));
                }
                _ if torn && self.owned => {}
                _ if torn => {
                    let finding = Finding::damage(
                        file,
                        "its last line is incomplete: it was being written, or the file was truncated",
                    );
                    let finding = finding
                        .line(number)
                        .at(at as u64)
                        .lost(format!("{what}, unless it was never acknowledged"));
                    self.found(
                        finding.remedy("the next owner moves it to a `.torn` file next to it"),
                    );
                }
                Ok(_) => {}
                Err(problem) => {
                    bad += 1;
                    if bad <= NAMED {
                        let lost = guess_content(text).map_or_else(
                            || what.to_string(),
                            |content| format!("{what} ({content})"),
                        );
                        let finding = Finding::damage(file, problem.what)
                            .line(number)
                            .at(at as u64)
                            .lost(lost);
                        self.found(
                            finding.remedy("restore the line from a backup; it is left in place"),
                        );
                    }
                }
            }
            at = end;
        }
        if bad > NAMED {
            let more = bad - NAMED;
            self.found(
                Finding::damage(file, format!("{more} more damaged lines"))
                    .lost(format!("{more} times {what}")),
            );
        }
        Ok(good)
    }

    fn sessions(&mut self, root: &Path) -> Result<()> {
        let mut receipts: HashMap<Uuid, (String, Decision)> = HashMap::new();
        for (name, path) in disk::list(&root.join("sessions")) {
            let file = format!("sessions/{name}");
            if name.contains(".torn") {
                let notice = Finding::notice(
                    &file,
                    "the incomplete end of a journal, which was never acknowledged",
                );
                self.found(notice.remedy("remove it if you do not need it"));
                continue;
            }
            let Some(who) = name.strip_suffix(".jsonl") else {
                continue;
            };
            self.each::<Value>(&file, &path, "a decision", &mut |_| {})?;
            if self.refused.contains(&file) {
                continue;
            }
            let Ok(reading) = journal::read(&path) else {
                continue;
            };
            self.report.checked.decisions += reading.decisions.len() as u64;
            if !self.is_reported(&file) {
                let problems: Vec<_> = reading.problems;
                problems
                    .iter()
                    .for_each(|problem| self.problem(&file, problem));
            }
            let (mut foreign, mut back, mut last) = (0u64, 0u64, 0);
            for decision in reading.decisions {
                foreign += u64::from(decision.who != who);
                back += u64::from(decision.rev < last);
                last = last.max(decision.rev);
                let uuid = decision.uuid;
                if let Some((other, before)) = receipts.get(&uuid) {
                    let same = journal::text(before) == journal::text(&decision);
                    let what = format!("receipt {uuid} is also in {other}");
                    self.found(match same {
                        true => Finding::notice(
                            &file,
                            format!("{what}, with the same content; it counts once"),
                        ),
                        false => Finding::damage(&file, format!("{what}, for another decision"))
                            .lost("one of the two decisions"),
                    });
                    continue;
                }
                receipts.insert(uuid, (file.clone(), decision));
            }
            if foreign > 0 {
                let what =
                    format!("{foreign} decisions belong to another annotator than the file name");
                self.found(Finding::damage(&file, what).remedy("restore the file from a backup"));
            }
            if back > 0 {
                self.notice(
                    &file,
                    format!("{back} decisions have a lower revision than an earlier one, as after a merge"),
                );
            }
        }
        Ok(())
    }

    /// Checks the checksum of a JSON file. Returns its text.
    pub(super) fn checksummed(
        &mut self,
        file: &str,
        path: &Path,
        lost: &str,
    ) -> Result<Option<Vec<u8>>> {
        let Some(bytes) = self.bytes(file, path)? else {
            return Ok(None);
        };
        let (text, checksum) = json_checksum::split(&bytes);
        match checksum {
            Checksum::Wrong => {
                let finding = Finding::damage(file, "checksum mismatch").lost(lost);
                self.found(
                    finding
                        .remedy("restore it from a backup; if you edited it yourself, remove its last member, `crc`"),
                );
            }
            Checksum::Missing
                if !self
                    .inventory
                    .as_ref()
                    .is_some_and(|i| i.files.contains_key(file)) =>
            {
                self.notice(file, "no checksum recorded; an earlier version wrote it");
            }
            _ => {}
        }
        Ok(Some(text))
    }

    fn round(&mut self, file: &str, path: &Path) -> Result<()> {
        if !file.ends_with(".json") {
            return Ok(());
        }
        let Some(text) = self.checksummed(file, path, "the round's items and annotators")? else {
            return Ok(());
        };
        let text = String::from_utf8_lossy(&text);
        match Round::parse(&text, path) {
            Ok(round)
                if path
                    .file_stem()
                    .is_some_and(|stem| stem == round.name.as_str()) => {}
            Ok(round) => self.damage(file, format!("it contains the round `{}`", round.name)),
            Err(problem) if !self.is_reported(file) => self.problem(file, &problem),
            Err(_) => {}
        }
        Ok(())
    }

    fn run(&mut self, name: &str, file: &str, path: &Path) -> Result<()> {
        let Some(id) = name
            .strip_suffix(".json")
            .and_then(|n| n.parse::<u32>().ok())
        else {
            return Ok(());
        };
        let Some(text) = self.checksummed(file, path, "the evaluation's settings and state")?
        else {
            return Ok(());
        };
        match serde_json::from_slice::<runs::Run>(&text) {
            Ok(run) if run.id == id => {}
            Ok(run) => self.damage(file, format!("it contains evaluation {}", run.id)),
            Err(e) if !self.is_reported(file) => {
                self.damage(file, format!("not a valid evaluation: {e}"))
            }
            Err(_) => {}
        }
        Ok(())
    }

    /// Checks that the evaluation of an answer file exists.
    fn run_of(&mut self, name: &str, file: &str, path: &Path) {
        let run = path.with_extension("json");
        if name
            .strip_suffix(".jsonl")
            .is_some_and(|n| n.parse::<u32>().is_ok())
            && run.symlink_metadata().is_err()
        {
            let finding = Finding::damage(file, "the evaluation of these answers is missing");
            self.found(
                finding
                    .lost("the model and questions of these answers")
                    .remedy("restore its .json file from a backup"),
            );
        }
    }

    pub(super) fn numbers(&mut self, file: &str, path: &Path) -> Result<()> {
        let Some(bytes) = self.bytes(file, path)? else {
            return Ok(());
        };
        if let Err(e) = serde_json::from_slice::<Vec<u32>>(&bytes) {
            self.found(
                Finding::damage(file, format!("not a valid list of items: {e}"))
                    .lost("the items of the evaluation"),
            );
        }
        Ok(())
    }

    /// Checks the journal of generated pictures and the files it names.
    fn made(&mut self, root: &Path) -> Result<()> {
        let (file, path) = (
            format!("images/{}", pictures::FILE),
            root.join("images").join(pictures::FILE),
        );
        let mut found: Vec<(ImageRef, String)> = Vec::new();
        self.each::<Value>(
            &file,
            &path,
            "the record of a picture",
            &mut |(_, row): (u64, Value)| {
                let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_string);
                if let (Some(name), Some(hash)) = (text("picture"), text("hash")) {
                    let by = format!("a picture made for {name}");
                    found.push((
                        ImageRef {
                            name,
                            hash: Some(hash),
                            ext: text("ext"),
                            ..ImageRef::default()
                        },
                        by,
                    ));
                }
            },
        )?;
        for (image, by) in found {
            self.want(&image, &by, None);
        }
        Ok(())
    }
}
