//! The built-in list of models.
//!
//! A commit fixes every byte of a repository, but checking it needs git, so each file has a
//! SHA-256. If the SHA-256 is `None`, the hash that the hub states at the first pull goes into the
//! lock file, and later pulls and verifications use it.

/// A file of a known model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Path in the repository.
    pub path: String,
    /// Size in bytes, if known.
    pub size: Option<u64>,
    /// SHA-256 in lowercase hexadecimal digits, if known.
    pub sha256: Option<String>,
}

/// A known model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownModel {
    pub name: String,
    /// A short description.
    pub what: String,
    /// Repository on the hub.
    pub repo: String,
    /// Commit, 40 hexadecimal digits.
    pub revision: String,
    /// License of the weights.
    pub licence: String,
    /// The files that benchtop needs.
    pub files: Vec<KnownFile>,
}

type Row = (&'static str, u64, &'static str);

fn known(
    name: &str,
    what: &str,
    at: (&str, &str),
    licence: &str,
    small: &[&str],
    large: &[Row],
) -> KnownModel {
    let small = small.iter().map(|path| KnownFile {
        path: path.to_string(),
        size: None,
        sha256: None,
    });
    let large = large.iter().map(|(path, size, sha256)| KnownFile {
        path: path.to_string(),
        size: (*size > 0).then_some(*size),
        sha256: (!sha256.is_empty()).then(|| sha256.to_string()),
    });
    KnownModel {
        name: name.into(),
        what: what.into(),
        repo: at.0.into(),
        revision: at.1.into(),
        licence: licence.into(),
        files: small.chain(large).collect(),
    }
}

const ONE: [&str; 6] = [
    "scheduler/scheduler_config.json",
    "text_encoder/config.json",
    "tokenizer/merges.txt",
    "tokenizer/vocab.json",
    "unet/config.json",
    "vae/config.json",
];
const TWO: [&str; 9] = [
    "scheduler/scheduler_config.json",
    "text_encoder/config.json",
    "text_encoder_2/config.json",
    "tokenizer/merges.txt",
    "tokenizer/vocab.json",
    "tokenizer_2/merges.txt",
    "tokenizer_2/vocab.json",
    "unet/config.json",
    "vae/config.json",
];
const TEXT: &str = "text_encoder/model.fp16.safetensors";
const TEXT_2: &str = "text_encoder_2/model.fp16.safetensors";
const UNET: &str = "unet/diffusion_pytorch_model.fp16.safetensors";
const VAE: &str = "vae/diffusion_pytorch_model.fp16.safetensors";

/// All known models. Each revision and hash was found in several independent public records.
pub fn models() -> Vec<KnownModel> {
    vec![
        known(
            "sd-1.5",
            "Stable Diffusion 1.5, 512x512",
            (
                "stable-diffusion-v1-5/stable-diffusion-v1-5",
                "451f4fe16113bff5a5d2269ed5ad43b0592e9a14",
            ),
            "CreativeML OpenRAIL-M",
            &ONE,
            &[
                (
                    TEXT,
                    246_144_864,
                    "77795e2023adcf39bc29a884661950380bd093cf0750a966d473d1718dc9ef4e",
                ),
                (UNET, 1_719_125_304, ""),
                (
                    VAE,
                    167_335_342,
                    "4fbcf0ebe55a0984f5a5e00d8c4521d52359af7229bb4d81890039d2aa16dd7c",
                ),
            ],
        ),
        known(
            "sd-2.1",
            "Stable Diffusion 2.1, 768x768",
            (
                "stabilityai/stable-diffusion-2-1",
                "5cae40e6a2745ae2b01ad92ae5043f95f23644d6",
            ),
            "CreativeML OpenRAIL++-M",
            &ONE,
            &[(TEXT, 0, ""), (UNET, 0, ""), (VAE, 0, "")],
        ),
        known(
            "sdxl-base",
            "Stable Diffusion XL base 1.0, 1024x1024",
            (
                "stabilityai/stable-diffusion-xl-base-1.0",
                "462165984030d82259a11f4367a4eed129e94a7b",
            ),
            "CreativeML OpenRAIL++-M",
            &TWO,
            &[
                (
                    TEXT,
                    246_144_152,
                    "660c6f5b1abae9dc498ac2d21e1347d2abdb0cf6c0c0c8576cd796491d9a6cdd",
                ),
                (
                    TEXT_2,
                    1_389_382_176,
                    "ec310df2af79c318e24d20511b601a591ca8cd4f1fce1d8dff822a356bcdb1f4",
                ),
                (
                    UNET,
                    5_135_149_760,
                    "83e012a805b84c7ca28e5646747c90a243c65c8ba4f070e2d7ddc9d74661e139",
                ),
                (
                    VAE,
                    167_335_342,
                    "bcb60880a46b63dea58e9bc591abe15f8350bde47b405f9c38f4be70c6161e68",
                ),
            ],
        ),
        known(
            "sdxl-turbo",
            "SDXL Turbo, 512x512 in 1 to 4 steps",
            (
                "stabilityai/sdxl-turbo",
                "71153311d3dbb46851df1931d3ca6e939de83304",
            ),
            "sai-nc-community (Stability AI, non-commercial)",
            &TWO,
            &[(TEXT, 0, ""), (TEXT_2, 0, ""), (UNET, 0, ""), (VAE, 0, "")],
        ),
        known(
            "sdxl-vae-fp16-fix",
            "SDXL's VAE, fixed for half precision",
            (
                "madebyollin/sdxl-vae-fp16-fix",
                "207b116dae70ace3637169f1ddd2434b91b3a8cd",
            ),
            "MIT",
            &["config.json"],
            &[(
                "diffusion_pytorch_model.safetensors",
                334_643_238,
                "1b909373b28f2137098b0fd9dbc6f97f8410854f31f84ddc9fa04b077b0ace2c",
            )],
        ),
        known(
            "clip-vit-l-14",
            "CLIP ViT-L/14: similarity of pictures and texts",
            (
                "openai/clip-vit-large-patch14",
                "32bd64288804d66eefd0ccbe215aa642df71cc41",
            ),
            "MIT",
            &["config.json", "preprocessor_config.json", "tokenizer.json"],
            &[("model.safetensors", 0, "")],
        ),
        known(
            "siglip-so400m",
            "SigLIP So400m, 384x384: similarity of pictures and texts",
            (
                "google/siglip-so400m-patch14-384",
                "9fdffc58afc957d1a03a25b10dba0329ab15c2a3",
            ),
            "Apache-2.0",
            &["config.json", "preprocessor_config.json", "tokenizer.json"],
            &[("model.safetensors", 0, "")],
        ),
        known(
            "minilm",
            "all-MiniLM-L6-v2: similarity of texts",
            (
                "sentence-transformers/all-MiniLM-L6-v2",
                "c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
            ),
            "Apache-2.0",
            &["config.json"],
            &[
                (
                    "tokenizer.json",
                    0,
                    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                ),
                (
                    "model.safetensors",
                    90_868_376,
                    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                ),
            ],
        ),
        known(
            "safety-checker",
            "Stable Diffusion's safety checker",
            (
                "CompVis/stable-diffusion-safety-checker",
                "cb41f3a270d63d454d385fc2e4f571c487c253c5",
            ),
            "not stated by the publisher",
            &["config.json", "preprocessor_config.json"],
            &[("pytorch_model.bin", 1_216_067_303, "")],
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_models_are_well_formed() {
        let models = models();
        let hex = |text: &str, n| {
            text.len() == n
                && text
                    .bytes()
                    .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        for (i, model) in models.iter().enumerate() {
            assert!(
                models[..i].iter().all(|m| m.name != model.name),
                "{} twice",
                model.name
            );
            assert!(hex(&model.revision, 40), "{}", model.name);
            assert_eq!(model.repo.split('/').count(), 2);
            for (j, file) in model.files.iter().enumerate() {
                assert!(
                    model.files[..j].iter().all(|f| f.path != file.path),
                    "{} {}",
                    model.name,
                    file.path
                );
                assert!(
                    file.sha256.as_ref().is_none_or(|h| hex(h, 64)),
                    "{} {}",
                    model.name,
                    file.path
                );
                assert!(!file.path.starts_with('/') && !file.path.contains(".."));
            }
        }
    }
}
