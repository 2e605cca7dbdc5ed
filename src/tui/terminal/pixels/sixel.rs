//! Sixel, with icy_sixel: exact pixels, and a sequence that can be stored and sent again.

use std::io::{self, Write};

use icy_sixel::{
    DiffusionMethod, MethodForLargest, MethodForRep, PixelFormat, Quality, sixel_string,
};
use image::RgbaImage;
use ratatui::layout::Rect;

use super::counted::counted;

/// Longest side in pixels that xterm accepts by default.
pub(super) const MAX_SIDE: u32 = 1000;

/// The sequence for a picture over `background`.
pub(super) fn encode(image: &RgbaImage, background: [u8; 3]) -> Result<String, String> {
    let side = |pixels: u32| i32::try_from(pixels).map_err(|_| "too large for sixel".to_string());
    let rgb: Vec<u8> = image.pixels().flat_map(|p| over(p.0, background)).collect();
    sixel_string(
        &rgb,
        side(image.width())?,
        side(image.height())?,
        PixelFormat::RGB888,
        DiffusionMethod::Auto,
        MethodForLargest::Auto,
        MethodForRep::Auto,
        Quality::AUTO,
    )
    .map_err(|error| error.to_string())
}

fn over([r, g, b, a]: [u8; 4], background: [u8; 3]) -> [u8; 3] {
    let mix = |c: u8, under: u8| {
        let (c, under, a) = (u32::from(c), u32::from(under), u32::from(a));
        u8::try_from((c * a + under * (255 - a) + 127) / 255).unwrap_or(255)
    };
    [
        mix(r, background[0]),
        mix(g, background[1]),
        mix(b, background[2]),
    ]
}

pub(super) fn show(out: &mut dyn Write, sequence: &str, at: Rect) -> io::Result<usize> {
    counted(out, |out| {
        write!(out, "\x1b[{};{}H", u32::from(at.y) + 1, u32::from(at.x) + 1)?;
        out.write_all(sequence.as_bytes())
    })
}
