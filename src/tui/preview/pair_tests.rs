use super::*;

fn image(width: u32, height: u32, f: impl Fn(u32, u32) -> [u8; 4]) -> DecodedImage {
    DecodedImage::new(RgbaImage::from_fn(width, height, |x, y| Rgba(f(x, y))).into())
}

fn plain(width: u32, height: u32, red: u8) -> DecodedImage {
    image(width, height, move |_, _| [red, 0, 0, 255])
}

const ROOM: Room = Room {
    size: (42, 20),
    stretch: 1.0,
    gap: 2,
};

fn part(show: Show) -> Part {
    Part {
        show,
        region: Region::default(),
    }
}

#[test]
fn two_pictures_get_boxes_of_the_same_size() {
    let (made, share) = draw(
        &[plain(20, 20, 9), plain(10, 20, 200)],
        part(Show::Beside),
        ROOM,
        [0; 3],
    )
    .unwrap();
    assert_eq!((made.dimensions(), share), ((42, 20), None));
    assert_eq!(
        (made[(0, 0)].0, made[(20, 0)].0, made[(22, 0)].0),
        ([9, 0, 0, 255], [0; 4], [0; 4])
    );
    assert_eq!(
        (made[(27, 0)].0, made[(36, 19)].0, made[(37, 0)].0),
        ([200, 0, 0, 255], [200, 0, 0, 255], [0; 4])
    );
    // A room no wider than the gap shows nothing, and does not fail.
    let none = Room {
        size: (1, 1),
        ..ROOM
    };
    assert!(
        draw(
            &[plain(4, 4, 1), plain(4, 4, 2)],
            part(Show::Beside),
            none,
            [0; 3]
        )
        .is_ok()
    );
}

#[test]
fn one_picture_of_a_pair_is_drawn_like_a_single_one() {
    let pair = [plain(20, 20, 9), plain(20, 20, 200)];
    for (show, red) in [(Show::First, 9), (Show::Second, 200)] {
        let (made, _) = draw(&pair, part(show), ROOM, [0; 3]).unwrap();
        assert_eq!((made.dimensions(), made[(3, 3)].0[0]), ((20, 20), red));
    }
    // A single picture has no second, no difference, and no side-by-side view.
    for show in [Show::Second, Show::Beside, Show::Difference] {
        let (made, share) = draw(&pair[..1], part(show), ROOM, [0; 3]).unwrap();
        assert_eq!((made[(3, 3)].0[0], share), (9, None));
    }
    assert!(draw(&[], part(Show::First), ROOM, [0; 3]).is_err());
}

#[test]
fn both_sides_show_the_same_region() {
    let halves = |left: u8, right: u8| {
        image(40, 40, move |x, _| {
            [if x < 20 { left } else { right }, 0, 0, 255]
        })
    };
    let region = Region::default().zoom(true).pan(1, 0).pan(1, 0);
    let part = Part {
        show: Show::Beside,
        region,
    };
    let (made, _) = draw(&[halves(1, 50), halves(2, 90)], part, ROOM, [0; 3]).unwrap();
    assert_eq!((made[(0, 0)].0[0], made[(23, 0)].0[0]), (50, 90));
}

#[test]
fn one_changed_pixel_of_many_is_visible() {
    let base = |x: u32, y: u32| [(x % 7 * 30) as u8, (y % 5 * 40) as u8, 90, 255];
    let a = image(400, 400, base);
    let b = image(400, 400, |x, y| {
        if (x, y) == (205, 105) {
            [255; 4]
        } else {
            base(x, y)
        }
    });
    let (made, share) = draw(&[a.clone(), b], part(Show::Difference), ROOM, [0; 3]).unwrap();
    assert_eq!(
        (made.dimensions(), share),
        ((20, 20), Some(1.0 / 160_000.0))
    );
    let bright: Vec<(u32, u32)> = made
        .enumerate_pixels()
        .filter(|(.., p)| p.0[0] == 255)
        .map(|(x, y, _)| (x, y))
        .collect();
    assert_eq!(bright, [(10, 5)]);
    let (same, share) = draw(&[a.clone(), a], part(Show::Difference), ROOM, [0; 3]).unwrap();
    assert!(share == Some(0.0) && same.pixels().all(|p| p.0[0] == p.0[2] && p.0[0] < 64));
}

#[test]
fn noise_is_ignored_and_other_sizes_are_resized_to_compare() {
    let (a, b) = (plain(50, 50, 100), plain(50, 50, 100 + NOISE - 1));
    assert_eq!(
        draw(&[a.clone(), b], part(Show::Difference), ROOM, [0; 3])
            .unwrap()
            .1,
        Some(0.0)
    );
    let larger = plain(100, 100, 100);
    assert_eq!(
        draw(&[a, larger], part(Show::Difference), ROOM, [0; 3])
            .unwrap()
            .1,
        Some(0.0)
    );
    let clear = image(50, 50, |_, _| [255, 255, 255, 0]);
    let black = plain(50, 50, 0);
    assert_eq!(
        draw(&[clear, black], part(Show::Difference), ROOM, [0; 3])
            .unwrap()
            .1,
        Some(0.0),
        "over a black background"
    );
}
