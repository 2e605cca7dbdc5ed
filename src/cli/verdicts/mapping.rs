//! The formats of verdicts, and the options that map words of a file to ours.

use std::collections::BTreeMap;

use clap::ValueEnum;

use benchtop_model::verdict_interchange::{NameMapping, VerdictForm};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// One JSON object per line
    Jsonl,
    /// CSV (RFC 4180) with a header
    Csv,
    /// Label Studio tasks
    LabelStudio,
}

impl From<Form> for VerdictForm {
    fn from(form: Form) -> VerdictForm {
        match form {
            Form::Jsonl => VerdictForm::Jsonl,
            Form::Csv => VerdictForm::Csv,
            Form::LabelStudio => VerdictForm::LabelStudio,
        }
    }
}

/// Parses `THEIRS=OURS`. Splits at the last `=`, because our names never contain one.
pub(super) fn pair(text: &str) -> std::result::Result<(String, String), String> {
    match text.rsplit_once('=') {
        Some((theirs, ours)) if !theirs.is_empty() && !ours.is_empty() => {
            Ok((theirs.into(), ours.into()))
        }
        _ => Err(format!("expected THEIRS=OURS, found `{text}`")),
    }
}

pub(super) fn words(people: &[(String, String)], choices: &[(String, String)]) -> NameMapping {
    let map = |list: &[(String, String)]| list.iter().cloned().collect::<BTreeMap<_, _>>();
    NameMapping {
        people: map(people),
        choices: map(choices),
        ..NameMapping::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pair_splits_at_the_last_equals_sign() {
        assert_eq!(pair("a=b=accept"), Ok(("a=b".into(), "accept".into())));
        for bad in ["", "=", "x", "x=", "=y"] {
            assert!(pair(bad).is_err(), "{bad}");
        }
    }
}
