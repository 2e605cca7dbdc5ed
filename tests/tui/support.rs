//! Keys in, screen out: the real event loop on a thread, against a real owner process, writing to a terminal that
//! lives in memory.
//!
//! Waits poll until [`PATIENCE`] is over. Nothing sleeps for a fixed time.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use benchtop::cli::TerminalCommands;
use benchtop::files::project::Project;
use benchtop::model::import::ImportRequest as ImportAsk;
use benchtop::model::{
    Choice, ColorLevel, Decision, Form, ImageRef, Item, Key, QuestionKind, Result, Role,
};
use benchtop::protocol::Client;
use benchtop::protocol::wire::request;
use benchtop::store::journal;
use benchtop::tui::app::connection::Connection;
use benchtop::tui::app::message::Message;
use benchtop::tui::app::{App, Setting};
use benchtop::tui::keymap::{self, file::Loaded};
use benchtop::tui::program::{Host, Program};
use benchtop::tui::terminal::probe::WindowSize;
use benchtop::tui::terminal::signals::Signal;
use benchtop::tui::terminal::{Capabilities, Clock, Input, Parser, Reply};
use benchtop::tui::theme::{Look, Theme};
use benchtop::tui::user_settings::PixelMode;

use crate::support::{has_line, wording};

/// How long a test waits for an event before it fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The program under test.
pub const BENCHTOP: &str = env!("CARGO_BIN_EXE_benchtop");

/// A project in a temporary folder, with its owner running.
pub struct Bench {
    _dir: tempfile::TempDir,
    root: PathBuf,
    owner: Mutex<Option<Child>>,
}

impl Bench {
    /// A project named `kites` without items.
    pub fn empty() -> Bench {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("kites");
        Project::init(&root).unwrap();
        let bench = Bench {
            _dir: dir,
            root,
            owner: Mutex::new(None),
        };
        bench.start_owner();
        bench
    }

    /// A project with the sample.
    pub fn sample() -> Bench {
        let bench = Bench::empty();
        bench
            .client("script")
            .ask(request::Sample { items_only: true })
            .unwrap();
        bench
    }

    /// A project with these items. `pictures` are names and bytes of files beside the imported file.
    pub fn of(items: &[Item], pictures: &[(&str, &[u8])]) -> Bench {
        let bench = Bench::empty();
        let folder = bench.root.parent().unwrap().join("source");
        std::fs::create_dir(&folder).unwrap();
        for (name, bytes) in pictures {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        let lines: Vec<String> = items
            .iter()
            .map(|item| serde_json::to_string(item).unwrap() + "\n")
            .collect();
        std::fs::write(folder.join("items.jsonl"), lines.concat()).unwrap();
        bench.import(&folder.join("items.jsonl"));
        bench
    }

    /// A project with `n` questions without pictures.
    pub fn plain(n: i64) -> Bench {
        Bench::of(&(1..=n).map(question).collect::<Vec<_>>(), &[])
    }

    /// Imports a file or folder.
    pub fn import(&self, path: &Path) {
        let ask = ImportAsk {
            paths: vec![path.to_path_buf()],
            keep_going: true,
            ..ImportAsk::default()
        };
        self.client("script").ask(request::Import(ask)).unwrap();
    }

    pub fn project(&self) -> Project {
        Project::open(&self.root).unwrap()
    }

    /// The configuration folder of the user at the terminal.
    pub fn person(&self) -> PathBuf {
        self.root.with_file_name("person")
    }

    /// Starts an owner and waits until it listens.
    pub fn start_owner(&self) {
        let mut child = Command::new(BENCHTOP)
            .args(["owner", "--project"])
            .arg(&self.root)
            .env("BENCHTOP_IDLE_SECONDS", "60")
            .env("XDG_CONFIG_HOME", self.person())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(line.contains("ready"), "the owner said {line:?}");
        *self.owner.lock().unwrap() = Some(child);
    }

    /// kill -9.
    pub fn kill_owner(&self) {
        if let Some(mut owner) = self.owner.lock().unwrap().take() {
            owner.kill().unwrap();
            owner.wait().unwrap();
        }
    }

    /// Waits until the owner ends by itself.
    pub fn await_owner_end(&self) {
        let mut owner = self.owner.lock().unwrap().take().unwrap();
        let until = Instant::now() + PATIENCE;
        while owner.try_wait().unwrap().is_none() {
            assert!(Instant::now() < until, "the owner does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Stops the owner where it stands, so that it answers nobody.
    pub fn freeze_owner(&self) {
        self.signal_owner(rustix::process::Signal::STOP);
        // The signal is on its way when it is sent: a thread that still runs could answer.
        let pid = self.owner.lock().unwrap().as_ref().unwrap().id();
        let until = Instant::now() + PATIENCE;
        while !is_stopped(pid) {
            assert!(Instant::now() < until, "the owner does not stop");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Lets it go on.
    pub fn thaw_owner(&self) {
        self.signal_owner(rustix::process::Signal::CONT);
    }

    fn signal_owner(&self, signal: rustix::process::Signal) {
        let pid = self.owner.lock().unwrap().as_ref().unwrap().id();
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// `benchtop stop`.
    pub fn stop_owner(&self) {
        let mut command = Command::new(BENCHTOP);
        command
            .args(["stop", "--project"])
            .arg(&self.root)
            .env("XDG_CONFIG_HOME", self.person());
        let done = command.output().unwrap();
        assert!(done.status.success(), "{done:?}");
        if let Some(mut owner) = self.owner.lock().unwrap().take() {
            owner.wait().unwrap();
        }
    }

    pub fn client(&self, who: &str) -> Client {
        Client::connect(&self.project(), who, |_| ()).unwrap()
    }

    /// Waits until the owner remembers that `who` is at item `number`: it takes note of it after it has said so.
    pub fn wait_place(&self, who: &str, number: u32) {
        let until = Instant::now() + PATIENCE;
        while self.client(who).welcome().place.as_ref().map(|p| p.number) != Some(number) {
            assert!(Instant::now() < until, "the place was not remembered");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What stands in `sessions/WHO.jsonl`.
    pub fn journal(&self, who: &str) -> Vec<Decision> {
        let path = self.project().sessions().join(format!("{who}.jsonl"));
        let until = Instant::now() + PATIENCE;
        loop {
            let reading = journal::read(&path).unwrap();
            // The owner may be writing a line.
            if !reading.torn || Instant::now() > until {
                assert!(reading.problems.is_empty() && !reading.torn, "{reading:?}");
                return reading.decisions;
            }
        }
    }

    /// The verdicts in `sessions/WHO.jsonl` as `item key: verdict`, undos and redos as such.
    pub fn verdicts(&self, who: &str) -> Vec<String> {
        use benchtop::model::Act;
        let said = |d: Decision| match d.act {
            Act::Judge(j) => format!(
                "{} {}",
                d.item.rsplit('/').next().unwrap(),
                j.verdict.name()
            ),
            Act::Undo(_) => format!("{} undo", d.item.rsplit('/').next().unwrap()),
            Act::Redo(_) => format!("{} redo", d.item.rsplit('/').next().unwrap()),
            Act::Comment(_) => format!("{} comment", d.item.rsplit('/').next().unwrap()),
        };
        self.journal(who).into_iter().map(said).collect()
    }

    /// Sits somebody down at it, on a terminal of 120 by 40 that answers at once.
    pub fn seat(&self, who: &str) -> Seat {
        self.seat_at(who, Terminal::default())
    }

    pub fn seat_at(&self, who: &str, terminal: Terminal) -> Seat {
        Seat::beside(self.project(), who, terminal)
    }
}

/// True if every thread of a process is stopped.
fn is_stopped(pid: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let mut states = threads.filter_map(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).ok()?;
        stat.rsplit(") ").next()?.chars().next()
    });
    states.all(|state| state == 'T')
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.kill_owner();
    }
}

/// Question `n`, without a picture: `Is kite N red?`
pub fn question(n: i64) -> Item {
    let side = |text: &str, role| Choice {
        text: text.into(),
        role,
    };
    Item {
        id: format!("kites/{n}"),
        dataset: "kites".into(),
        key: Key::Int(n),
        form: Form::Plain,
        images: Vec::new(),
        prompt: Some(format!("a photo of kite {n}, seen from below")),
        negative_prompt: None,
        instruction: None,
        question: format!("Is kite {n} red?"),
        kind: QuestionKind::TrueFalse,
        options: vec![side("True", Role::Correct), side("False", Role::Distractor)],
        answer: "True".into(),
        task: None,
        subtask: Some(if n % 2 == 0 { "even" } else { "odd" }.into()),
        granularity: None,
        level: None,
        style: None,
        pair: None,
        rotation: None,
        provenance: None,
        derivation: None,
        variant: None,
        edited: None,
        extra: serde_json::Map::new(),
    }
}

/// Question `n` about the picture of that name.
pub fn pictured(n: i64, name: &str) -> Item {
    let image = ImageRef {
        name: name.into(),
        ..ImageRef::default()
    };
    Item {
        images: vec![image],
        ..question(n)
    }
}

/// How a terminal answers the status query after each new item.
#[derive(Clone, Copy, Debug)]
pub enum Answers {
    /// At once.
    AtOnce,
    /// After this time, as over a slow line.
    After(Duration),
    /// When the test calls [`Seat::answer`].
    WhenTold,
    /// Never.
    Never,
    /// At once, except that the first answers are lost.
    Losing(u32),
}

/// Settings of a simulated terminal.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    pub size: (u16, u16),
    pub answers: Answers,
    pub level: ColorLevel,
    pub theme: &'static str,
    pub accessible: bool,
    pub ascii: bool,
    /// The content of the user's key file.
    pub keys: &'static str,
    /// Whether the mouse is on from the start.
    pub mouse: bool,
    /// Whether to stay at Home. Otherwise the annotator goes on to the review.
    pub stays_home: bool,
}

impl Terminal {
    pub const DEFAULT: Terminal = Terminal {
        size: (120, 40),
        answers: Answers::AtOnce,
        level: ColorLevel::True,
        theme: "dark",
        accessible: false,
        ascii: false,
        keys: "",
        mouse: false,
        stays_home: false,
    };
}

impl Default for Terminal {
    fn default() -> Terminal {
        Terminal::DEFAULT
    }
}

struct Glass {
    parser: vt100::Parser,
    raw: Vec<u8>,
    /// Bytes of `raw` looked through for questions.
    asked: usize,
    answers: Answers,
    held: Vec<Reply>,
    messages: Sender<Message>,
    clock: Clock,
}

impl Glass {
    fn answer(&mut self) {
        let questions: [(&[u8], Reply); 2] = [
            (b"\x1b[5n", Reply::Status),
            (b"\x1b[c", Reply::DeviceAttributes(vec![62, 22])),
        ];
        loop {
            let rest = &self.raw[self.asked..];
            let found = questions.iter().filter_map(|(question, reply)| {
                let at = memchr::memmem::find(rest, question)?;
                Some((at, question.len(), reply.clone()))
            });
            let Some((at, length, reply)) = found.min_by_key(|(at, ..)| *at) else {
                self.asked = self.raw.len().saturating_sub(3).max(self.asked);
                return;
            };
            self.asked += at + length;
            match self.answers {
                Answers::AtOnce | Answers::Losing(0) => self.send(reply),
                Answers::Losing(n) => self.answers = Answers::Losing(n - 1),
                Answers::WhenTold => self.held.push(reply),
                Answers::Never => {}
                Answers::After(delay) => {
                    let (messages, clock) = (self.messages.clone(), self.clock);
                    std::thread::spawn(move || {
                        std::thread::sleep(delay);
                        let _ = messages.send(Message::Input(Input::Reply(reply), clock.ms()));
                    });
                }
            }
        }
    }

    fn send(&self, reply: Reply) {
        let _ = self
            .messages
            .send(Message::Input(Input::Reply(reply), self.clock.ms()));
    }
}

/// The in-memory terminal that the program writes to.
#[derive(Clone)]
struct Screen(Arc<(Mutex<Glass>, Condvar)>);

impl Screen {
    fn glass(&self) -> MutexGuard<'_, Glass> {
        self.0.0.lock().unwrap()
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut glass = self.glass();
        glass.parser.process(bytes);
        glass.raw.extend_from_slice(bytes);
        // Queue the answer before a test can see the frame.
        glass.answer();
        drop(glass);
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The size of the window, and whether the mouse was turned on last.
#[derive(Clone)]
struct Window(Arc<Mutex<(WindowSize, Option<bool>)>>);

impl Host for Window {
    fn size(&self) -> WindowSize {
        self.0.lock().unwrap().0
    }

    fn mouse(&self, is_on: bool) -> io::Result<()> {
        self.0.lock().unwrap().1 = Some(is_on);
        Ok(())
    }

    fn theme(&self, name: &str) -> Result<Look> {
        Ok(Look::new(&Theme::shipped(name)?, ColorLevel::True, false))
    }

    fn edit(&self, file: &std::path::Path, _line: u32) -> std::io::Result<()> {
        // An editor that adds a term at the end.
        let mut text = std::fs::read_to_string(file)?;
        text.push_str("aardvark\n");
        std::fs::write(file, text)
    }

    fn suspend(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A cell of a picture: column and row, and the colors of its halves.
struct HalfBlock {
    at: (u16, u16),
    colors: [(u8, u8, u8); 2],
}

/// An annotator at a terminal.
pub struct Seat {
    screen: Screen,
    window: Window,
    messages: Sender<Message>,
    clock: Clock,
    parser: Parser,
    /// When the last keys were typed.
    typed_at: u64,
    program: Option<JoinHandle<Result<()>>>,
}

impl Seat {
    /// An annotator at a terminal, in a project with a running owner.
    pub fn beside(project: Project, who: &str, terminal: Terminal) -> Seat {
        let (messages, inbox) = channel();
        let clock = Clock::start();
        let (width, height) = terminal.size;
        let glass = Glass {
            parser: vt100::Parser::new(height, width, 0),
            raw: Vec::new(),
            asked: 0,
            answers: terminal.answers,
            held: Vec::new(),
            messages: messages.clone(),
            clock,
        };
        let screen = Screen(Arc::new((Mutex::new(glass), Condvar::new())));
        let size = WindowSize {
            cells: terminal.size,
            pixels: (0, 0),
        };
        let window = Window(Arc::new(Mutex::new((size, None))));
        let who = who.to_string();
        let (out, send, host) = (screen.clone(), messages.clone(), window.clone());
        let work = move || {
            let commands = Arc::new(TerminalCommands::new(&project, &who, None));
            let mut link = Connection::new(project, who, send.clone());
            let welcome = link.connect()?.welcome().clone();
            let theme = Theme::shipped(terminal.theme)?;
            let setting = Setting {
                capabilities: Capabilities {
                    answers: true,
                    ..Capabilities::default()
                },
                level: terminal.level,
                look: Look::new(&theme, terminal.level, terminal.accessible),
                ascii: terminal.ascii,
                themes: ["auto", "dark", "light", "mono"].map(String::from).into(),
                clock,
                columns: width,
                rows: height,
                pixels: PixelMode::Auto,
                mouse: terminal.mouse,
            };
            let mut app = App::new(setting, link, welcome, send, commands)?;
            if !terminal.keys.is_empty() {
                let file = Path::new("keys.toml");
                let read = keymap::file::read(terminal.keys, file, Some(&app.known()));
                app.on_keys(read.map(|(keymap, notes)| Loaded {
                    keymap,
                    file: Some(file.into()),
                    notes,
                }));
            }
            Program::new(app, out, size, clock, inbox, None)?.run(&host)
        };
        let mut seat = Seat {
            screen,
            window,
            messages,
            clock,
            parser: Parser::default(),
            typed_at: 0,
            program: None,
        };
        // Typed before the first reply can come.
        if !terminal.stays_home {
            seat.keys("gr");
        }
        let program = std::thread::Builder::new().name("program".into());
        seat.program = Some(program.spawn(work).unwrap());
        seat
    }

    /// Types: characters as they are, `<enter>`, `<esc>`, `<tab>`, `<home>`, `<end>`, `<up>`, `<down>`, `<left>`,
    /// `<right>`, `<pgup>`, `<pgdn>`, `<backspace>`, `<ctrl-x>` for the rest. All of it arrives at once.
    pub fn keys(&mut self, keys: &str) {
        self.typed_at = self.clock.ms();
        self.keys_on(keys);
    }

    /// Types as if no time had passed since the last keys.
    pub fn keys_on(&mut self, keys: &str) {
        let now = self.typed_at;
        let mut rest = keys;
        while !rest.is_empty() {
            let named = rest.strip_prefix('<').and_then(|r| r.split_once('>'));
            let (bytes, left) = match named.map(|(name, left)| (bytes_of(name), left)) {
                Some((Some(bytes), left)) => (bytes, left),
                _ => {
                    let at = rest.chars().next().unwrap().len_utf8();
                    (rest.as_bytes()[..at].to_vec(), &rest[at..])
                }
            };
            let mut inputs = self.parser.push(&bytes, now);
            if bytes == b"\x1b" {
                inputs.extend(self.parser.timeout(now + 1_000));
            }
            for input in inputs {
                self.messages.send(Message::Input(input, now)).unwrap();
            }
            rest = left;
        }
    }

    /// Pastes text, as a terminal does with a dropped file.
    pub fn paste(&self, text: &str) {
        let input = Input::Paste(text.to_string());
        self.send(Message::Input(input, self.clock.ms()));
    }

    /// Sends a mouse report: the button of SGR mode, column and row from 0, and `M` or `m`.
    pub fn mouse(&mut self, button: u8, (column, row): (u16, u16), last: char) {
        let report = format!("\x1b[<{button};{};{}{last}", column + 1, row + 1);
        let now = self.clock.ms();
        for input in self.parser.push(report.as_bytes(), now) {
            self.send(Message::Input(input, now));
        }
    }

    /// Clicks with the left button.
    pub fn click(&mut self, at: (u16, u16)) {
        self.mouse(0, at, 'M');
        self.mouse(0, at, 'm');
    }

    /// Where a text begins on the screen: column and row.
    pub fn find(&self, wanted: &str) -> (u16, u16) {
        let shown = self.wait_for(wanted);
        let mut lines = shown.lines().zip(0..);
        let place = lines.find_map(|(line, row)| {
            let before = line.split_once(wanted)?.0;
            Some((u16::try_from(before.chars().count()).unwrap(), row))
        });
        place.unwrap()
    }

    /// Clicks on the first letter of a text.
    pub fn click_on(&mut self, wanted: &str) {
        let at = self.find(wanted);
        self.click(at);
    }

    /// The cells that show pictures as half blocks: left, top, right, and bottom, the latter two not
    /// included.
    pub fn picture_cells(&self) -> (u16, u16, u16, u16) {
        let cells: Vec<(u16, u16)> = self
            .half_blocks()
            .into_iter()
            .map(|block| block.at)
            .collect();
        let (columns, rows) = (cells.iter().map(|at| at.0), cells.iter().map(|at| at.1));
        (
            columns.clone().min().unwrap(),
            rows.clone().min().unwrap(),
            columns.max().unwrap() + 1,
            rows.max().unwrap() + 1,
        )
    }

    /// The colors of the pictures on the screen.
    pub fn picture_colors(&self) -> std::collections::BTreeSet<(u8, u8, u8)> {
        let blocks = self.half_blocks();
        blocks.into_iter().flat_map(|block| block.colors).collect()
    }

    fn half_blocks(&self) -> Vec<HalfBlock> {
        let glass = self.screen.glass();
        let screen = glass.parser.screen();
        let (rows, columns) = screen.size();
        let places = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
        let found = places.filter_map(|(x, y)| {
            let cell = screen.cell(y, x).filter(|cell| cell.contents() == "▀")?;
            let color = |color| match color {
                vt100::Color::Rgb(r, g, b) => Some((r, g, b)),
                _ => None,
            };
            Some(HalfBlock {
                at: (x, y),
                colors: [color(cell.fgcolor())?, color(cell.bgcolor())?],
            })
        });
        found.collect()
    }

    /// Whether the program last turned the mouse on or off.
    pub fn mouse_switch(&self) -> Option<bool> {
        self.window.0.lock().unwrap().1
    }

    /// Waits until a menu takes enter again after a number key.
    pub fn rest(&self) {
        std::thread::sleep(std::time::Duration::from_millis(500));
    }

    /// Sends the program a message that is not a key.
    pub fn send(&self, message: Message) {
        self.messages.send(message).unwrap();
    }

    /// Sends the held answers of the terminal.
    pub fn answer(&self) {
        let mut glass = self.screen.glass();
        for reply in std::mem::take(&mut glass.held) {
            glass.send(reply);
        }
    }

    /// The screen as text, one line for each row.
    pub fn text(&self) -> String {
        text(&self.screen.glass())
    }

    /// All bytes that the program wrote.
    pub fn raw(&self) -> Vec<u8> {
        self.screen.glass().raw.clone()
    }

    /// The number of bytes that the program wrote.
    pub fn bytes(&self) -> usize {
        self.screen.glass().raw.len()
    }

    /// Waits until `is` returns true for the text of the screen.
    pub fn wait_until(&self, what: &str, mut is: impl FnMut(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        let mut glass = self.screen.glass();
        loop {
            let shown = text(&glass);
            if is(&shown) {
                return shown;
            }
            let over = self.program.as_ref().is_none_or(JoinHandle::is_finished);
            assert!(
                Instant::now() < until && !over,
                "waited for {what} (program over: {over}); the screen:\n{shown}"
            );
            glass = self
                .screen
                .0
                .1
                .wait_timeout(glass, Duration::from_millis(50))
                .unwrap()
                .0;
        }
    }

    /// Waits until the screen no longer changes.
    pub fn settled(&self) -> String {
        let mut last = String::new();
        self.wait_until("a screen that stays", |now| {
            let stays = now == last;
            last = now.to_string();
            stays
        })
    }

    /// Waits for a text on the screen.
    pub fn wait_for(&self, wanted: &str) -> String {
        self.wait_until(wanted, |shown| shown.contains(wanted))
    }

    /// Waits for a row of the screen that has all of these names, ids, and numbers.
    pub fn wait_row(&self, data: &[&str]) -> String {
        self.wait_until(&format!("{data:?} in a row"), |shown| has_line(shown, data))
    }

    /// Waits until a text is no longer on the screen.
    pub fn wait_gone(&self, unwanted: &str) -> String {
        self.wait_until(&format!("{unwanted} to go"), |shown| {
            !shown.contains(unwanted)
        })
    }

    /// Waits until item `n` is on the screen with its picture.
    pub fn on(&self, n: u32) -> String {
        let mark = format!("#{n}  ");
        self.wait_until(&format!("item {n}"), |shown| {
            shown.contains(&mark) && !shown.contains("loading")
        })
    }

    /// Waits for an item to be judged, other than `before`, and returns its number.
    pub fn item(&self, before: Option<u32>) -> u32 {
        let shown = self.wait_until("an item to judge", |shown| {
            let number = to_judge(shown);
            number.is_some() && number != before && !shown.contains("loading")
        });
        to_judge(&shown).unwrap()
    }

    /// Waits for item `n`, presses keys, and waits for the receipt.
    pub fn judge(&mut self, n: u32, keys: &str) {
        self.on(n);
        self.keys(keys);
        self.wait_for(&format!("#{n} saved"));
    }

    /// Resizes the window.
    pub fn resize(&self, width: u16, height: u16) {
        self.window.0.lock().unwrap().0 = WindowSize {
            cells: (width, height),
            pixels: (0, 0),
        };
        self.screen
            .glass()
            .parser
            .screen_mut()
            .set_size(height, width);
        self.send(Message::Signal(Signal::Resized));
    }

    /// Presses these keys and waits for a normal end of the program.
    pub fn leave(mut self, keys: &str) {
        self.keys(keys);
        let until = Instant::now() + PATIENCE;
        while self.program.as_ref().is_some_and(|p| !p.is_finished()) {
            assert!(
                Instant::now() < until,
                "it does not end; the screen:\n{}",
                self.text()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        self.program.take().unwrap().join().unwrap().unwrap();
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::HungUp);
        if let Some(program) = self.program.take() {
            let ended = program.join();
            if !std::thread::panicking() {
                ended.unwrap().unwrap();
            }
        }
    }
}

/// The number of the item on the screen that has no verdict yet.
pub fn to_judge(shown: &str) -> Option<u32> {
    let line = shown.lines().find(|l| l.contains(wording::TO_JUDGE))?;
    line.split('#').nth(1)?.split("  ").next()?.parse().ok()
}

/// Compares the pane on the screen with the committed picture `name_WIDTHxHEIGHT`, without the tab row, the status
/// line, and the key bar. `INSTA_UPDATE=always` rewrites the pictures.
pub fn snapshot(name: &str, size: (u16, u16), shown: &str) {
    let rows: Vec<&str> = shown.lines().collect();
    let pane = &rows[1..usize::from(size.1) - 2];
    compare(name, size, &folded(pane));
}

/// Compares the whole screen, for the frame around the panes.
pub fn screen_snapshot(name: &str, size: (u16, u16), shown: &str) {
    compare(name, size, &folded(&shown.lines().collect::<Vec<_>>()));
}

fn compare(name: &str, (width, height): (u16, u16), picture: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), picture);
    });
}

/// The rows with equal ones, such as those of a picture, written once with their count.
fn folded(rows: &[&str]) -> String {
    let mut out = String::new();
    for equal in rows.chunk_by(|a, b| a == b) {
        out += equal[0];
        out += "\n";
        if equal.len() > 1 {
            out += &format!("⋮ {} rows\n", equal.len());
        }
    }
    out
}

fn text(glass: &Glass) -> String {
    let screen = glass.parser.screen();
    let rows: Vec<String> = screen
        .rows(0, screen.size().1)
        .map(|row| row.trim_end().to_string())
        .collect();
    rows.join("\n")
}

fn bytes_of(name: &str) -> Option<Vec<u8>> {
    let sequence: &[u8] = match name {
        "enter" => b"\r",
        "esc" => b"\x1b",
        "tab" => b"\t",
        "backspace" => b"\x7f",
        "home" => b"\x1b[H",
        "end" => b"\x1b[F",
        "up" => b"\x1b[A",
        "down" => b"\x1b[B",
        "right" => b"\x1b[C",
        "left" => b"\x1b[D",
        "pgup" => b"\x1b[5~",
        "pgdn" => b"\x1b[6~",
        "f9" => b"\x1b[20~",
        "shift-left" => b"\x1b[1;2D",
        _ => {
            let letter = name.strip_prefix("ctrl-")?.bytes().next()?;
            return Some(vec![letter & 0x1f]);
        }
    };
    Some(sequence.to_vec())
}
