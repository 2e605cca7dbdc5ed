//! `[[rules]]` of `benchtop.toml`: when items are flagged or parked.
//!
//! ```toml
//! [[rules]]
//! name = "weak match"
//! then = "flag"
//! all = [
//!   { score = "clip", below = 25.0, subtasks = { text = 22.0 } },
//!   { score = "judge/answer-stands", below = 0.5 },
//! ]
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{Measure, Outcome, Score, ScoreState, SuspiciousEnd};

/// A finite number to compare scores with.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Threshold(f64);

impl Eq for Threshold {}

impl Threshold {
    /// A threshold of `number`; `None` if it is not finite.
    pub fn new(number: f64) -> Option<Threshold> {
        // Round to six digits, so that steps of 0.1 stay exact when written.
        number
            .is_finite()
            .then(|| Threshold((number * 1e6).round() / 1e6))
    }

    /// The threshold as a score value.
    pub fn get(self) -> f32 {
        self.0 as f32
    }

    /// The threshold as written in the file.
    pub fn number(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Threshold {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Threshold, D::Error> {
        let number = f64::deserialize(from)?;
        Threshold::new(number)
            .ok_or_else(|| serde::de::Error::custom("invalid threshold, expected a finite number"))
    }
}

/// The action of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleAction {
    /// A person reviews the items first.
    Flag,
    /// The items are quarantined.
    Park,
}

impl RuleAction {
    /// The outcome for matching items.
    pub fn outcome(self) -> Outcome {
        match self {
            RuleAction::Flag => Outcome::Flagged,
            RuleAction::Park => Outcome::Parked,
        }
    }
}

/// The test of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// The score is below the threshold.
    Below(Threshold),
    /// The score is above the threshold.
    Above(Threshold),
    /// There is no number, for this reason.
    Is(ScoreState),
}

/// A condition on one score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenCondition", into = "WrittenCondition")]
pub struct Condition {
    /// The score and its scale.
    pub score: Measure,
    pub test: Test,
    /// Different thresholds for items of these subtasks.
    pub subtasks: BTreeMap<String, Threshold>,
}

impl Condition {
    /// The condition for the suspicious side of a threshold.
    pub fn suspicious(score: Measure, threshold: Threshold) -> Condition {
        let test = match score.scorer.suspicious_end() {
            SuspiciousEnd::Low => Test::Below(threshold),
            SuspiciousEnd::High => Test::Above(threshold),
        };
        Condition {
            score,
            test,
            subtasks: BTreeMap::new(),
        }
    }

    /// The threshold for items of a subtask; `None` for a test of the state.
    pub fn threshold(&self, subtask: &str) -> Option<Threshold> {
        match self.test {
            Test::Below(threshold) | Test::Above(threshold) => {
                Some(self.subtasks.get(subtask).copied().unwrap_or(threshold))
            }
            Test::Is(_) => None,
        }
    }

    /// Whether the condition holds. `logit` is the logit scale of the model. A missing score is on
    /// neither side of a threshold.
    pub fn holds(&self, score: &Score, logit: f32, subtask: &str) -> bool {
        let shown = || self.score.shown(score.value, logit);
        match (self.test, self.threshold(subtask)) {
            (Test::Is(state), _) => score.state == state,
            _ if score.state != ScoreState::Scored => false,
            (Test::Below(_), Some(threshold)) => shown() < threshold.get(),
            (Test::Above(_), Some(threshold)) => shown() > threshold.get(),
            (_, None) => false,
        }
    }

    /// Parses a filter value: `clip<25`, `safety>0`, `judge/fits=unparsed`.
    ///
    /// # Errors
    /// Says what is expected instead.
    pub fn parse(text: &str) -> Result<Condition, String> {
        let how = || {
            format!(
                "invalid score condition `{text}`, expected one such as clip<25, safety>0, or ocr=unparsed"
            )
        };
        let at = text.find(['<', '>', '=']).ok_or_else(how)?;
        let (score, rest) = text.split_at(at);
        let (score, value) = (score.trim().parse()?, rest[1..].trim());
        let threshold = || value.parse().ok().and_then(Threshold::new).ok_or_else(how);
        let test = match rest.as_bytes().first() {
            Some(b'<') => Test::Below(threshold()?),
            Some(b'>') => Test::Above(threshold()?),
            _ => Test::Is(
                ScoreState::ALL
                    .into_iter()
                    .find(|s| s.name() == value)
                    .ok_or_else(how)?,
            ),
        };
        Ok(Condition {
            score,
            test,
            subtasks: BTreeMap::new(),
        })
    }

    /// The text that [`parse`](Self::parse) reads, without the thresholds of subtasks.
    pub fn to_filter_text(&self) -> String {
        match self.test {
            Test::Below(t) => format!("{}<{}", self.score, t.0),
            Test::Above(t) => format!("{}>{}", self.score, t.0),
            Test::Is(state) => format!("{}={}", self.score, state.name()),
        }
    }

    /// The condition for display: `clip < 25`.
    pub fn describe(&self) -> String {
        let score = &self.score;
        let mut words = match self.test {
            Test::Below(t) => format!("{score} < {}", t.0),
            Test::Above(t) => format!("{score} > {}", t.0),
            Test::Is(state) => format!("{score} is {}", state.name()),
        };
        if !self.subtasks.is_empty() {
            let list: Vec<String> = self
                .subtasks
                .iter()
                .map(|(name, t)| format!("{name} {}", t.0))
                .collect();
            words.push_str(&format!(" ({})", list.join(", ")));
        }
        words
    }
}

/// A condition as written in the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCondition {
    score: Option<Measure>,
    #[serde(default)]
    below: Option<Threshold>,
    #[serde(default)]
    above: Option<Threshold>,
    #[serde(default)]
    is: Option<ScoreState>,
    #[serde(default)]
    subtasks: BTreeMap<String, Threshold>,
}

impl TryFrom<WrittenCondition> for Condition {
    type Error = String;

    fn try_from(written: WrittenCondition) -> Result<Condition, String> {
        let score = written
            .score
            .ok_or("a condition has no score, expected `score = \"clip\"`")?;
        let test = match (written.below, written.above, written.is) {
            (Some(threshold), None, None) => Test::Below(threshold),
            (None, Some(threshold), None) => Test::Above(threshold),
            (None, None, Some(ScoreState::Scored)) => {
                return Err(format!(
                    "`{score}` cannot be tested for the state `scored`, expected `below`, `above`, or another state"
                ));
            }
            (None, None, Some(state)) if written.subtasks.is_empty() => Test::Is(state),
            (None, None, Some(_)) => {
                return Err(format!(
                    "`{score}` tests a state, which has no thresholds for subtasks, expected `below` or `above`"
                ));
            }
            _ => {
                return Err(format!(
                    "`{score}` needs exactly one test, expected one of below, above, is"
                ));
            }
        };
        Ok(Condition {
            score,
            test,
            subtasks: written.subtasks,
        })
    }
}

impl From<Condition> for WrittenCondition {
    fn from(condition: Condition) -> WrittenCondition {
        let mut written = WrittenCondition {
            score: Some(condition.score),
            subtasks: condition.subtasks,
            ..WrittenCondition::default()
        };
        match condition.test {
            Test::Below(threshold) => written.below = Some(threshold),
            Test::Above(threshold) => written.above = Some(threshold),
            Test::Is(state) => written.is = Some(state),
        }
        written
    }
}

/// How the conditions of a rule are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// All conditions must hold.
    All,
    /// Any condition is enough.
    Any,
}

/// A rule that flags or parks items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenRule", into = "WrittenRule")]
pub struct Rule {
    /// Name, unique among the rules.
    pub name: String,
    pub then: RuleAction,
    pub join: Join,
    /// Conditions, at least one.
    pub conditions: Vec<Condition>,
}

impl Rule {
    /// The rule for display: `flag if clip < 25 and ocr < 0.8`.
    pub fn describe(&self) -> String {
        let and = if self.join == Join::All {
            " and "
        } else {
            " or "
        };
        let list: Vec<String> = self.conditions.iter().map(Condition::describe).collect();
        let then = if self.then == RuleAction::Flag {
            "flag"
        } else {
            "park"
        };
        format!("{then} if {}", list.join(and))
    }
}

/// A rule as written in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    name: String,
    then: RuleAction,
    #[serde(default)]
    all: Option<Vec<Condition>>,
    #[serde(default)]
    any: Option<Vec<Condition>>,
}

impl TryFrom<WrittenRule> for Rule {
    type Error = String;

    fn try_from(written: WrittenRule) -> Result<Rule, String> {
        let name = written.name;
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return Err(
                "a rule has no name, expected one line such as `name = \"weak match\"`".into(),
            );
        }
        let (join, conditions) = match (written.all, written.any) {
            (Some(all), None) => (Join::All, all),
            (None, Some(any)) => (Join::Any, any),
            _ => {
                return Err(format!(
                    "rule `{name}` needs exactly one list of conditions, expected `all` or `any`"
                ));
            }
        };
        if conditions.is_empty() {
            return Err(format!(
                "rule `{name}` has no conditions, expected at least one"
            ));
        }
        Ok(Rule {
            name,
            then: written.then,
            join,
            conditions,
        })
    }
}

impl From<Rule> for WrittenRule {
    fn from(rule: Rule) -> WrittenRule {
        let (all, any) = match rule.join {
            Join::All => (Some(rule.conditions), None),
            Join::Any => (None, Some(rule.conditions)),
        };
        WrittenRule {
            name: rule.name,
            then: rule.then,
            all,
            any,
        }
    }
}

/// The rules of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Rule>", into = "Vec<Rule>")]
pub struct RuleSet {
    /// The rules. If one flags an item and another parks it, it is parked.
    pub rules: Vec<Rule>,
}

impl TryFrom<Vec<Rule>> for RuleSet {
    type Error = String;

    fn try_from(rules: Vec<Rule>) -> Result<RuleSet, String> {
        for (at, rule) in rules.iter().enumerate() {
            if rules[..at].iter().any(|r| r.name == rule.name) {
                return Err(format!(
                    "duplicate rule `{}`, expected each name once",
                    rule.name
                ));
            }
        }
        Ok(RuleSet { rules })
    }
}

impl From<RuleSet> for Vec<Rule> {
    fn from(set: RuleSet) -> Vec<Rule> {
        set.rules
    }
}

impl RuleSet {
    /// All scores that the rules use, each once.
    pub fn measures(&self) -> Vec<Measure> {
        let mut all: Vec<Measure> = self
            .rules
            .iter()
            .flat_map(|r| &r.conditions)
            .map(|c| c.score.clone())
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// The threshold of the rule that tests only this score, which is the one that the Filters pane moves.
    pub fn threshold(&self, measure: &Measure, then: RuleAction) -> Option<Threshold> {
        let condition = self
            .alone(measure, then)
            .and_then(|at| self.rules.get(at)?.conditions.first());
        condition.and_then(|c| c.threshold(""))
    }

    fn alone(&self, measure: &Measure, then: RuleAction) -> Option<usize> {
        let is_alone = |r: &Rule| match r.conditions.as_slice() {
            [one] => r.then == then && one.score == *measure && !matches!(one.test, Test::Is(_)),
            _ => false,
        };
        self.rules.iter().position(is_alone)
    }

    /// A copy with another threshold in the rule that tests only this score, for all subtasks or
    /// for one. `None` removes the rule, or the subtask's exception.
    pub fn with(
        &self,
        measure: &Measure,
        then: RuleAction,
        subtask: Option<&str>,
        threshold: Option<Threshold>,
    ) -> RuleSet {
        let mut set = self.clone();
        match (self.alone(measure, then), threshold, subtask) {
            (None, None, _) => {}
            (None, Some(threshold), subtask) => {
                let mut condition = Condition::suspicious(measure.clone(), threshold);
                if let Some(subtask) = subtask {
                    let all = Threshold(f64::from(measure.default_threshold()));
                    condition = Condition::suspicious(measure.clone(), all);
                    condition.subtasks.insert(subtask.into(), threshold);
                }
                let word = if then == RuleAction::Flag {
                    "low"
                } else {
                    "out"
                };
                let mut name = format!("{measure} {word}");
                while set.rules.iter().any(|r| r.name == name) {
                    name.push('*');
                }
                set.rules.push(Rule {
                    name,
                    then,
                    join: Join::All,
                    conditions: vec![condition],
                });
            }
            (Some(at), None, None) => {
                set.rules.remove(at);
            }
            (Some(at), threshold, subtask) => {
                if let Some(condition) =
                    set.rules.get_mut(at).and_then(|r| r.conditions.first_mut())
                {
                    match (subtask, threshold) {
                        (Some(subtask), Some(threshold)) => {
                            condition.subtasks.insert(subtask.into(), threshold);
                        }
                        (Some(subtask), None) => drop(condition.subtasks.remove(subtask)),
                        (None, Some(threshold)) => {
                            condition.test = match condition.test {
                                Test::Above(_) => Test::Above(threshold),
                                _ => Test::Below(threshold),
                            }
                        }
                        (None, None) => {}
                    }
                }
            }
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct File {
        rules: RuleSet,
    }

    fn read(text: &str) -> Result<RuleSet, String> {
        toml::from_str::<File>(text)
            .map(|f| f.rules)
            .map_err(|e| e.message().to_string())
    }

    const TEXT: &str = r#"
        [[rules]]
        name = "weak match"
        then = "flag"
        all = [{ score = "clip", below = 25.0, subtasks = { text = 22.5 } }, { score = "judge/fits", is = "unparsed" }]
        [[rules]]
        name = "unsafe"
        then = "park"
        any = [{ score = "safety", above = 0 }]
    "#;

    #[test]
    fn rules_round_trip_in_toml_and_postcard() {
        let set = read(TEXT).unwrap();
        assert_eq!(
            set.rules[0].describe(),
            "flag if clip < 25 (text 22.5) and judge/fits is unparsed"
        );
        assert_eq!(set.rules[1].describe(), "park if safety > 0");
        let text = toml::to_string(&File { rules: set.clone() }).unwrap();
        assert_eq!(read(&text).unwrap(), set, "{text}");
        let bytes = postcard::to_stdvec(&set).unwrap();
        assert_eq!(postcard::from_bytes::<RuleSet>(&bytes).unwrap(), set);
        assert_eq!(set.measures().len(), 3);
    }

    #[test]
    fn invalid_rules_say_what_is_expected() {
        for (wrong, word) in [
            ("[[rules]]\nname=\"a\"\nthen=\"flag\"", "`all` or `any`"),
            (
                "[[rules]]\nname=\"a\"\nthen=\"flag\"\nall=[]",
                "at least one",
            ),
            (
                "[[rules]]\nname=\"a\"\nthen=\"flag\"\nall=[{score=\"clip\"}]",
                "one of below",
            ),
            (
                "[[rules]]\nname=\"a\"\nthen=\"flag\"\nall=[{score=\"clip\",below=nan}]",
                "finite",
            ),
            (
                "[[rules]]\nname=\"a\"\nthen=\"flag\"\nall=[{below=1}]",
                "score = ",
            ),
            (
                "[[rules]]\nname=\"a\"\nthen=\"flag\"\nall=[{score=\"clop\",below=1}]",
                "clop",
            ),
            (
                "[[rules]]\nname=\"a\"\nthen=\"drop\"\nall=[{score=\"clip\",below=1}]",
                "drop",
            ),
        ] {
            assert!(
                read(wrong).unwrap_err().contains(word),
                "{wrong}: {:?}",
                read(wrong)
            );
        }
        let twice = format!(
            "{TEXT}\n[[rules]]\nname=\"unsafe\"\nthen=\"flag\"\nany=[{{score=\"ocr\",below=1}}]"
        );
        assert!(read(&twice).unwrap_err().contains("duplicate"));
    }

    #[test]
    fn missing_score_is_on_neither_side() {
        let set = read(TEXT).unwrap();
        let [clip, judge] = set.rules[0].conditions.as_slice() else {
            panic!()
        };
        assert!(clip.holds(&Score::scored(0.249, ""), 100.0, "animal"));
        assert!(
            !clip.holds(&Score::scored(0.25, ""), 100.0, "animal"),
            "equal is not below"
        );
        assert!(
            !clip.holds(&Score::scored(0.249, ""), 100.0, "text"),
            "the subtask's own threshold"
        );
        assert!(!clip.holds(
            &Score::without_number(ScoreState::Unparsed, ""),
            100.0,
            "animal"
        ));
        assert!(judge.holds(&Score::without_number(ScoreState::Unparsed, ""), 1.0, ""));
    }

    #[test]
    fn filter_conditions_round_trip() {
        for text in [
            "clip<25",
            "safety>-0.5",
            "judge/fits=unparsed",
            "clip.cosine<0.25",
        ] {
            assert_eq!(Condition::parse(text).unwrap().to_filter_text(), text);
        }
        for wrong in ["clip", "clip<", "clip<x", "clip=done", "clop<1", "clip<inf"] {
            assert!(
                Condition::parse(wrong).unwrap_err().contains("expected"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn bench_moves_one_threshold_only() {
        let set = read(TEXT).unwrap();
        let clip: Measure = "clip".parse().unwrap();
        assert_eq!(
            set.threshold(&clip, RuleAction::Flag),
            None,
            "its rule has other conditions"
        );
        let line = |n: f64| Threshold::new(n);
        let with = set.with(&clip, RuleAction::Flag, None, line(24.0));
        assert_eq!(
            (with.rules.len(), with.threshold(&clip, RuleAction::Flag)),
            (3, line(24.0))
        );
        let moved = with
            .with(&clip, RuleAction::Flag, Some("text"), line(20.1))
            .with(&clip, RuleAction::Flag, None, line(23.0));
        assert_eq!(moved.rules[2].describe(), "flag if clip < 23 (text 20.1)");
        let back = moved.with(&clip, RuleAction::Flag, Some("text"), None);
        assert_eq!(back.rules[2].describe(), "flag if clip < 23");
        assert_eq!(back.with(&clip, RuleAction::Flag, None, None), set);
        let safety: Measure = "safety".parse().unwrap();
        assert_eq!(
            set.with(&safety, RuleAction::Park, None, line(0.1)).rules[1].describe(),
            "park if safety > 0.1"
        );
    }
}
