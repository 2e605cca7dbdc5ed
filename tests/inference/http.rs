//! The HTTP generator against a real server, well and badly behaved.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use benchtop::inference::http::{HttpGenerator, Timeouts};
use benchtop::inference::{GenerationEvent, ImageGenerator, generate_all};
use benchtop::model::config::Generate;
use benchtop::model::config::generate::{Backend, Endpoint, Fields};
use benchtop::model::generation::{
    Failure, FailureKind, Picture, RespectedInputs, Scheduler, Settings, Task,
};

use super::conformance::conforms;
use super::server::{Act, Seen, Server, png};

const ALL: &[&str] = &[
    "seed",
    "num_inference_steps",
    "guidance_scale",
    "negative_prompt",
];

pub fn settings() -> Settings {
    Settings {
        width: 64,
        height: 64,
        steps: 4,
        guidance: 5.0,
        scheduler: Scheduler::Euler,
    }
}

fn task(prompt: &str) -> Task {
    Task {
        prompt: prompt.into(),
        seed: 7,
        ..Task::default()
    }
}

pub fn endpoint(url: String, concurrency: u32) -> Endpoint {
    Endpoint {
        url,
        concurrency,
        timeout_s: 1,
        ..Endpoint::default()
    }
}

fn config(endpoints: Vec<Endpoint>, tries: u32) -> Generate {
    Generate {
        backend: Backend::Http,
        model: Some("tiny".into()),
        tries,
        endpoints,
        ..Generate::default()
    }
}

/// Waits that a test can afford.
fn quick() -> Timeouts {
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

pub fn generator(endpoints: Vec<Endpoint>, tries: u32) -> HttpGenerator {
    HttpGenerator::with_timeouts(&config(endpoints, tries), quick()).unwrap()
}

pub fn one(server: &Server, tries: u32, task: &Task) -> Result<Picture, Failure> {
    let mut generator = generator(vec![endpoint(server.url(), 2)], tries);
    generate_all(&mut generator, &settings(), std::slice::from_ref(task)).remove(0)
}

#[test]
fn http_conforms_with_a_server_that_repeats_what_it_used() {
    let server = Server::new(|seen| match seen.body["prompt"].as_str() {
        Some(text) if text.trim().is_empty() => Act::Status(
            400,
            vec![],
            r#"{"error":{"message":"empty prompt"}}"#.into(),
        ),
        _ => Act::Picture(ALL),
    });
    conforms(
        &mut generator(vec![endpoint(server.url(), 3)], 2),
        &settings(),
    );
}

#[test]
fn http_conforms_with_a_server_that_is_silent_about_what_it_used() {
    let server = Server::new(|_| Act::Picture(&[]));
    conforms(
        &mut generator(vec![endpoint(server.url(), 3)], 2),
        &settings(),
    );
}

#[test]
fn what_is_sent_and_what_is_taken_for_honoured() {
    let server = Server::new(|_| Act::Picture(&["seed", "guidance_scale"]));
    let task = Task {
        negative_prompt: Some("blue".into()),
        seed: u64::MAX,
        ..task("a \"red\" owl\n")
    };
    let picture = one(&server, 1, &task).unwrap();
    let seen = server.seen().remove(0);
    assert_eq!(seen.line, "POST /v1/images/generations");
    let sent = serde_json::json!({
        "model": "tiny", "prompt": "a \"red\" owl\n", "n": 1, "size": "64x64", "response_format": "b64_json",
        "seed": 4294967295u64, "num_inference_steps": 4, "guidance_scale": 5.0, "negative_prompt": "blue",
    });
    assert_eq!(seen.body, sent);
    assert_eq!(
        picture.respected,
        RespectedInputs {
            seed: true,
            guidance: true,
            ..RespectedInputs::default()
        }
    );
    assert_eq!(picture.notes.len(), 1);
    assert!(
        picture.notes[0].ends_with("num_inference_steps, negative_prompt"),
        "{:?}",
        picture.notes
    );
    assert_eq!(seen.key, None);
    // Names of fields are the configuration's, and an empty one is not sent.
    let fields = Fields {
        steps: "steps".into(),
        guidance: String::new(),
        response_format: String::new(),
        ..Fields::default()
    };
    let mut generator = generator(
        vec![Endpoint {
            fields,
            ..endpoint(server.url(), 1)
        }],
        1,
    );
    generate_all(&mut generator, &settings(), &[task])
        .remove(0)
        .unwrap();
    let body = server.seen().remove(1).body;
    assert_eq!(
        (
            body["steps"].as_u64(),
            body.get("guidance_scale"),
            body.get("response_format")
        ),
        (Some(4), None, None)
    );
}

#[test]
fn a_key_is_sent_and_never_told() {
    let key = std::env::vars()
        .find(|(k, v)| k == "PATH" && v.is_ascii())
        .unwrap()
        .1;
    let said = format!("no such key: {key}");
    let server = Server::new(move |_| {
        Act::Status(
            401,
            vec![],
            serde_json::json!({ "error": { "message": said } }).to_string(),
        )
    });
    // The value of PATH stands in for a key: a test sets no variable while others run.
    let mut generator = generator(
        vec![Endpoint {
            key_env: Some("PATH".into()),
            ..endpoint(server.url(), 1)
        }],
        3,
    );
    let failure = generate_all(&mut generator, &settings(), &[task("owl")])
        .remove(0)
        .unwrap_err();
    assert_eq!(server.seen().len(), 1, "a refusal is not tried again");
    assert_eq!(
        server.seen()[0].key.as_deref(),
        Some(format!("Bearer {key}").as_str())
    );
    assert_eq!(failure.kind, FailureKind::Refused);
    let beginning: String = key.chars().take(12).collect();
    assert!(
        failure.reason.contains("401") && !failure.reason.contains(&beginning),
        "{}",
        failure.reason
    );
    assert!(
        !format!("{generator:?} {:?}", generator.fingerprint(&settings())).contains(&beginning)
    );
    let missing = Endpoint {
        key_env: Some("BENCHTOP_NO_SUCH_KEY".into()),
        ..endpoint(server.url(), 1)
    };
    let problem = HttpGenerator::new(&config(vec![missing], 1)).unwrap_err();
    assert!(
        problem.what.contains("BENCHTOP_NO_SUCH_KEY") && problem.help.is_some(),
        "{problem}"
    );
}

#[test]
fn each_bad_answer_has_its_reason() {
    let web =
        "<!doctype html><html><head><title>Welcome</title></head><body>to nginx</body></html>";
    let gif = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!".to_vec();
    let mut torn = png(64, 64, "torn");
    torn.truncate(torn.len() / 2);
    let elsewhere = br#"{"data":[{"url":"http://127.0.0.2:9/x.png"}]}"#.to_vec();
    let cases: Vec<(Act, FailureKind, &str)> = vec![
        (
            Act::Body(web.into()),
            FailureKind::BadOutput,
            "Welcome to nginx",
        ),
        (
            Act::Body(b"{\"data\": [".to_vec()),
            FailureKind::BadOutput,
            "",
        ),
        (
            Act::Body(b"{\"data\": []}".to_vec()),
            FailureKind::BadOutput,
            "",
        ),
        (
            Act::Body(b"{\"data\": [{\"b64_json\": \"%%%\"}]}".to_vec()),
            FailureKind::BadOutput,
            "base64",
        ),
        (
            Act::Body(b"{\"error\": {\"message\": \"the model is loading\"}}".to_vec()),
            FailureKind::BadOutput,
            "the model is loading",
        ),
        (
            Act::Body(vec![b' '; 2 << 20]),
            FailureKind::BadOutput,
            "1 MiB",
        ),
        (
            Act::Body(elsewhere),
            FailureKind::Refused,
            "http://127.0.0.2:9",
        ),
        (Act::Image(gif), FailureKind::BadOutput, "image/gif"),
        (Act::Image(torn), FailureKind::BadOutput, ""),
        (
            Act::Image(b"hello there".to_vec()),
            FailureKind::BadOutput,
            "",
        ),
        (Act::Cut, FailureKind::Transport, ""),
        (
            Act::Stall(Duration::from_secs(30)),
            FailureKind::Transport,
            "1 s",
        ),
        (
            Act::Status(
                400,
                vec![],
                r#"{"error":{"message":"unsafe prompt"}}"#.into(),
            ),
            FailureKind::Refused,
            "400 Bad Request: unsafe prompt",
        ),
        (
            Act::Status(422, vec![], r#"{"detail":[{"msg":"size"}]}"#.into()),
            FailureKind::Refused,
            "422 Unprocessable Entity: size",
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
            Act::Status(
                307,
                vec![("location", "http://127.0.0.2:9/".into())],
                String::new(),
            ),
            FailureKind::Refused,
            "http://127.0.0.2:9/",
        ),
    ];
    let mut reasons = std::collections::BTreeSet::new();
    let count = cases.len();
    for (act, kind, what) in cases {
        let shown = format!("{act:?}").chars().take(80).collect::<String>();
        let server = Server::new(move |_| act.clone());
        let failure = one(&server, 1, &task("owl")).unwrap_err();
        assert_eq!(failure.kind, kind, "{shown}: {}", failure.reason);
        assert!(failure.reason.contains(what), "{shown}: {}", failure.reason);
        reasons.insert(failure.reason.split_once(": ").unwrap().1.to_string());
        assert!(
            failure.reason.starts_with("http://127.0.0.1:") && failure.reason.len() < 400,
            "{}",
            failure.reason
        );
    }
    assert_eq!(reasons.len(), count, "one reason each: {reasons:?}");
    // Nobody there.
    let gone = Server::new(|_| Act::Cut).at;
    let failure = generate_all(
        &mut generator(vec![endpoint(format!("http://{gone}/v1"), 1)], 2),
        &settings(),
        &[task("owl")],
    )
    .remove(0);
    let failure = failure.unwrap_err();
    assert!(failure.is_outage(), "the fault of no task: {failure}");
    assert!(!failure.reason.contains("tries"), "{}", failure.reason);
}

#[test]
fn passing_troubles_pass_and_notes_tell_what_differs() {
    let server = Server::new(|seen| match (seen.line.as_str(), seen.before) {
        ("GET /v1/images/p.png", _) => Act::Body(png(32, 16, "p")),
        (_, 0) => Act::Status(503, vec![], String::new()),
        (_, 1) => Act::Cut,
        (_, 2) => Act::Status(429, vec![("retry-after", "0.05".into())], String::new()),
        _ => Act::Body(br#"{"data":[{"url":"p.png","revised_prompt":"a grey owl"}]}"#.to_vec()),
    });
    let picture = one(&server, 4, &task("owl")).unwrap();
    assert_eq!((picture.pixels.width, picture.pixels.height), (32, 16));
    assert!(
        picture
            .notes
            .iter()
            .any(|n| n.contains("64x64") && n.contains("32x16")),
        "{:?}",
        picture.notes
    );
    assert!(
        picture.notes.iter().any(|n| n.contains("a grey owl")),
        "{:?}",
        picture.notes
    );
    assert_eq!(server.seen().len(), 5);
}

#[test]
fn retry_after_is_kept_to() {
    let at = Instant::now();
    let server =
        Server::new(
            move |seen| match (seen.before, at.elapsed() < Duration::from_millis(600)) {
                (0, _) => Act::Status(429, vec![("retry-after", "1".into())], String::new()),
                (_, true) => Act::Status(400, vec![], "too early".into()),
                _ => Act::Picture(ALL),
            },
        );
    one(&server, 3, &task("owl")).unwrap();
    // One that asks to wait for an hour is not waited for.
    let server =
        Server::new(|_| Act::Status(429, vec![("retry-after", "3600".into())], String::new()));
    let failure = one(&server, 3, &task("owl")).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unavailable);
    assert!(failure.reason.contains("3600"), "{}", failure.reason);
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_stalled_request_is_retried_while_others_continue() {
    let server = Server::new(
        |seen| match (seen.body["prompt"] == "owl 20", seen.before) {
            (true, 0) => Act::Stall(Duration::from_secs(100)),
            _ => Act::Picture(ALL),
        },
    );
    let endpoint = Endpoint {
        timeout_s: 90,
        ..endpoint(server.url(), 2)
    };
    let tasks: Vec<_> = (0..40).map(|i| task(&format!("owl {i}"))).collect();
    let patience = Timeouts {
        stall: Duration::from_secs(1),
        ..quick()
    };
    let config = config(vec![endpoint], 2);
    let mut generator = HttpGenerator::with_timeouts(&config, patience).unwrap();
    let results = generate_all(&mut generator, &settings(), &tasks);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let of = |prompt: &str| {
        let seen = server.seen();
        seen.iter()
            .filter(|seen| seen.body["prompt"] == prompt)
            .count()
    };
    assert_eq!((of("owl 20"), of("owl 21")), (2, 1));
}

#[test]
fn a_server_that_names_a_time_is_asked_again_then() {
    // Without the named time, a wait of up to an hour would be drawn.
    let server = Server::new(|seen| match seen.before {
        0 => Act::Status(429, vec![("retry-after", "0".into())], String::new()),
        _ => Act::Picture(ALL),
    });
    let patience = Timeouts {
        backoff: Duration::from_secs(3600),
        backoff_cap: Duration::from_secs(3600),
        ..quick()
    };
    let config = config(vec![endpoint(server.url(), 2)], 2);
    let mut generator = HttpGenerator::with_timeouts(&config, patience).unwrap();
    let tasks: Vec<_> = (0..20).map(|i| task(&format!("owl {i}"))).collect();
    let results = generate_all(&mut generator, &settings(), &tasks);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(server.seen().len(), 40);
}

#[test]
fn a_broken_endpoint_is_set_aside_and_taken_back() {
    let (good, bad) = (
        Server::new(|_| Act::Picture(ALL)),
        Server::new(|_| Act::Status(500, vec![], String::new())),
    );
    let tasks: Vec<_> = (0..300).map(|i| task(&format!("owl {i}"))).collect();
    let mut generator = generator(vec![endpoint(bad.url(), 4), endpoint(good.url(), 4)], 8);
    let results = generate_all(&mut generator, &settings(), &tasks);
    assert!(
        results.iter().all(Result::is_ok),
        "{:?}",
        results.iter().find(|r| r.is_err())
    );
    assert!(
        bad.seen().len() < 80,
        "{} requests went to the broken one",
        bad.seen().len()
    );
    assert_eq!(good.seen().len(), 300);
    // One that was down for a while gets work again.
    let back = Server::new(|seen| {
        if seen.before < 1 {
            Act::Status(500, vec![], String::new())
        } else {
            Act::Picture(ALL)
        }
    });
    let mut generator = self::generator(vec![endpoint(back.url(), 4)], 8);
    let results = generate_all(&mut generator, &settings(), &tasks[..100]);
    assert!(
        results.iter().all(Result::is_ok),
        "{:?}",
        results.iter().find(|r| r.is_err())
    );
}

#[test]
fn a_cancel_drops_what_is_in_flight() {
    let server = Server::new(|_| Act::Stall(Duration::from_secs(60)));
    let slow = Endpoint {
        timeout_s: 60,
        ..endpoint(server.url(), 3)
    };
    let mut generator = generator(vec![slow], 1);
    let mut results = Vec::new();
    let tasks: Vec<_> = (0..9).map(|i| task(&format!("owl {i}"))).collect();
    generator.generate(&settings(), &tasks, &mut |told| match told {
        GenerationEvent::Step { .. } => server.now() < 3,
        GenerationEvent::Done { result, .. } => {
            results.push(result.unwrap_err().kind);
            true
        }
    });
    assert_eq!(results, [FailureKind::Cancelled; 9]);
    until("the server's requests ended", || server.now() == 0);
}

fn until(what: &str, done: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < end, "{what}: not within 30 s");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sockets of this process that are tied to `port`, by `/proc`: other tests' do not count.
fn sockets(port: u16) -> usize {
    let table = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
    let hex = format!(":{port:04X}");
    let fields = table
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>());
    let tied = fields.filter(|f| f.len() > 9 && (f[1].ends_with(&hex) || f[2].ends_with(&hex)));
    let inodes: Vec<_> = tied.map(|f| format!("socket:[{}]", f[9])).collect();
    let open = std::fs::read_dir("/proc/self/fd")
        .unwrap()
        .filter_map(|e| std::fs::read_link(e.ok()?.path()).ok());
    open.filter(|link| inodes.iter().any(|i| link.as_os_str() == i.as_str()))
        .count()
}

/// What the server of the great test does: about two in five tries go wrong, each in one of ten ways; of the tasks whose
/// number ends in 99 every try does, and those in 98 are refused.
fn spoilt(seen: &Seen) -> Act {
    let prompt = seen.body["prompt"].as_str().unwrap();
    let number: usize = prompt.rsplit(' ').next().unwrap().parse().unwrap();
    let hash = blake3::hash(format!("{prompt} {}", seen.before).as_bytes());
    let dice = u16::from_le_bytes([hash.as_bytes()[0], hash.as_bytes()[1]]) % 1000;
    if number % 100 == 98 {
        return Act::Status(
            400,
            vec![],
            r#"{"error":{"message":"unsafe prompt"}}"#.into(),
        );
    }
    let mut torn = png(64, 64, "torn");
    torn.truncate(torn.len() / 2);
    match if number % 100 == 99 { dice % 400 } else { dice } {
        0..60 => Act::Status(429, vec![], String::new()),
        60..100 => Act::Status(429, vec![("retry-after", "0.002".into())], String::new()),
        100..150 => Act::Status(500, vec![], "boom".into()),
        150..154 => Act::Stall(Duration::from_secs(20)),
        154..200 => Act::Cut,
        200..240 => Act::Body(b"<html>sorry</html>".to_vec()),
        240..280 => Act::Body(b"{\"data\": [{}".to_vec()),
        280..320 => Act::Image(b"GIF89a\x01\x00\x01\x00\x00\x00\x00;".to_vec()),
        320..360 => Act::Image(torn),
        360..400 => Act::Body(b"{\"data\": [{\"b64_json\": 5}]}".to_vec()),
        _ => Act::Picture(&["seed"]),
    }
}

#[test]
fn ten_thousand_requests_through_all_troubles() {
    const TASKS: usize = 10_000;
    let server = Server::forgetful(spoilt);
    let port = server.at.port();
    assert_eq!(sockets(port), 1);
    // At the end only tasks that always fail are left: the endpoint is tried out for them again and again.
    let limits = Timeouts {
        failures: 40,
        suspension: Duration::from_millis(1),
        ..quick()
    };
    let mut generator =
        HttpGenerator::with_timeouts(&config(vec![endpoint(server.url(), 32)], 12), limits)
            .unwrap();
    let tasks: Vec<_> = (0..TASKS).map(|i| task(&format!("owl {i}"))).collect();
    let mut results: HashMap<usize, Result<Picture, Failure>> = HashMap::new();
    generator.generate(&settings(), &tasks, &mut |told| {
        if let GenerationEvent::Done { index, result } = told {
            assert!(
                results.insert(index, result).is_none(),
                "task {index} twice"
            );
        }
        true
    });
    assert_eq!(results.len(), TASKS);
    // A request that timed out counts until the server sees that its connection is closed.
    assert!(server.peak() <= 36, "{} in flight", server.peak());
    let (mut done, mut kinds) = (0, HashMap::<FailureKind, usize>::new());
    for (index, result) in &results {
        match result {
            Ok(picture) => {
                // The picture is the task's own.
                let hashed = png_of(index, picture);
                assert!(hashed, "task {index} has another's picture");
                done += 1;
            }
            Err(failure) => {
                assert!(failure.reason.len() > 20, "{failure:?}");
                *kinds.entry(failure.kind).or_default() += 1;
            }
        }
    }
    assert_eq!(kinds.get(&FailureKind::Refused), Some(&100), "{kinds:?}");
    // Tasks that never can be done, and beside them next to none: 0.4 to the power of 12.
    assert!((9_795..=9_800).contains(&done), "{done} done, {kinds:?}");
    // Nothing is left: with the server gone its connections end, and with them all that the generator ran.
    until("the server has no request", || server.now() == 0);
    drop(server);
    until("no task of the generator is left", || {
        generator.alive_tasks() == 0
    });
    until("no socket is left", || sockets(port) == 0);
}

fn png_of(index: &usize, picture: &Picture) -> bool {
    let body = serde_json::json!({
        "model": "tiny", "prompt": format!("owl {index}"), "n": 1, "size": "64x64", "response_format": "b64_json",
        "seed": 7, "num_inference_steps": 4, "guidance_scale": 5.0,
    });
    let mut rgb = vec![0; picture.pixels.rgb.len()];
    blake3::Hasher::new()
        .update(body.to_string().as_bytes())
        .finalize_xof()
        .fill(&mut rgb);
    rgb == picture.pixels.rgb
}
