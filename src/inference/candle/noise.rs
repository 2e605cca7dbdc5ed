//! Noise from a seed, identical to `torch.randn(...,
//! generator=torch.Generator().manual_seed(seed))` on the CPU in float32. The same seed starts from
//! the same latents as in diffusers, on any device and in any batch.

use candle_core::{Device, Result, Tensor};

const STATE: usize = 624;
const SHIFT: usize = 397;
/// Shorter draws use torch's scalar path, one double at a time.
const BLOCK: usize = 16;

/// The Mersenne Twister MT19937 (Matsumoto and Nishimura 1998).
#[derive(Clone)]
struct Mt19937 {
    state: [u32; STATE],
    next: usize,
}

impl Mt19937 {
    fn new(seed: u32) -> Mt19937 {
        let mut state = [0u32; STATE];
        let mut last = seed;
        for (i, word) in (0u32..).zip(state.iter_mut()) {
            if i > 0 {
                last = 1_812_433_253u32
                    .wrapping_mul(last ^ (last >> 30))
                    .wrapping_add(i);
            }
            *word = last;
        }
        Mt19937 { state, next: STATE }
    }

    fn refill(&mut self) {
        for i in 0..STATE {
            let word = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % STATE] & 0x7fff_ffff);
            let twist = if word & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + SHIFT) % STATE] ^ (word >> 1) ^ twist;
        }
        self.next = 0;
    }

    fn next_u32(&mut self) -> u32 {
        if self.next == STATE {
            self.refill();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// Uniform in [0, 1) with 24 bits.
    fn uniform_f32(&mut self) -> f32 {
        (self.next_u32() & 0x00ff_ffff) as f32 / 16_777_216.0
    }

    /// Uniform in [0, 1) with 53 bits; the first word is the high one.
    fn uniform_f64(&mut self) -> f64 {
        let (high, low) = (u64::from(self.next_u32()), u64::from(self.next_u32()));
        (((high << 32) | low) & ((1 << 53) - 1)) as f64 / 9_007_199_254_740_992.0
    }
}

/// The noise of one picture: a stream of standard normal numbers, as in PyTorch on the CPU.
#[derive(Clone)]
pub struct Generator {
    engine: Mt19937,
    /// The second number of the last scalar pair; torch keeps it across draws.
    spare: Option<f64>,
}

impl Generator {
    /// The stream of `seed`. Only its lower 32 bits count, as in PyTorch.
    pub fn new(seed: u64) -> Generator {
        Generator {
            engine: Mt19937::new((seed & 0xffff_ffff) as u32),
            spare: None,
        }
    }

    /// The next `count` numbers: `torch.randn(count, generator=g)`. Two draws of 8 differ from one
    /// draw of 16, as in PyTorch.
    pub fn randn(&mut self, count: usize) -> Vec<f32> {
        if count < BLOCK {
            return (0..count).map(|_| self.scalar() as f32).collect();
        }
        let mut out: Vec<f32> = (0..count).map(|_| self.engine.uniform_f32()).collect();
        for block in out.chunks_exact_mut(BLOCK) {
            box_muller(block);
        }
        if !count.is_multiple_of(BLOCK) {
            // torch redraws the last 16 numbers, which overlap the previous block.
            let tail = &mut out[count - BLOCK..];
            tail.iter_mut().for_each(|x| *x = self.engine.uniform_f32());
            box_muller(tail);
        }
        out
    }

    fn scalar(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let (turn, u) = (self.engine.uniform_f64(), self.engine.uniform_f64());
        let radius = (-2.0 * (-u).ln_1p()).sqrt();
        let angle = 2.0 * std::f64::consts::PI * turn;
        self.spare = Some(radius * angle.sin());
        radius * angle.cos()
    }
}

/// Converts 16 uniform numbers to normal ones (Box and Muller 1958): the first eight give the
/// radii, the others the angles. Rounds to f32 where torch does. The functions are computed in f64,
/// so that results do not depend on the platform's math library.
fn box_muller(block: &mut [f32]) {
    let (radii, angles) = block.split_at_mut(BLOCK / 2);
    for (a, b) in radii.iter_mut().zip(angles) {
        let radius = (-2.0 * f64::from(1.0 - *a).ln() as f32).sqrt();
        let angle = f64::from(std::f32::consts::TAU * *b);
        (*a, *b) = (radius * angle.cos() as f32, radius * angle.sin() as f32);
    }
}

/// Draws `shape` from each generator and stacks the results: `[generators, shape..]` in f32 on
/// `device`.
pub fn stacked(generators: &mut [Generator], shape: &[usize], device: &Device) -> Result<Tensor> {
    let count = shape.iter().product();
    let numbers: Vec<f32> = generators.iter_mut().flat_map(|g| g.randn(count)).collect();
    let dims: Vec<usize> = std::iter::once(generators.len())
        .chain(shape.iter().copied())
        .collect();
    Tensor::from_vec(numbers, dims, device)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws of `torch.Generator().manual_seed(seed)`: size of each draw, some of its numbers by
    /// index, sum, and sum of squares (torch 2.15).
    struct Draw(usize, &'static [(usize, f64)], f64, f64);

    fn check(seed: u64, draws: &[Draw]) {
        let mut generator = Generator::new(seed);
        for Draw(count, some, sum, squares) in draws {
            let got = generator.randn(*count);
            assert_eq!(got.len(), *count);
            for (at, expected) in *some {
                let off = (f64::from(got[*at]) - expected).abs();
                assert!(
                    off <= 1e-6,
                    "seed {seed}, {count} numbers: number {at} is {}, not {expected}",
                    got[*at]
                );
            }
            let numbers = || got.iter().map(|x| f64::from(*x));
            assert!(
                (numbers().sum::<f64>() - sum).abs() < 1e-3,
                "seed {seed}, {count} numbers"
            );
            assert!(
                (numbers().map(|x| x * x).sum::<f64>() - squares).abs() < 1e-2,
                "seed {seed}, {count} numbers"
            );
        }
    }

    #[test]
    fn engine_matches_mt19937() {
        let mut engine = Mt19937::new(5489);
        let words: Vec<u32> = (0..10_000).map(|_| engine.next_u32()).collect();
        // The C++ standard specifies the 10000th number of the default seed.
        assert_eq!((words[0], words[9_999]), (3_499_211_612, 4_123_659_995));
    }

    #[test]
    fn blocks_of_sixteen_match_torch() {
        const FIRST: [(usize, f64); 7] = [
            (0, -1.12583983),
            (1, -1.1523602),
            (4, 0.848710358),
            (7, -2.11521935),
            (8, 0.322274923),
            (13, 1.2376579),
            (15, -0.247278154),
        ];
        check(0, &[Draw(16, &FIRST, -1.90911431, 13.3915001)]);
    }

    #[test]
    fn consecutive_draws_match_torch() {
        check(
            7,
            &[
                Draw(
                    3,
                    &[(0, -0.146795094), (1, 0.786141276), (2, 0.94682163)],
                    1.58616781,
                    1.53603811,
                ),
                Draw(
                    16384,
                    &[(0, -0.176437929), (2, 1.93001688), (16383, -1.43410373)],
                    -132.22157,
                    16344.993,
                ),
                // The first of these five is the spare of the three above; the long draw keeps it.
                Draw(
                    5,
                    &[(0, -1.114344), (1, -1.2392652), (4, -0.284435958)],
                    -1.79224482,
                    6.32984126,
                ),
                Draw(
                    17,
                    &[(0, -0.0589699745), (1, -0.0142462328), (16, -0.880407214)],
                    6.67170523,
                    16.8731594,
                ),
                Draw(1, &[(0, 1.10022008)], 1.10022008, 1.21048423),
                Draw(
                    40,
                    &[(0, 1.31421947), (37, 0.564519346), (39, 0.440271795)],
                    0.663152292,
                    38.0634058,
                ),
            ],
        );
        check(
            123456789,
            &[
                Draw(
                    16384,
                    &[(0, 0.264255404), (16383, 0.39982143)],
                    -54.5992088,
                    16090.458,
                ),
                Draw(
                    16384,
                    &[(0, -0.705906391), (16382, -1.3322494)],
                    -134.338755,
                    16330.3922,
                ),
            ],
        );
        check(
            4294967295,
            &[Draw(
                33,
                &[(0, -2.66429758), (30, -1.04885542), (32, 0.0403710417)],
                -5.17697399,
                52.1805113,
            )],
        );
        check(
            1,
            &[
                Draw(
                    15,
                    &[(0, 0.661352158), (14, 0.422415316)],
                    -3.42778226,
                    6.91649413,
                ),
                Draw(
                    2,
                    &[(0, 0.267316997), (1, -0.421195149)],
                    -0.153878152,
                    0.248863731,
                ),
            ],
        );
    }

    #[test]
    fn only_the_lower_half_of_a_seed_counts() {
        assert_eq!(
            Generator::new((1 << 32) + 42).randn(16),
            Generator::new(42).randn(16)
        );
        assert!((f64::from(Generator::new((1 << 63) + 7).randn(16)[0]) + 0.820134521).abs() < 1e-6);
    }

    #[test]
    fn a_sample_does_not_depend_on_its_batch() {
        let generators =
            |seeds: &[u64]| seeds.iter().map(|s| Generator::new(*s)).collect::<Vec<_>>();
        let shape = [4, 3, 5];
        let (mut batch, mut alone) = (generators(&[5, 9, 5]), generators(&[9]));
        for _ in 0..3 {
            let three = stacked(&mut batch, &shape, &Device::Cpu).unwrap();
            let one = stacked(&mut alone, &shape, &Device::Cpu).unwrap();
            assert_eq!(three.dims(), [3, 4, 3, 5]);
            let row = |t: &Tensor, i: usize| {
                t.get(i)
                    .unwrap()
                    .flatten_all()
                    .unwrap()
                    .to_vec1::<f32>()
                    .unwrap()
            };
            assert_eq!(row(&three, 1), row(&one, 0));
            assert_eq!(row(&three, 0), row(&three, 2));
            assert_ne!(row(&three, 0), row(&three, 1));
        }
        assert_eq!(
            stacked(&mut alone, &[0], &Device::Cpu)
                .unwrap()
                .elem_count(),
            0
        );
    }
}
