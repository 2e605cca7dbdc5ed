//! Key files and macros.

use benchtop::model::{Act, Verdict};

use super::support::{Bench, Terminal};
use crate::support::wording;
use benchtop::tui::action::Action;
use benchtop::tui::pane::PaneId;

fn with(keys: &'static str) -> Terminal {
    Terminal {
        keys,
        ..Terminal::default()
    }
}

#[test]
fn a_remapped_key_works_and_shows_in_bar_and_help() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat_at("ann", with("accept = \"y\"\n\"check tab\" = \"f2\"\n"));
    seat.on(1);
    seat.wait_for("y accept");
    let top = seat.text().lines().next().unwrap().to_string();
    assert!(top.contains("f2 Check"), "{top}");
    seat.keys("a");
    seat.wait_row(&["`a`", "?"]);
    seat.judge(1, "y");
    seat.keys("?");
    seat.wait_for(wording::help(Action::Accept));
    assert!(
        seat.text()
            .lines()
            .any(|l| l.trim_start().starts_with("y ") && l.contains(wording::help(Action::Accept)))
    );
    seat.keys("<esc>:items");
    seat.wait_for("> items");
    seat.wait_for(wording::help(Action::Go(PaneId::List)));
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
}

#[test]
fn a_begun_key_shows_every_pane_that_can_follow() {
    let bench = Bench::plain(3);
    for size in [(60, 16), (80, 24), (160, 50)] {
        let mut seat = bench.seat_at(
            "ann",
            Terminal {
                size,
                ..Terminal::DEFAULT
            },
        );
        seat.on(1);
        // The counts of the tab row may come later.
        let below = |shown: &str| shown.lines().skip(1).collect::<Vec<_>>().join("\n");
        let rest = below(&seat.settled());
        seat.keys("g");
        for pane in PaneId::ALL {
            let (name, _, keys) = pane.info().go;
            let (Some(key), Some(name)) = (keys[0].strip_prefix('g'), name.strip_prefix("go to "))
            else {
                panic!("{name} has no key after g");
            };
            seat.wait_for(&format!("{key} {name}"));
        }
        seat.keys("<esc>");
        seat.wait_until("the item again", |shown| below(shown) == rest);
    }
}

#[test]
fn a_wrong_key_file_is_reported_and_changes_no_key() {
    let bench = Bench::plain(2);
    let keys = with("skip = \"y\"\naccept = \"x\"\n");
    let home = Terminal {
        stays_home: true,
        ..keys
    };
    let mut seat = bench.seat_at("ann", home);
    seat.wait_row(&["keys.toml:2: field `accept`", "`x`"]);
    seat.keys("gr");
    seat.on(1);
    seat.judge(1, "s");
    assert_eq!(bench.verdicts("ann"), ["1 skip"]);
}

#[test]
fn menus_and_prompts_follow_the_key_file() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat_at(
        "ann",
        with("close = \"ctrl-g\"\nline-down = [\"down\", \"ctrl-n\"]\n"),
    );
    seat.on(1);
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(1));
    seat.keys("<ctrl-n><ctrl-n>");
    seat.keys("<esc>");
    seat.keys("<ctrl-g>");
    seat.wait_gone(&wording::reasons_asked(1));
    seat.keys("/axsu");
    seat.wait_for("find: axsu");
    seat.keys("<ctrl-g>");
    seat.wait_gone("find: axsu");
    assert!(bench.journal("ann").is_empty());
}

#[test]
fn ctrl_n_and_ctrl_p_move_in_a_menu() {
    let bench = Bench::plain(2);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(1));
    seat.keys("<ctrl-n><ctrl-n><ctrl-p><enter>");
    seat.wait_for("#1 saved");
    let Act::Judge(judged) = bench.journal("ann").remove(0).act else {
        panic!("no verdict")
    };
    assert_eq!(judged.reasons, ["low-quality"]);
}

#[test]
fn a_macro_gives_verdict_reasons_and_note_with_one_key() {
    let bench = Bench::plain(3);
    let keys = "[macros]\nwrong = { key = \"W\", verdict = \"reject\", reasons = [\"wrong-answer\"], note = \"#key checked\" }\n";
    let mut seat = bench.seat_at("ann", with(keys));
    seat.on(1);
    seat.keys("W");
    seat.wait_row(&["#1 wrong: reject: wrong-answer “#key checked”"]);
    seat.wait_for("#1 saved");
    let Act::Judge(judged) = bench.journal("ann").remove(0).act else {
        panic!("no verdict")
    };
    assert_eq!(
        (judged.verdict, judged.reasons),
        (Verdict::Reject, vec!["wrong-answer".to_string()])
    );
    assert_eq!(judged.note.as_deref(), Some("#key checked"));
    seat.on(2);
    seat.keys("?");
    seat.wait_for(wording::help(Action::Accept));
    seat.keys("<pgdn>");
    seat.wait_for(wording::USER_MACROS);
    seat.keys("<esc>u");
    seat.wait_for(&wording::taken_back(1));
}
