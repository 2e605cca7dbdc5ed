//! Checks generated pictures before they are recorded.

use benchtop_model::generation::{Failure, FailureKind, Pixels, Settings};

/// Range of gray levels within which a picture counts as flat.
const FLAT: u8 = 2;

/// Rejects invalid pictures: of the wrong size, incomplete, black, or of one color.
///
/// # Errors
///
/// [`FailureKind::BadOutput`] with the reason.
pub fn check(pixels: &Pixels, settings: &Settings) -> Result<(), Failure> {
    let bad = |reason: String| Err(Failure::new(FailureKind::BadOutput, reason));
    let Pixels { width, height, rgb } = pixels;
    if (*width, *height) != (settings.width, settings.height) {
        return bad(format!(
            "the picture has {width}x{height} pixels instead of {}x{}",
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
        return bad("the picture has only one color".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::generation::Scheduler;

    #[test]
    fn invalid_pictures_are_rejected_with_a_reason() {
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
        assert!(of([7, 9, 200].repeat(4)).unwrap_err().contains("one color"));
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
