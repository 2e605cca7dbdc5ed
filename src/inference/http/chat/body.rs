//! The body of a chat request. Pictures are most of it, and base64 needs no escapes, so it is written
//! straight into the text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Result, to_writer};

use super::ask::{LOGPROBS, SCHEMA, SEED};
use benchtop_model::config::judge::Fields;
use benchtop_model::vlm::{Encoded, Schema, VlmRequest};

/// Number of alternatives of the first token that are requested.
const ALTERNATIVES: u32 = 5;
/// Bytes of a body beside its texts and pictures.
const FRAME: usize = 1024;

/// A request with the optional parts `extras`.
pub(super) struct Body<'a> {
    pub(super) fields: &'a Fields,
    pub(super) model: &'a str,
    pub(super) ask: &'a VlmRequest,
    /// The seed of requests that have none.
    pub(super) seed: u32,
    pub(super) extras: u8,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Setting<'a> {
    Count(u32),
    Temperature(f64),
    Flag(bool),
    Format(ResponseFormat<'a>),
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    json_schema: NamedSchema<'a>,
}

#[derive(Serialize)]
struct NamedSchema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a serde_json::Value,
}

impl<'a> From<&'a Schema> for ResponseFormat<'a> {
    fn from(schema: &'a Schema) -> ResponseFormat<'a> {
        ResponseFormat {
            kind: "json_schema",
            json_schema: NamedSchema {
                name: &schema.name,
                strict: true,
                schema: &schema.schema,
            },
        }
    }
}

impl<'a> Body<'a> {
    /// The body as JSON.
    pub(super) fn json(&self) -> Result<Vec<u8>> {
        let ask = self.ask;
        let pictures: usize = ask.images.iter().map(|p| base64_len(p) + FRAME).sum();
        let words = ask.prompt.len() + ask.system.as_ref().map_or(0, String::len);
        let mut out = Vec::with_capacity(FRAME + words + words / 8 + pictures);
        out.extend_from_slice(br#"{"model":"#);
        to_writer(&mut out, self.model)?;
        out.extend_from_slice(br#","messages":["#);
        if let Some(system) = &ask.system {
            out.extend_from_slice(br#"{"role":"system","content":"#);
            to_writer(&mut out, system)?;
            out.extend_from_slice(b"},");
        }
        out.extend_from_slice(br#"{"role":"user","content":"#);
        if ask.images.is_empty() {
            to_writer(&mut out, &ask.prompt)?;
        } else {
            out.push(b'[');
            ask.images
                .iter()
                .for_each(|image| put_picture(image, &mut out));
            out.extend_from_slice(br#"{"type":"text","text":"#);
            to_writer(&mut out, &ask.prompt)?;
            out.extend_from_slice(b"}]");
        }
        out.extend_from_slice(b"}]");
        for (name, value) in self.settings() {
            out.push(b',');
            to_writer(&mut out, name)?;
            out.push(b':');
            to_writer(&mut out, &value)?;
        }
        out.push(b'}');
        Ok(out)
    }

    /// The fields that have a name at this server.
    fn settings(&self) -> impl Iterator<Item = (&'a str, Setting<'a>)> {
        let (fields, ask, extras) = (self.fields, self.ask, self.extras);
        let temperature = match ask.sampling {
            Some(sampling) => Setting::Temperature(sampling.temperature),
            None => Setting::Count(0),
        };
        let seed = ask.sampling.map_or(self.seed, |sampling| sampling.seed);
        let schema = ask.schema.as_ref().map(ResponseFormat::from);
        let sent = |bit: u8, value| (extras & bit != 0).then_some(value);
        [
            (&fields.max_tokens, Some(Setting::Count(ask.max_tokens))),
            (&fields.temperature, Some(temperature)),
            (&fields.seed, sent(SEED, Setting::Count(seed))),
            (&fields.logprobs, sent(LOGPROBS, Setting::Flag(true))),
            (
                &fields.top_logprobs,
                sent(LOGPROBS, Setting::Count(ALTERNATIVES)),
            ),
            (
                &fields.response_format,
                schema.and_then(|schema| sent(SCHEMA, Setting::Format(schema))),
            ),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.as_str(), value?)))
        .filter(|(name, _)| !name.is_empty())
    }
}

fn base64_len(image: &Encoded) -> usize {
    image.bytes().len().div_ceil(3) * 4
}

/// A part of a message, with the comma behind it.
fn put_picture(image: &Encoded, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"type":"image_url","image_url":{"url":"data:"#);
    out.extend_from_slice(image.mime().as_bytes());
    out.extend_from_slice(b";base64,");
    if let Some(base64) = image.base64() {
        out.extend_from_slice(base64.as_bytes());
    } else {
        let start = out.len();
        out.resize(start + base64_len(image), 0);
        if let Some(space) = out.get_mut(start..) {
            // Never too small: it has the length that base64 with padding has.
            let _ = STANDARD.encode_slice(image.bytes(), space);
        }
    }
    out.extend_from_slice(br#""}},"#);
}
