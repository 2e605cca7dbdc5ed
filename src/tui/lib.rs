//! Floor 5: the terminal program.
//!
//! Panes hold state and turn [`action::Action`]s into effects; they do no I/O. [`app`] carries them
//! out, [`program`] is the event loop, and [`terminal`] is the only code that accesses the tty.
//!
//! | module | contents |
//! |---|---|
//! | [`action`] | the table of all actions |
//! | [`app`] | the program without a terminal: state, keys, replies, and drawing |
//! | `editor` | opens the person's editor on a file at a line |
//! | `folder` | lists a folder of the user |
//! | [`hits`] | where a frame reacts to the mouse |
//! | [`item`] | an item and its pictures, as panes show them |
//! | [`keymap`] | key bindings |
//! | [`pane`] | what every pane implements, and what it may ask of the program |
//! | [`palette`] | color arithmetic for themes and pictures |
//! | [`panes`] | the screens that the tabs lead to |
//! | [`preview`] | picture files as something that a pane can show, in the background |
//! | [`program`] | the event loop |
//! | [`terminal`] | the only code that accesses the tty |
//! | [`theme`] | colors and text attributes by role |
//! | [`user_settings`] | the `settings.toml` of a person |
//! | [`widgets`] | building blocks of panes |

pub mod action;
pub mod app;
mod editor;
mod folder;
pub mod hits;
pub mod item;
pub mod keymap;
pub mod palette;
pub mod pane;
pub mod panes;
pub mod preview;
pub mod program;
pub mod terminal;
pub mod theme;
pub mod user_settings;
pub mod widgets;

use std::cell::RefCell;
use std::io::{IsTerminal, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use app::connection::Connection;
use app::message::Message;
use app::{App, Setting};
use program::{Host, Program};
use terminal::background::Background;
use terminal::guard::{Guard, end_at_once};
use terminal::probe::{WindowSize, ask_around_tmux, probe};
use terminal::reader::{Event, Reader};
use terminal::signals::{Signal, Signals};
use terminal::{Clock, ColorLevel, Env, Parser, color, environment, locale};
use theme::{Look, Theme};
use user_settings::Settings;

use benchtop_files::project::Project;
use benchtop_model::{Error, Result};

/// Environment variable that names a file to touch after the first frame (for screenshots).
const READY_FILE: &str = "BENCHTOP_READY_FILE";

/// Exit code after a hang-up: 128 plus the signal number.
const HANGUP_CODE: i32 = 129;

struct RealTerminal<'a> {
    guard: &'a Guard,
    /// `None` while another program reads the keys.
    reader: RefCell<Option<Reader>>,
    clock: Clock,
    messages: Sender<Message>,
    env: &'a Env,
    level: ColorLevel,
    background: Option<Background>,
}

impl Host for RealTerminal<'_> {
    fn size(&self) -> WindowSize {
        window_size()
    }

    fn suspend(&self) -> std::io::Result<()> {
        self.guard.suspend()
    }

    fn mouse(&self, is_on: bool) -> std::io::Result<()> {
        self.guard.set_mouse(is_on)
    }

    fn theme(&self, name: &str) -> Result<Look> {
        user_settings::set_theme(self.env, name)?;
        let settings = Settings::load(self.env)?;
        look_of(
            &settings,
            settings.background(self.background),
            self.level,
            self.env,
        )
    }

    fn edit(&self, file: &Path, line: u32) -> std::io::Result<()> {
        let parser = self
            .reader
            .borrow_mut()
            .take()
            .map(Reader::stop)
            .unwrap_or_default();
        self.guard.release();
        let ended = editor::run(file, line);
        let resumed = self.guard.resume();
        let reader = read_keys(parser, self.clock, self.messages.clone())
            .map_err(|p| std::io::Error::other(p.what))?;
        *self.reader.borrow_mut() = Some(reader);
        resumed.and(ended)
    }
}

fn window_size() -> WindowSize {
    let size = WindowSize::of(stdout()).unwrap_or_default();
    if size.cells.0 > 0 && size.cells.1 > 0 {
        size
    } else {
        WindowSize {
            cells: (80, 24),
            pixels: (0, 0),
        }
    }
}

/// Opens the project in this terminal as annotator `who`. `color` overrides the detected color
/// level. `commands` runs commands beside the program.
///
/// # Errors
///
/// If there is no terminal, the owner cannot be reached, or the terminal goes away.
pub fn run(
    project: &Project,
    who: &str,
    color: Option<ColorLevel>,
    commands: Arc<dyn pane::Commands>,
) -> Result<()> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(Error::usage("benchtop needs a terminal").help(
            "use `benchtop items --json` and `benchtop decide` in scripts; see `benchtop --help`",
        ));
    }
    let clock = Clock::start();
    let (messages, inbox) = channel();
    // Connect before taking over the screen, so that connection errors stay readable.
    let mut link = Connection::new(project.clone(), who.to_string(), messages.clone());
    let client = link.connect()?;
    let env = environment();
    let level = color::detect(&env, color);
    let guard = Guard::enter().map_err(|e| tty_error(&e, "cannot set up the terminal"))?;
    let mut parser = Parser::default();
    let probed = probe(stdin(), &mut stdout(), &mut parser, &env, clock);
    let (capabilities, typed) = probed.map_err(|e| tty_error(&e, "cannot query the terminal"))?;
    if let Some(question) = ask_around_tmux(&env).filter(|_| capabilities.answers) {
        let asked = stdout()
            .write_all(&question)
            .and_then(|()| stdout().flush());
        asked.map_err(|e| tty_error(&e, "cannot query the terminal"))?;
    }
    let size = window_size();
    let (settings, wrong) = match Settings::load(&env) {
        Ok(settings) => (settings, None),
        Err(problem) => (Settings::default(), Some(problem)),
    };
    let ascii = locale::is_ascii(&env);
    if settings.title && capabilities.answers && env.get("TERM").is_none_or(|t| t != "linux") {
        let title = format!("benchtop: {}", project.config().name);
        // The title is written past the output, which maps other characters.
        let title = match ascii {
            true => title.replace(|c: char| !c.is_ascii(), "?"),
            false => title,
        };
        guard.set_title(&title).map_err(|e| {
            Error::io(
                &e,
                "cannot set the window title",
                std::path::Path::new("tty"),
            )
        })?;
    }
    let background = settings.background(capabilities.background);
    let (look, wrong) = match look_of(&settings, background, level, &env) {
        Ok(look) => (look, wrong),
        // A broken theme must not keep anybody from working.
        Err(problem) => (
            look_of(&Settings::default(), background, level, &env)?,
            wrong.or(Some(problem)),
        ),
    };
    let themes = user_settings::themes(&env);
    let setting = Setting {
        capabilities,
        level,
        look,
        ascii,
        themes,
        clock,
        columns: size.cells.0,
        rows: size.cells.1,
        pixels: settings.pixels,
        mouse: settings.mouse,
    };
    for input in typed {
        let _ = messages.send(Message::Input(input, clock.ms()));
    }
    let reader = RefCell::new(Some(read_keys(parser, clock, messages.clone())?));
    let _signals = listen(messages.clone())?;
    let welcome = client.welcome().clone();
    let mut app = App::new(setting, link, welcome, messages.clone(), commands)?;
    let keys = keymap::file::load(&env, Some(&app.known()));
    app.on_keys(keys);
    drop(client);
    if let Some(problem) = wrong {
        app.report_settings_error(&problem);
    }
    let ready = env.get(READY_FILE).map(std::path::PathBuf::from);
    let mut program = Program::new(app, stdout(), size, clock, inbox, ready)?;
    program.run(&RealTerminal {
        guard: &guard,
        reader,
        clock,
        messages,
        env: &env,
        level,
        background,
    })
}

/// The look for this background. If the background is unknown, the 16 colors may be unreadable on
/// it: use none, unless the user chose a theme.
fn look_of(
    settings: &Settings,
    background: Option<Background>,
    level: ColorLevel,
    env: &Env,
) -> Result<Look> {
    let theme = Theme::named(&settings.theme_on(background), env)?;
    let accessible = env
        .get("ACCESSIBLE")
        .is_some_and(|v| !v.is_empty() && v != "0");
    let unknown = background.is_none()
        && settings.theme == user_settings::AUTO
        && level == ColorLevel::Ansi16;
    Ok(Look::new(
        &theme,
        if unknown { ColorLevel::Mono } else { level },
        accessible,
    ))
}

fn tty_error(e: &std::io::Error, doing: &str) -> Error {
    Error::io(e, doing, Path::new("tty"))
}

fn read_keys(parser: Parser, clock: Clock, messages: Sender<Message>) -> Result<Reader> {
    let send = move |event| match event {
        Event::Input { input, at } => messages.send(Message::Input(input, at)).is_ok(),
        // Acknowledged verdicts are on the owner's disk, and there is no screen left to draw on.
        Event::HungUp => end_at_once(HANGUP_CODE, true),
    };
    Reader::spawn(stdin(), parser, clock, send)
        .map_err(|e| tty_error(&e, "cannot start the key reader thread"))
}

fn listen(messages: Sender<Message>) -> Result<Signals> {
    let send = move |signal: Signal| drop(messages.send(Message::Signal(signal)));
    Signals::spawn(send).map_err(|e| tty_error(&e, "cannot start the signal thread"))
}
