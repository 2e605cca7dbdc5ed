//! A denial that there is what a question asks for: "There is no dog in the picture."

use super::fold::{fold, script};

/// What asks whether something is there.
const EXISTS: [&str; 31] = [
    " is there ",
    " are there ",
    " is anyone ",
    " is anybody ",
    " do you see ",
    " can you see ",
    " y a t il ",
    " est ce qu il y a ",
    " gibt es ",
    " ist ein ",
    " hay ",
    " há ",
    " existe ",
    " c è ",
    " ci sono ",
    " есть ",
    " є ",
    " is er ",
    " zijn er ",
    " czy jest ",
    " czy są ",
    " apakah ada ",
    "有",
    "いますか",
    "ありますか",
    "写っていますか",
    "있습니까",
    "있나요",
    "있어요",
    "보입니까",
    "보이나요",
];
/// What makes such a question one that denies.
const DENIES: [&str; 34] = [
    " not ",
    " n t ",
    " no ",
    " without ",
    " never ",
    " nothing ",
    " pas ",
    " sans ",
    " kein ",
    " keine ",
    " nicht ",
    " ohne ",
    " sin ",
    " não ",
    " sem ",
    " non ",
    " senza ",
    " не ",
    " нет ",
    " без ",
    " немає ",
    " geen ",
    " niet ",
    " nie ",
    " bez ",
    " tidak ",
    "没有",
    "沒有",
    "不",
    "没",
    "ない",
    "ません",
    "없",
    "않",
];
/// What denies that there is what follows.
const NONE_BEFORE: [&str; 66] = [
    "there is no ",
    "there are no ",
    "there isn't any ",
    "there isn't a ",
    "there isn't an ",
    "there is not a ",
    "there is not an ",
    "there is not any ",
    "there aren't any ",
    "there are not any ",
    "i see no ",
    "i can see no ",
    "i don't see any ",
    "i don't see a ",
    "i don't see an ",
    "i do not see any ",
    "i do not see a ",
    "i do not see an ",
    "i can't see any ",
    "i can't see a ",
    "i cannot see any ",
    "i cannot see a ",
    "there's no ",
    "il n'y a pas de ",
    "il n'y a pas d'",
    "il n'y a aucun ",
    "il n'y a aucune ",
    "je ne vois pas de ",
    "je ne vois aucun ",
    "je ne vois aucune ",
    "es gibt keine ",
    "es gibt keinen ",
    "es gibt kein ",
    "ich sehe keine ",
    "ich sehe keinen ",
    "ich sehe kein ",
    "no hay ningún ",
    "no hay ninguna ",
    "no hay ",
    "no veo ningún ",
    "no veo ninguna ",
    "não há nenhum ",
    "não há nenhuma ",
    "não há ",
    "não vejo nenhum ",
    "não vejo nenhuma ",
    "non c'è nessun ",
    "non c'è nessuna ",
    "non c'è ",
    "non ci sono ",
    "non vedo nessun ",
    "er is geen ",
    "er zijn geen ",
    "ik zie geen ",
    "нет ",
    "здесь нет ",
    "я не вижу ",
    "немає ",
    "nie ma ",
    "nie widzę ",
    "tidak ada ",
    "没有",
    "沒有",
    "看不到",
    "没看到",
    "沒看到",
];
/// What denies that there is what stands before.
const NONE_AFTER: [&str; 24] = [
    " нет",
    " не видно",
    " немає",
    "はいません",
    "はありません",
    "は写っていません",
    "は見えません",
    "は見当たりません",
    "がいません",
    "はいない",
    "はない",
    "は写っていない",
    "이 없습니다",
    "가 없습니다",
    "은 없습니다",
    "는 없습니다",
    "이 보이지 않습니다",
    "가 보이지 않습니다",
    "은 보이지 않습니다",
    "는 보이지 않습니다",
    "이 없어요",
    "가 없어요",
    "은 없어요",
    "는 없어요",
];
/// Where that is said to be.
const PLACES: [&str; 51] = [
    "in the picture",
    "in the image",
    "in the photo",
    "in this picture",
    "in this image",
    "in this photo",
    "sur l'image",
    "sur la photo",
    "dans l'image",
    "auf dem bild",
    "im bild",
    "auf dem foto",
    "en la imagen",
    "en la foto",
    "na imagem",
    "na foto",
    "nell'immagine",
    "nella foto",
    "op de foto",
    "op de afbeelding",
    "in de afbeelding",
    "на картинке",
    "на изображении",
    "на фото",
    "на фотографии",
    "на зображенні",
    "na zdjęciu",
    "na obrazku",
    "di gambar",
    "dalam gambar",
    "图片中",
    "圖片中",
    "图片里",
    "圖片裡",
    "图中",
    "圖中",
    "图里",
    "画面中",
    "畫面中",
    "照片中",
    "照片里",
    "图片上",
    "写真に",
    "写真には",
    "画像に",
    "画像には",
    "사진에는 ",
    "사진에 ",
    "이미지에 ",
    "이미지에는 ",
    "그림에 ",
];
/// Words that say no more than that.
const ANYWHERE: [&str; 12] =
    ["here", "visible", "shown", "present", "any", "ici", "hier", "aquí", "aqui", "qui", "здесь", "тут"];
/// What turns from a denial.
const TURNS: [&str; 32] = [
    " but ",
    " however ",
    " although ",
    " though ",
    " except ",
    " mais ",
    " aber ",
    " sondern ",
    " doch ",
    " pero ",
    " mas ",
    " ma ",
    " maar ",
    " но ",
    " а ",
    " ale ",
    " tapi ",
    " tetapi ",
    "但",
    "不过",
    "而是",
    "しかし",
    "でも",
    "ですが",
    "하지만",
    "그러나",
    "지만",
    " or ",
    " unless ",
    " maybe ",
    " perhaps ",
    " only if ",
];

/// Longest text, in characters, that is read as a denial.
const LONG: usize = 600;

fn plain(text: &str) -> String {
    let mut folded = Vec::new();
    text.chars().for_each(|c| fold(c, &mut folded));
    folded.into_iter().flat_map(char::to_lowercase).collect()
}

/// A text in small letters, with a blank for each mark, and one around.
fn words(text: &str) -> String {
    let blank = |c: char| if script(c) == 0 { ' ' } else { c };
    let plain: String = plain(text).chars().map(blank).collect();
    format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether a text denies that there is what a question asks for, in the question's words and nothing else.
pub(super) fn denies(question: &str, text: &str) -> bool {
    let first: String = question.split('\n').next().unwrap_or_default().chars().take(400).collect();
    let question = words(&first);
    let has = |text: &str, some: &[&str]| some.iter().any(|word| text.contains(word));
    if text.chars().nth(LONG).is_some() || !has(&question, &EXISTS) {
        return false;
    }
    let asked = ["有没有", "有沒有", "是否有"].iter().fold(question.clone(), |asked, word| asked.replace(word, ""));
    if has(&asked, &DENIES) || has(&words(text), &TURNS) {
        return false;
    }
    let mut found = false;
    for part in plain(text).split(['\n', '。', '!', ';', '.']).map(str::trim).filter(|part| !part.is_empty()) {
        let part = part.split(',').next().unwrap_or_default().trim().to_string();
        let part = PLACES.iter().fold(part, |part, place| part.replace(place, "").trim().to_string());
        let rest = NONE_BEFORE.iter().find_map(|word| part.strip_prefix(word));
        let rest = rest.or_else(|| NONE_AFTER.iter().find_map(|word| part.strip_suffix(word)));
        let Some(rest) = rest else { continue };
        let rest = words(rest);
        if rest.trim().is_empty() || !rest.split_whitespace().all(|word| is_asked_for(&question, word)) {
            return false;
        }
        found = true;
    }
    found
}

/// Whether a question has a word, in this form or another: all but its last letters count.
fn is_asked_for(question: &str, word: &str) -> bool {
    if ANYWHERE.contains(&word) {
        return true;
    }
    if word.chars().next().is_some_and(|c| script(c) == 3) {
        return question.contains(word);
    }
    let count = word.chars().count();
    let kept: String = word.chars().take(count - [0, 0, 0, 0, 1, 1].get(count).copied().unwrap_or(2)).collect();
    question.contains(&format!(" {kept}"))
}
