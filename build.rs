//! Makes the program smaller and its start quicker, where the linker and the C library know how.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// Two megabytes of addresses become some kilobytes. The C library must know them when the program
/// starts.
const PACKED_RELOCATIONS: &str = "-Wl,-z,pack-relative-relocs";
/// Tests start the program thousands of times. A program at a fixed address starts a quarter
/// faster.
const FIXED_ADDRESS: &str = "-no-pie";
/// Functions of equal code are kept once.
const MERGED_FUNCTIONS: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| env::var(name).unwrap_or_default();
    if of("HOST") != of("TARGET") || of("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let options: &[_] = if of("PROFILE") == "release" {
        &[PACKED_RELOCATIONS, MERGED_FUNCTIONS]
    } else {
        &[FIXED_ADDRESS]
    };
    for option in options {
        if works(option) == Some(true) {
            println!("cargo::rustc-link-arg-bins={option}");
        }
    }
}

/// Whether a program that is linked with this option starts.
fn works(option: &str) -> Option<bool> {
    let folder = env::var("OUT_DIR").ok()?;
    let (source, program) = (
        Path::new(&folder).join("probe.rs"),
        Path::new(&folder).join("probe"),
    );
    std::fs::write(&source, "fn main() {}").ok()?;
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let mut rustc = Command::new(env::var("RUSTC").ok()?);
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc
        .arg(format!("-Clink-arg={option}"))
        .arg("-o")
        .arg(&program)
        .arg(&source);
    let is_linked = rustc
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?
        .success();
    Some(is_linked && Command::new(&program).status().ok()?.success())
}
