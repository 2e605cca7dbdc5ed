//! Pictures as text cells: two pixels per cell, with the upper half block over the background.

use image::RgbaImage;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::widgets::Widget;

use crate::palette::{Rgb, color, gray};
use crate::terminal::ColorLevel;
use benchtop_raster::decode::DecodedImage;
use benchtop_raster::scale::{fit, resize};

/// Characters of rising density, for terminals without color.
const RAMP: &[u8] = b" .:-=+*#%@";
const UPPER: char = '▀';

/// One cell of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureCell {
    pub symbol: char,
    /// The upper pixel.
    pub fg: Color,
    /// The lower pixel.
    pub bg: Color,
}

/// A picture as a grid of cells, row by row, at most as large as the pane it was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    columns: u16,
    rows: u16,
    cells: Vec<PictureCell>,
}

impl Cells {
    /// Draws `image` into at most `columns` by `rows` cells and keeps its aspect ratio.
    ///
    /// `aspect` is the height of a cell divided by its width, 2.0 if unknown. `background` shows
    /// through transparent pixels.
    ///
    /// # Errors
    ///
    /// If resizing fails.
    pub fn draw(
        image: &DecodedImage,
        (columns, rows): (u16, u16),
        aspect: f64,
        level: ColorLevel,
        background: Rgb,
    ) -> Result<Self, String> {
        let size = fit(
            image.size(),
            (u32::from(columns), u32::from(rows) * 2),
            stretch(aspect),
        );
        if size.0 == 0 {
            return Ok(Cells {
                columns: 0,
                rows: 0,
                cells: Vec::new(),
            });
        }
        Ok(Self::of_pixels(&resize(image, size)?, level, background))
    }

    /// Draws a picture that already has the size of its pane: one pixel per column, two per row.
    pub(super) fn of_pixels(pixels: &RgbaImage, level: ColorLevel, background: Rgb) -> Self {
        let (width, height) = pixels.dimensions();
        let at = |x, y| (y < height).then(|| over(pixels[(x, y)].0, background));
        let mut cells = Vec::with_capacity((width * height.div_ceil(2)) as usize);
        for y in (0..height).step_by(2) {
            for x in 0..width {
                let upper = at(x, y).unwrap_or(background);
                cells.push(cell(upper, at(x, y + 1), level));
            }
        }
        let side = |pixels: u32| u16::try_from(pixels).unwrap_or(u16::MAX);
        Cells {
            columns: side(width),
            rows: side(height.div_ceil(2)),
            cells,
        }
    }

    /// Size in columns and rows.
    pub fn size(&self) -> (u16, u16) {
        (self.columns, self.rows)
    }

    /// The cells it covers in `area`: centered and cropped.
    pub fn place(&self, area: Rect) -> Rect {
        let (width, height) = (self.columns.min(area.width), self.rows.min(area.height));
        Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + (area.height - height) / 2,
            width,
            height,
        }
    }

    pub fn lines(&self) -> impl Iterator<Item = &[PictureCell]> {
        self.cells.chunks(usize::from(self.columns).max(1))
    }

    /// Size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.cells.len() * size_of::<PictureCell>()
    }
}

/// Draws the picture centered in the area and crops what does not fit.
impl Widget for &Cells {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let place = self.place(area.intersection(buffer.area));
        for (y, line) in (place.top()..place.bottom()).zip(self.lines()) {
            for (x, from) in (place.left()..place.right()).zip(line) {
                if let Some(cell) = buffer.cell_mut((x, y)) {
                    // The lower half of an odd last row is the ground.
                    let ground = if from.bg == Color::Reset {
                        cell.bg
                    } else {
                        from.bg
                    };
                    cell.reset();
                    cell.set_char(from.symbol).set_fg(from.fg).set_bg(ground);
                }
            }
        }
    }
}

/// Width of a half block divided by its height, for a cell with this `aspect`.
pub(super) fn stretch(aspect: f64) -> f64 {
    // Half a cell is `aspect / 2` times as high as it is wide.
    if aspect.is_finite() && aspect > 0.0 {
        2.0 / aspect
    } else {
        1.0
    }
}

fn cell(upper: Rgb, lower: Option<Rgb>, level: ColorLevel) -> PictureCell {
    if level == ColorLevel::Mono {
        let light = (u16::from(gray(upper)) + u16::from(gray(lower.unwrap_or(upper)))) / 2;
        let step = usize::from(light) * RAMP.len() / 256;
        let symbol = RAMP.get(step).map_or(' ', |c| char::from(*c));
        return PictureCell {
            symbol,
            fg: Color::Reset,
            bg: Color::Reset,
        };
    }
    let bg = lower.map_or(Color::Reset, |lower| color(lower, level));
    PictureCell {
        symbol: UPPER,
        fg: color(upper, level),
        bg,
    }
}

fn over([r, g, b, a]: [u8; 4], background: Rgb) -> Rgb {
    if a == 255 {
        return [r, g, b];
    }
    let a = u32::from(a);
    let mix = |c: u8, under: u8| (u32::from(c) * a + u32::from(under) * (255 - a) + 127) / 255;
    [
        mix(r, background[0]),
        mix(g, background[1]),
        mix(b, background[2]),
    ]
    .map(|c| u8::try_from(c).unwrap_or(255))
}

#[cfg(test)]
mod tests {
    use image::{Rgba, RgbaImage};

    use super::*;

    const BACK: Rgb = [0, 0, 0];

    fn image(width: u32, height: u32, f: impl Fn(u32, u32) -> [u8; 4]) -> DecodedImage {
        DecodedImage::new(RgbaImage::from_fn(width, height, |x, y| Rgba(f(x, y))).into())
    }

    fn down(width: u32, height: u32) -> DecodedImage {
        image(width, height, move |_, y| {
            let v = (y * 255 / (height - 1)) as u8;
            [v, v, v, 255]
        })
    }

    fn rgb(color: Color) -> Rgb {
        crate::palette::rgb(color).unwrap()
    }

    #[test]
    fn a_vertical_gradient_spans_both_halves_of_each_cell() {
        let cells = Cells::draw(&down(400, 400), (40, 20), 2.0, ColorLevel::True, BACK).unwrap();
        assert_eq!(cells.size(), (40, 20));
        let column: Vec<u8> = cells
            .lines()
            .flat_map(|l| [rgb(l[5].fg)[0], rgb(l[5].bg)[0]])
            .collect();
        assert_eq!(column.len(), 40);
        for (i, v) in column.iter().enumerate() {
            let wanted = (i as f64 + 0.5) / 40.0 * 255.0;
            assert!(
                (f64::from(*v) - wanted).abs() < 3.0,
                "half {i}: {v} for {wanted}"
            );
        }
        assert!(
            cells
                .lines()
                .all(|l| l.iter().all(|c| c.symbol == '▀' && c.fg == l[0].fg))
        );
    }

    #[test]
    fn aspect_ratios_of_picture_and_cell_are_kept() {
        let size = |w, h, room, aspect| {
            Cells::draw(
                &image(w, h, |_, _| [9, 9, 9, 255]),
                room,
                aspect,
                ColorLevel::True,
                BACK,
            )
            .unwrap()
            .size()
        };
        assert_eq!(size(1024, 1024, (80, 24), 2.0), (48, 24));
        assert_eq!(size(1024, 512, (80, 24), 2.0), (80, 20));
        assert_eq!(size(512, 1024, (80, 24), 2.0), (24, 24));
        // Cells of 10 by 25: a square of 24 rows is 600 pixels high, which is 60 columns.
        assert_eq!(size(1024, 1024, (80, 24), 2.5), (60, 24));
        // Small pictures grow by whole factors, within the pane.
        assert_eq!(size(10, 10, (80, 24), 2.0), (40, 20));
        assert_eq!(size(10_000, 2, (80, 24), 2.0), (80, 1));
        assert_eq!(size(10, 10, (0, 0), 2.0), (0, 0));
    }

    #[test]
    fn transparency_shows_the_background() {
        let clear = image(8, 8, |x, _| [255, 0, 0, if x < 4 { 0 } else { 255 }]);
        let cells = Cells::draw(&clear, (8, 4), 2.0, ColorLevel::True, [1, 2, 3]).unwrap();
        let line = cells.lines().next().unwrap();
        assert_eq!((rgb(line[0].fg), rgb(line[7].bg)), ([1, 2, 3], [255, 0, 0]));
        assert_eq!(over([255, 255, 255, 128], [0, 0, 0]), [128; 3]);
    }

    #[test]
    fn each_color_level_draws_with_its_own_colors() {
        let picture = down(100, 100);
        let draw = |level| Cells::draw(&picture, (20, 10), 2.0, level, BACK).unwrap();
        let all =
            |cells: &Cells, test: &dyn Fn(&PictureCell) -> bool| cells.lines().flatten().all(test);
        assert!(all(&draw(ColorLevel::Ansi256), &|c| matches!(
            (c.fg, c.bg),
            (Color::Indexed(16..), Color::Indexed(16..))
        )));
        assert!(all(&draw(ColorLevel::Ansi16), &|c| !matches!(
            c.fg,
            Color::Indexed(_) | Color::Rgb(..) | Color::Reset
        )));
        let mono = draw(ColorLevel::Mono);
        assert!(all(&mono, &|c| c.fg == Color::Reset && c.bg == Color::Reset));
        let column: Vec<char> = mono.lines().map(|l| l[3].symbol).collect();
        let steps: Vec<usize> = column
            .iter()
            .map(|c| RAMP.iter().position(|r| char::from(*r) == *c).unwrap())
            .collect();
        assert!(
            steps.is_sorted() && steps[0] == 0 && steps[9] == RAMP.len() - 1,
            "{column:?}"
        );
    }

    #[test]
    fn an_odd_last_row_leaves_the_lower_half_to_the_ground() {
        let cells = Cells::draw(
            &image(4, 3, |_, _| [9, 9, 9, 255]),
            (4, 2),
            2.0,
            ColorLevel::True,
            BACK,
        )
        .unwrap();
        assert_eq!(cells.size(), (4, 2));
        assert!(
            cells
                .lines()
                .nth(1)
                .unwrap()
                .iter()
                .all(|c| c.bg == Color::Reset)
        );
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 2));
        let ground = Color::Rgb(19, 19, 19);
        buffer.set_style(buffer.area, ratatui::style::Style::new().bg(ground));
        (&cells).render(buffer.area, &mut buffer);
        assert_eq!(buffer[(1, 1)].bg, ground);
        assert_eq!(rgb(buffer[(1, 0)].bg), [9; 3]);
    }

    #[test]
    fn rendering_centers_crops_and_overwrites() {
        let cells = Cells::draw(
            &image(4, 4, |_, _| [9, 9, 9, 255]),
            (4, 2),
            2.0,
            ColorLevel::True,
            BACK,
        )
        .unwrap();
        let mut buffer = Buffer::filled(Rect::new(0, 0, 10, 6), ratatui::buffer::Cell::new("x"));
        (&cells).render(Rect::new(0, 0, 10, 6), &mut buffer);
        assert_eq!(buffer[(3, 2)].symbol(), "▀");
        assert_eq!(
            (
                buffer[(2, 2)].symbol(),
                buffer[(3, 1)].symbol(),
                buffer[(7, 2)].symbol()
            ),
            ("x", "x", "x")
        );
        (&cells).render(Rect::new(8, 5, 30, 30), &mut buffer);
        let mut small = Buffer::empty(Rect::new(0, 0, 2, 1));
        (&cells).render(small.area, &mut small);
        assert_eq!(small[(1, 0)].symbol(), "▀");
    }
}
