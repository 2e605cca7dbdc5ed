//! Imports Dysca's released metadata: text files with CRLF and stray blanks, `Styles.json` with
//! `{}` slots, and `ocr_text.json`. Everything that is not imported verbatim is reported as a
//! repair with file and line.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::vocabulary::{Vocabulary, fold, invalid_reason};
use super::{Metadata, file_of, styles, templates};
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, MetaFile, Result};

/// Dysca's file names and the vocabularies that they become.
const NAMES: [(&str, &str); 18] = [
    ("Actions.txt", "action"),
    ("Animal.txt", "animal"),
    ("Anime.txt", "anime"),
    ("Background.txt", "background"),
    ("Celebrity.txt", "celebrity"),
    ("Clothes.txt", "clothes"),
    ("Color.txt", "color"),
    ("Food.txt", "food"),
    ("Landmarks.txt", "landmark"),
    ("Movie.txt", "movie"),
    ("Object.txt", "object"),
    ("People/Age.txt", "age"),
    ("People/Expression.txt", "expression"),
    ("People/Gender.txt", "gender"),
    ("People/Race.txt", "race"),
    ("Plant.txt", "plant"),
    ("TV shows.txt", "tv-show"),
    ("profession.txt", "profession"),
];
const STYLES: &str = "Styles.json";
const OCR: &str = "ocr_text.json";

/// Something that was not imported verbatim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// The file, by its name in the folder.
    pub file: String,
    /// Line, from 1; 0 for the whole file.
    pub line: u32,
    /// Description of the repair.
    #[serde(rename = "what")]
    pub description: String,
    /// The term or text concerned; may be empty.
    pub text: String,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Files for the metadata folder.
    pub files: Vec<MetaFile>,
    /// All repairs, in the order of files and lines.
    pub repairs: Vec<Repair>,
}

/// Imports Dysca's files, given by their `/`-separated paths in its folder. `ours` supplies the
/// header comments of the vocabularies, and the templates that receive the prompts of
/// `ocr_text.json`.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] with file and line for invalid JSON, and if no file is
/// known. Invalid lines of text files are skipped and reported.
pub fn import(files: &[(String, Vec<u8>)], ours: &Metadata) -> Result<Imported> {
    let mut reader = Reader {
        ours,
        file: "",
        done: Imported::default(),
        taken: BTreeMap::new(),
    };
    for (name, bytes) in files {
        reader.file = name;
        match name.as_str() {
            STYLES => reader.styles(bytes)?,
            OCR => reader.ocr(bytes)?,
            _ if name.ends_with(".txt") => reader.vocabulary(bytes),
            _ => reader.say(0, "left out: not a Dysca metadata file", ""),
        }
    }
    if reader.done.files.is_empty() {
        return Err(Error::input("no Dysca metadata found").help(
            "give the folder that contains Styles.json, Animal.txt, People/Age.txt, and so on",
        ));
    }
    sort_by(&mut reader.done.files, |a, b| a.name.cmp(&b.name));
    Ok(reader.done)
}

struct Reader<'m> {
    ours: &'m Metadata,
    /// The file that is read.
    file: &'m str,
    done: Imported,
    /// The file that each vocabulary was read from.
    taken: BTreeMap<String, String>,
}

impl Reader<'_> {
    fn say(&mut self, line: u32, what: impl Into<String>, text: &str) {
        let text = text.chars().take(80).collect();
        self.done.repairs.push(Repair {
            file: self.file.into(),
            line,
            description: what.into(),
            text,
        });
    }

    /// The name of the vocabulary in a file.
    fn name_of(&mut self) -> Option<String> {
        let file = self.file;
        let known = NAMES
            .iter()
            .find(|(theirs, _)| *theirs == file)
            .map(|(_, ours)| (*ours).to_string());
        let stem = file.trim_end_matches(".txt");
        let name = match known {
            Some(name) => name,
            None => {
                let last = stem
                    .rsplit('/')
                    .next()
                    .unwrap_or(stem)
                    .trim()
                    .to_lowercase();
                let slug: String = last
                    .chars()
                    .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                    .collect();
                slug.split('-')
                    .filter(|p| !p.is_empty())
                    .collect::<Vec<_>>()
                    .join("-")
            }
        };
        if name.is_empty() {
            self.say(
                0,
                "left out: its name has no letters or digits for a slot name",
                "",
            );
            return None;
        }
        if let Some(other) = self.taken.get(&name).cloned() {
            self.say(
                0,
                format!("left out: {other} was already read as `{name}`"),
                "",
            );
            return None;
        }
        if name != stem {
            self.say(
                0,
                format!("renamed to `{name}`: slot names are lowercase letters, digits, and `-`"),
                "",
            );
        }
        self.taken.insert(name.clone(), file.to_string());
        Some(name)
    }

    fn vocabulary(&mut self, bytes: &[u8]) {
        let file = self.file;
        let Some(name) = self.name_of() else {
            return;
        };
        let mut terms: Vec<(u32, String)> = Vec::new();
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
        if lines.last().is_some_and(|l| l.is_empty()) {
            lines.pop();
        }
        for (raw, line) in lines.into_iter().zip(1..) {
            let Ok(text) = std::str::from_utf8(raw) else {
                self.say(line, "left out: not UTF-8", &String::from_utf8_lossy(raw));
                continue;
            };
            let bare = text.trim_start_matches('\u{feff}');
            if bare.len() < text.len() {
                self.say(line, "byte order mark removed", "");
            }
            let text = bare.trim_end_matches('\r');
            if text.len() < bare.len() {
                self.say(line, "carriage return removed", text.trim());
            }
            let term = text.trim();
            if term.is_empty() {
                self.say(line, "blank line left out", "");
                continue;
            }
            if term.len() < text.len() {
                self.say(line, "leading or trailing blanks removed", term);
            }
            if let Some(what) = invalid_reason(term) {
                self.say(
                    line,
                    format!("left out: {what}"),
                    &term.escape_debug().to_string(),
                );
                continue;
            }
            if !self.is_repeated(&seen, line, "", term) {
                seen.insert(fold(term), line);
                terms.push((line, term.to_string()));
            }
        }
        self.without_noun(&name, &mut terms);
        let terms: String = terms.into_iter().map(|(_, t)| t + "\n").collect();
        let text = format!(
            "{}# Terms read from {file} of Dysca's released metadata.\n{terms}",
            self.head(&name)
        );
        self.done.files.push(MetaFile {
            name: file_of(&name),
            text,
        });
    }

    /// Removes the vocabulary's own name from its terms ("red color") if all of them end in it,
    /// because the templates add it.
    fn without_noun(&mut self, name: &str, terms: &mut [(u32, String)]) {
        let bare = |term: &str| {
            term.strip_suffix(name)?
                .strip_suffix(' ')
                .map(|t| t.trim_end().to_string())
        };
        let shorter: Option<Vec<String>> = terms
            .iter()
            .map(|(_, t)| bare(t).filter(|t| invalid_reason(t).is_none()))
            .collect();
        let Some(shorter) = shorter.filter(|s| s.len() > 1) else {
            return;
        };
        for ((line, term), short) in terms.iter_mut().zip(shorter) {
            self.say(
                *line,
                format!("trailing `{name}` removed: the templates contain it"),
                term,
            );
            *term = short;
        }
    }

    /// The header comments of our own file.
    fn head(&self, name: &str) -> String {
        let text = self.ours.text(&file_of(name)).unwrap_or_default();
        let first = Vocabulary::parse(name, "", text)
            .0
            .terms()
            .first()
            .map_or(usize::MAX, |t| t.line as usize - 1);
        let head = text
            .lines()
            .take(first)
            .filter(|l| l.starts_with('#') && !l.starts_with("# Terms read from "));
        head.map(|l| format!("{}\n", l.trim_end())).collect()
    }

    fn styles(&mut self, bytes: &[u8]) -> Result<()> {
        #[derive(Deserialize)]
        struct Style {
            name: String,
            prompt: String,
            #[serde(default)]
            negative_prompt: String,
        }
        let mut out =
            String::from("# Styles read from Styles.json of Dysca's released metadata.\n");
        let mut seen: HashMap<String, u32> = HashMap::new();
        for (line, style) in records::<Style>(self.file, bytes)? {
            let name = self.trimmed(line, &style.name);
            if let Some(what) = invalid_reason(&name) {
                self.say(
                    line,
                    format!("style left out: {what}"),
                    &name.escape_debug().to_string(),
                );
                continue;
            }
            if self.is_repeated(&seen, line, "style ", &name) {
                continue;
            }
            let prompt = self.trimmed(line, &style.prompt);
            let prompt = self.unslotted(line, &name, prompt);
            let negative = self.trimmed(line, &style.negative_prompt);
            let bad = |t: &str| t.contains(['{', '}']) || t.chars().any(char::is_control);
            if prompt.is_empty() || bad(&prompt) || bad(&negative) {
                self.say(
                    line,
                    "style left out: its wording is empty or contains slots or control characters",
                    &name,
                );
                continue;
            }
            seen.insert(fold(&name), line);
            out.push_str("\n[[style]]\n");
            for (key, text) in [
                ("name", &name),
                ("prompt", &prompt),
                ("negative", &negative),
            ] {
                out.push_str(&format!("{key} = {}\n", quoted(text)));
            }
        }
        self.done.files.push(MetaFile {
            name: styles::FILE.into(),
            text: out,
        });
        Ok(())
    }

    /// Whether the text of a `what` occurred before. A repeated one is left out.
    fn is_repeated(
        &mut self,
        seen: &HashMap<String, u32>,
        line: u32,
        what: &str,
        text: &str,
    ) -> bool {
        let first = seen.get(&fold(text));
        if let Some(first) = first {
            let what = format!("{what}left out: duplicate of line {first}");
            self.say(line, what, text);
        }
        first.is_some()
    }

    fn trimmed(&mut self, line: u32, text: &str) -> String {
        let short = text.trim();
        if short.len() < text.len() {
            self.say(line, "leading or trailing blanks removed", short);
        }
        short.to_string()
    }

    /// A wording without its `{}`, since styles follow the content here.
    fn unslotted(&mut self, line: u32, name: &str, prompt: String) -> String {
        if !prompt.contains("{}") && !prompt.contains("{prompt}") {
            return prompt;
        }
        self.say(line, "`{}` removed: styles follow the content", name);
        let bare = prompt.replace("{prompt}", "{}");
        // "style {}. elegant" becomes "style, elegant".
        let parts = bare
            .split("{}")
            .map(|p| p.trim_matches([' ', '.', ',', ':', ';']));
        parts
            .filter(|p| !p.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn ocr(&mut self, bytes: &[u8]) -> Result<()> {
        #[derive(Deserialize)]
        struct Ocr {
            template: String,
        }
        let mut prompts: Vec<String> = Vec::new();
        let mut seen: HashMap<String, u32> = HashMap::new();
        for (line, ocr) in records::<Ocr>(self.file, bytes)? {
            let text = self.trimmed(line, &ocr.template);
            if self.is_repeated(&seen, line, "template ", &text) {
                continue;
            }
            let bare = text.replacen("{}", "", 1);
            if bare == text || bare.contains(['{', '}']) || bare.chars().any(char::is_control) {
                self.say(
                    line,
                    "template left out: it must have exactly one `{}` and no other slot",
                    &text,
                );
                continue;
            }
            seen.insert(fold(&text), line);
            self.say(
                line,
                "`{}` replaced by `{text}`, and the style added at the end",
                &text,
            );
            prompts.push(text.replacen("{}", "{text}", 1) + ", {style}");
        }
        let ours = self.ours.text(templates::FILE).unwrap_or_default();
        let subject = self.ours.templates().subjects.get("text");
        let place =
            subject.and_then(|s| Some(s.prompts.first()?.span.start..s.prompts.last()?.span.end));
        match place {
            Some(place) if !prompts.is_empty() => {
                let lines: Vec<String> = prompts.iter().map(|p| quoted(p)).collect();
                let mut text = ours.to_string();
                text.replace_range(place, &lines.join(",\n  "));
                self.done.files.push(MetaFile {
                    name: templates::FILE.into(),
                    text,
                });
            }
            Some(_) => self.say(0, "left out: it has no usable template", ""),
            None => self.say(
                0,
                "left out: templates.toml has no subject `text` for its prompts",
                "",
            ),
        }
        Ok(())
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.into()).to_string()
}

/// The records of a JSON array, each with its first line.
fn records<'b, T: Deserialize<'b>>(file: &str, bytes: &'b [u8]) -> Result<Vec<(u32, T)>> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()]
            .iter()
            .filter(|b| **b == b'\n')
            .count() as u64
            + 1;
        Error::input("invalid UTF-8").file(file).line(line)
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let raw: Vec<&RawValue> = serde_json::from_str(text).map_err(|e| {
        Error::input(format!("not a JSON array: {e}"))
            .file(file)
            .line(e.line() as u64)
    })?;
    let (mut at, mut line) = (0, 1u32);
    let mut found = Vec::with_capacity(raw.len());
    for record in raw {
        // The records follow each other in the file.
        let start = at + text[at..].find(record.get()).unwrap_or_default();
        line += text[at..start].matches('\n').count() as u32;
        at = start;
        let value = serde_json::from_str(record.get()).map_err(|e| {
            let within = u64::try_from(e.line()).unwrap_or(1).saturating_sub(1);
            Error::input(e.to_string())
                .file(file)
                .line(u64::from(line) + within)
        })?;
        found.push((line, value));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::compiled_metadata::CompiledMetadata;
    use benchtop_model::ErrorKind;
    use benchtop_model::metafile::shipped;

    fn read(files: &[(&str, &[u8])]) -> Result<Imported> {
        let files: Vec<_> = files
            .iter()
            .map(|(n, b)| ((*n).to_string(), b.to_vec()))
            .collect();
        import(&files, &Metadata::parse(shipped()))
    }

    fn text<'i>(imported: &'i Imported, name: &str) -> &'i str {
        &imported.files.iter().find(|f| f.name == name).unwrap().text
    }

    #[test]
    fn vocabulary_repairs_have_lines() {
        let bytes = b"\xef\xbb\xbfOwl \r\n\r\ncat\nm\xfcller\nowl\na {slot}\n\tdog\nx\x07y\n";
        let done = read(&[
            ("Animal.txt", bytes),
            ("odd/My Things!.txt", b"a"),
            ("notes.md", b""),
        ])
        .unwrap();
        let said: Vec<_> = done
            .repairs
            .iter()
            .map(|r| (r.line, r.description.split(':').next().unwrap()))
            .collect();
        assert_eq!(
            said,
            [
                (0, "renamed to `animal`"),
                (1, "byte order mark removed"),
                (1, "carriage return removed"),
                (1, "leading or trailing blanks removed"),
                (2, "carriage return removed"),
                (2, "blank line left out"),
                (4, "left out"),
                (5, "left out"),
                (6, "left out"),
                (7, "leading or trailing blanks removed"),
                (8, "left out"),
                (0, "renamed to `my-things`"),
                (0, "left out"),
            ]
        );
        let animal = text(&done, "vocabularies/animal.txt");
        assert!(
            animal.starts_with("# ") && animal.ends_with("metadata.\nOwl\ncat\ndog\n"),
            "{animal}"
        );
        assert_eq!(
            text(&done, "vocabularies/my-things.txt").lines().last(),
            Some("a")
        );
        // The header is not duplicated by another import.
        let mut ours = Metadata::parse(shipped());
        done.files.iter().for_each(|f| ours.insert(f.clone()));
        let again = import(&[("Animal.txt".into(), bytes.to_vec())], &ours).unwrap();
        assert_eq!(text(&again, "vocabularies/animal.txt"), animal);
    }

    #[test]
    fn repeated_nouns_are_removed() {
        let done = read(&[
            ("Color.txt", b"red color\nblue color\n"),
            ("Plant.txt", b"plant\nice plant\n"),
        ])
        .unwrap();
        assert!(text(&done, "vocabularies/color.txt").ends_with("\nred\nblue\n"));
        assert!(text(&done, "vocabularies/plant.txt").ends_with("\nplant\nice plant\n"));
    }

    #[test]
    fn style_slots_and_duplicates_are_removed() {
        let json = br#"[
          {"name": "deco ", "prompt": "deco style {}. elegant, fine", "negative_prompt": "ugly"},
          {"name": "Deco", "prompt": "x {}"},
          {"name": "odd", "prompt": "{} {color}"},
          {"name": "plain", "prompt": "a \"plain\" one"}
        ]"#;
        let done = read(&[("Styles.json", json)]).unwrap();
        let (styles, found) = styles::parse(text(&done, styles::FILE));
        assert!(found.is_empty(), "{found:?}");
        let styles: Vec<_> = styles
            .iter()
            .map(|s| (s.name.as_str(), s.prompt.as_str()))
            .collect();
        assert_eq!(
            styles,
            [
                ("deco", "deco style, elegant, fine"),
                ("plain", "a \"plain\" one")
            ]
        );
        let lines: Vec<_> = done.repairs.iter().map(|r| r.line).collect();
        assert_eq!(lines, [2, 2, 3, 4, 4]);
    }

    #[test]
    fn invalid_json_is_located() {
        let problem = read(&[("Styles.json", b"[\n{\"name\": \"a\"},\n{}]")]).unwrap_err();
        assert_eq!(
            (problem.kind, problem.place.line),
            (ErrorKind::Input, Some(2))
        );
        assert_eq!(
            read(&[("Styles.json", b"[\n\n{]")]).unwrap_err().place.line,
            Some(3)
        );
        assert_eq!(
            read(&[("ocr_text.json", b"[\n\"\xff\"]")])
                .unwrap_err()
                .place
                .line,
            Some(2)
        );
        assert!(
            read(&[("notes.md", b"")])
                .unwrap_err()
                .help
                .unwrap()
                .contains("Styles.json")
        );
    }

    #[test]
    fn released_folder_can_be_composed_from() {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/dysca-metadata");
        if !root.is_dir() {
            let notice = "skipped: the released metadata is not next to this checkout\n";
            let _ = std::io::Write::write_all(&mut std::io::stderr(), notice.as_bytes());
            return;
        }
        let mut files = Vec::new();
        for dir in ["", "People"] {
            for path in std::fs::read_dir(root.join(dir))
                .unwrap()
                .map(|e| e.unwrap().path())
                .filter(|p| p.is_file())
            {
                let name = path
                    .strip_prefix(&root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_string();
                files.push((name, std::fs::read(&path).unwrap()));
            }
        }
        files.sort();
        let mut metadata = Metadata::parse(shipped());
        // The shipped rules apply to the shipped terms.
        metadata.remove(crate::metadata::rules::FILE);
        let done = import(&files, &metadata).unwrap();
        assert_eq!(done.files.len(), 21);
        done.files.iter().for_each(|f| metadata.insert(f.clone()));
        assert_eq!(
            metadata.found().collect::<Vec<_>>(),
            [] as [&benchtop_model::Finding; 0]
        );
        let (compiled, found) = CompiledMetadata::compile(&metadata);
        assert_eq!(found, []);
        let size = |name: &str| compiled.lists[compiled.list(name).unwrap()].terms.len();
        assert_eq!(
            (
                size("color"),
                size("age"),
                size("gender"),
                size("race"),
                size("expression")
            ),
            (8, 4, 2, 5, 3)
        );
        assert!(
            size("text") > 4900 && size("style") > 40,
            "{} {}",
            size("text"),
            size("style")
        );
        assert_eq!(metadata.enabled("color")[0], "red");
        assert_eq!(
            compiled.subjects[compiled.subject("text").unwrap()]
                .prompts
                .len(),
            17
        );
        // Every term is in a vocabulary or among the repairs.
        for (name, bytes) in files.iter().filter(|(n, _)| n.ends_with(".txt")) {
            let lines = bytes
                .split(|b| *b == b'\n')
                .filter(|l| !l.is_empty())
                .count();
            let left_out = |r: &&Repair| r.file == *name && r.description.contains("left out");
            let out = done.repairs.iter().filter(left_out).count();
            let ours = NAMES
                .iter()
                .find(|(n, _)| n == name)
                .map_or(name.trim_end_matches(".txt"), |(_, o)| o);
            assert_eq!(size(ours) + out, lines, "{name}");
        }
    }
}
