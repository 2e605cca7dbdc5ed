//! An error about something that is missing, such as the files of a model, as one line: what is
//! missing and its remedy, without paths and addresses.

use crate::Error;

/// Errors up to this length are one line already.
const SHORT: usize = 90;

/// What is wrong and the first remedy, on one line.
pub fn of(problem: &Error) -> String {
    join(&problem.what, problem.help.as_deref().unwrap_or_default())
}

/// As [`of`], for an error that was stored or sent as text: its message, and its help after `help:`
/// or a semicolon.
pub fn of_text(text: &str) -> String {
    let (what, help) = text
        .split_once("help: ")
        .or_else(|| text.split_once("; "))
        .unwrap_or((text, ""));
    join(what.trim_end_matches([' ', '\n', ';', '·']), help)
}

/// Whether [`of_text`] leaves something out, so that the whole text is worth a page.
pub fn shortens(text: &str) -> bool {
    text.contains('\n') || text.chars().count() > SHORT
}

fn join(what: &str, help: &str) -> String {
    let help = help.trim();
    let is_short = what.chars().count() + help.chars().count() < SHORT && !help.contains('\n');
    let (what, help) = match is_short {
        true => (what, help),
        false => (without_place(what), remedy(help)),
    };
    match help {
        "" => what.to_string(),
        help if help.starts_with("benchtop ") => format!("{what}: {help}"),
        help => format!("{what}; {help}"),
    }
}

/// The message without the file before it and the details in parentheses after it.
fn without_place(what: &str) -> &str {
    let what = match what.split_once(": ") {
        Some((file, rest)) if file.starts_with('/') => rest,
        _ => what,
    };
    match (what.ends_with(')'), what.rfind(" (")) {
        (true, Some(at)) => &what[..at],
        _ => what,
    }
}

/// The command of a help text that begins with one, or else its first alternative.
fn remedy(help: &str) -> &str {
    let command = help
        .strip_prefix("run `")
        .and_then(|rest| rest.split_once('`'))
        .filter(|(command, rest)| command.starts_with("benchtop ") && !rest.starts_with(", then"));
    if let Some((command, _)) = command {
        return command;
    }
    let ends = ["\n", "; ", ", or ", ": the ", " ("];
    let end = ends.iter().filter_map(|end| help.find(end)).min();
    let first = help[..end.unwrap_or(help.len())].trim_end_matches(':');
    // Of a list of alternatives, the first is enough.
    match first.split_once(": ") {
        Some((intro, list)) if list.contains(", ") && !list.contains('"') => {
            let length = list.find(", ").unwrap_or(list.len());
            &first[..intro.len() + 2 + length]
        }
        _ => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn told(what: &str, help: &str) -> (String, String) {
        let problem = Error::new(ErrorKind::NotFound, what).help(help);
        (of(&problem), of_text(&problem.to_string()))
    }

    #[test]
    fn a_missing_model_is_one_line_with_the_command_that_adds_it() {
        let help = "run `benchtop models pull sdxl`, or download these files by hand (from https://hub/x):\n\
                    /home/ann/.cache/a.safetensors, 5135149760 bytes, sha256 31e3\n/home/ann/.cache/b";
        let line = "the model `sdxl` is not on this machine: benchtop models pull sdxl";
        let both = told("the model `sdxl` is not on this machine", help);
        assert_eq!(both, (line.into(), line.into()));
        let text = Error::new(ErrorKind::NotFound, "no weights").help(help);
        assert!(shortens(&text.to_string()) && !shortens(line));
    }

    #[test]
    fn other_missing_things_keep_their_first_remedy() {
        let cases = [
            (
                "Tesseract is not installed",
                "install it: apt-get install tesseract-ocr, dnf install tesseract, or brew install tesseract",
                "Tesseract is not installed; install it: apt-get install tesseract-ocr",
            ),
            (
                "the environment variable KEY with the key for http://x is not set in the owner process (pid 7)",
                "run `benchtop stop`, then `export KEY=...`, and start benchtop again: the owner reads it then",
                "the environment variable KEY with the key for http://x is not set in the owner process; run `benchtop \
                 stop`, then `export KEY=...`, and start benchtop again",
            ),
            (
                "no judge is configured",
                "add [judge] with a model and endpoints to benchtop.toml, such as endpoints = [{ url = \"http://x/v1\" }]",
                "no judge is configured; add [judge] with a model and endpoints to benchtop.toml, such as endpoints = \
                 [{ url = \"http://x/v1\" }]",
            ),
            ("no model", "name one", "no model; name one"),
        ];
        for (what, help, line) in cases {
            assert_eq!(told(what, help), (line.into(), line.into()));
        }
        assert_eq!(of_text("a broken store"), "a broken store");
        let file = format!(
            "/a/folder/{}: the GPU worker is not installed\n  help: build it; or not",
            "x".repeat(90)
        );
        assert_eq!(of_text(&file), "the GPU worker is not installed; build it");
    }
}
