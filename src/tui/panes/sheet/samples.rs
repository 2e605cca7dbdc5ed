//! The pictures that were generated for an item, as a sheet.

use super::place::Place;
use super::{Samples, SheetPane};
use crate::pane::{Ask, Context, PaneId};
use benchtop_model::generated_image::GeneratedImage;
use benchtop_protocol::wire::request;

/// Requests for samples.
const SAMPLES: &str = "samples";

impl SheetPane {
    /// Shows all pictures that were generated for an item.
    pub(super) fn show_samples(&mut self, number: u32, from: Option<PaneId>, cx: &mut Context<'_>) {
        self.samples = Some(Samples {
            number,
            loaded: None,
            place: Place::default(),
            from,
        });
        self.ask_samples(cx);
        if !self.items.contains_key(&number) {
            self.ask_item(number, cx);
        }
    }

    /// Requests the pictures again, as after a new one was made.
    pub(super) fn ask_samples(&mut self, cx: &mut Context<'_>) {
        let Some(number) = self.samples.as_ref().map(|samples| samples.number) else {
            return;
        };
        let then = move |pane: &mut Self, list, _: &mut Context<'_>| {
            if let Some(samples) = pane.samples.as_mut().filter(|s| s.number == number) {
                samples.loaded = Some(list);
            }
        };
        let ask = Ask::new(request::GeneratedImages { number }, then);
        cx.cancel(SAMPLES);
        cx.send(ask.named(SAMPLES));
    }

    /// Whether the item shows this picture.
    pub(super) fn is_shown(&self, number: u32, image: &GeneratedImage) -> bool {
        self.loaded(number).is_some_and(|loaded| {
            let mut own = loaded.item.images.iter();
            own.any(|own| own.hash.as_deref() == Some(image.hash.as_str()))
        })
    }
}
