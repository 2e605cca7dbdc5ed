//! Recomposes items after metadata changes: the same choices with the present wording.
//!
//! Items with the same text keep their verdicts. An item whose text changes becomes a revision: it
//! keeps its row, but verdicts on the old text no longer count. Items that cannot be recomposed are
//! left unchanged and counted. If such an item only lacks a term for a new slot of its prompt, one
//! can be drawn.

use std::collections::BTreeMap;

use super::missing_terms::MissingTerms;
use super::revise::{Batch, Revised};
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::engine::{MissingMetadata, choices_of, recipe, write};
use benchtop_files::project::Project;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::recompose::{Recomposed, Rename};
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, ErrorKind, Item, Provenance, Result, Status};
use benchtop_store::catalog::parse_item;
use benchtop_store::{Catalog, StatusColumns};

/// Number of items between progress and cancellation checks.
const STEP: usize = 4096;
/// Maximum number of causes in a report.
const LISTED: usize = 100;

/// The result for one item.
#[derive(Debug, PartialEq)]
enum ItemResult {
    /// Same text, same templates.
    Same,
    /// Same text, other templates.
    Kept(Box<Item>),
    /// Changed text.
    Changed(Box<Item>),
    /// Edited by hand, and left unchanged.
    Edited,
    /// Cannot be recomposed.
    Gone(MissingMetadata),
}

/// Options for recomposing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecomposeOptions {
    pub renames: Vec<Rename>,
    /// Draw terms for slots that prompts gained.
    pub draw_missing: bool,
    /// Write nothing to disk.
    pub dry: bool,
}

/// Visits the composed items that nobody edited by hand, with renamed terms applied.
fn each(
    catalog: &Catalog,
    grammar: &CompiledMetadata,
    renames: &[Rename],
    watch: ProgressSink<'_>,
    see: &mut dyn FnMut(&Item),
) -> Result<()> {
    let of = Some(catalog.len() as u64);
    catalog.each_line(0, &mut |row, line| {
        if row % STEP == 0 {
            watch
                .report("finding missing terms", row as u64, of)
                .map_err(cancelled)?;
        }
        if memchr::memmem::find(line, b"\"provenance\":").is_some() {
            let mut item: Item = parse_item(row, line)?;
            if item.edited.is_none() {
                apply_renames(grammar, &mut item, renames);
                see(&item);
            }
        }
        Ok(true)
    })
}

fn cancelled(_: Error) -> Error {
    Error::new(ErrorKind::Cancelled, "canceled; nothing was changed")
}

/// Recomposes all composed items.
///
/// # Errors
///
/// Cancellation, damaged texts, or a failed write. Then nothing was changed.
pub fn prepare(
    project: &Project,
    (catalog, overlay): (&Catalog, &StatusColumns),
    grammar: &CompiledMetadata,
    manner: &RecomposeOptions,
    watch: ProgressSink<'_>,
) -> Result<(Recomposed, Revised)> {
    let RecomposeOptions {
        renames,
        draw_missing,
        dry,
    } = manner;
    let dry = *dry;
    let mut lacking = MissingTerms::default();
    if *draw_missing {
        each(catalog, grammar, renames, watch, &mut |item| {
            lacking.add_missing(grammar, item)
        })?;
    }
    if !lacking.is_empty() {
        each(catalog, grammar, renames, watch, &mut |item| {
            lacking.add_known(grammar, item)
        })?;
    }
    let mut report = Recomposed::default();
    let mut columns = catalog.columns().clone();
    let mut causes: BTreeMap<String, u64> = BTreeMap::new();
    let mut changed = Batch::new(project, "revised", dry)?;
    let mut kept = Batch::new(project, "rewritten", dry)?;
    let of = catalog.len() as u64;
    catalog.each_line(0, &mut |row, line| {
        if row % STEP == 0 {
            watch
                .report("recomposing", row as u64, Some(of))
                .map_err(cancelled)?;
        }
        // Most lines of a mixed project have none and need no parsing.
        if memchr::memmem::find(line, b"\"provenance\":").is_none() {
            return Ok(true);
        }
        let item = parse_item(row, line)?;
        let status = overlay.status(row);
        let Some((result, drawn)) = recompose_item(grammar, item, renames, &lacking) else {
            return Ok(true);
        };
        report.composed += 1;
        match result {
            ItemResult::Same => {}
            ItemResult::Edited => report.edited += 1,
            ItemResult::Kept(item) => {
                report.kept += 1;
                columns.replace(row, &item)?;
                kept.push(row as u32, &item)?;
            }
            ItemResult::Changed(item) => {
                report.changed.add(status);
                report.drawn += u64::from(drawn);
                columns.replace(row, &item)?;
                changed.push(row as u32, &item)?;
            }
            ItemResult::Gone(what) => {
                report.gone.add(status);
                let mut cause = what.to_string();
                if matches!(what, MissingMetadata::Slot(_)) {
                    report.missing.add(status);
                    if *draw_missing {
                        cause.push_str(": no term fits the picture and its questions");
                    }
                }
                *causes.entry(cause).or_default() += 1;
            }
        }
        Ok(true)
    })?;
    report.causes = causes.into_iter().collect();
    sort_by(&mut report.causes, |a, b| {
        b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0))
    });
    report.causes.truncate(LISTED);
    let voided = report.changed.all() - report.changed.count(Status::Pending);
    if voided > 0 {
        let word = if dry {
            "would no longer count"
        } else {
            "no longer count"
        };
        report.notes.push(format!(
            "verdicts on {voided} items {word} because their text changed"
        ));
    }
    let (changed_rows, kept_rows) = (changed.rows.clone(), kept.rows.clone());
    let mut fresh = Vec::new();
    for (batch, keeps) in [(changed, false), (kept, true)] {
        fresh.extend(batch.finish(keeps, "composed again")?);
    }
    Ok((
        report,
        Revised {
            columns,
            fresh,
            changed: changed_rows,
            kept: kept_rows,
            edit: None,
        },
    ))
}

/// Recomposes an item. Returns the result and whether a term was drawn, or `None` if the item was
/// not composed.
fn recompose_item(
    grammar: &CompiledMetadata,
    mut item: Item,
    renames: &[Rename],
    lacking: &MissingTerms,
) -> Option<(ItemResult, bool)> {
    if item.edited.is_some() && item.provenance.is_some() {
        return Some((ItemResult::Edited, false));
    }
    let before = item.clone();
    apply_renames(grammar, &mut item, renames);
    let drawn = !lacking.is_empty() && lacking.fill(grammar, &mut item);
    Some((rewrite(grammar, &before, item)?, drawn))
}

/// Applies renames to the terms of an item.
fn apply_renames(grammar: &CompiledMetadata, item: &mut Item, renames: &[Rename]) {
    if let Some(provenance) = item.provenance.as_deref_mut() {
        // The options of a question contain terms of the vocabulary it asks about.
        let asked = grammar.subtask(item.subtask.as_deref().unwrap_or_default());
        let list = asked.map(|s| grammar.lists[grammar.subtasks[s].list].name.as_str());
        for rename in renames {
            renamed(provenance, rename);
            if list == Some(rename.vocabulary.as_str()) {
                if provenance.claim.as_ref() == Some(&rename.old) {
                    provenance.claim = Some(rename.new.clone());
                }
                let options = item.options.iter_mut().filter(|o| o.text == rename.old);
                options.for_each(|o| o.text.clone_from(&rename.new));
            }
        }
    }
}

/// Recomposes an item whose terms are already renamed. `before` is the stored item.
fn rewrite(grammar: &CompiledMetadata, before: &Item, mut item: Item) -> Option<ItemResult> {
    let choices = match choices_of(grammar, &item)? {
        Ok(choices) => choices,
        Err(gone) => return Some(ItemResult::Gone(gone)),
    };
    let written = match write(grammar, &choices) {
        Ok(written) => written,
        Err(gone) => return Some(ItemResult::Gone(gone)),
    };
    let provenance = item.provenance.as_deref_mut()?;
    provenance.recipe = recipe(grammar, &choices);
    provenance.chance = written.chance;
    provenance
        .vocabulary
        .clone_from(&grammar.vocabulary_revision);
    provenance.templates.clone_from(&grammar.template_revision);
    let style = provenance
        .terms
        .get(benchtop_compose::metadata::STYLE)
        .cloned();
    let subtask = &grammar.subtasks[choices.subtask];
    item.task = Some(subtask.task.clone());
    item.granularity = Some(subtask.granularity.clone());
    item.style = style;
    let drawn_alike = before.prompt.as_ref() == Some(&written.prompt)
        && before.negative_prompt.as_ref() == Some(&written.negative);
    if !drawn_alike {
        // The picture shows the old prompt and must be generated again.
        for image in &mut item.images {
            (image.hash, image.ext, image.link) = (None, None, None);
        }
    }
    item.prompt = Some(written.prompt);
    item.negative_prompt = Some(written.negative);
    item.instruction = Some(written.instruction);
    item.question = written.question;
    item.options = written.options;
    item.answer = written.answer;
    let seen = |i: &Item| {
        (
            i.prompt.clone(),
            i.negative_prompt.clone(),
            i.instruction.clone(),
            i.options.clone(),
            i.answer.clone(),
        )
    };
    let recipe_of = |i: &Item| i.provenance.as_ref().map(|p| p.recipe.clone());
    Some(if seen(before) != seen(&item) {
        ItemResult::Changed(Box::new(item))
    } else if recipe_of(before) != recipe_of(&item)
        || before.task != item.task
        || before.granularity != item.granularity
    {
        ItemResult::Kept(Box::new(item))
    } else {
        ItemResult::Same
    })
}

fn renamed(provenance: &mut Provenance, rename: &Rename) {
    for terms in [&mut provenance.terms, &mut provenance.second] {
        if let Some(term) = terms
            .get_mut(&rename.vocabulary)
            .filter(|t| **t == rename.old)
        {
            term.clone_from(&rename.new);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use benchtop_compose::engine::Composer;
    use benchtop_compose::metadata::Metadata;
    use benchtop_compose::plan::Plan;
    use benchtop_compose::schedule::Schedule;
    use benchtop_model::edit::{Edited, ItemText};
    use benchtop_model::{MetaFile, metafile};

    fn recompose_item(
        grammar: &CompiledMetadata,
        item: Item,
        renames: &[Rename],
    ) -> Option<ItemResult> {
        super::recompose_item(grammar, item, renames, &MissingTerms::default())
            .map(|(recompose_item, _)| recompose_item)
    }

    fn shipped() -> Metadata {
        Metadata::parse(metafile::shipped())
    }

    fn grammar(metadata: &Metadata) -> CompiledMetadata {
        let (grammar, found) = CompiledMetadata::compile(metadata);
        assert_eq!(found, []);
        grammar
    }

    fn items(plan: Option<&str>) -> Vec<Item> {
        let grammar = grammar(&shipped());
        let plan = match plan {
            Some(text) => Plan::parse(text, Path::new("plan.toml")).unwrap(),
            None => Plan::balanced(&grammar, 1200),
        };
        let course = Schedule::new(&grammar, &plan).unwrap();
        let mut composer = Composer::new(Arc::new(grammar), Arc::new(course), 11);
        (0..composer.schedule().questions())
            .map(|n| composer.question(n).unwrap())
            .collect()
    }

    fn edit(name: &str, old: &str, new: &str) -> CompiledMetadata {
        let mut metadata = shipped();
        let text = metadata.text(name).unwrap();
        assert!(text.contains(old), "{name} has no {old}");
        let text = text.replace(old, new);
        metadata.insert(MetaFile {
            name: name.into(),
            text,
        });
        grammar(&metadata)
    }

    #[test]
    fn nothing_changes_without_an_edit_or_with_a_new_term() {
        let added = edit("vocabularies/animal.txt", "\nowl\n", "\nowl\naardvark\n");
        let unedited = grammar(&shipped());
        for item in items(None) {
            assert_eq!(
                recompose_item(&unedited, item.clone(), &[]),
                Some(ItemResult::Same)
            );
            assert_eq!(recompose_item(&added, item, &[]), Some(ItemResult::Same));
        }
        let mut plain = items(None).remove(0);
        plain.edited = Some(Box::new(Edited {
            by: "ann".into(),
            at: 1,
            note: None,
            before: ItemText::of(&plain),
        }));
        assert_eq!(
            recompose_item(&added, plain.clone(), &[]),
            Some(ItemResult::Edited),
            "manual edits are kept"
        );
        plain.provenance = None;
        assert_eq!(recompose_item(&added, plain, &[]), None);
    }

    #[test]
    fn changed_wording_changes_items_and_moved_wording_keeps_verdicts() {
        let style = edit("styles.toml", "translucent washes", "thin washes");
        let question = edit(
            "templates.toml",
            "What is the style of the image?",
            "Which style is this?",
        );
        // The same text through a fragment: another recipe, but no visible change.
        let moved = edit(
            "templates.toml",
            "a {age} {race} {gender}\"",
            "{years} {gender}\"\nyears = \"a {age} {race}\"",
        );
        let sorted = edit(
            "templates.toml",
            "vocabulary = \"style\"\ngranularity = \"coarse\"",
            "vocabulary = \"style\"",
        );
        for item in items(None) {
            let recompose_item =
                |grammar: &CompiledMetadata| recompose_item(grammar, item.clone(), &[]).unwrap();
            let kept = matches!(recompose_item(&sorted), ItemResult::Kept(new) if new.granularity.as_deref() == Some("fine"));
            assert_eq!(kept, item.subtask.as_deref() == Some("style"));
            let uses = item.style.as_deref() == Some("watercolor painting");
            match recompose_item(&style) {
                ItemResult::Changed(new) => {
                    assert!(uses && new.prompt.unwrap().contains("thin washes"));
                    assert_eq!((new.id, new.answer), (item.id.clone(), item.answer.clone()));
                }
                other => assert!(!uses && other == ItemResult::Same, "{other:?}"),
            }
            let asks = item.subtask.as_deref() == Some("style")
                && item.kind == benchtop_model::QuestionKind::MultipleChoice;
            assert_eq!(
                matches!(recompose_item(&question), ItemResult::Changed(_)),
                asks
            );
            assert_eq!(
                recompose_item(&moved),
                ItemResult::Same,
                "fragments are expanded before a recipe is computed"
            );
        }
    }

    #[test]
    fn a_renamed_term_is_followed_and_a_removed_one_reported() {
        let of = |item: &Item| {
            item.provenance
                .as_ref()
                .unwrap()
                .terms
                .get("animal")
                .cloned()
        };
        let owl = items(None).iter().find_map(of).unwrap();
        let renamed = edit(
            "vocabularies/animal.txt",
            &format!("\n{owl}\n"),
            &format!("\nbarn {owl}\n"),
        );
        let rename = Rename {
            vocabulary: "animal".into(),
            old: owl.clone(),
            new: format!("barn {owl}"),
        };
        let (mut followed, mut gone) = (0, 0);
        for item in items(None) {
            let holds = item
                .provenance
                .as_ref()
                .unwrap()
                .terms
                .get("animal")
                .is_some_and(|t| *t == owl)
                || item.provenance.as_ref().unwrap().claim.as_deref() == Some(&*owl)
                || item.options.iter().any(|o| o.text == owl);
            match recompose_item(&renamed, item.clone(), std::slice::from_ref(&rename)).unwrap() {
                ItemResult::Changed(new) => {
                    assert!(holds);
                    followed += 1;
                    assert!(!new.options.iter().any(|o| o.text == owl));
                }
                other => assert!(!holds && other == ItemResult::Same, "{other:?}"),
            }
            if let ItemResult::Gone(what) = recompose_item(&renamed, item, &[]).unwrap() {
                assert!(
                    holds && what == MissingMetadata::Term("animal".into(), owl.clone()),
                    "{what}"
                );
                gone += 1;
            }
        }
        assert!(followed > 0 && followed == gone, "{followed} {gone}");
    }
}
