//! The thread that reads the terminal.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::AsFd;
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::{Clock, Input, Parser};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Input arrived.
    Input {
        input: Input,
        /// When its bytes were read, in milliseconds of the reader's clock.
        at: u64,
    },
    /// The terminal is gone. Sent once, last.
    HungUp,
}

/// A running reader. Dropping it stops the thread and waits for it.
#[derive(Debug)]
pub struct Reader {
    wake: Option<PipeWriter>,
    thread: Option<JoinHandle<Parser>>,
}

impl Reader {
    /// Reads `tty` (standard input or a substitute) through `parser` and passes everything to
    /// `send`, which returns whether to continue. On end of file or a line error it sends
    /// [`Event::HungUp`] once and ends; it never spins on a dead line.
    ///
    /// # Errors
    ///
    /// If the thread or pipe cannot be created.
    pub fn spawn<T, F>(tty: T, parser: Parser, clock: Clock, mut send: F) -> io::Result<Self>
    where
        T: AsFd + Send + 'static,
        F: FnMut(Event) -> bool + Send + 'static,
    {
        let (stop, wake) = io::pipe()?;
        let thread = thread::Builder::new()
            .name("tty-reader".into())
            .spawn(move || {
                let mut parser = parser;
                if !read_until_stopped(&tty, &stop, &mut parser, clock, &mut send) {
                    send(Event::HungUp);
                }
                parser
            })?;
        Ok(Reader {
            wake: Some(wake),
            thread: Some(thread),
        })
    }

    /// Stops reading, so that another program can, and returns the parser with what it holds.
    pub fn stop(mut self) -> Parser {
        self.wake = None;
        self.thread
            .take()
            .and_then(|thread| thread.join().ok())
            .unwrap_or_default()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // Closing our end of the pipe wakes the thread.
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            let own = thread.thread().id() == thread::current().id();
            if !own {
                let _ = thread.join();
            }
        }
    }
}

/// True if it was asked to stop, false if the line is dead.
fn read_until_stopped(
    tty: &impl AsFd,
    stop: &PipeReader,
    parser: &mut Parser,
    clock: Clock,
    send: &mut impl FnMut(Event) -> bool,
) -> bool {
    let mut buffer = [0u8; 4096];
    loop {
        let wait = parser
            .deadline()
            .map(|at| timespec(at.saturating_sub(clock.ms())));
        let mut fds = [
            PollFd::new(tty, PollFlags::IN),
            PollFd::new(stop, PollFlags::IN),
        ];
        match poll(&mut fds, wait.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return false,
        }
        if !fds[1].revents().is_empty() {
            return true;
        }
        let ready = fds[0].revents();
        let now = clock.ms();
        let inputs = if ready.contains(PollFlags::IN) {
            match rustix::io::read(tty, &mut buffer) {
                Ok(0) => return false,
                Ok(n) => parser.push(&buffer[..n], now),
                Err(Errno::INTR | Errno::AGAIN) => continue,
                Err(_) => return false,
            }
        } else if ready.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return false;
        } else {
            parser.timeout(now)
        };
        for input in inputs {
            if !send(Event::Input { input, at: now }) {
                return true;
            }
        }
    }
}

pub(super) fn timespec(ms: u64) -> Timespec {
    let seconds = i64::try_from(ms / 1000).unwrap_or(i64::MAX);
    Timespec {
        tv_sec: seconds,
        tv_nsec: ((ms % 1000) * 1_000_000) as _,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use crossterm::event::KeyCode;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    fn start() -> (PipeWriter, Reader, Receiver<Event>) {
        let (end, line) = io::pipe().unwrap();
        let (send, events) = channel();
        let reader = Reader::spawn(end, Parser::default(), Clock::start(), move |event| {
            send.send(event).is_ok()
        })
        .unwrap();
        (line, reader, events)
    }

    fn code(event: Event) -> KeyCode {
        match event {
            Event::Input {
                input: Input::Key(key),
                ..
            } => key.code,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keys_arrive_and_a_lone_escape_after_its_guard() {
        let (mut line, _reader, events) = start();
        line.write_all(b"a\x1b[B").unwrap();
        assert_eq!(
            code(events.recv_timeout(PATIENCE).unwrap()),
            KeyCode::Char('a')
        );
        assert_eq!(code(events.recv_timeout(PATIENCE).unwrap()), KeyCode::Down);
        line.write_all(b"\x1b").unwrap();
        assert_eq!(code(events.recv_timeout(PATIENCE).unwrap()), KeyCode::Esc);
    }

    #[test]
    fn a_hang_up_is_reported_once_and_ends_the_thread() {
        let (mut line, _reader, events) = start();
        line.write_all(b"a").unwrap();
        drop(line);
        assert_eq!(
            code(events.recv_timeout(PATIENCE).unwrap()),
            KeyCode::Char('a')
        );
        assert_eq!(events.recv_timeout(PATIENCE).unwrap(), Event::HungUp);
        assert!(
            events.recv_timeout(PATIENCE).is_err(),
            "the sender is gone with its thread"
        );
    }

    #[test]
    fn a_hang_up_of_a_real_terminal_is_reported_once() {
        use portable_pty::{PtySize, native_pty_system};
        let pair = native_pty_system().openpty(PtySize::default()).unwrap();
        let tty = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(pair.master.tty_name().unwrap())
            .unwrap();
        let (send, events) = channel();
        let _reader = Reader::spawn(tty, Parser::default(), Clock::start(), move |event| {
            send.send(event).is_ok()
        })
        .unwrap();
        drop(pair.slave);
        drop(pair.master);
        assert_eq!(events.recv_timeout(PATIENCE).unwrap(), Event::HungUp);
        assert!(events.recv_timeout(PATIENCE).is_err());
    }

    #[test]
    fn stopping_returns_the_parser_with_its_bytes() {
        let (mut line, reader, events) = start();
        line.write_all(b"a\xe5").unwrap();
        events.recv_timeout(PATIENCE).unwrap();
        let mut parser = reader.stop();
        assert!(parser.deadline().is_some());
        assert_eq!(parser.push("図".as_bytes().get(1..).unwrap(), 0).len(), 1);
        assert!(
            events.recv_timeout(PATIENCE).is_err(),
            "no hang-up is reported"
        );
    }
}
