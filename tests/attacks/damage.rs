//! Damage planted in every kind of file of a project: `benchtop verify` names the file, and nothing that was acknowledged
//! goes without a word when the project is opened.
//!
//! 300 damages by default; `BENCHTOP_TORTURE=2000 cargo test --test suite attacks::damage` plants 2,000.

use benchtop::model::cancel::ProgressSink;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use benchtop::files::project::Project;
use benchtop::pipeline::verify::{Report, Severity, verify};
use benchtop::store::inventory::{Inventory, Kind};
use benchtop::store::{jobs, manifest, open, rounds as stored_rounds, runs};
use serde_json::Value;

use crate::flows::eval::{quiz, reply};
use crate::inference::server::Server;
use crate::support::{Bench, dice, owners, rounds, tell, wait_until};

/// A project with everything in it, whose owner has ended.
fn full() -> Bench {
    let bench = quiz(12);
    let plan = bench.write(
        "some.toml",
        "name = \"some\"\n[[pictures]]\nsubject = \"animal\"\ncount = 6\n",
    );
    bench
        .run(["compose", "--plan", plan.to_str().unwrap(), "--seed", "3"])
        .ok();
    bench.run(["generate", "--size", "64x64"]).ok();
    bench
        .run(["filter", "run", "flatness", "--drafts", "--json"])
        .ok();
    bench.run(["filter", "run", "leakage", "--json"]).ok();
    let server = Server::new(|_| reply("one", "stop"));
    let url = server.url();
    let filter = ["--filter", "dataset:quiz"];
    let args = [
        "eval",
        "--model",
        "tiny",
        "--endpoint",
        &url,
        "--json",
        "--sample",
        "8",
    ];
    bench.run(args.into_iter().chain(filter)).ok();
    for (who, word) in [("ann", "accept"), ("bob", "reject")] {
        let lines: String = (1..=10)
            .map(|n| format!("{{\"item\":{n},\"verdict\":\"{word}\"}}\n"))
            .collect();
        bench.feed(["decide", "--as", who], &lines).ok();
    }
    bench.run(["undo", "--as", "ann"]).ok();
    bench
        .run([
            "round",
            "new",
            "first",
            "--people",
            "ann,bob",
            "--protocol",
            "single",
            "--calibration",
            "0",
            "--as",
            "ann",
        ])
        .ok();
    stop(&bench);
    bench
}

fn stop(bench: &Bench) {
    bench.run(["stop"]).ok();
    wait_until("the owner has ended", || owners(bench.root()).is_empty());
}

fn scrub(project: &Project) -> Report {
    verify(project, false, ProgressSink::NONE).unwrap()
}

/// All files of a project but those that are left out, by their top folder.
fn files(root: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_path_buf();
            let top = name
                .components()
                .next()
                .unwrap()
                .as_os_str()
                .to_str()
                .unwrap()
                .to_string();
            if [".owner", "exports"].contains(&top.as_str()) {
                continue;
            }
            match path.is_dir() {
                true => open.push(path),
                false => found.entry(top).or_default().push(name),
            }
        }
    }
    found.values_mut().for_each(|list| list.sort());
    found
}

/// Plants a damage; gives its name, or none where it would change nothing.
fn plant(root: &Path, file: &Path, all: &[PathBuf], seed: u64) -> Option<String> {
    let path = root.join(file);
    let bytes = std::fs::read(&path).unwrap();
    let mut draw = {
        let mut n = seed * 1000;
        move |of: usize| {
            n += 1;
            dice(n, of.max(1) as u64) as usize
        }
    };
    let at = draw(bytes.len());
    Some(match draw(6) {
        0 if !bytes.is_empty() => {
            let (mut bad, bit) = (bytes.clone(), draw(8));
            bad[at] ^= 1 << bit;
            std::fs::write(&path, bad).unwrap();
            format!("bit {bit} of byte {at} flipped")
        }
        1 if !bytes.is_empty() => {
            std::fs::write(&path, &bytes[..at]).unwrap();
            format!("cut at {at}")
        }
        2 if bytes.contains(&b'\n') => {
            let ends: Vec<usize> = bytes
                .iter()
                .enumerate()
                .filter(|(_, b)| **b == b'\n')
                .map(|(i, _)| i + 1)
                .collect();
            let end = ends[draw(ends.len())];
            if end == bytes.len() {
                return None;
            }
            std::fs::write(&path, &bytes[..end]).unwrap();
            format!("cut at the line that ends at {end}")
        }
        3 => {
            let other = &all[draw(all.len())];
            let theirs = std::fs::read(root.join(other)).unwrap();
            if theirs == bytes {
                return None;
            }
            std::fs::write(&path, theirs).unwrap();
            format!("replaced by {}", other.display())
        }
        4 => {
            std::fs::remove_file(&path).unwrap();
            "removed".into()
        }
        5 => {
            let elsewhere = root.parent().unwrap().join("elsewhere");
            std::fs::write(&elsewhere, &bytes).unwrap();
            std::fs::remove_file(&path).unwrap();
            std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
            "a link in its place".into()
        }
        _ => return None,
    })
}

fn restore(root: &Path, file: &Path, bytes: &[u8]) {
    let path = root.join(file);
    let _ = std::fs::remove_file(&path);
    std::fs::write(path, bytes).unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let there = to.join(path.file_name().unwrap());
        let meta = path.symlink_metadata().unwrap();
        match (meta.is_dir(), meta.is_symlink()) {
            (true, _) => copy(&path, &there),
            (_, true) => {
                std::os::unix::fs::symlink(std::fs::read_link(&path).unwrap(), &there).unwrap()
            }
            _ if meta.is_file() => drop(std::fs::copy(&path, &there).unwrap()),
            _ => {}
        }
    }
}

/// What was acknowledged of a project, by opening it; and what opening says.
fn opened(project: &Project) -> Result<([usize; 6], Vec<String>), String> {
    let missing = Inventory::load(project)
        .unwrap_or_default()
        .missing(project.root());
    let (_, wrong) = Inventory::load(project)
        .unwrap_or_default()
        .update(project, "", false)
        .map_err(|p| p.to_string())?;
    let mut notices: Vec<String> = missing
        .iter()
        .chain(&wrong)
        .map(|(file, differs)| format!("{file}: {differs:?}"))
        .collect();
    let opened = open::open(project).map_err(|p| p.to_string())?;
    notices.extend(opened.notices);
    let (pictures, found) = open::load_pictures(project).map_err(|p| p.to_string())?;
    notices.extend(found);
    let (ledger, found) =
        open::load_ledger(project, &opened.catalog, &pictures).map_err(|p| p.to_string())?;
    notices.extend(found);
    let (mut all, problems) = jobs::list(project.root());
    all.retain(|job| job.header.kind == jobs::RUN);
    notices.extend(problems.iter().map(ToString::to_string));
    let (asked, problems) = stored_rounds::read(project).map_err(|p| p.to_string())?;
    notices.extend(problems.iter().map(ToString::to_string));
    let mut answers = 0;
    for run in &all {
        let id = run.header.id;
        let (progress, _) = runs::progress(project.root(), id).map_err(|p| p.to_string())?;
        answers += progress.answered.len();
        if !progress.damaged.is_empty() {
            notices.push("damaged answers".into());
        }
    }
    let decisions = ledger.rev() as usize;
    Ok((
        [
            opened.catalog.len(),
            decisions,
            pictures.len(),
            all.len(),
            asked.len(),
            answers,
        ],
        notices,
    ))
}

#[test]
fn verify_names_every_planted_damage() {
    let bench = full();
    let (root, project) = (bench.root(), bench.project());
    let clean = scrub(&project);
    let bad: Vec<_> = clean
        .findings
        .iter()
        .filter(|f| f.severity != Severity::Notice)
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
    assert!(
        clean.since.is_some() && clean.checked.decisions >= 21 && clean.checked.pictures >= 18,
        "{:?}",
        clean.checked
    );
    let quiet: Vec<_> = clean.findings.iter().map(|f| (&f.file, &f.what)).collect();
    assert!(quiet.is_empty(), "{quiet:#?}");
    let folders = files(root);
    for name in [
        "benchtop.toml",
        "images",
        "imports",
        "jobs",
        "metadata",
        "runs",
        "scores",
        "sessions",
        "store",
    ] {
        assert!(
            folders.contains_key(name),
            "{name} is missing of {:?}",
            folders.keys()
        );
    }
    let all: Vec<PathBuf> = folders.values().flatten().cloned().collect();
    let tops: Vec<&Vec<PathBuf>> = folders.values().collect();
    let (planned, mut planted, mut seed) = (rounds(300), 0, 0);
    let (mut unnamed, mut looked) = (Vec::new(), 0);
    let before = opened(
        &Project::open(&{
            let twin = bench.beside("twin");
            copy(root, &twin);
            twin
        })
        .unwrap(),
    )
    .unwrap();
    std::fs::remove_dir_all(bench.beside("twin")).unwrap();
    while planted < planned {
        seed += 1;
        let list = tops[dice(seed * 7, tops.len() as u64) as usize];
        let file = &list[dice(seed * 7 + 1, list.len() as u64) as usize];
        let bytes = std::fs::read(root.join(file)).unwrap();
        let Some(what) = plant(root, file, &all, seed) else {
            continue;
        };
        planted += 1;
        let name = file.to_str().unwrap();
        let report = scrub(&project);
        let kind = Kind::of(name);
        let named = report.findings.iter().any(|f| {
            let is_damage = f.severity == Severity::Damage
                || kind == Some(Kind::Edited) && f.severity == Severity::Changed;
            f.file == name && is_damage
        });
        if !named {
            let found: Vec<_> = report
                .findings
                .iter()
                .map(|f| format!("{:?} {}: {}", f.severity, f.file, f.what))
                .collect();
            unnamed.push(format!("{name}: {what}: {found:?}"));
        }
        // Opening takes a copy each: some of them, and only where there is truth.
        if planted % 6 == 0 && kind != Some(Kind::Edited) && name != "benchtop.toml" {
            let twin = bench.beside("twin");
            copy(root, &twin);
            if let Ok((now, notices)) = opened(&Project::open(&twin).unwrap()) {
                let less = now.iter().zip(&before.0).any(|(now, before)| now < before);
                assert!(
                    !less || !notices.is_empty(),
                    "{name}: {what}: {:?} became {now:?} without a word",
                    before.0
                );
            }
            looked += 1;
            std::fs::remove_dir_all(&twin).unwrap();
        }
        restore(root, file, &bytes);
    }
    tell(&format!(
        "{planted} damages over {} files, {} not named, {looked} opened",
        all.len(),
        unnamed.len()
    ));
    assert!(
        unnamed.is_empty(),
        "{} of {planted}:\n{}",
        unnamed.len(),
        unnamed.join("\n")
    );
    let after = scrub(&project);
    assert_eq!(after.damaged(), 0, "{:#?}", after.findings);
}

#[test]
fn verify_finds_damage_after_a_kill() {
    let bench = full();
    let (root, project) = (bench.root(), bench.project());
    // As an owner leaves it that was killed: nothing vouches for caches, everything else is as it was.
    std::fs::write(root.join(".owner/open"), "").unwrap();
    assert_eq!(
        scrub(&project).damaged(),
        0,
        "{:#?}",
        scrub(&project).findings
    );
    let all: Vec<PathBuf> = files(root).into_values().flatten().collect();
    let is_truth = |file: &&PathBuf| {
        let name = file.to_str().unwrap();
        !name.starts_with("metadata")
            && !matches!(Kind::of(name), Some(Kind::Cache | Kind::Rewritten))
    };
    let truth: Vec<&PathBuf> = all.iter().filter(is_truth).collect();
    let (planned, mut planted, mut seed) = (rounds(300) / 5, 0, 50_000);
    while planted < planned {
        seed += 1;
        let file = truth[dice(seed * 7, truth.len() as u64) as usize];
        let bytes = std::fs::read(root.join(file)).unwrap();
        let Some(what) = plant(root, file, &all, seed) else {
            continue;
        };
        planted += 1;
        let report = scrub(&project);
        let named = report
            .findings
            .iter()
            .any(|f| f.file == file.to_str().unwrap() && f.severity != Severity::Notice);
        assert!(named, "{}: {what}: {:#?}", file.display(), report.findings);
        restore(root, file, &bytes);
    }
}

#[test]
fn verify_accepts_what_an_owner_wrote_since_the_last_check() {
    let bench = full();
    bench
        .feed(
            ["decide", "--as", "carol"],
            "{\"item\":1,\"verdict\":\"flag\"}\n",
        )
        .ok();
    // While the owner runs, and after it was killed.
    for way in ["running", "killed"] {
        if way == "killed" {
            bench.kill_owner();
        }
        // Threads of a killed process may hold the lock for a moment longer.
        wait_until("the lock says whether an owner runs", || {
            let out = bench.run(["verify", "--json"]);
            let value: Value = serde_json::from_str(&out.out).unwrap();
            assert_eq!((out.code, &value["clean"]), (0, &true.into()), "{out:?}");
            value["owner_running"] == (way == "running")
        });
    }
}

#[test]
fn repair_loses_nothing_and_lists_its_changes() {
    let bench = full();
    let project = bench.project();
    let report = |bench: &Bench, args: &[&str]| {
        let out = bench.run(["verify", "--json"].into_iter().chain(args.iter().copied()));
        (out.code, serde_json::from_str::<Value>(&out.out).unwrap())
    };
    assert_eq!(report(&bench, &[]).0, 0);
    // An imported picture gone: its source is still beside the project. Another replaced.
    let items: Vec<Value> = {
        let lines = bench.run(["export", "--format", "jsonl", "--drafts"]).ok();
        lines
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect()
    };
    stop(&bench);
    let picture = |n: usize| {
        let item = items
            .iter()
            .filter(|i| i["dataset"] == "quiz")
            .nth(n)
            .unwrap();
        let hash = item["images"][0]["hash"].as_str().unwrap();
        bench
            .root()
            .join(format!("images/{}/{hash}.png", &hash[..2]))
    };
    let kept = std::fs::read(picture(0)).unwrap();
    std::fs::remove_file(picture(0)).unwrap();
    std::fs::write(picture(1), b"another").unwrap();
    let journal = project.sessions().join("ann.jsonl");
    let whole = std::fs::read(&journal).unwrap();
    let cut = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
    std::fs::write(&journal, &whole[..cut]).unwrap();
    std::fs::write(project.store().join("columns.snap"), b"bt").unwrap();
    let db = project.index().join("db");
    let mut index = std::fs::read(&db).unwrap();
    let middle = index.len() / 2;
    index[middle] ^= 1;
    std::fs::write(&db, index).unwrap();
    let (code, found) = report(&bench, &[]);
    assert_eq!((code, &found["damaged"]), (1, &5.into()), "{found:#}");
    let text = bench.run(["verify"]);
    assert_eq!(text.code, 1);
    let pictures = [picture(0), picture(1)].map(|path| {
        let name = path.file_name().unwrap();
        name.to_str().unwrap().to_string()
    });
    let names = ["sessions/ann.jsonl", "columns.snap", "store/index/db"];
    for name in names.into_iter().chain(pictures.iter().map(String::as_str)) {
        assert!(text.out.contains(name), "{name}: {}", text.out);
    }
    let (code, done) = report(&bench, &["--repair"]);
    assert_eq!(
        (code, &done["repaired"], &done["damaged"]),
        (1, &4.into(), &1.into()),
        "{done:#}"
    );
    assert_eq!(std::fs::read(picture(0)).unwrap(), kept);
    let aside = PathBuf::from(format!("{}.damaged-1", picture(1).display()));
    assert_eq!(
        std::fs::read(aside).unwrap(),
        b"another",
        "nothing is deleted"
    );
    // The verdicts that were cut off are told of at the next start too, until they are put back.
    bench.start_owner();
    let notices = bench.status()["notices"].to_string();
    assert!(notices.contains("sessions/ann.jsonl"), "{notices}");
    assert!(
        bench
            .run(["verify", "--repair"])
            .refused(1)
            .names("benchtop stop")
    );
    stop(&bench);
    assert_eq!(report(&bench, &[]).1["damaged"], 1);
    std::fs::write(&journal, &whole).unwrap();
    let (code, last) = report(&bench, &[]);
    assert_eq!(code, 0, "{last:#}");
    assert_eq!(bench.items().len(), items.len());
}

#[test]
fn scores_and_jobs_survive_a_damaged_index() {
    let bench = full();
    for threshold in ["1", "2"] {
        let rules = format!(
            "[[rules]]\nname = 'dull'\nthen = 'flag'\nall = [{{ score = 'flatness', below = {threshold} }}]\n"
        );
        let file = bench.write("rules.toml", rules);
        bench
            .run(["filter", "rules", "apply", file.to_str().unwrap()])
            .ok();
    }
    let one = |bench: &Bench, args: &[&str]| {
        bench
            .run(args.iter().copied().chain(["--json"]))
            .lines()
            .remove(0)
    };
    let history = |bench: &Bench| one(bench, &["filter", "rules", "show"])["history"].clone();
    let jobs = |bench: &Bench| bench.run(["jobs", "--json"]).lines();
    let scored = |bench: &Bench| {
        let report: Value =
            serde_json::from_str(&bench.run(["filter", "report", "--json"]).ok()).unwrap();
        report["scorers"]
            .as_array()
            .unwrap()
            .iter()
            .find(|s| s["scorer"] == "flatness")
            .unwrap()["items"]
            .clone()
    };
    let before = (scored(&bench), jobs(&bench), history(&bench));
    assert!(
        before.1.iter().any(|job| job["run"].is_null()),
        "{before:?}"
    );
    assert_eq!(before.2, 2);
    let scoring = one(&bench, &["filter", "report"])["scorers"][0]["job"].clone();
    stop(&bench);
    let db = bench.project().index().join("db");
    let length = std::fs::metadata(&db).unwrap().len() as usize;
    std::fs::write(&db, vec![0xa5; length]).unwrap();
    std::fs::remove_file(bench.project().store().join("columns.snap")).unwrap();
    assert_eq!((scored(&bench), jobs(&bench), history(&bench)), before);
    assert_eq!(
        one(&bench, &["filter", "report"])["scorers"][0]["job"],
        scoring
    );
    let notices = bench.status()["notices"].to_string();
    assert!(notices.contains(".broken-1"), "{notices}");
}

#[test]
fn files_without_checksums_open_with_a_notice() {
    let bench = full();
    let root = bench.root();
    for name in ["store/inventory.jsonl", ".owner/inventory.jsonl"] {
        std::fs::remove_file(root.join(name)).unwrap();
    }
    for name in ["runs/0001.json", "sessions/rounds/first.json"] {
        let path = std::fs::read_dir(root.join(Path::new(name).parent().unwrap())).unwrap();
        for file in path
            .map(|e| e.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "json"))
        {
            let text = std::fs::read_to_string(&file).unwrap();
            if let Some((before, _)) = text.split_once(",\n  \"crc\"") {
                std::fs::write(&file, format!("{before}\n}}\n")).unwrap();
            }
        }
    }
    let report = scrub(&bench.project());
    assert_eq!(report.damaged(), 0, "{:#?}", report.findings);
    let said: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Notice)
        .map(|f| &f.file)
        .collect();
    assert!(
        said.iter().any(|f| f.starts_with("runs/"))
            && said.iter().any(|f| f.starts_with("sessions/rounds/")),
        "{said:?}"
    );
    assert_eq!(bench.run(["round", "list", "--json"]).code, 0);
    assert!(
        manifest::Manifest::read(&root.join("imports"))
            .unwrap()
            .problems
            .is_empty()
    );
}
