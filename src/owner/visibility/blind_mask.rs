//! The items that a blind round hides from one annotator.

/// The items of which an annotator must not see what is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlindMask {
    /// A bit a row.
    bits: Vec<u64>,
    /// Rows that the annotator has in hand: their own earlier verdict is kept back too, since it would tell a repeat.
    pub in_hand: Vec<u32>,
    /// A round that asks for it.
    pub round: String,
    /// Another number for other rows; never 0.
    pub key: u64,
}

impl BlindMask {
    /// Nothing is veiled.
    pub fn new(key: u64) -> BlindMask {
        BlindMask {
            key,
            ..BlindMask::default()
        }
    }

    /// Whether a row is veiled.
    pub fn has(&self, row: u32) -> bool {
        self.bits
            .get(row as usize / 64)
            .is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Veils a row, or no longer.
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

    /// The veiled rows, rising.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        let filled = self.bits.iter().enumerate().filter(|(_, word)| **word != 0);
        filled.flat_map(|(at, word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| at * 64 + bit)
        })
    }
}
