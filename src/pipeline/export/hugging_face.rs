//! Hugging Face's picture folder and Parquet.

use std::path::{Path, PathBuf};

use super::files::{Out, unlink};
use super::format::{Export, Kind, TableSink, Tables};
use benchtop_formats::out::{Folder, Load, Packed};
use benchtop_model::{Error, Item, Result};

pub static FOLDER: Export = Export {
    name: "hf-folder",
    summary: "Hugging Face's folder: train/metadata.jsonl and the pictures",
    kind: Kind::Tables(Tables {
        begin: |start| {
            let out = start.create(&format!("{}/metadata.jsonl", start.split))?;
            let folder = Folder::new(out, start.survey.clone(), start.dataset);
            Ok(Box::new((folder, start.dir.join(start.split))))
        },
        ..Tables::PLAIN
    }),
    ..Export::TABLES
};

pub static PARQUET: Export = Export {
    name: "hf-parquet",
    summary: "Hugging Face's Parquet: data/train-00000-of-00001.parquet",
    kind: Kind::Tables(Tables {
        begin: |start| {
            let out = start.create(&format!("data/{}-00000-of-00001.parquet", start.split))?;
            let table = Packed::new(out, start.survey.clone(), start.dataset)?;
            Ok(Box::new(table))
        },
        ..Tables::PLAIN
    }),
    ..Export::TABLES
};

impl TableSink for (Folder<Out>, PathBuf) {
    fn push(&mut self, item: &Item, load: Load<'_>) -> Result<bool> {
        let (folder, dir) = self;
        folder.push(item, load, &mut |name, bytes| put(&dir.join(name), &bytes))
    }

    fn finish(self: Box<Self>) -> Result<Out> {
        Ok(self.0.finish())
    }
}

impl TableSink for Packed<Out> {
    fn push(&mut self, item: &Item, load: Load<'_>) -> Result<bool> {
        Packed::push(self, item, load)
    }

    fn finish(self: Box<Self>) -> Result<Out> {
        Packed::finish(*self)
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let dir = path.parent().unwrap_or(path);
    unlink(path);
    let written = std::fs::create_dir_all(dir).and_then(|()| std::fs::write(path, bytes));
    written.map_err(|e| Error::io(&e, "cannot write the picture", path))
}
