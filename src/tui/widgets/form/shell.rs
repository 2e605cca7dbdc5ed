//! Command lines as a shell reads them, and paths as people write or drop them.

use std::path::{Path, PathBuf};

/// Words as one line that a POSIX shell splits into the same words.
pub fn line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A path as people write or drop it: in quotes, with escaped spaces, as a `file://` address, or
/// from the home folder.
pub fn path(text: &str) -> PathBuf {
    let text = text.trim();
    let unquoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let text = match unquoted {
        Some(unquoted) => unquoted.to_string(),
        None => text.replace("\\ ", " "),
    };
    let text = match text.strip_prefix("file://") {
        Some(address) => decoded(address),
        None => text,
    };
    let home = std::env::home_dir;
    match (text.as_str(), text.strip_prefix("~/")) {
        ("~", _) => home().unwrap_or_else(|| PathBuf::from(text)),
        (_, Some(rest)) => home().map_or_else(|| PathBuf::from(&text), |home| home.join(rest)),
        _ => PathBuf::from(text),
    }
}

/// Replaces `%20` and the like.
fn decoded(address: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = address.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let hex = more.get(..2).filter(|_| *first == b'%');
        let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &more[2..] } else { more };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A path that starts from `folder`, without `.` and, where that is safe, `..`.
pub fn absolute(folder: &Path, path: &Path) -> PathBuf {
    let path = folder.join(path);
    std::path::absolute(&path).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_same_words() {
        let hostile = [
            "benchtop",
            "",
            "a b",
            "it's",
            "$(reboot)",
            "`x`",
            "\"",
            "\\",
            "a\nb",
            "*",
            "~",
            "é",
            "-x",
        ];
        let words = hostile.map(String::from);
        let script = format!("printf '%s\\0' {}", line(&words));
        let read = std::process::Command::new("sh")
            .args(["-c", &script])
            .output();
        let read = String::from_utf8(read.unwrap().stdout).unwrap();
        let read: Vec<&str> = read.split_terminator('\0').collect();
        assert_eq!(read, hostile);
        let plain = ["benchtop", "--filter", "status:accepted"].map(String::from);
        assert_eq!(line(&plain), "benchtop --filter status:accepted");
    }

    #[test]
    fn paths_are_read_as_people_write_them() {
        for (text, read) in [
            ("'/data/my set.json'", "/data/my set.json"),
            ("\"/data/my set.json\"\n", "/data/my set.json"),
            ("/data/my\\ set.json", "/data/my set.json"),
            ("file:///data/my%20set.json", "/data/my set.json"),
            ("file:///data/100%", "/data/100%"),
            (" set.json ", "set.json"),
        ] {
            assert_eq!(path(text), Path::new(read), "{text}");
        }
        let home = std::env::home_dir().unwrap();
        assert_eq!(path("~/set.json"), home.join("set.json"));
        assert_eq!(path("~"), home);
        let here = Path::new("/here");
        assert_eq!(absolute(here, Path::new("a/./b")), Path::new("/here/a/b"));
        assert_eq!(absolute(here, Path::new("/b")), Path::new("/b"));
    }
}
