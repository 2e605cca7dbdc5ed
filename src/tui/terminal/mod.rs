//! The only code that accesses the tty.
//!
//! | file | what it does |
//! |---|---|
//! | [`input`] | the push parser for keys, pastes, and replies |
//! | `csi` | escape sequences as keys or replies |
//! | [`mouse`] | mouse reports |
//! | [`reader`] | the thread that reads the terminal |
//! | [`signals`] | the thread that waits for signals |
//! | [`guard`] | raw mode and the alternate screen |
//! | [`output`] | buffered, counted output |
//! | [`backend`] | the ratatui backend |
//! | [`sgr`] | cells as bytes |
//! | [`frame`] | one frame |
//! | [`background`] | dark or light background |
//! | [`locale`] | ASCII-only terminals |
//! | [`clusters`] | text whose width differs between terminals |
//! | [`probe`] | terminal capabilities, queried once |
//! | [`color`] | the color level |
//! | [`paint_receipt`] | paint receipts: whether a frame was on screen |
//! | [`pixels`] | true pixels: kitty, sixel, iTerm2 |
//! | [`osc52`] | the clipboard, also over SSH |

pub mod backend;
pub mod background;
pub mod clusters;
pub mod color;
pub mod frame;
pub mod guard;
pub mod input;
pub mod locale;
pub mod mouse;
pub mod osc52;
pub mod output;
pub mod paint_receipt;
pub mod pixels;
pub mod probe;
pub mod reader;
pub mod sgr;
pub mod signals;

mod csi;

use std::collections::HashMap;
use std::time::Instant;

pub use backend::Tty;
pub use color::ColorLevel;
pub use input::{Input, Parser, Reply};
pub use mouse::{Mouse, MouseKind};
pub use probe::Capabilities;

/// Milliseconds since the program started. Shared by parser, reader, and receipts.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Starts a clock at 0.
    pub fn start() -> Self {
        Clock(Instant::now())
    }

    /// Milliseconds since the start.
    pub fn ms(self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Environment variables by name. Passed around, so that code that depends on them is pure.
pub type Env = HashMap<String, String>;

/// The process's environment. Values that are not UTF-8 are converted lossily.
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

/// Whether a variable is set and not empty.
pub(crate) fn is_set(env: &Env, name: &str) -> bool {
    env.get(name).is_some_and(|value| !value.is_empty())
}
