//! Makes the program smaller and its start quicker, where the linker and the C library know how.

use std::env;
use std::process::Command;

/// The first version of glibc that loads packed relocations.
const PACKED_SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let is_native = of("HOST") == of("TARGET");
    let is_glibc = of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_ENV") == "gnu";
    if !(is_native && is_glibc) {
        return;
    }
    // Two megabytes of addresses become some kilobytes. Linkers that do not know it warn and go on.
    if glibc().is_some_and(|version| version >= PACKED_SINCE) {
        link("-z,pack-relative-relocs");
    }
    // Functions of equal code are kept once. Only lld, which Rust brings for this target, does that.
    let is_lld = of("CARGO_CFG_TARGET_ARCH") == "x86_64"
        && of("RUSTC_LINKER").is_empty()
        && !of("CARGO_ENCODED_RUSTFLAGS").contains("link");
    if is_lld && of("PROFILE") == "release" {
        link("--icf=all");
    }
}

fn link(option: &str) {
    println!("cargo::rustc-link-arg-bins=-Wl,{option}");
}

/// The version of the C library, such as `(2, 36)`.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (_, version) = text.trim().split_once(' ')?;
    let (major, minor) = version.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
