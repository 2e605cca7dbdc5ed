//! Adjudication in the program: which names are shown, and what a settlement writes.

use benchtop::model::round::{Adjudication, Guidelines, NewRound, Protocol, Rate};
use benchtop::model::verdict::{Part, RoundContext};
use benchtop::model::{Act, ErrorKind, Judgement, PictureSeen, Seen, Verdict};
use benchtop::protocol::Client;
use benchtop::protocol::wire::{Decide, request};
use uuid::Uuid;

use super::support::{Bench, Seat, Terminal, pictured, question, snapshot};
use crate::support::{has_line, wording};

/// The people whose verdicts are settled; no part of these names is on any screen.
const PEOPLE: [&str; 2] = ["annika", "bobby"];

fn round(bench: &Bench, name: &str, change: impl FnOnce(&mut NewRound)) {
    let mut new = NewRound::new(
        name,
        Protocol::BothAccept,
        PEOPLE.map(String::from).into(),
        1,
    );
    (new.repeats, new.probes, new.calibration) = (Rate::NONE, Rate::NONE, 0);
    change(&mut new);
    bench
        .client("annika")
        .ask(request::NewRound {
            new: Box::new(new),
            dry: false,
        })
        .unwrap();
}

fn say(client: &Client, round: &str, number: u32, judgement: Judgement) {
    let asked = RoundContext {
        round: round.into(),
        part: Part::Main,
        guidelines: None,
        revealed: false,
    };
    let judgement = Judgement {
        round: Some(asked),
        ..judgement
    };
    let decide = Decide {
        uuid: Uuid::now_v7(),
        number,
        expected: None,
        judgement,
    };
    let _ = client.ask(request::Decide(decide)).unwrap();
}

fn noted(verdict: Verdict, note: &str) -> Judgement {
    Judgement {
        note: Some(note.into()),
        ms: Some(12_300),
        ..Judgement::new(verdict, Seen::Painted)
    }
}

/// Five items: both accept the second, they differ on the first and the third, the fourth was flagged.
fn differ(bench: &Bench, name: &str) {
    let [annika, bobby] = PEOPLE.map(|who| bench.client(who));
    say(
        &annika,
        name,
        1,
        noted(Verdict::Accept, "as red as it gets"),
    );
    say(&bobby, name, 1, noted(Verdict::Reject, "this is orange"));
    for who in [&annika, &bobby] {
        say(who, name, 2, noted(Verdict::Accept, "fine"));
    }
    let reasons = vec!["wrong-answer".to_string(), "unsafe".to_string()];
    say(
        &annika,
        name,
        3,
        Judgement {
            reasons,
            ..noted(Verdict::Reject, "no kite at all, only a long tail of cloud")
        },
    );
    say(
        &bobby,
        name,
        3,
        noted(Verdict::Fix, "say `above`, not `over`"),
    );
    say(&annika, name, 4, noted(Verdict::Flag, ""));
}

fn project() -> Bench {
    let bench = Bench::of(
        &[
            pictured(1, "gone.png"),
            question(2),
            question(3),
            question(4),
            question(5),
        ],
        &[],
    );
    round(&bench, "first", |_| {});
    differ(&bench, "first");
    bench
}

fn sit(bench: &Bench, who: &str) -> Seat {
    let mut seat = bench.seat(who);
    seat.on(1);
    seat.keys("gd");
    seat
}

/// Waits until item `n` is there to be settled, with its picture.
fn on(seat: &Seat, n: u32) -> String {
    let question = format!("Is kite {n} red?");
    let there =
        |s: &str| s.contains("annotator 1") && s.contains(&question) && !s.contains("loading");
    seat.wait_until(&format!("#{n} with its verdicts"), there)
}

/// The last verdict in the journal of `who`: the item's number, what was said.
fn last(bench: &Bench, who: &str) -> (String, Judgement) {
    let decision = bench.journal(who).pop().unwrap();
    let Act::Judge(judgement) = decision.act else {
        panic!("{:?}", decision.act)
    };
    (decision.item, judgement)
}

fn nameless(shown: &str) {
    assert!(PEOPLE.iter().all(|who| !shown.contains(who)), "{shown}");
}

#[test]
fn settling_a_dispute_needs_a_reason_and_hides_names() {
    let bench = project();
    let mut cem = sit(&bench, "cem");
    let shown = on(&cem, 1);
    for part in [
        "first (both-accept)",
        "1 of 3",
        "annotator 1",
        "annotator 2",
        "“this is orange”",
        "12.3 s",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
    nameless(&shown);
    // Without a why nothing is settled.
    // Its picture is missing, which is asked about first.
    cem.keys("a");
    cem.wait_for(wording::PICTURE_MISSING);
    cem.keys("<enter>");
    cem.wait_row(&["#1", "accepted"]);
    cem.keys("<enter>");
    cem.wait_for(wording::SAY_WHY);
    cem.keys("held beside a colour chart<enter>");
    cem.wait_for("#1 saved");
    nameless(&on(&cem, 3));
    let (item, judgement) = last(&bench, "cem");
    let asked = judgement.round.clone().unwrap();
    assert_eq!(
        (item.as_str(), judgement.verdict, asked.part),
        ("kites/1", Verdict::Accept, Part::Adjudication)
    );
    assert_eq!(
        judgement.note.as_deref(),
        Some("held beside a colour chart")
    );
    assert!(
        judgement.seen == Seen::Partly && judgement.ms.is_some(),
        "{judgement:?}"
    );
    assert_eq!(judgement.pictures, [PictureSeen::Missing]);
    // A rejection takes reasons and a why.
    cem.wait_for("no kite at all");
    cem.keys("x");
    cem.wait_row(&["#3", "rejected"]);
    cem.keys("4");
    cem.keys("<enter>");
    cem.wait_for(wording::NOTE_WANTED);
    cem.keys("nothing to see<enter>");
    cem.wait_for("#3 saved");
    let (_, judgement) = last(&bench, "cem");
    assert_eq!(
        (judgement.verdict, judgement.reasons),
        (Verdict::Reject, vec!["wrong-answer".to_string()])
    );
    // The last one; what is settled comes after it and shows by whom.
    cem.wait_for(&wording::settling(1, 3, 1, 2));
    on(&cem, 4);
    cem.keys("c");
    cem.wait_row(&["#4", "to fix"]);
    cem.keys("name the kite<enter>");
    cem.wait_for(&wording::all_settled(3));
    cem.keys("pp");
    cem.wait_until("who settled it", |s| {
        s.contains(&wording::settled_by("cem")) && s.contains("“held beside a colour chart”")
    });
    let status = |n| {
        bench
            .client("cem")
            .ask(request::Item(n))
            .map(|view| view.status.name())
    };
    assert_eq!(
        [1, 3, 4].map(|n| status(n).unwrap()),
        ["accepted", "rejected", "to-fix"]
    );
    nameless(&cem.text());
    // Another adjudicator is not told by whom.
    let dora = sit(&bench, "dora");
    let shown = dora.wait_for(&wording::settled_by("adjudicator"));
    assert!(!shown.contains("cem"), "{shown}");
}

#[test]
fn undo_reopens_a_dispute_and_new_disputes_appear() {
    let bench = project();
    let mut cem = sit(&bench, "cem");
    on(&cem, 1);
    cem.keys("a<enter>");
    cem.wait_for(wording::WHY);
    cem.keys("yes<enter>");
    cem.wait_for(&wording::settling(1, 3, 2, 1));
    cem.keys("u");
    cem.wait_for(&wording::taken_back(1));
    cem.wait_for(&wording::settling(1, 3, 3, 0));
    on(&cem, 1);
    assert_eq!(bench.verdicts("cem"), ["1 accept", "1 undo"]);
    // Somebody settles the third elsewhere, and a fifth dispute begins.
    let asked = RoundContext {
        round: "first".into(),
        part: Part::Adjudication,
        guidelines: None,
        revealed: true,
    };
    let judgement = Judgement {
        round: Some(asked),
        ..noted(Verdict::Accept, "ok")
    };
    let decide = Decide {
        uuid: Uuid::now_v7(),
        number: 3,
        expected: None,
        judgement,
    };
    bench.client("dora").ask(request::Decide(decide)).unwrap();
    cem.wait_for(&wording::settling(1, 3, 2, 1));
    say(
        &bench.client("bobby"),
        "first",
        5,
        noted(Verdict::Unsure, "hm"),
    );
    cem.wait_for(&wording::settling(1, 4, 3, 1));
    nameless(&cem.text());
    // Only what is open, then all again; tab goes from one open one to the next.
    cem.keys("s");
    cem.wait_for(&wording::settling(1, 3, 3, 0));
    cem.keys("<tab>");
    on(&cem, 4);
    cem.keys("<tab>");
    on(&cem, 5);
    cem.keys("<tab>");
    on(&cem, 1);
    cem.keys("s");
    cem.wait_for(&wording::settling(1, 4, 3, 1));
    // Enter looks closer.
    cem.keys("<enter>");
    cem.wait_for("1 of 5");
    cem.keys("gd");
    cem.wait_for(&wording::settling(1, 4, 3, 1));
}

#[test]
fn a_guideline_gap_is_tagged_and_opens_the_guidelines() {
    let bench = Bench::plain(5);
    let docs = bench.project().root().join("docs");
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join("rules.md"), "A kite is a toy.\n").unwrap();
    let path = "docs/rules.md".to_string();
    round(&bench, "first", |new| {
        new.guidelines = Some(Guidelines {
            path,
            version: String::new(),
        })
    });
    differ(&bench, "first");
    let mut cem = sit(&bench, "cem");
    on(&cem, 1);
    cem.keys("v");
    cem.wait_for(wording::SAME_GUIDELINES);
    cem.keys("G");
    cem.wait_for(wording::GUIDELINE_GAP);
    cem.keys("3");
    cem.keys("say where orange ends<enter>");
    // The editor of these tests adds a line, so that all that was judged was judged under earlier ones.
    let shown = cem.wait_for(wording::EARLIER_GUIDELINES);
    assert!(has_line(&shown, &["8", "4", "#1 #2 #3 #4"]), "{shown}");
    assert_eq!(
        std::fs::read_to_string(docs.join("rules.md")).unwrap(),
        "A kite is a toy.\naardvark\n"
    );
    let (item, judgement) = last(&bench, "cem");
    assert_eq!(
        (item.as_str(), judgement.verdict),
        ("kites/1", Verdict::Fix)
    );
    assert_eq!(
        judgement.note.as_deref(),
        Some("#guideline-gap say where orange ends")
    );
    cem.keys("<esc>");
    cem.wait_for(wording::EARLIER_GUIDELINES);
    on(&cem, 3);
    // What is settled from here on is settled under what they say now.
    cem.keys("a");
    cem.wait_for(wording::WHY);
    cem.keys("they say so now<enter>");
    cem.wait_for("#3 saved");
    let version = Guidelines::version_of(b"A kite is a toy.\naardvark\n");
    assert_eq!(
        last(&bench, "cem").1.round.unwrap().guidelines,
        Some(version)
    );
}

#[test]
fn a_judge_of_the_round_sees_only_own_disputes() {
    let bench = project();
    // bobby has not judged #4: what he may not know of is not listed.
    let mut bobby = sit(&bench, "bobby");
    let shown = bobby.wait_for(&wording::settling(1, 2, 2, 0));
    assert!(
        shown.contains(wording::JUDGED_ALREADY) && !shown.contains("annika"),
        "{shown}"
    );
    let listed = |who: &str| {
        let list = bench
            .client(who)
            .ask(request::Disputes("first".into()))
            .unwrap();
        list.iter().map(|d| (d.number, d.own)).collect::<Vec<_>>()
    };
    assert_eq!(listed("bobby"), [(1, true), (3, true)]);
    assert_eq!(listed("cem"), [(1, false), (3, false), (4, false)]);
    // Who saw the others' verdicts here changes their own as one who saw them.
    say(
        &bench.client("bobby"),
        "first",
        1,
        noted(Verdict::Accept, "they are right"),
    );
    let (_, judgement) = last(&bench, "bobby");
    assert_eq!(
        judgement.round.map(|a| (a.part, a.revealed)),
        Some((Part::Revision, true))
    );
    let shown = bobby.wait_for(&wording::settling(1, 1, 1, 0));
    assert!(shown.contains("Is kite 3 red?"), "{shown}");
    // The others have to be judged first.
    let asked = RoundContext {
        round: "first".into(),
        part: Part::Adjudication,
        guidelines: None,
        revealed: true,
    };
    let judgement = Judgement {
        round: Some(asked),
        ..noted(Verdict::Accept, "ok")
    };
    let decide = Decide {
        uuid: Uuid::now_v7(),
        number: 4,
        expected: None,
        judgement,
    };
    assert_eq!(
        bench
            .client("bobby")
            .ask(request::Decide(decide))
            .unwrap_err()
            .kind,
        ErrorKind::Denied
    );
    bobby.keys("<esc>");
    bobby.wait_for("1 of 5");
}

#[test]
fn rounds_are_chosen_and_names_shown_on_request() {
    let bench = Bench::plain(5);
    let mut early = sit(&bench, "cem");
    early.wait_for(wording::NOTHING_DECIDED);
    early.keys("a");
    early.wait_for(wording::NOTHING_TO_SETTLE);
    drop(early);
    round(&bench, "first", |_| {});
    round(&bench, "named", |new| {
        new.adjudication = Adjudication {
            names: true,
            scores: true,
        }
    });
    differ(&bench, "named");
    let mut cem = sit(&bench, "cem");
    let shown = cem.wait_for(wording::WHICH_ROUND);
    assert!(
        shown.contains("1 named") && shown.contains("2 first"),
        "{shown}"
    );
    cem.keys("1");
    let shown = cem.wait_for("“this is orange”");
    assert!(
        shown.contains("annika") && shown.contains("bobby") && !shown.contains("annotator 1"),
        "{shown}"
    );
    cem.keys("r");
    cem.wait_for(wording::WHICH_ROUND);
    cem.keys("2");
    cem.wait_for(wording::NO_DISPUTE);
}

#[test]
fn a_settlement_survives_a_killed_owner() {
    let bench = project();
    let mut cem = sit(&bench, "cem");
    on(&cem, 1);
    bench.freeze_owner();
    cem.keys("a<enter>");
    cem.wait_for(wording::WHY);
    cem.keys("sure<enter>");
    cem.wait_for("saving");
    bench.kill_owner();
    bench.start_owner();
    cem.wait_for("#1 saved");
    assert_eq!(bench.verdicts("cem"), ["1 accept"], "it counts once");
}

/// Times are of today.
fn timeless(shown: &str) -> String {
    let time = regex::Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d").unwrap();
    time.replace_all(shown, "2026-01-31 12:00:00").into_owned()
}

#[test]
fn the_adjudication_pane() {
    let bench = Bench::sample();
    round(&bench, "first", |_| {});
    differ(&bench, "first");
    let decided = RoundContext {
        round: "first".into(),
        part: Part::Adjudication,
        guidelines: None,
        revealed: true,
    };
    let judgement = Judgement {
        round: Some(decided),
        ..noted(Verdict::Accept, "red enough")
    };
    let decide = Decide {
        uuid: Uuid::now_v7(),
        number: 1,
        expected: None,
        judgement,
    };
    bench.client("dora").ask(request::Decide(decide)).unwrap();
    for (name, accessible) in [("adjudicate", false), ("adjudicate_accessible", true)] {
        // For a screen reader the parts are the same in a wide window.
        let sizes = [(80, 24), (160, 50)];
        for &size in &sizes[..if accessible { 1 } else { 2 }] {
            let mut cem = bench.seat_at(
                "cem",
                Terminal {
                    size,
                    accessible,
                    ..Terminal::default()
                },
            );
            cem.on(1);
            cem.keys("gd");
            cem.wait_for(&wording::settling(1, 3, 2, 1));

            let shown = cem.wait_until("all of it", |s| {
                s.contains("1 of 3")
                    && s.contains("#3  ")
                    && !s.contains("loading")
                    && s.contains("“no kite")
                    && s.contains('✗')
            });
            snapshot(name, size, &timeless(&shown));
        }
    }
}
