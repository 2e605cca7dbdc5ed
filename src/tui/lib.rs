//! Floor 5: the terminal program.
//!
//! Panes hold state and turn [`action::Action`]s into effects; they do no I/O. [`app`] joins them, [`program`] is the
//! event loop, [`terminal`] is the only code that touches the tty.

pub mod action;
pub mod app;
mod editor;
pub mod keymap;
pub mod palette;
pub mod panes;
pub mod person;
pub mod preview;
pub mod program;
pub mod terminal;
pub mod theme;
pub mod widgets;

use std::cell::RefCell;
use std::io::{IsTerminal, stdin, stdout};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};

use app::connection::Connection;
use app::message::Message;
use app::{App, Setting};
use person::Settings;
use program::{Host, Program};
use terminal::background::Background;
use terminal::guard::{Guard, end_at_once};
use terminal::probe::{WindowSize, probe};
use terminal::reader::{Event, Reader};
use terminal::signals::{Signal, Signals};
use terminal::{Clock, ColourLevel, Env, Parser, colour, environment, locale};
use theme::{Look, Theme};

use benchtop_files::project::Project;
use benchtop_model::{Error, ErrorKind, Result};

/// Environment variable that names a file to touch once the first frame is out (for screenshots).
const READY_FILE: &str = "BENCHTOP_READY_FILE";

/// How an exit because of a hang-up is told: 128 and the signal's number.
const HANGUP_CODE: i32 = 129;

struct RealTerminal<'a> {
    guard: &'a Guard,
    /// Taken out while another program has the keys.
    reader: RefCell<Option<Reader>>,
    clock: Clock,
    messages: Sender<Message>,
    env: &'a Env,
    level: ColourLevel,
    background: Option<Background>,
}

impl Host for RealTerminal<'_> {
    fn size(&self) -> WindowSize {
        window_size()
    }

    fn suspend(&self) -> std::io::Result<()> {
        self.guard.suspend()
    }

    fn theme(&self, name: &str) -> Result<Look> {
        person::set_theme(self.env, name)?;
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

/// Opens the project in this terminal as annotator `who`, with `colour` where the person asked for a level.
///
/// # Errors
/// When there is no terminal, when the owner cannot be reached, and when the terminal goes away.
pub fn run(project: &Project, who: &str, colour: Option<ColourLevel>) -> Result<()> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(Error::new(ErrorKind::Usage, "the review needs a terminal").help(
            "in scripts use `benchtop items --json` and `benchtop decide`; `benchtop --help` lists the commands",
        ));
    }
    let clock = Clock::start();
    let (messages, inbox) = channel();
    // Before the screen is taken, so that what keeps the owner from starting can be read.
    let mut link = Connection::new(project.clone(), who.to_string(), messages.clone());
    let client = link.connect()?;
    let env = environment();
    let level = colour::detect(&env, colour);
    let guard = Guard::enter().map_err(|e| {
        Error::io(
            &e,
            "the terminal cannot be used",
            std::path::Path::new("tty"),
        )
    })?;
    let mut parser = Parser::default();
    let probed = probe(stdin(), &mut stdout(), &mut parser, &env, clock);
    let (capabilities, typed) = probed.map_err(|e| {
        Error::io(
            &e,
            "the terminal does not answer",
            std::path::Path::new("tty"),
        )
    })?;
    let size = window_size();
    let (settings, wrong) = match Settings::load(&env) {
        Ok(settings) => (settings, None),
        Err(problem) => (Settings::default(), Some(problem)),
    };
    let background = settings.background(capabilities.background);
    let (look, wrong) = match look_of(&settings, background, level, &env) {
        Ok(look) => (look, wrong),
        // Nobody is kept from their work by a theme.
        Err(problem) => (
            look_of(&Settings::default(), background, level, &env)?,
            wrong.or(Some(problem)),
        ),
    };
    let ascii = locale::is_ascii(&env);
    let themes = person::themes(&env);
    let setting = Setting {
        capabilities,
        level,
        look,
        ascii,
        themes,
        clock,
        rows: size.cells.1,
    };
    for input in typed {
        let _ = messages.send(Message::Input(input, clock.ms()));
    }
    let reader = RefCell::new(Some(read_keys(parser, clock, messages.clone())?));
    let _signals = listen(messages.clone())?;
    let mut app = App::new(setting, link, client.welcome().clone(), messages.clone())?;
    let keys = keymap::file::load(&env, Some(&app.known()));
    app.take_keys(keys);
    drop(client);
    if let Some(problem) = wrong {
        app.tell_settings(&problem);
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

/// How things look on that background. Where nobody says what it is, the sixteen colours may not be read on it: there are none
/// then, but for a theme that the person named.
fn look_of(
    settings: &Settings,
    background: Option<Background>,
    level: ColourLevel,
    env: &Env,
) -> Result<Look> {
    let theme = Theme::named(&settings.theme_on(background), env)?;
    let accessible = env
        .get("ACCESSIBLE")
        .is_some_and(|v| !v.is_empty() && v != "0");
    let unknown =
        background.is_none() && settings.theme == person::AUTO && level == ColourLevel::Ansi16;
    Ok(Look::new(
        &theme,
        if unknown { ColourLevel::Mono } else { level },
        accessible,
    ))
}

fn read_keys(parser: Parser, clock: Clock, messages: Sender<Message>) -> Result<Reader> {
    let send = move |event| match event {
        Event::Input { input, at } => messages.send(Message::Input(input, at)).is_ok(),
        // What was acknowledged is on the owner's disk; there is nobody left to draw for.
        Event::HungUp => end_at_once(HANGUP_CODE, true),
    };
    Reader::spawn(stdin(), parser, clock, send)
        .map_err(|e| Error::io(&e, "no thread for keys", std::path::Path::new("tty")))
}

fn listen(messages: Sender<Message>) -> Result<Signals> {
    let send = move |signal: Signal| drop(messages.send(Message::Signal(signal)));
    Signals::spawn(send)
        .map_err(|e| Error::io(&e, "no thread for signals", std::path::Path::new("tty")))
}
