//! The items under review, in a fixed order. Status changes do not alter the queue.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// The filter that selected the items; empty for all items.
    pub words: String,
    /// A title, if the filter is not to be shown.
    title: Option<String>,
    /// The item numbers, 0 where a sheet with rows has no picture; `None` for all items by number.
    numbers: Option<Vec<u32>>,
    items: u32,
}

impl Queue {
    pub fn all(items: u32) -> Queue {
        Queue {
            items,
            ..Queue::default()
        }
    }

    pub fn of(words: String, numbers: Vec<u32>, items: u32) -> Queue {
        Queue {
            words,
            numbers: Some(numbers),
            items,
            title: None,
        }
    }

    /// The cells of a sheet with rows, some without an item. An item may be in several.
    pub fn of_cells(words: String, cells: Vec<Option<u32>>, items: u32) -> Queue {
        let numbers = cells.into_iter().map(Option::unwrap_or_default);
        Queue::of(words, numbers.collect(), items)
    }

    /// Sets the title.
    pub fn called(mut self, title: String) -> Queue {
        self.title = Some(title);
        self
    }

    /// Whether it has a title other than its filter.
    pub fn is_named(&self) -> bool {
        self.title.is_some()
    }

    /// The title, or the filter.
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.words)
    }

    /// Updates the number of items in the project.
    pub fn grow(&mut self, items: u32) {
        self.items = items;
    }

    /// The number of items in the project.
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Whether it holds all items by number.
    pub fn is_all(&self) -> bool {
        self.numbers.is_none()
    }

    pub fn len(&self) -> usize {
        self.numbers.as_ref().map_or(self.items as usize, Vec::len)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn number(&self, position: usize) -> Option<u32> {
        match &self.numbers {
            Some(numbers) => numbers.get(position).copied().filter(|n| *n > 0),
            None => u32::try_from(position + 1)
                .ok()
                .filter(|n| *n <= self.items),
        }
    }

    pub fn position(&self, number: u32) -> Option<usize> {
        match &self.numbers {
            Some(numbers) => numbers.iter().position(|n| *n == number && number > 0),
            None => (1..=self.items)
                .contains(&number)
                .then(|| number as usize - 1),
        }
    }

    /// At most `most` numbers: those after a position, then those before it.
    pub fn from(&self, position: usize, most: usize) -> Vec<u32> {
        let len = self.len();
        (1..=len)
            .filter_map(|step| self.number((position + step) % len.max(1)))
            .take(most)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_and_number_are_inverse() {
        for queue in [Queue::all(5), Queue::of("x".into(), vec![4, 2, 5], 5)] {
            for position in 0..queue.len() {
                let number = queue.number(position).unwrap();
                assert_eq!(queue.position(number), Some(position));
            }
            assert_eq!(queue.number(queue.len()), None);
        }
        assert_eq!(Queue::all(0).number(0), None);
        assert_eq!(Queue::all(3).position(0), None);
    }

    #[test]
    fn cells_without_an_item_have_places_and_no_number() {
        let cells = vec![Some(4), None, Some(2), Some(4)];
        let queue = Queue::of_cells(String::new(), cells, 9);
        assert_eq!(queue.len(), 4);
        assert_eq!((queue.number(1), queue.number(2)), (None, Some(2)));
        assert_eq!((queue.position(2), queue.position(4)), (Some(2), Some(0)));
        assert_eq!(queue.from(0, 9), [2, 4, 4]);
        assert_eq!(queue.position(0), None);
    }

    #[test]
    fn following_items_wrap_around() {
        assert_eq!(
            Queue::of(String::new(), vec![4, 2, 5], 5).from(1, 10),
            [5, 4, 2]
        );
        assert_eq!(Queue::all(4).from(3, 2), [1, 2]);
        assert!(Queue::all(0).from(0, 3).is_empty());
    }
}
