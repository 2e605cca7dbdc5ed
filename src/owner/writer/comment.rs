//! Checks events of comments before they are written.

use uuid::Uuid;

use super::Writer;
use super::prepare::are_known;
use crate::visibility::AnnotatorView;
use benchtop_model::{Comment, CommentAct, Error, Result};
use benchtop_protocol::wire::CommentOn;
use benchtop_store::Ledger;

impl Writer {
    /// The row of an event that `who` may make.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::NotFound`] for a comment that is not there or that a blind round
    /// hides; [`benchtop_model::ErrorKind::Denied`] for somebody else's text, and for an imported
    /// comment.
    pub(super) fn commentable(
        &self,
        who: &str,
        comment: &CommentOn,
        ledger: &Ledger,
    ) -> Result<u32> {
        let row = self.shared.items.data().catalog.row(comment.number)?;
        let view = AnnotatorView::of_ledger(&self.shared, who);
        let known = |of: &Uuid| -> Result<Comment> {
            let none = || {
                Error::not_found(format!("item #{} has no comment {of}", comment.number))
                    .help("it may have been deleted; list the comments again")
            };
            let mut visible = view.comments_in(ledger, row).into_iter();
            visible.find(|written| written.uuid == *of).ok_or_else(none)
        };
        match &comment.act {
            CommentAct::Write { reply_to, .. } => {
                reply_to.as_ref().map(known).transpose()?;
            }
            CommentAct::Edit { of, .. } | CommentAct::Delete { of } => {
                let written = known(of)?;
                if written.who != who {
                    let what = format!("{} wrote this comment", written.who);
                    return Err(Error::denied(what)
                        .help("only its author changes or deletes it; reply to it instead"));
                }
            }
            CommentAct::Resolve { of, .. } => drop(known(of)?),
            CommentAct::Label { label, .. } => {
                view.check_item(comment.number)?;
                if self.shared.rounds.asks_answer(who, row) {
                    let what = "a round asks you to answer this item";
                    return Err(Error::denied(what).help("answer it before you label answers"));
                }
                let known = &self.shared.config().review.errors;
                are_known("error", label.as_slice(), known)?;
            }
            CommentAct::Import { .. } => {
                let what = "only an import of a file writes comments that are marked as imported";
                return Err(Error::denied(what).help("write an ordinary comment"));
            }
            CommentAct::Undo { .. } | CommentAct::Redo { .. } => {
                return Err(Error::usage("comments are undone with the request `Undo`"));
            }
        }
        Ok(row)
    }
}
