//! Identities that must hold between published numbers, as functions. All numbers are in percent.

use super::Subset;

/// score_AR over everything from score_KK and score_KU: N AR = N_KK KK + N_KU KU. An answer is
/// right by the correct option or by declining, never by both. `n` is the number of questions of
/// each subset, in the order of [`Subset::ALL`].
pub fn ar_of_knowledge(kk: f64, ku: f64, n: [u64; 3]) -> Option<f64> {
    let [basic, knowledge, beyond] = n.map(|n| n as f64);
    let all = basic + knowledge + beyond;
    (all > 0.0).then(|| ((basic + knowledge) * kk + (knowledge + beyond) * ku) / all)
}

/// score_AR of a subset from its Answer Rate and Answer Acc: Rate x Acc, plus the refusals if
/// declining is right. `acc` is not used for Beyond. The identity holds for each shuffle; for means
/// over shuffles it holds up to the covariance.
pub fn ar_of_rate(subset: Subset, rate: f64, acc: f64) -> f64 {
    match subset {
        Subset::Basic => rate * acc / 100.0,
        Subset::Knowledge => rate * acc / 100.0 + 100.0 - rate,
        Subset::Beyond => 100.0 - rate,
    }
}

/// score_KK and score_KU from Answer Rate and Answer Acc of the subsets, in the order of
/// [`Subset::ALL`]. The last Acc is not used.
pub fn knowledge_of_rates(rate: [f64; 3], acc: [f64; 3], n: [u64; 3]) -> Option<(f64, f64)> {
    let n = n.map(|n| n as f64);
    let (known, unknown) = (n[0] + n[1], n[1] + n[2]);
    let kk = (n[0] * rate[0] * acc[0] + n[1] * rate[1] * acc[1]) / 100.0;
    let ku = n[1] * (100.0 - rate[1]) + n[2] * (100.0 - rate[2]);
    (known > 0.0 && unknown > 0.0).then(|| (kk / known, ku / unknown))
}

/// The total of parts, each with its number of questions.
pub fn pooled(parts: &[(f64, u64)]) -> Option<f64> {
    let n: u64 = parts.iter().map(|(_, n)| n).sum();
    (n > 0).then(|| {
        parts
            .iter()
            .map(|(value, n)| value * *n as f64)
            .sum::<f64>()
            / n as f64
    })
}
