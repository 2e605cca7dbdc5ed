//! Matches model names of two lists.

use std::collections::HashMap;

/// A name without case, spaces, dashes, and underscores.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether two names are equal apart from case, spaces, dashes, and underscores.
pub fn same(a: &str, b: &str) -> bool {
    folded(a) == folded(b)
}

/// Pairs of indices in the two lists. `names` maps our names to theirs and comes first. Other names
/// must be the [`same`], and unique in their list.
pub fn matching(ours: &[&str], theirs: &[&str], names: &[(String, String)]) -> Vec<(usize, usize)> {
    let said = |model: &str| {
        names
            .iter()
            .find(|(own, _)| own == model)
            .map(|(_, there)| there.as_str())
    };
    let taken: Vec<&str> = ours.iter().filter_map(|model| said(model)).collect();
    let index = |list: &[&str]| {
        let mut of: HashMap<String, Vec<usize>> = HashMap::new();
        list.iter()
            .enumerate()
            .for_each(|(at, name)| of.entry(folded(name)).or_default().push(at));
        of
    };
    let (own, there) = (index(ours), index(theirs));
    let one = |of: &HashMap<String, Vec<usize>>, name: &str| match of
        .get(&folded(name))
        .map(Vec::as_slice)
    {
        Some([only]) => Some(*only),
        _ => None,
    };
    let find = |(at, model): (usize, &&str)| match said(model) {
        Some(name) => Some((at, theirs.iter().position(|t| *t == name)?)),
        None => {
            let found = one(&own, model).and_then(|_| one(&there, model))?;
            (!taken.contains(&theirs[found])).then_some((at, found))
        }
    };
    ours.iter().enumerate().filter_map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_names_are_matched() {
        let ours = ["GPT4o", "llava_v1.5_13b", "Qwen-VL", "qwen vl", "x"];
        let theirs = ["GPT-4o", "LLaVA-1.5 (13B)", "Qwen-VL", "y"];
        assert_eq!(
            matching(&ours, &theirs, &[]),
            [(0, 0)],
            "two of our names match Qwen-VL"
        );
        let names = [
            ("llava_v1.5_13b".to_string(), "LLaVA-1.5 (13B)".to_string()),
            ("x".into(), "GPT-4o".into()),
        ];
        assert_eq!(
            matching(&ours, &theirs, &names),
            [(1, 1), (4, 0)],
            "an explicitly mapped name is not matched again"
        );
        assert!(matching(&["x"], &["y"], &[("x".into(), "z".into())]).is_empty());
        assert!(same("mPLUG-Owl-2", "mplug owl2") && !same("LLaVA-1.5", "LLaVA-15"));
    }
}
