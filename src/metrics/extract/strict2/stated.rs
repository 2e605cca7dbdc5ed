//! Answers to yes/no questions that say what the question asks, as a statement: "Is the man wearing a hat?" - "The man wears a hat."

use std::collections::HashSet;

use super::lists::{
    self, CLAIM, CONTRAST, DENIES, DOUBTS, FAILS, HOLDS, JOINS, Lists, PLACE, PRONOUNS, SHORT_NO, SHORT_YES, STOP,
    TURNS,
};
use super::options::number;
use super::plain::{has, is_hangul, is_same, plain, split, units, without, words};
use super::thoughts::first_line;
use super::tokens::Text;
use super::words;

/// Words of which a question asks whether something is or not.
const EITHER: [&str; 6] = ["有没有", "有沒有", "是不是", "是否", "能不能", "หรือไม่"];
/// What asks whether something is there.
const EXISTS: [&str; 46] = [
    " is there ",
    " are there ",
    " is anyone ",
    " is anybody ",
    " do you see ",
    " can you see ",
    " can we see ",
    " y a t il ",
    " est ce qu il y a ",
    " voit on ",
    " gibt es ",
    " ist ein ",
    " ist eine ",
    " sieht man ",
    " hay ",
    " se ve ",
    " há ",
    " existe ",
    " c è ",
    " ci sono ",
    " si vede ",
    " есть ",
    " є ",
    " is er ",
    " zijn er ",
    " staat er ",
    " czy jest ",
    " czy są ",
    " jest ",
    " apakah ada ",
    " var mı ",
    " có ",
    "有",
    "いますか",
    "ありますか",
    "写っていますか",
    "見えますか",
    "있습니까",
    "있나요",
    "있어요",
    "보입니까",
    "보이나요",
    " توجد ",
    " يوجد ",
    " هناك ",
    " मौजूद ",
];
/// Longest answer, in characters, that is read as a statement of what was asked.
const LONG: usize = 600;

/// What a clause says of what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Says {
    Yes,
    No,
    Doubt,
}

/// What is asked, in words that matter.
struct Wanted<'a> {
    words: Vec<String>,
    /// Whether it is asked if something is there.
    exists: bool,
    doubts: Vec<&'a String>,
    lists: &'a Lists,
}

/// Whether a text says yes (true) or no to a question by stating what it asks, or denying that; `None` where it does neither.
pub(super) fn stated(instruction: &str, said: &str) -> Option<bool> {
    if instruction.is_empty() || said.chars().nth(LONG).is_some() {
        return None;
    }
    let question = first_line(instruction);
    let languages = words::words().likely(&[&Text::new(question), &Text::new(said)], 1, 4);
    let lists = lists::of(languages);
    let first = plain(question);
    let end = first.find('?').filter(|end| *end > 0).unwrap_or(first.len());
    let mut asks = EITHER.iter().fold(words(&first[..end]), |asks, word| asks.replace(word, " "));
    let parts: Vec<&str> = asks.split_whitespace().collect();
    if let Some((&("không" | "chưa"), rest)) = parts.split_last() {
        asks = format!(" {} ", rest.join(" "));
    }
    let turns = lists[TURNS].iter().filter(|word| !asks.contains(word.as_str()));
    if has(&asks, &lists[DENIES]) || has(&words(said), turns) {
        return None;
    }
    let of_question = |word: &&String| asks.split_whitespace().any(|other| is_same(word.trim(), other));
    let doubts = lists[DOUBTS].iter().filter(|word| !asks.contains(word.as_str()) && !of_question(word)).collect();
    let wanted = Wanted {
        words: units(&without(&without(&asks, &lists[PLACE]), &lists[STOP])),
        exists: EXISTS.iter().any(|word| asks.contains(word)),
        doubts,
        lists: &lists,
    };
    wanted.of_text(said)
}

impl Wanted<'_> {
    fn of_text(&self, said: &str) -> Option<bool> {
        let flat = plain(said).replace(['\n', '。', '!', ';', '…'], ". ").replace('?', "?. ");
        let sentences: Vec<&str> = flat.split(". ").map(str::trim).collect();
        let filled = sentences.iter().filter(|sentence| !sentence.is_empty()).count();
        if !flat.trim_end().ends_with(['.', '?']) && filled > 1 {
            return None;
        }
        let mut found = HashSet::new();
        for (at, sentence) in sentences.iter().enumerate() {
            if sentence.is_empty() || sentence.ends_with('?') {
                continue;
            }
            match self.of_sentence(sentence, at == 0 || sentences.len() <= 2, filled == 1) {
                Some(Says::Doubt) => return None,
                Some(says) => _ = found.insert(says),
                None => {}
            }
        }
        let one = found.iter().next().filter(|_| found.len() == 1)?;
        Some(*one == Says::Yes)
    }

    /// `first`: whether it may be no more than "it is"; `alone`: whether it is the only one.
    fn of_sentence(&self, sentence: &str, first: bool, alone: bool) -> Option<Says> {
        let parts: Vec<&str> = sentence.split([':', '(', ',']).filter(|part| !part.trim().is_empty()).collect();
        if first {
            let short = without(&words(parts.first().copied().unwrap_or_default()), &self.lists[PLACE]);
            for (list, says) in [(SHORT_YES, Says::Yes), (SHORT_NO, Says::No)] {
                if self.lists[list].contains(&short) {
                    return Some(says);
                }
            }
        }
        let parts: Vec<String> = parts.iter().flat_map(|part| split(&words(part), &self.lists[JOINS])).collect();
        let alone = alone && parts.len() == 1;
        let whole = Some(sentence.to_string()).filter(|_| parts.len() > 1);
        parts.into_iter().chain(whole).find_map(|part| self.of_clause(&words(&part), alone))
    }

    fn of_clause(&self, clause: &str, alone: bool) -> Option<Says> {
        let head = self.words.first()?.chars().next()?;
        let han = super::fold::script(head) == 3 && !is_hangul(head);
        let doubt = has(clause, self.doubts.iter().copied());
        let bare = without(clause, &self.lists[PLACE]);
        let denied = has(&bare, &self.lists[DENIES]);
        let rest = [STOP, DENIES, PRONOUNS].iter().fold(bare.clone(), |rest, list| without(&rest, &self.lists[*list]));
        let own = units(&rest);
        let says = |yes: bool| {
            if doubt {
                Says::Doubt
            } else if yes {
                Says::Yes
            } else {
                Says::No
            }
        };
        if let Some(holds) = self.of_claim(&own) {
            return Some(says(holds != denied));
        }
        let mut used = HashSet::new();
        let mut place = |want: &String| {
            let at = own.iter().enumerate().position(|(at, word)| !used.contains(&at) && is_same(want, word))?;
            used.insert(at);
            Some(at)
        };
        let places: Vec<Option<usize>> = self.words.iter().map(&mut place).collect();
        let found: Vec<usize> = places.iter().flatten().copied().collect();
        let missing: Vec<usize> = (0..places.len()).filter(|at| places[*at].is_none()).collect();
        let pronoun = has(&bare, &self.lists[PRONOUNS]);
        if !denied && self.differs(&own, &used, &missing, pronoun) {
            return Some(says(false));
        }
        let (first, last) = (*found.iter().min()?, *found.iter().max()?);
        if found.len() < places.len() {
            // "He is wearing a hat", "Not open": without the subject that the question has.
            let leads = missing.iter().enumerate().all(|(at, missing)| at == *missing);
            let one = missing.len() == 1;
            let subject = self.words.len() > 1 && pronoun && (one && missing[0] <= 1 || leads && missing.len() < 4);
            let only = found.len() == own.len();
            let short = han && clause.chars().count() < 12;
            let left_out = alone && only && (one && leads && self.words.len() == 2 || short);
            // "Has a red balloon": in languages without pronouns. "She has no umbrella".
            let verb = one && leads && self.words.len() > 2 && first == 0 && last < 4;
            let none = denied && only && (places.last().is_some_and(Option::is_some) || places[0].is_none());
            let is_count = |at: &usize| {
                number(&self.words[*at]).is_some_and(|number| number != "1")
                    || self.words[*at].starts_with(|c: char| c.is_ascii_digit())
            };
            let counted = !han && missing.iter().any(is_count);
            if !(subject || none || (left_out || verb) && !counted) {
                return None;
            }
        }
        // In the order of the question, but for one word: a verb or a place may stand elsewhere.
        let mut best: Vec<usize> = Vec::new();
        for (k, at) in found.iter().enumerate() {
            let before = (0..k).filter(|j| found[*j] < *at).map(|j| best[j]).max().unwrap_or(0);
            best.push(before + 1);
        }
        let ordered = best.iter().copied().max().unwrap_or(0);
        let moved = found.len() == 2 && ordered < 2 && !self.exists && !denied && own.len() > 2;
        let most = if self.exists {
            4
        } else if han {
            2
        } else {
            1
        };
        if ordered + 1 < found.len() || moved || last + 1 - found.len() > most {
            return None;
        }
        Some(says(!denied))
    }

    /// Whether a clause has another word where the question has one, and both cannot hold: "The door is closed", "There are three
    /// cats."
    fn differs(&self, own: &[String], used: &HashSet<usize>, missing: &[usize], pronoun: bool) -> bool {
        let (Some((last, leading)), true) = (missing.split_last(), self.words.len() > 1) else { return false };
        let rest: Vec<&String> =
            own.iter().enumerate().filter(|(at, _)| !used.contains(at)).map(|(_, word)| word).collect();
        let count = number(&self.words[*last]).filter(|_| leading.is_empty());
        if let Some(count) = count {
            return rest.len() == 1 && number(rest[0]).is_some_and(|other| other != count);
        }
        let subject = leading.iter().enumerate().all(|(at, missing)| at == *missing) && leading.len() < 4 && pronoun;
        if *last + 1 != self.words.len() || rest.len() > 2 || !(leading.is_empty() || subject) {
            return false;
        }
        let want = &self.words[*last];
        let groups = self.lists[CONTRAST].iter().map(|group| units(group));
        let group = groups.into_iter().find(|group| group.iter().any(|word| is_kin(want, word)));
        group.is_some_and(|group| {
            let other = |word: &str| group.iter().any(|of| !is_kin(want, of) && is_kin(word, of));
            rest.iter().any(|word| other(word)) && !rest.iter().any(|word| is_kin(want, word))
        })
    }

    /// Whether a clause says that the statement asked about is true: "The claim is supported."
    fn of_claim(&self, own: &[String]) -> Option<bool> {
        let of = |list: usize| self.lists[list].iter().flat_map(|word| units(word)).collect::<HashSet<String>>();
        let (claims, holds, fails) = (of(CLAIM), of(HOLDS), of(FAILS));
        let has = |words: &[String]| words.iter().any(|word| claims.contains(word));
        if !has(&self.words) || !has(own) {
            return None;
        }
        let verdict = |word: &&String| holds.contains(*word) || fails.contains(*word);
        let verdicts: HashSet<bool> = own.iter().filter(verdict).map(|word| holds.contains(word)).collect();
        let known = |word: &String| {
            claims.contains(word) || verdict(&word) || self.words.iter().any(|want| is_same(want, word))
        };
        let one = verdicts.iter().next().copied().filter(|_| verdicts.len() == 1)?;
        own.iter().all(known).then_some(one)
    }
}

/// Whether two words are forms of one, whatever their gender.
fn is_kin(one: &str, other: &str) -> bool {
    let stem = |word: &str| word.char_indices().last().map(|(at, _)| word[..at].to_string());
    let long = one.chars().count() > 3 && one.chars().count() == other.chars().count();
    is_same(one, other) || long && stem(one) == stem(other)
}
