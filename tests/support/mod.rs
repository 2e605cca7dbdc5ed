//! A project in a temporary folder, with the real program. Every owner ends with its project.

pub mod emulator;
mod refusal;
pub mod wording;

pub use benchtop::model::ErrorKind;
pub use refusal::Refusal;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use benchtop::compose::compiled_metadata::CompiledMetadata;
use benchtop::compose::engine::Composer;
use benchtop::compose::metadata::Metadata;
use benchtop::compose::plan::Plan;
use benchtop::compose::schedule::Schedule;
use benchtop::files::project::Project;
use benchtop::protocol::{Client, Incoming};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Writes a line that is visible although the test passes. The harness captures only the print macros.
pub fn tell(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A requirement that some machines do not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Root, to mount file systems and to become another user.
    Root,
    /// Permission to mount. Containers often refuse it to root.
    Mount,
    /// Another user who may run the program. A folder that only root may enter prevents it.
    Users,
    /// A program by name: `git`, `python3`, `tesseract`, `mkfs.ext4`.
    Program(&'static str),
    /// Python packages that load the formats of other tools.
    Loaders,
    /// The example data beside the checkout.
    Data,
    /// all-MiniLM-L6-v2, in the folder that `BENCHTOP_MINILM` names.
    MiniLm,
    /// A CUDA card.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    Gpu,
}

impl Need {
    fn word(self) -> &'static str {
        match self {
            Need::Root => "root",
            Need::Mount => "mount",
            Need::Users => "users",
            Need::Program(name) => name,
            Need::Loaders => "loaders",
            Need::Data => "data",
            Need::MiniLm => "minilm",
            Need::Gpu => "gpu",
        }
    }
}

/// Skips a test with a visible line. Fails if `BENCHTOP_REQUIRE` names the need: words between commas, or `all`.
pub fn skip(need: Need, why: &str) {
    let required = std::env::var("BENCHTOP_REQUIRE").unwrap_or_default();
    let named = required
        .split(',')
        .map(str::trim)
        .any(|word| word == "all" || word == need.word());
    assert!(
        !named,
        "BENCHTOP_REQUIRE names `{}`, which this machine lacks: {why}",
        need.word()
    );
    tell(&format!("skipped ({}): {why}", need.word()));
}

/// The path of the program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_benchtop");

/// How long a test waits for an event before it fails. Not a measurement.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The result of a command.
#[derive(Debug)]
pub struct Output {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Output {
    /// Standard output of a command that must succeed.
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// Standard output of a command that must succeed, as JSON lines.
    pub fn lines(self) -> Vec<Value> {
        json_lines(&self.ok())
    }

    /// The error of a command that must fail with this exit code.
    pub fn refused(self, code: i32) -> Refusal {
        assert_eq!(self.code, code, "{self:?}");
        Refusal::of(&self)
    }

    /// The error of a command with `--json` that must fail with this kind.
    pub fn refused_as(self, kind: ErrorKind) -> Refusal {
        let refusal = Refusal::of(&self);
        let code = if kind == ErrorKind::Usage { 2 } else { 1 };
        assert_eq!((refusal.kind, self.code), (Some(kind), code), "{self:?}");
        refusal
    }
}

/// True if one line of `text` has all of these names, ids, and numbers, each as a word of its own.
pub fn has_line(text: &str, data: &[&str]) -> bool {
    let all = |line: &&str| data.iter().all(|part| has_word(line, part));
    text.lines().any(|line| all(&line))
}

/// True if `word` is in `text` with no letter or digit right before or after it.
pub fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    })
}

pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

/// A project. Its owners end with it, also when the test fails.
pub struct Bench {
    root: PathBuf,
    _dir: Option<TempDir>,
}

impl Default for Bench {
    fn default() -> Self {
        Bench::new()
    }
}

impl Bench {
    /// An empty project.
    pub fn new() -> Bench {
        let dir = tempfile::tempdir().unwrap();
        let mut bench = Bench::init(dir.path().join("project"));
        bench._dir = Some(dir);
        bench
    }

    /// An empty project at `root`. The caller removes the folder.
    pub fn init(root: PathBuf) -> Bench {
        Project::init(&root).unwrap();
        Bench::at(root)
    }

    /// The project at `root`.
    pub fn at(root: PathBuf) -> Bench {
        Bench {
            root: root.canonicalize().unwrap(),
            _dir: None,
        }
    }

    /// A project with `items` questions.
    pub fn with_items(items: usize) -> Bench {
        let bench = Bench::new();
        bench.import_items("set", 0..items);
        bench
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn project(&self) -> Project {
        Project::open(&self.root).unwrap()
    }

    /// A file beside the project.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.beside(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The path of a file beside the project.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.root.parent().unwrap().join(name)
    }

    /// Writes `<dataset>.jsonl` beside the project.
    pub fn items_file(&self, dataset: &str, numbers: std::ops::Range<usize>) -> PathBuf {
        let text: String = numbers.map(|n| format!("{}\n", question(n))).collect();
        self.write(&format!("{dataset}.jsonl"), text)
    }

    pub fn import_items(&self, dataset: &str, numbers: std::ops::Range<usize>) {
        let file = self.items_file(dataset, numbers);
        self.run(["import", file.to_str().unwrap()]).ok();
    }

    /// The program with these arguments and this project.
    pub fn command<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).arg("--project").arg(&self.root);
        tame(&mut command);
        command.env("XDG_CONFIG_HOME", self.person());
        command
    }

    /// The configuration folder of the user who runs the commands. It is empty at first.
    pub fn person(&self) -> PathBuf {
        self.beside("person")
    }

    pub fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Output {
        run(&mut self.command(args), "")
    }

    /// Runs a command with `input` as its standard input.
    pub fn feed<'a>(&self, args: impl IntoIterator<Item = &'a str>, input: &str) -> Output {
        run(&mut self.command(args), input)
    }

    /// Starts an owner and waits for its line: `ready`, `owned`, or an error.
    pub fn start_owner(&self) -> Value {
        let mut child = self.spawn_owner();
        let readiness = readiness(&mut child);
        if readiness != "ready" {
            let _ = child.wait();
        }
        readiness
    }

    /// Starts an owner without waiting for it.
    pub fn spawn_owner(&self) -> Child {
        let mut command = self.command(["owner"]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command.spawn().unwrap()
    }

    /// A client of the owner. Starts an owner if there is none.
    pub fn client(&self, who: &str, on: impl FnMut(Incoming) + Send + 'static) -> Client {
        let on = Arc::new(Mutex::new(on));
        let mut attached = None;
        // An ending owner is still a process, but it hangs up or has no socket.
        wait_until("an owner", || {
            if owners(&self.root).is_empty() {
                self.start_owner();
            }
            let on = on.clone();
            let hear = move |incoming| (on.lock().unwrap())(incoming);
            attached = Client::attach(&self.project(), who, hear).ok().flatten();
            attached.is_some()
        });
        attached.unwrap()
    }

    /// The process id that the owner reports, or `None` without an owner.
    pub fn pid(&self) -> Option<u64> {
        self.status()["owner"]["pid"].as_u64()
    }

    pub fn status(&self) -> Value {
        self.run(["status", "--json"]).lines().remove(0)
    }

    /// The verdicts that count.
    pub fn verdicts(&self) -> Vec<Value> {
        self.run(["verdicts", "--json"]).lines()
    }

    pub fn items(&self) -> Vec<Value> {
        self.run(["items", "--json"]).lines()
    }

    /// Every line of every journal.
    pub fn journals(&self) -> Vec<Value> {
        let mut lines = Vec::new();
        for entry in std::fs::read_dir(self.root.join("sessions")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "jsonl") {
                lines.extend(whole_lines(&std::fs::read_to_string(path).unwrap()));
            }
        }
        lines
    }

    /// Ends the owner with SIGKILL, as a crash does.
    pub fn kill_owner(&self) {
        for pid in owners(&self.root) {
            kill(pid);
        }
        wait_until("the owner is dead", || owners(&self.root).is_empty());
    }

    /// Starts `decide` and leaves its standard input open.
    pub fn decider(&self, who: &str) -> Decider {
        Decider::new(self.command(["decide", "--as", who]))
    }

    /// Everything in the project folder except the index and the files of the running owner.
    pub fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        look(&self.root, &self.root, &mut found);
        found
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        for pid in owners(&self.root) {
            kill(pid);
        }
        let deadline = Instant::now() + Duration::from_secs(5);
        while !owners(&self.root).is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The complete lines of a journal.
fn whole_lines(text: &str) -> Vec<Value> {
    json_lines(text.rsplit_once('\n').map_or("", |(whole, _)| whole))
}

fn look(root: &Path, dir: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_path_buf();
        if name == Path::new("store") || name == Path::new(".owner") {
            continue;
        }
        let meta = path.symlink_metadata().unwrap();
        let mode = meta.permissions().mode();
        let what = if meta.is_dir() {
            look(root, &path, found);
            format!("folder {mode:o}")
        } else if meta.is_symlink() {
            format!("link {}", std::fs::read_link(&path).unwrap().display())
        } else {
            format!(
                "file {mode:o} {} {} {}",
                meta.uid(),
                meta.len(),
                blake3::hash(&std::fs::read(&path).unwrap())
            )
        };
        found.insert(name, what);
    }
}

/// Sets no colors, a short idle time, and an environment that names nobody.
pub fn tame(command: &mut Command) {
    command
        .env("BENCHTOP_IDLE_SECONDS", "20")
        .env("NO_COLOR", "1")
        .env_remove("BENCHTOP_AS")
        .env("USER", "tester");
    command.env(
        "XDG_CONFIG_HOME",
        std::env::temp_dir().join(format!("benchtop-tests-{}", std::process::id())),
    );
}

/// Runs a command to its end.
pub fn run(command: &mut Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_string();
    let feeding = std::thread::spawn(move || {
        // The program may close its standard input early.
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    feeding.join().unwrap();
    Output {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The line that a starting owner prints.
pub fn readiness(child: &mut Child) -> Value {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    serde_json::from_str(&line).unwrap_or(Value::Null)
}

/// The live owners of the project at `root`, from the process table.
pub fn owners(root: &Path) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse().ok()) else {
            continue;
        };
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else {
            continue;
        };
        let args: Vec<&[u8]> = line.split(|b| *b == 0).collect();
        let here = args.contains(&root.as_os_str().as_encoded_bytes())
            && args.contains(&b"owner".as_slice());
        if here && !is_dead(pid) {
            found.push(pid);
        }
    }
    found
}

/// True if a process is gone or a zombie.
pub fn is_dead(pid: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat
            .rsplit(") ")
            .next()
            .is_some_and(|rest| rest.starts_with(['Z', 'X'])),
        Err(_) => true,
    }
}

pub fn kill(pid: u32) {
    if let Some(pid) = Pid::from_raw(pid as i32) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Waits until `done` returns true. A check that runs a command takes at most half of a processor, because the others are
/// for what the test waits for.
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let began = Instant::now();
        if done() {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "{what}: waited {PATIENCE:?} in vain"
        );
        let (least, most) = (Duration::from_millis(2), Duration::from_millis(50));
        std::thread::sleep(began.elapsed().clamp(least, most));
    }
}

/// Question `n` in Dysca's format.
pub fn question(n: usize) -> Value {
    json!({
        "id": n, "images": [format!("{}.png", n % 7)], "prompt": format!("a picture of thing {n}"),
        "question": format!("Which is number {n}?"), "answer": "this", "question_type": "multi choice",
        "task": "recognition", "options": ["this", "that"], "question_majority": (["animal", "plant"])[n % 2],
    })
}

/// `count` composed questions as JSON lines: the shipped metadata, the balanced plan, and `seed`.
pub fn composed(count: u64, seed: u64) -> String {
    let metadata = Metadata::parse(benchtop::model::metafile::shipped());
    let grammar = Arc::new(CompiledMetadata::compile(&metadata).0);
    let course = Arc::new(Schedule::new(&grammar, &Plan::balanced(&grammar, count)).unwrap());
    let mut composer = Composer::new(grammar, course, seed);
    (0..count)
        .map(|n| serde_json::to_string(&composer.question(n).unwrap()).unwrap() + "\n")
        .collect()
}

/// A verdict as an input line of `decide`.
pub fn verdict(uuid: uuid::Uuid, number: usize, verdict: &str) -> String {
    json!({"item": number, "verdict": verdict, "uuid": uuid}).to_string()
}

/// `decide` with its standard input open.
pub struct Decider {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<Value>,
}

impl Decider {
    pub fn new(mut command: Command) -> Decider {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let out = child.stdout.take().unwrap();
        let (send, lines) = mpsc::channel();
        std::thread::spawn(move || {
            // A line cut short by a kill was never printed.
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let Ok(value) = serde_json::from_str(&line) else {
                    break;
                };
                if send.send(value).is_err() {
                    break;
                }
            }
        });
        Decider {
            stdin: child.stdin.take(),
            child,
            lines,
        }
    }

    /// Sends a line. Returns false if the process no longer reads.
    pub fn send(&mut self, line: &str) -> bool {
        self.stdin
            .as_mut()
            .is_some_and(|stdin| writeln!(stdin, "{line}").is_ok())
    }

    /// The next receipt.
    pub fn receipt(&self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("a receipt")
    }

    /// Closes standard input, waits for the end, and returns the remaining receipts.
    pub fn finish(mut self) -> Vec<Value> {
        drop(self.stdin.take());
        let _ = self.child.wait();
        self.lines.iter().collect()
    }
}

/// A pseudo-random number below `n` that depends only on its arguments (SplitMix64).
pub fn dice(seed: u64, n: u64) -> u64 {
    let mut z = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0x1234_5678_9abc_def1);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % n
}

/// The number of rounds of a random test: `BENCHTOP_TORTURE`, or `usual`.
pub fn rounds(usual: u64) -> u64 {
    std::env::var("BENCHTOP_TORTURE")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(usual)
}

/// Whether a random test makes round `n`: at least `usual` rounds, and up to four times as many until what they hit is
/// spread. A slow machine hits the same place more often.
pub fn goes_on(n: u64, usual: u64, is_spread: bool) -> bool {
    n < rounds(usual) || (!is_spread && n < 4 * rounds(usual))
}

/// True if the tests run as root.
pub fn root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A mounted file system. Dropping it unmounts.
pub struct Mount {
    pub at: PathBuf,
}

impl Mount {
    /// Runs `mount` with these arguments and the folder `at`. Skips the test if that is not possible.
    pub fn new(args: &[&str], at: &Path) -> Option<Mount> {
        std::fs::create_dir_all(at).unwrap();
        let done = Command::new("mount").args(args).arg(at).output();
        match done {
            Ok(output) if output.status.success() => Some(Mount {
                at: at.to_path_buf(),
            }),
            Ok(output) => {
                skip(
                    Need::Mount,
                    &format!(
                        "mount {}: {}",
                        args.join(" "),
                        String::from_utf8_lossy(&output.stderr).trim()
                    ),
                );
                None
            }
            Err(error) => {
                skip(Need::Mount, &format!("mount: {error}"));
                None
            }
        }
    }
}

impl Mount {
    /// Unmounts completely. Threads of a killed process may hold files for a moment after the process is dead, and a
    /// file system with open files would be reused by the next mount.
    pub fn unmount(self) {
        wait_until("the file system is free", || {
            Command::new("umount")
                .arg(&self.at)
                .output()
                .is_ok_and(|o| o.status.success())
        });
        std::mem::forget(self);
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily, because a dying process may still hold the folder.
        let _ = Command::new("umount").arg("-l").arg(&self.at).output();
    }
}
