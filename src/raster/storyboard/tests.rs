use std::collections::{BTreeMap, BTreeSet};

use super::content::Words;
use super::figure;
use super::shapes::hash;
use super::{VERSION, draw_card};
use benchtop_model::generation::{Pixels, Task};

fn task(seed: u64, terms: &[(&str, &str)]) -> Task {
    let terms: BTreeMap<_, _> = terms
        .iter()
        .map(|(a, b)| (a.to_string(), b.to_string()))
        .collect();
    let prompt = terms.values().cloned().collect::<Vec<_>>().join(", ");
    Task {
        prompt,
        seed,
        terms,
        ..Task::default()
    }
}

const OWL: [(&str, &str); 5] = [
    ("subject", "animal"),
    ("animal", "owl"),
    ("color", "red"),
    ("background", "in a forest"),
    ("style", "watercolor painting"),
];

fn owl(seed: u64, slot: &str, term: &str) -> Task {
    task(
        seed,
        &OWL.map(|(s, t)| if s == slot { (s, term) } else { (s, t) }),
    )
}

fn drawn(task: &Task, width: u32, height: u32) -> Pixels {
    draw_card(task, width, height).unwrap()
}

/// The share of clearly different pixels, in percent.
fn apart(a: &Pixels, b: &Pixels) -> usize {
    let differ = |(a, b): (&[u8; 3], &[u8; 3])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 24);
    let pairs = a
        .rgb
        .as_chunks::<3>()
        .0
        .iter()
        .zip(b.rgb.as_chunks::<3>().0);
    pairs.filter(|pair| differ(*pair)).count() * 300 / a.rgb.len()
}

/// The bytes are the same on every machine; these were drawn on x86-64. A change of the drawing
/// needs a new [`VERSION`], because fingerprints stand for bytes.
#[test]
fn cards_have_pinned_bytes() {
    let cards = [
        drawn(&owl(1, "", ""), 256, 256),
        drawn(&owl(7, "style", "impressionism"), 200, 320),
        drawn(
            &Task {
                prompt: "a blue car on a city street, pop art".into(),
                seed: 3,
                ..Task::default()
            },
            320,
            192,
        ),
        drawn(&Task::default(), 64, 64),
    ];
    let hashes: Vec<_> = cards
        .iter()
        .map(|c| blake3::hash(&c.rgb).to_hex()[..16].to_string())
        .collect();
    assert_eq!(
        (VERSION, hashes.join(" ")),
        (
            2,
            "71dd771adba80c0f ee964211a8320816 f38e5159229e8507 1ebabdf6cea00ebe".to_string()
        )
    );
}

#[test]
fn each_term_and_the_seed_change_the_card() {
    let card = drawn(&owl(1, "", ""), 256, 256);
    for (slot, term, least) in [
        ("animal", "giraffe", 8),
        ("color", "blue", 5),
        ("background", "in outer space", 30),
        ("style", "pixel art", 20),
    ] {
        let other = drawn(&owl(1, slot, term), 256, 256);
        assert!(
            apart(&card, &other) >= least,
            "{slot}: {}%",
            apart(&card, &other)
        );
    }
    assert!(apart(&card, &drawn(&owl(2, "", ""), 256, 256)) >= 10);
}

#[test]
fn every_style_keeps_the_draft_stamp() {
    for style in ["watercolor painting", "neon sign", "pixel art"] {
        let card = drawn(&owl(1, "style", style), 512, 512);
        let corner: Vec<_> = (14..52)
            .flat_map(|y| {
                card.rgb[(y * 512 + 400) * 3..(y * 512 + 500) * 3]
                    .as_chunks::<3>()
                    .0
                    .to_vec()
            })
            .collect();
        let red = corner.iter().filter(|p| p[0] > 180 && p[1] < 70).count();
        let white = corner.iter().filter(|p| p.iter().all(|c| *c > 220)).count();
        assert!(red > 900 && white > 400, "{style}: {red} {white}");
    }
}

/// Text on the picture could be the answer to a question, so terms, prompt, and seed are not
/// written.
#[test]
fn only_the_subjects_word_is_written() {
    let face = |age: &str| {
        let terms = [
            ("subject", "face"),
            ("age", age),
            ("style", "watercolor painting"),
            ("background", "in a cave"),
        ];
        drawn(
            &Task {
                prompt: "a face".into(),
                ..task(1, &terms)
            },
            512,
            512,
        )
    };
    assert!(
        face("25-year-old").rgb == face("70-year-old").rgb,
        "the age is written"
    );
    // A drawn figure has no word: the lowest rows are the floor of the scene, without text.
    let card = drawn(&owl(1, "style", ""), 512, 512);
    let low = card.rgb[480 * 512 * 3..].as_chunks::<3>().0;
    assert_eq!(low.iter().filter(|p| p.iter().all(|c| *c < 60)).count(), 0);
}

#[test]
fn unknown_subjects_are_boxes_with_their_word() {
    let is_box = |kind: &str, term: &str| {
        let words = Words::of(&task(
            1,
            &[("subject", kind), (kind, term), ("color", "red")],
        ));
        figure::chosen(&words).1.is_some()
    };
    for (kind, term) in [
        ("landmark", "the Statue of Liberty"),
        ("landmark", "the Leaning Tower of Pisa"),
        ("food", "lasagna"),
        ("animal", "dog"),
        ("animal", "sea snake"),
        ("object", "police car"),
        ("profession", "chef"),
        ("action", "playing golf"),
        ("movie", "The Snake"),
        ("celebrity", "an owl"),
        ("text", "owl"),
    ] {
        assert!(is_box(kind, term), "{kind} {term}");
    }
    for (kind, term) in [
        ("landmark", "the Eiffel Tower"),
        ("food", "hamburgers"),
        ("animal", "owl"),
        ("object", "car"),
    ] {
        assert!(!is_box(kind, term), "{kind} {term}");
    }
    let face = Words::of(&task(
        1,
        &[
            ("subject", "face"),
            ("age", "25-year-old"),
            ("gender", "female"),
        ],
    ));
    assert!(figure::chosen(&face).1.is_none());
    // Unknown styles and places do not look like others.
    let plain = drawn(&owl(1, "style", "zorbism"), 256, 256);
    assert!(apart(&plain, &drawn(&owl(1, "style", "pixel art"), 256, 256)) > 20);
}

#[test]
fn words_are_legible_and_missing_letters_show_their_code() {
    let boxed = |text: &str| drawn(&owl(1, "animal", text), 512, 512);
    let dark = |p: &Pixels| {
        p.rgb
            .as_chunks::<3>()
            .0
            .iter()
            .filter(|p| p.iter().all(|c| *c < 60))
            .count()
    };
    for text in [
        "dog",
        "the Leaning Tower of Pisa",
        "a-single-word-that-is-much-too-long-for-the-box-it-stands-in-alas",
    ] {
        assert!(dark(&boxed(text)) > 600, "{text}: {}", dark(&boxed(text)));
    }
    let all = ["猫", "犬", "кот", "😀", "قط", "ó", "Ż"].map(|text| boxed(text).rgb);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    for style in ["watercolor painting", "neon sign", "pixel art", "zorbism"] {
        let [a, b] = ["dog", "cat"].map(|word| {
            let terms = [
                ("subject", "animal"),
                ("animal", word),
                ("color", "red"),
                ("style", style),
            ];
            let same = Task {
                prompt: String::new(),
                ..task(hash(word), &terms)
            };
            drawn(&same, 512, 512)
        });
        assert!(dark(&a) > 600 && dark(&b) > 600, "{style}");
    }
}

#[test]
fn without_terms_the_prompt_is_parsed() {
    let words = |prompt: &str| {
        Words::of(&Task {
            prompt: prompt.into(),
            ..Task::default()
        })
    };
    let found = words("1 red owl, in a forest, watercolor painting, soft edges");
    assert_eq!((found.title.as_str(), found.color.as_str()), ("owl", "red"));
    assert_eq!(
        (found.background.as_str(), found.style.as_str()),
        ("in a forest", "watercolor painting")
    );
    let found = words("a green cat sitting near a waterfall, comic book style");
    assert_eq!(
        (found.title.as_str(), found.background.as_str()),
        ("cat sitting", "near a waterfall")
    );
    assert_eq!(words(" ,, ").title, "");
    assert_eq!(words("İstanbul in İstanbul").background, "in İstanbul");
    // A face has no main vocabulary, so the name of the subject is the title.
    let face = task(
        1,
        &[
            ("subject", "face"),
            ("age", "25-year-old"),
            ("gender", "female"),
        ],
    );
    assert_eq!(Words::of(&face).title, "face");
}

#[test]
fn every_shipped_term_style_and_size_gives_a_card() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../metadata");
    let styles = std::fs::read_to_string(folder.join("styles.toml")).unwrap();
    let styles: Vec<_> = styles
        .lines()
        .filter_map(|l| l.strip_prefix("name = "))
        .map(|s| s.trim_matches('"'))
        .collect();
    assert!(styles.len() > 30);
    let mut places = std::fs::read_to_string(folder.join("vocabularies/background.txt")).unwrap();
    places.push_str("\nsomewhere else");
    let places: Vec<_> = places
        .lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .collect();
    let sizes = [(64, 64), (65, 97), (160, 64), (64, 2048), (200, 128)];
    let mut at = 0;
    for slot in [
        "animal",
        "plant",
        "object",
        "food",
        "clothes",
        "landmark",
        "action",
        "profession",
        "movie",
        "text",
        "celebrity",
        "?",
    ] {
        let path = folder.join(format!("vocabularies/{slot}.txt"));
        let terms =
            std::fs::read_to_string(path).unwrap_or_else(|_| "thing\nred dog\nperson".into());
        for term in terms
            .lines()
            .filter(|l| !l.starts_with('#') && !l.is_empty())
            .take(90)
        {
            let (style, place) = (styles[at % styles.len()], places[at % places.len()]);
            let (width, height) = if at % 97 == 0 {
                sizes[3]
            } else {
                sizes[[0, 1, 2, 4][at % 4]]
            };
            let card = drawn(
                &task(
                    at as u64,
                    &[
                        ("subject", slot),
                        (slot, term),
                        ("style", style),
                        ("background", place),
                    ],
                ),
                width,
                height,
            );
            assert_eq!(
                (card.width, card.height, card.rgb.len()),
                (width, height, (width * height * 3) as usize)
            );
            let (low, high) = (
                card.rgb.iter().min().unwrap(),
                card.rgb.iter().max().unwrap(),
            );
            assert!(high - low > 100, "{term} {style}: flat");
            at += 1;
        }
    }
    assert!(at > 300);
}
