//! The tokenizer against transformers' CLIPTokenizer, both on the same small vocabulary.

use std::collections::HashMap;

use benchtop::inference::candle::tokenizer::ClipTokenizer;
use serde::Deserialize;

use super::support::data;

#[derive(Deserialize)]
struct Fixture {
    prompts: Vec<String>,
    #[serde(flatten)]
    folders: HashMap<String, Expected>,
}

#[derive(Deserialize)]
struct Expected {
    pad: u32,
    /// Of every prompt, without marks.
    ids: Vec<Vec<u32>>,
    /// Of every ninth prompt: marked, padded, cut after one chunk.
    cut: Vec<Vec<u32>>,
}

fn fixture() -> Fixture {
    serde_json::from_str(&std::fs::read_to_string(data("tokenizer.json")).unwrap()).unwrap()
}

#[test]
fn every_prompt_has_the_ids_of_transformers() {
    let fixture = fixture();
    assert!(fixture.prompts.len() > 100 && fixture.folders.len() == 3);
    for (folder, expected) in &fixture.folders {
        let tokenizer = ClipTokenizer::open(&data(folder)).unwrap();
        assert_eq!(tokenizer.pad, expected.pad, "{folder}");
        let mut long = 0;
        for (prompt, ids) in fixture.prompts.iter().zip(&expected.ids) {
            assert_eq!(&tokenizer.ids(prompt).unwrap(), ids, "{folder}: {prompt:?}");
            let chunks = tokenizer.prompt(prompt).unwrap();
            assert_eq!(
                (chunks.tokens, chunks.chunks.len()),
                (ids.len(), ids.len().div_ceil(75).max(1)),
                "{prompt:?}"
            );
            let inner = |c: &Vec<u32>| c[1..76].iter().copied().take(ids.len()).collect::<Vec<_>>();
            let joined: Vec<u32> = chunks
                .chunks
                .iter()
                .flat_map(inner)
                .take(ids.len())
                .collect();
            assert_eq!(&joined, ids, "{prompt:?}");
            long += usize::from(chunks.note().is_some());
        }
        assert!(long >= 4, "{folder}: only {long} prompts are long");
    }
}

#[test]
fn a_chunk_is_marked_and_padded_as_the_pipelines_do_it() {
    let fixture = fixture();
    for (folder, expected) in &fixture.folders {
        let tokenizer = ClipTokenizer::open(&data(folder)).unwrap();
        for (prompt, cut) in fixture.prompts.iter().step_by(9).zip(&expected.cut) {
            assert_eq!(
                &tokenizer.prompt(prompt).unwrap().chunks[0],
                cut,
                "{folder}: {prompt:?}"
            );
        }
    }
    // SDXL's two encoders are padded differently.
    assert_ne!(
        fixture.folders["tokenizer"].pad,
        fixture.folders["tokenizer_2"].pad
    );
    assert_eq!(fixture.folders["tokenizer_2"].pad, 0);
}
