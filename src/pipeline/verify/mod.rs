//! Verifies a whole project: reads every file and checks it against what is recorded.
//!
//! | file | what it does |
//! |---|---|
//! | `walk` | links, devices, foreign owners, unknown files |
//! | `records` | the inventory: missing, truncated, or changed files |
//! | `lines` | journals, the manifest, runs, and judges, line by line |
//! | `jobs` | `jobs/`: generation and scoring jobs |
//! | `segments` | imports against the manifest, and their pictures |
//! | `pictures` | `images/` against the records |
//! | `caches` | `store/`, which is rebuilt from the rest, and the rows of `scores/` |
//! | [`repair`] | repairs that lose nothing |
//!
//! `.owner/`, temporary files, `exports/`, and folders that do not belong to a project are skipped.

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

use benchtop_files::project::Project;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::image::ImageRef;
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::inventory::{self, Inventory, InventoryCopy};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Data is lost, or would be replaced by something else.
    Damage,
    /// The file changed since the last check: edited or damaged, which cannot be determined.
    Changed,
    /// For information.
    Notice,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub severity: Severity,
    /// The file, below the project folder.
    pub file: String,
    /// Line, from 1.
    pub line: Option<u64>,
    /// Byte offset.
    pub offset: Option<u64>,
    pub what: String,
    /// What is lost.
    pub lost: Option<String>,
    pub remedy: Option<String>,
    /// What `--repair` did.
    pub repaired: Option<String>,
    /// How `--repair` can fix it.
    #[serde(skip)]
    pub cure: Option<Cure>,
}

/// A repair that loses nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cure {
    /// Moves a cache away; the next start rebuilds it.
    SetAside,
    /// Moves the index files away together.
    SetIndexAside,
    /// Copies the picture with this hash from another file, after moving away what is in its place.
    Copy {
        /// A file with the same bytes.
        from: PathBuf,
        hash: String,
    },
    /// Rewrites the inventory.
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

    fn line(mut self, line: u64) -> Finding {
        self.line = Some(line);
        self
    }

    fn at(mut self, offset: u64) -> Finding {
        self.offset = Some(offset);
        self
    }

    fn lost(mut self, lost: impl Into<String>) -> Finding {
        self.lost = Some(lost.into());
        self
    }

    fn remedy(mut self, remedy: impl Into<String>) -> Finding {
        self.remedy = Some(remedy.into());
        self
    }

    fn cure(mut self, cure: Cure) -> Finding {
        self.cure = Some(cure);
        self
    }
}

/// Counts of what was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    pub files: u64,
    /// Total size of the files.
    pub bytes: u64,
    /// Decisions of annotators.
    pub decisions: u64,
    /// Segments of imports.
    pub segments: u64,
    /// Rows of the segments.
    pub rows: u64,
    /// Recorded pictures.
    pub pictures: u64,
    /// Answers of evaluations and readings of judges.
    pub answers: u64,
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Time of the inventory that files were compared with. `None` without an inventory.
    pub since: Option<String>,
    pub checked: Checked,
    /// Findings, most severe first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Number of findings of damage that were not repaired.
    pub fn damaged(&self) -> usize {
        self.findings
            .iter()
            .filter(|f| f.severity == Severity::Damage && f.repaired.is_none())
            .count()
    }

    /// Number of repaired findings.
    pub fn repaired(&self) -> usize {
        self.findings
            .iter()
            .filter(|f| f.repaired.is_some())
            .count()
    }
}

/// A recorded picture.
#[derive(Clone, Debug)]
struct Wanted {
    image: ImageRef,
    /// The first item or picture that names it.
    named_by: String,
    /// Number of items that name it.
    count: u64,
    /// The imported file that contained it, as named by the user.
    source: Option<String>,
}

/// A running verification.
struct Verifier<'a> {
    project: &'a Project,
    inventory: Option<Inventory>,
    /// Whether caches must match the records.
    closed: bool,
    /// Whether an owner has the project open.
    owned: bool,
    /// Files that are not read: links, devices.
    refused: BTreeSet<String>,
    /// Recorded pictures by path, absolute or below the project folder.
    wanted: HashMap<PathBuf, Wanted>,
    /// Whether some items could not be read. Pictures that only they name then look unused.
    unread: bool,
    report: Report,
    watch: ProgressSink<'a>,
    /// Files already named in findings of damage, so that each fault is reported once.
    told: BTreeMap<String, usize>,
}

/// Verifies the whole project. `owned` says that an owner has it open: unfinished writes are then
/// not damage.
///
/// # Errors
///
/// [`ErrorKind::Cancelled`], or if a folder cannot be listed.
pub fn verify(project: &Project, owned: bool, watch: ProgressSink<'_>) -> Result<Report> {
    let mut verifier = Verifier {
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
    verifier.load_inventory();
    verifier.walk()?;
    verifier.lines()?;
    verifier.jobs()?;
    verifier.segments()?;
    verifier.pictures()?;
    // Checking pictures may take hours, and an owner that started meanwhile writes to the store.
    verifier.closed &= inventory::is_closed(project);
    verifier.records()?;
    verifier.caches()?;
    let was_closed = verifier.closed;
    let mut report = verifier.report;
    if was_closed && !inventory::is_closed(project) {
        report
            .findings
            .retain(|f| !matches!(f.cure, Some(Cure::SetAside | Cure::SetIndexAside)));
    }
    sort_by(&mut report.findings, |a, b| {
        (a.severity, &a.file, a.line).cmp(&(b.severity, &b.file, b.line))
    });
    Ok(report)
}

impl Verifier<'_> {
    fn found(&mut self, finding: Finding) {
        if finding.severity == Severity::Damage {
            *self.told.entry(finding.file.clone()).or_default() += 1;
        }
        self.report.findings.push(finding);
    }

    fn damage(&mut self, file: impl Into<String>, what: impl Into<String>) {
        self.found(Finding::damage(file, what));
    }

    fn notice(&mut self, file: impl Into<String>, what: impl Into<String>) {
        self.found(Finding::notice(file, what));
    }

    fn is_reported(&self, file: &str) -> bool {
        self.told.contains_key(file)
    }

    fn tick(&mut self, what: &str, bytes: u64) -> Result<()> {
        self.report.checked.files += 1;
        self.report.checked.bytes += bytes;
        self.watch
            .report(what, self.report.checked.files, None)
            .map_err(|_| Error::new(ErrorKind::Cancelled, "canceled; nothing was changed"))
    }

    /// Turns a reader's error into a finding.
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
        let is_good = |copy: &InventoryCopy| matches!(copy, InventoryCopy::Good(_));
        let other = if is_good(&beside.0) {
            "its second copy is intact"
        } else {
            "its second copy is unusable too"
        };
        match (&store.0, &beside.0) {
            (InventoryCopy::Missing, InventoryCopy::Missing) => {
                let notice =
                    Finding::notice(&name, "no inventory: missing files cannot be detected");
                self.found(
                    notice
                        .remedy("an owner writes it while it runs and when it exits")
                        .cure(Cure::Inventory),
                );
            }
            (InventoryCopy::Missing, _) => {
                self.found(
                    Finding::damage(&name, format!("the inventory is missing; {other}"))
                        .cure(Cure::Inventory),
                );
            }
            (InventoryCopy::Damaged(problem), _) => {
                let finding = Finding::damage(&name, format!("{}; {other}", problem.what));
                self.found(finding.cure(Cure::Inventory));
            }
            (InventoryCopy::Good(own), InventoryCopy::Good(second))
                if own != second && self.closed =>
            {
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
