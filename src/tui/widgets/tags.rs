//! `#tags` in notes: finding them, and completing one from those used before.

use tui_input::Input;

/// The tags of a note, in their order: words that begin with `#`, without the marks that end a sentence.
pub fn tags(note: &str) -> Vec<String> {
    let tag = |word: &str| {
        let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
        let named = word
            .strip_prefix('#')
            .is_some_and(|rest| rest.chars().any(char::is_alphanumeric));
        named.then(|| word.to_string())
    };
    note.split_whitespace().filter_map(tag).collect()
}

/// Tags used before, the latest first, and how far a completion has come.
#[derive(Clone, Debug, Default)]
pub struct Tags {
    known: Vec<String>,
    /// What was typed of the tag completed last, which of those that fit was taken, and that tag.
    at: Option<(String, usize, String)>,
}

impl Tags {
    /// Tags to complete from, the latest first.
    pub fn new(known: Vec<String>) -> Tags {
        Tags { known, at: None }
    }

    /// Takes note of the tags of a note: they are the latest now.
    pub fn used(&mut self, note: &str) {
        for tag in tags(note).into_iter().rev() {
            self.known.retain(|k| *k != tag);
            self.known.insert(0, tag);
        }
    }

    /// Those used before, the latest first.
    pub fn known(&self) -> &[String] {
        &self.known
    }

    /// Completes the word before the cursor; once more takes the next tag that fits. Says why it cannot.
    ///
    /// # Errors
    /// When the word is no tag, or none used before begins so.
    pub fn complete(&mut self, input: &mut Input) -> Result<(), String> {
        let chars: Vec<char> = input.value().chars().collect();
        let cursor = input.cursor().min(chars.len());
        let start = chars[..cursor]
            .iter()
            .rposition(|c| c.is_whitespace())
            .map_or(0, |at| at + 1);
        let word: String = chars[start..cursor].iter().collect();
        if !word.starts_with('#') {
            return Err("tab completes a tag: type # and its beginning".into());
        }
        let (typed, at) = match self.at.take() {
            Some((typed, at, tag)) if tag == word => (typed, at + 1),
            _ => (word, 0),
        };
        let lower = typed.to_lowercase();
        let fits: Vec<&String> = self
            .known
            .iter()
            .filter(|k| k.to_lowercase().starts_with(&lower))
            .collect();
        let Some(tag) = fits.get(at % fits.len().max(1)) else {
            return Err(format!("no tag used before begins with {typed}"));
        };
        let tag = (*tag).clone();
        let before: String = chars[..start].iter().collect();
        let after: String = chars[cursor..].iter().collect();
        let cursor = start + tag.chars().count();
        *input = Input::new(format!("{before}{tag}{after}")).with_cursor(cursor);
        self.at = Some((typed, at, tag));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_words_with_a_hash_before_something() {
        assert_eq!(
            tags("#cut off, see (#dark) and #two-heads. # #! a#b"),
            ["#cut", "#two-heads"]
        );
        assert!(tags("").is_empty());
    }

    #[test]
    fn the_latest_that_fits_comes_first_and_again_takes_the_next() {
        let mut tags = Tags::default();
        tags.used("#cut #dark");
        tags.used("#cropped #dark");
        assert_eq!(tags.known(), ["#cropped", "#dark", "#cut"]);
        let mut input = Input::new("see #C here".into()).with_cursor(6);
        for wanted in ["see #cropped here", "see #cut here", "see #cropped here"] {
            tags.complete(&mut input).unwrap();
            assert_eq!(input.value(), wanted);
            assert_eq!(input.cursor(), wanted.find(" here").unwrap());
        }
        let mut input = Input::new("#x".into());
        assert!(
            tags.complete(&mut input)
                .unwrap_err()
                .contains("begins with #x")
        );
        let mut input = Input::new("word".into());
        assert!(tags.complete(&mut input).unwrap_err().contains("type #"));
        assert!(
            Tags::default()
                .complete(&mut Input::new("#".into()))
                .is_err()
        );
    }
}
