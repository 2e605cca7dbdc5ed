//! The comments on the item on screen: reading, writing, and what a verdict carries besides its note.
//!
//! An event of a comment is kept until its receipt, like a verdict, and sent again after a lost
//! connection.

use uuid::Uuid;

use super::ReviewPane;
use super::reasons::{carries, choose_tags};
use super::remarks::{Attached, OpenThread};
use crate::action::Action;
use crate::pane::Context;
use crate::widgets::prompt::Prompt;
use crate::widgets::text;
use benchtop_model::{CommentAct, Error, ErrorKind, Judgement, Mark, Result};
use benchtop_protocol::wire::{CommentOn, Receipt, ShownComment, Thread, request};

impl ReviewPane {
    /// Handles an action of the thread or the marks. Returns whether it was one.
    pub(super) fn remark(&mut self, action: Action, cx: &mut Context<'_>) -> bool {
        match action {
            Action::Comments if self.remarks.thread.is_some() => self.close_thread(),
            Action::Comments => self.open_thread(cx),
            Action::CloseComments => self.close_thread(),
            Action::NextComment => self.go_comment(1, cx),
            Action::PreviousComment => self.go_comment(-1, cx),
            Action::WriteComment => self.ask_comment(None, Vec::new(), cx),
            Action::ReplyComment => match self.remarks.selected() {
                Some(to) => {
                    let to = (to.comment.uuid, to.comment.who.clone());
                    self.ask_comment(Some(to), Vec::new(), cx);
                }
                None => cx.say("no comment to reply to"),
            },
            Action::EditComment => self.ask_edit(cx),
            Action::DeleteComment => self.delete_comment(cx),
            Action::ResolveComment => self.resolve_comment(cx),
            Action::Tag => self.ask_tags(cx),
            other => return self.mark_action(other, cx),
        }
        true
    }

    fn open_thread(&mut self, cx: &mut Context<'_>) {
        let Some(number) = self.number() else {
            return cx.say("no item to comment on");
        };
        self.remarks.marking = None;
        self.remarks.thread = Some(OpenThread {
            number,
            thread: None,
            cursor: usize::MAX,
            moved: true,
        });
        self.scroll = 0;
        self.ask_thread(number, cx);
    }

    pub(super) fn close_thread(&mut self) {
        self.remarks.thread = None;
        self.scroll = 0;
    }

    fn ask_thread(&self, number: u32, cx: &mut Context<'_>) {
        cx.ask(
            request::Thread(number),
            move |pane: &mut Self, thread, cx| {
                if let Some(thread) = cx.ok_or_show(thread) {
                    pane.on_thread(number, thread);
                }
            },
        );
    }

    /// Receives the comments. The cursor stays on its comment, and begins at the last one.
    fn on_thread(&mut self, number: u32, thread: Thread) {
        if let Some(Ok(loaded)) = self.items.get_mut(&number) {
            let all = thread.comments.len() as u64 + thread.left_out;
            loaded.view.comments = u32::try_from(all).unwrap_or(u32::MAX);
        }
        let Some(open) = self.remarks.thread.as_mut().filter(|o| o.number == number) else {
            return;
        };
        let before = open
            .thread
            .as_ref()
            .and_then(|t| t.comments.get(open.cursor));
        let before = before.map(|shown| shown.comment.uuid);
        let same = before.and_then(|uuid| {
            let comments = &thread.comments;
            comments.iter().position(|c| c.comment.uuid == uuid)
        });
        let last = thread.comments.len().saturating_sub(1);
        open.cursor = same.unwrap_or(open.cursor.min(last));
        open.moved = true;
        open.thread = Some(thread);
    }

    /// Somebody wrote, changed, or resolved a comment on an item.
    pub(super) fn on_comment(&mut self, who: &str, number: u32, cx: &mut Context<'_>) {
        let is_here = self.number() == Some(number);
        if self.remarks.thread.is_some() && is_here {
            self.ask_thread(number, cx);
        } else if self.work.is_none() {
            self.changed(number, cx);
        }
        if who != cx.env.who && is_here && cx.env.is_shown && self.remarks.thread.is_none() {
            let key = cx.key(Action::Comments);
            cx.say(format!("{who} commented on #{number}; {key} shows it"));
        }
    }

    fn go_comment(&mut self, by: isize, cx: &mut Context<'_>) {
        let Some(open) = &mut self.remarks.thread else {
            return;
        };
        let count = open.thread.as_ref().map_or(0, |t| t.comments.len());
        let to = open.cursor.checked_add_signed(by).filter(|to| *to < count);
        match to {
            Some(to) => (open.cursor, open.moved) = (to, true),
            None if by > 0 => cx.say("this is the last comment"),
            None => cx.say("this is the first comment"),
        }
    }

    /// Asks for the text of a comment with these marks. With `to`, it is a reply.
    pub(super) fn ask_comment(
        &mut self,
        to: Option<(Uuid, String)>,
        marks: Vec<Mark>,
        cx: &mut Context<'_>,
    ) {
        let Some(number) = self.number() else {
            return cx.say("no item to comment on");
        };
        let label = match (&to, marks.len() as u64) {
            (Some((_, who)), _) => format!("reply to {who}"),
            (None, 0) => format!("comment on #{number}"),
            (None, n) => format!("comment on #{number} with {}", text::counted(n, "mark")),
        };
        let begun = self.remarks.drafts.get(&number).cloned();
        let prompt = Prompt::new(label, begun.unwrap_or_default(), Vec::new());
        let reply_to = to.map(|(uuid, _)| uuid);
        cx.prompt(prompt, move |pane: &mut Self, typed, cx| {
            let act = CommentAct::Write {
                text: lines_of(typed),
                reply_to,
                marks: marks.clone(),
            };
            // The owner checks the pictures.
            act.check(usize::MAX).map_err(|problem| problem.what)?;
            if !marks.is_empty() {
                if let Some(attached) = pane.remarks.attached.get_mut(&number) {
                    attached.marks.clear();
                }
                pane.remarks.marking = None;
            }
            pane.comment(number, act, cx);
            if pane.remarks.thread.is_none() && pane.number() == Some(number) {
                pane.open_thread(cx);
            }
            Ok(())
        });
    }

    /// The comment under the cursor if the annotator wrote it; else says why not.
    fn own_comment(&self, cx: &mut Context<'_>) -> Option<(u32, ShownComment)> {
        let selected = self.remarks.selected().cloned().zip(self.number());
        match selected {
            None => cx.say("no comment is selected"),
            Some((shown, _)) if shown.comment.who != cx.env.who => {
                let (who, key) = (&shown.comment.who, cx.key(Action::ReplyComment));
                cx.say(format!("{who} wrote this comment; {key} replies to it"));
            }
            Some((shown, number)) => return Some((number, shown)),
        }
        None
    }

    fn ask_edit(&self, cx: &mut Context<'_>) {
        let Some((number, shown)) = self.own_comment(cx) else {
            return;
        };
        let (of, marks) = (shown.comment.uuid, shown.comment.marks);
        // A prompt is a single line, so line breaks are written as `\n`.
        let begun = shown.comment.text.replace('\n', "\\n");
        let prompt = Prompt::new("edit your comment", begun, Vec::new());
        cx.prompt(prompt, move |pane: &mut Self, typed, cx| {
            let act = CommentAct::Edit {
                of,
                text: lines_of(typed),
                marks: marks.clone(),
            };
            act.check(usize::MAX).map_err(|problem| problem.what)?;
            pane.comment(number, act, cx);
            Ok(())
        });
    }

    fn delete_comment(&mut self, cx: &mut Context<'_>) {
        if let Some((number, shown)) = self.own_comment(cx) {
            let of = shown.comment.uuid;
            self.comment(number, CommentAct::Delete { of }, cx);
        }
    }

    fn resolve_comment(&mut self, cx: &mut Context<'_>) {
        let Some((shown, number)) = self.remarks.selected().zip(self.number()) else {
            return cx.say("no comment is selected");
        };
        let act = CommentAct::Resolve {
            of: shown.comment.uuid,
            resolved: shown.comment.resolved.is_none(),
        };
        self.comment(number, act, cx);
    }

    /// Sends an event, and keeps it until its receipt.
    fn comment(&mut self, number: u32, act: CommentAct, cx: &mut Context<'_>) {
        let event = CommentOn {
            uuid: Uuid::now_v7(),
            number,
            act,
        };
        self.remarks.pending.push(event.clone());
        self.send_comment(event, cx);
    }

    fn send_comment(&self, event: CommentOn, cx: &mut Context<'_>) {
        let uuid = event.uuid;
        cx.ask(
            request::Comment(Box::new(event)),
            move |pane: &mut Self, receipt, cx| pane.commented(uuid, receipt, cx),
        );
    }

    /// Sends the events without a receipt again. A repeated UUID counts once.
    pub(super) fn resend_comments(&self, cx: &mut Context<'_>) {
        for event in &self.remarks.pending {
            self.send_comment(event.clone(), cx);
        }
    }

    fn commented(&mut self, uuid: Uuid, receipt: Result<Receipt>, cx: &mut Context<'_>) {
        let lost = |problem: &Error| problem.kind == ErrorKind::Unreachable;
        if !cx.env.is_connected || receipt.as_ref().is_err_and(lost) {
            return;
        }
        let at = self.remarks.pending.iter().position(|e| e.uuid == uuid);
        let Some(event) = at.map(|at| self.remarks.pending.remove(at)) else {
            return;
        };
        match receipt {
            Ok(receipt) => {
                self.remarks.drafts.remove(&event.number);
                self.receipt_came(&receipt);
                let what = match &event.act {
                    CommentAct::Write { .. } => "commented on",
                    CommentAct::Edit { .. } => "changed your comment on",
                    CommentAct::Delete { .. } => "deleted your comment on",
                    CommentAct::Resolve { resolved: true, .. } => "resolved a comment on",
                    _ => "reopened a comment on",
                };
                let key = cx.key(Action::Undo);
                cx.done(format!("{what} #{}; {key} undoes it", event.number));
                self.ask_thread(event.number, cx);
                cx.saved(receipt.rev);
            }
            Err(problem) => {
                if let CommentAct::Write { text, marks, .. } = event.act {
                    let text = text.replace('\n', "\\n");
                    self.remarks.drafts.insert(event.number, text);
                    let attached = self.remarks.attached.entry(event.number).or_default();
                    attached.marks.extend(marks);
                }
                cx.error(&problem);
            }
        }
    }

    /// Asks for the tags of the next verdict on the item.
    fn ask_tags(&self, cx: &mut Context<'_>) {
        if let Err(why) = self.work().map_or(Ok(()), |work| work.ready()) {
            return cx.refuse(why);
        }
        let Some(number) = self.number() else {
            return cx.say("no item to tag");
        };
        let attached = self.remarks.attached.get(&number);
        let marked = attached.map_or(&[][..], |attached| &attached.tags);
        let what = format!("#{number}");
        choose_tags(
            format!("tags of {what}"),
            marked,
            cx,
            move |pane: &mut Self, tags, cx| {
                cx.say(carries(&what, &tags));
                pane.remarks.attached.entry(number).or_default().tags = tags;
            },
        );
    }

    /// A verdict with the tags and marks that wait for it.
    pub(super) fn attach(&mut self, number: u32, judgement: Judgement) -> Judgement {
        let Some(attached) = self.remarks.attached.remove(&number) else {
            return judgement;
        };
        self.remarks.marking = None;
        Judgement {
            tags: [judgement.tags, attached.tags].concat(),
            marks: [judgement.marks, attached.marks].concat(),
            ..judgement
        }
    }

    /// Restores the tags and marks of a refused verdict.
    pub(super) fn attach_again(&mut self, number: u32, judgement: Judgement) {
        let Judgement { tags, marks, .. } = judgement;
        if !(tags.is_empty() && marks.is_empty()) {
            self.remarks
                .attached
                .entry(number)
                .or_insert(Attached { tags, marks });
        }
    }

    /// What the next verdict on the item carries, as one line; empty for nothing.
    pub(super) fn attached_words(&self, number: u32) -> String {
        let Some(attached) = self.remarks.attached.get(&number) else {
            return String::new();
        };
        let marks = attached.marks.len() as u64;
        let marks = (marks > 0).then(|| text::counted(marks, "mark"));
        let all = attached.tags.iter().cloned().chain(marks);
        all.collect::<Vec<_>>().join(", ")
    }
}

/// A typed line with `\n` as line breaks.
fn lines_of(typed: &str) -> String {
    typed.trim().replace("\\n", "\n")
}
