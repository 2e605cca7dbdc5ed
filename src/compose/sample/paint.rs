//! Draws the sample's pictures. Shapes are large and plain, so they are recognizable even as 40 by
//! 40 half-blocks in a small terminal.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageEncoder, RgbaImage};
use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder,
    Pixmap, Point, RadialGradient, Rect, Shader, SpreadMode, Stroke, Transform,
};

use super::scene::{Scene, Shape, ShapeColor};
use benchtop_model::{Error, ErrorKind, Result};

/// Width and height of a picture in pixels.
pub(super) const SIDE: u32 = 512;
const MIDDLE: f32 = SIDE as f32 / 2.0;

/// Background gradients (top, bottom), light enough for every color.
const GROUNDS: [([u8; 3], [u8; 3]); 6] = [
    ([250, 247, 240], [232, 222, 204]),
    ([242, 248, 253], [205, 222, 238]),
    ([243, 250, 244], [208, 228, 214]),
    ([249, 246, 252], [222, 214, 236]),
    ([252, 245, 244], [238, 217, 214]),
    ([247, 247, 247], [218, 220, 224]),
];

/// Draws `scene` on the background for its index, as PNG.
///
/// # Errors
/// [`ErrorKind::Io`] if memory runs out.
pub(super) fn png(scene: &Scene, place: usize) -> Result<Vec<u8>> {
    let failed = |what: String| {
        Error::new(
            ErrorKind::Io,
            format!("cannot draw a sample picture: {what}"),
        )
    };
    let canvas = draw(scene, place).ok_or_else(|| failed("no canvas".into()))?;
    let rgb = RgbaImage::from_raw(SIDE, SIDE, canvas.take())
        .map(|rgba| DynamicImage::from(rgba).into_rgb8())
        .ok_or_else(|| failed("no pixels".into()))?;
    let mut out = Vec::new();
    PngEncoder::new_with_quality(&mut out, CompressionType::Default, FilterType::Adaptive)
        .write_image(&rgb, SIDE, SIDE, image::ExtendedColorType::Rgb8)
        .map_err(|e| failed(e.to_string()))?;
    Ok(out)
}

/// The pixels of the picture, opaque. `None` if memory runs out.
pub(super) fn draw(scene: &Scene, place: usize) -> Option<Pixmap> {
    let mut canvas = Pixmap::new(SIDE, SIDE)?;
    let (top, bottom) = GROUNDS[place % GROUNDS.len()];
    let stops = vec![
        GradientStop::new(0.0, color(top)),
        GradientStop::new(1.0, color(bottom)),
    ];
    let whole = Rect::from_xywh(0.0, 0.0, SIDE as f32, SIDE as f32)?;
    let down = Point::from_xy(0.0, SIDE as f32);
    let shader = LinearGradient::new(
        Point::zero(),
        down,
        stops,
        SpreadMode::Pad,
        Transform::identity(),
    )?;
    shade(&mut canvas, whole, shader);
    match *scene {
        Scene::One(shape, color) => solid(&mut canvas, shape, color, MIDDLE, MIDDLE - 10.0, 160.0)?,
        Scene::Two(left, right) => {
            solid(&mut canvas, left.0, left.1, 140.0, MIDDLE, 104.0)?;
            solid(&mut canvas, right.0, right.1, 372.0, MIDDLE, 104.0)?;
        }
        Scene::Many(n, shape, color) => {
            let (spots, size) = spots(n);
            for (x, y) in spots {
                solid(&mut canvas, shape, color, x, y, size)?;
            }
        }
        Scene::Letter(letter, color) => {
            solid(
                &mut canvas,
                Shape::Circle,
                color,
                MIDDLE,
                MIDDLE - 6.0,
                206.0,
            )?;
            let path = glyph(letter, MIDDLE, MIDDLE - 6.0, 92.0, 118.0)?;
            let stroke = Stroke {
                width: 46.0,
                line_cap: LineCap::Round,
                line_join: LineJoin::Round,
                ..Stroke::default()
            };
            canvas.stroke_path(
                &path,
                &plain([255, 255, 255]),
                &stroke,
                Transform::identity(),
                None,
            );
        }
    }
    Some(canvas)
}

/// Centers of `n` shapes, up to three per row, and their radius.
fn spots(n: u32) -> (Vec<(f32, f32)>, f32) {
    let upper = if n <= 3 { n } else { n.div_ceil(2) };
    let (step, size) = if upper <= 2 {
        (226.0, 98.0)
    } else {
        (166.0, 70.0)
    };
    let row = |count: u32, y: f32| {
        (0..count)
            .map(move |i| (MIDDLE + (i as f32 - (count as f32 - 1.0) / 2.0) * step, y))
            .collect::<Vec<_>>()
    };
    let spots = match n - upper {
        0 => row(upper, MIDDLE),
        lower => [
            row(upper, MIDDLE - step * 0.57),
            row(lower, MIDDLE + step * 0.57),
        ]
        .concat(),
    };
    (spots, size)
}

/// A shape with an outline and a soft shadow.
fn solid(
    canvas: &mut Pixmap,
    shape: Shape,
    color: ShapeColor,
    x: f32,
    y: f32,
    size: f32,
) -> Option<()> {
    shadow(canvas, x, y + size * 1.08, size)?;
    let path = outline(shape, x, y, size)?;
    let rule = FillRule::EvenOdd;
    canvas.fill_path(
        &path,
        &plain(color.rgb()),
        rule,
        Transform::identity(),
        None,
    );
    let edge = color.rgb().map(|c| (f32::from(c) * 0.72) as u8);
    let stroke = Stroke {
        width: (size * 0.045).max(4.0),
        line_join: LineJoin::Round,
        ..Stroke::default()
    };
    canvas.stroke_path(&path, &plain(edge), &stroke, Transform::identity(), None);
    Some(())
}

fn shadow(canvas: &mut Pixmap, x: f32, y: f32, size: f32) -> Option<()> {
    let stops = vec![
        GradientStop::new(0.0, Color::from_rgba8(40, 40, 60, 70)),
        GradientStop::new(1.0, Color::from_rgba8(40, 40, 60, 0)),
    ];
    let flat = Transform::from_row(1.0, 0.0, 0.0, 0.16, 0.0, y * 0.84);
    let middle = Point::from_xy(x, y);
    let shader = RadialGradient::new(middle, middle, size, stops, SpreadMode::Pad, flat)?;
    let oval = Rect::from_xywh(x - size, y - size * 0.16, size * 2.0, size * 0.32)?;
    shade(canvas, oval, shader);
    Some(())
}

fn shade(canvas: &mut Pixmap, area: Rect, shader: Shader<'_>) {
    let paint = Paint {
        shader,
        ..Paint::default()
    };
    canvas.fill_rect(area, &paint, Transform::identity(), None);
}

/// The outline of a shape around (x, y) with radius `size`.
fn outline(shape: Shape, x: f32, y: f32, size: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    let polygon = |path: &mut PathBuilder, corners: &[(f32, f32)]| {
        polyline(path, corners, (x, y), (size, size));
        path.close();
    };
    match shape {
        Shape::Circle => path.push_circle(x, y, size),
        Shape::Ring => {
            path.push_circle(x, y, size);
            path.push_circle(x, y, size * 0.5);
        }
        Shape::Square => {
            let half = size * 0.86;
            path.push_rect(Rect::from_xywh(x - half, y - half, half * 2.0, half * 2.0)?);
        }
        Shape::Triangle => polygon(&mut path, &[(0.0, -0.95), (1.0, 0.85), (-1.0, 0.85)]),
        Shape::Diamond => {
            let corners = [(0.0, -1.0), (0.64, 0.0), (0.0, 1.0), (-0.64, 0.0)];
            polygon(&mut path, &corners);
        }
        Shape::Hexagon => {
            let corners: Vec<_> = (0..6).map(|i| turn(i as f32 / 6.0, 1.0)).collect();
            polygon(&mut path, &corners);
        }
        Shape::Star => {
            let corners: Vec<_> = (0..10)
                .map(|i| turn(i as f32 / 10.0, if i % 2 == 0 { 1.05 } else { 0.44 }))
                .collect();
            polygon(&mut path, &corners);
        }
        Shape::Cross => {
            let (a, b) = (0.32, 0.96);
            let corners = [
                (-a, -b),
                (a, -b),
                (a, -a),
                (b, -a),
                (b, a),
                (a, a),
                (a, b),
                (-a, b),
                (-a, a),
                (-b, a),
                (-b, -a),
                (-a, -a),
            ];
            polygon(&mut path, &corners);
        }
        Shape::Heart => {
            let at = |u: f32, v: f32| (x + u * size, y + v * size);
            let (tip, dip) = (at(0.0, 0.95), at(0.0, -0.42));
            path.move_to(tip.0, tip.1);
            for side in [-1.0, 1.0] {
                let (low, high) = (at(side * 1.75, -0.3), at(side * 0.7, -1.45));
                let (from, to, end) = if side < 0.0 {
                    (low, high, dip)
                } else {
                    (high, low, tip)
                };
                path.cubic_to(from.0, from.1, to.0, to.1, end.0, end.1);
            }
            path.close();
        }
    }
    path.finish()
}

/// The point at `share` of a full turn, clockwise from the top, at distance `reach`.
fn turn(share: f32, reach: f32) -> (f32, f32) {
    let (sin, cos) = (share * std::f32::consts::TAU).sin_cos();
    (sin * reach, -cos * reach)
}

/// Lines from corner to corner, around (x, y), with coordinates from -1 to 1 scaled by (wide, high).
fn polyline(
    path: &mut PathBuilder,
    corners: &[(f32, f32)],
    (x, y): (f32, f32),
    (wide, high): (f32, f32),
) {
    for (i, (u, v)) in corners.iter().enumerate() {
        let (px, py) = (x + u * wide, y + v * high);
        if i == 0 {
            path.move_to(px, py)
        } else {
            path.line_to(px, py)
        }
    }
}

/// The strokes of a capital letter, in a box of half-width `wide` and half-height `high` around (x,
/// y).
fn glyph(letter: char, x: f32, y: f32, wide: f32, high: f32) -> Option<Path> {
    // Coordinates from -1 to 1, y downward.
    let strokes: &[&[(f32, f32)]] = match letter {
        'A' => &[
            &[(-1.0, 1.0), (0.0, -1.0), (1.0, 1.0)],
            &[(-0.6, 0.3), (0.6, 0.3)],
        ],
        'E' => &[
            &[(0.85, -1.0), (-0.85, -1.0), (-0.85, 1.0), (0.85, 1.0)],
            &[(-0.85, 0.0), (0.6, 0.0)],
        ],
        'F' => &[
            &[(0.85, -1.0), (-0.85, -1.0), (-0.85, 1.0)],
            &[(-0.85, 0.0), (0.6, 0.0)],
        ],
        'H' => &[
            &[(-0.9, -1.0), (-0.9, 1.0)],
            &[(0.9, -1.0), (0.9, 1.0)],
            &[(-0.9, 0.0), (0.9, 0.0)],
        ],
        'K' => &[
            &[(-0.8, -1.0), (-0.8, 1.0)],
            &[(0.9, -1.0), (-0.7, 0.1)],
            &[(-0.2, -0.2), (0.9, 1.0)],
        ],
        'L' => &[&[(-0.8, -1.0), (-0.8, 1.0), (0.85, 1.0)]],
        'M' => &[&[
            (-1.05, 1.0),
            (-1.05, -1.0),
            (0.0, 0.35),
            (1.05, -1.0),
            (1.05, 1.0),
        ]],
        'N' => &[&[(-0.9, 1.0), (-0.9, -1.0), (0.9, 1.0), (0.9, -1.0)]],
        'T' => &[&[(-1.0, -1.0), (1.0, -1.0)], &[(0.0, -1.0), (0.0, 1.0)]],
        'X' => &[&[(-0.9, -1.0), (0.9, 1.0)], &[(0.9, -1.0), (-0.9, 1.0)]],
        'Z' => &[&[(-0.9, -1.0), (0.9, -1.0), (-0.9, 1.0), (0.9, 1.0)]],
        _ => return None,
    };
    let mut path = PathBuilder::new();
    for stroke in strokes {
        polyline(&mut path, stroke, (x, y), (wide, high));
    }
    path.finish()
}

fn color([r, g, b]: [u8; 3]) -> Color {
    Color::from_rgba8(r, g, b, 255)
}

fn plain(rgb: [u8; 3]) -> Paint<'static> {
    let mut paint = Paint {
        anti_alias: true,
        ..Paint::default()
    };
    paint.set_color(color(rgb));
    paint
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The picture in a small terminal: 40 by 40 half-blocks, each the mean of its pixels.
    fn cells(scene: &Scene) -> Vec<[f32; 3]> {
        let canvas = draw(scene, 5).unwrap();
        let pixel = |x: usize, y: usize| &canvas.data()[(y * SIDE as usize + x) * 4..][..3];
        let edge = |i: usize| i * SIDE as usize / 40;
        let mut out = Vec::new();
        for row in 0..40 {
            for column in 0..40 {
                let mut sum = [0.0; 3];
                let mut n = 0.0;
                for y in edge(row)..edge(row + 1) {
                    for x in edge(column)..edge(column + 1) {
                        pixel(x, y)
                            .iter()
                            .zip(&mut sum)
                            .for_each(|(p, s)| *s += f32::from(*p));
                        n += 1.0;
                    }
                }
                out.push(sum.map(|s| s / n));
            }
        }
        out
    }

    fn near(cell: &[f32; 3], rgb: [u8; 3]) -> bool {
        cell.iter()
            .zip(rgb)
            .all(|(c, w)| (c - f32::from(w)).abs() < 60.0)
    }

    fn painted(scene: &Scene, rgb: [u8; 3]) -> Vec<bool> {
        cells(scene).iter().map(|cell| near(cell, rgb)).collect()
    }

    fn apart(a: &[bool], b: &[bool]) -> usize {
        a.iter().zip(b).filter(|(a, b)| a != b).count()
    }

    #[test]
    fn shapes_differ_as_half_blocks() {
        let masks: Vec<_> = Shape::ALL
            .iter()
            .map(|s| painted(&Scene::One(*s, ShapeColor::Blue), ShapeColor::Blue.rgb()))
            .collect();
        for (i, a) in masks.iter().enumerate() {
            let area = a.iter().filter(|p| **p).count();
            assert!(area > 150, "{:?} covers {area} cells", Shape::ALL[i]);
            for (j, b) in masks.iter().enumerate().take(i) {
                assert!(
                    apart(a, b) > 60,
                    "{:?} and {:?}: {} cells",
                    Shape::ALL[i],
                    Shape::ALL[j],
                    apart(a, b)
                );
            }
        }
    }

    #[test]
    fn letters_differ_as_half_blocks() {
        let letters = super::super::items::LETTERS;
        let masks = letters.map(|l| painted(&Scene::Letter(l, ShapeColor::Blue), [255, 255, 255]));
        for (i, a) in masks.iter().enumerate() {
            for (j, b) in masks.iter().enumerate().take(i) {
                assert!(
                    apart(a, b) > 30,
                    "{} and {}: {} cells",
                    letters[i],
                    letters[j],
                    apart(a, b)
                );
            }
        }
    }

    #[test]
    fn colors_keep_their_names_as_half_blocks() {
        for color in ShapeColor::ALL {
            let shown = cells(&Scene::One(Shape::Square, color))[20 * 40 + 20];
            let distance = |c: ShapeColor| -> f32 {
                c.rgb()
                    .iter()
                    .zip(shown)
                    .map(|(a, b)| (f32::from(*a) - b).abs())
                    .sum()
            };
            let nearest = ShapeColor::ALL
                .into_iter()
                .min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
            assert_eq!(nearest, Some(color));
            for (top, bottom) in GROUNDS {
                for ground in [top, bottom] {
                    let contrast: i32 = ground
                        .iter()
                        .zip(color.rgb())
                        .map(|(g, c)| (i32::from(*g) - i32::from(c)).abs())
                        .sum();
                    assert!(contrast > 100, "{color:?} on {ground:?}: {contrast}");
                }
            }
        }
    }

    #[test]
    fn shapes_do_not_touch() {
        for n in 2..=6 {
            let (spots, size) = spots(n);
            assert_eq!(spots.len(), n as usize);
            let inside = size..=SIDE as f32 - size;
            for (i, a) in spots.iter().enumerate() {
                assert!(inside.contains(&a.0) && inside.contains(&a.1), "{n}: {a:?}");
                for b in &spots[..i] {
                    assert!(
                        (a.0 - b.0).hypot(a.1 - b.1) > size * 2.1,
                        "{n}: {a:?} {b:?}"
                    );
                }
            }
        }
    }
}
