//! CLIP against transformers: tiny ones with random weights and both nonlinearities, both rules for the end of a text,
//! several epsilons, whole and in shards.

use benchtop::model::cancel::Cancel;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use benchtop::inference::candle::scorer::{ClipScorer, Options, open};
use benchtop::inference::preprocess::{Preprocessor, Steps};
use benchtop::inference::scoring::{ImageEmbedder, ImageTextScorer, Pair};
use benchtop::model::generation::{FailureKind, Pixels};
use candle_core::{DType, Device, Tensor};
use tempfile::TempDir;

use super::support::{assert_close, data, edited, linked, pattern, relative_error, replaced_text};
use crate::support::has_word;

pub const SIZES: [(u32, u32); 5] = [(64, 48), (33, 90), (32, 32), (101, 57), (40, 31)];

/// The texts of `make_clip.py`.
pub fn texts() -> Vec<String> {
    vec![
        "a photo of a cat".into(),
        "".into(),
        "two dogs running beside the river at sunset, cinematic light".into(),
        "a photo of a cat".into(),
        "an oil painting ".repeat(70),
        "mountain ".repeat(75),
        "the city at night!".into(),
        "a <cat-toy> by the river".into(),
    ]
}

pub fn pictures() -> Vec<Pixels> {
    SIZES.iter().map(|(w, h)| pattern(*w, *h)).collect()
}

pub fn expected(name: &str) -> HashMap<String, Tensor> {
    candle_core::safetensors::load(
        data(&format!("clip/{name}_expected.safetensors")),
        &Device::Cpu,
    )
    .unwrap()
}

pub fn pairs(pictures: usize, texts: usize) -> Vec<Pair> {
    (0..pictures)
        .flat_map(|picture| (0..texts).map(move |text| Pair { picture, text }))
        .collect()
}

/// A tiny CLIP with its tokenizer.
fn folder(name: &str) -> TempDir {
    linked(&[&format!("clip/{name}"), "tokenizer"])
}

fn options() -> Options {
    Options {
        hash: Some("0".into()),
        together: 3,
        ..Options::cpu()
    }
}

/// Cosines, parts and embeddings of a model against its fixture.
pub fn agrees<T>(name: &str, scorer: &mut T, tolerance: f64)
where
    T: ImageTextScorer + ImageEmbedder,
{
    let expected = expected(name);
    let (pictures, texts) = (pictures(), texts());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scores = scorer.score(
        &pictures,
        &texts,
        &pairs(pictures.len(), texts.len()),
        Cancel::NEVER,
    );
    let scores: Vec<_> = scores.into_iter().map(Result::unwrap).collect();
    let cosines: Vec<f32> = scores.iter().map(|s| s.cosine).collect();
    let shape = (pictures.len(), texts.len());
    let cosines = Tensor::from_vec(cosines, shape, &Device::Cpu).unwrap();
    assert_close(
        &format!("{name} cosines"),
        &cosines,
        &expected["cosine"],
        tolerance,
    );
    let parts: Vec<i64> = scores[..texts.len()]
        .iter()
        .map(|s| i64::from(s.parts))
        .collect();
    assert_eq!(parts, expected["parts"].to_vec1::<i64>().unwrap(), "{name}");
    let embedded: Vec<f32> = scorer
        .embed(&pictures, Cancel::NEVER)
        .into_iter()
        .flat_map(Result::unwrap)
        .collect();
    let embedded =
        Tensor::from_vec(embedded, (pictures.len(), scorer.dimension()), &Device::Cpu).unwrap();
    assert_close(
        &format!("{name} pictures"),
        &embedded,
        &expected["image"],
        tolerance,
    );
}

#[test]
fn cosines_and_embeddings_are_those_of_transformers() {
    for (name, scale) in [("openai", 4f32), ("laion", 4.3), ("mixed", 4.6)] {
        let folder = folder(name);
        let mut scorer = ClipScorer::open(folder.path(), &options()).unwrap();
        agrees(name, &mut scorer, 1e-5);
        let capabilities = scorer.capabilities();
        assert!((capabilities.logit_scale / scale.exp() - 1.).abs() < 1e-6);
        assert_eq!(
            (
                capabilities.dimension,
                capabilities.longest_text,
                capabilities.logit_bias
            ),
            (20, 75, None)
        );
        let half = Options {
            dtype: DType::F16,
            ..options()
        };
        agrees(
            name,
            &mut ClipScorer::open(folder.path(), &half).unwrap(),
            2e-2,
        );
    }
}

#[test]
fn pixels_are_those_of_transformers() {
    for name in ["openai", "laion"] {
        let processor =
            Preprocessor::open(&[data(&format!("clip/{name}"))], Steps::clip()).unwrap();
        let planes: Vec<f32> = pictures()
            .iter()
            .flat_map(|p| processor.planes(p).unwrap())
            .collect();
        let expected = expected(name)["pixels"]
            .flatten_all()
            .unwrap()
            .to_vec1::<f32>()
            .unwrap();
        assert_eq!(planes, expected, "{name}");
    }
}

/// What candle's own model takes for granted would each be seen here.
#[test]
fn each_wrong_reading_of_a_configuration_would_be_seen() {
    let run = |name: &str, from: &str, to: &str| {
        let folder = folder(name);
        replaced_text(folder.path(), "config.json", from, to);
        let mut scorer = ClipScorer::open(folder.path(), &options()).unwrap();
        let (pictures, texts) = (pictures(), texts());
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let scores = scorer.score(&pictures, &texts, &pairs(5, texts.len()), Cancel::NEVER);
        let cosines: Vec<f32> = scores.into_iter().map(|s| s.unwrap().cosine).collect();
        let cosines = Tensor::from_vec(cosines, (5, texts.len()), &Device::Cpu).unwrap();
        relative_error(&cosines, &expected(name)["cosine"])
    };
    let seen = |error: f64| assert!(error > 1e-4, "{error:.2e}");
    seen(run(
        "laion",
        r#""hidden_act": "gelu""#,
        r#""hidden_act": "quick_gelu""#,
    ));
    seen(run(
        "openai",
        r#""hidden_act": "quick_gelu""#,
        r#""hidden_act": "gelu""#,
    ));
    seen(run(
        "mixed",
        r#""layer_norm_eps": 0.001"#,
        r#""layer_norm_eps": 1e-5"#,
    ));
    seen(run(
        "mixed",
        r#""layer_norm_eps": 0.01"#,
        r#""layer_norm_eps": 1e-5"#,
    ));
    // The text with an added token is pooled elsewhere by the rule of old files.
    seen(run(
        "laion",
        r#""eos_token_id": 813"#,
        r#""eos_token_id": 2"#,
    ));
}

/// Old files have the whole configuration of a part a second time, and that one counts.
#[test]
fn the_second_configuration_of_old_files_counts() {
    let folder = folder("laion");
    let text = std::fs::read_to_string(folder.path().join("config.json")).unwrap();
    let mut config: serde_json::Value = serde_json::from_str(&text).unwrap();
    for part in ["text_config", "vision_config"] {
        config[format!("{part}_dict")] = config[part].take();
        config[part] = serde_json::json!({"hidden_size": 9, "hidden_act": "relu"});
    }
    edited(folder.path(), "config.json", |_| {
        config.to_string().into_bytes()
    });
    agrees(
        "laion",
        &mut ClipScorer::open(folder.path(), &options()).unwrap(),
        1e-5,
    );
}

#[test]
fn a_pair_does_not_depend_on_what_is_asked_beside_it() {
    let folder = folder("openai");
    let mut scorer = ClipScorer::open(folder.path(), &options()).unwrap();
    let (pictures, texts) = (pictures(), texts());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let all = pairs(pictures.len(), texts.len());
    let passes = AtomicUsize::new(0);
    let count = || passes.fetch_add(1, Ordering::Relaxed) > 100;
    let together = scorer.score(&pictures, &texts, &all, Cancel::when(&count));
    // All texts in one pass, then each picture once, three at a time, however many pairs it is in.
    assert_eq!(passes.into_inner(), 3);
    for (pair, together) in all.iter().zip(&together) {
        let alone = scorer.score(&pictures, &texts, &[*pair], Cancel::NEVER);
        let (alone, together) = (alone[0].as_ref().unwrap(), together.as_ref().unwrap());
        assert!((alone.cosine - together.cosine).abs() < 1e-6 && alone.parts == together.parts);
    }
    // The same text twice is one text.
    assert_eq!(
        together[0].as_ref().unwrap().cosine.to_bits(),
        together[3].as_ref().unwrap().cosine.to_bits()
    );
}

#[test]
fn what_is_wrong_fails_alone_and_cancelling_keeps_what_is_done() {
    let folder = folder("openai");
    let mut scorer = ClipScorer::open(folder.path(), &options()).unwrap();
    let mut pictures = pictures();
    pictures[1].rgb.pop();
    let endless = "very ".repeat(75 * 70);
    let asked =
        [(0, 0), (1, 0), (2, 1), (9, 0), (0, 9)].map(|(picture, text)| Pair { picture, text });
    let scores = scorer.score(&pictures, &["a cat", &endless], &asked, Cancel::NEVER);
    assert!(scores[0].is_ok());
    let said = |at: usize| {
        let failure = scores[at].as_ref().unwrap_err();
        assert_eq!(failure.kind, FailureKind::Input);
        failure.reason.clone()
    };
    for (at, data) in [(1, "33x90"), (2, "64"), (3, "9"), (4, "9")] {
        assert!(has_word(&said(at), data), "{at}: {}", said(at));
    }
    let passes = AtomicUsize::new(0);
    let second = || passes.fetch_add(1, Ordering::Relaxed) > 0;
    let embedded = scorer.embed(&pictures, Cancel::when(&second));
    let kinds: Vec<_> = embedded
        .iter()
        .map(|e| e.as_ref().err().map(|f| f.kind))
        .collect();
    let cancelled = Some(FailureKind::Cancelled);
    assert_eq!(
        kinds,
        [None, Some(FailureKind::Input), None, cancelled, cancelled]
    );
    let asked = [Pair {
        picture: 0,
        text: 0,
    }];
    let scores = scorer.score(&pictures, &["a cat"], &asked, Cancel::when(&|| true));
    assert_eq!(scores[0].as_ref().err().map(|f| f.kind), cancelled);
}

#[test]
fn a_folder_that_is_not_whole_is_refused_by_file_and_tensor() {
    let refused = |name: &str, change: &dyn Fn(&std::path::Path)| {
        let folder = folder(name);
        change(folder.path());
        match open(folder.path(), &options()) {
            Ok(_) => panic!("it was opened"),
            Err(problem) => problem.to_string(),
        }
    };
    for file in [
        "config.json",
        "preprocessor_config.json",
        "model.safetensors",
        "vocab.json",
        "merges.txt",
    ] {
        let said = refused("openai", &|dir| {
            std::fs::remove_file(dir.join(file)).unwrap()
        });
        assert!(said.contains(file), "{file}: {said}");
    }
    let said = refused("laion", &|dir| {
        std::fs::remove_file(dir.join("model-00002-of-00004.safetensors")).unwrap()
    });
    assert!(said.contains("model-00002-of-00004.safetensors"), "{said}");
    let said = refused("openai", &|dir| {
        edited(dir, "model.safetensors", |content| {
            content[..content.len() - 9].to_vec()
        });
    });
    assert!(said.contains("model.safetensors"), "{said}");
    let said = refused("openai", &|dir| {
        let mut all =
            candle_core::safetensors::load(dir.join("model.safetensors"), &Device::Cpu).unwrap();
        all.remove("vision_model.encoder.layers.1.mlp.fc2.weight");
        std::fs::remove_file(dir.join("model.safetensors")).unwrap();
        candle_core::safetensors::save(&all, dir.join("model.safetensors")).unwrap();
    });
    assert!(
        said.contains("vision_model.encoder.layers.1.mlp.fc2.weight"),
        "{said}"
    );
    let edits = [
        (
            r#""model_type": "clip","#,
            r#""model_type": "align","#,
            "field `model_type`: align is not supported",
        ),
        (
            r#""projection_dim": 20"#,
            r#""projection_dim": 21"#,
            "text_projection.weight has shape [20, 24]",
        ),
        (
            r#""hidden_act": "quick_gelu""#,
            r#""hidden_act": "relu""#,
            "`relu` is not supported",
        ),
        (
            r#""image_size": 32"#,
            r#""image_size": 40"#,
            "position_embedding.weight has shape [17, 32]",
        ),
        (
            r#""num_attention_heads": 4"#,
            r#""num_attention_heads": 5"#,
            "vision_config.num_attention_heads",
        ),
        (r#""vocab_size": 815"#, r#""vocab_size": 0"#, "vocab_size"),
    ];
    for (from, to, says) in edits {
        let said = refused("openai", &|dir| replaced_text(dir, "config.json", from, to));
        assert!(said.contains(says), "{said}");
    }
    let edits = [
        (r#""crop_size": 32"#, r#""crop_size": 48"#, "32x32"),
        (r#""resample": 3"#, r#""resample": 0"#, "field `resample`"),
        (
            r#""do_resize": true"#,
            r#""do_resize": false"#,
            "field `do_resize`",
        ),
        ("0.26862954", "0", "field `image_std`"),
    ];
    for (from, to, says) in edits {
        let said = refused("openai", &|dir| {
            replaced_text(dir, "preprocessor_config.json", from, to)
        });
        assert!(said.contains(says), "{said}");
    }
    let bf16 = Options {
        dtype: DType::BF16,
        ..options()
    };
    assert!(
        ClipScorer::open(folder("openai").path(), &bf16)
            .err()
            .unwrap()
            .to_string()
            .contains("f32, f16")
    );
}

#[test]
fn a_fingerprint_tells_models_apart() {
    let print = |name: &str, options: &Options| {
        let scorer = ClipScorer::open(folder(name).path(), options).unwrap();
        ImageTextScorer::fingerprint(&scorer).parts
    };
    let hashed = Options::cpu();
    let (one, other) = (print("openai", &hashed), print("laion", &hashed));
    assert_ne!(one["weights"], other["weights"]);
    assert_eq!(one["weights"], print("openai", &hashed)["weights"]);
    assert_ne!(one["batch"], print("openai", &options())["batch"]);
}
