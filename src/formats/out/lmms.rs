//! lmms-eval's task folder: `<task>.yaml`, `utils.py`, and the data as Parquet.
//!
//! Source: lmms-eval, lmms_eval/api/task.py and lmms_eval/utils.py, version 0.7.3. Paths of data
//! files are relative to the folder of the `.yaml`.

/// Path of the data, relative to the folder.
pub const DATA: &str = "data/test-00000-of-00001.parquet";

/// The module that the `.yaml` refers to. `rule` is a Python module that reads answers:
/// `read(options, kind, output)`.
pub fn utils(rule: &str) -> String {
    format!("{}\n\n{}", include_str!("lmms_utils.py").trim_end(), rule)
}

/// The content of `<task>.yaml`.
pub fn yaml(task: &str) -> String {
    // JSON strings are valid YAML.
    let task = serde_json::Value::from(task);
    format!(
        "# lmms-eval: python -m lmms_eval --include_path THIS_FOLDER --tasks {task} --model ...\n\
         task: {task}\n\
         dataset_path: parquet\n\
         dataset_kwargs:\n  data_files:\n    test: {DATA}\n\
         test_split: test\n\
         output_type: generate_until\n\
         doc_to_visual: !function utils.doc_to_visual\n\
         doc_to_text: !function utils.doc_to_text\n\
         doc_to_target: !function utils.doc_to_target\n\
         process_results: !function utils.process_results\n\
         generation_kwargs:\n  max_new_tokens: 1024\n  temperature: 0\n  do_sample: false\n\
         metric_list:\n  - metric: exact_match\n    aggregation: mean\n    higher_is_better: true\n\
         metadata:\n  - version: 1.0\n"
    )
}
