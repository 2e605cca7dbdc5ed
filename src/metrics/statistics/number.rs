//! A number that may be undefined, with the reason.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A number, or the reason why it is undefined. Never NaN or infinite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// The number, if it is defined.
    pub value: Option<f64>,
    /// The reason, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Cow<'static, str>>,
}

impl Number {
    /// A defined number. Becomes undefined if `value` is not finite.
    pub fn of(value: f64) -> Number {
        if value.is_finite() {
            Number {
                value: Some(value),
                undefined: None,
            }
        } else {
            Number::none("the numbers are not finite")
        }
    }

    /// An undefined number.
    pub fn none(why: impl Into<Cow<'static, str>>) -> Number {
        Number {
            value: None,
            undefined: Some(why.into()),
        }
    }

    /// The number, or the reason if it is `None`.
    pub fn or(value: Option<f64>, why: impl Into<Cow<'static, str>>) -> Number {
        value.map_or_else(|| Number::none(why), Number::of)
    }

    /// Applies a function to the number, if it is defined.
    pub fn map(&self, change: impl FnOnce(f64) -> f64) -> Number {
        self.value
            .map_or_else(|| self.clone(), |value| Number::of(change(value)))
    }

    /// Combines two numbers. If one is undefined, returns the first undefined one.
    pub fn with(&self, other: &Number, of: impl FnOnce(f64, f64) -> f64) -> Number {
        match (self.value, other.value) {
            (Some(a), Some(b)) => Number::of(of(a, b)),
            (None, _) => self.clone(),
            _ => other.clone(),
        }
    }
}

/// The arithmetic mean; `None` for an empty slice.
pub fn mean(of: &[f64]) -> Option<f64> {
    (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
}

/// The population variance, the mean squared deviation; `None` for an empty slice.
pub fn variance(of: &[f64]) -> Option<f64> {
    let mean = mean(of)?;
    self::mean(&of.iter().map(|x| (x - mean).powi(2)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_is_never_nan() {
        assert_eq!(Number::of(f64::NAN).value, None);
        assert!(Number::of(1.0 / 0.0).undefined.is_some());
        let (two, none) = (Number::of(2.0), Number::none("no answers"));
        assert_eq!(two.with(&none, |a, b| a - b), none);
        assert_eq!(two.with(&two, |a, b| a * b), Number::of(4.0));
        assert_eq!(two.map(|x| x / 0.0).value, None);
        assert_eq!(none.map(|x| x + 1.0), none);
    }

    #[test]
    fn undefined_number_is_null_with_a_reason_in_json() {
        assert_eq!(
            serde_json::to_string(&Number::of(2.5)).unwrap(),
            r#"{"value":2.5}"#
        );
        let none = r#"{"value":null,"undefined":"no answers"}"#;
        assert_eq!(
            serde_json::to_string(&Number::none("no answers")).unwrap(),
            none
        );
        assert_eq!(
            serde_json::from_str::<Number>(none).unwrap(),
            Number::none("no answers")
        );
    }

    #[test]
    fn variance_is_the_population_variance() {
        assert_eq!(variance(&[1.0, 3.0]), Some(1.0));
        assert_eq!(
            (variance(&[4.0]), variance(&[]), mean(&[])),
            (Some(0.0), None, None)
        );
    }
}
