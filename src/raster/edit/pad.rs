//! Repeats the edge of a picture around it.

/// The pixels of a picture of `size`, `N` bytes each, with its upper left corner `at` this place of a
/// picture of `to`. Pixels around it repeat the nearest pixel of the edge.
pub(super) fn pad<const N: usize>(
    pixels: &[u8],
    (width, height): (u32, u32),
    (left, top): (u32, u32),
    (to_width, to_height): (u32, u32),
) -> Vec<u8> {
    let (line, wide) = (width as usize * N, to_width as usize * N);
    let (from, to) = (left as usize * N, left as usize * N + line);
    let mut padded = vec![0; wide * to_height as usize];
    for (y, row) in padded.chunks_exact_mut(wide).enumerate() {
        let y = y.saturating_sub(top as usize).min(height as usize - 1);
        let source = &pixels[y * line..(y + 1) * line];
        row[from..to].copy_from_slice(source);
        for pixel in row[..from].chunks_exact_mut(N) {
            pixel.copy_from_slice(&source[..N]);
        }
        for pixel in row[to..].chunks_exact_mut(N) {
            pixel.copy_from_slice(&source[line - N..]);
        }
    }
    padded
}
