//! Rules of rounds in words, and typed majorities and names.

use benchtop_model::round::Protocol;
use benchtop_model::round::protocol::Votes;
use benchtop_model::round::state::RoundState;

/// The rule in words, with its source.
pub(super) fn rule_text(rule: Protocol) -> String {
    match rule {
        Protocol::Single => "kept if the last verdict accepts".into(),
        Protocol::BothAccept => "kept if both of two accept (MVP-Bench)".into(),
        Protocol::Majority(votes) => format!(
            "kept if {} of {} accept (AutoBench-V: 3 of 5)",
            votes.k(),
            votes.n()
        ),
        Protocol::Equivalence => "kept if both of two find the answer unchanged (VLB)".into(),
        Protocol::Audit => "kept if the auditor finds no fault (Dysca: 10 % sample)".into(),
        Protocol::Answer => "keeps nothing: collects answers without the key (MVP-Bench)".into(),
        Protocol::Refusal => "kept if 3 of 5 find that only the refusal is correct (MM-SAP)".into(),
    }
}

/// The rule of a round and its verdicts, in words.
pub fn progress(round: &RoundState) -> String {
    let (judged, wanted) = (round.judged, round.wanted);
    format!("{}, {judged} of {wanted} verdicts", round.protocol)
}

/// Parses `3 of 5`.
pub(super) fn majority(text: &str) -> std::result::Result<Votes, String> {
    match format!("majority {}", text.trim()).parse()? {
        Protocol::Majority(votes) => Ok(votes),
        other => Err(format!("`{other}` is not a majority such as `3 of 5`")),
    }
}

/// Names with a comma after each, so that another one can be typed behind them.
pub(super) fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("{name}, ")).collect()
}

/// Splits names at commas.
pub(super) fn people(text: &str) -> impl Iterator<Item = String> {
    text.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_string)
}
