use super::*;

fn decoded(values: &[f32]) -> Tensor {
    // Two rows of one pixel, three channels.
    Tensor::new(values, &Device::Cpu)
        .unwrap()
        .reshape((3, 2, 1))
        .unwrap()
}

#[test]
fn pixels_are_rounded_and_clamped_as_in_diffusers() {
    // Half a level rounds to even: 127.5 and 126.5.
    let picture = picture::pixels(&decoded(&[0., -1. / 127.5, 3., -3., 1., -1.])).unwrap();
    assert_eq!((picture.width, picture.height), (1, 2));
    assert_eq!(picture.rgb, [128, 255, 255, 126, 0, 0]);
}

#[test]
fn blank_and_nan_pictures_are_refused() {
    for (values, why) in [
        ([0., f32::NAN, 0., 0.5, 0., 0.], "not finite"),
        ([0., f32::INFINITY, 0., 0.5, 0., 0.], "not finite"),
        ([-1., -0.99, -2., -1., -1., -1.], "black all over"),
        ([1., 0.99, -1., -1., 0., 0.], "(254, 0, 128) all over"),
    ] {
        let failure = picture::pixels(&decoded(&values)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::BadOutput);
        assert!(failure.reason.contains(why), "{}", failure.reason);
    }
}

#[test]
fn pictures_become_tensors_from_minus_one_to_one() {
    let picture = Pixels {
        width: 2,
        height: 1,
        rgb: vec![0, 255, 51, 255, 0, 204],
    };
    let tensor = picture::normalised(&[&picture], &Device::Cpu).unwrap();
    assert_eq!(tensor.dims(), [1, 3, 1, 2]);
    let values: Vec<f32> = tensor.flatten_all().unwrap().to_vec1().unwrap();
    let expected = [-1., 1., 1., -1., -0.6, 0.6];
    assert!(
        values
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-6),
        "{values:?}"
    );
    assert_eq!(picture::pixels(&tensor.get(0).unwrap()).unwrap(), picture);
    let mask = picture::painted(&[&[127, 128]], 2, 1, &Device::Cpu).unwrap();
    assert_eq!(
        mask.flatten_all().unwrap().to_vec1::<f32>().unwrap(),
        [0., 1.]
    );
}

#[test]
fn out_of_memory_has_its_own_kind() {
    let kind = |error: candle_core::Error| match Stopped::from(error) {
        Stopped::Failed(failure) => failure.kind,
        Stopped::Cancelled => FailureKind::Cancelled,
    };
    let told = |text: &str| candle_core::Error::Msg(text.to_string());
    assert_eq!(
        kind(told(
            "DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")"
        )),
        FailureKind::OutOfMemory
    );
    assert_eq!(kind(told("shape mismatch")), FailureKind::Refused);
}
