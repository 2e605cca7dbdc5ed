//! From a model's raw output to the answer it gives: named rules with a version, each of which can say what it did.

/// A rule that reads an answer. A change of what it reads is a new [`version`](Extractor::version).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extractor {
    /// Yes or no (MVP-Bench, `evaluate.py`): the text before the first full stop, of that before the first comma; if it is
    /// neither yes nor no in any case, the stored word of a language-model judge.
    MvpYesNo,
    /// A letter for CircularEval (MVP-Bench, `evaluate.py`, `evaluate_mcq`): the text before the first full stop, of that before
    /// the first comma; upper case only, nothing else stripped.
    MvpCircular,
    /// A letter for single questions (MVP-Bench, `evaluate.py`, `extract_predictions`): as the circular rule, then the text before
    /// the first `)`, round brackets stripped; any case.
    MvpMcq,
}

impl Extractor {
    /// Name and version, e.g. `mvp-yn@1`.
    pub fn name(self) -> &'static str {
        match self {
            Extractor::MvpYesNo => "mvp-yn@1",
            Extractor::MvpCircular => "mvp-circular@1",
            Extractor::MvpMcq => "mvp-mcq@1",
        }
    }

    /// Version of the rule, from 1.
    pub fn version(self) -> u32 {
        1
    }

    /// The answer read from `output`: `yes` or `no`, or one capital letter. `judge` is the stored word of a judge, if any.
    /// `None` when the rule cannot read it.
    pub fn extract(self, output: &str, judge: Option<&str>) -> Option<String> {
        let text = self.reduce(output);
        match self {
            Extractor::MvpYesNo => yes_or_no(text).or_else(|| yes_or_no(judge?)).map(str::to_string),
            Extractor::MvpCircular => letter(text),
            Extractor::MvpMcq => letter(&text.to_ascii_uppercase()),
        }
    }

    /// What [`extract`](Self::extract) did, step by step, in one line.
    pub fn explain(self, output: &str, judge: Option<&str>) -> String {
        let text = self.reduce(output);
        let mut line = format!("{}: text before the first `.` and `,`", self.name());
        if self == Extractor::MvpMcq {
            line.push_str(" and `)`, without brackets");
        }
        line.push_str(&format!(" is `{text}`"));
        let read = self.extract(output, judge);
        if self == Extractor::MvpYesNo && yes_or_no(text).is_none() {
            line.push_str(", neither yes nor no; ");
            line.push_str(
                &judge.map_or("no judge asked".to_string(), |word| format!("the stored judge said `{word}`")),
            );
        }
        match read {
            Some(read) => line.push_str(&format!("; read as `{read}`")),
            None => line.push_str("; not readable, counts as wrong"),
        }
        line
    }

    fn reduce(self, output: &str) -> &str {
        let text = before(before(output.trim(), '.'), ',');
        if self == Extractor::MvpMcq { before(text, ')').trim_matches(['(', ')']).trim() } else { text }
    }
}

fn before(text: &str, mark: char) -> &str {
    text.split(mark).next().unwrap_or(text).trim()
}

fn yes_or_no(text: &str) -> Option<&'static str> {
    ["yes", "no"].into_iter().find(|word| text.eq_ignore_ascii_case(word))
}

/// One capital letter and nothing else.
fn letter(text: &str) -> Option<String> {
    matches!(text.as_bytes(), [b'A'..=b'Z']).then(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_reads_what_its_source_reads() {
        let yn = |o, j| Extractor::MvpYesNo.extract(o, j);
        assert_eq!(yn("Yes, the man is. No", None).as_deref(), Some("yes"));
        assert_eq!(yn(" NO ", None).as_deref(), Some("no"));
        assert_eq!(yn("I cannot tell", Some("No")).as_deref(), Some("no"));
        assert_eq!(yn("I cannot tell", Some("Unknown")), None);
        assert_eq!(yn("yes indeed", None), None);
        // A readable output is never overruled by the judge.
        assert_eq!(yn("Yes.", Some("No")).as_deref(), Some("yes"));

        let circular = |o| Extractor::MvpCircular.extract(o, None);
        assert_eq!(circular("C. scenario").as_deref(), Some("C"));
        assert_eq!(circular(" C , D").as_deref(), Some("C"));
        assert_eq!((circular("c"), circular("(C)"), circular("C) x"), circular("")), (None, None, None, None));

        let mcq = |o| Extractor::MvpMcq.extract(o, None);
        assert_eq!(mcq("(c) scenario").as_deref(), Some("C"));
        assert_eq!(mcq("C) scenario").as_deref(), Some("C"));
        assert_eq!(mcq("The answer is C"), None);
    }

    #[test]
    fn the_trace_tells_every_step() {
        assert_eq!(
            Extractor::MvpYesNo.explain("Hm, well", Some("Unknown")),
            "mvp-yn@1: text before the first `.` and `,` is `Hm`, neither yes nor no; the stored judge said `Unknown`; not \
             readable, counts as wrong"
        );
        assert!(Extractor::MvpMcq.explain("(c) x", None).ends_with("is `c`; read as `C`"));
    }
}
