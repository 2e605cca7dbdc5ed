use std::collections::HashMap;

use candle_core::DType;

use super::*;

const CONFIG: &str = r#"{"architectures": ["CLIPTextModelWithProjection"], "bos_token_id": 0, "eos_token_id": 2,
    "hidden_act": "gelu", "hidden_size": 8, "intermediate_size": 12, "layer_norm_eps": 1e-05,
    "max_position_embeddings": 6, "model_type": "clip_text_model", "num_attention_heads": 2, "num_hidden_layers": 1,
    "projection_dim": 4, "torch_dtype": "float16", "vocab_size": 10}"#;

fn config() -> TextConfig {
    TextConfig::parse(CONFIG).unwrap()
}

/// Weights of that configuration, all of them small and different.
fn weights() -> HashMap<String, Tensor> {
    let layer = "text_model.encoder.layers.0.";
    let mut shapes = vec![
        (
            "text_model.embeddings.token_embedding.weight".to_string(),
            vec![10, 8],
        ),
        (
            "text_model.embeddings.position_embedding.weight".to_string(),
            vec![6, 8],
        ),
        ("text_projection.weight".to_string(), vec![4, 8]),
        (format!("{layer}mlp.fc1.weight"), vec![12, 8]),
        (format!("{layer}mlp.fc1.bias"), vec![12]),
        (format!("{layer}mlp.fc2.weight"), vec![8, 12]),
        (format!("{layer}mlp.fc2.bias"), vec![8]),
    ];
    for norm in [
        &format!("{layer}layer_norm1"),
        &format!("{layer}layer_norm2"),
        "text_model.final_layer_norm",
    ] {
        shapes.extend([
            (format!("{norm}.weight"), vec![8]),
            (format!("{norm}.bias"), vec![8]),
        ]);
    }
    for part in ["q_proj", "k_proj", "v_proj", "out_proj"] {
        shapes.push((format!("{layer}self_attn.{part}.weight"), vec![8, 8]));
        shapes.push((format!("{layer}self_attn.{part}.bias"), vec![8]));
    }
    let filled = |(name, shape): (String, Vec<usize>)| {
        let count: usize = shape.iter().product();
        let numbers: Vec<f32> = (0..count)
            .map(|i| ((i * 7 + name.len()) % 11) as f32 / 11.0 - 0.4)
            .collect();
        (
            name,
            Tensor::from_vec(numbers, shape, &Device::Cpu).unwrap(),
        )
    };
    shapes.into_iter().map(filled).collect()
}

fn load(weights: HashMap<String, Tensor>) -> Result<TextEncoder> {
    TextEncoder::load(
        &VarBuilder::from_tensors(weights, DType::F32, &Device::Cpu),
        config(),
    )
}

#[test]
fn errors_name_missing_and_misshapen_tensors() {
    let names: Vec<String> = weights().into_keys().collect();
    assert_eq!(names.len(), 21);
    for name in names {
        let mut without = weights();
        without.remove(&name);
        let said = load(without).err().unwrap().to_string();
        // Without the token table, the prefix cannot be detected.
        let named = if name.contains("token_embedding") {
            "embeddings.token_embedding.weight"
        } else {
            &name
        };
        assert!(said.contains(named), "{name}: {said}");
        let mut other = weights();
        other.insert(
            name.clone(),
            Tensor::zeros((3, 3), DType::F32, &Device::Cpu).unwrap(),
        );
        let said = load(other).err().unwrap().to_string();
        assert!(said.contains(&name), "{name}: {said}");
    }
}

#[test]
fn has_a_projection_if_the_weights_have_one() {
    let mut without = weights();
    without.remove("text_projection.weight");
    let vb = VarBuilder::from_tensors(without, DType::F32, &Device::Cpu);
    let plain = TextConfig {
        with_projection: false,
        ..config()
    };
    let encoder = TextEncoder::load(&vb, plain.clone()).unwrap();
    assert!(encoder.forward(&[vec![1, 2]]).unwrap().projected.is_none());
    let vb = VarBuilder::from_tensors(weights(), DType::F32, &Device::Cpu);
    let encoded = TextEncoder::load(&vb, plain)
        .unwrap()
        .forward(&[vec![1, 2], vec![3, 4]])
        .unwrap();
    assert_eq!(encoded.projected.unwrap().dims(), [2, 4]);
    assert_eq!(encoded.penultimate.dims(), [2, 2, 8]);
}

#[test]
fn refuses_invalid_texts() {
    let encoder = load(weights()).unwrap();
    let error = |texts: &[Vec<u32>]| encoder.forward(texts).unwrap_err().to_string();
    assert!(error(&[]).contains("0 tokens"));
    assert!(error(&[vec![]]).contains("0 tokens"));
    assert!(error(&[vec![1; 7]]).contains("7 tokens"));
    assert!(error(&[vec![1, 2], vec![1]]).contains("texts of 2 and of 1 tokens"));
    assert!(error(&[vec![1, 10]]).contains("token id 10"));
    let error = |prompts: &[&[Vec<u32>]]| encoder.encode(prompts).unwrap_err().to_string();
    assert!(error(&[&[vec![1]], &[vec![1], vec![1]]]).contains("prompts of 1 and of 2 chunks"));
    assert!(error(&[]).contains("0 tokens"));
    assert!(error(&[&[]]).contains("prompts of 0"));
}

#[test]
fn pools_at_the_same_token_as_transformers() {
    // Padded with the end token: the first one counts.
    assert_eq!(PoolAt::HighestId.position(&[7, 3, 9, 9, 9]), 2);
    assert_eq!(PoolAt::FirstOf(9).position(&[7, 3, 9, 9, 9]), 2);
    // An added token with a higher id misleads only the rule for old files.
    assert_eq!(PoolAt::HighestId.position(&[7, 11, 3, 9, 0]), 1);
    assert_eq!(PoolAt::FirstOf(9).position(&[7, 11, 3, 9, 0]), 3);
    assert_eq!(PoolAt::FirstOf(5).position(&[7, 11, 3, 9, 0]), 0);
}

#[test]
fn gelu_uses_the_error_function() {
    let x = Tensor::new(&[[-3.0f32, -1.0, 0.0, 0.5, 2.0]], &Device::Cpu).unwrap();
    let same = Tensor::eye(5, DType::F32, &Device::Cpu).unwrap();
    let none = Tensor::zeros(5, DType::F32, &Device::Cpu).unwrap();
    let close = |activation, expected: [f32; 5]| {
        let got = super::super::ops::activated(&x, &same, &none, activation).unwrap();
        let got = got.squeeze(0).unwrap().to_vec1::<f32>().unwrap();
        for (got, expected) in got.iter().zip(expected) {
            assert!(
                (got - expected).abs() < 2e-6,
                "{activation:?}: {got}, not {expected}"
            );
        }
    };
    // torch.nn.functional.gelu; its tanh approximation gives 1.9545977 at 2 and -0.0036374 at -3.
    close(
        Activation::Gelu,
        [-0.0040496, -0.1586553, 0.0, 0.3457312, 1.9544997],
    );
    close(
        Activation::QuickGelu,
        [-0.0180705, -0.1542049, 0.0, 0.3503885, 1.9356586],
    );
}

#[test]
fn refuses_unsupported_configurations_by_name() {
    let said = |from: &str, to: &str| {
        assert!(CONFIG.contains(from), "{from}");
        TextConfig::parse(&CONFIG.replace(from, to))
            .unwrap_err()
            .to_string()
    };
    for (from, to, says) in [
        (
            "\"gelu\"",
            "\"gelu_new\"",
            "field `hidden_act`: `gelu_new` is not supported",
        ),
        ("\"clip_text_model\"", "\"t5\"", "field `model_type`: `t5`"),
        (
            "\"num_attention_heads\": 2",
            "\"num_attention_heads\": 3",
            "use a divisor of the hidden_size, 8",
        ),
        (
            "\"num_attention_heads\": 2",
            "\"num_attention_heads\": 0",
            "field `num_attention_heads`",
        ),
        (
            "\"num_hidden_layers\": 1",
            "\"num_hidden_layers\": 0",
            "field `num_hidden_layers`",
        ),
        (
            "\"vocab_size\": 10",
            "\"vocab_size\": 4000000000",
            "field `vocab_size`",
        ),
        (
            "\"eos_token_id\": 2",
            "\"eos_token_id\": [2, 3]",
            "field `eos_token_id`: `[2,3]`",
        ),
        ("1e-05", "0.0", "field `layer_norm_eps`"),
        (
            "\"vocab_size\": 10",
            "\"vocab_size\": -1",
            "is not a text encoder configuration",
        ),
        (
            "\"vocab_size\": 10}",
            "",
            "is not a text encoder configuration",
        ),
    ] {
        let said = said(from, to);
        assert!(said.contains(says), "{to}: {said}");
    }
    let missing = TextConfig::read(std::path::Path::new("/nowhere/config.json")).unwrap_err();
    assert_eq!(
        missing.place.file.unwrap().to_str(),
        Some("/nowhere/config.json")
    );
}

#[test]
fn missing_fields_have_transformers_defaults() {
    let config = TextConfig::parse("{}").unwrap();
    let null = TextConfig::parse(r#"{"architectures": null, "projection_dim": null}"#).unwrap();
    assert_eq!((&null, null.with_projection), (&config, false));
    assert_eq!(
        (
            config.vocab_size,
            config.hidden_size,
            config.intermediate_size
        ),
        (49408, 512, 2048)
    );
    assert_eq!(
        (config.num_hidden_layers, config.num_attention_heads),
        (12, 8)
    );
    assert_eq!(
        (config.pool_at, config.activation),
        (PoolAt::FirstOf(49407), Activation::QuickGelu)
    );
}
