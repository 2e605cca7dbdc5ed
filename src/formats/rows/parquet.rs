//! Reads Parquet tables page by page. Bytes (pictures) become base64 text; class labels of the
//! `datasets` library become their names.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use serde_json::Value;

use super::source::Rows;
use crate::input::open;
use crate::records::Record;
use benchtop_model::{Error, Result};

/// The rows of a table.
pub struct ParquetRows {
    rows: RowIter<'static>,
    labels: HashMap<String, Vec<String>>,
    row: u64,
    done: bool,
}

impl ParquetRows {
    /// Opens the table at `path`.
    ///
    /// # Errors
    /// See [`open`]; [`benchtop_model::ErrorKind::Input`] for a truncated table or an
    /// unsupported compression.
    pub fn open(path: &Path) -> Result<ParquetRows> {
        open(path)?;
        let file = std::fs::File::open(path).map_err(|e| Error::io(&e, "cannot open", path))?;
        let opened = guarded(|| {
            let reader = SerializedFileReader::new(file)?;
            let labels = labels(&reader);
            Ok((RowIter::from_file_into(Box::new(reader)), labels))
        });
        let (rows, labels) = opened.map_err(|p| p.file(path))?;
        Ok(ParquetRows {
            rows,
            labels,
            row: 0,
            done: false,
        })
    }
}

/// The library panics on many damaged files. This must not end the program.
fn guarded<T>(work: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T> {
    let help = "it may be truncated, or use another compression than snappy or zstd; write it again with `to_parquet`";
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(e)) => Err(Error::input(format!("cannot read the Parquet table: {e}")).help(help)),
        Err(_) => Err(Error::input("the Parquet table is damaged").help(help)),
    }
}

/// The names of class labels by column, from the metadata of `datasets`.
fn labels(reader: &SerializedFileReader<std::fs::File>) -> HashMap<String, Vec<String>> {
    let metadata = reader.metadata().file_metadata().key_value_metadata();
    let metadata = metadata.and_then(|pairs| {
        pairs
            .iter()
            .find(|pair| pair.key == "huggingface")?
            .value
            .clone()
    });
    let info: Value = metadata
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let Some(features) = info.pointer("/info/features").and_then(Value::as_object) else {
        return HashMap::new();
    };
    let names = |feature: &Value| -> Option<Vec<String>> {
        let list = feature.get("names")?.as_array()?;
        Some(
            list.iter()
                .filter_map(|name| name.as_str().map(str::to_string))
                .collect(),
        )
    };
    features
        .iter()
        .filter_map(|(column, feature)| Some((column.clone(), names(feature)?)))
        .collect()
}

impl Rows for ParquetRows {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        if self.done {
            return Ok(None);
        }
        let rows = &mut self.rows;
        let found = guarded(|| rows.next().transpose());
        self.row += 1;
        self.done = !matches!(found, Ok(Some(_)));
        let Some(row) = found.map_err(|p| p.line(self.row))? else {
            return Ok(None);
        };
        let mut record = record(row);
        for (column, names) in &self.labels {
            let label = record
                .get(column)
                .and_then(Value::as_u64)
                .and_then(|at| names.get(at as usize));
            if let Some(label) = label {
                record.insert(column.clone(), label.as_str().into());
            }
        }
        Ok(Some((self.row, record)))
    }
}

fn record(row: Row) -> Record {
    row.into_columns()
        .into_iter()
        .map(|(name, field)| (name, value(field)))
        .collect()
}

fn value(field: Field) -> Value {
    match field {
        Field::Group(row) => Value::Object(record(row)),
        Field::ListInternal(list) => list.elements().iter().cloned().map(value).collect(),
        Field::Bytes(bytes) => STANDARD.encode(bytes.data()).into(),
        Field::Str(text) => text.into(),
        Field::Null => Value::Null,
        Field::Bool(flag) => flag.into(),
        Field::Byte(n) => n.into(),
        Field::Short(n) => n.into(),
        Field::Int(n) | Field::Date(n) | Field::TimeMillis(n) => n.into(),
        Field::Long(n)
        | Field::TimeMicros(n)
        | Field::TimestampMillis(n)
        | Field::TimestampMicros(n) => n.into(),
        Field::UByte(n) => n.into(),
        Field::UShort(n) => n.into(),
        Field::UInt(n) => n.into(),
        Field::ULong(n) => n.into(),
        // NaN becomes null.
        Field::Float16(n) => f64::from(n.to_f32()).into(),
        Field::Float(n) => f64::from(n).into(),
        Field::Double(n) => n.into(),
        other => other.to_string().into(),
    }
}
