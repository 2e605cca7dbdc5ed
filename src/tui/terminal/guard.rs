//! Raw mode and the alternate screen, given back however the program ends: normally, by a panic, by a signal.

use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::thread;
use std::time::Duration;

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use rustix::process::{Signal, getpid, kill_process};

/// Alternate screen, cursor hidden, bracketed paste.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[?2004h";
/// The way back; the first mark ends a frame that was cut short.
const LEAVE: &[u8] = b"\x1b[?2026l\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";

/// Whether the screen is ours: whoever takes it back does so once.
static ENTERED: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Holds the terminal. Dropping it gives the terminal back.
#[derive(Debug)]
pub struct Guard {
    continued: Arc<AtomicBool>,
}

impl Guard {
    /// Takes the terminal: raw mode, alternate screen, hidden cursor, bracketed paste; from here on a panic gives it
    /// back before it prints. Colours are forced on: without that, crossterm under `NO_COLOR` writes resets that wipe
    /// reverse video and bold (our own mono level uses no colour).
    ///
    /// # Errors
    /// When there is no terminal, or it is gone.
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

    /// Stops the program as ctrl-z does, and takes the terminal again when it goes on. What was written before must
    /// be flushed; afterwards everything is to be painted anew, pictures too, and the size may have changed.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn suspend(&self) -> io::Result<()> {
        leave();
        self.continued.store(false, Ordering::SeqCst);
        kill_process(getpid(), Signal::TSTP)?;
        // The signal may reach another thread first, and a program without a shell above it is not stopped at all.
        for _ in 0..40 {
            if self.continued.load(Ordering::SeqCst) {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.resume()
    }

    /// Takes the terminal again after it was given away (an editor, a stop from outside).
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn resume(&self) -> io::Result<()> {
        enter()
    }

    /// Gives the terminal away for another program, until [`resume`](Self::resume).
    pub fn release(&self) {
        leave();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        leave();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    if let Err(gone) = write_all(ENTER) {
        leave();
        return Err(gone);
    }
    Ok(())
}

/// Gives the terminal back if we have it; safe to call from any thread, any number of times.
pub fn leave() {
    if ENTERED.swap(false, Ordering::SeqCst) {
        // Nothing can be done about a terminal that is gone.
        let _ = write_all(LEAVE);
        let _ = disable_raw_mode();
    }
}

/// Ends the client at once with `code`. Nothing is lost: what was acknowledged is on the owner's disk, and what was
/// not was never promised. After a hang-up (`hung_up`) the terminal is not written to: a dead line may block.
pub fn end_at_once(code: i32, hung_up: bool) -> ! {
    if !hung_up {
        leave();
    }
    std::process::exit(code)
}

/// Runs `work`, and makes a panic in it (a decoder on a broken file) an error text: it neither ends the program nor
/// disturbs the screen.
///
/// # Errors
/// What the panic said.
pub fn contain<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = CONTAINED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(before);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
            .unwrap_or_else(|| "it panicked".into())
    })
}

/// Writes to standard output past every buffer and lock, so that it works from a panic too.
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
    fn a_contained_panic_is_a_text() {
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
    fn leaving_what_was_never_entered_does_nothing() {
        leave();
        assert!(!ENTERED.load(Ordering::SeqCst));
    }
}
