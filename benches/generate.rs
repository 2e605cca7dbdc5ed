//! The synthetic items by themselves.
//!
//! `cargo bench --bench generate` measures how fast they are made and prints what they are like;
//! `cargo bench --bench generate -- items.jsonl [N]` writes N of them (617,000), one a line, in benchtop's own form.

use std::collections::BTreeSet;
use std::io::{BufWriter, Write};
use std::time::Instant;

mod synthetic;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1).filter(|a| a != "--bench");
    let path = args.next();
    let n = args.next().map_or(Ok(synthetic::DYSCA), |n| n.parse())?;
    let Some(path) = path else {
        measure(n);
        return Ok(());
    };
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(&path)?);
    for item in synthetic::items(n) {
        serde_json::to_writer(&mut out, &item)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    println!("{n} items in {path}");
    Ok(())
}

fn measure(n: u64) {
    let began = Instant::now();
    let made = synthetic::items(n)
        .filter(|item| !item.question.is_empty())
        .count();
    let rate = made as f64 / began.elapsed().as_secs_f64();
    let (mut prompt, mut question) = (0, 0);
    let (mut subtasks, mut styles, mut kinds) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for item in synthetic::items(n) {
        prompt += item.prompt.map_or(0, |p| p.len());
        question += item.question.len();
        subtasks.insert(item.subtask);
        styles.insert(item.style);
        kinds.insert(item.kind);
    }
    let mean = |sum: usize| sum as f64 / n.max(1) as f64;
    println!("{n} items at {rate:.0} a second");
    println!(
        "prompt {:.0} B, question {:.0} B",
        mean(prompt),
        mean(question)
    );
    println!(
        "{} subtasks, {} styles, {} types",
        subtasks.len(),
        styles.len(),
        kinds.len()
    );
}
