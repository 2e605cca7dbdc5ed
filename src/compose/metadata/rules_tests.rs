use super::*;

const TEXT: &str = r#"
# A comment.
[[not-with]]
animal = ["owl", "cat"]
background = ["by the sea"]
why = "too wet"

[[hides]]
style = ["comic"]
hides = ["color"]

[[shows]]
background = ["in a forest"]
shows = { animal = ["beetle", "wolf"] }

[groups.background]
place = ["on a lawn", "in a forest"]
time = ["under the stars"]

[[look-alike]]
style = ["sketch", "comic"]

[letters-apart]
text = [2, 3]
"#;

fn texts(terms: &Terms) -> (&str, Vec<&str>) {
    (
        &terms.vocabulary.text,
        terms.terms.iter().map(|t| t.text.as_str()).collect(),
    )
}

#[test]
fn rules_parse_with_their_places() {
    let (rules, found) = parse(TEXT);
    assert_eq!(found, []);
    assert_eq!(
        (rules.not_with[0].line, rules.not_with[0].why.as_str()),
        (3, "too wet")
    );
    assert_eq!(
        texts(&rules.not_with[0].sides[0]),
        ("animal", vec!["owl", "cat"])
    );
    assert_eq!(
        texts(&rules.not_with[0].sides[1]),
        ("background", vec!["by the sea"])
    );
    let owl = &rules.not_with[0].sides[0].terms[0];
    assert_eq!(&TEXT[owl.span.clone()], "\"owl\"");
    assert_eq!(
        (
            texts(&rules.hides[0].terms[0]),
            rules.hides[0].hides[0].text.as_str()
        ),
        (("style", vec!["comic"]), "color")
    );
    assert_eq!(
        texts(&rules.shows[0].shows[0]),
        ("animal", vec!["beetle", "wolf"])
    );
    let groups: Vec<_> = rules
        .groups
        .iter()
        .map(|g| (g.name.text.as_str(), texts(&g.terms)))
        .collect();
    assert_eq!(
        groups,
        [
            ("place", ("background", vec!["on a lawn", "in a forest"])),
            ("time", ("background", vec!["under the stars"]))
        ]
    );
    assert_eq!(
        texts(&rules.look_alike[0]),
        ("style", vec!["sketch", "comic"])
    );
    assert_eq!(rules.letters[0].edits, (2, 3));
    assert_eq!(parse(""), (Rules::default(), vec![]));
}

#[test]
fn invalid_rules_are_located_and_others_kept() {
    for (text, line, field) in [
        ("[[not-with]]\na = [\"x\"]\n", 1, "not-with"),
        (
            "[[not-with]]\na = [\"x\"]\nb = [\"x\"]\nc = [\"y\"]\n",
            1,
            "not-with",
        ),
        ("[[not-with]]\na = [\"x\"]\nb = \"y\"\n", 3, "not-with.b"),
        (
            "[[not-with]]\na = [\"x\", 3]\nb = [\"y\"]\n",
            2,
            "not-with.a",
        ),
        (
            "[[not-with]]\na = [\"x\", \"x\"]\nb = [\"y\"]\n",
            2,
            "not-with.a",
        ),
        ("[[not-with]]\na = []\nb = [\"y\"]\n", 2, "not-with.a"),
        (
            "[[not-with]]\na = [\"x\\u0007\"]\nb = [\"y\"]\n",
            2,
            "not-with.a",
        ),
        (
            "[[not-with]]\na = [\"x\"]\nb = [\"y\"]\nwhy = 3\n",
            4,
            "not-with.why",
        ),
        ("not-with = 3\n", 1, "not-with"),
        ("[not-with]\na = [\"x\"]\n", 1, "not-with"),
        ("[[hides]]\nstyle = [\"x\"]\n", 1, "hides"),
        (
            "[[hides]]\nstyle = [\"x\"]\nhides = \"age\"\n",
            3,
            "hides.hides",
        ),
        (
            "[[shows]]\nbackground = [\"x\"]\nshows = [\"age\"]\n",
            3,
            "shows.shows",
        ),
        ("[groups]\nbackground = [\"x\"]\n", 2, "groups.background"),
        (
            "[groups.background]\nplace = [\"x\"]\ntime = [\"x\"]\n",
            3,
            "groups.background",
        ),
        ("[[look-alike]]\nstyle = [\"x\"]\n", 1, "look-alike"),
        ("[letters-apart]\ntext = [3, 2]\n", 2, "letters-apart.text"),
        ("[letters-apart]\ntext = [0, 2]\n", 2, "letters-apart.text"),
        ("[letters-apart]\ntext = 3\n", 2, "letters-apart.text"),
        ("\n[nothing]\n", 2, "nothing"),
    ] {
        let (rules, found) = parse(&format!("{text}\n[[look-alike]]\nstyle = [\"p\", \"q\"]\n"));
        // The rest of the file is used, unless `look-alike` itself is invalid.
        assert_eq!(rules.look_alike.len(), 1, "{text}");
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(
            (found[0].rule, found[0].line, found[0].term.as_str()),
            (Rule::BadRule, line, field),
            "{text}"
        );
        assert_eq!(found[0].file, FILE);
    }
    let (rules, found) = parse("[[hides]\n");
    assert_eq!(
        (rules, found[0].rule, found[0].line),
        (Rules::default(), Rule::Unreadable, 1)
    );
    let many = "[[look-alike]]\nstyle = [\"p\", \"q\"]\n".repeat(RULES + 1);
    let (rules, found) = parse(&many);
    assert_eq!((rules.look_alike.len(), found.len()), (RULES, 1));
    let long = format!(
        "[[look-alike]]\nstyle = [{}]\n",
        (0..=TERMS).map(|n| format!("\"{n}\",")).collect::<String>()
    );
    assert_eq!(parse(&long).1.len(), 1);
}
