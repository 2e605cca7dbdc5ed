//! Tables of agreement, as plain text and as Markdown.

use benchtop_model::agreement::Undefined;
use benchtop_model::agreement::analysis::{GroupBy, Measure, PersonQuality, Row};
use benchtop_model::annotator::Rate;
use benchtop_model::clean;
use benchtop_tui::widgets::text::width;

/// A table of text cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Words {
    pub fn new(head: &[&str], rows: Vec<Vec<String>>) -> Words {
        let head = head.iter().map(|name| name.to_string()).collect();
        Words { head, rows }
    }

    fn one_line(&self) -> Words {
        let one_line = |row: &Vec<String>| {
            let cells = row.iter().map(|cell| clean::line(cell).into_owned());
            cells.collect()
        };
        Words {
            head: one_line(&self.head),
            rows: self.rows.iter().map(one_line).collect(),
        }
    }
}

/// A table with one column per measure. Measures without a value in any row are left out.
pub fn of(rows: &[Row], by: GroupBy) -> Words {
    let has = |measure: &Measure| {
        rows.iter()
            .any(|row| measure.estimate(&row.measures).value.is_ok())
    };
    let shown: Vec<Measure> = Measure::ALL.into_iter().filter(has).collect();
    let mut head: Vec<String> = [by.title(), "items", "doubled", "unknown"]
        .map(String::from)
        .to_vec();
    head.extend(shown.iter().map(|measure| measure.name().to_string()));
    head.push("more needed for alpha ±0.1".into());
    let line = |row: &Row| {
        let m = &row.measures;
        let mut cells = vec![
            row.label().to_string(),
            m.items.to_string(),
            m.doubles.to_string(),
            m.unknown.to_string(),
        ];
        cells.extend(shown.iter().map(|measure| cell(*measure, row)));
        cells.push(
            m.krippendorff_alpha
                .more_doubles
                .map_or("-".into(), |more| more.to_string()),
        );
        cells
    };
    Words {
        head,
        rows: rows.iter().map(line).collect(),
    }
}

fn cell(measure: Measure, row: &Row) -> String {
    let estimate = measure.estimate(&row.measures);
    match (estimate.value, estimate.interval) {
        (Ok(value), Ok(found)) => format!(
            "{} {}",
            measure.format_value(value),
            measure.format_interval(found.low, found.high)
        ),
        (Ok(value), Err(_)) => measure.format_value(value),
        (Err(_), _) => "-".into(),
    }
}

/// The reasons for missing values and intervals, one line per row and reason.
pub fn undefined(rows: &[Row], categories: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for row in rows {
        let mut reasons: Vec<(Undefined, bool, Vec<&str>)> = Vec::new();
        for measure in Measure::ALL {
            let estimate = measure.estimate(&row.measures);
            let (why, value) = match (estimate.value, estimate.interval) {
                (Err(why), _) => (why, true),
                (Ok(_), Err(why)) if why != Undefined::NotDrawn => (why, false),
                _ => continue,
            };
            match reasons
                .iter_mut()
                .find(|(other, of, _)| (*other, *of) == (why, value))
            {
                Some((.., names)) => names.push(measure.name()),
                None => reasons.push((why, value, vec![measure.name()])),
            }
        }
        for (why, value, names) in reasons {
            let what = if value { "not defined" } else { "no interval" };
            lines.push(format!(
                "{}: {}: {what}, {}",
                row.label(),
                names.join(", "),
                why.describe(categories)
            ));
        }
    }
    lines
}

/// A rate with its interval: "1 of 12 (8.3 % [1.5, 35.4])", or "-" if nothing was counted.
pub fn rate(rate: Rate) -> String {
    match (rate.share(), rate.interval) {
        (Some(share), Some((low, high))) => {
            format!(
                "{} of {} ({} {})",
                rate.count,
                rate.of,
                Measure::Raw.format_value(share),
                Measure::Raw.format_interval(low, high)
            )
        }
        _ => "-".into(),
    }
}

/// The quality measures of each annotator.
pub fn people(quality: &[PersonQuality]) -> Words {
    let head = [
        "annotator",
        "consistent repeats",
        "missed probes",
        "false rejects",
        "changed",
    ];
    let line = |q: &PersonQuality| {
        vec![
            q.name.clone(),
            rate(q.repeats.same),
            rate(q.probes.misses),
            rate(q.probes.false_rejects),
            rate(q.revised),
        ]
    };
    Words::new(&head, quality.iter().map(line).collect())
}

/// The coincidence table of categories. With two annotators, one is along the rows and the other
/// along the columns; with more, each pair of ratings counts.
pub fn met(row: &Row, people: &[String], categories: &[String]) -> Words {
    let table = &row.measures.table;
    let name = |number: u16| people.get(usize::from(number)).map_or("?", String::as_str);
    let corner = table.raters.map_or("any two annotators".into(), |(a, b)| {
        format!("{} \\ {}", name(a), name(b))
    });
    let category = |at: usize| {
        categories
            .get(at)
            .cloned()
            .unwrap_or_else(|| format!("category {at}"))
    };
    let k = usize::from(table.categories).max(1);
    let head = std::iter::once(corner)
        .chain((0..k).map(category))
        .collect();
    let line = |(at, counts): (usize, &[u64])| {
        std::iter::once(category(at))
            .chain(counts.iter().map(u64::to_string))
            .collect::<Vec<_>>()
    };
    Words {
        head,
        rows: table.counts.chunks(k).enumerate().map(line).collect(),
    }
}

/// True for columns of numbers, which are right-aligned.
fn is_right(words: &Words, at: usize) -> bool {
    let number = |cell: &String| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    at > 0 && !words.rows.is_empty() && words.rows.iter().filter_map(|row| row.get(at)).all(number)
}

/// The table as plain text with aligned columns.
pub fn plain(words: &Words) -> String {
    aligned(words, is_right)
}

/// The table as plain text. `right` says which columns are right-aligned.
pub fn aligned(words: &Words, right: impl Fn(&Words, usize) -> bool) -> String {
    let words = &words.one_line();
    let all = || std::iter::once(&words.head).chain(&words.rows);
    let wide: Vec<usize> = (0..words.head.len())
        .map(|at| {
            all()
                .filter_map(|row| row.get(at))
                .map(|cell| width(cell))
                .max()
                .unwrap_or(0)
        })
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&wide).enumerate().map(|(at, (cell, wide))| {
            let pad = " ".repeat(wide.saturating_sub(width(cell)));
            if right(words, at) {
                format!("{pad}{cell}")
            } else {
                format!("{cell}{pad}")
            }
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    all().map(line).collect()
}

/// Text of Markdown on one line.
pub fn escaped(text: &str) -> String {
    clean::line(text).replace('|', "\\|").replace('<', "\\<")
}

/// The table as Markdown.
pub fn markdown(words: &Words) -> String {
    markdown_with(words, |at| is_right(words, at))
}

/// As [`markdown`]. `right` says which columns are right-aligned.
pub fn markdown_with(words: &Words, right: impl Fn(usize) -> bool) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = |at: usize| if right(at) { "---:" } else { "---" }.to_string();
    let mut text = line(&words.head) + &line(&(0..words.head.len()).map(rule).collect::<Vec<_>>());
    words.rows.iter().for_each(|row| text.push_str(&line(row)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_metrics::agreement::Agreement;
    use benchtop_model::agreement::{Bootstrap, Scale};
    use benchtop_model::cancel::Cancel;

    fn rows() -> Vec<Row> {
        let of = |ratings: &[(u32, u16, u8)], plan: Bootstrap| {
            let agreement =
                Agreement::of(Scale::new(2, 0).unwrap(), ratings.iter().copied()).unwrap();
            agreement
                .counts()
                .bootstrapped(plan, Cancel::NEVER)
                .unwrap()
        };
        let plan = Bootstrap {
            draws: 200,
            seed: 1,
        };
        let two: Vec<_> = (0..40)
            .flat_map(|n| [(n, 0, (n % 2) as u8), (n, 1, (n % 3 % 2) as u8)])
            .collect();
        vec![
            Row::group("all", of(&two, plan)),
            Row::group("", of(&[(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], plan)),
        ]
    }

    #[test]
    fn cells_show_intervals_and_missing_values_have_reasons() {
        let words = of(&rows(), GroupBy::Subtask);
        assert_eq!(
            words.head[..5],
            ["subtask", "items", "doubled", "unknown", "raw agreement"]
        );
        assert!(words.rows[0][4].starts_with("52.5 % ["), "{words:?}");
        assert_eq!(
            (words.rows[1][0].as_str(), words.rows[1][5].as_str()),
            ("(none)", "-")
        );
        let text = plain(&words);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            width(lines[0]) == width(lines[1]) && lines[0].ends_with("alpha ±0.1"),
            "{text}"
        );
        let why = undefined(&rows(), &["accept".into(), "reject".into()]);
        assert!(
            why.iter().any(|line| line.starts_with(
                "(none): Cohen's kappa, Fleiss' kappa, Krippendorff's alpha: not defined, every rating is \"accept\""
            )),
            "{why:?}"
        );
        assert!(
            why.iter()
                .any(|line| line.contains("no interval, all bootstrap draws")),
            "{why:?}"
        );
    }

    #[test]
    fn markdown_escapes_pipes_and_newlines() {
        let words = Words {
            head: vec!["a".into(), "b".into()],
            rows: vec![vec!["x|y\nz".into(), "1".into()]],
        };
        assert_eq!(
            markdown(&words),
            "| a | b |\n| --- | ---: |\n| x\\|y z | 1 |\n"
        );
    }
}
