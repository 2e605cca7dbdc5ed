use serde_json::{Value, json};

use super::*;
use crate::candle::config::Config;

fn read(change: &[(&str, Value)]) -> benchtop_model::error::Result<VaeConfig> {
    let mut fields = json!({
        "_class_name": "AutoencoderKL",
        "down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D"],
        "up_block_types": ["UpDecoderBlock2D", "UpDecoderBlock2D"],
        "block_out_channels": [32, 64],
    });
    for (name, value) in change {
        fields[name] = value.clone();
    }
    let dir = tempfile::TempDir::new().unwrap();
    let file = dir.path().join("config.json");
    std::fs::write(&file, fields.to_string()).unwrap();
    VaeConfig::new(&Config::read(&file).unwrap())
}

#[test]
fn missing_fields_have_diffusers_defaults() {
    let config = read(&[]).unwrap();
    assert_eq!(
        (
            config.scaling_factor,
            config.force_upcast,
            config.groups,
            config.layers
        ),
        (0.18215, true, 32, 1)
    );
    assert_eq!((config.scale(), config.latent_channels), (2, 4));
    let sdxl = read(&[
        ("scaling_factor", json!(0.13025)),
        ("force_upcast", json!(false)),
    ])
    .unwrap();
    assert_eq!((sdxl.scaling_factor, sdxl.force_upcast), (0.13025, false));
}

#[test]
fn refuses_unsupported_values_by_field_name() {
    for (field, value) in [
        ("_class_name", json!("AutoencoderTiny")),
        ("in_channels", json!(4)),
        ("act_fn", json!("relu")),
        ("shift_factor", json!(0.1159)),
        ("latents_mean", json!([0., 0., 0., 0.])),
        (
            "down_block_types",
            json!(["AttnDownEncoderBlock2D", "DownEncoderBlock2D"]),
        ),
        ("up_block_types", json!(["UpDecoderBlock2D"])),
        ("block_out_channels", json!([32])),
        ("norm_num_groups", json!(24)),
        ("scaling_factor", json!(0)),
        ("force_upcast", json!(1)),
    ] {
        let told = read(&[(field, value.clone())]).unwrap_err().to_string();
        assert!(
            told.contains(&format!("`{field}`")) && told.contains("config.json"),
            "{field} {value}: {told}"
        );
    }
}
