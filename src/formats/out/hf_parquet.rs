//! Writes Parquet as the `datasets` library does: pictures as `{bytes, path}`, and the column types
//! in the metadata under `huggingface`. Row groups are written when they are full, so memory holds
//! only one.
//!
//! Source: `datasets`, src/datasets/features, version 5.2. Older versions also read `Sequence`.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use serde_json::{Map, Value, json};

use super::row::{self, Marker};
use super::{Load, Survey};
use crate::cells;
use crate::roundtrip_column::Carried;
use benchtop_model::{Error, ErrorKind, Item, Result};

/// Limits of a row group in rows and bytes. Viewers read a whole group to show one row.
const GROUP_ROWS: usize = 1000;
const GROUP_BYTES: usize = 32 << 20;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Text,
    Texts,
    Picture,
    Pictures,
}

/// The values of one leaf of the schema, with their levels.
#[derive(Default)]
struct Leaf {
    values: Vec<ByteArray>,
    defined: Vec<i16>,
    repeated: Vec<i16>,
}

impl Leaf {
    fn push(&mut self, value: Option<Vec<u8>>, defined: i16, repeated: i16) {
        self.values.extend(value.map(ByteArray::from));
        self.defined.push(defined);
        self.repeated.push(repeated);
    }
}

/// Writes one table.
pub struct Packed<W: Write + Send> {
    out: SerializedFileWriter<W>,
    survey: Survey,
    columns: Vec<(String, Holds)>,
    marker: Marker,
    leaves: Vec<Leaf>,
    rows: usize,
    bytes: usize,
}

impl<W: Write + Send> Packed<W> {
    /// Creates a table of the data set `dataset`.
    pub fn new(out: W, survey: Survey, dataset: &str) -> Result<Packed<W>> {
        let pictures = match survey.many() {
            true => ("images".to_string(), Holds::Pictures),
            false => ("image".to_string(), Holds::Picture),
        };
        let texts = row::columns(&survey).into_iter().map(|name| {
            let holds = if name == "options" {
                Holds::Texts
            } else {
                Holds::Text
            };
            (name, holds)
        });
        let columns: Vec<(String, Holds)> = std::iter::once(pictures).chain(texts).collect();
        let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![KeyValue::new(
                "huggingface".to_string(),
                features(&columns),
            )]))
            .build();
        let out =
            SerializedFileWriter::new(out, schema(&columns).map_err(failed)?, Arc::new(properties))
                .map_err(failed)?;
        let marker = Marker::new(&names, dataset);
        let mut packed = Packed {
            out,
            survey,
            columns,
            marker,
            leaves: Vec::new(),
            rows: 0,
            bytes: 0,
        };
        packed.clear();
        Ok(packed)
    }

    fn clear(&mut self) {
        let leaves: usize = self.columns.iter().map(|(_, holds)| holds.leaves()).sum();
        self.leaves = std::iter::repeat_with(Leaf::default).take(leaves).collect();
        (self.rows, self.bytes) = (0, 0);
    }

    /// Writes the row of a question. Returns whether it has a picture.
    ///
    /// # Errors
    /// If a picture cannot be read, and I/O errors.
    pub fn push(&mut self, item: &Item, load: Load<'_>) -> Result<bool> {
        let (mut pictures, mut carried) = (Vec::new(), Carried::default());
        for (at, image) in item.images.iter().enumerate() {
            if let Some(bytes) = load(image)? {
                // A name that a reader would change is recorded; one that it would take for missing
                // is not used.
                let seen = cells::relative(&image.name);
                carried.seen.push(seen);
                carried.at.push(at);
                pictures.push((image.name.clone(), bytes));
            }
        }
        let filled = !pictures.is_empty();
        let mut row = row::fields(&mut self.marker, &self.survey, item, &carried)?;
        let mut leaf = 0;
        for (name, holds) in &self.columns {
            let leaves = self
                .leaves
                .get_mut(leaf..leaf + holds.leaves())
                .unwrap_or_default();
            leaf += holds.leaves();
            let value = row.shift_remove(name).unwrap_or_default();
            self.bytes += put(leaves, *holds, value, &mut pictures);
        }
        self.rows += 1;
        if self.rows >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.flush()?;
        }
        Ok(filled)
    }

    fn flush(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.out.next_row_group().map_err(failed)?;
        for leaf in &self.leaves {
            let Some(mut column) = group.next_column().map_err(failed)? else {
                break;
            };
            let typed = column.typed::<ByteArrayType>();
            typed
                .write_batch(&leaf.values, Some(&leaf.defined), Some(&leaf.repeated))
                .map_err(failed)?;
            column.close().map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.clear();
        Ok(())
    }

    /// Writes the remaining rows and the footer.
    pub fn finish(mut self) -> Result<W> {
        self.flush()?;
        self.out.into_inner().map_err(failed)
    }
}

impl Holds {
    fn leaves(self) -> usize {
        match self {
            Holds::Text | Holds::Texts => 1,
            Holds::Picture | Holds::Pictures => 2,
        }
    }

    /// The feature type in the `datasets` library.
    fn feature(self) -> Value {
        let (text, picture) = (
            json!({"dtype": "string", "_type": "Value"}),
            json!({"_type": "Image"}),
        );
        match self {
            Holds::Text => text,
            Holds::Texts => json!({"feature": text, "_type": "Sequence"}),
            Holds::Picture => picture,
            Holds::Pictures => json!({"feature": picture, "_type": "Sequence"}),
        }
    }
}

fn failed(err: parquet::errors::ParquetError) -> Error {
    const DOING: &str = "cannot write the Parquet table";
    if let parquet::errors::ParquetError::External(inner) = &err
        && let Some(inner) = inner.downcast_ref::<std::io::Error>()
    {
        // A full disk is an error of its own.
        let mut problem = Error::io(inner, DOING, std::path::Path::new(""));
        problem.place.file = None;
        return problem;
    }
    Error::new(ErrorKind::Io, format!("{DOING}: {err}"))
}

fn features(columns: &[(String, Holds)]) -> String {
    let features: Map<String, Value> = columns
        .iter()
        .map(|(name, holds)| (name.clone(), holds.feature()))
        .collect();
    json!({"info": {"features": features}}).to_string()
}

fn schema(columns: &[(String, Holds)]) -> parquet::errors::Result<TypePtr> {
    let leaf = |name: &str, text: bool| {
        let kind = Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_repetition(Repetition::OPTIONAL);
        kind.with_logical_type(text.then_some(LogicalType::String))
            .build()
            .map(Arc::new)
    };
    let group = |name: &str, repetition, fields: Vec<TypePtr>, list: bool| {
        let group = Type::group_type_builder(name)
            .with_repetition(repetition)
            .with_fields(fields);
        group
            .with_logical_type(list.then_some(LogicalType::List))
            .build()
            .map(Arc::new)
    };
    let list = |name: &str, element: TypePtr| {
        group(
            name,
            Repetition::OPTIONAL,
            vec![group("list", Repetition::REPEATED, vec![element], false)?],
            true,
        )
    };
    let picture = |name: &str| {
        group(
            name,
            Repetition::OPTIONAL,
            vec![leaf("bytes", false)?, leaf("path", true)?],
            false,
        )
    };
    let fields = columns.iter().map(|(name, holds)| match holds {
        Holds::Text => leaf(name, true),
        Holds::Texts => list(name, leaf("element", true)?),
        Holds::Picture => picture(name),
        Holds::Pictures => list(name, picture("element")?),
    });
    let fields = fields.collect::<parquet::errors::Result<Vec<_>>>()?;
    Type::group_type_builder("schema")
        .with_fields(fields)
        .build()
        .map(Arc::new)
}

/// Adds a value to the leaves of a column. Returns its size in bytes.
fn put(
    leaves: &mut [Leaf],
    holds: Holds,
    value: Value,
    pictures: &mut Vec<(String, Vec<u8>)>,
) -> usize {
    let mut size = 0;
    match (holds, leaves) {
        (Holds::Text, [leaf]) => {
            let text = value.as_str().unwrap_or_default();
            size = text.len();
            leaf.push(Some(text.as_bytes().to_vec()), 1, 0);
        }
        (Holds::Texts, [leaf]) => {
            let texts = value.as_array().map(Vec::as_slice).unwrap_or_default();
            for (at, text) in texts.iter().enumerate() {
                let text = text.as_str().unwrap_or_default();
                size += text.len();
                leaf.push(Some(text.as_bytes().to_vec()), 3, i16::from(at > 0));
            }
            if texts.is_empty() {
                leaf.push(None, 1, 0);
            }
        }
        (Holds::Picture | Holds::Pictures, [bytes, path]) => {
            // The definition levels of a value and of a missing one (a missing picture, or an empty
            // list).
            let (full, none) = if holds == Holds::Picture {
                (2, 0)
            } else {
                (4, 1)
            };
            if pictures.is_empty() {
                bytes.push(None, none, 0);
                path.push(None, none, 0);
            }
            for (at, (name, picture)) in pictures.drain(..).enumerate() {
                size += name.len() + picture.len();
                bytes.push(Some(picture), full, i16::from(at > 0));
                path.push(Some(name.into_bytes()), full, i16::from(at > 0));
            }
        }
        _ => {}
    }
    size
}
