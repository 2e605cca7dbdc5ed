//! Dysca's JSON: one file a scenario, because an item and its variants have the same id there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::files::{Out, Renames, create, flush};
use super::format::{Answers, Export, ItemSink, Kind};
use benchtop_formats::{DyscaWriter, NestedWriter};
use benchtop_model::{Form, Item, Result};

pub static DYSCA: Export = Export {
    name: "dysca",
    summary: "Dysca's JSON",
    takes: |form| matches!(form, Form::Dysca | Form::DyscaNested | Form::Plain),
    nests: true,
    marks_drafts: true,
    answers: Answers::No,
    kind: Kind::File(|out, nested, path| {
        Box::new(Scenarios {
            nested,
            path: path.map(Path::to_path_buf),
            first: None,
            named: Records::new(out, nested),
            others: BTreeMap::new(),
        })
    }),
    file_beside: |path, first, item| {
        let scenario = scenario(item);
        (scenario != self::scenario(first)).then(|| beside(path, scenario))
    },
};

/// The scenario of an item that is no variant.
const CLEAN: &str = "clean";
/// Longest part of a file name that comes from a scenario, in bytes.
const NAME_LIMIT: usize = 80;

/// The records of one file.
enum Records {
    Flat(DyscaWriter<Out>),
    Nested(NestedWriter<Out>),
}

impl Records {
    fn new(out: Out, nested: bool) -> Records {
        match nested {
            true => Records::Nested(NestedWriter::new(out)),
            false => Records::Flat(DyscaWriter::new(out)),
        }
    }

    fn push(&mut self, item: &Item) -> Result<()> {
        match self {
            Records::Flat(writer) => writer.push(item),
            Records::Nested(writer) => writer.push(item),
        }
    }

    fn finish(self) -> Result<()> {
        flush(match self {
            Records::Flat(writer) => writer.finish()?,
            Records::Nested(writer) => writer.finish()?,
        })
    }
}

/// The named file has the scenario of the first item, and files beside it have the others. A stream
/// has all.
struct Scenarios {
    nested: bool,
    path: Option<PathBuf>,
    /// The scenario of the first item.
    first: Option<String>,
    named: Records,
    others: BTreeMap<String, Records>,
}

fn scenario(item: &Item) -> &str {
    let name = item.variant.as_ref().map(|variant| variant.name.as_str());
    name.filter(|name| !name.trim().is_empty()).unwrap_or(CLEAN)
}

/// The file of a scenario beside `path`: `dysca-corruption.json`. A name that cannot be part of a
/// file name is changed, and a hash tells it from others.
fn beside(path: &Path, scenario: &str) -> PathBuf {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || "-_+.@()".contains(c);
    let mut name: String = scenario
        .chars()
        .map(|c| if is_kept(c) { c } else { '_' })
        .take(NAME_LIMIT)
        .collect();
    if name != scenario {
        let hash = blake3::hash(scenario.as_bytes()).to_hex();
        name = format!("{name}-{}", &hash[..8]);
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|e| e.to_string_lossy());
    let ending = ending.map_or(String::new(), |ending| format!(".{ending}"));
    path.with_file_name(format!("{stem}-{name}{ending}"))
}

impl ItemSink for Scenarios {
    fn push(&mut self, item: &Item, renames: &mut Renames) -> Result<()> {
        let scenario = scenario(item);
        let Some(path) = &self.path else {
            return self.named.push(item);
        };
        if self.first.as_deref().is_none_or(|first| first == scenario) {
            self.named.push(item)?;
            self.first.get_or_insert_with(|| scenario.into());
            return Ok(());
        }
        if let Some(records) = self.others.get_mut(scenario) {
            return records.push(item);
        }
        let file = beside(path, scenario);
        let mut records = Records::new(create(&file, renames)?, self.nested);
        if let Err(problem) = records.push(item) {
            renames.forget(&file);
            return Err(problem);
        }
        self.others.insert(scenario.into(), records);
        Ok(())
    }

    fn more_files(&self) -> Vec<PathBuf> {
        let path = self.path.iter();
        path.flat_map(|path| self.others.keys().map(|name| beside(path, name)))
            .collect()
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Scenarios { named, others, .. } = *self;
        named.finish()?;
        others.into_values().try_for_each(Records::finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::{Key, Variant};

    #[test]
    fn the_scenario_of_the_first_item_has_the_named_file() {
        let item = |name: &str| Item {
            variant: (!name.is_empty()).then(|| Variant {
                name: name.into(),
                ..Variant::default()
            }),
            ..Item::blank("d", Key::Int(1))
        };
        let file = |first: &str, name: &str| {
            let file = (DYSCA.file_beside)(Path::new("d.json"), &item(first), &item(name));
            file.map(|file| file.to_string_lossy().into_owned())
        };
        assert_eq!(file("", "clean"), None);
        assert_eq!(file("", "V3").as_deref(), Some("d-V3.json"));
        assert_eq!(file("V3", "V3"), None);
        assert_eq!(file("V3", "").as_deref(), Some("d-clean.json"));
    }

    #[test]
    fn scenarios_have_different_files_in_the_same_folder() {
        let path = Path::new("/out/dysca.json");
        let names = ["print-attack", "V3@1.25", "../../x", "a/b", "a_b", "a b"];
        let files: Vec<PathBuf> = names.iter().map(|name| beside(path, name)).collect();
        assert_eq!(files[0], Path::new("/out/dysca-print-attack.json"));
        assert_eq!(files[1], Path::new("/out/dysca-V3@1.25.json"));
        assert!(files.iter().all(|file| file.parent() == path.parent()));
        let different: std::collections::BTreeSet<_> = files.iter().collect();
        assert_eq!(different.len(), names.len());
        assert!(beside(path, &"x".repeat(5000)).file_name().unwrap().len() < 120);
        assert_eq!(beside(Path::new("d"), "a"), Path::new("d-a"));
    }
}
