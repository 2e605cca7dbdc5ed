//! Taxonomies: reasons and tags with levels.
//!
//! A key is a path of words, `anatomy/hands`. The list in `benchtop.toml` is flat: its order is the
//! order of the menus, and a level that has no entry of its own is named after its word.

use super::config::Reason;

/// Separates the levels of a key.
pub const SEPARATOR: char = '/';
/// Most levels of a key.
pub const MOST_LEVELS: usize = 5;

/// An entry of one level of a menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The whole key.
    pub key: String,
    /// The text of this level.
    pub label: String,
    /// Whether the key is in the list and can be chosen.
    pub is_listed: bool,
    /// Whether there are entries below it.
    pub has_children: bool,
}

/// Whether `key` is `of` or below it.
pub fn is_within(key: &str, of: &str) -> bool {
    key.strip_prefix(of)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(SEPARATOR))
}

/// The key of the level above.
pub fn parent(key: &str) -> Option<&str> {
    key.rsplit_once(SEPARATOR).map(|(parent, _)| parent)
}

/// The entries directly below `parent`, or of the first level, in the order of the list.
pub fn level(list: &[Reason], parent: Option<&str>) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    for reason in list {
        let below = match parent {
            None => Some(reason.key.as_str()),
            Some(parent) => reason
                .key
                .strip_prefix(parent)
                .and_then(|rest| rest.strip_prefix(SEPARATOR)),
        };
        let Some(below) = below else { continue };
        let word = below.split(SEPARATOR).next().unwrap_or(below);
        let key = match parent {
            Some(parent) => format!("{parent}{SEPARATOR}{word}"),
            None => word.to_string(),
        };
        let is_listed = key == reason.key;
        let known = found.iter().position(|entry| entry.key == key);
        let at = known.unwrap_or_else(|| {
            found.push(Entry {
                label: label(list, &key),
                key,
                is_listed: false,
                has_children: false,
            });
            found.len() - 1
        });
        found[at].is_listed |= is_listed;
        found[at].has_children |= !is_listed;
    }
    found
}

/// The text of the last level of a key.
fn label(list: &[Reason], key: &str) -> String {
    let word = || {
        key.rsplit(SEPARATOR)
            .next()
            .unwrap_or(key)
            .replace('-', " ")
    };
    let listed = list.iter().find(|reason| reason.key == key);
    listed.map_or_else(word, |reason| reason.label.clone())
}

/// The texts of all levels of a key, from the first.
pub fn labels(list: &[Reason], key: &str) -> Vec<String> {
    let ends = key.match_indices(SEPARATOR).map(|(at, _)| at);
    ends.chain([key.len()])
        .map(|end| label(list, &key[..end]))
        .collect()
}

/// The texts of all levels of a key as one line.
pub fn title(list: &[Reason], key: &str) -> String {
    labels(list, key).join(" / ")
}

/// The key that these texts of levels lead to: keys or labels, the last of which may be a whole key.
pub fn find(list: &[Reason], path: &[&str]) -> Option<String> {
    let matches = |reason: &&Reason| {
        let words: Vec<&str> = reason.key.split(SEPARATOR).collect();
        let texts = labels(list, &reason.key);
        words.len() == path.len()
            && (words.iter().zip(&texts).zip(path))
                .all(|((word, text), wanted)| word == wanted || text == wanted)
    };
    let found = list.iter().find(matches);
    found.map(|reason| reason.key.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Vec<Reason> {
        [
            ("unsafe", "Not safe"),
            ("anatomy/hands", "Hands"),
            ("anatomy/hands/count", "Wrong count"),
            ("anatomy", "Anatomy"),
            ("lettering/broken-words", "Broken words"),
        ]
        .map(|(key, label)| Reason {
            key: key.into(),
            label: label.into(),
        })
        .into()
    }

    #[test]
    fn levels_follow_the_order_of_the_list() {
        let entry = |key: &str, label: &str, is_listed, has_children| Entry {
            key: key.into(),
            label: label.into(),
            is_listed,
            has_children,
        };
        assert_eq!(
            level(&list(), None),
            [
                entry("unsafe", "Not safe", true, false),
                entry("anatomy", "Anatomy", true, true),
                entry("lettering", "lettering", false, true),
            ]
        );
        assert_eq!(
            level(&list(), Some("anatomy")),
            [entry("anatomy/hands", "Hands", true, true)]
        );
        assert_eq!(
            level(&list(), Some("anatomy/hands")),
            [entry("anatomy/hands/count", "Wrong count", true, false)]
        );
        assert_eq!(level(&list(), Some("unsafe")), []);
    }

    #[test]
    fn a_level_contains_what_is_below_it() {
        assert!(is_within("anatomy/hands", "anatomy") && is_within("anatomy", "anatomy"));
        assert!(!is_within("anatomy-2", "anatomy") && !is_within("anatomy", "anatomy/hands"));
        assert_eq!(parent("anatomy/hands/count"), Some("anatomy/hands"));
        assert_eq!(parent("unsafe"), None);
    }

    #[test]
    fn paths_are_named_and_found() {
        let list = list();
        let key = "anatomy/hands/count";
        assert_eq!(title(&list, key), "Anatomy / Hands / Wrong count");
        assert_eq!(
            title(&list, "lettering/broken-words"),
            "lettering / Broken words"
        );
        let found = |path: &[&str]| find(&list, path);
        assert_eq!(found(&["Anatomy", "hands", "Wrong count"]).unwrap(), key);
        assert_eq!(found(&["Not safe"]).unwrap(), "unsafe");
        assert_eq!((found(&["hands"]), found(&["lettering"])), (None, None));
    }
}
