//! LaTeX commands around an answer.

/// Commands that only change the appearance of their content.
pub(super) const MARKUP: [&str; 39] = [
    "text",
    "textbf",
    "textit",
    "textrm",
    "texttt",
    "textsf",
    "mathrm",
    "mathbf",
    "mathit",
    "mathsf",
    "mathtt",
    "mathbb",
    "mathcal",
    "mathnormal",
    "rm",
    "bf",
    "it",
    "sf",
    "tt",
    "em",
    "emph",
    "underline",
    "operatorname",
    "mbox",
    "hbox",
    "large",
    "Large",
    "LARGE",
    "huge",
    "Huge",
    "displaystyle",
    "left",
    "right",
    "quad",
    "qquad",
    "boldsymbol",
    "bm",
    "rightarrow",
    "Rightarrow",
];
pub(super) const BOXES: [&str; 3] = ["boxed", "fbox", "framebox"];
pub(super) const FRACTIONS: [&str; 3] = ["frac", "dfrac", "tfrac"];

/// The character for a command.
pub(super) fn symbol(command: &str) -> Option<char> {
    Some(match command {
        "circ" | "degree" => '°',
        "angle" => '∠',
        "times" => '×',
        "pi" => 'π',
        "sqrt" => '√',
        "triangle" => '△',
        "pm" => '±',
        "infty" => '∞',
        "le" | "leq" => '≤',
        "ge" | "geq" => '≥',
        "neq" => '≠',
        _ => return None,
    })
}

/// Removes braces around a single mark: "3{:}05".
pub(super) fn bare(chars: Vec<char>) -> Vec<char> {
    if !chars.contains(&'{') {
        return chars;
    }
    let mut out = Vec::with_capacity(chars.len());
    let mut at = 0;
    while at < chars.len() {
        match chars[at..] {
            ['{', mark @ (':' | ','), '}', ..] => {
                out.push(mark);
                at += 3;
            }
            _ => {
                out.push(chars[at]);
                at += 1;
            }
        }
    }
    out
}

/// Reads "{1}{2}" as "1/2" and returns its end. `None` if there are no numbers in the braces.
pub(super) fn fraction(chars: &[char], from: usize) -> Option<(usize, Vec<char>)> {
    let (mut word, mut at) = (Vec::new(), from);
    for _ in 0..2 {
        let rest = chars.get(at..)?.strip_prefix(&['{'])?;
        let digits = rest
            .iter()
            .take(9)
            .take_while(|c| c.is_ascii_digit())
            .count();
        if digits == 0 || rest.get(digits) != Some(&'}') {
            return None;
        }
        if !word.is_empty() {
            word.push('/');
        }
        word.extend(&rest[..digits]);
        at += digits + 2;
    }
    Some((at, word))
}
