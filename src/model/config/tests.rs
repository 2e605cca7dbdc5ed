use super::generate::{Backend, Device, Endpoint};
use super::*;
use crate::ErrorKind;

fn wrong(text: &str) -> Error {
    let problem = Config::parse(text, Path::new("benchtop.toml")).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Input);
    assert_eq!(
        problem.place.file.as_deref(),
        Some(Path::new("benchtop.toml"))
    );
    problem
}

fn place(problem: &Error) -> (Option<u64>, Option<&str>) {
    (problem.place.line, problem.place.field.as_deref())
}

#[test]
fn shipped_file_equals_defaults() {
    let shipped = Config::parse(
        include_str!("../../../benchtop.toml"),
        Path::new("benchtop.toml"),
    )
    .unwrap();
    let short = Config::parse("name = \"benchtop\"", Path::new("benchtop.toml")).unwrap();
    assert_eq!(shipped, short);
    assert_eq!(shipped.review.reasons.len(), 7);
    assert_eq!(shipped.owner.idle(), Some(Duration::from_secs(600)));
}

#[test]
fn zero_idle_minutes_means_never() {
    let config = Config::parse("name = \"x\"\n[owner]\nidle_minutes = 0", Path::new("f")).unwrap();
    assert_eq!(config.owner.idle(), None);
}

#[test]
fn unknown_field_lists_known_fields() {
    let problem = wrong("name = \"x\"\n\n[look]\nthem = \"dark\"\n");
    assert_eq!(place(&problem), (Some(4), Some("look.them")), "{problem}");
    assert!(problem.help.unwrap().contains("theme"));
}

#[test]
fn wrong_type_has_line_and_field() {
    let problem = wrong("name = \"x\"\n[owner]\n# soon\nidle_minutes = \"ten\"\n");
    assert_eq!(
        place(&problem),
        (Some(4), Some("owner.idle_minutes")),
        "{problem}"
    );
    let problem = wrong("name = \"x\"\n[owner]\nidle_minutes = -1\n");
    assert_eq!(
        place(&problem),
        (Some(3), Some("owner.idle_minutes")),
        "{problem}"
    );
}

#[test]
fn invalid_reasons_are_located() {
    let problem = wrong(
        "name = \"x\"\n[review]\nreasons = [\n  { key = \"ok\", label = \"ok\" },\n  { key = \"Not ok\", label = \"no\" },\n]\n",
    );
    assert_eq!(
        place(&problem),
        (Some(5), Some("review.reasons.key")),
        "{problem}"
    );
    let problem = wrong(
        "name = \"x\"\n[review]\nreasons = [{ key = \"a\", label = \"a\" }, { key = \"a\", label = \"b\" }]\n",
    );
    assert_eq!(
        place(&problem),
        (Some(3), Some("review.reasons")),
        "{problem}"
    );
}

#[test]
fn a_table_that_stands_twice_is_named() {
    let text = "name = \"kites\"\n[judge]\nmodel = \"a\"\n[filter]\n[judge]\nmodel = \"b\"\n";
    assert_eq!(place(&wrong(text)), (Some(5), Some("judge")));
}

#[test]
fn missing_field_is_named() {
    let problem = wrong("[look]\ntheme = \"dark\"\n");
    assert_eq!(problem.place.field.as_deref(), Some("name"), "{problem}");
    let problem = wrong("name = \"x\"\n[review]\nreasons = [{ key = \"a\" }]\n");
    assert_eq!(problem.place.line, Some(3));
    assert_eq!(
        problem.place.field.as_deref(),
        Some("review.reasons.label"),
        "{problem}"
    );
    assert!(problem.help.is_some());
}

#[test]
fn protocol_votes_are_checked() {
    let protocol = |value: &str| {
        let text = format!("name = \"x\"\n\n[review]\nprotocol = {value}\n");
        Config::parse(&text, Path::new("benchtop.toml")).map(|c| c.review.protocol)
    };
    assert_eq!(protocol("\"single\""), Ok(Protocol::Single));
    assert_eq!(protocol("\"both-accept\""), Ok(Protocol::BothAccept));
    let majority = protocol("{ majority = { k = 3, n = 5 } }").unwrap();
    assert_eq!(majority.to_string(), "majority 3 of 5");
    for (value, field, what) in [
        (
            "{ majority = { k = 6, n = 5 } }",
            "review.protocol",
            "k from 1 to 5",
        ),
        (
            "{ majority = { k = 0, n = 5 } }",
            "review.protocol",
            "k from 1 to 5",
        ),
        (
            "{ majority = { k = 1, n = 33 } }",
            "review.protocol",
            "1 to 32 people",
        ),
        (
            "{ majority = { k = 1, n = 0 } }",
            "review.protocol",
            "1 to 32 people",
        ),
        (
            "{ majority = { k = 1 } }",
            "review.protocol.majority.n",
            "missing",
        ),
        (
            "{ majority = { k = 1, n = 2, of = 3 } }",
            "review.protocol.majority.of",
            "unknown",
        ),
    ] {
        let problem = protocol(value).unwrap_err();
        assert_eq!(place(&problem), (Some(4), Some(field)), "{problem}");
        let text = format!(
            "{} {}",
            problem.what,
            problem.help.as_deref().unwrap_or_default()
        );
        assert!(text.contains(what), "{text}");
    }
}

#[test]
fn empty_name_unknown_protocol_and_invalid_toml_fail() {
    assert_eq!(
        place(&wrong("# hm\nname = \" \"\n")),
        (Some(2), Some("name"))
    );
    let problem = wrong("name = \"x\"\n[review]\nprotocol = \"duel\"\n");
    assert_eq!(
        place(&problem),
        (Some(3), Some("review.protocol")),
        "{problem}"
    );
    assert!(problem.help.unwrap().contains("single"));
    assert_eq!(
        wrong("name = \"x\"\nthis is not toml\n").place.line,
        Some(2)
    );
}

#[test]
fn default_backend_is_storyboard() {
    let config = Config::parse("name = \"x\"", Path::new("f")).unwrap();
    assert_eq!(config.generate, Generate::default());
    assert_eq!(config.generate.backend, Backend::Storyboard);
}

#[test]
fn device_names_round_trip() {
    for device in [
        Device::Auto,
        Device::Cpu,
        Device::CpuWorker,
        Device::Cuda(0),
        Device::Cuda(7),
    ] {
        let text = format!(
            "name = \"x\"\n[generate]\ndevice = \"{}\"\ntogether = 4\n",
            device.name()
        );
        let generate = Config::parse(&text, Path::new("f")).unwrap().generate;
        assert_eq!((generate.device, generate.together), (device, 4));
        assert_eq!(
            toml::from_str::<Generate>(&toml::to_string(&generate).unwrap()).unwrap(),
            generate
        );
    }
    for name in ["", "cuda", "cuda:", "cuda:+1", "cuda:99999", "CPU"] {
        assert_eq!(Device::from_name(name), None, "{name}");
    }
}

#[test]
fn endpoints_inherit_model_and_defaults() {
    let text = "name = \"x\"\n[generate]\nbackend = \"http\"\nmodel = \"sdxl\"\nendpoints = [\n\
        { url = \"http://127.0.0.1:8000/v1/\" },\n\
        { url = \"https://images.example.org/v1\", model = \"flux\", key_env = \"IMAGES_KEY\", concurrency = 8, timeout_s = 30,\n\
        fields = { steps = \"steps\", guidance = \"\" } },\n]\n";
    let generate = Config::parse(text, Path::new("f")).unwrap().generate;
    assert_eq!(generate.backend, Backend::Http);
    let [first, second] = generate.endpoints.as_slice() else {
        panic!("{generate:?}")
    };
    assert_eq!(
        *first,
        Endpoint {
            url: "http://127.0.0.1:8000/v1".into(),
            ..Endpoint::default()
        }
    );
    assert_eq!(
        (
            first.concurrency,
            first.timeout_s,
            first.fields.steps.as_str()
        ),
        (4, 120, "num_inference_steps")
    );
    assert_eq!(
        (second.concurrency, second.key_env.as_deref()),
        (8, Some("IMAGES_KEY"))
    );
    assert_eq!(
        (
            second.fields.steps.as_str(),
            second.fields.guidance.as_str()
        ),
        ("steps", "")
    );
    assert_eq!(
        (generate.model_of(first), generate.model_of(second)),
        ("sdxl", "flux")
    );
    let again = toml::to_string(&generate).unwrap();
    assert_eq!(toml::from_str::<Generate>(&again).unwrap(), generate);
}

#[test]
fn invalid_generate_is_located() {
    let wrong_in = |lines: &str| wrong(&format!("name = \"x\"\n\n[generate]\n{lines}\n"));
    let problem = wrong_in("backend = \"comfy\"");
    assert_eq!(
        place(&problem),
        (Some(4), Some("generate.backend")),
        "{problem}"
    );
    assert!(problem.help.unwrap().contains("storyboard"));
    for (lines, line, field, what) in [
        ("backend = \"http\"", 3, "generate", "endpoints"),
        (
            "backend = \"http\"\nendpoints = [{ url = \"http://h\" }]",
            3,
            "generate",
            "model",
        ),
        ("backend = \"candle\"", 3, "generate", "model"),
        ("device = \"gpu\"", 4, "generate.device", "cuda:0"),
        ("device = \"cuda:-1\"", 4, "generate.device", "cuda:0"),
        ("together = 0", 4, "generate.together", "1 to 64"),
        ("tries = 0", 4, "generate.tries", "1 to 20"),
        (
            "endpoints = [\n  { url = \"ftp://host\" },\n]",
            5,
            "generate.endpoints.url",
            "http://",
        ),
        (
            "endpoints = [{ url = \"http://me:secret@host\" }]",
            4,
            "generate.endpoints.url",
            "key_env",
        ),
        (
            "endpoints = [{ url = \"http://host/v1?key=1\" }]",
            4,
            "generate.endpoints.url",
            "?",
        ),
        (
            "endpoints = [{ url = \"http://host\", key_env = \"sk-abc\" }]",
            4,
            "generate.endpoints.key_env",
            "environment",
        ),
        (
            "endpoints = [{ url = \"http://host\", concurrency = 0 }]",
            4,
            "generate.endpoints.concurrency",
            "1 to 256",
        ),
        (
            "endpoints = [{ url = \"http://host\", timeout_s = 90000 }]",
            4,
            "generate.endpoints.timeout_s",
            "1 to 86400",
        ),
        (
            "endpoints = [{ url = \"http://host\", retries = 3 }]",
            4,
            "generate.endpoints.retries",
            "unknown",
        ),
    ] {
        let problem = wrong_in(lines);
        assert_eq!(place(&problem), (Some(line), Some(field)), "{problem}");
        let text = format!(
            "{} {}",
            problem.what,
            problem.help.as_deref().unwrap_or_default()
        );
        assert!(text.contains(what), "{text}");
        // A key that was written into the file by mistake is not repeated.
        assert!(
            !text.contains("secret") && !text.contains("sk-abc"),
            "{text}"
        );
    }
}

#[test]
fn judge_endpoints_prices_and_fields_parse() {
    assert!(
        !Config::parse("name = \"x\"", Path::new("f"))
            .unwrap()
            .judge
            .is_configured()
    );
    let text = "name = \"x\"\n[judge]\nmodel = \"qwen\"\nprice_in = 2\nprice_out = 0.15\nendpoints = [\n\
        { url = \"http://127.0.0.1:8000/v1/\" },\n\
        { url = \"https://judge.example.org/v1\", model = \"o9\", key_env = \"KEY\",\n\
        fields = { max_tokens = \"max_completion_tokens\", temperature = \"\" } },\n]\n";
    let judge = Config::parse(text, Path::new("f")).unwrap().judge;
    let [first, second] = judge.endpoints.as_slice() else {
        panic!("{judge:?}")
    };
    assert_eq!(
        (first.url.as_str(), first.fields.max_tokens.as_str()),
        ("http://127.0.0.1:8000/v1", "max_tokens")
    );
    let model = judge.model.as_deref();
    assert_eq!(
        (first.model_or(model), second.model_or(model)),
        ("qwen", "o9")
    );
    assert_eq!(
        (
            second.fields.max_tokens.as_str(),
            second.fields.temperature.as_str()
        ),
        ("max_completion_tokens", "")
    );
    assert_eq!((judge.price_in.0, judge.price_out.0), (2_000_000, 150_000));
    assert_eq!((judge.tries, judge.max_tokens, judge.seed), (4, 512, 0));
    let again = toml::to_string(&judge).unwrap();
    assert_eq!(toml::from_str::<Judge>(&again).unwrap(), judge);
}

#[test]
fn invalid_judge_is_located() {
    for (lines, line, field, what) in [
        ("endpoints = [{ url = \"http://h\" }]", 3, "judge", "model"),
        ("price_in = -1", 4, "judge.price_in", "-1"),
        ("price_out = nan", 4, "judge.price_out", "NaN"),
        ("price_out = \"dear\"", 4, "judge.price_out", "string"),
        ("max_tokens = 0", 4, "judge.max_tokens", "1 to 1048576"),
        ("seed = -1", 4, "judge.seed", "-1"),
        ("backend = \"http\"", 4, "judge.backend", "unknown"),
        (
            "endpoints = [{ url = \"http://h\", model = \"m\", fields = { steps = \"s\" } }]",
            4,
            "judge.endpoints.fields.steps",
            "unknown",
        ),
    ] {
        let problem = wrong(&format!("name = \"x\"\n\n[judge]\n{lines}\n"));
        assert_eq!(place(&problem), (Some(line), Some(field)), "{problem}");
        let text = format!(
            "{} {}",
            problem.what,
            problem.help.as_deref().unwrap_or_default()
        );
        assert!(text.contains(what), "{text}");
    }
}

#[test]
fn keys_of_reasons_and_tags_have_levels() {
    let file = Path::new("benchtop.toml");
    let text = "name = \"b\"\n[review]\nreasons = [\n  { key = \"anatomy\", label = \"Anatomy\" },\n  \
                { key = \"anatomy/hands\", label = \"Hands\" },\n]\ntags = [{ key = \"light/night\", label = \"Night\" }]\n";
    let review = Config::parse(text, file).unwrap().review;
    let keys = |list: &[Reason]| list.iter().map(|r| r.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&review.reasons), ["anatomy", "anatomy/hands"]);
    assert_eq!(keys(&review.tags), ["light/night"]);
    assert!(
        Config::parse("name = \"b\"\n", file)
            .unwrap()
            .review
            .tags
            .is_empty()
    );
    for key in [
        "",
        "/hands",
        "anatomy/",
        "anatomy//hands",
        "Anatomy/hands",
        "a/b/c/d/e/f",
    ] {
        let text = text.replace("anatomy/hands", key);
        let problem = Config::parse(&text, file).unwrap_err();
        assert_eq!(
            problem.place.field.as_deref(),
            Some("review.reasons.key"),
            "{key}"
        );
        assert_eq!(problem.place.line, Some(5));
    }
    let twice = text.replace("light/night", "x").replace(
        "]\ntags = [",
        ", { key = \"anatomy\", label = \"A\" }]\ntags = [",
    );
    assert!(Config::parse(&twice, file).is_err());
}

#[test]
fn consensus_is_a_list_or_the_best_models_of_a_column() {
    #[derive(serde::Deserialize)]
    struct Filters {
        filter: FilterModels,
    }
    let of = |value: &str| {
        let text = format!("[filter]\nconsensus = {value}\n");
        let file: Filters = toml::from_str(&text)?;
        Ok::<_, toml::de::Error>(file.filter.consensus)
    };
    let top = |n, column: &str| {
        let column = column.into();
        Consensus::Top { n, column }
    };
    assert_eq!(of("[]").unwrap(), Consensus::default());
    let names = Consensus::Models(vec!["a".into(), "b".into()]);
    assert_eq!(of("[\"a\", \"b\"]").unwrap(), names);
    assert_eq!(
        of("\"top 6 of Final.clean\"").unwrap(),
        top(6, "Final.clean")
    );
    assert_eq!(of("\" top  2 of  Acc.a b \"").unwrap(), top(2, "Acc.a b"));
    for wrong in [
        "\"\"",
        "\"top 0 of Acc\"",
        "\"top x of Acc\"",
        "\"top 1 of \"",
        "\"a\"",
        "3",
        "[1]",
    ] {
        assert!(of(wrong).is_err(), "{wrong}");
    }
    for kept in [names, top(6, "Final.clean")] {
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<Consensus>(&text).unwrap(), kept);
    }
}
