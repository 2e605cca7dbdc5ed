//! Runs a kernel on the CPU, through `tests/kernels/host.cpp` and the machine's C++ compiler.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::super::kernels::{MODULES, SHARED, SOURCES, names};
use super::super::launch::{Launch, Scalar};

/// The compiled kernels.
struct Host {
    /// Keeps the folder while the tests run.
    _dir: tempfile::TempDir,
    program: PathBuf,
}

/// `None` without a C++ compiler.
fn host() -> Option<&'static Host> {
    static HOST: OnceLock<Option<Host>> = OnceLock::new();
    HOST.get_or_init(compile).as_ref()
}

fn compile() -> Option<Host> {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        return None;
    }
    let dir = tempfile::TempDir::new().unwrap();
    let mut files: Vec<(&str, String)> = vec![
        (
            "host.h",
            include_str!("../../../../../tests/kernels/host.h").into(),
        ),
        (
            "host.cpp",
            include_str!("../../../../../tests/kernels/host.cpp").into(),
        ),
    ];
    files.extend(
        SHARED
            .iter()
            .chain(SOURCES)
            .map(|(name, text)| (*name, text.to_string())),
    );
    files.push((
        "kernels.inc",
        SOURCES
            .iter()
            .map(|(name, _)| format!("#include \"{name}\"\n"))
            .collect(),
    ));
    files.push((
        "table.inc",
        MODULES
            .iter()
            .flat_map(names)
            .map(|name| format!("KERNEL({name})\n"))
            .collect(),
    ));
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let program = dir.path().join("host");
    // Undefined behavior, such as an unaligned 16-byte access, ends the program.
    let flags =
        "-std=c++17 -O2 -DBENCHTOP_HOST -fsanitize=undefined -fsanitize-undefined-trap-on-error";
    let made = Command::new(&compiler)
        .args(flags.split(' '))
        .arg("-o")
        .args([&program, &dir.path().join("host.cpp")])
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{compiler}: {}",
        String::from_utf8_lossy(&made.stderr)
    );
    Some(Host { _dir: dir, program })
}

/// True if kernels can run here. Prints a note otherwise.
pub fn there() -> bool {
    let there = host().is_some();
    if !there {
        println!("SKIPPED: no C++ compiler (CXX or c++), so no kernel was compared with its twin");
    }
    there
}

/// An array argument.
pub enum Array {
    Bytes(Vec<u8>),
    /// This many bytes of NaN, so that numbers the kernel does not write are detected.
    Out(usize),
    Null,
    /// The same array as the argument with this index.
    Same(usize),
}

/// Runs `launch` with `arrays`, with its threads in both orders. Returns each array as the kernel
/// left it, or what was wrong with the launch.
pub fn run(launch: &Launch, arrays: &[Array]) -> Result<Vec<Vec<u8>>, String> {
    let [one, other] = [0, 1].map(|order| once(launch, arrays, order));
    let (one, other) = (one?, other?);
    assert_eq!(
        one, other,
        "{}: depends on the order of threads",
        launch.name
    );
    let mut rest = one.as_slice();
    let mut out = Vec::new();
    for array in arrays {
        let n = match array {
            Array::Bytes(bytes) => bytes.len(),
            Array::Out(n) => *n,
            Array::Null | Array::Same(_) => continue,
        };
        let (this, after) = rest.split_at(n);
        out.push(this.to_vec());
        rest = after;
    }
    assert!(rest.is_empty());
    Ok(out)
}

fn once(launch: &Launch, arrays: &[Array], order: u32) -> Result<Vec<u8>, String> {
    let host = host().expect("asked for with `there`");
    let mut asked = Vec::new();
    asked.extend((launch.name.len() as u32).to_le_bytes());
    asked.extend(launch.name.as_bytes());
    for n in [
        launch.grid[0],
        launch.grid[1],
        1,
        launch.block,
        launch.shared,
        order,
    ] {
        asked.extend(n.to_le_bytes());
    }
    asked.extend(((arrays.len() + launch.scalars.len()) as u32).to_le_bytes());
    for array in arrays {
        let (kind, bytes) = match array {
            Array::Bytes(bytes) => (0, Some(bytes.clone())),
            Array::Out(n) => (0, Some(vec![0xff; *n])),
            Array::Null => (3, None),
            Array::Same(_) => (4, None),
        };
        asked.extend(u32::to_le_bytes(kind));
        if let Array::Same(other) = array {
            asked.extend((*other as u32).to_le_bytes());
        }
        if let Some(bytes) = bytes {
            asked.extend((bytes.len() as u32).to_le_bytes());
            asked.extend(bytes);
        }
    }
    for scalar in &launch.scalars {
        let (kind, bits) = match scalar {
            Scalar::Whole(n) => (1u32, *n),
            Scalar::Real(x) => (2, x.to_bits()),
        };
        asked.extend(kind.to_le_bytes());
        asked.extend(bits.to_le_bytes());
    }
    let pipe = || Stdio::piped();
    let mut child = Command::new(&host.program)
        .stdin(pipe())
        .stdout(pipe())
        .stderr(pipe())
        .spawn()
        .unwrap();
    // If the program does not read all input, it reports the reason.
    let _ = child.stdin.take().unwrap().write_all(&asked);
    let told = child.wait_with_output().unwrap();
    match told.status.success() {
        true => Ok(told.stdout),
        false => Err(format!(
            "{}: {} {}",
            launch.name,
            told.status,
            String::from_utf8_lossy(&told.stderr)
        )),
    }
}
