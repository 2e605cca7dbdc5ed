//! Faults on demand, for tests of the supervision: what a driver, a library or the kernel does to a worker at a bad
//! moment, at a moment that the test chooses. Only the hidden subcommand reads the variable; `benchtop-gpu` does not.

use std::path::PathBuf;

/// The environment variable that the hidden subcommand reads.
pub const FAULT: &str = "BENCHTOP_WORKER_FAULT";

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It ends with this exit status, after a word on its error stream.
    Exit(u8),
    /// It is killed, as by the kernel when memory is short.
    Kill,
    /// It prints something that is no frame where frames go.
    Garbage,
    /// It ends in the middle of a frame.
    Torn,
    /// It makes nothing any more, and lives.
    Stall,
    /// It is stopped, as by SIGSTOP: nothing of it answers.
    Freeze,
    /// The device's state is lost.
    Fatal,
    /// Its memory holds passes of at most so many pictures.
    OutOfMemoryAbove(usize),
    /// Its memory holds no picture that is decoded whole.
    OutOfMemoryWhole,
    /// It says that it speaks this version of the protocol.
    Protocol(u8),
    /// It says nothing at all.
    Mute,
}

/// A fault and its moment: the first step after so many pictures; of a call with a task whose prompt holds a word, where
/// one is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What goes wrong.
    pub what: What,
    after: u64,
    at: Option<String>,
    once: Option<PathBuf>,
}

impl Fault {
    /// Reads a fault: `exit N`, `kill`, `garbage`, `torn`, `stall`, `freeze`, `fatal`, `oom above N`, `oom whole`,
    /// `protocol N` or `mute`, then any of `after N` (pictures), `at WORD` (in a prompt) and `once FILE` (which must not be
    /// there, and is made).
    ///
    /// # Errors
    /// The word that means nothing.
    pub fn parse(text: &str) -> Result<Fault, String> {
        let mut words = text.split_whitespace();
        let unknown = |word: Option<&str>| {
            format!(
                "{FAULT}: `{}` means nothing in `{text}`",
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
            what,
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

    /// Whether its moment is now: `made` pictures are done, and a call with these prompts takes a step.
    pub fn is_due<'a>(&self, made: u64, mut prompts: impl Iterator<Item = &'a str>) -> bool {
        let here = self
            .at
            .as_ref()
            .is_none_or(|word| prompts.any(|prompt| prompt.contains(word)));
        // Whoever makes the file is the one.
        here && made >= self.after
            && self
                .once
                .as_ref()
                .is_none_or(|file| std::fs::File::create_new(file).is_ok())
    }

    /// Whether a pass of `batch` pictures of so many pixels, decoded whole or in tiles, is more than its memory holds.
    pub fn is_too_much(&self, batch: usize, pixels: u64, whole_pixels: u64) -> bool {
        match self.what {
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
    fn a_fault_is_read_from_words() {
        let of = |text: &str| Fault::parse(text).unwrap();
        assert_eq!(
            of("exit 3 after 2"),
            Fault {
                what: What::Exit(3),
                after: 2,
                at: None,
                once: None
            }
        );
        assert_eq!(of("oom above 1").what, What::OutOfMemoryAbove(1));
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
    fn once_is_once() {
        let dir = tempfile::tempdir().unwrap();
        let fault =
            Fault::parse(&format!("kill once {}", dir.path().join("done").display())).unwrap();
        assert!(fault.is_due(0, [].into_iter()) && !fault.is_due(0, [].into_iter()));
    }
}
