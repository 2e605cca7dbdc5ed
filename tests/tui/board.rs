//! The leaderboard, from the table down to the item.

use std::path::Path;

use benchtop::model::{Judgement, QuestionKind, Seen, Variant, Verdict};
use benchtop::owner::Client;
use benchtop::owner::wire::{Ask, Decide};
use uuid::Uuid;

use super::support::{Bench, question};

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
    seat.keys("ll<enter>");
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

/// Questions of two types and three styles, clean and corrupted, with the answers of three models: `good` is right but for a few,
/// `poor` errs in one style, `none` always says the same.
fn styled() -> Bench {
    let bench = Bench::empty();
    let folder = tempfile::tempdir().unwrap();
    let (mut items, mut answers) = (String::new(), [const { String::new() }; 3]);
    for n in 1..=96 {
        let mut item = question(n);
        if n % 2 == 0 {
            item.kind = QuestionKind::MultipleChoice;
        }
        item.style = Some(["ink", "oil", "pixel"][n as usize / 2 % 3].into());
        let corrupted = n % 8 >= 6;
        item.variant =
            Some(Variant { name: if corrupted { "corruption" } else { "clean" }.into(), ..Variant::default() });
        items += &(serde_json::to_string(&item).unwrap() + "\n");
        let right = [n % 12 != 0 && !(corrupted && n % 3 == 0), item.style.as_deref() != Some("oil"), false];
        for (lines, right) in answers.iter_mut().zip(right) {
            let said = if right { "(A) True" } else { "(B) False" };
            *lines += &(serde_json::json!({ "question_id": n, "output": said }).to_string() + "\n");
        }
    }
    std::fs::write(folder.path().join("items.jsonl"), items).unwrap();
    for (name, lines) in ["good", "poor", "none"].iter().zip(answers) {
        std::fs::write(folder.path().join(format!("{name}.jsonl")), lines).unwrap();
    }
    bench.import(folder.path());
    bench
}

fn accept(client: &Client, number: u32) {
    let judgement = Judgement::new(Verdict::Accept, Seen::Painted);
    client.ask(Ask::Decide(Decide { uuid: Uuid::now_v7(), number, expected: None, judgement })).unwrap();
}

#[test]
fn a_filter_scores_as_it_is_typed_and_what_people_accept_is_followed() {
    let bench = styled();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("3");
    let shown = seat.wait_for("leaderboard on all items: 96 questions");
    assert!(shown.contains("MC+TF"), "{shown}");
    seat.wait_until("ranks", |s| s.lines().any(|l| l.contains("good") && l.contains(" 1 ")));
    seat.keys("ftype:true-false");
    // Counted while the prompt is still open.
    let shown = seat.wait_for("48 questions  only type:true-false");
    assert!(shown.contains("score only: type:true-false"), "{shown}");
    seat.keys("<esc>");
    seat.wait_for("leaderboard on all items: 96 questions");
    seat.keys("fstyle:oil<enter>");
    seat.wait_for("32 questions  only style:oil");
    seat.keys("f<ctrl-u><enter>");
    seat.wait_for("leaderboard on all items: 96 questions");
    let client = bench.client("bob");
    (1..=3).for_each(|n| accept(&client, n));
    seat.keys("a");
    seat.wait_for("what the hand work changed");
    seat.keys("<down><enter>");
    seat.wait_for("leaderboard on accepted items: 3 of 96 questions");
    accept(&client, 4);
    seat.wait_for("leaderboard on accepted items: 4 of 96 questions");
    seat.leave("q<ctrl-c>");
}

#[test]
fn a_model_is_broken_down_and_two_are_compared_down_to_their_items() {
    let bench = styled();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("3");
    seat.wait_for("leaderboard on all items: 96 questions");
    // `good` is ahead; `poor` errs in one style only.
    seat.keys("/poor<enter>v");
    seat.wait_for("poor by");
    seat.wait_for("styles (SC)");
    seat.keys("<enter>");
    let shown = seat.wait_for("poor by style");
    let style = |name: &str| shown.lines().find(|l| l.contains(&format!(" {name} "))).unwrap().to_string();
    assert!(style("oil").contains("0.0") && style("ink").contains("100.0"), "{shown}");
    seat.keys("G<enter>");
    seat.wait_for("answers of poor behind Acc.style.oil");
    seat.keys("w");
    seat.wait_for("only wrong");
    seat.keys("qq/Acc.type.true-false<enter>x");
    seat.wait_for("on another model: against poor");
    seat.keys("/good<enter>x");
    let shown = seat.wait_for("poor against good by Acc.type.true-false");
    assert!(shown.contains("McNemar, exact") && shown.contains("95 % "), "{shown}");
    seat.keys("j<enter>");
    let shown = seat.wait_for("Is kite");
    assert!(shown.contains("▌2 Items"), "{shown}");
    seat.leave("1<ctrl-c>");
}

#[test]
fn rules_are_switched_and_held_against_each_other() {
    let bench = styled();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("3");
    seat.wait_for("leaderboard on all items: 96 questions");
    seat.keys("r");
    seat.wait_for("legacy-dysca@1");
    seat.keys("<down><down><enter>");
    seat.wait_for("by legacy-dysca@1 (");
    seat.keys("D");
    seat.wait_for("which answers are read as something else by");
    seat.keys("<enter>");
    let shown = seat.wait_for("1st legacy-dysca@1 against 2nd each question's own rule");
    assert!(shown.contains("differ"), "{shown}");
    seat.keys("qlls");
    seat.wait_for("draws, seed 1");
    seat.leave("q<ctrl-c>");
}
