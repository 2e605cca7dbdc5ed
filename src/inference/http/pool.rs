//! The endpoints as one pool: who takes the next request, who is busy, who is set aside.

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
use benchtop_model::{Error, ErrorKind, Result};

/// Answers whose times are remembered.
const RECENT: usize = 32;
/// So many are needed before a request counts as slow.
const ENOUGH: usize = 8;
/// A request counts as stalled once it takes so many times as long as the slowest of them,
const TIMES_SLOWER: u32 = 5;
/// and this long at least.
const LEAST: Duration = Duration::from_secs(15);

/// Waiting times and limits of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// Connections that nobody uses are kept so long.
    pub idle: Duration,
    /// Before the second try, at most; doubled with each further one.
    pub backoff: Duration,
    /// Before any try, at most.
    pub backoff_cap: Duration,
    /// So many failures in a row set an endpoint aside.
    pub failures: u32,
    /// For so long, doubled each time, 32 times that at most; then one request tries it.
    pub aside: Duration,
    /// Once no endpoint has answered for so long, or all ask to wait longer, tasks fail at once.
    pub give_up: Duration,
    /// The same while none of them ever answered: an address is more likely wrong than a server away.
    pub unheard: Duration,
    /// Longest answer in bytes.
    pub longest: usize,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            connect: Duration::from_secs(3),
            idle: Duration::from_secs(20),
            backoff: Duration::from_secs(1),
            backoff_cap: Duration::from_secs(30),
            failures: 5,
            aside: Duration::from_secs(2),
            give_up: Duration::from_secs(90),
            unheard: Duration::from_secs(15),
            longest: 96 << 20,
        }
    }
}

/// What a table of `benchtop.toml` says of its servers.
pub(super) struct Table<'a, F> {
    /// Its name, for errors.
    pub(super) name: &'static str,
    /// Where the API lies below an endpoint's address.
    pub(super) path: &'static str,
    /// The model of endpoints that name none.
    pub(super) model: Option<&'a str>,
    /// Most tries of a task.
    pub(super) tries: u32,
    /// The servers.
    pub(super) endpoints: &'a [Endpoint<F>],
}

/// One server.
pub(super) struct Server {
    /// Where it is asked.
    pub(super) url: Url,
    /// The model asked for.
    pub(super) model: String,
    /// `Bearer ...`, marked as a secret.
    pub(super) key: Option<HeaderValue>,
    /// The key itself, to take it out of what a server says.
    pub(super) secret: Option<String>,
    /// For one answer.
    pub(super) timeout: Duration,
    concurrency: u32,
}

#[derive(Default)]
struct State {
    busy: u32,
    /// Failures in a row.
    failures: u32,
    /// Times set aside without a success in between.
    rounds: u32,
    /// Takes nothing before.
    not_before: Option<Instant>,
    /// Since when it is set aside without a success.
    down_since: Option<Instant>,
    last: String,
    /// The last try found nobody there.
    is_absent: bool,
}

/// What became of a request, as far as the endpoint goes.
pub(super) enum Outcome {
    /// It works, whatever it said of the task.
    Answered,
    /// It asks to wait.
    Busy(Option<Duration>),
    /// It does not work.
    Failed(String),
    /// Nobody is there: no connection can be made.
    Absent(String),
}

/// All endpoints.
pub(super) struct Pool {
    /// The client of all.
    pub(super) client: reqwest::Client,
    /// The endpoints.
    pub(super) servers: Vec<Server>,
    /// Waiting times.
    pub(super) patience: Timeouts,
    /// Most tries of a task.
    pub(super) tries: u32,
    states: Mutex<Vec<State>>,
    /// Whether any of them ever said something.
    heard: AtomicBool,
    freed: Notify,
    draws: AtomicU64,
    /// How long the last answers took.
    times: Mutex<VecDeque<Duration>>,
}

/// A place at an endpoint, given back when dropped.
pub(super) struct Seat<'a> {
    pool: &'a Pool,
    /// Which endpoint.
    pub(super) at: usize,
    /// This request finds out whether the endpoint is back.
    probe: bool,
    outcome: Option<Outcome>,
}

impl Pool {
    /// The endpoints of `table`; `env` reads a variable.
    pub(super) fn new<F>(
        table: &Table<'_, F>,
        patience: Timeouts,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Pool> {
        let wrong = |what: String| Error::input(what).field(format!("{}.endpoints", table.name));
        if table.endpoints.is_empty() {
            return Err(wrong("there is no endpoint".into())
                .help("add `endpoints = [{ url = \"http://127.0.0.1:8000/v1\" }]`"));
        }
        let mut servers = Vec::new();
        for endpoint in table.endpoints {
            let url = Url::parse(&format!("{}/{}", endpoint.url, table.path))
                .map_err(|e| wrong(format!("`{}` is no address: {e}", endpoint.url)))?;
            let secret = match &endpoint.key_env {
                None => None,
                Some(name) => Some(env(name).filter(|key| !key.trim().is_empty()).ok_or_else(
                    || keyless(name, &endpoint.url).field(format!("{}.endpoints", table.name)),
                )?),
            };
            let key = match &secret {
                None => None,
                Some(secret) => {
                    let mut value = HeaderValue::from_str(&format!("Bearer {}", secret.trim()))
                        .map_err(|_| {
                            wrong(format!(
                                "the key for {} has characters no key has",
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
        let client = client::client(patience.connect, patience.idle)?;
        // Jitter only keeps programs apart in time; it decides nothing that is kept.
        let start = std::hash::RandomState::new().build_hasher().finish();
        Ok(Pool {
            client,
            servers,
            patience,
            tries: table.tries,
            states,
            heard: AtomicBool::new(false),
            freed: Notify::new(),
            draws: AtomicU64::new(start),
            times: Mutex::default(),
        })
    }

    /// Requests that may be in flight at once.
    pub(super) fn concurrency(&self) -> usize {
        self.servers.iter().map(|s| s.concurrency as usize).sum()
    }

    /// The models asked for, each once.
    pub(super) fn models(&self) -> String {
        let mut names: Vec<_> = self.servers.iter().map(|s| s.model.as_str()).collect();
        names.dedup();
        names.join(", ")
    }

    /// All that decides what is asked of whom, in an order of its own; `fields` tells the rest of each server.
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

    /// Takes note of how long an answer took.
    pub(super) fn took(&self, time: Duration) {
        let mut times = self
            .times
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        times.push_back(time);
        if times.len() > RECENT {
            times.pop_front();
        }
    }

    /// How long a request may take that is to be tried again: several times the slowest of the last answers; none before
    /// there are some.
    pub(super) fn hasty(&self) -> Option<Duration> {
        let times = self
            .times
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let slowest = times.iter().max().filter(|_| times.len() >= ENOUGH)?;
        Some((*slowest * TIMES_SLOWER).max(LEAST))
    }

    fn states(&self) -> std::sync::MutexGuard<'_, Vec<State>> {
        self.states
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A place at the least busy endpoint, another one than `not` where there is one; waits for it.
    ///
    /// # Errors
    /// Why there will be none soon: every endpoint has been down for [`Timeouts::give_up`] (or [`Timeouts::unheard`]), or asks to wait
    /// longer.
    pub(super) async fn seat(&self, not: Option<usize>) -> std::result::Result<Seat<'_>, String> {
        loop {
            let freed = self.freed.notified();
            let wait = match self.pick(not) {
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

    fn pick(&self, not: Option<usize>) -> Pick {
        let (now, mut states) = (Instant::now(), self.states());
        let resting = |s: &State| s.not_before.is_some_and(|t| t > now);
        let open = |(at, s): (usize, &State)| {
            // Of a server that was set aside one request finds out whether it is back.
            let most = if s.down_since.is_some() {
                1
            } else {
                self.servers[at].concurrency
            };
            (!resting(s) && s.busy < most).then_some((
                Some(at) == not,
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
            self.patience.give_up
        } else {
            self.patience.unheard
        };
        let gone = |s: &State| {
            s.is_absent
                || s.down_since.is_some_and(|t| now - t > give_up)
                || s.not_before
                    .is_some_and(|t| t.saturating_duration_since(now) > give_up)
        };
        if states.iter().all(gone) {
            let told = states
                .iter()
                .zip(&self.servers)
                .map(|(s, server)| format!("{}: {}", origin(&server.url), s.last));
            return Pick::Never(format!(
                "{NO_ENDPOINT} ({})",
                told.collect::<Vec<_>>().join("; ")
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
            // Dropped on the way: it says nothing of the server.
            None => {}
            Some(Outcome::Answered) => {
                *state = State {
                    busy: state.busy,
                    ..State::default()
                }
            }
            // It is there, it only has enough. Without a time only the task waits: the others' requests may well be within
            // what the server takes.
            Some(Outcome::Busy(wait)) => {
                let not_before = state.not_before.max(wait.map(|wait| now + wait));
                let last = match wait {
                    Some(wait) => format!("asks to wait {} s", wait.as_secs_f32().ceil()),
                    None => "takes no more requests now".into(),
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
                    self.patience.failures
                } else {
                    state.failures + 1
                };
                state.last = why;
                // A server that is being tried out needs one failure, and requests from before that do not count.
                if state.failures >= self.patience.failures && (state.down_since.is_none() || probe)
                {
                    state.not_before = Some(now + self.patience.aside * (1 << state.rounds.min(5)));
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
    /// Gives the place back with what became of the request.
    pub(super) fn leave(mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.pool.leave(self.at, self.probe, self.outcome.take());
    }
}

/// A key that is read from the environment of this process, which is the owner of the project, and is not there.
fn keyless(name: &str, url: &str) -> Error {
    let pid = std::process::id();
    let what = format!(
        "the owner process (pid {pid}) has no environment variable {name} with the key for {url}"
    );
    Error::new(ErrorKind::Unreachable, what).help(format!(
        "`benchtop stop`, then `export {name}=...` and start benchtop again: the owner reads it when it starts"
    ))
}

/// Scheme, host and port: what is told of an endpoint.
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}
