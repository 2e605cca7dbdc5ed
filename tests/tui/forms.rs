//! Forms: what they show, the command line that does the same, and what enter does.

use std::path::Path;
use std::process::Command;

use benchtop::protocol::wire::request;

use super::support::{BENCHTOP, Bench, Seat, Terminal, snapshot};
use crate::support::wording;

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

fn at(size: (u16, u16)) -> Terminal {
    Terminal {
        size,
        stays_home: true,
        ..Terminal::default()
    }
}

/// A screen without the name of the temporary folder.
pub(super) fn without_folder(shown: &str) -> String {
    let folder = regex::Regex::new(r"/tmp/\.tmp\w{6}").unwrap();
    folder.replace_all(shown, "/tmp/.tmpXXXXXX").into_owned()
}

fn placed(name: &str, size: (u16, u16), shown: &str) {
    snapshot(name, size, &without_folder(shown));
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Replaces the text of the current field.
fn type_over(seat: &mut Seat, text: &str) {
    seat.keys("<ctrl-e><ctrl-u>");
    seat.keys(text);
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn what_the_items_pane_shows_is_exported() {
    for size in SIZES {
        let (bench, dir) = (Bench::plain(12), folder());
        let mut seat = bench.seat_at("ann", at(size));
        seat.keys("gi");
        seat.wait_for("Is kite 1 red?");
        seat.keys("/subtask:odd<enter>");
        seat.wait_gone("Is kite 2 red?");
        seat.keys("gx");
        let shown = seat.wait_for(" 6 items");
        assert!(shown.contains("subtask:odd --out"), "{shown}");
        placed("export_form", size, &shown);
        let out = dir.path().join("odd.jsonl");
        seat.keys("<down><down>");
        type_over(&mut seat, out.to_str().unwrap());
        seat.wait_for("--out");
        seat.keys("<enter>");
        seat.wait_for(&wording::exported(6));
        assert_eq!(lines(&out), 6);
        // Back in the list; a second time the file is replaced only after a question.
        seat.wait_for("Is kite 1 red?");
        std::fs::write(&out, "mine\n").unwrap();
        seat.keys("gx");
        seat.wait_for("replaces a file");
        seat.keys("<enter>");
        seat.wait_for(wording::REPLACE);
        seat.keys("<enter>");
        seat.wait_gone(wording::REPLACE);
        assert_eq!(lines(&out), 1, "the cursor starts on the safe line");
        seat.keys("<enter>");
        seat.wait_for(wording::REPLACE);
        seat.keys("1");
        seat.wait_for(&wording::exported(6));
        assert_eq!(lines(&out), 6);
    }
}

#[test]
fn the_command_line_of_the_form_writes_the_same_file() {
    let (bench, dir) = (Bench::plain(3), folder());
    let terminal = Terminal {
        size: (300, 60),
        ..at((0, 0))
    };
    let mut seat = bench.seat_at("ann", terminal);
    let form = dir.path().join("it's mine.json");
    seat.keys("gx<down>");
    type_over(&mut seat, "NOT subtask:even");
    seat.keys("<down>");
    type_over(&mut seat, form.to_str().unwrap());
    let shown = seat.wait_for(" 2 items");
    let line = shown
        .lines()
        .find_map(|line| line.trim().strip_prefix("$ "));
    let line = line.unwrap().trim().to_string();
    seat.keys("<enter>");
    seat.wait_for(&wording::exported(2));
    let written = std::fs::read(&form).unwrap();
    std::fs::remove_file(&form).unwrap();
    let line = line.replacen("benchtop", BENCHTOP, 1);
    let done = Command::new("sh")
        .args(["-c", &line])
        .env("XDG_CONFIG_HOME", bench.person())
        .env("BENCHTOP_AS", "ann")
        .output()
        .unwrap();
    assert!(done.status.success(), "{line}\n{done:?}");
    assert_eq!(std::fs::read(&form).unwrap(), written);
}

#[test]
fn homes_export_step_opens_the_form_on_accepted_items() {
    let bench = Bench::plain(2);
    let mut seat = bench.seat("ann");
    seat.judge(1, "a");
    seat.judge(2, "s");
    seat.keys("gh");
    seat.wait_for("Export accepted items");
    let shown = seat.text();
    let next: Vec<&str> = shown
        .lines()
        .skip_while(|l| !l.contains("Next"))
        .skip(1)
        .collect();
    let down = next
        .iter()
        .position(|l| l.contains("Export accepted"))
        .unwrap();
    seat.keys(&"j".repeat(down));
    seat.keys("<enter>");
    seat.wait_for("--filter status:accepted");
    seat.wait_for(" 1 item");
    seat.keys("<esc>");
    seat.wait_for("Export accepted items");
}

#[test]
fn a_refused_export_is_said_at_its_field() {
    let bench = Bench::plain(2);
    let mut seat = bench.seat_at("ann", at((80, 24)));
    seat.keys("gx<down>");
    type_over(&mut seat, "status:odd");
    seat.wait_for("✗ ");
    seat.keys("<enter>");
    seat.wait_for(wording::FIELD_UNREADABLE);
    type_over(&mut seat, "");
    seat.keys("<down>");
    type_over(&mut seat, "/proc/nowhere/items.jsonl");
    seat.wait_for(" 2 items");
    seat.keys("<enter>");
    // The form stays, with the reason.
    seat.wait_for("✗ ");
    assert!(bench.client("ann").ask(request::Jobs).unwrap().is_empty());
}

#[test]
fn a_model_is_asked_and_the_job_is_in_jobs() {
    for size in SIZES {
        let bench = Bench::plain(4);
        let mut seat = bench.seat_at("ann", at(size));
        // Nobody listens there: the job waits for its server.
        seat.keys("ge");
        seat.keys("mine<down>http://127.0.0.1:9/v1<down><down><down>");
        type_over(&mut seat, "subtask:odd");
        let shown = seat.wait_for(" 2 questions about 2 items");
        assert!(shown.contains("to http://127.0.0.1:9"), "{shown}");
        placed("evaluate_form", size, &shown);
        seat.keys("<enter>");
        seat.wait_row(&["mine"]);
        let client = bench.client("ann");
        let run = loop {
            let jobs = client.ask(request::Jobs).unwrap();
            if let Some(run) = jobs.into_iter().find_map(|job| job.run) {
                break run;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        };
        assert_eq!((run.model.as_str(), run.label.as_str()), ("mine", "mine"));
    }
}

#[test]
fn nothing_is_sent_to_a_server_that_was_not_agreed_to() {
    let bench = Bench::plain(4);
    let mut seat = bench.seat_at("ann", at((120, 40)));
    seat.keys("ge");
    seat.keys("mine<down>https://api.example.com/v1<down>A_KEY<down><down>");
    type_over(&mut seat, "");
    // The owner has no such variable.
    seat.wait_for("error: the environment variable A_KEY");
    seat.keys("<up><up>");
    type_over(&mut seat, "");
    seat.keys("<down><down>");
    type_over(&mut seat, "");
    seat.wait_for("not agreed");
    seat.keys("<enter>");
    seat.wait_for(wording::AGREEMENT_ASKED);
    seat.keys("<enter>");
    seat.wait_gone(wording::AGREEMENT_ASKED);
    assert!(bench.client("ann").ask(request::Jobs).unwrap().is_empty());
}

/// A file with `n` questions in Dysca's form.
fn questions(path: &Path, n: u32) {
    let row =
        |n| format!("{{\"id\": {n}, \"question\": \"Is kite {n} red?\", \"answer\": \"yes\"}}\n");
    std::fs::write(path, (1..=n).map(row).collect::<String>()).unwrap();
}

#[test]
fn a_file_is_picked_recognized_and_imported() {
    for size in SIZES {
        let (bench, dir) = (Bench::empty(), folder());
        let sets = dir.path().join("sets");
        std::fs::create_dir_all(sets.join("deeper")).unwrap();
        questions(&sets.join("kites.jsonl"), 5);
        std::fs::write(sets.join("notes.txt"), "hello\n").unwrap();
        std::fs::write(sets.join(".hidden"), "").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", sets.join("link")).unwrap();
        let mut seat = bench.seat_at("ann", at(size));
        // A dropped folder is jumped to, from Home.
        seat.paste(&format!("'{}/'", sets.display()));
        seat.wait_for("deeper/");
        seat.keys("kit");
        let shown = seat.wait_for(" 5 items");
        assert!(shown.contains("Is kite 3 red?"), "{shown}");
        seat.keys("<backspace><backspace><backspace>");
        seat.wait_for("link (a link, not followed)");
        seat.keys("<down>");
        placed("import_form", size, &seat.wait_for(" 5 items"));
        seat.keys("<down>");
        seat.wait_for("a link to /etc/passwd");
        seat.keys("<down>");
        seat.wait_for("not recognized");
        seat.keys("<enter>");
        seat.wait_for("notes.txt");
        // Up, and back into the same folder.
        seat.keys("<left>");
        seat.wait_for("▌sets/");
        seat.keys("<right>");
        seat.wait_for("deeper/");
        seat.keys("<down><enter>");
        seat.wait_for(&wording::imported(5));
        let items = bench.client("ann").welcome().items;
        assert_eq!(items, 5);
    }
}

#[test]
fn hostile_files_under_the_cursor_are_said_and_not_opened() {
    let (bench, dir) = (Bench::empty(), folder());
    let path = |name: &str| dir.path().join(name);
    let made = Command::new("mkfifo").arg(path("a-pipe")).status().unwrap();
    assert!(made.success());
    std::fs::write(path("b-\u{1b}[31mred.json"), [b'['; 50_000]).unwrap();
    let mut seat = bench.seat_at("ann", at((80, 24)));
    seat.keys("i");
    seat.paste(&format!("{}/", dir.path().display()));
    seat.wait_for("a-pipe (not a file)");
    seat.wait_for("not recognized");
    seat.keys("<down>");
    seat.wait_for("▌b-");
    seat.wait_for("not recognized");
    seat.keys("<esc>");
    seat.wait_for("Three ways to begin");
}
