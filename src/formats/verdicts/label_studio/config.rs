//! The labeling config for the tasks, as XML for Label Studio's settings.

use std::fmt::Write as _;

use super::{ANSWER, NOTE, REASONS, VERDICT};
use crate::python_json::xml;
use benchtop_model::Verdict;
use benchtop_model::config::Reason;

/// The labeling config with these reasons.
pub fn config(reasons: &[Reason]) -> String {
    let mut out = String::from("<View>\n  <Image name=\"image\" value=\"$image\"/>\n");
    for (name, heading) in [
        ("question", "Question"),
        ("options", "Options"),
        ("key", "Key"),
    ] {
        let _ = writeln!(
            out,
            "  <Header value=\"{heading}\"/>\n  <Text name=\"{name}\" value=\"${name}\"/>"
        );
    }
    let choices =
        |out: &mut String, name: &str, more: &str, list: &mut dyn Iterator<Item = (&str, &str)>| {
            let _ = writeln!(
                out,
                "  <Choices name=\"{name}\" toName=\"question\" {more}>"
            );
            for (key, label) in list {
                let (key, label) = (xml(key), xml(label));
                let alias = if key == label {
                    String::new()
                } else {
                    format!(" alias=\"{key}\"")
                };
                let _ = writeln!(out, "    <Choice value=\"{label}\"{alias}/>");
            }
            out.push_str("  </Choices>\n");
        };
    let verdicts = &mut Verdict::ALL.iter().map(|v| (v.name(), v.name()));
    choices(
        &mut out,
        VERDICT,
        "choice=\"single\" required=\"true\" showInline=\"true\"",
        verdicts,
    );
    if !reasons.is_empty() {
        let reasons = &mut reasons.iter().map(|r| (r.key.as_str(), r.label.as_str()));
        choices(&mut out, REASONS, "choice=\"multiple\"", reasons);
    }
    for (name, placeholder) in [(NOTE, "Note"), (ANSWER, "Answer, if requested")] {
        let _ = writeln!(
            out,
            "  <TextArea name=\"{name}\" toName=\"question\" rows=\"3\" maxSubmissions=\"1\" editable=\"true\" \
             placeholder=\"{placeholder}\"/>"
        );
    }
    out.push_str("</View>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_show_labels_and_record_keys() {
        let reason = |key: &str, label: &str| Reason {
            key: key.into(),
            label: label.into(),
        };
        let xml = config(&[
            reason("unsafe", "\"unsafe\" & <bad>"),
            reason("other", "other"),
        ]);
        assert!(
            xml.contains(
                "<Choice value=\"&quot;unsafe&quot; &amp; &lt;bad&gt;\" alias=\"unsafe\"/>"
            ),
            "{xml}"
        );
        assert!(
            xml.contains("<Choice value=\"other\"/>") && xml.contains("<Choice value=\"accept\"/>")
        );
        let count = |part: &str| xml.matches(part).count();
        assert_eq!(
            (
                count("<Choices "),
                count("</Choices>"),
                count("<View>"),
                count("</View>")
            ),
            (2, 2, 1, 1)
        );
        assert!(!config(&[]).contains("reasons"));
    }
}
