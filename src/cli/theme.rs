//! `benchtop theme [NAME]`: the theme of the terminal program, each person's own.

use serde_json::json;

use super::out;
use crate::out::print;
use benchtop_model::{Result, clean};
use benchtop_tui::person::{self, Settings};
use benchtop_tui::terminal::environment;

/// Arguments of `theme`.
#[derive(clap::Args)]
pub struct Args {
    /// auto (dark or light, as the terminal's background is), dark, light, mono, or NAME for your themes/NAME.toml
    name: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Says which theme is set, or sets one; no project is needed.
///
/// # Errors
/// A theme that there is not; settings that cannot be read or written.
pub fn run(args: &Args) -> Result<u8> {
    let env = environment();
    if let Some(name) = &args.name {
        person::set_theme(&env, name)?;
    }
    let settings = Settings::load(&env)?;
    let (file, themes) = (person::path(&env), person::themes(&env));
    if args.json {
        let value = json!({
            "theme": settings.theme, "background": settings.background, "themes": themes,
            "file": file.as_ref().map(|file| file.display().to_string()),
        });
        return print(&out::json_text(&value)).map(|()| 0);
    }
    let place = file.map_or(String::new(), |file| format!(" ({})", file.display()));
    let text = format!("{}{place}\none of: {}\n", settings.theme, themes.join(", "));
    print(&clean::text(&text)).map(|()| 0)
}
