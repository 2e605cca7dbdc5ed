//! Scenarios in the terminal: the form, the job, and the contact sheet of what was made.

use super::forms::without_folder;
use super::sheet::pictures;
use super::support::{Bench, Seat, Terminal, snapshot};
use crate::support::wait_until;
use benchtop::model::job::JobStatus;
use benchtop::model::scenario::{NewScenario, ScenarioPlan};
use benchtop::protocol::wire::request;

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

fn at(size: (u16, u16)) -> Terminal {
    Terminal {
        size,
        stays_home: true,
        ..Terminal::default()
    }
}

/// Whether the cursor of a table is on a row with this text.
fn is_on(shown: &str, text: &str) -> bool {
    shown
        .lines()
        .any(|line| line.trim_start().starts_with('\u{258c}') && line.contains(text))
}

#[test]
fn the_form_starts_jobs_and_goes_to_the_new_one() {
    for size in SIZES {
        let bench = pictures(4);
        let mut seat = bench.seat_at("ann", at(size));
        seat.keys("gz");
        seat.wait_for("4 new items");
        seat.rest();
        snapshot("scenario_form", size, &without_folder(&seat.settled()));
        seat.keys("<down>number:1,2");
        seat.wait_for("2 new items");
        seat.keys("<enter>");
        seat.wait_until("the first job", |shown| is_on(shown, "scenario corruption"));
        // The second job is not where the cursor was.
        seat.keys("gz<ctrl-e><ctrl-u>number:3");
        seat.wait_for("1 new item ");
        seat.keys("<enter>");
        seat.wait_until("the second job", |shown| {
            is_on(shown, "scenario corruption") && shown.contains("number:3")
        });
    }
}

/// Makes a scenario of these items.
fn made(bench: &Bench, scenario: &str, filter: &str, settings: &[(&str, &str)]) {
    let client = bench.client("ann");
    let settings = settings.iter();
    let plan = ScenarioPlan {
        scenario: scenario.into(),
        filter: filter.into(),
        seed: 0,
        settings: settings
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect(),
    };
    let new = NewScenario { plan, dry: false };
    let started = client.ask(request::Scenario(Box::new(new))).unwrap();
    let id = started.job.unwrap().id;
    wait_until("the scenario is made", || {
        let jobs = client.ask(request::Jobs).unwrap();
        jobs.iter()
            .any(|job| job.id == id && job.standing == JobStatus::Done)
    });
}

fn drawn(seat: &Seat, wanted: &[&str]) -> String {
    seat.wait_until("the rows", |shown| {
        wanted.iter().all(|part| shown.contains(part)) && !shown.contains("loading")
    });
    seat.settled()
}

#[test]
fn a_grid_is_shown_in_rows_from_its_source_and_judged_there() {
    for size in SIZES {
        let bench = pictures(2);
        made(&bench, "corruption", "", &[("grid", "true")]);
        let mut seat = bench.seat_at("ann", at(size));
        seat.keys("gr<right>");
        seat.wait_for("#2");
        seat.keys("V");
        seat.wait_for("-corruption");
        seat.keys("1");
        let shown = drawn(&seat, &["gaussian-noise", "shot-noise", "corruption of"]);
        assert!(shown.contains("of 55"), "{shown}");
        snapshot("scenario_grid", size, &shown);
        // Gaussian noise at severity 2 is the second picture of the first row.
        seat.keys("lf");
        seat.wait_for(" saved");
        assert_eq!(bench.verdicts("ann"), ["2~gaussian-noise-2 flag"]);
        seat.keys("G");
        drawn(&seat, &["spatter"]);
        seat.keys("q");
        seat.wait_gone("spatter");
    }
}

#[test]
fn a_dealt_scenario_is_shown_by_factor_and_level() {
    for size in SIZES {
        let bench = pictures(4);
        made(&bench, "print-attack", "", &[("answer-word", "true")]);
        let mut seat = bench.seat_at("ann", at(size));
        seat.keys("gr");
        seat.wait_for("#1");
        seat.keys("Ggs");
        seat.wait_for("#5");
        seat.keys("Gv");
        let shown = drawn(&seat, &["size", "color", "one example each"]);
        snapshot("scenario_levels", size, &shown);
    }
}
