//! Copies rows as text for other programs.

use super::{Align, Spec};
use crate::widgets::text;
use benchtop_model::board::Better;
use benchtop_model::clean;

/// The format of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyFormat {
    /// Tab-separated values with a header line. Tabs and line breaks in cells become spaces.
    Tsv,
    /// Comma-separated values with a header line, quoted as in RFC 4180. Line breaks in cells are
    /// kept.
    Csv,
    /// A pipe table (GitHub's Markdown).
    Markdown,
    /// A `tabular` with booktabs rules and the best number of each column in bold.
    Latex,
}

impl CopyFormat {
    /// All formats, in menu order.
    pub const ALL: [CopyFormat; 4] = [Self::Tsv, Self::Csv, Self::Markdown, Self::Latex];

    /// The name in menus.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tsv => "TSV",
            Self::Csv => "CSV",
            Self::Markdown => "Markdown",
            Self::Latex => "LaTeX",
        }
    }
}

/// The heading of a column.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    pub name: &'a str,
    /// Number columns are right-aligned.
    pub is_number: bool,
    /// Which numbers are better.
    pub better: Better,
}

impl<'a> Heading<'a> {
    /// The heading of a column without a ranking.
    pub fn new(name: &'a str, is_number: bool) -> Heading<'a> {
        Heading {
            name,
            is_number,
            better: Better::Neither,
        }
    }
}

impl<'a> Heading<'a> {
    /// The heading of a table column.
    pub fn of(spec: &'a Spec) -> Heading<'a> {
        Heading {
            name: &spec.name,
            is_number: spec.align == Align::Right,
            better: spec.better,
        }
    }
}

/// The message if only the page is copied.
pub fn only_page(first: u64, rows: u64, all: u64, why: &str) -> String {
    let [from, to, all] = [first + 1, first + rows, all].map(text::grouped);
    format!("copied only rows {from}-{to} of {all} (this page): {why}")
}

/// A cell: its text, and the number to compare it by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CopyCell {
    pub text: String,
    /// `None` if it is not compared.
    pub number: Option<f64>,
}

impl From<String> for CopyCell {
    fn from(text: String) -> CopyCell {
        CopyCell { text, number: None }
    }
}

/// The text of the best cells of a column, if at least two are compared.
fn best(column: usize, better: Better, rows: &[Vec<CopyCell>]) -> Option<&str> {
    let compared = || {
        rows.iter()
            .filter_map(move |row| row.get(column).filter(|cell| cell.number.is_some()))
    };
    let best = better
        .best(compared().filter_map(|cell| cell.number))
        .filter(|_| compared().count() > 1)?;
    // Cells with the same text are equally good.
    compared()
        .find(|cell| cell.number == Some(best))
        .map(|cell| cell.text.as_str())
}

/// Formats `rows` below `headings`. Ends in a line break. Short rows are padded with empty cells.
pub fn rows_as(headings: &[Heading<'_>], rows: &[Vec<CopyCell>], format: CopyFormat) -> String {
    let plain = |text: &str| match format {
        CopyFormat::Csv => csv(&text
            .trim()
            .lines()
            .map(text::clean)
            .collect::<Vec<_>>()
            .join("\n")),
        CopyFormat::Tsv => clean::cell(text::clean(text).trim()).into_owned(),
        _ => escape(text::clean(text).trim(), format),
    };
    let line = |cells: Vec<String>| match format {
        CopyFormat::Tsv => cells.join("\t") + "\n",
        CopyFormat::Csv => cells.join(",") + "\n",
        CopyFormat::Markdown => format!("| {} |\n", cells.join(" | ")),
        CopyFormat::Latex => format!("{} \\\\\n", cells.join(" & ")),
    };
    let mut out = String::new();
    if format == CopyFormat::Latex {
        let sides: String = headings
            .iter()
            .map(|heading| if heading.is_number { 'r' } else { 'l' })
            .collect();
        out += &format!("% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{sides}}}\n\\toprule\n");
    }
    out += &line(headings.iter().map(|heading| plain(heading.name)).collect());
    match format {
        CopyFormat::Tsv | CopyFormat::Csv => {}
        CopyFormat::Markdown => {
            let rule = headings
                .iter()
                .map(|heading| if heading.is_number { "---:" } else { "---" });
            out += &format!("| {} |\n", rule.collect::<Vec<_>>().join(" | "));
        }
        CopyFormat::Latex => out += "\\midrule\n",
    }
    let bold: Vec<Option<&str>> = match format {
        CopyFormat::Latex => headings
            .iter()
            .enumerate()
            .map(|(at, of)| best(at, of.better, rows))
            .collect(),
        _ => vec![None; headings.len()],
    };
    for row in rows {
        let cell = |(at, best): (usize, &Option<&str>)| {
            let cell = row.get(at);
            let said = plain(cell.map_or("", |cell| cell.text.as_str()));
            let is_best =
                cell.is_some_and(|cell| cell.number.is_some() && Some(cell.text.as_str()) == *best);
            if is_best {
                format!("\\textbf{{{said}}}")
            } else {
                said
            }
        };
        out += &line(bold.iter().enumerate().map(cell).collect());
    }
    if format == CopyFormat::Latex {
        out += "\\bottomrule\n\\end{tabular}\n";
    }
    out
}

/// A number without thousands separators and suffix, for programs.
pub fn bare(text: &str, number: f64) -> String {
    let text = text.trim_end_matches('*');
    let plain = text.replace(',', "");
    if plain.parse() == Ok(number) {
        plain
    } else {
        text.to_string()
    }
}

/// A CSV cell that no spreadsheet evaluates as a formula.
pub fn csv(text: &str) -> String {
    let text = &*clean::cell(text);
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

fn escape(cell: &str, format: CopyFormat) -> String {
    let mut out = String::with_capacity(cell.len());
    for c in cell.chars() {
        match (format, c) {
            (CopyFormat::Markdown, '\\' | '`' | '*' | '_' | '|' | '<' | '[' | ']' | '&') => {
                out.extend(['\\', c])
            }
            (CopyFormat::Latex, '&' | '%' | '$' | '#' | '_' | '{' | '}') => out.extend(['\\', c]),
            (CopyFormat::Latex, '\\') => out += "\\textbackslash{}",
            (CopyFormat::Latex, '~') => out += "\\textasciitilde{}",
            (CopyFormat::Latex, '^') => out += "\\textasciicircum{}",
            (CopyFormat::Latex, '<') => out += "\\textless{}",
            (CopyFormat::Latex, '>') => out += "\\textgreater{}",
            (CopyFormat::Latex, '|') => out += "\\textbar{}",
            // After the `\\` of the previous line, these would be its arguments.
            (CopyFormat::Latex, '[' | '*') => out.extend(['{', c, '}']),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(format: CopyFormat) -> String {
        let rows = [vec!["a_b|c\\d", " 84.8 "], vec!["x\ty\nz {50 %} ~^"]];
        let rows = rows.map(|row| {
            row.into_iter()
                .map(|text| text.to_string().into())
                .collect()
        });
        rows_as(
            &[Heading::new("model", false), Heading::new("qAcc.L_l", true)],
            &rows,
            format,
        )
    }

    #[test]
    fn tsv_has_one_line_per_row_and_one_tab_per_column() {
        assert_eq!(
            sample(CopyFormat::Tsv),
            "model\tqAcc.L_l\na_b|c\\d\t84.8\nx y z {50 %} ~^\t\n"
        );
    }

    #[test]
    fn csv_is_quoted_keeps_line_breaks_and_neutralizes_formulas() {
        let rows = [
            ["=1+1", "a,b"],
            ["say \"x\"", "two\nlines"],
            ["-1.5", "\u{1b}[31m"],
        ];
        let rows: Vec<Vec<CopyCell>> = rows
            .map(|row| row.map(|text| text.to_string().into()).into())
            .into();
        let text = rows_as(
            &[Heading::new("a", false), Heading::new("b", false)],
            &rows,
            CopyFormat::Csv,
        );
        assert_eq!(
            text,
            "a,b\n'=1+1,\"a,b\"\n\"say \"\"x\"\"\",\"two\nlines\"\n-1.5,·[31m\n"
        );
    }

    #[test]
    fn latex_marks_the_best_of_each_column_in_bold() {
        let cell = |text: &str, number: Option<f64>| CopyCell {
            text: text.into(),
            number,
        };
        let headings = [
            Heading::new("model", false),
            Heading {
                better: Better::More,
                ..Heading::new("Acc", true)
            },
            Heading {
                better: Better::Less,
                ..Heading::new("SQ", true)
            },
            Heading::new("n", true),
        ];
        let row = |name: &str, acc: f64, sq: f64| {
            let numbers = [acc, sq, 9.0].map(|n| cell(&format!("{n:.1}"), Some(n)));
            std::iter::once(cell(name, None))
                .chain(numbers)
                .collect::<Vec<_>>()
        };
        // Published figures are never the best.
        let printed = ["paper", "99.0", "0.1", "-"]
            .map(|text| cell(text, None))
            .to_vec();
        let rows = [
            row("a", 70.01, 3.0),
            row("b", 70.04, 2.0),
            row("c", 10.0, 8.0),
            printed,
        ];
        let text = rows_as(&headings, &rows, CopyFormat::Latex);
        let bold: Vec<&str> = text
            .split("\\textbf{")
            .skip(1)
            .map(|rest| rest.split('}').next().unwrap())
            .collect();
        assert_eq!(
            bold,
            ["70.0", "70.0", "2.0"],
            "equal texts are both best: {text}"
        );
        assert!(
            !rows_as(&headings, &rows[..1], CopyFormat::Latex).contains("textbf"),
            "a single number is not marked"
        );
    }

    #[test]
    fn markdown_escapes_special_characters() {
        let expected = "| model | qAcc.L\\_l |\n| --- | ---: |\n| a\\_b\\|c\\\\d | 84.8 |\n| x y z {50 %} ~^ |  |\n";
        assert_eq!(sample(CopyFormat::Markdown), expected);
    }

    #[test]
    fn latex_rows_may_begin_with_a_bracket_or_a_star() {
        let text = rows_as(
            &[Heading::new("a", false)],
            &[vec!["[x] *".to_string().into()]],
            CopyFormat::Latex,
        );
        assert!(text.contains("\n{[}x] {*} \\\\\n"), "{text}");
    }

    #[test]
    fn latex_escapes_every_special_character() {
        let expected = "% \\usepackage{booktabs}\n\\begin{tabular}{lr}\n\\toprule\nmodel & qAcc.L\\_l \\\\\n\\midrule\n\
            a\\_b\\textbar{}c\\textbackslash{}d & 84.8 \\\\\n\
            x y z \\{50 \\%\\} \\textasciitilde{}\\textasciicircum{} &  \\\\\n\\bottomrule\n\\end{tabular}\n";
        assert_eq!(sample(CopyFormat::Latex), expected);
    }
}
