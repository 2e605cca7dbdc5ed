//! A scrub of a whole project: every file is read and held against what is recorded of it.
//!
//! | file | what it does |
//! |---|---|
//! | `walk` | links, devices, foreign owners, files that belong to nothing |
//! | `records` | the inventory: what is gone, cut, or not what it was |
//! | `lines` | journals, the manifest, runs and judges, line by line |
//! | `jobs` | `jobs/`: generation and scoring jobs |
//! | `segments` | imports against the manifest, and the pictures that their items name |
//! | `pictures` | `images/` against what is recorded |
//! | `caches` | `store/`, which is made from the rest, and rows of `scores/` |
//! | [`repair`] | what can be put right without losing anything |
//!
//! `.owner/`, temporary files, `exports/` and what is no folder of a project are left out.

mod caches;
mod jobs;
mod lines;
mod pictures;
mod records;
pub mod repair;
mod segments;
mod walk;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use serde::Serialize;

use benchtop_model::image::ImageRef;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::inventory::{self, Copy, Inventory};
use benchtop_store::project::Project;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something is lost, or would be used in place of what was recorded.
    Damage,
    /// Another file than at the last look: somebody edited it, or it is damaged. Nothing in it tells which.
    Changed,
    /// Good to know.
    Notice,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The file, below the project's folder.
    pub file: String,
    /// Its line, from 1.
    pub line: Option<u64>,
    /// Its byte.
    pub offset: Option<u64>,
    /// What is wrong.
    pub what: String,
    /// What is lost by it.
    pub lost: Option<String>,
    /// What brings it back.
    pub remedy: Option<String>,
    /// What `--repair` did about it.
    pub repaired: Option<String>,
    /// How `--repair` can put it right.
    #[serde(skip)]
    pub cure: Option<Cure>,
}

/// What can be done about a finding without losing anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cure {
    /// A cache is set aside: the next opening makes it again.
    SetAside,
    /// The files of the index are set aside together.
    SetIndexAside,
    /// The picture with this hash is copied from another file; what is in its place is set aside.
    Copy {
        /// A file with the same bytes.
        from: PathBuf,
        /// What they hash to.
        hash: String,
    },
    /// The inventory is written anew.
    Inventory,
}

impl Finding {
    fn new(severity: Severity, file: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding {
            severity,
            file: file.into(),
            line: None,
            offset: None,
            what: what.into(),
            lost: None,
            remedy: None,
            repaired: None,
            cure: None,
        }
    }

    fn damage(file: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding::new(Severity::Damage, file, what)
    }

    fn notice(file: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding::new(Severity::Notice, file, what)
    }

    fn line(self, line: u64) -> Finding {
        Finding {
            line: Some(line),
            ..self
        }
    }

    fn at(self, offset: u64) -> Finding {
        Finding {
            offset: Some(offset),
            ..self
        }
    }

    fn lost(self, lost: impl Into<String>) -> Finding {
        Finding {
            lost: Some(lost.into()),
            ..self
        }
    }

    fn remedy(self, remedy: impl Into<String>) -> Finding {
        Finding {
            remedy: Some(remedy.into()),
            ..self
        }
    }

    fn cure(self, cure: Cure) -> Finding {
        Finding {
            cure: Some(cure),
            ..self
        }
    }
}

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Files.
    pub files: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Decisions of annotators.
    pub decisions: u64,
    /// Segments of imports.
    pub segments: u64,
    /// Their rows.
    pub rows: u64,
    /// Pictures that are recorded.
    pub pictures: u64,
    /// Answers of evaluations and readings of judges.
    pub answers: u64,
}

/// What a scrub found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// When the inventory was written that files were held against; none where there is no inventory.
    pub since: Option<String>,
    /// What was looked at.
    pub checked: Checked,
    /// What was found, the worst first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Findings of damage that were not repaired.
    pub fn damaged(&self) -> usize {
        self.findings
            .iter()
            .filter(|f| f.severity == Severity::Damage && f.repaired.is_none())
            .count()
    }

    /// Findings that were repaired.
    pub fn repaired(&self) -> usize {
        self.findings
            .iter()
            .filter(|f| f.repaired.is_some())
            .count()
    }
}

/// Told what is looked at and how many files were; says whether to go on.
pub type Watch<'a> = &'a mut dyn FnMut(&str, u64) -> bool;

/// Where a recorded picture belongs.
#[derive(Clone, Debug)]
struct Wanted {
    image: ImageRef,
    /// The first item or picture that names it.
    named_by: String,
    /// How many do.
    count: u64,
    /// The file of the import that brought it, as the user named it.
    source: Option<String>,
}

/// A scrub under way.
struct Scrub<'a> {
    project: &'a Project,
    inventory: Option<Inventory>,
    /// Whether caches must be as recorded.
    closed: bool,
    /// Whether an owner has the project open now.
    owned: bool,
    /// Files that are not read: links, devices.
    refused: BTreeSet<String>,
    /// Recorded pictures by the file they lie in, below the project's folder or absolute.
    wanted: HashMap<PathBuf, Wanted>,
    /// Segments in which items could not be read: pictures that only they name look like strays.
    unread: bool,
    report: Report,
    watch: Watch<'a>,
    /// Files that some finding of damage names already, so that one fault is told once.
    told: BTreeMap<String, usize>,
}

/// Reads the whole project. `owned` says that an owner has it open: what it is writing is then not damage.
///
/// # Errors
/// [`ErrorKind::Cancelled`], and the operating system's where a folder cannot be listed.
pub fn verify(project: &Project, owned: bool, watch: Watch<'_>) -> Result<Report> {
    let mut scrub = Scrub {
        project,
        inventory: None,
        closed: inventory::is_closed(project) && !owned,
        owned,
        refused: BTreeSet::new(),
        wanted: HashMap::new(),
        unread: false,
        report: Report::default(),
        watch,
        told: BTreeMap::new(),
    };
    scrub.load_inventory();
    scrub.walk()?;
    scrub.lines()?;
    scrub.jobs()?;
    scrub.segments()?;
    scrub.pictures()?;
    // Pictures may have taken hours: an owner that was started meanwhile writes to the store.
    scrub.closed &= inventory::is_closed(project);
    scrub.records()?;
    scrub.caches()?;
    let was_closed = scrub.closed;
    let mut report = scrub.report;
    if was_closed && !inventory::is_closed(project) {
        report
            .findings
            .retain(|f| !matches!(f.cure, Some(Cure::SetAside | Cure::SetIndexAside)));
    }
    report
        .findings
        .sort_by(|a, b| (a.severity, &a.file, a.line).cmp(&(b.severity, &b.file, b.line)));
    Ok(report)
}

impl Scrub<'_> {
    fn found(&mut self, finding: Finding) {
        if finding.severity == Severity::Damage {
            *self.told.entry(finding.file.clone()).or_default() += 1;
        }
        self.report.findings.push(finding);
    }

    fn is_told(&self, file: &str) -> bool {
        self.told.contains_key(file)
    }

    fn tick(&mut self, what: &str, bytes: u64) -> Result<()> {
        self.report.checked.files += 1;
        self.report.checked.bytes += bytes;
        if (self.watch)(what, self.report.checked.files) {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Cancelled,
            "the scrub was cancelled; nothing was changed",
        ))
    }

    /// Takes a problem of a reader for a finding.
    fn problem(&mut self, file: &str, problem: &Error) {
        let mut finding = Finding::damage(file, problem.what.clone());
        finding.line = problem.place.line;
        finding.remedy.clone_from(&problem.help);
        self.found(finding);
    }

    fn load_inventory(&mut self) {
        let [store, beside] =
            inventory::copies(self.project).map(|path| (inventory::read(&path), path));
        let name = format!("store/{}", inventory::FILE);
        let is_good = |copy: &Copy| matches!(copy, Copy::Good(_));
        let other = if is_good(&beside.0) {
            "its second copy is good"
        } else {
            "its second copy cannot be used either"
        };
        match (&store.0, &beside.0) {
            (Copy::Missing, Copy::Missing) => {
                let notice = Finding::notice(
                    &name,
                    "no inventory: files that are gone as a whole are not noticed",
                );
                self.found(
                    notice
                        .remedy("it is written while an owner runs and when it ends")
                        .cure(Cure::Inventory),
                );
            }
            (Copy::Missing, _) => {
                self.found(
                    Finding::damage(&name, format!("the inventory is gone; {other}"))
                        .cure(Cure::Inventory),
                );
            }
            (Copy::Damaged(problem), _) => {
                let finding = Finding::damage(&name, format!("{}; {other}", problem.what));
                self.found(finding.cure(Cure::Inventory));
            }
            (Copy::Good(own), Copy::Good(second)) if own != second && self.closed => {
                self.found(
                    Finding::damage(&name, "it differs from its second copy").cure(Cure::Inventory),
                );
            }
            _ => {}
        }
        self.inventory = Inventory::load(self.project);
        self.report.since = self.inventory.as_ref().map(|i| i.at.clone());
    }
}
