use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;

use super::answer::parse;
use super::ask::{Known, LOGPROBS, SCHEMA, SEED};
use super::body::Body;
use super::*;
use benchtop_model::config::judge::Endpoint;
use benchtop_model::vlm::{Alternative, Encoded, Finish, Schema, Usage};

fn read(value: serde_json::Value) -> benchtop_model::vlm::Reply {
    parse(value.to_string().as_bytes()).unwrap()
}

#[test]
fn parses_the_response_formats_of_all_servers() {
    let message = |message: serde_json::Value| json!({ "choices": [{ "message": message, "finish_reason": "stop" }] });
    assert_eq!(read(message(json!({ "content": "Yes." }))).text, "Yes.");
    let parts = json!([{ "type": "text", "text": "Y" }, { "type": "text", "text": "es" }, { "type": "image_url" }]);
    assert_eq!(read(message(json!({ "content": parts }))).text, "Yes");
    // An empty reply is unparsed, not a failure of the server.
    assert_eq!(
        read(message(json!({ "content": null, "tool_calls": [] }))).text,
        ""
    );
    let plain = read(json!({ "choices": [{ "message": { "content": "a" } }] }));
    assert_eq!(
        (plain.finish, plain.usage, plain.model),
        (Finish::Unknown, None, None)
    );
    let full = read(json!({
        "model": "qwen-2026", "usage": { "prompt_tokens": 812, "completion_tokens": 3.0 },
        "choices": [{ "message": { "content": "a" }, "finish_reason": "length" }],
    }));
    assert_eq!(
        (full.finish, full.usage),
        (
            Finish::Length,
            Some(Usage {
                prompt: 812,
                completion: 3
            })
        )
    );
    assert_eq!(full.model.as_deref(), Some("qwen-2026"));
    for usage in [
        json!({ "prompt_tokens": -1, "completion_tokens": 3 }),
        json!({ "prompt_tokens": 1 }),
        json!(null),
    ] {
        let mut answer = message(json!({ "content": "a" }));
        answer["usage"] = usage;
        assert_eq!(read(answer).usage, None);
    }
    for wrong in [
        json!({}),
        json!({ "choices": [] }),
        json!({ "choices": [{ "text": "Yes" }] }),
        json!({ "choices": [{ "message": { "content": 5 } }] }),
        json!({ "error": { "message": "the model is loading" } }),
    ] {
        assert!(parse(wrong.to_string().as_bytes()).is_err(), "{wrong}");
    }
}

#[test]
fn detects_refusals() {
    let refused = |choice| read(json!({ "choices": [choice] }));
    let field = refused(
        json!({ "message": { "content": null, "refusal": "I cannot" }, "finish_reason": "stop" }),
    );
    assert_eq!(
        (field.finish, field.text.as_str()),
        (Finish::Refused, "I cannot")
    );
    let filter =
        refused(json!({ "message": { "content": "" }, "finish_reason": "content_filter" }));
    assert_eq!(filter.finish, Finish::Refused);
    let none =
        refused(json!({ "message": { "content": "Yes", "refusal": "" }, "finish_reason": "stop" }));
    assert_eq!(none.finish, Finish::Stop);
}

#[test]
fn reads_log_probabilities_of_the_first_token() {
    let first = |logprobs| {
        read(json!({ "choices": [{ "message": { "content": "Yes" }, "logprobs": logprobs }] }))
            .first
            .into_iter()
            .map(|Alternative { token, logprob }| (token, logprob))
            .collect::<Vec<_>>()
    };
    let both = vec![("Yes".to_string(), -0.1), ("No".to_string(), -2.5)];
    let top = json!([{ "token": "No", "logprob": -2.5 }, { "token": "Yes", "logprob": -0.1 },
                     { "token": "?", "logprob": null }, { "token": "!", "logprob": -9999.0 }]);
    let content = json!([{ "token": "Yes", "logprob": -0.1, "top_logprobs": top }, { "token": "." , "logprob": -0.5 }]);
    assert_eq!(first(json!({ "content": content })), both);
    assert_eq!(
        first(json!({ "top_logprobs": [{ "Yes": -0.1, "No": -2.5 }] })),
        both
    );
    assert_eq!(
        first(json!({ "content": [{ "token": "Yes", "logprob": -0.1 }] })),
        both[..1]
    );
    for none in [
        json!(null),
        json!({ "content": null }),
        json!({ "content": [] }),
        json!([]),
    ] {
        assert_eq!(first(none), []);
    }
}

fn asked() -> VlmRequest {
    let schema = Schema {
        name: "verdict".into(),
        schema: Arc::new(json!({ "type": "object" })),
    };
    VlmRequest {
        images: vec![
            Encoded::new(*b"GIF89a").unwrap(),
            Encoded::new(*b"GIF87a!!").unwrap().with_base64(),
        ],
        prompt: "Is it?".into(),
        max_tokens: 9,
        want_logprobs: true,
        schema: Some(schema),
        ..VlmRequest::default()
    }
}

#[test]
fn body_uses_the_configured_field_names() {
    let body = |fields: &Fields, ask: &VlmRequest, extras| {
        let model = "m";
        let seed = 7;
        let body = Body {
            fields,
            model,
            ask,
            seed,
            extras,
        };
        serde_json::from_slice::<serde_json::Value>(&body.json().unwrap()).unwrap()
    };
    let image = |base64: &str| {
        let url = format!("data:image/gif;base64,{base64}");
        json!({ "type": "image_url", "image_url": { "url": url } })
    };
    let content = json!([
        image("R0lGODlh"), image("R0lGODdhISE="), { "type": "text", "text": "Is it?" }
    ]);
    let schema = json!({ "name": "verdict", "strict": true, "schema": { "type": "object" } });
    let wanted = json!({
        "model": "m",
        "messages": [{ "role": "user", "content": content }],
        "max_tokens": 9, "temperature": 0, "seed": 7, "logprobs": true, "top_logprobs": 5,
        "response_format": { "type": "json_schema", "json_schema": schema },
    });
    let all = SCHEMA | LOGPROBS | SEED;
    assert_eq!(body(&Fields::default(), &asked(), all), wanted);
    let fields = Fields {
        temperature: String::new(),
        max_tokens: "max_completion_tokens".into(),
        ..Fields::default()
    };
    let words = VlmRequest {
        images: Vec::new(),
        system: Some("You \"judge\".\n".into()),
        ..asked()
    };
    let messages = json!([{ "role": "system", "content": "You \"judge\".\n" }, { "role": "user", "content": "Is it?" }]);
    assert_eq!(
        body(&fields, &words, 0),
        json!({ "model": "m", "messages": messages, "max_completion_tokens": 9 })
    );
}

#[test]
fn leaves_out_named_parts_or_the_first_untried_part() {
    let fresh = || Known::new(Fields::default());
    let all = SCHEMA | LOGPROBS | SEED;
    assert_eq!(
        fresh().leave_out(all, 400, "Unknown field response_format"),
        SCHEMA
    );
    assert_eq!(
        fresh().leave_out(all, 422, "logprobs are not supported with JSON_schema"),
        SCHEMA | LOGPROBS
    );
    assert_eq!(fresh().leave_out(all, 400, "bad request"), SCHEMA);
    assert_eq!(
        fresh().leave_out(LOGPROBS | SEED, 400, "bad request"),
        LOGPROBS
    );
    assert_eq!(fresh().leave_out(0, 400, "response_format"), 0);
    assert_eq!(fresh().leave_out(all, 404, "no route takes `seed`"), SEED);
    assert_eq!(fresh().leave_out(all, 404, "no such model"), 0);
    for status in [0, 401, 403, 413, 429, 500] {
        assert_eq!(
            fresh().leave_out(all, status, "response_format"),
            0,
            "{status}"
        );
    }
    // A server that accepted all parts before refuses the question itself.
    let known = fresh();
    known.takes.store(all, Ordering::Relaxed);
    assert_eq!(known.leave_out(all, 400, "unsafe picture"), 0);
    assert_eq!(
        known.leave_out(all, 400, "this model has no logprobs"),
        LOGPROBS
    );
}

#[test]
fn fingerprint_depends_on_servers_and_settings() {
    let base = Judge {
        model: Some("m".into()),
        endpoints: vec![Endpoint::default()],
        ..Judge::default()
    };
    let print = |judge: &Judge| ChatModel::new(judge).unwrap().fingerprint().short();
    let with = |change: &dyn Fn(&mut Judge)| {
        let mut other = base.clone();
        change(&mut other);
        print(&other)
    };
    let prints = [
        print(&base),
        with(&|j| j.seed = 1),
        with(&|j| j.model = Some("n".into())),
        with(&|j| j.endpoints[0].url = "http://h/v1".into()),
        with(&|j| j.endpoints[0].fields.temperature = String::new()),
    ];
    assert!(
        (1..prints.len()).all(|i| !prints[..i].contains(&prints[i])),
        "{prints:?}"
    );
    assert_eq!(
        print(&base),
        with(&|j| j.tries = 9),
        "the number of tries does not matter"
    );
    let problem = ChatModel::new(&Judge::default()).unwrap_err();
    assert_eq!(problem.place.field.as_deref(), Some("judge.endpoints"));
}
