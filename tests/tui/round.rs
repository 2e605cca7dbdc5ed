//! Verification rounds: the form, the work, and blindness.

use benchtop::model::round::state::NextAssignment;
use benchtop::model::round::{Guidelines, NewRound, Order, Rate};
use benchtop::model::verdict::Part;
use benchtop::model::{Act, ColorLevel, Item, Judgement, Seen, Verdict};
use benchtop::protocol::wire::{Decide, request};
use uuid::Uuid;

use super::pair::{derived, kites};
use super::support::{Bench, PATIENCE, Seat, Terminal, question, snapshot};
use crate::support::{has_line, has_word, wording};

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

fn dated(name: &str, size: (u16, u16), shown: &str) {
    // The day it was made is another each day.
    let day = regex::Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d").unwrap();
    let shown = day.replace_all(shown, "2026-11-22 09:00:00").into_owned();
    snapshot(name, size, &shown);
}

fn at(size: (u16, u16)) -> Terminal {
    Terminal {
        size,
        ..Terminal::default()
    }
}

/// A round in the order of its items, so that the tests know which comes next.
fn plain(protocol: &str, people: &[&str]) -> NewRound {
    let people = people.iter().map(|p| p.to_string()).collect();
    NewRound {
        calibration: 0,
        repeats: Rate::NONE,
        probes: Rate::NONE,
        ..NewRound::new("first", protocol.parse().unwrap(), people, 1)
    }
}

fn make(bench: &Bench, new: NewRound) {
    bench
        .client("cem")
        .ask(request::NewRound {
            new: Box::new(new),
            dry: false,
        })
        .unwrap();
}

/// Judges outside of rounds: what practice is drawn from.
fn judge(bench: &Bench, number: u32, verdict: Verdict, reasons: &[&str]) {
    let reasons = reasons.iter().map(|r| r.to_string()).collect();
    let judgement = Judgement {
        reasons,
        ..Judgement::new(verdict, Seen::Painted)
    };
    let decide = Decide {
        uuid: Uuid::now_v7(),
        number,
        expected: None,
        judgement,
    };
    bench.client("cem").ask(request::Decide(decide)).unwrap();
}

/// Sits down and works on the only round there is.
fn begin(bench: &Bench, who: &str, terminal: Terminal) -> Seat {
    let mut seat = bench.seat_at(who, terminal);
    seat.on(1);
    seat.keys("go");
    seat.wait_for(wording::ROUND_LISTED);
    seat.keys("<enter>");
    seat
}

/// The parts of a journal's verdicts.
fn parts(bench: &Bench, who: &str) -> Vec<Part> {
    let part = |act| match act {
        Act::Judge(judged) => judged.round.map(|asked| asked.part),
        _ => None,
    };
    bench
        .journal(who)
        .into_iter()
        .filter_map(|d| part(d.act))
        .collect()
}

#[test]
fn the_first_round_is_drawn_in_a_form() {
    for size in SIZES {
        let bench = Bench::plain(12);
        let mut seat = bench.seat_at("ann", at(size));
        seat.on(1);
        seat.keys("go");
        dated("rounds_none", size, &seat.wait_for(wording::NO_ROUND));
        seat.keys("n");
        seat.wait_for("12 verdicts");
        seat.keys("<tab>both-accept");
        let form = seat.wait_for("✗ 1 annotators");
        dated("rounds_form", size, &super::forms::without_folder(&form));
        seat.keys("<tab>, bob");
        seat.wait_until("24 verdicts", |s| has_word(s, "24"));
        // A filter that is none is said where it stands, and no round is made of it.
        seat.keys("<tab>status:odd");
        seat.wait_for("✗ ");
        seat.keys("<enter>");
        seat.wait_for(wording::FIELD_UNREADABLE);
        seat.keys("<ctrl-u>subtask:odd");
        seat.wait_until("6 items", |s| has_word(s, "6 items"));
        seat.keys("<enter>");
        // A last look; a key too many draws nothing.
        let look = seat.wait_for(&wording::draw_asked("round-1"));
        assert!(
            has_line(&look, &["6 items", "12"]) && look.contains("ann, bob"),
            "{look}"
        );
        seat.keys("<enter>");
        seat.wait_gone(&wording::draw_asked("round-1"));
        seat.keys("<enter>");
        seat.wait_for(&wording::draw_asked("round-1"));
        seat.keys("1");
        seat.wait_row(&["`round-1`", "6 items", "12 verdicts"]);
        seat.keys("Q");
        seat.wait_row(&["round-1"]);
        dated("rounds", size, &seat.wait_gone(wording::ROUND_DRAWN));
        let rounds = bench.client("ann").ask(request::Rounds).unwrap();
        assert_eq!(
            (rounds[0].items, rounds[0].blind, rounds[0].people.len()),
            (6, true, 2)
        );
    }
}

#[test]
fn a_round_runs_to_its_end() {
    for size in SIZES {
        let bench = Bench::plain(3);
        make(&bench, plain("single", &["ann"]));
        let mut seat = begin(&bench, "ann", at(size));
        let first = seat.item(None);
        let shown = seat.wait_for("1 of 3");
        assert!(
            !shown.contains("✓0") && !shown.contains("✗0"),
            "a blind round shows no counts: {shown}"
        );
        dated("round_at_work", size, &seat.text());
        seat.keys("a");
        seat.wait_for(&format!("#{first} saved"));
        let second = seat.item(Some(first));
        // Passed over, it comes again at the end.
        seat.keys("s");
        let third = seat.item(Some(second));
        seat.keys("x1");
        assert_eq!(seat.item(Some(third)), second);
        seat.keys("m");
        dated("round_finished", size, &seat.wait_for(wording::ROUND_DONE));
        seat.keys("a");
        seat.wait_for(wording::NOTHING_TO_JUDGE);
        let said = bench.verdicts("ann");
        assert_eq!(
            said,
            [
                format!("{first} accept"),
                format!("{second} skip"),
                format!("{third} reject"),
                format!("{second} unsure")
            ]
        );
        assert_eq!(parts(&bench, "ann"), [Part::Main; 4]);
        // The last one is taken back, and comes again.
        seat.keys("u");
        assert_eq!(seat.item(None), second);
        seat.wait_for(&wording::taken_back(second));
        seat.keys("<esc>");
        seat.wait_for(&wording::given_back(second));
        seat.wait_for(wording::ROUND_LISTED);
    }
}

#[test]
fn mono_terminals_show_a_round_in_words() {
    let bench = Bench::plain(6);
    judge(&bench, 5, Verdict::Accept, &[]);
    judge(&bench, 6, Verdict::Reject, &["low-quality"]);
    make(
        &bench,
        NewRound {
            calibration: 2,
            filter: "status:pending".into(),
            ..plain("audit", &["ann", "bob"])
        },
    );
    let mono = Terminal {
        level: ColorLevel::Mono,
        theme: "mono",
        accessible: true,
        ..at((80, 24))
    };
    let mut seat = begin(&bench, "ann", mono);
    seat.item(None);
    seat.wait_for(wording::ASKED_CHECK);
    seat.keys("m");
    dated(
        "round_accessible",
        (80, 24),
        &seat.wait_for(wording::UNDECIDED),
    );
    seat.keys("go");
    dated(
        "rounds_accessible",
        (80, 24),
        &seat.wait_for("0 of 4 verdicts"),
    );
    // Coming back, what is in hand is still there.
    seat.keys("<enter>");
    seat.wait_for(wording::UNDECIDED);
    seat.keys("<enter>");
    let next = seat.item(None);
    seat.keys("go");
    seat.wait_for(wording::ROUND_LISTED);
    seat.keys("<enter>");
    assert_eq!(seat.item(None), next);
}

#[test]
fn practice_shows_the_known_answer_before_the_next_item() {
    for size in SIZES {
        let bench = Bench::plain(8);
        for number in 5..=8 {
            match number % 2 {
                0 => judge(&bench, number, Verdict::Accept, &[]),
                _ => judge(&bench, number, Verdict::Reject, &["low-quality"]),
            }
        }
        make(
            &bench,
            NewRound {
                calibration: 2,
                filter: "status:pending".into(),
                ..plain("single", &["ann"])
            },
        );
        let mut seat = begin(&bench, "ann", at(size));
        let first = seat.item(None);
        seat.wait_for("practice 1 of 2");
        assert!(first > 4, "{first} is no known item");
        seat.keys("a");
        let told = if first.is_multiple_of(2) {
            wording::KNOWN_GOOD
        } else {
            wording::WRONG_ITEM_LEFT
        };
        seat.wait_for(told);
        // No verdict is given to it again.
        seat.keys("a");
        seat.wait_for(wording::PRACTICE_JUDGED);
        seat.keys("<enter>");
        let second = seat.item(Some(first));
        seat.wait_for("practice 2 of 2");
        seat.keys("x1");
        let told = if second.is_multiple_of(2) {
            wording::GOOD_ITEM_REJECTED
        } else {
            wording::KNOWN_BAD
        };
        seat.wait_for(told);
        dated(
            "round_practice",
            size,
            &seat.wait_for(&format!("#{second} saved")),
        );
        seat.rest();
        seat.keys("<enter>");
        assert!(seat.item(Some(second)) <= 4);
        seat.wait_for("1 of 4");
        assert_eq!(parts(&bench, "ann"), [Part::Calibration; 2]);
    }
}

#[test]
fn annotators_of_a_blind_round_never_see_each_other() {
    let bench = Bench::plain(4);
    make(&bench, plain("both-accept", &["ann", "bob"]));
    let mut ann = begin(&bench, "ann", Terminal::default());
    let mut bob = begin(&bench, "bob", Terminal::default());
    // Everything that ann's screen ever showed is looked through, not only what stands at the end.
    let mut at_bob = bob.item(None);
    ann.item(None);
    let before = ann.raw().len();
    for round in 0..4 {
        bob.keys("x7");
        bob.wait_for("note:");
        bob.keys("zebra<enter>");
        bob.wait_for(&format!("#{at_bob} saved"));
        if round < 3 {
            at_bob = bob.item(Some(at_bob));
        }
    }
    bob.wait_for(wording::ROUND_DONE);
    let mut at_ann = ann.item(None);
    for round in 0..4 {
        ann.keys("a");
        ann.wait_for(&format!("#{at_ann} saved"));
        if round < 3 {
            at_ann = ann.item(Some(at_ann));
        }
    }
    ann.wait_for(wording::ROUND_DONE);
    let written = String::from_utf8_lossy(&ann.raw()[before..]).into_owned();
    for secret in [
        "zebra",
        "bob",
        "reject by",
        "rejected",
        "accepted",
        "pending",
    ] {
        assert!(!written.contains(secret), "ann's screen said {secret}");
    }
    // Nor is she marked as somebody who had seen it.
    assert_eq!(parts(&bench, "ann"), [Part::Main; 4]);
}

#[test]
fn leaving_gives_the_item_back_and_a_killed_terminal_loses_nothing() {
    let bench = Bench::plain(2);
    // One item is for one person: while ann has it, bob has none of it.
    make(
        &bench,
        NewRound {
            filter: "subtask:odd".into(),
            ..plain("single", &["ann", "bob"])
        },
    );
    let mut ann = begin(&bench, "ann", Terminal::default());
    ann.item(None);
    let mut bob = begin(&bench, "bob", Terminal::default());
    bob.wait_for(wording::LEASED);
    bob.wait_row(&["15 minutes"]);
    ann.keys("<esc>");
    ann.wait_for(&wording::given_back(1));
    bob.keys("<enter>");
    assert_eq!(bob.item(None), 1);
    // Bob's terminal is gone in the middle of it; back again, he is at the same item.
    drop(bob);
    let mut bob = bench.seat("bob");
    assert_eq!(bob.item(None), 1);
    bob.keys("a");
    bob.wait_for(wording::ROUND_DONE);
    drop(bob);
    assert_eq!(bench.verdicts("bob"), ["1 accept"]);
    assert_eq!(bench.journal("bob").len(), 1);
    // Quitting in the round gives the item back too.
    let bench = Bench::plain(2);
    make(
        &bench,
        NewRound {
            filter: "subtask:odd".into(),
            ..plain("single", &["ann", "bob"])
        },
    );
    let ann = begin(&bench, "ann", Terminal::default());
    ann.item(None);
    ann.leave("<ctrl-c>");
    let turn = bench
        .client("bob")
        .ask(request::Next("first".into()))
        .unwrap();
    assert!(
        matches!(&turn, NextAssignment::Item(served) if served.number == 1),
        "{turn:?}"
    );
}

#[test]
fn a_restarted_owner_keeps_the_item_and_the_half_typed_note() {
    let bench = Bench::plain(6);
    make(&bench, plain("single", &["ann"]));
    let mut ann = begin(&bench, "ann", Terminal::default());
    let first = ann.item(None);
    ann.keys("x7");
    ann.wait_for("note:");
    ann.keys("half a no");
    bench.kill_owner();
    ann.wait_for("owner");
    bench.start_owner();
    ann.wait_for(wording::CONNECTED_AGAIN);
    ann.keys("te<enter>");
    ann.wait_for(&format!("#{first} saved"));
    let second = ann.item(Some(first));
    // And a verdict on its way when the owner goes counts once.
    bench.freeze_owner();
    ann.keys("a");
    ann.wait_for("saving");
    bench.kill_owner();
    bench.start_owner();
    ann.wait_for(&format!("#{second} saved"));
    ann.item(Some(second));
    assert_eq!(
        bench.verdicts("ann"),
        [format!("{first} reject"), format!("{second} accept")]
    );
    let Act::Judge(judged) = &bench.journal("ann")[0].act else {
        panic!()
    };
    assert_eq!(judged.note.as_deref(), Some("half a note"));
}

#[test]
fn an_answer_round_never_shows_the_right_answer() {
    let mut free = question(2);
    (free.kind, free.options, free.answer) = (
        benchtop::model::QuestionKind::FreeForm,
        vec![],
        "a zebra".into(),
    );
    free.prompt = Some("a zebra on a kite".into());
    let mut asked = question(1);
    asked.options[1].text = "Perhaps".into();
    let items: [Item; 2] = [asked, free];
    for size in SIZES {
        let bench = Bench::of(&items, &[]);
        let order = NewRound {
            blind: false,
            order: Order::AsListed,
            ..plain("answer", &["ann"])
        };
        make(&bench, order);
        let mut seat = bench.seat_at("ann", at(size));
        seat.on(1);
        seat.keys("go");
        seat.wait_for(wording::ROUND_LISTED);
        let before = seat.raw().len();
        seat.keys("<enter>");
        assert_eq!(seat.item(None), 1);
        seat.wait_for(wording::ASKED_ANSWER);
        dated("round_answer", size, &seat.wait_for("A. True"));
        seat.keys("x");
        seat.wait_for(wording::ANSWER_WANTED);
        seat.keys_on("<esc>");
        seat.keys("c");
        seat.wait_row(&["2 options"]);
        seat.keys("b");
        seat.wait_for("#1 saved");
        assert_eq!(seat.item(Some(1)), 2);
        seat.keys("<enter>");
        seat.wait_for(wording::ANSWER_FIELD);
        seat.keys("<enter>");
        seat.wait_for(wording::ANSWER_LETTER);
        seat.keys("some kind of horse<enter>");
        seat.wait_for(wording::ROUND_DONE);
        let written = String::from_utf8_lossy(&seat.raw()[before..]).into_owned();
        for secret in ["zebra", "✓ A", "wanted", "seen from below", "answer   "] {
            assert!(!written.contains(secret), "the screen said {secret}");
        }
        let answers: Vec<Option<String>> = bench
            .journal("ann")
            .into_iter()
            .map(|d| {
                if let Act::Judge(j) = d.act {
                    j.answer
                } else {
                    None
                }
            })
            .collect();
        assert_eq!(
            answers,
            [
                Some("B".to_string()),
                Some("some kind of horse".to_string())
            ]
        );
    }
}

#[test]
fn guidelines_are_shown_first_and_after_changes() {
    let bench = Bench::plain(4);
    let file = bench.project().root().join("rules.md");
    std::fs::write(&file, "Kites are red.\nA red kite is fine.\n").unwrap();
    let guidelines = Some(Guidelines {
        path: "rules.md".into(),
        version: String::new(),
    });
    make(
        &bench,
        NewRound {
            guidelines,
            ..plain("single", &["ann"])
        },
    );
    let mut seat = begin(&bench, "ann", at((80, 24)));
    seat.wait_for("A red kite is fine.");
    seat.keys("<esc>");
    let first = seat.item(None);
    seat.keys("r");
    seat.wait_row(&["first", "rules.md"]);
    seat.keys("<esc>");
    seat.wait_gone("A red kite is fine.");
    std::fs::write(&file, "Kites are blue.\n").unwrap();
    seat.keys("a");
    seat.wait_for(&format!("#{first} saved"));
    seat.wait_for("Kites are blue.");
    seat.wait_for(wording::GUIDELINES_CHANGED);
    seat.keys("<esc>");
    let second = seat.item(Some(first));
    seat.keys("a");
    seat.wait_for(&format!("#{second} saved"));
    let version = |at: usize| match &bench.journal("ann")[at].act {
        Act::Judge(judged) => judged.round.clone().unwrap().guidelines,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        version(0),
        Some(Guidelines::version_of(
            b"Kites are red.\nA red kite is fine.\n"
        ))
    );
    assert_eq!(
        version(1),
        Some(Guidelines::version_of(b"Kites are blue.\n"))
    );
    drop(seat);
    // In a wide window they stand beside the item.
    let mut seat = bench.seat_at("ann", at((160, 50)));
    seat.item(None);
    let shown = seat.wait_for("Kites are blue.");
    assert!(shown.contains("Is kite"), "{shown}");
    seat.keys("r");
    seat.wait_gone("Kites are blue.");
}

#[test]
fn an_equivalence_round_shows_the_pair_and_its_question() {
    let mut changed = question(1);
    changed.question = "Is the kite on the left red?".into();
    changed
        .extra
        .insert("original_question".into(), "Is the kite red?".into());
    let bench = Bench::of(&[changed], &[]);
    make(&bench, plain("equivalence", &["ann", "bob"]));
    let mut seat = begin(&bench, "ann", at((160, 50)));
    seat.item(None);
    let shown = seat.wait_for(wording::ASKED_CHANGE);
    assert!(
        shown.contains(wording::SAME_ANSWER) && shown.contains(wording::OTHER_ANSWER),
        "{shown}"
    );
    assert!(shown.contains(wording::PROMPT_DIFF), "{shown}");
    seat.keys("x");
    seat.wait_row(&["another answer #1"]);
    seat.keys("1");
    seat.wait_for(wording::ROUND_DONE);
    assert_eq!(bench.verdicts("ann"), ["1 reject"]);
}

#[test]
fn a_blind_round_shows_a_derived_item_beside_its_original_without_the_ruling() {
    let files = kites();
    let files = files.each_ref().map(|(name, bytes)| (*name, &**bytes));
    let bench = Bench::of(&derived(), &files);
    make(&bench, plain("equivalence", &["ann", "bob"]));
    // The first item is shown outside of the round before.
    let mut seat = begin(&bench, "ann", at((160, 50)));
    let mut at_item = seat.item(None);
    if at_item == 1 {
        seat.keys("a");
        at_item = seat.item(Some(1));
    }
    assert_eq!(at_item, 2);
    let shown = seat.wait_until("both pictures", |s| {
        s.contains("A original") && s.contains("B V1, asked about")
    });
    assert!(
        shown.contains("a tail") && shown.contains(wording::PROMPT_DIFF),
        "{shown}"
    );
    seat.keys("o");
    let shown = seat.wait_for("lineage of kites/9");
    assert!(shown.contains("a tail"), "{shown}");
    seat.keys("<esc>");
    let said = String::from_utf8_lossy(&seat.raw()).into_owned();
    assert!(!said.contains("vlb-v1-add-object") && !said.contains("tries"));
}

#[test]
fn a_round_refuses_queue_keys_and_the_list_leaves_it() {
    let bench = Bench::plain(4);
    make(&bench, plain("single", &["ann"]));
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("nn");
    seat.on(3);
    seat.keys("go");
    seat.wait_for(wording::ROUND_LISTED);
    seat.keys("<enter>");
    let first = seat.item(None);
    for key in ["n", "<tab>", "/", "d"] {
        seat.keys(key);
        seat.wait_for(wording::IN_ORDER);
        if ["/", "d"].contains(&key) {
            seat.keys_on("<esc>");
        }
        seat.keys("Q");
        seat.wait_gone(wording::IN_ORDER);
    }
    seat.keys("e");
    seat.wait_for(wording::SCORES_HIDDEN);
    seat.keys("t");
    seat.wait_row(&["pace", "`first`"]);
    seat.keys("<esc>");
    // Another pane and back leaves the item in hand.
    seat.keys("gi");
    seat.wait_for("Is kite 2 red?");
    seat.keys("gr");
    assert_eq!(seat.item(None), first);
    seat.keys("gi");
    seat.wait_for("Is kite 2 red?");
    seat.keys("gg<enter>");
    seat.wait_for(&wording::given_back(first));
    seat.on(1);
    // The owner takes note of it after it has said so.
    let until = std::time::Instant::now() + PATIENCE;
    while bench
        .client("ann")
        .welcome()
        .place
        .as_ref()
        .is_none_or(|place| !place.round.is_empty())
    {
        assert!(
            std::time::Instant::now() < until,
            "the next start would come back to the round"
        );
    }
}

#[test]
fn strangers_are_refused_and_closing_ends_a_round() {
    let bench = Bench::plain(3);
    make(&bench, plain("single", &["ann"]));
    let mut bob = begin(&bench, "bob", Terminal::default());
    bob.wait_row(&["`first`", "ann", "bob"]);
    let mut ann = begin(&bench, "ann", Terminal::default());
    let first = ann.item(None);
    // What another rule would keep is for those whom it is not blind for.
    bob.keys("w1");
    bob.wait_row(&["`single`", "0"]);
    bob.keys("c");
    bob.wait_for(&wording::close_asked("first"));
    bob.keys("1");
    bob.wait_for(&wording::closed("first"));
    // What is in hand may be finished.
    ann.keys("a");
    ann.wait_for(&format!("#{first} saved"));
    ann.wait_for(&wording::closed("first"));
    assert_eq!(bench.verdicts("ann"), [format!("{first} accept")]);
}

#[test]
fn unsure_is_a_verdict_outside_of_rounds_too() {
    let bench = Bench::plain(2);
    let mut seat = bench.seat("ann");
    seat.judge(1, "m");
    seat.keys("p");
    seat.wait_for("#1  ! flagged");
    assert_eq!(bench.verdicts("ann"), ["1 unsure"]);
    seat.keys("u");
    seat.wait_for("#1  pending");
}
