//! Which items are reviewed, in which order: fixed when it is made, whatever happens to their statuses.

/// A review queue.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// The words of the filter it was made from; empty for all items.
    pub words: String,
    /// What it is called where the words do not say it.
    title: Option<String>,
    /// Its item numbers; `None` for all items by number.
    numbers: Option<Vec<u32>>,
    /// Items in the project.
    items: u32,
}

impl Queue {
    /// All items by number.
    pub fn all(items: u32) -> Queue {
        Queue {
            items,
            ..Queue::default()
        }
    }

    /// These items in this order.
    pub fn of(words: String, numbers: Vec<u32>, items: u32) -> Queue {
        Queue {
            words,
            numbers: Some(numbers),
            items,
            title: None,
        }
    }

    /// The same under another name than its words.
    pub fn called(mut self, title: String) -> Queue {
        self.title = Some(title);
        self
    }

    /// Whether it has a name of its own.
    pub fn is_named(&self) -> bool {
        self.title.is_some()
    }

    /// What it is called: its words, unless it has a name of its own.
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.words)
    }

    /// Takes note that the project has `items` items now.
    pub fn grow(&mut self, items: u32) {
        self.items = items;
    }

    /// How many items the project has.
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Whether it is all items by number.
    pub fn is_all(&self) -> bool {
        self.numbers.is_none()
    }

    /// How many items it has.
    pub fn len(&self) -> usize {
        self.numbers.as_ref().map_or(self.items as usize, Vec::len)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item number at a position from 0.
    pub fn number(&self, position: usize) -> Option<u32> {
        match &self.numbers {
            Some(numbers) => numbers.get(position).copied(),
            None => u32::try_from(position + 1)
                .ok()
                .filter(|n| *n <= self.items),
        }
    }

    /// The position of an item, from 0.
    pub fn position(&self, number: u32) -> Option<usize> {
        match &self.numbers {
            Some(numbers) => numbers.iter().position(|n| *n == number),
            None => (1..=self.items)
                .contains(&number)
                .then(|| number as usize - 1),
        }
    }

    /// The numbers after a position and then those before it; at most `most`.
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
    fn positions_and_numbers_are_each_others_inverse() {
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
    fn what_follows_wraps_around_to_the_item_itself() {
        assert_eq!(
            Queue::of(String::new(), vec![4, 2, 5], 5).from(1, 10),
            [5, 4, 2]
        );
        assert_eq!(Queue::all(4).from(3, 2), [1, 2]);
        assert!(Queue::all(0).from(0, 3).is_empty());
    }
}
