//! `benchtop vocab diff`: compares the metadata with another set, and counts the affected items.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use super::parsed::parsed;
use crate::context::Context;
use crate::out;
use benchtop_compose::metadata::Metadata;
use benchtop_compose::metadata::diff::{Diff, PartChanges, TermChanges, diff, files};
use benchtop_model::metafile::shipped;
use benchtop_model::usage::Impact;
use benchtop_model::{Error, ErrorKind, MetaFile, Result, clean, metafile};
use benchtop_protocol::wire::request;
use benchtop_store::metadata;

pub fn run(context: &Context, against: Option<&str>, json: bool) -> Result<u8> {
    let dir = context.project()?.metadata();
    let (name, old) = match against {
        None => ("the shipped set".to_string(), Metadata::parse(shipped())),
        Some(other) if Path::new(other).is_dir() => {
            let state = metadata::read(Path::new(other))?;
            if state.shipped {
                return Err(Error::not_found("the folder has no metadata files").file(other));
            }
            (other.to_string(), parsed(&state))
        }
        Some(revision) => (revision.to_string(), of_git(&dir, revision)?),
    };
    let new = parsed(&metadata::read(&dir)?);
    let found = diff(&old, &new);
    let (removed, added) = files(&old, &new);
    let impact = match context.client()?.ask(request::Impact(Vec::new())) {
        // If the files have errors, the items cannot be counted, but the difference can be shown.
        Err(problem) if problem.kind != ErrorKind::Input => return Err(problem),
        impact => impact,
    };
    let items = impact.as_ref().map(|impact| {
        json!({
            "composed": impact.composed, "stale": impact.stale.all(), "gone": impact.gone.all(),
            "causes": impact.causes,
        })
    });
    let parts =
        |p: &PartChanges| json!({"added": p.added, "removed": p.removed, "changed": p.changed});
    let value = json!({
        "against": name, "files": {"added": added, "removed": removed}, "vocabularies": found.terms,
        "templates": parts(&found.templates), "rules": parts(&found.rules), "items": items.ok(),
    });
    out::report(json, &value, || {
        text(&name, &found, (&removed, &added), impact.as_ref())
    })
}

/// The affected items, or the error that prevents counting them.
type Counted<'i> = std::result::Result<&'i Impact, &'i Error>;

fn text(
    name: &str,
    found: &Diff,
    (removed, added): (&[String], &[String]),
    impact: Counted<'_>,
) -> String {
    let mut out = String::new();
    let mut line = |mark: &str, what: &str| {
        let _ = writeln!(out, "{mark} {}", clean::line(what));
    };
    removed.iter().for_each(|f| line("-", f));
    added.iter().for_each(|f| line("+", f));
    for terms in &found.terms {
        each_term(terms, &mut line);
    }
    for (kind, found) in [("templates", &found.templates), ("rules", &found.rules)] {
        for (mark, parts) in [
            ("-", &found.removed),
            ("+", &found.added),
            ("~", &found.changed),
        ] {
            parts
                .iter()
                .for_each(|p| line(mark, &format!("{kind} {p}")));
        }
    }
    if found.is_empty() && removed.is_empty() && added.is_empty() {
        let _ = writeln!(out, "identical to {name}");
    }
    let impact = match impact {
        Ok(impact) => impact,
        Err(problem) => {
            let _ = writeln!(
                out,
                "cannot count affected items: {}",
                clean::line(&problem.to_string())
            );
            return out;
        }
    };
    let _ = writeln!(
        out,
        "{}: {} stale, {} gone",
        out::count(impact.composed, "composed item"),
        impact.stale.all(),
        impact.gone.all()
    );
    for (cause, items) in &impact.causes {
        let _ = writeln!(out, "  {items:>8}  {}", clean::line(cause));
    }
    out
}

fn each_term(terms: &TermChanges, line: &mut dyn FnMut(&str, &str)) {
    let of = &terms.vocabulary;
    let lists = [
        ("-", "", &terms.removed),
        ("+", "", &terms.added),
        ("~", " moved", &terms.moved),
        ("~", " disabled", &terms.disabled),
        ("~", " enabled", &terms.enabled),
        ("~", " reworded", &terms.reworded),
    ];
    for (old, new) in &terms.renamed {
        line("~", &format!("{of} `{old}` renamed to `{new}`"));
    }
    for (mark, what, list) in lists {
        list.iter()
            .for_each(|term| line(mark, &format!("{of} `{term}`{what}")));
    }
}

/// The metadata files at a revision of the git repository that the project is in.
fn of_git(dir: &Path, revision: &str) -> Result<Metadata> {
    let what = format!("{revision}^{{commit}}");
    let verify = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &what,
    ];
    let none = |_| {
        Error::not_found(format!(
            "`{revision}` is neither a folder nor a git revision"
        ))
        .file(dir)
        .help("name a metadata folder, or a revision of the project's git repository")
    };
    let commit = String::from_utf8_lossy(&git(dir, &verify).map_err(none)?)
        .trim()
        .to_string();
    let listed = git(
        dir,
        &["ls-tree", "-r", "-z", "--name-only", &commit, "--", "."],
    )?;
    let names = listed
        .split(|b| *b == 0)
        .filter_map(|n| std::str::from_utf8(n).ok());
    let mut old = Metadata::default();
    for name in names
        .filter(|n| metafile::check_name(n, false).is_ok())
        .take(metadata::FILES)
    {
        let bytes = git(dir, &["cat-file", "blob", &format!("{commit}:./{name}")])?;
        // Files that are not UTF-8 count as missing.
        if let Ok(text) = String::from_utf8(bytes) {
            old.insert(MetaFile {
                name: name.to_string(),
                text,
            });
        }
    }
    Ok(old)
}

/// Overrides for repository settings that name a program to run. `protocol.allow` stops a partial
/// clone from fetching missing objects (with `core.sshCommand` or `remote.*.uploadpack`) in git
/// before 2.45, which ignores `GIT_NO_LAZY_FETCH`.
const NO_PROGRAMS: [&str; 10] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.askPass=",
    "core.pager=cat",
    "credential.helper=",
    "diff.external=",
    "protocol.allow=never",
    "core.attributesFile=/dev/null",
];

/// Git in `dir`, set up to run no program that the repository names: the repository may be
/// untrusted.
fn quiet_git(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("--no-pager")
        .arg("--no-replace-objects")
        .arg("-C")
        .arg(dir);
    for setting in NO_PROGRAMS {
        command.arg("-c").arg(setting);
    }
    command
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0");
    // Overrides `protocol.NAME.allow` of the repository, which `protocol.allow` does not.
    command.env("GIT_ALLOW_PROTOCOL", "none");
    // Each of these also names a program, or another repository.
    let inherited = [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_EXTERNAL_DIFF",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_PROXY_COMMAND",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_PROTOCOL_FROM_USER",
    ];
    for name in inherited {
        command.env_remove(name);
    }
    command
}

/// The output of git, up to the size of a metadata file.
fn git(dir: &Path, args: &[&str]) -> Result<Vec<u8>> {
    let failed = |e: &std::io::Error| Error::io(e, "cannot run git", dir);
    let mut command = quiet_git(dir);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| failed(&e))?;
    let mut bytes = Vec::new();
    if let Some(out) = child.stdout.take() {
        out.take(metadata::FILE_LIMIT + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| failed(&e))?;
    }
    let status = child.wait().map_err(|e| failed(&e))?;
    if bytes.len() as u64 > metadata::FILE_LIMIT {
        return Err(Error::input(format!(
            "a file of the revision is larger than {} MiB",
            metadata::FILE_LIMIT >> 20
        ))
        .file(dir));
    }
    if !status.success() {
        return Err(Error::not_found(format!("git {} failed", args[0])).file(dir));
    }
    Ok(bytes)
}
