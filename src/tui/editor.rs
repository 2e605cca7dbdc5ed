//! The person's own editor, on a file and a line of it.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

/// Used where neither `$VISUAL` nor `$EDITOR` names one: every system has it.
const FALLBACK: &str = "vi";

/// Runs the editor and waits for it. The terminal must be free.
///
/// # Errors
/// When it cannot be started, or ends with a failure.
pub fn run(file: &Path, line: u32) -> io::Result<()> {
    let named = |name| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    let editor = named("VISUAL")
        .or_else(|| named("EDITOR"))
        .unwrap_or_else(|| FALLBACK.into());
    // By way of the shell: the variable may hold arguments.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("exec {editor} \"$@\""))
        .arg("sh")
        .args(arguments(&editor, file, line))
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other(format!("`{editor}` ended with {status}")))
    }
}

/// How this editor is told the line.
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
    fn each_editor_is_told_the_line_in_its_own_way() {
        let of = |editor| arguments(editor, Path::new("/p/a.txt"), 7);
        assert_eq!(of("vim -u NONE"), ["+7", "/p/a.txt"]);
        assert_eq!(of("/usr/bin/hx"), ["/p/a.txt:7"]);
        assert_eq!(of("code"), ["--wait", "--goto", "/p/a.txt:7"]);
        assert_eq!(of("my-editor"), ["/p/a.txt"]);
    }
}
