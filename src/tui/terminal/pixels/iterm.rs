//! iTerm2 inline pictures, through viuer.
//!
//! viuer only writes to standard output. So buffered output is flushed first, and the bytes are
//! estimated rather than counted. `use_kitty` is off: viuer would query the terminal and read the
//! reply from the keys.

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
