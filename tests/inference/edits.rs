//! `/v1/images/edits` against a local server: what is sent, and what counts as a failure.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use benchtop::files::project::Project;
use benchtop::inference::request_meter::RequestMeter;
use benchtop::inference::{ImageGenerator, generate_all};
use benchtop::model::config::generate::Fields;
use benchtop::model::generation::{FailureKind, Init, Pixels, RespectedInputs, Task};
use benchtop::model::vlm::Usage;
use benchtop::model::{ImageRef, PixelBox};
use benchtop::pipeline::picture_edit::{Edit, EditEvent, PictureEdit, edit_pictures};
use benchtop::raster::edit::Ratio;
use serde_json::json;

use super::http::{endpoint, generator, one, settings};
use super::server::{Act, Server, png};

fn start(masked: bool) -> Init {
    let mask = |i: usize| if i % 64 < 20 { 255 } else { 0 };
    Init {
        image: Pixels {
            width: 64,
            height: 64,
            rgb: (0..3 * 64 * 64).map(|i| (i * 7 % 251) as u8).collect(),
        },
        mask: masked.then(|| (0..64 * 64).map(mask).collect()),
        strength: 1.0,
    }
}

fn edit(init: Init) -> Task {
    Task {
        prompt: "a \"red\" ball\r\n--on grass".into(),
        negative_prompt: Some("blue".into()),
        seed: u64::MAX,
        init: Some(init),
        ..Task::default()
    }
}

#[test]
fn an_edit_is_sent_as_a_form_with_picture_and_mask() {
    let server = Server::new(|_| Act::Picture(&["seed", "guidance_scale"]));
    let picture = one(&server, 1, &edit(start(true))).unwrap();
    let seen = server.seen().remove(0);
    assert_eq!(seen.line, "POST /v1/images/edits");
    assert!(
        seen.content_type
            .starts_with("multipart/form-data; boundary=")
    );
    assert_eq!(
        seen.body,
        json!({
            "model": "tiny", "prompt": "a \"red\" ball\r\n--on grass", "n": 1, "size": "64x64",
            "response_format": "b64_json", "seed": 4294967295u64, "num_inference_steps": 4,
            "guidance_scale": 5.0, "negative_prompt": "blue",
        })
    );
    let names: Vec<_> = seen.files.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["image", "mask"]);
    for (name, headers, _) in &seen.files {
        assert!(
            headers.contains(&format!("filename=\"{name}.png\"")),
            "{headers}"
        );
        assert!(headers.contains("Content-Type: image/png"), "{headers}");
    }
    let decoded = |at: usize| image::load_from_memory(&seen.files[at].2).unwrap();
    let (image, mask) = (decoded(0), decoded(1));
    assert_eq!(image.color(), image::ColorType::Rgb8);
    assert_eq!(image.into_rgb8().into_raw(), start(true).image.rgb);
    assert_eq!(mask.color(), image::ColorType::Rgba8);
    // Transparent is repainted. White is, too, for servers that ignore alpha.
    for (x, y, pixel) in mask.into_rgba8().enumerate_pixels() {
        let expected = if x < 20 {
            [255, 255, 255, 0]
        } else {
            [0, 0, 0, 255]
        };
        assert_eq!(pixel.0, expected, "{x} {y}");
    }
    assert_eq!(
        picture.respected,
        RespectedInputs {
            seed: true,
            guidance: true,
            mask: true,
            ..RespectedInputs::default()
        }
    );
    assert_eq!((picture.pixels.width, picture.pixels.height), (64, 64));
}

#[test]
fn an_edit_without_a_mask_and_with_other_fields() {
    let server = Server::new(|_| Act::Picture(&[]));
    let fields = Fields {
        seed: "a\"b".into(),
        steps: String::new(),
        response_format: String::new(),
        ..Fields::default()
    };
    let mut endpoint = endpoint(server.url(), 1);
    endpoint.fields = fields;
    let init = Init {
        strength: 0.25,
        ..start(false)
    };
    let mut generator = generator(vec![endpoint], 1);
    let can = generator.capabilities().respects;
    assert!(can.init && can.mask && !can.seed);
    let picture = generate_all(&mut generator, &settings(), &[edit(init)]).remove(0);
    let picture = picture.unwrap();
    let seen = server.seen().remove(0);
    assert_eq!(seen.files.len(), 1);
    assert_eq!(seen.body["a%22b"], json!(4294967295u64));
    for unsent in ["num_inference_steps", "response_format", "seed"] {
        assert_eq!(seen.body.get(unsent), None, "{unsent}");
    }
    assert_eq!(
        picture.respected,
        RespectedInputs {
            init: true,
            ..RespectedInputs::default()
        }
    );
    assert!(
        picture
            .notes
            .iter()
            .any(|note| note.contains("strength 0.25"))
    );
}

#[test]
fn each_bad_answer_to_an_edit_is_a_failure() {
    let mut torn = png(64, 64, "torn");
    torn.truncate(torn.len() / 2);
    let refused = r#"{"error":{"message":"unsafe prompt"}}"#;
    let cases = [
        (
            Act::Image(png(128, 64, "wide")),
            FailureKind::BadOutput,
            "128x64",
        ),
        (
            Act::Body(b"{\"data\": []}".to_vec()),
            FailureKind::BadOutput,
            "no picture",
        ),
        (
            Act::Body(b"{}".to_vec()),
            FailureKind::BadOutput,
            "no picture",
        ),
        (Act::Image(torn), FailureKind::BadOutput, "incomplete"),
        (Act::Image(Vec::new()), FailureKind::BadOutput, ""),
        (Act::Cut, FailureKind::Transport, ""),
        (
            Act::Status(400, vec![], refused.into()),
            FailureKind::Refused,
            "unsafe prompt",
        ),
        (
            Act::Status(404, vec![], String::new()),
            FailureKind::Refused,
            "404",
        ),
    ];
    for (act, kind, what) in cases {
        let shown: String = format!("{act:?}").chars().take(60).collect();
        let server = Server::new(move |_| act.clone());
        let failure = one(&server, 1, &edit(start(true))).unwrap_err();
        assert_eq!(failure.kind, kind, "{shown}: {}", failure.reason);
        assert!(failure.reason.contains(what), "{shown}: {}", failure.reason);
        assert!(
            failure.reason.starts_with("http://127.0.0.1:"),
            "{}",
            failure.reason
        );
    }
}

#[test]
fn an_edit_is_tried_again_with_the_same_body() {
    let server = Server::new(|seen| match seen.before {
        0 => Act::Image(png(128, 64, "wide")),
        1 => Act::Status(503, vec![("retry-after", "0".into())], String::new()),
        _ => Act::Picture(&[]),
    });
    one(&server, 4, &edit(start(true))).unwrap();
    let seen = server.seen();
    assert_eq!(seen.iter().map(|s| s.before).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(seen.iter().all(|s| s.content_type == seen[0].content_type));
}

#[test]
fn what_does_not_fit_is_not_sent() {
    let server = Server::new(|_| Act::Picture(&[]));
    let small = Init {
        mask: Some(vec![255; 9]),
        ..start(true)
    };
    let other = Init {
        image: Pixels {
            width: 32,
            ..start(true).image
        },
        ..start(true)
    };
    let strong = Init {
        strength: 1.5,
        ..start(true)
    };
    for wrong in [small, other, strong] {
        let failure = one(&server, 2, &edit(wrong)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Input);
    }
    assert!(server.seen().is_empty());
}

/// Allows so many requests, and counts the tokens of the answers.
struct Meter(AtomicU64, AtomicU64);

impl RequestMeter for Meter {
    fn before_request(&self) -> Result<(), String> {
        let left = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        left.map(|_| ()).map_err(|_| "the budget is spent".into())
    }

    fn after_answer(&self, usage: Option<Usage>) {
        let tokens = usage.map_or(0, |u| u.prompt + u.completion);
        self.1.fetch_add(tokens, Ordering::SeqCst);
    }
}

#[test]
fn edits_count_against_a_budget_and_their_tokens_are_read() {
    use base64::Engine as _;
    let data = base64::engine::general_purpose::STANDARD.encode(png(64, 64, "a"));
    let answer = json!({
        "data": [{ "b64_json": data }],
        "usage": { "input_tokens": 30, "output_tokens": 12 },
    });
    let server = Server::new(move |_| Act::Body(answer.to_string().into()));
    let mut generator = generator(vec![endpoint(server.url(), 1)], 1);
    let meter = Arc::new(Meter(AtomicU64::new(2), AtomicU64::new(0)));
    generator.count_requests(Arc::clone(&meter) as Arc<dyn RequestMeter>);
    let tasks = vec![edit(start(true)); 5];
    let results = generate_all(&mut generator, &settings(), &tasks);
    let made = results.iter().filter(|r| r.is_ok()).count();
    assert_eq!((made, server.seen().len()), (2, 2));
    let unsent = results.iter().filter_map(|r| r.as_ref().err());
    assert!(unsent.clone().all(|f| f.kind == FailureKind::Cancelled));
    assert_eq!(unsent.count(), 3);
    assert_eq!(meter.1.load(Ordering::SeqCst), 84);
}

/// VLB's strategies through a server: what is sent, and what is kept of its pictures.
#[test]
fn edited_pictures_keep_the_bytes_outside_of_the_mask() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(&dir.path().join("p")).unwrap();
    let (width, height) = (161u32, 99u32);
    let source = image::RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([(x * 37 + y * 11) as u8, (x * y) as u8, (y * 53) as u8])
    });
    let mut bytes = std::io::Cursor::new(Vec::new());
    source
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    let bytes = bytes.into_inner();
    let located = ImageRef {
        hash: Some(blake3::hash(&bytes).to_hex().to_string()),
        ext: Some("png".into()),
        ..ImageRef::named("kite.png")
    };
    let path = project.root().join(located.stored().unwrap());
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, &bytes).unwrap();
    let server = Server::new(|seen| {
        let size = seen.body["size"].as_str().unwrap();
        let (wide, high) = size.split_once('x').unwrap();
        Act::Image(png(wide.parse().unwrap(), high.parse().unwrap(), "painted"))
    });
    let mut painter = generator(vec![endpoint(server.url(), 1)], 1);
    let area = PixelBox::new([40, 30, 80, 60]).unwrap();
    let edits = [
        Edit::Add {
            object: "a ball".into(),
            area,
        },
        Edit::Remove {
            object: "a cup".into(),
            areas: vec![area],
        },
        Edit::Extend {
            ratio: Ratio::of(1.25).unwrap(),
        },
    ];
    let prompts = ["a red ball", "grass", "a wide lawn"];
    let list: Vec<PictureEdit<'_>> = edits
        .iter()
        .zip(prompts)
        .zip(1u64..)
        .map(|((edit, prompt), seed)| PictureEdit {
            source: &located,
            folder: "vlb",
            edit: edit.clone(),
            prompt,
            negative_prompt: None,
            seed,
        })
        .collect();
    let mut made = vec![None; 3];
    edit_pictures(&project, &mut painter, &settings(), &list, &mut |event| {
        if let EditEvent::Done { index, result } = event {
            made[index] = Some(result.unwrap());
        }
        true
    })
    .unwrap();
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    for (at, made) in made.into_iter().map(Option::unwrap).enumerate() {
        let is_own = |seen: &&super::server::Seen| seen.body["prompt"] == prompts[at];
        let request = seen.iter().find(is_own).unwrap();
        assert_eq!(request.line, "POST /v1/images/edits");
        assert_eq!(request.body["seed"], at as u64 + 1);
        let decoded = |file: usize| image::load_from_memory(&request.files[file].2).unwrap();
        let (start, mask) = (decoded(0).into_rgb8(), decoded(1).into_rgba8());
        let size = format!("{}x{}", start.width(), start.height());
        assert_eq!(
            (request.body["size"].as_str(), mask.dimensions()),
            (Some(&*size), start.dimensions())
        );
        assert!(start.width() % 8 == 0 && start.height() % 8 == 0);
        let stored = project.root().join(made.image.stored().unwrap());
        let read = image::open(stored).unwrap().into_rgb8();
        let place = |n: usize| made.parameters["place"][n].as_u64().unwrap() as u32;
        // The picture is padded evenly; what is transparent in the mask is painted.
        let left = (start.width() - read.width()) / 2;
        let top = (start.height() - read.height()) / 2;
        let (mut kept, mut painted) = (0, 0);
        for (x, y, pixel) in source.enumerate_pixels() {
            let at = (x + place(0), y + place(1));
            let on_canvas = (at.0 + left, at.1 + top);
            assert_eq!(start[on_canvas], *pixel);
            match mask[on_canvas].0[3] {
                255 => {
                    assert_eq!(read[at], *pixel, "{at:?}");
                    kept += 1;
                }
                _ => painted += 1,
            }
        }
        assert!(kept > 0 && painted > 0, "{kept} {painted}");
        if at < 2 {
            let middle = (60 + left, 45 + top);
            assert_eq!(mask[middle].0[3], 0);
            assert_ne!(read[(60, 45)], source[(60, 45)]);
        } else {
            assert_eq!(read.dimensions(), (201, 124));
            assert_eq!(mask[(0, 0)].0[3], 0);
        }
    }
}
