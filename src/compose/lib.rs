//! Floor 2: from metadata to pictures and questions.
//!
//! | room | what it does |
//! |---|---|
//! | [`metadata`] | vocabularies, styles and templates, read and edited |
//! | [`compiled_metadata`] | metadata made ready: slots resolved, what cannot work found |
//! | [`plan`], [`possible`], [`schedule`] | how many pictures of what; every question in its place |
//! | [`compatibility`] | which terms can stand in one picture, what it hides and shows anyway |
//! | `deal` | what every picture shows, where the rules decide it too |
//! | [`ambiguity`] | when two terms can both be right |
//! | [`lint`] | what is wrong with metadata and with questions |
//! | [`sample`] | the sample set, drawn by the program |

pub mod ambiguity;
pub mod compatibility;
pub mod compiled_metadata;
mod deal;
pub mod engine;
pub mod fixtures;
pub mod lint;
pub mod metadata;
pub mod plan;
mod possible;
pub mod sample;
pub mod schedule;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod scenes_tests;
#[cfg(test)]
mod world;
#[cfg(test)]
mod tests {
    use super::compiled_metadata::CompiledMetadata;
    use super::metadata::Metadata;
    use benchtop_model::metafile::shipped;

    #[test]
    fn the_shipped_metadata_has_the_sizes_of_table_11_and_nothing_wrong_with_it() {
        let metadata = Metadata::parse(shipped());
        assert_eq!(
            metadata.found().collect::<Vec<_>>(),
            [] as [&benchtop_model::Finding; 0]
        );
        let (grammar, found) = CompiledMetadata::compile(&metadata);
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
        assert_eq!(grammar.lists.len(), sizes.len());
        for (name, size) in sizes {
            assert_eq!(
                grammar.lists[grammar.list(name).unwrap()].terms.len(),
                size,
                "{name}"
            );
        }
        assert!(metadata.enabled("text").iter().all(|w| w.len() >= 3));
        assert_eq!((grammar.subtasks.len(), grammar.subjects.len()), (20, 14));
        for (at, subtask) in grammar.subtasks.iter().enumerate() {
            assert!(
                grammar.subjects.iter().any(|s| s.supports.contains(&at)),
                "nothing shows {}",
                subtask.name
            );
        }
    }
}
