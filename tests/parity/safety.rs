//! The safety checker against diffusers': scores to the thousandth, the adjustment of special care concepts, flags.

use benchtop::inference::candle::safety::StableDiffusionSafetyChecker;
use benchtop::inference::candle::scorer::Options;
use benchtop::inference::scoring::SafetyChecker;
use benchtop::model::cancel::Cancel;
use benchtop::model::generation::FailureKind;
use candle_core::{Device, Tensor};
use serde::Deserialize;
use std::collections::HashMap;

use super::clip::pictures;
use super::support::{data, linked};

#[derive(Deserialize)]
struct Row {
    special: Vec<f32>,
    concepts: Vec<f32>,
    flagged: bool,
}

fn fixture() -> Vec<Row> {
    serde_json::from_slice(&std::fs::read(data("clip/safety_expected.json")).unwrap()).unwrap()
}

fn options() -> Options {
    Options {
        hash: Some("0".into()),
        together: 2,
        ..Options::cpu()
    }
}

fn agrees(checker: &mut StableDiffusionSafetyChecker) {
    let safety = checker.check(&pictures(), Cancel::NEVER);
    let close = |got: &[f32], expected: &[f32]| {
        // A cosine that is off in its last place may round to the next thousandth.
        assert!(
            got.len() == expected.len()
                && got
                    .iter()
                    .zip(expected)
                    .all(|(g, e)| (g - e).abs() < 1.1e-3)
        );
        assert!(
            got.iter().zip(expected).filter(|(g, e)| g == e).count() + 1 >= got.len(),
            "{got:?} {expected:?}"
        );
    };
    for (safety, row) in safety.into_iter().zip(fixture()) {
        let safety = safety.unwrap();
        close(&safety.special, &row.special);
        close(&safety.concepts, &row.concepts);
        assert_eq!(safety.is_flagged(), row.flagged);
    }
}

#[test]
fn scores_and_flags_are_those_of_diffusers() {
    let rows = fixture();
    assert!(rows.iter().any(|r| r.flagged) && rows.iter().any(|r| !r.flagged));
    // One is flagged only because a special care concept raised its scores, one score is rounded down to nothing.
    let careful = rows
        .iter()
        .find(|r| r.special.iter().any(|s| *s > 0.))
        .unwrap();
    assert!(careful.flagged && careful.concepts.iter().all(|s| *s < 0.01));
    assert!(rows.iter().any(|r| r.concepts.contains(&0.)));
    agrees(
        &mut StableDiffusionSafetyChecker::open(&data("clip/safety_checker"), &options()).unwrap(),
    );
}

/// The published file has the encoder one level deeper.
#[test]
fn the_names_of_older_files_are_found_too() {
    let dir = tempfile::TempDir::new().unwrap();
    let folder = dir.path().join("safety_checker");
    std::fs::create_dir(&folder).unwrap();
    let from = data("clip/safety_checker");
    let all = candle_core::safetensors::load(from.join("model.safetensors"), &Device::Cpu).unwrap();
    let deeper = |name: String| {
        if name.starts_with("vision_model") {
            format!("vision_model.{name}")
        } else {
            name
        }
    };
    let all: HashMap<String, Tensor> = all.into_iter().map(|(name, t)| (deeper(name), t)).collect();
    candle_core::safetensors::save(&all, folder.join("model.safetensors")).unwrap();
    std::fs::copy(from.join("config.json"), folder.join("config.json")).unwrap();
    let opened = StableDiffusionSafetyChecker::open(&folder, &options());
    let said = opened.err().unwrap().to_string();
    assert!(said.contains("preprocessor_config.json"), "{said}");
    let processor = "preprocessor_config.json";
    std::fs::copy(
        data("clip/feature_extractor").join(processor),
        folder.join(processor),
    )
    .unwrap();
    agrees(&mut StableDiffusionSafetyChecker::open(&folder, &options()).unwrap());
}

#[test]
fn a_checker_without_concepts_and_a_picture_without_pixels_are_refused() {
    let said = StableDiffusionSafetyChecker::open(linked(&["clip/openai"]).path(), &options());
    assert!(
        said.err()
            .unwrap()
            .to_string()
            .contains("special_care_embeds")
    );
    let mut checker =
        StableDiffusionSafetyChecker::open(&data("clip/safety_checker"), &options()).unwrap();
    let mut pictures = pictures();
    pictures[0].width = 0;
    let safety = checker.check(&pictures, Cancel::NEVER);
    assert_eq!(safety[0].as_ref().unwrap_err().kind, FailureKind::Input);
    assert!(safety[1..].iter().all(Result::is_ok));
}
