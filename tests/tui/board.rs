//! The leaderboard, from the table down to the item.

use std::path::Path;

use super::support::Bench;

fn bench() -> Bench {
    let bench = Bench::empty();
    bench.import(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/fixtures/small"));
    bench
}

#[test]
fn three_shows_the_leaderboard_and_enter_goes_down_to_the_item() {
    let bench = bench();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("3");
    let shown = seat.wait_for("alpha");
    assert!(shown.contains("beta") && shown.contains("aAcc"), "{shown}");
    seat.keys("l<enter>");
    let shown = seat.wait_for("answers of ");
    assert!(shown.contains("read as"), "{shown}");
    seat.keys("q");
    seat.wait_gone("answers of ");
    seat.wait_for("alpha");
    seat.keys("<enter>");
    seat.wait_for("answers of ");
    seat.keys("jj");
    seat.keys("1");
    let shown = seat.wait_for("Is the baker wearing a hat?");
    assert!(shown.contains("▌1 Review") && shown.contains("#5  pending"), "{shown}");
}

#[test]
fn q_on_the_leaderboard_goes_back_to_the_review() {
    let bench = bench();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("n");
    seat.on(2);
    seat.keys("3");
    seat.wait_for("alpha");
    seat.keys("q");
    seat.on(2);
    seat.judge(2, "a");
}

#[test]
fn a_project_without_answers_says_what_is_missing() {
    let bench = Bench::plain(2);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("3");
    seat.wait_for("import");
    seat.keys("q");
    seat.on(1);
}
