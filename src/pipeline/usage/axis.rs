//! Item properties for counting and filtering: subject, subtask, type, style, and vocabularies.

use super::{CODE, NONE, Names, OFFERED, SECOND, Usage};
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Filter, QuestionKind};

/// The subject of a picture.
pub(super) const SUBJECT: &str = "subject";
/// The subtask of a question.
pub(super) const SUBTASK: &str = "subtask";
/// The type of a question.
pub(super) const TYPE: &str = "type";

/// A property with its values, and how to find an item's value.
pub(super) struct Axis {
    pub(super) values: Vec<String>,
    /// Number of values in the metadata, which are shown even without items.
    pub(super) known: usize,
    of: Of,
}

enum Of {
    /// By class.
    Class(Vec<u32>),
    /// By the codes of the first picture; [`NONE`] for codes of other vocabularies.
    Code(Vec<u32>),
}

impl Usage {
    /// Keeps the rows that match the subjects and terms of `filter`. Terms of one vocabulary are
    /// alternatives.
    pub fn retain(&self, grammar: &CompiledMetadata, rows: &mut Vec<u32>, filter: &Filter) {
        let wanted = |axis: &Axis, values: &[&str]| -> Vec<bool> {
            axis.values
                .iter()
                .map(|v| values.contains(&v.as_str()))
                .collect()
        };
        let mut by_axis = |name: &str, values: &[&str]| {
            let axis = self.axis(grammar, name);
            let wanted = wanted(&axis, values);
            rows.retain(|row| {
                (*row as usize) < self.len() && wanted[axis.at(self, *row as usize) as usize]
            });
        };
        if !filter.subjects.is_empty() {
            by_axis(
                SUBJECT,
                &filter
                    .subjects
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>(),
            );
        }
        for (vocabulary, terms) in by_vocabulary(&filter.shows) {
            by_axis(vocabulary, &terms);
        }
        for (vocabulary, terms) in by_vocabulary(&filter.terms) {
            let pairs: Vec<_> = terms
                .iter()
                .map(|t| (vocabulary.to_string(), t.to_string()))
                .collect();
            let with = self.rows_with(grammar, &pairs);
            rows.retain(|row| with.binary_search(row).is_ok());
        }
    }

    pub(super) fn axis(&self, grammar: &CompiledMetadata, name: &str) -> Axis {
        let by_class = |known: Vec<String>, of: &dyn Fn(&super::Class) -> String| {
            let mut values = Values::new(known);
            let places = self.classes.iter().map(|c| values.place(&of(c))).collect();
            values.axis(Of::Class(places))
        };
        match name {
            SUBJECT => {
                let known = grammar.subjects.iter().map(|s| s.name.clone()).collect();
                by_class(known, &|c| self.names.list[c.subject as usize].clone())
            }
            SUBTASK => {
                let known = grammar.subtasks.iter().map(|s| s.name.clone()).collect();
                by_class(known, &|c| self.names.list[c.subtask as usize].clone())
            }
            TYPE => {
                let known = QuestionKind::ALL.map(|kind| kind.name().to_string());
                by_class(known.to_vec(), &|c| c.kind.name().into())
            }
            vocabulary => {
                let known = grammar
                    .list(vocabulary)
                    .map_or(Vec::new(), |at| grammar.lists[at].terms.clone());
                let mut values = Values::new(known);
                let (slots, uses) = self.slots(grammar, |name| name == vocabulary);
                let places: Vec<u32> = uses.iter().map(|u| values.place(&u.term)).collect();
                let of = slots
                    .into_iter()
                    .map(|s| places.get(s as usize).copied().unwrap_or(NONE))
                    .collect();
                values.axis(Of::Code(of))
            }
        }
    }
}

fn by_vocabulary(pairs: &[(String, String)]) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (vocabulary, term) in pairs {
        match groups.iter_mut().find(|(v, _)| v == vocabulary) {
            Some((_, terms)) => terms.push(term),
            None => groups.push((vocabulary, vec![term])),
        }
    }
    groups
}

/// The values of an axis being collected: first the known ones, then others.
struct Values {
    names: Names,
    known: usize,
}

impl Values {
    fn new(known: Vec<String>) -> Values {
        let at = (0..).zip(&known).map(|(at, name)| (name.clone(), at));
        Values {
            known: known.len(),
            names: Names {
                at: at.collect(),
                list: known,
            },
        }
    }

    fn place(&mut self, value: &str) -> u32 {
        self.names.place(value)
    }

    /// The axis, with unknown values sorted by name and "has none" last.
    fn axis(mut self, of: Of) -> Axis {
        self.place("");
        let values = &mut self.names.list;
        let mut order: Vec<usize> = (0..values.len()).collect();
        sort_by_key(&mut order[self.known..], |i| {
            (values[*i].is_empty(), &values[*i])
        });
        let mut moved = vec![0u32; order.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(to, from)| moved[*from] = to as u32);
        let place = |at: u32| moved.get(at as usize).copied().unwrap_or(NONE);
        let of = match of {
            Of::Class(places) => Of::Class(places.into_iter().map(place).collect()),
            Of::Code(places) => Of::Code(places.into_iter().map(place).collect()),
        };
        let values = order
            .into_iter()
            .map(|i| std::mem::take(&mut values[i]))
            .collect();
        Axis {
            values,
            known: self.known,
            of,
        }
    }
}

impl Axis {
    /// The value index of an item.
    pub(super) fn at(&self, usage: &Usage, row: usize) -> u32 {
        let none = self.values.len() as u32 - 1;
        match &self.of {
            Of::Class(places) => places[usage.class[row] as usize],
            Of::Code(places) => {
                let own = usage
                    .codes_of(row)
                    .iter()
                    .filter(|c| **c & (OFFERED | SECOND) == 0);
                own.map(|c| places[(c & CODE) as usize])
                    .find(|p| *p != NONE)
                    .unwrap_or(none)
            }
        }
    }
}
