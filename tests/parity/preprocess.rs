//! Preprocessing to the bit: bytes after resize and cut, and numbers after normalising, as hashes of what transformers'
//! processors with the Pillow backend make of twenty odd-sized pictures.

use benchtop::inference::preprocess::{Preprocessor, Steps};
use benchtop::model::generation::Pixels;
use benchtop::raster::pillow::rgb;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::support::{data, pattern};

#[derive(Deserialize)]
struct Fixture {
    cuts: Vec<Cut>,
    modes: Vec<Mode>,
}

#[derive(Deserialize)]
struct Cut {
    processor: String,
    size: (u32, u32),
    cut: String,
    planes: String,
}

#[derive(Deserialize)]
struct Mode {
    file: String,
    mode: String,
    rgb: String,
}

fn fixture() -> Fixture {
    serde_json::from_slice(&std::fs::read(data("clip/pictures.json")).unwrap()).unwrap()
}

fn sha(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn every_picture_comes_out_as_from_pillow() {
    let cuts = fixture().cuts;
    assert_eq!(cuts.len(), 100);
    for Cut {
        processor: name,
        size,
        cut,
        planes,
    } in cuts
    {
        let default = if name.starts_with("siglip") {
            Steps::siglip()
        } else {
            Steps::clip()
        };
        let processor =
            Preprocessor::open(&[data(&format!("clip/processors/{name}"))], default).unwrap();
        let picture = pattern(size.0, size.1);
        let got = processor.cut(&picture).unwrap();
        assert_eq!(sha(&got.rgb), cut, "{name} of {size:?}: bytes");
        let got = processor.planes(&picture).unwrap();
        let bytes: Vec<u8> = got.iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(sha(&bytes), planes, "{name} of {size:?}: numbers");
    }
}

#[test]
fn every_mode_becomes_rgb_as_in_pillow() {
    let modes = fixture().modes;
    let mut seen: Vec<&str> = modes.iter().map(|m| m.mode.as_str()).collect();
    seen.sort_unstable();
    assert_eq!(seen, ["1", "L", "LA", "P", "P", "RGB", "RGBA"]);
    for Mode {
        file,
        mode,
        rgb: expected,
    } in modes
    {
        let picture = image::open(data("clip/modes").join(&file)).unwrap();
        let Pixels { width, height, rgb } = rgb(&picture);
        assert_eq!((width, height), (37, 29));
        assert_eq!(sha(&rgb), expected, "{file} of mode {mode}");
    }
}
