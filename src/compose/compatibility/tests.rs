use super::*;
use crate::compiled_metadata::CompiledMetadata;
use crate::fixtures::small;
use crate::metadata::rules::FILE;
use benchtop_model::MetaFile;

/// The small metadata with these rules.
pub(crate) fn ruled(rules: &str) -> Metadata {
    let mut metadata = small();
    metadata.insert(MetaFile {
        name: FILE.into(),
        text: rules.into(),
    });
    metadata
}

fn ready(rules: &str) -> (CompiledMetadata, Vec<Finding>) {
    CompiledMetadata::compile(&ruled(rules))
}

#[test]
fn rules_apply_to_their_terms() {
    let (compiled, found) = ready(
        "[[not-with]]\nbackground = [\"by the sea\"]\nanimal = [\"owl\", \"cat\"]\nwhy = \"too wet\"\n\
         [[hides]]\nstyle = [\"comic\"]\nhides = [\"color\"]\nwhy = \"flat\"\n\
         [[shows]]\nbackground = [\"in a forest\"]\nshows.animal = [\"beetle\"]\n\
         [[shows]]\nbackground = [\"in a forest\"]\nshows.animal = [\"wolf\"]\n\
         [groups.background]\nplace = [\"on a lawn\", \"in a forest\", \"by the sea\", \"in a street\"]\n\
         [[look-alike]]\nstyle = [\"comic\", \"sketch\"]\n[letters-apart]\ntext = [2, 3]\n",
    );
    let rules: Vec<_> = found.iter().map(|f| (f.rule, f.term.as_str())).collect();
    assert_eq!(rules, [(Rule::Ungrouped, "under the stars")]);
    let compat = compiled.compatibility.as_ref().unwrap();
    let at = |list: &str, term: &str| {
        let list = compiled.list(list).unwrap();
        (list, compiled.lists[list].position(term).unwrap())
    };
    let (owl, wolf, sea) = (
        at("animal", "owl"),
        at("animal", "wolf"),
        at("background", "by the sea"),
    );
    assert!(compat.clash(owl, sea) && compat.clash(sea, owl) && !compat.clash(wolf, sea));
    assert_eq!(compat.impossible(&[owl, sea]), Some((owl, sea)));
    assert_eq!(
        (compat.reason(sea, owl), compat.reason(sea, wolf)),
        ("too wet", "")
    );
    let color = compiled.list("color").unwrap();
    assert!(
        compat.hides(at("style", "comic"), color) && !compat.hides(at("style", "sketch"), color)
    );
    let shown = compat.shown(at("background", "in a forest"), owl.0);
    assert_eq!(shown, [at("animal", "beetle").1, wolf.1]);
    let (lawn, stars) = (
        at("background", "on a lawn"),
        at("background", "under the stars"),
    );
    assert!(
        !compat.can_both_be_right(lawn.0, lawn.1, sea.1)
            && !compat.can_both_be_right(lawn.0, lawn.1, stars.1),
        "in no group"
    );
    assert!(compat.look_alike(
        at("style", "comic").0,
        at("style", "comic").1,
        at("style", "sketch").1
    ));
    assert!(
        compat.letters(compiled.list("text").unwrap(), 0).is_some()
            && compat.letters(color, 0).is_none()
    );
}

#[test]
fn unknown_names_are_reported_and_skipped() {
    let (compiled, found) = ready(
        "[[not-with]]\nanimal = [\"owwl\", \"cat\"]\nbackground = [\"by the sea\"]\n\
         [[hides]]\nstile = [\"comic\"]\nhides = [\"colour\"]\n\
         [groups.background]\ntime = [\"under the stars\"]\n\
         place = [\"on a lawn\", \"in a forest\", \"by the sea\", \"in a street\"]\n",
    );
    let all: Vec<_> = found
        .iter()
        .map(|f| (f.rule, f.line, f.term.as_str()))
        .collect();
    assert_eq!(
        all,
        [
            (Rule::UnknownTerm, 2, "owwl"),
            (Rule::UnknownTerm, 5, "stile"),
            (Rule::UnknownTerm, 6, "colour"),
            (Rule::Ungrouped, 8, "under the stars"),
        ]
    );
    assert!(
        found[0].help.contains("owl")
            && found
                .iter()
                .all(|f| f.severity() == benchtop_model::Severity::Warning)
    );
    assert_eq!(compiled.compatibility.as_ref().unwrap().clashes.len(), 1);
    assert!(
        CompiledMetadata::compile(&small())
            .0
            .compatibility
            .is_none()
    );
}
