//! The column `benchtop` of exported tables: the parts of an item that the other columns cannot
//! express, as JSON.
//!
//! Each field has the value that the other columns express and the real value: `{"answer": ["B", "a
//! dog"]}`. The real value is used only while the columns still express the first one, so later
//! edits of the table take precedence. `names` are the names of the pictures, `carried` lists which
//! of them the row has, if not all, and `rights` are the rights to each of them. `item` is the whole item, if the columns cannot express
//! it at all.

use serde_json::{Map, Value, json};

use super::cells::{self, Inline};
use super::records::Record;
use benchtop_model::{Error, ImageRef, Item, Key, Result, Rights};

/// The name of the column.
pub(super) const COLUMN: &str = "benchtop";

const DATASET: &str = "dataset";
const WHOLE: &str = "item";
const NAMES: &str = "names";
const CARRIED: &str = "carried";
const RIGHTS: &str = "rights";
/// Fields of an item that are never stored: they are derived from others, or stored in another
/// place.
const LEFT: [&str; 3] = ["id", "dataset", "images"];
const EXTRA: &str = "extra";
const ORDER: &str = "extra order";

/// The pictures of a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Carried {
    /// The names that a reader gives to the pictures in the row.
    pub seen: Vec<String>,
    /// The indices of these pictures in the item.
    pub at: Vec<usize>,
}

/// The column's text that restores `item` from what a reader makes of the row. It includes the data
/// set's name if `named`. Empty if nothing is missing.
///
/// # Errors
/// If the item cannot be written as JSON.
pub(super) fn cell_text(
    made: Option<&Item>,
    item: &Item,
    carried: &Carried,
    named: bool,
) -> Result<String> {
    let mut mark = Map::new();
    if named {
        mark.insert(DATASET.into(), item.dataset.as_str().into());
    }
    match made {
        Some(made) => differences(&fields(made)?, &fields(item)?, &mut mark),
        None => {
            let whole: Map<String, Value> = fields(item)?
                .into_iter()
                .filter(|(name, _)| name != "images")
                .collect();
            mark.insert(WHOLE.into(), whole.into());
        }
    }
    let names: Vec<&str> = item
        .images
        .iter()
        .map(|image| image.name.as_str())
        .collect();
    if names != carried.seen {
        mark.insert(NAMES.into(), names.into());
        if carried.at.len() != item.images.len() {
            mark.insert(CARRIED.into(), carried.at.clone().into());
        }
    }
    if item.images.iter().any(|image| image.rights.is_some()) {
        let rights: Vec<_> = item.images.iter().map(|image| &image.rights).collect();
        mark.insert(RIGHTS.into(), json!(rights));
    }
    Ok(if mark.is_empty() {
        String::new()
    } else {
        Value::from(mark).to_string()
    })
}

fn fields(item: &Item) -> Result<Map<String, Value>> {
    match serde_json::to_value(item) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Error::input("cannot write as JSON")),
        Err(e) => Err(Error::input(format!("cannot write as JSON: {e}"))),
    }
}

/// Records every field in which the two differ, as `[made, item]`.
fn differences(
    made: &Map<String, Value>,
    item: &Map<String, Value>,
    mark: &mut Map<String, Value>,
) {
    let names: Vec<&String> = made
        .keys()
        .chain(item.keys().filter(|name| !made.contains_key(*name)))
        .collect();
    let of = |map: &Map<String, Value>, name: &str| map.get(name).cloned().unwrap_or_default();
    for name in names
        .into_iter()
        .filter(|name| !LEFT.contains(&name.as_str()))
    {
        let (was, is) = (of(made, name), of(item, name));
        if name != EXTRA {
            if was != is {
                mark.insert(name.clone(), json!([was, is]));
            }
            continue;
        }
        let (was, is) = (
            was.as_object().cloned().unwrap_or_default(),
            is.as_object().cloned().unwrap_or_default(),
        );
        let mut inner = Map::new();
        // A null field differs from a missing one.
        for name in was
            .keys()
            .chain(is.keys().filter(|name| !was.contains_key(*name)))
        {
            if was.get(name) != is.get(name) {
                let mut pair = vec![of(&was, name)];
                pair.extend(is.get(name).cloned());
                inner.insert(name.clone(), pair.into());
            }
        }
        let mut changed = was;
        change_extra(&mut changed, &inner);
        if !inner.is_empty() {
            mark.insert(EXTRA.into(), inner.into());
        }
        if !changed.keys().eq(is.keys()) {
            mark.insert(ORDER.into(), is.keys().cloned().collect());
        }
    }
}

/// Applies stored changes. A list with a single value removes the field.
fn change_extra(extra: &mut Map<String, Value>, inner: &Map<String, Value>) {
    for (name, pair) in inner {
        let Some(pair) = pair.as_array() else {
            continue;
        };
        if extra.get(name).unwrap_or(&Value::Null) != pair.first().unwrap_or(&Value::Null) {
            continue;
        }
        match pair.get(1) {
            Some(is) => drop(extra.insert(name.clone(), is.clone())),
            None => drop(extra.shift_remove(name)),
        }
    }
}

/// Reads the column of a row; `None` if it is empty.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] if it is not a JSON object.
pub(super) fn read(record: &Record) -> Result<Option<Map<String, Value>>> {
    let wrong = |why: String| {
        Error::input(format!(
            "the column `benchtop` of this row is damaged: {why}"
        ))
        .field(COLUMN)
    };
    match record
        .get(COLUMN)
        .and_then(cells::text)
        .filter(|text| !text.is_empty())
    {
        None => Ok(None),
        Some(text) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|e| wrong(e.to_string())),
    }
}

/// The data set's name from the first row of a table.
pub(super) fn dataset(first: &Record) -> Option<String> {
    read(first)
        .ok()??
        .get(DATASET)?
        .as_str()
        .map(str::to_string)
}

/// The key of the row's question. `made` is the key from its id.
pub(super) fn key(mark: Option<&Map<String, Value>>, made: Key) -> Key {
    let Some(mark) = mark else { return made };
    if let Some(whole) = mark.get(WHOLE).and_then(|whole| whole.get("key")) {
        return serde_json::from_value(whole.clone()).unwrap_or(made);
    }
    let pair = mark.get("key").and_then(Value::as_array);
    let is = pair.filter(|pair| {
        pair.first()
            .is_some_and(|was| serde_json::to_value(&made).is_ok_and(|m| m == *was))
    });
    is.and_then(|pair| serde_json::from_value(pair.get(1)?.clone()).ok())
        .unwrap_or(made)
}

/// The item of a row: the item read from its columns, with the stored changes and its pictures.
/// Embedded pictures get their names.
///
/// # Errors
/// The error of the columns, unless the whole item is stored.
pub(super) fn apply(
    made: Result<Item>,
    images: Vec<ImageRef>,
    mark: &Map<String, Value>,
    dataset: &str,
    inline: &mut [Inline],
) -> Result<Item> {
    let damaged = |e: serde_json::Error| {
        Error::input(format!("the column `benchtop` of this row is damaged: {e}")).field(COLUMN)
    };
    let mut of = match mark.get(WHOLE) {
        Some(Value::Object(whole)) => whole.clone(),
        _ => {
            let mut of = fields(&made?)?;
            change(&mut of, mark);
            of
        }
    };
    of.shift_remove("images");
    let key: Key =
        serde_json::from_value(of.get("key").cloned().unwrap_or_default()).map_err(damaged)?;
    of.insert(DATASET.into(), dataset.into());
    of.insert("id".into(), format!("{dataset}/{key}").into());
    let mut item: Item = serde_json::from_value(of.into()).map_err(damaged)?;
    item.images = pictures(images, mark, inline);
    if let Some(rights) = mark.get(RIGHTS) {
        let rights: Vec<Option<Box<Rights>>> =
            serde_json::from_value(rights.clone()).map_err(damaged)?;
        for (image, rights) in item.images.iter_mut().zip(rights) {
            image.rights = image.rights.take().or(rights);
        }
    }
    Ok(item)
}

fn change(of: &mut Map<String, Value>, mark: &Map<String, Value>) {
    for (name, pair) in mark {
        let Some([was, is]) = pair.as_array().map(Vec::as_slice) else {
            continue;
        };
        if LEFT.contains(&name.as_str()) || of.get(name).unwrap_or(&Value::Null) != was {
            continue;
        }
        match is {
            Value::Null => drop(of.shift_remove(name)),
            is => drop(of.insert(name.clone(), is.clone())),
        }
    }
    let mut extra = of
        .get(EXTRA)
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    if let Some(inner) = mark.get(EXTRA).and_then(Value::as_object) {
        change_extra(&mut extra, inner);
    }
    if let Some(order) = mark.get(ORDER).and_then(Value::as_array) {
        let mut ordered: Map<String, Value> = Map::new();
        for name in order.iter().filter_map(Value::as_str) {
            ordered.extend(
                extra
                    .shift_remove(name)
                    .map(|value| (name.to_string(), value)),
            );
        }
        ordered.extend(extra);
        extra = ordered;
    }
    of.insert(EXTRA.into(), extra.into());
}

/// The pictures with their stored names, if the row still has the same number of them.
fn pictures(
    made: Vec<ImageRef>,
    mark: &Map<String, Value>,
    inline: &mut [Inline],
) -> Vec<ImageRef> {
    let Some(names) = mark.get(NAMES).and_then(Value::as_array) else {
        return made;
    };
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    let carried: Vec<usize> = match mark.get(CARRIED).and_then(Value::as_array) {
        Some(at) => at
            .iter()
            .filter_map(|at| usize::try_from(at.as_u64()?).ok())
            .collect(),
        None => (0..names.len()).collect(),
    };
    if carried.len() != made.len() {
        return made;
    }
    for (image, at) in made.iter().zip(carried) {
        let Some(name) = names.get(at) else { continue };
        inline
            .iter_mut()
            .filter(|inline| inline.name == image.name)
            .for_each(|inline| inline.name = (*name).to_string());
    }
    names.into_iter().map(ImageRef::named).collect()
}
