//! Raw mode and the alternate screen, restored whether the program exits, panics, or is stopped by
//! a signal.

use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, OnceLock};
use std::thread;
use std::time::Duration;

use benchtop_model::clean;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Signal, getpid, kill_process};

use super::mouse;

/// Alternate screen, hidden cursor, bracketed paste.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[?2004h";
/// Restores the terminal. The first sequence ends an unfinished frame.
const LEAVE: &[u8] = b"\x1b[?2026l\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";

/// Restores the window title that [`title_bytes`] put away.
const RESTORE_TITLE: &[u8] = b"\x1b[23;0t";

/// What sets the window title, if the program sets one.
static TITLE: OnceLock<Vec<u8>> = OnceLock::new();
/// Whether we hold the screen, so that it is restored only once.
static ENTERED: AtomicBool = AtomicBool::new(false);
/// Whether mouse reports are on while we hold the screen.
static MOUSE: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Holds the terminal. Dropping it restores the terminal.
#[derive(Debug)]
pub struct Guard {
    continued: Arc<AtomicBool>,
}

impl Guard {
    /// Takes over the terminal: raw mode, alternate screen, hidden cursor, bracketed paste. A panic
    /// restores the terminal before it prints. Colors are forced on: otherwise crossterm under
    /// `NO_COLOR` writes resets that clear reverse video and bold (our own mono level uses no
    /// color).
    ///
    /// # Errors
    ///
    /// If there is no terminal, or it is gone.
    pub fn enter() -> io::Result<Self> {
        crossterm::style::force_color_output(true);
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                if !CONTAINED.get() {
                    leave();
                    before(info);
                }
            }));
        });
        let continued = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGCONT, Arc::clone(&continued))?;
        enter()?;
        Ok(Guard { continued })
    }

    /// Sets the title of the window until the terminal is restored. Only the first call has an effect.
    ///
    /// # Errors
    ///
    /// If the terminal is gone.
    pub fn set_title(&self, title: &str) -> io::Result<()> {
        match TITLE.set(title_bytes(title)) {
            Ok(()) => TITLE.get().map_or(Ok(()), |bytes| write_all(bytes)),
            Err(_) => Ok(()),
        }
    }

    /// Turns mouse reports on or off. They are off while another program has the terminal.
    ///
    /// # Errors
    ///
    /// If the terminal is gone.
    pub fn set_mouse(&self, is_on: bool) -> io::Result<()> {
        match MOUSE.swap(is_on, Ordering::SeqCst) == is_on {
            true => Ok(()),
            false => write_all(if is_on { mouse::ON } else { mouse::OFF }),
        }
    }

    /// Suspends the program as ctrl-z does, and takes over the terminal again when it resumes.
    /// Flush all output first. Afterwards repaint everything, including pictures; the size may have
    /// changed.
    ///
    /// # Errors
    ///
    /// If the terminal is gone.
    pub fn suspend(&self) -> io::Result<()> {
        leave();
        self.continued.store(false, Ordering::SeqCst);
        kill_process(getpid(), Signal::TSTP)?;
        // The signal may reach another thread first, and a program without a parent shell is not
        // stopped at all.
        for _ in 0..40 {
            if self.continued.load(Ordering::SeqCst) {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.resume()
    }

    /// Takes over the terminal again, after an editor or an external stop.
    ///
    /// # Errors
    ///
    /// If the terminal is gone.
    pub fn resume(&self) -> io::Result<()> {
        enter()
    }

    /// Releases the terminal to another program, until [`resume`](Self::resume).
    pub fn release(&self) {
        leave();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        leave();
    }
}

/// Puts the present title on the terminal's stack and sets another one.
fn title_bytes(title: &str) -> Vec<u8> {
    format!("\x1b[22;0t\x1b]2;{}\x1b\\", clean::line(title)).into_bytes()
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    let title = TITLE.get().map_or(&[][..], Vec::as_slice);
    let mouse = match MOUSE.load(Ordering::SeqCst) {
        true => mouse::ON,
        false => &[],
    };
    if let Err(gone) = write_all(&[ENTER, title, mouse].concat()) {
        leave();
        return Err(gone);
    }
    Ok(())
}

/// Restores the terminal if we hold it. Safe to call repeatedly and from any thread.
pub fn leave() {
    if ENTERED.swap(false, Ordering::SeqCst) {
        // Errors are ignored: the terminal is gone.
        let _ = write_all(&leaving());
        let _ = disable_raw_mode();
    }
}

/// What restores the terminal.
fn leaving() -> Vec<u8> {
    let mut bytes = Vec::new();
    if MOUSE.load(Ordering::SeqCst) {
        bytes.extend(mouse::OFF);
    }
    if TITLE.get().is_some() {
        bytes.extend(RESTORE_TITLE);
    }
    bytes.extend(LEAVE);
    bytes
}

/// Exits the client at once with `code`. Nothing is lost: acknowledged verdicts are on the owner's
/// disk. After a hang-up (`hung_up`), nothing is written that could block.
pub fn end_at_once(code: i32, hung_up: bool) -> ! {
    match hung_up {
        true => leave_if_there(),
        false => leave(),
    }
    std::process::exit(code)
}

/// Restores a terminal that may be gone. A signal can say so although it is there, and then a shell
/// would read mouse reports.
fn leave_if_there() {
    // A second description of the terminal does not block, and leaves that of the shell as it is.
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if ENTERED.swap(false, Ordering::SeqCst)
        && let Ok(tty) = open("/dev/tty", flags, Mode::empty())
    {
        let written = rustix::io::write(tty, &leaving());
        if written.is_ok() {
            let _ = disable_raw_mode();
        }
    }
}

/// Runs `work` and turns a panic, for example of a decoder on a broken file, into an error text,
/// without ending the program or garbling the screen.
///
/// # Errors
///
/// The panic message.
pub fn contain<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = CONTAINED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(before);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
            .unwrap_or_else(|| "internal error (panic)".into())
    })
}

/// Writes to standard output without buffers or locks, so that it works in a panic.
fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => bytes = &bytes[n..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contained_panic_becomes_an_error() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        assert_eq!(
            contain(|| panic!("bad chunk {}", 3)),
            Err::<(), _>("bad chunk 3".to_string())
        );
        std::panic::set_hook(hook);
        assert_eq!(contain(|| 7), Ok(7));
        assert!(!CONTAINED.get());
    }

    #[test]
    fn a_title_holds_no_escape_sequence_of_a_project_name() {
        let bytes = title_bytes("benchtop: a\x07\x1b]2;x\u{9c}b");
        let text = String::from_utf8(bytes).unwrap();
        let inner = text.strip_prefix("\x1b[22;0t\x1b]2;benchtop: a").unwrap();
        let inner = inner.strip_suffix("b\x1b\\").unwrap();
        assert!(!inner.contains(char::is_control), "{inner:?}");
    }

    #[test]
    fn leaving_without_entering_does_nothing() {
        leave();
        assert!(!ENTERED.load(Ordering::SeqCst));
    }
}
