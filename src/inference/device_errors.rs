//! Classifies errors of a device by their text, because candle reports CUDA errors as text.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// Out of memory. The device still works, and smaller batches may succeed.
    Memory,
    /// The process lost its state on the device. Every further call fails with the same error, so
    /// the process must be replaced.
    Fatal,
}

/// Names from the headers of CUDA and cuBLAS, and parts of their messages, in lower case.
const MEMORY: [&str; 4] = [
    "out of memory",
    "out_of_memory",
    "cublas_status_alloc_failed",
    "memory allocation failed",
];

/// Errors after which, according to the CUDA documentation, the process must end; and errors of
/// broken or lost cards.
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

/// The class of an error by its text. A fatal error stays fatal if it mentions memory as well.
pub fn classify(text: &str) -> Option<ErrorClass> {
    let low = text.to_lowercase();
    let has = |names: &[&str]| names.iter().any(|name| low.contains(name));
    if has(&FATAL) {
        return Some(ErrorClass::Fatal);
    }
    has(&MEMORY).then_some(ErrorClass::Memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_errors_by_their_text() {
        for (text, class) in [
            (
                "DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")",
                Some(ErrorClass::Memory),
            ),
            (
                "CublasError(CUBLAS_STATUS_ALLOC_FAILED)",
                Some(ErrorClass::Memory),
            ),
            (
                "DriverError(CUDA_ERROR_ILLEGAL_ADDRESS, \"an illegal memory access was encountered\")",
                Some(ErrorClass::Fatal),
            ),
            (
                "unet: DriverError(CUDA_ERROR_ASSERT, \"device-side assert triggered\")",
                Some(ErrorClass::Fatal),
            ),
            (
                "CUDA_ERROR_LAUNCH_FAILED after CUDA_ERROR_OUT_OF_MEMORY",
                Some(ErrorClass::Fatal),
            ),
            (
                "uncorrectable ECC error encountered",
                Some(ErrorClass::Fatal),
            ),
            ("width 68 is no multiple of 8", None),
            ("shape mismatch in matmul", None),
        ] {
            assert_eq!(classify(text), class, "{text}");
        }
    }
}
