//! The published figures of papers that ship with the program: `metadata/published/`. Its README
//! names their sources.

use super::delimited;
use benchtop_model::Result;

/// A file of published figures.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// File name in `metadata/published/`.
    pub file: &'static str,
    pub paper: &'static str,
    /// Content of the file.
    pub text: &'static str,
    layout: Layout,
}

/// The layout of models, columns, and values.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// One row per model, named by these columns. All other columns are values; `X_sd` is the
    /// deviation of `X`.
    Wide {
        table: &'static str,
        model: &'static [&'static str],
    },
    /// One or several values per row. Other columns name the column; the table number is a column
    /// or the constant here.
    Long {
        table: &'static str,
        model: &'static [&'static str],
        column: &'static [&'static str],
        values: &'static [(&'static str, &'static str)],
    },
}

/// One published number.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub paper: &'static str,
    /// Number of the table.
    pub table: String,
    /// The model, with its language model if the paper distinguishes models by it.
    pub model: String,
    /// The column in benchtop's terms if there is one (`qAcc.L_l`), else in the paper's (`SEED.V1`,
    /// `mc_accuracy.animal`).
    pub column: String,
    /// The number as printed: percent, or squared points for `sq` and `sc`.
    pub value: f64,
    /// The printed deviation.
    pub sd: Option<f64>,
}

macro_rules! file {
    ($name:literal, $paper:literal, $layout:expr) => {
        Published {
            file: $name,
            paper: $paper,
            text: include_str!(concat!("../../metadata/published/", $name)),
            layout: $layout,
        }
    };
}

const LLM: &[&str] = &["model", "llm"];
const MODEL: &[&str] = &["model"];

const fn wide(table: &'static str, model: &'static [&'static str]) -> Layout {
    Layout::Wide { table, model }
}

/// One value per row, with the table number in a column.
const fn long(column: &'static [&'static str]) -> Layout {
    Layout::Long {
        table: "",
        model: MODEL,
        column,
        values: &[("value", "")],
    }
}

pub const PUBLISHED: [Published; 7] = [
    file!("dysca-table-3.csv", "Dysca", wide("3", LLM)),
    file!(
        "dysca-tables-5-8.csv",
        "Dysca",
        Layout::Long {
            table: "5 to 8",
            model: LLM,
            column: &["subtask"],
            values: &[
                ("mc_accuracy", "mc_accuracy."),
                ("tf_accuracy", "tf_accuracy.")
            ],
        }
    ),
    file!("mm-sap-table-1.csv", "MM-SAP", wide("1", MODEL)),
    file!("mm-sap-table-2.csv", "MM-SAP", wide("2", MODEL)),
    file!("mvp-bench-table-6.csv", "MVP-Bench", wide("6", MODEL)),
    file!("mvp-bench-tables-2-3-5.csv", "MVP-Bench", long(&["column"])),
    file!("vlb-tables-1-2.csv", "VLB", long(&["benchmark", "variant"])),
];

/// All figures, file by file.
///
/// # Errors
/// If a shipped file cannot be read, which a test excludes.
pub fn figures() -> Result<Vec<Figure>> {
    let mut found = Vec::new();
    for file in &PUBLISHED {
        let rows = delimited::table(file.text.as_bytes()).map_err(|p| p.file(file.file))?;
        let mut rows = rows.into_iter().map(|(_, cells)| cells);
        let names = rows.next().unwrap_or_default();
        for cells in rows {
            file.row(&names, &cells, &mut found);
        }
    }
    Ok(found)
}

impl Published {
    fn row(&self, names: &[String], cells: &[String], found: &mut Vec<Figure>) {
        let cell = |name: &str| {
            names
                .iter()
                .position(|n| n == name)
                .and_then(|at| cells.get(at))
                .map_or("", |c| c.trim())
        };
        let number = |name: &str| cell(name).parse::<f64>().ok();
        let mut add =
            |table: &str, model: &[&str], column: String, value: Option<f64>, sd: Option<f64>| {
                let Some(value) = value else { return };
                let model = match model.iter().map(|name| cell(name)).collect::<Vec<_>>()[..] {
                    [model, llm] if !llm.is_empty() => format!("{model} ({llm})"),
                    [model, ..] => model.to_string(),
                    [] => String::new(),
                };
                found.push(Figure {
                    paper: self.paper,
                    table: table.to_string(),
                    model,
                    column,
                    value,
                    sd,
                });
            };
        match self.layout {
            Layout::Wide { table, model } => {
                for name in names
                    .iter()
                    .filter(|name| !model.contains(&name.as_str()) && !name.ends_with("_sd"))
                {
                    add(
                        table,
                        model,
                        name.clone(),
                        number(name),
                        number(&format!("{name}_sd")),
                    );
                }
            }
            Layout::Long {
                table,
                model,
                column,
                values,
            } => {
                let table = if table.is_empty() {
                    cell("table")
                } else {
                    table
                };
                let column = column
                    .iter()
                    .map(|name| cell(name))
                    .collect::<Vec<_>>()
                    .join(".");
                for (name, before) in values {
                    add(
                        table,
                        model,
                        format!("{before}{column}"),
                        number(name),
                        None,
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_figure_is_read() {
        let all = figures().unwrap();
        let of = |paper: &str, table: &str| {
            all.iter()
                .filter(|f| f.paper == paper && f.table == table)
                .count()
        };
        assert_eq!(
            (of("Dysca", "3"), of("Dysca", "5 to 8")),
            (26 * 7, 26 * 20 * 2)
        );
        assert_eq!((of("MM-SAP", "1"), of("MM-SAP", "2")), (8 * 4, 8 * 5));
        assert_eq!((of("VLB", "1"), of("VLB", "2")), (81, 108));
        assert_eq!(
            (of("MVP-Bench", "6"), of("MVP-Bench", "5")),
            (4 * 6, 4 * 13)
        );
        let find = |model: &str, column: &str| {
            all.iter()
                .find(|f| f.model == model && f.column == column)
                .unwrap()
        };
        let owl = find("mPLUG-Owl-2 (LLaMA2-7B)", "corruption");
        assert_eq!((owl.value, owl.sd, owl.paper), (72.85, None, "Dysca"));
        assert_eq!(
            (find("GPT-4V", "total").value, find("GPT-4V", "total").sd),
            (75.13, Some(1.3))
        );
        assert_eq!(find("GPT-4o", "qAcc.L_l").value, 74.44);
        assert_eq!(find("GPT-4o", "MMB.V1").value, 82.28);
        assert_eq!(find("GPT-4o", "mc_accuracy.style").value, 100.0);
        assert!(
            all.iter()
                .all(|f| f.value.is_finite() && !f.model.is_empty() && !f.column.is_empty())
        );
    }

    #[test]
    fn readme_names_every_file() {
        let readme = include_str!("../../metadata/published/README.md");
        let folder =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../metadata/published");
        let there = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut there: Vec<_> = there.filter(|name| name != "README.md").collect();
        there.sort();
        assert_eq!(there, PUBLISHED.map(|p| p.file));
        assert!(
            PUBLISHED
                .iter()
                .all(|p| readme.contains(&format!("| `{}` | {}", p.file, p.paper)))
        );
    }
}
