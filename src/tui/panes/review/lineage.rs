//! Where an item comes from, as a page.

use super::ReviewPane;
use crate::action::Action;
use crate::pane::{Ask, Context, Opens};
use crate::theme::Role;
use crate::widgets::page::Page;
use crate::widgets::text::clean;
use benchtop_model::Result;
use benchtop_model::lineage::Lineage;
use benchtop_protocol::wire::request;

/// Width of the label column.
const LABEL: u16 = 16;

/// The page: one heading a step, then its parameters.
pub fn page(lineage: &Lineage) -> Page {
    let mut page = Page::new(format!(
        "#{}: lineage of {}",
        lineage.number,
        clean(&lineage.id)
    ));
    if let Some(stale) = &lineage.stale {
        page = page.entry("changed", LABEL, clean(stale), Role::Warn);
    }
    for step in &lineage.steps {
        let heading = match step.item == lineage.id {
            true => step.kind.name().to_string(),
            false => format!("{} ({})", step.kind.name(), clean(&step.item)),
        };
        page = page.heading(heading).paragraph(clean(&step.what));
        for (name, value) in step.readable() {
            page = page.entry(clean(name), LABEL, clean(&value), Role::Dim);
        }
    }
    page
}

impl ReviewPane {
    /// Asks the owner where the item on screen comes from.
    pub(super) fn show_lineage(&self, cx: &mut Context<'_>) {
        let Some(number) = self.number() else {
            let find = cx.key(Action::Find);
            return cx.say(format!("no item on screen; {find} makes a queue"));
        };
        let then = move |pane: &mut Self, found: Result<Lineage>, cx: &mut Context<'_>| {
            // Do not interrupt a user who moved on or opened something.
            if !cx.env.is_shown || cx.env.is_covered || pane.number() != Some(number) {
                return;
            }
            if let Some(lineage) = cx.ok_or_show(found) {
                cx.page(page(&lineage));
            }
        };
        let ask = Ask::new(request::Lineage { number }, then);
        cx.send(ask.opens(Opens::Overlay).for_key());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::Effect;
    use crate::pane::recorder::Recorder;
    use crate::panes::review::Queue;
    use benchtop_model::lineage::{Step, StepKind};

    fn lineage(number: u32) -> Lineage {
        let step = Step::new(StepKind::Edit, "corruption", "clean/1");
        Lineage {
            number,
            id: "corrupted/1".into(),
            stale: None,
            steps: vec![
                step.with("severity", 3),
                Step::new(StepKind::Question, "Which animal is it?", "corrupted/1"),
            ],
        }
    }

    #[test]
    fn the_lineage_opens_unless_the_annotator_moved_on() {
        let rec = Recorder::new().unwrap();
        let opened = |moved: bool| {
            let mut pane = ReviewPane::default();
            rec.call(&mut pane, |pane, cx| {
                pane.set_queue(Queue::of("x".into(), vec![3, 4], 9), None, cx);
            });
            let effects = rec.call(&mut pane, |pane, cx| pane.show_lineage(cx));
            let is_asked = |effect: &Effect| matches!(effect, Effect::Ask(_));
            let asked = effects.into_iter().find(is_asked);
            if moved {
                rec.call(&mut pane, |pane, cx| assert!(pane.go(1, cx).is_ok()));
            }
            let effects = rec.reply::<request::Lineage>(&mut pane, asked.unwrap(), Ok(lineage(3)));
            let page = effects.into_iter().find_map(|effect| match effect {
                Effect::Page(page) => Some(page),
                _ => None,
            });
            page.map(|page| page.title)
        };
        assert_eq!(opened(true), None);
        assert!(opened(false).unwrap().contains("corrupted/1"));
    }
}
