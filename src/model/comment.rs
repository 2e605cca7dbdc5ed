//! Comments on items. They are events of the journals, like verdicts, and are never overwritten.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::clean;
use super::error::{Error, Result};
use super::mark::{self, Mark};

/// Most characters of a new comment.
pub const TEXT_CHARS: usize = 10_000;

/// What an event does to the thread of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommentAct {
    /// Adds a comment, which the uuid of the event names.
    Write {
        text: String,
        /// The comment that it answers.
        reply_to: Option<Uuid>,
        marks: Vec<Mark>,
    },
    /// Gives the author's comment another text and other marks.
    Edit {
        of: Uuid,
        text: String,
        marks: Vec<Mark>,
    },
    /// Deletes the author's comment.
    Delete { of: Uuid },
    /// Marks a comment of anybody as resolved, or as open again.
    Resolve { of: Uuid, resolved: bool },
    /// Labels the error in a model's answer, in place of the author's earlier label of that model. It
    /// is no comment, and changes none.
    Label {
        model: String,
        /// Digest of the answer; see [`super::error_label::digest`].
        answer: String,
        /// Key of the taxonomy; `None` removes the label.
        label: Option<String>,
    },
    /// Takes an earlier event of the same person back.
    Undo { of: Uuid },
    /// Applies an event that was taken back.
    Redo { of: Uuid },
    /// Adds a comment that came in a file, and that its author did not write here. Clients cannot
    /// make this event.
    Import {
        text: String,
        /// The comment that it answers.
        reply_to: Option<Uuid>,
        marks: Vec<Mark>,
    },
}

/// Longest name of a model, in bytes.
const MODEL_LIMIT: usize = 500;
/// Hex digits of the digest of an answer.
pub const DIGEST_DIGITS: usize = 16;

fn check_label(model: &str, answer: &str) -> Result<()> {
    if model.is_empty() || model.len() > MODEL_LIMIT || model.chars().any(char::is_control) {
        let what = format!("`{}` is not the name of a model", clean::line(model));
        return Err(Error::input(what).field("model"));
    }
    if answer.len() != DIGEST_DIGITS || !answer.bytes().all(|b| b.is_ascii_hexdigit()) {
        let what = format!("the digest of an answer has {DIGEST_DIGITS} hex digits");
        return Err(Error::input(what).field("answer"));
    }
    Ok(())
}

impl CommentAct {
    /// The comment or event that it is about; `None` for a new comment.
    pub fn of(&self) -> Option<Uuid> {
        match self {
            Self::Write { .. } | Self::Import { .. } | Self::Label { .. } => None,
            Self::Edit { of, .. }
            | Self::Delete { of }
            | Self::Resolve { of, .. }
            | Self::Undo { of }
            | Self::Redo { of } => Some(*of),
        }
    }

    /// The marks that it sets.
    pub fn marks(&self) -> &[Mark] {
        match self {
            Self::Write { marks, .. } | Self::Edit { marks, .. } | Self::Import { marks, .. } => {
                marks
            }
            _ => &[],
        }
    }

    /// Checks the text and the marks of a new event on an item with `pictures` pictures.
    ///
    /// # Errors
    /// [`super::ErrorKind::Input`] with the field.
    pub fn check(&self, pictures: usize) -> Result<()> {
        if let Self::Label { model, answer, .. } = self {
            return check_label(model, answer);
        }
        let (Self::Write { text, marks, .. }
        | Self::Edit { text, marks, .. }
        | Self::Import { text, marks, .. }) = self
        else {
            return Ok(());
        };
        let wrong = |what: String| Err(Error::input(what).field("text"));
        if text.trim().is_empty() && marks.is_empty() {
            return wrong("the comment is empty".into());
        }
        if text.chars().count() > TEXT_CHARS {
            return wrong(format!(
                "the comment is longer than {TEXT_CHARS} characters"
            ));
        }
        if text
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
        {
            return wrong("the comment has control characters".into());
        }
        mark::check(marks, pictures)
    }
}

/// An event of the thread of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentEvent {
    pub uuid: Uuid,
    pub rev: u64,
    /// Milliseconds since 1970.
    pub at: i64,
    pub who: String,
    /// Digest of the item at that time; see [`super::Item::digest`].
    pub on: Option<String>,
    pub act: CommentAct,
    /// Whether it was not taken back.
    pub counts: bool,
}

/// A comment as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    pub uuid: Uuid,
    pub rev: u64,
    /// Milliseconds since 1970.
    pub at: i64,
    pub who: String,
    /// Digest of the item that was commented on.
    pub on: Option<String>,
    pub text: String,
    /// The comment that it answers. It may have been deleted, or may be hidden.
    pub reply_to: Option<Uuid>,
    pub marks: Vec<Mark>,
    /// Time of the last edit.
    pub edited: Option<i64>,
    /// Who resolved it.
    pub resolved: Option<String>,
    /// Whether it came in a file. Then its author, its times, and who resolved it are what the file
    /// says.
    pub imported: bool,
}

/// The comments after these events, oldest first. An event about a comment that is not there, or
/// about somebody else's text, changes nothing, so the result does not depend on which journals were
/// read first.
pub fn thread<'e>(events: impl Iterator<Item = &'e CommentEvent> + Clone) -> Vec<Comment> {
    let counting = events.filter(|event| event.counts);
    let mut comments: Vec<Option<Comment>> = Vec::new();
    let mut places: HashMap<Uuid, usize> = HashMap::new();
    for event in counting.clone() {
        if let CommentAct::Write {
            text,
            reply_to,
            marks,
        }
        | CommentAct::Import {
            text,
            reply_to,
            marks,
        } = &event.act
        {
            places.insert(event.uuid, comments.len());
            comments.push(Some(Comment {
                uuid: event.uuid,
                rev: event.rev,
                at: event.at,
                who: event.who.clone(),
                on: event.on.clone(),
                text: text.clone(),
                reply_to: *reply_to,
                marks: marks.clone(),
                edited: None,
                resolved: None,
                imported: matches!(event.act, CommentAct::Import { .. }),
            }));
        }
    }
    for event in counting {
        let place = event.act.of().and_then(|of| places.get(&of));
        let Some(slot) = place.and_then(|at| comments.get_mut(*at)) else {
            continue;
        };
        let Some(comment) = slot.as_mut() else {
            continue;
        };
        let is_own = comment.who == event.who;
        match &event.act {
            CommentAct::Edit { text, marks, .. } if is_own => {
                comment.text.clone_from(text);
                comment.marks.clone_from(marks);
                comment.on.clone_from(&event.on);
                comment.edited = Some(event.at);
            }
            CommentAct::Delete { .. } if is_own => *slot = None,
            CommentAct::Resolve { resolved, .. } => {
                comment.resolved = resolved.then(|| event.who.clone());
            }
            _ => {}
        }
    }
    comments.into_iter().flatten().collect()
}

/// Whether the thread is settled: every comment that answers no other is resolved.
pub fn is_resolved(comments: &[Comment]) -> bool {
    let known: HashSet<Uuid> = comments.iter().map(|comment| comment.uuid).collect();
    let answers = |comment: &Comment| comment.reply_to.is_some_and(|of| known.contains(&of));
    comments
        .iter()
        .all(|comment| answers(comment) || comment.resolved.is_some())
}

named! {
    /// Whether an item has comments.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Commented {
        /// It has some.
        Yes = "yes",
        /// It has none.
        No = "no",
        /// Some are not resolved.
        Open = "open",
        /// It has some, and all are resolved.
        Resolved = "resolved",
    }
}

impl Commented {
    /// Whether a thread is like this.
    pub fn matches(self, comments: &[Comment]) -> bool {
        match self {
            Self::Yes => !comments.is_empty(),
            Self::No => comments.is_empty(),
            Self::Open => !is_resolved(comments),
            Self::Resolved => !comments.is_empty() && is_resolved(comments),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(n: u128, who: &str, act: CommentAct) -> CommentEvent {
        CommentEvent {
            uuid: Uuid::from_u128(n),
            rev: n as u64,
            at: n as i64,
            who: who.into(),
            on: None,
            act,
            counts: true,
        }
    }

    fn write(text: &str, reply_to: Option<u128>) -> CommentAct {
        CommentAct::Write {
            text: text.into(),
            reply_to: reply_to.map(Uuid::from_u128),
            marks: Vec::new(),
        }
    }

    fn edit(of: u128, text: &str) -> CommentAct {
        CommentAct::Edit {
            of: Uuid::from_u128(of),
            text: text.into(),
            marks: vec![Mark::point(1, 0.5, 0.5)],
        }
    }

    fn texts(events: &[CommentEvent]) -> Vec<String> {
        let comments = thread(events.iter());
        comments.into_iter().map(|comment| comment.text).collect()
    }

    #[test]
    fn only_authors_edit_and_delete_and_everybody_resolves() {
        let of = Uuid::from_u128;
        let resolve = |resolved| CommentAct::Resolve {
            of: of(1),
            resolved,
        };
        let mut events = vec![
            event(1, "ann", write("six fingers", None)),
            event(2, "bob", write("seven", Some(1))),
            event(3, "bob", edit(1, "no")),
            event(4, "bob", CommentAct::Delete { of: of(1) }),
            event(5, "ann", edit(1, "5 fingers")),
        ];
        assert_eq!(texts(&events), ["5 fingers", "seven"]);
        let comments = thread(events.iter());
        assert_eq!((comments[0].edited, comments[0].marks.len()), (Some(5), 1));
        assert_eq!(comments[1].reply_to, Some(of(1)));
        assert!(!is_resolved(&comments) && Commented::Open.matches(&comments));
        events.push(event(6, "bob", resolve(true)));
        let comments = thread(events.iter());
        assert_eq!(comments[0].resolved.as_deref(), Some("bob"));
        assert!(is_resolved(&comments) && Commented::Resolved.matches(&comments));
        events.push(event(7, "ann", resolve(false)));
        assert!(!is_resolved(&thread(events.iter())));
        events.push(event(8, "ann", CommentAct::Delete { of: of(1) }));
        assert_eq!(texts(&events), ["seven"]);
        // An event that was taken back changes nothing.
        events[7].counts = false;
        events[4].counts = false;
        assert_eq!(texts(&events), ["six fingers", "seven"]);
        assert!(Commented::No.matches(&[]) && !Commented::Resolved.matches(&[]));
    }

    #[test]
    fn an_answer_may_arrive_before_its_comment() {
        let events = [
            event(2, "bob", write("seven", Some(3))),
            event(1, "bob", edit(3, "no")),
            event(3, "ann", write("six", None)),
        ];
        assert_eq!(texts(&events), ["seven", "six"]);
    }

    #[test]
    fn empty_long_and_raw_texts_are_refused() {
        assert!(write("two\nlines", None).check(0).is_ok());
        for text in ["", " \n", "a\u{1b}[2J", &"x".repeat(TEXT_CHARS + 1)] {
            let problem = write(text, None).check(1).unwrap_err();
            assert_eq!(problem.place.field.as_deref(), Some("text"));
        }
        assert!(edit(1, "").check(1).is_ok(), "marks say enough");
        let problem = edit(1, "").check(0).unwrap_err();
        assert_eq!(problem.place.field.as_deref(), Some("marks"));
    }

    #[test]
    fn models_and_digests_of_labels_are_checked() {
        let good = "0".repeat(DIGEST_DIGITS);
        let check = |model: &str, answer: &str| {
            let label = CommentAct::Label {
                model: model.into(),
                answer: answer.into(),
                label: None,
            };
            label.check(0).map_err(|problem| problem.place.field)
        };
        assert_eq!(check("m", &good), Ok(()));
        let long = "x".repeat(MODEL_LIMIT + 1);
        for model in ["", "a\u{1b}[2J", long.as_str()] {
            assert_eq!(check(model, &good), Err(Some("model".into())));
        }
        for answer in ["", "12", "zzzzzzzzzzzzzzzz"] {
            assert_eq!(check("m", answer), Err(Some("answer".into())));
        }
    }
}
