//! What came out is looked at before it is recorded.

use benchtop_model::generation::{Failure, FailureKind, Pixels, Settings};

/// Grey levels within which a picture counts as flat.
const FLAT: u8 = 2;

/// Refuses what is no picture: of another size than was asked for, without all of its pixels, black or of one colour.
///
/// # Errors
/// [`FailureKind::BadOutput`] with the reason.
pub fn check(pixels: &Pixels, settings: &Settings) -> Result<(), Failure> {
    let bad = |reason: String| Err(Failure::new(FailureKind::BadOutput, reason));
    let Pixels { width, height, rgb } = pixels;
    if (*width, *height) != (settings.width, settings.height) {
        return bad(format!(
            "it is {width}x{height} pixels, {}x{} were asked for",
            settings.width, settings.height
        ));
    }
    if rgb.len() != 3 * *width as usize * *height as usize || rgb.is_empty() {
        return bad(format!("{} bytes for {width}x{height} pixels", rgb.len()));
    }
    let (mut least, mut most) = ([u8::MAX; 3], [0; 3]);
    for pixel in rgb.chunks_exact(3) {
        for channel in 0..3 {
            least[channel] = least[channel].min(pixel[channel]);
            most[channel] = most[channel].max(pixel[channel]);
        }
    }
    if most.iter().all(|m| *m <= FLAT) {
        return bad("the picture is black".into());
    }
    if least
        .iter()
        .zip(most)
        .all(|(least, most)| most - least <= FLAT)
    {
        return bad("the picture is of one colour".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::generation::Scheduler;

    #[test]
    fn what_is_no_picture_is_refused_with_the_reason() {
        let settings = Settings {
            width: 2,
            height: 2,
            steps: 1,
            guidance: 1.0,
            scheduler: Scheduler::Euler,
        };
        let of = |rgb: Vec<u8>| {
            check(
                &Pixels {
                    width: 2,
                    height: 2,
                    rgb,
                },
                &settings,
            )
            .map_err(|f| f.reason)
        };
        assert_eq!(of(vec![0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0]), Ok(()));
        assert!(of(vec![2; 12]).unwrap_err().contains("black"));
        assert!(
            of([7, 9, 200].repeat(4))
                .unwrap_err()
                .contains("one colour")
        );
        assert!(of(vec![0; 11]).unwrap_err().contains("11 bytes"));
        let wrong = check(
            &Pixels {
                width: 3,
                height: 2,
                rgb: vec![0; 18],
            },
            &settings,
        )
        .unwrap_err();
        assert!(wrong.kind == FailureKind::BadOutput && wrong.reason.contains("3x2"));
    }
}
