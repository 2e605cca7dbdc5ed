//! Which generator a job's wishes come to, with `[generate]` of `benchtop.toml` behind them.

use crate::inference::ImageGenerator;
use crate::inference::storyboard::Storyboard;
use crate::model::config::Config;
use crate::model::config::generate::Backend;
use crate::model::job::Wishes;
use crate::model::{Kind, Problem, Result};

/// The wishes with backend and model as `benchtop.toml` has them, where nothing is said. The model there is that of the
/// backend there.
pub fn full(config: &Config, wishes: &Wishes) -> Wishes {
    let there = &config.generate;
    let backend = wishes.backend.clone().unwrap_or_else(|| there.backend.name().into());
    let model = wishes.model.clone().or_else(|| there.model.clone().filter(|_| backend == there.backend.name()));
    Wishes { backend: Some(backend), model, ..wishes.clone() }
}

/// Refuses wishes for what there is not, before anything is begun.
///
/// # Errors
/// [`Kind::Usage`] naming what there is.
pub fn check(config: &Config, wishes: &Wishes) -> Result<Backend> {
    let name = full(config, wishes).backend.unwrap_or_default();
    match Backend::from_name(&name) {
        Some(backend @ Backend::Storyboard) => Ok(backend),
        _ => Err(Problem::new(Kind::Usage, format!("this program has no backend `{name}`"))
            .field("backend")
            .help(format!("there is: {}", Backend::Storyboard.name()))),
    }
}

/// Whether full wishes come to a generator that makes drafts.
pub fn drafts(wishes: &Wishes) -> bool {
    wishes.backend.as_deref() == Some(Backend::Storyboard.name())
}

/// Builds the generator.
///
/// # Errors
/// Why it cannot be had.
pub fn build(config: &Config, wishes: &Wishes) -> Result<Box<dyn ImageGenerator>> {
    check(config, wishes).map(|_| Box::new(Storyboard::new()) as Box<dyn ImageGenerator>)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_file_says_what_nobody_wishes() {
        let text = "name = \"x\"\n[generate]\nbackend = \"candle\"\nmodel = \"sdxl\"\n";
        let config = Config::parse(text, Path::new("benchtop.toml")).unwrap();
        let of = |backend: Option<&str>| {
            let wishes = full(&config, &Wishes { backend: backend.map(Into::into), ..Wishes::default() });
            (wishes.backend.unwrap(), wishes.model)
        };
        assert_eq!(of(None), ("candle".into(), Some("sdxl".into())));
        assert_eq!(of(Some("storyboard")), ("storyboard".into(), None), "the model is the other backend's");
    }

    #[test]
    fn what_there_is_not_is_refused_by_name() {
        let config = Config::parse("name = \"x\"", Path::new("benchtop.toml")).unwrap();
        let problem = check(&config, &Wishes { backend: Some("crayon".into()), ..Wishes::default() }).unwrap_err();
        assert!(problem.what.contains("crayon") && problem.help.unwrap().contains("storyboard"));
        assert!(build(&config, &Wishes::default()).unwrap().capabilities().draft);
        assert!(drafts(&full(&config, &Wishes::default())));
    }
}
