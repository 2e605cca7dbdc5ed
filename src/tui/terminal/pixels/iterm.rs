//! iTerm2 inline pictures, through viuer.
//!
//! viuer writes to standard output and nowhere else, so what was drawn before is flushed first, and the bytes it writes
//! are not counted but estimated. `use_kitty` is off: viuer would ask the terminal and read the answer off the keys.

use std::io::{self, Write};

use image::DynamicImage;
use ratatui::layout::Rect;

pub(super) fn show(out: &mut dyn Write, image: &DynamicImage, at: Rect) -> io::Result<usize> {
    out.flush()?;
    let config = viuer::Config {
        absolute_offset: true,
        x: at.x,
        y: i16::try_from(at.y).unwrap_or(i16::MAX),
        restore_cursor: true,
        width: Some(at.width.into()),
        height: Some(at.height.into()),
        truecolor: true,
        transparent: false,
        use_kitty: false,
        use_iterm: true,
        ..viuer::Config::default()
    };
    viuer::print(image, &config).map_err(io::Error::other)?;
    Ok(image.as_bytes().len() / 2)
}
