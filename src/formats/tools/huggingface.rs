//! Hugging Face: a folder of pictures with one `metadata.jsonl` per split, and Parquet tables
//! `data/<split>-00000-of-00001.parquet`.

use std::path::Path;

use super::stem;

const SPLITS: [&str; 6] = ["train", "test", "validation", "val", "dev", "valid"];

/// The data set's name of such a file: the folder's name and the split.
pub fn dataset(path: &Path) -> String {
    let own = stem(path);
    let own = shard(&own).unwrap_or(&own);
    let mut parts: Vec<String> = Vec::new();
    if own != "metadata" {
        parts.push(own.to_string());
    }
    for folder in path
        .ancestors()
        .skip(1)
        .filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
    {
        let split_only = parts
            .last()
            .is_none_or(|name| SPLITS.contains(&name.as_str()));
        if !split_only {
            break;
        }
        if folder != "data" {
            parts.push(folder);
        }
    }
    parts.reverse();
    parts.join("-")
}

/// `test` in `test-00000-of-00001`.
fn shard(name: &str) -> Option<&str> {
    let (name, of) = name.rsplit_once("-of-")?;
    let (split, number) = name.rsplit_once('-')?;
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    (digits(of) && digits(number)).then_some(split)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sets_are_named_by_folder_and_split() {
        for (path, name) in [
            ("x/birds/train/metadata.jsonl", "birds-train"),
            ("x/birds/metadata.jsonl", "birds"),
            ("x/birds/data/test-00000-of-00001.parquet", "birds-test"),
            ("x/birds/questions.parquet", "questions"),
        ] {
            assert_eq!(dataset(Path::new(path)), name);
        }
    }
}
