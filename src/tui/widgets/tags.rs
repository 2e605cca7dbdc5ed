//! `#tags` in notes: finds them, and completes them from those used before.

use tui_input::Input;

/// The tags of a note, in order: words that start with `#`, without trailing punctuation.
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

/// Tags used before, most recent first, and the current completion.
#[derive(Clone, Debug, Default)]
pub struct Tags {
    known: Vec<String>,
    /// The typed prefix of the completed tag, the index of the match, and the tag.
    at: Option<(String, usize, String)>,
}

impl Tags {
    /// Tags to complete from, most recent first.
    pub fn new(known: Vec<String>) -> Tags {
        Tags { known, at: None }
    }

    /// Makes the tags of a note the most recent ones.
    pub fn used(&mut self, note: &str) {
        for tag in tags(note).into_iter().rev() {
            self.known.retain(|k| *k != tag);
            self.known.insert(0, tag);
        }
    }

    /// Tags used before, most recent first.
    pub fn known(&self) -> &[String] {
        &self.known
    }

    /// Completes the word before the cursor. Repeating it takes the next match.
    ///
    /// # Errors
    ///
    /// If the word is not a tag, or no earlier tag starts with it.
    pub fn complete(&mut self, input: &mut Input) -> Result<(), String> {
        let chars: Vec<char> = input.value().chars().collect();
        let cursor = input.cursor().min(chars.len());
        let start = chars[..cursor]
            .iter()
            .rposition(|c| c.is_whitespace())
            .map_or(0, |at| at + 1);
        let word: String = chars[start..cursor].iter().collect();
        if !word.starts_with('#') {
            return Err("tab completes tags: type # and the first letters".into());
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
            return Err(format!("no earlier tag starts with {typed}"));
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
    fn completion_cycles_through_matches_most_recent_first() {
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
        assert!(tags.complete(&mut input).unwrap_err().contains("#x"));
        let mut input = Input::new("word".into());
        assert!(tags.complete(&mut input).unwrap_err().contains("type #"));
        assert!(
            Tags::default()
                .complete(&mut Input::new("#".into()))
                .is_err()
        );
    }
}
