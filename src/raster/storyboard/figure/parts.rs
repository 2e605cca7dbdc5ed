//! The parts of a figure: filled and stroked shapes, with their colors.

use tiny_skia::Path;

use crate::storyboard::shapes::{Rgb, ellipse, lines};

/// The color of a figure's part.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    /// The subject's color.
    Main,
    /// A darker shade of it.
    Dark,
    /// A lighter shade of it.
    Light,
    /// For eyes and lines.
    Black,
    /// For eyes and paper.
    White,
    Own(Rgb),
}

pub(super) const WOOD: Tone = Tone::Own([150, 108, 70]);

pub(super) const METAL: Tone = Tone::Own([176, 182, 190]);

/// Parts from back to front, in a box from -1 to 1 with y pointing down.
#[derive(Default)]
pub(in super::super) struct Figure {
    pub(super) parts: Vec<(Path, Option<f32>, Tone)>,
}

impl Figure {
    pub(super) fn oval(&mut self, x: f32, y: f32, rx: f32, ry: f32, tone: Tone) -> &mut Self {
        self.parts
            .extend(ellipse(x, y, rx, ry).map(|path| (path, None, tone)));
        self
    }

    pub(super) fn poly(&mut self, points: &[(f32, f32)], tone: Tone) -> &mut Self {
        self.parts
            .extend(lines(points, true).map(|path| (path, None, tone)));
        self
    }

    pub(super) fn block(&mut self, x: f32, y: f32, wide: f32, high: f32, tone: Tone) -> &mut Self {
        self.poly(
            &[(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)],
            tone,
        )
    }

    /// A round-ended limb along `points`.
    pub(super) fn limb(&mut self, points: &[(f32, f32)], width: f32, tone: Tone) -> &mut Self {
        self.parts
            .extend(lines(points, false).map(|path| (path, Some(width), tone)));
        self
    }

    /// An eye looking at the viewer.
    pub(super) fn eye(&mut self, x: f32, y: f32, r: f32) -> &mut Self {
        self.oval(x, y, r, r, Tone::White)
            .oval(x, y, r * 0.55, r * 0.55, Tone::Black)
    }
}
