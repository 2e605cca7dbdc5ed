//! Folders of metadata files with one value each. A shipped value is used unless the project has a
//! file of its name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use benchtop_model::Finding;
use benchtop_model::metafile::shipped;

/// The parsed files of a project by name; `None` for an unusable one.
pub(super) type Own<T> = BTreeMap<String, Option<Arc<T>>>;
/// The shipped values by name.
pub type Shipped<T> = BTreeMap<String, Arc<T>>;

/// Parses a file: its value's name, the file's name, and its text.
pub(super) type Parse<T> = fn(&str, &str, &str) -> (Option<T>, Vec<Finding>);

/// The name in the path of a file, such as `name` in `judge/name.toml`.
pub(super) fn name_in<'f>(file: &'f str, folder: &str, ending: &str) -> Option<&'f str> {
    file.strip_prefix(folder)?
        .strip_suffix(ending)
        .filter(|n| !n.is_empty() && !n.contains('/'))
}

/// Parses the shipped files that `name_of` names.
pub(super) fn parse_shipped<T>(name_of: fn(&str) -> Option<&str>, parse: Parse<T>) -> Shipped<T> {
    let one = |f: benchtop_model::MetaFile| {
        let name = name_of(&f.name)?;
        Some((name.to_string(), Arc::new(parse(name, &f.name, &f.text).0?)))
    };
    shipped().filter_map(one).collect()
}

/// The value with this name.
pub(super) fn one<T>(own: &Own<T>, shipped: &Shipped<T>, name: &str) -> Option<Arc<T>> {
    match own.get(name) {
        Some(own) => own.clone(),
        None => shipped.get(name).cloned(),
    }
}

/// All values, sorted by name.
pub(super) fn all<T>(own: &Own<T>, shipped: &Shipped<T>) -> Vec<Arc<T>> {
    let names: BTreeSet<&String> = own.keys().chain(shipped.keys()).collect();
    names
        .into_iter()
        .filter_map(|name| one(own, shipped, name))
        .collect()
}
