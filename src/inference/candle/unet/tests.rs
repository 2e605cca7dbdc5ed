use serde_json::{Value, json};

use super::*;
use crate::candle::config::Config;
use crate::candle::layers::Sinusoid;

fn read(change: &[(&str, Value)]) -> benchtop_model::error::Result<UNetConfig> {
    let mut fields = json!({
        "_class_name": "UNet2DConditionModel",
        "down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"],
        "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D"],
        "block_out_channels": [32, 64],
        "attention_head_dim": [4, 8],
        "norm_num_groups": 8,
        "cross_attention_dim": 24,
    });
    for (name, value) in change {
        fields[name] = value.clone();
    }
    let dir = tempfile::TempDir::new().unwrap();
    let file = dir.path().join("config.json");
    std::fs::write(&file, fields.to_string()).unwrap();
    UNetConfig::new(&Config::read(&file).unwrap())
}

#[test]
fn parses_a_configuration_level_by_level() {
    let config = read(&[]).unwrap();
    let level = |channels, down, up, heads| Level {
        channels,
        layers: 2,
        down,
        up,
        heads,
    };
    assert_eq!(config.levels, [level(32, 1, 1, 4), level(64, 0, 0, 8)]);
    assert_eq!(
        (
            config.groups,
            config.context,
            config.in_channels,
            config.middle
        ),
        (8, 24, 4, 1)
    );
    let one = read(&[
        ("attention_head_dim", json!(8)),
        ("layers_per_block", json!([1, 3])),
    ])
    .unwrap();
    assert_eq!(
        one.levels
            .iter()
            .map(|l| (l.heads, l.layers))
            .collect::<Vec<_>>(),
        [(8, 1), (8, 3)]
    );
}

#[test]
fn refuses_unsupported_values_by_field_name() {
    for (field, value) in [
        ("_class_name", json!("UNet3DConditionModel")),
        ("act_fn", json!("gelu")),
        ("addition_embed_type", json!("image")),
        ("addition_embed_type", json!(7)),
        ("attention_head_dim", json!([4])),
        ("attention_head_dim", json!([5, 8])),
        ("block_out_channels", json!([32, 65])),
        ("block_out_channels", json!(32)),
        ("block_out_channels", json!([0, 64])),
        ("block_out_channels", json!([1e12, 64])),
        ("class_embed_type", json!("projection")),
        ("cross_attention_dim", json!([24, 32])),
        (
            "down_block_types",
            json!(["AttnDownBlock2D", "DownBlock2D"]),
        ),
        ("down_block_types", json!("DownBlock2D")),
        ("encoder_hid_dim", json!(12)),
        ("layers_per_block", json!("two")),
        ("mid_block_type", json!("UNetMidBlock2D")),
        ("norm_num_groups", json!(7)),
        ("num_attention_heads", json!(8)),
        ("resnet_time_scale_shift", json!("scale_shift")),
        ("time_cond_proj_dim", json!(256)),
        ("up_block_types", json!(["UpBlock2D"])),
        ("use_linear_projection", json!("yes")),
    ] {
        let told = read(&[(field, value.clone())]).unwrap_err().to_string();
        // A width that is not divisible by the groups is reported for the groups.
        let named = told.contains(&format!("`{field}`"))
            || field == "block_out_channels" && told.contains("norm_num_groups");
        assert!(
            named && told.contains("config.json"),
            "{field} {value}: {told}"
        );
    }
    let text_time = [("addition_embed_type", json!("text_time"))];
    assert!(
        read(&text_time)
            .unwrap_err()
            .to_string()
            .contains("`addition_time_embed_dim`: missing")
    );
}

/// At t = 981, an angle in f16 would be off by up to half a radian, as in candle's own U-Net.
#[test]
fn sinusoid_is_computed_in_f32_and_then_cast() {
    let sinusoid = Sinusoid {
        dim: 320,
        flip: true,
        shift: 0.,
    };
    let of = |dtype: DType| -> Vec<f32> {
        let t = sinusoid.of(&[981.], dtype, &Device::Cpu).unwrap();
        assert_eq!(t.dims(), [1, 320]);
        t.to_dtype(DType::F32)
            .unwrap()
            .flatten_all()
            .unwrap()
            .to_vec1()
            .unwrap()
    };
    let exact = |i: usize| {
        let angle = 981. * (-(10_000f64.ln()) * (i % 160) as f64 / 160.).exp();
        if i < 160 { angle.cos() } else { angle.sin() }
    };
    for (dtype, most) in [(DType::F32, 2e-4), (DType::F16, 7e-4)] {
        for (i, found) in of(dtype).into_iter().enumerate() {
            assert!(
                (found as f64 - exact(i)).abs() < most,
                "{dtype:?} {i}: {found} against {}",
                exact(i)
            );
        }
    }
}
