//! Text encoders against transformers: three tiny ones with random weights, as CLIP-L, OpenCLIP-G and OpenCLIP-H are
//! configured and named. Each mistake that candle's own encoder or its example made shows in one of these.

use std::collections::HashMap;

use benchtop::inference::candle::text::{Activation, Encoded, PoolAt, TextConfig, TextEncoder};
use candle_core::{DType, Device, IndexOp, Tensor};
use candle_nn::VarBuilder;

use super::support::{assert_close, data, relative_error};

const F32: f64 = 1e-5;
const F16: f64 = 1e-2;

fn config(name: &str) -> TextConfig {
    TextConfig::read(&data(&format!("{name}.json"))).unwrap()
}

fn encoder(name: &str, config: TextConfig, dtype: DType) -> TextEncoder {
    let bytes = std::fs::read(data(&format!("{name}.safetensors"))).unwrap();
    let vb = VarBuilder::from_buffered_safetensors(bytes, dtype, &Device::Cpu).unwrap();
    TextEncoder::load(&vb, config).unwrap()
}

fn expected(name: &str) -> HashMap<String, Tensor> {
    candle_core::safetensors::load(data(&format!("{name}_expected.safetensors")), &Device::Cpu)
        .unwrap()
}

fn ids(expected: &HashMap<String, Tensor>) -> Vec<Vec<u32>> {
    let rows = expected["ids"].to_dtype(DType::U32).unwrap();
    rows.to_vec2().unwrap()
}

/// Each output with the name of what is expected.
fn outputs(encoded: Encoded) -> Vec<(&'static str, Tensor)> {
    let projected = encoded.projected.map(|p| ("projected", p));
    [
        ("last", encoded.last),
        ("penultimate", encoded.penultimate),
        ("pooled", encoded.pooled),
    ]
    .into_iter()
    .chain(projected)
    .collect()
}

#[test]
fn states_and_pooled_states_are_those_of_transformers() {
    for name in ["clip_l", "openclip_g", "openclip_h"] {
        let expected = expected(name);
        for (dtype, tolerance) in [(DType::F32, F32), (DType::F16, F16)] {
            let got = outputs(
                encoder(name, config(name), dtype)
                    .forward(&ids(&expected))
                    .unwrap(),
            );
            assert_eq!(got.len(), expected.len() - 1, "{name}");
            for (output, got) in got {
                assert_eq!(got.dtype(), dtype);
                assert_close(
                    &format!("{name} {output} {dtype:?}"),
                    &got,
                    &expected[output],
                    tolerance,
                );
            }
        }
    }
}

#[test]
fn the_configurations_are_read() {
    let g = config("openclip_g");
    assert_eq!(
        (g.activation, g.pool_at, g.with_projection),
        (Activation::Gelu, PoolAt::FirstOf(61), true)
    );
    assert_eq!((g.projection_dim, g.num_hidden_layers), (24, 2));
    let l = config("clip_l");
    assert_eq!(
        (l.activation, l.pool_at, l.with_projection),
        (Activation::QuickGelu, PoolAt::HighestId, false)
    );
}

#[test]
fn a_text_alone_is_the_text_in_a_batch() {
    for name in ["clip_l", "openclip_g"] {
        let encoder = encoder(name, config(name), DType::F32);
        let texts = ids(&expected(name));
        let together = outputs(encoder.forward(&texts).unwrap());
        for (row, text) in texts.into_iter().enumerate() {
            let alone = outputs(encoder.forward(&[text]).unwrap());
            for ((output, together), (_, alone)) in together.iter().zip(alone) {
                let together = together.i(row..=row).unwrap();
                assert_close(
                    &format!("{name} {output} of text {row}"),
                    &together,
                    &alone,
                    F32,
                );
            }
        }
    }
}

#[test]
fn no_token_sees_what_comes_after_it() {
    let encoder = encoder("clip_l", config("clip_l"), DType::F32);
    let texts = ids(&expected("clip_l"));
    let mut other = texts.clone();
    other.iter_mut().for_each(|t| t[6] = 7);
    let [before, after] = [texts, other].map(|t| encoder.forward(&t).unwrap().last);
    assert_close(
        "tokens before the changed one",
        &after.i((.., ..6)).unwrap(),
        &before.i((.., ..6)).unwrap(),
        1e-6,
    );
    for position in 6..12 {
        let [before, after] = [&before, &after].map(|t| t.i((.., position)).unwrap());
        assert!(
            relative_error(&after, &before) > 1e-3,
            "token {position} does not see token 6"
        );
    }
}

#[test]
fn each_wrong_reading_of_a_configuration_would_be_seen() {
    let expected = expected("openclip_g");
    let right = config("openclip_g");
    let run = |config| {
        encoder("openclip_g", config, DType::F32)
            .forward(&ids(&expected))
            .unwrap()
    };
    let wrong = run(TextConfig {
        activation: Activation::QuickGelu,
        ..right.clone()
    });
    assert!(relative_error(&wrong.last, &expected["last"]) > 10.0 * F32);
    let wrong = run(TextConfig {
        pool_at: PoolAt::HighestId,
        ..right.clone()
    });
    assert!(relative_error(&wrong.pooled, &expected["pooled"]) > 10.0 * F32);
    assert_close(
        "states, which do not depend on pooling",
        &wrong.last,
        &expected["last"],
        F32,
    );
    let wrong = run(TextConfig {
        layer_norm_eps: 1e-2,
        ..right.clone()
    });
    assert!(relative_error(&wrong.last, &expected["last"]) > 10.0 * F32);
    let wrong = run(TextConfig {
        num_attention_heads: 2,
        ..right
    });
    assert!(relative_error(&wrong.last, &expected["last"]) > 10.0 * F32);
    // The penultimate state is neither the last one nor the last one without its norm.
    assert!(relative_error(&expected["penultimate"], &expected["last"]) > 0.1);
}

#[test]
fn chunks_of_a_prompt_stand_one_after_the_other_and_pool_from_the_first() {
    let encoder = encoder("openclip_g", config("openclip_g"), DType::F32);
    let [a, b, c] = ids(&expected("openclip_g")).try_into().unwrap();
    let encoded = encoder
        .encode(&[&[a.clone(), b.clone()], &[c.clone(), a.clone()]])
        .unwrap();
    assert_eq!(encoded.last.dims(), [2, 24, 32]);
    assert_eq!(encoded.pooled.dims(), [2, 32]);
    for (row, chunks) in [[a.clone(), b], [c, a]].into_iter().enumerate() {
        let alone = encoder.forward(&chunks).unwrap();
        for (joined, alone) in [
            (&encoded.last, alone.last),
            (&encoded.penultimate, alone.penultimate),
        ] {
            let alone = Tensor::cat(&[alone.i(0).unwrap(), alone.i(1).unwrap()], 0).unwrap();
            assert_close("joined chunks", &joined.i(row).unwrap(), &alone, F32);
        }
        assert_close(
            "pooled",
            &encoded.pooled.i(row).unwrap(),
            &alone.pooled.i(0).unwrap(),
            F32,
        );
        let projected = [
            encoded.projected.as_ref().unwrap().i(row),
            alone.projected.unwrap().i(0),
        ];
        let [joined, alone] = projected.map(|p| p.unwrap());
        assert_close("projected", &joined, &alone, F32);
    }
}
