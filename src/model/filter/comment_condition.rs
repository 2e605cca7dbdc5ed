//! Filter conditions on comments and marks.

use serde::{Deserialize, Serialize};

use crate::comment::{Comment, Commented};
use crate::error_label::{ErrorLabel, LabelCondition};
use crate::mark::Mark;

/// Conditions on the comments, marks, and error labels of one item. Values of a field are alternatives; all fields
/// must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentCondition {
    /// Whether the item has comments.
    pub state: Vec<Commented>,
    /// Text in a comment, ignoring case. An empty string matches items without comments.
    pub text: Vec<String>,
    /// Text in the label of a mark, ignoring case. An empty string matches items without marks.
    pub mark: Vec<String>,
    /// Conditions on the labels of errors in models' answers.
    pub errors: LabelCondition,
}

impl CommentCondition {
    /// Whether there are no conditions.
    pub fn is_empty(&self) -> bool {
        *self == CommentCondition::default()
    }

    /// Whether an item with these comments, marks of verdicts, and error labels meets all conditions.
    pub fn passes(
        &self,
        comments: &[Comment],
        of_verdicts: &[&Mark],
        labels: &[ErrorLabel],
    ) -> bool {
        let contains = |text: &str, wanted: &str| text.to_lowercase().contains(wanted);
        let commented = |wanted: &String| match wanted.to_lowercase() {
            none if none.is_empty() => comments.is_empty(),
            wanted => comments.iter().any(|c| contains(&c.text, &wanted)),
        };
        let of_comments = comments.iter().flat_map(|c| &c.marks);
        let marks: Vec<&Mark> = of_comments.chain(of_verdicts.iter().copied()).collect();
        let marked = |wanted: &String| match wanted.to_lowercase() {
            none if none.is_empty() => marks.is_empty(),
            wanted => {
                let mut labels = marks.iter().filter_map(|mark| mark.label.as_deref());
                labels.any(|label| contains(label, &wanted))
            }
        };
        (self.state.is_empty() || self.state.iter().any(|state| state.matches(comments)))
            && (self.text.is_empty() || self.text.iter().any(commented))
            && (self.mark.is_empty() || self.mark.iter().any(marked))
            && self.errors.passes(labels)
    }

    /// Whether an item without comments, marks, and labels meets all conditions.
    pub fn passes_without(&self) -> bool {
        self.passes(&[], &[], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Filter;
    use uuid::Uuid;

    fn comment(text: &str, label: Option<&str>) -> Comment {
        Comment {
            uuid: Uuid::from_u128(1),
            rev: 1,
            at: 1,
            who: "ann".into(),
            on: None,
            text: text.into(),
            reply_to: None,
            marks: vec![Mark::point(1, 0.5, 0.5).labeled(label.map(Into::into))],
            edited: None,
            resolved: None,
            imported: false,
        }
    }

    #[test]
    fn words_select_by_comments_and_marks() {
        let comments = [comment("Six FINGERS", Some("Left hand"))];
        let of_verdict = Mark::point(1, 0.1, 0.1).labeled(Some("foot".into()));
        let passes = |text: &str| {
            let filter = Filter::parse(text).unwrap();
            assert_eq!(Filter::parse(&filter.to_text()).unwrap(), filter);
            assert!(filter.tells());
            let said = filter.comments;
            (
                said.passes(&comments, &[&of_verdict], &[]),
                said.passes_without(),
            )
        };
        assert_eq!(passes("comment:fingers"), (true, false));
        assert_eq!(passes("comment:toes"), (false, false));
        assert_eq!(passes("comment:"), (false, true));
        assert_eq!(passes("comments:open"), (true, false));
        assert_eq!(passes("comments:resolved"), (false, false));
        assert_eq!(passes("comments:yes,no"), (true, true));
        assert_eq!(passes("mark:hand"), (true, false));
        assert_eq!(passes("mark:nose,FOOT"), (true, false));
        assert_eq!(passes("mark:"), (false, true));
        assert_eq!(passes("comment:fingers mark:nose"), (false, false));
        assert!(Filter::parse("comments:maybe").is_err());
    }
}
