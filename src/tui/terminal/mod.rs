//! The only code that touches the tty.
//!
//! | file | what it does |
//! |---|---|
//! | [`input`] | bytes from the terminal to keys, pastes and replies: one push parser |
//! | [`reader`] | the thread that reads them; [`signals`] the one that waits for signals |
//! | [`guard`] | raw mode and the alternate screen, given back however the program ends |
//! | [`output`] | the buffered, counted way out, and the ratatui backend on it |
//! | [`background`] | whether text stands on a dark or a light ground; [`locale`] whether it must be ASCII |
//! | [`clusters`] | rows with text on whose width terminals disagree |
//! | [`probe`] | what this terminal can do, asked once; [`colour`] how many colours it has |
//! | [`paint`] | whether a person can have seen a frame |
//! | [`pixels`] | true pixels: kitty, sixel, iTerm2 |
//! | [`osc52`] | the clipboard, over SSH too |

pub mod background;
pub mod clusters;
pub mod colour;
pub mod guard;
pub mod input;
pub mod locale;
pub mod osc52;
pub mod output;
pub mod paint;
pub mod pixels;
pub mod probe;
pub mod reader;
pub mod sgr;
pub mod signals;

mod csi;

use std::collections::HashMap;
use std::time::Instant;

pub use colour::ColourLevel;
pub use input::{Input, Parser, Reply};
pub use output::Tty;
pub use probe::Capabilities;

/// Milliseconds since the program began; the one time base of parser, reader and receipts.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// A clock that starts at 0 now.
    pub fn start() -> Self {
        Clock(Instant::now())
    }

    /// Milliseconds since the start.
    pub fn ms(self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Environment variables by name, so that what depends on them is a pure function.
pub type Env = HashMap<String, String>;

/// The process's environment; values that are not UTF-8 are read lossily.
pub fn environment() -> Env {
    std::env::vars_os()
        .map(|(name, value)| {
            (
                name.to_string_lossy().into_owned(),
                value.to_string_lossy().into_owned(),
            )
        })
        .collect()
}

/// Whether a variable is set to something.
pub(crate) fn is_set(env: &Env, name: &str) -> bool {
    env.get(name).is_some_and(|value| !value.is_empty())
}
