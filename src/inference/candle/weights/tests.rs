use std::fs;

use tempfile::TempDir;

use super::*;

/// A safetensors file with one f32 tensor `w` of shape [2, 3], all ones.
fn tensors() -> Vec<u8> {
    let ones = Tensor::ones((2, 3), DType::F32, &Device::Cpu).unwrap();
    let dir = TempDir::new().unwrap();
    ones.save_safetensors("w", dir.path().join("x")).unwrap();
    fs::read(dir.path().join("x")).unwrap()
}

/// A folder with only `unet/` in it.
fn folder() -> TempDir {
    let dir = TempDir::new().unwrap();
    let index = r#"{"_class_name": "StableDiffusionPipeline", "unet": ["diffusers", "UNet2DConditionModel"],
        "vae": ["diffusers", "AutoencoderKL"], "safety_checker": [null, null]}"#;
    fs::write(dir.path().join("model_index.json"), index).unwrap();
    fs::create_dir(dir.path().join("unet")).unwrap();
    fs::write(dir.path().join("unet/config.json"), "{}").unwrap();
    dir
}

fn weights(dir: &TempDir, dtype: DType) -> Result<VarBuilder<'static>> {
    ModelFolder::open(dir.path())
        .unwrap()
        .weights("unet", dtype, &Device::Cpu)
}

fn told<T, E: std::fmt::Display>(result: std::result::Result<T, E>) -> String {
    result.err().unwrap().to_string()
}

const NAME: &str = "unet/diffusion_pytorch_model.safetensors";

#[test]
fn weights_are_cast_and_their_shape_is_checked() {
    let dir = folder();
    fs::write(dir.path().join(NAME), tensors()).unwrap();
    let vb = weights(&dir, DType::F16).unwrap();
    let w = vb.get((2, 3), "w").unwrap();
    assert_eq!((w.dtype(), w.dims()), (DType::F16, [2, 3].as_slice()));
    assert!(vb.contains_tensor("w") && !vb.contains_tensor("v"));
    let wrong = told(vb.get((3, 2), "w"));
    assert!(
        wrong.contains("diffusion_pytorch_model.safetensors: tensor w has shape [2, 3], but config.json requires [3, 2]")
    );
    let missing = told(vb.pp("down.0").get(1, "bias"));
    assert!(
        missing.contains(NAME) && missing.contains("tensor down.0.bias is missing"),
        "{missing}"
    );
}

#[test]
fn errors_name_missing_files_with_a_remedy() {
    let empty = TempDir::new().unwrap();
    assert!(
        told(ModelFolder::open(empty.path()))
            .contains("no model_index.json\n  help: a model folder in diffusers layout")
    );
    let dir = folder();
    assert!(
        told(weights(&dir, DType::F32))
            .contains("unet: no weights\n  help: put diffusion_pytorch_model.safetensors")
    );
    fs::write(dir.path().join("unet/diffusion_pytorch_model.bin"), "x").unwrap();
    assert!(told(weights(&dir, DType::F32)).contains("only pickled weights (.bin)"));
    let folder = ModelFolder::open(dir.path()).unwrap();
    assert!(told(folder.part("vae")).contains("vae: missing\n  help: add the model's vae/ folder"));
    assert!(
        told(folder.part("text_encoder")).contains("`text_encoder`: this model needs the part")
    );
    assert!(folder.has("unet") && !folder.has("safety_checker"));
}

#[test]
fn refuses_other_kinds_of_models_by_name() {
    let dir = folder();
    fs::write(
        dir.path().join("model_index.json"),
        r#"{"_class_name": "FluxPipeline"}"#,
    )
    .unwrap();
    let told = told(ModelFolder::open(dir.path()));
    assert!(
        told.contains(
            "FluxPipeline is not supported\n  help: supported: StableDiffusionPipeline, "
        ),
        "{told}"
    );
    for text in ["[]", "{", "", "null", "{}"] {
        fs::write(dir.path().join("model_index.json"), text).unwrap();
        assert!(
            ModelFolder::open(dir.path())
                .err()
                .unwrap()
                .to_string()
                .contains("model_index.json")
        );
    }
}

/// Truncated files of every length and foreign contents give an error with the file's name.
#[test]
fn errors_name_truncated_and_foreign_files() {
    let dir = folder();
    let whole = tensors();
    for length in 0..whole.len() {
        fs::write(dir.path().join(NAME), &whole[..length]).unwrap();
        let told = told(weights(&dir, DType::F32));
        assert!(told.contains(NAME), "{length}: {told}");
        if length > 100 {
            assert!(
                told.contains("field `w`: the file is incomplete"),
                "{length}: {told}"
            );
        }
    }
    let header = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    for (content, why) in [
        (b"PK\x03\x04 a zip file, not tensors".to_vec(), "not a safetensors file"),
        (vec![0xff; 64], "not a safetensors file"),
        (header("[]"), "not a safetensors file"),
        (header(r#"{"w": 1}"#), "field `w`"),
        (header(r#"{"w": {"dtype": "I4", "shape": [1], "data_offsets": [0, 1]}}"#), "element type I4"),
        (header(r#"{"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}"#), "the bytes 0..4"),
        (header(r#"{"w": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}"#), "the bytes 4..0"),
        (
            header(r#"{"w": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 0]}}"#),
            "does not match the bytes",
        ),
        (
            header(
                r#"{"w": {"dtype": "U8", "shape": [0], "data_offsets": [18446744073709551615, 18446744073709551615]}}"#,
            ),
            "incomplete",
        ),
        (
            [header(r#"{"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}, "w": {"dtype": "U8", "shape": [4], "data_offsets": [2, 6]}}"#), vec![0; 6]].concat(),
            "overlap another tensor",
        ),
        (
            [header(r#"{"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}, "w": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}}"#), vec![0; 4]].concat(),
            "overlap another tensor",
        ),
        (
            [header(r#"{"a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}, "w": {"dtype": "U8", "shape": [2], "data_offsets": [4, 6]}}"#), vec![0; 6]].concat(),
            "2 bytes before it belong to no tensor",
        ),
        (
            [header(r#"{"w": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}}"#), vec![0; 6]].concat(),
            "4 bytes at the end of the file belong to no tensor",
        ),
    ] {
        fs::write(dir.path().join(NAME), content).unwrap();
        let told = told(weights(&dir, DType::F32));
        assert!(told.contains(NAME) && told.contains(why), "{told}");
    }
}

#[test]
fn finds_shards_and_variants() {
    let dir = folder();
    let put = |name: &str, content: &[u8]| {
        fs::write(dir.path().join("unet").join(name), content).unwrap()
    };
    put(
        "diffusion_pytorch_model.safetensors.index.json",
        br#"{"weight_map": {"w": "a.safetensors"}}"#,
    );
    assert!(
        told(weights(&dir, DType::F32)).contains("a.safetensors: missing\n  help: add the shard")
    );
    put("a.safetensors", &tensors());
    assert!(weights(&dir, DType::F32).unwrap().contains_tensor("w"));
    put("b.safetensors", &tensors());
    let map = br#"{"weight_map": {"w": "a.safetensors", "v": "b.safetensors"}}"#;
    put("diffusion_pytorch_model.safetensors.index.json", map);
    assert!(
        told(weights(&dir, DType::F32)).contains("field `w`: the tensor is also in another file")
    );
    for name in ["../a.safetensors", "/etc/passwd", "a.bin"] {
        let map = format!(r#"{{"weight_map": {{"w": "{name}"}}}}"#);
        put(
            "diffusion_pytorch_model.safetensors.index.json",
            map.as_bytes(),
        );
        assert!(told(weights(&dir, DType::F32)).contains("is not a file in this folder"));
    }
    // An fp16 variant is preferred for f16, and used for f32 only as a fallback.
    put("diffusion_pytorch_model.fp16.safetensors", &tensors());
    assert!(weights(&dir, DType::F16).is_ok());
    fs::remove_file(
        dir.path()
            .join("unet/diffusion_pytorch_model.safetensors.index.json"),
    )
    .unwrap();
    assert!(weights(&dir, DType::F32).is_ok());
}

#[test]
fn hash_covers_only_used_files() {
    let dir = folder();
    let index = r#"{"_class_name": "StableDiffusionPipeline", "unet": ["a", "b"]}"#;
    fs::write(dir.path().join("model_index.json"), index).unwrap();
    fs::write(dir.path().join(NAME), tensors()).unwrap();
    let hash = |dtype: DType| ModelFolder::open(dir.path()).unwrap().hash(dtype).unwrap();
    let first = hash(DType::F32);
    assert_eq!((first.len(), &first), (64, &hash(DType::F32)));
    fs::write(dir.path().join("README.md"), "not part of it").unwrap();
    assert_eq!(first, hash(DType::F32));
    // A variant that only f16 uses.
    fs::write(
        dir.path()
            .join("unet/diffusion_pytorch_model.fp16.safetensors"),
        tensors(),
    )
    .unwrap();
    assert_eq!(first, hash(DType::F32));
    assert_ne!(first, hash(DType::F16));
    fs::write(dir.path().join("unet/config.json"), "{ }").unwrap();
    assert_ne!(first, hash(DType::F32));
}
