//! The PTX of the kernels, built from `kernels/` by `kernels/build.sh`. The driver compiles it for
//! the GPU at the first use.

/// A file of kernels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Module {
    /// File name without extension.
    pub name: &'static str,
    pub ptx: &'static str,
}

macro_rules! modules {
    ($($name:literal),*) => {
        pub(super) const MODULES: &[Module] =
            &[$(Module { name: $name, ptx: include_str!(concat!("kernels/", $name, ".ptx")) }),*];

        /// The sources, in the same order.
        #[cfg(test)]
        pub(super) const SOURCES: &[(&str, &str)] =
            &[$((concat!($name, ".cu"), include_str!(concat!("kernels/", $name, ".cu")))),*];
    };
}

modules!("attention", "copy", "norm", "pointwise");

/// The headers, and the build script.
#[cfg(test)]
pub(super) const SHARED: [(&str, &str); 2] = [
    ("common.cuh", include_str!("kernels/common.cuh")),
    ("mma.cuh", include_str!("kernels/mma.cuh")),
];

/// The blake3 hash in hex of all PTX, which affects the pictures.
#[cfg(feature = "cuda")]
pub(super) fn hash() -> String {
    let mut hasher = blake3::Hasher::new();
    for module in MODULES {
        hasher.update(module.ptx.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_string()
}

/// The names of the kernels in a module.
pub(super) fn names(module: &Module) -> Vec<&'static str> {
    let entries = module
        .ptx
        .lines()
        .filter_map(|line| line.strip_prefix(".visible .entry "));
    entries.filter_map(|rest| rest.split('(').next()).collect()
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    /// After a change of a kernel, run `kernels/build.sh`; otherwise GPUs run the old kernel.
    #[test]
    fn ptx_matches_the_sources() {
        for (module, (file, source)) in MODULES.iter().zip(SOURCES) {
            assert_eq!(*file, format!("{}.cu", module.name));
            let mut hasher = Sha256::new();
            for part in [
                SHARED[0].1,
                SHARED[1].1,
                source,
                include_str!("kernels/build.sh"),
            ] {
                hasher.update(part.as_bytes());
            }
            let hash: String = hasher
                .finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let first = module.ptx.lines().next().unwrap_or_default();
            assert_eq!(
                first,
                format!("// SHA-256 of common.cuh, mma.cuh, {file}, build.sh: {hash}"),
                "run build.sh"
            );
            assert!(
                module.ptx.contains(".target sm_80") && module.ptx.contains(".version 7.0"),
                "{file}"
            );
        }
    }
}
