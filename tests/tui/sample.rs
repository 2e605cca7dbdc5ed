//! The sample in every pane, and its removal by keys.

use benchtop::tui::pane::PaneId;

use super::empty::start;
use super::support::{Bench, Terminal};

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

/// What only this pane shows of the sample.
fn shows(id: PaneId) -> &'static str {
    match id {
        PaneId::Home => "Remove the sample",
        PaneId::Vocabulary => "rename term",
        PaneId::Templates => "templates.toml",
        PaneId::Coverage => "subject x style",
        PaneId::Generate => "sample job",
        PaneId::List => "sample/shape-01-color",
        PaneId::Filters => "flag 23.0",
        PaneId::Review => "drawn by benchtop",
        PaneId::Sheet => "turns the sheet",
        PaneId::Rounds => "by sample-cleo",
        PaneId::Adjudicate => "annotator 1",
        PaneId::Agreement => "sample-bob",
        PaneId::Board => "sample-large",
        PaneId::Import
        | PaneId::Evaluate
        | PaneId::Export
        | PaneId::Models
        | PaneId::People
        | PaneId::Scenario
        | PaneId::Release
        | PaneId::Scoring => unreachable!("forms"),
    }
}

fn at(bench: &Bench, size: (u16, u16)) -> super::support::Seat {
    let terminal = Terminal {
        size,
        stays_home: true,
        ..Terminal::DEFAULT
    };
    bench.seat_at("ann", terminal)
}

#[test]
fn one_key_fills_every_pane() {
    let bench = Bench::empty();
    let mut seat = at(&bench, SIZES[0]);
    seat.wait_for("Three ways to begin");
    seat.keys("S");
    seat.wait_for("removes it again");
    for size in SIZES {
        let mut seat = at(&bench, size);
        seat.wait_for(shows(PaneId::Home));
        for id in PaneId::ALL.into_iter().filter(|id| !id.is_form()) {
            seat.keys(id.info().go.2[0]);
            let shown = seat.wait_for(shows(id));
            assert!(!shown.contains(&start(id)), "{id:?} is empty:\n{shown}");
        }
    }
}

#[test]
fn one_key_takes_the_sample_away_from_everybody_after_a_question() {
    let bench = Bench::empty();
    let mut seat = at(&bench, SIZES[0]);
    seat.wait_for("Three ways to begin");
    seat.keys("S");
    seat.wait_for("removes it again");
    let mut other = bench.seat("bob");
    let shown = other.wait_for("drawn by benchtop");
    let number: u32 = shown
        .split_once('#')
        .and_then(|(_, rest)| rest.split(' ').next()?.parse().ok())
        .unwrap();
    other.judge(number, "a");
    seat.keys("X");
    let asked = seat.wait_for("Remove the sample?");
    assert!(asked.contains("1 verdict"), "{asked}");
    // The first line keeps it.
    seat.keys("<enter>");
    seat.wait_gone("Remove the sample?");
    assert_eq!(bench.verdicts("bob").len(), 1);
    seat.keys("X");
    seat.wait_for("Remove the sample?");
    seat.keys("2");
    bench.await_owner_end();
    bench.start_owner();
    seat.wait_for("Three ways to begin");
    other.wait_for(&start(PaneId::Review));
    for id in PaneId::ALL.into_iter().filter(|id| !id.is_form()) {
        for seat in [&mut seat, &mut other] {
            seat.keys(id.info().go.2[0]);
            let shown = seat.settled();
            assert!(
                !shown.contains("sample-") && !shown.contains("sample/"),
                "{id:?}:\n{shown}"
            );
        }
    }
    assert!(!bench.project().sessions().join("bob.jsonl").exists());
    seat.keys("gh");
    seat.wait_for("Three ways to begin");
    seat.keys("S");
    seat.wait_for(shows(PaneId::Home));
}
