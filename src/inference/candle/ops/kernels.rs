//! The kernels of `kernels/` as they ship: PTX that `kernels/build.sh` made of the sources, compiled for the card by its
//! driver when first used.

/// A file of kernels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Module {
    /// Its name without an ending.
    pub name: &'static str,
    /// What the driver gets.
    pub ptx: &'static str,
}

macro_rules! modules {
    ($($name:literal),*) => {
        /// All of them.
        pub(super) const MODULES: &[Module] =
            &[$(Module { name: $name, ptx: include_str!(concat!("kernels/", $name, ".ptx")) }),*];

        /// Their sources, in the same order.
        #[cfg(test)]
        pub(super) const SOURCES: &[(&str, &str)] =
            &[$((concat!($name, ".cu"), include_str!(concat!("kernels/", $name, ".cu")))),*];
    };
}

modules!("attention", "copy", "norm", "pointwise");

/// What the sources include, and what compiles them.
#[cfg(test)]
pub(super) const SHARED: [(&str, &str); 2] = [
    ("common.cuh", include_str!("kernels/common.cuh")),
    ("mma.cuh", include_str!("kernels/mma.cuh")),
];

/// blake3, as hex, of all PTX: pictures depend on it.
#[cfg(feature = "cuda")]
pub(super) fn hash() -> String {
    let mut hasher = blake3::Hasher::new();
    for module in MODULES {
        hasher.update(module.ptx.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_string()
}

/// Names of the kernels in a module, as its PTX has them.
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

    /// Whoever changes a kernel runs `kernels/build.sh`, else a GPU would run the old one.
    #[test]
    fn the_ptx_is_of_the_sources() {
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
