//! What the parity tests share: where fixtures are, and how far two tensors are apart.

use std::path::PathBuf;

use candle_core::{DType, Tensor};

/// The fixture of that name.
pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/parity/data").join(name)
}

/// Norm of the difference over norm of what is expected, in f64.
pub fn relative_error(got: &Tensor, expected: &Tensor) -> f64 {
    assert_eq!(got.dims(), expected.dims());
    let numbers = |t: &Tensor| t.to_dtype(DType::F64).unwrap().flatten_all().unwrap().to_vec1::<f64>().unwrap();
    let (got, expected) = (numbers(got), numbers(expected));
    let norm = |squares: f64| squares.sqrt();
    norm(got.iter().zip(&expected).map(|(g, e)| (g - e).powi(2)).sum()) / norm(expected.iter().map(|e| e * e).sum())
}

/// Fails unless `got` is within `tolerance` of `expected`; a value that is not a number is never within.
#[track_caller]
pub fn assert_close(what: &str, got: &Tensor, expected: &Tensor, tolerance: f64) {
    let error = relative_error(got, expected);
    assert!(error <= tolerance, "{what}: relative error {error:.2e}, at most {tolerance:.0e} is allowed");
}
