//! Boards of questions and answers that are at hand.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::told::count;
use super::{Fate, Odd, Places, Scored, Texts};
use crate::formats;
use crate::metrics::extract::{Asked, Extractor};
use crate::metrics::score::sheet::Sheet;
use crate::metrics::score::{Grader, Place, Ruled};
use crate::model::{Item, Key, Prediction, Result};
use crate::store::columns::id_hash;

/// The rows of one prediction file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// The model, see [`super::model_name`].
    pub model: String,
    /// The file: notes call it by its name, and by its folders where others have that name too.
    pub source: String,
    /// The data set its keys belong to; when not known, the one that has most of them.
    pub dataset: Option<String>,
    /// Whether it is an evaluated file, which holds a judge's words and goes before a plain one.
    pub evaluated: bool,
    /// The rows in the order of the file.
    pub rows: Vec<Prediction>,
}

/// Questions and answers in memory.
struct Memory {
    items: Vec<Item>,
    /// By model, in the order that places name.
    answers: HashMap<String, Vec<Vec<Prediction>>>,
}

impl Texts for Memory {
    fn items(&self, rows: &[u32]) -> Result<Vec<Item>> {
        Ok(rows.iter().filter_map(|row| self.items.get(*row as usize).cloned()).collect())
    }

    fn answers(&self, model: &str, places: &[Place]) -> Result<Vec<Option<Prediction>>> {
        let files = self.answers.get(model).map_or(&[][..], Vec::as_slice);
        let of = |place: &Place| files.get(usize::from(place.file))?.get(place.row as usize).cloned();
        Ok(places.iter().map(of).collect())
    }
}

/// The rows of each data set by key.
struct Lookup {
    datasets: Vec<(String, HashMap<Key, u32>)>,
}

impl Lookup {
    /// Which data set a file's keys belong to: the one named, else the one with most of them; of equals the one they cover most of.
    /// `None` when no data set has any.
    fn of<'k>(&self, named: Option<&str>, keys: impl Iterator<Item = &'k Key> + Clone) -> Option<&HashMap<Key, u32>> {
        if let Some(named) = named {
            return self.datasets.iter().find(|(d, _)| d == named).map(|(_, keys)| keys);
        }
        let hits = |set: &HashMap<Key, u32>| keys.clone().filter(|k| set.contains_key(*k)).count();
        let counted =
            self.datasets.iter().enumerate().map(|(i, (_, set))| (hits(set), std::cmp::Reverse(set.len()), i));
        let best =
            counted.filter(|(hits, ..)| *hits > 0).max_by_key(|(hits, size, i)| (*hits, *size, std::cmp::Reverse(*i)));
        best.map(|(.., i)| &self.datasets[i].1)
    }
}

/// The board of these answers to these items; `rule` reads all of them, or else each question's own.
///
/// # Errors
/// As [`Sheet::push`].
pub fn from_items(given: Vec<Item>, mut answers: Vec<Answers>, rule: Option<Extractor>) -> Result<Scored> {
    let (mut sheet, mut items, mut doubled) = (Sheet::default(), Vec::with_capacity(given.len()), 0);
    let mut lookup = Lookup { datasets: Vec::new() };
    for item in given {
        let at = match lookup.datasets.iter().position(|(d, _)| *d == item.dataset) {
            Some(found) => found,
            None => {
                lookup.datasets.push((item.dataset.clone(), HashMap::new()));
                lookup.datasets.len() - 1
            }
        };
        let keys = &mut lookup.datasets[at].1;
        if keys.contains_key(&item.key) {
            doubled += 1;
            continue;
        }
        keys.insert(item.key.clone(), items.len() as u32);
        sheet.push(&item)?;
        items.push(item);
    }
    let mut odd = Odd::default();
    odd.compares("without a number: a project compares them");
    if doubled > 0 {
        odd.say(format!("{} given more than once; the first is used", count(doubled, "question")));
    }
    odd.files(answers.iter().map(|a| a.source.as_str()));
    answers.sort_by_key(|a| !a.evaluated);
    let mut names: Vec<String> = Vec::new();
    for file in &answers {
        if !names.contains(&file.model) {
            names.push(file.model.clone());
        }
    }
    let (mut models, mut places) = (Vec::new(), BTreeMap::new());
    for model in names {
        let mut grader = Grader::new(&sheet, model.clone(), rule);
        for file in answers.iter().filter(|f| f.model == model) {
            let fate = grade(&mut grader, file, &lookup, &items);
            odd.file(&model, &file.source, &fate);
        }
        let (graded, at) = grader.finish();
        models.push(Arc::new(graded));
        places.insert(model, Places::pack(&at));
    }
    let mut by_model: HashMap<String, Vec<Vec<Prediction>>> = HashMap::new();
    answers.into_iter().for_each(|file| by_model.entry(file.model).or_default().push(file.rows));
    let texts = Memory { items, answers: by_model };
    Ok(Scored::new(Ruled::new(Arc::new(sheet), models), places, Box::new(texts), odd, rule))
}

fn grade(grader: &mut Grader, file: &Answers, lookup: &Lookup, items: &[Item]) -> Fate {
    grader.file(file.evaluated);
    let keys = lookup.of(file.dataset.as_deref(), file.rows.iter().map(|r| &r.key));
    let mut fate = Fate::new(keys.is_some());
    for (at, row) in (0u32..).zip(&file.rows) {
        let Some(place) = keys.and_then(|keys| keys.get(&row.key)) else {
            fate.count(grader.extra(id_hash(&row.key.to_string())));
            continue;
        };
        let item = &items[*place as usize];
        let text = item.instruction.as_ref().unwrap_or(&item.question);
        if formats::text_of(row).is_some_and(|said| said != text) {
            fate.drifted.insert(row.key.to_string());
        }
        let asked = Asked::from(item);
        fate.count(grader.answer(*place as usize, at, &asked, &row.output, row.judge.as_deref()));
    }
    fate
}
