//! What bootstrapping costs beside its servers: 10,000 items x 3 strategies of text, each with its judge, against
//! servers that answer at once.
//!
//! `cargo bench --bench bootstrap` prints requests a second of the job, and of a bare loop that sends as many requests
//! with the same bodies, client library, and concurrency in the same run, from a process of its own as well. It also
//! prints the peak memory of the owner, and how long a transcript takes. `BENCH_ITEMS=500` is a quick look;
//! `BENCH_CONCURRENCY` is the number of requests in flight, and `BENCH_SIDE` the side of the picture, whose pixels are
//! noise: 12 KB at 64.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use benchtop::files::project::Project;
use benchtop::model::job::{JobState, JobStatus};
use benchtop::protocol::Client;
use benchtop::protocol::start::owner_command;
use benchtop::protocol::wire::request;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use image::ImageEncoder as _;
use memchr::memmem;
use serde_json::json;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PROGRAM: &str = env!("CARGO_BIN_EXE_benchtop");
const STRATEGIES: [&str; 3] = ["L1", "L2", "L4"];
/// Requests to the writer and the judge for one item: no try is refused.
const EACH: usize = STRATEGIES.len() * 2;
/// The job sends at least this share of what the bare loop does.
const SHARE: f64 = 0.5;
/// Greatest peak of the owner's memory in MiB.
const MEMORY: u64 = 256;
/// Longest time of a transcript: a frame at 60 Hz.
const FRAME: Duration = Duration::from_millis(16);
/// Words of the prompts, by which the server knows what is asked for, and its answers.
const KINDS: [(&str, &str); EACH] = [
    (
        "by synonyms or by expressions",
        r#"{"text": "What precisely is on the table?"}"#,
    ),
    (
        "some words were replaced",
        r#"{"reason": "Both ask the same.", "answer": "yes"}"#,
    ),
    (
        "into another sentence, as",
        r#"{"text": "Could you tell me what lies on the table?"}"#,
    ),
    (
        "in another sentence. Does it change",
        r#"{"reason": "Both ask the same.", "answer": "no"}"#,
    ),
    (
        "of no use for answering the question:",
        r#"{"text": "Bread is baked at night, and trains leave on the hour."}"#,
    ),
    (
        "written to distract",
        r#"{"reason": "It is about something else.", "answer": "yes"}"#,
    ),
];

fn number(name: &str, default: usize) -> Outcome<usize> {
    std::env::var(name).map_or(Ok(default), |n| Ok(n.parse()?))
}

/// Answers at once, and keeps the first body of each kind.
#[derive(Default)]
struct Seen {
    bodies: Mutex<BTreeMap<usize, Bytes>>,
    count: AtomicUsize,
    /// Requests of no known kind.
    strangers: AtomicUsize,
    /// Nanoseconds since the server began, of the first and of the last request.
    span: [AtomicU64; 2],
}

struct Server {
    url: String,
    seen: Arc<Seen>,
    _runtime: tokio::runtime::Runtime,
}

fn server() -> Outcome<Server> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    let seen = Arc::new(Seen::default());
    let finders: Arc<Vec<_>> = Arc::new(
        KINDS
            .iter()
            .map(|(sign, answer)| {
                let choice = json!({ "message": { "content": answer }, "finish_reason": "stop" });
                let usage = json!({ "prompt_tokens": 300, "completion_tokens": 20 });
                let body = json!({ "model": "echo", "choices": [choice], "usage": usage });
                (
                    memmem::Finder::new(sign.as_bytes()),
                    Bytes::from(body.to_string()),
                )
            })
            .collect(),
    );
    let (shared, began) = (Arc::clone(&seen), Instant::now());
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (seen, finders) = (Arc::clone(&shared), Arc::clone(&finders));
            let answer = move |request: Request<Incoming>| {
                let (seen, finders) = (Arc::clone(&seen), Arc::clone(&finders));
                async move {
                    let now = began.elapsed().as_nanos() as u64;
                    let body = request
                        .into_body()
                        .collect()
                        .await
                        .map(|body| body.to_bytes())
                        .unwrap_or_default();
                    let kind = finders
                        .iter()
                        .position(|(sign, _)| sign.find(&body).is_some());
                    if seen.count.fetch_add(1, Ordering::SeqCst) == 0 {
                        seen.span[0].store(now, Ordering::SeqCst);
                    }
                    seen.span[1].fetch_max(began.elapsed().as_nanos() as u64, Ordering::SeqCst);
                    let text = match kind.and_then(|kind| Some((kind, finders.get(kind)?))) {
                        Some((kind, (_, text))) => {
                            let bodies = seen.bodies.lock();
                            if let Ok(mut bodies) = bodies {
                                bodies.entry(kind).or_insert(body);
                            }
                            text.clone()
                        }
                        None => {
                            seen.strangers.fetch_add(1, Ordering::SeqCst);
                            Bytes::new()
                        }
                    };
                    Ok::<_, Infallible>(Response::new(Full::new(text)))
                }
            };
            tokio::spawn(async move {
                let service = hyper::service::service_fn(answer);
                let _ = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
    Ok(Server {
        url,
        seen,
        _runtime: runtime,
    })
}

/// The bare loop: sends the bodies in `folder` in turn, and prints the nanoseconds that it took.
fn bare(folder: &str) -> Outcome<()> {
    let (url, requests) = (std::env::var("BENCH_URL")?, number("BENCH_REQUESTS", 0)?);
    let concurrency = number("BENCH_CONCURRENCY", 0)?;
    let mut bodies = Vec::new();
    for kind in 0..EACH {
        bodies.push(Bytes::from(std::fs::read(
            Path::new(folder).join(kind.to_string()),
        )?));
    }
    let bodies = Arc::new(bodies);
    let _ = rustls::crypto::ring::default_provider().install_default();
    // As many threads as the job's client has.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let client = reqwest::Client::builder().build()?;
    let (next, url) = (
        Arc::new(AtomicUsize::new(0)),
        format!("{url}/chat/completions"),
    );
    let began = Instant::now();
    runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..concurrency {
            let (client, next, url) = (client.clone(), Arc::clone(&next), url.clone());
            let bodies = Arc::clone(&bodies);
            tasks.spawn(async move {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= requests {
                        return Ok::<_, reqwest::Error>(());
                    }
                    let body = bodies.get(at % EACH).cloned().unwrap_or_default();
                    let request = client.post(&url).header("content-type", "application/json");
                    let answer = request.body(body).send().await?;
                    answer.error_for_status()?.bytes().await?;
                }
            });
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        Outcome::Ok(())
    })?;
    println!("{}", began.elapsed().as_nanos());
    Ok(())
}

/// An owner of its own process, ended with the bench.
struct Owner(Child);

impl Owner {
    fn start(root: &Path) -> Outcome<Owner> {
        let mut command = owner_command(Path::new(PROGRAM));
        command
            .arg("--project")
            .arg(root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no pipe")?).read_line(&mut line)?;
        match line.trim() {
            "\"ready\"" => Ok(Owner(child)),
            _ => Err(line.into()),
        }
    }

    /// A line of `/proc/PID/status` in MiB.
    fn memory(&self, what: &str) -> Outcome<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(what));
        let kib = line.and_then(|rest| rest.split_whitespace().next());
        Ok(kib.ok_or("no such line")?.parse::<u64>()? >> 10)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(root: &Path, args: &[&str]) -> Outcome<String> {
    let done = Command::new(PROGRAM)
        .args(args)
        .arg("--project")
        .arg(root)
        .stdin(Stdio::null())
        .output()?;
    match done.status.success() {
        true => Ok(String::from_utf8(done.stdout)?),
        false => Err(String::from_utf8(done.stderr)?.into()),
    }
}

/// A project of `items` questions about one picture, whose writer and judge are this server.
fn project(folder: &Path, items: usize, (url, concurrency): (&str, usize)) -> Outcome<Project> {
    let root = folder.join("project");
    let project = Project::init(&root)?;
    let side = number("BENCH_SIDE", 64)? as u32;
    let mut rgb = vec![0; 3 * (side * side) as usize];
    blake3::Hasher::new().finalize_xof().fill(&mut rgb);
    let mut png = Vec::new();
    image::codecs::png::PngEncoder::new(&mut png).write_image(
        &rgb,
        side,
        side,
        image::ExtendedColorType::Rgb8,
    )?;
    std::fs::write(folder.join("table.png"), png)?;
    let lines: String = (0..items)
        .map(|n| {
            json!({
                "id": n, "images": ["table.png"], "prompt": "a table", "question": "What exactly is on the table?",
                "answer": "a cup", "question_type": "multi choice", "task": "recognition",
                "options": ["a cup", "a shoe", "a clock", "nothing"], "question_majority": "object",
            })
            .to_string()
                + "\n"
        })
        .collect();
    let file = folder.join("tables.jsonl");
    std::fs::write(&file, lines)?;
    run(&root, &["import", &file.to_string_lossy()])?;
    let path = root.join("benchtop.toml");
    let mut config: toml::Table = std::fs::read_to_string(&path)?.parse()?;
    for role in ["writer", "judge"] {
        let table = format!(
            "model = \"{role}\"\nendpoints = [{{ url = \"{url}\", concurrency = {concurrency} }}]"
        );
        config.insert(role.into(), table.parse::<toml::Table>()?.into());
    }
    std::fs::write(&path, config.to_string())?;
    Ok(project)
}

fn held(what: &str, is_held: bool) -> bool {
    println!("{what} {}", if is_held { "OK" } else { "OVER" });
    is_held
}

fn main() -> Outcome<()> {
    if let Ok(folder) = std::env::var("BENCH_BODIES") {
        return bare(&folder);
    }
    let items = number("BENCH_ITEMS", 10_000)?;
    let concurrency = number("BENCH_CONCURRENCY", 32)?;
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let server = server()?;
    let project = project(dir.path(), items, (&server.url, concurrency))?;
    let _ = run(project.root(), &["stop"]);
    let owner = Owner::start(project.root())?;
    let before = owner.memory("VmRSS:")?;
    let began = Instant::now();
    let strategies = [&["bootstrap", "--detach", "--strategies"], &STRATEGIES[..]].concat();
    run(project.root(), &strategies)?;
    let client = Client::attach(&project, "bench", |_| ())?.ok_or("no owner")?;
    let job: JobState = loop {
        let job = client
            .ask(request::Jobs)?
            .into_iter()
            .next()
            .ok_or("no job")?;
        match job.standing {
            JobStatus::Done => break job,
            JobStatus::Queued | JobStatus::Running => std::thread::sleep(Duration::from_millis(10)),
            _ => {
                return Err(format!("the job is {}: {:?}", job.standing.name(), job.reason).into());
            }
        }
    };
    let whole = began.elapsed();
    let (requests, seen) = (items * EACH, &server.seen);
    let is_exact = seen.count.load(Ordering::SeqCst) == requests
        && seen.strangers.load(Ordering::SeqCst) == 0
        && (job.done, job.failed) == ((items * STRATEGIES.len()) as u64, 0);
    if !is_exact {
        return Err(format!("{:?} requests, {job:?}", seen.count).into());
    }
    let [first, last] = [0, 1].map(|at| seen.span[at].load(Ordering::SeqCst));
    let asking = Duration::from_nanos(last - first);
    let peak = owner.memory("VmHWM:")?;
    println!("{items} items x {STRATEGIES:?}: {requests} requests, {concurrency} in flight");
    println!(
        "the job: {:.1} s, of which {:.1} s from the first request to the last",
        whole.as_secs_f64(),
        asking.as_secs_f64()
    );

    let bodies = dir.path().join("bodies");
    std::fs::create_dir(&bodies)?;
    let mut bytes = 0;
    for (kind, body) in seen.bodies.lock().map_err(|_| "the server failed")?.iter() {
        bytes += body.len();
        std::fs::write(bodies.join(kind.to_string()), body)?;
    }
    let done = Command::new(std::env::current_exe()?)
        .env("BENCH_BODIES", &bodies)
        .env("BENCH_URL", &server.url)
        .env("BENCH_REQUESTS", requests.to_string())
        .env("BENCH_CONCURRENCY", concurrency.to_string())
        .output()?;
    if !done.status.success() {
        return Err(String::from_utf8(done.stderr)?.into());
    }
    let floor = Duration::from_nanos(String::from_utf8(done.stdout)?.trim().parse()?);
    let rate = |time: Duration| requests as f64 / time.as_secs_f64();
    println!(
        "the bare loop: {:.1} s, {:.0} requests/s of {} bytes",
        floor.as_secs_f64(),
        rate(floor),
        bytes / EACH
    );
    let share = rate(asking) / rate(floor);
    let mut fine = held(
        &format!(
            "the job: {:.0} requests/s, {share:.2} of the bare loop ({SHARE})",
            rate(asking)
        ),
        share >= SHARE,
    );
    println!(
        "with planning and adding the items: {:.0} requests/s, {:.2}",
        rate(whole),
        rate(whole) / rate(floor)
    );
    fine &= held(
        &format!("peak memory of the owner: {peak} MiB, {before} before the job ({MEMORY})"),
        peak <= MEMORY,
    );
    let last = (items * (1 + STRATEGIES.len())) as u32;
    let mut times = Vec::new();
    for _ in 0..9 {
        let began = Instant::now();
        client.ask(request::Transcript(last))?;
        times.push(began.elapsed());
    }
    let first = times.first().copied().unwrap_or_default();
    times.sort_unstable();
    let again = times.get(times.len() / 2).copied().unwrap_or_default();
    let journal = std::fs::metadata(project.root().join("jobs/0001.jsonl"))?.len() >> 20;
    fine &= held(
        &format!(
            "a transcript from a journal of {journal} MiB: {again:.2?}, the first {first:.2?} ({FRAME:?})"
        ),
        again <= FRAME,
    );
    println!("{}", if fine { "all held" } else { "not all held" });
    Ok(())
}
