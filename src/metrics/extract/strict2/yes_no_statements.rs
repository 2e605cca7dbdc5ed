//! Statements that answer a yes/no question: "Is the man wearing a hat?" - "The man wears a hat."

use std::collections::HashSet;

use super::asking::first_line;
use super::bare_words::{halves, has, is_same, plain, quoted, split, units, without, words};
use super::lists::{
    self, DENIES, DOUBTS, JOINS, Lists, PLACE, PRONOUNS, SHORT_NO, SHORT_YES, STOP, TURNS, YET,
};
use super::options::number;
use super::quantities::Bound;
use super::tokens::Text;
use super::words::{NEAREST, words as table};
use super::yes_no_clause::{QuestionWords, Says};

/// Words that begin a question about the state of something.
const EITHER: [&str; 6] = ["有没有", "有沒有", "是不是", "是否", "能不能", "หรือไม่"];
/// Phrases that ask whether something is present.
const EXISTS: [&str; 48] = [
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
    " var mi ",
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
    " कोई ",
    " কোনো ",
];
/// Maximum length, in characters, of an answer that is read as a statement.
const LONG: usize = 600;

/// Whether a text answers yes (true) or no by stating or denying what the question asks. `None` if
/// it does neither.
pub(super) fn stated(instruction: &str, said: &str) -> Option<bool> {
    if instruction.is_empty() || said.chars().nth(LONG).is_some() {
        return None;
    }
    let question = first_line(instruction);
    let languages = table().likely(&[&Text::new(question), &Text::new(said)], 1, NEAREST);
    let lists = lists::of(languages);
    let first = plain(question);
    let end = first
        .find('?')
        .filter(|end| *end > 0)
        .unwrap_or(first.len());
    let mut asks = EITHER
        .iter()
        .fold(words(&first[..end]), |asks, word| asks.replace(word, " "));
    let parts: Vec<&str> = asks.split_whitespace().collect();
    if let Some((&("không" | "chưa"), rest)) = parts.split_last() {
        asks = format!(" {} ", rest.join(" "));
    }
    let foreign = |word: &&String| !asks.contains(word.as_str());
    let yet: Vec<&String> = lists[YET].iter().filter(foreign).collect();
    let turns = lists[TURNS]
        .iter()
        .filter(foreign)
        .filter(|word| !yet.contains(word));
    let own: Vec<String> = yet.iter().map(|word| word.to_string()).collect();
    if has(&asks, &lists[DENIES]) || has(&without(&words(said), &own), turns) {
        return None;
    }
    let of_question = |word: &&String| {
        asks.split_whitespace()
            .any(|other| is_same(word.trim(), other))
    };
    let doubts: Vec<&String> = lists[DOUBTS]
        .iter()
        .filter(foreign)
        .filter(|word| !of_question(word))
        .collect();
    if let Some(other) = other_quote(question, said, &asks, (&*lists, doubts.as_slice())) {
        return other.then_some(false);
    }
    let mut wanted = units(&without(&without(&asks, &lists[PLACE]), &lists[STOP]));
    if asks.contains(" the ") || asks.contains(" both ") {
        // "Are the two lines parallel?": the number is not part of the question.
        let parts: Vec<&str> = asks.split_whitespace().collect();
        let behind = |word: &String| {
            parts
                .iter()
                .position(|part| part == word)
                .and_then(|at| at.checked_sub(1))
        };
        wanted.retain(|word| {
            number(word).is_none() || behind(word).is_none_or(|at| parts[at] != "the")
        });
    }
    let bound = Bound::new(&asks, &lists, wanted.len());
    if let Some(Bound::Count(..)) = bound {
        wanted = super::quantities::wanted(&asks, &lists);
    }
    let exists = EXISTS.iter().any(|word| asks.contains(word));
    QuestionWords {
        words: wanted,
        exists,
        doubts,
        lists: &lists,
        bound,
    }
    .of_text(said, &yet)
}

/// Does the sign say "stop"? Whether a text quotes something else, in the question's words. `None`
/// if it quotes nothing.
fn other_quote(
    question: &str,
    said: &str,
    asks: &str,
    (lists, doubts): (&Lists, &[&String]),
) -> Option<bool> {
    let (asked, told) = (quoted(question), quoted(said));
    let plain = words(said);
    let open = has(&plain, &lists[DENIES]) || has(&plain, doubts.iter().copied());
    let ([asked], [told]) = (asked.as_slice(), told.as_slice()) else {
        return None;
    };
    if asked == told || open {
        return None;
    }
    let own = units(asked);
    let rest = units(&without(&plain, &lists[STOP]));
    let frame = units(&without(&without(asks, &lists[PLACE]), &lists[STOP]));
    let mut frame = frame.iter().filter(|word| !own.contains(word));
    Some(frame.all(|word| rest.iter().any(|other| is_same(word, other))))
}

impl QuestionWords<'_> {
    fn of_text(&self, said: &str, yet: &[&String]) -> Option<bool> {
        let flat = plain(said)
            .replace(['\n', '。', '!', ';', '…'], ". ")
            .replace('?', "?. ");
        let sentences: Vec<&str> = flat.split(". ").map(str::trim).collect();
        let filled = sentences
            .iter()
            .filter(|sentence| !sentence.is_empty())
            .count();
        if !flat.trim_end().ends_with(['.', '?']) && filled > 1 {
            return None;
        }
        let mut found = HashSet::new();
        for (at, sentence) in sentences.iter().enumerate() {
            if sentence.is_empty() || sentence.ends_with('?') {
                continue;
            }
            let first = at == 0 || sentences.len() <= 2;
            let parts: Vec<&str> = sentence
                .split([':', '(', ','])
                .filter(|part| !part.trim().is_empty())
                .collect();
            let short = first
                .then(|| self.of_short(parts.first().copied().unwrap_or_default()))
                .flatten();
            let says = match short {
                Some(says) => Some(says),
                None => match self.turned(&parts, yet, &found, filled == 1) {
                    Some(turned) => Some(turned?),
                    None => self.of_sentence(sentence, &parts, filled == 1),
                },
            };
            match says {
                Some(Says::Doubt) => return None,
                Some(says) => _ = found.insert(says),
                None => {}
            }
        }
        let one = found.iter().next().filter(|_| found.len() == 1)?;
        Some(*one == Says::Yes)
    }

    /// "It is."
    fn of_short(&self, part: &str) -> Option<Says> {
        let short = without(&words(part), &self.lists[PLACE]);
        [(SHORT_YES, Says::Yes), (SHORT_NO, Says::No)]
            .into_iter()
            .find_map(|(list, says)| self.lists[list].contains(&short).then_some(says))
    }

    fn of_sentence(&self, sentence: &str, parts: &[&str], alone: bool) -> Option<Says> {
        if matches!(self.bound, Some(Bound::Compare { .. })) {
            return self.of_clause(&words(sentence), alone);
        }
        let parts: Vec<String> = parts
            .iter()
            .flat_map(|part| split(&words(part), &self.lists[JOINS]))
            .collect();
        let alone = alone && parts.len() == 1;
        let whole = Some(sentence.to_string()).filter(|_| parts.len() > 1);
        parts
            .into_iter()
            .chain(whole)
            .find_map(|part| self.of_clause(&words(&part), alone))
    }

    /// The meaning of a sentence with a "but": the part after the last "but" counts, unless an
    /// earlier part contradicts it. `None` if there is no "but", and `Some(None)` if the answer is
    /// left open.
    fn turned(
        &self,
        parts: &[&str],
        yet: &[&String],
        before: &HashSet<Says>,
        alone: bool,
    ) -> Option<Option<Says>> {
        if matches!(self.bound, Some(Bound::Compare { .. })) {
            return None;
        }
        let last = parts
            .iter()
            .rposition(|part| has(&words(part), yet.iter().copied()))?;
        let (head, tail) = halves(&words(parts[last]), yet)?;
        let of = |part: &str| self.of_clause(&words(part), false);
        let heads = parts[..last]
            .iter()
            .copied()
            .chain([head.as_str()])
            .filter_map(of);
        let heads: HashSet<Says> = heads.chain(before.iter().copied()).collect();
        let rest: Vec<&str> = [tail.as_str()]
            .into_iter()
            .chain(parts[last + 1..].iter().copied())
            .collect();
        let sentence = rest.join(", ");
        let plain = words(&sentence);
        let mut found = self.of_sentence(&sentence, &rest, alone);
        let others = [" one ", " ones ", " there ", " some "];
        let open = has(&plain, self.doubts.iter().copied())
            || has(&plain, &self.lists[PRONOUNS])
            || others.iter().any(|word| plain.contains(word));
        let ends = || {
            [self.words.first(), self.words.last()]
                .into_iter()
                .flatten()
        };
        let again = || {
            units(&plain)
                .iter()
                .any(|word| ends().any(|want| is_same(want, word)))
        };
        if found.is_none() && heads.len() == 1 && heads.contains(&Says::No) && !open && !again() {
            // "It is not a dog but a cat."
            found = Some(Says::No);
        }
        Some(found.filter(|says| *says != Says::Doubt && heads.iter().all(|head| head == says)))
    }
}
