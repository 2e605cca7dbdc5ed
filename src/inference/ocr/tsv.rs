//! Parses Tesseract's TSV output: one row per page, block, paragraph, line, and word.

use benchtop_model::ocr::{ReadText, ReadWord};

/// The columns since version 3.05.
const HEADER: [&str; 12] = [
    "level",
    "page_num",
    "block_num",
    "par_num",
    "line_num",
    "word_num",
    "left",
    "top",
    "width",
    "height",
    "conf",
    "text",
];
/// The level of word rows.
const WORD: &str = "5";

/// Parses a table.
///
/// # Errors
/// What is wrong, with the line number.
pub(super) fn parse(text: &str) -> Result<ReadText, String> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim_end_matches('\r')));
    match lines.find(|(_, l)| !l.trim().is_empty()) {
        Some((_, header)) if header.split('\t').eq(HEADER) => {}
        Some((at, other)) => {
            let shown: String = other.chars().filter(|c| !c.is_control()).take(80).collect();
            return Err(format!(
                "unexpected header of Tesseract's table (line {at}): \"{shown}\""
            ));
        }
        None => return Err("Tesseract wrote no table".into()),
    }
    let mut read = ReadText::default();
    let mut line: Option<(&str, u32)> = None;
    for (at, row) in lines.filter(|(_, l)| !l.trim().is_empty()) {
        let cells: Vec<&str> = row.splitn(12, '\t').collect();
        // Some versions omit the last cell of rows without text.
        if cells.len() < 11 {
            return Err(format!(
                "line {at} of Tesseract's table has {} cells, expected 12",
                cells.len()
            ));
        }
        let word = cells.get(11).map_or("", |t| t.trim());
        if cells[0] != WORD || word.is_empty() {
            continue;
        }
        let wrong = |i: usize| {
            format!(
                "line {at} of Tesseract's table: invalid {} \"{}\"",
                HEADER[i], cells[i]
            )
        };
        let mut place = [0; 4];
        for (i, side) in place.iter_mut().enumerate() {
            *side = cells[6 + i].parse().map_err(|_| wrong(6 + i))?;
        }
        let confidence = cells[10]
            .parse::<f32>()
            .ok()
            .filter(|c| c.is_finite())
            .ok_or_else(|| wrong(10))?;
        // The cells of page, block, paragraph, and line identify a line.
        let end: usize = cells[..5].iter().map(|c| c.len() + 1).sum();
        let number = match line {
            Some((of, number)) if of == &row[..end] => number,
            Some((_, number)) => number + 1,
            None => 0,
        };
        line = Some((&row[..end], number));
        let confidence = (confidence / 100.0).clamp(0.0, 1.0);
        read.words.push(ReadWord {
            text: word.to_string(),
            confidence,
            place,
            line: number,
        });
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
        1\t1\t0\t0\t0\t0\t0\t0\t320\t120\t-1\t\n2\t1\t1\t0\t0\t0\t20\t30\t200\t40\t-1\n\
        5\t1\t1\t1\t1\t1\t20\t30\t90\t40\t96.5\tHello\n5\t1\t1\t1\t1\t2\t120\t30\t90\t40\t42\t\"big\n\
        5\t1\t1\t1\t2\t1\t20\t80\t90\t40\t-1\tworld\n5\t1\t1\t1\t2\t2\t20\t80\t90\t40\t95\t  \n";

    #[test]
    fn parses_words_with_place_line_and_confidence() {
        let read = parse(TABLE).unwrap();
        assert_eq!(read.text(), "Hello \"big\nworld");
        let first = &read.words[0];
        assert_eq!(
            (first.confidence, first.place, first.line),
            (0.965, [20, 30, 90, 40], 0)
        );
        assert_eq!((read.words[2].confidence, read.words[2].line), (0.0, 1));
        assert_eq!(read.confident_words(0.5).collect::<Vec<_>>(), ["Hello"]);
        let head = TABLE.lines().next().unwrap();
        assert_eq!(
            parse(&format!("\n{head}\r\n")).unwrap(),
            ReadText::default()
        );
    }

    #[test]
    fn refuses_other_tables_with_the_line() {
        for (text, parts) in [
            ("", ["no table", ""]),
            ("Hello\n", ["line 1", "Hello"]),
            (&TABLE.replace("\t96.5\t", "\tnan\t"), ["line 4", "nan"]),
            (
                &TABLE.replace("\t20\t30\t90", "\t-2\t30\t90"),
                ["left", "-2"],
            ),
            (&format!("{TABLE}5\t1\t1\n"), ["line 8", "3 cells"]),
        ] {
            let message = parse(text).unwrap_err();
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        }
    }
}
