//! A local server with the image API, or with the behavior that a test asks for.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use base64::Engine as _;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, Incoming};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use image::ImageEncoder as _;
use serde_json::{Value, json};

/// What the server does with a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A picture, and the fields of the request that it repeats.
    Picture(&'static [&'static str]),
    /// A status, headers and a text.
    Status(u16, Vec<(&'static str, String)>, String),
    /// 200 and this body.
    Body(Vec<u8>),
    /// 200 with an image of these bytes.
    Image(Vec<u8>),
    /// A status, headers and a body; or only the first half of the body.
    Raw(u16, Vec<(&'static str, String)>, Vec<u8>, bool),
    /// 200, a body cut off in the middle.
    Cut,
    /// Nothing for so long.
    Stall(Duration),
    /// Something, after so long.
    Later(Duration, Box<Act>),
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Method and path.
    pub line: String,
    /// Value of `Authorization`.
    pub key: Option<String>,
    /// Value of `Range`.
    pub range: Option<String>,
    /// The body, where it is JSON, or the text fields of a form. Numbers of a form are numbers.
    pub body: Value,
    /// The files of a form: name of the field, headers, and content.
    pub files: Vec<(String, String, Vec<u8>)>,
    /// Value of `Content-Type`.
    pub content_type: String,
    /// How often this body was asked for before.
    pub before: usize,
}

type Script = dyn Fn(&Seen) -> Act + Send + Sync;

struct State {
    script: Box<Script>,
    seen: Mutex<Vec<Seen>>,
    counts: Mutex<HashMap<String, usize>>,
    now: AtomicUsize,
    peak: AtomicUsize,
    keep: bool,
}

/// A running server; dropped, it ends and closes its connections.
pub struct Server {
    /// Where it listens.
    pub at: SocketAddr,
    state: Arc<State>,
    runtime: Option<tokio::runtime::Runtime>,
}

/// A body that may break off.
pub struct Part {
    left: Option<Bytes>,
    whole: u64,
    cut: u8,
}

impl Body for Part {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        match self.left.take() {
            Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            // What there is gets written while nothing more is to be had; then the line breaks.
            None if self.cut > 1 => {
                self.cut -= 1;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            None if self.cut == 1 => Poll::Ready(Some(Err(std::io::Error::other("cut")))),
            None => Poll::Ready(None),
        }
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        hyper::body::SizeHint::with_exact(self.whole)
    }
}

/// A body that is sent whole.
pub fn body(bytes: impl Into<Bytes>) -> Part {
    let bytes = bytes.into();
    Part {
        whole: bytes.len() as u64,
        left: Some(bytes),
        cut: 0,
    }
}

/// A body of which only the first half arrives.
pub fn half(bytes: &[u8]) -> Part {
    Part {
        whole: bytes.len() as u64,
        left: Some(Bytes::copy_from_slice(&bytes[..bytes.len() / 2])),
        cut: 5,
    }
}

/// A PNG whose pixels hang on `text`.
pub fn png(width: u32, height: u32, text: &str) -> Vec<u8> {
    let mut rgb = vec![0; 3 * (width * height) as usize];
    blake3::Hasher::new()
        .update(text.as_bytes())
        .finalize_xof()
        .fill(&mut rgb);
    let mut out = Vec::new();
    image::codecs::png::PngEncoder::new(&mut out)
        .write_image(&rgb, width, height, image::ExtendedColorType::Rgb8)
        .unwrap();
    out
}

/// Reads a form: its text fields, and its files. Panics if it is not well formed.
fn form(bytes: &[u8], boundary: &str) -> (Value, Vec<(String, String, Vec<u8>)>) {
    let find = |bytes: &[u8], text: &str| {
        bytes
            .windows(text.len())
            .position(|part| part == text.as_bytes())
    };
    let (mut fields, mut files) = (serde_json::Map::new(), Vec::new());
    let mut rest = bytes
        .strip_prefix(format!("--{boundary}").as_bytes())
        .unwrap();
    while rest != b"--\r\n" {
        rest = rest.strip_prefix(b"\r\n").unwrap();
        let head = find(rest, "\r\n\r\n").unwrap();
        let headers = std::str::from_utf8(&rest[..head]).unwrap().to_string();
        let end = format!("\r\n--{boundary}");
        rest = &rest[head + 4..];
        let length = find(rest, &end).unwrap();
        let content = &rest[..length];
        rest = &rest[length + end.len()..];
        let name = headers.split('"').nth(1).unwrap().to_string();
        if headers.contains("filename=") {
            files.push((name, headers, content.to_vec()));
            continue;
        }
        let text = std::str::from_utf8(content).unwrap();
        let number = serde_json::from_str(text).ok().filter(Value::is_number);
        let value = number.unwrap_or_else(|| text.into());
        assert!(fields.insert(name, value).is_none(), "a field twice");
    }
    (fields.into(), files)
}

struct Busy(Arc<State>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Server {
    /// A server that does with each request what `script` says, and keeps what it saw.
    pub fn new(script: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> Server {
        Self::start(Box::new(script), true)
    }

    /// One that keeps only counts, for many requests.
    pub fn forgetful(script: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> Server {
        Self::start(Box::new(script), false)
    }

    fn start(script: Box<Script>, keep: bool) -> Server {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .unwrap();
        let at = listener.local_addr().unwrap();
        let state = State {
            script,
            seen: Mutex::default(),
            counts: Mutex::default(),
            now: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            keep,
        };
        let state = Arc::new(state);
        let shared = Arc::clone(&state);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = Arc::clone(&shared);
                let service =
                    hyper::service::service_fn(move |request| answer(Arc::clone(&state), request));
                tokio::spawn(async move {
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        Server {
            at,
            state,
            runtime: Some(runtime),
        }
    }

    /// Its address as an endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.at)
    }

    /// What it saw, oldest first.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().unwrap().clone()
    }

    /// Most requests that it worked on at once.
    pub fn peak(&self) -> usize {
        self.state.peak.load(Ordering::SeqCst)
    }

    /// Requests that it works on now.
    pub fn now(&self) -> usize {
        self.state.now.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }
}

async fn answer(
    state: Arc<State>,
    request: Request<Incoming>,
) -> Result<Response<Part>, Infallible> {
    let now = state.now.fetch_add(1, Ordering::SeqCst) + 1;
    state.peak.fetch_max(now, Ordering::SeqCst);
    let _busy = Busy(Arc::clone(&state));
    let header = |name: &str| {
        request
            .headers()
            .get(name)
            .and_then(|v| v.to_str().ok())
            .map(str::to_string)
    };
    let (key, range) = (header("authorization"), header("range"));
    let content_type = header("content-type").unwrap_or_default();
    let line = format!("{} {}", request.method(), request.uri());
    let bytes = request
        .into_body()
        .collect()
        .await
        .map(|b| b.to_bytes())
        .unwrap_or_default();
    let (body_json, files) = match content_type.split_once("multipart/form-data; boundary=") {
        Some((_, boundary)) => form(&bytes, boundary),
        None => (serde_json::from_slice(&bytes).unwrap_or_default(), vec![]),
    };
    let before = {
        let mut counts = state.counts.lock().unwrap();
        let count = counts
            .entry(format!("{line} {}", String::from_utf8_lossy(&bytes)))
            .or_default();
        *count += 1;
        *count - 1
    };
    let seen = Seen {
        line,
        key,
        range,
        body: body_json,
        files,
        content_type,
        before,
    };
    let act = (state.script)(&seen);
    if state.keep {
        state.seen.lock().unwrap().push(seen.clone());
    }
    Ok(made(act, &seen).await)
}

async fn made(act: Act, seen: &Seen) -> Response<Part> {
    let packed = |image: &[u8]| base64::engine::general_purpose::STANDARD.encode(image);
    match act {
        Act::Picture(repeated) => {
            let size = seen.body["size"].as_str().unwrap_or("64x64");
            let (width, height) = size.split_once('x').unwrap_or(("64", "64"));
            let mut text = seen.body.to_string();
            for (name, _, bytes) in &seen.files {
                text += &format!("{name} {}", blake3::hash(bytes));
            }
            let image = png(width.parse().unwrap(), height.parse().unwrap(), &text);
            let mut part = json!({ "b64_json": packed(&image) });
            for name in repeated {
                part[*name] = seen.body[*name].clone();
            }
            Response::new(body(json!({ "created": 1, "data": [part] }).to_string()))
        }
        Act::Status(status, headers, text) => {
            let mut response = Response::builder().status(status);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            response.body(body(text)).unwrap()
        }
        Act::Raw(status, headers, bytes, cut) => {
            let mut response = Response::builder().status(status);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            response
                .body(if cut { half(&bytes) } else { body(bytes) })
                .unwrap()
        }
        Act::Body(bytes) => Response::new(body(bytes)),
        Act::Image(bytes) => Response::new(body(
            json!({ "data": [{ "b64_json": packed(&bytes) }] }).to_string(),
        )),
        Act::Cut => Response::new(half(
            json!({ "data": [{ "b64_json": packed(&png(64, 64, "cut")) }] })
                .to_string()
                .as_bytes(),
        )),
        Act::Later(time, act) => {
            tokio::time::sleep(time).await;
            Box::pin(made(*act, seen)).await
        }
        Act::Stall(time) => {
            tokio::time::sleep(time).await;
            Response::new(body("late"))
        }
    }
}
