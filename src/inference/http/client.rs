//! The one HTTP client of the crate: reqwest on rustls with ring, the system's certificates and proxies.

use std::time::Duration;

use reqwest::redirect::Policy;

use benchtop_model::{Error, ErrorKind, Result};

/// What became of reading a body.
pub(crate) enum Read {
    /// All of it.
    Whole(Vec<u8>),
    /// It is longer than the limit.
    TooLong,
    /// The line broke, or its time was up.
    Broken(reqwest::Error),
}

/// A client that follows no redirects by itself: a key must not travel to another host. Connections that nobody uses
/// are kept for `idle`.
///
/// # Errors
/// [`ErrorKind::Io`] where the system's certificates cannot be read.
pub(crate) fn client(connect: Duration, idle: Duration) -> Result<reqwest::Client> {
    // Fails when a provider is there already, which is as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(concat!("benchtop/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .redirect(Policy::none())
        .pool_idle_timeout(idle)
        .build()
        .map_err(|e| {
            Error::new(
                ErrorKind::Io,
                format!("cannot make an HTTP client: {}", told(&e)),
            )
        })
}

/// The body of `response`, at most `limit` bytes of it. A server may repeat the key in what it says: `secret` is taken
/// out here, before anything is cut to an excerpt.
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
            Ok(None) => return Read::Whole(without(body, secret)),
            Err(err) => return Read::Broken(err),
        }
    }
}

fn without(body: Vec<u8>, secret: Option<&str>) -> Vec<u8> {
    let Some(secret) = secret.filter(|s| memchr::memmem::find(&body, s.as_bytes()).is_some())
    else {
        return body;
    };
    String::from_utf8_lossy(&body)
        .replace(secret, "[key]")
        .into_bytes()
}

/// An error of the client in one line: the innermost cause says most. Addresses are left out, the caller names them.
pub(crate) fn told(err: &reqwest::Error) -> String {
    if err.is_timeout() {
        return if err.is_connect() {
            "no connection in time".into()
        } else {
            "no answer in time".into()
        };
    }
    let mut inner: &dyn std::error::Error = err;
    while let Some(next) = inner.source() {
        inner = next;
    }
    let place = if err.is_connect() {
        "cannot connect"
    } else {
        "the line broke"
    };
    format!(
        "{place}: {}",
        inner.to_string().lines().next().unwrap_or_default()
    )
}
