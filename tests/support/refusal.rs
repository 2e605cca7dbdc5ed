//! How tests read the error of a command: its exit code, kind, and place. The words of the message are not compared.

use benchtop::model::{Error, ErrorKind};

use super::Output;

/// The error that ended a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: i32,
    /// Known for commands with `--json` only. The text form does not print it.
    pub kind: Option<ErrorKind>,
    /// Empty if the error names no file.
    pub file: String,
    /// 0 if the error names no line.
    pub line: u64,
    /// Empty if the error names no field.
    pub field: String,
    /// The message. Tests look here for data only: names, ids, numbers.
    pub text: String,
    pub help: String,
}

impl Refusal {
    /// Reads the last error that `output` has on standard error, in the JSON form or the text form.
    pub fn of(output: &Output) -> Refusal {
        let json = output.err.lines().rev().find_map(|line| {
            let mut value: serde_json::Value = serde_json::from_str(line).ok()?;
            serde_json::from_value::<Error>(value.get_mut("error")?.take()).ok()
        });
        match json {
            Some(error) => Refusal::from_error(output.code, &error),
            None => Refusal::parse(output.code, &output.err),
        }
    }

    /// An error that a library function returned.
    pub fn of_error(error: &Error) -> Refusal {
        Refusal::from_error(error.exit_code().into(), error)
    }

    fn from_error(code: i32, error: &Error) -> Refusal {
        let file = error.place.file.as_ref();
        Refusal {
            code,
            kind: Some(error.kind),
            file: file.map_or_else(String::new, |file| file.display().to_string()),
            line: error.place.line.unwrap_or_default(),
            field: error.place.field.clone().unwrap_or_default(),
            text: error.what.clone(),
            help: error.help.clone().unwrap_or_default(),
        }
    }

    /// Reads ``file:line: field `x`: text`` with an indented `help:` line after it; each part may be missing.
    pub fn parse(code: i32, err: &str) -> Refusal {
        let start = err
            .rfind("benchtop: ")
            .map_or(0, |at| at + "benchtop: ".len());
        let mut lines = err[start..].lines();
        let mut rest = lines.next().unwrap_or_default();
        let help = lines.find_map(|line| line.strip_prefix("  help: "));
        let mut refusal = Refusal {
            code,
            kind: None,
            file: String::new(),
            line: 0,
            field: String::new(),
            text: String::new(),
            help: help.unwrap_or_default().to_string(),
        };
        if let Some((place, after)) = rest.split_once(": ") {
            let (file, line) = match place.rsplit_once(':') {
                Some((file, line)) => (file, line.parse().ok()),
                None => (place, None),
            };
            if let Some(line) = place.strip_prefix("line ").and_then(|n| n.parse().ok()) {
                refusal.line = line;
                rest = after;
            } else if (line.is_some() && !file.contains('`'))
                || (is_path(file) && !place.contains(':'))
            {
                refusal.file = file.to_string();
                refusal.line = line.unwrap_or_default();
                rest = after;
            }
        }
        if let Some((field, after)) = rest
            .strip_prefix("field `")
            .and_then(|rest| rest.split_once("`: "))
        {
            refusal.field = field.to_string();
            rest = after;
        }
        refusal.text = rest.to_string();
        refusal
    }

    /// True if the error names a file whose path ends with `end`.
    pub fn is_in(&self, end: &str) -> bool {
        self.file.ends_with(end)
    }

    /// True if the error has this name, id, or number in its place, message, or help.
    pub fn names(&self, data: &str) -> bool {
        [&self.file, &self.field, &self.text, &self.help]
            .into_iter()
            .any(|part| part.contains(data))
    }

    /// File name, line, and field: the place without the folders.
    pub fn place(&self) -> (&str, u64, &str) {
        let name = self.file.rsplit('/').next().unwrap_or_default();
        (name, self.line, &self.field)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A message that begins with a word and a colon is no path.
fn is_path(text: &str) -> bool {
    !text.contains('`') && (text.contains('/') || (text.contains('.') && !text.contains(' ')))
}

#[test]
fn text_and_json_form_of_an_error_have_the_same_place() {
    let errors = [
        Error::input("`x` is no word")
            .file("a b/c.json")
            .line(3)
            .field("y"),
        Error::input("12: no").file("c.json").help("there are: p"),
        Error::input("unknown: `a.b`").line(7),
        Error::input("`model.a`: there is no such model"),
    ];
    for error in errors {
        let text = Output {
            code: 1,
            out: String::new(),
            err: format!("note: a\nbenchtop: {error}\n"),
        };
        let json = Output {
            code: 1,
            out: String::new(),
            err: format!("{}\n", serde_json::json!({"error": error})),
        };
        let (text, json) = (Refusal::of(&text), Refusal::of(&json));
        assert_eq!(json.kind, Some(ErrorKind::Input));
        assert_eq!(text, Refusal { kind: None, ..json });
    }
}
