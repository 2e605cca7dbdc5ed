use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use Verdict::{Accept, Answer, Fix, Flag, Reject, Skip, Unsure};

fn majority(k: u32, n: u32) -> Protocol {
    Protocol::Majority(Votes::new(k, n).unwrap())
}

fn protocols() -> impl Strategy<Value = Protocol> {
    use Protocol as P;
    prop_oneof![
        select(vec![
            P::Single,
            P::BothAccept,
            P::Equivalence,
            P::Audit,
            P::Answer,
            P::Refusal
        ]),
        (1u32..=32)
            .prop_flat_map(|n| (1..=n, Just(n)))
            .prop_map(|(k, n)| majority(k, n)),
    ]
}

fn verdicts(most: usize) -> impl Strategy<Value = Vec<Verdict>> {
    prop::collection::vec(select(Verdict::ALL.to_vec()), 0..=most)
}

#[test]
fn both_accept_needs_two_accepts() {
    for protocol in [Protocol::BothAccept, Protocol::Equivalence] {
        let status = |standing: &[Verdict]| protocol.status(standing);
        assert_eq!(status(&[]), Status::Pending);
        assert_eq!(status(&[Accept]), Status::Pending);
        assert_eq!(status(&[Accept, Accept]), Status::Accepted);
        assert_eq!(status(&[Reject]), Status::Rejected, "one rejection rejects");
        assert_eq!(status(&[Unsure, Reject]), Status::Rejected);
        assert_eq!(status(&[Fix]), Status::ToFix);
        assert_eq!(status(&[Accept, Fix]), Status::ToFix);
        assert_eq!(status(&[Accept, Unsure]), Status::Flagged);
        assert_eq!(
            status(&[Fix, Flag]),
            Status::Flagged,
            "a fix with a flag is flagged"
        );
        assert_eq!(
            status(&[Skip, Skip]),
            Status::Pending,
            "a skip does not count"
        );
        assert_eq!(status(&[Skip, Accept, Answer, Accept]), Status::Accepted);
        assert_eq!(
            status(&[Accept, Accept, Reject]),
            Status::Rejected,
            "a third person's rejection takes precedence"
        );
    }
}

#[test]
fn three_of_five_decide_alone() {
    for protocol in [majority(3, 5), Protocol::Refusal] {
        let status = |standing: &[Verdict]| protocol.status(standing);
        assert_eq!(status(&[Accept, Accept, Reject, Reject]), Status::Pending);
        assert_eq!(
            status(&[Accept, Accept, Reject, Reject, Accept]),
            Status::Accepted
        );
        assert_eq!(
            status(&[Accept, Accept, Accept]),
            Status::Accepted,
            "further verdicts cannot change it"
        );
        assert_eq!(status(&[Reject, Reject, Reject]), Status::Rejected);
        assert_eq!(
            status(&[Accept, Accept, Accept, Fix, Unsure]),
            Status::Accepted
        );
        assert_eq!(
            status(&[Unsure, Flag]),
            Status::Pending,
            "three can still accept"
        );
        assert_eq!(status(&[Unsure, Flag, Unsure]), Status::Flagged);
        assert_eq!(
            status(&[Accept, Accept, Reject, Reject, Fix]),
            Status::ToFix
        );
        assert_eq!(
            status(&[Accept, Accept, Reject, Unsure, Fix]),
            Status::ToFix,
            "after the fix it would be kept"
        );
        assert_eq!(
            status(&[Accept, Reject, Reject, Unsure, Fix]),
            Status::Flagged
        );
    }
}

#[test]
fn single_and_audit_need_one_verdict_and_answer_none() {
    for standing in [
        &[][..],
        &[Accept],
        &[Reject],
        &[Accept, Reject],
        &[Skip],
        &[Fix],
        &[Unsure],
        &[Flag],
    ] {
        assert_eq!(Protocol::Single.status(standing), single(standing));
        assert_eq!(Protocol::Audit.status(standing), single(standing));
        assert_eq!(Protocol::Answer.status(standing), Status::Pending);
    }
    assert!(!Protocol::Answer.decides() && Protocol::Answer.key_labels().is_none());
    assert!(Protocol::Audit.decides());
}

#[test]
fn protocols_need_people() {
    use Protocol as P;
    let all = [
        P::Single,
        P::BothAccept,
        majority(3, 5),
        P::Equivalence,
        P::Audit,
        P::Answer,
        P::Refusal,
    ];
    assert_eq!(all.map(P::people), [1, 2, 5, 2, 1, 1, 5]);
    for protocol in all {
        assert!(protocol.question().ends_with('?') && protocol.question().len() < 60);
        assert_eq!(protocol.key_labels().is_some(), protocol.decides());
    }
}

#[test]
fn invalid_votes_fail() {
    for (k, n, what) in [
        (0, 5, "k = 0"),
        (6, 5, "1 to 5"),
        (1, 0, "n = 0"),
        (1, 33, "n = 33"),
        (300, 300, "n = 300"),
    ] {
        assert!(Votes::new(k, n).unwrap_err().contains(what));
    }
    for text in [
        "duel",
        "majority",
        "majority 3",
        "majority x of 5",
        "majority3 of 5",
        "majority 6/5",
        "",
        "Single",
    ] {
        assert!(
            text.parse::<Protocol>().unwrap_err().contains("expected"),
            "{text}"
        );
    }
    assert_eq!("majority 3/5".parse(), Ok(majority(3, 5)));
    assert_eq!("majority-3-of-5".parse(), Ok(majority(3, 5)));
}

#[test]
fn what_if_counts_changes() {
    let items = [
        vec![Accept; 3],
        vec![Accept, Accept, Accept, Reject, Accept],
        vec![Reject; 3],
        vec![Accept; 5],
    ];
    let found = what_if(&items, majority(3, 5), majority(4, 5));
    assert_eq!((found.kept, found.dropped, found.pending), (2, 1, 1));
    assert_eq!((found.changed, found.lost, found.gained), (1, 1, 0));
    let found = what_if(&items, majority(5, 5), Protocol::Single);
    assert_eq!((found.kept, found.gained, found.changed), (3, 2, 2));
}

proptest! {
    #[test]
    fn protocols_round_trip(protocol in protocols()) {
        prop_assert_eq!(protocol.to_string().parse(), Ok(protocol));
        let json = serde_json::to_string(&protocol).unwrap();
        prop_assert_eq!(serde_json::from_str::<Protocol>(&json).unwrap(), protocol);
        #[derive(Serialize, Deserialize)]
        struct Table { protocol: Protocol }
        let text = toml::to_string(&Table { protocol }).unwrap();
        prop_assert_eq!(toml::from_str::<Table>(&text).unwrap().protocol, protocol);
    }

    #[test]
    fn votes_follow_their_definition(k in 1u32..=7, more in 0u32..=6, standing in verdicts(14)) {
        let n = k + more;
        let judged: Vec<_> = standing.iter().filter(|v| !matches!(v, Skip | Answer)).copied().collect();
        prop_assume!(judged.len() <= n as usize);
        let count = |wanted: &[Verdict]| judged.iter().filter(|v| wanted.contains(v)).count();
        let open = n as usize - judged.len();
        // The verdicts still needed for k accepts.
        let expected = if count(&[Accept]) >= k as usize { Status::Accepted }
            else if count(&[Accept]) + open >= k as usize { Status::Pending }
            else if count(&[Accept, Fix]) + open >= k as usize { Status::ToFix }
            else if count(&[Accept, Fix, Flag, Unsure]) + open >= k as usize { Status::Flagged }
            else { Status::Rejected };
        prop_assert_eq!(majority(k, n).status(&standing), expected);
    }

    #[test]
    fn decided_status_is_final_within_n_verdicts(
        k in 1u32..=5, more in 0u32..=4, standing in verdicts(9), next in select(Verdict::ALL.to_vec())
    ) {
        let protocol = majority(k, k + more);
        let judged = standing.iter().filter(|v| !matches!(v, Skip | Answer)).count();
        prop_assume!(judged < (k + more) as usize);
        let before = protocol.status(&standing);
        let mut after = standing.clone();
        after.push(next);
        if before != Status::Pending && !(matches!(before, Status::ToFix) && matches!(next, Flag | Unsure | Reject | Fix))
            && !(matches!(before, Status::Flagged) && next == Reject) {
            prop_assert_eq!(protocol.status(&after), before);
        }
        // No decided item becomes pending or changes to or from accepted.
        if before != Status::Pending {
            prop_assert_ne!(protocol.status(&after), Status::Pending);
            prop_assert_eq!(protocol.status(&after) == Status::Accepted, before == Status::Accepted);
        }
    }

    #[test]
    fn order_of_votes_does_not_matter(k in 1u32..=5, more in 0u32..=4, mut standing in verdicts(12)) {
        let before = majority(k, k + more).status(&standing);
        standing.reverse();
        prop_assert_eq!(majority(k, k + more).status(&standing), before);
    }

    #[test]
    fn what_if_counts_every_item_once(
        items in prop::collection::vec(verdicts(6), 0..30), now in protocols(), other in protocols()
    ) {
        let found = what_if(&items, now, other);
        let all = found.kept + found.dropped + found.pending + found.flagged + found.to_fix + found.skipped;
        prop_assert_eq!(all, items.len() as u64);
        prop_assert!(found.gained + found.lost <= found.changed);
        prop_assert_eq!(found.gained <= found.kept, true);
        prop_assert_eq!(what_if(&items, now, now).changed, 0);
    }
}
