use benchtop_model::cancel::Cancel;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

fn arena(rows: &[&str]) -> Arena {
    Arena::from_rows((0..).zip(rows.iter().copied())).unwrap()
}

fn find(arena: &Arena, query: &str) -> Hits {
    search(arena, query, None, Cancel::NEVER, &mut |_| ())
}

fn rows(hits: &Hits) -> Vec<u32> {
    hits.rows.iter().map(|r| r.0).collect()
}

/// A few thousand prompts in the form of Dysca's, with varied texts around them.
fn prompts(n: u64) -> Vec<String> {
    let pick = |state: &mut u64, from: &[&'static str]| {
        // SplitMix64 (Steele, Lea, Flood 2014).
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        from[((z ^ (z >> 31)) % from.len() as u64) as usize]
    };
    let things = [
        "owl",
        "teapot",
        "robot",
        "church",
        "violin",
        "otter",
        "bonsai tree",
        "lighthouse",
        "croissant",
        "astronaut",
        "locomotive",
        "hummingbird",
        "Eiffel Tower",
        "caf\u{e9} table",
        "bamboo",
        "jellyfish",
    ];
    let colors = ["red", "orange", "yellow", "green", "blue", "purple", "pink"];
    let doing = [
        "jumping rope",
        "reading a book",
        "playing the violin",
        "cooking",
        "on the left",
        "asleep",
        "no action",
    ];
    let places = [
        "on the lawn",
        "near the beach",
        "in the tundra",
        "night background",
        "pure background",
        "indoor",
    ];
    let styles = [
        "watercolor painting. vibrant, beautiful, painterly, detailed, textural, artistic",
        "cubist style. angular shapes, abstract, geometric",
        "Steampunk, mechanical (brass), gears; intricate",
        "ukiyo-e art style, woodblock print, flat",
        "analog film photo, faded film, desaturated, 35mm, grainy, vignette, vintage, Kodachrome, Lomography",
        "low-poly style, ambient occlusion, isometric, hyperdetailed",
    ];
    let questions = [
        "What is the animal?",
        "What is the color of it?",
        "Where is it?",
        "Is it a photo?",
        "What style is it?",
    ];
    let starts = ["1 ", "2 ", "a photo of a ", "", "two ", "an image of one "];
    let mut state = 17;
    (0..n)
        .map(|i| {
            let s = &mut state;
            format!(
                "{}{} color {}, {}, {}, {}\n{} {i}",
                pick(s, &starts),
                pick(s, &colors),
                pick(s, &things),
                pick(s, &doing),
                pick(s, &places),
                pick(s, &styles),
                pick(s, &questions)
            )
        })
        .collect()
}

#[test]
fn recall_against_skim_over_every_row() {
    // Share of our first 50 rows that Skim scores at least as high as its own 50th.
    let texts = prompts(6000);
    let arena = Arena::from_rows((0..).zip(texts.iter().map(String::as_str))).unwrap();
    let queries = [
        "t",
        "te",
        "teap",
        "teapot",
        "teapot l",
        "teapot left blue",
        "robtundr",
        "rb",
        "wt",
        "cubist",
        "steam brass",
        "watercolour",
        "owl lawn",
        "eiftow",
        "caf\u{e9}",
        "35mm",
        "what",
        "prpl",
        "blue owl watercolor beach",
        "vln",
        "bg",
        "redowlbeach",
        "2 pink",
        "otter 77",
        "ukiyo-e",
        "x",
        "zz",
        "hmbrd",
        "oo",
        "lighthouse 4",
        "isom",
        "aphoto",
    ];
    let mut worst: (f64, &str) = (1.0, "");
    let mut sum = 0.0;
    for query in queries {
        let parsed = Query::parse(query).unwrap();
        let mut full: Vec<i32> = (0..arena.rows())
            .filter_map(|row| parsed.score(arena.get(row).unwrap()))
            .collect();
        full.sort_unstable_by_key(|score| std::cmp::Reverse(*score));
        let hits = find(&arena, query);
        assert_eq!(hits.exact, Some(full.len() as u64), "{query}");
        let want = full.len().min(50);
        let bar = full.get(want.wrapping_sub(1)).copied().unwrap_or(i32::MAX);
        let good = hits.rows.iter().take(50).filter(|r| r.1 >= bar).count();
        let recall = if want == 0 {
            1.0
        } else {
            good as f64 / want as f64
        };
        eprintln!(
            "{query:>30}  {:>5} matches  recall@50 {recall:.2}",
            full.len()
        );
        sum += recall;
        if recall < worst.0 {
            worst = (recall, query);
        }
    }
    assert!(sum / queries.len() as f64 >= 0.98, "worst {worst:?}");
    assert!(worst.0 >= 0.9, "worst {worst:?}");
}

#[test]
fn every_word_must_match_in_any_order() {
    let arena = arena(&[
        "a red owl on a blue rug",
        "a red rug",
        "blue owls",
        "an owl in blue and red",
    ]);
    assert_eq!(rows(&find(&arena, "red owl blue")), [0, 3]);
    assert_eq!(find(&arena, "red owl blue").exact, Some(2));
    assert_eq!(rows(&find(&arena, "  OWL   blue ")).len(), 3);
    assert_eq!(find(&arena, "red owl green").exact, Some(0));
    assert_eq!(
        matching(&arena, "blue owl", None, Cancel::NEVER),
        Some(vec![0, 2, 3])
    );
}

#[test]
fn words_at_beginnings_rank_before_substrings_before_scattered_matches() {
    let arena = arena(&["no winter pool", "the growler", "an owl", "owl"]);
    assert_eq!(rows(&find(&arena, "owl")), [3, 2, 1, 0]);
}

#[test]
fn an_empty_query_returns_every_row_in_order() {
    let arena = arena(&["b", "a", ""]);
    let hits = find(&arena, " \t");
    assert_eq!(
        (rows(&hits), hits.exact, hits.partial),
        (vec![0, 1, 2], Some(3), false)
    );
    assert_eq!(
        rows(&search(
            &arena,
            "",
            Some(&[1, 2, 9]),
            Cancel::NEVER,
            &mut |_| ()
        )),
        [1, 2]
    );
    assert_eq!(rows(&find(&Arena::new(), "a")), [0u32; 0]);
    assert_eq!(find(&Arena::new(), "a").exact, Some(0));
}

#[test]
fn one_letter_finds_every_row_with_it() {
    let texts = prompts(3000);
    let arena = Arena::from_rows((0..).zip(texts.iter().map(String::as_str))).unwrap();
    for letter in ["q", "z", "7", "\u{e9}", "-", "k"] {
        let want = texts
            .iter()
            .filter(|t| t.to_lowercase().contains(letter))
            .count() as u64;
        let hits = find(&arena, letter);
        assert_eq!(hits.exact, Some(want), "{letter}");
        assert_eq!(hits.rows.len() as u64, want.min(LIMIT as u64), "{letter}");
        assert!(
            hits.rows
                .iter()
                .all(|(row, _)| arena.get(*row).unwrap().contains(letter))
        );
    }
}

#[test]
fn a_search_of_some_rows_agrees_with_a_search_of_all() {
    let texts = prompts(4000);
    let arena = Arena::from_rows((0..).zip(texts.iter().map(String::as_str))).unwrap();
    assert!(arena.chunks().len() > 1);
    for (query, step) in [
        ("owl", 2),
        ("owl", 97),
        ("rb", 3),
        ("blue steam", 50),
        ("zz", 2),
    ] {
        let only: Vec<u32> = (0..arena.rows()).filter(|row| row % step == 1).collect();
        let mut all = matching(&arena, query, None, Cancel::NEVER).unwrap();
        all.retain(|row| row % step == 1);
        let hits = search(&arena, query, Some(&only), Cancel::NEVER, &mut |_| ());
        assert_eq!(hits.exact, Some(all.len() as u64), "{query}");
        assert_eq!(
            matching(&arena, query, Some(&only), Cancel::NEVER).unwrap(),
            all,
            "{query}"
        );
        let mut found = rows(&hits);
        found.sort_unstable();
        assert_eq!(found, all, "{query}");
    }
}

#[test]
fn only_may_be_unsorted_and_have_duplicates() {
    let arena = arena(&["owl", "an owl", "cat", "owls"]);
    let hits = search(
        &arena,
        "owl",
        Some(&[9, 3, 2, 3, 0]),
        Cancel::NEVER,
        &mut |_| (),
    );
    assert_eq!((rows(&hits), hits.exact), (vec![0, 3], Some(2)));
    assert_eq!(
        matching(&arena, "owl", Some(&[3, 1, 3]), Cancel::NEVER),
        Some(vec![1, 3])
    );
}

#[test]
fn search_is_deterministic() {
    let texts = prompts(16_000);
    let arena = Arena::from_rows((0..).zip(texts.iter().map(String::as_str))).unwrap();
    assert!(arena.chunks().len() >= 8, "the test needs two threads");
    for query in ["o", "lawn", "pplfilm"] {
        let first = find(&arena, query);
        for _ in 0..4 {
            assert_eq!(find(&arena, query), first, "{query}");
        }
    }
}

#[test]
fn partial_results_are_published() {
    let texts = prompts(16_000);
    let arena = Arena::from_rows((0..).zip(texts.iter().map(String::as_str))).unwrap();
    for query in ["owl", "rbtndra"] {
        let mut seen = Vec::new();
        let hits = search_sliced(
            &arena,
            query,
            None,
            Cancel::NEVER,
            &mut |p| seen.push(p),
            Duration::ZERO,
        );
        // A busy machine publishes only the first and the last page.
        assert!(seen.len() >= 2, "{query}: {}", seen.len());
        assert!(
            seen.iter()
                .all(|p| !p.rows.is_empty() && p.rows.len() <= PAGE && p.done <= 1000)
        );
        assert!(
            seen.iter()
                .all(|p| p.rows.is_sorted_by_key(|r| std::cmp::Reverse(r.1)))
        );
        let last: Vec<u32> = seen.last().unwrap().rows.iter().map(|r| r.0).collect();
        let kept = hits
            .rows
            .iter()
            .take(20)
            .filter(|r| last.contains(&r.0))
            .count();
        assert!(
            kept >= 15 || hits.rows[0].1 == hits.rows[300].1,
            "{query}: {kept} of the first 20"
        );
    }
}

#[test]
fn cancel_stops_a_search_early() {
    let texts = prompts(16_000);
    let arena = Arena::from_rows((0..).zip(texts.iter().map(String::as_str))).unwrap();
    let asked = AtomicU64::new(0);
    let full = find(&arena, "e").exact.unwrap();
    let cancel = || asked.fetch_add(1, Ordering::Relaxed) >= 3;
    let hits = search(&arena, "e", None, Cancel::when(&cancel), &mut |_| ());
    assert_eq!((hits.exact, hits.partial), (None, true));
    assert!(
        asked.load(Ordering::Relaxed) < arena.chunks().len() as u64,
        "the search continued"
    );
    assert!(hits.rows.len() <= PAGE && !hits.rows.is_empty() && full > PAGE as u64);
    assert_eq!(matching(&arena, "e", None, Cancel::when(&|| true)), None);
}

#[test]
fn non_ascii_letters_are_found_in_either_case_and_highlighted() {
    let arena = arena(&[
        "\u{c9}GLISE au soir",
        "eglise",
        "\u{130}stanbul",
        "\u{1F989} owl",
    ]);
    assert_eq!(rows(&find(&arena, "\u{e9}glise")), [0]);
    assert_eq!(rows(&find(&arena, "\u{c9}SOIR")), [0]);
    assert_eq!(rows(&find(&arena, "stanbul")), [2]);
    assert_eq!(rows(&find(&arena, "\u{1F989}")), [3]);
    assert_eq!(
        highlight("\u{c9}GLISE au soir", "\u{e9}gl soir"),
        [0, 1, 2, 10, 11, 12, 13]
    );
    // The capital \u{130} has two characters in lower case. Later characters keep their index.
    assert_eq!(highlight("\u{130}stanbul", "stan"), [1, 2, 3, 4]);
}

#[test]
fn highlight_ignores_words_that_do_not_occur() {
    assert_eq!(highlight("A red Owl", "owl zebra"), [6, 7, 8]);
    assert_eq!(highlight("A red Owl", ""), [0usize; 0]);
    let long = format!("{} an OWL", "x".repeat(2_000_000));
    assert_eq!(highlight(&long, "owl"), [2_000_004, 2_000_005, 2_000_006]);
}

#[test]
fn a_row_too_long_for_the_score_matrix_is_still_found() {
    let long = format!(
        "{} red {} owl",
        "ab ".repeat(100_000),
        "cd ".repeat(100_000)
    );
    let arena = arena(&["owl red", &long, "nothing"]);
    assert_eq!(rows(&find(&arena, "red owl")), [0, 1]);
    assert_eq!(rows(&find(&arena, "rdwl")), [1]);
}
