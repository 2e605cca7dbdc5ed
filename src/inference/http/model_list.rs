//! The models that a server offers: `GET {url}/models` of OpenAI's API.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderValue};
use serde::Deserialize;

use super::client::{Read, Threads, client, describe, read};
use benchtop_model::{Error, Result};

/// How long a server may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Limit of the reply in bytes.
const LIMIT: usize = 4 << 20;

#[derive(Deserialize)]
struct List {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
}

/// Asks the server at the base URL `url` for the names of its models. Sends the key, if there is
/// one, and nothing else.
///
/// # Errors
/// [`ErrorKind::Unreachable`](benchtop_model::ErrorKind::Unreachable) without a reply,
/// [`ErrorKind::Denied`](benchtop_model::ErrorKind::Denied) if the server refuses the key, and
/// [`ErrorKind::Failed`](benchtop_model::ErrorKind::Failed) for any other reply.
pub fn model_list(url: &str, key: Option<&str>) -> Result<Vec<String>> {
    let runtime = Threads::start("models", "thread that asks the server")?;
    let client = client(PATIENCE, PATIENCE)?;
    let address = format!("{}/models", url.trim_end_matches('/'));
    let mut request = client.get(&address).timeout(PATIENCE);
    if let Some(key) = key {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}"))
            .map_err(|_| Error::input("the key has characters that HTTP headers cannot hold"))?;
        value.set_sensitive(true);
        request = request.header(AUTHORIZATION, value);
    }
    let secret = key.map(str::to_string);
    let (tell, said) = std::sync::mpsc::channel();
    runtime.0.spawn(async move {
        let answer = match request.send().await {
            Err(err) => Err(describe(&err)),
            Ok(response) => {
                let status = response.status();
                match read(response, LIMIT, secret.as_deref()).await {
                    Read::Whole(body) => Ok((status, body)),
                    Read::TooLong => Err(format!("the reply has more than {LIMIT} bytes")),
                    Read::Broken(err) => Err(describe(&err)),
                }
            }
        };
        let _ = tell.send(answer);
    });
    let lost = || Error::failed("internal error: the request was lost; please report this");
    let (status, body) = said
        .recv()
        .map_err(|_| lost())?
        .map_err(|why| Error::unreachable(format!("no list of models from {url}: {why}")))?;
    if [401, 403].contains(&status.as_u16()) {
        let what = format!("{url} refuses the key (status {})", status.as_u16());
        return Err(Error::denied(what).field("key_env"));
    }
    if !status.is_success() {
        let what = format!("{url} sends no list of models (status {})", status.as_u16());
        return Err(Error::failed(what).help("the base URL usually ends in /v1"));
    }
    let list: List = serde_json::from_slice(&body)
        .map_err(|e| Error::failed(format!("the list of models of {url} cannot be read: {e}")))?;
    Ok(list.data.into_iter().map(|entry| entry.id).collect())
}
