//! A safetensors file. The header is read and checked once; tensors are read on demand.
//!
//! The file is not mapped into memory. candle copies every tensor anyway, and a file that is
//! truncated while it is open gives an error instead of a signal.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor, bail};
use serde::Deserialize;

use benchtop_model::error::{Error, Result};
use benchtop_model::sorting::sort_by_key;

/// Maximum length of a header, as in the safetensors library.
const LONGEST_HEADER: u64 = 100_000_000;

const AGAIN: &str = "download the file again";

/// The location of a tensor.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub dtype: DType,
    pub shape: Vec<usize>,
    /// Offset in the file.
    from: u64,
    bytes: usize,
}

#[derive(Deserialize)]
struct Row {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

/// An open file and its tensors.
#[derive(Debug)]
pub(super) struct TensorFile {
    pub path: PathBuf,
    file: File,
    pub entries: BTreeMap<String, Entry>,
}

fn dtype(name: &str) -> Option<DType> {
    Some(match name {
        "F64" => DType::F64,
        "F32" => DType::F32,
        "F16" => DType::F16,
        "BF16" => DType::BF16,
        "I64" => DType::I64,
        "U32" => DType::U32,
        "U8" => DType::U8,
        _ => return None,
    })
}

/// Checks that the tensors cover all bytes after the header without gaps and overlaps, as the
/// format requires. Otherwise returns the name of the tensor and the problem.
fn whole(
    entries: &BTreeMap<String, Entry>,
    data: u64,
    length: u64,
) -> std::result::Result<(), (String, String)> {
    let mut order: Vec<(&String, &Entry)> = entries.iter().collect();
    sort_by_key(&mut order, |(_, entry)| (entry.from, entry.bytes));
    let mut at = data;
    for (name, entry) in order {
        let (from, to) = (entry.from - data, at - data);
        if entry.from < at {
            return Err((
                name.clone(),
                format!("its bytes start at {from} and overlap another tensor, which ends at {to}"),
            ));
        }
        if entry.from > at {
            return Err((
                name.clone(),
                format!("{} bytes before it belong to no tensor", entry.from - at),
            ));
        }
        at += entry.bytes as u64;
    }
    if at < length {
        let name = entries.keys().last().cloned().unwrap_or_default();
        return Err((
            name,
            format!(
                "{} bytes at the end of the file belong to no tensor",
                length - at
            ),
        ));
    }
    Ok(())
}

impl TensorFile {
    pub fn open(path: &Path) -> Result<TensorFile> {
        let wrong = |what: String| Error::input(what).file(path);
        let cannot = |e: std::io::Error| Error::io(&e, "cannot read", path);
        let file = File::open(path).map_err(cannot)?;
        let length = file.metadata().map_err(cannot)?.len();
        let mut size = [0; 8];
        if length < 8 {
            return Err(wrong(format!(
                "a file of {length} bytes is not a safetensors file"
            ))
            .help(AGAIN));
        }
        file.read_exact_at(&mut size, 0).map_err(cannot)?;
        let header = u64::from_le_bytes(size);
        if header > LONGEST_HEADER {
            return Err(wrong(
                "is not a safetensors file: its first 8 bytes are not a header length".to_string(),
            ));
        }
        if header > length - 8 {
            let what = format!(
                "is incomplete in its header: {length} of {} bytes",
                header + 8
            );
            return Err(wrong(what).help(AGAIN));
        }
        let mut text = vec![0; header as usize];
        file.read_exact_at(&mut text, 8).map_err(cannot)?;
        let rows: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&text)
            .map_err(|e| wrong(format!("is not a safetensors file: {e}")))?;
        let mut entries = BTreeMap::new();
        for (name, row) in rows {
            if name != "__metadata__" {
                let entry = Self::entry(row, 8 + header, length);
                entries.insert(
                    name.clone(),
                    entry.map_err(|why| wrong(why).field(name).help(AGAIN))?,
                );
            }
        }
        whole(&entries, 8 + header, length)
            .map_err(|(name, why)| wrong(why).field(name).help(AGAIN))?;
        Ok(TensorFile {
            path: path.to_path_buf(),
            file,
            entries,
        })
    }

    fn entry(row: serde_json::Value, data: u64, length: u64) -> std::result::Result<Entry, String> {
        let Row {
            dtype: name,
            shape,
            data_offsets: (from, to),
        } = serde_json::from_value(row).map_err(|e| e.to_string())?;
        let dtype = dtype(&name).ok_or_else(|| format!("element type {name} is not supported"))?;
        let elements = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
        let bytes = elements.and_then(|n| n.checked_mul(dtype.size_in_bytes()));
        if bytes.map(|b| b as u64) != to.checked_sub(from) {
            return Err(format!(
                "shape {shape:?} of {name} does not match the bytes {from}..{to}"
            ));
        }
        match data.checked_add(to) {
            Some(end) if end <= length => Ok(Entry {
                dtype,
                shape,
                from: data + from,
                bytes: bytes.unwrap_or_default(),
            }),
            _ => Err(format!("the file is incomplete: it has {length} bytes")),
        }
    }

    /// Reads a tensor and casts it.
    pub fn read(
        &self,
        name: &str,
        entry: &Entry,
        dtype: DType,
        device: &Device,
    ) -> candle_core::Result<Tensor> {
        let mut bytes = vec![0; entry.bytes];
        if let Err(e) = self.file.read_exact_at(&mut bytes, entry.from) {
            bail!("{}: tensor {name}: {e}", self.path.display());
        }
        Tensor::from_raw_buffer(&bytes, entry.dtype, &entry.shape, device)?.to_dtype(dtype)
    }
}
