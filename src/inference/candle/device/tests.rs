use super::*;

#[test]
fn parses_device_names() {
    for place in [DeviceName::Cpu, DeviceName::Cuda(0), DeviceName::Cuda(12)] {
        assert_eq!(DeviceName::from_name(&place.to_string()), Some(place));
    }
    for name in [
        "",
        "gpu",
        "cuda",
        "cuda:",
        "cuda:-1",
        "cuda:one",
        "cpu:0",
        "cuda:99999999999999999999",
    ] {
        assert_eq!(DeviceName::from_name(name), None, "{name}");
    }
}

#[test]
fn the_cpu_passes_its_own_check() {
    let found = describe(&Device::Cpu).unwrap();
    assert_eq!((found.name.as_str(), found.memory), ("CPU", None));
    assert!(
        found
            .print()
            .starts_with(&format!("CPU {}", std::env::consts::ARCH))
    );
    let told = device_check(&Device::Cpu).unwrap();
    assert!(told.starts_with("14 operations right"), "{told}");
}

#[test]
fn difference_notices_nan() {
    let of = |numbers: &[f32]| Tensor::new(numbers, &Device::Cpu).unwrap();
    assert_eq!(difference(&of(&[1., 2.]), &of(&[1., 2.5])).unwrap(), 0.5);
    assert!(
        difference(&of(&[1., f32::NAN, 1.]), &of(&[1., 1., 1.]))
            .unwrap()
            .is_nan()
    );
    assert!(
        difference(&of(&[f32::NAN, 9.]), &of(&[1., 1.]))
            .unwrap()
            .is_nan(),
        "even before a larger difference"
    );
    assert!(difference(&of(&[1.]), &of(&[1., 2.])).is_err());
}

#[cfg(not(feature = "cuda"))]
#[test]
fn a_gpu_needs_a_program_with_cuda() {
    let problem = DeviceName::Cuda(0).open().unwrap_err();
    assert!(
        problem.what.contains("without CUDA") && problem.help.unwrap().contains("benchtop-gpu")
    );
}

#[test]
fn explains_driver_errors() {
    let problem =
        explained("DriverError(CUDA_ERROR_NO_DEVICE, \"no CUDA-capable device is detected\")")
            .unwrap();
    assert_eq!(
        problem.what,
        "the driver finds no GPU (CUDA_ERROR_NO_DEVICE)"
    );
    assert!(problem.help.unwrap().contains("nvidia-smi"));
    assert_eq!(
        explained("DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")"),
        None
    );
}
