//! A pool of endpoints: picks the endpoint of each request, and suspends endpoints that fail.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::Url;
use reqwest::header::HeaderValue;
use tokio::sync::Notify;

use super::client;
use benchtop_model::config::endpoint::Endpoint;
use benchtop_model::generation::NO_ENDPOINT;
use benchtop_model::{Error, Result};

/// Number of recent response times that are kept.
const RECENT: usize = 32;
/// Minimum number of response times before a request can count as stalled.
const MIN_TIMES: usize = 8;
/// A request counts as stalled if it takes this many times as long as the slowest recent one, and
/// at least [`Timeouts::stall`].
const TIMES_SLOWER: u32 = 5;

/// Waiting times and limits of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Timeout of a connection attempt.
    pub connect: Duration,
    /// Time for which unused connections stay open.
    pub idle: Duration,
    /// Maximum wait before the second try; doubles with each further try.
    pub backoff: Duration,
    /// Maximum wait before any try.
    pub backoff_cap: Duration,
    /// Minimum time after which a request can count as stalled.
    pub stall: Duration,
    /// Number of failures in a row that suspend an endpoint.
    pub failures: u32,
    /// Time of the first suspension; doubles each time, up to 32 times. Then one request probes the
    /// endpoint.
    pub suspension: Duration,
    /// Tasks fail at once if no endpoint has answered for this long, or all ask to wait longer.
    pub give_up: Duration,
    /// The same if no endpoint has ever answered. Shorter, because a wrong URL is likelier than an
    /// outage.
    pub give_up_unanswered: Duration,
    /// Maximum size of a response in bytes.
    pub max_response: usize,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            connect: Duration::from_secs(3),
            idle: Duration::from_secs(20),
            backoff: Duration::from_secs(1),
            backoff_cap: Duration::from_secs(30),
            stall: Duration::from_secs(15),
            failures: 5,
            suspension: Duration::from_secs(2),
            give_up: Duration::from_secs(90),
            give_up_unanswered: Duration::from_secs(15),
            max_response: 96 << 20,
        }
    }
}

/// The servers of a table of `benchtop.toml`.
pub(super) struct Table<'a, F> {
    /// The name of the table, for errors.
    pub(super) name: &'static str,
    /// Path of the API below an endpoint's URL.
    pub(super) path: &'static str,
    /// Default model of the endpoints.
    pub(super) model: Option<&'a str>,
    /// Maximum number of tries per task.
    pub(super) tries: u32,
    pub(super) endpoints: &'a [Endpoint<F>],
}

pub(super) struct Server {
    pub(super) url: Url,
    pub(super) model: String,
    /// The `Authorization` header, marked as sensitive.
    pub(super) key: Option<HeaderValue>,
    /// The key alone, to redact it in responses.
    pub(super) secret: Option<String>,
    /// Timeout of a request.
    pub(super) timeout: Duration,
    concurrency: u32,
}

#[derive(Default)]
struct State {
    busy: u32,
    /// Failures in a row.
    failures: u32,
    /// Number of suspensions since the last success.
    rounds: u32,
    /// Suspended until then.
    not_before: Option<Instant>,
    /// Start of the first suspension since the last success.
    down_since: Option<Instant>,
    last: String,
    /// True if the last connection attempt failed.
    is_absent: bool,
}

/// The outcome of a request for its endpoint.
pub(super) enum Outcome {
    /// The endpoint works, even if it rejected the task.
    Answered,
    /// The endpoint asks to wait.
    Busy(Option<Duration>),
    Failed(String),
    /// No connection can be made.
    Absent(String),
    /// The request was not sent, which says nothing about the endpoint.
    Unsent,
}

pub(super) struct Pool {
    pub(super) client: reqwest::Client,
    pub(super) servers: Vec<Server>,
    pub(super) timeouts: Timeouts,
    /// Maximum number of tries per task.
    pub(super) tries: u32,
    states: Mutex<Vec<State>>,
    /// True once any endpoint has answered.
    heard: AtomicBool,
    freed: Notify,
    draws: AtomicU64,
    /// Recent response times.
    times: Mutex<VecDeque<Duration>>,
}

/// A request slot of an endpoint. Dropping it frees the slot.
pub(super) struct Seat<'a> {
    pool: &'a Pool,
    /// The index of the endpoint.
    pub(super) at: usize,
    /// True if this request probes a suspended endpoint.
    probe: bool,
    outcome: Option<Outcome>,
}

impl Pool {
    /// A pool of the endpoints of `table`. `env` reads an environment variable.
    pub(super) fn new<F>(
        table: &Table<'_, F>,
        timeouts: Timeouts,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Pool> {
        let wrong = |what: String| Error::input(what).field(format!("{}.endpoints", table.name));
        if table.endpoints.is_empty() {
            return Err(wrong("no endpoint is configured".into())
                .help("add `endpoints = [{ url = \"http://127.0.0.1:8000/v1\" }]`"));
        }
        let mut servers = Vec::new();
        for endpoint in table.endpoints {
            let url = Url::parse(&format!("{}/{}", endpoint.url, table.path))
                .map_err(|e| wrong(format!("`{}` is not a valid URL: {e}", endpoint.url)))?;
            let secret = match &endpoint.key_env {
                None => None,
                Some(name) => Some(env(name).filter(|key| !key.trim().is_empty()).ok_or_else(
                    || missing_key(name, &endpoint.url).field(format!("{}.endpoints", table.name)),
                )?),
            };
            let key = match &secret {
                None => None,
                Some(secret) => {
                    let mut value = HeaderValue::from_str(&format!("Bearer {}", secret.trim()))
                        .map_err(|_| {
                            wrong(format!(
                                "the key for {} has characters that HTTP headers cannot hold",
                                endpoint.url
                            ))
                        })?;
                    value.set_sensitive(true);
                    Some(value)
                }
            };
            servers.push(Server {
                url,
                model: endpoint.model_or(table.model).to_string(),
                key,
                secret: secret.map(|s| s.trim().to_string()),
                timeout: Duration::from_secs(u64::from(endpoint.timeout_s)),
                concurrency: endpoint.concurrency,
            });
        }
        let states = Mutex::new(servers.iter().map(|_| State::default()).collect());
        let client = client::client(timeouts.connect, timeouts.idle)?;
        // Only for jitter, so the results do not depend on it.
        let start = std::hash::RandomState::new().build_hasher().finish();
        Ok(Pool {
            client,
            servers,
            timeouts,
            tries: table.tries,
            states,
            heard: AtomicBool::new(false),
            freed: Notify::new(),
            draws: AtomicU64::new(start),
            times: Mutex::default(),
        })
    }

    /// Maximum number of requests in flight.
    pub(super) fn concurrency(&self) -> usize {
        self.servers.iter().map(|s| s.concurrency as usize).sum()
    }

    /// The names of the models, without repeats.
    pub(super) fn models(&self) -> String {
        let mut names: Vec<_> = self.servers.iter().map(|s| s.model.as_str()).collect();
        names.dedup();
        names.join(", ")
    }

    /// A description of all servers for the fingerprint, independent of their order. `fields`
    /// describes the API fields of a server.
    pub(super) fn described(&self, fields: impl Fn(usize) -> String) -> String {
        let one = |(at, s): (usize, &Server)| format!("{} {} [{}]", s.url, s.model, fields(at));
        let mut all: Vec<_> = self.servers.iter().enumerate().map(one).collect();
        all.sort();
        all.join("; ")
    }

    /// 64 bits for jitter.
    pub(super) fn draw(&self) -> u64 {
        let at = self
            .draws
            .fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let z = (at ^ (at >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
    }

    pub(super) fn record(&self, time: Duration) {
        let mut times = self
            .times
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        times.push_back(time);
        if times.len() > RECENT {
            times.pop_front();
        }
    }

    /// The time after which a request counts as stalled. `None` before there are enough response
    /// times.
    pub(super) fn stall_limit(&self) -> Option<Duration> {
        let times = self
            .times
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let slowest = times.iter().max().filter(|_| times.len() >= MIN_TIMES)?;
        Some((*slowest * TIMES_SLOWER).max(self.timeouts.stall))
    }

    fn states(&self) -> std::sync::MutexGuard<'_, Vec<State>> {
        self.states
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Waits for a slot at the least busy endpoint, other than `avoid` if possible.
    ///
    /// # Errors
    /// The reason if every endpoint has been down for [`Timeouts::give_up`] (or
    /// [`Timeouts::unheard`]), or asks to wait longer.
    pub(super) async fn seat(&self, avoid: Option<usize>) -> std::result::Result<Seat<'_>, String> {
        loop {
            let freed = self.freed.notified();
            let wait = match self.pick(avoid) {
                Pick::Now(at, probe) => {
                    return Ok(Seat {
                        pool: self,
                        at,
                        probe,
                        outcome: None,
                    });
                }
                Pick::Never(why) => return Err(why),
                Pick::Later(wait) => wait,
            };
            match wait {
                Some(wait) => {
                    let _ = tokio::time::timeout(wait, freed).await;
                }
                None => freed.await,
            }
        }
    }

    fn pick(&self, avoid: Option<usize>) -> Pick {
        let (now, mut states) = (Instant::now(), self.states());
        let resting = |s: &State| s.not_before.is_some_and(|t| t > now);
        let open = |(at, s): (usize, &State)| {
            // A server that was suspended gets a single request as a probe.
            let most = if s.down_since.is_some() {
                1
            } else {
                self.servers[at].concurrency
            };
            (!resting(s) && s.busy < most).then_some((
                Some(at) == avoid,
                s.busy * 1024 / self.servers[at].concurrency,
                at,
            ))
        };
        if let Some((_, _, at)) = states.iter().enumerate().filter_map(open).min() {
            let state = &mut states[at];
            state.busy += 1;
            return Pick::Now(at, state.down_since.is_some());
        }
        let was_heard = self.heard.load(Ordering::Relaxed);
        let give_up = if was_heard {
            self.timeouts.give_up
        } else {
            self.timeouts.give_up_unanswered
        };
        let gone = |s: &State| {
            s.is_absent
                || s.down_since.is_some_and(|t| now - t > give_up)
                || s.not_before
                    .is_some_and(|t| t.saturating_duration_since(now) > give_up)
        };
        if states.iter().all(gone) {
            let errors = states
                .iter()
                .zip(&self.servers)
                .map(|(s, server)| format!("{}: {}", origin(&server.url), s.last));
            return Pick::Never(format!(
                "{NO_ENDPOINT} ({})",
                errors.collect::<Vec<_>>().join("; ")
            ));
        }
        Pick::Later(
            states
                .iter()
                .filter(|s| resting(s))
                .filter_map(|s| s.not_before)
                .min()
                .map(|t| t.saturating_duration_since(now)),
        )
    }

    fn leave(&self, at: usize, probe: bool, outcome: Option<Outcome>) {
        let (now, mut states) = (Instant::now(), self.states());
        let state = &mut states[at];
        state.busy = state.busy.saturating_sub(1);
        if matches!(outcome, Some(Outcome::Answered | Outcome::Busy(_))) {
            self.heard.store(true, Ordering::Relaxed);
        }
        match outcome {
            // The request was dropped or not sent, which says nothing about the server.
            None | Some(Outcome::Unsent) => {}
            Some(Outcome::Answered) => {
                *state = State {
                    busy: state.busy,
                    ..State::default()
                }
            }
            // The server works but is overloaded. Without a time only this task waits; the server
            // may accept others.
            Some(Outcome::Busy(wait)) => {
                let not_before = state.not_before.max(wait.map(|wait| now + wait));
                let last = match wait {
                    Some(wait) => format!("asks to wait {} s", wait.as_secs_f32().ceil()),
                    None => "accepts no more requests for now".into(),
                };
                *state = State {
                    busy: state.busy,
                    not_before,
                    last,
                    ..State::default()
                };
            }
            Some(outcome @ (Outcome::Failed(_) | Outcome::Absent(_))) => {
                state.is_absent = matches!(outcome, Outcome::Absent(_));
                let (Outcome::Failed(why) | Outcome::Absent(why)) = outcome else {
                    return;
                };
                state.failures = if state.is_absent {
                    self.timeouts.failures
                } else {
                    state.failures + 1
                };
                state.last = why;
                // One failure suspends a probed server again. Requests from before the suspension
                // do not count.
                if state.failures >= self.timeouts.failures && (state.down_since.is_none() || probe)
                {
                    state.not_before =
                        Some(now + self.timeouts.suspension * (1 << state.rounds.min(5)));
                    state.rounds += 1;
                    state.down_since = state.down_since.or(Some(now));
                }
            }
        }
        drop(states);
        self.freed.notify_waiters();
    }
}

enum Pick {
    Now(usize, bool),
    Later(Option<Duration>),
    Never(String),
}

impl Seat<'_> {
    /// Frees the slot and reports the outcome of the request.
    pub(super) fn leave(mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.pool.leave(self.at, self.probe, self.outcome.take());
    }
}

/// The error for a missing key variable. Keys are read from the environment of this process, the
/// project's owner.
fn missing_key(name: &str, url: &str) -> Error {
    let pid = std::process::id();
    let what = format!(
        "the environment variable {name} with the key for {url} is not set in the owner process (pid {pid})"
    );
    Error::unreachable(what).help(format!(
        "run `benchtop stop`, then `export {name}=...`, and start benchtop again: the owner reads the variable at its start"
    ))
}

/// Scheme, host, and port: the name of an endpoint in messages.
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}
