//! Tags that the verdict on a dispute carries.

use super::AdjudicatePane;
use crate::action::Action;
use crate::pane::{Context, Target};
use crate::panes::review::{carries, choose_tags};

impl AdjudicatePane {
    /// Asks for the tags of the verdict on the item on screen.
    pub(super) fn ask_tags(&self, cx: &mut Context<'_>) {
        let Some(number) = self.current().map(|dispute| dispute.number) else {
            return cx.say("no item to tag");
        };
        if self.pending_on(number).is_some() {
            return cx.refuse("your verdict on this item is being saved");
        }
        let marked = self.tags.get(&number).map_or(&[][..], Vec::as_slice);
        let what = format!("#{number}");
        let title = format!("tags of {what}");
        choose_tags(title, marked, cx, move |pane: &mut Self, tags, cx| {
            cx.say(carries(&what, &tags));
            match tags.is_empty() {
                true => drop(pane.tags.remove(&number)),
                false => drop(pane.tags.insert(number, tags)),
            }
        });
    }

    /// Opens the item in the review. Marks belong to a comment there: a verdict that settles a dispute
    /// answers those of others, and its note says why.
    pub(super) fn mark_in_review(&self, cx: &mut Context<'_>) {
        let Some(number) = self.current().map(|dispute| dispute.number) else {
            return cx.say("no picture to mark");
        };
        let (mark, comment) = (cx.key(Action::MarkPicture), cx.key(Action::CommentMarks));
        cx.open(Target::Item(number));
        cx.say(format!(
            "{mark} marks the picture here, and {comment} comments on the marks; {} returns",
            cx.key(Action::Back)
        ));
    }

    /// The tags that wait for a verdict, after a comma; empty without any.
    pub(super) fn tag_words(&self) -> String {
        let tags = self.current().and_then(|d| self.tags.get(&d.number));
        tags.map_or(String::new(), |tags| {
            format!(", carries {}", tags.join(", "))
        })
    }
}
