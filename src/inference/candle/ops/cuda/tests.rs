//! Compares the kernels on a GPU with their twins on the CPU. Skipped without a GPU.

use std::ops::Range;

use candle_core::{DType, Device, Tensor};

use super::super::attention::KeysValues;
use super::super::launch::HEADS;
use super::super::tests::twins::{self, EPS, Side};
use super::super::{Window, attention as attend, operations};
use super::open;

struct Gpu(Device);

impl Gpu {
    fn up(&self, t: &Tensor) -> Tensor {
        t.to_device(&self.0).unwrap()
    }
}

fn down(t: candle_core::Result<Tensor>) -> Tensor {
    t.unwrap().to_device(&Device::Cpu).unwrap()
}

impl Side for Gpu {
    fn patches(&self, x: &Tensor, window: Window, rows: Range<usize>) -> Tensor {
        down(
            self.up(x)
                .apply_op1_no_bwd(&operations::Patches { window, rows }),
        )
    }

    fn upsample(&self, x: &Tensor, high: usize, wide: usize) -> Tensor {
        down(
            self.up(x)
                .apply_op1_no_bwd(&operations::Upsample { high, wide }),
        )
    }

    fn bias(
        &self,
        y: &Tensor,
        part: Option<&Tensor>,
        bias: &Tensor,
        residual: Option<&Tensor>,
        first: usize,
    ) -> Tensor {
        let (y, bias) = (self.up(y), self.up(bias));
        let residual = residual.map(|r| self.up(r));
        let op = operations::Bias {
            residual: residual.as_ref(),
            first,
        };
        match part {
            Some(part) => y.inplace_op3(&self.up(part), &bias, &op).unwrap(),
            None => y.inplace_op2(&bias, &op).unwrap(),
        }
        down(Ok(y))
    }

    fn geglu(&self, x: &Tensor, bias: &Tensor) -> Tensor {
        down(
            self.up(x)
                .apply_op2_no_bwd(&self.up(bias), &operations::Geglu),
        )
    }

    fn group_norm(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: &Tensor,
        groups: usize,
        silu: bool,
    ) -> Tensor {
        let op = operations::GroupNorm {
            groups,
            eps: EPS,
            silu,
        };
        down(
            self.up(x)
                .apply_op3_no_bwd(&self.up(weight), &self.up(bias), &op),
        )
    }

    fn layer_norm(&self, x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
        down(self.up(x).apply_op3_no_bwd(
            &self.up(weight),
            &self.up(bias),
            &operations::LayerNorm { eps: EPS },
        ))
    }

    fn attention(
        &self,
        q: (&Tensor, usize),
        k: (&Tensor, usize),
        v: (&Tensor, usize),
        heads: usize,
    ) -> Tensor {
        let third = |(t, which): (&Tensor, usize)| {
            let width = t.dim(2).unwrap() / 3;
            self.up(t).narrow(2, which * width, width).unwrap()
        };
        let kv = KeysValues::new(&third(k), &third(v), heads).unwrap();
        down(attend(&third(q), &kv))
    }
}

/// One test, so that the GPU is opened once.
#[test]
fn kernels_match_their_twins_on_a_gpu() {
    let device = match open(0) {
        Ok(device) => device,
        Err(why) => return println!("SKIPPED: no GPU ran the kernels: {why}"),
    };
    let gpu = Gpu(device);
    twins::patches(&gpu);
    twins::upsample(&gpu);
    twins::bias(&gpu);
    twins::geglu(&gpu);
    twins::group_norm(&gpu);
    twins::group_norm_far_from_zero(&gpu);
    twins::layer_norm(&gpu);
    twins::fused_attention(&gpu, &HEADS);
    // A width without a kernel uses products and a softmax.
    twins::fused_attention(&gpu, &[24, 512]);
    assert!(
        gpu.0
            .as_cuda_device()
            .unwrap()
            .cuda_stream()
            .context()
            .check_err()
            .is_ok()
    );
    assert_eq!(super::card(&gpu.0).unwrap().kernels.len(), 16);
    super::settle(DType::F16);
}
