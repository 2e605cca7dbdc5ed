//! Parses the responses of chat servers.

use serde_json::Value;

use crate::http::error_body::{json, message};
use crate::http::token_counts::token_counts;
use benchtop_model::sorting::sort_by;
use benchtop_model::vlm::{Alternative, Finish, Reply};

/// Parses a response.
///
/// # Errors
/// What is wrong with the response, as one line.
pub fn parse(bytes: &[u8]) -> Result<Reply, String> {
    let value = json(bytes)?;
    let choice = value
        .pointer("/choices/0")
        .filter(|choice| choice.is_object());
    let Some((choice, reply)) =
        choice.and_then(|c| Some((c, c.get("message").filter(|m| m.is_object())?)))
    else {
        return Err(format!(
            "the response has no message: \"{}\"",
            message(bytes)
        ));
    };
    let text = match reply.get("content") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|p| p.get("text").unwrap_or(p).as_str())
            .collect::<Vec<_>>()
            .concat(),
        Some(_) => {
            return Err(format!(
                "the content of the message is not text: \"{}\"",
                message(bytes)
            ));
        }
    };
    let refusal = reply
        .get("refusal")
        .and_then(Value::as_str)
        .filter(|r| !r.trim().is_empty());
    let finish = match choice.get("finish_reason").and_then(Value::as_str) {
        _ if refusal.is_some() => Finish::Refused,
        Some("content_filter") => Finish::Refused,
        Some("stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence") => Finish::Stop,
        Some("length" | "max_tokens") => Finish::Length,
        Some(other) if !other.is_empty() => Finish::Other(other.chars().take(40).collect()),
        _ => Finish::Unknown,
    };
    // vLLM, SGLang, and DeepSeek use the first name; OpenRouter and newer vLLM use the second.
    let reasoning = |name: &&str| {
        reply
            .get(*name)
            .and_then(Value::as_str)
            .filter(|text| !text.trim().is_empty())
    };
    Ok(Reply {
        text: refusal.map(str::to_string).unwrap_or(text),
        reasoning: ["reasoning_content", "reasoning"]
            .iter()
            .find_map(reasoning)
            .map(str::to_string),
        finish,
        first: choice.get("logprobs").map(first).unwrap_or_default(),
        usage: token_counts(&value),
        model: value
            .get("model")
            .and_then(Value::as_str)
            .filter(|m| !m.is_empty())
            .map(str::to_string),
        notes: Vec::new(),
    })
}

/// The alternatives of the first token with their log-probabilities, in the format of OpenAI's chat
/// API or of older servers.
fn first(logprobs: &Value) -> Vec<Alternative> {
    let one = |token: &str, logprob: &Value| {
        // Some servers send minus infinity as a huge number or as null; both are dropped.
        let logprob = logprob.as_f64().filter(|p| (-1000.0..=1e-6).contains(p))?;
        Some(Alternative {
            token: token.to_string(),
            logprob,
        })
    };
    let named = |v: &Value| one(v.get("token")?.as_str()?, v.get("logprob")?);
    let mut found: Vec<Alternative> = match logprobs.pointer("/content/0") {
        Some(token) => match token
            .get("top_logprobs")
            .and_then(Value::as_array)
            .filter(|top| !top.is_empty())
        {
            Some(top) => top.iter().filter_map(named).collect(),
            None => named(token).into_iter().collect(),
        },
        None => match logprobs
            .pointer("/top_logprobs/0")
            .and_then(Value::as_object)
        {
            Some(top) => top.iter().filter_map(|(token, p)| one(token, p)).collect(),
            None => Vec::new(),
        },
    };
    sort_by(&mut found, |a, b| b.logprob.total_cmp(&a.logprob));
    found
}
