//! Shares in ten-thousandths, so that they are identical in every file and on every machine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A share from 0 to 1, exact to a hundredth of a percent. Files contain a number such as 0.05.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "f64", into = "f64")]
pub struct Rate(u32);

impl Rate {
    /// 0 %.
    pub const NONE: Rate = Rate(0);
    /// 100 %.
    pub const ALL: Rate = Rate(10_000);
    /// Default share of repeats: 5 %.
    pub const REPEATS: Rate = Rate(500);
    /// Default share of probes: 7 %, within the common 5 % to 10 %.
    pub const PROBES: Rate = Rate(700);
    /// Maximum share of repeats and of probes. More would distort the measurement.
    pub const MAX_MIXED: Rate = Rate(2_500);

    /// A share of `parts` / 10,000.
    pub fn of_ten_thousand(parts: u32) -> Result<Rate, String> {
        if parts <= Self::ALL.0 {
            Ok(Rate(parts))
        } else {
            Err(format!("{parts} of 10000, expected 0 to 10000"))
        }
    }

    /// This share of `n`, rounded to the nearest integer, halves up.
    pub fn apply(self, n: u64) -> u64 {
        ((u128::from(n) * u128::from(self.0) + 5_000) / 10_000) as u64
    }
}

impl TryFrom<f64> for Rate {
    type Error = String;

    fn try_from(share: f64) -> Result<Rate, String> {
        if !(0.0..=1.0).contains(&share) {
            return Err(format!(
                "invalid share {share}, expected 0 to 1, such as 0.05 for 5 %"
            ));
        }
        let parts = (share * 1e4).round();
        if (share * 1e4 - parts).abs() > 1e-6 {
            return Err(format!(
                "share {share} is too precise, expected at most 4 decimals"
            ));
        }
        Ok(Rate(parts as u32))
    }
}

impl From<Rate> for f64 {
    fn from(rate: Rate) -> f64 {
        f64::from(rate.0) / 1e4
    }
}

impl FromStr for Rate {
    type Err = String;

    /// Parses `5 %`, `5%`, or `0.05`.
    fn from_str(text: &str) -> Result<Rate, String> {
        let expected = || format!("invalid share `{text}`, expected one such as 5% or 0.05");
        let share = match text.trim().strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|p| p / 100.0),
            None => text.trim().parse::<f64>(),
        };
        Rate::try_from(share.map_err(|_| expected())?)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", f64::from(self.0) / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact() {
        for parts in 0..=10_000 {
            let rate = Rate::of_ten_thousand(parts).unwrap();
            assert_eq!(Rate::try_from(f64::from(rate)), Ok(rate));
            let json = serde_json::to_string(&rate).unwrap();
            assert_eq!(serde_json::from_str::<Rate>(&json).unwrap(), rate);
        }
        for (n, share) in [
            (0, 0),
            (9, 0),
            (10, 1),
            (100, 5),
            (617_000, 30_850),
            (u64::MAX, u64::MAX / 20 + 1),
        ] {
            assert_eq!(Rate::REPEATS.apply(n), share, "{n}");
        }
        assert_eq!(
            (Rate::from_str("5%"), "0.05".parse()),
            (Ok(Rate::REPEATS), Ok(Rate::REPEATS))
        );
        assert_eq!(Rate::PROBES.to_string().parse(), Ok(Rate::PROBES));
        assert_eq!(
            (Rate::ALL.apply(617_000), Rate::NONE.apply(617_000)),
            (617_000, 0)
        );
        assert_eq!(
            (
                Rate::PROBES.to_string(),
                Rate::of_ten_thousand(725).unwrap().to_string()
            ),
            ("7 %".into(), "7.25 %".into())
        );
    }

    #[test]
    fn invalid_shares_fail() {
        for share in [-0.01, 1.01, f64::NAN, f64::INFINITY] {
            assert!(
                Rate::try_from(share).unwrap_err().contains("0 to 1"),
                "{share}"
            );
        }
        for share in ["", "ten", "110%", "-1"] {
            assert!(share.parse::<Rate>().is_err(), "{share}");
        }
        assert!(Rate::try_from(0.00005).is_err());
        assert!(Rate::of_ten_thousand(10_001).is_err());
    }
}
