use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::generate::png;
use benchtop_files::project::Project;
use benchtop_inference::storyboard::Storyboard;
use benchtop_inference::{GenerationEvent, ImageGenerator};
use benchtop_model::generation::{
    Capabilities, Failure, FailureKind, Fingerprint, Picture, Pixels, RespectedInputs, Settings,
    Task,
};
use benchtop_model::{Derivation, ImageRef, Item, Key, PixelBox};
use benchtop_raster::decode::{DecodedImage, decode};
use benchtop_raster::edit::Ratio;
use image::{DynamicImage, RgbImage, RgbaImage};

/// Odd, tiny, long, not divisible by 8, and larger than painters accept.
const SIZES: [(u32, u32); 7] = [
    (641, 427),
    (63, 63),
    (9, 9),
    (64, 64),
    (333, 77),
    (8, 2600),
    (1501, 784),
];

fn noise(size: (u32, u32)) -> RgbImage {
    let mut state = size.0 * 31 + size.1;
    RgbImage::from_fn(size.0, size.1, |_, _| {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 8) as u8
        };
        image::Rgb([next(), next(), next()])
    })
}

struct Place {
    _dir: tempfile::TempDir,
    project: Project,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(&dir.path().join("p")).unwrap();
        Place { _dir: dir, project }
    }

    fn keep(&self, picture: DynamicImage) -> ImageRef {
        let bytes = png::derived(&DecodedImage::new(picture)).unwrap();
        png::keep(&self.project, "a/1.jpg", false, &bytes)
            .unwrap()
            .0
    }

    fn read(&self, image: &ImageRef) -> DynamicImage {
        let path = self.project.root().join(image.stored().unwrap());
        decode(&std::fs::read(path).unwrap())
            .unwrap()
            .pixels()
            .clone()
    }

    fn edit(
        &self,
        painter: &mut dyn ImageGenerator,
        edits: &[PictureEdit<'_>],
    ) -> Vec<Result<EditedPicture, Failure>> {
        let settings = painter.capabilities().recommended.clone();
        let mut results: Vec<_> = edits.iter().map(|_| None).collect();
        edit_pictures(&self.project, painter, &settings, edits, &mut |event| {
            if let EditEvent::Done { index, result } = event {
                assert!(results[index].replace(result).is_none(), "told twice");
            }
            true
        })
        .unwrap();
        results.into_iter().map(Option::unwrap).collect()
    }
}

fn asked(source: &ImageRef, edit: Edit) -> PictureEdit<'_> {
    PictureEdit {
        source,
        folder: "V/try-1",
        edit,
        prompt: "a red ball",
        negative_prompt: None,
        seed: 7,
    }
}

/// A box in the middle, of at least 8 pixels.
fn middle((width, height): (u32, u32)) -> PixelBox {
    let side = |whole: u32| {
        let long = (whole / 4).max(8).min(whole);
        ((whole - long) / 2, (whole - long) / 2 + long)
    };
    let ((x0, x1), (y0, y1)) = (side(width), side(height));
    PixelBox::new([x0, y0, x1, y1]).unwrap()
}

fn each_edit(size: (u32, u32)) -> Vec<Edit> {
    let mut edits = vec![
        Edit::Add {
            object: "a ball".into(),
            area: middle(size),
        },
        Edit::Remove {
            object: "a cup".into(),
            areas: vec![
                middle(size),
                PixelBox::new([0, 0, size.0.min(8), size.1.min(8)]).unwrap(),
            ],
        },
    ];
    edits.extend(Ratio::ALL.map(|ratio| Edit::Extend { ratio }));
    edits
}

/// Whether a pixel of the result is so far from what was to be repainted that it must be that of the
/// source. Computed from the boxes or the frame alone.
fn is_kept(edit: &Edit, size: (u32, u32), (x, y): (i64, i64)) -> bool {
    let feather = i64::from((size.0.min(size.1) / 64).max(2));
    if let Edit::Extend { .. } = edit {
        let (width, height) = (i64::from(size.0), i64::from(size.1));
        // The frame begins a pixel outside of the source.
        let near = (x + 1).min(y + 1).min(width - x).min(height - y);
        return near >= feather;
    }
    let far = 2 * feather;
    edit.boxes().iter().all(|area| {
        let [x0, y0, x1, y1] = area.sides().map(i64::from);
        let across = (x0 - x).max(x - (x1 - 1));
        let down = (y0 - y).max(y - (y1 - 1));
        across.max(down) >= far
    })
}

/// Checks the bytes of a result. Returns how many pixels were kept and changed.
fn check(edit: &Edit, source: &RgbImage, result: &RgbImage, at: (u32, u32)) -> (usize, usize) {
    let size = source.dimensions();
    let (mut kept, mut changed) = (0, 0);
    for (x, y, pixel) in source.enumerate_pixels() {
        let found = result[(x + at.0, y + at.1)];
        if is_kept(edit, size, (i64::from(x), i64::from(y))) {
            assert_eq!(found, *pixel, "{edit:?} {size:?} at {x}, {y}");
            kept += 1;
        } else if found != *pixel {
            changed += 1;
        }
    }
    (kept, changed)
}

#[test]
fn bytes_outside_the_soft_mask_are_those_of_the_source_at_every_size() {
    let place = Place::new();
    for size in SIZES {
        let source = noise(size);
        let image = place.keep(source.clone().into());
        let edits = each_edit(size);
        let list: Vec<_> = edits
            .iter()
            .map(|edit| asked(&image, edit.clone()))
            .collect();
        let results = place.edit(&mut Storyboard::new(), &list);
        for (edit, result) in edits.iter().zip(results) {
            let result = result.unwrap_or_else(|f| panic!("{edit:?} {size:?}: {f}"));
            let read = place.read(&result.image).to_rgb8();
            let number =
                |name: &str, at: usize| result.parameters[name][at].as_u64().unwrap() as u32;
            assert_eq!(read.dimensions(), (number("size", 0), number("size", 1)));
            let at = (number("place", 0), number("place", 1));
            let (kept, changed) = check(edit, &source, &read, at);
            if size.0.min(size.1) >= 63 {
                assert!(kept > 0, "{edit:?} {size:?}");
            }
            match edit {
                Edit::Extend { ratio } => {
                    let larger = |side: u32| f64::from(side) * ratio.value();
                    let (width, height) = (larger(size.0), larger(size.1));
                    let (w, h) = read.dimensions();
                    assert!(
                        (f64::from(w) - width).abs() <= 2.0 && (f64::from(h) - height).abs() <= 2.0
                    );
                    assert_ne!(read.dimensions(), size);
                }
                _ => {
                    assert_eq!((read.dimensions(), at), (size, (0, 0)));
                    assert!(changed > 0, "{edit:?} {size:?}");
                }
            }
            assert!(result.image.draft);
        }
    }
}

/// A painter that paints one color with a dark corner, or what a test says, and counts its calls.
struct Scripted {
    capabilities: Capabilities,
    seen: Vec<(Settings, Vec<Task>)>,
    paint: fn(usize, &Settings, &Task) -> Result<Pixels, Failure>,
    made: Arc<AtomicUsize>,
}

fn green(_: usize, settings: &Settings, _: &Task) -> Result<Pixels, Failure> {
    let picture = RgbImage::from_fn(settings.width, settings.height, |x, _| {
        image::Rgb([0, if x == 0 { 9 } else { 255 }, 0])
    });
    Ok(Pixels {
        width: settings.width,
        height: settings.height,
        rgb: picture.into_raw(),
    })
}

impl Scripted {
    fn new(paint: fn(usize, &Settings, &Task) -> Result<Pixels, Failure>) -> Scripted {
        let board = Storyboard::new();
        Scripted {
            capabilities: Capabilities {
                name: "scripted".into(),
                max_batch: 4,
                multiple_of: 8,
                sides: (64, 512),
                draft: false,
                ..board.capabilities().clone()
            },
            seen: Vec::new(),
            paint,
            made: Arc::default(),
        }
    }
}

impl ImageGenerator for Scripted {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fingerprint(&self, _: &Settings) -> Fingerprint {
        Fingerprint::default().with("backend", "scripted")
    }

    fn generate(
        &mut self,
        settings: &Settings,
        tasks: &[Task],
        watch: &mut dyn FnMut(GenerationEvent) -> bool,
    ) {
        self.seen.push((settings.clone(), tasks.to_vec()));
        let mut goes_on = true;
        for (index, task) in tasks.iter().enumerate() {
            assert_eq!(self.capabilities.refusal_reason(settings, task), None);
            let result = match goes_on {
                true => (self.paint)(self.made.fetch_add(1, Ordering::Relaxed), settings, task),
                false => Err(Failure::cancelled()),
            };
            let result = result.map(|pixels| Picture {
                pixels,
                respected: RespectedInputs::default(),
                notes: vec!["a note".into()],
            });
            goes_on &= watch(GenerationEvent::Done { index, result });
        }
    }
}

#[test]
fn the_painter_gets_picture_mask_prompt_and_seed_in_batches_of_one_size() {
    let place = Place::new();
    let (wide, small) = (noise((641, 427)), noise((100, 100)));
    let images = [place.keep(wide.into()), place.keep(small.clone().into())];
    let area = PixelBox::new([20, 30, 60, 70]).unwrap();
    let add = || Edit::Add {
        object: "a ball".into(),
        area,
    };
    let list: Vec<_> = [0, 1, 0, 1, 1]
        .map(|n| PictureEdit {
            negative_prompt: Some("blue"),
            seed: u64::MAX - n as u64,
            ..asked(&images[n], add())
        })
        .to_vec();
    let mut painter = Scripted::new(green);
    let results = place.edit(&mut painter, &list);
    let sizes: Vec<_> = painter
        .seen
        .iter()
        .map(|(settings, tasks)| (settings.width, settings.height, tasks.len()))
        .collect();
    // 641x427 is scaled to the painter's 512.
    assert_eq!(sizes, [(104, 104, 2), (512, 344, 2), (104, 104, 1)]);
    let task = &painter.seen[0].1[0];
    assert_eq!((&*task.prompt, task.seed), ("a red ball", u64::MAX - 1));
    assert_eq!(task.negative_prompt.as_deref(), Some("blue"));
    let init = task.init.as_ref().unwrap();
    let mask = init.mask.as_ref().unwrap();
    assert_eq!(init.strength, 1.0);
    // 100 pixels are padded by 2 on each side; the mask grows by 2 and has a soft edge of 2.
    for y in 0..104usize {
        for x in 0..104usize {
            let inside = (22 - 4..62 + 4).contains(&x) && (32 - 4..72 + 4).contains(&y);
            assert_eq!(mask[y * 104 + x], if inside { 255 } else { 0 }, "{x} {y}");
            if (2..102).contains(&x) && (2..102).contains(&y) {
                let at = 3 * (y * 104 + x);
                let pixel = small[(x as u32 - 2, y as u32 - 2)].0;
                assert_eq!(init.image.rgb[at..at + 3], pixel, "{x} {y}");
            }
        }
    }
    let first = results[1].as_ref().unwrap();
    let read = place.read(&first.image).to_rgb8();
    assert_eq!(read[(40, 50)].0, [0, 255, 0]);
    assert!(!first.image.draft && first.notes == ["a note"]);
    assert_eq!(first.image.name, "V/try-1/a/1.png");
    let parameters = &first.parameters;
    assert_eq!(parameters["strategy"], "V1");
    assert_eq!(parameters["boxes"], serde_json::json!([[20, 30, 60, 70]]));
    assert_eq!(parameters["seed"].as_u64(), Some(u64::MAX - 1));
    assert_eq!(
        (&parameters["grow"], &parameters["feather"]),
        (&2.into(), &2.into())
    );
    assert_eq!(
        (&parameters["painter"], &parameters["object"]),
        (&"scripted".into(), &"a ball".into())
    );
    // The start image is part of the fingerprint.
    let print = |n: usize| &results[n].as_ref().unwrap().parameters["fingerprint"];
    assert_eq!(print(1), print(3));
    assert_ne!(print(0), print(1));
    let item = Item::blank("d", Key::Int(1));
    let mut derivation = Derivation::of(&item, "vlb", "1");
    derivation.parameters = chained(&[parameters.clone(), parameters.clone()]);
    derivation.check("v/1").unwrap();
    assert_eq!(derivation.seed(), Some(u64::MAX - 1));
}

#[test]
fn alpha_stays_outside_of_the_mask_and_is_opaque_inside() {
    let place = Place::new();
    let source = RgbaImage::from_fn(131, 97, |x, y| {
        image::Rgba([x as u8, y as u8, 77, ((x + y) % 256) as u8])
    });
    let image = place.keep(source.clone().into());
    let edits = each_edit((131, 97));
    let list: Vec<_> = edits
        .iter()
        .map(|edit| asked(&image, edit.clone()))
        .collect();
    for (edit, result) in edits
        .iter()
        .zip(place.edit(&mut Scripted::new(green), &list))
    {
        let result = result.unwrap();
        let read = place.read(&result.image).to_rgba8();
        let at = |n: usize| result.parameters["place"][n].as_u64().unwrap() as u32;
        for (x, y, pixel) in source.enumerate_pixels() {
            if is_kept(edit, (131, 97), (i64::from(x), i64::from(y))) {
                assert_eq!(read[(x + at(0), y + at(1))], *pixel, "{edit:?} {x} {y}");
            }
        }
        let painted = match edit {
            Edit::Extend { .. } => (1, 1),
            _ => (65, 48),
        };
        assert_eq!(read[painted].0, [0, 255, 0, 255], "{edit:?}");
    }
}

#[test]
fn the_second_edit_of_a_composition_begins_with_the_result_of_the_first() {
    let place = Place::new();
    let source = noise((120, 90));
    let image = place.keep(source.clone().into());
    let area = PixelBox::new([30, 30, 60, 60]).unwrap();
    let add = Edit::Add {
        object: "a ball".into(),
        area,
    };
    let mut painter = Scripted::new(green);
    let first = place
        .edit(&mut painter, &[asked(&image, add)])
        .remove(0)
        .unwrap();
    let extend = Edit::Extend {
        ratio: Ratio::default(),
    };
    let second = place
        .edit(&mut painter, &[asked(&first.image, extend)])
        .remove(0)
        .unwrap();
    let read = place.read(&second.image).to_rgb8();
    assert_eq!(read.dimensions(), (180, 135));
    let both = chained(&[first.parameters, second.parameters]);
    assert_eq!(both["edits"][0]["strategy"], "V1");
    assert_eq!(both["edits"][1]["ratio"], 1.5);
    let at = &both["edits"][1]["place"];
    let (left, top) = (
        at[0].as_u64().unwrap() as u32,
        at[1].as_u64().unwrap() as u32,
    );
    assert_eq!((left, top), (30, 22));
    assert_eq!(read[(left + 45, top + 45)].0, [0, 255, 0]);
    assert_eq!(read[(left + 10, top + 10)], source[(10, 10)]);
}

#[test]
fn bad_paintings_and_edits_that_do_not_fit_are_failures_of_their_own() {
    let place = Place::new();
    let image = place.keep(noise((100, 100)).into());
    let missing = ImageRef {
        hash: Some("0a".repeat(32)),
        ext: Some("png".into()),
        ..ImageRef::named("gone.png")
    };
    let add = |sides| Edit::Add {
        object: "a ball".into(),
        area: PixelBox::new(sides).unwrap(),
    };
    let good = add([20, 20, 60, 60]);
    let mut painter = Scripted::new(|at, settings, task| match at {
        0 => Ok(Pixels {
            width: 64,
            height: 64,
            rgb: vec![3; 3 * 64 * 64],
        }),
        1 => Ok(Pixels {
            rgb: vec![0; task.init.as_ref().unwrap().image.rgb.len()],
            ..task.init.as_ref().unwrap().image.clone()
        }),
        2 => Ok(task.init.as_ref().unwrap().image.clone()),
        3 => Err(Failure::new(FailureKind::Refused, "no")),
        _ => green(at, settings, task),
    });
    let nameless = Edit::Remove {
        object: " ".into(),
        areas: vec![PixelBox::new([20, 20, 60, 60]).unwrap()],
    };
    let boxless = Edit::Remove {
        object: "a cup".into(),
        areas: Vec::new(),
    };
    let list = [
        asked(&image, good.clone()),
        asked(&image, good.clone()),
        asked(&image, good.clone()),
        asked(&image, good.clone()),
        asked(&image, add([60, 60, 101, 90])),
        asked(&missing, good.clone()),
        asked(&image, nameless),
        asked(&image, boxless),
        PictureEdit {
            prompt: "\n",
            ..asked(&image, good.clone())
        },
        asked(&image, good.clone()),
    ];
    let results = place.edit(&mut painter, &list);
    let kinds: Vec<_> = results
        .iter()
        .map(|r| r.as_ref().err().map(|f| f.kind))
        .collect();
    let (bad, input) = (Some(FailureKind::BadOutput), Some(FailureKind::Input));
    let refused = Some(FailureKind::Refused);
    assert_eq!(
        kinds,
        [
            bad, bad, bad, refused, input, input, input, input, input, None
        ]
    );
}

#[test]
fn a_stop_leaves_the_rest_canceled_and_what_is_done_on_disk() {
    let place = Place::new();
    let image = place.keep(noise((100, 100)).into());
    let good = Edit::Extend {
        ratio: Ratio::default(),
    };
    let list = vec![asked(&image, good); 9];
    let mut painter = Scripted::new(green);
    let settings = painter.capabilities().recommended.clone();
    let (mut done, mut canceled) = (Vec::new(), 0);
    edit_pictures(
        &place.project,
        &mut painter,
        &settings,
        &list,
        &mut |event| {
            match event {
                EditEvent::Done {
                    result: Ok(made), ..
                } => done.push(made),
                EditEvent::Done {
                    result: Err(failure),
                    ..
                } => {
                    assert_eq!(failure.kind, FailureKind::Cancelled);
                    canceled += 1;
                }
                EditEvent::Alive => {}
            }
            done.len() < 2
        },
    )
    .unwrap();
    assert_eq!((done.len(), canceled, painter.seen.len()), (2, 7, 1));
    for made in done {
        assert_eq!(place.read(&made.image).width(), 150);
    }
}

#[test]
fn a_full_disk_ends_the_call_and_tells_nothing_that_is_not_stored() {
    let place = Place::new();
    let image = place.keep(noise((100, 100)).into());
    let mut painter = Scripted::new(green);
    let settings = painter.capabilities().recommended.clone();
    let good = Edit::Extend {
        ratio: Ratio::default(),
    };
    let list = vec![asked(&image, good); 2];
    let images = place.project.root().join("images");
    let mut told = 0;
    let problem = edit_pictures(&place.project, &mut painter, &settings, &list, &mut |_| {
        told += 1;
        // No other picture can be stored: the folder is a file.
        let aside = place.project.root().join("aside");
        std::fs::rename(&images, aside).unwrap();
        std::fs::write(&images, b"").unwrap();
        true
    });
    assert!(problem.is_err());
    assert_eq!(told, 1);
}
