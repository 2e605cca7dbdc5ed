use candle_core::{Device, IndexOp};

use super::super::tests::{flat, near, numbers};
use super::*;

#[test]
fn sliced_attention_equals_the_whole() {
    let (q, k, v) = (
        numbers(&[2, 9, 8], 6),
        numbers(&[2, 5, 8], 7),
        numbers(&[2, 5, 8], 8),
    );
    let kv = KeysValues::new(&k, &v, 2).unwrap();
    let whole = attention(&q, &kv).unwrap();
    let (keys, values) = match &kv.0 {
        Form::Split { keys, values } => (keys, values),
        #[cfg(feature = "cuda")]
        Form::Rows { .. } => panic!("no kernel on a CPU"),
    };
    for (scores, heads) in [
        (1, 1),
        (60, 1),
        (60, 3),
        (400, 9),
        (1 << 20, 1),
        (1 << 20, 3),
        (1 << 20, 9),
    ] {
        let limits = Limits {
            scores,
            queries: 1,
            heads,
            ..Limits::of(&Device::Cpu)
        };
        near(&within(&q, keys, values, limits).unwrap(), &whole, 1e-6);
    }
    // Compute one query of the second head of the second picture by hand.
    let head =
        |t: &Tensor, row: usize| -> Vec<f32> { t.i((1, row, 4..)).unwrap().to_vec1().unwrap() };
    let scores: Vec<f32> = (0..5)
        .map(|key| {
            head(&q, 3)
                .iter()
                .zip(head(&k, key))
                .map(|(a, b)| a * b)
                .sum::<f32>()
                / 2.
        })
        .map(f32::exp)
        .collect();
    let total: f32 = scores.iter().sum();
    for (at, found) in head(&whole, 3).into_iter().enumerate() {
        let expected: f32 = (0..5)
            .map(|key| scores[key] / total * head(&v, key)[at])
            .sum();
        assert!((found - expected).abs() < 1e-5);
    }
}

/// These scores overflow f16: computed in f16, the result would be NaN.
#[test]
fn f16_attention_computes_scores_in_f32() {
    let large = |seed: u64| {
        (numbers(&[1, 4, 64], seed) * 200.)
            .unwrap()
            .to_dtype(DType::F16)
            .unwrap()
    };
    let kv = KeysValues::new(&large(2), &large(3), 1).unwrap();
    let found = attention(&large(1), &kv).unwrap();
    assert_eq!(found.dtype(), DType::F16);
    assert!(flat(&found).iter().all(|x| x.is_finite()));
}
