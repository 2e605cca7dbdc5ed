//! lmms-eval's task folder.

use std::io::Write;

use super::files::io;
use super::format::{Export, Kind, Tables};
use benchtop_formats::out::{LMMS_DATA, Packed, lmms_utils, lmms_yaml};
use benchtop_metrics::extract::strict_in_python;

pub static LMMS_EVAL: Export = Export {
    name: "lmms-eval",
    summary: "lmms-eval's task folder: TASK.yaml, utils.py and Parquet data",
    kind: Kind::Tables(Tables {
        begin: |start| {
            let utils = lmms_utils(&strict_in_python());
            let yaml = (format!("{}.yaml", start.name), lmms_yaml(start.name));
            for (file, text) in [yaml, ("utils.py".into(), utils)] {
                let mut out = start.create(&file)?;
                out.write_all(text.as_bytes())
                    .and_then(|()| out.flush())
                    .map_err(|e| io(&e, &start.dir.join(&file)))?;
            }
            let out = start.create(LMMS_DATA)?;
            let table = Packed::new(out, start.survey.clone(), start.dataset)?;
            Ok(Box::new(table))
        },
        ..Tables::PLAIN
    }),
    ..Export::TABLES
};
