//! Builds scorers by name.

use std::path::PathBuf;
use std::sync::Arc;

use super::runner::Runner;
use super::runners::alignment::{self, Aligned};
use super::runners::clip_and_safety::{consistency, safe};
use super::runners::contamination::{self, Contaminated, ReferenceSet};
use super::runners::duplicate::Duplicates;
use super::runners::judge::Judged;
use super::runners::ocr::WantedWord;
use super::runners::without_model;
use crate::compose::metadata;
use benchtop_compose::metadata::Judging;
use benchtop_files::project::Project;
use benchtop_inference::candle::safety::StableDiffusionSafetyChecker;
use benchtop_inference::candle::scorer::{self, ClipScorer, Options};
use benchtop_inference::http::chat::ChatModel;
use benchtop_inference::hub::Hub;
use benchtop_inference::ocr::{self, Tesseract};
use benchtop_inference::scoring::{ImageEmbedder, ImageTextScorer};
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_model::config::{Config, FilterModels};
use benchtop_model::judge::AnswerForm;
use benchtop_model::scoring::rules::Threshold;
use benchtop_model::scoring::{NEAR, Scorer};
use benchtop_model::{Error, ErrorKind, Result};

/// The folder of a model in `[filter]`.
fn folder(name: Option<&String>, field: &str) -> Result<PathBuf> {
    let name = name.ok_or_else(|| {
        Error::new(ErrorKind::NotFound, "no model is configured")
            .field(format!("filter.{field}"))
            .help(format!(
                "add `{field} = \"...\"` to [filter] in benchtop.toml: a known name or a folder"
            ))
    })?;
    Hub::from_env()?.path(name)
}

fn tesseract(config: &Config) -> Result<Tesseract> {
    Tesseract::open(ocr::Options {
        languages: config.filter.languages.clone(),
        ..ocr::Options::default()
    })
}

/// The reference folders. Relative ones are below the project.
pub fn references(project: &Project, filter: &FilterModels) -> Vec<PathBuf> {
    let folders = filter.references.iter();
    folders.map(|folder| project.root().join(folder)).collect()
}

fn config(project: &Project) -> Result<Config> {
    // Read from disk now: a model may be configured while the owner runs.
    Ok(Project::open(project.root())?.config().clone())
}

fn judging(project: &Project, name: &str) -> Result<Arc<Judging>> {
    let (parsed, _) = metadata(Some(project))?;
    parsed.judging(name).ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            format!("no usable judge question `{name}`"),
        )
        .file(project.metadata().join(format!("judge/{name}.toml")))
        .help("run `benchtop lint` for errors")
    })
}

fn chat(config: &Config) -> Result<Box<dyn VisionLanguageModel>> {
    if !config.judge.is_configured() {
        return Err(Error::new(ErrorKind::NotFound, "no judge is configured")
            .field("judge.endpoints")
            .help("add [judge] with a model and endpoints to benchtop.toml, such as endpoints = [{ url = \"http://127.0.0.1:8000/v1\" }]"));
    }
    Ok(Box::new(ChatModel::new(&config.judge)?))
}

/// Builds a scorer with the configuration that `project` was opened with, so that a caller who
/// checked its servers knows which ones are asked.
///
/// # Errors
///
/// Why it is not available, and what to do.
pub fn build(project: &Project, scorer: &Scorer) -> Result<Box<dyn Runner>> {
    let config = project.config();
    let filter = &config.filter;
    Ok(match scorer {
        Scorer::Flatness => without_model::flatness(),
        Scorer::Leakage => without_model::leakage(),
        Scorer::Clip => {
            let model = scorer::open(&folder(Some(&filter.clip), "clip")?, &Options::cpu())?;
            consistency(Scorer::Clip, model)
        }
        Scorer::Siglip => {
            let model = scorer::open(&folder(filter.siglip.as_ref(), "siglip")?, &Options::cpu())?;
            consistency(Scorer::Siglip, model)
        }
        Scorer::Safety => {
            let folder = folder(filter.safety.as_ref(), "safety")?;
            let checker = StableDiffusionSafetyChecker::open(&folder, &Options::cpu())?;
            safe(Box::new(checker))
        }
        Scorer::Duplicate => {
            let model = ClipScorer::open(&folder(Some(&filter.clip), "clip")?, &Options::cpu())?;
            let name = ImageTextScorer::capabilities(&model).name.clone();
            let model: Box<dyn ImageEmbedder> = Box::new(model);
            let references = references(project, filter);
            Box::new(Duplicates::new(
                &project.scores(),
                &name,
                model,
                &references,
            )?)
        }
        Scorer::Contamination => {
            let folders = references(project, filter);
            contamination::check(&folders)?;
            let question = judging(project, contamination::QUESTION)?;
            let model = chat(config)?;
            let clip = ClipScorer::open(&folder(Some(&filter.clip), "clip")?, &Options::cpu())?;
            let threshold = filter.contamination_threshold;
            let references = ReferenceSet {
                folders: &folders,
                threshold: threshold.map_or(NEAR, Threshold::get),
            };
            Box::new(Contaminated::new(
                &project.scores(),
                Box::new(clip),
                &references,
                question,
                (model, &config.judge),
            )?)
        }
        Scorer::Ocr => Box::new(WantedWord::new(Box::new(tesseract(config)?))),
        Scorer::Judge(name) => Box::new(Judged::new(
            judging(project, name)?,
            chat(config)?,
            &config.judge,
        )?),
        Scorer::Alignment => {
            let (writer, asker) = (
                judging(project, alignment::QUESTIONS)?,
                judging(project, alignment::ANSWER)?,
            );
            Box::new(Aligned::new(writer, asker, chat(config)?, &config.judge)?)
        }
        Scorer::Consensus | Scorer::Blind => {
            return Err(Error::new(
                ErrorKind::Usage,
                format!("`{scorer}` is computed from predictions and needs no job"),
            ));
        }
    })
}

/// Why a scorer cannot run now, as far as can be determined without loading a model.
pub fn not_ready(project: &Project, scorer: &Scorer) -> Option<String> {
    let check = || -> Result<()> {
        let config = config(project)?;
        let filter = &config.filter;
        match scorer {
            Scorer::Clip | Scorer::Duplicate => folder(Some(&filter.clip), "clip").map(|_| ()),
            Scorer::Siglip => folder(filter.siglip.as_ref(), "siglip").map(|_| ()),
            Scorer::Safety => folder(filter.safety.as_ref(), "safety").map(|_| ()),
            Scorer::Contamination => contamination::check(&references(project, filter))
                .and_then(|()| folder(Some(&filter.clip), "clip"))
                .and_then(|_| chat(&config))
                .map(|_| ()),
            Scorer::Judge(name) => chat(&config)
                .and_then(|_| judging(project, name))
                .map(|_| ()),
            Scorer::Alignment => chat(&config).map(|_| ()),
            Scorer::Ocr => tesseract(&config).map(|_| ()),
            Scorer::Flatness | Scorer::Leakage | Scorer::Consensus | Scorer::Blind => Ok(()),
        }
    };
    check().err().map(|problem| problem.to_string())
}

/// The judge questions that can score items: those answered by yes or no. The scorer `contamination`
/// asks its own.
pub fn judges(project: &Project) -> Vec<String> {
    let Ok((parsed, _)) = metadata(Some(project)) else {
        return Vec::new();
    };
    let all = parsed.judgings();
    all.iter()
        .filter(|j| matches!(j.reads, AnswerForm::YesNo { .. }))
        .filter(|j| j.name != contamination::QUESTION)
        .map(|j| j.name.clone())
        .collect()
}
