//! What the parity tests share: where fixtures are, and how far two tensors are apart.

use std::path::{Path, PathBuf};

use benchtop::model::generation::Pixels;
use candle_core::{DType, Device, Tensor};
use tempfile::TempDir;

/// The fixture of that name.
pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/parity/data")
        .join(name)
}

/// Where models are compared with PyTorch: here, and with the feature `cuda` on the first card, where there is one.
pub fn devices() -> Vec<Device> {
    #[cfg(feature = "cuda")]
    match benchtop::inference::candle::ops::cuda::open(0) {
        Ok(card) => return vec![Device::Cpu, card],
        Err(why) => crate::support::skip(crate::support::Need::Gpu, &why.to_string()),
    }
    vec![Device::Cpu]
}

/// Norm of the difference over norm of what is expected, in f64.
pub fn relative_error(got: &Tensor, expected: &Tensor) -> f64 {
    assert_eq!(got.dims(), expected.dims());
    let numbers = |t: &Tensor| {
        t.to_dtype(DType::F64)
            .unwrap()
            .flatten_all()
            .unwrap()
            .to_vec1::<f64>()
            .unwrap()
    };
    let (got, expected) = (numbers(got), numbers(expected));
    let norm = |squares: f64| squares.sqrt();
    norm(
        got.iter()
            .zip(&expected)
            .map(|(g, e)| (g - e).powi(2))
            .sum(),
    ) / norm(expected.iter().map(|e| e * e).sum())
}

/// Fails unless `got` is within `tolerance` of `expected`; a value that is not a number is never within.
#[track_caller]
pub fn assert_close(what: &str, got: &Tensor, expected: &Tensor, tolerance: f64) {
    let error = relative_error(got, expected);
    assert!(
        error <= tolerance,
        "{what}: relative error {error:.2e}, at most {tolerance:.0e} is allowed"
    );
}

/// The picture that `pattern` of `make_clip.py` computes.
pub fn pattern(width: u32, height: u32) -> Pixels {
    let mut rgb = Vec::new();
    for y in 0..height {
        for x in 0..width {
            for c in 0..3u32 {
                let noise =
                    x.wrapping_mul(73856093) ^ y.wrapping_mul(19349663) ^ c.wrapping_mul(83492791);
                let kinds = [x * 3 + y * 5 + c * 40, noise >> 13, ((x ^ y) & 1) * 255];
                rgb.push(kinds[((x / 16 + y / 16 + c / 2) % 3) as usize] as u8);
            }
        }
    }
    Pixels { width, height, rgb }
}

/// A folder of links to the files of some fixture folders; what is in two of them is that of the first.
pub fn linked(folders: &[&str]) -> TempDir {
    let dir = TempDir::new().unwrap();
    for folder in folders {
        for entry in std::fs::read_dir(data(folder)).unwrap() {
            let entry = entry.unwrap();
            let to = dir.path().join(entry.file_name());
            if !to.exists() && entry.path().is_file() {
                std::os::unix::fs::symlink(entry.path(), to).unwrap();
            }
        }
    }
    dir
}

/// Puts a changed copy in the place of a link.
pub fn edited(dir: &Path, file: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let path = dir.join(file);
    let content = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::write(path, change(content)).unwrap();
}

/// The same with one text for another, which must be there.
pub fn replaced_text(dir: &Path, file: &str, from: &str, to: &str) {
    edited(dir, file, |content| {
        let text = String::from_utf8(content).unwrap();
        assert!(text.contains(from), "{from}");
        text.replace(from, to).into_bytes()
    });
}
