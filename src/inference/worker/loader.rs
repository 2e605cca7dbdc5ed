//! What a worker's last words mean that never began: the program for GPUs is linked with the driver and the CUDA toolkit,
//! and where the loader does not find one of them it ends before its first line.

/// What the loader of glibc says before the name of a library, and that of musl.
const ABSENT: [&str; 2] = [
    "error while loading shared libraries: ",
    "Error loading shared library ",
];
/// What both say before a name that a library lacks.
const LACKS: [&str; 2] = ["symbol lookup error: ", "Error relocating "];

/// What went wrong and what to do about it, where `words` are the loader's; none where they are not.
pub(super) fn meant(words: &str) -> Option<(String, String)> {
    let after = |marks: [&str; 2]| {
        marks
            .iter()
            .find_map(|mark| Some(words.split_once(mark)?.1))
    };
    if after(LACKS).is_some() {
        let help = "take a CUDA toolkit that is not newer than the driver knows (`nvidia-smi` prints the version), and \
                    build `benchtop-gpu` with the one that is found where it runs";
        return Some((
            "its driver or CUDA toolkit is older than the one it was built with".into(),
            help.into(),
        ));
    }
    let name = after(ABSENT)?
        .split([':', ' '])
        .next()
        .filter(|name| name.contains(".so"))?;
    let help = if name.starts_with("libcuda.so") {
        "it is NVIDIA's driver: install that on a machine with a GPU; without one `device = \"cpu\"` in [generate] does"
            .into()
    } else {
        "it is part of the CUDA toolkit that `benchtop-gpu` was built with: name its folder in LD_LIBRARY_PATH, and end an \
         owner that runs without it with `benchtop stop`"
            .to_string()
    };
    Some((format!("the loader does not find {name}"), help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_words_become_what_to_do() {
        let of = |words: &str| {
            meant(&format!(
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
            what.ends_with("does not find libcuda.so.1") && help.contains("driver"),
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
