//! `config.json` of a CLIP model in transformers' format.

use std::path::Path;

use serde_json::Value;

use crate::candle::config::Config;
use crate::candle::encoder::LayerSizes;
use crate::candle::ops::Activation;
use crate::candle::text::TextConfig;
use benchtop_model::error::Result;

/// The sizes of a picture encoder.
#[derive(Clone, Debug, PartialEq)]
pub struct VisionConfig {
    pub layer: LayerSizes,
    pub layers: usize,
    /// Side of the picture in pixels.
    pub image_size: usize,
    /// Side of a patch in pixels.
    pub patch_size: usize,
}

impl VisionConfig {
    /// Reads the `vision_config` of `config`. The defaults are those of ViT-B/32, as in
    /// transformers.
    fn read(config: &Config) -> Result<VisionConfig> {
        let fields = part(config, "vision_config")?;
        fields.only("num_channels", 3)?;
        let activation = match fields
            .get("hidden_act")
            .map_or(Some("quick_gelu"), Value::as_str)
        {
            Some("quick_gelu") => Activation::QuickGelu,
            Some("gelu") => Activation::Gelu,
            other => {
                let other = other.unwrap_or("no name");
                return Err(fields.unsupported("hidden_act", other, &["quick_gelu", "gelu"]));
            }
        };
        let (width, heads) = fields.width_and_heads(Some((768, 12)))?;
        let layer = LayerSizes {
            width,
            inner: fields.count("intermediate_size", Some(3072))?,
            heads,
            eps: fields.layer_norm_eps(1e-5)?,
            activation,
        };
        let (image_size, patch_size) = fields.side_and_patch(32)?;
        Ok(VisionConfig {
            layer,
            layers: fields.count("num_hidden_layers", Some(12))?,
            image_size,
            patch_size,
        })
    }
}

/// The sizes of a CLIP model.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipConfig {
    pub text: TextConfig,
    pub vision: VisionConfig,
    /// Number of components of an embedding.
    pub projection_dim: usize,
}

impl ClipConfig {
    /// Reads a `config.json`. Errors for unsupported models and settings name the field.
    pub fn read(file: &Path) -> Result<ClipConfig> {
        let config = Config::read(file)?;
        config.only("model_type", "clip")?;
        let projection_dim = config.count("projection_dim", Some(512))?;
        let fields = Value::Object(part(&config, "text_config")?.fields.clone());
        let mut text = TextConfig::section(fields).map_err(|problem| problem.file(file))?;
        // The projection of the whole model counts, not the part's.
        (text.projection_dim, text.with_projection) = (projection_dim, true);
        Ok(ClipConfig {
            text,
            vision: VisionConfig::read(&config)?,
            projection_dim,
        })
    }
}

/// The configuration of a part. If an old file also has `<name>_dict`, that one counts, as in
/// transformers.
fn part(config: &Config, name: &str) -> Result<Config> {
    let dict = format!("{name}_dict");
    config.section(if config.get(&dict).is_some() {
        &dict
    } else {
        name
    })
}
