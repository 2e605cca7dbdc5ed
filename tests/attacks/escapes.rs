//! Hostile text never reaches a terminal: every command runs on a project whose texts are escape sequences.

use std::path::PathBuf;

use benchtop::cli::Cli;
use benchtop::model::metafile::shipped;
use clap::{Command, CommandFactory};
use serde_json::{Value, json};

use crate::inference::server::{Act, Server};
use crate::support::{Bench, Output, PROGRAM, run, tame};

/// Writes the clipboard (OSC 52), changes colors (C1 CSI), turns the direction, ends the line in Unicode's way, deletes, hides,
/// tags, and begins a line of its own.
pub(super) const P: &str = "\u{1b}]52;c;ZXZpbA==\u{7}\u{9b}31m\u{202e}\u{2066}\u{2028}\u{7f}\u{200b}\u{feff}\u{e0041}\r\nFORGED";
/// The same in one line.
const LINE: &str =
    "\u{1b}]52;c;ZXZpbA==\u{7}\u{9b}31m\u{202e}\u{2066}\u{2028}\u{7f}\u{200b}\u{feff}\u{e0041}";
/// What is left of it on a screen.
const SEEN: &str = "]52;c;ZXZ";
/// What a name in benchtop.toml may hold of it.
const MILD: &str = "\u{202e}\u{2066}\u{2028}\u{200b}\u{feff}\u{e0041}]52;c;ZXZpbA==";

/// The commands that are a protocol between processes: no person sees what they write, and they refuse a terminal.
const PROTOCOLS: [&str; 1] = ["worker"];

/// What a terminal would obey or not show. Written out once more, so that the rule is not held against itself.
fn obeyed(c: char) -> bool {
    matches!(c, '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// How a command prints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum As {
    /// Lines for people.
    Text,
    /// A JSON value a line.
    Json,
    /// CSV, whose cells may hold line ends.
    Csv,
    /// One JSON value in several lines.
    Whole,
}

/// One run: its words, how it prints, and whether what it prints quotes the attack.
pub(super) struct Case(pub &'static str, pub As, pub bool);

/// Every command, for people and for programs. In the words, which blanks part, `{P}` is the attack, `{L}` its one line, `{M}` what a name may hold of it, `{B}` the
/// folder beside the project, `{U}` a server, and `{I}` the id of the first item.
const CASES: &[Case] = &[
    Case("init {B}/new{P}", As::Text, true),
    Case("import {B}/set{L}.jsonl {B}/answers{L}.csv", As::Text, true),
    Case("import {B}/set{L}.jsonl --json", As::Json, true),
    Case("import {B}/bad{L}.jsonl", As::Text, true),
    Case("import {B}/bad{L}.jsonl --keep-going", As::Text, true),
    Case(
        "import {B}/bad{L}.jsonl --keep-going --json",
        As::Json,
        true,
    ),
    Case("import {B}/answers{L}.csv --guess", As::Text, false),
    Case("import {B}/none{P}", As::Text, true),
    Case("sample", As::Text, false),
    Case("sample --json", As::Json, false),
    Case("compose --dry-run", As::Text, false),
    Case("compose --count 40", As::Text, false),
    Case("compose --count 40 --dry-run --json", As::Json, false),
    Case("compose --count 40 --out - --format jsonl", As::Json, false),
    Case("compose --plan {B}/plan{L}.toml", As::Text, true),
    Case("items", As::Text, true),
    Case("items --json", As::Json, true),
    Case("items --filter status:{P}", As::Text, true),
    Case("items --sort {P}", As::Text, true),
    Case("explain {I}", As::Text, true),
    Case("explain {I} --json", As::Json, true),
    Case("explain none{P}", As::Text, true),
    Case(
        "import {B}/set{L}.jsonl --variant x --of none{P}",
        As::Text,
        false,
    ),
    Case("comments add 1 one --mark 0.1,0.1={P}", As::Text, true),
    Case("comments add 1 one{P}", As::Text, false),
    Case("comments add 1 {M}", As::Json, false),
    Case("comments add none{P} one", As::Text, true),
    Case("comments reply 1 {P} one", As::Text, true),
    Case("comments edit 1 {P} one", As::Text, true),
    Case("comments delete none{P} {P}", As::Text, true),
    Case("comments resolve 1 {P}", As::Text, true),
    Case("comments reopen 1 {P}", As::Text, true),
    Case("comments", As::Text, true),
    Case("comments --json", As::Json, true),
    Case("comments --filter comments:open", As::Text, true),
    Case(
        "round new one --protocol both-accept --people tester,ann --calibration 0 --probes 0% --repeats 0% --open --filter number:1,2,3,4",
        As::Text,
        false,
    ),
    Case(
        "round new two --protocol single --people tester --calibration 0 --probes 0% --repeats 0% --open --json",
        As::Json,
        false,
    ),
    Case("decide", As::Json, true),
    Case(
        "round new {P} --protocol single --people {P}",
        As::Text,
        true,
    ),
    Case("round list", As::Text, false),
    Case("round list --json", As::Json, false),
    Case("round next one", As::Text, true),
    Case("round next one --json", As::Json, true),
    Case("decide --as ann", As::Json, true),
    Case("round show one", As::Text, false),
    Case("round show one --json", As::Json, false),
    Case("round show {P}", As::Text, true),
    Case("round disputes one", As::Text, true),
    Case("round disputes one --json", As::Json, true),
    Case("round what-if one single", As::Text, false),
    Case("round what-if one single --json", As::Json, false),
    Case("round report one", As::Text, false),
    Case("round report one --json", As::Json, false),
    Case("agreement --round one", As::Text, false),
    Case("agreement --round one --by subtask", As::Text, true),
    Case("agreement --round one --by subtask --json", As::Json, true),
    Case("agreement --round one --methods", As::Text, false),
    Case("round people one --add dan", As::Text, false),
    Case("round people one --add {P}", As::Text, true),
    Case("round people one --remove dan --json", As::Json, false),
    Case("round delete {P}", As::Text, true),
    Case("round delete one --json", As::Json, false),
    Case("round delete three", As::Text, false),
    Case("round release one", As::Text, false),
    Case("round release one --json", As::Json, false),
    Case("round close one", As::Text, false),
    Case("round close two --json", As::Json, false),
    Case("round reopen one", As::Text, false),
    Case("round reopen two --json", As::Json, false),
    Case("pace", As::Text, false),
    Case("home", As::Text, false),
    Case("home --json", As::Json, false),
    Case("pace --json", As::Json, false),
    Case("verdicts", As::Text, true),
    Case("verdicts --json", As::Json, true),
    Case("verdicts --format csv", As::Csv, true),
    Case("verdicts --format label-studio", As::Whole, true),
    Case("verdicts --labeling-config", As::Text, true),
    Case(
        "verdicts --format csv --out {B}/out{L}.csv",
        As::Text,
        false,
    ),
    Case("verdicts import {B}/out{L}.csv", As::Text, false),
    Case(
        "verdicts import {B}/strange{L}.csv --dry-run",
        As::Text,
        true,
    ),
    Case(
        "verdicts import {B}/strange{L}.csv --dry-run --json",
        As::Json,
        true,
    ),
    Case("verdicts import {B}/bad{L}.jsonl", As::Text, false),
    Case("log", As::Text, true),
    Case("log --json", As::Json, true),
    Case("diff 0", As::Text, true),
    Case("diff 0 --json", As::Json, true),
    Case("diff {P}", As::Text, true),
    Case("replay", As::Text, false),
    Case("replay --json", As::Json, false),
    Case("merge {B}/bad{L}.jsonl", As::Text, true),
    Case("merge {B}/ann.jsonl", As::Text, false),
    Case("merge {B}/ann.jsonl --dry-run --json", As::Json, false),
    Case("undo", As::Json, false),
    Case("redo", As::Json, false),
    Case("bulk accept --filter number:8 --note {P}", As::Text, false),
    Case("bulk accept --filter number:8 --json", As::Json, false),
    Case("bulk {P} --filter number:8", As::Text, true),
    Case(
        "edit {I} --question New{P} --instruction Ask{P} --note {P} --dry-run",
        As::Text,
        true,
    ),
    Case(
        "edit {I} --question New{P} --instruction Ask{P} --note {P} --json",
        As::Json,
        true,
    ),
    Case("edit none{P} --question x", As::Text, true),
    Case("coverage --rows subtask --columns style", As::Text, true),
    Case(
        "coverage --rows subtask --columns style --json",
        As::Json,
        true,
    ),
    Case("coverage --failing 0", As::Text, false),
    Case("coverage --rows {P}", As::Text, true),
    Case("discard animal:owl --dry-run", As::Text, false),
    Case("discard animal:owl{P} --dry-run --json", As::Json, false),
    Case("recompose --dry-run", As::Text, false),
    Case("recompose --dry-run --json", As::Json, false),
    Case("vocab list", As::Text, false),
    Case("vocab list --json", As::Json, false),
    Case("vocab check", As::Text, false),
    Case("vocab check --json", As::Json, true),
    Case("vocab diff", As::Text, true),
    Case("vocab diff --json", As::Json, true),
    Case("vocab diff none{P}", As::Text, true),
    Case("vocab import {B}/none{P}", As::Text, true),
    Case("vocab import {B} --dry-run --json", As::Json, false),
    Case("lint --items", As::Text, true),
    Case("lint --items --json", As::Json, true),
    Case("lint --rules", As::Text, false),
    Case("lint {B}/set{L}.jsonl", As::Text, false),
    Case(
        "lint-table {B}/table{L}.csv --total all{L}=a{L}*1+b{L}*1",
        As::Text,
        true,
    ),
    Case(
        "lint-table {B}/table{L}.csv --total all{L}=a{L}*1+b{L}*1 --format json",
        As::Json,
        true,
    ),
    Case(
        "lint-table {B}/table{L}.csv --total none{P}",
        As::Text,
        true,
    ),
    Case("board", As::Text, true),
    Case("board --format csv", As::Csv, true),
    Case("board --format md", As::Text, true),
    Case("board --format latex", As::Text, true),
    Case("board --format json", As::Json, true),
    Case("board --ranks Acc", As::Text, true),
    Case("board --ranks Acc --format md", As::Text, true),
    Case("board --ranks Acc --format json", As::Json, true),
    Case("board --intervals --column Acc", As::Text, true),
    Case("board --answers m{P} --column Acc", As::Text, true),
    Case(
        "board --answers m{P} --column Acc --format md",
        As::Text,
        true,
    ),
    Case(
        "board --answers m{P} --column Acc --format csv",
        As::Csv,
        true,
    ),
    Case(
        "board --answers m{P} --column Acc --format json",
        As::Json,
        true,
    ),
    Case("board --compare m{P} k{P} --column Acc", As::Text, true),
    Case("board --against first-bracket", As::Text, true),
    Case(
        "board --against first-bracket --format json",
        As::Json,
        true,
    ),
    Case(
        "board {B}/set{L}.jsonl {B}/answers{L}.csv {B}/bad{L}.jsonl",
        As::Text,
        true,
    ),
    Case("board --sort {P}", As::Text, true),
    Case(
        "analyze correlate --with Acc.type.multiple-choice",
        As::Text,
        true,
    ),
    Case(
        "analyze correlate --with Acc.type.multiple-choice --json",
        As::Json,
        true,
    ),
    Case(
        "analyze correlate --table {B}/scores{L}.csv --with score",
        As::Text,
        true,
    ),
    Case("analyze cluster", As::Text, true),
    Case("analyze cluster --json", As::Json, true),
    Case("analyze stability", As::Text, true),
    Case("analyze stability --json", As::Json, true),
    Case("analyze cleaning --kept", As::Text, true),
    Case("analyze cleaning --kept --json", As::Json, true),
    Case("analyze intervals", As::Text, true),
    Case("analyze intervals --json", As::Json, true),
    Case("analyze contamination", As::Text, false),
    Case("analyze contamination --json", As::Json, false),
    Case("analyze alignment --by people", As::Text, false),
    Case("analyze alignment --by people --json", As::Json, false),
    Case("analyze chart --out {B}/chart{L}.svg", As::Text, true),
    Case(
        "analyze chart --out {B}/chart{L}.svg --json",
        As::Text,
        true,
    ),
    Case("analyze published", As::Text, false),
    Case("analyze published --json", As::Json, false),
    Case("analyze published --beside", As::Text, true),
    Case("analyze published {P}", As::Text, true),
    Case("export --format jsonl", As::Json, true),
    Case("export --format jsonl --dry-run --json", As::Json, true),
    Case(
        "scenario corruption --severities {P} --dry-run",
        As::Text,
        true,
    ),
    Case("scenario corruption --dry-run --json", As::Json, false),
    Case(
        "scenario print-attack --color {P} --dry-run",
        As::Text,
        true,
    ),
    Case("scenario print-attack --dry-run --json", As::Json, false),
    Case(
        "scenario adversarial --model {P} --dry-run",
        As::Text,
        false,
    ),
    Case(
        "scenario adversarial --model {P} --dry-run --json",
        As::Json,
        false,
    ),
    Case(
        "scenario sheet --of {P} --out {B}/sheet.png",
        As::Text,
        true,
    ),
    Case(
        "scenario sheet --of {P} --out {B}/sheet.png --json",
        As::Json,
        true,
    ),
    Case("bootstrap --strategies {P} --dry-run", As::Text, true),
    Case(
        "bootstrap --strategies L1 --dry-run --json",
        As::Json,
        false,
    ),
    Case("transcript {I}", As::Text, false),
    Case("transcript {I} --json", As::Json, false),
    Case("errors", As::Text, false),
    Case("errors --filter {P} --json", As::Json, false),
    Case("errors add {I} {P} reasoning", As::Text, true),
    Case("errors remove {I} {P}", As::Text, true),
    Case("errors export --out {B}/errors{L}.jsonl", As::Text, false),
    Case("errors import {B}/bad{L}.jsonl", As::Text, true),
    Case("errors import {B}/bad{L}.jsonl --json", As::Json, true),
    Case("analyze variants --model {P}", As::Text, false),
    Case("analyze variants --changed --json", As::Json, false),
    Case("release", As::Text, false),
    Case("release --json", As::Json, false),
    Case("release {P}", As::Text, true),
    Case(
        "release v1 --filter status:pending,accepted --out {B}/r1{P} --version {P}",
        As::Text,
        false,
    ),
    Case(
        "release v1 --filter status:pending,accepted --dry-run --json",
        As::Json,
        false,
    ),
    Case("release diff none{P} none", As::Text, true),
    Case("release diff {B}/r1 none --json", As::Json, false),
    Case("release verify {B}/none{P}", As::Text, true),
    Case("release verify {B}/none --json", As::Json, false),
    Case("release datasheet", As::Text, false),
    Case("release datasheet --json", As::Json, false),
    Case("export --format dysca", As::Whole, true),
    Case(
        "export --format vlmevalkit --out {B}/kit{L} --with-predictions",
        As::Text,
        false,
    ),
    Case("extract --rule strict@1", As::Json, true),
    Case(
        "extract --rule strict --compare first-bracket",
        As::Json,
        false,
    ),
    Case("extract --rule {P}", As::Text, true),
    Case(
        "eval --model m{M} --endpoint {U} --blind --tries 1 --sample 2",
        As::Text,
        true,
    ),
    Case(
        "eval --model m{M} --name other{M} --endpoint {U} --blind --tries 1 --sample 2 --json",
        As::Json,
        true,
    ),
    Case("eval similarity --dry-run", As::Text, false),
    Case("eval similarity --dry-run --json", As::Json, false),
    Case(
        "eval judge --judge j{M} --endpoint {U} --tries 1",
        As::Text,
        true,
    ),
    Case(
        "eval judge --judge j{M} --endpoint {U} --tries 1 --json",
        As::Json,
        true,
    ),
    Case(
        "eval judge --grade --judge j{M} --endpoint {U} --tries 1",
        As::Text,
        true,
    ),
    Case(
        "generate --size 64x64 --name job{M} --backend {P}",
        As::Text,
        true,
    ),
    Case("generate --size 64x64 --filter number:1", As::Text, false),
    Case(
        "generate --size 64x64 --filter number:2 --json",
        As::Json,
        false,
    ),
    Case("generate --items {B}/list{L}.txt", As::Text, true),
    Case("jobs", As::Text, true),
    Case("jobs --json", As::Json, true),
    Case("jobs list", As::Text, true),
    Case("jobs list --json", As::Json, true),
    Case("jobs failures 1", As::Text, false),
    Case("jobs failures 1 --json", As::Json, false),
    Case("jobs retry 1", As::Text, false),
    Case("jobs retry 1 --json", As::Json, false),
    Case("jobs watch 1", As::Text, true),
    Case("jobs watch 1 --json", As::Json, true),
    Case("jobs budget 1", As::Text, false),
    Case("jobs budget 1 --json", As::Json, true),
    Case("jobs pause 1", As::Text, false),
    Case("jobs pause 1 --json", As::Json, false),
    Case("jobs first 1", As::Text, false),
    Case("jobs first 1 --json", As::Json, false),
    Case("jobs set 1 --per-minute 1000", As::Text, false),
    Case("jobs set 1 --per-minute 1000 --json", As::Json, false),
    Case("jobs resume 1", As::Text, false),
    Case("jobs resume 1 --json", As::Json, false),
    Case("jobs cancel 1", As::Text, false),
    Case("jobs cancel 1 --json", As::Json, false),
    Case("jobs remove 1", As::Text, false),
    Case("jobs remove 2 --json", As::Json, false),
    Case("jobs watch {P}", As::Text, true),
    Case("filter run leakage", As::Text, false),
    Case("filter run flatness --json", As::Json, false),
    Case("filter run judge/x{P}", As::Text, true),
    Case("filter pause 1", As::Text, false),
    Case("filter pause 1 --json", As::Json, false),
    Case("filter resume 1", As::Text, false),
    Case("filter resume 1 --json", As::Json, false),
    Case("filter cancel 1", As::Text, false),
    Case("filter cancel 1 --json", As::Json, false),
    Case("filter report", As::Text, false),
    Case("filter report --json", As::Json, false),
    Case("filter report leakage", As::Text, true),
    Case("filter report leakage --json", As::Json, true),
    Case("filter rules", As::Text, false),
    Case("filter rules --json", As::Json, false),
    Case("filter rules show", As::Text, false),
    Case("filter rules show --json", As::Json, false),
    Case("filter rules try {B}/rules{L}.toml", As::Text, true),
    Case("filter rules try {B}/rules{L}.toml --json", As::Json, true),
    Case("filter rules apply {B}/rules{L}.toml", As::Text, true),
    Case(
        "filter rules apply {B}/rules{L}.toml --json",
        As::Json,
        true,
    ),
    Case("filter rules revert", As::Text, false),
    Case("filter rules revert --json", As::Json, false),
    Case("filter rules try {B}/bad{L}.jsonl", As::Text, true),
    Case("filter queue", As::Text, false),
    Case("filter queue --json", As::Json, false),
    Case("filter explain 1", As::Text, false),
    Case("filter explain 1 --json", As::Json, false),
    Case("filter explain none{P}", As::Text, true),
    Case("filter compare {B} {B} --model none{P}", As::Text, true),
    Case("filter compare {B} {B} {B} --model none{P}", As::Text, true),
    Case(
        "filter compare {B} {B} --model none{P} --json",
        As::Json,
        true,
    ),
    Case("models", As::Text, false),
    Case("models --json", As::Json, false),
    Case("models list", As::Text, false),
    Case("models list --json", As::Json, false),
    Case("models pull none{P}", As::Text, true),
    Case("models pull none{P} --json", As::Json, true),
    Case("models verify none{P}", As::Text, true),
    Case("models verify none{P} --json", As::Json, true),
    Case("models path none{P}", As::Text, true),
    Case("models path none{P} --json", As::Json, true),
    Case("models use --clip none{P}", As::Text, true),
    Case("models use --clip none{P} --json", As::Json, true),
    Case("models use --model m{P} --dry-run", As::Text, true),
    Case("people", As::Text, false),
    Case("people --json", As::Json, false),
    Case("people list", As::Text, false),
    Case("people list --json", As::Json, false),
    Case("people set --me {P}", As::Text, true),
    Case(
        "people set --group {P} --user {P}=ann --json",
        As::Json,
        true,
    ),
    Case("keys", As::Text, false),
    Case("keys --json", As::Json, false),
    Case("keys check {B}/keys{L}.toml", As::Text, true),
    Case("keys check {B}/keys{L}.toml --json", As::Json, true),
    Case("theme", As::Text, false),
    Case("theme --json", As::Json, false),
    Case("theme {P}", As::Text, true),
    Case("theme {P} --json", As::Json, true),
    Case("show {B}/none{P}.png", As::Text, true),
    Case("show {B}/set{L}.jsonl", As::Text, true),
    Case("verify", As::Text, false),
    Case("verify --json", As::Json, false),
    Case("recover", As::Text, false),
    Case("recover --json", As::Json, false),
    Case("recover {P}", As::Text, true),
    Case("trust", As::Text, false),
    Case("trust --json", As::Json, false),
    Case("trust list", As::Text, false),
    Case("trust list --json", As::Json, false),
    Case("trust add {P}", As::Text, true),
    Case(
        "trust add http://a.example --key-env {P} --json",
        As::Json,
        false,
    ),
    Case("trust remove {P}", As::Text, true),
    Case("trust remove http://a.example --json", As::Json, false),
    Case("trust link {B}/none{P}", As::Text, true),
    Case("trust link {B}/none{P} --json", As::Json, true),
    Case("trust unlink {B}/none{P}", As::Text, true),
    Case("trust unlink {B}/none{P} --json", As::Json, true),
    Case("doctor", As::Text, false),
    Case("doctor --json", As::Json, false),
    Case("status", As::Text, false),
    Case("status --json", As::Json, false),
    Case("owner", As::Json, false),
    Case("items --no-such{P}", As::Text, true),
    Case("{P}", As::Text, true),
    Case("items --as {P}", As::Text, true),
    Case("show {B}/set{L}.jsonl --color {P}", As::Text, true),
    Case("help", As::Text, false),
    Case("stop", As::Text, false),
];

/// The words of a case that are arguments.
fn words(case: &str, fill: &[(&str, &str)]) -> Vec<String> {
    let filled = |word: &str| {
        fill.iter().fold(word.to_string(), |word, (name, text)| {
            word.replace(name, text)
        })
    };
    case.split(' ').map(filled).collect()
}

/// The command that the words begin with, as words with blanks between.
fn command(words: &str, mut at: &Command) -> String {
    let mut path = Vec::new();
    for word in words.split(' ') {
        let Some(next) = at.find_subcommand(word) else {
            break;
        };
        path.push(next.get_name());
        at = next;
    }
    path.join(" ")
}

/// The commands that can be run, with the words that make them print JSON where they have such.
fn runnable(at: &Command, path: &str, found: &mut Vec<(String, Option<&'static str>)>) {
    for next in at
        .get_subcommands()
        .filter(|next| next.get_name() != "help")
    {
        let path = format!("{path} {}", next.get_name()).trim().to_string();
        if !next.is_subcommand_required_set() && !PROTOCOLS.contains(&path.as_str()) {
            let takes = |name: &str| next.get_arguments().find(|arg| arg.get_id() == name);
            let format = takes("format").filter(|arg| {
                arg.get_possible_values()
                    .iter()
                    .any(|v| v.get_name() == "json")
            });
            found.push((
                path.clone(),
                takes("json")
                    .map(|_| "--json")
                    .or(format.map(|_| "--format json")),
            ));
        }
        runnable(next, &path, found);
    }
}

#[test]
fn every_command_is_attacked() {
    let mut all = Cli::command();
    all.build();
    let mut found = Vec::new();
    runnable(&all, "", &mut found);
    assert!(found.len() > 60, "{found:?}");
    for (path, json) in found {
        let of: Vec<&Case> = CASES
            .iter()
            .filter(|case| command(case.0, &all) == path)
            .collect();
        assert!(!of.is_empty(), "no case runs `{path}`");
        let Some(json) = json else { continue };
        assert!(
            of.iter().any(|case| case.0.contains(json)),
            "no case runs `{path}` with {json}"
        );
    }
}

/// A project all of whose texts are the attack, and files beside it.
fn attacked() -> Bench {
    let dir = tempfile::tempdir().unwrap().keep();
    let bench = Bench::init(dir.join(format!("project{LINE}")));
    let name = |name: &str, ending: &str| format!("{name}{LINE}.{ending}");
    let item = |n: usize| {
        let t = |text: &str| format!("{text}{P}");
        let choice = |text: &str, right: bool| json!({"text": t(text), "role": if right { "correct" } else { "distractor" }});
        // Ids, methods, and versions with control characters are refused; texts and parameters are not.
        let derivation = (n == 0).then(|| {
            json!({
                "method": format!("noise{MILD}"), "source": {"id": "set/1", "digest": "00000000"}, "edit": t("edit"), "context": t("words"),
                "parameters": {t("name"): t("value")}, "ruling": {"judge": "judge", "pass": true, "reason": t("why")},
            })
        });
        json!({
            "derivation": derivation,
            "id": format!("{}/{}", t("set"), t(&n.to_string())), "dataset": t("set"), "key": t(&n.to_string()), "form": "plain",
            "question": t(&format!("What is {n}?")), "kind": "multiple-choice", "answer": t(if n.is_multiple_of(2) { "dog" } else { "cat" }),
            "options": [choice("cat", !n.is_multiple_of(2)), choice("dog", n.is_multiple_of(2))],
            "prompt": t("a picture of a cat"), "instruction": t("Say it."), "task": t("task"), "subtask": t("sub"), "style": t("style"),
            "granularity": t("fine"), "level": t("level"), "extra": {t("k"): t("v")},
        })
        .to_string()
            + "\n"
    };
    bench.write(&name("set", "jsonl"), (0..8).map(item).collect::<String>());
    let cell = |text: String| format!("\"{}\"", text.replace('"', "\"\""));
    let row = |(n, model): (usize, &str)| {
        let said = if (n + model.len()).is_multiple_of(3) {
            "B"
        } else {
            "A"
        };
        [n.to_string(), model.to_string(), said.to_string()]
            .map(|t| cell(t + P))
            .join(",")
            + "\n"
    };
    let rows = (0..8)
        .flat_map(|n| [(n, "m"), (n, "k"), (n, "third")])
        .map(row)
        .collect::<String>();
    bench.write(
        &name("answers", "csv"),
        "index,model,prediction\n".to_string() + &rows,
    );
    bench.write(
        &name("bad", "jsonl"),
        item(9) + &format!("{{\"id\":\"{LINE}\",\"kind\":\"{MILD}\"}}\n{{\"kind{MILD}\":\n"),
    );
    bench.write(
        &name("plan", "toml"),
        format!("[\"{MILD}\"]\nx = 1\n[[questions]]\nsubtask = \"{MILD}\"\n"),
    );
    bench.write(
        &name("table", "csv"),
        format!("model,a{LINE},b{LINE},all{LINE}\nx{LINE},1,2,9\n"),
    );
    let quote = |model: &str| cell(format!("{model}{P}"));
    bench.write(
        &name("scores", "csv"),
        format!(
            "model,score\n{},1\n{},2\n{},3\n",
            quote("m"),
            quote("k"),
            quote("third")
        ),
    );
    bench.write(&name("list", "txt"), format!("none{LINE}\n"));
    bench.write(
        &name("rules", "toml"),
        format!("[[rules]]\nname='rule{MILD}'\nthen='flag'\nall=[{{score='leakage',above=0.1}}]\n"),
    );
    bench.write(
        &name("keys", "toml"),
        format!("[keys]\n\"quit{MILD}\" = [\"x{MILD}\"]\n"),
    );
    let strange = format!(
        "item,who,verdict,note\n\"none{LINE}\",ann,accept,\n\"x\",\"who{LINE}\",\"what{LINE}\",\n"
    );
    bench.write(&name("strange", "csv"), strange);
    for file in shipped() {
        let more = if file.name.ends_with("animal.txt") {
            format!("owl{LINE}\nowl{MILD}\nowl{MILD}\n")
        } else {
            String::new()
        };
        let path = bench.root().join("metadata").join(&file.name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.text + &more).unwrap();
    }
    let path = bench.root().join("benchtop.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let declared = "[review]\n";
    assert!(text.contains(declared), "{text}");
    let reasons =
        format!("{declared}reasons = [{{ key = \"wrong-answer\", label = \"Wrong {MILD}\" }}]\n");
    let (before, after) = text.split_once(declared).unwrap();
    let after = after.find("\n[").map_or("", |at| &after[at..]);
    std::fs::write(path, format!("{before}{reasons}{after}")).unwrap();
    bench
}

/// Verdicts on the first items with the attack in their notes, outside of rounds and in one.
fn verdicts(verdict: &str) -> String {
    let line = |n: usize, round: Option<&str>| {
        let mut line =
            json!({"item": n, "verdict": verdict, "note": format!("note {n}{P}"), "round": round});
        if verdict == "reject" {
            line["reasons"] = json!(["wrong-answer"]);
        }
        if round.is_none() {
            line.as_object_mut().unwrap().remove("round");
        }
        line.to_string() + "\n"
    };
    let refused = json!({"item": format!("none{P}"), "verdict": "accept"}).to_string() + "\n";
    (1..4)
        .map(|n| line(n, None))
        .chain((1..4).map(|n| line(n, Some("one"))))
        .collect::<String>()
        + &refused
}

/// What is wrong with what a run wrote.
pub(super) fn wrong(case: &Case, output: &Output) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, text) in [("output", &output.out), ("error", &output.err)] {
        if let Some(c) = text.replace("\r\n", "\n").chars().find(|c| obeyed(*c)) {
            wrong.push(format!("{c:?} on standard {name}"));
        }
        let cells = case.1 == As::Csv && name == "output";
        if !cells
            && text
                .lines()
                .any(|line| line.trim_start().starts_with("FORGED"))
        {
            wrong.push(format!("a forged line on standard {name}"));
        }
    }
    let parsed =
        |text: &str| serde_json::from_str::<Value>(text).map_err(|e| format!("{e}: {text}"));
    match case.1 {
        As::Json => wrong.extend(output.out.lines().filter_map(|line| parsed(line).err())),
        As::Whole => wrong.extend(parsed(&output.out).err()),
        As::Text | As::Csv => {}
    }
    if case.2 && !(output.out.clone() + &output.err).contains(SEEN) {
        wrong.push("it quotes nothing".into());
    }
    if output.code > 2 || output.code < 0 || output.err.contains("panicked") {
        wrong.push(format!("exit code {}", output.code));
    }
    wrong
}

#[test]
fn no_command_lets_an_escape_sequence_through() {
    let server = Server::new(|_| {
        Act::Status(
            400,
            vec![],
            json!({"error": {"message": format!("no {P}")}}).to_string(),
        )
    });
    let bench = attacked();
    let (beside, url) = (
        bench
            .beside("")
            .to_str()
            .unwrap()
            .trim_end_matches('/')
            .to_string(),
        server.url(),
    );
    let id = format!("set{P}/0{P}");
    let fill = [
        ("{P}", P),
        ("{L}", LINE),
        ("{M}", MILD),
        ("{B}", beside.as_str()),
        ("{U}", url.as_str()),
        ("{I}", id.as_str()),
    ];
    let mut failed = Vec::new();
    for case in CASES {
        // The project is named first: what is attacked may be the command.
        let mut command = std::process::Command::new(PROGRAM);
        tame(&mut command);
        command
            .arg("--project")
            .arg(bench.root())
            .args(words(case.0, &fill));
        let input = match case.0 {
            "decide" => verdicts("accept"),
            "decide --as ann" => verdicts("reject"),
            name if name.starts_with("extract") => {
                json!({"instruction": format!("Which?{P}\nA. cat{P}\nB. dog"), "answer": format!("A. cat{P}")})
                    .to_string()
            }
            _ => String::new(),
        };
        let output = run(&mut command, &input);
        if case.0 == "decide --as ann" {
            let _ = std::fs::copy(
                bench.root().join("sessions/ann.jsonl"),
                bench.beside("ann.jsonl"),
            );
        }
        let wrong = wrong(case, &output);
        if !wrong.is_empty() {
            failed.push(format!(
                "{}\n  {}\n  {output:?}",
                case.0,
                wrong.join("\n  ")
            ));
        }
        whole(case, &output, &mut failed);
    }
    files(&bench, &mut failed);
    assert!(
        failed.is_empty(),
        "{} of {} runs:\n{}",
        failed.len(),
        CASES.len(),
        failed.join("\n")
    );
    let _ = std::fs::remove_dir_all(bench.beside(""));
}

/// What JSON holds is what came in.
fn whole(case: &Case, output: &Output, failed: &mut Vec<String>) {
    let lines: Vec<Value> = output
        .out
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let of = |field: &str, text: String| lines.iter().any(|line| line[field] == text);
    let is_there = match case.0 {
        "items --json" | "export --format jsonl" => {
            of("id", format!("set{P}/7{P}"))
                && of("question", format!("What is 7?{P}"))
                && of("subtask", format!("sub{P}"))
        }
        "verdicts --json" | "log --json" => {
            of("note", format!("note 1{P}")) && of("item", format!("set{P}/0{P}"))
        }
        "board --format json" => {
            of("model", format!("m{P}")) && of("column", format!("Acc.sub{P}"))
        }
        "diff 0 --json" => of("item", format!("set{P}/0{P}")),
        _ => true,
    };
    if !is_there {
        failed.push(format!("{}: not what came in:\n{}", case.0, output.out));
    }
}

/// The log, a chart, and a table that is read again.
fn files(bench: &Bench, failed: &mut Vec<String>) {
    let read =
        |path: PathBuf| std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{e}: {path:?}"));
    let log = read(bench.project().runtime().join("log"));
    let chart = read(bench.beside(&format!("chart{LINE}.svg")));
    for (name, text) in [("the log", log), ("the chart", chart)] {
        if let Some(c) = text.chars().find(|c| obeyed(*c)) {
            failed.push(format!("{c:?} in {name}:\n{text}"));
        }
    }
    let table = read(bench.beside(&format!("out{LINE}.csv")));
    if !table.contains(&format!("note 1{P}")) {
        failed.push(format!("a file of verdicts has lost something:\n{table}"));
    }
}
