//! Cancellation and progress of long work.

use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{Error, Result};
use super::import::Progress;

/// Tells long work whether to stop. Work asks it now and then, between its steps.
#[derive(Clone, Copy)]
pub struct Cancel<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Never,
    Flag(&'a AtomicBool),
    Predicate(&'a (dyn Fn() -> bool + Sync)),
}

impl<'a> Cancel<'a> {
    /// Work that always runs to its end.
    pub const NEVER: Cancel<'static> = Cancel(Source::Never);

    /// Stops the work once `flag` is set.
    pub fn flag(flag: &'a AtomicBool) -> Cancel<'a> {
        Cancel(Source::Flag(flag))
    }

    /// Stops the work once `is_canceled` returns true.
    pub fn when(is_canceled: &'a (dyn Fn() -> bool + Sync)) -> Cancel<'a> {
        Cancel(Source::Predicate(is_canceled))
    }

    pub fn is_canceled(self) -> bool {
        match self.0 {
            Source::Never => false,
            Source::Flag(flag) => flag.load(Ordering::Relaxed),
            Source::Predicate(is_canceled) => is_canceled(),
        }
    }

    /// Stops canceled work.
    ///
    /// # Errors
    /// [`Error::cancelled`].
    pub fn check(self) -> Result<()> {
        match self.is_canceled() {
            true => Err(canceled()),
            false => Ok(()),
        }
    }
}

/// The error of canceled work.
pub fn canceled() -> Error {
    Error::cancelled("canceled")
}

/// Where long work reports its progress, and whether it was canceled.
#[derive(Clone, Copy)]
pub struct ProgressSink<'a> {
    tell: &'a (dyn Fn(Progress) + Sync),
    pub cancel: Cancel<'a>,
}

impl<'a> ProgressSink<'a> {
    /// Work that nobody watches, and that always runs to its end.
    pub const NONE: ProgressSink<'static> = ProgressSink {
        tell: &|_| (),
        cancel: Cancel::NEVER,
    };

    pub fn new(tell: &'a (dyn Fn(Progress) + Sync), cancel: Cancel<'a>) -> ProgressSink<'a> {
        ProgressSink { tell, cancel }
    }

    /// Reports that `done` units of step `what` are done, of `of` in all if known.
    ///
    /// # Errors
    /// [`Error::cancelled`] if the work must stop.
    pub fn report(self, what: &str, done: u64, of: Option<u64>) -> Result<()> {
        (self.tell)(Progress {
            what: what.into(),
            done,
            of,
        });
        self.cancel.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn canceled_work_stops_at_its_next_report() {
        let (flag, told) = (AtomicBool::new(false), AtomicU64::new(0));
        let tell = |progress: Progress| told.store(progress.done, Ordering::Relaxed);
        let sink = ProgressSink::new(&tell, Cancel::flag(&flag));
        assert!(sink.report("reading", 1, None).is_ok());
        flag.store(true, Ordering::Relaxed);
        let stopped = sink.report("reading", 2, None).unwrap_err();
        assert_eq!(stopped.kind, ErrorKind::Cancelled);
        assert_eq!(told.load(Ordering::Relaxed), 2);
        let other = || flag.load(Ordering::Relaxed);
        assert!(Cancel::when(&other).is_canceled() && !Cancel::NEVER.is_canceled());
    }
}
