//! The thread that waits for signals.

use std::io;
use std::thread::{self, JoinHandle};

use signal_hook::consts::{SIGCONT, SIGHUP, SIGTERM, SIGWINCH};
use signal_hook::iterator::{Handle, Signals as Incoming};

use super::guard;

/// The meaning of a signal for the event loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The window size changed.
    Resized,
    /// The program was resumed.
    Continued,
    /// The program was asked to end. It exits right after this message.
    Terminate,
    /// The terminal is gone. The program exits right after this message.
    HungUp,
}

impl Signal {
    fn of(number: i32) -> Option<Self> {
        Some(match number {
            SIGWINCH => Self::Resized,
            SIGCONT => Self::Continued,
            SIGTERM => Self::Terminate,
            SIGHUP => Self::HungUp,
            _ => return None,
        })
    }
}

/// A running signal thread. Dropping it stops the thread.
#[derive(Debug)]
pub struct Signals {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Signals {
    /// Reports signals to `send` from its own thread. After [`Signal::Terminate`] and
    /// [`Signal::HungUp`] the process exits at once, whatever the event loop is doing: a client
    /// that waits for its loop would outlive its terminal. `send` must not block.
    ///
    /// # Errors
    ///
    /// If the handlers or the thread cannot be created.
    pub fn spawn(mut send: impl FnMut(Signal) + Send + 'static) -> io::Result<Self> {
        let mut incoming = Incoming::new([SIGWINCH, SIGCONT, SIGTERM, SIGHUP])?;
        let handle = incoming.handle();
        let thread = thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                for number in incoming.forever() {
                    let Some(signal) = Signal::of(number) else {
                        continue;
                    };
                    send(signal);
                    if matches!(signal, Signal::Terminate | Signal::HungUp) {
                        guard::end_at_once(128 + number, signal == Signal::HungUp);
                    }
                }
            })?;
        Ok(Signals {
            handle,
            thread: Some(thread),
        })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_resize_is_reported() {
        let (send, signals) = channel();
        let running = Signals::spawn(move |signal| send.send(signal).unwrap_or(())).unwrap();
        signal_hook::low_level::raise(SIGWINCH).unwrap();
        assert_eq!(
            signals.recv_timeout(Duration::from_secs(20)).unwrap(),
            Signal::Resized
        );
        drop(running);
        assert!(
            signals.recv_timeout(Duration::from_secs(20)).is_err(),
            "the thread is gone"
        );
    }

    #[test]
    fn every_handled_signal_has_a_meaning() {
        for number in [SIGWINCH, SIGCONT, SIGTERM, SIGHUP] {
            assert!(Signal::of(number).is_some());
        }
    }
}
