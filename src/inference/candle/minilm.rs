//! Sentence embeddings (Reimers and Gurevych 2019) with a BERT such as all-MiniLM-L6-v2. The
//! network is candle-transformers', which agrees with transformers' `BertModel` in f32. Mean
//! pooling without padding and normalization follow sentence-transformers' `Pooling` and
//! `Normalize`.

use crate::candle::config::CandleResult;
use crate::candle::config::reason;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_transformers::models::bert::{BertModel, Config as Network};
use tokenizers::Tokenizer;

use super::config::Config;
use super::device::describe;
use super::dual_encoder::Options;
use super::pipeline::{failure, wrong};
use crate::scoring::{EmbeddedText, TextEmbedder};
use benchtop_model::cancel::Cancel;
use benchtop_model::error::{Error, Result};
use benchtop_model::generation::{Failure, FailureKind, Fingerprint};
use benchtop_model::sorting::sort_by_key;

/// Part of the fingerprint. Increase it with every change that changes the output.
const CODE: u32 = 1;

/// Default maximum of tokens per text, including special tokens, as in all-MiniLM-L6-v2. The file
/// `sentence_bert_config.json` may set another.
const LONGEST: usize = 256;

/// Texts per batch.
const TOGETHER: usize = 32;

/// A text encoder with its tokenizer.
pub struct MiniLm {
    model: BertModel,
    tokenizer: Tokenizer,
    /// The id of `[SEP]`, which ends every text.
    end: u32,
    longest: usize,
    vocabulary: usize,
    dimension: usize,
    name: String,
    fingerprint: Fingerprint,
    device: Device,
}

/// Refuses values that candle's network would divide by or misinterpret.
fn check(config: &Config) -> Result<()> {
    config.only("model_type", "bert")?;
    config.width_and_heads(None)?;
    match config.get("hidden_act").and_then(|a| a.as_str()) {
        None | Some("gelu" | "relu") => {}
        Some(other) => {
            return Err(config.unsupported("hidden_act", other, &["gelu", "relu"]));
        }
    }
    config.only("position_embedding_type", "absolute")
}

/// Refuses any pooling but the mean, if the folder configures one.
fn pooling(folder: &Path) -> Result<()> {
    let file = folder.join("1_Pooling/config.json");
    if !file.is_file() {
        return Ok(());
    }
    let config = Config::read(&file)?;
    let is_on = |name: &str| {
        config
            .get(name)
            .and_then(serde_json::Value::as_bool)
            .unwrap_or(false)
    };
    let others = [
        "pooling_mode_cls_token",
        "pooling_mode_max_tokens",
        "pooling_mode_mean_sqrt_len_tokens",
    ];
    match others.into_iter().find(|name| is_on(name)) {
        None => Ok(()),
        Some(name) => Err(config.wrong(name, "only mean pooling is supported")),
    }
}

fn tokenizer(folder: &Path) -> Result<(Tokenizer, u32)> {
    // The published file truncates and pads to 128 tokens. sentence-transformers overrides both.
    let (tokenizer, file) = super::dual_encoder::tokenizer(folder, "vocab.txt")?;
    let missing = || Error::input("the vocabulary has no `[SEP]`").file(&file);
    let end = tokenizer.token_to_id("[SEP]").ok_or_else(missing)?;
    Ok((tokenizer, end))
}

impl MiniLm {
    /// Loads the model in `folder`: `config.json`, `tokenizer.json`, and `model.safetensors`, and
    /// sentence-transformers' `sentence_bert_config.json` and `1_Pooling/config.json` if they
    /// exist.
    ///
    /// # Errors
    /// A missing file or another kind of model, with file and field.
    pub fn open(folder: &Path, options: &Options) -> Result<MiniLm> {
        if options.dtype != DType::F32 {
            return Err(Error::input("only f32 is supported").field("dtype"));
        }
        let file = folder.join("config.json");
        let config = Config::read(&file)?;
        check(&config)?;
        pooling(folder)?;
        let network: Network = serde_json::from_value(serde_json::Value::Object(
            config.fields.clone(),
        ))
        .map_err(|e| Error::input(format!("is not a BERT configuration: {e}")).file(&file))?;
        let limits = folder.join("sentence_bert_config.json");
        let longest = match limits.is_file() {
            true => Config::read(&limits)?.count("max_seq_length", Some(LONGEST))?,
            false => LONGEST,
        };
        let longest = longest.min(network.max_position_embeddings);
        if longest < 3 {
            return Err(Error::input("leaves no room between the special tokens")
                .file(limits)
                .field("max_seq_length"));
        }
        let (tokenizer, end) = tokenizer(folder)?;
        let hash = match &options.hash {
            Some(hash) => hash.clone(),
            None => super::weights::hash_part(folder, options.dtype)?,
        };
        let place = describe(&options.device).input()?;
        let model = super::weights::folder_name(folder);
        let fingerprint = Fingerprint::default()
            .with(
                "backend",
                "candle-transformers 0.11.1, BERT; masked mean, length 1",
            )
            .with("code", CODE)
            .with("model", &model)
            .with("weights", hash)
            .with("dtype", options.dtype.as_str())
            .with("device", place.print())
            .with("longest", longest);
        let vb = super::weights::open_part(folder, options.dtype, &options.device)?;
        Ok(MiniLm {
            tokenizer,
            end,
            longest,
            vocabulary: network.vocab_size,
            dimension: network.hidden_size,
            name: format!("{model} on {}", place.name),
            fingerprint,
            device: options.device.clone(),
            model: BertModel::load(vb, &network).input()?,
        })
    }

    /// The token ids of `text`, cut to the model's maximum, and their number before the cut.
    fn ids(&self, text: &str) -> Result<(Vec<u32>, usize)> {
        let encoding = self.tokenizer.encode_fast(text, true);
        let encoding =
            encoding.map_err(|e| Error::input(format!("cannot tokenize the text: {e}")))?;
        let mut ids = encoding.get_ids().to_vec();
        let tokens = ids.len();
        if tokens > self.longest {
            ids.truncate(self.longest - 1);
            ids.push(self.end);
        }
        match ids.iter().find(|id| **id as usize >= self.vocabulary) {
            Some(id) => Err(Error::input(format!(
                "token id {id}, but the model has {} tokens; the tokenizer belongs to another model",
                self.vocabulary
            ))),
            None => Ok((ids, tokens)),
        }
    }

    /// Embeds texts of at least one token each as `[b, dimension]`. Shorter texts are padded, and
    /// the padding is masked.
    fn forward(&self, texts: &[&[u32]]) -> candle_core::Result<Tensor> {
        let (rows, width) = (
            texts.len(),
            texts.iter().map(|t| t.len()).max().unwrap_or_default(),
        );
        let (mut ids, mut mask) = (vec![0u32; rows * width], vec![0f32; rows * width]);
        for (row, text) in texts.iter().enumerate() {
            let at = row * width;
            ids[at..at + text.len()].copy_from_slice(text);
            mask[at..at + text.len()].fill(1.);
        }
        let ids = Tensor::from_vec(ids, (rows, width), &self.device)?;
        let mask = Tensor::from_vec(mask, (rows, width), &self.device)?;
        let states = self.model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let mask = mask.unsqueeze(2)?;
        let sum = states.broadcast_mul(&mask)?.sum(1)?;
        let mean = sum.broadcast_div(&mask.sum(1)?.clamp(1e-9, f64::MAX)?)?;
        let norm = mean.sqr()?.sum_keepdim(1)?.sqrt()?.clamp(1e-12, f64::MAX)?;
        mean.broadcast_div(&norm)
    }
}

impl TextEmbedder for MiniLm {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn max_tokens(&self) -> usize {
        self.longest
    }

    fn fingerprint(&self) -> Fingerprint {
        self.fingerprint.clone()
    }

    fn embed(
        &mut self,
        texts: &[&str],
        cancel: Cancel<'_>,
    ) -> Vec<std::result::Result<EmbeddedText, Failure>> {
        let read: Vec<Result<(Vec<u32>, usize)>> =
            texts.iter().map(|text| self.ids(text)).collect();
        // Texts of similar length share a batch, because a batch is as wide as its longest text.
        let mut order: Vec<usize> = (0..texts.len()).filter(|at| read[*at].is_ok()).collect();
        sort_by_key(&mut order, |at| {
            read[*at].as_ref().map_or(0, |(ids, _)| ids.len())
        });
        let mut found: Vec<Option<std::result::Result<EmbeddedText, Failure>>> =
            texts.iter().map(|_| None).collect();
        for some in order.chunks(TOGETHER) {
            if cancel.is_canceled() {
                break;
            }
            let ids: Vec<&[u32]> = some
                .iter()
                .filter_map(|at| read[*at].as_ref().ok())
                .map(|(i, _)| &i[..])
                .collect();
            match self.forward(&ids).and_then(|t| t.to_vec2::<f32>()) {
                Ok(rows) => {
                    for (at, vector) in some.iter().zip(rows) {
                        let tokens = read[*at].as_ref().map_or(0, |(_, tokens)| *tokens);
                        let cut = (tokens > self.longest).then_some(tokens);
                        found[*at] = Some(Ok(EmbeddedText {
                            vector,
                            tokens_before_cut: cut,
                        }));
                    }
                }
                Err(error) => {
                    let why = failure(FailureKind::Refused, &reason(&error));
                    some.iter()
                        .for_each(|at| found[*at] = Some(Err(why.clone())));
                }
            }
        }
        let rest = |(found, read): (
            Option<std::result::Result<EmbeddedText, Failure>>,
            Result<_>,
        )| match (found, read) {
            (Some(found), _) => found,
            (None, Err(problem)) => Err(wrong(problem)),
            (None, Ok(_)) => Err(Failure::cancelled()),
        };
        found.into_iter().zip(read).map(rest).collect()
    }
}
