//! Nouns with a second meaning that a picture may show instead. The list is benchtop's own.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A word with its meanings: the vocabulary that a meaning belongs to (empty if no vocabulary is
/// likely to contain it), and the meaning.
type Entry = (&'static str, &'static [(&'static str, &'static str)]);

#[rustfmt::skip]
const WORDS: &[Entry] = &[
    // Animals.
    ("bass", &[("animal", "a fish"), ("object", "a guitar")]),
    ("bat", &[("animal", "an animal with wings"), ("object", "a club to hit balls with")]),
    ("boxer", &[("animal", "a dog"), ("profession", "a fighter"), ("clothes", "underwear")]),
    ("bug", &[("animal", "an insect"), ("object", "a hidden microphone")]),
    ("bull", &[("animal", "an animal"), ("landmark", "a statue of a bull")]),
    ("calf", &[("animal", "a young cow"), ("", "a part of the leg")]),
    ("cardinal", &[("animal", "a bird"), ("profession", "a churchman"), ("color", "a shade of red")]),
    ("chicken", &[("animal", "a bird"), ("food", "its meat")]),
    ("cobra", &[("animal", "a snake"), ("object", "a sports car")]),
    ("cougar", &[("animal", "a cat of prey"), ("", "a woman")]),
    ("crane", &[("animal", "a bird"), ("object", "a machine that lifts")]),
    ("cricket", &[("animal", "an insect"), ("action", "a sport")]),
    ("drake", &[("animal", "a bird"), ("celebrity", "a singer")]),
    ("fly", &[("animal", "an insect"), ("action", "moving through the air"), ("clothes", "a zip")]),
    ("jaguar", &[("animal", "a cat of prey"), ("object", "a car")]),
    ("kid", &[("animal", "a young goat"), ("", "a child")]),
    ("kite", &[("animal", "a bird of prey"), ("object", "a toy that flies")]),
    ("kiwi", &[("animal", "a bird"), ("food", "a fruit"), ("plant", "a fruit")]),
    ("lamb", &[("animal", "a young sheep"), ("food", "its meat")]),
    ("mink", &[("animal", "an animal"), ("clothes", "a fur coat")]),
    ("mole", &[("animal", "an animal that digs"), ("food", "a sauce"), ("", "a mark on the skin")]),
    ("mouse", &[("animal", "a rodent"), ("object", "a computer's pointing device")]),
    ("mule", &[("animal", "an animal"), ("clothes", "a shoe")]),
    ("mustang", &[("animal", "a horse"), ("object", "a car")]),
    ("pike", &[("animal", "a fish"), ("object", "a spear")]),
    ("python", &[("animal", "a snake"), ("", "a programming language")]),
    ("ram", &[("animal", "a male sheep"), ("object", "a computer's memory")]),
    ("ray", &[("animal", "a fish"), ("", "a beam of light")]),
    ("robin", &[("animal", "a bird"), ("celebrity", "a hero's companion")]),
    ("seal", &[("animal", "an animal of the sea"), ("object", "a stamp in wax")]),
    ("skate", &[("animal", "a fish"), ("object", "a shoe with a blade or wheels")]),
    ("slug", &[("animal", "a snail without a shell"), ("object", "a bullet")]),
    ("sole", &[("animal", "a fish"), ("object", "the underside of a shoe")]),
    ("sponge", &[("animal", "an animal of the sea"), ("object", "a thing to wash with")]),
    ("swallow", &[("animal", "a bird"), ("action", "taking food down")]),
    ("swift", &[("animal", "a bird"), ("celebrity", "a singer")]),
    ("turkey", &[("animal", "a bird"), ("food", "its meat"), ("landmark", "a country")]),
    // Plants and food.
    ("apple", &[("food", "a fruit"), ("plant", "a fruit"), ("object", "a maker of computers")]),
    ("ash", &[("plant", "a tree"), ("object", "what a fire leaves")]),
    ("blackberry", &[("food", "a fruit"), ("plant", "a fruit"), ("object", "a phone")]),
    ("bulb", &[("plant", "the root of a flower"), ("object", "a lamp")]),
    ("bun", &[("food", "a roll"), ("", "a hair style")]),
    ("chip", &[("food", "a slice of potato"), ("object", "a part of a computer")]),
    ("cotton", &[("plant", "a plant"), ("clothes", "a cloth")]),
    ("date", &[("food", "a fruit"), ("plant", "a fruit"), ("", "a day")]),
    ("ginger", &[("food", "a spice"), ("plant", "a spice"), ("color", "a color of hair")]),
    ("iris", &[("plant", "a flower"), ("", "a part of the eye")]),
    ("jam", &[("food", "fruit boiled with sugar"), ("", "traffic that stands still")]),
    ("lavender", &[("plant", "a flower"), ("color", "a shade of purple")]),
    ("lime", &[("food", "a fruit"), ("plant", "a tree"), ("color", "a shade of green")]),
    ("mint", &[("food", "a sweet"), ("plant", "an herb"), ("color", "a shade of green")]),
    ("nut", &[("food", "a fruit in a shell"), ("object", "what holds a bolt")]),
    ("olive", &[("food", "a fruit"), ("plant", "a tree"), ("color", "a shade of green")]),
    ("orange", &[("food", "a fruit"), ("plant", "a fruit"), ("color", "a color")]),
    ("palm", &[("plant", "a tree"), ("", "the inside of a hand")]),
    ("peach", &[("food", "a fruit"), ("plant", "a fruit"), ("color", "a shade of pink")]),
    ("pepper", &[("food", "a spice"), ("plant", "a vegetable")]),
    ("plane", &[("plant", "a tree"), ("object", "an aircraft, or a tool")]),
    ("plum", &[("food", "a fruit"), ("plant", "a fruit"), ("color", "a shade of purple")]),
    ("punch", &[("food", "a drink"), ("object", "a tool that makes holes"), ("action", "a blow")]),
    ("reed", &[("plant", "a grass"), ("object", "a part of a clarinet")]),
    ("roll", &[("food", "a small bread"), ("object", "a thing rolled up")]),
    ("rose", &[("plant", "a flower"), ("color", "a shade of pink")]),
    ("rush", &[("plant", "a grass"), ("action", "a hurry")]),
    ("sage", &[("plant", "an herb"), ("profession", "a wise man")]),
    ("squash", &[("food", "a vegetable"), ("plant", "a vegetable"), ("action", "a sport")]),
    ("toast", &[("food", "bread"), ("action", "raising a glass")]),
    ("violet", &[("plant", "a flower"), ("color", "a color")]),
    ("wrap", &[("food", "a rolled sandwich"), ("clothes", "a shawl")]),
    // Things.
    ("bolt", &[("object", "a screw"), ("", "a stroke of lightning")]),
    ("bow", &[("object", "a weapon, or what plays a violin"), ("clothes", "a knot of ribbon")]),
    ("button", &[("object", "a switch"), ("clothes", "what closes a shirt")]),
    ("can", &[("object", "a tin"), ("", "to be able to")]),
    ("charger", &[("object", "what fills a battery"), ("animal", "a horse")]),
    ("chest", &[("object", "a box"), ("", "a part of the body")]),
    ("club", &[("object", "a stick to hit with"), ("background", "a place to dance")]),
    ("drum", &[("object", "an instrument, or a barrel")]),
    ("fan", &[("object", "what moves the air"), ("profession", "an admirer")]),
    ("file", &[("object", "a tool, or a document")]),
    ("football", &[("object", "a round ball, or an oval one"), ("action", "a sport")]),
    ("glasses", &[("object", "what is drunk from"), ("clothes", "what helps to see")]),
    ("horn", &[("object", "an instrument, or a car's"), ("animal", "a part of an animal")]),
    ("iron", &[("object", "what smooths clothes, or a metal")]),
    ("key", &[("object", "what opens a lock, or a part of a keyboard")]),
    ("keyboard", &[("object", "a computer's, or a piano's")]),
    ("lighter", &[("object", "what makes a flame"), ("", "less heavy, or less dark")]),
    ("lock", &[("object", "what keeps a door shut"), ("", "a strand of hair")]),
    ("match", &[("object", "a stick that burns"), ("action", "a game")]),
    ("monitor", &[("object", "a screen"), ("animal", "a lizard")]),
    ("nail", &[("object", "what is hammered in"), ("", "a part of a finger")]),
    ("organ", &[("object", "an instrument"), ("", "a part of the body")]),
    ("pen", &[("object", "what writes"), ("background", "an enclosure for animals")]),
    ("pipe", &[("object", "what is smoked, or what water runs through")]),
    ("pitcher", &[("object", "a jug"), ("profession", "a baseball player")]),
    ("pool", &[("object", "a table for a game"), ("background", "a place to swim")]),
    ("racket", &[("object", "what hits a ball"), ("", "a noise")]),
    ("record", &[("object", "a disc of music"), ("", "what nobody has done better")]),
    ("ring", &[("object", "a piece of jewelry"), ("background", "where boxers fight")]),
    ("ruler", &[("object", "what measures"), ("profession", "a king")]),
    ("saw", &[("object", "a tool"), ("movie", "a film")]),
    ("scale", &[("object", "what weighs"), ("animal", "a part of a fish")]),
    ("speaker", &[("object", "what sounds"), ("profession", "one who speaks")]),
    ("spring", &[("object", "a coil"), ("background", "a season, or where water rises")]),
    ("stamp", &[("object", "what is put on a letter, or what prints a mark")]),
    ("straw", &[("object", "what is drunk through, or dry stalks")]),
    ("tablet", &[("object", "a computer, or a pill")]),
    ("tank", &[("object", "an armored vehicle, or a container")]),
    ("trunk", &[("object", "a large case"), ("animal", "an elephant's nose"), ("plant", "the stem of a tree")]),
    ("watch", &[("object", "what tells the time"), ("action", "looking")]),
    // Clothes, colors, professions.
    ("boot", &[("clothes", "a shoe"), ("object", "a part of a car")]),
    ("cap", &[("clothes", "a hat"), ("object", "the lid of a bottle")]),
    ("jersey", &[("clothes", "a shirt"), ("animal", "a cow")]),
    ("jumper", &[("clothes", "a sweater, or a dress"), ("profession", "one who jumps")]),
    ("pants", &[("clothes", "trousers, or underwear")]),
    ("pump", &[("clothes", "a shoe"), ("object", "what moves air or water")]),
    ("slip", &[("clothes", "underwear"), ("action", "a fall")]),
    ("suit", &[("clothes", "jacket and trousers"), ("object", "a set of playing cards")]),
    ("tie", &[("clothes", "what is worn around the neck"), ("", "a game that nobody wins")]),
    ("trainer", &[("clothes", "a sports shoe"), ("profession", "one who trains")]),
    ("vest", &[("clothes", "a waistcoat, or an undershirt")]),
    ("amber", &[("color", "a shade of yellow"), ("object", "a stone")]),
    ("bronze", &[("color", "a shade of brown"), ("object", "a metal")]),
    ("chestnut", &[("color", "a shade of brown"), ("food", "a nut"), ("plant", "a tree")]),
    ("copper", &[("color", "a shade of red"), ("object", "a metal")]),
    ("coral", &[("color", "a shade of pink"), ("animal", "an animal of the sea")]),
    ("cream", &[("color", "a shade of white"), ("food", "a part of milk")]),
    ("emerald", &[("color", "a shade of green"), ("object", "a stone")]),
    ("gold", &[("color", "a color"), ("object", "a metal")]),
    ("ivory", &[("color", "a shade of white"), ("object", "what tusks are of")]),
    ("ruby", &[("color", "a shade of red"), ("object", "a stone")]),
    ("silver", &[("color", "a color"), ("object", "a metal")]),
    ("turquoise", &[("color", "a shade of blue"), ("object", "a stone")]),
    ("coach", &[("profession", "one who trains"), ("object", "a bus")]),
    ("conductor", &[("profession", "one who leads an orchestra, or checks tickets")]),
    ("driver", &[("profession", "one who drives"), ("object", "a golf club")]),
    ("minister", &[("profession", "a member of a government, or of a church")]),
    ("model", &[("profession", "one who shows clothes"), ("object", "a small copy")]),
    ("server", &[("profession", "a waiter"), ("object", "a computer")]),
];

static BY_WORD: LazyLock<HashMap<&str, &[(&str, &str)]>> =
    LazyLock::new(|| WORDS.iter().copied().collect());

/// The other meanings of a term in a vocabulary; the term must be in plain words (see
/// [`crate::ambiguity::plain`]). A meaning that joins two things by "or" is ambiguous by itself.
pub(super) fn other(term: &str, vocabulary: &str) -> Option<String> {
    // Plurals end in s. Words that end in s by themselves are looked up first.
    let meanings = BY_WORD
        .get(term)
        .or_else(|| BY_WORD.get(term.strip_suffix('s')?))?;
    let mut others: Vec<&str> = meanings
        .iter()
        .filter(|(kind, _)| *kind != vocabulary)
        .map(|(_, what)| *what)
        .collect();
    let own = meanings
        .iter()
        .find(|(kind, _)| *kind == vocabulary)
        .map(|(_, what)| *what);
    if own.is_some_and(|what| what.contains(" or ")) {
        others.splice(0..0, own);
    }
    others.dedup();
    (!others.is_empty()).then(|| others.join(", or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_meanings_exclude_the_vocabularys_own() {
        assert_eq!(other("crane", "animal").unwrap(), "a machine that lifts");
        assert_eq!(other("cranes", "object").unwrap(), "a bird");
        assert_eq!(other("orange", "color").unwrap(), "a fruit");
        assert_eq!(
            other("keyboard", "object").unwrap(),
            "a computer's, or a piano's"
        );
        assert_eq!(
            other("crane", "toys").unwrap(),
            "a bird, or a machine that lifts"
        );
        assert_eq!(other("glass", "object"), None);
        assert_eq!(other("owl", "animal"), None);
    }

    #[test]
    fn words_are_plain_unique_and_ambiguous() {
        let mut words: Vec<_> = WORDS.iter().map(|(w, _)| *w).collect();
        words.sort_unstable();
        assert!(words.windows(2).all(|w| w[0] != w[1]));
        for (word, meanings) in WORDS {
            assert_eq!(*word, crate::ambiguity::plain(word));
            assert!(
                meanings.len() > 1 || meanings[0].1.contains(" or "),
                "{word}"
            );
        }
    }
}
