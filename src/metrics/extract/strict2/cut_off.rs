//! Detects texts that were truncated by a length limit.

use super::bare_words::is_hangul;
use super::items::{Item, What};
use super::tokens::Text;
use super::words::{AND, BUT, CUE, FINAL, IS, LINK, MID, NO, OR, RIGHT, SO, YES};

/// Particles that must be followed by more text, in scripts without spaces.
const PARTICLES: &str = "はがをにのともでへや的和与與在是而는은이가을를와과의에로";

/// Whether a text with these sentences ends within a sentence.
pub(super) fn is_cut_off(all: &[Item], text: &Text, sentences: &[(usize, usize, bool)]) -> bool {
    let Some(last) = all.iter().rposition(|i| !i.is_mark(")]}'")) else {
        return false;
    };
    let item = &all[last];
    if matches!(item.what, What::Closes | What::Opens) {
        return false;
    }
    if item.is_mark(".!?。;…") {
        let dots = last > 1 && all[last - 2..last].iter().all(|i| i.is_mark("."));
        return item.mark == '…' || item.mark == '.' && dots;
    }
    let Some((start, ..)) = sentences
        .last()
        .copied()
        .filter(|_| item.what != What::Letter)
    else {
        return false;
    };
    let goes_on = start > 0 && all[start - 1].is_mark(".!?。");
    let whole = all.get(start..last).unwrap_or_default();
    let end = text.tokens.len().saturating_sub(1);
    let dense = text.tokens.get(end).is_some_and(|token| token.script == 3);
    let has = |is: fn(&Item) -> bool| whole.iter().any(is);
    if item.what == What::Text && dense && has(|i| i.is_mark(",")) && has(|i| i.what == What::Word)
    {
        // No word ends the sentence.
        return !whole
            .last()
            .is_some_and(|i| i.is(IS | CUE | SO | FINAL | RIGHT) || i.is_mark(":,"));
    }
    if item.what == What::Text && last > start && has(|i| i.what == What::Word) {
        // In languages whose sentences end with a verb, and in long texts, an option's text does
        // not end a sentence.
        let kana = |at: usize| {
            text.at(at)
                .starts_with(|c| ('\u{3041}'..='\u{309f}').contains(&c))
        };
        let verb = text.at(item.token).starts_with(is_hangul) || (0..text.tokens.len()).any(kana);
        let arabic = text
            .at(item.token)
            .starts_with(|c| ('\u{621}'..='\u{6ff}').contains(&c));
        let long = arabic && whole.iter().filter(|i| i.what == What::Word).count() > 3;
        let told = |i: &Item| {
            i.is(IS | CUE | SO | FINAL | RIGHT) || matches!(i.what, What::Mark | What::Letter)
        };
        if (verb || long) && !whole.last().is_some_and(told) {
            return true;
        }
    }
    if item.what == What::Text {
        // A bare text after the end of a sentence, on the same line.
        return start > 2
            && goes_on
            && !whole
                .iter()
                .any(|i| i.what == What::Word || i.is(CUE | FINAL | SO | RIGHT | BUT));
    }
    if goes_on
        || item.is_mark(",:-(")
        || item.is(AND | OR | BUT | MID) && !item.is(YES | NO)
        || dense && PARTICLES.contains(text.at(end))
    {
        return true;
    }
    let Some(answer) = (start..=last).rev().find(|at| all[*at].is_answer()) else {
        return false;
    };
    let behind = &all[answer + 1..last];
    let commas = if dense { whole } else { behind };
    behind
        .iter()
        .any(|i| i.is(AND | BUT) && !i.is(LINK | IS | CUE))
        || item.what == What::Word && commas.iter().any(|i| i.is_mark(","))
}
