//! What the words of a device's error mean: candle gives CUDA's errors as text.

/// What to do about an error of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Memory was short: less at once may do, and the device is as good as before.
    Memory,
    /// The process's state on the device is lost, and every further call fails with the same error: only a new process
    /// gets another.
    Fatal,
}

/// Names in CUDA's and cuBLAS's headers, and what their messages say, in lower case.
const MEMORY: [&str; 4] = [
    "out of memory",
    "out_of_memory",
    "cublas_status_alloc_failed",
    "memory allocation failed",
];

/// Errors after which the CUDA runtime documents that the process must be ended, and those of a card that is broken or
/// gone.
const FATAL: [&str; 21] = [
    "cuda_error_illegal_address",
    "an illegal memory access",
    "cuda_error_launch_failed",
    "unspecified launch failure",
    "cuda_error_launch_timeout",
    "cuda_error_assert",
    "device-side assert",
    "cuda_error_ecc_uncorrectable",
    "uncorrectable ecc error",
    "cuda_error_hardware_stack_error",
    "cuda_error_illegal_instruction",
    "cuda_error_misaligned_address",
    "cuda_error_invalid_address_space",
    "cuda_error_invalid_pc",
    "cuda_error_context_is_destroyed",
    "cuda_error_contained",
    "cuda_error_device_unavailable",
    "cuda_error_nvlink_uncorrectable",
    "cuda_error_unknown",
    "cublas_status_execution_failed",
    "cublas_status_internal_error",
];

/// What the text of an error tells, if anything. One that is fatal stays so where it speaks of memory too.
pub fn of(text: &str) -> Option<Trouble> {
    let low = text.to_lowercase();
    let has = |names: &[&str]| names.iter().any(|name| low.contains(name));
    if has(&FATAL) {
        return Some(Trouble::Fatal);
    }
    has(&MEMORY).then_some(Trouble::Memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_their_words() {
        for (text, trouble) in [
            (
                "DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")",
                Some(Trouble::Memory),
            ),
            (
                "CublasError(CUBLAS_STATUS_ALLOC_FAILED)",
                Some(Trouble::Memory),
            ),
            (
                "DriverError(CUDA_ERROR_ILLEGAL_ADDRESS, \"an illegal memory access was encountered\")",
                Some(Trouble::Fatal),
            ),
            (
                "unet: DriverError(CUDA_ERROR_ASSERT, \"device-side assert triggered\")",
                Some(Trouble::Fatal),
            ),
            (
                "CUDA_ERROR_LAUNCH_FAILED after CUDA_ERROR_OUT_OF_MEMORY",
                Some(Trouble::Fatal),
            ),
            ("uncorrectable ECC error encountered", Some(Trouble::Fatal)),
            ("width 68 is no multiple of 8", None),
            ("shape mismatch in matmul", None),
        ] {
            assert_eq!(of(text), trouble, "{text}");
        }
    }
}
