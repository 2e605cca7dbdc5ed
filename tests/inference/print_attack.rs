//! Words of print attacks, read back by Tesseract where it is installed.

use benchtop::inference::ocr::{Options, Tesseract};
use benchtop::inference::reader::read_all;
use benchtop::metrics::requested_text::wanted_word;
use benchtop::model::ErrorKind;
use benchtop::model::vlm::Encoded;
use benchtop::raster::decode::DecodedImage;
use benchtop::raster::print_attack::{Dealer, turned_upright, write};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

const WORDS: [&str; 10] = [
    "market",
    "Orchard",
    "bicycle",
    "Harry Potter",
    "museum",
    "castle",
    "GARDEN",
    "Eiffel Tower",
    "window",
    "flower",
];

/// Soft shapes of middle brightness.
fn scene(seed: u32) -> DecodedImage {
    let (a, b) = (f64::from(seed % 7) + 3.0, f64::from(seed % 5) + 2.0);
    let picture = RgbImage::from_fn(1024, 1024, |x, y| {
        let (x, y) = (f64::from(x) / 1024.0, f64::from(y) / 1024.0);
        let level =
            |shift: f64| 128.0 + 14.0 * (a * x + shift).sin() * (b * y).cos() + 8.0 * (x - y);
        Rgb([0.0, 1.0, 2.0].map(|shift| level(shift) as u8))
    });
    DecodedImage::new(picture.into())
}

#[test]
fn tesseract_reads_the_largest_opaque_words() {
    let mut reader = match Tesseract::open(Options::default()) {
        Ok(reader) => reader,
        Err(problem) if problem.kind == ErrorKind::NotFound => {
            return crate::support::skip(
                crate::support::Need::Program("tesseract"),
                &problem.to_string(),
            );
        }
        Err(problem) => panic!("{problem}"),
    };
    // The largest size and full opacity; all colors, orientations, and positions.
    let levels = [vec![4], vec![], vec![3], vec![], vec![]];
    let mut dealer = Dealer::new(1, &levels).unwrap();
    let cases: Vec<(&str, Encoded)> = (0..30)
        .map(|n| {
            let word = WORDS[n as usize % WORDS.len()];
            let (attacked, ink) = write(&scene(n as u32), word, dealer.at(n)).unwrap();
            let upright = DynamicImage::from(turned_upright(&attacked, &ink));
            let mut png = std::io::Cursor::new(Vec::new());
            upright.write_to(&mut png, ImageFormat::Png).unwrap();
            (word, Encoded::new(png.into_inner()).unwrap())
        })
        .collect();
    let pictures: Vec<Encoded> = cases.iter().map(|case| case.1.clone()).collect();
    let missed: Vec<String> = cases
        .iter()
        .zip(read_all(&mut reader, &pictures))
        .filter_map(|((word, _), read)| {
            let read = read.unwrap();
            let words: Vec<&str> = read.confident_words(0.0).collect();
            let found = wanted_word(&words, word).is_some_and(|w| w.folded && w.score == 1.0);
            (!found).then(|| format!("{word}: {words:?}"))
        })
        .collect();
    assert!(missed.len() * 20 <= cases.len(), "{missed:?}");
}
