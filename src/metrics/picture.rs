//! Flaws of a picture that can be found without a model: truncated, tiny, black, blank, nearly
//! uniform.

use serde::{Deserialize, Serialize};

use benchtop_model::generation::Pixels;

/// Incremented whenever the same picture would give another result.
pub const VERSION: u32 = 1;

/// A picture with a side below this many pixels is tiny: too small for any question.
pub const TINY: u32 = 32;
/// A picture is black if no channel of any pixel exceeds this value, of 255.
pub const BLACK: u8 = 12;
/// A picture is blank if no channel varies by more than this, of 255.
pub const BLANK: u8 = 2;
/// A picture is nearly uniform if the standard deviation of every channel is below this, of 255.
pub const UNIFORM_DEVIATION: f64 = 3.0;
/// A picture is also nearly uniform if the entropy of every channel is below this, in bits of 8.
/// More than 99 of 100 pixels then have one level.
pub const UNIFORM_ENTROPY: f64 = 0.05;

/// A flaw of a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flaw {
    /// The file is truncated or cannot be decoded; the decoder's message.
    Damaged(String),
    /// Width and height in pixels, one of them below [`TINY`].
    Tiny(u32, u32),
    Black,
    /// One color only: red, green, blue.
    Blank([u8; 3]),
    /// Nearly one color.
    Uniform {
        /// The largest standard deviation of a channel, of 255.
        deviation: f64,
        /// The largest entropy of a channel, in bits.
        entropy: f64,
    },
}

/// Statistics of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Smallest value of each channel.
    pub least: [u8; 3],
    /// Largest value of each channel.
    pub most: [u8; 3],
    /// Standard deviation of each channel (population), of 255.
    pub deviation: [f64; 3],
    /// Entropy of the 256 levels of each channel, in bits (Shannon 1948). The entropy of gray
    /// levels alone would be 0 for two equally bright colors.
    pub entropy: [f64; 3],
}

/// Computes the statistics of `pixels`. `None` for a picture without pixels, or without exactly
/// three bytes per pixel.
pub fn spread(pixels: &Pixels) -> Option<Spread> {
    let (all, _) = pixels.rgb.as_chunks::<3>();
    if all.is_empty()
        || pixels.rgb.len() as u64 != 3 * u64::from(pixels.width) * u64::from(pixels.height)
    {
        return None;
    }
    let (mut least, mut most) = ([255u8; 3], [0u8; 3]);
    let (mut sum, mut squares) = ([0u64; 3], [0u64; 3]);
    let mut levels = [[0u64; 256]; 3];
    for pixel in all {
        for (at, &value) in pixel.iter().enumerate() {
            least[at] = least[at].min(value);
            most[at] = most[at].max(value);
            sum[at] += u64::from(value);
            squares[at] += u64::from(value) * u64::from(value);
            levels[at][usize::from(value)] += 1;
        }
    }
    let count = all.len() as f64;
    let deviation = |at: usize| {
        let mean = sum[at] as f64 / count;
        (squares[at] as f64 / count - mean * mean).max(0.0).sqrt()
    };
    let entropy = |at: usize| -> f64 {
        let shares = levels[at]
            .iter()
            .filter(|n| **n > 0)
            .map(|n| *n as f64 / count);
        shares.map(|share| share * (1.0 / share).log2()).sum()
    };
    Some(Spread {
        least,
        most,
        deviation: [0, 1, 2].map(deviation),
        entropy: [0, 1, 2].map(entropy),
    })
}

/// The flaws of a decoded picture, worst first, or of one that could not be decoded.
pub fn flaws(decoded: Result<&Pixels, &str>) -> Vec<Flaw> {
    let pixels = match decoded {
        Ok(pixels) => pixels,
        Err(why) => return vec![Flaw::Damaged(why.to_string())],
    };
    let mut found = Vec::new();
    if pixels.width.min(pixels.height) < TINY {
        found.push(Flaw::Tiny(pixels.width, pixels.height));
    }
    let Some(spread) = spread(pixels) else {
        found.insert(
            0,
            Flaw::Damaged("the number of pixels is 0 or does not match the picture's size".into()),
        );
        return found;
    };
    let varies = (0..3)
        .map(|i| spread.most[i] - spread.least[i])
        .max()
        .unwrap_or_default();
    let deviation = spread.deviation.into_iter().fold(0.0, f64::max);
    let entropy = spread.entropy.into_iter().fold(0.0, f64::max);
    if spread.most.iter().all(|m| *m <= BLACK) {
        found.push(Flaw::Black);
    } else if varies <= BLANK {
        found.push(Flaw::Blank(spread.least));
    } else if deviation < UNIFORM_DEVIATION || entropy < UNIFORM_ENTROPY {
        found.push(Flaw::Uniform { deviation, entropy });
    }
    found
}

/// Whether a picture file lacks the end marker of its format. Some decoders silently fill the
/// missing part with gray. Data after the end is ignored. Unknown formats are never reported.
pub fn cut_off(bytes: &[u8]) -> Option<Flaw> {
    let lacks = |what: &str| Some(Flaw::Damaged(format!("the file is truncated: {what}")));
    let has = |mark: &[u8]| memchr::memmem::rfind(bytes, mark).is_some();
    match bytes {
        [] => Some(Flaw::Damaged("the file is empty".into())),
        [0x89, b'P', b'N', b'G', ..] if !has(b"IEND\xae\x42\x60\x82") => {
            lacks("PNG without IEND chunk")
        }
        [0xff, 0xd8, 0xff, ..] if !has(b"\xff\xd9") => lacks("JPEG without end marker"),
        [b'G', b'I', b'F', b'8', ..] if !bytes.trim_ascii_end().ends_with(b";") => {
            lacks("GIF without trailer")
        }
        [
            b'R',
            b'I',
            b'F',
            b'F',
            a,
            b,
            c,
            d,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => {
            let stated = u64::from(u32::from_le_bytes([*a, *b, *c, *d])) + 8;
            match bytes.len() as u64 >= stated {
                true => None,
                false => lacks(&format!("WebP of {stated} bytes has only {}", bytes.len())),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(side: u32, color: impl Fn(u32) -> [u8; 3]) -> Pixels {
        Pixels {
            width: side,
            height: side,
            rgb: (0..side * side).flat_map(color).collect(),
        }
    }

    #[test]
    fn every_flaw_is_found_and_a_sound_picture_has_none() {
        let sound = picture(64, |i| [(i % 251) as u8, (i / 16) as u8, 99]);
        assert_eq!(flaws(Ok(&sound)), []);
        assert_eq!(
            flaws(Ok(&picture(64, |i| [(i % 13) as u8, 0, 3]))),
            [Flaw::Black]
        );
        assert_eq!(
            flaws(Ok(&picture(64, |i| [200, 100 + (i % 3) as u8, 50]))),
            [Flaw::Blank([200, 100, 50])]
        );
        assert_eq!(
            flaws(Ok(&picture(64, |_| [255; 3]))),
            [Flaw::Blank([255; 3])]
        );
        // Faint noise; a white page with one dot.
        for nearly in [
            picture(64, |i| [100 + (i % 7) as u8, 90, 80]),
            picture(64, |i| if i == 9 { [0; 3] } else { [255; 3] }),
        ] {
            assert!(matches!(
                flaws(Ok(&nearly)).as_slice(),
                [Flaw::Uniform { .. }]
            ));
        }
        // Two colors of equal brightness.
        assert_eq!(
            flaws(Ok(&picture(64, |i| if i % 2 == 0 {
                [255, 0, 0]
            } else {
                [0, 130, 0]
            }))),
            []
        );
        assert_eq!(
            flaws(Ok(&picture(31, |i| [(i % 251) as u8, 0, 99]))),
            [Flaw::Tiny(31, 31)]
        );
        assert_eq!(
            flaws(Ok(&picture(2, |_| [0; 3]))),
            [Flaw::Tiny(2, 2), Flaw::Black]
        );
        assert_eq!(flaws(Err("no IEND")), [Flaw::Damaged("no IEND".into())]);
        for odd in [
            Pixels::default(),
            Pixels {
                width: 40,
                height: 40,
                rgb: vec![1; 5],
            },
        ] {
            assert!(matches!(flaws(Ok(&odd))[0], Flaw::Damaged(_)));
        }
    }

    #[test]
    fn deviation_and_entropy_match_definitions() {
        let halves = spread(&picture(64, |i| if i % 2 == 0 { [0; 3] } else { [200; 3] })).unwrap();
        assert_eq!((halves.deviation, halves.entropy), ([100.0; 3], [1.0; 3]));
        let four = spread(&picture(64, |i| [(i % 4) as u8 * 60; 3])).unwrap();
        assert!((four.entropy[0] - 2.0).abs() < 1e-12);
        assert_eq!((four.least, four.most), ([0; 3], [180; 3]));
        assert_eq!(spread(&picture(64, |_| [7; 3])).unwrap().entropy, [0.0; 3]);
    }

    #[test]
    fn truncated_file_lacks_end_marker() {
        use image::ImageFormat::{Gif, Jpeg, Png, WebP};
        let pixels = picture(64, |i| [(i % 251) as u8, (i / 16) as u8, (i % 17) as u8]);
        let image =
            image::DynamicImage::ImageRgb8(image::RgbImage::from_raw(64, 64, pixels.rgb).unwrap());
        for format in [Png, Jpeg, Gif, WebP] {
            let mut file = std::io::Cursor::new(Vec::new());
            image.write_to(&mut file, format).unwrap();
            let whole = file.into_inner();
            assert_eq!(cut_off(&whole), None, "{format:?}");
            let mut more = whole.clone();
            more.extend(b"\n");
            assert_eq!(cut_off(&more), None, "{format:?} with something behind it");
            for length in [whole.len() - 3, whole.len() / 2, 16] {
                assert!(
                    cut_off(&whole[..length]).is_some(),
                    "{format:?} of {length} bytes"
                );
            }
        }
        assert!(cut_off(b"").is_some());
        assert_eq!(cut_off(b"BM who knows"), None);
    }
}
