use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use Verdict::{Accept, Answer, Fix, Reject, Skip, Unsure};

fn asked(round: &str, part: Part) -> RoundContext {
    RoundContext {
        round: round.into(),
        part,
        guidelines: None,
        revealed: part == Part::Revision,
    }
}

/// A verdict in a test: who, what, and the round and part.
type Said<'a> = (&'a str, Verdict, Option<(&'a str, Part)>);

fn lookup(round: &str) -> Option<Protocol> {
    match round {
        "pairs" => Some(Protocol::BothAccept),
        "audit" => Some(Protocol::Audit),
        "human" => Some(Protocol::Answer),
        _ => None,
    }
}

fn decided(said: &[Said]) -> ItemDecision {
    let asked: Vec<Option<RoundContext>> = said
        .iter()
        .map(|(_, _, by)| by.map(|(round, part)| asked(round, part)))
        .collect();
    let given: Vec<EffectiveVerdict> = said
        .iter()
        .zip(&asked)
        .enumerate()
        .map(|(i, ((person, verdict, _), asked))| EffectiveVerdict {
            person,
            verdict: *verdict,
            asked: asked.as_ref(),
            order: i as u64,
        })
        .collect();
    let found = status_of(&given, lookup, Protocol::Single);
    // Reverse the list, because only the numbers define the order.
    let mut turned = given.clone();
    turned.reverse();
    let again = status_of(&turned, lookup, Protocol::Single);
    assert_eq!(
        (again.status, &again.round, again.adjudicated),
        (found.status, &found.round, found.adjudicated)
    );
    found
}

const PAIRS: Option<(&str, Part)> = Some(("pairs", Part::Main));
const REVISED: Option<(&str, Part)> = Some(("pairs", Part::Revision));
const SETTLED: Option<(&str, Part)> = Some(("pairs", Part::Adjudication));

fn status(said: &[Said]) -> Status {
    decided(said).status
}

#[test]
fn rounds_use_their_own_protocol() {
    assert_eq!(decided(&[]), ItemDecision::default());
    assert_eq!(status(&[("ann", Accept, PAIRS)]), Status::Pending);
    assert_eq!(
        status(&[("ann", Accept, PAIRS), ("bob", Accept, PAIRS)]),
        Status::Accepted
    );
    assert_eq!(
        status(&[("ann", Accept, PAIRS), ("bob", Reject, PAIRS)]),
        Status::Rejected
    );
    assert_eq!(
        status(&[("ann", Accept, None), ("bob", Reject, None)]),
        Status::Rejected
    );
    let found = decided(&[("ann", Accept, PAIRS), ("bob", Accept, PAIRS)]);
    assert_eq!(
        (found.round.as_deref(), found.adjudicated),
        (Some("pairs"), false)
    );
}

#[test]
fn last_verdict_of_a_person_counts() {
    assert_eq!(
        status(&[("ann", Accept, PAIRS), ("ann", Accept, PAIRS)]),
        Status::Pending
    );
    let said = [
        ("ann", Accept, PAIRS),
        ("bob", Reject, PAIRS),
        ("bob", Accept, REVISED),
    ];
    assert_eq!(status(&said), Status::Accepted);
    let said = [
        ("ann", Accept, PAIRS),
        ("bob", Accept, PAIRS),
        ("bob", Skip, PAIRS),
    ];
    assert_eq!(
        status(&said),
        Status::Pending,
        "a skip withdraws the person's verdict"
    );
}

#[test]
fn repeats_probes_and_practice_do_not_decide() {
    for part in [Part::Repeat, Part::Probe, Part::Calibration] {
        let silent = Some(("pairs", part));
        assert_eq!(decided(&[("ann", Reject, silent)]), ItemDecision::default());
        let said = [
            ("ann", Accept, PAIRS),
            ("bob", Accept, PAIRS),
            ("bob", Reject, silent),
        ];
        assert_eq!(status(&said), Status::Accepted);
        // They do not make their round the latest one either.
        assert_eq!(
            status(&[("ann", Reject, None), ("ann", Accept, silent)]),
            Status::Rejected
        );
    }
}

#[test]
fn adjudication_overrides_verdicts() {
    let split = [("ann", Accept, PAIRS), ("bob", Reject, PAIRS)];
    let settled = |verdict| decided(&[split[0], split[1], ("cy", verdict, SETTLED)]);
    assert_eq!(
        (settled(Accept).status, settled(Accept).adjudicated),
        (Status::Accepted, true)
    );
    assert_eq!(settled(Fix).status, Status::ToFix);
    assert_eq!(settled(Unsure).status, Status::Flagged);
    assert_eq!(
        (settled(Skip).status, settled(Skip).adjudicated),
        (Status::Rejected, false)
    );
    assert_eq!(settled(Answer).status, Status::Rejected);
    assert!(!settled(Accept).own && !settled(Skip).own);
    assert!(
        decided(&[split[0], split[1], ("ann", Accept, SETTLED)]).own,
        "ann had judged it too"
    );
    // It also overrides later verdicts in the round, and a later adjudication overrides it.
    let after = [
        split[0],
        split[1],
        ("cy", Accept, SETTLED),
        ("ann", Reject, REVISED),
    ];
    assert_eq!(status(&after), Status::Accepted);
    let two = [split[0], ("cy", Accept, SETTLED), ("dan", Reject, SETTLED)];
    assert_eq!(status(&two), Status::Rejected);
    // It does not override another round or later verdicts outside of rounds.
    assert_eq!(
        status(&[("cy", Accept, SETTLED), ("ann", Reject, None)]),
        Status::Rejected
    );
    assert_eq!(
        status(&[
            ("cy", Accept, SETTLED),
            ("ann", Reject, Some(("audit", Part::Main)))
        ]),
        Status::Rejected
    );
}

#[test]
fn latest_deciding_round_determines_status() {
    let both = [
        ("ann", Reject, Some(("audit", Part::Main))),
        ("ann", Accept, PAIRS),
    ];
    let found = decided(&both);
    assert_eq!(
        (found.status, found.round.as_deref()),
        (Status::Pending, Some("pairs")),
        "asked again and incomplete"
    );
    assert_eq!(status(&[both[1], both[0]]), Status::Rejected);
    // Verdicts of two rounds are never counted together.
    assert_eq!(
        status(&[
            ("bob", Accept, Some(("audit", Part::Main))),
            ("ann", Accept, PAIRS)
        ]),
        Status::Pending
    );
    // A skip counts only if there is no decision.
    assert_eq!(
        status(&[("ann", Accept, None), ("bob", Skip, PAIRS)]),
        Status::Accepted
    );
    assert_eq!(
        status(&[("ann", Skip, None), ("bob", Skip, PAIRS)]),
        Status::Pending
    );
    assert_eq!(
        status(&[("bob", Skip, PAIRS), ("ann", Skip, None)]),
        Status::Skipped
    );
}

#[test]
fn answers_do_not_decide() {
    let human = Some(("human", Part::Main));
    assert_eq!(
        status(&[("ann", Accept, None), ("bob", Answer, human)]),
        Status::Accepted
    );
    assert_eq!(
        status(&[("ann", Accept, None), ("bob", Reject, human)]),
        Status::Accepted,
        "an answer round decides nothing"
    );
    assert_eq!(status(&[("bob", Answer, human)]), Status::Pending);
    assert_eq!(
        status(&[
            ("bob", Answer, PAIRS),
            ("ann", Accept, PAIRS),
            ("cy", Accept, PAIRS)
        ]),
        Status::Accepted
    );
}

#[test]
fn missing_round_counts_as_single_with_one_note() {
    let lost = Some(("lost", Part::Main));
    let found = decided(&[("ann", Accept, lost), ("bob", Reject, lost)]);
    assert_eq!(
        (found.status, found.round.as_deref()),
        (Status::Rejected, Some("lost"))
    );
    assert_eq!(found.notes.len(), 1);
    assert!(found.notes[0].contains("`lost`") && found.notes[0].contains("`single`"));
    assert_eq!(decided(&[("ann", Accept, PAIRS)]).notes, [""; 0]);
}

proptest! {
    #[test]
    fn ignored_verdicts_can_be_removed(
        said in prop::collection::vec((0usize..4, select(Verdict::ALL.to_vec()), 0usize..5, select(Part::ALL.to_vec())), 0..25)
    ) {
        let rounds = [None, Some("pairs"), Some("audit"), Some("human"), Some("lost")];
        let people = ["ann", "bob", "cy", "dan"];
        let said: Vec<Said> = said.into_iter()
            .map(|(who, verdict, round, part)| (people[who], verdict, rounds[round].map(|r| (r, part))))
            .collect();
        let found = decided(&said);
        let heard: Vec<Said> = said.iter().copied()
            .filter(|(_, _, by)| by.is_none_or(|(round, part)| part.decides() && round != "human"))
            .collect();
        let again = decided(&heard);
        prop_assert_eq!((again.status, &again.round, again.adjudicated), (found.status, &found.round, found.adjudicated));
        // The deciding round exists, and everything outside it can be removed too.
        let alone: Vec<Said> = heard.iter().copied()
            .filter(|(_, _, by)| by.map(|(round, _)| round) == found.round.as_deref())
            .collect();
        prop_assert_eq!(decided(&alone).status, found.status);
    }

    #[test]
    fn default_protocol_applies_outside_rounds(said in prop::collection::vec((0usize..4, select(Verdict::ALL.to_vec())), 0..12)) {
        let people = ["ann", "bob", "cy", "dan"];
        let given: Vec<EffectiveVerdict> = said.iter().enumerate()
            .map(|(i, (who, verdict))| EffectiveVerdict { person: people[*who], verdict: *verdict, asked: None, order: i as u64 })
            .collect();
        let mut standing: Vec<(usize, Verdict)> = Vec::new();
        for word in &said {
            standing.retain(|other| other.0 != word.0);
            standing.push(*word);
        }
        let standing: Vec<Verdict> = standing.into_iter().map(|(_, verdict)| verdict).collect();
        for protocol in [Protocol::Single, Protocol::BothAccept, Protocol::Refusal] {
            // The protocol, not this function, distinguishes skips and answers from decisions.
            prop_assert_eq!(status_of(&given, lookup, protocol).status, protocol.status(&standing));
        }
    }
}
