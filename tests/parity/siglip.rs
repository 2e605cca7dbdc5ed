//! SigLIP against transformers, and its tokenizer against the same file read by transformers.

use benchtop::inference::candle::scorer::{DualEncoderScorer, Options, SiglipScorer, open};
use benchtop::inference::candle::siglip::Siglip;
use benchtop::inference::scoring::{ImageTextScorer, Pair};
use benchtop::model::cancel::Cancel;
use candle_core::{Device, Tensor};
use serde::Deserialize;

use super::clip::{agrees, expected, pictures};
use super::support::{assert_close, data, linked, replaced_text};

fn options() -> Options {
    Options {
        hash: Some("0".into()),
        together: 2,
        ..Options::cpu()
    }
}

#[test]
fn cosines_and_logits_are_those_of_transformers() {
    let mut scorer = SiglipScorer::open(&data("clip/siglip"), &options()).unwrap();
    agrees("siglip", &mut scorer, 1e-5);
    let pairs: Vec<Pair> = (0..5).map(|picture| Pair { picture, text: 0 }).collect();
    let scores = scorer.score(&pictures(), &["a photo of a cat"], &pairs, Cancel::NEVER);
    let logit = |score: Result<_, _>| scorer.capabilities().logit(&score.unwrap());
    let logits: Vec<f32> = scores.iter().cloned().map(logit).collect();
    let logits = Tensor::from_vec(logits, (5, 1), &Device::Cpu).unwrap();
    assert_close("logits", &logits, &expected("siglip")["logits"], 1e-5);
    let score = scores[0].as_ref().unwrap();
    let sure = scorer.capabilities().probability(score).unwrap();
    assert!(
        (f64::from(sure) - 1. / (1. + (-f64::from(scorer.capabilities().logit(score))).exp()))
            .abs()
            < 1e-6
    );
    assert_eq!(scorer.capabilities().longest_text, 63);
}

#[derive(Deserialize)]
struct Ids {
    prompts: Vec<String>,
    ids: Vec<Vec<u32>>,
}

#[test]
fn every_prompt_has_the_ids_of_transformers() {
    let fixture: Ids =
        serde_json::from_slice(&std::fs::read(data("clip/siglip_ids.json")).unwrap()).unwrap();
    assert!(fixture.prompts.len() > 100);
    let towers = Siglip::load(&data("clip/siglip"), &options())
        .unwrap()
        .encoders;
    for (prompt, ids) in fixture.prompts.iter().zip(&fixture.ids) {
        let chunks = towers.chunks(prompt).unwrap();
        assert_eq!(chunks.len(), ids.len().div_ceil(63).max(1), "{prompt:?}");
        for (at, chunk) in chunks.iter().enumerate() {
            let own = &ids[(63 * at).min(ids.len())..ids.len().min(63 * (at + 1))];
            assert_eq!((chunk.len(), &chunk[..own.len()]), (64, own), "{prompt:?}");
            assert!(chunk[own.len()..].iter().all(|id| *id == 1), "{prompt:?}");
        }
    }
}

#[test]
fn what_the_network_would_take_without_a_look_is_refused() {
    let refused = |file: &str, from: &str, to: &str| {
        let folder = linked(&["clip/siglip"]);
        replaced_text(folder.path(), file, from, to);
        open(folder.path(), &options()).err().unwrap().to_string()
    };
    for (from, to, says) in [
        (
            r#""projection_size": 32"#,
            r#""projection_size": 16"#,
            "text_config.projection_size",
        ),
        (
            r#""num_attention_heads": 4"#,
            r#""num_attention_heads": 0"#,
            "text_config.num_attention_heads",
        ),
        (
            r#""num_attention_heads": 4"#,
            r#""num_attention_heads": 3"#,
            "num_attention_heads",
        ),
        (r#""gelu_pytorch_tanh""#, r#""relu""#, "hidden_act"),
        (
            r#""vision_use_head": true"#,
            r#""vision_use_head": false"#,
            "vision_config.vision_use_head",
        ),
        (
            r#""patch_size": 8"#,
            r#""patch_size": 80"#,
            "vision_config.patch_size",
        ),
        (r#""vocab_size": 385"#, r#""vocab_size": 384"#, "[385, 32]"),
    ] {
        let said = refused("config.json", from, to);
        assert!(said.contains(says), "{said}");
    }
    assert!(
        refused(
            "tokenizer.json",
            r#""type": "Unigram""#,
            r#""type": "Trigram""#
        )
        .contains("tokenizer.json")
    );
    assert!(
        refused(
            "tokenizer_config.json",
            r#""pad_token": "</s>""#,
            r#""pad_token": "[none]""#
        )
        .contains("[none]")
    );
    let folder = linked(&["clip/siglip"]);
    std::fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    let said = open(folder.path(), &options()).err().unwrap().to_string();
    assert!(
        said.contains("tokenizer.json") && said.contains("spiece.model"),
        "{said}"
    );
}
