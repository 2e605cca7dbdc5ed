use std::fs;

use super::*;

fn flat(width: u32, height: u32, gray: u8) -> Pixels {
    Pixels {
        width,
        height,
        rgb: vec![gray; (3 * width * height) as usize],
    }
}

fn read(text: &str) -> Result<Preprocessor> {
    let dir = tempfile::TempDir::new().unwrap();
    fs::write(dir.path().join("preprocessor_config.json"), text).unwrap();
    Preprocessor::open(&[dir.path().to_path_buf()], Steps::clip())
}

#[test]
fn missing_fields_have_clips_defaults() {
    let processor = read("{}").unwrap();
    assert_eq!(&processor.steps, &Steps::clip());
    assert_eq!(processor.size(), Some((224, 224)));
    let processor =
        read(r#"{"do_center_crop": false, "size": {"shortest_edge": 7}, "do_normalize": false}"#)
            .unwrap();
    assert_eq!((processor.size(), processor.steps.normalize), (None, None));
    assert_eq!(processor.steps.size, Size::ShortestEdge(7));
    // The longer side is proportional, rounded down: 7 * 31 / 10.
    let cut = processor.cut(&flat(31, 10, 255)).unwrap();
    assert_eq!(
        (cut.width, cut.height, cut.rgb.iter().all(|b| *b == 255)),
        (21, 7, true)
    );
    assert!(
        processor
            .planes(&flat(31, 10, 255))
            .unwrap()
            .iter()
            .all(|v| *v == 1.)
    );
}

#[test]
fn refuses_unsupported_steps_by_field() {
    for (text, says) in [
        (r#"{"do_resize": false}"#, "field `do_resize`"),
        (r#"{"do_rescale": false}"#, "field `do_rescale`"),
        (r#"{"do_pad": true}"#, "field `do_pad`"),
        (r#"{"resample": 0}"#, "field `resample`"),
        (r#"{"resample": "bicubic"}"#, "field `resample`"),
        (
            r#"{"size": {"longest_edge": 224, "shortest_edge": 10}}"#,
            "field `size`",
        ),
        (r#"{"size": {"height": 224}}"#, "field `size`"),
        (r#"{"size": -1}"#, "field `size`"),
        (r#"{"size": "large"}"#, "field `size`"),
        (
            r#"{"crop_size": {"height": 0, "width": 3}}"#,
            "field `crop_size`",
        ),
        (r#"{"image_mean": [0.5, 0.5]}"#, "field `image_mean`"),
        (r#"{"image_std": [0.5, 0.5, 0]}"#, "field `image_std`"),
        (r#"{"rescale_factor": "half"}"#, "field `rescale_factor`"),
        ("[]", "JSON object"),
        ("{", "JSON"),
    ] {
        let said = read(text).err().unwrap().to_string();
        assert!(
            said.contains(says) && said.contains("preprocessor_config.json"),
            "{text}: {said}"
        );
    }
}

#[test]
fn refuses_invalid_pictures() {
    let processor = Preprocessor::new(Steps::clip());
    for picture in [
        flat(0, 5, 0),
        flat(5, 0, 0),
        Pixels {
            rgb: vec![0; 10],
            ..flat(2, 2, 0)
        },
        Pixels::default(),
    ] {
        assert!(
            processor
                .cut(&picture)
                .unwrap_err()
                .to_string()
                .contains("RGB picture")
        );
    }
    let whole = Preprocessor::new(Steps {
        crop: None,
        ..Steps::clip()
    });
    assert!(
        whole
            .cut(&flat(1, 60_000, 9))
            .unwrap_err()
            .to_string()
            .contains("too large")
    );
    // With a crop, only the requested part is computed.
    assert_eq!(
        processor.cut(&flat(1, 60_000, 9)).unwrap(),
        flat(224, 224, 9)
    );
}

#[test]
fn center_crop_matches_transformers() {
    assert_eq!(middle(10, 4), (3..7, 0));
    assert_eq!(middle(11, 4), (3..7, 0));
    assert_eq!(middle(4, 4), (0..4, 0));
    assert_eq!(middle(4, 10), (0..4, 3));
    // Half a pixel below zero rounds down: two black pixels before, one after.
    assert_eq!(middle(4, 7), (0..4, 2));
}
