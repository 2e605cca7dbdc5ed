//! One exchange with one server: sends the request and classifies the response.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use reqwest::{RequestBuilder, Response, Url};

use super::client::{Read, describe, read};
use super::error_body;
use super::multipart::Form;
use super::pool::{Outcome, Pool, Server, origin};
use super::retry::after;
use crate::request_meter::RequestMeter;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::vlm::Usage;

/// An API: builds the request of a task and parses the response.
pub(super) trait Api: Send + Sync + 'static {
    type Task: Send + Sync + 'static;
    type Answer: Send + 'static;

    /// Sends one task to one server. The future is dropped on a timeout.
    fn exchange(
        &self,
        line: Line<'_>,
        task: &Self::Task,
    ) -> impl Future<Output = Result<Self::Answer, Stop>> + Send;
}

/// An API, and who counts its requests.
pub(super) struct Metered<A> {
    pub(super) api: A,
    pub(super) meter: Option<Arc<dyn RequestMeter>>,
}

/// A failed exchange.
pub(super) struct Stop {
    /// The failure of the task.
    pub(super) failure: Failure,
    /// True if another try may succeed.
    pub(super) again: bool,
    /// The outcome for the server.
    pub(super) outcome: Outcome,
    /// The status code, if the server sent an error status.
    pub(super) status: Option<u16>,
}

impl Stop {
    fn again(kind: FailureKind, why: &str, outcome: Outcome) -> Stop {
        Stop {
            failure: Failure::new(kind, why),
            again: true,
            outcome,
            status: None,
        }
    }

    /// The request must not be sent, which is no fault of the task.
    fn unsent(why: String) -> Stop {
        Stop {
            failure: Failure::new(FailureKind::Cancelled, why),
            again: false,
            outcome: Outcome::Unsent,
            status: None,
        }
    }

    /// The connection failed.
    fn broken(why: String) -> Stop {
        Stop::again(FailureKind::Transport, &why, Outcome::Failed(why.clone()))
    }

    /// No connection could be made.
    fn absent(why: String) -> Stop {
        Stop::again(FailureKind::Unavailable, &why, Outcome::Absent(why.clone()))
    }

    /// The response is invalid.
    pub(super) fn unfit(why: String) -> Stop {
        Stop::again(FailureKind::BadOutput, &why, Outcome::Failed(why.clone()))
    }

    /// The server rejects the request, and would reject it again.
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

/// A connection to one server of the pool, for one task.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pool: &'a Pool,
    meter: Option<&'a Arc<dyn RequestMeter>>,
    /// The index of the server.
    pub(super) at: usize,
}

impl<'a> Line<'a> {
    pub(super) fn server(&self) -> &'a Server {
        &self.pool.servers[self.at]
    }

    /// Posts JSON to the server's URL and returns the body of the response. Any status but success is
    /// an error. The request counts before it is sent.
    pub(super) async fn post(&self, body: serde_json::Result<Vec<u8>>) -> Result<Vec<u8>, Stop> {
        let url = self.server().url.clone();
        let body = body.map_err(|err| Stop::refused(format!("cannot write the request: {err}")))?;
        self.post_to(url, "application/json", body).await
    }

    /// As [`post`](Self::post), with a form, to the path `sibling` beside the server's URL.
    pub(super) async fn post_form(&self, sibling: &str, form: Form) -> Result<Vec<u8>, Stop> {
        let url = self.server().url.join(sibling);
        let url = url.map_err(|err| Stop::refused(format!("invalid URL: {err}")))?;
        self.post_to(url, &form.content_type, form.body).await
    }

    async fn post_to(&self, url: Url, content_type: &str, body: Vec<u8>) -> Result<Vec<u8>, Stop> {
        let server = self.server();
        let counted = match self.meter {
            None => Ok(()),
            Some(meter) if meter.is_quick() => meter.before_request(),
            Some(meter) => {
                let meter = Arc::clone(meter);
                let counted = tokio::task::spawn_blocking(move || meter.before_request()).await;
                counted.unwrap_or_else(|err| Err(format!("cannot count the request: {err}")))
            }
        };
        counted.map_err(Stop::unsent)?;
        let request = self
            .pool
            .client
            .post(url)
            .header(CONTENT_TYPE, content_type);
        let response =
            self.send(request.body(body))
                .await
                .map_err(|err| match err.is_connect() {
                    true => Stop::absent(describe(&err)),
                    false => Stop::broken(describe(&err)),
                })?;
        match response.status().is_success() {
            true => self.whole(response).await,
            false => Err(refused(server, response).await),
        }
    }

    /// Counts the tokens of a response.
    pub(super) async fn answered(&self, usage: Option<Usage>) {
        match self.meter {
            None => {}
            Some(meter) if meter.is_quick() => meter.after_answer(usage),
            Some(meter) => {
                let meter = Arc::clone(meter);
                // A panic of the meter ends the job elsewhere; the answer is paid for.
                let _ = tokio::task::spawn_blocking(move || meter.after_answer(usage)).await;
            }
        }
    }

    /// Fetches `address`, which must have the server's scheme, host, and port: a response must not
    /// make benchtop contact other hosts, and the key must not go there. `what` names the content
    /// in errors.
    pub(super) async fn get(&self, address: &str, what: &str) -> Result<Vec<u8>, Stop> {
        let server = self.server();
        let url = server
            .url
            .join(address)
            .map_err(|err| Stop::unfit(format!("invalid URL of the {what}: {err}")))?;
        if !same_origin(&server.url, &url) {
            return Err(Stop::refused(format!(
                "the {what} is on another host, {}, which is not contacted; configure the server to answer with b64_json",
                origin(&url)
            )));
        }
        let response = self.send(self.pool.client.get(url)).await;
        let response = response
            .map_err(|err| Stop::broken(format!("fetching the {what}: {}", describe(&err))))?;
        match response.status() {
            status if status.is_success() => self.whole(response).await,
            status => Err(Stop::unfit(format!(
                "fetching the {what}: the server answers {}",
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

    async fn whole(&self, response: Response) -> Result<Vec<u8>, Stop> {
        let limit = self.pool.timeouts.max_response;
        match read(response, limit, self.server().secret.as_deref()).await {
            Read::Whole(bytes) => Ok(bytes),
            Read::TooLong => Err(Stop::unfit(format!(
                "the response is longer than {} MiB",
                limit >> 20
            ))),
            Read::Broken(err) => Err(Stop::broken(describe(&err))),
        }
    }
}

/// Sends `task` to the server `at`, within its timeout. Failures name the server.
pub(super) async fn ask<A: Api>(
    Metered { api, meter }: &Metered<A>,
    pool: &Pool,
    at: usize,
    task: &A::Task,
    limit: Option<Duration>,
) -> Result<A::Answer, Stop> {
    let meter = meter.as_ref();
    let line = Line { pool, meter, at };
    let server = line.server();
    let limit = limit.map_or(server.timeout, |limit| limit.min(server.timeout));
    let mut stop = match tokio::time::timeout(limit, api.exchange(line, task)).await {
        Ok(Ok(answer)) => return Ok(answer),
        Ok(Err(stop)) => stop,
        Err(_) => Stop::broken(format!("no response within {} s", limit.as_secs_f32())),
    };
    stop.failure.reason = format!("{}: {}", origin(&server.url), stop.failure.reason);
    Err(stop)
}

/// Classifies an error status: wait, try another server, or give up.
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
    let message = match read(response, 64 << 10, server.secret.as_deref()).await {
        Read::Whole(bytes) => error_body::message(&bytes),
        _ => String::new(),
    };
    let name = status.canonical_reason().unwrap_or_default();
    let what = format!(
        "{} {name}{}{message}",
        status.as_u16(),
        if message.is_empty() { "" } else { ": " }
    );
    let again = |kind, outcome| Stop::again(kind, &what, outcome);
    let stop = match status.as_u16() {
        429 => again(FailureKind::Unavailable, Outcome::Busy(wait)),
        // A server that sends `Retry-After` is not broken.
        503 if wait.is_some() => again(FailureKind::Unavailable, Outcome::Busy(wait)),
        408 | 425 => again(FailureKind::Transport, Outcome::Answered),
        500.. => again(FailureKind::Unavailable, Outcome::Failed(what.clone())),
        300..400 => Stop::refused(format!("{what}: {}", redirected(&server.url, moved))),
        _ => Stop::refused(what),
    };
    Stop {
        status: Some(status.as_u16()),
        ..stop
    }
}

/// The reason why a redirect is not followed: keys and pictures go only to the configured host. The
/// caller adds the name of that host.
fn redirected(from: &Url, location: Option<String>) -> String {
    let Some(location) = location else {
        return "it redirects without a location".into();
    };
    let Ok(url) = from.join(&location) else {
        return format!("it redirects to {}", error_body::short(&location));
    };
    let to = error_body::short(url.as_str());
    match (same_origin(from, &url), url.scheme()) {
        (true, _) => {
            format!("it redirects to {to}; redirects are not followed, so configure that URL")
        }
        (false, scheme) => {
            let open = if from.scheme() == "https" && scheme != "https" {
                " without encryption"
            } else {
                ""
            };
            format!(
                "it redirects from {} to another host{open}, {to}; nothing was sent there; configure that URL if you trust it",
                origin(from)
            )
        }
    }
}

fn same_origin(a: &Url, b: &Url) -> bool {
    a.origin() == b.origin() && a.origin().is_tuple()
}
