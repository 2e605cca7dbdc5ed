//! Draws the comments on an item in place of its text.

use super::remarks::OpenThread;
use super::text::Lines;
use crate::theme::Role;
use crate::widgets::text;
use benchtop_model::{Mark, history};
use benchtop_protocol::wire::ShownComment;

impl OpenThread {
    /// Writes the comments. Returns the lines of the comment under the cursor.
    pub(super) fn write(&self, keys: &str, lines: &mut Lines) -> (usize, usize) {
        let Some(thread) = &self.thread else {
            lines.say(&format!("#{}  loading comments", self.number), Role::Dim);
            return (0, 0);
        };
        let count = thread.comments.len() as u64 + thread.left_out;
        let open = thread.comments.iter().filter(is_open).count();
        let state = match (count, open) {
            (0, _) => String::new(),
            (_, 0) => ", resolved".to_string(),
            (_, open) => format!(", {open} open"),
        };
        let title = format!(
            "#{}  {}{state}",
            self.number,
            text::counted(count, "comment")
        );
        lines.bold(&title, Role::Heading);
        if thread.left_out > 0 {
            let older = text::counted(thread.left_out, "older comment");
            lines.say(&format!("{older} not shown"), Role::Dim);
        }
        if count == 0 {
            lines.say("No comments yet.", Role::Dim);
        }
        let mut place = (0, 0);
        for (at, shown) in thread.comments.iter().enumerate() {
            let from = lines.lines.len();
            let to = thread
                .comments
                .iter()
                .position(|c| Some(c.comment.uuid) == shown.comment.reply_to);
            comment(at, shown, to, at == self.cursor, lines);
            if at == self.cursor {
                place = (from, lines.lines.len());
            }
        }
        lines.say(keys, Role::Hint);
        place
    }

    /// The marks of the comments on the present pictures, with the numbers of the comments.
    pub(super) fn marks(&self) -> impl Iterator<Item = (usize, &Mark)> {
        let comments = self.thread.iter().flat_map(|thread| &thread.comments);
        let current = comments.enumerate().filter(|(_, shown)| !shown.is_earlier);
        current.flat_map(|(at, shown)| shown.comment.marks.iter().map(move |mark| (at + 1, mark)))
    }
}

fn is_open(shown: &&ShownComment) -> bool {
    shown.comment.reply_to.is_none() && shown.comment.resolved.is_none()
}

fn comment(at: usize, shown: &ShownComment, to: Option<usize>, here: bool, lines: &mut Lines) {
    let comment = &shown.comment;
    let time = history::to_the_second(comment.at).replace('T', " ");
    let mut head = format!(
        "{} {} {}",
        at + 1,
        comment.who,
        time.get(5..16).unwrap_or(&time)
    );
    match (comment.reply_to, to) {
        (Some(_), Some(to)) => head += &format!(" to {}", to + 1),
        (Some(_), None) => head += " to a deleted comment",
        (None, _) => {}
    }
    if comment.edited.is_some() {
        head += ", edited";
    }
    if let Some(who) = &comment.resolved {
        head += &format!(", resolved by {who}");
    }
    if comment.imported {
        head += ", imported";
    }
    if shown.is_earlier {
        head += ", on an earlier version";
    }
    let (mark, role) = match (here, comment.resolved.is_some()) {
        (true, _) => ("▸ ", Role::Accent),
        (false, true) => ("  ", Role::Dim),
        (false, false) => ("  ", Role::Text),
    };
    lines.hanging(mark, 2, &head, role);
    let role = if comment.resolved.is_some() {
        Role::Dim
    } else {
        Role::Text
    };
    for line in comment.text.split('\n').filter(|line| !line.is_empty()) {
        lines.hanging("", 4, line, role);
    }
    if !comment.marks.is_empty() {
        let named = |mark: &Mark| mark.label.clone().unwrap_or_else(|| "unlabeled".into());
        let marks: Vec<String> = comment.marks.iter().map(named).collect();
        lines.hanging("", 4, &format!("marks: {}", marks.join(", ")), Role::Dim);
    }
}
