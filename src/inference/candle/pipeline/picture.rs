//! Converts pictures to tensors and back.

use candle_core::{Device, Result, Tensor};

use benchtop_model::generation::{Failure, FailureKind, Pixels};

/// Minimum range of a channel, in levels of 255, for a picture that is not blank.
const FLAT: u8 = 2;

/// Converts pictures to `[b, 3, h, w]` from -1 to 1.
pub(super) fn normalised(pictures: &[&Pixels], device: &Device) -> Result<Tensor> {
    let planes = pictures.iter().flat_map(|picture| {
        (0..3).flat_map(|channel| {
            picture
                .rgb
                .iter()
                .skip(channel)
                .step_by(3)
                .map(|v| *v as f32 / 255. * 2. - 1.)
        })
    });
    let (w, h) = pictures
        .first()
        .map_or((0, 0), |p| (p.width as usize, p.height as usize));
    Tensor::from_vec(
        planes.collect::<Vec<f32>>(),
        (pictures.len(), 3, h, w),
        device,
    )
}

/// Converts masks of `w * h` bytes to `[b, 1, h, w]` of ones (to repaint, from 128 on) and zeros.
pub(super) fn painted(masks: &[&[u8]], w: usize, h: usize, device: &Device) -> Result<Tensor> {
    let all: Vec<f32> = masks
        .iter()
        .flat_map(|m| m.iter().map(|v| if *v >= 128 { 1. } else { 0. }))
        .collect();
    Tensor::from_vec(all, (masks.len(), 1, h, w), device)
}

/// Converts a decoded picture (`[3, h, w]`, about -1 to 1) to pixels, rounded as in diffusers.
/// Pictures with NaN or of a single color are refused.
pub(super) fn pixels(decoded: &Tensor) -> std::result::Result<Pixels, Failure> {
    let bad = |why: String| Failure::new(FailureKind::BadOutput, why);
    let read = || -> Result<(usize, usize, Vec<f32>)> {
        let (_, h, w) = decoded.dims3()?;
        Ok((
            w,
            h,
            decoded
                .permute((1, 2, 0))?
                .contiguous()?
                .flatten_all()?
                .to_vec1()?,
        ))
    };
    let (w, h, values) =
        read().map_err(|e| bad(format!("cannot read the decoded picture: {e}")))?;
    if values.iter().any(|v| !v.is_finite()) {
        return Err(bad(
            "the VAE output is not finite: f16 overflows; use f32, or a VAE made for f16".into(),
        ));
    }
    let level = |v: &f32| ((v / 2. + 0.5).clamp(0., 1.) * 255.).round_ties_even() as u8;
    let rgb: Vec<u8> = values.iter().map(level).collect();
    let range = |channel: usize| {
        let levels = || rgb.iter().skip(channel).step_by(3).copied();
        (levels().min().unwrap_or(0), levels().max().unwrap_or(0))
    };
    let ranges = [range(0), range(1), range(2)];
    if ranges.iter().all(|(low, high)| high - low <= FLAT) {
        let [r, g, b] = ranges.map(|(low, _)| low);
        let color = if r.max(g).max(b) <= FLAT {
            "black".to_string()
        } else {
            format!("a single color ({r}, {g}, {b})")
        };
        return Err(bad(format!("the picture is {color} all over")));
    }
    Ok(Pixels {
        width: w as u32,
        height: h as u32,
        rgb,
    })
}
