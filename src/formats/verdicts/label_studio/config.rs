//! The labeling config for the tasks, as XML for Label Studio's settings.

use std::fmt::Write as _;

use super::task::has_levels;
use super::{ANSWER, BOXES, NOTE, POINTS, REASONS, TAGS, VERDICT};
use crate::python_json::xml;
use benchtop_model::config::Reason;
use benchtop_model::{Verdict, taxonomy};

/// The labeling config with these reasons and tags. Marks have the labels of the tags, and no label
/// otherwise; Label Studio keeps the labels of regions that it imports.
pub fn config(reasons: &[Reason], tags: &[Reason]) -> String {
    let mut out = String::from("<View>\n  <Image name=\"image\" value=\"$image\"/>\n");
    for (name, control) in [(BOXES, "RectangleLabels"), (POINTS, "KeyPointLabels")] {
        let _ = writeln!(out, "  <{control} name=\"{name}\" toName=\"image\">");
        out += "    <Label value=\"mark\"/>\n";
        for tag in tags {
            let _ = writeln!(out, "    <Label value=\"{}\"/>", xml(&tag.key));
        }
        let _ = writeln!(out, "  </{control}>");
    }
    for (name, heading) in [
        ("question", "Question"),
        ("options", "Options"),
        ("key", "Key"),
        ("comments", "Comments"),
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
    if has_levels(reasons) {
        taxonomy_control(&mut out, REASONS, reasons);
    } else if !reasons.is_empty() {
        let reasons = &mut reasons.iter().map(|r| (r.key.as_str(), r.label.as_str()));
        choices(&mut out, REASONS, "choice=\"multiple\"", reasons);
    }
    if !tags.is_empty() {
        taxonomy_control(&mut out, TAGS, tags);
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

/// A control of a list with levels. A choice records its word of the key.
fn taxonomy_control(out: &mut String, name: &str, list: &[Reason]) {
    let _ = writeln!(out, "  <Taxonomy name=\"{name}\" toName=\"question\">");
    level(out, list, None, 2);
    out.push_str("  </Taxonomy>\n");
}

fn level(out: &mut String, list: &[Reason], parent: Option<&str>, depth: usize) {
    for entry in taxonomy::level(list, parent) {
        let word = entry.key.rsplit(taxonomy::SEPARATOR).next();
        let (word, label) = (xml(word.unwrap_or_default()), xml(&entry.label));
        let alias = match word == label {
            true => String::new(),
            false => format!(" alias=\"{word}\""),
        };
        let indent = "  ".repeat(depth);
        let _ = write!(out, "{indent}<Choice value=\"{label}\"{alias}");
        if entry.has_children {
            out.push_str(">\n");
            level(out, list, Some(&entry.key), depth + 1);
            let _ = writeln!(out, "{indent}</Choice>");
        } else {
            out.push_str("/>\n");
        }
    }
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
        let reasons = [
            reason("unsafe", "\"unsafe\" & <bad>"),
            reason("other", "other"),
        ];
        let xml = config(&reasons, &[]);
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
        assert!(!config(&[], &[]).contains("reasons"));
        assert!(!xml.contains("Taxonomy"));
        let levels = [
            reason("anatomy/hands", "Hands"),
            reason("anatomy", "anatomy"),
            reason("other", "Other"),
        ];
        let xml = config(&levels, &[reason("night", "Night")]);
        assert!(
            xml.contains(
                "<Choice value=\"anatomy\">\n      <Choice value=\"Hands\" alias=\"hands\"/>\n    </Choice>"
            ),
            "{xml}"
        );
        assert_eq!(xml.matches("<Taxonomy ").count(), 2, "{xml}");
        assert!(xml.contains("<Label value=\"night\"/>"), "{xml}");
    }
}
