//! `benchtop lint`: checks metadata and questions for mistakes.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::items;
use crate::context::Context;
use crate::out::{count, json_line, print};
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::lint::{self, ItemLint};
use benchtop_compose::metadata::judge::judging_of;
use benchtop_compose::metadata::write::writing_of;
use benchtop_compose::metadata::{Metadata, VOCABULARIES, rules, styles, templates, vocabulary_of};
use benchtop_formats as formats;
use benchtop_model::metafile::shipped;
use benchtop_model::{Error, ErrorKind, Filter, Finding, MetaFile, Result, Rule, Severity, clean};
use benchtop_store::metadata;

/// The metadata folder of a project.
const FOLDER: &str = "metadata";

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop lint\n  benchtop lint questions.json\n  benchtop lint --items"
)]
pub struct Args {
    /// Metadata folders, metadata files, or question files [default: the project's metadata]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Check the project's items as well
    #[arg(long)]
    items: bool,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
    /// List the rules
    #[arg(long, conflicts_with_all = ["files", "items"])]
    rules: bool,
}

#[derive(Debug, Default)]
struct LintRun {
    found: Vec<Finding>,
    files: u64,
    questions: u64,
}

/// The exit code is 1 if there are findings of severity error.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    if args.rules {
        return rules(args.json);
    }
    let mut lint_run = LintRun::default();
    if args.files.is_empty() {
        lint_run.project(&context.project()?.root().join(FOLDER))?;
    }
    if !args.files.is_empty() || args.items {
        let metadata = project_metadata(context)?;
        let (grammar, _) = CompiledMetadata::compile(&metadata);
        for path in &args.files {
            lint_run.path(path, &grammar)?;
        }
        if args.items {
            let mut lint = ItemLint::new(Some(&grammar));
            let client = context.client()?;
            items::each_item(&client, Filter::default(), |number, item| {
                lint.check(&item, u64::from(number));
                lint_run.questions += 1;
                Ok(())
            })?;
            let mut found = lint.finish();
            lint::locate(&mut found, &metadata);
            lint_run.found.append(&mut found);
        }
    }
    if args.json {
        let mut out = std::io::BufWriter::new(super::out::lines());
        for finding in &lint_run.found {
            json_line(&mut out, &object(finding))?;
        }
        crate::out::done(out.flush())?;
    } else {
        print(&lint_run.text())?;
    }
    Ok(u8::from(lint_run.of(Severity::Error) > 0))
}

/// The metadata to check questions against: the project's if it has any, else the shipped one.
fn project_metadata(context: &Context) -> Result<Metadata> {
    let folder = match context.project() {
        Ok(project) => project.root().join(FOLDER),
        Err(problem) if problem.kind == ErrorKind::NotFound => {
            return Ok(Metadata::parse(shipped()));
        }
        Err(problem) => return Err(problem),
    };
    if folder.is_dir() {
        Ok(read(&folder)?.0)
    } else {
        Ok(Metadata::parse(shipped()))
    }
}

fn rules(json: bool) -> Result<u8> {
    let mut out = Vec::new();
    for rule in Rule::ALL {
        let (name, severity, about) = (rule.name(), rule.severity().name(), rule.about());
        if json {
            json_line(
                &mut out,
                &json!({"rule": name, "severity": severity, "about": about}),
            )?;
        } else {
            out.extend(format!("{name:<18} {severity:<8} {about}\n").bytes());
        }
    }
    print(&String::from_utf8_lossy(&out)).map(|()| 0)
}

fn object(f: &Finding) -> serde_json::Value {
    json!({
        "severity": f.severity().name(),
        "rule": f.rule.name(),
        "file": f.file,
        "line": f.line,
        "column": f.column,
        "length": f.length,
        "term": f.term,
        "what": f.message,
        "help": f.help,
    })
}

/// Reads a metadata folder: the metadata, the findings for unreadable files, and the number of
/// files.
fn read(dir: &Path) -> Result<(Metadata, Vec<Finding>, u64)> {
    let state = metadata::read(dir)?;
    let files = (state.files.len() + state.unreadable.len()) as u64;
    let texts = state.files.into_iter().map(|f| MetaFile {
        name: f.name,
        text: f.text,
    });
    Ok((Metadata::parse(texts), state.unreadable, files))
}

fn unreadable(name: &str, line: u32, what: &str) -> Finding {
    let help = "save the file as UTF-8 text of at most 8 MiB";
    Finding::new(Rule::Unreadable, name, what)
        .line(line)
        .term(name)
        .help(help)
}

/// The path relative to the current folder, if it is inside it.
fn here(path: &Path) -> PathBuf {
    let current = std::env::current_dir()
        .and_then(|d| d.canonicalize())
        .unwrap_or_default();
    match path
        .canonicalize()
        .ok()
        .and_then(|p| p.strip_prefix(&current).map(Path::to_path_buf).ok())
    {
        Some(short) if !short.as_os_str().is_empty() => short,
        _ => path.to_path_buf(),
    }
}

fn is_metadata(dir: &Path) -> bool {
    [styles::FILE, templates::FILE]
        .iter()
        .any(|f| dir.join(f).is_file())
        || dir.join(VOCABULARIES).is_dir()
}

/// The metadata folder of a file, if that folder has templates, and the name of the file inside it.
fn placed(path: &Path) -> Option<(PathBuf, String)> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().map(|p| {
        if p.as_os_str().is_empty() {
            Path::new(".")
        } else {
            p
        }
    })?;
    if [styles::FILE, templates::FILE, rules::FILE].contains(&name) {
        return Some((folder.to_path_buf(), name.to_string()));
    }
    let full = folder.canonicalize().ok()?;
    let inner = format!("{}/{name}", full.file_name()?.to_str()?);
    let own = vocabulary_of(&inner).is_some()
        || judging_of(&inner).is_some()
        || writing_of(&inner).is_some();
    let dir = full.parent()?.to_path_buf();
    (own && dir.join(templates::FILE).is_file()).then_some((dir, inner))
}

impl LintRun {
    fn of(&self, severity: Severity) -> usize {
        self.found
            .iter()
            .filter(|f| f.severity() == severity)
            .count()
    }

    fn project(&mut self, folder: &Path) -> Result<()> {
        if folder.is_dir() {
            return self.folder(&here(folder), None);
        }
        let mut found = lint::metadata(&Metadata::parse(shipped()));
        found
            .iter_mut()
            .for_each(|f| f.file.insert_str(0, "(shipped) "));
        self.files += shipped().count() as u64;
        self.found.append(&mut found);
        Ok(())
    }

    /// Checks a metadata folder, or only the file `only` of it.
    fn folder(&mut self, dir: &Path, only: Option<(&str, &Path)>) -> Result<()> {
        let (metadata, mut found, files) = read(dir)?;
        found.extend(lint::metadata(&metadata));
        // An unreadable file is not missing as well.
        let unreadable: Vec<String> = found
            .iter()
            .filter(|f| f.rule == Rule::Unreadable)
            .map(|f| f.file.clone())
            .collect();
        found.retain(|f| {
            f.rule != Rule::MissingFile || f.file != f.term || !unreadable.contains(&f.file)
        });
        found.sort();
        lint::sort_causes_first(&mut found);
        for mut finding in found {
            match only {
                Some((name, _)) if finding.file != name => continue,
                Some((_, path)) => finding.file = path.display().to_string(),
                None => finding.file = dir.join(&finding.file).display().to_string(),
            }
            self.found.push(finding);
        }
        self.files += if only.is_some() { 1 } else { files };
        Ok(())
    }

    fn path(&mut self, path: &Path, grammar: &CompiledMetadata) -> Result<()> {
        if path.is_dir() {
            let within = path.join(FOLDER);
            if is_metadata(path) {
                return self.folder(path, None);
            } else if is_metadata(&within) {
                return self.folder(&within, None);
            }
        } else if path.is_file() {
            if let Some((dir, name)) = placed(path) {
                return self.folder(&dir, Some((&name, path)));
            }
            if path.extension().is_some_and(|e| e == "txt") {
                return self.vocabulary(path);
            }
        }
        let found = formats::detect_files(path)?;
        let questions: Vec<_> = found
            .files
            .iter()
            .filter(|f| f.format.questions == formats::Questions::Own)
            .collect();
        if questions.is_empty() {
            return Err(Error::input("found neither metadata nor questions")
                .file(path)
                .help("name a metadata folder, a metadata file, or a question file"));
        }
        for file in questions {
            self.questions(&file.path, file.format, grammar)?;
        }
        Ok(())
    }

    /// Checks a vocabulary file outside of a metadata folder.
    fn vocabulary(&mut self, path: &Path) -> Result<()> {
        let stem = path
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default();
        let name = format!("{VOCABULARIES}{stem}.txt");
        let found = match metadata::text(path) {
            Ok(text) => lint::file(&MetaFile { name, text }),
            Err((line, what)) => vec![unreadable(&stem, line, &what)],
        };
        let named = |mut f: Finding| {
            f.file = path.display().to_string();
            f
        };
        self.found.extend(found.into_iter().map(named));
        self.files += 1;
        Ok(())
    }

    fn questions(
        &mut self,
        path: &Path,
        format: &formats::Format,
        grammar: &CompiledMetadata,
    ) -> Result<()> {
        let stem = path
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default();
        let mut lint = ItemLint::new(Some(grammar)).named(path.display().to_string());
        for (line, item) in formats::items(path, format, &stem)? {
            match item {
                Ok(item) => lint.check(&item, line),
                Err(problem) => lint.refused(&problem, line),
            }
            self.questions += 1;
        }
        self.found.extend(lint.finish());
        self.files += 1;
        Ok(())
    }

    /// The findings by file, with a summary line.
    fn text(&self) -> String {
        let mut out = String::new();
        let mut before: Option<&str> = None;
        for finding in &self.found {
            if before.is_some_and(|file| file != finding.file) {
                out.push('\n');
            }
            before = Some(&finding.file);
            out.push_str(&format!("{}\n", clean::line(&finding.to_string())));
            if !finding.help.is_empty() {
                out.push_str(&format!("  help: {}\n", clean::line(&finding.help)));
            }
        }
        let mut checked = Vec::new();
        if self.files > 0 {
            checked.push(count(self.files, "file"));
        }
        if self.questions > 0 {
            checked.push(count(self.questions, "question"));
        }
        let checked = if checked.is_empty() {
            "0 files".into()
        } else {
            checked.join(", ")
        };
        if self.found.is_empty() {
            return format!("no findings in {checked}\n");
        }
        let (errors, warnings) = (
            self.of(Severity::Error) as u64,
            self.of(Severity::Warning) as u64,
        );
        out.push_str(&format!(
            "\n{} and {} in {checked}\n",
            count(errors, "error"),
            count(warnings, "warning")
        ));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in shipped() {
            write(
                dir.path(),
                &file.name,
                file.text
                    .replace("\nimage\n", "\n")
                    .replace("\ntext\n", "\n"),
            );
        }
        let words = dir.path().join("vocabularies/text.txt");
        let text = std::fs::read_to_string(&words)
            .unwrap()
            .replace("\nthe\n", "\n")
            .replace("\nwhat\n", "\n");
        std::fs::write(words, text).unwrap();
        dir
    }

    fn write(dir: &Path, name: &str, text: impl AsRef<[u8]>) {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn look(path: &Path) -> LintRun {
        let mut lint_run = LintRun::default();
        lint_run
            .path(
                path,
                &CompiledMetadata::compile(&Metadata::parse(shipped())).0,
            )
            .unwrap();
        lint_run
    }

    #[test]
    fn checks_metadata_folders_and_files() {
        let dir = folder();
        let root = dir.path();
        let sound = look(root);
        assert_eq!(
            (sound.text().as_str(), sound.files),
            ("no findings in 44 files\n", 44)
        );
        let animals = root.join("vocabularies/animal.txt");
        let text = std::fs::read_to_string(&animals).unwrap();
        std::fs::write(&animals, format!("{text}crane\nowl\n")).unwrap();
        write(root, "vocabularies/food.txt", b"pie\nsoup\nb\xE4r\n");
        let judging = root.join("judge/vlb-l2-rephrase.toml");
        let text = std::fs::read_to_string(&judging).unwrap();
        std::fs::write(&judging, text.replace("{question}", "{qestion}")).unwrap();
        let in_judging = look(&judging).text();
        assert!(
            in_judging.contains("vlb-l2-rephrase.toml:9:15: error [unknown-slot]"),
            "{in_judging}"
        );
        let found = look(root);
        let text = found.text();
        let place = format!("{}:71: warning [homonym] `crane`", animals.display());
        assert!(
            text.contains(&place) && text.contains("\n  help: "),
            "{text}"
        );
        assert!(
            text.contains("food.txt:3: error [unreadable]") && text.contains("0xE4"),
            "{text}"
        );
        assert!(
            text.ends_with(" in 44 files\n") && found.of(Severity::Error) > 1,
            "{text}"
        );
        let one = look(&animals);
        let rules: Vec<_> = one.found.iter().map(|f| (f.rule, f.line)).collect();
        assert_eq!(rules, [(Rule::Homonym, 71), (Rule::DuplicateTerm, 72)]);
        // Outside of a metadata folder, a vocabulary is checked alone.
        write(root, "elsewhere/animal.txt", "crane\nowl\n");
        assert_eq!(look(&root.join("elsewhere/animal.txt")).found.len(), 1);
        write(root, "large.txt", vec![b'x'; (8 << 20) + 1]);
        assert_eq!(
            look(&root.join("large.txt")).found[0].rule,
            Rule::Unreadable
        );
    }

    #[test]
    fn finds_the_mistakes_of_the_released_generator() {
        let dir = tempfile::tempdir().unwrap();
        let hint = "Hint: e.g., (A), (B), (C), (D), at the end.";
        let prompt = "1 orange color owl, on the lawn, art nouveau style, elegant";
        let record = |id: u32,
                      question: &str,
                      kind: &str,
                      options: &[&str],
                      answer: &str,
                      about: &str| {
            json!({
                "id": id, "images": ["images/1.png"], "prompt": prompt, "question": question, "answer": answer,
                "instruction": format!("Question: {question}\n{hint}"), "question_type": kind, "options": options,
                "task": "recognition", "question_majority": about,
            })
        };
        let records = json!([
            record(
                1,
                "What is the style?",
                "multi choice",
                &["cubist", "cubist", "collage", "ink"],
                "ink",
                "style"
            ),
            record(
                2,
                "Is the picture art nouveau style?",
                "true or false",
                &["True", "False"],
                "False",
                "style"
            ),
            record(
                3,
                "",
                "multi choice",
                &["where", "aim", "prism", "lurk"],
                "aim",
                "text"
            ),
        ]);
        write(
            dir.path(),
            "set.json",
            serde_json::to_string_pretty(&records).unwrap(),
        );
        let lint_run = look(&dir.path().join("set.json"));
        let rules: Vec<_> = lint_run.found.iter().map(|f| f.rule).collect();
        assert_eq!(
            rules,
            [
                Rule::DuplicateOption,
                Rule::WrongLabel,
                Rule::WrongLetters,
                Rule::EmptyQuestion
            ]
        );
        assert!(
            lint_run.found.windows(2).all(|w| w[0].line <= w[1].line)
                && lint_run.found[0].line == 2
        );
        assert!(
            lint_run
                .text()
                .ends_with("\n3 errors and 1 warning in 1 file, 3 questions\n"),
            "{}",
            lint_run.text()
        );
        let object = object(&lint_run.found[1]);
        assert_eq!(
            (&object["severity"], &object["rule"]),
            (&json!("error"), &json!("wrong-label"))
        );
        assert_eq!(object["term"], "set/2");
        assert_eq!(look(dir.path()).questions, 3);
    }

    #[test]
    fn refuses_files_without_metadata_or_questions() {
        let dir = tempfile::tempdir().unwrap();
        let look = |path: &Path| {
            LintRun::default()
                .path(path, &CompiledMetadata::default())
                .unwrap_err()
        };
        assert_eq!(look(dir.path()).kind, ErrorKind::Input);
        assert_eq!(look(&dir.path().join("no.json")).kind, ErrorKind::NotFound);
        write(
            dir.path(),
            "answers.jsonl",
            "{\"question_id\": 1, \"output\": \"q\"}\n",
        );
        assert_eq!(
            look(&dir.path().join("answers.jsonl")).kind,
            ErrorKind::Input
        );
    }

    #[test]
    fn published_questions_have_no_contradictions() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        for name in ["dysca-figures", "mvp-bench"] {
            let path = data.join(name);
            if !path.is_dir() {
                crate::out::tell(format_args!("skipped: no folder {}", path.display()));
                continue;
            }
            let lint_run = look(&path);
            assert!(lint_run.questions > 0);
            crate::out::tell(format_args!("{}", lint_run.text()));
            let wrong = |f: &&Finding| matches!(f.rule, Rule::WrongLabel | Rule::Unanswerable);
            assert_eq!(lint_run.found.iter().filter(wrong).count(), 0);
        }
    }
}
