//! What the first screen shows: how far the items are, what the annotator has to do, and what
//! others did.

use serde::{Deserialize, Serialize};

/// A list of items that the first screen counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ItemList {
    /// All items.
    Items,
    /// Items with a picture, drafts included.
    Pictures,
    /// Items whose picture is missing.
    Missing,
    /// Items that the rules neither flag nor park.
    Passed,
    /// Items that the rules flag or park.
    Flagged,
    /// Items with a status other than pending.
    Judged,
    /// Items with a verdict of the annotator.
    Own,
    /// Accepted items.
    Accepted,
    /// Items in the newest release.
    Released,
}

named!(ItemList {
    Items: "items",
    Pictures: "pictures",
    Missing: "missing",
    Passed: "passed",
    Flagged: "flagged",
    Judged: "judged",
    Own: "own",
    Accepted: "accepted",
    Released: "released",
});

impl ItemList {
    /// The filter that selects the items for the annotator `who`.
    pub fn filter(self, who: &str) -> String {
        match self {
            ItemList::Items => String::new(),
            ItemList::Pictures => "picture:yes,draft".into(),
            ItemList::Missing => "picture:missing".into(),
            ItemList::Passed => "filter:kept".into(),
            ItemList::Flagged => "filter:flagged,parked".into(),
            ItemList::Judged => "NOT status:pending".into(),
            ItemList::Own => crate::filter::Filter {
                verdicts: crate::filter::VerdictCondition {
                    who: vec![who.into()],
                    ..Default::default()
                },
                ..Default::default()
            }
            .to_text(),
            ItemList::Accepted => "status:accepted".into(),
            ItemList::Released => format!("release:{}", crate::release::NEWEST),
        }
    }
}

/// A round with open items for the annotator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundTask {
    pub name: String,
    /// Items that the annotator has judged.
    pub judged: u64,
    /// Items that the annotator judges in all, if the annotators share what is open evenly.
    pub share: u64,
}

/// The verdicts of one annotator over the last days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonActivity {
    pub who: String,
    /// Verdicts that count, per day (UTC), oldest day first. The last day is today.
    pub days: Vec<u64>,
    /// Verdicts that count since the last verdict of the reader, see [`Home::since`]. 0 for the
    /// reader.
    pub since: u64,
}

/// Number of days in [`PersonActivity::days`].
pub const ACTIVITY_DAYS: usize = 14;

/// A useful thing to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NextStep {
    /// Add items: the project has none.
    AddItems,
    /// Judge the open items of this round.
    JudgeRound(String),
    /// Settle the open disputes of this round.
    Settle(String),
    /// Generate missing pictures.
    Generate,
    /// Review flagged items.
    ReviewFlagged,
    /// Judge pending items.
    Judge,
    /// Evaluate a model on the accepted items.
    Evaluate,
    /// Look at the board.
    Board,
    /// Export the accepted items.
    Export,
}

impl NextStep {
    /// The name, and the round.
    pub fn name(&self) -> (&'static str, Option<&str>) {
        match self {
            NextStep::AddItems => ("add-items", None),
            NextStep::JudgeRound(round) => ("judge-round", Some(round)),
            NextStep::Settle(round) => ("settle", Some(round)),
            NextStep::Generate => ("generate", None),
            NextStep::ReviewFlagged => ("review-flagged", None),
            NextStep::Judge => ("judge", None),
            NextStep::Evaluate => ("evaluate", None),
            NextStep::Board => ("board", None),
            NextStep::Export => ("export", None),
        }
    }
}

/// The project as its first screen shows it to one annotator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Home {
    /// Whether the project holds the sample.
    pub sample: bool,
    /// Number of items in each list. Lists that a blind round hides from the annotator are left
    /// out.
    pub counts: Vec<(ItemList, u64)>,
    /// Lists whose counts are not known yet.
    pub pending: Vec<ItemList>,
    /// Imported prediction files and finished evaluations.
    pub prediction_sets: u64,
    /// Median seconds of the annotator's verdicts with a known duration.
    pub median_seconds: Option<f64>,
    /// Open rounds with items for the annotator, oldest first.
    pub rounds: Vec<RoundTask>,
    /// Rounds with open disputes, oldest first.
    pub disputes: Vec<(String, u64)>,
    /// The annotators with verdicts, most active first.
    pub people: Vec<PersonActivity>,
    /// Time of the annotator's last verdict before this session, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Up to three steps, most useful first.
    pub next: Vec<NextStep>,
}

impl Home {
    /// Number of items in a list; `None` if a blind round hides it, or it is pending.
    pub fn count(&self, list: ItemList) -> Option<u64> {
        let found = self.counts.iter().find(|(own, _)| *own == list);
        found.map(|(_, n)| *n)
    }

    /// Number of items in a list; 0 if a blind round hides it, or it is pending.
    pub fn known(&self, list: ItemList) -> u64 {
        self.count(list).unwrap_or(0)
    }

    /// The most useful steps, at most three.
    pub fn steps(&self) -> Vec<NextStep> {
        let known = |list| self.known(list);
        if known(ItemList::Items) == 0 {
            return vec![NextStep::AddItems];
        }
        let mut steps: Vec<NextStep> = Vec::new();
        let rounds = self.rounds.iter().map(|r| r.name.clone());
        steps.extend(rounds.map(NextStep::JudgeRound));
        let disputes = self.disputes.iter().map(|(round, _)| round.clone());
        steps.extend(disputes.map(NextStep::Settle));
        let pending = known(ItemList::Items) > known(ItemList::Judged);
        let conditions = [
            (known(ItemList::Missing) > 0, NextStep::Generate),
            (known(ItemList::Flagged) > 0, NextStep::ReviewFlagged),
            (pending, NextStep::Judge),
            (
                known(ItemList::Accepted) > 0 && self.prediction_sets == 0,
                NextStep::Evaluate,
            ),
            (self.prediction_sets > 0, NextStep::Board),
            (known(ItemList::Accepted) > 0, NextStep::Export),
        ];
        steps.extend(conditions.into_iter().filter(|c| c.0).map(|c| c.1));
        steps.truncate(3);
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;

    #[test]
    fn the_filter_of_each_list_parses() {
        for list in ItemList::ALL {
            let text = list.filter("ann lee");
            assert_eq!(Filter::parse(&text).unwrap().to_text(), text);
        }
    }

    #[test]
    fn rounds_come_before_disputes_pictures_and_scores() {
        let counts = |items, missing, judged, accepted| {
            vec![
                (ItemList::Items, items),
                (ItemList::Missing, missing),
                (ItemList::Judged, judged),
                (ItemList::Accepted, accepted),
            ]
        };
        let mut home = Home::default();
        assert_eq!(home.steps(), [NextStep::AddItems]);
        home.counts = counts(10, 4, 0, 0);
        assert_eq!(home.steps(), [NextStep::Generate, NextStep::Judge]);
        home.disputes = vec![("r1".into(), 2)];
        home.rounds = vec![RoundTask {
            name: "r2".into(),
            judged: 1,
            share: 5,
        }];
        assert_eq!(
            home.steps(),
            [
                NextStep::JudgeRound("r2".into()),
                NextStep::Settle("r1".into()),
                NextStep::Generate
            ]
        );
        let done = Home {
            counts: counts(10, 0, 10, 8),
            prediction_sets: 1,
            ..Home::default()
        };
        assert_eq!(done.steps(), [NextStep::Board, NextStep::Export]);
        let alone = Home {
            prediction_sets: 0,
            ..done
        };
        assert_eq!(alone.steps(), [NextStep::Evaluate, NextStep::Export]);
    }
}
