//! Links in a project from somebody else. The program never follows them to write, nor to read trusted files.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use benchtop::model::ErrorKind;
use benchtop::tui::terminal::Env;
use benchtop::tui::theme::Theme;
use uuid::Uuid;

use crate::support::{Bench, Need, Output, Refusal, skip, verdict, wait_until};

/// What somebody else's file or folder holds.
fn all_of(path: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let meta = path.symlink_metadata().unwrap();
    if meta.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            found.extend(all_of(&entry.unwrap().path()));
        }
    } else {
        found.insert(
            path.to_path_buf(),
            (meta.mode(), std::fs::read(path).unwrap()),
        );
    }
    found
}

/// A project with items, a verdict, a round, a board and everything that a stopped owner leaves.
fn filled() -> Bench {
    let bench = Bench::with_items(20);
    bench
        .feed(
            ["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 1, "accept"),
        )
        .ok();
    bench
        .run([
            "round",
            "new",
            "first",
            "--people",
            "ann",
            "--protocol",
            "single",
            "--seed",
            "1",
        ])
        .ok();
    bench.run(["board", "--format", "json"]);
    bench.run(["stop"]).ok();
    bench
}

/// Commands that read and write all over a project; what they say does not matter.
fn exercise(bench: &Bench) -> Vec<Output> {
    let mut said = vec![bench.run(["items", "--json"])];
    said.push(bench.feed(
        ["decide", "--as", "bob"],
        &verdict(Uuid::now_v7(), 2, "reject"),
    ));
    for args in [
        &["status", "--json"][..],
        &["board", "--format", "json"],
        &["round", "list", "--json"],
        &["log"],
        &["doctor"],
    ] {
        said.push(bench.run(args.iter().copied()));
    }
    said.push(bench.run(["stop"]));
    wait_until("the owner has ended", || {
        crate::support::owners(bench.root()).is_empty()
    });
    said
}

#[test]
fn owner_does_not_write_through_a_linked_log_or_lock() {
    for name in ["log", "lock"] {
        let bench = filled();
        let victim = bench.write("victim", vec![b'x'; (1 << 20) + 7]);
        let before = all_of(&victim);
        let file = bench.root().join(".owner").join(name);
        std::fs::remove_file(&file).unwrap();
        symlink(&victim, &file).unwrap();
        let error = bench.run(["items"]).refused(1);
        assert!(error.is_in(&format!(".owner/{name}")), "{error}");
        assert_eq!(all_of(&victim), before, "{name}");
    }
}

#[test]
fn a_large_log_is_truncated() {
    let bench = filled();
    let log = bench.root().join(".owner/log");
    std::fs::write(&log, vec![b'x'; (1 << 20) + 7]).unwrap();
    bench.run(["items"]).ok();
    assert!(std::fs::metadata(&log).unwrap().len() < 1 << 20);
}

#[test]
fn linked_folders_are_refused_by_name() {
    for name in [
        "sessions",
        "sessions/rounds",
        "imports",
        "images",
        "store",
        "store/index",
        "store/board",
        "scores",
        "jobs",
        "runs",
        "exports",
        ".owner",
    ] {
        let bench = filled();
        let at = bench.root().join(name);
        let outside = bench.beside("outside");
        match at.exists() {
            // With all that it had: nothing else gives it away.
            true => std::fs::rename(&at, &outside).unwrap(),
            false => std::fs::create_dir(&outside).unwrap(),
        }
        symlink(&outside, &at).unwrap();
        let before = all_of(&outside);
        for output in exercise(&bench)
            .into_iter()
            .filter(|o| !o.out.contains("colour_level"))
        {
            assert_ne!(output.code, 0, "{name}: {output:?}");
            assert!(output.err.contains(name), "{name}: {output:?}");
        }
        assert_eq!(all_of(&outside), before, "{name}");
    }
}

#[test]
fn linked_files_are_neither_written_nor_read() {
    let names = {
        let bench = filled();
        let mut names: Vec<PathBuf> = all_of(bench.root()).into_keys().collect();
        for name in &mut names {
            *name = name.strip_prefix(bench.root()).unwrap().to_path_buf();
        }
        names.retain(|name| {
            let tops = [
                "store",
                "imports",
                "sessions/rounds",
                "sessions/ann.jsonl",
                "benchtop.toml",
            ];
            tops.iter().any(|top| name.starts_with(top))
        });
        names.extend(
            [
                "jobs/scoring.json",
                "jobs/0001.json",
                "scores/rules.json",
                // Where earlier versions had them.
                "store/scoring.json",
                "store/rules.json",
                "store/scores/flatness/current",
                "runs/judge.jsonl",
                "images/pictures.jsonl",
            ]
            .map(Into::into),
        );
        names
    };
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        let bench = filled();
        // Numbers in its name may differ from run to run.
        let file = bench.root().join(&name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let victim = bench.beside("victim");
        match std::fs::read(&file) {
            Ok(bytes) => std::fs::write(&victim, bytes).unwrap(),
            Err(_) => std::fs::write(&victim, "SECRET\n").unwrap(),
        }
        let _ = std::fs::remove_file(&file);
        symlink(&victim, &file).unwrap();
        std::fs::set_permissions(&victim, PermissionsExt::from_mode(0o606)).unwrap();
        let before = all_of(&victim);
        for output in exercise(&bench) {
            assert!(
                !output.out.contains("SECRET") && !output.err.contains("SECRET"),
                "{name:?}: {output:?}"
            );
            assert!(
                output.code == 0
                    || output.err.contains("benchtop:")
                    || Refusal::of(&output).kind.is_some()
                    || output.out.contains("error"),
                "{name:?}: {output:?}"
            );
        }
        assert_eq!(all_of(&victim), before, "{name:?}");
        if let Ok(meta) = file.symlink_metadata()
            && meta.is_file()
        {
            assert_eq!(
                meta.mode() & 0o006,
                0,
                "{name:?} took the mode of what it was linked to"
            );
        }
    }
}

#[test]
fn a_theme_is_named_and_never_read_from_a_project() {
    let dir = tempfile::tempdir().unwrap();
    let env: Env = [(
        "XDG_CONFIG_HOME".to_string(),
        dir.path().join("config").display().to_string(),
    )]
    .into();
    std::fs::create_dir_all(dir.path().join("config/benchtop/themes")).unwrap();
    std::fs::write(dir.path().join("config/outside.toml"), "base = \"light\"\n").unwrap();
    for path in [
        "/dev/zero",
        "../../outside",
        "../outside",
        "themes/mine.toml",
        "",
        ".",
    ] {
        assert_eq!(
            Theme::named(path, &env).map(drop).unwrap_err().kind,
            ErrorKind::NotFound,
            "{path}"
        );
    }
    // A person's own, which no shipped theme gives way to.
    assert_eq!(
        Theme::named("own", &env).map(drop).unwrap_err().kind,
        ErrorKind::NotFound
    );
    std::fs::write(
        dir.path().join("config/benchtop/themes/own.toml"),
        "base = \"light\"\n",
    )
    .unwrap();
    std::fs::write(
        dir.path().join("config/benchtop/themes/dark.toml"),
        "nonsense",
    )
    .unwrap();
    assert!(Theme::named("own", &env).is_ok() && Theme::named("dark", &env).is_ok());
    std::fs::File::create(dir.path().join("config/benchtop/themes/huge.toml"))
        .unwrap()
        .set_len(5 << 30)
        .unwrap();
    assert_eq!(
        Theme::named("huge", &env).map(drop).unwrap_err().kind,
        ErrorKind::Input
    );
}

#[test]
fn oversized_settings_are_refused() {
    let bench = filled();
    std::fs::File::options()
        .append(true)
        .open(bench.root().join("benchtop.toml"))
        .unwrap()
        .set_len(6 << 30)
        .unwrap();
    let error = bench.run(["items", "--json"]).refused_as(ErrorKind::Input);
    assert_eq!(error.place().0, "benchtop.toml");
    let bench = filled();
    for args in [
        ["import", "--mapping", "/dev/zero", "x"],
        ["compose", "--plan", "/dev/zero", "--dry-run"],
        ["keys", "check", "/dev/zero", "--json"],
    ] {
        let output = bench.run(args);
        assert_ne!(output.code, 0, "{args:?}: {output:?}");
    }
}

#[test]
fn git_commands_run_no_program_of_a_repository() {
    let bench = Bench::new();
    let marker = bench.beside("marker");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(bench.root())
            .args(["-c", "user.name=x", "-c", "user.email=x@example.org"])
            .args(args);
        command.output().is_ok_and(|o| o.status.success())
    };
    if !(git(&["init", "-q"]) && git(&["add", "metadata"]) && git(&["commit", "-q", "-m", "one"])) {
        skip(Need::Program("git"), "git is not installed");
        return;
    }
    let trap = bench.write(
        "trap.sh",
        format!(
            "#!/bin/sh\necho \"$0 $*\" >> '{}'\nexit 1\n",
            marker.display()
        ),
    );
    std::fs::set_permissions(&trap, PermissionsExt::from_mode(0o755)).unwrap();
    let trap = trap.to_str().unwrap();
    let diff = || bench.run(["vocab", "diff", "HEAD", "--json"]);
    diff().ok();
    // Git fetches a blob that is not there from the remote of a partial clone, by a program that the repository names.
    let blob = Command::new("git")
        .arg("-C")
        .arg(bench.root())
        .args(["rev-parse", "HEAD:metadata/vocabularies/animal.txt"])
        .output()
        .unwrap();
    let blob = String::from_utf8(blob.stdout).unwrap().trim().to_string();
    std::fs::remove_file(
        bench
            .root()
            .join(".git/objects")
            .join(&blob[..2])
            .join(&blob[2..]),
    )
    .unwrap();
    let settings = [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", trap),
        ("core.sshCommand", trap),
        ("core.fsmonitor", trap),
        ("core.gitProxy", trap),
        ("core.pager", trap),
        ("core.askPass", trap),
        ("credential.helper", trap),
        ("diff.external", trap),
        ("diff.x.textconv", trap),
        ("diff.x.command", trap),
        ("filter.x.smudge", trap),
        ("filter.x.clean", trap),
        ("protocol.ext.allow", "always"),
        ("protocol.file.allow", "always"),
        ("protocol.ssh.allow", "always"),
        ("alias.cat-file", &format!("!{trap}")),
    ];
    for (name, value) in settings {
        assert!(git(&["config", name, value]), "{name}");
    }
    std::fs::write(bench.root().join(".gitattributes"), "* diff=x filter=x\n").unwrap();
    for hook in [
        "post-checkout",
        "reference-transaction",
        "post-index-change",
        "pre-auto-gc",
    ] {
        symlink(trap, bench.root().join(".git/hooks").join(hook)).unwrap();
    }
    let local = format!("file://{}", bench.root().display());
    for url in [
        "ssh://nobody@127.0.0.1:1/x",
        &format!("ext::{trap} %S"),
        &local,
        "git://127.0.0.1:1/x",
    ] {
        assert!(git(&["config", "remote.origin.url", url]));
        let error = diff().refused(1);
        assert!(error.names("git cat-file"), "{url}: {error}");
        assert!(
            !marker.exists(),
            "{url}: {}",
            std::fs::read_to_string(&marker).unwrap()
        );
    }
}
