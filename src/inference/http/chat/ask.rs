//! Builds chat requests, and leaves out fields that a server refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::answer;
use crate::http::exchange::{Api, Line, Stop};
use crate::http::token_counts::token_counts_of;
use benchtop_model::config::judge::Fields;
use benchtop_model::vlm::{Reply, VlmRequest};

// Optional parts of a request that some servers refuse, as bits. If a refusal does not name a part,
// the lowest bit is left out first.
pub(super) const SCHEMA: u8 = 1;
pub(super) const LOGPROBS: u8 = 2;
pub(super) const SEED: u8 = 4;

/// What is known about a server.
pub(super) struct Known {
    /// The server's names of body fields.
    pub(super) fields: Fields,
    /// Parts that the server refused, but answered without.
    refuses: AtomicU8,
    /// Parts that the server has accepted.
    pub(super) takes: AtomicU8,
}

impl Known {
    pub(super) fn new(fields: Fields) -> Known {
        Known {
            fields,
            refuses: AtomicU8::new(0),
            takes: AtomicU8::new(0),
        }
    }

    /// The parts of `sent` to leave out after a refusal: the parts that the message names, or else
    /// the first part that the server has not accepted before. 0 if the refusal must have another
    /// cause.
    pub(super) fn leave_out(&self, sent: u8, status: u16, message: &str) -> u8 {
        if !matches!(status, 400 | 404 | 415 | 422 | 501) {
            return 0;
        }
        let message = message.to_ascii_lowercase();
        let f = &self.fields;
        let words: [(u8, [&str; 4]); 3] = [
            (
                SCHEMA,
                [
                    &f.response_format,
                    "response_format",
                    "json_schema",
                    "structured output",
                ],
            ),
            (
                LOGPROBS,
                [&f.logprobs, &f.top_logprobs, "logprob", "log prob"],
            ),
            (SEED, [&f.seed, "\"seed\"", "'seed'", "`seed`"]),
        ];
        let named = |words: &[&str]| {
            words
                .iter()
                .any(|w| !w.is_empty() && message.contains(&w.to_ascii_lowercase()))
        };
        let named: u8 = words
            .iter()
            .filter(|(bit, words)| sent & bit != 0 && named(words))
            .map(|(bit, _)| bit)
            .sum();
        // A 404 is usually about the URL or the model, not about the parts.
        let untried = if status == 404 {
            0
        } else {
            sent & !self.takes.load(Ordering::Relaxed)
        };
        match named {
            0 => untried & untried.wrapping_neg(),
            named => named,
        }
    }
}

pub(super) struct Chat {
    pub(super) seed: u32,
    pub(super) servers: Arc<[Known]>,
}

impl Chat {
    /// The body of a request with the optional parts `extras`.
    pub(super) fn body(&self, fields: &Fields, model: &str, ask: &VlmRequest, extras: u8) -> Value {
        let mut messages = Vec::new();
        if let Some(system) = &ask.system {
            messages.push(json!({ "role": "system", "content": system }));
        }
        let content = if ask.images.is_empty() {
            Value::from(ask.prompt.as_str())
        } else {
            let picture = |image: &benchtop_model::vlm::Encoded| {
                let url = format!(
                    "data:{};base64,{}",
                    image.mime(),
                    STANDARD.encode(image.bytes())
                );
                json!({ "type": "image_url", "image_url": { "url": url } })
            };
            let words = json!({ "type": "text", "text": ask.prompt });
            ask.images.iter().map(picture).chain([words]).collect()
        };
        messages.push(json!({ "role": "user", "content": content }));
        let mut body = Map::new();
        body.insert("model".into(), model.into());
        body.insert("messages".into(), messages.into());
        let mut put = |name: &str, value: Value| {
            if !name.is_empty() {
                body.insert(name.to_string(), value);
            }
        };
        put(&fields.max_tokens, ask.max_tokens.into());
        match ask.sampling {
            Some(sampling) => put(&fields.temperature, sampling.temperature.into()),
            None => put(&fields.temperature, 0.into()),
        }
        if extras & SEED != 0 {
            let seed = ask.sampling.map_or(self.seed, |sampling| sampling.seed);
            put(&fields.seed, seed.into());
        }
        if extras & LOGPROBS != 0 {
            put(&fields.logprobs, true.into());
            put(&fields.top_logprobs, 5.into());
        }
        if let Some(form) = ask.schema.as_ref().filter(|_| extras & SCHEMA != 0) {
            let schema = json!({ "name": form.name, "strict": true, "schema": *form.schema });
            put(
                &fields.response_format,
                json!({ "type": "json_schema", "json_schema": schema }),
            );
        }
        Value::Object(body)
    }

    /// The optional parts that this question asks for and that the server has fields for.
    pub(super) fn wanted(fields: &Fields, ask: &VlmRequest) -> u8 {
        let bit = |bit: u8, wanted: bool| if wanted { bit } else { 0 };
        bit(
            SCHEMA,
            ask.schema.is_some() && !fields.response_format.is_empty(),
        ) | bit(LOGPROBS, ask.want_logprobs && !fields.logprobs.is_empty())
            | bit(SEED, !fields.seed.is_empty())
    }
}

impl Api for Chat {
    type Task = VlmRequest;
    type Answer = Reply;

    async fn exchange(&self, line: Line<'_>, ask: &VlmRequest) -> Result<Reply, Stop> {
        let known = &self.servers[line.at];
        let wanted = Self::wanted(&known.fields, ask);
        let mut without = known.refuses.load(Ordering::Relaxed) & wanted;
        let bytes = loop {
            let sent = wanted & !without;
            // Built for each try: with its pictures it is large, so it is not kept longer than
            // needed.
            let body = self.body(&known.fields, &line.server().model, ask, sent);
            match line.post(&body).await {
                Ok(bytes) => {
                    known.takes.fetch_or(sent, Ordering::Relaxed);
                    known.refuses.fetch_or(without, Ordering::Relaxed);
                    break bytes;
                }
                Err(stop) => match known.leave_out(
                    sent,
                    stop.status.unwrap_or_default(),
                    &stop.failure.reason,
                ) {
                    0 => return Err(stop),
                    more => without |= more,
                },
            }
        };
        let parsed = answer::parse(&bytes);
        // What cannot be used is paid for too.
        let usage = parsed
            .as_ref()
            .map_or_else(|_| token_counts_of(&bytes), |reply| reply.usage);
        line.answered(usage).await;
        let mut reply = parsed.map_err(Stop::unfit)?;
        for (bit, name) in [
            (SCHEMA, "a JSON schema"),
            (LOGPROBS, "log-probabilities"),
            (SEED, "a seed"),
        ] {
            if without & bit != 0 {
                reply.notes.push(format!(
                    "asked without {name}, because the server refuses it"
                ));
            }
        }
        Ok(reply)
    }
}
