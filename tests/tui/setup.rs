//! The forms of people, models, and scoring: what they show, and what enter does.

use std::process::Command;

use benchtop::files::project::FILE;
use benchtop::model::round::{NewRound, Rate};
use benchtop::model::scoring::{ScoreState, Scorer};
use benchtop::protocol::wire::request;

use super::forms::without_folder;
use super::support::{BENCHTOP, Bench, Seat, Terminal, snapshot};
use crate::inference::server::{Act, Server};
use crate::support::wording;

fn at(size: (u16, u16)) -> Terminal {
    Terminal {
        size,
        stays_home: true,
        ..Terminal::default()
    }
}

fn type_over(seat: &mut Seat, text: &str) {
    seat.keys("<ctrl-e><ctrl-u>");
    seat.keys(text);
}

fn settings(bench: &Bench) -> String {
    std::fs::read_to_string(bench.project().root().join(FILE)).unwrap()
}

/// The command line at the bottom of a form.
fn command(shown: &str) -> String {
    let line = shown.lines().find_map(|l| l.trim().strip_prefix("$ "));
    line.unwrap().trim().to_string()
}

/// Runs the command line of a form in another project.
fn run_elsewhere(line: &str, from: &Bench, other: &Bench) -> String {
    let (from, to) = (from.project(), other.project());
    let root = |path: &std::path::Path| path.to_str().unwrap().to_string();
    let line = line.replace(&root(from.root()), &root(to.root()));
    let line = line.replacen("benchtop", BENCHTOP, 1);
    let done = Command::new("sh")
        .args(["-c", &line])
        .env("XDG_CONFIG_HOME", other.person())
        .env("BENCHTOP_AS", "ann")
        .output()
        .unwrap();
    assert!(done.status.success(), "{line}\n{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn a_project_is_shared_and_nobody_else_comes_in() {
    let uid = rustix::process::getuid().as_raw();
    let gid = rustix::process::getgid().as_raw();
    let (bench, other) = (Bench::plain(2), Bench::plain(2));
    let before = settings(&bench);
    let mut seat = bench.seat_at("ann", at((200, 50)));
    seat.keys("gt<down><right><down>");
    seat.keys(&gid.to_string());
    seat.keys("<down>");
    // A map that would keep this person out is refused at its field.
    seat.keys(&format!("{uid}=bob"));
    seat.wait_for("error: ");
    seat.keys("<enter>");
    assert_eq!(settings(&bench), before);
    type_over(&mut seat, &format!("{uid}=ann 4000000=bob"));
    let shown = seat.wait_for("shared.people = ");
    assert!(shown.contains("4000000"), "an unknown user: {shown}");
    let line = command(&shown);
    let mut users = [format!("{uid}=ann"), "4000000=bob".to_string()];
    users.sort();
    let end = format!("--group {gid} --user {} --user {}", users[0], users[1]);
    assert!(line.ends_with(&end), "{line}");
    seat.keys("<enter>");
    seat.wait_for(wording::SHARING_ASKED);
    seat.keys("<enter>");
    seat.wait_gone(wording::SHARING_ASKED);
    assert_eq!(
        settings(&bench),
        before,
        "the cursor starts on the safe line"
    );
    seat.keys("<enter>");
    seat.wait_for(wording::SHARING_ASKED);
    seat.keys("1");
    // The owner ends, so that the next one knows the members.
    bench.await_owner_end();
    bench.start_owner();
    let shared = bench.project().config().shared.clone();
    assert_eq!(shared.group, Some(gid.to_string()));
    assert_eq!(shared.people[&uid.to_string()], "ann");
    let after = settings(&bench);
    let lost = before.lines().find(|line| !after.contains(line));
    assert_eq!(lost, None, "comments stay");
    let as_bob = benchtop::protocol::Client::connect(&bench.project(), "bob", |_| ());
    assert!(as_bob.is_err(), "bob is somebody else");
    assert_eq!(bench.client("ann").welcome().items, 2);
    run_elsewhere(&line, &bench, &other);
    assert_eq!(
        settings(&other),
        settings(&bench).replace(
            bench.project().root().to_str().unwrap(),
            other.project().root().to_str().unwrap(),
        )
    );
}

#[test]
fn the_form_of_people_shows_who_is_behind() {
    let bench = Bench::plain(4);
    let people = vec!["ann".to_string(), "bob".to_string()];
    let new = NewRound {
        calibration: 0,
        repeats: Rate::NONE,
        probes: Rate::NONE,
        ..NewRound::new("pilot", "both-accept".parse().unwrap(), people, 1)
    };
    let ask = request::NewRound {
        new: Box::new(new),
        dry: false,
    };
    bench.client("ann").ask(ask).unwrap();
    let mut seat = bench.seat_at("ann", at((80, 24)));
    seat.keys("gt");
    let shown = seat.wait_for("bob 0 of");
    snapshot("people_form", (80, 24), &without_folder(&shown));
    // Nothing changes, so nothing is done.
    seat.keys("<enter>");
    seat.wait_for(wording::NOTHING_CHANGES);
}

#[test]
fn models_are_chosen_and_the_command_line_writes_the_same() {
    let (bench, other) = (Bench::plain(1), Bench::plain(1));
    let mut seat = bench.seat_at("ann", at((200, 50)));
    seat.keys("gl<right><right><down>");
    seat.keys("kites-xl<down>");
    type_over(&mut seat, "http://127.0.0.1:9/v1");
    let shown = seat.wait_for("texts go to http://127.0.0.1:9");
    assert!(shown.contains("sdxl-turbo"), "the known models: {shown}");
    let line = command(&shown);
    seat.keys("<enter>");
    seat.wait_for(wording::SETTINGS_SAVED);
    let generate = bench.project().config().generate.clone();
    assert_eq!(generate.model.as_deref(), Some("kites-xl"));
    assert_eq!(generate.endpoints[0].url, "http://127.0.0.1:9/v1");
    let text = settings(&bench);
    assert!(
        text.contains("# What makes the pictures."),
        "comments stay: {text}"
    );
    run_elsewhere(&line, &bench, &other);
    assert_eq!(settings(&other), text);
    // The form knows what it saved.
    seat.keys("gl");
    seat.wait_for("models list");
}

#[test]
fn a_server_is_tested_only_after_a_yes() {
    let list = br#"{"data": [{"id": "kites-xl"}, {"id": "other"}]}"#;
    let server = Server::new(|_| Act::Body(list.to_vec()));
    let bench = Bench::plain(1);
    let mut seat = bench.seat_at("ann", at((160, 50)));
    let before = settings(&bench);
    seat.keys("gl<right><right><down>");
    seat.keys("kites-xl<down>");
    type_over(&mut seat, "https://api.example.com/v1");
    seat.wait_for("after you agree");
    seat.keys(&"<down>".repeat(9));
    seat.keys(" ");
    seat.wait_for("--test");
    seat.keys("<enter>");
    seat.wait_for("agree to send data to https://api.example.com");
    seat.keys("<enter>");
    seat.wait_gone("agree to send data to https://api.example.com");
    assert_eq!(settings(&bench), before, "nothing was written");
    // A server on this machine without a key needs no agreement.
    seat.keys(&"<up>".repeat(9));
    type_over(&mut seat, &server.url());
    seat.wait_for("this machine");
    seat.keys("<enter>");
    seat.wait_for("2 models, and has the one");
    let seen: Vec<String> = server.seen().into_iter().map(|seen| seen.line).collect();
    assert_eq!(seen, ["GET /v1/models"]);
    let generate = bench.project().config().generate.clone();
    assert_eq!(generate.endpoints[0].url, server.url());
}

#[test]
fn missing_models_are_said_with_license_and_not_downloaded_without_a_yes() {
    let bench = Bench::plain(1);
    let mut seat = bench.seat_at("ann", at((160, 50)));
    seat.keys("gl<right><down>sdxl-base");
    let shown = seat.wait_for("generate.model: sdxl-base");
    if !shown.contains("is not here") {
        return;
    }
    assert!(shown.contains("license: CreativeML OpenRAIL"), "{shown}");
    seat.keys(&"<down>".repeat(8));
    seat.keys(" ");
    seat.wait_for("--pull");
    seat.keys("<enter>");
    seat.wait_for("download sdxl-base");
    seat.keys("<enter>");
    seat.wait_gone("download sdxl-base");
    assert!(!settings(&bench).contains("sdxl-base"));
    // A name that is no model is said at its field, before anything is written.
    seat.keys(&"<up>".repeat(8));
    type_over(&mut seat, "no-such-model");
    seat.wait_for("error: ");
    seat.keys("<enter>");
    seat.wait_for("neither a known model nor a folder");
}

#[test]
fn scoring_starts_from_an_empty_filters_pane_with_a_rule() {
    for size in [(80, 24), (160, 50)] {
        let (bench, other) = (Bench::sample(), Bench::sample());
        let mut seat = bench.seat_at("ann", at(size));
        seat.keys("gf");
        seat.wait_for("flatness");
        seat.keys("s");
        // The scorer of the pane, and which of them can run here.
        seat.wait_for("flatness: can run");
        seat.keys("flatness<down>");
        type_over(&mut seat, "subtask:color");
        seat.keys("<down><down><down>");
        seat.keys("30");
        let shown = seat.wait_for("rule: flag if flatness < 30");
        // Whether OCR can run depends on the machine.
        let rows = shown.lines().filter(|row| !row.contains(" ocr: "));
        let rows: Vec<&str> = rows.collect();
        snapshot("scoring_form", size, &without_folder(&rows.join("\n")));
        let line = "benchtop filter run flatness --filter subtask:color --flag 30";
        let flat: String = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            flat.contains("filter run flatness --filter subtask:color --flag 30"),
            "{shown}"
        );
        seat.keys("<enter>");
        seat.wait_for(wording::RULE_SAVED);
        let scored = |bench: &Bench| {
            let all = bench.client("ann").ask(request::Scorers).unwrap();
            let found = all.into_iter().find(|s| s.scorer == Scorer::Flatness);
            found.unwrap().items[usize::from(ScoreState::Scored.code())]
        };
        let root = other.project().root().to_path_buf();
        let line = format!("{line} --project {}", root.display());
        run_elsewhere(&line, &bench, &other);
        let until = std::time::Instant::now() + super::support::PATIENCE;
        while scored(&bench) != scored(&other) {
            assert!(std::time::Instant::now() < until);
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(scored(&bench) > 0);
        let rules = |bench: &Bench| bench.project().config().rules.clone();
        assert_eq!(rules(&bench), rules(&other));
        assert_eq!(rules(&bench).rules.len(), 1);
    }
}
