//! The user's own editor, opened on a file at a line.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

/// Used if neither `$VISUAL` nor `$EDITOR` is set. Every system has it.
const FALLBACK: &str = "vi";

/// Runs the editor and waits for it. The terminal must be released first.
///
/// # Errors
///
/// If the editor cannot be started or exits with a failure.
pub fn run(file: &Path, line: u32) -> io::Result<()> {
    let named = |name| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    let editor = named("VISUAL")
        .or_else(|| named("EDITOR"))
        .unwrap_or_else(|| FALLBACK.into());
    // Run through the shell, since the variable may contain arguments.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("exec {editor} \"$@\""))
        .arg("sh")
        .args(arguments(&editor, file, line))
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other(format!("`{editor}` exited with {status}")))
    }
}

/// Command-line arguments that open `file` at `line` in this editor.
fn arguments(editor: &str, file: &Path, line: u32) -> Vec<OsString> {
    let program = editor.split_whitespace().next().unwrap_or_default();
    let name = Path::new(program)
        .file_name()
        .and_then(|n| n.to_str())
        .unwrap_or_default();
    let mut placed = file.as_os_str().to_os_string();
    placed.push(format!(":{line}"));
    match name {
        "hx" | "helix" => vec![placed],
        "code" | "codium" => vec!["--wait".into(), "--goto".into(), placed],
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "micro" | "kak" | "joe"
        | "mg" | "ne" => {
            vec![format!("+{line}").into(), file.into()]
        }
        _ => vec![file.into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_gets_its_own_line_argument() {
        let of = |editor| arguments(editor, Path::new("/p/a.txt"), 7);
        assert_eq!(of("vim -u NONE"), ["+7", "/p/a.txt"]);
        assert_eq!(of("/usr/bin/hx"), ["/p/a.txt:7"]);
        assert_eq!(of("code"), ["--wait", "--goto", "/p/a.txt:7"]);
        assert_eq!(of("my-editor"), ["/p/a.txt"]);
    }
}
