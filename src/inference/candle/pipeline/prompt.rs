//! Encodes prompts for the U-Net, with the tokenizers and text encoders of a model.

use crate::candle::config::CandleResult;
use candle_core::{D, DType, Device, Tensor};

use crate::candle::scheduler::SchedulerConfig;
use crate::candle::text::{TextConfig, TextEncoder};
use crate::candle::tokenizer::{ClipTokenizer, TokenizedPrompt};
use crate::candle::unet::UNetConfig;
use crate::candle::weights::ModelFolder;
use benchtop_model::error::Result;
use benchtop_model::generation::Task;

/// The texts of some pictures, encoded.
pub(super) struct Prompts {
    /// `[rows, tokens, context]`: with guidance, all negative prompts followed by all prompts;
    /// otherwise only the prompts.
    pub text: Tensor,
    /// For SDXL, the pooled state of the second encoder, `[rows, width]`.
    pub pooled: Option<Tensor>,
}

/// The tokenizers and text encoders of a model.
pub(super) struct TextSide {
    encoders: Vec<(ClipTokenizer, TextEncoder)>,
    xl: bool,
    /// A missing negative prompt is encoded as zeros, not as an empty text.
    zeros: bool,
}

impl TextSide {
    /// Loads the encoders of `folder`.
    pub fn load(
        folder: &ModelFolder,
        unet: &UNetConfig,
        dtype: DType,
        device: &Device,
    ) -> Result<TextSide> {
        let parts: &[(&str, &str)] = match folder.xl() {
            true => &[
                ("tokenizer", "text_encoder"),
                ("tokenizer_2", "text_encoder_2"),
            ],
            false => &[("tokenizer", "text_encoder")],
        };
        let mut encoders = Vec::new();
        for (tokenizer, part) in parts {
            let config = TextConfig::read(&folder.part(part)?.join("config.json"))?;
            let tokenizer = ClipTokenizer::open(&folder.part(tokenizer)?)?;
            encoders.push((
                tokenizer,
                TextEncoder::load(&folder.weights(part, dtype, device)?, config).input()?,
            ));
        }
        let width: usize = encoders
            .iter()
            .map(|(_, encoder)| encoder.config.hidden_size)
            .sum();
        if width != unet.context {
            let what = format!(
                "is {}, but the text encoders have a width of {width}",
                unet.context
            );
            return Err(folder.config("unet")?.wrong("cross_attention_dim", what));
        }
        // The default of diffusers' SDXL pipelines. SD pipelines do not have the field.
        let zeros = folder.xl() && folder.index.flag("force_zeros_for_empty_prompt", true)?;
        Ok(TextSide {
            encoders,
            xl: folder.xl(),
            zeros,
        })
    }

    /// Tokenizes `text` for each encoder.
    fn tokenized(&self, text: &str) -> Result<Vec<TokenizedPrompt>> {
        self.encoders
            .iter()
            .map(|(tokenizer, _)| tokenizer.prompt(text))
            .collect()
    }

    /// The number of chunks of the texts of `task`, and notes for the user.
    pub fn look(&self, task: &Task, guided: bool) -> Result<(usize, Vec<String>)> {
        let mut most = 1;
        let mut notes = Vec::new();
        let negative = task
            .negative_prompt
            .as_deref()
            .filter(|_| guided)
            .map(|text| ("negative prompt: ", text));
        for (what, text) in std::iter::once(("", task.prompt.as_str())).chain(negative) {
            let tokenized = self.tokenized(text)?;
            most = tokenized
                .iter()
                .map(|t| t.chunks.len())
                .max()
                .unwrap_or(1)
                .max(most);
            notes.extend(
                tokenized
                    .first()
                    .and_then(TokenizedPrompt::note)
                    .map(|note| format!("{what}{note}")),
            );
        }
        Ok((most, notes))
    }

    /// Encodes the texts of `tasks`.
    pub fn encode(&self, tasks: &[&Task], guided: bool) -> Result<Prompts> {
        let negative = |task: &Task| task.negative_prompt.clone().unwrap_or_default();
        let negatives = tasks
            .iter()
            .filter(|_| guided)
            .map(|t| (negative(t), self.zeros && t.negative_prompt.is_none()));
        let rows: Vec<(String, bool)> = negatives
            .chain(tasks.iter().map(|t| (t.prompt.clone(), false)))
            .collect();
        let mut states = Vec::new();
        let mut pooled = None;
        for (tokenizer, encoder) in &self.encoders {
            let mut prompts = rows
                .iter()
                .map(|(text, _)| tokenizer.prompt(text))
                .collect::<Result<Vec<_>>>()?;
            tokenizer.level(&mut prompts);
            let chunks: Vec<&[Vec<u32>]> = prompts.iter().map(|p| p.chunks.as_slice()).collect();
            let encoded = encoder.encode(&chunks).input()?;
            // SDXL was trained on the penultimate states of both encoders and the projection of the
            // second; SD was trained on the last states.
            states.push(if self.xl {
                encoded.penultimate
            } else {
                encoded.last
            });
            pooled = if self.xl { encoded.projected } else { None };
        }
        let keep: Vec<f32> = rows
            .iter()
            .map(|(_, zero)| if *zero { 0. } else { 1. })
            .collect();
        let text = Tensor::cat(&states, D::Minus1).input()?;
        let keep = Tensor::new(keep, text.device())
            .input()?
            .to_dtype(text.dtype())
            .input()?;
        let text = text
            .broadcast_mul(&keep.reshape(((), 1, 1)).input()?)
            .input()?;
        let pooled = pooled
            .map(|pooled| pooled.broadcast_mul(&keep.reshape(((), 1))?))
            .transpose()
            .input()?;
        Ok(Prompts { text, pooled })
    }
}

/// The scheduler configuration of a model.
pub(super) fn scheduler(folder: &ModelFolder) -> Result<SchedulerConfig> {
    SchedulerConfig::read(&folder.part("scheduler")?.join("scheduler_config.json"))
}
