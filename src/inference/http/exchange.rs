//! One exchange with one server: what is sent, and what class of answer came back.

use std::future::Future;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use reqwest::{RequestBuilder, Response, Url};
use serde_json::Value;

use super::client::{Read, read, told};
use super::error_body;
use super::pool::{Outcome, Pool, Server, origin};
use super::retry::after;
use benchtop_model::generation::{Failure, FailureKind};

/// One of the APIs: what is sent for a task, and how its answer is read.
pub(super) trait Api: Send + Sync + 'static {
    /// What is asked for.
    type Task: Send + Sync + 'static;
    /// What comes of it.
    type Answer: Send + 'static;

    /// Asks one server for one task. It is dropped where the server's time is up.
    fn exchange(
        &self,
        line: Line<'_>,
        task: &Self::Task,
    ) -> impl Future<Output = Result<Self::Answer, Stop>> + Send;
}

/// Why there is no answer.
pub(super) struct Stop {
    /// For the task.
    pub(super) failure: Failure,
    /// Whether another try may do better.
    pub(super) again: bool,
    /// For the server.
    pub(super) outcome: Outcome,
    /// The status, where the server gave one that is no success.
    pub(super) status: Option<u16>,
}

impl Stop {
    /// The line broke.
    fn broken(why: String) -> Stop {
        let failure = Failure::new(FailureKind::Transport, why.clone());
        Stop {
            failure,
            again: true,
            outcome: Outcome::Failed(why),
            status: None,
        }
    }

    /// Nobody is there.
    fn absent(why: String) -> Stop {
        let failure = Failure::new(FailureKind::Unavailable, why.clone());
        Stop {
            failure,
            again: true,
            outcome: Outcome::Absent(why),
            status: None,
        }
    }

    /// What came is no answer.
    pub(super) fn unfit(why: String) -> Stop {
        let failure = Failure::new(FailureKind::BadOutput, why.clone());
        Stop {
            failure,
            again: true,
            outcome: Outcome::Failed(why),
            status: None,
        }
    }

    /// The same again would be no again.
    pub(super) fn refused(why: String) -> Stop {
        let failure = Failure::new(FailureKind::Refused, why);
        Stop {
            failure,
            again: false,
            outcome: Outcome::Answered,
            status: None,
        }
    }
}

/// A server that has a place for one task.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pool: &'a Pool,
    /// Which server of the pool.
    pub(super) at: usize,
}

impl<'a> Line<'a> {
    /// The server.
    pub(super) fn server(&self) -> &'a Server {
        &self.pool.servers[self.at]
    }

    /// The body of the answer to `body`.
    ///
    /// # Errors
    /// Every status that is no success, and everything that goes wrong on the way.
    pub(super) async fn post(&self, body: &Value) -> Result<Vec<u8>, Stop> {
        let server = self.server();
        let request = self
            .pool
            .client
            .post(server.url.clone())
            .header(CONTENT_TYPE, "application/json");
        let response = self
            .send(request.body(body.to_string()))
            .await
            .map_err(|err| match err.is_connect() {
                true => Stop::absent(told(&err)),
                false => Stop::broken(told(&err)),
            })?;
        match response.status().is_success() {
            true => self.whole(response).await,
            false => Err(refused(server, response).await),
        }
    }

    /// What lies at `address`, on the server's own scheme, host and port only: an answer must not make this program ask
    /// other hosts, and the key goes nowhere else. `what` names it in errors.
    ///
    /// # Errors
    /// As [`post`](Self::post), and another host.
    pub(super) async fn get(&self, address: &str, what: &str) -> Result<Vec<u8>, Stop> {
        let server = self.server();
        let url = server
            .url
            .join(address)
            .map_err(|err| Stop::unfit(format!("the {what}'s address cannot be read: {err}")))?;
        if !same_origin(&server.url, &url) {
            return Err(Stop::refused(format!(
                "the {what} lies at {}, and only the endpoint's own host is asked: have it answer with b64_json",
                origin(&url)
            )));
        }
        let response = self.send(self.pool.client.get(url)).await;
        let response =
            response.map_err(|err| Stop::broken(format!("fetching the {what}: {}", told(&err))))?;
        match response.status() {
            status if status.is_success() => self.whole(response).await,
            status => Err(Stop::unfit(format!(
                "the {what}'s address answers {}",
                status.as_u16()
            ))),
        }
    }

    async fn send(&self, request: RequestBuilder) -> reqwest::Result<Response> {
        match &self.server().key {
            Some(key) => request.header(AUTHORIZATION, key.clone()).send().await,
            None => request.send().await,
        }
    }

    /// The body of an answer, or what its lack means.
    async fn whole(&self, response: Response) -> Result<Vec<u8>, Stop> {
        let limit = self.pool.patience.longest;
        match read(response, limit, self.server().secret.as_deref()).await {
            Read::Whole(bytes) => Ok(bytes),
            Read::TooLong => Err(Stop::unfit(format!(
                "the answer is longer than {} MiB",
                limit >> 20
            ))),
            Read::Broken(err) => Err(Stop::broken(told(&err))),
        }
    }
}

/// Asks server `at` for `task`, within its time. Failures name the server.
pub(super) async fn ask<A: Api>(
    api: &A,
    pool: &Pool,
    at: usize,
    task: &A::Task,
    limit: Option<Duration>,
) -> Result<A::Answer, Stop> {
    let line = Line { pool, at };
    let server = line.server();
    let limit = limit.map_or(server.timeout, |limit| limit.min(server.timeout));
    let mut stop = match tokio::time::timeout(limit, api.exchange(line, task)).await {
        Ok(Ok(answer)) => return Ok(answer),
        Ok(Err(stop)) => stop,
        Err(_) => Stop::broken(format!("no answer within {} s", limit.as_secs_f32())),
    };
    stop.failure.reason = format!("{}: {}", origin(&server.url), stop.failure.reason);
    Err(stop)
}

/// A status that is no success: wait, try elsewhere, or give up.
async fn refused(server: &Server, response: Response) -> Stop {
    let status = response.status();
    let wait = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| after(v, jiff::Timestamp::now()));
    let moved = response
        .headers()
        .get("location")
        .and_then(|v| v.to_str().ok())
        .map(str::to_string);
    let said = match read(response, 64 << 10, server.secret.as_deref()).await {
        Read::Whole(bytes) => error_body::said(&bytes),
        _ => String::new(),
    };
    let name = status.canonical_reason().unwrap_or_default();
    let what = format!(
        "{} {name}{}{said}",
        status.as_u16(),
        if said.is_empty() { "" } else { ": " }
    );
    let again = |kind, outcome| Stop {
        failure: Failure::new(kind, what.clone()),
        again: true,
        outcome,
        status: Some(status.as_u16()),
    };
    match status.as_u16() {
        429 => again(FailureKind::Unavailable, Outcome::Busy(wait)),
        // A server that names a time is not broken.
        503 if wait.is_some() => again(FailureKind::Unavailable, Outcome::Busy(wait)),
        408 | 425 => again(FailureKind::Transport, Outcome::Answered),
        500.. => again(FailureKind::Unavailable, Outcome::Failed(what.clone())),
        300..400 => Stop {
            status: Some(status.as_u16()),
            ..Stop::refused(format!("{what}: {}", redirected(&server.url, moved)))
        },
        _ => Stop {
            status: Some(status.as_u16()),
            ..Stop::refused(what)
        },
    }
}

/// Why a redirect is not followed: a key and pictures go to the host that was named, and to no other. The failure names
/// the host that was asked before this.
fn redirected(from: &Url, location: Option<String>) -> String {
    let Some(location) = location else {
        return "it moved to an unnamed place".into();
    };
    let Ok(url) = from.join(&location) else {
        return format!("it moved to {}", error_body::short(&location));
    };
    let to = error_body::short(url.as_str());
    match (same_origin(from, &url), url.scheme()) {
        (true, _) => format!("it moved to {to}; write that address, redirects are not followed"),
        (false, scheme) => {
            let open = if from.scheme() == "https" && scheme != "https" {
                ", without encryption"
            } else {
                ""
            };
            format!(
                "it moved to {to}, another host than {}{open}: nothing was sent there; if you mean it, name that address",
                origin(from)
            )
        }
    }
}

fn same_origin(a: &Url, b: &Url) -> bool {
    a.origin() == b.origin() && a.origin().is_tuple()
}
