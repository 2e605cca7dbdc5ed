//! Questions about pictures over HTTP, against a real server, well and badly behaved.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchtop::compose::metadata::judge::{Fields as Slots, SLOTS, shipped_judgings};
use benchtop::inference::BatchEvent;
use benchtop::inference::http::{ChatModel, Timeouts};
use benchtop::inference::vlm::{VisionLanguageModel, ask_all};
use benchtop::metrics::judge::{certainty, refused, ruling};
use benchtop::model::config::Judge;
use benchtop::model::config::judge::{Endpoint, Price};
use benchtop::model::generation::{Failure, FailureKind};
use benchtop::model::judge::{AnswerForm, JudgeAnswer, Unparsed, Word};
use benchtop::model::vlm::{Encoded, Finish, Reply, Schema, Tally, Usage, VlmRequest};
use serde_json::{Value, json};

use super::server::{Act, Seen, Server, png};

fn patience() -> Timeouts {
    Timeouts {
        connect: Duration::from_secs(1),
        idle: Duration::from_millis(500),
        backoff: Duration::from_millis(4),
        backoff_cap: Duration::from_millis(40),
        stall: Duration::from_secs(15),
        failures: 6,
        suspension: Duration::from_millis(10),
        give_up: Duration::from_secs(5),
        give_up_unanswered: Duration::from_secs(5),
        max_response: 1 << 20,
    }
}

fn config(url: String, concurrency: u32, tries: u32) -> Judge {
    let endpoint = Endpoint {
        url,
        concurrency,
        timeout_s: 1,
        ..Endpoint::default()
    };
    let (model, endpoints) = (Some("tiny".into()), vec![endpoint]);
    Judge {
        model,
        tries,
        endpoints,
        price_in: Price(2_000_000),
        price_out: Price(8_000_000),
        ..Judge::default()
    }
}

fn model(server: &Server, tries: u32) -> ChatModel {
    ChatModel::with_timeouts(&config(server.url(), 4, tries), patience()).unwrap()
}

fn question(prompt: &str) -> VlmRequest {
    let images = vec![Encoded::new(png(8, 8, prompt)).unwrap()];
    VlmRequest {
        images,
        prompt: prompt.into(),
        max_tokens: 64,
        ..VlmRequest::default()
    }
}

fn with_schema(prompt: &str) -> VlmRequest {
    let schema = Schema {
        name: "verdict".into(),
        schema: Arc::new(json!({ "type": "object" })),
    };
    VlmRequest {
        schema: Some(schema),
        want_logprobs: true,
        ..question(prompt)
    }
}

fn one(server: &Server, tries: u32, ask: &VlmRequest) -> Result<Reply, Failure> {
    ask_all(&mut model(server, tries), std::slice::from_ref(ask)).remove(0)
}

/// A good answer of these words.
fn says(text: &str) -> Act {
    let choice =
        json!({ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" });
    let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 10 });
    Act::Body(
        json!({ "model": "tiny-2026", "choices": [choice], "usage": usage })
            .to_string()
            .into(),
    )
}

fn body(value: Value) -> Act {
    Act::Body(value.to_string().into())
}

fn prompt(seen: &Seen) -> &str {
    let content = seen.body["messages"].as_array().unwrap().last().unwrap();
    match &content["content"] {
        Value::String(text) => text,
        parts => parts.as_array().unwrap().last().unwrap()["text"]
            .as_str()
            .unwrap(),
    }
}

#[test]
fn a_question_is_asked_with_its_pictures_and_answered() {
    let server = Server::new(|_| says("Yes."));
    let reply = one(&server, 1, &with_schema("Is it?")).unwrap();
    assert_eq!(
        (reply.text.as_str(), &reply.finish),
        ("Yes.", &Finish::Stop)
    );
    assert_eq!(
        reply.usage,
        Some(Usage {
            prompt: 1000,
            completion: 10
        })
    );
    assert_eq!(reply.model.as_deref(), Some("tiny-2026"));
    assert!(reply.notes.is_empty() && reply.first.is_empty());
    let seen = server.seen().remove(0);
    assert_eq!(seen.line, "POST /v1/chat/completions");
    assert_eq!(
        (
            seen.body["model"].as_str(),
            seen.body["temperature"].as_u64()
        ),
        (Some("tiny"), Some(0))
    );
    assert_eq!(
        (seen.body["seed"].as_u64(), seen.body["max_tokens"].as_u64()),
        (Some(0), Some(64))
    );
    assert_eq!(seen.body["response_format"]["type"], "json_schema");
    let image = seen.body["messages"][0]["content"][0]["image_url"]["url"]
        .as_str()
        .unwrap();
    assert!(
        image.starts_with("data:image/png;base64,iVBORw0KGgo"),
        "{image}"
    );
}

#[test]
fn refusals_are_a_state_of_their_own() {
    let server = Server::new(|seen| match prompt(seen) {
        "filter" => body(
            json!({ "choices": [{ "message": { "content": "" }, "finish_reason": "content_filter" }] }),
        ),
        "refusal" => body(
            json!({ "choices": [{ "message": { "content": null, "refusal": "No." }, "finish_reason": "stop" }],
                                 "usage": { "prompt_tokens": 7, "completion_tokens": 2 } }),
        ),
        _ => Act::Status(
            400,
            vec![],
            r#"{"error":{"message":"the picture is unsafe","code":"content_filter"}}"#.into(),
        ),
    });
    let asks = ["filter", "refusal", "status"].map(question);
    let mut results = ask_all(&mut model(&server, 3), &asks);
    let failure = results.remove(2).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Refused);
    assert_eq!(refused(&failure).unwrap().said, JudgeAnswer::Refused);
    for result in &results {
        let reply = result.as_ref().unwrap();
        assert_eq!(reply.finish, Finish::Refused);
        let ruling = ruling(reply, Word::No);
        assert_eq!(
            (ruling.said, ruling.pass),
            (JudgeAnswer::Refused, None),
            "{ruling:?}"
        );
    }
    // A refusal costs, too.
    assert_eq!(
        results[1].as_ref().unwrap().usage,
        Some(Usage {
            prompt: 7,
            completion: 2
        })
    );
}

#[test]
fn what_a_server_refuses_is_left_out_and_remembered() {
    let picky = |names: &'static [&'static str], says_which: bool| {
        Server::new(
            move |seen| match names.iter().find(|n| seen.body.get(**n).is_some()) {
                Some(name) if says_which => Act::Status(
                    422,
                    vec![],
                    json!({ "error": { "message": format!("unknown field {name}") } }).to_string(),
                ),
                Some(_) => Act::Status(400, vec![], "bad request".into()),
                None => says("yes"),
            },
        )
    };
    for (names, says_which, notes, first, in_all) in [
        (&["response_format"][..], true, 1, 2, 4),
        (&["response_format"], false, 1, 2, 4),
        (&["logprobs"], true, 1, 2, 4),
        (&["response_format", "logprobs", "seed"], true, 3, 4, 6),
        (&["response_format", "logprobs", "seed"], false, 3, 4, 6),
        (&[], false, 0, 1, 3),
    ] {
        let server = picky(names, says_which);
        let mut model = model(&server, 1);
        for at in 0..3 {
            let reply = ask_all(&mut model, &[with_schema(&format!("Is it {at}?"))])
                .remove(0)
                .unwrap();
            assert_eq!(
                (reply.text.as_str(), reply.notes.len()),
                ("yes", notes),
                "{:?}",
                reply.notes
            );
            if at == 0 {
                assert_eq!(server.seen().len(), first, "{names:?}");
            }
        }
        assert_eq!(server.seen().len(), in_all, "it is remembered: {names:?}");
    }
    // What is refused whatever is left out is refused for its own sake, and nothing is remembered of the server.
    let server = Server::new(|seen| match prompt(seen) {
        "bad" => Act::Status(400, vec![], "unsafe picture".into()),
        _ => says("yes"),
    });
    let mut model = model(&server, 3);
    let failure = ask_all(&mut model, &[with_schema("bad")])
        .remove(0)
        .unwrap_err();
    assert!(
        failure.kind == FailureKind::Refused && failure.reason.contains("unsafe"),
        "{failure:?}"
    );
    let reply = ask_all(&mut model, &[with_schema("good")])
        .remove(0)
        .unwrap();
    assert!(
        reply.notes.is_empty()
            && server
                .seen()
                .last()
                .unwrap()
                .body
                .get("response_format")
                .is_some()
    );
    let before = server.seen().len();
    ask_all(&mut model, &[with_schema("bad")])
        .remove(0)
        .unwrap_err();
    assert_eq!(
        server.seen().len(),
        before + 1,
        "a server that takes everything is not asked twice"
    );
}

#[test]
fn bad_answers_have_their_reasons_and_passing_troubles_pass() {
    let cases: Vec<(Act, FailureKind, &str)> = vec![
        (
            Act::Body(b"<html><body>Welcome</body></html>".to_vec()),
            FailureKind::BadOutput,
            "Welcome",
        ),
        (
            Act::Body(b"{\"choices\": [".to_vec()),
            FailureKind::BadOutput,
            "",
        ),
        (body(json!({ "choices": [] })), FailureKind::BadOutput, ""),
        (
            body(json!({ "error": { "message": "loading" } })),
            FailureKind::BadOutput,
            "loading",
        ),
        (
            Act::Body(vec![b' '; 2 << 20]),
            FailureKind::BadOutput,
            "1 MiB",
        ),
        (Act::Cut, FailureKind::Transport, ""),
        (
            Act::Stall(Duration::from_secs(30)),
            FailureKind::Transport,
            "1 s",
        ),
        (
            Act::Status(500, vec![], "<h1>boom</h1>".into()),
            FailureKind::Unavailable,
            "500 Internal Server Error: boom",
        ),
        (
            Act::Status(429, vec![], String::new()),
            FailureKind::Unavailable,
            "429 Too Many Requests",
        ),
        (
            Act::Status(401, vec![], String::new()),
            FailureKind::Refused,
            "401 Unauthorized",
        ),
    ];
    for (act, kind, what) in cases {
        let shown = format!("{act:?}").chars().take(60).collect::<String>();
        let server = Server::new(move |_| act.clone());
        let failure = one(&server, 1, &question("Is it?")).unwrap_err();
        assert_eq!(failure.kind, kind, "{shown}: {}", failure.reason);
        assert!(
            failure.reason.starts_with("http://127.0.0.1:") && failure.reason.contains(what),
            "{failure:?}"
        );
    }
    let server = Server::new(|seen| match seen.before {
        0 => Act::Status(500, vec![], String::new()),
        1 => Act::Cut,
        2 => Act::Status(429, vec![("retry-after", "0.05".into())], String::new()),
        3 => Act::Status(429, vec![], String::new()),
        4 => Act::Stall(Duration::from_secs(20)),
        _ => says("no"),
    });
    assert_eq!(one(&server, 6, &question("Is it?")).unwrap().text, "no");
    assert_eq!(server.seen().len(), 6);
    // The time that a server names is kept to, and one that asks for an hour is not waited for.
    let at = Instant::now();
    let server =
        Server::new(
            move |seen| match (seen.before, at.elapsed() < Duration::from_millis(600)) {
                (0, _) => Act::Status(429, vec![("retry-after", "1".into())], String::new()),
                (_, true) => Act::Status(400, vec![], "too early".into()),
                _ => says("no"),
            },
        );
    one(&server, 3, &question("Is it?")).unwrap();
    let server =
        Server::new(|_| Act::Status(429, vec![("retry-after", "3600".into())], String::new()));
    let failure = one(&server, 3, &question("Is it?")).unwrap_err();
    assert!(
        failure.kind == FailureKind::Unavailable && failure.reason.contains("3600"),
        "{failure:?}"
    );
}

#[test]
fn answers_in_every_dress_are_read_and_counted() {
    let server = Server::new(|seen| match prompt(seen) {
        "json" => says("{\"reason\": \"no dog\", \"answer\": \"yes\"}"),
        "fence" => says("Sure:\n```json\n{\"answer\": \"no\"}\n```"),
        "bad json" => says("{\"answer\": \"yes\", \"reason\": \"the dog"),
        "both" => says("Yes/No"),
        "silent" => body(
            json!({ "choices": [{ "message": { "content": null }, "finish_reason": "length" }] }),
        ),
        _ => {
            let top = json!([{ "token": "Yes", "logprob": -0.105 }, { "token": "No", "logprob": -2.303 }]);
            let logprobs =
                json!({ "content": [{ "token": "Yes", "logprob": -0.105, "top_logprobs": top }] });
            body(json!({ "choices": [{ "message": { "content": "Yes" }, "logprobs": logprobs }] }))
        }
    });
    let asks = ["json", "fence", "bad json", "both", "silent", "logprobs"].map(with_schema);
    let replies: Vec<Reply> = ask_all(&mut model(&server, 1), &asks)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let said: Vec<JudgeAnswer> = replies.iter().map(|r| ruling(r, Word::Yes).said).collect();
    let (yes, no) = (JudgeAnswer::Word(Word::Yes), JudgeAnswer::Word(Word::No));
    let (both, empty) = (
        JudgeAnswer::Unparsed(Unparsed::Both),
        JudgeAnswer::Unparsed(Unparsed::Empty),
    );
    assert_eq!(said, [yes, no, yes, both, empty, yes]);
    let sure = certainty(&replies[5].first).unwrap();
    assert!((sure - 0.9).abs() < 0.001, "{sure}");
    assert_eq!(replies[4].finish, Finish::Length);
    let mut tally = Tally::default();
    replies.iter().for_each(|r| tally.add(r));
    assert_eq!((tally.answers, tally.without_usage), (6, 2));
    // 4 x (1000 x 2 + 10 x 8) millionths.
    assert_eq!(
        tally.money(&config(String::new(), 1, 1)).to_string(),
        "0.0084"
    );
}

/// A server that has the same opinion of everything.
fn opinion(word: &'static str) -> Server {
    Server::new(move |_| says(&format!("{{\"answer\": \"{word}\"}}")))
}

#[test]
fn a_server_that_swaps_yes_and_no_turns_every_ruling() {
    let fields: Slots = SLOTS
        .iter()
        .map(|(name, _)| (*name, "words".to_string()))
        .collect();
    let judgings: Vec<_> = shipped_judgings()
        .values()
        .filter(|j| matches!(j.reads, AnswerForm::YesNo { .. }))
        .collect();
    let asks: Vec<VlmRequest> = judgings
        .iter()
        .map(|j| j.ask(&fields, 64).unwrap())
        .collect();
    let rulings = |word: &'static str| {
        let server = opinion(word);
        let replies = ask_all(&mut model(&server, 1), &asks);
        let pass = judgings.iter().map(|j| match j.reads {
            AnswerForm::YesNo { pass } => pass,
            _ => unreachable!(),
        });
        replies
            .into_iter()
            .zip(pass)
            .map(|(r, pass)| ruling(&r.unwrap(), pass))
            .collect::<Vec<_>>()
    };
    let (yes, no) = (rulings("yes"), rulings("no"));
    assert_eq!(
        judgings.len(),
        9,
        "V1 to V3, L1 to L4, contamination, and whether an answer stands"
    );
    for ((judging, yes), no) in judgings.iter().zip(&yes).zip(&no) {
        // Raw is what was said; good is by the polarity of the strategy: bad for V1 to V3, L2, and contamination, good for the others.
        assert_eq!(
            (yes.said, no.said),
            (JudgeAnswer::Word(Word::Yes), JudgeAnswer::Word(Word::No)),
            "{}",
            judging.name
        );
        let changes = ["vlb-v", "vlb-l2", "contamination"]
            .iter()
            .any(|p| judging.name.starts_with(p));
        assert_eq!(
            (yes.pass, no.pass),
            (Some(!changes), Some(changes)),
            "{}",
            judging.name
        );
    }
}

#[test]
fn a_thousand_questions_at_once_are_answered_once_each() {
    const ASKS: usize = 1_000;
    // Of the troubles in between every question has its own, and none that lasts.
    let server = Server::forgetful(|seen| {
        let text = prompt(seen);
        let hash = blake3::hash(format!("{text} {}", seen.before).as_bytes());
        match hash.as_bytes()[0] {
            0..20 => Act::Status(429, vec![], String::new()),
            20..30 => Act::Status(429, vec![("retry-after", "0.002".into())], String::new()),
            30..45 => Act::Status(500, vec![], "boom".into()),
            45..55 => Act::Cut,
            55..65 => Act::Body(b"{\"choices\": [{}".to_vec()),
            _ => Act::Later(
                Duration::from_millis(4),
                Box::new(says(&format!("yes to {text}"))),
            ),
        }
    });
    let limits = Timeouts {
        failures: 40,
        suspension: Duration::from_millis(1),
        ..patience()
    };
    let mut model = ChatModel::with_timeouts(&config(server.url(), 32, 20), limits).unwrap();
    let asks: Vec<VlmRequest> = (0..ASKS)
        .map(|i| question(&format!("number {i}")))
        .collect();
    let mut replies: HashMap<usize, Reply> = HashMap::new();
    model.ask(&asks, &mut |heard| {
        if let BatchEvent::Done { index, result } = heard {
            assert!(
                replies.insert(index, result.unwrap()).is_none(),
                "question {index} twice"
            );
        }
        true
    });
    assert_eq!(replies.len(), ASKS);
    for (index, reply) in &replies {
        assert_eq!(
            reply.text,
            format!("yes to number {index}"),
            "another's answer"
        );
    }
    assert!(
        (2..=32).contains(&server.peak()),
        "{} in flight",
        server.peak()
    );
    let end = Instant::now() + Duration::from_secs(30);
    drop(server);
    while model.alive_tasks() > 0 {
        assert!(
            Instant::now() < end,
            "{} tasks are left",
            model.alive_tasks()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_cancel_answers_everything_and_what_cannot_be_asked_is_refused() {
    let server = Server::new(|_| Act::Stall(Duration::from_secs(60)));
    let mut judge = config(server.url(), 3, 1);
    judge.endpoints[0].timeout_s = 60;
    let mut model = ChatModel::with_timeouts(&judge, patience()).unwrap();
    let asks: Vec<VlmRequest> = (0..9).map(|i| question(&format!("{i}"))).collect();
    let mut kinds = Vec::new();
    model.ask(&asks, &mut |heard| match heard {
        BatchEvent::Alive => server.now() < 3,
        BatchEvent::Done { result, .. } => {
            kinds.push(result.unwrap_err().kind);
            true
        }
    });
    assert_eq!(kinds, [FailureKind::Cancelled; 9]);
    assert!(ask_all(&mut model, &[]).is_empty());
    let server = Server::new(|_| says("yes"));
    let mixed = [
        question("a"),
        VlmRequest {
            prompt: " ".into(),
            ..question("b")
        },
        VlmRequest {
            max_tokens: 0,
            ..question("c")
        },
    ];
    let results = ask_all(&mut self::model(&server, 1), &mixed);
    let kinds: Vec<_> = results
        .iter()
        .map(|r| r.as_ref().err().map(|f| f.kind))
        .collect();
    assert_eq!(
        kinds,
        [None, Some(FailureKind::Input), Some(FailureKind::Input)]
    );
    assert_eq!(server.seen().len(), 1);
}
