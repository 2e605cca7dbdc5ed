//! One request: what is sent, and what class of answer came back.

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url};
use serde_json::{Map, Value};

use super::answer::{self, Image, Sent};
use super::client::{Read, read, told};
use super::pool::{Outcome, Pool, Server, origin};
use super::retry::after;
use crate::model::generation::{Failure, FailureKind, Picture, Settings, Task};

/// What became of one try.
pub(super) enum Asked {
    /// A picture.
    Picture(Box<Picture>),
    /// No, and the same again would be no.
    Refused(Failure),
    /// Not this time.
    Again(Failure),
}

/// Seeds are sent as their lower 32 bits: more is refused by some servers, and over 2^53 changed by others.
fn seed(task: &Task) -> u64 {
    task.seed & 0xffff_ffff
}

/// The body of a request, and the extra fields in it.
fn body(server: &Server, settings: &Settings, task: &Task) -> (Value, Sent) {
    let mut body = Map::new();
    body.insert("model".into(), server.model.as_str().into());
    body.insert("prompt".into(), task.prompt.as_str().into());
    body.insert("n".into(), 1.into());
    body.insert("size".into(), format!("{}x{}", settings.width, settings.height).into());
    if !server.fields.response_format.is_empty() {
        body.insert(server.fields.response_format.clone(), "b64_json".into());
    }
    let negative = task.negative_prompt.as_deref().filter(|n| !n.trim().is_empty());
    let wishes = [
        (&server.fields.seed, Some(Value::from(seed(task)))),
        (&server.fields.steps, Some(Value::from(settings.steps))),
        (&server.fields.guidance, Some(Value::from(settings.guidance))),
        (&server.fields.negative_prompt, negative.map(Value::from)),
    ];
    let sent = wishes.map(|(name, value)| value.filter(|_| !name.is_empty()).map(|value| (name.clone(), value)));
    body.extend(sent.iter().flatten().cloned());
    (Value::Object(body), Sent { fields: sent, prompt: task.prompt.clone(), size: (settings.width, settings.height) })
}

/// Asks `server` for the picture of `task`, within its time.
pub(super) async fn ask(pool: &Pool, server: &Server, settings: &Settings, task: &Task) -> (Asked, Outcome) {
    let (asked, outcome) = match tokio::time::timeout(server.timeout, exchange(pool, server, settings, task)).await {
        Ok(done) => done,
        Err(_) => broken(format!("no answer within {} s", server.timeout.as_secs_f32())),
    };
    let named = |failure: Failure| {
        let reason = format!("{}: {}", origin(&server.url), failure.reason);
        Failure::new(failure.kind, reason)
    };
    let asked = match asked {
        Asked::Picture(picture) => Asked::Picture(picture),
        Asked::Refused(failure) => Asked::Refused(named(failure)),
        Asked::Again(failure) => Asked::Again(named(failure)),
    };
    (asked, outcome)
}

fn broken(why: String) -> (Asked, Outcome) {
    (Asked::Again(Failure::new(FailureKind::Transport, why.clone())), Outcome::Failed(why))
}

fn unfit(why: String) -> (Asked, Outcome) {
    (Asked::Again(Failure::new(FailureKind::BadOutput, why.clone())), Outcome::Failed(why))
}

async fn exchange(pool: &Pool, server: &Server, settings: &Settings, task: &Task) -> (Asked, Outcome) {
    let (body, sent) = body(server, settings, task);
    let mut request =
        pool.client.post(server.url.clone()).header(CONTENT_TYPE, "application/json").body(body.to_string());
    if let Some(key) = &server.key {
        request = request.header(AUTHORIZATION, key.clone());
    }
    let response = match request.send().await {
        Ok(response) => response,
        Err(err) => return broken(told(&err)),
    };
    let status = response.status();
    if !status.is_success() {
        return refused(server, status, response).await;
    }
    let bytes = match whole(pool, server, response).await {
        Ok(bytes) => bytes,
        Err(done) => return done,
    };
    let given = match answer::parse(&bytes, &sent) {
        Ok(given) => given,
        Err(why) => return unfit(why),
    };
    let image = match given.image {
        Image::Bytes(image) => image,
        Image::At(address) => match fetched(pool, server, &address).await {
            Ok(image) => image,
            Err(done) => return done,
        },
    };
    // Decoding takes milliseconds that other requests should not wait for.
    let size = sent.size;
    match tokio::task::spawn_blocking(move || answer::decode(&image, size)).await {
        Ok(Ok((pixels, note))) => {
            let notes = given.notes.into_iter().chain(note).collect();
            (Asked::Picture(Box::new(Picture { pixels, honoured: given.honoured, notes })), Outcome::Answered)
        }
        Ok(Err(why)) => unfit(why),
        Err(err) => unfit(format!("the picture could not be decoded: {err}")),
    }
}

/// The body of an answer, or what its lack means.
async fn whole(pool: &Pool, server: &Server, response: Response) -> Result<Vec<u8>, (Asked, Outcome)> {
    let limit = pool.patience.longest;
    match read(response, limit, server.secret.as_deref()).await {
        Read::Whole(bytes) => Ok(bytes),
        Read::TooLong => Err(unfit(format!("the answer is longer than {} MiB", limit >> 20))),
        Read::Broken(err) => Err(broken(told(&err))),
    }
}

/// A status that is no success: wait, try elsewhere, or give up.
async fn refused(server: &Server, status: StatusCode, response: Response) -> (Asked, Outcome) {
    let wait = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| after(v, jiff::Timestamp::now()));
    let moved = response.headers().get("location").and_then(|v| v.to_str().ok()).map(str::to_string);
    let said = match read(response, 64 << 10, server.secret.as_deref()).await {
        Read::Whole(bytes) => answer::said(&bytes),
        _ => String::new(),
    };
    let name = status.canonical_reason().unwrap_or_default();
    let what = format!("{} {name}{}{said}", status.as_u16(), if said.is_empty() { "" } else { ": " });
    match status.as_u16() {
        429 => (Asked::Again(Failure::new(FailureKind::Unavailable, what)), Outcome::Busy(wait)),
        // A server that names a time is not broken.
        503 if wait.is_some() => (Asked::Again(Failure::new(FailureKind::Unavailable, what)), Outcome::Busy(wait)),
        408 | 425 => (Asked::Again(Failure::new(FailureKind::Transport, what)), Outcome::Answered),
        500.. => (Asked::Again(Failure::new(FailureKind::Unavailable, what.clone())), Outcome::Failed(what)),
        300..400 => {
            let to = moved.map(|to| answer::short(&to)).unwrap_or_else(|| "an unnamed place".into());
            let what =
                format!("{what}: it moved to {to}; write that address into benchtop.toml, redirects are not followed");
            (Asked::Refused(Failure::new(FailureKind::Refused, what)), Outcome::Answered)
        }
        _ => (Asked::Refused(Failure::new(FailureKind::Refused, what)), Outcome::Answered),
    }
}

/// The picture at `address`, from the endpoint's own scheme, host and port only: an answer must not make this program
/// ask other hosts, and the key goes nowhere else.
async fn fetched(pool: &Pool, server: &Server, address: &str) -> Result<Vec<u8>, (Asked, Outcome)> {
    let url = match server.url.join(address) {
        Ok(url) => url,
        Err(err) => return Err(unfit(format!("the picture's address cannot be read: {err}"))),
    };
    if !same_origin(&server.url, &url) {
        let what = format!(
            "the picture lies at {}, and only the endpoint's own host is asked: have it answer with b64_json",
            origin(&url)
        );
        return Err((Asked::Refused(Failure::new(FailureKind::Refused, what)), Outcome::Answered));
    }
    let mut request = pool.client.get(url);
    if let Some(key) = &server.key {
        request = request.header(AUTHORIZATION, key.clone());
    }
    let response = request.send().await.map_err(|err| broken(format!("fetching the picture: {}", told(&err))))?;
    match response.status() {
        status if status.is_success() => whole(pool, server, response).await,
        status => Err(unfit(format!("the picture's address answers {}", status.as_u16()))),
    }
}

fn same_origin(a: &Url, b: &Url) -> bool {
    a.origin() == b.origin() && a.origin().is_tuple()
}
