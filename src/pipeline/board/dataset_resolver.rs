//! How answer files that do not name a data set are assigned to one. One rule for boards of files,
//! for project boards, and for distinguishing two runs of a model from two parts of one.
//!
//! A row belongs to the data set that contains its id. If several data sets contain ids of the
//! file, they are ordered, and each row belongs to the first one that contains it. The nearest data
//! sets come first: those of the same import, then those whose files are closest in the folder
//! tree, provided that they contain at least half as many of the ids as the best one. Among equally
//! near data sets, the one with the most ids comes first, then the smallest, then the first by
//! name. A more distant data set counts only if it shares no id with a nearer one. Otherwise its
//! ids are numbers that occur in every data set and prove nothing.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::rows::{key_text, rows};
use benchtop_model::{Field, Result};
use benchtop_store::Catalog;
use benchtop_store::catalog::PredictionSegment;
use benchtop_store::columns::{Columns, id_hash};
use benchtop_store::manifest::{Content, Segment};

/// The origin of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Number of the import, or 0 without a project.
    import: u64,
    folder: PathBuf,
}

impl Origin {
    /// The origin of a file that was not imported.
    pub fn of_file(file: &Path) -> Origin {
        let real = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        Origin {
            import: 0,
            folder: real.parent().unwrap_or(&real).to_path_buf(),
        }
    }

    /// The origin of a part of a project.
    pub fn of_part(part: &Segment) -> Origin {
        Origin::of_import(part.import(), Path::new(&part.source))
    }

    /// The origin of a file in this import.
    pub fn of_import(import: u64, file: &Path) -> Origin {
        Origin {
            import,
            folder: file.parent().unwrap_or(Path::new("")).to_path_buf(),
        }
    }

    /// Nearness of another file: whether both are of one import, and the number of common folders.
    fn near(&self, other: &Origin) -> (bool, usize) {
        let common = self
            .folder
            .components()
            .zip(other.folder.components())
            .take_while(|(a, b)| a == b)
            .count();
        (self.import == other.import, common)
    }
}

/// A data set with the origins of its questions.
#[derive(Clone, Debug, Default)]
struct Set {
    name: String,
    size: u64,
    from: Vec<Origin>,
}

impl Set {
    fn near(&self, file: &Origin) -> (bool, usize) {
        self.from
            .iter()
            .map(|from| from.near(file))
            .max()
            .unwrap_or_default()
    }
}

/// The available data sets.
#[derive(Clone, Debug, Default)]
pub struct DatasetResolver {
    sets: Vec<Set>,
}

/// Counts the ids of a file by data set.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: BTreeMap<Vec<usize>, u64>,
}

/// The assignment of a file's rows to data sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// The data sets in the order in which they are searched for an id.
    pub names: Vec<String>,
    /// The data sets that share an id, the preferred one first. Empty if all ids are unique.
    pub shared: Vec<String>,
}

impl DatasetResolver {
    /// The data sets of these rows, which come from `parts` in order.
    pub fn new<'p>(columns: &Columns, parts: impl Iterator<Item = &'p Segment>) -> DatasetResolver {
        let (mut resolver, mut row) = (DatasetResolver::default(), 0);
        for part in parts {
            let (from, end) = (Origin::of_part(part), row + part.rows as usize);
            let codes =
                Columns::named(Field::Dataset).and_then(|at| columns.codes[at].get(row..end));
            for same in codes.unwrap_or_default().chunk_by(|a, b| a == b) {
                resolver.add(columns.value(Field::Dataset, row), same.len() as u64, &from);
                row += same.len();
            }
            row = end;
        }
        resolver
    }

    /// The data sets of a project.
    pub fn of(catalog: &Catalog) -> DatasetResolver {
        DatasetResolver::new(catalog.columns(), catalog.item_parts())
    }

    /// Adds questions of a data set.
    pub fn add(&mut self, dataset: &str, n: u64, from: &Origin) {
        // The last origins are those of the previous questions.
        let at = self
            .sets
            .iter()
            .rposition(|set| set.name == dataset)
            .unwrap_or_else(|| {
                self.sets.push(Set {
                    name: dataset.to_string(),
                    ..Set::default()
                });
                self.sets.len() - 1
            });
        let set = &mut self.sets[at];
        set.size += n;
        if set.from.last() != Some(from) && !set.from.contains(from) {
            set.from.push(from.clone());
        }
    }

    /// Whether there are several data sets, so that an id may be ambiguous.
    pub fn is_several(&self) -> bool {
        self.sets.len() > 1
    }

    /// Whether there is a data set with this name.
    pub fn has(&self, name: &str) -> bool {
        self.sets.iter().any(|set| set.name == name)
    }

    /// Counts a row with this key. `has` returns whether there is a question with this id hash.
    pub fn count(&self, tally: &mut Tally, key: &str, has: &dyn Fn(u64) -> bool) {
        let of = |set: &Set| has(id_hash(&format!("{}/{key}", set.name)));
        let sets: Vec<usize> = (0..self.sets.len())
            .filter(|at| of(&self.sets[*at]))
            .collect();
        if !sets.is_empty() {
            *tally.counts.entry(sets).or_default() += 1;
        }
    }

    /// The assignment of the counted rows of the file at `file`.
    pub fn assign(&self, tally: &Tally, file: &Origin) -> Assignment {
        let rows = |is: &dyn Fn(usize) -> bool| -> u64 {
            tally
                .counts
                .iter()
                .filter(|(sets, _)| sets.iter().any(|set| is(*set)))
                .map(|(_, n)| n)
                .sum()
        };
        let near: Vec<(bool, usize)> = self.sets.iter().map(|set| set.near(file)).collect();
        let mut tiers = near.clone();
        tiers.sort_unstable_by_key(|tier| Reverse(*tier));
        tiers.dedup();
        let known = rows(&|_| true);
        let leads = tiers
            .iter()
            .copied()
            .find(|tier| 2 * rows(&|set| near[set] == *tier) >= known);
        let mut order: Vec<usize> = (0..self.sets.len())
            .filter(|at| rows(&|set| set == *at) > 0)
            .collect();
        order.sort_by_cached_key(|at| {
            let Set { name, size, .. } = &self.sets[*at];
            (
                Some(near[*at]) != leads,
                Reverse((near[*at], rows(&|set| set == *at))),
                *size,
                name.clone(),
            )
        });
        let together = |a: usize, b: usize| {
            tally
                .counts
                .keys()
                .any(|sets| sets.contains(&a) && sets.contains(&b))
        };
        let mut taken: Vec<usize> = Vec::new();
        for at in order {
            if taken
                .iter()
                .all(|before| near[*before] == near[at] || !together(*before, at))
            {
                taken.push(at);
            }
        }
        let name = |at: &usize| self.sets[*at].name.clone();
        let first = taken
            .iter()
            .find(|a| taken.iter().any(|b| *a != b && together(**a, *b)));
        let shared = |a: &usize| {
            taken
                .iter()
                .filter(|b| *b == a || together(*a, **b))
                .map(name)
                .collect()
        };
        Assignment {
            names: taken.iter().map(name).collect(),
            shared: first.map(shared).unwrap_or_default(),
        }
    }

    /// The assignment of the answers of a project part; `has` is as in [`count`](Self::count).
    ///
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::Corrupt`] if the part is damaged.
    pub fn assign_part(
        &self,
        answers: &PredictionSegment,
        has: &dyn Fn(u64) -> bool,
    ) -> Result<Assignment> {
        if let Content::Predictions {
            dataset: Some(dataset),
            ..
        } = &answers.part.holds
        {
            return Ok(Assignment::one(dataset));
        }
        if let [only] = &self.sets[..] {
            return Ok(Assignment::one(&only.name));
        }
        let (mut tally, mut frame) = (Tally::default(), 0);
        while let Some(text) = answers.lines(frame)? {
            for row in rows(&text) {
                self.count(&mut tally, &key_text(row?.key), has);
            }
            frame += 1;
        }
        Ok(self.assign(&tally, &Origin::of_part(&answers.part)))
    }
}

impl Assignment {
    /// Assigns all rows to one data set.
    pub fn one(name: &str) -> Assignment {
        Assignment {
            names: vec![name.to_string()],
            shared: Vec::new(),
        }
    }

    /// Finds the question with this key: the first that `at` returns for the hash of its id.
    /// Without one, returns the hash by which the row counts as an extra answer. `id` is set to the
    /// id.
    pub fn find<T>(
        &self,
        key: &str,
        id: &mut String,
        at: impl Fn(u64) -> Option<T>,
    ) -> std::result::Result<T, u64> {
        let mut first = None;
        for name in self
            .names
            .iter()
            .map(String::as_str)
            .chain(self.names.is_empty().then_some(""))
        {
            id.clear();
            id.extend([name, "/", key]);
            let hash = id_hash(id);
            match at(hash).filter(|_| !self.names.is_empty()) {
                Some(found) => return Ok(found),
                None => first = first.or(Some(hash)),
            }
        }
        Err(first.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data sets with these keys, each from one file, and the assignment of answers with these keys
    /// in the file `from`.
    fn assign(
        sets: &[(&str, &str, &[&str])],
        from: &str,
        keys: &[&str],
    ) -> (Vec<String>, Vec<String>) {
        let (mut resolver, mut ids) =
            (DatasetResolver::default(), std::collections::HashSet::new());
        for (name, file, keys) in sets {
            for key in *keys {
                resolver.add(name, 1, &Origin::of_file(Path::new(file)));
                ids.insert(id_hash(&format!("{name}/{key}")));
            }
        }
        let mut tally = Tally::default();
        keys.iter()
            .for_each(|key| resolver.count(&mut tally, key, &|hash| ids.contains(&hash)));
        let Assignment { names, shared } =
            resolver.assign(&tally, &Origin::of_file(Path::new(from)));
        (names, shared)
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn a_row_belongs_to_the_data_set_that_has_its_id() {
        let sets: [(&str, &str, &[&str]); 3] = [
            ("a", "/x/a.json", &["a0", "a1"]),
            ("b", "/x/b.json", &["b0", "b1"]),
            ("c", "/x/c.json", &["c0"]),
        ];
        assert_eq!(
            assign(&sets, "/x/m.csv", &["b1", "a0", "b0", "z9"]),
            (words("b a"), words(""))
        );
        assert_eq!(assign(&sets, "/x/m.csv", &["z9"]), (words(""), words("")));
        // At any distance, if no id is in two of them.
        let far: [(&str, &str, &[&str]); 2] = [
            ("a", "/x/a.json", &["a0", "a1"]),
            ("b", "/y/b.json", &["b0", "b1"]),
        ];
        assert_eq!(
            assign(&far, "/x/m.csv", &["a0", "b0", "b1"]).0,
            words("b a")
        );
    }

    #[test]
    fn shared_ids_go_to_the_preferred_data_set() {
        let all: &[&str] = &["0", "1", "2", "3"];
        let sets = [
            ("big", "/x/big.json", all),
            ("small", "/x/small.json", &all[..2]),
            ("twin", "/x/t.json", &all[..2]),
        ];
        // Equal numbers of ids: the smallest, then the first by name. The ambiguity is reported.
        assert_eq!(
            assign(&sets, "/x/m.csv", &["0", "1"]),
            (words("small twin big"), words("small twin big"))
        );
        assert_eq!(
            assign(&sets, "/x/m.csv", &["0", "1", "2"]).0,
            words("big small twin")
        );
    }

    #[test]
    fn the_nearest_data_set_comes_first_and_overlapping_ones_are_ignored() {
        let all: &[&str] = &["0", "1", "2", "3"];
        let sets = [
            ("far", "/y/far.json", all),
            ("near", "/x/deep/near.json", &all[..3]),
        ];
        assert_eq!(assign(&sets, "/x/m.csv", all), (words("near"), words("")));
        assert_eq!(assign(&sets, "/y/m.csv", all), (words("far"), words("")));
        // A data set with hardly any of the ids does not come first.
        let sets = [
            ("far", "/y/far.json", all),
            ("near", "/x/near.json", &all[..1]),
        ];
        assert_eq!(assign(&sets, "/x/m.csv", all), (words("far"), words("")));
    }
}
