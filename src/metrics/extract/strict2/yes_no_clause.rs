//! The meaning of a clause for the words of a yes/no question.

use std::collections::HashSet;

use super::bare_words::{has, is_hangul, is_same, units, without};
use super::lists::{
    ALIKE, CLAIM, COMPOUNDS, CONTRAST, DENIES, EMPTY, EVERY, FAILS, HOLDS, KINDS, LONE, Lists,
    PLACE, PRONOUNS, STOP, YET,
};
use super::options::number;
use super::quantities::Bound;

/// The answer in a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Says {
    Yes,
    No,
    Doubt,
}

/// The relevant words of a question.
pub(super) struct QuestionWords<'a> {
    pub(super) words: Vec<String>,
    /// Whether the question asks if something is present.
    pub(super) exists: bool,
    pub(super) doubts: Vec<&'a String>,
    pub(super) lists: &'a Lists,
    pub(super) bound: Option<Bound>,
}

/// A clause compared with the question: its words, and where it has each of the question's words.
struct ComparedClause<'a> {
    own: Vec<String>,
    wanted: Vec<&'a String>,
    places: Vec<Option<usize>>,
    pronoun: bool,
}

/// Place of a word that the clause has only among its function words.
const IMPLIED: usize = usize::MAX;

impl QuestionWords<'_> {
    pub(super) fn of_clause(&self, clause: &str, alone: bool) -> Option<Says> {
        self.words.first()?;
        let doubt = has(clause, self.doubts.iter().copied());
        let bare = without(clause, &self.lists[PLACE]);
        let denied = has(&bare, &self.lists[DENIES]);
        let says = |yes: bool| match (doubt, yes) {
            (true, _) => Says::Doubt,
            (_, true) => Says::Yes,
            (_, false) => Says::No,
        };
        let rest = [STOP, DENIES, PRONOUNS, YET].iter();
        let own = units(&rest.fold(bare.clone(), |rest, list| {
            without(&rest, &self.lists[*list])
        }));
        if let Some(holds) = self.of_claim(&own) {
            return Some(says(holds != denied));
        }
        match &self.bound {
            Some(Bound::Judges) => {
                let shares = own
                    .iter()
                    .any(|word| self.words.iter().any(|want| is_same(want, word)));
                if has(clause, &self.lists[FAILS]) && !denied && shares {
                    // Is the sum correct? "The sum has an error."
                    return Some(says(false));
                }
            }
            _ if self.is_empty(&bare, &own) && !denied => return Some(says(false)),
            Some(Bound::Compare { more, sides }) => {
                return self.of_compare(clause, &own, (*more, sides), (denied, doubt));
            }
            Some(Bound::Count(..)) if doubt || denied => return None,
            Some(Bound::Count(kind, least)) => return self.of_count(&bare, &own, (*kind, *least)),
            None => {}
        }
        if matches!(self.bound, Some(Bound::Judges)) && self.is_empty(&bare, &own) && !denied {
            return Some(says(false));
        }
        let (wanted, places) = self.places(&bare, &own);
        let Some(head) = wanted.first().and_then(|word| word.chars().next()) else {
            // Is there anybody? "Nobody is there."
            return (denied && self.exists && own.is_empty()).then(|| says(false));
        };
        if self.exists && !denied && places[0].is_none() {
            if self.is_lone(&bare) && alone && !own.iter().any(|word| is_same(wanted[0], word)) {
                // Is there a dog? "There is only a cat."
                let lone = |word: &&&String| {
                    self.lists[LONE]
                        .iter()
                        .any(|lone| word.contains(lone.trim()))
                };
                let doubts = self.doubts.iter().filter(|word| !lone(word)).copied();
                return Some(if has(clause, doubts) {
                    Says::Doubt
                } else {
                    Says::No
                });
            }
            if super::fold_characters::script(head) != 3 && number(wanted[0]).is_none() {
                // The clause does not name what the question asks for.
                return None;
            }
        }
        let pronoun = has(&bare, &self.lists[PRONOUNS]);
        let beside = ComparedClause {
            own,
            wanted,
            places,
            pronoun,
        };
        if !denied && beside.differs(self.lists) {
            return Some(says(false));
        }
        self.of_places(&beside, (clause, &bare), denied, alone)
            .then(|| says(!denied))
    }

    /// Are there people in the room? "The room is empty."
    fn is_empty(&self, bare: &str, own: &[String]) -> bool {
        let empty = &self.lists[EMPTY];
        let mut rest = own.iter().filter(|word| !has(&format!(" {word} "), empty));
        let last = self
            .words
            .last()
            .filter(|_| self.exists && self.words.len() > 1 && has(bare, empty));
        last.is_some_and(|last| {
            rest.next().is_some_and(|word| is_same(word, last)) && rest.next().is_none()
        })
    }

    /// Whether the clause says that there is nothing but what it names.
    fn is_lone(&self, bare: &str) -> bool {
        let particle = |word: &str| {
            word.starts_with(is_hangul) && word.chars().count() > 2 && word.ends_with('만')
        };
        has(bare, &self.lists[LONE]) || bare.split_whitespace().any(particle)
    }

    /// The relevant words of the question, and the place of each in the clause.
    fn places(&self, bare: &str, own: &[String]) -> (Vec<&String>, Vec<Option<usize>>) {
        let mut used = HashSet::new();
        let mut found: Vec<(&String, Option<usize>)> = Vec::new();
        for want in &self.words {
            let first = |used: &HashSet<usize>, is: &dyn Fn(&String) -> bool| {
                own.iter()
                    .enumerate()
                    .position(|(at, word)| !used.contains(&at) && is(word))
            };
            let mut at = first(&used, &|word| is_same(want, word));
            if at.is_none() && !self.lists[COMPOUNDS].is_empty() && want.chars().count() > 3 {
                // "Kochmütze" is a "Mütze".
                at = first(&used, &|word| word.ends_with(want.as_str()));
            }
            if at.is_none() {
                let sought = format!(" {want} ");
                let alike = self.lists[ALIKE]
                    .iter()
                    .filter(|group| group.contains(&sought));
                let kinds = self.lists[KINDS]
                    .iter()
                    .filter(|group| group.starts_with(&sought));
                let kin: Vec<&str> = alike
                    .chain(kinds)
                    .flat_map(|group| group.split_whitespace())
                    .collect();
                at = first(&used, &|word| kin.contains(&word.as_str()));
                if at.is_none() && kin.iter().any(|word| bare.contains(&format!(" {word} "))) {
                    at = Some(IMPLIED);
                }
            }
            used.extend(at);
            // "Is the triangle a right triangle?": one mention is enough.
            if at.is_some() || !found.iter().any(|(other, _)| *other == want) {
                found.push((want, at));
            }
        }
        found
            .into_iter()
            .filter(|(_, at)| *at != Some(IMPLIED))
            .unzip()
    }

    /// Whether the question's words appear in the clause in the same order.
    fn of_places(
        &self,
        beside: &ComparedClause<'_>,
        (clause, bare): (&str, &str),
        denied: bool,
        alone: bool,
    ) -> bool {
        let ComparedClause {
            own,
            wanted,
            places,
            pronoun,
        } = beside;
        let head = wanted
            .first()
            .and_then(|word| word.chars().next())
            .unwrap_or(' ');
        let han = super::fold_characters::script(head) == 3 && !is_hangul(head);
        let found: Vec<usize> = places.iter().flatten().copied().collect();
        let missing: Vec<usize> = (0..places.len())
            .filter(|at| places[*at].is_none())
            .collect();
        let (Some(first), Some(last)) = (found.iter().min().copied(), found.iter().max().copied())
        else {
            return false;
        };
        if !missing.is_empty() {
            // "He is wearing a hat", "Not open": without the question's subject.
            let leads = missing
                .iter()
                .enumerate()
                .all(|(at, missing)| at == *missing);
            let leads_with = || {
                self.lists[PRONOUNS]
                    .iter()
                    .any(|word| bare.starts_with(word.as_str()))
            };
            let subject = wanted.len() > 1
                && *pronoun
                && (missing == [0] || missing == [1] && leads_with() || leads && missing.len() < 4);
            let only = found.len() == own.len();
            let short = han && clause.chars().count() < 12;
            let left_out = alone && only && (missing == [0] && wanted.len() == 2 || short);
            // "Has a red balloon": in languages without pronouns. "She has no umbrella".
            let verb = missing == [0] && wanted.len() > 2 && first == 0 && last < 4;
            let none = denied
                && only
                && (places.last().is_some_and(Option::is_some) || places[0].is_none());
            // Is there snow on the hills? "There is no snow anywhere."
            let nowhere = denied
                && self.exists
                && places[0].is_some()
                && own.len() - found.len() <= 1
                && !*pronoun;
            let is_count = |at: &usize| {
                number(wanted[*at]).is_some_and(|number| number != "1")
                    || wanted[*at].starts_with(|c: char| c.is_ascii_digit())
            };
            let counted = !han && missing.iter().any(is_count);
            if !(subject || none || nowhere || (left_out || verb) && !counted) {
                return false;
            }
        }
        // Words must be in the question's order, except for one: a verb or a place may move.
        let mut best: Vec<usize> = Vec::new();
        for (k, at) in found.iter().enumerate() {
            let before = (0..k)
                .filter(|j| found[*j] < *at)
                .map(|j| best[j])
                .max()
                .unwrap_or(0);
            best.push(before + 1);
        }
        let ordered = best.iter().copied().max().unwrap_or(0);
        let moved = found.len() == 2 && ordered < 2 && !self.exists && !denied && own.len() > 2;
        let most = match (self.exists, han) {
            (true, _) => 4,
            (_, true) => 2,
            (_, false) => 1,
        };
        // "At the edge of the river a small wooden boat is tied up": one thing may be anywhere.
        let whole = self.exists
            && !denied
            && missing.is_empty()
            && (found.len() == 1 || han && last + 1 - first == found.len());
        ordered + 1 >= found.len() && !moved && (whole || last + 1 - found.len() <= most)
    }

    /// Whether the clause confirms the statement in the question: "The claim is supported."
    fn of_claim(&self, own: &[String]) -> Option<bool> {
        let of = |list: usize| {
            self.lists[list]
                .iter()
                .flat_map(|word| units(word))
                .collect::<HashSet<String>>()
        };
        let (claims, holds, fails) = (of(CLAIM), of(HOLDS), of(FAILS));
        let has = |words: &[String]| words.iter().any(|word| claims.contains(word));
        if !has(&self.words) || !has(own) {
            return None;
        }
        let verdict = |word: &&String| holds.contains(*word) || fails.contains(*word);
        let verdicts: HashSet<bool> = own
            .iter()
            .filter(verdict)
            .map(|word| holds.contains(word))
            .collect();
        let known = |word: &String| {
            claims.contains(word)
                || verdict(&word)
                || self.words.iter().any(|want| is_same(want, word))
        };
        let one = verdicts
            .iter()
            .next()
            .copied()
            .filter(|_| verdicts.len() == 1)?;
        own.iter().all(known).then_some(one)
    }
}

impl ComparedClause<'_> {
    /// Whether the clause has an incompatible word in place of the question's: "The door is
    /// closed", "There are three cats."
    fn differs(&self, lists: &Lists) -> bool {
        let missing: Vec<usize> = (0..self.places.len())
            .filter(|at| self.places[*at].is_none())
            .collect();
        let Some((last, leading)) = missing.split_last() else {
            return false;
        };
        let is_free = |at: &usize| !self.places.contains(&Some(*at));
        let rest: Vec<usize> = (0..self.own.len()).filter(is_free).collect();
        if let Some(count) =
            number(self.wanted[*last]).filter(|_| leading.is_empty() && self.wanted.len() > 1)
        {
            let mut others = rest.iter().filter_map(|at| number(&self.own[*at]));
            return rest.len() <= 2
                && others.next().is_some_and(|other| other != count)
                && others.next().is_none();
        }
        let against = self.wanted[..*last].iter().any(|word| *word == "than");
        if self.wanted.len() < 2 && !self.pronoun || *last == 0 && self.wanted.len() > 1 || against
        {
            return false;
        }
        let every = |at: &&usize| lists[EVERY].contains(&format!(" {} ", self.wanted[**at]));
        let leading: Vec<usize> = leading.iter().filter(|at| !every(at)).copied().collect();
        let subject = leading
            .iter()
            .enumerate()
            .all(|(at, missing)| at == *missing)
            && leading.len() < 4;
        let found: Vec<usize> = self.places.iter().flatten().copied().collect();
        if !(leading.is_empty() || self.pronoun && subject) || found.is_empty() && rest.len() > 1 {
            return false;
        }
        let want = self.wanted[*last];
        // Next to a word of the question, or at the end after one modifier: "The car is dark blue".
        let near = |at: usize| {
            let has = |other: Option<usize>| other.is_some_and(|other| found.contains(&other));
            found.is_empty()
                || has(at.checked_sub(1))
                || has(Some(at + 1))
                || has(at.checked_sub(2)) && at + 1 == self.own.len()
        };
        lists[CONTRAST]
            .iter()
            .map(|group| units(group))
            .any(|group| {
                let other =
                    |word: &str| group.iter().any(|of| !is_kin(want, of) && is_kin(word, of));
                group.iter().any(|word| is_kin(want, word))
                    && !rest.iter().any(|at| is_kin(&self.own[*at], want))
                    && rest.iter().any(|at| near(*at) && other(&self.own[*at]))
            })
    }
}

/// Whether two words are forms of the same word, in any gender.
fn is_kin(one: &str, other: &str) -> bool {
    let stem = |word: &str| {
        word.char_indices()
            .last()
            .map(|(at, _)| word[..at].to_string())
    };
    let long = one.chars().count() > 3 && one.chars().count() == other.chars().count();
    is_same(one, other) || long && stem(one) == stem(other)
}
