//! Floor 2: composes questions from metadata.
//!
//! | module | contents |
//! |---|---|
//! | [`ambiguity`] | when two terms can both be right |
//! | `assign_terms` | the terms of every picture of a schedule under compatibility rules |
//! | [`compatibility`] | terms that cannot appear together, or that hide or show others |
//! | [`compiled_metadata`] | metadata with resolved slots, and its defects |
//! | [`engine`] | the composer: the content of each question, and its item |
//! | [`fixtures`] | small metadata for tests of several crates |
//! | [`grounding`] | what a model says where objects are in a picture |
//! | [`lint`] | checks of metadata and questions |
//! | [`metadata`] | vocabularies, styles, templates, and rules: parsing and editing |
//! | [`plan`] | plan files: how many pictures of each subject, and which questions |
//! | `possible` | the pictures that a plan can have under compatibility rules |
//! | [`sample`] | the built-in sample data set |
//! | [`schedule`] | a worked-out plan: the place of each question |
//! | [`shares`] | plans that give the shares of the question types |

pub mod ambiguity;
mod assign_terms;
pub mod compatibility;
pub mod compiled_metadata;
pub mod engine;
pub mod fixtures;
pub mod grounding;
pub mod lint;
pub mod metadata;
pub mod plan;
mod possible;
pub mod sample;
pub mod schedule;
pub mod shares;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod random_metadata;
#[cfg(test)]
mod scenes_tests;
#[cfg(test)]
mod tests {
    use super::compiled_metadata::CompiledMetadata;
    use super::metadata::Metadata;
    use benchtop_model::metafile::shipped;

    #[test]
    fn shipped_metadata_matches_table_11_and_has_no_findings() {
        let metadata = Metadata::parse(shipped());
        assert_eq!(
            metadata.found().collect::<Vec<_>>(),
            [] as [&benchtop_model::Finding; 0]
        );
        let (compiled, found) = CompiledMetadata::compile(&metadata);
        assert_eq!(found, []);
        let sizes = [
            ("style", 51),
            ("background", 20),
            ("age", 4),
            ("expression", 3),
            ("gender", 2),
            ("race", 5),
            ("profession", 20),
            ("action", 20),
            ("celebrity", 50),
            ("animal", 67),
            ("plant", 37),
            ("clothes", 16),
            ("object", 80),
            ("landmark", 23),
            ("food", 29),
            ("movie", 106),
            ("anime", 44),
            ("tv-show", 20),
            ("text", 5000),
            ("color", 8),
        ];
        assert_eq!(compiled.lists.len(), sizes.len());
        for (name, size) in sizes {
            assert_eq!(
                compiled.lists[compiled.list(name).unwrap()].terms.len(),
                size,
                "{name}"
            );
        }
        assert!(metadata.enabled("text").iter().all(|w| w.len() >= 3));
        assert_eq!((compiled.subtasks.len(), compiled.subjects.len()), (20, 14));
        for (at, subtask) in compiled.subtasks.iter().enumerate() {
            assert!(
                compiled.subjects.iter().any(|s| s.supports.contains(&at)),
                "nothing shows {}",
                subtask.name
            );
        }
    }
}
