//! Sends chat requests, and leaves out fields that a server refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::answer;
use super::body::Body;
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
            // Written for each try: with its pictures it is large, so it is not kept longer than
            // needed.
            let body = Body {
                fields: &known.fields,
                model: &line.server().model,
                ask,
                seed: self.seed,
                extras: sent,
            };
            match line.post(body.json()).await {
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
