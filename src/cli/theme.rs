//! `benchtop theme [NAME]`: shows or sets the theme of the terminal program, a personal setting.

use std::path::PathBuf;

use serde_json::json;

use super::out;
use benchtop_model::Result;
use benchtop_tui::terminal::environment;
use benchtop_tui::user_settings::{self, Settings};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  benchtop theme dark\n  benchtop theme --import gruvbox.yaml")]
pub struct Args {
    /// Theme: auto (follows the terminal's background), dark, light, high-contrast, color-blind,
    /// mono, or the name of your themes/NAME.toml
    name: Option<String>,
    /// Import a base16 color scheme as the theme named after the file
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    import: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Shows or sets the theme. Works without a project.
pub fn run(args: &Args) -> Result<u8> {
    let env = environment();
    let scheme = args.import.as_deref();
    let imported = scheme
        .map(|scheme| user_settings::import_base16(&env, scheme))
        .transpose()?;
    if let Some(name) = &args.name {
        user_settings::set_theme(&env, name)?;
    }
    let settings = Settings::load(&env)?;
    let (file, themes) = (user_settings::path(&env), user_settings::themes(&env));
    let value = json!({
        "theme": settings.theme, "background": settings.background, "themes": themes,
        "file": file.as_ref().map(|file| file.display().to_string()),
        "imported": imported.as_ref().map(|(name, path)| {
            json!({"theme": name, "file": path.display().to_string()})
        }),
    });
    out::report(args.json, &value, || {
        let imported = imported.map_or(String::new(), |(name, path)| {
            let path = path.display();
            format!("imported {path}; `benchtop theme {name}` selects it\n")
        });
        let place = file.map_or(String::new(), |file| format!(" ({})", file.display()));
        format!(
            "{imported}{}{place}\none of: {}\n",
            settings.theme,
            themes.join(", ")
        )
    })
}
