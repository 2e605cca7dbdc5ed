//! The column `benchtop` of the tables that are written here: what the other columns of a row cannot say of its item, as JSON.
//!
//! Each field stands with what the other columns say of it and what it is: `{"answer": ["B", "a dog"]}`. It is used where they
//! still say that; what somebody changed in the table since goes before. `names` are the names of the pictures, and
//! `carried` tells which of them the row has, where not all. An item that the columns cannot express at all is in `item`, whole.

use serde_json::{Map, Value, json};

use super::cells::{self, Inline};
use super::records::Record;
use benchtop_model::{Error, ImageRef, Item, Key, Result};

/// The name of the column.
pub(super) const COLUMN: &str = "benchtop";

const DATASET: &str = "dataset";
const WHOLE: &str = "item";
const NAMES: &str = "names";
const CARRIED: &str = "carried";
/// Fields of an item that a mark never states: they follow from others, or stand elsewhere in it.
const LEFT: [&str; 3] = ["id", "dataset", "images"];
const EXTRA: &str = "extra";
const ORDER: &str = "extra order";

/// What the pictures of a row are.
#[derive(Clone, Debug, Default)]
pub(super) struct Carried {
    /// Names that a reader of the row gives the pictures that it carries or names.
    pub seen: Vec<String>,
    /// Which of the item's pictures those are.
    pub at: Vec<usize>,
}

/// The mark that makes `item` of what a reader made of its row, with the name of its data set where `named`; an empty text
/// where none is needed.
///
/// # Errors
/// An item that is no JSON.
pub(super) fn of(
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
    Ok(if mark.is_empty() {
        String::new()
    } else {
        Value::from(mark).to_string()
    })
}

fn fields(item: &Item) -> Result<Map<String, Value>> {
    match serde_json::to_value(item) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Error::input("cannot be written as JSON")),
        Err(e) => Err(Error::input(format!("cannot be written as JSON: {e}"))),
    }
}

/// Every field in which the two differ, as `[made, item]`.
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
        // A field that is there and null is not one that is missing.
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

/// Makes the changes that a mark states; one value alone in the list takes the field away.
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

/// The mark of a row; `None` where it has none.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] for one that is no JSON object.
pub(super) fn read(record: &Record) -> Result<Option<Map<String, Value>>> {
    let wrong = |why: String| {
        Error::input(format!("what benchtop noted of this row is damaged: {why}")).field(COLUMN)
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

/// The name that the first row of a table gives its data set.
pub(super) fn dataset(first: &Record) -> Option<String> {
    read(first)
        .ok()??
        .get(DATASET)?
        .as_str()
        .map(str::to_string)
}

/// The key of the question that a row is about; `made` is the one that its id says.
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

/// The item of a row: what was made of its columns, changed as its mark says, with its pictures; those it carries get their
/// names.
///
/// # Errors
/// What was wrong with the columns, where the mark does not hold the whole item.
pub(super) fn apply(
    made: Result<Item>,
    images: Vec<ImageRef>,
    mark: &Map<String, Value>,
    dataset: &str,
    inline: &mut [Inline],
) -> Result<Item> {
    let damaged = |e: serde_json::Error| {
        Error::input(format!("what benchtop noted of this row is damaged: {e}")).field(COLUMN)
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

/// The pictures with the names that the mark has for them, where the row carries as many as it did.
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
    names
        .into_iter()
        .map(|name| ImageRef {
            name: name.to_string(),
            ..ImageRef::default()
        })
        .collect()
}
