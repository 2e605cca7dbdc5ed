//! Unusual items, keys, and window sizes.

use benchtop::model::{Choice, ColorLevel, Item, Role};
use benchtop::tui::app::message::Message;
use benchtop::tui::terminal::Input;

use super::support::{Bench, Terminal, pictured, question};
use crate::support::{has_line, wording};
use benchtop::tui::action::Action;

#[test]
fn missing_and_broken_pictures_show_the_reason() {
    let items = [
        pictured(1, "gone.png"),
        pictured(2, "garbage.png"),
        pictured(3, "empty.jpg"),
        question(4),
    ];
    let bench = Bench::of(
        &items,
        &[("garbage.png", &[0x9b; 4096]), ("empty.jpg", b"")],
    );
    let mut seat = bench.seat("ann");
    let shown = seat.on(1);
    assert!(has_line(&shown, &["gone.png"]), "{shown}");
    assert!(shown.contains('╭'), "no frame:\n{shown}");
    seat.judge(1, "a<enter>");
    let shown = seat.on(2);
    assert!(shown.contains(wording::NO_PICTURE), "{shown}");
    seat.judge(2, "x1");
    let shown = seat.on(3);
    assert!(shown.contains(wording::NO_PICTURE), "{shown}");
    seat.judge(3, "s");
    seat.wait_for(wording::NO_PICTURE);
    seat.judge(4, "f");
    assert_eq!(
        bench.verdicts("ann"),
        ["1 accept", "2 reject", "3 skip", "4 flag"]
    );
}

#[test]
fn a_removed_picture_shows_the_reason() {
    let bench = Bench::sample();
    let images = bench.project().images();
    std::fs::remove_dir_all(&images).unwrap();
    let mut seat = bench.seat("ann");
    let shown = seat.on(1);
    assert!(shown.contains(wording::NO_PICTURE), "{shown}");
    seat.judge(1, "a<enter>");
}

#[test]
fn escape_sequences_in_data_never_reach_the_terminal() {
    let evil = "\x1b[2J\x1b]0;pwned\x07\x1b[31m\u{9b}2J\u{202e}\r\x08\x07";
    let say = |what: &str| format!("{what} {evil}{what}");
    let items: Vec<Item> = (1..=3)
        .map(|n| Item {
            question: say("is it"),
            prompt: Some(say("photo")),
            negative_prompt: Some(say("blur")),
            subtask: Some(say("sub")),
            style: Some(say("style")),
            level: Some(say("level")),
            answer: say("True"),
            options: vec![Choice {
                text: say("True"),
                role: Role::Correct,
            }],
            ..pictured(n, "kite\x1b]0;pwned\x07.png")
        })
        .collect();
    let bench = Bench::of(&items, &[]);
    let mut seat = bench.seat("ann");
    let shown = seat.on(1);
    assert!(shown.contains("is it ·[2J"), "{shown}");
    // A note and a search that are pasted hold them as well.
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(1));
    seat.keys("7");
    seat.send(Message::Input(Input::Paste(say("note")), 0));
    seat.wait_for("note ");
    seat.rest();
    seat.keys("<enter>");
    seat.wait_for("#1 saved");
    seat.keys("p");
    seat.wait_row(&["reject", "ann"]);
    seat.keys("/");
    seat.send(Message::Input(Input::Paste(say("words")), 0));
    seat.wait_for("words ");
    seat.keys("<enter>");
    seat.wait_for(" match");
    seat.keys("?");
    seat.wait_for(wording::help(Action::Accept));
    let raw = seat.raw();
    for bad in [
        b"\x1b]0".as_slice(),
        b"\x07",
        b"\x1b[31m\x1b",
        "\u{9b}".as_bytes(),
        "\u{202e}".as_bytes(),
        b"\x08",
        b"\r",
    ] {
        assert!(
            memchr::memmem::find(&raw, bad).is_none(),
            "{bad:?} came through"
        );
    }
    let clears = memchr::memmem::find_iter(&raw, b"\x1b[2J").count();
    assert!(clears <= 1, "the screen was cleared {clears} times");
}

#[test]
fn the_palette_runs_actions_by_name() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys(":flag");
    seat.wait_for(wording::help(Action::Flag));
    seat.keys("<enter>");
    seat.wait_for("#1 saved");
    assert_eq!(bench.verdicts("ann"), ["1 flag"]);
    seat.keys(":nothing like it");
    seat.keys("<enter>");
    seat.wait_for(wording::PALETTE_EMPTY);
    seat.keys("<esc>");
    seat.wait_gone("nothing like it");
}

#[test]
fn the_help_page_names_the_keys_of_the_pane() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            size: (120, 60),
            ..Terminal::default()
        },
    );
    seat.on(1);
    seat.keys("?");
    let shown = seat.wait_for(wording::help(Action::Accept));
    assert!(shown.contains(wording::help(Action::Undo)), "{shown}");
    // Keys of the pane below it do nothing here.
    seat.keys("a");
    seat.keys("?");
    seat.wait_gone(wording::help(Action::Accept));
    assert_eq!(bench.journal("ann").len(), 0);
}

#[test]
fn unusable_keys_show_the_reason() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat("ann");
    seat.on(1);
    for (key, why) in [
        ("Q", "`Q`"),
        ("F", Action::Frequency.name()),
        ("z", wording::NO_PIXELS),
        ("S", wording::SAMPLE_NEEDS_EMPTY),
        ("<pgdn>", wording::NO_MORE_TEXT),
        ("gQ", "`gQ`"),
    ] {
        seat.keys(key);
        seat.wait_for(why);
    }
}

#[test]
fn the_program_survives_every_window_size() {
    let bench = Bench::sample();
    let mut seat = bench.seat("ann");
    seat.on(1);
    for open in ["", "x", "?", ":", "/", "gb"] {
        seat.keys(open);
        for (width, height) in [
            (40, 12),
            (20, 5),
            (7, 3),
            (1, 1),
            (2, 40),
            (200, 1),
            (120, 40),
        ] {
            seat.resize(width, height);
        }
        seat.wait_until("the screen", |shown| {
            shown.lines().count() == 40 && shown.contains("6 Score")
        });
        if open == "gb" {
            seat.keys("gr");
        } else if !open.is_empty() {
            seat.keys("<esc>");
        }
    }
    seat.resize(40, 12);
    seat.wait_for("#1  pending");
    seat.resize(20, 5);
    seat.wait_for("#1");
    seat.resize(120, 40);
    seat.judge(1, "a");
}

#[test]
fn mono_terminals_need_no_colors() {
    let bench = Bench::sample();
    let terminal = Terminal {
        level: ColorLevel::Mono,
        theme: "mono",
        ..Terminal::default()
    };
    let mut seat = bench.seat_at("ann", terminal);
    seat.judge(1, "a");
    seat.keys("p");
    seat.wait_for("✓ accepted");
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(1));
    let raw = seat.raw();
    let mut reversed = false;
    for sequence in raw
        .split(|b| *b == 0x1b)
        .filter(|s| s.first() == Some(&b'['))
    {
        let Some(end) = sequence.iter().position(|b| b.is_ascii_alphabetic()) else {
            continue;
        };
        if sequence[end] != b'm' {
            continue;
        }
        for code in String::from_utf8_lossy(&sequence[1..end])
            .split(';')
            .filter_map(|c| c.parse::<u16>().ok())
        {
            assert!(
                !matches!(code, 30..=38 | 40..=48 | 90..=107),
                "a colour was set: {code}"
            );
            reversed |= code == 7;
        }
    }
    assert!(reversed, "the line under the cursor is not marked");
}

#[test]
fn accessible_mode_draws_no_frames() {
    let bench = Bench::of(&[pictured(1, "gone.png"), question(2)], &[]);
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            accessible: true,
            ..Terminal::default()
        },
    );
    seat.on(1);
    seat.judge(1, "a<enter>");
    seat.keys("p");
    // The item as it is after the verdict: a key on the one before it is rightly refused.
    seat.wait_for("✓ accepted");
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(1));
    seat.keys("<esc>?");
    seat.wait_for(wording::help(Action::Accept));
    let raw = String::from_utf8_lossy(&seat.raw()).into_owned();
    let boxes: Vec<char> = raw
        .chars()
        .filter(|c| matches!(c, '\u{2500}'..='\u{259f}'))
        .collect();
    assert!(boxes.is_empty(), "{boxes:?}");
}
