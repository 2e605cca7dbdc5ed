//! What a server is sent for a question, and what is left out for one that refuses it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::answer;
use crate::http::exchange::{Api, Line, Stop};
use benchtop_model::config::judge::Fields;
use benchtop_model::vlm::{Ask, Reply};

/// What not every server takes: a bit each, in the order in which it is left out when a refusal does not say what of.
pub(super) const SCHEMA: u8 = 1;
/// Log-probabilities.
pub(super) const LOGPROBS: u8 = 2;
/// The seed.
pub(super) const SEED: u8 = 4;

/// A server, and what is known of what it takes.
pub(super) struct Known {
    /// What it calls body fields.
    pub(super) fields: Fields,
    /// Bits that it refused, and answered without.
    refuses: AtomicU8,
    /// Bits that it has answered with.
    pub(super) takes: AtomicU8,
}

impl Known {
    /// Nothing is known yet.
    pub(super) fn new(fields: Fields) -> Known {
        Known {
            fields,
            refuses: AtomicU8::new(0),
            takes: AtomicU8::new(0),
        }
    }

    /// What a refusal of a request with `sent` in it asks to leave out: what it names, or else the first thing that
    /// the server has not taken yet. Nothing where the refusal must be about something else.
    pub(super) fn leave_out(&self, sent: u8, status: u16, said: &str) -> u8 {
        if !matches!(status, 400 | 404 | 415 | 422 | 501) {
            return 0;
        }
        let said = said.to_ascii_lowercase();
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
                .any(|w| !w.is_empty() && said.contains(&w.to_ascii_lowercase()))
        };
        let named: u8 = words
            .iter()
            .filter(|(bit, words)| sent & bit != 0 && named(words))
            .map(|(bit, _)| bit)
            .sum();
        // An address or a model that is not there has nothing to do with what was sent.
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

/// The API for one model.
pub(super) struct Chat {
    /// Sent with every question.
    pub(super) seed: u32,
    /// The servers.
    pub(super) servers: Arc<[Known]>,
}

impl Chat {
    /// The body of a request with the `extras` in it.
    pub(super) fn body(&self, fields: &Fields, model: &str, ask: &Ask, extras: u8) -> Value {
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
        put(&fields.temperature, 0.into());
        if extras & SEED != 0 {
            put(&fields.seed, self.seed.into());
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

    /// What of the extras this question asks for and this server's fields can say.
    pub(super) fn wanted(fields: &Fields, ask: &Ask) -> u8 {
        let bit = |bit: u8, wanted: bool| if wanted { bit } else { 0 };
        bit(
            SCHEMA,
            ask.schema.is_some() && !fields.response_format.is_empty(),
        ) | bit(LOGPROBS, ask.want_logprobs && !fields.logprobs.is_empty())
            | bit(SEED, !fields.seed.is_empty())
    }
}

impl Api for Chat {
    type Task = Ask;
    type Answer = Reply;

    async fn exchange(&self, line: Line<'_>, ask: &Ask) -> Result<Reply, Stop> {
        let known = &self.servers[line.at];
        let wanted = Self::wanted(&known.fields, ask);
        let mut without = known.refuses.load(Ordering::Relaxed) & wanted;
        let bytes = loop {
            let sent = wanted & !without;
            // Made anew each time: with its pictures it is large, and kept only while it is sent.
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
        let mut reply = answer::parse(&bytes).map_err(Stop::unfit)?;
        for (bit, name) in [
            (SCHEMA, "a form of the answer"),
            (LOGPROBS, "log-probabilities"),
            (SEED, "a seed"),
        ] {
            if without & bit != 0 {
                reply.notes.push(format!(
                    "asked without {name}: the server refuses requests with it"
                ));
            }
        }
        Ok(reply)
    }
}
