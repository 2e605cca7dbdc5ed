//! The effects of styles on a scene, such as dots, facets, tiles, ink, and hatching, and a frame.
//! All of it is integer arithmetic on bytes.

use super::patterns::{Cells, Facets};
use super::shapes::{Draws, Rgb, hash, light, mix, wheel};
use benchtop_model::generation::Pixels;

/// An effect on the pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    /// Pale edges and paper grain.
    Wash,
    /// Round dots on paper.
    Dots,
    /// Few colors, dark edges, and a screen of dots.
    Halftone,
    /// Straight-edged planes.
    Planes,
    /// Short strokes.
    Strokes,
    /// Planes between dark lines.
    Leaded,
    /// Squares of one color.
    Squares,
    /// Squares with joints.
    Tiles,
    /// Squares with a lit knob.
    Knobs,
    /// Few colors and dark edges.
    Ink,
    /// Dark, with glowing edges.
    Glow,
    /// Diagonal lines.
    Hatch,
    /// Shifted rows and channels.
    Glitch,
    /// Rotated hues.
    Swirl,
    Sepia,
    /// Bulging from the center.
    Fisheye,
    /// Lit from above, with dark corners.
    Soft,
}

use Treatment as T;

/// Words in style names, and their effects.
const STYLES: [(&[&str], Treatment); 17] = [
    (&["watercolo", "wash", "aquarelle"], T::Wash),
    (&["pointill", "stippl", "felting"], T::Dots),
    (&["pop art", "comic", "halftone", "risograph"], T::Halftone),
    (
        &["cubis", "low poly", "origami", "papercut", "collage"],
        T::Planes,
    ),
    (
        &["impression", "oil", "expression", "impasto", "renaissance"],
        T::Strokes,
    ),
    (&["stained", "mosaic", "illuminated"], T::Leaded),
    (&["pixel", "8-bit", "voxel"], T::Squares),
    (&["quilt", "embroid", "crochet", "tile", "knit"], T::Tiles),
    (&["brick", "lego", "balloon"], T::Knobs),
    (
        &[
            "ukiyo", "manga", "cartoon", "woodcut", "tattoo", "poster", "nouveau", "kawaii",
            "anime",
        ],
        T::Ink,
    ),
    (&["neon", "cyberpunk"], T::Glow),
    (
        &[
            "chalk",
            "crayon",
            "pencil",
            "engraving",
            "carving",
            "sketch",
            "etching",
        ],
        T::Hatch,
    ),
    (&["glitch", "vaporwave", "vhs"], T::Glitch),
    (&["psychedelic", "graffiti"], T::Swirl),
    (&["steampunk", "sepia", "vintage", "deco"], T::Sepia),
    (&["fisheye", "blown glass"], T::Fisheye),
    (
        &[
            "photo",
            "flat",
            "porcelain",
            "clay",
            "cinematic",
            "render",
            "exposure",
        ],
        T::Soft,
    ),
];

fn treatment_of(style: &str) -> Option<Treatment> {
    let low = style.to_lowercase();
    STYLES
        .iter()
        .find(|(words, _)| words.iter().any(|w| low.contains(w)))
        .map(|(_, treatment)| *treatment)
}

/// Applies the effect of `style` to `picture` and frames it. An unknown style gets only the frame;
/// without a style the picture does not change.
pub(super) fn apply(picture: &mut Pixels, style: &str, draws: &mut Draws) {
    if style.trim().is_empty() {
        return;
    }
    let side = picture.width.min(picture.height);
    if let Some(treatment) = treatment_of(style) {
        treat(picture, treatment, (side / 24).max(4), draws);
    }
    frame(picture, style, side);
}

fn treat(picture: &mut Pixels, treatment: Treatment, unit: u32, draws: &mut Draws) {
    match treatment {
        T::Wash => wash(picture, draws),
        T::Dots => Facets::new(picture, (unit / 3).max(3), draws).dots(picture),
        T::Halftone => halftone(picture, (unit / 3).max(3)),
        T::Planes => Facets::new(picture, unit * 3 / 4, draws).planes(picture, 0),
        T::Strokes => Facets::new(picture, unit * 2 / 3, draws).strokes(picture),
        T::Leaded => Facets::new(picture, unit * 5 / 4, draws).planes(picture, (unit / 12).max(1)),
        T::Squares => Cells::new(picture, (unit / 2).max(3)).squares(picture),
        T::Tiles => Cells::new(picture, (unit * 2 / 3).max(4)).tiles(picture),
        T::Knobs => Cells::new(picture, unit.max(6)).knobs(picture),
        T::Ink => ink(picture, 8),
        T::Glow => glow(picture),
        T::Hatch => hatch(picture, (unit / 3).max(3)),
        T::Glitch => glitch(picture, unit, draws),
        T::Swirl => swirl(picture, draws),
        T::Sepia => each(picture, |_, _, p| {
            let l = light(p);
            mix(
                p,
                [
                    (l + 30).min(255) as u8,
                    (l * 13 / 16 + 14) as u8,
                    (l * 9 / 16) as u8,
                ],
                176,
            )
        }),
        T::Fisheye => fisheye(picture),
        T::Soft => soft(picture),
    }
}

/// Sets every pixel from its position and color.
fn each(picture: &mut Pixels, mut change: impl FnMut(u32, u32, Rgb) -> Rgb) {
    let width = picture.width as usize;
    for (y, row) in picture.rgb.chunks_exact_mut(width * 3).enumerate() {
        for (x, pixel) in row.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            *pixel = change(x as u32, y as u32, *pixel);
        }
    }
}

/// The distance from the center: 0 at the center, 256 at the midpoints of the edges, 512 in the
/// corners.
fn away(x: u32, y: u32, w: u32, h: u32) -> u32 {
    let part = |at: u32, of: u32| (at * 2).abs_diff(of) * 256 / of.max(1);
    let (dx, dy) = (part(x, w), part(y, h));
    (dx * dx + dy * dy) >> 8
}

/// Noise at a position, 0 to 255.
fn grain(x: u32, y: u32) -> u32 {
    let n = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca6b);
    let n = (n ^ (n >> 15)).wrapping_mul(0x2c1b_3c6d);
    (n ^ (n >> 13)) >> 24
}

fn wash(picture: &mut Pixels, draws: &mut Draws) {
    let (w, h, shift) = (picture.width, picture.height, draws.below(1 << 16));
    let cell = (w.min(h) / 9).max(4);
    each(picture, |x, y, p| {
        // Blots: noise of a coarse grid, interpolated between its corners.
        let (cx, cy, fx, fy) = (x / cell, y / cell, x % cell, y % cell);
        let corner = |i, j| grain(cx + i + shift, cy + j);
        let top = corner(0, 0) * (cell - fx) + corner(1, 0) * fx;
        let low = corner(0, 1) * (cell - fx) + corner(1, 1) * fx;
        let blot = (top * (cell - fy) + low * fy) / (cell * cell);
        let edge = (away(x, y, w, h) + blot / 2).saturating_sub(250);
        mix(
            p,
            [252, 250, 244],
            (60 + blot / 3 + grain(x, y) / 9 + edge).min(256),
        )
    });
}

/// The edge strength of each pixel, 0 to 255.
fn edges(picture: &Pixels) -> Vec<u8> {
    let (w, h) = (picture.width as usize, picture.height as usize);
    let reach = (w.min(h) / 256).max(1);
    let gray: Vec<u8> = picture
        .rgb
        .as_chunks::<3>()
        .0
        .iter()
        .map(|p| light(*p) as u8)
        .collect();
    let mut out = vec![0; gray.len()];
    for y in 0..h.saturating_sub(reach) {
        let (row, below) = (
            &gray[y * w..(y + 1) * w],
            &gray[(y + reach) * w..(y + reach + 1) * w],
        );
        for x in 0..w.saturating_sub(reach) {
            out[y * w + x] = row[x]
                .abs_diff(row[x + reach])
                .saturating_add(row[x].abs_diff(below[x]));
        }
    }
    out
}

/// Reduces each channel to `levels` values.
fn posterised(p: Rgb, levels: u32) -> Rgb {
    p.map(|c| ((u32::from(c) * (levels - 1) + 127) / 255 * 255 / (levels - 1)) as u8)
}

fn ink(picture: &mut Pixels, levels: u32) {
    let (found, w) = (edges(picture), picture.width);
    each(picture, |x, y, p| {
        let edge = found.get((y * w + x) as usize).copied().unwrap_or(0);
        mix(
            posterised(p, levels),
            [26, 24, 34],
            u32::from(edge).saturating_sub(14) * 5,
        )
    });
}

fn halftone(picture: &mut Pixels, cell: u32) {
    ink(picture, 4);
    each(picture, |x, y, p| {
        // A screen at 45 degrees; darker areas have larger dots.
        let (u, v) = (
            (x + y) % (cell * 2),
            (x + cell * 2 - y % (cell * 2)) % (cell * 2),
        );
        let (du, dv) = (u.abs_diff(cell), v.abs_diff(cell));
        let dark = 255 - light(p).min(250);
        if (du * du + dv * dv) * 256 < cell * cell * dark {
            mix(p, [30, 20, 60], 60)
        } else {
            mix(p, [255, 252, 240], 44)
        }
    });
}

fn glow(picture: &mut Pixels) {
    let (found, w) = (edges(picture), picture.width);
    each(picture, |x, y, p| {
        let edge = u32::from(found.get((y * w + x) as usize).copied().unwrap_or(0));
        let top = p.iter().copied().max().unwrap_or(0).max(1);
        let lit = p.map(|c| (u32::from(c) * u32::from(c) / u32::from(top)).min(255) as u8);
        let line = if y.is_multiple_of(4) { 40 } else { 0 };
        let tube = mix(
            if top < 90 { [90, 220, 255] } else { lit },
            [255, 120, 240],
            90,
        );
        mix(
            mix(mix(lit, [16, 8, 40], 196), [10, 4, 30], line),
            tube,
            edge.saturating_sub(10) * 6,
        )
    });
}

fn hatch(picture: &mut Pixels, gap: u32) {
    let h = picture.height;
    each(picture, |x, y, p| {
        let (dark, wobble) = (255 - light(p), grain(x / 3, y / 3) / 100);
        let one = (x + y + wobble) % gap == 0 && dark > 40;
        let two = (x + h - y + wobble).is_multiple_of(gap) && dark > 130;
        let tooth = 30 + grain(x, y) / 3;
        let p = mix(p, [250, 246, 236], tooth);
        if one || two {
            mix(p, [40, 34, 50], 90)
        } else {
            p
        }
    });
}

fn glitch(picture: &mut Pixels, unit: u32, draws: &mut Draws) {
    let (w, source) = (picture.width as usize, picture.rgb.clone());
    let mut band = (0, 0);
    for (y, row) in picture.rgb.chunks_exact_mut(w * 3).enumerate() {
        if band.1 == 0 {
            let wild = draws.below(4) == 0;
            band = (
                if wild {
                    draws.below(unit * 2) as usize
                } else {
                    0
                },
                3 + draws.below(unit * 2),
            );
        }
        band.1 -= 1;
        let (line, split) = (&source[y * w * 3..(y + 1) * w * 3], (unit / 3) as usize);
        for x in 0..w {
            let at = |shift: usize, channel: usize| line[((x + band.0 + shift) % w) * 3 + channel];
            let p = [at(split, 0), at(0, 1), at(w - split.min(w), 2)];
            row[x * 3..x * 3 + 3].copy_from_slice(&mix(
                p,
                [30, 10, 60],
                if y % 3 == 0 { 50 } else { 0 },
            ));
        }
    }
}

fn swirl(picture: &mut Pixels, draws: &mut Draws) {
    let (w, h, start) = (picture.width, picture.height, draws.below(24));
    each(picture, |x, y, p| {
        let band = light(p) / 16 + away(x, y, w, h) / 48 + start;
        mix(p, wheel(u64::from(band) * 5), 132)
    });
}

fn fisheye(picture: &mut Pixels) {
    let (w, h, source) = (
        i64::from(picture.width),
        i64::from(picture.height),
        picture.rgb.clone(),
    );
    let reach = w.min(h) / 2;
    each(picture, |x, y, p| {
        let (dx, dy) = (i64::from(x) - w / 2, i64::from(y) - h / 2);
        let square = (dx * dx + dy * dy) * 256 / (reach * reach).max(1);
        if square > 250 {
            return mix(p, [16, 16, 20], 224);
        }
        // Pixels near the rim cover more of the scene.
        let scale = 150 + square * 130 / 256;
        let (sx, sy) = (
            (w / 2 + dx * scale / 200).clamp(0, w - 1),
            (h / 2 + dy * scale / 200).clamp(0, h - 1),
        );
        let at = ((sy * w + sx) * 3) as usize;
        let p = source
            .get(at..at + 3)
            .and_then(|s| Rgb::try_from(s).ok())
            .unwrap_or(p);
        mix(p, [10, 10, 20], (square - 170).max(0) as u32)
    });
}

fn soft(picture: &mut Pixels) {
    let (w, h) = (picture.width, picture.height);
    each(picture, |x, y, p| {
        let lit = mix(p, [255, 250, 236], 40_u32.saturating_sub(y * 60 / h.max(1)));
        mix(lit, [20, 18, 30], away(x, y, w, h).saturating_sub(160) / 3)
    });
}

/// Draws a frame whose color and kind depend on the style's name.
fn frame(picture: &mut Pixels, style: &str, side: u32) {
    let (w, h, own) = (picture.width, picture.height, hash(style));
    let (wide, rgb) = ((side / 40).max(1), mix(wheel(own), [40, 36, 44], 40));
    let kind = own >> 8 & 3;
    each(picture, |x, y, p| {
        let inward = x.min(y).min(w - 1 - x).min(h - 1 - y);
        match kind {
            _ if inward >= wide * 2 => p,
            0 if inward < wide => rgb,
            1 if inward < wide / 3 || (wide * 2 / 3..wide).contains(&inward) => rgb,
            1 if inward < wide => [252, 250, 244],
            2 if inward < wide => [252, 250, 244],
            2 if inward < wide + (wide / 4).max(1) => rgb,
            3 if inward < wide && (x + y) / wide.max(2) % 2 == 0 => rgb,
            3 if inward < wide => [252, 250, 244],
            _ => p,
        }
    });
}
