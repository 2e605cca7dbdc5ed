use std::time::Duration;

use serde_json::json;

use super::error_body::{message, short};
use super::images::answer::{Image, Sent, parse};
use super::images::table;
use super::pool::{Outcome, Pool};
use super::*;
use crate::ImageGenerator as _;
use benchtop_model::config::Generate;
use benchtop_model::config::generate::{Backend, Endpoint};
use benchtop_model::generation::{RespectedInputs, Scheduler, Settings};

fn sent() -> Sent {
    let fields = [
        ("seed", json!(5)),
        ("steps", json!(20)),
        ("cfg", json!(7.5)),
        ("negative", json!("blue")),
    ];
    Sent {
        fields: fields.map(|(n, v)| Some((n.to_string(), v))),
        prompt: "an owl".into(),
        size: (64, 64),
    }
}

fn config(urls: &[&str]) -> Generate {
    let endpoint = |url: &&str| Endpoint {
        url: url.to_string(),
        concurrency: 2,
        ..Endpoint::default()
    };
    let endpoints = urls.iter().map(endpoint).collect();
    Generate {
        backend: Backend::Http,
        model: Some("m".into()),
        endpoints,
        ..Generate::default()
    }
}

fn pool(urls: &[&str]) -> Pool {
    let timeouts = Timeouts {
        failures: 2,
        suspension: Duration::from_secs(600),
        ..Timeouts::default()
    };
    Pool::new(&table(&config(urls)), timeouts, |_| None).unwrap()
}

#[test]
fn settings_count_as_honored_only_if_repeated_with_the_same_value() {
    let answer = json!({
        "seed": 5, "parameters": { "steps": 25 },
        "data": [{ "b64_json": "aGVsbG8=", "cfg": 7.5, "negative": null, "revised_prompt": "an owl" }],
    });
    let given = parse(answer.to_string().as_bytes(), &sent()).unwrap();
    assert_eq!(
        given.honoured,
        RespectedInputs {
            seed: true,
            guidance: true,
            ..RespectedInputs::default()
        }
    );
    assert_eq!(given.notes.len(), 2, "{:?}", given.notes);
    assert!(
        given.notes[0].contains("steps 20, the server used 25"),
        "{:?}",
        given.notes
    );
    assert!(given.notes[1].ends_with(": negative"), "{:?}", given.notes);
    assert!(matches!(given.image, Image::Bytes(bytes) if bytes == b"hello"));
    // A data URL.
    let given = parse(
        br#"{"data":[{"url":"data:image/png;base64,aGVs bG8="}]}"#,
        &sent(),
    )
    .unwrap();
    assert!(matches!(given.image, Image::Bytes(bytes) if bytes == b"hello"));
}

#[test]
fn error_messages_are_one_short_line() {
    assert_eq!(
        message(b"<html>\n<b>Bad</b>  gateway\x1b[31m</html>"),
        "Bad gateway [31m"
    );
    assert_eq!(
        message(br#"{"error":{"message":"no\nroom","code":3}}"#),
        "no room"
    );
    assert_eq!(message(br#"{"error":"text"}"#), "text");
    assert_eq!(short(&"owl ".repeat(100)).chars().count(), 162);
    assert_eq!(message(&[0xff, 0xfe, b'x']), "\u{fffd}\u{fffd}x");
    assert_eq!(message(b""), "");
}

#[tokio::test]
async fn picks_the_least_busy_endpoint_and_another_one_after_a_failure() {
    let pool = pool(&["http://a", "http://b"]);
    let (one, two, three) = (
        pool.seat(None).await.unwrap(),
        pool.seat(None).await.unwrap(),
        pool.seat(Some(0)).await.unwrap(),
    );
    assert_eq!((one.at, two.at, three.at), (0, 1, 1));
    let four = pool.seat(Some(0)).await.unwrap();
    assert_eq!(four.at, 0, "the other one is full");
    let full = tokio::time::timeout(Duration::from_millis(20), pool.seat(None)).await;
    assert!(full.is_err());
    drop(two);
    assert_eq!(pool.seat(None).await.unwrap().at, 1);
}

#[tokio::test]
async fn failures_in_a_row_suspend_an_endpoint() {
    let pool = pool(&["http://a", "http://b"]);
    for _ in 0..2 {
        let seat = pool.seat(Some(1)).await.unwrap();
        assert_eq!(seat.at, 0);
        seat.leave(Outcome::Failed("boom".into()));
    }
    for _ in 0..3 {
        let seat = pool.seat(Some(1)).await.unwrap();
        assert_eq!(seat.at, 1, "only b is left");
        seat.leave(Outcome::Answered);
    }
    // If both are suspended for too long, the call fails at once with the reasons.
    for _ in 0..2 {
        pool.seat(None)
            .await
            .unwrap()
            .leave(Outcome::Failed("bang".into()));
    }
    let why = pool.seat(None).await.map(|s| s.at).unwrap_err();
    assert!(
        why.contains("http://a: boom") && why.contains("http://b: bang"),
        "{why}"
    );
}

#[tokio::test]
async fn one_request_probes_a_suspended_server() {
    let timeouts = Timeouts {
        failures: 1,
        suspension: Duration::from_millis(5),
        ..Timeouts::default()
    };
    let pool = Pool::new(&table(&config(&["http://a"])), timeouts, |_| None).unwrap();
    let soon = |pool| tokio::time::timeout(Duration::from_millis(60), Pool::seat(pool, None));
    pool.seat(None)
        .await
        .unwrap()
        .leave(Outcome::Failed("boom".into()));
    for outcome in [Outcome::Failed("boom".into()), Outcome::Busy(None)] {
        let probe = pool.seat(None).await.unwrap();
        assert!(
            soon(&pool).await.is_err(),
            "a second request during the probe"
        );
        probe.leave(outcome);
    }
    // It asked to wait, so it works.
    let _both = (
        soon(&pool).await.unwrap().unwrap(),
        soon(&pool).await.unwrap().unwrap(),
    );
}

#[tokio::test]
async fn servers_that_never_answered_are_given_up_sooner() {
    let timeouts = Timeouts {
        failures: 1,
        suspension: Duration::from_millis(40),
        give_up_unanswered: Duration::from_millis(1),
        ..Timeouts::default()
    };
    for was_heard in [false, true] {
        let pool = Pool::new(&table(&config(&["http://a"])), timeouts, |_| None).unwrap();
        if was_heard {
            pool.seat(None).await.unwrap().leave(Outcome::Answered);
        }
        pool.seat(None)
            .await
            .unwrap()
            .leave(Outcome::Failed("connection refused".into()));
        match pool.seat(None).await {
            Ok(_) => assert!(was_heard, "it waited for the next try"),
            Err(why) => assert!(
                !was_heard && why.contains("http://a: connection refused"),
                "{why}"
            ),
        }
    }
}

#[test]
fn fingerprint_depends_on_servers_and_fields() {
    let settings = Settings {
        width: 64,
        height: 64,
        steps: 4,
        guidance: 5.0,
        scheduler: Scheduler::Euler,
    };
    let print = |config: &Generate| {
        HttpGenerator::new(config)
            .unwrap()
            .fingerprint(&settings)
            .short()
    };
    let base = config(&["http://a/v1", "http://b/v1"]);
    assert_eq!(
        print(&base),
        print(&config(&["http://b/v1", "http://a/v1"])),
        "the order does not matter"
    );
    let mut other = base.clone();
    other.endpoints[1].model = Some("flux".into());
    let mut renamed = base.clone();
    renamed.endpoints[1].fields.steps = "steps".into();
    let prints = [
        print(&base),
        print(&config(&["http://a/v1"])),
        print(&other),
        print(&renamed),
    ];
    assert!(
        (1..4).all(|i| !prints[..i].contains(&prints[i])),
        "{prints:?}"
    );
}
