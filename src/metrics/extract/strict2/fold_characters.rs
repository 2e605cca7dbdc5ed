//! Maps characters with several forms to one.

/// Appends a character in normalized form: full width as plain, Ⓑ as (B), all quotes as one,
/// direction marks dropped.
pub(super) fn fold(c: char, out: &mut Vec<char>) {
    let one = match c {
        '*' | '_' | '`' | '~' | '#' | '$' => '*',
        '\r' | '\t' => ' ',
        c if c.is_ascii() => c,
        'ё' => 'е',
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ى' | 'ی' => 'ي',
        'ک' => 'ك',
        'ı' => 'i',
        'İ' => 'I',
        '☑' | '✅' | '✔' => '✓',
        '❌' | '✘' | '✖' => '✗',
        '，' | '、' | '،' => ',',
        '؟' => '?',
        '؛' => ';',
        '।' | '۔' | '｡' => '。',
        '【' => '[',
        '】' => ']',
        '〔' => '(',
        '〕' => ')',
        '⟨' => '<',
        '⟩' | '→' | '⇒' => '>',
        '‖' => '|',
        '•' | '·' | '▪' | '・' | '¿' | '¡' | '\u{3000}' | '\u{202f}' | '\u{205f}' => ' ',
        '\u{2028}' | '\u{2029}' => '\n',
        '\u{2212}' => '-',
        '‘' | '’' | '‛' | 'ʼ' | '′' | '＇' => '\'',
        '“' | '”' | '„' | '«' | '»' | '‹' | '›' | '「' | '」' | '『' | '』' | '《' | '》'
        | '＂' => '"',
        '\u{ff01}'..='\u{ff5e}' => return fold(at(u32::from(c) - 0xfee0), out),
        '\u{24b6}'..='\u{24e9}' => return enclosed((u32::from(c) - 0x24b6) % 26, out),
        '\u{1f130}'..='\u{1f149}' | '\u{1f150}'..='\u{1f169}' | '\u{1f170}'..='\u{1f189}' => {
            return enclosed((u32::from(c) - 0x1f130) % 32, out);
        }
        '\u{1d400}'..='\u{1d6a3}' => match (u32::from(c) - 0x1d400) % 52 {
            n if n < 26 => at(65 + n),
            n => at(71 + n),
        },
        '\u{2010}'..='\u{2015}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' => ' ',
        '\u{feff}' | '\u{ad}' | '\u{640}' | '\u{670}' | '\u{20e3}' => return,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => return,
        '\u{fe00}'..='\u{fe0f}' | '\u{64b}'..='\u{652}' => return,
        c => c,
    };
    out.push(one);
}

fn at(code: u32) -> char {
    char::from_u32(code).unwrap_or(' ')
}

fn enclosed(n: u32, out: &mut Vec<char>) {
    out.extend(['(', at(65 + n), ')']);
}

/// The script class of a character: 0 not part of a word, 1 Latin letters and digits, 2 other
/// letters, 3 written without spaces.
pub(super) fn script(c: char) -> u8 {
    match u32::from(c) {
        _ if c.is_ascii() => u8::from(c.is_ascii_alphanumeric()),
        0x2713 | 0x2717 => 3,
        0..0xc0 | 0xd7 | 0xf7 | 0x2000..=0x2bff | 0x3000..=0x3004 | 0x3008..=0x3020 => 0,
        0xfe10..=0xfe6f | 0x1f000..0x20000 | 0x60c | 0x61b | 0x61f | 0x6d4 | 0x964 | 0x965 => 0,
        0xc0..0x250 | 0x1e00..=0x1eff | 0x300..=0x36f => 1,
        0xe00..=0xe7f
        | 0x1100..=0x11ff
        | 0x3005..=0x9fff
        | 0xac00..=0xd7ff
        | 0xf900..=0xfaff
        | 0x20000.. => 3,
        _ => 2,
    }
}
