//! The event loop: handle all pending messages, then draw one frame. Generic over the output, so
//! that tests run the same loop.

use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::layout::Size;

use super::app::App;
use super::app::message::Message;
use super::terminal::frame::{Drawn, UncertainRows, draw_frame};
use super::terminal::probe::WindowSize;
use super::terminal::signals::Signal;
use super::terminal::{Clock, Tty};
use super::theme::Look;
use benchtop_model::{Error, Result};

/// The services that the loop needs from its terminal.
pub trait Host {
    fn size(&self) -> WindowSize;
    /// Suspends the program as ctrl-z does, and returns when it resumes.
    ///
    /// # Errors
    ///
    /// If the terminal is gone.
    fn suspend(&self) -> std::io::Result<()>;
    /// Turns mouse reports on or off.
    ///
    /// # Errors
    ///
    /// If the terminal is gone.
    fn mouse(&self, is_on: bool) -> std::io::Result<()>;
    /// Saves this theme in the user's settings and returns the new look.
    ///
    /// # Errors
    ///
    /// If the theme does not exist or the settings cannot be written.
    fn theme(&self, name: &str) -> Result<Look>;
    /// Runs the user's editor on this file at this line and waits for it.
    ///
    /// # Errors
    ///
    /// If no editor can be started, or it fails.
    fn edit(&self, file: &Path, line: u32) -> std::io::Result<()>;
}

pub struct Program<W: Write> {
    terminal: Terminal<Tty<W>>,
    uncertain: UncertainRows,
    app: App,
    clock: Clock,
    messages: Receiver<Message>,
    ready_file: Option<std::path::PathBuf>,
    resized: bool,
}

fn gone(error: &std::io::Error) -> Error {
    Error::io(error, "the terminal is gone", Path::new("terminal"))
}

impl<W: Write> Program<W> {
    /// Sets the program up to write to `out`, and touches `ready_file` after the first frame (for
    /// screenshots).
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn new(
        app: App,
        out: W,
        size: WindowSize,
        clock: Clock,
        messages: Receiver<Message>,
        ready_file: Option<std::path::PathBuf>,
    ) -> Result<Program<W>> {
        let mut backend = Tty::new(out, cells(size));
        backend.set_size(cells(size), pixels(size));
        backend.set_ascii(app.is_ascii());
        let terminal = Terminal::new(backend).map_err(|e| gone(&e))?;
        Ok(Program {
            terminal,
            uncertain: UncertainRows::default(),
            app,
            clock,
            messages,
            ready_file,
            resized: false,
        })
    }

    /// Runs until the user quits or the terminal is gone.
    ///
    /// # Errors
    ///
    /// If the terminal is gone.
    pub fn run(&mut self, host: &impl Host) -> Result<()> {
        self.paint()?;
        if let Some(path) = self.ready_file.take() {
            std::fs::write(&path, b"ready")
                .map_err(|e| Error::io(&e, "cannot touch the file", &path))?;
        }
        self.switch_mouse(host)?;
        while !self.app.is_done() {
            self.step(host)?;
        }
        let forgotten = self.app.forget_pixels(self.terminal.backend_mut());
        forgotten
            .and_then(|()| Write::flush(self.terminal.backend_mut()))
            .map_err(|e| gone(&e))
    }

    /// Waits for one message, handles all pending ones, and draws if something changed.
    fn step(&mut self, host: &impl Host) -> Result<()> {
        let wait = self
            .app
            .deadline()
            .map(|at| Duration::from_millis(at.saturating_sub(self.clock.ms())));
        let first = match wait {
            Some(wait) => self.messages.recv_timeout(wait),
            None => self
                .messages
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        };
        match first {
            Ok(message) => self.take(message, host)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.app.handle(Message::HungUp),
        }
        while let Ok(message) = self.messages.try_recv() {
            self.take(message, host)?;
        }
        self.app.tick();
        if self.app.is_done() {
            return Ok(());
        }
        if let Some(name) = self.app.wants_theme() {
            self.app.themed(&name, host.theme(&name));
        }
        self.switch_mouse(host)?;
        if self.app.wants_repaint() {
            self.resize(host.size())?;
        }
        if self.app.wants_suspend() {
            host.suspend().map_err(|e| gone(&e))?;
            self.resize(host.size())?;
        }
        if let Some((file, line)) = self.app.wants_edit() {
            let outcome = host.edit(&file, line);
            self.app.edited(outcome);
            self.resize(host.size())?;
        }
        if self.app.take_dirty() {
            self.paint()
        } else {
            Ok(())
        }
    }

    fn switch_mouse(&mut self, host: &impl Host) -> Result<()> {
        match self.app.wants_mouse() {
            Some(is_on) => host.mouse(is_on).map_err(|e| gone(&e)),
            None => Ok(()),
        }
    }

    fn take(&mut self, message: Message, host: &impl Host) -> Result<()> {
        match message {
            Message::Signal(Signal::Resized | Signal::Continued) => self.resize(host.size()),
            message => {
                if self.app.is_click_on_old_frame(&message) {
                    self.app.take_dirty();
                    self.paint()?;
                }
                self.app.handle(message);
                Ok(())
            }
        }
    }

    /// Repaints everything, after the window changed or another program used the screen.
    fn resize(&mut self, size: WindowSize) -> Result<()> {
        let backend = self.terminal.backend_mut();
        backend.forget();
        backend.set_size(cells(size), pixels(size));
        self.app.resized(size.cells.0, size.cells.1, size.cell());
        self.resized = true;
        self.uncertain.forget();
        // Not `clear()`: this repaints without asking the terminal for its cursor position.
        self.terminal
            .resize(ratatui::layout::Rect::new(0, 0, size.cells.0, size.cells.1))
            .map_err(|e| gone(&e))
    }

    /// Draws one frame. Writes nothing if nothing changed.
    fn paint(&mut self) -> Result<()> {
        self.terminal
            .backend_mut()
            .begin_frame()
            .map_err(|e| gone(&e))?;
        let app = &mut self.app;
        let drawn = draw_frame(&mut self.terminal, &mut self.uncertain, |buf| Drawn {
            cursor: app.draw(buf),
            before: app.take_uploads(),
        });
        drawn.map_err(|e| gone(&e))?;
        let backend = self.terminal.backend_mut();
        self.app.finish(backend).map_err(|e| gone(&e))?;
        let extra = self.app.take_extra();
        let query = self.app.receipt_query().unwrap_or_default();
        for bytes in [extra.as_slice(), query] {
            if !bytes.is_empty() {
                backend.write_all(bytes).map_err(|e| gone(&e))?;
            }
        }
        backend.end_frame().map_err(|e| gone(&e))?;
        if std::mem::take(&mut self.resized) {
            self.app.after_resized_frame();
        }
        Ok(())
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.terminal.backend().total_bytes()
    }
}

fn cells(size: WindowSize) -> Size {
    Size::new(size.cells.0, size.cells.1)
}

fn pixels(size: WindowSize) -> Size {
    Size::new(size.pixels.0, size.pixels.1)
}
