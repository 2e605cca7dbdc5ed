//! The discrete cosine transform and its inverse, in integers.
//!
//! Loeffler, Ligtenberg and Moschytz, "Practical fast 1-D DCT algorithms with 11 multiplications",
//! 1989, with constants of 13 bits: rows first, with 2 more bits, then columns.

const BITS: i32 = 13;
/// Bits that the first pass keeps.
const KEPT: i32 = 2;

const C_0_298: i32 = 2446;
const C_0_390: i32 = 3196;
const C_0_541: i32 = 4433;
const C_0_765: i32 = 6270;
const C_0_899: i32 = 7373;
const C_1_175: i32 = 9633;
const C_1_501: i32 = 12299;
const C_1_847: i32 = 15137;
const C_1_961: i32 = 16069;
const C_2_053: i32 = 16819;
const C_2_562: i32 = 20995;
const C_3_072: i32 = 25172;

/// Divides by 2^bits and rounds.
#[inline]
fn descale(value: i32, bits: i32) -> i32 {
    (value + (1 << (bits - 1))) >> bits
}

/// Transforms a block of samples less 128. The result is 8 times that of T.81.
pub(super) fn forward(block: &mut [i32; 64]) {
    for row in block.as_chunks_mut::<8>().0 {
        let (even, odd) = forward_line(*row);
        row[0] = even[0] << KEPT;
        row[4] = even[1] << KEPT;
        for (at, value) in [(2, even[2]), (6, even[3])] {
            row[at] = descale(value, BITS - KEPT);
        }
        for (at, value) in [1, 3, 5, 7].into_iter().zip(odd) {
            row[at] = descale(value, BITS - KEPT);
        }
    }
    for x in 0..8 {
        let (even, odd) = forward_line(std::array::from_fn(|y| block[y * 8 + x]));
        block[x] = descale(even[0], KEPT);
        block[32 + x] = descale(even[1], KEPT);
        for (at, value) in [(2, even[2]), (6, even[3])] {
            block[at * 8 + x] = descale(value, BITS + KEPT);
        }
        for (at, value) in [1, 3, 5, 7].into_iter().zip(odd) {
            block[at * 8 + x] = descale(value, BITS + KEPT);
        }
    }
}

/// One line: frequencies 0 and 4 as they are, and 2, 6 and 1, 3, 5, 7 with 13 more bits.
#[inline]
fn forward_line(s: [i32; 8]) -> ([i32; 4], [i32; 4]) {
    let [t0, t1, t2, t3] = std::array::from_fn(|i| s[i] + s[7 - i]);
    let [t7, t6, t5, t4] = std::array::from_fn(|i| s[i] - s[7 - i]);
    let (t10, t13, t11, t12) = (t0 + t3, t0 - t3, t1 + t2, t1 - t2);
    let z1 = (t12 + t13) * C_0_541;
    let even = [t10 + t11, t10 - t11, z1 + t13 * C_0_765, z1 - t12 * C_1_847];
    let (z1, z2, z3, z4) = (t4 + t7, t5 + t6, t4 + t6, t5 + t7);
    let z5 = (z3 + z4) * C_1_175;
    let (z1, z2) = (-z1 * C_0_899, -z2 * C_2_562);
    let (z3, z4) = (z5 - z3 * C_1_961, z5 - z4 * C_0_390);
    let odd = [
        t7 * C_1_501 + z1 + z4,
        t6 * C_3_072 + z2 + z3,
        t5 * C_2_053 + z2 + z4,
        t4 * C_0_298 + z1 + z3,
    ];
    (even, odd)
}

/// Transforms frequencies back into samples less 128, not yet clipped.
pub(super) fn inverse(block: &mut [i32; 64]) {
    for x in 0..8 {
        let column: [i32; 8] = std::array::from_fn(|y| block[y * 8 + x]);
        if column[1..].iter().all(|value| *value == 0) {
            // As the whole line would give, without its multiplications.
            for y in 0..8 {
                block[y * 8 + x] = column[0] << KEPT;
            }
            continue;
        }
        for (y, value) in inverse_line(column).into_iter().enumerate() {
            block[y * 8 + x] = descale(value, BITS - KEPT);
        }
    }
    for row in block.as_chunks_mut::<8>().0 {
        *row = inverse_line(*row).map(|value| descale(value, BITS + KEPT + 3));
    }
}

/// One line, with 13 more bits.
#[inline]
fn inverse_line(f: [i32; 8]) -> [i32; 8] {
    let z1 = (f[2] + f[6]) * C_0_541;
    let (t2, t3) = (z1 - f[6] * C_1_847, z1 + f[2] * C_0_765);
    let (t0, t1) = ((f[0] + f[4]) << BITS, (f[0] - f[4]) << BITS);
    let even = [t0 + t3, t1 + t2, t1 - t2, t0 - t3];
    let (z1, z2, z3, z4) = (f[7] + f[1], f[5] + f[3], f[7] + f[3], f[5] + f[1]);
    let z5 = (z3 + z4) * C_1_175;
    let (z1, z2) = (-z1 * C_0_899, -z2 * C_2_562);
    let (z3, z4) = (z5 - z3 * C_1_961, z5 - z4 * C_0_390);
    let odd = [
        f[1] * C_1_501 + z1 + z4,
        f[3] * C_3_072 + z2 + z3,
        f[5] * C_2_053 + z2 + z4,
        f[7] * C_0_298 + z1 + z3,
    ];
    std::array::from_fn(|i| match i {
        0..4 => even[i] + odd[i],
        _ => even[7 - i] - odd[7 - i],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transform_and_back_is_the_same() {
        let mut stream = benchtop_model::rng::Stream::new(3);
        for _ in 0..500 {
            let block: [i32; 64] = std::array::from_fn(|_| stream.below(256) as i32 - 128);
            let mut there = block;
            forward(&mut there);
            // The sum is kept but for the rounding of the first pass.
            let sum: i32 = block.iter().sum();
            assert!((there[0] - sum).abs() <= 1, "{} {sum}", there[0]);
            let mut back = there.map(|value| descale(value, 3));
            inverse(&mut back);
            let off = back.iter().zip(&block).map(|(a, b)| (a - b).abs()).max();
            assert!(off <= Some(2), "{off:?}");
        }
    }
}
