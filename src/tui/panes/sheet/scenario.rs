//! What a scenario made of a picture, in labeled rows. If it made one picture of each source, the
//! rows show an example of each combination from the whole data set.

use super::SheetPane;
use super::arrangement::{ARRANGED, Arranged, Arrangement};
use super::examples::{Examples, Search, Wanted};
use super::items::QUEUE;
use crate::action::Action;
use crate::item::Loaded;
use crate::pane::{Ask, Context, PaneId, Target};
use crate::panes::review::queue::Queue;
use crate::widgets::text;
use benchtop_model::filter::{Contains, TextField};
use benchtop_model::{Field, Filter, Item, Result};
use benchtop_protocol::wire::{ItemView, Lines, request};
use benchtop_raster::corrupt::Corruption;

/// Items that are looked at in one frame.
const AT_ONCE: usize = 256;
/// The severities of a grid.
const SEVERITIES: std::ops::RangeInclusive<u8> = 1..=5;
impl Wanted {
    /// What was made of the source alone: the one picture, or those of a grid.
    fn of_source(&self) -> Filter {
        let id = format!("{}/{}", self.dataset, self.key);
        let of =
            |corruption: Corruption, severity| format!("{id}~{}-{severity}", corruption.name());
        let mut ids = vec![id.clone()];
        for corruption in Corruption::ALL {
            ids.extend(SEVERITIES.map(|severity| of(corruption, severity)));
        }
        let is = Contains {
            field: TextField::Id,
            needles: ids,
        };
        Filter {
            contains: vec![is],
            ..Filter::default()
        }
    }

    fn of_dataset(&self) -> Filter {
        let mut filter = Filter::default();
        let (of, is) = (&self.dataset, &self.scenario);
        filter.values.push((Field::Dataset, vec![of.clone()]));
        filter.values.push((Field::Variant, vec![is.clone()]));
        filter
    }
}

/// The key of the source of an item of a grid; that of the item otherwise.
fn source_key(item: &Item) -> String {
    let key = item.key.to_string();
    let of = item.derivation.as_ref().map(|of| &of.parameters);
    let text = |name: &str| of.and_then(|of| of.get(name));
    let (Some(name), Some(severity)) = (
        text("corruption").and_then(|v| v.as_str()),
        text("severity").and_then(|v| v.as_u64()),
    ) else {
        return key;
    };
    let source = key.strip_suffix(&format!("~{name}-{severity}"));
    source.map_or(key.clone(), String::from)
}

impl SheetPane {
    /// Arranges what a scenario made of this item, or the scenario that made it.
    pub(super) fn show_scenario(
        &mut self,
        number: u32,
        from: Option<PaneId>,
        cx: &mut Context<'_>,
    ) {
        let then = move |pane: &mut Self, view: Result<ItemView>, cx: &mut Context<'_>| {
            let Some(view) = cx.ok_or_show(view) else {
                return;
            };
            match Loaded::from_view(view) {
                Ok(loaded) => pane.on_source(&loaded.item, (number, from), cx),
                Err(why) => cx.refuse(why),
            }
        };
        let ask = Ask::new(request::Item(number), then);
        cx.send(ask.named(QUEUE).for_key());
    }

    fn on_source(&self, item: &Item, (number, from): (u32, Option<PaneId>), cx: &mut Context<'_>) {
        let method = item.derivation.as_ref().map(|of| of.method.as_str());
        let wanted = Wanted {
            scenario: method.unwrap_or_default().into(),
            dataset: item.dataset.clone(),
            key: source_key(item),
            number,
            from,
        };
        if method.is_some_and(|method| ARRANGED.contains(&method)) {
            return self.ask_source(wanted, cx);
        }
        // A source: what was made of it is in a data set for each scenario.
        let of = |scenario: &&'static str| {
            (
                *scenario,
                format!("{}-{scenario}", text::clean(&wanted.dataset)),
            )
        };
        let title = format!("scenario of #{number}");
        let source = wanted.clone();
        cx.choose_of(
            title,
            ARRANGED.to_vec(),
            of,
            move |pane: &mut Self, scenario, cx| {
                let dataset = format!("{}-{scenario}", source.dataset);
                let scenario = scenario.to_string();
                let wanted = Wanted {
                    scenario,
                    dataset,
                    ..source
                };
                pane.ask_source(wanted, cx);
            },
        );
    }

    /// Asks for the pictures of one source. If there is one only, asks for those of the data set.
    fn ask_source(&self, wanted: Wanted, cx: &mut Context<'_>) {
        let filter = wanted.of_source();
        let then = move |pane: &mut Self, numbers, cx: &mut Context<'_>| {
            let Some(numbers) = cx.ok_or_show::<Vec<u32>>(numbers) else {
                return;
            };
            match numbers.len() {
                0 | 1 => pane.ask_dataset(wanted, numbers.first().copied(), cx),
                _ => {
                    let id = format!("{}/{}", wanted.dataset, wanted.key);
                    let title = format!("{} of {}", wanted.scenario, text::clean(&id));
                    pane.ask_made(wanted, title, numbers, cx);
                }
            }
        };
        let ask = Ask::new(request::Numbers(filter, Vec::new()), then);
        cx.send(ask.named(QUEUE).for_key());
    }

    fn ask_dataset(&self, wanted: Wanted, own: Option<u32>, cx: &mut Context<'_>) {
        let filter = wanted.of_dataset();
        let then = move |pane: &mut Self, numbers, cx: &mut Context<'_>| {
            let Some(mut numbers) = cx.ok_or_show::<Vec<u32>>(numbers) else {
                return;
            };
            let name = text::clean(&wanted.dataset);
            if numbers.is_empty() {
                let form = cx.key(Action::Go(PaneId::Scenario));
                let what = &wanted.scenario;
                return cx.say(format!("no {what} items in `{name}`; {form} makes them"));
            }
            // The picture of the item itself is the example where it fits.
            if let Some(own) = own {
                numbers.retain(|number| *number != own);
                numbers.insert(0, own);
            }
            pane.ask_made(wanted, format!("{name}: one example each"), numbers, cx);
        };
        let ask = Ask::new(request::Numbers(filter, Vec::new()), then);
        cx.send(ask.named(QUEUE).for_key());
    }

    /// Looks at the parameters of these items, until each combination has its examples.
    fn ask_made(&mut self, wanted: Wanted, title: String, numbers: Vec<u32>, cx: &mut Context<'_>) {
        let found = Examples::new(&wanted.scenario);
        self.search = Some(Search {
            wanted,
            title,
            numbers,
            looked: 0,
            found,
        });
        self.look(cx);
    }

    /// Asks for the next items of the search.
    fn look(&self, cx: &mut Context<'_>) {
        let Some(search) = &self.search else {
            return;
        };
        let rest = search.numbers.iter().skip(search.looked);
        let next: Vec<u32> = rest.take(AT_ONCE).copied().collect();
        let asked = next.clone();
        let then = move |pane: &mut Self, lines, cx: &mut Context<'_>| {
            pane.looked(&asked, lines, cx);
        };
        cx.send(Ask::new(request::Items(next), then).named(QUEUE).for_key());
    }

    fn looked(&mut self, asked: &[u32], lines: Result<Lines>, cx: &mut Context<'_>) {
        let Some(lines) = cx.ok_or_show(lines) else {
            self.search = None;
            return;
        };
        let Some(search) = &mut self.search else {
            return;
        };
        // A reply has as many items as fit in a frame.
        let mut read = 0;
        for (number, line) in asked.iter().zip(lines.json.lines()) {
            search.found.see(*number, line);
            read += 1;
        }
        search.looked += read;
        let (looked, all) = (search.looked, search.numbers.len());
        if read == 0 || looked >= all || search.found.is_complete() {
            return self.end_search(cx);
        }
        let back = cx.key(Action::Back);
        let [looked, all] = [looked, all].map(|n| text::grouped(n as u64));
        cx.say(format!(
            "looked at {looked} of {all} items; {back} shows what was found"
        ));
        self.look(cx);
    }

    /// Shows what a search found so far.
    pub(super) fn stop_search(&mut self, cx: &mut Context<'_>) {
        cx.cancel(QUEUE);
        self.end_search(cx);
    }

    fn end_search(&mut self, cx: &mut Context<'_>) {
        let Some(search) = self.search.take() else {
            return;
        };
        let (looked, all) = (search.looked, search.numbers.len());
        let title = match looked < all {
            // The rest cannot have other combinations.
            _ if search.found.is_complete() => search.title,
            true => {
                let [looked, all] = [looked, all].map(|n| text::grouped(n as u64));
                format!("{}, of the first {looked} of {all} items", search.title)
            }
            false => search.title,
        };
        match Arrangement::of(&search.wanted.scenario, search.found.made()) {
            Some(arrangement) => self.arrange(arrangement, &search.wanted, title, cx),
            None => cx.say(format!("nothing to arrange in {title}")),
        }
    }

    fn arrange(
        &mut self,
        arrangement: Arrangement,
        wanted: &Wanted,
        title: String,
        cx: &mut Context<'_>,
    ) {
        let (before, from) = match self.arranged.take() {
            Some(arranged) => (arranged.before, arranged.from),
            None => ((self.queue.clone(), self.own, self.place), wanted.from),
        };
        let words = wanted.of_dataset().to_text();
        let queue = Queue::of_cells(words, arrangement.numbers(), self.queue.items());
        let position = queue.position(wanted.number).unwrap_or(0);
        self.arranged = Some(Arranged {
            arrangement,
            before,
            from,
        });
        self.own = true;
        self.samples = None;
        self.enter(queue.called(title), position, cx);
    }

    /// Returns to what was shown before the rows. Returns whether there were rows.
    pub(super) fn unarrange(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(arranged) = self.arranged.take() else {
            return false;
        };
        let place;
        (self.queue, self.own, place) = arranged.before;
        self.selected.clear();
        self.place = place;
        self.fetch(cx);
        if let Some(pane) = arranged.from {
            cx.open(Target::Back(pane));
        }
        true
    }
}
