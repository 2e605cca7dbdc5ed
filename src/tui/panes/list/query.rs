//! The filter of the list, and its description.

use benchtop_model::{Field, Filter, Sort};

/// A filter, plus an item set for values that no filter can express.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Query {
    /// The part that can be typed.
    pub(super) filter: Filter,
    /// Sorted item numbers, with a label for the value that they share.
    pub(super) within: Option<(String, Vec<u32>)>,
}

impl Query {
    pub(super) fn is_empty(&self) -> bool {
        *self == Query::default()
    }

    /// The filter for requests, limited to `subset` (sorted item numbers).
    pub(super) fn compose(&self, subset: Option<&[u64]>) -> Filter {
        let mut filter = self.filter.clone();
        let subset = subset.map(|ids| {
            ids.iter()
                .filter_map(|id| u32::try_from(*id).ok())
                .collect()
        });
        for only in [self.within.as_ref().map(|(_, only)| only.clone()), subset]
            .into_iter()
            .flatten()
        {
            filter.only = Some(match filter.only.take() {
                None => only,
                Some(have) => have
                    .into_iter()
                    .filter(|n| only.binary_search(n).is_ok())
                    .collect(),
            });
        }
        filter
    }

    /// The title of the list. A long list of numbers is shown as a count.
    pub(super) fn title(&self) -> String {
        let mut shown = self.filter.clone();
        let numbers = shown.only.take_if(|only| only.len() > 8);
        let counted = numbers.map(|n| format!("{} items by number", n.len()));
        let within = self.within.as_ref().map(|(label, _)| label.clone());
        let parts = [
            Some(shown.to_typed_text()).filter(|w| !w.is_empty()),
            counted,
            within,
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
    }
}

/// A value for messages.
pub(super) fn named(field: Field, value: &str) -> String {
    if value.is_empty() {
        format!("no {}", field.name())
    } else {
        format!("{} `{value}`", field.name())
    }
}

/// The order in words; empty for the order by number.
pub(super) fn order(sort: &[Sort], searched: bool) -> String {
    let key = |s: &Sort| {
        format!(
            "{}{}",
            s.field.name(),
            if s.descending { " descending" } else { "" }
        )
    };
    match sort {
        [] if searched => "best match first".into(),
        [] => String::new(),
        keys => format!(
            "by {}",
            keys.iter().map(key).collect::<Vec<_>>().join(", then ")
        ),
    }
}
