//! The person's own theme: chosen from a menu, remembered by the program.

use super::App;
use super::overlay::{MenuFor, Overlay};
use crate::person::AUTO;
use crate::theme::Look;
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::toast::Toast;
use benchtop_model::{Error, Result};

impl App {
    /// Says what is wrong with the person's settings; the defaults hold.
    pub fn tell_settings(&mut self, problem: &Error) {
        let said = Error {
            help: None,
            ..problem.clone()
        }
        .to_string()
        .replace('\n', ";");
        self.say(Toast::warning(format!(
            "your settings are not used: {said}"
        )));
    }

    /// Asks which theme.
    pub(super) fn ask_theme(&mut self) {
        let themes = self.setting.themes.clone();
        let choice = |name: &String| match name.as_str() {
            AUTO => Choice::new(AUTO).help("dark or light, as your terminal's background is"),
            name => Choice::new(name),
        };
        let menu = Menu::new(
            "your theme, in every project",
            themes.iter().map(choice).collect(),
        );
        self.overlay = Some(Overlay::Menu(MenuFor::Theme(themes), menu));
    }

    /// One was chosen.
    pub(super) fn theme_chosen(&mut self, name: String) {
        self.theme = Some(name);
    }

    /// The theme that is to be remembered and shown, once.
    pub fn wants_theme(&mut self) -> Option<String> {
        self.theme.take()
    }

    /// The theme is remembered, or why it is not.
    pub fn themed(&mut self, name: &str, look: Result<Look>) {
        match look {
            Ok(look) => {
                self.setting.look = look;
                self.say(Toast::done(format!(
                    "your theme is `{name}` now, in every project"
                )));
            }
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    /// Whether the terminal takes ASCII alone.
    pub fn is_ascii(&self) -> bool {
        self.setting.ascii
    }
}
