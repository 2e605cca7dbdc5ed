//! Explains why a worker did not start. The GPU worker is linked with the driver and the CUDA
//! toolkit, so the dynamic loader ends it if one of them is missing.

/// Messages of the loaders of glibc and musl before the name of a missing library.
const ABSENT: [&str; 2] = [
    "error while loading shared libraries: ",
    "Error loading shared library ",
];
/// Messages of both before the name of a missing symbol.
const LACKS: [&str; 2] = ["symbol lookup error: ", "Error relocating "];

/// The problem and its remedy, if `words` contain a message of the loader.
pub(super) fn explain(words: &str) -> Option<(String, String)> {
    let after = |marks: [&str; 2]| {
        marks
            .iter()
            .find_map(|mark| Some(words.split_once(mark)?.1))
    };
    if after(LACKS).is_some() {
        let help = "use a CUDA toolkit that the driver supports (`nvidia-smi` prints the version), and build \
                    `benchtop-gpu` with the toolkit of the machine that runs it";
        return Some((
            "the driver or CUDA toolkit is older than the one that the GPU worker was built with"
                .into(),
            help.into(),
        ));
    }
    let name = after(ABSENT)?
        .split([':', ' '])
        .next()
        .filter(|name| name.contains(".so"))?;
    let help = if name.starts_with("libcuda.so") {
        "install NVIDIA's driver, which this library belongs to; without a GPU, set `device = \"cpu\"` in [generate]"
            .into()
    } else {
        "the library is part of the CUDA toolkit that `benchtop-gpu` was built with: add its folder to LD_LIBRARY_PATH, \
         and restart the owner with `benchtop stop`"
            .to_string()
    };
    Some((format!("cannot load the library {name}"), help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_the_loaders_messages() {
        let of = |words: &str| {
            explain(&format!(
                "ended with exit status 127; its last words: {words}"
            ))
        };
        let glibc = |name: &str| {
            format!(
                "/x/benchtop-gpu: error while loading shared libraries: {name}: cannot open shared object file"
            )
        };
        let (what, help) = of(&glibc("libcuda.so.1")).unwrap();
        assert!(
            what.ends_with(" libcuda.so.1") && help.contains("driver"),
            "{what} {help}"
        );
        let (what, help) = of(&glibc("libcublas.so.13")).unwrap();
        assert!(
            what.ends_with("libcublas.so.13") && help.contains("LD_LIBRARY_PATH"),
            "{what} {help}"
        );
        let musl =
            "Error loading shared library libcurand.so.10: No such file or directory (needed by x)";
        assert!(of(musl).unwrap().0.ends_with("libcurand.so.10"));
        let (what, help) =
            of("/x/benchtop-gpu: symbol lookup error: /x/benchtop-gpu: undefined symbol: cuFoo")
                .unwrap();
        assert!(
            what.contains("older") && help.contains("nvidia-smi"),
            "{what} {help}"
        );
        assert_eq!(of("thread 'main' panicked"), None);
        assert_eq!(of(""), None);
    }
}
