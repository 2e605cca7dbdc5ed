//! Frosted glass: pixels are taken from nearby, between two blurs.

use benchtop_model::rng::{Stream, within};
use image::RgbImage;

use super::blur;

/// Blurs a picture by `sigma`, moves its pixels by up to `reach` pixels `rounds` times, and blurs it
/// again.
pub(super) fn glass(
    picture: &RgbImage,
    (sigma, reach, rounds): (f64, u32, u32),
    key: u64,
) -> RgbImage {
    let mut moved = blur::gaussian(picture, sigma);
    for round in 0..rounds {
        let key = within(key, u64::from(round));
        take_from_nearby(&mut moved, reach, |y| {
            let mut stream = Stream::new(within(key, y as u64));
            let span = u64::from(2 * reach);
            move || {
                let both = stream.next();
                let part = |bits: u64| (((bits & 0xFFFF_FFFF) * span) >> 32) as i32 - reach as i32;
                (part(both), part(both >> 32))
            }
        });
    }
    blur::gaussian(&moved, sigma)
}

/// Replaces each pixel that is more than `reach` pixels from the edge by one at an offset (right,
/// down) in -`reach`..`reach`. Goes from the last pixel to the first, so a pixel can be taken from one
/// that was replaced. ImageNet-C's code says that it swaps the two; in fact it copies the second.
pub(super) fn take_from_nearby<Offsets: FnMut() -> (i32, i32)>(
    picture: &mut RgbImage,
    reach: u32,
    offsets: impl Fn(usize) -> Offsets,
) {
    let (width, height, reach) = (
        picture.width() as usize,
        picture.height() as usize,
        reach as usize,
    );
    let pixels: &mut [u8] = picture;
    for y in (reach + 1..(height + 1).saturating_sub(reach)).rev() {
        let mut next = offsets(y);
        for x in (reach + 1..(width + 1).saturating_sub(reach)).rev() {
            let (right, down) = next();
            // The range keeps both within the picture.
            let from = (y as i64 + i64::from(down)) * width as i64 + x as i64 + i64::from(right);
            let from = from as usize * 3;
            pixels.copy_within(from..from + 3, (y * width + x) * 3);
        }
    }
}
