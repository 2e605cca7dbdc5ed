//! The kernels on the CPU, started in the same way as by `cuda`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use candle_core::{DType, Tensor};

use super::super::Window;
use super::super::kernels::MODULES;
use super::super::launch::{self, HEADS, Launch, Rows, Scalar};
use super::host::{Array, run, there};
use super::twins::{self, EPS, Side, from_bytes};

/// Runs with arrays that are aligned to 16 bytes, or treated as if they were not.
struct Emulated {
    aligned: bool,
}

/// The bytes of a contiguous tensor.
fn bytes(t: &Tensor) -> Vec<u8> {
    let t = t.flatten_all().unwrap();
    match t.dtype() {
        DType::F32 => t
            .to_vec1::<f32>()
            .unwrap()
            .into_iter()
            .flat_map(f32::to_le_bytes)
            .collect(),
        _ => t
            .to_vec1::<half::f16>()
            .unwrap()
            .into_iter()
            .flat_map(half::f16::to_le_bytes)
            .collect(),
    }
}

fn given(t: &Tensor) -> Array {
    Array::Bytes(bytes(t))
}

/// Runs a kernel whose last array is its result, with this shape.
fn result(
    launch: candle_core::Result<Launch>,
    mut arrays: Vec<Array>,
    shape: &[usize],
    dtype: DType,
) -> Tensor {
    arrays.push(Array::Out(
        shape.iter().product::<usize>() * dtype.size_in_bytes(),
    ));
    let all = run(&launch.unwrap(), &arrays).unwrap();
    from_bytes(all.last().unwrap(), shape, dtype)
}

impl Side for Emulated {
    fn patches(&self, x: &Tensor, window: Window, rows: Range<usize>) -> Tensor {
        let (_, h, w, c) = x.dims4().unwrap();
        let launch = launch::patches(x.dtype(), self.aligned, (h, w, c), window, &rows);
        result(launch, vec![given(x)], &[rows.len(), 9 * c], x.dtype())
    }

    fn upsample(&self, x: &Tensor, high: usize, wide: usize) -> Tensor {
        let shape = x.dims4().unwrap();
        let launch = launch::upsample(x.dtype(), self.aligned, shape, (high, wide));
        result(
            launch,
            vec![given(x)],
            &[shape.0, high, wide, shape.3],
            x.dtype(),
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
        let (rows, n) = y.dims2().unwrap();
        let per = rows / (bias.elem_count() / n);
        let count = part.map_or(rows, |part| part.dim(0).unwrap());
        let launch = launch::bias(y.dtype(), self.aligned, (count, n), per, first).unwrap();
        let cut = |t: &Tensor| bytes(&t.narrow(0, first, count).unwrap().contiguous().unwrap());
        let arrays = [
            Array::Bytes(cut(y)),
            part.map_or(Array::Same(0), given),
            given(bias),
            residual.map_or(Array::Null, |r| Array::Bytes(cut(r))),
        ];
        let mut whole = bytes(y);
        let from = first * n * y.dtype().size_in_bytes();
        let out = &run(&launch, &arrays).unwrap()[0];
        whole[from..from + out.len()].copy_from_slice(out);
        from_bytes(&whole, y.dims(), y.dtype())
    }

    fn geglu(&self, x: &Tensor, bias: &Tensor) -> Tensor {
        let (rows, n) = x.dims2().unwrap();
        let launch = launch::geglu(x.dtype(), self.aligned, rows, n / 2);
        result(
            launch,
            vec![given(x), given(bias)],
            &[rows, n / 2],
            x.dtype(),
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
        let (b, c) = (x.dims()[0], x.dims()[x.rank() - 1]);
        let shape = (b, x.elem_count() / b / c, c);
        let all = launch::group_norm(x.dtype(), self.aligned, shape, groups, EPS, silu).unwrap();
        let sums = result(Ok(all.sums), vec![given(x)], &[all.partial], DType::F32);
        let moments = result(
            Ok(all.moments),
            vec![given(x), given(&sums)],
            &[all.kept],
            DType::F32,
        );
        let arrays = vec![given(x), given(&moments), given(weight), given(bias)];
        result(Ok(all.apply), arrays, x.dims(), x.dtype())
    }

    fn layer_norm(&self, x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
        let c = x.dims()[x.rank() - 1];
        let launch = launch::layer_norm(x.dtype(), self.aligned, (x.elem_count() / c, c), EPS);
        result(
            launch,
            vec![given(x), given(weight), given(bias)],
            x.dims(),
            x.dtype(),
        )
    }

    fn attention(
        &self,
        q: (&Tensor, usize),
        k: (&Tensor, usize),
        v: (&Tensor, usize),
        heads: usize,
    ) -> Tensor {
        let (b, tokens, wide) = q.0.dims3().unwrap();
        let (width, keys) = (wide / 3, k.0.dim(1).unwrap());
        let rows = |t: &Tensor| Rows {
            row: wide,
            batch: t.dim(1).unwrap() * wide,
        };
        let inputs = [rows(q.0), rows(k.0), rows(v.0)];
        let launch = launch::attention((b, heads, width / heads), (tokens, keys), inputs);
        // The array ends with the last number, so that an access beyond it is detected.
        let from = |(t, which): (&Tensor, usize)| {
            let all = bytes(t);
            Array::Bytes(all[which * width * 2..all.len() - (2 - which) * width * 2].to_vec())
        };
        result(
            launch,
            vec![from(q), from(k), from(v)],
            &[b, tokens, width],
            DType::F16,
        )
    }
}

fn both(check: impl Fn(&dyn Side)) {
    if there() {
        check(&Emulated { aligned: true });
        check(&Emulated { aligned: false });
    }
}

#[test]
fn patches_match_the_cpu() {
    both(twins::patches);
}

#[test]
fn upsampling_matches_the_cpu() {
    both(twins::upsample);
}

#[test]
fn bias_matches_the_cpu() {
    both(twins::bias);
}

#[test]
fn geglu_matches_the_cpu() {
    both(twins::geglu);
}

#[test]
fn group_norm_matches_the_cpu() {
    both(twins::group_norm);
}

#[test]
fn group_norm_is_precise_far_from_zero() {
    both(twins::group_norm_far_from_zero);
}

#[test]
fn layer_norm_matches_the_cpu() {
    both(twins::layer_norm);
}

#[test]
fn fused_attention_matches_the_cpu() {
    if there() {
        twins::fused_attention(&Emulated { aligned: true }, &HEADS);
    }
}

/// The kinds of the parameters of each kernel, from its PTX.
fn parameters() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut all = BTreeMap::new();
    for module in MODULES {
        for entry in module.ptx.split(".visible .entry ").skip(1) {
            let (name, rest) = entry.split_once('(').unwrap();
            let list = rest.split_once(')').unwrap().0;
            let kind = |line: &'static str| line.trim().strip_prefix(".param .")?.split(' ').next();
            all.insert(name, list.lines().filter_map(kind).collect());
        }
    }
    all
}

/// Names, numbers, and kinds of the arguments match the PTX, and every kernel is used.
#[test]
fn launch_arguments_match_the_ptx() {
    let ptx = parameters();
    let mut started = BTreeSet::new();
    let mut check = |launch: candle_core::Result<Launch>, arrays: usize| {
        let Launch { name, scalars, .. } = launch.unwrap();
        let kinds = scalars.iter().map(|s| {
            if matches!(s, Scalar::Real(_)) {
                "f32"
            } else {
                "u32"
            }
        });
        let expected: Vec<&str> = std::iter::repeat_n("u64", arrays).chain(kinds).collect();
        assert_eq!(ptx[name.as_str()], expected, "{name}");
        started.insert(name);
    };
    for (dtype, aligned) in [
        (DType::F32, true),
        (DType::F32, false),
        (DType::F16, true),
        (DType::F16, false),
    ] {
        check(
            launch::patches(dtype, aligned, (4, 4, 8), Window::SAME, &(0..16)),
            2,
        );
        check(launch::upsample(dtype, aligned, (1, 4, 4, 8), (8, 8)), 2);
        check(launch::bias(dtype, aligned, (4, 8), 1, 0), 4);
        check(launch::geglu(dtype, aligned, 4, 8), 3);
        let norm = launch::group_norm(dtype, aligned, (1, 4, 8), 2, EPS, true).unwrap();
        check(Ok(norm.sums), 2);
        check(Ok(norm.moments), 3);
        check(Ok(norm.apply), 5);
        check(launch::layer_norm(dtype, aligned, (4, 8), EPS), 4);
    }
    for d in HEADS {
        check(
            launch::attention(
                (1, 1, d),
                (4, 4),
                [Rows {
                    row: d,
                    batch: 4 * d,
                }; 3],
            ),
            4,
        );
    }
    assert_eq!(started, ptx.keys().map(|name| name.to_string()).collect());
}

/// The emulation detects what a GPU would ignore.
#[test]
fn wrong_launches_are_detected() {
    if !there() {
        return;
    }
    let x = super::numbers(&[1, 4, 4, 8], 1);
    let right = launch::patches(DType::F32, true, (4, 4, 8), Window::SAME, &(0..16)).unwrap();
    let size = 16 * 72 * 4;
    let start =
        |launch: &Launch, out: usize| run(launch, &[given(&x), Array::Out(out)]).map(|_| ());
    assert_eq!(start(&right, size), Ok(()));
    let told = |launch: &Launch, out: usize| start(launch, out).unwrap_err();
    told(&right, size - 16);
    let mut wrong = right.clone();
    wrong.scalars.pop();
    assert!(told(&wrong, size).contains("another number of arguments"));
    wrong.scalars.push(Scalar::Real(1.));
    assert!(told(&wrong, size).contains("another kind"));
    let more = Launch {
        grid: [right.grid[0] + 9, 1],
        ..right.clone()
    };
    assert_eq!(
        start(&more, size),
        Ok(()),
        "blocks beyond the end do nothing"
    );
    assert!(
        told(
            &Launch {
                block: 48,
                ..right.clone()
            },
            size
        )
        .contains("a block that no card takes")
    );
    assert!(
        told(
            &Launch {
                name: "none".into(),
                ..right
            },
            size
        )
        .contains("no such kernel")
    );
}

#[test]
fn refuses_sizes_and_dtypes_that_kernels_do_not_support() {
    let refused = |launch: candle_core::Result<Launch>, why: &str| {
        let told = launch.unwrap_err().to_string();
        assert!(told.contains(why), "{told}");
    };
    let many = 1 << 33;
    refused(launch::bias(DType::F32, true, (many, 8), 1, 0), "too large");
    refused(launch::bias(DType::F32, true, (8, 8), 1, many), "too large");
    refused(
        launch::geglu(DType::F64, true, 8, 8),
        "f64 tensors are not supported",
    );
    refused(
        launch::patches(DType::F16, true, (4, 4, 8), Window::SAME, &(many..many + 4)),
        "too large",
    );
    let rows = Rows {
        row: 64,
        batch: 640,
    };
    refused(
        launch::attention((1, 1, 48), (10, 10), [rows; 3]),
        "no kernel",
    );
    refused(
        launch::attention(
            (1, 1, 64),
            (10, 10),
            [
                rows,
                rows,
                Rows {
                    row: 65,
                    batch: 650,
                },
            ],
        ),
        "no kernel",
    );
    refused(
        launch::attention((70_000, 1, 64), (10, 10), [rows; 3]),
        "too large",
    );
    for (c, groups) in [(10, 3), (8, 0), (8192, 32)] {
        assert!(launch::group_norm(DType::F16, true, (1, 4, c), groups, EPS, false).is_err());
    }
}
