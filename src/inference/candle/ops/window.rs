//! The window of a 3x3 convolution.

/// Stride and padding of a 3x3 convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub stride: usize,
    /// Zeros above and left.
    pub before: usize,
    /// Zeros below and right.
    pub after: usize,
}

impl Window {
    /// Output of the same size.
    pub const SAME: Window = Window {
        stride: 1,
        before: 1,
        after: 1,
    };
    /// Half the size, as in the U-Net.
    pub const HALF: Window = Window {
        stride: 2,
        before: 1,
        after: 1,
    };
    /// Half the size with zeros only below and right, as in the VAE's encoder.
    pub const HALF_BELOW: Window = Window {
        stride: 2,
        before: 0,
        after: 1,
    };

    /// Output length for an axis of length `n`.
    pub fn out(self, n: usize) -> usize {
        (n + self.before + self.after).saturating_sub(3) / self.stride + 1
    }
}
