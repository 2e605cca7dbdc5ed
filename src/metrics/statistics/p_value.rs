//! Formats p values.

/// A p value with four decimals. A small p is shown as `<0.0001`, never as 0.
pub fn p_text(p: f64) -> String {
    if p < 0.0001 {
        "<0.0001".into()
    } else {
        format!("{p:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_p_is_zero() {
        assert_eq!(
            [0.0, 1e-9, 0.000_099, 0.0001, 0.049_96, 1.0].map(p_text),
            [
                "<0.0001", "<0.0001", "<0.0001", "0.0001", "0.0500", "1.0000"
            ]
        );
    }
}
