//! A reversible change of a text.

/// Replaces `removed` with `inserted` at byte `at`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// Byte offset.
    pub at: usize,
    pub removed: String,
    pub inserted: String,
}

impl Patch {
    /// The change from `old` to `new`, or `None` if they are equal.
    pub fn between(old: &str, new: &str) -> Option<Patch> {
        if old == new {
            return None;
        }
        let most = old.len().min(new.len());
        let (a, b) = (old.as_bytes(), new.as_bytes());
        let mut start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        while !(old.is_char_boundary(start) && new.is_char_boundary(start)) {
            start -= 1;
        }
        let mut end = a
            .iter()
            .rev()
            .zip(b.iter().rev())
            .take(most - start)
            .take_while(|(x, y)| x == y)
            .count();
        while !(old.is_char_boundary(old.len() - end) && new.is_char_boundary(new.len() - end)) {
            end -= 1;
        }
        Some(Patch {
            at: start,
            removed: old[start..old.len() - end].to_string(),
            inserted: new[start..new.len() - end].to_string(),
        })
    }

    /// The change that undoes this one.
    pub fn inverse(&self) -> Patch {
        Patch {
            at: self.at,
            removed: self.inserted.clone(),
            inserted: self.removed.clone(),
        }
    }

    /// Applies the change. Returns false and leaves `text` alone if it does not contain the removed
    /// text there.
    pub fn apply(&self, text: &mut String) -> bool {
        let to = self.at + self.removed.len();
        if text.get(self.at..to) != Some(self.removed.as_str()) {
            return false;
        }
        text.replace_range(self.at..to, &self.inserted);
        true
    }

    /// Merges `next` into this change if both are keystrokes of typing or deleting within a word.
    pub fn join(&mut self, next: &Patch) -> bool {
        let one = |t: &str| t.chars().count() == 1 && !t.contains(char::is_whitespace);
        let typed = next.removed.is_empty() && one(&next.inserted) && self.removed.is_empty();
        if typed && next.at == self.at + self.inserted.len() && !self.inserted.contains('\n') {
            self.inserted.push_str(&next.inserted);
            return true;
        }
        let deleted = next.inserted.is_empty() && one(&next.removed) && self.inserted.is_empty();
        if deleted && next.at + next.removed.len() == self.at {
            self.removed.insert_str(0, &next.removed);
            self.at = next.at;
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_applies_and_reverts() {
        for (old, new) in [
            ("", "x"),
            ("abc", ""),
            ("one two", "one three two"),
            ("aaa", "aa"),
            ("aé", "aè"),
            ("日本", "日木本"),
            ("a\nb\n", "a\nc\nb\n"),
        ] {
            let patch = Patch::between(old, new).unwrap();
            let mut text = old.to_string();
            assert!(patch.apply(&mut text));
            assert_eq!(text, new);
            assert!(patch.inverse().apply(&mut text));
            assert_eq!(text, old);
        }
        assert_eq!(Patch::between("a", "a"), None);
        let mut other = "xyz".to_string();
        assert!(!Patch::between("one two", "two").unwrap().apply(&mut other));
        assert_eq!(other, "xyz");
    }

    #[test]
    fn typing_merges_into_one_step_per_word() {
        let type_in = |at, c: &str| Patch {
            at,
            removed: String::new(),
            inserted: c.into(),
        };
        let mut word = type_in(3, "o");
        assert!(word.join(&type_in(4, "w")) && word.join(&type_in(5, "l")));
        assert_eq!(word.inserted, "owl");
        assert!(!word.join(&type_in(6, " ")) && !word.join(&type_in(9, "x")));
        let gone = |at, c: &str| Patch {
            at,
            removed: c.into(),
            inserted: String::new(),
        };
        let mut back = gone(5, "l");
        assert!(back.join(&gone(4, "w")) && back.join(&gone(3, "o")));
        assert_eq!((back.at, back.removed.as_str()), (3, "owl"));
    }
}
