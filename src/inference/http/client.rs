//! The HTTP client of the crate: reqwest on rustls with ring, with the system's certificates and
//! proxies.

use std::time::Duration;

use reqwest::redirect::Policy;
use tokio::runtime::{Handle, Runtime};

use benchtop_model::{Error, Result};

/// The result of reading a body.
pub(crate) enum Read {
    Whole(Vec<u8>),
    /// The body is longer than the limit.
    TooLong,
    /// The connection failed or timed out.
    Broken(reqwest::Error),
}

/// A runtime for requests. Dropping it does not wait, because waiting would panic inside another
/// runtime.
pub(crate) struct Threads(pub(crate) Handle, Option<Runtime>);

impl Threads {
    /// # Errors
    /// [`Error::failed`] if the thread cannot start.
    pub(crate) fn start(name: &str, what: &str) -> Result<Threads> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name(name)
            .enable_io()
            .enable_time()
            .build()
            .map_err(|e| {
                let what = format!("cannot start the {what}: {e}");
                Error::failed(what)
            })?;
        Ok(Threads(runtime.handle().clone(), Some(runtime)))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.1.take() {
            runtime.shutdown_background();
        }
    }
}

/// Builds the client. It follows no redirects, so that a key never goes to another host. Unused
/// connections stay open for `idle`.
///
/// # Errors
/// [`Error::failed`] if the system's certificates cannot be read.
pub(crate) fn client(connect: Duration, idle: Duration) -> Result<reqwest::Client> {
    // Fails if a provider is already installed, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(concat!("benchtop/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .redirect(Policy::none())
        .pool_idle_timeout(idle)
        .build()
        .map_err(|e| Error::failed(format!("cannot create an HTTP client: {}", describe(&e))))
}

/// Reads the body of `response`, up to `limit` bytes. A server may repeat the key in its response,
/// so `secret` is removed here, before the text is shortened.
pub(crate) async fn read(
    mut response: reqwest::Response,
    limit: usize,
    secret: Option<&str>,
) -> Read {
    if response.content_length().is_some_and(|n| n > limit as u64) {
        return Read::TooLong;
    }
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(part)) if body.len() + part.len() > limit => return Read::TooLong,
            Ok(Some(part)) => body.extend_from_slice(&part),
            Ok(None) => return Read::Whole(redacted(body, secret)),
            Err(err) => return Read::Broken(err),
        }
    }
}

fn redacted(body: Vec<u8>, secret: Option<&str>) -> Vec<u8> {
    let Some(secret) = secret.filter(|s| memchr::memmem::find(&body, s.as_bytes()).is_some())
    else {
        return body;
    };
    String::from_utf8_lossy(&body)
        .replace(secret, "[key]")
        .into_bytes()
}

/// An error of the client as one line: the innermost cause, without URLs, which the caller adds.
pub(crate) fn describe(err: &reqwest::Error) -> String {
    if err.is_timeout() {
        return if err.is_connect() {
            "connection timed out".into()
        } else {
            "response timed out".into()
        };
    }
    let mut inner: &dyn std::error::Error = err;
    while let Some(next) = inner.source() {
        inner = next;
    }
    let place = if err.is_connect() {
        "cannot connect"
    } else {
        "connection failed"
    };
    format!(
        "{place}: {}",
        inner.to_string().lines().next().unwrap_or_default()
    )
}
