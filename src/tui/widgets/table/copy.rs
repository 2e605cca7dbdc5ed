//! Rows as text for other programs.

use crate::model::clean;
use crate::tui::widgets::text;

/// Forms a copy can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyFormat {
    /// Tab-separated values with a heading line; tabs and line breaks inside a cell become spaces.
    Tsv,
    /// A pipe table (GitHub's Markdown).
    Markdown,
    /// A `tabular` that needs no package.
    Latex,
}

impl CopyFormat {
    /// All formats, in the order a menu offers them.
    pub const ALL: [CopyFormat; 3] = [Self::Tsv, Self::Markdown, Self::Latex];

    /// The name a menu shows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tsv => "TSV",
            Self::Markdown => "Markdown",
            Self::Latex => "LaTeX",
        }
    }
}

/// One column's heading: its name, and whether it holds numbers (and so stands on the right).
pub type Heading<'a> = (&'a str, bool);

/// `rows` below `headings` as text in `format`, ending in a line break. Short rows are filled with empty cells.
pub fn rows_as(headings: &[Heading<'_>], rows: &[Vec<String>], format: CopyFormat) -> String {
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells: Vec<String> = cells.map(|c| escape(text::clean(c).trim(), format)).collect();
        match format {
            CopyFormat::Tsv => cells.iter().map(|c| clean::cell(c)).collect::<Vec<_>>().join("\t") + "\n",
            CopyFormat::Markdown => format!("| {} |\n", cells.join(" | ")),
            CopyFormat::Latex => format!("{} \\\\\n", cells.join(" & ")),
        }
    };
    let mut out = String::new();
    if format == CopyFormat::Latex {
        let sides: String = headings.iter().map(|(_, number)| if *number { 'r' } else { 'l' }).collect();
        out += &format!("\\begin{{tabular}}{{{sides}}}\n\\hline\n");
    }
    out += &line(&mut headings.iter().map(|(name, _)| *name));
    match format {
        CopyFormat::Tsv => {}
        CopyFormat::Markdown => {
            let rule = headings.iter().map(|(_, number)| if *number { "---:" } else { "---" });
            out += &format!("| {} |\n", rule.collect::<Vec<_>>().join(" | "));
        }
        CopyFormat::Latex => out += "\\hline\n",
    }
    for row in rows {
        out += &line(&mut (0..headings.len()).map(|i| row.get(i).map_or("", String::as_str)));
    }
    if format == CopyFormat::Latex {
        out += "\\hline\n\\end{tabular}\n";
    }
    out
}

fn escape(cell: &str, format: CopyFormat) -> String {
    let mut out = String::with_capacity(cell.len());
    for c in cell.chars() {
        match (format, c) {
            (CopyFormat::Markdown, '\\' | '`' | '*' | '_' | '|' | '<' | '[' | ']' | '&') => out.extend(['\\', c]),
            (CopyFormat::Latex, '&' | '%' | '$' | '#' | '_' | '{' | '}') => out.extend(['\\', c]),
            (CopyFormat::Latex, '\\') => out += "\\textbackslash{}",
            (CopyFormat::Latex, '~') => out += "\\textasciitilde{}",
            (CopyFormat::Latex, '^') => out += "\\textasciicircum{}",
            (CopyFormat::Latex, '<') => out += "\\textless{}",
            (CopyFormat::Latex, '>') => out += "\\textgreater{}",
            (CopyFormat::Latex, '|') => out += "\\textbar{}",
            // After the `\\` of the line before, these two would be its arguments.
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
        let rows = vec![vec!["a_b|c\\d".to_string(), " 84.8 ".to_string()], vec!["x\ty\nz {50 %} ~^".to_string()]];
        rows_as(&[("model", false), ("qAcc.L_l", true)], &rows, format)
    }

    #[test]
    fn tsv_keeps_one_line_a_row_and_one_tab_a_column() {
        assert_eq!(sample(CopyFormat::Tsv), "model\tqAcc.L_l\na_b|c\\d\t84.8\nx y z {50 %} ~^\t\n");
    }

    #[test]
    fn markdown_escapes_what_would_break_the_table() {
        let expected = "| model | qAcc.L\\_l |\n| --- | ---: |\n| a\\_b\\|c\\\\d | 84.8 |\n| x y z {50 %} ~^ |  |\n";
        assert_eq!(sample(CopyFormat::Markdown), expected);
    }

    #[test]
    fn latex_rows_may_begin_with_a_bracket_or_a_star() {
        let text = rows_as(&[("a", false)], &[vec!["[x] *".to_string()]], CopyFormat::Latex);
        assert!(text.contains("\n{[}x] {*} \\\\\n"), "{text}");
    }

    #[test]
    fn latex_escapes_every_special_character() {
        let expected = "\\begin{tabular}{lr}\n\\hline\nmodel & qAcc.L\\_l \\\\\n\\hline\n\
            a\\_b\\textbar{}c\\textbackslash{}d & 84.8 \\\\\n\
            x y z \\{50 \\%\\} \\textasciitilde{}\\textasciicircum{} &  \\\\\n\\hline\n\\end{tabular}\n";
        assert_eq!(sample(CopyFormat::Latex), expected);
    }
}
