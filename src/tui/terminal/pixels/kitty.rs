//! The kitty graphics protocol: a picture is uploaded once, then placed and removed by its id.
//!
//! Replies are off (`q=2`), so no key can be lost, and it is safe inside a synchronized update.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, RgbaImage};
use ratatui::layout::Rect;

use super::counted::counted;

/// Our first image id, to avoid those of other programs on the same screen.
pub(super) const FIRST_ID: u32 = 0x6274_0000;
/// Longest base64 chunk of the protocol.
const CHUNK: usize = 4096;
/// How much the terminal may store for us, in bytes of PNG. Evicted least recently used first.
pub(super) const KEPT: usize = 48 * 1024 * 1024;

/// A base64 PNG padded to whole cells, with the picture centered, so that it keeps its aspect ratio
/// on those cells.
pub(super) fn encode(
    image: &RgbaImage,
    cells: (u16, u16),
    cell: (u16, u16),
) -> Result<String, String> {
    let (width, height) = image.dimensions();
    let (full_width, full_height) = (
        u32::from(cells.0) * u32::from(cell.0),
        u32::from(cells.1) * u32::from(cell.1),
    );
    let padded;
    let image = if (full_width, full_height) == (width, height) {
        image
    } else {
        let mut canvas = RgbaImage::new(full_width, full_height);
        let (x, y) = ((full_width - width) / 2, (full_height - height) / 2);
        image::imageops::replace(&mut canvas, image, x.into(), y.into());
        padded = canvas;
        &padded
    };
    let mut png = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive);
    let written = if image.pixels().all(|p| p.0[3] == 255) {
        let rgb: Vec<u8> = image
            .pixels()
            .flat_map(|p| [p.0[0], p.0[1], p.0[2]])
            .collect();
        encoder.write_image(&rgb, full_width, full_height, ExtendedColorType::Rgb8)
    } else {
        encoder.write_image(image, full_width, full_height, ExtendedColorType::Rgba8)
    };
    written.map_err(|error| error.to_string())?;
    Ok(STANDARD.encode(png))
}

/// The pictures stored by the terminal: ids and sizes, most recently used last.
#[derive(Debug, Default)]
pub(super) struct Uploads(Vec<(u32, usize)>);

impl Uploads {
    /// Places the picture, after uploading it if needed.
    pub(super) fn show(
        &mut self,
        out: &mut dyn Write,
        id: u32,
        png: &str,
        at: Rect,
    ) -> io::Result<usize> {
        let known = self
            .0
            .iter()
            .position(|(kept, _)| *kept == id)
            .map(|i| self.0.remove(i));
        let bytes = counted(out, |out| {
            if known.is_none() {
                upload(out, id, png)?;
            }
            let (row, column) = (u32::from(at.y) + 1, u32::from(at.x) + 1);
            let (width, height) = (at.width, at.height);
            write!(
                out,
                "\x1b[{row};{column}H\x1b_Ga=p,i={id},p=1,c={width},r={height},z=0,C=1,q=2\x1b\\"
            )
        })?;
        self.0.push((id, png.len()));
        let mut total: usize = self.0.iter().map(|(_, size)| size).sum();
        let mut freed = 0;
        while total > KEPT && self.0.len() > 1 {
            let (old, size) = self.0.remove(0);
            total -= size;
            freed += free(out, old)?;
        }
        Ok(bytes + freed)
    }

    /// Frees all pictures.
    pub(super) fn free(&mut self, out: &mut dyn Write) -> io::Result<usize> {
        self.0
            .drain(..)
            .try_fold(0, |sum, (id, _)| Ok(sum + free(out, id)?))
    }
}

pub(super) fn upload(out: &mut impl Write, id: u32, png: &str) -> io::Result<()> {
    let chunks = png.as_bytes().chunks(CHUNK);
    let last = chunks.len().saturating_sub(1);
    for (i, chunk) in chunks.enumerate() {
        let more = u8::from(i < last);
        if i == 0 {
            write!(out, "\x1b_Ga=t,f=100,t=d,i={id},q=2,m={more};")?;
        } else {
            write!(out, "\x1b_Gm={more},q=2;")?;
        }
        out.write_all(chunk)?;
        out.write_all(b"\x1b\\")?;
    }
    Ok(())
}

/// Removes the placement. The terminal keeps the picture.
pub(super) fn remove(out: &mut dyn Write, id: u32) -> io::Result<usize> {
    counted(out, |out| write!(out, "\x1b_Ga=d,d=i,i={id},p=1,q=2\x1b\\"))
}

fn free(out: &mut dyn Write, id: u32) -> io::Result<usize> {
    counted(out, |out| write!(out, "\x1b_Ga=d,d=I,i={id},q=2\x1b\\"))
}
