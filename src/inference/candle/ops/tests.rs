mod emulated;
mod host;
pub(super) mod twins;

use candle_core::{DType, Device, IndexOp, Tensor};

use super::*;

/// Pseudorandom numbers, the same on every machine.
pub(super) fn numbers(shape: &[usize], seed: u64) -> Tensor {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.
    };
    let all: Vec<f32> = (0..shape.iter().product()).map(|_| next()).collect();
    Tensor::from_vec(all, shape, &Device::Cpu).unwrap()
}

pub(super) fn flat(t: &Tensor) -> Vec<f32> {
    t.to_dtype(DType::F32)
        .unwrap()
        .flatten_all()
        .unwrap()
        .to_vec1()
        .unwrap()
}

#[track_caller]
pub(super) fn near(a: &Tensor, b: &Tensor, most: f32) {
    assert_eq!(a.dims(), b.dims());
    for (at, (a, b)) in flat(a).iter().zip(flat(b)).enumerate() {
        assert!((a - b).abs() <= most, "at {at}: {a} against {b}");
    }
}

/// candle #3744: such products are silently wrong on the CPU.
#[test]
fn linear_accepts_batched_transposed_input() {
    let x = numbers(&[2, 5, 7], 1).transpose(1, 2).unwrap();
    assert!(!x.is_contiguous());
    let weight = numbers(&[3, 5], 2);
    let y = linear(&x, &weight, Added::default()).unwrap();
    assert_eq!(y.dims(), [2, 7, 3]);
    for (b, row, out) in [(0, 0, 0), (0, 6, 2), (1, 0, 1), (1, 3, 2)] {
        let left: Vec<f32> = x.i((b, row)).unwrap().to_vec1().unwrap();
        let right: Vec<f32> = weight.i(out).unwrap().to_vec1().unwrap();
        let expected: f32 = left.iter().zip(right).map(|(a, b)| a * b).sum();
        let found: f32 = y.i((b, row, out)).unwrap().to_scalar().unwrap();
        assert!(
            (found - expected).abs() < 1e-5,
            "{b} {row} {out}: {found} against {expected}"
        );
    }
}

#[test]
fn bias_is_shared_or_per_picture_and_residual_has_the_shape() {
    let y = || Tensor::zeros((4, 2), DType::F32, &Device::Cpu).unwrap();
    let (bias, residual) = (
        Tensor::new(&[1f32, 2.], &Device::Cpu).unwrap(),
        numbers(&[4, 2], 3),
    );
    let one = y();
    Added {
        bias: Some(&bias),
        residual: None,
    }
    .to(&one)
    .unwrap();
    assert_eq!(flat(&one), [1., 2., 1., 2., 1., 2., 1., 2.]);
    let two = y();
    let each = Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu).unwrap();
    Added {
        bias: Some(&each),
        residual: None,
    }
    .to(&two)
    .unwrap();
    assert_eq!(flat(&two), [1., 2., 1., 2., 3., 4., 3., 4.]);
    let three = y();
    Added {
        bias: None,
        residual: Some(&residual),
    }
    .to(&three)
    .unwrap();
    assert_eq!(flat(&three), flat(&residual));
    let wrong = Added {
        bias: Some(&numbers(&[3], 1)),
        residual: None,
    }
    .to(&y());
    assert!(
        wrong
            .unwrap_err()
            .to_string()
            .contains("does not fit rows of 2")
    );
    let wrong = Added {
        bias: None,
        residual: Some(&numbers(&[3, 2], 1)),
    }
    .to(&y());
    assert!(wrong.unwrap_err().to_string().contains("does not fit"));
}

/// Compared with candle's convolution, which is correct.
#[test]
fn convolution_in_parts_equals_the_whole() {
    let (x, kernel) = (numbers(&[2, 6, 7, 5], 4), numbers(&[4, 5, 3, 3], 5));
    let weight = kernel
        .permute((0, 2, 3, 1))
        .unwrap()
        .contiguous()
        .unwrap()
        .reshape((4, 45))
        .unwrap();
    let nchw = x.permute((0, 3, 1, 2)).unwrap().contiguous().unwrap();
    for (window, padded) in [
        (
            Window::SAME,
            nchw.pad_with_zeros(2, 1, 1)
                .unwrap()
                .pad_with_zeros(3, 1, 1)
                .unwrap(),
        ),
        (
            Window::HALF,
            nchw.pad_with_zeros(2, 1, 1)
                .unwrap()
                .pad_with_zeros(3, 1, 1)
                .unwrap(),
        ),
        (
            Window::HALF_BELOW,
            nchw.pad_with_zeros(2, 0, 1)
                .unwrap()
                .pad_with_zeros(3, 0, 1)
                .unwrap(),
        ),
    ] {
        let expected = padded
            .conv2d(&kernel, 0, window.stride, 1, 1)
            .unwrap()
            .permute((0, 2, 3, 1))
            .unwrap();
        // One row of patches at a time, several, and all.
        for bytes in [1, 2000, 32 << 20] {
            let y = conv3x3_within(&x, &weight, window, Added::default(), bytes).unwrap();
            near(&y, &expected.contiguous().unwrap(), 1e-5);
        }
    }
    assert!(
        conv3x3(
            &numbers(&[1, 4, 4, 3], 1),
            &weight,
            Window::SAME,
            Added::default()
        )
        .is_err()
    );
}

/// candle's U-Net always uses 32 groups.
#[test]
fn group_norm_uses_its_groups_and_is_precise_far_from_zero() {
    let (c, rows) = (6, 700);
    let x = (numbers(&[2, rows, c], 9) + 1000.).unwrap();
    let (weight, bias) = (numbers(&[c], 10), numbers(&[c], 11));
    let (w, b) = (flat(&weight), flat(&bias));
    for groups in [1, 2, 3, 6] {
        let y = group_norm(&x, &weight, &bias, groups, 1e-5, false).unwrap();
        let wide = c / groups;
        for (picture, row, at) in [(0, 0, 0), (0, 699, 5), (1, 300, 3)] {
            let of = |row: usize, at: usize| {
                x.i((picture, row, at)).unwrap().to_scalar::<f32>().unwrap() as f64
            };
            let group = at / wide * wide..(at / wide + 1) * wide;
            let values: Vec<f64> = (0..rows)
                .flat_map(|row| group.clone().map(move |at| (row, at)))
                .map(|(r, a)| of(r, a))
                .collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let variance =
                values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
            let expected =
                (of(row, at) - mean) / (variance + 1e-5).sqrt() * w[at] as f64 + b[at] as f64;
            let found = y.i((picture, row, at)).unwrap().to_scalar::<f32>().unwrap() as f64;
            assert!(
                (found - expected).abs() < 1e-3,
                "{groups} groups: {found} against {expected}"
            );
        }
    }
    assert!(group_norm(&x, &weight, &bias, 4, 1e-5, false).is_err());
}

#[test]
fn layer_norm_is_precise_far_from_zero() {
    let x = (numbers(&[3, 64], 12) * 0.01).unwrap();
    let ones = Tensor::ones(64, DType::F32, &Device::Cpu).unwrap();
    let near_zero = layer_norm(&x, &ones, &ones.zeros_like().unwrap(), 1e-9).unwrap();
    let far = layer_norm(
        &(&x + 16.).unwrap(),
        &ones,
        &ones.zeros_like().unwrap(),
        1e-9,
    )
    .unwrap();
    near(&far, &near_zero, 2e-3);
}

#[test]
fn geglu_uses_the_error_function_not_tanh() {
    let x = Tensor::new(&[[1f32, 1., -2.2, 0.5]], &Device::Cpu).unwrap();
    let y = flat(&geglu(&x, &Tensor::zeros(4, DType::F32, &Device::Cpu).unwrap()).unwrap());
    // torch.nn.functional.gelu(-2.2) and (0.5); with tanh -0.0307 and 0.3457.
    assert!((y[0] - -0.030_587_6).abs() < 2e-6, "{y:?}");
    assert!((y[1] - 0.345_731_2).abs() < 2e-6, "{y:?}");
}

#[test]
fn upsampling_matches_torch() {
    let x = Tensor::from_vec(
        (0..4).map(|v| v as f32).collect::<Vec<_>>(),
        (1, 2, 2, 1),
        &Device::Cpu,
    )
    .unwrap();
    assert_eq!(
        flat(&upsample(&x, 4, 3).unwrap()),
        [0., 0., 1., 0., 0., 1., 2., 2., 3., 2., 2., 3.]
    );
}

#[test]
fn refuses_other_dtypes() {
    let x = numbers(&[1, 3, 3, 2], 1).to_dtype(DType::F64).unwrap();
    assert!(
        upsample(&x, 6, 6)
            .unwrap_err()
            .to_string()
            .contains("f64 tensors are not supported")
    );
}
