//! Detects terminals that need ASCII, because their character set is not UTF-8.

use super::Env;

/// Whether the environment names a character set other than UTF-8, as `LANG=C` does. If it names
/// none, as in many containers and services, UTF-8 is assumed.
pub fn is_ascii(env: &Env) -> bool {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env.get(name).filter(|v| !v.is_empty()));
    named.is_some_and(|locale| {
        let set = locale
            .split('@')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        !(set.ends_with("utf-8") || set.ends_with("utf8"))
    })
}

/// ASCII replacements of the characters that the program draws with.
const DRAWN: [(&str, char); 22] = [
    ("─━╌┄‒–—―−", '-'),
    ("│┃╎┆", '|'),
    ("╭╮╰╯┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋", '+'),
    ("▌▎▏▍▐›»→▸▶", '>'),
    ("‹«←◂", '<'),
    ("↑▴▲", '^'),
    ("↓▾▼", 'v'),
    ("✓±", '+'),
    ("✗×", 'x'),
    ("…", '~'),
    ("“”„", '"'),
    ("‘’′", '\''),
    ("·•∙", '.'),
    ("●◉■◆★", '*'),
    ("○□◇☆°", 'o'),
    ("█▉▊▋▇▆▓▀", '#'),
    ("▅▄▒", '='),
    ("▃▂▁░", '_'),
    ("≤", '<'),
    ("≥", '>'),
    ("≈∼", '~'),
    ("\u{a0}", ' '),
];

/// A cell's text in ASCII at the same width: drawing characters by similar ones, other characters
/// as `?`.
pub fn ascii(symbol: &str, columns: u16) -> String {
    let mut chars = symbol.chars();
    let one = match (chars.next(), chars.next()) {
        (Some(c), None) => DRAWN
            .iter()
            .find(|(drawn, _)| drawn.contains(c))
            .map(|(_, ascii)| *ascii),
        _ => None,
    };
    one.unwrap_or('?')
        .to_string()
        .repeat(usize::from(columns.max(1)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_first_set_variable_decides() {
        let ascii = |pairs: &[(&str, &str)]| {
            is_ascii(
                &pairs
                    .iter()
                    .map(|(k, v)| (k.to_string(), v.to_string()))
                    .collect(),
            )
        };
        assert!(!ascii(&[]));
        for (name, set) in [
            ("LANG", "C"),
            ("LC_ALL", "POSIX"),
            ("LC_CTYPE", "de_DE.ISO-8859-1"),
            ("LANG", "de_DE@euro"),
        ] {
            assert!(ascii(&[(name, set)]), "{name}={set}");
        }
        for set in ["C.UTF-8", "en_US.utf8", "de_DE.UTF-8@euro", "UTF-8"] {
            assert!(!ascii(&[("LANG", set)]), "{set}");
        }
        assert!(ascii(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]));
        assert!(!ascii(&[
            ("LC_ALL", ""),
            ("LC_CTYPE", "C.UTF-8"),
            ("LANG", "C")
        ]));
    }

    /// The non-ASCII characters in a source's string literals, without comments and tests.
    fn drawn(source: &str) -> Vec<char> {
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let code = source
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        code.flat_map(|line| line.split(" // ").next().unwrap_or_default().chars())
            .filter(|c| !c.is_ascii())
            .collect()
    }

    fn sources(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                sources(&path, found);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "locale.rs" {
                found.push(path);
            }
        }
    }

    #[test]
    fn all_drawing_characters_have_an_ascii_replacement() {
        let mut all = Vec::new();
        sources(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/tui"),
            &mut all,
        );
        let mut seen = 0;
        for path in all {
            for c in drawn(&std::fs::read_to_string(&path).unwrap()) {
                seen += 1;
                assert_ne!(
                    ascii(c.encode_utf8(&mut [0; 4]), 1),
                    "?",
                    "{}: {c} has no replacement",
                    path.display()
                );
            }
        }
        assert!(seen > 50, "only {seen} seen");
        assert_eq!(
            (ascii("é", 1), ascii("漢", 2), ascii("👩‍🚀", 2)),
            ("?".into(), "??".into(), "??".into())
        );
    }
}
