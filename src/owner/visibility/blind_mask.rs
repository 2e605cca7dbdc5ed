//! The items that a blind round hides from one annotator.

/// The blind items of one annotator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlindMask {
    /// One bit per row.
    bits: Vec<u64>,
    /// Rows assigned to the annotator. Their own earlier verdicts on these are hidden too, because
    /// they would reveal a repeat.
    pub in_hand: Vec<u32>,
    /// A round that hides items.
    pub round: String,
    /// Identifies the set of rows; never 0.
    pub key: u64,
}

impl BlindMask {
    /// An empty mask.
    pub fn new(key: u64) -> BlindMask {
        BlindMask {
            key,
            ..BlindMask::default()
        }
    }

    /// Whether a row is blind.
    pub fn has(&self, row: u32) -> bool {
        self.bits
            .get(row as usize / 64)
            .is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Adds or removes a row.
    pub fn put(&mut self, row: u32, to: bool) {
        let at = row as usize / 64;
        if at >= self.bits.len() {
            self.bits.resize(at + 1, 0);
        }
        let bit = 1 << (row % 64);
        self.bits[at] = if to {
            self.bits[at] | bit
        } else {
            self.bits[at] & !bit
        };
    }

    /// Blind rows in rising order.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        let filled = self.bits.iter().enumerate().filter(|(_, word)| **word != 0);
        filled.flat_map(|(at, word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| at * 64 + bit)
        })
    }
}
