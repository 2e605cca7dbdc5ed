//! The transfer of one file from the hub to a partial file: metadata, redirects, ranges, and
//! retries.

use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc::Sender;
use std::time::Duration;

use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_RANGE, ETAG, HeaderMap, LOCATION, RANGE,
};
use reqwest::{Client, Method, Response, Url};

use super::Hub;
use super::pull::corrupt;
use crate::http::client::describe;
use benchtop_model::weights::{FileOperation, FileProgress};
use benchtop_model::{Error, Result};

/// Maximum number of tries without receiving a new byte.
const TRIES: u32 = 5;
/// Maximum number of redirects per request.
const HOPS: u32 = 5;
/// Timeout for the next bytes.
const SILENCE: Duration = Duration::from_secs(60);

/// The hub's metadata of a file.
pub(super) struct Stated {
    pub(super) size: Option<u64>,
    /// Only for large files.
    pub(super) sha256: Option<String>,
    pub(super) commit: Option<String>,
}

pub(super) struct Wanted {
    pub(super) client: Client,
    pub(super) hub: Hub,
    pub(super) url: Url,
    pub(super) path: String,
    pub(super) tell: Sender<FileProgress>,
}

/// The reason why a transfer stopped.
enum Stop {
    /// Another try may succeed.
    Broken(String),
    Failed(Error),
}

impl Wanted {
    /// Sends a request and follows redirects. The token goes only to the hub's host. With `heed`,
    /// stops at the first response with the file's metadata.
    async fn ask(
        &self,
        method: Method,
        range: Option<u64>,
        heed: bool,
    ) -> std::result::Result<Response, Stop> {
        let mut url = self.url.clone();
        for _ in 0..=HOPS {
            // Compression would change the length and prevent ranges.
            let mut request = self
                .client
                .request(method.clone(), url.clone())
                .header(ACCEPT_ENCODING, "identity");
            if let Some(token) = self
                .hub
                .token
                .as_ref()
                .filter(|_| url.origin() == self.url.origin())
            {
                request = request.header(AUTHORIZATION, token.clone());
            }
            if let Some(from) = range {
                request = request.header(RANGE, format!("bytes={from}-"));
            }
            let sent = tokio::time::timeout(SILENCE, request.send()).await;
            let response = sent.map_err(|_| Stop::Broken("response timed out".into()))?;
            let response = response.map_err(|e| Stop::Broken(describe(&e)))?;
            let next = response
                .headers()
                .get(LOCATION)
                .filter(|_| response.status().is_redirection());
            match next.and_then(|l| l.to_str().ok()) {
                None => return Ok(response),
                Some(_) if heed && response.headers().contains_key("x-linked-etag") => {
                    return Ok(response);
                }
                Some(next) => {
                    let to = url.join(next).map_err(|e| {
                        Stop::Failed(self.refused(format!("invalid redirect: {e}")))
                    })?;
                    if !is_followed(&url, &to) {
                        return Err(Stop::Failed(self.refused(format!(
                            "refused a redirect without encryption, to {to}"
                        ))));
                    }
                    url = to;
                }
            }
        }
        Err(Stop::Failed(
            self.refused(format!("more than {HOPS} redirects")),
        ))
    }

    fn refused(&self, what: String) -> Error {
        Error::failed(format!("{}: {what}", self.url)).file(&self.path)
    }

    fn unreachable(&self, why: &str) -> Error {
        Error::unreachable(format!("cannot download {}: {why}", self.url))
    }

    /// Classifies an error status.
    fn status(&self, response: &Response) -> Stop {
        let (status, url) = (response.status(), &self.url);
        let page = format!(
            "{}{}",
            self.hub.endpoint,
            url.path().split("/resolve/").next().unwrap_or_default()
        );
        Stop::Failed(match status.as_u16() {
            401 | 403 => Error::denied(format!("{url}: the hub requires a login ({status})")).help(
                format!("accept the license at {page}, create a token, and set HF_TOKEN to it"),
            ),
            404 => Error::not_found(format!("{url}: not found on the hub ({status})")).help(
                format!("see {page}; the publisher may have removed the file"),
            ),
            408 | 429 | 500.. => return Stop::Broken(format!("the hub answers {status}")),
            _ => self.refused(format!("the hub answers {status}")),
        })
    }

    /// Asks the hub for the file's metadata.
    pub(super) async fn stated(&self) -> Result<Stated> {
        let mut tried = 0;
        loop {
            let stop = match self.ask(Method::HEAD, None, true).await {
                Ok(response)
                    if response.status().is_success()
                        || response.headers().contains_key("x-linked-etag") =>
                {
                    return Ok(read_stated(
                        response.status().is_success(),
                        response.headers(),
                    ));
                }
                Ok(response) => self.status(&response),
                Err(stop) => stop,
            };
            self.again(stop, &mut tried).await?;
        }
    }

    /// Waits before the next try. Fails if there are no more tries.
    async fn again(&self, stop: Stop, tried: &mut u32) -> Result<()> {
        let why = match stop {
            Stop::Failed(problem) => return Err(problem),
            Stop::Broken(why) => why,
        };
        *tried += 1;
        if *tried >= TRIES {
            return Err(self.unreachable(&why));
        }
        tokio::time::sleep(self.hub.pause * (1 << (*tried - 1).min(5))).await;
        Ok(())
    }

    /// Downloads the file to `part`, and resumes at its end.
    pub(super) async fn fetch(&self, part: &Path, size: Option<u64>) -> Result<()> {
        let mut tried = 0;
        loop {
            let before = std::fs::metadata(part).map(|m| m.len()).unwrap_or(0);
            if size.is_some_and(|size| before == size && size > 0) {
                return Ok(());
            }
            let stop = match self.transfer(part, before, size).await {
                Ok(()) => return Ok(()),
                Err(stop) => stop,
            };
            // Any progress resets the number of tries.
            let after = std::fs::metadata(part).map(|m| m.len()).unwrap_or(0);
            tried = if after > before { 0 } else { tried };
            self.again(stop, &mut tried).await?;
        }
    }

    async fn transfer(
        &self,
        part: &Path,
        from: u64,
        size: Option<u64>,
    ) -> std::result::Result<(), Stop> {
        let failed = |e: std::io::Error| Stop::Failed(Error::io(&e, "cannot write", part));
        let mut response = self
            .ask(Method::GET, (from > 0).then_some(from), false)
            .await?;
        let status = response.status().as_u16();
        if status == 416 {
            // The partial file is too long, or belongs to another file.
            std::fs::remove_file(part).map_err(failed)?;
            return Err(Stop::Broken(
                "the partial file does not match the hub's file".into(),
            ));
        }
        if !response.status().is_success() {
            return Err(self.status(&response));
        }
        let range = response
            .headers()
            .get(CONTENT_RANGE)
            .and_then(|v| v.to_str().ok())
            .map(str::to_string);
        let goes_on =
            status == 206 && range.is_some_and(|r| r.starts_with(&format!("bytes {from}-")));
        let mut done = if goes_on { from } else { 0 };
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .open(part)
            .map_err(failed)?;
        file.set_len(done).map_err(failed)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(done)).map_err(failed)?;
        let of = size.or_else(|| response.content_length().map(|n| n + done));
        loop {
            let next = tokio::time::timeout(SILENCE, response.chunk()).await;
            let chunk = match next.map_err(|_| Stop::Broken("transfer timed out".into()))? {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(err) => return Err(Stop::Broken(describe(&err))),
            };
            if of.is_some_and(|of| done + chunk.len() as u64 > of) {
                drop(file);
                let _ = std::fs::remove_file(part);
                return Err(Stop::Failed(corrupt(
                    &self.path,
                    format!("received more than {} bytes", of.unwrap_or_default()),
                )));
            }
            file.write_all(&chunk).map_err(failed)?;
            done += chunk.len() as u64;
            let _ = self.tell.send(FileProgress {
                path: self.path.clone(),
                doing: FileOperation::Pull,
                done,
                of,
            });
        }
        match of {
            Some(of) if done < of => Err(Stop::Broken(format!(
                "the transfer ended after {done} of {of} bytes"
            ))),
            _ => file.sync_all().map_err(failed),
        }
    }
}

/// Redirects are followed over HTTP or HTTPS, but never from HTTPS to HTTP.
fn is_followed(from: &Url, to: &Url) -> bool {
    match to.scheme() {
        "https" => true,
        "http" => from.scheme() == "http",
        _ => false,
    }
}

/// Reads the hub's headers. The entity tag of a large file is its SHA-256; the one of a small file
/// is a git hash.
fn read_stated(whole: bool, headers: &HeaderMap) -> Stated {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|v| v.to_str().ok())
            .map(|v| v.trim().to_string())
    };
    let tag = text("x-linked-etag").or_else(|| text(ETAG.as_str()));
    let tag = tag.map(|t| {
        t.trim_start_matches("W/")
            .trim_matches('"')
            .to_ascii_lowercase()
    });
    let hash = tag.filter(|t| t.len() == 64 && t.bytes().all(|b| b.is_ascii_hexdigit()));
    let length = text("x-linked-size").or_else(|| text("content-length").filter(|_| whole));
    let commit = text("x-repo-commit").map(|c| c.to_ascii_lowercase());
    Stated {
        size: length.and_then(|n| n.parse().ok()),
        sha256: hash,
        commit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_never_drop_encryption() {
        let url = |text: &str| Url::parse(text).unwrap();
        let (open, closed, other) = (url("http://a/x"), url("https://a/x"), url("https://b/x"));
        assert!(
            is_followed(&closed, &other)
                && is_followed(&open, &closed)
                && is_followed(&open, &open)
        );
        assert!(!is_followed(&closed, &open) && !is_followed(&closed, &url("http://b/x")));
        assert!(
            !is_followed(&open, &url("ftp://a/x"))
                && !is_followed(&open, &url("file:///etc/passwd"))
        );
    }
}
