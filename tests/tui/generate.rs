//! The generation pane, from an empty project to an item with its picture.

use std::time::{Duration, Instant};

use benchtop::model::evaluation::{NewRun, OptionOrders, Server as Endpoint, Wording};
use benchtop::model::job::{Budget, GenerationOverrides, NewJob};
use benchtop::protocol::wire::request;

use super::support::{Bench, Seat};
use crate::flows::eval::reply;
use crate::inference::server::{Act, Server};
use crate::support::wording;

fn composed(count: u64) -> Bench {
    let bench = Bench::empty();
    bench
        .client("script")
        .ask(request::Compose {
            plan: None,
            seed: 3,
            count: Some(count),
            allow_impossible: false,
        })
        .unwrap();
    bench
}

fn frames(seat: &Seat) -> usize {
    let raw = seat.raw();
    raw.windows(8).filter(|w| w == b"\x1b[?2026h").count()
}

#[test]
fn missing_pictures_are_made_and_reviewed() {
    let bench = composed(12);
    let mut seat = bench.seat("ann");
    seat.wait_for(wording::NOT_MADE_YET);
    seat.keys("gj");
    seat.wait_for(wording::NEW_JOB);
    seat.wait_for("CPU");
    seat.keys("n");
    seat.wait_for(wording::JOB_MENU);
    seat.keys("<enter>");
    seat.wait_for(wording::JOB_START);
    seat.keys("<enter>");
    // Of the job: the processors' gauge may show 100 % too.
    seat.wait_for("100 % 12 of 12");
    seat.wait_for("draft  #");
    seat.keys("f");
    seat.wait_for(wording::JOB_WITHOUT_FAILURES);
    seat.keys("n<enter>");
    seat.wait_for(wording::NO_PICTURE_MISSING);
    seat.keys("<enter>");
    seat.wait_for("blake3");
    seat.wait_gone(wording::NOT_MADE_YET);
}

#[test]
fn an_enter_after_a_menu_number_is_dropped() {
    let bench = composed(12);
    let mut seat = bench.seat("ann");
    seat.keys("gj");
    seat.wait_for(wording::NEW_JOB);
    seat.keys("n");
    seat.wait_for(wording::JOB_MENU);
    // The number takes the line; what comes behind it would begin the job.
    seat.keys("1<enter>");
    seat.wait_for(wording::JOB_START);
    let jobs = || bench.client("script").ask(request::Jobs).unwrap();
    assert!(jobs().is_empty());
    // A setting, by its number: the enter does not leave the line that is asked for.
    seat.keys("4<enter>");
    seat.wait_for(wording::SIZE_WANTED);
    seat.keys("64x64<enter>");
    seat.wait_for("64x64");
    seat.wait_for(wording::JOB_START);
    seat.keys("1<enter>");
    seat.wait_for("100 % 12 of 12");
    assert_eq!(
        jobs()[0].settings.as_ref().map(|s| (s.width, s.height)),
        Some((64, 64))
    );
}

#[test]
fn a_busy_job_redraws_at_most_four_times_a_second() {
    let bench = composed(900);
    let mut seat = bench.seat("ann");
    seat.keys("gj");
    seat.wait_for(wording::NEW_JOB);
    seat.wait_for("CPU");
    let (before, from) = (frames(&seat), Instant::now());
    let wishes = GenerationOverrides {
        size: Some((64, 64)),
        ..GenerationOverrides::default()
    };
    let job = NewJob {
        samples: 2,
        overrides: wishes,
        ..NewJob::default()
    };
    bench
        .client("script")
        .ask(request::Generate(Box::new(job), Budget::default()))
        .unwrap();
    seat.wait_for("100 %");
    let drawn = frames(&seat) - before;
    let most = from.elapsed().as_millis() as usize / 250 + 3;
    assert!(drawn <= most, "{drawn} frames where {most} are allowed");
    assert!(drawn >= 1);
}

#[test]
fn an_evaluation_is_a_job_with_the_same_keys() {
    let bench = composed(12);
    let server =
        Server::new(|_| Act::Later(Duration::from_millis(80), Box::new(reply("(A)", "stop"))));
    let mut seat = bench.seat("ann");
    seat.keys("gj");
    seat.wait_for(wording::NEW_JOB);
    let new = NewRun {
        model: "tiny".into(),
        name: None,
        servers: vec![Endpoint {
            url: server.url(),
            key_env: None,
            concurrency: 1,
            timeout_s: 5,
        }],
        filter: String::new(),
        sample: None,
        seed: 1,
        blind: true,
        orders: OptionOrders::Shuffles(3),
        wording: Wording::Paper,
        max_tokens: 64,
        tries: 2,
        prices: (0, 0),
        dry: false,
        drafts: false,
    };
    bench
        .client("script")
        .ask(request::Evaluate(Box::new(new), Budget::default()))
        .unwrap();
    seat.wait_for("eval tiny (blind)");
    seat.wait_row(&["3 shuffles"]);
    seat.wait_row(&["tiny (blind)", "http"]);
    seat.keys("p");
    seat.wait_for("paused");
    seat.keys("b");
    seat.wait_for(wording::IN_FLIGHT);
    seat.keys("<esc>p");
    seat.wait_for("100 %");
    seat.wait_row(&["36 answers"]);
    seat.keys("f");
    seat.wait_for(wording::JOB_WITHOUT_FAILURES);
    seat.keys("<enter>");
    seat.wait_for(wording::EVALUATION_ONLY);
    seat.keys("D");
    seat.wait_for(wording::NEW_JOB);
}
