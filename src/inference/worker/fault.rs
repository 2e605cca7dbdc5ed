//! Faults on demand, to test the supervision of workers: simulates what a driver, a library, or the
//! kernel may do to a worker, at a moment that the test chooses. Only the hidden subcommand reads
//! the variable; `benchtop-gpu` does not.

use std::path::PathBuf;

/// The environment variable that the hidden subcommand reads.
pub const FAULT: &str = "BENCHTOP_WORKER_FAULT";

/// The kind of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The worker exits with this status, after a message on standard error.
    Exit(u8),
    /// The worker is killed, as by the kernel's out-of-memory killer.
    Kill,
    /// The worker prints text between frames.
    Garbage,
    /// The worker exits in the middle of a frame.
    Torn,
    /// The worker stops computing but still answers pings.
    Stall,
    /// The worker is stopped by SIGSTOP and answers nothing.
    Freeze,
    /// The device's state is lost.
    Fatal,
    /// Batches of more than this many pictures run out of memory.
    OutOfMemoryAbove(usize),
    /// Decoding a picture without tiles runs out of memory.
    OutOfMemoryWhole,
    /// The worker claims this version of the protocol.
    Protocol(u8),
    /// The worker sends nothing.
    Mute,
}

/// A fault and its moment: the first step after `after` pictures, of a call with a prompt that
/// contains `at`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: What,
    after: u64,
    at: Option<String>,
    once: Option<PathBuf>,
}

impl Fault {
    /// Parses a fault: `exit N`, `kill`, `garbage`, `torn`, `stall`, `freeze`, `fatal`, `oom above
    /// N`, `oom whole`, `protocol N` or `mute`, then any of `after N` (pictures), `at WORD` (in a
    /// prompt), and `once FILE` (only if FILE does not exist; it is created).
    ///
    /// # Errors
    /// The unknown word.
    pub fn parse(text: &str) -> Result<Fault, String> {
        let mut words = text.split_whitespace();
        let unknown = |word: Option<&str>| {
            format!(
                "{FAULT}: unexpected `{}` in `{text}`",
                word.unwrap_or_default()
            )
        };
        let number = |word: Option<&str>| {
            word.and_then(|w| w.parse().ok())
                .ok_or_else(|| unknown(word))
        };
        let what = match words.next() {
            Some("exit") => What::Exit(number(words.next())?),
            Some("kill") => What::Kill,
            Some("garbage") => What::Garbage,
            Some("torn") => What::Torn,
            Some("stall") => What::Stall,
            Some("freeze") => What::Freeze,
            Some("fatal") => What::Fatal,
            Some("protocol") => What::Protocol(number(words.next())?),
            Some("mute") => What::Mute,
            Some("oom") => match words.next() {
                Some("above") => What::OutOfMemoryAbove(number(words.next())?.into()),
                Some("whole") => What::OutOfMemoryWhole,
                other => return Err(unknown(other)),
            },
            other => return Err(unknown(other)),
        };
        let mut fault = Fault {
            kind: what,
            after: 0,
            at: None,
            once: None,
        };
        while let Some(word) = words.next() {
            let value = words.next();
            match (word, value) {
                ("after", _) => fault.after = number(value)?.into(),
                ("at", Some(value)) => fault.at = Some(value.into()),
                ("once", Some(value)) => fault.once = Some(value.into()),
                _ => return Err(unknown(Some(word))),
            }
        }
        Ok(fault)
    }

    /// True if the fault is due: `made` pictures are done, and a call with these prompts takes a
    /// step.
    pub fn is_due<'a>(&self, made: u64, mut prompts: impl Iterator<Item = &'a str>) -> bool {
        let here = self
            .at
            .as_ref()
            .is_none_or(|word| prompts.any(|prompt| prompt.contains(word)));
        // The worker that creates the file triggers the fault.
        here && made >= self.after
            && self
                .once
                .as_ref()
                .is_none_or(|file| std::fs::File::create_new(file).is_ok())
    }

    /// True if a batch of `batch` pictures with `pixels` pixels each should run out of memory.
    pub fn is_too_much(&self, batch: usize, pixels: u64, whole_pixels: u64) -> bool {
        match self.kind {
            What::OutOfMemoryAbove(most) => batch > most,
            What::OutOfMemoryWhole => pixels <= whole_pixels,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_faults() {
        let of = |text: &str| Fault::parse(text).unwrap();
        assert_eq!(
            of("exit 3 after 2"),
            Fault {
                kind: What::Exit(3),
                after: 2,
                at: None,
                once: None
            }
        );
        assert_eq!(of("oom above 1").kind, What::OutOfMemoryAbove(1));
        assert!(of("kill at owl").is_due(0, ["a fox", "an owl"].into_iter()));
        assert!(
            !of("kill at owl").is_due(0, ["a fox"].into_iter())
                && !of("kill after 1").is_due(0, [].into_iter())
        );
        for text in [
            "",
            "explode",
            "exit",
            "exit 300",
            "oom",
            "oom above",
            "kill after",
            "kill at",
            "kill when 2",
        ] {
            assert!(Fault::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn once_triggers_a_single_time() {
        let dir = tempfile::tempdir().unwrap();
        let fault =
            Fault::parse(&format!("kill once {}", dir.path().join("done").display())).unwrap();
        assert!(fault.is_due(0, [].into_iter()) && !fault.is_due(0, [].into_iter()));
    }
}
