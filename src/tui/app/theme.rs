//! The user's theme: chosen from a menu and saved by the program.

use super::App;
use super::overlay::{MenuFor, Overlay};
use crate::theme::Look;
use crate::user_settings::AUTO;
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::toast::Toast;
use benchtop_model::{Error, Result};

impl App {
    /// Reports an error in the user's settings. The defaults are used.
    pub fn report_settings_error(&mut self, problem: &Error) {
        let said = Error {
            help: None,
            ..problem.clone()
        }
        .to_string()
        .replace('\n', ";");
        self.say(Toast::warning(format!(
            "using the default settings: {said}"
        )));
    }

    /// Asks for a theme.
    pub(super) fn ask_theme(&mut self) {
        let themes = self.setting.themes.clone();
        let choice = |name: &String| match name.as_str() {
            AUTO => Choice::new(AUTO).help("dark or light, to match the terminal's background"),
            name => Choice::new(name),
        };
        let menu = Menu::new(
            "theme for all projects",
            themes.iter().map(choice).collect(),
        );
        self.overlay = Some(Overlay::Menu(MenuFor::Theme(themes), menu));
    }

    pub(super) fn theme_chosen(&mut self, name: String) {
        self.theme = Some(name);
    }

    /// The theme to save and apply, once.
    pub fn wants_theme(&mut self) -> Option<String> {
        self.theme.take()
    }

    /// Applies the saved theme, or reports why it was not saved.
    pub fn themed(&mut self, name: &str, look: Result<Look>) {
        match look {
            Ok(look) => {
                self.setting.look = look;
                self.say(Toast::done(format!(
                    "theme set to `{name}` for all projects"
                )));
            }
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    /// Whether the terminal displays ASCII only.
    pub fn is_ascii(&self) -> bool {
        self.setting.ascii
    }
}
