//! A number, or why there is none.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A number, or in words why there is none. Never NaN, never infinite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// The number, if it is defined.
    pub value: Option<f64>,
    /// Why it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Cow<'static, str>>,
}

impl Number {
    /// This number; one that is not finite is none.
    pub fn of(value: f64) -> Number {
        if value.is_finite() {
            Number {
                value: Some(value),
                undefined: None,
            }
        } else {
            Number::none("the numbers given are not finite")
        }
    }

    /// No number, and why.
    pub fn none(why: impl Into<Cow<'static, str>>) -> Number {
        Number {
            value: None,
            undefined: Some(why.into()),
        }
    }

    /// That number, or why there is none.
    pub fn or(value: Option<f64>, why: impl Into<Cow<'static, str>>) -> Number {
        value.map_or_else(|| Number::none(why), Number::of)
    }

    /// The number that comes of it, where there is one.
    pub fn map(&self, change: impl FnOnce(f64) -> f64) -> Number {
        self.value
            .map_or_else(|| self.clone(), |value| Number::of(change(value)))
    }

    /// What comes of two; the first that is not defined says why.
    pub fn with(&self, other: &Number, of: impl FnOnce(f64, f64) -> f64) -> Number {
        match (self.value, other.value) {
            (Some(a), Some(b)) => Number::of(of(a, b)),
            (None, _) => self.clone(),
            _ => other.clone(),
        }
    }
}

/// The arithmetic mean; none of nothing.
pub fn mean(of: &[f64]) -> Option<f64> {
    (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
}

/// The population variance, the mean square of the deviations; none of nothing.
pub fn variance(of: &[f64]) -> Option<f64> {
    let mean = mean(of)?;
    self::mean(&of.iter().map(|x| (x - mean).powi(2)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_never_nan() {
        assert_eq!(Number::of(f64::NAN).value, None);
        assert!(Number::of(1.0 / 0.0).undefined.is_some());
        let (two, none) = (Number::of(2.0), Number::none("no answers"));
        assert_eq!(two.with(&none, |a, b| a - b), none);
        assert_eq!(two.with(&two, |a, b| a * b), Number::of(4.0));
        assert_eq!(two.map(|x| x / 0.0).value, None);
        assert_eq!(none.map(|x| x + 1.0), none);
    }

    #[test]
    fn as_json_it_is_null_with_a_reason() {
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
    fn variance_is_that_of_the_population() {
        assert_eq!(variance(&[1.0, 3.0]), Some(1.0));
        assert_eq!(
            (variance(&[4.0]), variance(&[]), mean(&[])),
            (Some(0.0), None, None)
        );
    }
}
