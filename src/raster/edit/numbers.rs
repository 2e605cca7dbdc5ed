//! Numbered boxes on a picture, so that a model can name objects by number (VLB's V2).

use benchtop_model::Region;
use image::{Rgb, RgbImage};

use crate::letters::Word;

/// The smallest letters of a number, in pixels.
const LEAST: f32 = 10.0;
const INK: Rgb<u8> = Rgb([255, 255, 255]);
/// Colors of boxes, dark enough for white numbers. They repeat.
const COLORS: [[u8; 3]; 6] = [
    [200, 30, 30],
    [25, 105, 200],
    [20, 130, 60],
    [150, 50, 170],
    [180, 95, 0],
    [60, 60, 70],
];

/// Draws the frame of each box and its number, from 1, in its upper left corner. The same picture and
/// boxes give the same pixels.
pub fn numbered(picture: &RgbImage, boxes: &[Region]) -> RgbImage {
    let mut drawn = picture.clone();
    let size = picture.dimensions();
    let thick = (size.0.min(size.1) / 160).max(1);
    let letters = (size.0.min(size.1) as f32 / 24.0).max(LEAST);
    for (at, region) in boxes.iter().enumerate() {
        let color = Rgb(COLORS[at % COLORS.len()]);
        let (x, y, width, height) = region.pixels(size);
        for (left, top, wide, high) in [
            (x, y, width, thick),
            (x, (y + height).saturating_sub(thick), width, thick),
            (x, y, thick, height),
            ((x + width).saturating_sub(thick), y, thick, height),
        ] {
            fill(&mut drawn, (left, top), (wide, high), color);
        }
        number(&mut drawn, at + 1, (x, y), letters, color);
    }
    drawn
}

/// Writes a number on a plate. The plate is moved into the picture where it is too close to the edge.
fn number(drawn: &mut RgbImage, number: usize, (x, y): (u32, u32), letters: f32, color: Rgb<u8>) {
    // The font has all digits.
    let Ok(word) = Word::new(&number.to_string()) else {
        return;
    };
    let ink = word.drawn(letters, 0.0);
    let margin = (letters / 5.0).ceil() as u32;
    let plate = (
        ink.width as u32 + 2 * margin,
        ink.height() as u32 + 2 * margin,
    );
    let (width, height) = drawn.dimensions();
    let left = x.min(width.saturating_sub(plate.0));
    let top = y.min(height.saturating_sub(plate.1));
    fill(drawn, (left, top), plate, color);
    for (at, share) in ink.shares.iter().enumerate() {
        let (right, down) = (at % ink.width, at / ink.width);
        let place = (left + margin + right as u32, top + margin + down as u32);
        if let Some(pixel) = drawn.get_pixel_mut_checked(place.0, place.1) {
            for (value, ink) in pixel.0.iter_mut().zip(INK.0) {
                let mixed = f32::from(*value) + (f32::from(ink) - f32::from(*value)) * share;
                *value = (mixed + 0.5) as u8;
            }
        }
    }
}

fn fill(drawn: &mut RgbImage, (x, y): (u32, u32), (width, height): (u32, u32), color: Rgb<u8>) {
    let (right, low) = drawn.dimensions();
    for y in y..(y + height).min(low) {
        for x in x..(x + width).min(right) {
            drawn.put_pixel(x, y, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_box_has_a_frame_and_its_number_and_nothing_else_changes() {
        let gray = RgbImage::from_pixel(640, 480, Rgb([128; 3]));
        let boxes = [
            Region::between((0.1, 0.1), (0.3, 0.3)),
            Region::between((0.5, 0.5), (1.0, 1.0)),
        ];
        let drawn = numbered(&gray, &boxes);
        assert_eq!(drawn, numbered(&gray, &boxes));
        for (at, region) in boxes.iter().enumerate() {
            let (x, y, width, height) = region.pixels((640, 480));
            let color = Rgb(COLORS[at]);
            for place in [
                (x, y),
                (x + width - 1, y),
                (x, y + height - 1),
                (x + width - 1, y + height - 1),
            ] {
                assert_eq!(drawn[place], color, "{at} {place:?}");
            }
            assert_eq!(drawn[(x + width / 2, y + height / 2)], Rgb([128; 3]));
        }
        let is_inside = |x: u32, y: u32| {
            boxes.iter().any(|region| {
                let (left, top, width, height) = region.pixels((640, 480));
                (left..left + width).contains(&x) && (top..top + height).contains(&y)
            })
        };
        for (x, y, pixel) in drawn.enumerate_pixels() {
            assert!(is_inside(x, y) || pixel.0 == [128; 3], "{x} {y}");
        }
        // Another number has other ink.
        let second = numbered(&gray, &[boxes[1], boxes[0]]);
        let white = |picture: &RgbImage, (x, y): (u32, u32)| {
            let pixels = (y..y + 30).flat_map(|y| (x..x + 30).map(move |x| (x, y)));
            pixels
                .filter(|at| picture[*at].0[0] > 240)
                .collect::<Vec<_>>()
        };
        let (one, two) = (white(&drawn, (64, 48)), white(&second, (64, 48)));
        assert!(one.len() > 20 && two.len() > 20 && one != two);
    }

    #[test]
    fn tiny_pictures_and_boxes_at_the_edge_are_drawn() {
        let corner = Region::between((0.97, 0.97), (1.0, 1.0));
        for size in [(1, 1), (8, 9000), (63, 63)] {
            let picture = RgbImage::from_pixel(size.0, size.1, Rgb([9; 3]));
            let drawn = numbered(&picture, &[corner; 120]);
            assert_eq!(drawn.dimensions(), size);
            assert_ne!(drawn, picture);
        }
    }
}
