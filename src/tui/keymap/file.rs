//! The user's key file, `keys.toml`.
//!
//! ```toml
//! accept = "y"                  # names as in the palette and docs/keys.md; dashes may replace spaces
//! next = ["n", "right"]         # several keys; hints show the first
//! load-sample = []              # no key; the palette still lists it
//!
//! [macros]
//! wrong = { key = "W", verdict = "reject", reasons = ["wrong-answer"], note = "#key checked by hand" }
//! ```
//!
//! A file with any error changes no key.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::live::{self, NEEDED};
use super::macros::{Known, Macro, VERDICTS};
use super::{Chord, Keymap, Target};
use crate::action::{Action, OLD_NAMES, Scope};
use crate::terminal::Env;
use benchtop_files::bounded;
use benchtop_files::regular::SETTINGS_LIMIT;
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Error, ErrorKind, Verdict};

/// Environment variable with the path of another key file. If empty, the defaults are used.
pub const KEYS_VARIABLE: &str = "BENCHTOP_KEYS";

const MACROS: &str = "macros";

/// A keymap and the file it was read from.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub keymap: Keymap,
    /// `None` for the defaults.
    pub file: Option<PathBuf>,
    /// Warnings about keys that the terminal may intercept.
    pub notes: Vec<Error>,
}

/// Path of the key file: `$BENCHTOP_KEYS`, or `$XDG_CONFIG_HOME/benchtop/keys.toml`, or
/// `~/.config/benchtop/keys.toml`. As in the XDG Base Directory Specification, a relative
/// `$XDG_CONFIG_HOME` is ignored.
pub fn path(env: &Env) -> Option<PathBuf> {
    if let Some(named) = env.get(KEYS_VARIABLE) {
        return (!named.is_empty()).then(|| PathBuf::from(named));
    }
    Some(folder(env)?.join("keys.toml"))
}

/// The folder of the user's own settings, as opposed to a project's.
pub fn folder(env: &Env) -> Option<PathBuf> {
    let absolute = |name: &str| env.get(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let config = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(config.join("benchtop"))
}

/// Reads the user's key file, or the defaults if there is none.
///
/// # Errors
///
/// All errors in the file, in line order. A missing file is an error only if [`ELSEWHERE`] names
/// it.
pub fn load(env: &Env, known: Option<&Known<'_>>) -> Result<Loaded, Vec<Error>> {
    let defaults = || Keymap::defaults().map_err(|p| vec![p]);
    let Some(file) = path(env) else {
        return Ok(Loaded {
            keymap: defaults()?,
            file: None,
            notes: vec![],
        });
    };
    match bounded::text(&file, SETTINGS_LIMIT) {
        Ok(text) => {
            let (keymap, notes) = read(&text, &file, known)?;
            Ok(Loaded {
                keymap,
                file: Some(file),
                notes,
            })
        }
        Err(p) if p.kind == ErrorKind::NotFound && !env.contains_key(KEYS_VARIABLE) => Ok(Loaded {
            keymap: defaults()?,
            file: None,
            notes: vec![],
        }),
        Err(problem) => Err(vec![Error {
            what: format!("cannot read the key file: {}", problem.what),
            ..problem
        }]),
    }
}

/// Applies a key file to the default keys. `file` appears in errors. If `known` is given, macros
/// are checked against the project's reasons, and macros for other projects are left out. Returns
/// the keymap and warnings.
///
/// # Errors
///
/// All errors in line order: [`ErrorKind::Input`] and [`ErrorKind::Conflict`] with file, line, and
/// field.
pub fn read(
    text: &str,
    file: &Path,
    known: Option<&Known<'_>>,
) -> Result<(Keymap, Vec<Error>), Vec<Error>> {
    let document = DeTable::parse(text).map_err(|e| {
        let line = e.span().map_or(1, |s| line_at(text, s.start));
        vec![
            Error::input(format!("not valid TOML: {}", e.message()))
                .file(file)
                .line(line),
        ]
    })?;
    let mut reading = Reading {
        text,
        file,
        set: Vec::new(),
        macros: Vec::new(),
        problems: Vec::new(),
        notes: Vec::new(),
    };
    for (name, value) in document.get_ref() {
        match (name.get_ref().as_ref(), value.get_ref().as_table()) {
            (MACROS, Some(table)) => table
                .iter()
                .for_each(|(name, value)| reading.read_macro(name, value, known)),
            (MACROS, None) => {
                let help =
                    "write `[macros]`, then `wrong = { key = \"W\", verdict = \"reject\", ... }`";
                reading.refuse(value, MACROS, "must be a table of macros", help);
            }
            _ => reading.action(name, value),
        }
    }
    let built = reading.build();
    let Reading {
        mut problems,
        notes,
        ..
    } = reading;
    sort_by_key(&mut problems, |p| p.place.line);
    match built {
        Ok(keymap) if problems.is_empty() => Ok((keymap, notes)),
        Ok(_) => Err(problems),
        Err(problem) => {
            problems.push(problem);
            Err(problems)
        }
    }
}

/// The keys that the file assigns to an action.
struct Set {
    action: Action,
    line: u64,
    chords: Vec<Chord>,
}

struct Reading<'r> {
    text: &'r str,
    file: &'r Path,
    set: Vec<Set>,
    /// Each with its line.
    macros: Vec<(u64, Macro)>,
    problems: Vec<Error>,
    notes: Vec<Error>,
}

fn line_at(text: &str, byte: usize) -> u64 {
    1 + text.bytes().take(byte).filter(|b| *b == b'\n').count() as u64
}

/// Normalizes a name for comparison: dashes for spaces.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(' ', "-")
}

/// The action with this name, or this name in an earlier version.
pub fn action_named(name: &str) -> Option<Action> {
    Action::ALL
        .iter()
        .copied()
        .find(|a| plain(a.name()) == plain(name))
        .or_else(|| {
            let old = OLD_NAMES.iter().find(|(old, _)| plain(old) == plain(name));
            old.map(|(_, action)| *action)
        })
}

/// The name closest to an unknown one.
pub(super) fn nearest<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let near = |name: &&str| strsim::damerau_levenshtein(&plain(wrong), &plain(name));
    names
        .min_by_key(near)
        .filter(|name| near(name) <= 3.max(name.len() / 3))
}

impl Reading<'_> {
    fn problem<T>(&self, at: &Spanned<T>, field: &str, what: impl Into<String>) -> Error {
        Error::input(what)
            .file(self.file)
            .line(line_at(self.text, at.span().start))
            .field(field)
    }

    fn refuse<T>(
        &mut self,
        at: &Spanned<T>,
        field: &str,
        what: impl Into<String>,
        help: impl Into<String>,
    ) {
        let problem = self.problem(at, field, what).help(help);
        self.problems.push(problem);
    }

    /// `name = "key"` or `name = ["key", "key"]`.
    fn action(&mut self, name: &Spanned<std::borrow::Cow<'_, str>>, value: &Spanned<DeValue<'_>>) {
        let called = name.get_ref().as_ref();
        let Some(action) = action_named(called) else {
            let near = nearest(called, Action::ALL.iter().map(|a| a.name()));
            let near = near.map_or(String::new(), |n| format!("did you mean `{}`? ", plain(n)));
            let help = format!("{near}`benchtop keys` lists all actions");
            return self.refuse(name, called, "unknown action", help);
        };
        if let Some(before) = self.set.iter().find(|s| s.action == action) {
            let what = format!(
                "line {} already sets the keys of `{}`",
                before.line,
                action.name()
            );
            return self.refuse(name, called, what, "write all keys in one list");
        }
        let line = line_at(self.text, name.span().start);
        let Some(chords) = self.chords(called, value) else {
            // Its default keys no longer apply, so they do not conflict with others.
            return self.set.push(Set {
                action,
                line,
                chords: vec![],
            });
        };
        let before = self.problems.len();
        for (at, chord) in &chords {
            let quits = action == Action::Quit;
            let no = live::refusal(action.scope(), quits, action.undoable(), chord);
            match no {
                Some((what, help)) => self.refuse(at, called, what, help),
                None => self.warn(at, called, chord),
            }
        }
        if chords.is_empty() && NEEDED.contains(&action) {
            let what = "must keep a key: there is no other way to leave a text or menu";
            self.refuse(
                value,
                called,
                what,
                format!("keep {}", action.keys().join(" ")),
            );
        }
        let right = self.problems.len() == before;
        let mut chords: Vec<Chord> = chords
            .into_iter()
            .filter(|_| right)
            .map(|(_, chord)| chord)
            .collect();
        // ctrl-c always quits.
        let always = Chord::parse("ctrl-c")
            .ok()
            .filter(|c| action == Action::Quit && !chords.contains(c));
        chords.extend(always);
        self.set.push(Set {
            action,
            line,
            chords,
        });
    }

    fn warn<T>(&mut self, at: &Spanned<T>, field: &str, chord: &Chord) {
        if let Some(warning) = live::warning(chord) {
            let note = self.problem(at, field, format!("`{}`: {warning}", chord.label()));
            self.notes.push(note);
        }
    }

    /// Parses a key or a list of keys, each with its position. `None` if one is wrong; the error is
    /// recorded.
    fn chords<'v, 't>(
        &mut self,
        field: &str,
        value: &'v Spanned<DeValue<'t>>,
    ) -> Option<Vec<(&'v Spanned<DeValue<'t>>, Chord)>> {
        let values: Vec<&Spanned<DeValue<'t>>> = match value.get_ref() {
            DeValue::String(text) if text.trim().is_empty() => vec![],
            DeValue::String(_) => vec![value],
            DeValue::Array(list) => list.iter().collect(),
            _ => {
                let help = "write `\"a\"`, `[\"a\", \"b\"]`, or `[]` for no key";
                self.refuse(value, field, "must be a quoted key or a list of keys", help);
                return None;
            }
        };
        let mut out: Vec<(&Spanned<DeValue<'t>>, Chord)> = Vec::new();
        for value in values {
            let read = match value.get_ref() {
                DeValue::String(text) => Chord::parse(text),
                _ => Err(Error::input("must be a quoted key").help("write `\"a\"`")),
            };
            match read {
                Ok(chord) if out.iter().any(|(_, c)| *c == chord) => {
                    self.refuse(
                        value,
                        field,
                        format!("`{}` appears twice", chord.label()),
                        "remove one",
                    );
                    return None;
                }
                Ok(chord) => out.push((value, chord)),
                Err(problem) => {
                    self.refuse(value, field, problem.what, problem.help.unwrap_or_default());
                    return None;
                }
            }
        }
        Some(out)
    }

    /// `name = { key = "R", verdict = "reject", reasons = ["wrong-answer"], note = "..." }`.
    fn read_macro(
        &mut self,
        name: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        known: Option<&Known<'_>>,
    ) {
        let called = name.get_ref().trim().to_string();
        let field = format!("{MACROS}.{called}");
        let example = "write `{ key = \"W\", verdict = \"reject\", reasons = [\"wrong-answer\"] }`";
        let Some(table) = value.get_ref().as_table() else {
            return self.refuse(value, &field, "must be a macro", example);
        };
        if called.is_empty() || called.chars().any(char::is_control) {
            return self.refuse(name, &field, "a macro name must be a single line", example);
        }
        if action_named(&called).is_some() {
            return self.refuse(name, &field, "an action has this name", "rename the macro");
        }
        let before = self.problems.len();
        let (mut chord, mut verdict, mut reasons, mut note, mut project) =
            (None, None, Vec::new(), None, None);
        for (key, value) in table {
            let field = format!("{field}.{}", key.get_ref());
            match key.get_ref().as_ref() {
                "key" => {
                    let chords = self.chords(&field, value).unwrap_or_default();
                    if chords.len() > 1 {
                        self.refuse(value, &field, "must be one key", "write `key = \"W\"`");
                    }
                    chord = chords.into_iter().next();
                }
                "verdict" => {
                    let said = value.get_ref().as_str().unwrap_or_default();
                    verdict = Verdict::from_name(said).filter(|v| VERDICTS.contains(v));
                    if verdict.is_none() {
                        let names = VERDICTS.map(Verdict::name).join(", ");
                        self.refuse(
                            value,
                            &field,
                            "not a verdict that a macro can give",
                            format!("one of: {names}"),
                        );
                    }
                }
                "reasons" => reasons = self.reasons(&field, value),
                "note" | "project" => {
                    let said = value.get_ref().as_str().map(str::trim);
                    let said = said.filter(|s| !s.is_empty() && !s.chars().any(char::is_control));
                    if said.is_none() {
                        self.refuse(
                            value,
                            &field,
                            "must be a single line of text",
                            "remove the field to leave it empty",
                        );
                    }
                    let slot = if key.get_ref() == "note" {
                        &mut note
                    } else {
                        &mut project
                    };
                    *slot = said.map(str::to_string);
                }
                other => {
                    let what = format!("unknown field `{other}`");
                    self.refuse(
                        key,
                        &field,
                        what,
                        "known fields: key, verdict, reasons, note, project",
                    );
                }
            }
        }
        if self.problems.len() > before {
            return;
        }
        let Some((at, chord)) = chord else {
            return self.refuse(name, &field, "missing field `key`", example);
        };
        let Some(verdict) = verdict else {
            return self.refuse(name, &field, "missing field `verdict`", example);
        };
        if let Some((what, help)) = live::refusal(Scope::Review, false, true, &chord) {
            return self.refuse(at, &format!("{field}.key"), what, help);
        }
        self.warn(at, &format!("{field}.key"), &chord);
        let made = Macro {
            name: called,
            chord,
            verdict,
            reasons,
            note,
            project,
        };
        if let Some((what, help)) = made.wrong(known) {
            return self.refuse(name, &format!("{field}.reasons"), what, help);
        }
        if known.is_none_or(|k| made.is_for(k.project)) {
            self.macros
                .push((line_at(self.text, name.span().start), made));
        }
    }

    fn reasons(&mut self, field: &str, value: &Spanned<DeValue<'_>>) -> Vec<String> {
        let list = value.get_ref().as_array();
        let texts = list.map(|l| {
            l.iter()
                .map(|v| v.get_ref().as_str().map(str::to_string))
                .collect::<Option<Vec<_>>>()
        });
        match texts.flatten() {
            Some(texts) => texts,
            None => {
                self.refuse(
                    value,
                    field,
                    "must be a list of reason keys",
                    "write `[\"wrong-answer\"]`",
                );
                Vec::new()
            }
        }
    }

    /// Builds the keymap: the defaults, the changes of the file, and the macros.
    fn build(&mut self) -> Result<Keymap, Error> {
        let defaults = Keymap::defaults()?;
        let meant = defaults.hidden();
        let mut keymap = Keymap {
            macros: self.macros.iter().map(|(_, m)| m.clone()).collect(),
            ..Keymap::default()
        };
        let mut wrong = Vec::new();
        // Bind unchanged actions first, so that a conflict is reported at the line that causes it.
        let set: Vec<Action> = self.set.iter().map(|s| s.action).collect();
        for action in Action::ALL.iter().filter(|a| !set.contains(a)) {
            for key in action.keys() {
                keymap.bind(action.scope(), Target::Action(*action), Chord::parse(key)?)?;
            }
        }
        for Set {
            action,
            line,
            chords,
        } in &self.set
        {
            for chord in chords {
                if let Err(problem) =
                    keymap.bind(action.scope(), Target::Action(*action), chord.clone())
                {
                    wrong.push(problem.line(*line).field(plain(action.name())));
                }
            }
        }
        for (at, (line, made)) in self.macros.iter().enumerate() {
            if let Err(problem) = keymap.bind(Scope::Review, Target::Macro(at), made.chord.clone())
            {
                wrong.push(
                    problem
                        .line(*line)
                        .field(format!("{MACROS}.{}.key", made.name)),
                );
            }
        }
        for hidden in keymap.hidden() {
            let pair = (hidden.near.0, hidden.far.0);
            if meant.iter().any(|m| (m.near.0, m.far.0) == pair) {
                continue;
            }
            let place = |target| self.place(target);
            let Some((line, field)) = place(pair.0).into_iter().chain(place(pair.1)).max() else {
                continue;
            };
            let (near, far) = (keymap.name(pair.0), keymap.name(pair.1));
            let (key, label) = (hidden.near.1.label(), hidden.far.1.label());
            let what =
                format!("`{key}` of `{near}` hides `{label}` of `{far}`: both are live at once");
            wrong.push(
                Error::new(ErrorKind::Conflict, what)
                    .line(line)
                    .field(field),
            );
        }
        let help = "use another key, or change the other key too; `benchtop keys` lists all keys";
        let wrong = wrong.into_iter().map(|p| {
            Error {
                help: p.help.clone().or(Some(help.into())),
                ..p
            }
            .file(self.file)
        });
        self.problems.extend(wrong);
        Ok(keymap)
    }

    /// Line and field that set a target, if the file does.
    fn place(&self, target: Target) -> Option<(u64, String)> {
        match target {
            Target::Action(action) => self
                .set
                .iter()
                .find(|s| s.action == action)
                .map(|s| (s.line, plain(action.name()))),
            Target::Macro(at) => self
                .macros
                .get(at)
                .map(|(line, m)| (*line, format!("{MACROS}.{}.key", m.name))),
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
