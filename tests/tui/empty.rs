//! What the panes of an empty project show, and where their keys lead.

use benchtop::tui::action::Action;
use benchtop::tui::pane::PaneId;

use super::support::{Bench, Terminal};

/// The start of the sentence about a pane, which fits on its line.
pub fn start(id: PaneId) -> String {
    let words: Vec<&str> = id.info().purpose.about.split(' ').collect();
    words[..5].join(" ")
}

#[test]
fn every_pane_of_an_empty_project_says_how_to_begin() {
    let bench = Bench::empty();
    for size in [(60, 16), (80, 24), (160, 50)] {
        let mut seat = bench.seat_at(
            "ann",
            Terminal {
                size,
                ..Terminal::DEFAULT
            },
        );
        let has_begun = [PaneId::Home, PaneId::Vocabulary, PaneId::Templates];
        for id in PaneId::ALL
            .into_iter()
            .filter(|id| !has_begun.contains(id) && !id.is_form())
        {
            let info = id.info();
            seat.keys(info.go.2[0]);
            seat.wait_for(&start(id));
            let leads_home = info.needs_items || info.begin.0 == Action::HomeTab;
            if leads_home {
                seat.wait_for("1  opens Home");
                seat.keys("1");
                seat.wait_for("Three ways to begin");
            }
        }
        // The remaining ones lead to a pane of their own.
        for (id, next) in [
            (PaneId::Adjudicate, PaneId::Rounds),
            (PaneId::Agreement, PaneId::Review),
        ] {
            seat.keys(id.info().go.2[0]);
            seat.wait_for(&start(id));
            seat.keys(next.info().go.2[0]);
            seat.wait_for(&start(next));
        }
    }
}

#[test]
fn a_verdict_without_items_names_the_pane_that_adds_them() {
    let bench = Bench::empty();
    let mut seat = bench.seat("ann");
    seat.keys("gr");
    seat.wait_for(&start(PaneId::Review));
    seat.keys("s");
    seat.wait_row(&["warning", "Home"]);
    assert!(bench.verdicts("ann").is_empty());
}

#[test]
fn a_board_without_answers_names_the_keys_that_bring_them() {
    let bench = Bench::plain(3);
    for size in [(60, 16), (80, 24)] {
        let mut seat = bench.seat_at(
            "ann",
            Terminal {
                size,
                ..Terminal::DEFAULT
            },
        );
        seat.keys("gb");
        seat.wait_for(&start(PaneId::Board));
        seat.wait_row(&["gm", "answers"]);
    }
}

#[test]
fn all_ways_to_begin_fit_a_small_screen() {
    let bench = Bench::empty();
    let seat = bench.seat_at(
        "ann",
        Terminal {
            size: (60, 16),
            stays_home: true,
            ..Terminal::DEFAULT
        },
    );
    for (key, word) in [("S", "Look"), ("c", "Compose"), ("i", "Import")] {
        seat.wait_row(&[&format!(" {key} "), word]);
    }
}
