//! The leaderboard, from the table down to the item.

use std::path::Path;

use benchtop::model::{
    Act, Choice, CommentAct, Judgement, QuestionKind, Role, Seen, Variant, Verdict,
};
use benchtop::protocol::Client;
use benchtop::protocol::wire::{Decide, request};
use uuid::Uuid;

use super::support::{Bench, Seat, question};
use crate::support::{has_line, wording};

fn bench() -> Bench {
    let bench = Bench::empty();
    bench.import(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/fixtures/small"));
    bench
}

#[test]
fn the_leaderboard_opens_cells_answers_and_items() {
    let bench = bench();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gb");
    let shown = seat.wait_for("alpha");
    assert!(shown.contains("beta") && shown.contains("aAcc"), "{shown}");
    seat.keys("ll<enter>");
    let shown = seat.wait_for(wording::ANSWERS_OF);
    assert!(shown.contains(wording::READ_AS), "{shown}");
    seat.keys("q");
    seat.wait_gone(wording::ANSWERS_OF);
    seat.wait_for("alpha");
    seat.keys("<enter>");
    seat.wait_for(wording::ANSWERS_OF);
    seat.keys("jj");
    seat.keys("gr");
    let shown = seat.wait_for("Is the baker wearing a hat?");
    assert!(
        shown.contains("▌Review") && shown.contains("#5  pending"),
        "{shown}"
    );
}

#[test]
fn an_answer_opens_all_models_and_its_item_and_returns() {
    let bench = bench();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gb");
    seat.wait_for("alpha");
    seat.keys("ll<enter>");
    seat.wait_for(wording::ANSWERS_OF);
    let at = |shown: &str| {
        shown
            .lines()
            .skip(2)
            .find(|line| line.starts_with('▌'))
            .unwrap_or_default()
            .to_string()
    };
    seat.keys("jj");
    let row = at(&seat.wait_until("the third row", |s| at(s).contains("pair 220")));
    seat.keys("<enter>");
    let shown = seat.wait_for("2 answers: ");
    assert!(
        shown.contains("Is the baker wearing a hat?")
            && shown.contains("alpha")
            && shown.contains("beta"),
        "{shown}"
    );
    assert!(shown.contains(wording::ANSWER_KEY), "{shown}");
    // On to the next answer of the list, and back.
    seat.keys("n");
    seat.wait_for("#6 ");
    seat.keys("n");
    seat.wait_for(wording::LAST_ANSWER);
    seat.keys("p");
    seat.wait_for("#5 ");
    // Enter reviews the item; both keys for back come to the answers again.
    for back in ["q", "<esc>"] {
        seat.keys("<enter>");
        let shown = seat.wait_for("▌Review");
        assert!(
            shown.contains("#5  pending") || seat.wait_for("#5  pending").contains("#5"),
            "{shown}"
        );
        seat.keys(back);
        seat.wait_for("2 answers: ");
    }
    seat.keys("q");
    let shown = seat.wait_for(wording::ANSWERS_OF);
    assert_eq!(at(&shown), row);
    // From anywhere else back means what it always does.
    seat.keys("<enter>");
    seat.wait_for("2 answers: ");
    seat.keys("<enter>");
    seat.wait_for("▌Review");
    seat.keys("gigr");
    seat.on(5);
    seat.leave("q");
}

#[test]
fn published_rows_are_dimmed_beside_scored_rows() {
    let bench = bench();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gb");
    seat.wait_row(&["1-2", "2"]);
    seat.keys("p");
    let shown = seat.wait_row(&["MVP-Bench"]);
    assert!(
        !has_line(&shown, &["Dysca"]),
        "only papers with a column here: {shown}"
    );
    seat.keys("<down><down><enter>");
    let shown = seat.wait_row(&["4", "MVP-Bench"]);
    assert!(
        has_line(&shown, &["1-6", "6"]) && shown.contains("DeepSeek-VL (1.3B) "),
        "{shown}"
    );
    let ranked = |shown: &str| {
        shown
            .lines()
            .any(|l| l.contains("alpha") && l.contains("1-2"))
    };
    seat.wait_until("ranks of the scored ones", ranked);
    seat.keys("/GPT-4o<enter>");
    seat.wait_for("MVP-Bench, Table");
    seat.keys("/qAcc.L_l<enter>");
    let shown = seat.wait_for("qAcc.L_l: 74.44 %");
    let printed = shown.lines().find(|l| l.contains("GPT-4o ")).unwrap();
    assert!(
        !printed.contains('=') && !printed.contains('*'),
        "no rank and no star: {printed}"
    );
    seat.keys("<enter>");
    seat.wait_for(wording::NOT_HERE);
    seat.keys("x");
    seat.wait_for(wording::NO_COMPARISON);
    seat.keys("v");
    seat.wait_for(wording::NO_BREAKDOWN);
    seat.keys("p<enter>");
    seat.wait_row(&["1-2", "2"]);
    seat.leave("q<ctrl-c>");
}

#[test]
fn q_on_the_leaderboard_goes_back_to_the_review() {
    let bench = bench();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("n");
    seat.on(2);
    seat.keys("gb");
    seat.wait_for("alpha");
    seat.keys("q");
    seat.on(2);
    seat.judge(2, "a<enter>");
}

#[test]
fn an_empty_leaderboard_names_what_is_missing() {
    let bench = Bench::plain(2);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gb");
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
        item.variant = Some(Variant {
            name: if corrupted { "corruption" } else { "clean" }.into(),
            ..Variant::default()
        });
        items += &(serde_json::to_string(&item).unwrap() + "\n");
        let right = [
            n % 12 != 0 && !(corrupted && n % 3 == 0),
            item.style.as_deref() != Some("oil"),
            false,
        ];
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
    client
        .ask(request::Decide(Decide {
            uuid: Uuid::now_v7(),
            number,
            expected: None,
            judgement,
        }))
        .unwrap();
}

#[test]
fn the_leaderboard_follows_the_filter_and_new_verdicts() {
    let bench = styled();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gb");
    let shown = seat.wait_for(&wording::board("all", "96 questions"));
    assert!(shown.contains("MC+TF"), "{shown}");
    seat.wait_until("ranks", |s| {
        s.lines().any(|l| l.contains("good") && l.contains("(1)"))
    });
    seat.keys("ftype:true-false");
    // Counted while the prompt is still open.
    let shown = seat.wait_row(&["48", "type:true-false"]);
    assert!(has_line(&shown, &["type:true-false"]), "{shown}");
    seat.keys("<esc>");
    seat.wait_for(&wording::board("all", "96 questions"));
    seat.keys("fstyle:oil<enter>");
    seat.wait_row(&["32", "style:oil"]);
    seat.keys("f<ctrl-u><enter>");
    seat.wait_for(&wording::board("all", "96 questions"));
    let client = bench.client("bob");
    (1..=3).for_each(|n| accept(&client, n));
    seat.keys("a");
    seat.wait_for(wording::CURATION_EFFECT);
    seat.keys("<down><enter>");
    seat.wait_for(&wording::board("accepted", "3 of 96 questions"));
    accept(&client, 4);
    seat.wait_for(&wording::board("accepted", "4 of 96 questions"));
    seat.leave("q<ctrl-c>");
}

#[test]
fn the_leaderboard_breaks_down_and_compares_models() {
    let bench = styled();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gb");
    seat.wait_for(&wording::board("all", "96 questions"));
    // `good` is ahead; `poor` errs in one style only.
    seat.keys("/poor<enter>v");
    seat.wait_row(&["poor"]);
    seat.wait_for("styles (SC)");
    seat.keys("<enter>");
    let shown = seat.wait_row(&["poor", "style"]);
    let style = |name: &str| {
        shown
            .lines()
            .find(|l| l.contains(&format!(" {name} ")))
            .unwrap()
            .to_string()
    };
    assert!(
        style("oil").contains("0.0") && style("ink").contains("100.0"),
        "{shown}"
    );
    seat.keys("G<enter>");
    seat.wait_for(&wording::behind("poor", "Acc.style.oil"));
    seat.keys("w");
    seat.wait_for(wording::ONLY_WRONG);
    seat.keys("qq/Acc.type.true-false<enter>x");
    seat.wait_row(&["x", "poor"]);
    seat.keys("/good<enter>x");
    let shown = seat.wait_row(&["poor", "good", "Acc.type.true-false"]);
    assert!(
        shown.contains(wording::EXACT_TEST) && shown.contains("95 % "),
        "{shown}"
    );
    seat.keys("j<enter>");
    let shown = seat.wait_for("Is kite");
    assert!(shown.contains("▌Items"), "{shown}");
    seat.leave("gr<ctrl-c>");
}

#[test]
fn reading_rules_are_switched_and_compared() {
    let bench = styled();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gb");
    seat.wait_for(&wording::board("all", "96 questions"));
    seat.keys("r");
    seat.wait_for("legacy-dysca@1");
    seat.keys("<down><down><enter>");
    seat.wait_row(&["96", "legacy-dysca@1"]);
    seat.keys("D");
    seat.wait_for(wording::RULES_MENU);
    seat.keys("<enter>");
    let shown = seat.wait_row(&["1st legacy-dysca@1"]);
    assert!(shown.contains("differ"), "{shown}");
    seat.keys("qlls");
    seat.wait_row(&["seed 1"]);
    seat.leave("q<ctrl-c>");
}

/// Questions of three levels with an option that declines, in two shuffles, and what `m` said to them by `says` (a letter).
fn graded(levels: [&str; 3], says: impl Fn(i64, usize) -> &'static str) -> Bench {
    let bench = Bench::empty();
    let folder = tempfile::tempdir().unwrap();
    let (mut items, mut answers) = (String::new(), String::new());
    for n in 0..120 {
        let at = (n % 3) as usize;
        let mut item = question(n + 1);
        item.kind = QuestionKind::MultipleChoice;
        // Beyond what can be answered, declining is right.
        let beyond = levels[at] == "beyond";
        let option = |text: &str, role| Choice {
            text: text.into(),
            role,
        };
        let declines = option("I cannot tell", Role::Refusal);
        let first = option(
            "True",
            if beyond {
                Role::Distractor
            } else {
                Role::Correct
            },
        );
        item.options = vec![first, option("False", Role::Distractor), declines];
        item.answer = if beyond { "I cannot tell" } else { "True" }.into();
        item.level = Some(levels[at].into());
        item.variant = Some(Variant {
            name: format!("shuffle-{}", n / 60 + 1),
            ..Variant::default()
        });
        items += &(serde_json::to_string(&item).unwrap() + "\n");
        let output = says(n / 3, at);
        answers +=
            &(serde_json::json!({ "question_id": n + 1, "output": output }).to_string() + "\n");
    }
    std::fs::write(folder.path().join("items.jsonl"), items).unwrap();
    std::fs::write(folder.path().join("m.jsonl"), answers).unwrap();
    bench.import(folder.path());
    bench
}

/// Takes the line of the open menu that says this, by its number.
fn take(seat: &mut Seat, what: &str) {
    let shown = seat.wait_for(what);
    let line = shown.lines().find(|l| l.contains(what)).unwrap();
    let number = line
        .split(['▌', '│', ' '])
        .find_map(|word| word.parse::<u32>().ok());
    seat.keys(
        &number
            .unwrap_or_else(|| panic!("no number: {line}"))
            .to_string(),
    );
}

#[test]
fn a_difficulty_curve_reports_a_rise() {
    // Easy: 30 of 40 right, medium 35, hard 10.
    let bench = graded(["medium", "hard", "easy"], |n, at| {
        if n < [35, 10, 30][at] { "(A)" } else { "(B)" }
    });
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gb");
    seat.wait_for(wording::BOARD_ALL);
    seat.keys("v");
    take(&mut seat, wording::CURVE_MENU);
    let shown = seat.wait_row(&["m", "Acc", "level"]);
    let at = |name: &str| {
        shown
            .lines()
            .position(|l| l.contains(&format!(" {name} ")))
            .unwrap()
    };
    assert!(
        at("easy") < at("medium") && at("medium") < at("hard"),
        "{shown}"
    );
    assert!(has_line(&shown, &["medium 87.5", "easy 75.0"]), "{shown}");
    seat.leave("qq<ctrl-c>");
}

#[test]
fn the_knowledge_quadrant_counts_and_opens_answers() {
    // Basic: 30 right, 4 declined, 6 wrong. Knowledge: 20 right, 10 declined, 10 wrong. Beyond: 25 declined, 15 wrong.
    let bench = graded(["basic", "knowledge", "beyond"], |n, at| match (at, n) {
        (0, 0..30) | (1, 0..20) => "(A)",
        (0, 30..34) | (1, 20..30) | (2, 0..25) => "(C)",
        _ => "(B)",
    });
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gb");
    seat.wait_for(wording::BOARD_ALL);
    seat.keys("v");
    take(&mut seat, wording::QUADRANT_MENU);
    let shown = seat.wait_row(&["m", "knowledge quadrant"]);
    let counts = |name: &str, n: u64| {
        shown
            .lines()
            .any(|l| l.contains(name) && l.contains(&format!(" {n} ")))
    };
    for (name, n) in [
        ("known knowns", 50),
        ("unknown knowns", 4),
        ("known unknowns", 35),
        ("unknown unknowns", 31),
    ] {
        assert!(counts(name, n), "{name} {n}: {shown}");
    }
    assert!(
        shown.contains("31 = 25.8 %") && shown.contains(wording::NOT_AWARE),
        "drawn too: {shown}"
    );
    seat.rest();
    seat.keys("<enter>");
    seat.wait_for(&wording::behind("m", "quadrant.known-knowns"));
    seat.wait_for("of 50");
    seat.keys("qj<enter>");
    let shown = seat.wait_for(&wording::behind("m", "quadrant.unknown-knowns"));
    assert!(
        shown.contains("of 4") && shown.contains("(refused)"),
        "{shown}"
    );
    seat.keys("qj<enter>");
    seat.wait_for(&wording::behind("m", "quadrant.known-unknowns"));
    seat.wait_for("of 35");
    seat.keys("q");
    seat.leave("qqq<ctrl-c>");
}

#[test]
fn stability_is_computed_by_the_owner_and_canceled_by_back() {
    let bench = styled();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gb");
    seat.wait_until("ranks", |s| {
        s.lines().any(|l| l.contains("good") && l.contains("(1)"))
    });
    seat.keys("/Acc.type.true-false<enter>v");
    seat.wait_for("stability");
    seat.keys("<up><enter>");
    let shown = seat.wait_for(wording::STABLE_ORDER);
    assert!(
        shown.contains(wording::OVER_PARTS) && shown.contains("100 %"),
        "{shown}"
    );
    let at = |name: &str| {
        shown
            .lines()
            .position(|l| l.contains(&format!(" {name} ")))
            .unwrap()
    };
    assert!(at("good") < at("none"), "best first: {shown}");
    seat.keys("<enter>");
    seat.wait_for(&wording::behind("good", "Acc.type.true-false"));
    seat.keys("qq");
    seat.wait_for(wording::BOARD_ALL);
    bench.freeze_owner();
    seat.keys("v<up><enter>");
    seat.wait_for(wording::LOADING);
    seat.keys("q");
    seat.wait_for(wording::BOARD_ALL);
    bench.thaw_owner();
    // The answer to the next question is there, and no curve came in its place.
    seat.keys("s");
    let shown = seat.wait_for(wording::NO_INTERVAL);
    assert!(
        shown.contains(wording::BOARD_ALL) && !shown.contains(wording::STABLE_ORDER),
        "{shown}"
    );
    seat.leave("q<ctrl-c>");
}

#[test]
fn an_error_is_labeled_at_one_key_and_is_undone_like_a_verdict() {
    let bench = bench();
    let mut seat = bench.seat("ann");
    let to_answer = |seat: &mut Seat| {
        seat.keys("gb");
        seat.wait_for("alpha");
        seat.keys("ll<enter>");
        seat.wait_for(wording::ANSWERS_OF);
        seat.keys("w");
        seat.wait_for("only wrong");
        seat.keys("<enter>");
        seat.wait_for("2 answers: ");
    };
    to_answer(&mut seat);
    seat.keys("e");
    seat.wait_for("comprehension");
    seat.keys("<down><down><enter>");
    seat.wait_for("error: reasoning (ann)");
    let labels = || -> Vec<Option<String>> {
        let acts = bench
            .journal("ann")
            .into_iter()
            .map(|decision| decision.act);
        acts.filter_map(|act| match act {
            Act::Comment(CommentAct::Label { label, .. }) => Some(label),
            _ => None,
        })
        .collect()
    };
    assert_eq!(labels(), [Some("reasoning".to_string())]);
    // Another label replaces it.
    seat.keys("e");
    seat.wait_for("comprehension");
    seat.keys("<enter>");
    seat.wait_for("error: perception (ann)");
    seat.wait_gone("error: reasoning (ann)");
    // Others see it, also after the owner ended.
    drop(seat);
    bench.stop_owner();
    bench.start_owner();
    let mut other = bench.seat("bob");
    to_answer(&mut other);
    other.wait_for("error: perception (ann)");
    let mut seat = bench.seat("ann");
    seat.keys("gr");
    seat.wait_for("▌Review");
    seat.keys("u");
    other.wait_for("error: reasoning (ann)");
    assert_eq!(labels().len(), 2);
}
