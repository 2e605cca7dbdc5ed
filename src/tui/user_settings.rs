//! The user's settings of the terminal program, for all projects: `settings.toml` in their
//! configuration folder, next to their key file.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml_edit::{DocumentMut, value};

use super::keymap::file::folder;
use super::terminal::Env;
use super::terminal::background::Background;
use super::theme::{SHIPPED, Theme, base16};
use benchtop_files::regular::SETTINGS_LIMIT;
use benchtop_files::{bounded, disk};
use benchtop_model::{Error, ErrorKind, Result, name, named};

/// Selects the theme by the terminal's background.
pub const AUTO: &str = "auto";
const FILE: &str = "settings.toml";

named! {
    /// When to draw pictures in true pixels, if the terminal can.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum PixelMode {
        /// When no key is pressed for a moment, except over SSH.
        Auto = "auto",
        On = "on",
        Off = "off",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// [`AUTO`], the name of a built-in theme, or NAME for `themes/NAME.toml` next to this file.
    pub theme: String,
    /// The background if the terminal does not report it: `dark` or `light`.
    pub background: Option<String>,
    /// Whether the window title names the project.
    pub title: bool,
    pub pixels: PixelMode,
    /// Whether the mouse is on from the start.
    pub mouse: bool,
    /// The user's annotator name, unless a command or a shared project names another.
    pub annotator: Option<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            theme: AUTO.into(),
            background: None,
            title: true,
            pixels: PixelMode::Auto,
            mouse: false,
            annotator: None,
        }
    }
}

/// Whether this user owns a file.
fn is_own(path: &Path) -> bool {
    let me = rustix::process::geteuid().as_raw();
    std::fs::metadata(path).is_ok_and(|file| file.uid() == me)
}

/// Path of the settings file. `None` without a home folder.
pub fn path(env: &Env) -> Option<PathBuf> {
    Some(folder(env)?.join(FILE))
}

impl Settings {
    /// Reads the user's settings, or the defaults if there is no file. A file of somebody else that this
    /// user may not read, as after `su`, does not count.
    ///
    /// # Errors
    ///
    /// The first error in the file, with its line.
    pub fn load(env: &Env) -> Result<Settings> {
        let Some(path) = path(env) else {
            return Ok(Settings::default());
        };
        match bounded::text(&path, SETTINGS_LIMIT) {
            Ok(text) => Settings::parse(&text, &path),
            Err(problem) if problem.kind == ErrorKind::NotFound => Ok(Settings::default()),
            Err(problem) if problem.kind == ErrorKind::Denied && !is_own(&path) => {
                Ok(Settings::default())
            }
            Err(problem) => Err(problem),
        }
    }

    fn parse(text: &str, path: &Path) -> Result<Settings> {
        let settings: Settings = toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(1, |s| {
                1 + text.bytes().take(s.start).filter(|b| *b == b'\n').count() as u64
            });
            let help = "known fields: theme, background, title, pixels, mouse, annotator";
            Error::input(e.message().to_string())
                .file(path)
                .line(line)
                .help(help)
        })?;
        if let Some(background) = settings.background.as_deref()
            && Background::from_name(background).is_none()
        {
            let what = format!("`{background}` is not a background; write `dark` or `light`");
            return Err(Error::input(what).file(path).field("background"));
        }
        if let Some(annotator) = &settings.annotator {
            name::check_annotator(annotator)
                .map_err(|p| Error::input(p.what).file(path).field("annotator"))?;
        }
        Ok(settings)
    }

    /// The background: as found from the terminal or its environment, or else as set by the user.
    pub fn background(&self, found: Option<Background>) -> Option<Background> {
        found.or_else(|| Background::from_name(self.background.as_deref()?))
    }

    /// The theme for this background.
    pub fn theme_on(&self, background: Option<Background>) -> String {
        match self.theme.as_str() {
            AUTO => background.unwrap_or(Background::Dark).name().to_string(),
            name => name.to_string(),
        }
    }
}

/// Names of all themes: [`AUTO`], the built-in ones, and the user's own.
pub fn themes(env: &Env) -> Vec<String> {
    let mut names = vec![AUTO.to_string()];
    names.extend(SHIPPED.iter().map(|(name, _)| name.to_string()));
    let own = folder(env)
        .map(|dir| disk::list(&dir.join("themes")))
        .unwrap_or_default();
    let own = own
        .into_iter()
        .filter_map(|(name, _)| name.strip_suffix(".toml").map(str::to_string));
    names.extend(own.filter(|name| !SHIPPED.iter().any(|(shipped, _)| shipped == name)));
    names
}

/// Sets the user's theme, keeps the rest of the file, and returns its path.
///
/// # Errors
///
/// If the theme does not exist or cannot be read, or if the settings are not valid TOML or cannot
/// be written.
pub fn set_theme(env: &Env, name: &str) -> Result<PathBuf> {
    if name != AUTO {
        Theme::named(name, env)?;
    }
    set(env, "theme", name)
}

/// Sets the user's annotator name, keeps the rest of the file, and returns its path.
///
/// # Errors
///
/// If the name cannot be a journal's, or if the settings are not valid TOML or cannot be written.
pub fn set_annotator(env: &Env, annotator: &str) -> Result<PathBuf> {
    name::check_annotator(annotator)?;
    set(env, "annotator", annotator)
}

fn set(env: &Env, key: &str, text: &str) -> Result<PathBuf> {
    let path = path(env).ok_or_else(|| {
        Error::not_found("cannot find the settings folder").help("set HOME or XDG_CONFIG_HOME")
    })?;
    let before = match bounded::text(&path, SETTINGS_LIMIT) {
        Ok(text) => text,
        Err(problem) if problem.kind == ErrorKind::NotFound => String::new(),
        Err(problem) => return Err(problem),
    };
    let mut document: DocumentMut = before.parse().map_err(|e: toml_edit::TomlError| {
        Error::input(e.message().replace('\n', " ")).file(&path)
    })?;
    document[key] = value(text);
    if let Some(dir) = path.parent() {
        disk::ensure_dirs(dir, &mut Vec::new())?;
    }
    disk::write_atomic(&path, document.to_string().as_bytes())?;
    Ok(path)
}

/// Writes the colors of a base16 scheme as a theme of the user, named after the file, and returns its
/// name and path.
///
/// # Errors
///
/// If the scheme cannot be read ([`base16::theme_of`]), or a theme of that name exists.
pub fn import_base16(env: &Env, scheme: &Path) -> Result<(String, PathBuf)> {
    let stem = scheme.file_stem().map(|stem| stem.to_string_lossy());
    let name = stem.unwrap_or_default().into_owned();
    benchtop_model::name::check(&name, "theme")?;
    let text = base16::theme_of(&bounded::text(scheme, SETTINGS_LIMIT)?, scheme)?;
    let folder = folder(env).ok_or_else(|| {
        Error::not_found("cannot find the settings folder").help("set HOME or XDG_CONFIG_HOME")
    })?;
    let path = folder.join(format!("themes/{name}.toml"));
    if name == AUTO || themes(env).contains(&name) {
        let what = format!("the theme `{name}` already exists");
        return Err(Error::conflict(what).help("rename the file, or delete the theme"));
    }
    disk::ensure_dirs(&folder.join("themes"), &mut Vec::new())?;
    disk::write_atomic(&path, text.as_bytes())?;
    Ok((name, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_a_theme_keeps_the_rest_of_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let env: Env = [(
            "XDG_CONFIG_HOME".to_string(),
            dir.path().to_string_lossy().into_owned(),
        )]
        .into();
        assert_eq!(Settings::load(&env).unwrap(), Settings::default());
        let file = set_theme(&env, "light").unwrap();
        std::fs::write(
            &file,
            "# mine\nbackground = \"light\" # here\ntheme = \"mono\"\n",
        )
        .unwrap();
        set_theme(&env, AUTO).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            text,
            "# mine\nbackground = \"light\" # here\ntheme = \"auto\"\n"
        );
        let settings = Settings::load(&env).unwrap();
        assert_eq!(settings.theme_on(settings.background(None)), "light");
        assert_eq!(
            settings.theme_on(settings.background(Some(Background::Dark))),
            "dark",
            "the terminal takes precedence"
        );
        assert_eq!(
            set_theme(&env, "sepia").unwrap_err().kind,
            ErrorKind::NotFound
        );
        std::fs::create_dir(dir.path().join("benchtop/themes")).unwrap();
        std::fs::write(
            dir.path().join("benchtop/themes/sepia.toml"),
            "base = \"light\"\n",
        )
        .unwrap();
        set_theme(&env, "sepia").unwrap();
        assert_eq!(
            themes(&env),
            [
                "auto",
                "dark",
                "light",
                "high-contrast",
                "color-blind",
                "mono",
                "sepia"
            ]
        );
        set_annotator(&env, "ann").unwrap();
        assert_eq!(
            Settings::load(&env).unwrap().annotator.as_deref(),
            Some("ann")
        );
        assert!(set_annotator(&env, "../ann").is_err());
        for (wrong, field) in [
            ("annotator = \"../x\"\n", Some("annotator")),
            ("background = \"grey\"\n", Some("background")),
            ("thme = \"dark\"\n", None),
        ] {
            std::fs::write(&file, wrong).unwrap();
            let problem = Settings::load(&env).unwrap_err();
            assert_eq!(
                (problem.kind, problem.place.field.as_deref()),
                (ErrorKind::Input, field),
                "{problem}"
            );
        }
        let scheme = dir.path().join("night.yaml");
        let colors: String = (0..16)
            .map(|n| format!("base{n:02X}: \"{n:x}{n:x}{n:x}{n:x}{n:x}{n:x}\"\n"))
            .collect();
        std::fs::write(&scheme, colors).unwrap();
        std::fs::write(&file, "").unwrap();
        let (name, path) = import_base16(&env, &scheme).unwrap();
        assert_eq!(name, "night");
        assert!(path.ends_with("benchtop/themes/night.toml"));
        set_theme(&env, "night").unwrap();
        let again = import_base16(&env, &scheme).unwrap_err();
        assert_eq!(again.kind, ErrorKind::Conflict, "{again}");
        for bad in ["../x", "a/b", ".x", ""] {
            assert!(set_theme(&env, bad).is_err(), "{bad}");
        }
    }
}
