//! The text encoder of free-form scores: a tiny BERT with random weights against transformers with the pooling of
//! sentence-transformers, and the real one where a folder of it is named.

use benchtop::inference::candle::minilm::MiniLm;
use benchtop::inference::candle::scorer::Options;
use benchtop::inference::scoring::TextEmbedder;
use benchtop::model::ErrorKind;
use benchtop::model::cancel::Cancel;
use benchtop::model::generation::FailureKind;
use candle_core::{Device, Tensor};
use serde::Deserialize;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::support::{assert_close, data, linked, relative_error, replaced_text};
use crate::support::{Need, skip};

const F32: f64 = 1e-5;

#[derive(Deserialize)]
struct Texts {
    longest: usize,
    texts: Vec<String>,
    tokens: Vec<usize>,
}

#[derive(Deserialize)]
struct Pair {
    a: String,
    b: String,
    cosine: f64,
}

fn texts() -> Texts {
    serde_json::from_slice(&std::fs::read(data("minilm/texts.json")).unwrap()).unwrap()
}

fn tiny() -> MiniLm {
    MiniLm::open(&data("minilm"), &Options::cpu()).unwrap()
}

fn rows(model: &mut MiniLm, texts: &[String]) -> Tensor {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found: Vec<f32> = model
        .embed(&texts, Cancel::NEVER)
        .into_iter()
        .flat_map(|e| e.unwrap().vector)
        .collect();
    Tensor::from_vec(found, (texts.len(), model.dimension()), &Device::Cpu).unwrap()
}

fn expected() -> Tensor {
    let mut all =
        candle_core::safetensors::load(data("minilm/expected.safetensors"), &Device::Cpu).unwrap();
    all.remove("embeddings").unwrap()
}

#[test]
fn embeddings_are_those_of_sentence_transformers() {
    let (fixture, mut model) = (texts(), tiny());
    assert_eq!(
        (model.max_tokens(), model.dimension()),
        (fixture.longest, 24)
    );
    let got = rows(&mut model, &fixture.texts);
    assert_close("embeddings", &got, &expected(), F32);
    for (row, text) in fixture.texts.iter().enumerate() {
        let alone = rows(&mut model, std::slice::from_ref(text));
        assert_close(
            &format!("{text:?} alone"),
            &alone,
            &got.narrow(0, row, 1).unwrap(),
            F32,
        );
    }
}

#[test]
fn what_is_longer_than_the_model_takes_is_said() {
    let (fixture, mut model) = (texts(), tiny());
    let texts: Vec<&str> = fixture.texts.iter().map(String::as_str).collect();
    let cut: Vec<Option<usize>> = model
        .embed(&texts, Cancel::NEVER)
        .into_iter()
        .map(|e| e.unwrap().tokens_before_cut)
        .collect();
    let wanted: Vec<Option<usize>> = fixture
        .tokens
        .iter()
        .map(|tokens| (*tokens > fixture.longest).then_some(*tokens))
        .collect();
    assert_eq!(cut, wanted);
    assert!(cut.iter().any(Option::is_some) && cut.iter().any(Option::is_none));
}

#[test]
fn padding_counts_for_nothing_and_the_tokenizers_own_cutting_is_not_taken_over() {
    let mut model = tiny();
    let [short, long] = [
        "cat".to_string(),
        "a photo of a red cat in the style of painting".to_string(),
    ];
    let alone = rows(&mut model, std::slice::from_ref(&short));
    let beside = rows(&mut model, &[short, long.clone()]);
    assert_close(
        "beside a longer one",
        &beside.narrow(0, 0, 1).unwrap(),
        &alone,
        F32,
    );
    // The file cuts at nine tokens: eight words more must tell.
    let more = rows(&mut model, &[format!("{long} dog dog dog dog"), long]);
    let error = relative_error(
        &more.narrow(0, 0, 1).unwrap(),
        &more.narrow(0, 1, 1).unwrap(),
    );
    assert!(
        error > 1e-2,
        "what comes after the ninth token changes nothing: {error}"
    );
}

#[test]
fn work_that_nobody_wants_any_more_ends() {
    let texts = vec!["a cat"; 70];
    let passes = AtomicUsize::new(0);
    let second = || passes.fetch_add(1, Ordering::Relaxed) > 0;
    let found = tiny().embed(&texts, Cancel::when(&second));
    assert_eq!(found.iter().filter(|e| e.is_ok()).count(), 32);
    let stopped = found.into_iter().filter_map(Result::err).map(|f| f.kind);
    assert!(
        stopped.clone().count() == 38 && stopped.into_iter().all(|k| k == FailureKind::Cancelled)
    );
}

#[test]
fn other_models_are_refused_by_name() {
    for (file, from, to, says) in [
        ("config.json", "\"bert\"", "\"roberta\"", "model_type"),
        ("config.json", "\"gelu\"", "\"silu\"", "hidden_act"),
        (
            "config.json",
            "\"num_attention_heads\": 3",
            "\"num_attention_heads\": 5",
            "num_attention_heads",
        ),
        (
            "config.json",
            "\"hidden_size\": 24",
            "\"hidden_size\": 27",
            "shape",
        ),
        ("sentence_bert_config.json", "24", "2", "max_seq_length"),
        ("tokenizer.json", "\"[SEP]\"", "\"[END]\"", "SEP"),
    ] {
        let dir = linked(&["minilm"]);
        replaced_text(dir.path(), file, from, to);
        let problem = MiniLm::open(dir.path(), &Options::cpu())
            .err()
            .unwrap_or_else(|| panic!("{file}: {to}"));
        assert!(problem.to_string().contains(says), "{problem}");
    }
    let dir = linked(&["minilm"]);
    std::fs::remove_file(dir.path().join("tokenizer.json")).unwrap();
    let problem = MiniLm::open(dir.path(), &Options::cpu()).err().unwrap();
    assert_eq!(problem.kind, ErrorKind::NotFound);
    std::fs::create_dir(dir.path().join("1_Pooling")).unwrap();
    std::fs::write(
        dir.path().join("1_Pooling/config.json"),
        "{\"pooling_mode_cls_token\": true}",
    )
    .unwrap();
    let problem = MiniLm::open(dir.path(), &Options::cpu()).err().unwrap();
    assert!(
        problem.to_string().contains("pooling_mode_cls_token"),
        "{problem}"
    );
}

#[test]
fn the_real_model_agrees_with_sentence_transformers() {
    let Some(folder) = std::env::var_os("BENCHTOP_MINILM") else {
        return skip(
            Need::MiniLm,
            "BENCHTOP_MINILM names no folder with all-MiniLM-L6-v2",
        );
    };
    let pairs: Vec<Pair> =
        serde_json::from_slice(&std::fs::read(data("minilm/pairs.json")).unwrap()).unwrap();
    assert!(pairs.len() > 10);
    let mut model = MiniLm::open(folder.as_ref(), &Options::cpu()).unwrap();
    assert_eq!((model.dimension(), model.max_tokens()), (384, 256));
    for Pair { a, b, cosine } in pairs {
        let found = model.embed(&[&a, &b], Cancel::NEVER);
        let [a, b] = [&found[0], &found[1]].map(|e| &e.as_ref().unwrap().vector);
        let got: f64 = a
            .iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum();
        assert!((got - cosine).abs() <= 1e-4, "{got} is not {cosine}");
    }
}
