use super::*;
use crate::item::{Picture, Sides, ViewState};
use crate::pane::recorder::Recorder;
use crate::panes::review::Queue;
use crate::panes::review::testing::fetched;
use crate::preview::{Part, Show};
use benchtop_model::{Form, ImageRef, Key, Pair, PictureSeen, QuestionKind, Status};
use benchtop_protocol::wire::ItemView;
use std::path::Path;

fn image(name: &str, there: bool) -> ImageRef {
    let hash = there.then(|| blake3::hash(name.as_bytes()).to_hex().to_string());
    ImageRef {
        name: name.into(),
        hash,
        ext: Some("jpg".into()),
        ..ImageRef::default()
    }
}

fn item(number: u32, images: Vec<ImageRef>, pair: Option<(i64, Side)>) -> Item {
    Item {
        id: format!("mvp/{number}"),
        dataset: "mvp".into(),
        key: Key::Int(number.into()),
        form: Form::Plain,
        images,
        prompt: None,
        negative_prompt: None,
        instruction: None,
        question: "Is he sad?".into(),
        kind: QuestionKind::YesNo,
        options: vec![],
        answer: "yes".into(),
        task: None,
        subtask: None,
        granularity: None,
        level: None,
        style: None,
        pair: pair.map(|(id, side)| Pair {
            id: Key::Int(id),
            side,
        }),
        rotation: None,
        provenance: None,
        derivation: None,
        variant: None,
        edited: None,
        extra: serde_json::Map::new(),
    }
}

fn take(pane: &mut ReviewPane, number: u32, item: &Item) -> Vec<u32> {
    let json = serde_json::to_string(item).unwrap();
    let view = ItemView {
        number,
        json,
        status: Status::Pending,
        rev: 0,
        text_rev: 0,
        standing: vec![],
        stale: None,
        original: None,
        chips: vec![],
        comments: 0,
    };
    let effects = rec().call(pane, |pane, cx| pane.on_item(number, Ok(view), cx));
    fetched(&effects)
}

fn rec() -> Recorder {
    Recorder::new().unwrap()
}

fn root() -> &'static Path {
    Path::new("/project")
}

/// The pictures of the current item.
fn sides_of(pane: &ReviewPane) -> Option<Sides> {
    crate::item::sides(pane.current().unwrap(), &pane.paired(), root())
}

/// A pane on item `number` of twenty, in a queue of that item alone.
fn on(number: u32) -> ReviewPane {
    let mut pane = ReviewPane::default();
    rec().call(&mut pane, |pane, cx| {
        pane.set_queue(Queue::of("x".into(), vec![number], 20), None, cx);
    });
    pane
}

#[test]
fn an_item_with_two_pictures_is_its_own_pair() {
    let mut pane = on(1);
    take(
        &mut pane,
        1,
        &item(
            1,
            vec![image("a/cat.jpg", true), image("b/dog.jpg", true)],
            None,
        ),
    );
    let sides = sides_of(&pane).unwrap();
    assert_eq!(
        (sides.names.clone(), sides.asked),
        (vec!["cat.jpg".to_string(), "dog.jpg".to_string()], None)
    );
    assert!(
        !sides.same()
            && sides.sources[0]
                .as_ref()
                .unwrap()
                .1
                .starts_with("/project/images")
    );
    assert_eq!(
        sides.caption(Show::Beside),
        [Some("A cat.jpg".into()), Some("B dog.jpg".into())]
    );
    take(
        &mut pane,
        1,
        &item(
            1,
            vec![image("cat.jpg", true), image("gone.jpg", false)],
            None,
        ),
    );
    let sides = sides_of(&pane).unwrap();
    assert_eq!(
        sides.sources[1].as_ref().unwrap_err().seen,
        PictureSeen::Missing
    );
    assert!(
        !sides.both() && sides.wanted(Show::Second).is_err() && sides.wanted(Show::Beside).is_err()
    );
    assert_eq!(
        ViewState::default().shown(&sides, true),
        Show::First,
        "a single picture has no sides"
    );
    assert_eq!(
        sides.caption(Show::First)[0].as_deref(),
        Some("A cat.jpg; B is missing")
    );
    take(&mut pane, 1, &item(1, vec![image("cat.jpg", true)], None));
    assert_eq!(sides_of(&pane), None);
}

#[test]
fn the_partner_of_an_mvp_pair_is_fetched() {
    let mut pane = on(10);
    let natural = item(10, vec![image("3_s.jpg", true)], Some((3, Side::Natural)));
    // The queue holds one item. Its neighbors by number are fetched once it is known to have a
    // partner.
    assert_eq!(take(&mut pane, 10, &natural), [8, 9, 11, 12]);
    assert_eq!(sides_of(&pane), None);
    take(
        &mut pane,
        9,
        &item(
            9,
            vec![image("2_e.jpg", true)],
            Some((2, Side::Manipulated)),
        ),
    );
    take(
        &mut pane,
        11,
        &item(
            11,
            vec![image("3_e.jpg", true)],
            Some((3, Side::Manipulated)),
        ),
    );
    let sides = sides_of(&pane).unwrap();
    assert_eq!(
        (sides.names[0].as_str(), sides.asked),
        ("natural", Some(Show::First))
    );
    assert_eq!(
        sides.caption(Show::First)[0].as_deref(),
        Some("A natural, asked about")
    );
    assert_eq!(
        sides.caption(Show::Second)[0].as_deref(),
        Some("B manipulated")
    );
    // From the other side it is the same pair in the same order.
    let mut pane = on(11);
    take(
        &mut pane,
        11,
        &item(
            11,
            vec![image("3_e.jpg", true)],
            Some((3, Side::Manipulated)),
        ),
    );
    take(&mut pane, 10, &natural);
    let other = sides_of(&pane).unwrap();
    assert_eq!(
        (other.sources.clone(), other.asked),
        (sides.sources.clone(), Some(Show::Second))
    );
    // A cross-image question has both in one picture.
    let mut pane = on(5);
    assert!(
        take(
            &mut pane,
            5,
            &item(5, vec![image("3_concat.jpg", true)], Some((3, Side::Cross)))
        )
        .is_empty()
    );
    assert_eq!(sides_of(&pane), None);
    // No items beyond the ends of the project are requested.
    let mut pane = on(20);
    assert_eq!(
        take(
            &mut pane,
            20,
            &item(20, vec![image("3_s.jpg", true)], Some((3, Side::Natural)))
        ),
        [18, 19]
    );
}

#[test]
fn the_shown_pictures_depend_on_the_room_until_one_is_chosen() {
    let mut pane = on(11);
    take(
        &mut pane,
        11,
        &item(
            11,
            vec![image("3_e.jpg", true)],
            Some((3, Side::Manipulated)),
        ),
    );
    take(
        &mut pane,
        10,
        &item(10, vec![image("3_s.jpg", true)], Some((3, Side::Natural))),
    );
    let sides = sides_of(&pane).unwrap();
    let mut looking = ViewState::default();
    assert_eq!(
        (looking.shown(&sides, true), looking.shown(&sides, false)),
        (Show::Beside, Show::Second)
    );
    let mut turns = |wide: bool, n: usize| {
        (0..n)
            .map(|_| {
                looking.turn(&sides, wide);
                looking.shown(&sides, wide)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(turns(true, 3), [Show::First, Show::Second, Show::Beside]);
    assert_eq!(turns(false, 2), [Show::First, Show::Second]);
    let three = Sides {
        names: vec!["x".into(); 3],
        sources: vec![sides.sources[0].clone(); 3],
        asked: None,
    };
    let mut turned = ViewState::default();
    let mut next = || {
        turned.turn(&three, true);
        turned.shown(&three, true)
    };
    assert_eq!(
        [next(), next(), next(), next()],
        [Show::First, Show::Second, Show::Other(2), Show::Beside]
    );
    looking.difference();
    assert_eq!(looking.shown(&sides, false), Show::Difference);
    looking.difference();
    assert_eq!(looking.shown(&sides, true), Show::Beside);
    looking.blink = Some(true);
    assert_eq!(looking.shown(&sides, true), Show::Second);
}

#[test]
fn the_old_picture_stays_while_another_part_of_the_same_files_loads() {
    let mut pane = on(1);
    let made = || {
        let image = benchtop_raster::decode::DecodedImage::new(image::RgbImage::new(4, 4).into());
        let view = crate::preview::View {
            pane: (4, 2),
            cell: (1, 2),
            level: benchtop_model::ColorLevel::True,
            background: [0; 3],
            pixels: None,
            part: Part::default(),
        };
        Picture::Ready(Arc::new(Ok(
            crate::preview::worker::picture(&image, &view).unwrap()
        )))
    };
    let second = Part {
        show: Show::Second,
        ..Part::default()
    };
    pane.set_picture(made(), (Part::default(), Some("a b".into())), false);
    pane.set_picture(Picture::Loading, (second, Some("a b".into())), false);
    assert!(
        matches!(pane.picture(), Picture::Ready(_)) && pane.shown() == Show::First,
        "the visible part is named"
    );
    pane.set_picture(made(), (second, Some("a b".into())), false);
    assert_eq!(pane.shown(), Show::Second);
    // The picture was generated again. A verdict must not apply to the old one.
    pane.set_picture(Picture::Loading, (second, Some("a c".into())), false);
    assert!(matches!(pane.picture(), Picture::Loading));
    pane.set_picture(Picture::Loading, (second, None), false);
    assert!(matches!(pane.picture(), Picture::Loading));
}
