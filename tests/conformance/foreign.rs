//! Importers of other tools' formats, on small files that the tests write.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{ErrorKind, Refusal};

use base64::Engine;
use benchtop::formats::{self, Format};
use benchtop::model::mapping::Mapping;
use benchtop::model::{Item, Key, Prediction, QuestionKind, Role};
use benchtop::pipeline::board::{from_paths, from_paths_by};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::json;
use zip::write::SimpleFileOptions;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn format(path: &Path) -> &'static Format {
    formats::detect_files(path).unwrap().files.remove(0).format
}

fn refused(path: &Path) -> Refusal {
    Refusal::of_error(&formats::detect_files(path).unwrap_err())
}

/// Asserts that `path` is refused as input, with its name.
fn assert_refused(path: &Path) {
    let refused = refused(path);
    assert_eq!(
        (refused.kind, refused.file.as_str()),
        (Some(ErrorKind::Input), path.to_str().unwrap()),
        "{refused}"
    );
}

fn items(path: &Path) -> Vec<Result<Item, String>> {
    formats::items(path, format(path), "d")
        .unwrap()
        .map(|(_, i)| i.map_err(|p| p.to_string()))
        .collect()
}

fn predictions(path: &Path) -> (Vec<Prediction>, Vec<String>) {
    let mut reader = formats::predictions(path, format(path)).unwrap();
    let rows = reader.by_ref().map(|(_, row)| row.unwrap()).collect();
    (rows, reader.notes())
}

fn png() -> String {
    base64::engine::general_purpose::STANDARD.encode([&b"\x89PNG\r\n\x1a\n"[..], &[0; 80]].concat())
}

/// A spreadsheet of these rows, the way its writers make the smallest one.
fn xlsx(rows: &[&[&str]], filler: usize) -> Vec<u8> {
    let mut sheet = String::from(
        "<?xml version=\"1.0\"?><worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>",
    );
    for (at, row) in rows.iter().enumerate() {
        sheet.push_str(&format!("<row r=\"{}\">", at + 1));
        for (column, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            let place = format!("{}{}", char::from(b'A' + column as u8), at + 1);
            match cell.parse::<i64>() {
                Ok(n) => sheet.push_str(&format!("<c r=\"{place}\"><v>{n}</v></c>")),
                Err(_) => sheet.push_str(&format!(
                    "<c r=\"{place}\" t=\"inlineStr\"><is><t>{cell}</t></is></c>"
                )),
            }
        }
        sheet.push_str("</row>");
    }
    sheet.push_str("</sheetData></worksheet>");
    let namespace = "http://schemas.openxmlformats.org";
    let relation = |kind: &str, target: &str| {
        format!(
            "<?xml version=\"1.0\"?><Relationships xmlns=\"{namespace}/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"{namespace}/officeDocument/2006/relationships/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    let book = format!(
        "<?xml version=\"1.0\"?><workbook xmlns=\"{namespace}/spreadsheetml/2006/main\" xmlns:r=\"{namespace}/officeDocument/2006/relationships\"><sheets><sheet name=\"Sheet1\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let types = format!(
        "<?xml version=\"1.0\"?><Types xmlns=\"{namespace}/package/2006/content-types\"><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>"
    );
    let mut members = vec![
        ("[Content_Types].xml", types.into_bytes()),
        (
            "_rels/.rels",
            relation("officeDocument", "xl/workbook.xml").into_bytes(),
        ),
        ("xl/workbook.xml", book.into_bytes()),
        (
            "xl/_rels/workbook.xml.rels",
            relation("worksheet", "worksheets/sheet1.xml").into_bytes(),
        ),
        ("xl/worksheets/sheet1.xml", sheet.into_bytes()),
    ];
    if filler > 0 {
        members.push(("xl/media/filler", vec![b' '; filler]));
    }
    let members: Vec<(&str, &[u8])> = members
        .iter()
        .map(|(name, bytes)| (*name, &bytes[..]))
        .collect();
    zipped(&members, zip::CompressionMethod::Deflated)
}

fn zipped(members: &[(&str, &[u8])], method: zip::CompressionMethod) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        out.start_file(
            *name,
            SimpleFileOptions::default().compression_method(method),
        )
        .unwrap();
        out.write_all(bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

const HEADER: &str = r#"{"eval": {"task": "t", "model": "p/m", "created": "2026-01-02T03:04:05+00:00", "dataset": {"name": "set"}}}"#;

fn sample(id: u64, epoch: u64, output: Option<&str>) -> Vec<u8> {
    let mut sample = json!({"id": id, "epoch": epoch, "choices": ["x", "y"], "target": "B",
        "input": [{"role": "user", "content": [
            {"type": "image", "image": "attachment://p"}, {"type": "text", "text": "attachment://q"}]}],
        "attachments": {"p": format!("data:image/png;base64,{}", png()), "q": "Which one?"}});
    match output {
        Some(text) => {
            sample["output"] =
                json!({"choices": [{"message": {"content": [{"type": "text", "text": text}]}}]});
            sample["scores"] = json!({"choice": {"value": "C", "answer": "B"}});
        }
        None => sample["error"] = json!({"message": "rate limit"}),
    }
    sample.to_string().into_bytes()
}

#[test]
fn a_vlmevalkit_table_reads_in_every_encoding() {
    let folder = Folder::new();
    let png = png();
    let text = format!(
        "\u{FEFF}index\timage\tquestion\tA\tB\tC\tanswer\r\n1\t{png}\tWhat?\tNone\tNA\tnan\tB\r\n2\t1\t\"Two\r\nlines \"\"here\"\"?\"\tTrue\tFalse\t\tA\r\n3\t['{png}', '{png}']\tBoth?\tx\ty\t\tA\r\n4\tpics/4.jpg\tIs it?\t\t\t\tYes\r\n"
    );
    let path = folder.write("Set.tsv", text);
    assert_eq!(format(&path), formats::named("vlmevalkit").unwrap());
    let all: Vec<Item> = items(&path).into_iter().map(Result::unwrap).collect();
    let names = |at: usize| {
        all[at]
            .images
            .iter()
            .map(|i| i.name.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!((names(0), names(1)), (vec!["d/1.png"], vec!["d/1.png"]));
    assert_eq!(
        (names(2), names(3)),
        (vec!["d/3-1.png", "d/3-2.png"], vec!["pics/4.jpg"])
    );
    assert_eq!(all[1].question, "Two\r\nlines \"here\"?");
    assert_eq!(
        (all[1].kind, all[3].kind),
        (QuestionKind::TrueFalse, QuestionKind::YesNo)
    );
    assert_eq!(all[0].options[2].text, "nan");
}

#[test]
fn bad_table_rows_name_line_and_column() {
    let folder = Folder::new();
    let text = "index,question,A,B,answer\n1,Q,x,y,C\n2,Q,x,y,z\n,Q,x,y,A\n4,Q,x\n5,,x,y,A\n6,Q,x,y,\n7,Q,x,y,b\n";
    let found = items(&folder.write("s.csv", text));
    for (at, line, field) in [
        (1, 3, "answer"),
        (2, 4, "index"),
        (3, 5, ""),
        (4, 6, "question"),
        (5, 7, "answer"),
    ] {
        let problem = Refusal::parse(1, found[at].as_ref().unwrap_err());
        assert_eq!(problem.place(), ("s.csv", line, field), "{problem}");
    }
    // A letter just past the last text: its text was lost, its place was not.
    assert_eq!(found[0].as_ref().unwrap().correct(), Some(2));
    assert_eq!(found[6].as_ref().unwrap().correct(), Some(1));
    let mixed = [
        &b"index,question,A,B,answer\n1,Q,caf\xE9,y,A\n2,Q,x,y,A\n"[..],
        b"",
    ]
    .concat();
    let found = items(&folder.write("m.csv", mixed));
    assert!(found[0].as_ref().unwrap_err().contains("m.csv:2: "));
    assert!(found[1].is_ok());
    let wide: Vec<u8> = "\u{FEFF}index\tquestion\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(refused(&folder.write("w.tsv", wide)).names("UTF-16"));
}

#[test]
fn spreadsheets_report_cut_cells_and_damaged_archives() {
    let folder = Folder::new();
    let long = "x".repeat(32_767);
    let rows: &[&[&str]] = &[
        &["index", "question", "A", "B", "answer", "prediction"],
        &["1", "Q", "a", "b", "A", long.as_str()],
        &["2", "Q", "a", "b", "B", ""],
    ];
    let path = folder.write("m/m_Set.xlsx", xlsx(rows, 0));
    assert_eq!(
        format(&path),
        formats::named("vlmevalkit-predictions").unwrap()
    );
    let (found, notes) = predictions(&path);
    assert_eq!(
        (
            found[0].output.len(),
            found[1].output.as_str(),
            &found[1].key
        ),
        (32_767, "", &Key::Int(2))
    );
    assert!(
        notes[0].starts_with("1 ") && notes[0].contains("32,767"),
        "{notes:?}"
    );
    let about = (formats::named("vlmevalkit-predictions").unwrap().about)(&path, &[]).unwrap();
    assert_eq!(
        (about.model.as_deref(), about.dataset.as_deref()),
        (Some("m"), Some("Set"))
    );
    let whole = xlsx(rows, 0);
    assert_refused(&folder.write("cut.xlsx", &whole[..whole.len() / 2]));
    assert_refused(&folder.write("no.xlsx", "PK\u{3}\u{4}nothing"));
    // 300 MiB in 300 KiB.
    let bomb = folder.write("bomb.xlsx", xlsx(rows, 300 << 20));
    assert!(std::fs::metadata(&bomb).unwrap().len() < 2 << 20);
    assert!(refused(&bomb).names("256 MiB"), "{}", refused(&bomb));
}

#[test]
fn bare_nan_is_missing_and_null_is_not_an_empty_answer() {
    let folder = Folder::new();
    let path = folder.write("m/m_Set.json", "[{\"index\": 1, \"question\": \"Q\", \"A\": \"x\", \"B\": NaN, \"prediction\": NaN},\n{\"index\": 2, \"question\": \"Q\", \"A\": \"x\", \"B\": \"y\", \"prediction\": \"\"}]");
    let (found, notes) = predictions(&path);
    assert_eq!(
        found
            .iter()
            .map(|p| (&p.key, p.output.as_str()))
            .collect::<Vec<_>>(),
        [(&Key::Int(2), "")]
    );
    assert!(
        notes.iter().any(|n| n.starts_with("2 bare NaN")),
        "{notes:?}"
    );
    assert!(notes.iter().any(|n| n.starts_with("1 rows")), "{notes:?}");
}

#[test]
fn inspect_logs_read_whole_cut_off_and_with_duplicate_members() {
    let folder = Folder::new();
    for method in [
        zip::CompressionMethod::Deflated,
        zip::CompressionMethod::Zstd,
    ] {
        let (one, two, late) = (
            sample(1, 1, Some("first")),
            sample(2, 1, None),
            sample(1, 2, Some("second epoch")),
        );
        let whole = zipped(
            &[
                // A log without `header.json` was cut off while it ran.
                ("_journal/start.json", HEADER.as_bytes()),
                ("samples/1_epoch_1.json", &one),
                ("samples/1_epoch_2.json", &late),
                ("samples/2_epoch_1.json", &two),
            ],
            method,
        );
        let path = folder.write("log.eval", &whole);
        assert_eq!(format(&path), formats::named("inspect-eval").unwrap());
        let about = (formats::named("inspect-eval").unwrap().about)(&path, &[]).unwrap();
        assert_eq!(
            (about.model.as_deref(), about.dataset.as_deref()),
            (Some("p/m"), Some("set"))
        );
        let (found, notes) = predictions(&path);
        assert_eq!(
            found.iter().map(|p| p.output.as_str()).collect::<Vec<_>>(),
            ["first"]
        );
        assert_eq!(formats::tool_verdict(&found[0]).right, Some(1.0));
        assert!(
            notes
                .iter()
                .any(|n| n.starts_with("1 ") && n.contains("epochs")),
            "{notes:?}"
        );
        assert!(
            notes.iter().any(|n| n.starts_with("1 samples")),
            "{notes:?}"
        );
        let item = items(&path).remove(0).unwrap();
        assert_eq!(
            (item.question.as_str(), item.images[0].name.as_str()),
            ("Which one?", "d/1.png")
        );
        assert_refused(&folder.write("cut.eval", &whole[..whole.len() - 60]));
    }
    let other = zipped(&[("a.txt", b"a")], zip::CompressionMethod::Deflated);
    assert_refused(&folder.write("a.zip", other));
    // One sample of 65 MiB.
    let header = HEADER.as_bytes();
    let bomb = zipped(
        &[
            ("header.json", header),
            ("samples/1_epoch_1.json", &vec![b' '; 65 << 20]),
        ],
        zip::CompressionMethod::Deflated,
    );
    let problem = items(&folder.write("bomb.eval", bomb))
        .remove(0)
        .unwrap_err();
    assert!(problem.contains("64 MiB"), "{problem}");
}

/// The same name twice in the directory of an archive: rewritten in place, as the writer of the zip library would not.
#[test]
fn the_last_duplicate_archive_member_counts() {
    let folder = Folder::new();
    let members: [(&str, &[u8]); 3] = [
        ("header.json", HEADER.as_bytes()),
        ("samples/1_epoch_1.json", &sample(1, 1, Some("before"))),
        ("samples/2_epoch_1.json", &sample(1, 1, Some("after!"))),
    ];
    let mut bytes = zipped(&members, zip::CompressionMethod::Stored);
    let name = b"samples/2_epoch_1.json";
    let places: Vec<usize> = bytes
        .windows(name.len())
        .enumerate()
        .filter(|(_, w)| w == name)
        .map(|(at, _)| at)
        .collect();
    places.into_iter().for_each(|at| bytes[at + 8] = b'1');
    let (found, _) = predictions(&folder.write("twice.eval", bytes));
    assert_eq!(
        found.iter().map(|p| p.output.as_str()).collect::<Vec<_>>(),
        ["after!"]
    );
}

fn parquet(path: &Path) {
    let schema = "message schema { REQUIRED INT64 id; OPTIONAL BYTE_ARRAY question (UTF8); OPTIONAL group options (LIST) { REPEATED group list { OPTIONAL BYTE_ARRAY element (UTF8); } } OPTIONAL INT64 answer; OPTIONAL group image { OPTIONAL BYTE_ARRAY bytes; OPTIONAL BYTE_ARRAY path (UTF8); } }";
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(
        file,
        Arc::new(parse_message_type(schema).unwrap()),
        Arc::default(),
    )
    .unwrap();
    // Two row groups: what crosses from one to the next must not be lost.
    for group in 0..2i64 {
        let mut rows = writer.next_row_group().unwrap();
        let text = |list: &[&str]| list.iter().map(|s| ByteArray::from(*s)).collect::<Vec<_>>();
        let mut column = rows.next_column().unwrap().unwrap();
        column
            .typed::<Int64Type>()
            .write_batch(&[group * 2, group * 2 + 1], None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        column
            .typed::<ByteArrayType>()
            .write_batch(&text(&["Q?", "R?"]), Some(&[1, 1]), None)
            .unwrap();
        column.close().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        let options = text(&["None", "NA", "x", "y"]);
        column
            .typed::<ByteArrayType>()
            .write_batch(&options, Some(&[3; 4]), Some(&[0, 1, 0, 1]))
            .unwrap();
        column.close().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        column
            .typed::<Int64Type>()
            .write_batch(&[1, 0], Some(&[1, 1]), None)
            .unwrap();
        column.close().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        let bytes = ByteArray::from([&b"\x89PNG\r\n\x1a\n"[..], &[0; 80]].concat());
        column
            .typed::<ByteArrayType>()
            .write_batch(&[bytes], Some(&[2, 1]), None)
            .unwrap();
        column.close().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        column
            .typed::<ByteArrayType>()
            .write_batch(&text(&["p.png"]), Some(&[1, 2]), None)
            .unwrap();
        column.close().unwrap();
        rows.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn parquet_reads_lists_pictures_and_answer_positions() {
    let folder = Folder::new();
    let path = folder.0.path().join("set.parquet");
    parquet(&path);
    assert_eq!(format(&path), formats::named("table").unwrap());
    let mut reader = formats::items(&path, formats::named("table").unwrap(), "d").unwrap();
    let (mut all, mut carried) = (Vec::new(), Vec::new());
    while let Some((_, item)) = reader.next() {
        all.push(item.unwrap());
        carried.extend(reader.pictures());
    }
    assert_eq!(
        all.iter().map(|i| i.key.clone()).collect::<Vec<_>>(),
        (0..4).map(Key::Int).collect::<Vec<_>>()
    );
    assert_eq!(
        (
            all[0].correct(),
            all[1].correct(),
            all[0].options[0].text.as_str()
        ),
        (Some(1), Some(0), "None")
    );
    assert_eq!(
        (
            all[0].images[0].name.as_str(),
            all[1].images[0].name.as_str()
        ),
        ("d/0.png", "p.png")
    );
    assert_eq!((carried.len(), carried[1].name.as_str()), (2, "d/2.png"));
    let whole = std::fs::read(&path).unwrap();
    for cut in [whole.len() / 2, whole.len() - 1, 4, 12] {
        let problem = refused(&folder.write("cut.parquet", &whole[..cut]));
        assert!(problem.names("Parquet"), "{cut}: {problem}");
    }
    // Damage within is an error at its row, and never the end of the program.
    for at in (4..whole.len() - 8).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xFF;
        let path = folder.write("damaged.parquet", bytes);
        if let Ok(found) = formats::detect_files(&path)
            && let Ok(rows) = formats::items(&path, found.files[0].format, "d")
        {
            assert!(rows.count() <= 100, "{at}");
        }
    }
}

#[test]
fn a_mapping_reads_any_table() {
    let folder = Folder::new();
    let path = folder.write(
        "mmsap.jsonl",
        [
            json!({"qno": 7, "pic": "a.png", "ask": "What is it?", "c1": "dog", "c2": "cat", "c3": "I cannot tell", "gold": 2, "decline": 2, "who": "m1", "said": "(B)", "round": 1, "set": "KK"}),
            json!({"qno": 8, "pic": "b.png", "ask": "Whose is it?", "c1": "Ann's", "c2": "Bob's", "c3": "I cannot tell", "gold": 3, "decline": 2, "who": "m1", "said": "C", "round": 1, "set": "KU"}),
            json!({"qno": 8, "pic": "b.png", "ask": "Whose is it?", "c1": "Ann's", "c2": "Bob's", "c3": "I cannot tell", "gold": 3, "decline": 2, "who": "m1", "said": "A", "round": 2, "set": "KU"}),
        ]
        .map(|row| row.to_string())
        .join("\n"),
    );
    assert!(refused(&path).names("--guess"), "{}", refused(&path));
    let mapping = Mapping::parse(
        "id = \"qno\"\nimages = [\"pic\"]\nquestion = \"ask\"\noptions = [\"c1\", \"c2\", \"c3\"]\nanswer = \"gold\"\nanswer-is = \"position\"\nrefusal = \"decline\"\nsubtask = \"set\"\nmodel = \"who\"\noutput = \"said\"\nepoch = \"round\"\n",
    )
    .unwrap();
    let found = formats::detect_mapped(&path, &mapping).unwrap();
    assert_eq!(
        found.format,
        formats::named("table-with-predictions").unwrap()
    );
    let all: Vec<Item> = formats::items_by(&path, found.format, "d", Some(&mapping))
        .unwrap()
        .map(|(_, i)| i.unwrap())
        .collect();
    let roles = |item: &Item| item.options.iter().map(|o| o.role).collect::<Vec<_>>();
    assert_eq!(
        roles(&all[0]),
        [Role::Distractor, Role::Correct, Role::Refusal]
    );
    // Declining is the right answer here, and stays a refusal.
    assert_eq!(
        roles(&all[1]),
        [Role::Distractor, Role::Distractor, Role::Refusal]
    );
    assert_eq!(
        (all[0].subtask.as_deref(), all[0].images[0].name.as_str()),
        (Some("KK"), "a.png")
    );
    let mut reader = formats::predictions_by(&path, found.format, Some(&mapping)).unwrap();
    let said: Vec<String> = reader.by_ref().map(|(_, p)| p.unwrap().output).collect();
    assert_eq!(said, ["(B)", "C"]);
    assert!(reader.notes()[0].starts_with("1 answers"));
    let scored = from_paths_by(std::slice::from_ref(&path), None, Some(&mapping)).unwrap();
    assert_eq!(scored.models().collect::<Vec<_>>(), ["m1"]);
    let wrong = Mapping {
        question: Some("query".into()),
        ..mapping
    };
    let problem = formats::detect_mapped(&path, &wrong)
        .unwrap_err()
        .to_string();
    assert!(
        problem.contains("`query`") && problem.contains("qno, pic, ask, c1"),
        "{problem}"
    );
}

#[test]
fn true_false_questions_take_their_options_from_their_rows() {
    let folder = Folder::new();
    let row = |id: u32, kind: Option<&str>, answer: &str| match kind {
        Some(kind) => json!({"id": id, "question": "is it?", "type": kind, "answer": answer}),
        None => json!({"id": id, "question": "is it?", "answer": answer}),
    };
    let kinds =
        |rows: &[serde_json::Value], name: &str| -> Vec<(QuestionKind, String, Vec<String>)> {
            let path = folder.write(
                name,
                rows.iter()
                    .map(|row| row.to_string())
                    .collect::<Vec<_>>()
                    .join("\n"),
            );
            let format = formats::detect_files(&path).unwrap().files[0].format;
            let item = |i: Item| {
                (
                    i.kind,
                    i.answer.clone(),
                    i.options.iter().map(|o| o.text.clone()).collect(),
                )
            };
            formats::items(&path, format, "d")
                .unwrap()
                .map(|(_, i)| item(i.unwrap()))
                .collect()
        };
    let [truth, agreement] =
        [["True", "False"], ["Yes", "No"]].map(|pair| pair.map(str::to_string).to_vec());
    let typed = [
        row(1, Some("true-false"), "True"),
        row(2, Some("True or false"), "no"),
        row(3, Some("open"), "false"),
    ];
    let found = kinds(&typed, "typed.jsonl");
    assert_eq!(
        found[0],
        (QuestionKind::TrueFalse, "True".into(), truth.clone())
    );
    assert_eq!(found[1], (QuestionKind::TrueFalse, "No".into(), agreement));
    assert_eq!(found[2], (QuestionKind::FreeForm, "false".into(), vec![]));
    let plain = kinds(
        &[
            row(1, None, "false"),
            row(2, None, "no"),
            row(3, None, "a dog"),
        ],
        "plain.jsonl",
    );
    assert_eq!(plain[0], (QuestionKind::TrueFalse, "False".into(), truth));
    assert_eq!(
        (plain[1].0, plain[2].0),
        (QuestionKind::YesNo, QuestionKind::FreeForm)
    );
}

#[test]
fn coco_captions_and_open_vlm_leaderboard_cards_read() {
    let folder = Folder::new();
    let coco = json!({"info": {}, "annotations": [
            {"id": 1, "image_id": 10, "caption": "a dog"}, {"id": 2, "image_id": 10, "caption": "a brown dog"},
            {"id": 3, "image_id": "11", "caption": "a cat"}, {"id": 4, "image_id": 12, "caption": "lost"}],
        "images": [{"id": 10, "file_name": "10.jpg"}, {"id": 11, "file_name": "11.jpg"}]});
    let path = folder.write("captions.json", coco.to_string());
    assert_eq!(format(&path), formats::named("coco-captions").unwrap());
    let mut reader = formats::items(&path, formats::named("coco-captions").unwrap(), "d").unwrap();
    let all: Vec<Item> = reader.by_ref().map(|(_, i)| i.unwrap()).collect();
    assert_eq!(
        all.iter()
            .map(|i| (i.images[0].name.as_str(), i.answer.as_str()))
            .collect::<Vec<_>>(),
        [("10.jpg", "a dog"), ("11.jpg", "a cat")]
    );
    assert_eq!(
        (all[0].kind, &all[0].extra["captions"]),
        (QuestionKind::FreeForm, &json!(["a brown dog"]))
    );
    assert!(reader.notes()[0].starts_with("1 captions"));
    let cards = json!({"time": "now", "results": {"GPT-4o": {"META": {"Method": ["GPT-4o", "https://example.org"],
        "Parameters": "N/A", "Language Model": "", "Vision Model": "ViT", "OpenSource": "No"}, "MMStar": {"Overall": 1}}}});
    let path = folder.write("OpenVLM.json", cards.to_string());
    assert_refused(&path);
    let cards = formats::model_cards(&path).unwrap();
    assert_eq!(
        (cards[0].name.as_str(), cards[0].url.as_deref()),
        ("GPT-4o", Some("https://example.org"))
    );
    assert_eq!(
        (
            cards[0].parameters.as_deref(),
            cards[0].vision_model.as_deref()
        ),
        (None, Some("ViT"))
    );
}

#[test]
fn one_table_holds_two_models_and_duplicate_samples() {
    let folder = Folder::new();
    folder.write("set.csv", "id,question,A,B,answer\n1,Q,x,y,A\n2,R,x,y,B\n");
    folder.write(
        "answers.csv",
        "id,model,prediction\n1,m1,A\n2,m1,B\n1,m2,B\n2,m2,B\n",
    );
    let scored = from_paths(&[folder.0.path().to_path_buf()], None).unwrap();
    assert_eq!(scored.models().collect::<Vec<_>>(), ["m1", "m2"]);
    assert!(
        scored
            .full_board()
            .rows
            .iter()
            .all(|row| row.counts.missing == 0),
        "{:?}",
        scored.full_board().rows
    );
    // A file opened to append by a second run holds every row twice.
    let folder = Folder::new();
    let row = |id: u64| {
        json!({"doc_id": id, "target": "A", "resps": [["A"]], "input": format!("Q{id}?\nA. x\nB. y\nAnswer.")})
            .to_string()
    };
    let text = format!("{}\n{}\n{}\n{}\n", row(0), row(1), row(0), row(1));
    folder.write("m/20260101_000000_samples_t.jsonl", text);
    let scored = from_paths(&[folder.0.path().to_path_buf()], None).unwrap();
    assert_eq!(scored.full_board().rows[0].counts.duplicate, 2);
    assert_eq!(scored.full_board().rows[0].counts.missing, 0);
}
