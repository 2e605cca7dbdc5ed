//! The project, annotator, owner and colors that a command works with.

use std::path::PathBuf;

use benchtop_files::project::Project;
use benchtop_model::{Error, Result, name};
use benchtop_owner::access;
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;
use benchtop_tui::terminal::{ColorLevel, environment};
use benchtop_tui::user_settings::Settings;

/// What every command may need.
pub struct Context {
    /// `--project`.
    pub project: Option<PathBuf>,
    /// `--as`.
    pub who: Option<String>,
    /// `--color`.
    pub color: Option<String>,
}

impl Context {
    /// The project that is meant.
    ///
    /// # Errors
    /// When there is none.
    pub fn project(&self) -> Result<Project> {
        match &self.project {
            Some(dir) => Project::open(dir),
            None => Project::find(&PathBuf::from(".")),
        }
    }

    /// In whose name to decide: `--as`, else `BENCHTOP_AS`, else the name in a shared project, else
    /// the one in the person's settings, else the login name.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) for a name that cannot be a
    /// journal's, and settings that cannot be read.
    pub fn who(&self) -> Result<String> {
        let from = |key: &str| std::env::var(key).ok().filter(|n| !n.is_empty());
        let said = self
            .who
            .clone()
            .or_else(|| from("BENCHTOP_AS"))
            .or_else(|| self.mapped());
        let said = match said {
            Some(name) => Some(name),
            None => Settings::load(&environment())?.annotator,
        };
        let name = said.or_else(|| from("USER")).or_else(|| from("LOGNAME"));
        let name = name.unwrap_or_else(|| format!("user-{}", rustix::process::getuid().as_raw()));
        name::check_annotator(&name).map_err(|p| p.help("name yourself with --as NAME"))?;
        Ok(name)
    }

    /// Who this Unix user is in a shared project.
    fn mapped(&self) -> Option<String> {
        let me = rustix::process::geteuid().as_raw();
        access::annotator(&self.project().ok()?.config().shared, me).map(str::to_string)
    }

    /// Connects to the project's owner, starting one when needed.
    ///
    /// # Errors
    /// What keeps the owner from opening the project.
    pub fn client(&self) -> Result<Client> {
        Client::connect(&self.project()?, &self.who()?, |_| ())
    }

    /// What `--color` says.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) for a level that does not exist.
    pub fn color(&self) -> Result<Option<ColorLevel>> {
        let Some(name) = &self.color else {
            return Ok(None);
        };
        let level = ColorLevel::from_name(name).ok_or_else(|| {
            Error::usage(format!("`{name}` is not a color level"))
                .help("one of: mono, 16, 256, true")
        })?;
        Ok(Some(level))
    }
}

/// The number of the item that `item` names: by number (`7`, `#7`) or by id.
///
/// # Errors
/// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound).
pub fn number_of(client: &Client, item: &str) -> Result<u32> {
    if let Ok(number) = item.trim_start_matches('#').parse() {
        return Ok(number);
    }
    let none = || Error::not_found(format!("there is no item `{item}`"));
    client
        .ask(request::NumberOf(item.to_string()))?
        .ok_or_else(none)
}
