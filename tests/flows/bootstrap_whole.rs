//! Bootstrapping from the first request to the board: variants that a server writes, boxes, and judges
//! stand in the review beside their originals, two annotators judge them in an equivalence round, a
//! model answers originals and variants, and the board compares those that were really modified.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::bootstrap::{configured, is_judge, strategy, variants};
use super::bootstrap_pictures::{SIZE, helps, shown};
use super::eval::{number, quiz_of, reply, words};
use crate::inference::server::{Act, Seen, Server, png};
use crate::support::{Bench, wording};
use crate::tui::support::{Seat, Terminal, to_judge};

const ORIGINALS: usize = 4;
/// Numbers of the items: the originals, then each composition in the order of the plan.
const L1: u32 = 5;
const L4: u32 = 9;
const V1: u32 = 13;

/// The judge never lets the context of question 3 pass, nor the object in picture 4.
fn models(seen: &Seen) -> Act {
    match (is_judge(seen), strategy(seen)) {
        (true, "L4") if number(seen) == 3 => {
            reply("{\"reason\": \"it helps\", \"answer\": \"no\"}", "stop")
        }
        (true, "V1") if number(seen) == 4 => {
            reply("{\"reason\": \"it hides\", \"answer\": \"yes\"}", "stop")
        }
        _ => helps(seen),
    }
}

/// Originals 1 to 3 are answered right. Of L1 only 1 and 2, of L4 only 1, and of V1 only 2. What was not
/// modified is the original, so it is answered like it.
fn examinee(seen: &Seen) -> Act {
    let words = words(seen);
    let n: usize = words
        .split("is ")
        .find_map(|rest| rest.split('?').next()?.parse().ok())
        .unwrap();
    let is_original = shown(seen) == [png(SIZE.0, SIZE.1, &n.to_string())];
    let right: &[usize] = match () {
        () if words.contains("What exactly is") => &[1, 2],
        () if words.contains("Bread is baked") => &[1],
        () if !is_original => &[2],
        () => &[1, 2, 3],
    };
    let letter = if right.contains(&n) { "(A)" } else { "(B)" };
    reply(letter, "stop")
}

fn seat(bench: &Bench, size: (u16, u16)) -> Seat {
    let terminal = Terminal {
        size,
        ..Terminal::DEFAULT
    };
    Seat::beside(bench.project(), "ann", terminal)
}

fn go(seat: &mut Seat, number: u32) -> String {
    seat.keys(&format!("gn{number}<enter>"));
    seat.on(number)
}

/// The variants as the review shows them at one size, with a transcript a key away.
fn look(bench: &Bench, size: (u16, u16)) {
    let mut seat = seat(bench, size);
    go(&mut seat, 1);
    // A question with context: the words that were added, and what came of it in words.
    let shown = go(&mut seat, L4);
    assert!(shown.contains(wording::PROMPT_DIFF), "{shown}");
    assert!(shown.contains("Bread is baked at night."), "{shown}");
    // An object: both pictures, and where it was painted.
    go(&mut seat, V1);
    let shown = seat.wait_until("both pictures", |s| {
        let is_wide = size.0 > 80;
        s.contains("B V1, asked about") && (!is_wide || s.contains("A original"))
    });
    assert!(shown.contains("V1 adds ball 0 of 1"), "{shown}");
    assert!(!shown.contains("[{"), "{shown}");
    seat.keys("R");
    let shown = seat.wait_for("transcript, 3 requests");
    assert!(
        shown.contains("grounder") && shown.contains("request 1, tiny-2026"),
        "{shown}"
    );
    seat.keys("/ball 0");
    seat.wait_until("the lines about the ball only", |s| {
        s.contains("ball 0 of 1") && !s.contains("pixels wide")
    });
    seat.keys("<esc><esc>");
    seat.on(V1);
    // After five refusals the original stands in, and it says so.
    go(&mut seat, V1 + 3);
    seat.wait_for("not modified: the original");
    seat.keys("R");
    seat.wait_for("transcript, 11 requests");
    seat.keys("<esc>");
    // An original has none.
    go(&mut seat, 2);
    seat.keys("R");
    seat.wait_for("#2: the item has no transcript");
}

/// Ann judges the round at a terminal. She finds that the answer to the first V1 changes.
fn judge_at_terminal(bench: &Bench) {
    let mut seat = seat(bench, (80, 24));
    go(&mut seat, 1);
    seat.keys("go");
    seat.wait_for(wording::ROUND_LISTED);
    seat.keys("<enter>");
    let mut judged = BTreeSet::new();
    for _ in 0..2 * ORIGINALS {
        let shown = seat.wait_until("the next item", |s| {
            // No verdict is taken before the picture is on the screen.
            to_judge(s).is_some_and(|n| !judged.contains(&n)) && s.contains("▀▀▀")
        });
        let at = to_judge(&shown).unwrap();
        if judged.is_empty() {
            // The transcript would tell the ruling.
            seat.keys("R");
            seat.wait_for("the item has no transcript");
        }
        if at == V1 {
            seat.keys("x");
            seat.wait_row(&["another answer #13"]);
            seat.keys("1");
        } else {
            seat.keys("a");
        }
        judged.insert(at);
    }
    seat.wait_for(wording::ROUND_DONE);
    let said = String::from_utf8_lossy(&seat.raw()).into_owned();
    assert!(!said.contains("vlb-v1-add-object") && !said.contains("it hides"));
}

fn cells(bench: &Bench, columns: &str) -> Vec<(String, f64)> {
    let out = bench.run(["board", "--format", "json", "--columns", columns]);
    let cell = |cell: Value| {
        let value = cell["value"].as_f64().unwrap();
        let column = cell["column"].as_str().unwrap().to_string();
        (column, (value * 100.0).round() / 100.0)
    };
    let mut cells: Vec<_> = out.lines().into_iter().map(cell).collect();
    cells.sort_by(|a, b| a.0.cmp(&b.0));
    cells
}

#[test]
fn variants_are_made_reviewed_judged_answered_and_compared() {
    let server = Server::new(models);
    let bench = configured(quiz_of(ORIGINALS, SIZE), &server);
    bench
        .run(["bootstrap", "--strategies", "L1", "L4", "V1"])
        .ok();
    let job = bench.run(["jobs", "--json"]).lines().remove(0);
    assert!(job["plan"].as_str().unwrap().contains("2 kept"), "{job}");
    let made = variants(&bench);
    let unmodified = |name: &str| {
        let items = made[name].iter();
        let is = |item: &&_| -> bool {
            let item: &benchtop::model::Item = item;
            item.variant.as_ref().unwrap().modified == Some(false)
        };
        items.filter(is).count()
    };
    assert_eq!(["L1", "L4", "V1"].map(unmodified), [0, 1, 1]);

    for size in [(80, 24), (160, 50)] {
        look(&bench, size);
    }

    let round = "round new first --protocol equivalence --people ann,bob --filter variant:L4,V1 \
                 --calibration 0 --repeats 0 --probes 0";
    bench.run(round.split_whitespace()).ok();
    judge_at_terminal(&bench);
    let verdict =
        |n: u32| json!({"item": n, "verdict": "accept", "round": "first"}).to_string() + "\n";
    let lines: String = (L4..L4 + 2 * ORIGINALS as u32).map(verdict).collect();
    bench.feed(["decide", "--as", "bob"], &lines).ok();
    bench.run(["round", "close", "first"]).ok();
    let report = bench
        .run(["round", "report", "first", "--json"])
        .lines()
        .remove(0);
    let rates = report["variants"].as_array().unwrap().iter();
    let rates: Vec<_> = rates
        .map(|v| {
            let n = |field: &str| v["accepted"][field].as_u64().unwrap();
            (
                v["variant"].as_str().unwrap(),
                n("count"),
                n("of"),
                v["unmodified"].as_u64().unwrap(),
            )
        })
        .collect();
    // What was not modified is counted apart.
    assert_eq!(rates, [("L4", 3, 3, 1), ("V1", 2, 3, 1)]);

    let model = Server::new(examinee);
    let url = model.url();
    bench
        .run([
            "eval",
            "--model",
            "tiny",
            "--endpoint",
            &url,
            "--drafts",
            "--json",
        ])
        .ok();
    let cell = |column: &str, value: f64| (column.to_string(), value);
    // Originals: 3 of 4 right. Over all questions of a variant: L1 2 of 4; L4 1 of 3 and the right
    // original; V1 1 of 3 and the wrong original.
    // Over the modified ones: L1 2 of 4 after 3 of 4; L4 1 of 3 after 2 of 3; V1 1 of 3 after 3 of 3.
    let deltas = [
        cell("delta.L1", -25.0),
        cell("delta.L1.modified", -25.0),
        cell("delta.L4", -25.0),
        cell("delta.L4.modified", -33.33),
        cell("delta.V1", -50.0),
        cell("delta.V1.modified", -66.67),
    ];
    assert_eq!(cells(&bench, "delta.*"), deltas);
    let rates = [
        cell("modified.L1", 1.0),
        cell("modified.L4", 0.75),
        cell("modified.V1", 0.75),
    ];
    assert_eq!(cells(&bench, "modified.*"), rates);
    let found = bench
        .run(["analyze", "variants", "--json"])
        .lines()
        .remove(0);
    let cells = found["variants"].as_array().unwrap().iter();
    let counts: Vec<_> = cells
        .map(|cell| {
            let n = |field: &str| cell[field].as_u64().unwrap();
            (
                n("modified"),
                n("unmodified"),
                n("right_to_wrong"),
                n("wrong_to_right"),
            )
        })
        .collect();
    let mut sorted = counts.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [(3, 1, 1, 0), (3, 1, 2, 0), (4, 0, 1, 0)]);
    assert_eq!(made["L1"][0].id, bench.items()[L1 as usize - 1]["id"]);
}
