//! `benchtop people`: who works on the project.

use std::os::unix::fs::MetadataExt;

use benchtop::model::ErrorKind;
use serde_json::{Value, json};

use crate::support::Bench;

fn people(bench: &Bench, args: &[&str]) -> Value {
    let all = ["people"].iter().chain(args).chain(&["--json"]).copied();
    bench.run(all).lines().remove(0)
}

/// The user and the group of this process, as numbers.
fn ids() -> (String, String) {
    let (uid, gid) = (rustix::process::getuid(), rustix::process::getgid());
    (uid.as_raw().to_string(), gid.as_raw().to_string())
}

#[test]
fn a_name_of_ones_own_counts_in_private_projects() {
    let bench = Bench::with_items(2);
    assert_eq!(people(&bench, &[])["me"], "tester");
    let dry = people(&bench, &["set", "--me", "ann", "--dry-run"]);
    assert_eq!(dry["plan"]["own"][1]["after"], "ann");
    assert_eq!(people(&bench, &[])["me"], "tester", "only shown");
    people(&bench, &["set", "--me", "ann"]);
    bench
        .feed(["decide"], "{\"item\":1,\"verdict\":\"accept\"}\n")
        .ok();
    assert_eq!(bench.verdicts()[0]["who"], "ann");
    // The command line and the environment come before it.
    let by = bench
        .run(["--as", "bob", "people", "--json"])
        .lines()
        .remove(0);
    assert_eq!(by["me"], "bob");
    let refused = bench.run(["people", "set", "--me", "../ann", "--json"]);
    let refusal = refused.refused_as(ErrorKind::Usage);
    assert_eq!(refusal.field, "me");
    // Settings that cannot be read name nobody, so that no verdict has the wrong name.
    let settings = bench.person().join("benchtop/settings.toml");
    std::fs::write(&settings, "annotator = 3\n").unwrap();
    bench.run(["people", "--json"]).refused_as(ErrorKind::Input);
}

#[test]
fn sharing_shows_first_what_it_changes() {
    let bench = Bench::with_items(2);
    let (uid, gid) = ids();
    let user = format!("{uid}=tester");
    let set = ["set", "--group", &gid, "--user", &user];
    let before = bench.snapshot();
    let dry = people(&bench, &[&set[..], &["--dry-run"]].concat());
    assert_eq!(bench.snapshot(), before);
    let names = |plan: &Value| -> Vec<String> {
        let all = plan["project"].as_array().unwrap().iter();
        all.map(|s| s["name"].as_str().unwrap().to_string())
            .collect()
    };
    assert_eq!(names(&dry["plan"]), ["shared.group", "shared.people"]);
    assert_eq!(
        dry["plan"]["restarts"], true,
        "the owner of the import runs"
    );
    let done = people(&bench, &set);
    assert_eq!(done["plan"]["permissions"], dry["plan"]["permissions"]);
    let mode = |name: &str| bench.root().join(name).symlink_metadata().unwrap().mode() & 0o777;
    assert_eq!(mode("sessions") & 0o077, 0, "verdicts stay private");
    assert_eq!(mode("benchtop.toml") & 0o040, 0o040);
    let listed = people(&bench, &[]);
    assert_eq!(
        (&listed["group"], &listed["people"]),
        (&json!(gid), &json!({uid.clone(): "tester"}))
    );
    // Nobody takes another's name, and the same change again is none.
    bench
        .run([
            "--as", "eve", "people", "set", "--group", &gid, "--user", &user, "--json",
        ])
        .refused_as(ErrorKind::Conflict);
    let again = people(&bench, &set);
    assert_eq!(again["plan"]["project"], json!([]));
    let back = people(&bench, &["set", "--private"]);
    assert_eq!(names(&back["plan"]), ["shared.group", "shared.people"]);
    assert!(people(&bench, &[])["group"].is_null());
}

#[test]
fn what_would_lock_out_or_mislead_is_refused() {
    let bench = Bench::new();
    let (uid, gid) = ids();
    let before = bench.snapshot();
    for (args, kind, field) in [
        (
            vec!["--group", "no-such-group", "--user", "0=tester"],
            ErrorKind::NotFound,
            "shared.group",
        ),
        (
            vec!["--group", &gid, "--user", "tester"],
            ErrorKind::Usage,
            "people",
        ),
        (
            vec!["--group", &gid, "--user", "7=tester", "--user", "8=tester"],
            ErrorKind::Conflict,
            "people",
        ),
    ] {
        let args = ["people", "set", "--json"].into_iter().chain(args);
        let refusal = bench.run(args).refused_as(kind);
        assert_eq!(refusal.field, field, "{refusal:?}");
    }
    let mine = format!("{uid}=tester");
    let twice = [
        "people",
        "set",
        "--json",
        "--group",
        &gid,
        "--user",
        &mine,
        "--user",
        "7000=tester",
    ];
    bench.run(twice).refused_as(ErrorKind::Usage);
    bench
        .run(["people", "set", "--json"])
        .refused_as(ErrorKind::Usage);
    let toml = |all: &std::collections::BTreeMap<std::path::PathBuf, String>| {
        all.iter()
            .find(|(path, _)| path.ends_with("benchtop.toml"))
            .map(|(_, hash)| hash.clone())
    };
    assert_eq!(toml(&bench.snapshot()), toml(&before));
}
