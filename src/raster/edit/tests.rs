use benchtop_model::ErrorKind;
use benchtop_model::region::Region;
use image::{Rgb, RgbImage};
use proptest::prelude::*;

use super::*;

/// The sizes of the tests: odd, tiny, long, large, and the smallest and largest that are painted as
/// they are.
const SIZES: [(u32, u32); 6] = [
    (641, 427),
    (1, 1),
    (17, 4000),
    (5000, 3000),
    (64, 64),
    (2048, 2048),
];

fn picture((width, height): (u32, u32), salt: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let n = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503) ^ salt).rotate_left(9);
        Rgb([n as u8, (n >> 8) as u8, (n >> 16) as u8])
    })
}

fn boxes() -> [Region; 2] {
    [
        Region::of_box([0.1, 0.2, 0.35, 0.5]).unwrap(),
        Region::of_box([0.7, 0.6, 1.0, 1.0]).unwrap(),
    ]
}

fn mask(text: [&str; 4]) -> Mask {
    let of = |b: u8| if b == b'#' { 255 } else { 0 };
    let bytes = text.concat().bytes().map(of).collect();
    Mask::of_bytes((text[0].len() as u32, 4), bytes).unwrap()
}

/// Paints all of the canvas, and puts it back.
fn painted(source: &RgbImage, canvas: &Canvas, weights: &Weights) -> (RgbImage, RgbImage) {
    let (width, height) = canvas.image.dimensions();
    for side in [width, height] {
        assert!(
            (64..=2048).contains(&side) && side % 8 == 0,
            "{width}x{height}"
        );
    }
    assert_eq!(canvas.mask.size(), (width, height));
    let painted = picture((width, height), 77);
    let result = canvas.paste(source, &painted, weights).unwrap();
    assert_eq!(result.dimensions(), source.dimensions());
    (painted, result)
}

/// Outside of the weights, all bytes are the source's. Where they are 255 and nothing was scaled, all
/// bytes are the painted ones. Returns how many pixels of both there are.
fn holds(
    source: &RgbImage,
    result: &RgbImage,
    weights: &Weights,
    fresh: Option<&RgbImage>,
) -> [usize; 2] {
    let mut counts = [0; 2];
    let pairs = source.pixels().zip(result.pixels()).zip(weights.bytes());
    for (i, ((old, new), weight)) in pairs.enumerate() {
        match (weight, fresh) {
            (0, _) => {
                assert_eq!(old, new, "pixel {i}");
                counts[0] += 1;
            }
            (255, Some(fresh)) => {
                let (x, y) = (i as u32 % source.width(), i as u32 / source.width());
                assert_eq!(new, fresh.get_pixel(x, y), "pixel {i}");
                counts[1] += 1;
            }
            _ => {}
        }
    }
    counts
}

/// V1 and V2: an object is added or removed within boxes.
#[test]
fn outside_of_soft_boxes_every_byte_stays() {
    for size in SIZES {
        let source = picture(size, 0);
        let mask = Mask::of_boxes(size, &boxes()).unwrap();
        let weights = mask.soften(5, 9);
        let canvas = Canvas::new(&source, &mask.grown(5), PainterSizes::default()).unwrap();
        assert_eq!(canvas.is_scaled(), size.0.max(size.1) > 2048, "{size:?}");
        let (painted, result) = painted(&source, &canvas, &weights);
        // Without scaling, the source's pixels stand in the middle of the canvas.
        let (w, h) = canvas.image.dimensions();
        let fresh = (!canvas.is_scaled()).then(|| {
            let at = ((w - size.0) / 2, (h - size.1) / 2);
            image::imageops::crop_imm(&painted, at.0, at.1, size.0, size.1).to_image()
        });
        let [kept, made] = holds(&source, &result, &weights, fresh.as_ref());
        if size != (1, 1) {
            assert!(kept > 0 && (made > 0 || canvas.is_scaled()), "{size:?}");
            assert_ne!(source, result, "{size:?}");
        } else {
            assert_eq!((kept, made), (0, 1));
        }
    }
}

/// V3: the frame around the source is painted.
#[test]
fn outpainting_keeps_the_source_at_its_own_pixels() {
    for size in SIZES {
        for ratio in Ratio::ALL {
            // Large pictures are tested once, to save time.
            if size.0 > 2000 && ratio != Ratio::ALL[0] {
                continue;
            }
            let source = picture(size, 0);
            let Outpainted { image, mask, at } = outpaint(&source, ratio).unwrap();
            for (side, whole) in [(size.0, image.width()), (size.1, image.height())] {
                let exact = f64::from(side) * ratio.value();
                let tiny = side < 4 && whole == side + 2;
                assert!(tiny || (f64::from(whole) - exact).abs() <= 0.5, "{size:?}");
            }
            let inner = image::imageops::crop_imm(&image, at.0, at.1, size.0, size.1).to_image();
            assert!(inner == source && at.0 > 0 && at.1 > 0, "{size:?}");
            assert_eq!(image.get_pixel(0, 0), source.get_pixel(0, 0));
            assert_eq!(
                image.get_pixel(image.width() - 1, image.height() - 1),
                source.get_pixel(size.0 - 1, size.1 - 1)
            );
            let kept = mask.bytes().iter().filter(|b| **b == 0).count();
            assert_eq!(kept as u64, u64::from(size.0) * u64::from(size.1));
            // A soft edge takes pixels of the source; without one, it stays whole.
            let canvas = Canvas::new(&image, &mask, PainterSizes::default()).unwrap();
            for weights in [mask.soften(0, 0), mask.soften(0, 4)] {
                let (painted, result) = painted(&image, &canvas, &weights);
                let (w, h) = canvas.image.dimensions();
                let fresh = (!canvas.is_scaled()).then(|| {
                    let (width, height) = image.dimensions();
                    let at = ((w - width) / 2, (h - height) / 2);
                    image::imageops::crop_imm(&painted, at.0, at.1, width, height).to_image()
                });
                let [same, _] = holds(&image, &result, &weights, fresh.as_ref());
                assert!(same > 0 || size.0.min(size.1) < 9, "{size:?}");
                if weights.bytes() == mask.bytes() {
                    let inner = image::imageops::crop_imm(&result, at.0, at.1, size.0, size.1);
                    assert_eq!(inner.to_image(), source, "{size:?}");
                }
            }
        }
    }
}

#[test]
fn a_frame_over_the_limits_and_other_ratios_are_refused() {
    let large = RgbImage::new(9000, 3000);
    for ratio in [Ratio::ALL[2], Ratio::ALL[3]] {
        assert_eq!(outpaint(&large, ratio).unwrap_err().kind, ErrorKind::Input);
    }
    assert_eq!(Ratio::of(1.75).unwrap(), Ratio::ALL[2]);
    assert_eq!(Ratio::of(1.5).unwrap(), Ratio::default());
    for other in [1.0, 1.6, -2.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Ratio::of(other).unwrap_err().kind, ErrorKind::Input);
    }
}

#[test]
fn a_mask_is_the_union_of_its_boxes() {
    let [a, b] = boxes();
    let size = (40, 20);
    let both = Mask::of_boxes(size, &[a, b]).unwrap();
    let one = Mask::of_boxes(size, &[a]).unwrap();
    let joined = one
        .clone()
        .union(&Mask::of_boxes(size, &[b]).unwrap())
        .unwrap();
    assert_eq!(joined, both);
    let (x, y, w, h) = a.pixels(size);
    assert_eq!(one.coverage(), f64::from(w * h) / 800.0);
    assert_eq!(one.bytes()[(y * 40 + x) as usize], 255);
    assert_eq!(one.bytes()[(y * 40 + x - 1) as usize], 0);
    assert_eq!(
        Mask::of_boxes(size, &[Region::WHOLE]).unwrap().coverage(),
        1.0
    );
    assert_eq!(Mask::of_boxes((1, 1), &[a]).unwrap().coverage(), 1.0);
    let wrong = [
        Mask::of_boxes(size, &[]),
        Mask::of_boxes((0, 20), &[a]),
        Mask::of_boxes((20_000, 2), &[a]),
        Mask::of_boxes((16_000, 16_000), &[a]),
        Mask::of_bytes(size, vec![0; 799]),
        one.union(&Mask::of_boxes((20, 40), &[a]).unwrap()),
    ];
    for (i, wrong) in wrong.into_iter().enumerate() {
        assert_eq!(wrong.unwrap_err().kind, ErrorKind::Input, "{i}");
    }
    // Bytes of a segmenter.
    let bytes = Mask::of_bytes((4, 1), vec![0, 127, 128, 255]).unwrap();
    assert_eq!(bytes.bytes(), [0, 0, 255, 255]);
}

#[test]
fn the_edge_of_a_mask_falls_linearly() {
    let mask = mask(["#.......", "........", "........", "........"]);
    let row = |grow, feather| mask.soften(grow, feather).bytes()[..8].to_vec();
    assert_eq!(row(0, 0), [255, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(row(2, 0), [255, 255, 255, 0, 0, 0, 0, 0]);
    assert_eq!(row(1, 5), [255, 255, 204, 153, 102, 51, 0, 0]);
    assert_eq!(row(0, 1), row(0, 0));
    assert_eq!(row(u32::MAX, u32::MAX), [255; 8]);
    assert_eq!(row(0, 510), [255, 255, 254, 254, 253, 253, 252, 252]);
    // Diagonals count as one.
    assert_eq!(mask.soften(1, 0).bytes()[9], 255);
    assert_eq!(mask.grown(1).coverage(), 4.0 / 32.0);
    let empty = Mask::filled((8, 4), false).unwrap();
    assert!(empty.soften(u32::MAX, 9).bytes().iter().all(|b| *b == 0));
    assert_eq!(empty.grown(9), empty);
}

#[test]
fn what_does_not_fit_is_refused() {
    let size = (100, 60);
    let (source, whole) = (picture(size, 0), Mask::filled(size, true).unwrap());
    let sizes = PainterSizes::default();
    let canvas = Canvas::new(&source, &whole, sizes).unwrap();
    let weights = whole.soften(0, 0);
    let made = canvas.image.clone();
    let narrow = PainterSizes {
        multiple_of: 64,
        sides: (65, 127),
    };
    let wrong = [
        Canvas::new(&RgbImage::new(0, 9), &whole, sizes).map(|_| ()),
        Canvas::new(&picture((60, 100), 0), &whole, sizes).map(|_| ()),
        Canvas::new(&source, &Mask::filled(size, false).unwrap(), sizes).map(|_| ()),
        Canvas::new(&source, &whole, narrow).map(|_| ()),
        canvas.paste(&source, &source, &weights).map(|_| ()),
        canvas.paste(&made, &made, &weights).map(|_| ()),
        canvas
            .paste(
                &source,
                &made,
                &Mask::filled((60, 100), true).unwrap().soften(0, 0),
            )
            .map(|_| ()),
    ];
    for (i, wrong) in wrong.into_iter().enumerate() {
        assert_eq!(wrong.unwrap_err().kind, ErrorKind::Input, "{i}");
    }
}

#[test]
fn a_mask_at_an_edge_reaches_into_the_padding() {
    let size = (61, 64);
    let source = picture(size, 0);
    let mask = Mask::of_boxes(size, &[Region::of_box([0.5, 0.0, 1.0, 1.0]).unwrap()]).unwrap();
    let canvas = Canvas::new(&source, &mask, PainterSizes::default()).unwrap();
    assert_eq!(canvas.image.dimensions(), (64, 64));
    // One pixel at the left, two at the right.
    assert_eq!((canvas.mask.bytes()[0], canvas.mask.bytes()[63]), (0, 255));
    assert_eq!(canvas.image.get_pixel(0, 5), source.get_pixel(0, 5));
    assert_eq!(canvas.image.get_pixel(63, 5), source.get_pixel(60, 5));
    // A single pixel of the mask does not get lost when the canvas is smaller.
    let size = (5000, 3000);
    let mut bytes = vec![0; 15_000_000];
    bytes[7_654_321] = 255;
    let dot = Mask::of_bytes(size, bytes).unwrap();
    let canvas = Canvas::new(&RgbImage::new(5000, 3000), &dot, PainterSizes::default()).unwrap();
    assert!(!canvas.mask.is_empty());
}

#[test]
fn a_painter_with_other_sizes_gets_them() {
    let size = (641, 427);
    let mask = Mask::of_boxes(size, &boxes()).unwrap();
    let sizes = PainterSizes {
        multiple_of: 64,
        sides: (128, 520),
    };
    let canvas = Canvas::new(&picture(size, 0), &mask, sizes).unwrap();
    assert_eq!(canvas.image.dimensions(), (512, 384));
    assert!(canvas.is_scaled());
}

proptest! {
    #[test]
    fn distances_are_those_of_every_pair(
        width in 1u32..12,
        height in 1u32..12,
        cells in proptest::collection::vec(0u8..12, 144),
        grow in 0u32..5,
    ) {
        let count = (width * height) as usize;
        let bytes: Vec<u8> = cells[..count].iter().map(|c| if *c == 0 { 255 } else { 0 }).collect();
        let mask = Mask::of_bytes((width, height), bytes.clone()).unwrap();
        let place = |i: usize| (i as u32 % width, i as u32 / width);
        let near = |i: usize| {
            let (x, y) = place(i);
            let on = (0..count).filter(|j| bytes[*j] == 255).map(place);
            on.map(|(a, b)| x.abs_diff(a).max(y.abs_diff(b))).min()
        };
        let expected: Vec<u8> = (0..count)
            .map(|i| if near(i).is_some_and(|d| d <= grow) { 255 } else { 0 })
            .collect();
        let grown = mask.grown(grow);
        prop_assert_eq!(grown.bytes(), &expected[..]);
        let soft = mask.soften(grow, 0);
        prop_assert_eq!(soft.bytes(), &expected[..]);
    }

    #[test]
    fn boxes_go_to_the_canvas_and_back(
        width in 1u32..6000,
        height in 1u32..600,
        sides in [0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0],
    ) {
        let region = Region::between((sides[0], sides[1]), (sides[2], sides[3]));
        let mask = Mask::filled((width, height), true).unwrap();
        let canvas = Canvas::new(&RgbImage::new(width, height), &mask, PainterSizes::default()).unwrap();
        let there = canvas.to_canvas(region);
        let (x, y, w, h) = there.pixels(canvas.image.dimensions());
        prop_assert!(x + w <= canvas.image.width() && y + h <= canvas.image.height());
        let back = canvas.to_source(there).unwrap().shares();
        // A box that is thinner than a region of the canvas comes back thicker.
        let factor = (2048.0 / f64::from(width.max(height))).min(1.0);
        let (whole_width, whole_height) = canvas.image.dimensions();
        let axes = [(whole_width, width), (whole_height, height)];
        for (axis, (whole, side)) in axes.into_iter().enumerate() {
            let shown = (f64::from(side) * factor).round().max(1.0) / f64::from(whole);
            if region.shares()[axis + 2] * shown > 1.0 / 31.0 && shown > 0.2 {
                prop_assert!((back[axis] - region.shares()[axis]).abs() < 1e-3, "{:?} {:?}", back, region);
                prop_assert!((back[axis + 2] - region.shares()[axis + 2]).abs() < 1e-3);
            }
        }
    }
}
