//! A model folder in diffusers' layout: `model_index.json`, and a folder with `config.json` and
//! weights per part.

mod file;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Shape, Tensor, bail};
use candle_nn::VarBuilder;
use candle_nn::var_builder::SimpleBackend;
use serde_json::Value;

use super::config::Config;
use benchtop_model::error::{Error, Result};
use file::{Entry, TensorFile};

/// The supported pipelines, by the `_class_name` of `model_index.json`.
const CLASSES: [&str; 6] = [
    "StableDiffusionPipeline",
    "StableDiffusionXLPipeline",
    "StableDiffusionInpaintPipeline",
    "StableDiffusionXLInpaintPipeline",
    "StableDiffusionImg2ImgPipeline",
    "StableDiffusionXLImg2ImgPipeline",
];

/// A model on disk. Opening it reads only `model_index.json`.
#[derive(Clone, Debug)]
pub struct ModelFolder {
    pub root: PathBuf,
    pub index: Config,
    class: usize,
}

impl ModelFolder {
    /// Opens the folder `root`. Other kinds of pipelines are refused.
    pub fn open(root: &Path) -> Result<ModelFolder> {
        let index = root.join("model_index.json");
        if !index.is_file() {
            let help = "a model folder in diffusers layout is wanted: model_index.json, unet/, vae/, text_encoder/, \
                        tokenizer/, scheduler/";
            return Err(Error::not_found("no model_index.json")
                .file(root)
                .help(help));
        }
        let index = Config::read(&index)?;
        let class = index.class(&CLASSES)?;
        Ok(ModelFolder {
            root: root.to_path_buf(),
            index,
            class,
        })
    }

    pub fn xl(&self) -> bool {
        CLASSES
            .get(self.class)
            .is_some_and(|name| name.contains("XL"))
    }

    /// True if `model_index.json` lists the part.
    pub fn has(&self, part: &str) -> bool {
        // A missing part is written as [null, null].
        matches!(self.index.get(part), Some(Value::Array(pair)) if pair.iter().any(|v| !v.is_null()))
    }

    /// The folder of a part, which must exist.
    pub fn part(&self, part: &str) -> Result<PathBuf> {
        let folder = self.root.join(part);
        if !self.has(part) {
            return Err(self.index.wrong(
                part,
                "this model needs the part, but model_index.json does not list it",
            ));
        }
        if !folder.is_dir() {
            let missing = Error::not_found("missing").file(folder);
            return Err(missing.help(format!("add the model's {part}/ folder")));
        }
        Ok(folder)
    }

    /// The `config.json` of a part.
    pub fn config(&self, part: &str) -> Result<Config> {
        Config::read(&self.part(part)?.join("config.json"))
    }

    /// The weights of a part as `dtype` on `device`. Tensors are read on demand.
    pub fn weights(
        &self,
        part: &str,
        dtype: DType,
        device: &Device,
    ) -> Result<VarBuilder<'static>> {
        open_part(&self.part(part)?, dtype, device)
    }

    /// The blake3 hash in hex of the names and contents of all files that affect the pictures with
    /// `dtype`: weights, configurations, and tokenizers. Reads all files, so keep the result.
    pub fn hash(&self, dtype: DType) -> Result<String> {
        let mut files = vec![self.root.join("model_index.json")];
        for part in ["unet", "vae", "text_encoder", "text_encoder_2"] {
            if self.has(part) {
                let folder = self.part(part)?;
                files.push(folder.join("config.json"));
                files.extend(weight_files(&folder, dtype)?.1);
            }
        }
        for part in ["tokenizer", "tokenizer_2", "scheduler"] {
            if self.has(part) {
                files.extend(files_in(&self.part(part)?)?);
            }
        }
        hash_files(&self.root, files)
    }
}

/// The blake3 hash in hex of the names (below `root`) and contents of `files`.
pub(super) fn hash_files(root: &Path, mut files: Vec<PathBuf>) -> Result<String> {
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let name = file
            .strip_prefix(root)
            .unwrap_or(&file)
            .to_string_lossy()
            .into_owned();
        let mut content = blake3::Hasher::new();
        let opened = std::fs::File::open(&file).and_then(|f| content.update_reader(f).map(|_| ()));
        opened.map_err(|e| Error::io(&e, "cannot read", &file))?;
        benchtop_model::hash::put(&mut hasher, &name);
        hasher.update(content.finalize().as_bytes());
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// The name of a model's folder.
pub(super) fn folder_name(folder: &Path) -> String {
    let named = folder.canonicalize();
    let named = named.unwrap_or_else(|_| folder.to_path_buf());
    let name = named.file_name().unwrap_or(named.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The files in `folder`, without those below it.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|e| Error::io(&e, "cannot read", folder))?;
    let paths = entries.into_iter().map(|e| e.path());
    Ok(paths.filter(|p| p.is_file()).collect())
}

/// The hash of the folder of one part: its weights for `dtype`, and its JSON and text files.
pub fn hash_part(folder: &Path, dtype: DType) -> Result<String> {
    let mut files = weight_files(folder, dtype)?.1;
    let told = |path: &PathBuf| path.extension().is_some_and(|e| e == "json" || e == "txt");
    files.extend(files_in(folder)?.into_iter().filter(told));
    hash_files(folder, files)
}

/// The weights in the folder of one part as `dtype` on `device`. Tensors are read on demand.
pub fn open_part(folder: &Path, dtype: DType, device: &Device) -> Result<VarBuilder<'static>> {
    let (named, paths) = weight_files(folder, dtype)?;
    let mut weights = Weights {
        named,
        files: Vec::new(),
        places: BTreeMap::new(),
    };
    for path in &paths {
        let file = TensorFile::open(path)?;
        for name in file.entries.keys() {
            if weights
                .places
                .insert(name.clone(), weights.files.len())
                .is_some()
            {
                return Err(
                    Error::input("the tensor is also in another file of the same part")
                        .field(name)
                        .file(path),
                );
            }
        }
        weights.files.push(file);
    }
    Ok(VarBuilder::from_backend(
        Box::new(weights),
        dtype,
        device.clone(),
    ))
}

/// The file that lists a part's weights, and the files with the weights. A 16-bit `dtype` prefers
/// an fp16 variant; others prefer the full one.
fn weight_files(folder: &Path, dtype: DType) -> Result<(PathBuf, Vec<PathBuf>)> {
    let variants = if dtype == DType::F32 {
        ["", ".fp16"]
    } else {
        [".fp16", ""]
    };
    for variant in variants {
        for stem in ["diffusion_pytorch_model", "model"] {
            let whole = folder.join(format!("{stem}{variant}.safetensors"));
            if whole.is_file() {
                return Ok((whole.clone(), vec![whole]));
            }
            let newer = format!("{stem}.safetensors.index{variant}.json");
            for index in [format!("{stem}{variant}.safetensors.index.json"), newer] {
                let index = folder.join(index);
                if index.is_file() {
                    let shards = shards(&index, folder)?;
                    return Ok((index, shards));
                }
            }
        }
    }
    let pickled = ["pytorch_model.bin", "diffusion_pytorch_model.bin"]
        .iter()
        .any(|name| folder.join(name).exists());
    let what = if pickled {
        "only pickled weights (.bin), which are not supported"
    } else {
        "no weights"
    };
    let help = "put diffusion_pytorch_model.safetensors (unet, vae) or model.safetensors (text encoders) there, or \
                their fp16 variant, or their shards and the index of these";
    Err(Error::not_found(what).file(folder).help(help))
}

/// The files that a `*.safetensors.index.json` lists.
fn shards(index: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let config = Config::read(index)?;
    let Some(Value::Object(map)) = config.get("weight_map") else {
        return Err(config.wrong("weight_map", "expected an object of tensor and file names"));
    };
    let mut names: Vec<&str> = Vec::new();
    for (tensor, file) in map {
        match file.as_str() {
            Some(name) if !name.contains('/') && name.ends_with(".safetensors") => names.push(name),
            _ => {
                return Err(config.wrong(
                    "weight_map",
                    format!("{file} of tensor {tensor} is not a file in this folder"),
                ));
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    let files: Vec<PathBuf> = names.into_iter().map(|name| folder.join(name)).collect();
    match files.iter().find(|file| !file.is_file()) {
        Some(file) => {
            let missing = Error::not_found("missing").file(file);
            Err(missing.help(format!("add the shard that {} lists", index.display())))
        }
        None => Ok(files),
    }
}

/// The tensors of one part, for candle's [`VarBuilder`].
struct Weights {
    /// The file to name in errors about missing tensors.
    named: PathBuf,
    files: Vec<TensorFile>,
    places: BTreeMap<String, usize>,
}

impl Weights {
    fn find(&self, name: &str) -> candle_core::Result<(&TensorFile, &Entry)> {
        let file = self.places.get(name).and_then(|at| self.files.get(*at));
        match file.and_then(|f| f.entries.get(name).map(|entry| (f, entry))) {
            Some(found) => Ok(found),
            None => bail!(
                "{}: tensor {name} is missing; the weights belong to another model",
                self.named.display()
            ),
        }
    }
}

impl SimpleBackend for Weights {
    fn get(
        &self,
        shape: Shape,
        name: &str,
        _: candle_nn::Init,
        dtype: DType,
        device: &Device,
    ) -> candle_core::Result<Tensor> {
        let (file, entry) = self.find(name)?;
        if shape.dims() != entry.shape {
            bail!(
                "{}: tensor {name} has shape {:?}, but config.json requires {:?}",
                file.path.display(),
                entry.shape,
                shape.dims()
            );
        }
        file.read(name, entry, dtype, device)
    }

    fn get_unchecked(
        &self,
        name: &str,
        dtype: DType,
        device: &Device,
    ) -> candle_core::Result<Tensor> {
        let (file, entry) = self.find(name)?;
        file.read(name, entry, dtype, device)
    }

    fn contains_tensor(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }
}
