//! Tags that the next verdict on a picture carries.

use super::SheetPane;
use crate::action::Action;
use crate::pane::{Context, Target};
use crate::panes::review::{carries, choose_tags};
use crate::widgets::text::counted;
use benchtop_model::Judgement;

impl SheetPane {
    /// Asks for the tags of the next verdict on the selected items, or on the one under the cursor.
    pub(super) fn ask_tags(&self, cx: &mut Context<'_>) {
        let Some(numbers) = self.targets(cx) else {
            return;
        };
        let what = match numbers.as_slice() {
            [number] => format!("#{number}"),
            several => counted(several.len() as u64, "item"),
        };
        let present = numbers.first().and_then(|number| self.tags.get(number));
        let marked = present.map_or(&[][..], Vec::as_slice);
        let title = format!("tags of {what}");
        choose_tags(title, marked, cx, move |pane: &mut Self, tags, cx| {
            cx.say(carries(&what, &tags));
            for number in numbers {
                match tags.is_empty() {
                    true => drop(pane.tags.remove(&number)),
                    false => drop(pane.tags.insert(number, tags.clone())),
                }
            }
        });
    }

    /// Opens the item in the review: its picture is too small here to mark a part of it.
    pub(super) fn mark_in_review(&self, cx: &mut Context<'_>) {
        if self.samples.is_some() {
            return cx.say("pictures of one item cannot be marked");
        }
        let Some(number) = self.number() else {
            return cx.say("no picture to mark");
        };
        let (mark, back) = (cx.key(Action::MarkPicture), cx.key(Action::Back));
        cx.open(Target::Item(number));
        cx.say(format!(
            "{mark} marks the picture here, where it is large; {back} returns to the sheet"
        ));
    }

    /// A verdict with the tags that wait for it.
    pub(super) fn attach(&mut self, number: u32, judgement: Judgement) -> Judgement {
        let tags = self.tags.remove(&number).unwrap_or_default();
        Judgement {
            tags: [judgement.tags, tags].concat(),
            ..judgement
        }
    }

    /// Restores the tags of a refused verdict.
    pub(super) fn attach_again(&mut self, number: u32, judgement: Judgement) {
        if !judgement.tags.is_empty() {
            self.tags.entry(number).or_insert(judgement.tags);
        }
    }
}
