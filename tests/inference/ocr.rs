//! Tesseract: misbehaving scripts in its place, and the program itself where it is installed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use benchtop::inference::BatchEvent;
use benchtop::inference::ocr::{Options, Tesseract};
use benchtop::inference::reader::{TextReader, read_all};
use benchtop::metrics::requested_text::wanted_word;
use benchtop::model::ErrorKind;
use benchtop::model::generation::FailureKind;
use benchtop::model::ocr::ReadText;
use benchtop::model::vlm::Encoded;
use image::{GrayImage, Luma};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};

const HEAD: &str = "level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num\\tleft\\ttop\\twidth\\theight\\tconf\\ttext\\n";

/// A script in `dir` that says it is Tesseract, and does `body` with `$in`, the picture's bytes after the first six.
fn script(dir: &Path, name: &str, body: &str) -> PathBuf {
    let text = format!(
        "#!/bin/sh\ncase \"$1\" in\n--version) echo 'tesseract 5.0.0-fake' >&2; exit 0;;\n\
         --list-langs) printf 'List of available languages in \"/nowhere/\" (2):\\neng\\nchi_sim\\n'; exit 0;;\nesac\n\
         in=$(cat | tail -c +7)\nhead() {{ printf '{HEAD}'; }}\n{body}\n"
    );
    let path = dir.join(name);
    // Written by another process: a file that this one still has open for writing cannot be run, and other tests' children
    // would inherit it.
    let mut shell = Command::new("sh")
        .args(["-c", "cat > \"$1\" && chmod +x \"$1\"", "sh"])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    shell
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert!(shell.wait().unwrap().success());
    path
}

fn picture(text: &str) -> Encoded {
    Encoded::new(format!("GIF89a{text}").into_bytes()).unwrap()
}

fn options(program: PathBuf) -> Options {
    Options {
        program,
        timeout: Duration::from_secs(20),
        processes: 3,
        ..Options::default()
    }
}

#[test]
fn each_picture_has_its_own_words_or_its_own_trouble() {
    let dir = tempfile::tempdir().unwrap();
    let body = "case \"$in\" in\n\
        bad) echo 'Error in pixReadStream: Unknown format' >&2; exit 1;;\n\
        odd) echo 'hello'; exit 0;;\n\
        dies) kill -9 $$;;\n\
        empty) head; exit 0;;\n\
        loud) yes 'Estimating resolution' | head -c 3000000 >&2; exit 3;;\n\
        esac\n\
        head; printf '5\\t1\\t1\\t1\\t1\\t1\\t1\\t2\\t3\\t4\\t91.5\\t%s\\n' \"$in\"";
    // The shell's own `head` is needed once.
    let body = body.replace("| head -c", "| command head -c");
    let mut reader = Tesseract::open(options(script(dir.path(), "tesseract", &body))).unwrap();
    assert_eq!(
        (reader.name(), reader.parallelism()),
        ("tesseract 5.0.0-fake", 3)
    );
    let mut pictures: Vec<Encoded> = ["bad", "odd", "dies", "empty", "loud"].map(picture).into();
    pictures.extend((0..40).map(|i| picture(&format!("word{i}"))));
    let results = read_all(&mut reader, &pictures);
    for (at, kind, what) in [
        (
            0,
            FailureKind::BadOutput,
            "Error in pixReadStream: Unknown format",
        ),
        (1, FailureKind::BadOutput, "hello"),
        (2, FailureKind::Unavailable, "signal 9"),
        (4, FailureKind::BadOutput, "exit code 3"),
    ] {
        let failure = results[at].as_ref().unwrap_err();
        assert!(
            failure.kind == kind && failure.reason.contains(what),
            "{failure:?}"
        );
        assert!(failure.reason.len() < 300, "{failure:?}");
    }
    assert_eq!(results[3].as_ref().unwrap(), &ReadText::default());
    for (at, result) in results[5..].iter().enumerate() {
        let read = result.as_ref().unwrap();
        assert_eq!(read.text(), format!("word{at}"));
        assert_eq!(
            (read.words[0].confidence, read.words[0].place),
            (0.915, [1, 2, 3, 4])
        );
    }
    assert!(read_all(&mut reader, &[]).is_empty());
}

/// Whether a process of that number is there and is no zombie.
fn alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .and_then(|s| s.trim().chars().next())
        .is_some_and(|state| state != 'Z')
}

fn until(what: &str, done: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < end, "{what}: not within 30 s");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_process_that_hangs_is_ended_with_all_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let pids = dir.path().join("pids");
    let body = format!(
        "echo $$ >> {0}; sleep 300 & echo $! >> {0}; wait",
        pids.display()
    );
    let program = script(dir.path(), "tesseract", &body);
    let slow = Options {
        timeout: Duration::from_millis(300),
        ..options(program.clone())
    };
    let results = read_all(
        &mut Tesseract::open(slow).unwrap(),
        &[picture("a"), picture("b")],
    );
    for result in results {
        let failure = result.unwrap_err();
        assert!(
            failure.kind == FailureKind::Transport && failure.reason.contains("0.3 s"),
            "{failure:?}"
        );
    }
    // A cancel ends those at work, and those that wait never begin.
    let mut told = Vec::new();
    let pictures: Vec<Encoded> = (0..12).map(|i| picture(&i.to_string())).collect();
    let begun = || {
        std::fs::read_to_string(&pids)
            .unwrap_or_default()
            .lines()
            .count()
    };
    let before = begun();
    let patient = Options {
        timeout: Duration::from_secs(300),
        ..options(program)
    };
    Tesseract::open(patient)
        .unwrap()
        .read(&pictures, &mut |heard| match heard {
            BatchEvent::Alive => begun() < before + 6,
            BatchEvent::Done { index, result } => {
                told.push((index, result.unwrap_err().kind));
                true
            }
        });
    told.sort_by_key(|(index, _)| *index);
    assert_eq!(
        told,
        (0..12)
            .map(|i| (i, FailureKind::Cancelled))
            .collect::<Vec<_>>()
    );
    assert_eq!(begun(), before + 6, "three at once, each with a child");
    let pids = std::fs::read_to_string(&pids).unwrap();
    until("every process ended", || !pids.lines().any(alive));
}

#[test]
fn what_is_missing_is_named_with_what_to_install() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Tesseract::open(options(dir.path().join("no-such-program"))).unwrap_err();
    assert_eq!(missing.kind, ErrorKind::NotFound);
    assert!(
        missing
            .help
            .unwrap()
            .contains("apt-get install tesseract-ocr")
    );
    let program = script(dir.path(), "tesseract", "exit 0");
    let with = |languages: &str| Options {
        languages: languages.into(),
        ..options(program.clone())
    };
    let missing = Tesseract::open(with("eng+chi_tra")).unwrap_err();
    assert!(
        missing.kind == ErrorKind::NotFound
            && missing.what.contains("`chi_tra`")
            && missing.what.contains("eng, chi_sim"),
        "{missing}"
    );
    assert!(missing.help.unwrap().ends_with("tesseract-ocr-chi-tra"));
    for wrong in ["", "eng+", "-l", "eng; rm", "eng chi"] {
        assert_eq!(
            Tesseract::open(with(wrong)).unwrap_err().kind,
            ErrorKind::Input,
            "{wrong}"
        );
    }
    let mode = Tesseract::open(Options {
        segmentation: 14,
        ..with("eng")
    })
    .unwrap_err();
    assert_eq!(mode.kind, ErrorKind::Input);
    let other = Tesseract::open(options("/bin/echo".into())).unwrap_err();
    assert!(
        other.what.contains("/bin/echo") || other.place.file.is_some(),
        "{other}"
    );
    let broken = Tesseract::open(options("/bin/false".into())).unwrap_err();
    assert!(broken.what.contains("exit code 1"), "{broken}");
    // What decides what is read is in the fingerprint.
    let print = |options: Options| Tesseract::open(options).unwrap().fingerprint().short();
    let prints = [
        with("eng"),
        with("eng+chi_sim"),
        Options {
            segmentation: 3,
            ..with("eng")
        },
    ]
    .map(print);
    assert!(prints[0] != prints[1] && prints[0] != prints[2] && prints[1] != prints[2]);
    assert_eq!(
        prints[0],
        print(Options {
            processes: 1,
            ..with("eng")
        })
    );
}

/// A sign with these words, drawn with the program's own font four times as large.
fn sign(text: &str) -> Encoded {
    let mut image = GrayImage::from_pixel(text.len() as u32 * 80 + 80, 240, Luma([255]));
    for (at, c) in text.chars().enumerate() {
        let glyph = get_raster(c, FontWeight::Regular, RasterHeight::Size32).unwrap();
        for (y, row) in glyph.rows().enumerate() {
            for (x, ink) in row.iter().enumerate() {
                for (dx, dy) in (0..16).map(|i| (i % 4, i / 4)) {
                    let (x, y) = (
                        40 + at as u32 * 80 + x as u32 * 4 + dx,
                        50 + y as u32 * 4 + dy,
                    );
                    image.put_pixel(x, y, Luma([255 - ink]));
                }
            }
        }
    }
    let mut file = std::io::Cursor::new(Vec::new());
    image.write_to(&mut file, image::ImageFormat::Png).unwrap();
    Encoded::new(file.into_inner()).unwrap()
}

#[test]
fn the_real_program_reads_a_sign() {
    let mut reader = match Tesseract::open(Options::default()) {
        Ok(reader) => reader,
        Err(problem) if problem.kind == ErrorKind::NotFound => {
            return crate::support::skip(
                crate::support::Need::Program("tesseract"),
                &problem.to_string(),
            );
        }
        Err(problem) => panic!("{problem}"),
    };
    let blank = Encoded::new(super::server::png(64, 64, "noise")).unwrap();
    let broken = Encoded::new(*b"\x89PNG\r\n\x1a\nand no more").unwrap();
    let results = read_all(
        &mut reader,
        &[sign("winter market"), sign("orchard"), blank, broken],
    );
    for (result, wanted) in results[..2].iter().zip(["winter market", "orchard"]) {
        let read = result.as_ref().unwrap();
        let words: Vec<&str> = read.confident_words(0.0).collect();
        let found = wanted_word(&words, wanted).unwrap();
        assert!(found.folded && found.score == 1.0, "{wanted}: {words:?}");
        assert!(
            read.words
                .iter()
                .all(|w| w.confidence > 0.3 && w.place[2] > 0),
            "{read:?}"
        );
    }
    assert!(results[2].is_ok(), "{:?}", results[2]);
    let failure = results[3].as_ref().unwrap_err();
    assert!(
        failure.kind == FailureKind::BadOutput && failure.reason.contains("exit code"),
        "{failure:?}"
    );
    assert!(
        reader.fingerprint().parts.keys().any(|k| k == "model eng"),
        "{:?}",
        reader.fingerprint()
    );
}
