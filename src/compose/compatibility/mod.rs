//! Compiles `compatibility.toml`: terms that cannot appear in one picture, what a picture hides and
//! shows, and terms that can be right at the same time.

mod letters;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use letters::Letters;

use super::compiled_metadata::List;
use super::metadata::rules::{Name, Rules, Terms};
use super::metadata::{Metadata, STYLE};
use benchtop_model::{Finding, Rule};

/// Maximum number of cells over all pair tables.
const CELLS: usize = 1 << 26;

/// A term: position of its list in the compiled metadata, and position in the list.
pub type TermAt = (usize, u32);

/// Incompatible pairs of terms of two lists.
#[derive(Clone, Debug)]
struct Clash {
    lists: (usize, usize),
    width: usize,
    bits: Vec<u64>,
}

impl Clash {
    fn at(&self, a: u32, b: u32) -> usize {
        a as usize * self.width + b as usize
    }

    fn has(&self, a: u32, b: u32) -> bool {
        let at = self.at(a, b);
        self.bits
            .get(at / 64)
            .is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}

/// The reason of a rule between two sets of terms.
#[derive(Clone, Debug)]
struct Reason {
    sides: [(usize, BTreeSet<u32>); 2],
    why: String,
}

/// The rules about one list.
#[derive(Debug, Default)]
struct OfList {
    /// Group of each term, from 1; 0 for none. Empty if the list has no groups.
    groups: Vec<u16>,
    /// For each term, the terms that look like it. Empty if there are none.
    alike: Vec<Box<[u32]>>,
    /// For each term, the terms of other lists that it shows. Empty if there are none.
    shows: Vec<Vec<(usize, Box<[u32]>)>>,
    /// Words that read alike.
    letters: Option<Letters>,
}

/// The compiled rules.
#[derive(Debug, Default)]
pub struct Compatibility {
    clashes: Vec<Clash>,
    reasons: Vec<Reason>,
    /// What each term hides: lists with reasons.
    hidden: HashMap<TermAt, Vec<(usize, String)>>,
    lists: Vec<OfList>,
}

impl Compatibility {
    /// Compiles `rules` for these lists. Unknown names are reported and skipped.
    pub fn compile(
        rules: &Rules,
        lists: &[List],
        metadata: &Metadata,
        found: &mut Vec<Finding>,
    ) -> Compatibility {
        let own = lists.iter().map(|_| OfList::default()).collect();
        let mut ready = Compatibility {
            lists: own,
            ..Compatibility::default()
        };
        let names = lists
            .iter()
            .enumerate()
            .map(|(at, l)| (l.name.as_str(), at))
            .collect();
        Compiler {
            rules,
            lists,
            metadata,
            names,
            ready: &mut ready,
            found,
        }
        .compile();
        ready
    }

    /// Whether two terms are incompatible.
    pub fn clash(&self, a: TermAt, b: TermAt) -> bool {
        let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        self.clashes
            .iter()
            .any(|c| c.lists == (a.0, b.0) && c.has(a.1, b.1))
    }

    /// Two incompatible terms among these, which must be sorted by list.
    pub fn impossible(&self, terms: &[TermAt]) -> Option<(TermAt, TermAt)> {
        self.clashes.iter().find_map(|clash| {
            let of = |list: usize| terms.iter().find(|t| t.0 == list).copied();
            let (a, b) = (of(clash.lists.0)?, of(clash.lists.1)?);
            clash.has(a.1, b.1).then_some((a, b))
        })
    }

    /// Pairs of lists that have incompatible terms.
    pub fn clashing(&self) -> impl Iterator<Item = (usize, usize)> {
        self.clashes.iter().map(|c| c.lists)
    }

    /// All pairs of incompatible terms.
    pub fn clashes(&self) -> impl Iterator<Item = (TermAt, TermAt)> + '_ {
        self.clashes.iter().flat_map(|clash| {
            let bits = clash.bits.iter().enumerate().flat_map(|(at, word)| {
                (0..64)
                    .filter(move |bit| word >> bit & 1 == 1)
                    .map(move |bit| at * 64 + bit)
            });
            bits.map(|at| {
                let (a, b) = ((at / clash.width) as u32, (at % clash.width) as u32);
                ((clash.lists.0, a), (clash.lists.1, b))
            })
        })
    }

    /// All pairs of a term and a list that it hides, in order.
    pub fn all_hidden(&self) -> impl Iterator<Item = (TermAt, usize)> {
        let all: BTreeSet<_> = self
            .hidden
            .iter()
            .flat_map(|(t, l)| l.iter().map(|(l, _)| (*t, *l)))
            .collect();
        all.into_iter()
    }

    /// The reason that two terms are incompatible; empty if the rule has none.
    pub fn reason(&self, a: TermAt, b: TermAt) -> &str {
        let has = |(list, terms): &(usize, BTreeSet<u32>), t: TermAt| {
            *list == t.0 && terms.contains(&t.1)
        };
        let of = |r: &&Reason| {
            let [one, other] = &r.sides;
            (has(one, a) && has(other, b)) || (has(one, b) && has(other, a))
        };
        self.reasons.iter().find(of).map_or("", |r| r.why.as_str())
    }

    /// Whether a picture with this term does not show this list.
    pub fn hides(&self, term: TermAt, list: usize) -> bool {
        self.hidden
            .get(&term)
            .is_some_and(|hidden| hidden.iter().any(|(l, _)| *l == list))
    }

    /// The lists that a picture with this term does not show, with reasons.
    pub fn hidden(&self, term: TermAt) -> &[(usize, String)] {
        self.hidden.get(&term).map_or(&[], Vec::as_slice)
    }

    /// Whether any term of this list hides something.
    pub fn is_hiding(&self, list: usize) -> bool {
        self.hidden.keys().any(|(l, _)| *l == list)
    }

    /// The terms of `of` that a picture with this term shows although its prompt does not name
    /// them.
    pub fn shown(&self, term: TermAt, of: usize) -> &[u32] {
        let shows = self
            .lists
            .get(term.0)
            .and_then(|l| l.shows.get(term.1 as usize));
        shows
            .and_then(|s| s.iter().find(|(list, _)| *list == of))
            .map_or(&[], |(_, terms)| terms)
    }

    /// Whether two terms of a list can be right at the same time because they are in different
    /// groups. A term without a group excludes all others.
    pub fn can_both_be_right(&self, list: usize, a: u32, b: u32) -> bool {
        let groups = self.lists.get(list).map_or(&[][..], |l| &l.groups);
        match (groups.get(a as usize), groups.get(b as usize)) {
            (Some(a), Some(b)) => *a != 0 && *b != 0 && a != b,
            _ => false,
        }
    }

    /// The group of a term, from 1; 0 for none.
    pub fn group(&self, list: usize, term: u32) -> usize {
        self.lists
            .get(list)
            .and_then(|l| l.groups.get(term as usize))
            .map_or(0, |group| usize::from(*group))
    }

    /// Whether two terms of a list look alike.
    pub fn look_alike(&self, list: usize, a: u32, b: u32) -> bool {
        let alike = self.lists.get(list).and_then(|l| l.alike.get(a as usize));
        alike.is_some_and(|terms| terms.binary_search(&b).is_ok())
    }

    /// Words that read like this one; `None` if no rule applies.
    pub fn letters(&self, list: usize, term: u32) -> Option<&[u32]> {
        self.lists.get(list)?.letters.as_ref().map(|l| l.near(term))
    }

    /// Number of possible wrong answers for `term` among `allowed`, up to `most`: terms of its
    /// group that do not look like it.
    pub fn wrong_answers(&self, list: usize, term: u32, allowed: &[u32], most: usize) -> usize {
        let Some(own) = self.lists.get(list) else {
            return 0;
        };
        let wrong = |other: &&u32| {
            **other != term
                && !self.can_both_be_right(list, term, **other)
                && !self.look_alike(list, term, **other)
        };
        if own.groups.is_empty() && own.alike.is_empty() {
            return most.min(allowed.len().saturating_sub(1));
        }
        allowed.iter().filter(wrong).take(most).count()
    }

    /// Whether the terms of a list have different sets of wrong answers.
    pub fn is_uneven(&self, list: usize) -> bool {
        self.lists
            .get(list)
            .is_some_and(|l| !l.groups.is_empty() || !l.alike.is_empty())
    }
}

struct Compiler<'c> {
    rules: &'c Rules,
    lists: &'c [List],
    metadata: &'c Metadata,
    names: HashMap<&'c str, usize>,
    ready: &'c mut Compatibility,
    found: &'c mut Vec<Finding>,
}

impl Compiler<'_> {
    fn compile(&mut self) {
        let rules = self.rules;
        rules.lists().for_each(|terms| self.known(terms));
        for name in rules.vocabularies() {
            self.list(name);
        }
        self.found.sort();
        self.found.dedup();
        self.not_with();
        for rule in &rules.hides {
            for (list, terms) in self.sides(&rule.terms) {
                for hidden in rule
                    .hides
                    .iter()
                    .filter_map(|n| self.names.get(n.text.as_str()).copied())
                {
                    for term in &terms {
                        self.ready
                            .hidden
                            .entry((list, *term))
                            .or_default()
                            .push((hidden, rule.why.clone()));
                    }
                }
            }
        }
        for rule in &rules.shows {
            for (list, terms) in self.sides(&rule.terms) {
                for (of, shown) in self.sides(&rule.shows) {
                    for term in &terms {
                        self.show((list, *term), of, &shown);
                    }
                }
            }
        }
        self.groups();
        self.look_alike();
        for rule in &rules.letters {
            if let Some(&list) = self.names.get(rule.vocabulary.text.as_str()) {
                let words = self.lists[list].words.iter().map(|w| w.folded());
                self.ready.lists[list].letters = Some(Letters::new(words, rule.edits));
            }
        }
    }

    fn list(&mut self, name: &Name) -> Option<usize> {
        let list = self.names.get(name.text.as_str()).copied();
        if list.is_none() {
            let what = format!("unknown vocabulary `{}`", name.text);
            let help = "the rule is ignored; name an existing vocabulary or remove the rule";
            self.unknown(name, what, help.into());
        }
        list
    }

    /// Reports unknown terms. Disabled terms are known.
    fn known(&mut self, terms: &Terms) {
        let Some(list) = self.list(&terms.vocabulary) else {
            return;
        };
        for term in terms
            .terms
            .iter()
            .filter(|t| self.lists[list].position(&t.text).is_none())
        {
            let name = &terms.vocabulary.text;
            let disabled = if name == STYLE {
                self.metadata.styles().iter().any(|s| s.name == term.text)
            } else {
                let vocabulary = self.metadata.vocabularies().get(name);
                vocabulary.is_some_and(|v| v.terms().iter().any(|t| t.text == term.text))
            };
            if !disabled {
                let what = format!("{name} has no `{}`", term.text);
                self.unknown(term, what, self.nearest(list, &term.text));
            }
        }
    }

    fn unknown(&mut self, name: &Name, what: String, help: String) {
        let (metadata, span) = (self.metadata, name.span.clone());
        let finding = metadata.at_rule(Rule::UnknownTerm, what, span);
        self.found.push(finding.term(name.text.clone()).help(help));
    }

    fn nearest(&self, list: usize, text: &str) -> String {
        let near = self.lists[list]
            .terms
            .iter()
            .map(|t| (strsim::levenshtein(t, text), t))
            .min();
        match near {
            Some((edits, term)) if edits <= text.len() / 2 => format!("did you mean `{term}`?"),
            _ => "the rule ignores it; correct the name or remove it".into(),
        }
    }

    /// The list and the positions of these terms, without disabled and unknown ones.
    fn terms(&self, terms: &Terms) -> Option<(usize, BTreeSet<u32>)> {
        let list = *self.names.get(terms.vocabulary.text.as_str())?;
        Some((
            list,
            terms
                .terms
                .iter()
                .filter_map(|t| self.lists[list].position(&t.text))
                .collect(),
        ))
    }

    /// The usable ones of a rule's lists of terms.
    fn sides(&self, of: &[Terms]) -> Vec<(usize, BTreeSet<u32>)> {
        of.iter().filter_map(|terms| self.terms(terms)).collect()
    }

    fn not_with(&mut self) {
        let mut clashes: BTreeMap<(usize, usize), Clash> = BTreeMap::new();
        let mut cells = 0;
        for rule in &self.rules.not_with {
            let [Some(one), Some(other)] = rule.sides.each_ref().map(|s| self.terms(s)) else {
                continue;
            };
            let (a, b) = if one.0 <= other.0 {
                (&one, &other)
            } else {
                (&other, &one)
            };
            let (height, width) = (self.lists[a.0].terms.len(), self.lists[b.0].terms.len());
            if !clashes.contains_key(&(a.0, b.0)) {
                cells += height.saturating_mul(width);
                if cells > CELLS {
                    let what = "these vocabularies have too many pairs of terms for a rule";
                    let span = rule.sides[0].vocabulary.span.clone();
                    self.found.push(
                        self.metadata
                            .at_rule(Rule::BadRule, what.into(), span)
                            .term("not-with"),
                    );
                    break;
                }
            }
            let clash = clashes.entry((a.0, b.0)).or_insert_with(|| Clash {
                lists: (a.0, b.0),
                width,
                bits: vec![0; (height * width).div_ceil(64)],
            });
            for one in &a.1 {
                for other in &b.1 {
                    let at = clash.at(*one, *other);
                    clash.bits[at / 64] |= 1 << (at % 64);
                }
            }
            self.ready.reasons.push(Reason {
                sides: [one, other],
                why: rule.why.clone(),
            });
        }
        self.ready.clashes = clashes.into_values().collect();
    }

    fn show(&mut self, term: TermAt, of: usize, shown: &BTreeSet<u32>) {
        let shows = &mut self.ready.lists[term.0].shows;
        if shows.is_empty() {
            shows.resize(self.lists[term.0].terms.len(), Vec::new());
        }
        let own = &mut shows[term.1 as usize];
        let before = own
            .iter()
            .position(|(list, _)| *list == of)
            .map(|at| own.swap_remove(at).1);
        let all: BTreeSet<u32> = shown
            .iter()
            .copied()
            .chain(before.into_iter().flatten())
            .collect();
        own.push((of, all.into_iter().collect()));
    }

    fn groups(&mut self) {
        for (number, group) in self.rules.groups.iter().enumerate() {
            let Some((list, terms)) = self.terms(&group.terms) else {
                continue;
            };
            let own = &mut self.ready.lists[list].groups;
            own.resize(self.lists[list].terms.len(), 0);
            for term in &terms {
                own[*term as usize] = u16::try_from(number + 1).unwrap_or(u16::MAX);
            }
            if let [term] = terms.iter().collect::<Vec<_>>()[..] {
                let text = &self.lists[list].terms[*term as usize];
                let what = format!(
                    "`{text}` is alone in its group {}, so it has no wrong answers",
                    group.name.text
                );
                let finding = self
                    .metadata
                    .at_rule(Rule::Ungrouped, what, group.name.span.clone());
                self.found.push(
                    finding
                        .term(text.clone())
                        .help("add a term to the group, or remove this one"),
                );
            }
        }
        // If none of the named terms exists, the list has no groups.
        let none = |own: &&mut OfList| own.groups.iter().all(|group| *group == 0);
        self.ready
            .lists
            .iter_mut()
            .filter(none)
            .for_each(|own| own.groups.clear());
        for (list, own) in self
            .lists
            .iter()
            .zip(&self.ready.lists)
            .filter(|(_, own)| !own.groups.is_empty())
        {
            for (term, _) in list
                .terms
                .iter()
                .zip(&own.groups)
                .filter(|(_, group)| **group == 0)
            {
                let file = super::metadata::file_of(&list.name);
                let what = format!(
                    "`{term}` is in no group of {}, so it counts as wrong for all other terms",
                    list.name
                );
                let line = self.line_of(&list.name, term);
                let finding = Finding::new(Rule::Ungrouped, file, what)
                    .line(line)
                    .term(term.clone());
                self.found.push(finding.help(format!(
                    "add it to [groups.{}] in compatibility.toml",
                    list.name
                )));
            }
        }
    }

    /// Line of a term in its own file, from 1.
    fn line_of(&self, vocabulary: &str, term: &str) -> u32 {
        let line = if vocabulary == STYLE {
            self.metadata
                .styles()
                .iter()
                .find(|s| s.name == term)
                .map(|s| s.line)
        } else {
            let terms = self
                .metadata
                .vocabularies()
                .get(vocabulary)
                .map_or(&[][..], |v| v.terms());
            terms.iter().find(|t| t.text == term).map(|t| t.line)
        };
        line.unwrap_or(0)
    }

    fn look_alike(&mut self) {
        let mut alike: BTreeMap<usize, BTreeMap<u32, BTreeSet<u32>>> = BTreeMap::new();
        for (list, terms) in self.rules.look_alike.iter().filter_map(|t| self.terms(t)) {
            for term in &terms {
                let others = terms.iter().copied().filter(|t| t != term);
                alike
                    .entry(list)
                    .or_default()
                    .entry(*term)
                    .or_default()
                    .extend(others);
            }
        }
        for (list, terms) in alike {
            let own = &mut self.ready.lists[list].alike;
            own.resize(self.lists[list].terms.len(), Box::default());
            for (term, others) in terms {
                own[term as usize] = others.into_iter().collect();
            }
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
pub(super) mod tests;
