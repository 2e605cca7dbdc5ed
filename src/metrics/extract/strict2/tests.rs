//! Near misses of each class that the rule reads: denied, hedged, truncated, quoted, or followed by
//! another option.

use super::read;
use crate::extract::{Asked, Read};
use benchtop_model::{Choice, QuestionKind, Role};

const ANIMALS: [&str; 4] = ["cat", "dog", "rabbit", "horse"];

fn of(question: &str, options: &[&str], output: &str) -> String {
    let choice = |text: &&str| Choice {
        text: text.to_string(),
        role: Role::Distractor,
    };
    let options: Vec<Choice> = options.iter().map(choice).collect();
    let kind = if options.is_empty() {
        QuestionKind::YesNo
    } else {
        QuestionKind::MultipleChoice
    };
    let (read, _) = read(
        &Asked {
            instruction: question,
            kind,
            options: &options,
        },
        output,
        None,
    );
    read.answer().unwrap_or_else(|| {
        if read == Read::Refused {
            "refused".into()
        } else {
            "none".into()
        }
    })
}

/// Checks each output against its expected reading.
pub(super) fn all(question: &str, options: &[&str], cases: &[(&str, &str)]) {
    let read: Vec<(&str, String)> = cases
        .iter()
        .map(|(_, output)| (*output, of(question, options, output)))
        .collect();
    let meant: Vec<(&str, String)> = cases
        .iter()
        .map(|(read, output)| (*output, read.to_string()))
        .collect();
    assert_eq!(read, meant);
}

fn animals(cases: &[(&str, &str)]) {
    all("Which animal is on the sofa?", &ANIMALS, cases);
}

#[test]
fn truncated_text_may_name_options_in_passing() {
    animals(&[
        (
            "none",
            "To find out, we look at the fur. A dog has short fur, and the animal in the picture",
        ),
        (
            "none",
            "The fur is short. The ears hang down like those of a dog. The correct answer is",
        ),
        (
            "none",
            "Let us go through the options. A: cat. A cat has whiskers, which",
        ),
        ("none", "I look at the ears first. They are long. A rabbit"),
        ("none", "Auf dem Foto sieht man einen dog und daneben"),
        ("none", "На фото видна dog, а рядом с ней"),
        ("none", "写真にはdogが写っており、その隣に"),
        (
            "none",
            "It is a dog that is lying on the left. The other animal, which",
        ),
        ("B", "B. dog. The ears hang down, and the tail is"),
        ("B", "The answer is B, because the ears hang down and the"),
        ("B", "A dog"),
        ("B", "There is a dog on the sofa"),
        ("B", "The fur is short.\n\nDog"),
    ]);
}

#[test]
fn reported_answers_are_not_answers() {
    animals(&[
        ("none", "Someone says it's a dog."),
        ("none", "有人说是B。"),
        ("none", "My friend says it's B, others say it's C."),
        ("B", "I'd say it's a dog."),
    ]);
}

#[test]
fn preferred_option_is_the_answer() {
    animals(&[
        ("C", "C rather than B."),
        ("C", "C instead of B."),
        ("C", "C is more likely than B."),
        ("C", "C statt B."),
        ("C", "C plutôt que B."),
        ("C", "BよりもCの方が適切です。"),
        ("C", "It is a rabbit rather than a dog."),
        ("none", "Neither C nor B is more likely than the other."),
        ("none", "Is C more likely than B?"),
        ("none", "It could be C rather than B."),
        ("none", "Not C rather than B."),
    ]);
}

#[test]
fn answer_after_a_colon_or_a_but() {
    animals(&[
        ("C", "Wait, the ears are long: C."),
        ("C", "Not a cat, not a dog: a rabbit."),
        ("C", "Not sure, but C."),
        ("C", "At first I thought of B, but it is C."),
        ("none", "The following can be excluded: C."),
        ("none", "One could think of this: C."),
        ("none", "Two fit, B and this: C or D."),
        ("none", "Not sure, but not C."),
        ("none", "It isn't B, but it might be C."),
        (
            "none",
            "At first I thought of B, but then of something else.",
        ),
    ]);
}

#[test]
fn remaining_option_if_the_others_are_denied() {
    animals(&[
        ("B", "It's neither a cat nor a rabbit; a dog lies there."),
        ("D", "A, B and C don't fit, so D."),
        ("none", "It's neither a cat nor a rabbit."),
        ("none", "It's not a cat; perhaps a dog lies there."),
        ("none", "It's not a cat. A dog or a rabbit lies there."),
        ("none", "It's not a cat; a dog does not lie there either."),
    ]);
}

#[test]
fn verdicts_in_a_list() {
    animals(&[
        ("D", "A: no\nB: no\nC: no\nD: yes"),
        ("D", "A ✗\nB ✗\nC ✗\nD ✓"),
        (
            "C",
            "A. cat: the ears are too long, wrong\nB. dog: wrong\nC. rabbit: the ears fit, correct\nD. horse: wrong",
        ),
        ("B", "Cat? No. Dog? Yes."),
        ("none", "A: no\nB: no\nC: no\nD: no"),
        ("none", "A: yes\nB: yes\nC: no\nD: no"),
        ("none", "A: no\nB: maybe\nC: maybe\nD: no"),
        ("none", "Cat? No. Dog? Maybe."),
        ("none", "A. cat B. dog C. rabbit D. horse"),
        (
            "none",
            "The options are: A. cat B. dog C. rabbit D. horse. The",
        ),
    ]);
}

#[test]
fn statement_in_the_words_of_the_question() {
    let question = "Which of the pictures shows a reptile?";
    let pictures = ["Picture A", "Picture B", "Picture C", "Picture D"];
    all(
        question,
        &pictures,
        &[
            (
                "D",
                "A is a frog, B is a newt, C is a fish. Only D shows a reptile.",
            ),
            (
                "none",
                "A is a frog, B is a newt, C is a fish. D does not show a reptile.",
            ),
            (
                "none",
                "A is a frog, B is a newt. It is unclear whether D shows a reptile.",
            ),
            ("none", "A is a frog. C shows a reptile. D shows a reptile."),
        ],
    );
    animals(&[
        ("B", "The cat is on the chair. The dog is on the sofa."),
        (
            "none",
            "The cat is on the chair. The dog might be on the sofa.",
        ),
        (
            "none",
            "The cat is on the chair. The dog is not on the sofa.",
        ),
    ]);
}

#[test]
fn question_for_the_false_statement() {
    let sales = ["Sales rose", "Sales fell", "Costs rose", "Costs fell"];
    all(
        "Which statement about the chart is false?",
        &sales,
        &[
            (
                "B",
                "B is false, since no bar is lower than the one before.",
            ),
            ("B", "A is true. C is true. D is true. So B."),
            ("B", "The answer is B."),
            ("none", "A is true. C is true."),
        ],
    );
    all(
        "Which statement about the chart is true?",
        &sales,
        &[("none", "B is false."), ("A", "A is true.")],
    );
}

#[test]
fn contradictory_letter_and_text() {
    animals(&[
        ("none", "A dog (C)"),
        ("none", "(A) (B)"),
        ("none", "Aのdogです。"),
        ("none", "A... or C... I can't tell."),
        ("B", "A dog (B)"),
    ]);
}

#[test]
fn doubt_that_names_one_option() {
    animals(&[
        ("B", "Perhaps it is B."),
        ("B", "I'm not sure, but I'd guess B."),
        ("none", "Perhaps it is B, or perhaps it is C."),
        ("none", "It could be B."),
        ("none", "B is possible, and so is C."),
        ("none", "It depends on the light: B or C."),
        ("none", "At least B."),
    ]);
}

#[test]
fn boxed_latex() {
    all(
        "How large is x?",
        &["-2 V", "-4 V", "60°", "3:05"],
        &[
            (
                "B",
                "\\[ V_o = -4\\ \\text{V} \\]\n\\[\\boxed{-4\\ \\text{V}}\\]",
            ),
            ("C", "$\\boxed{60^{\\circ}}$"),
            ("D", "$3{:}15 - 10 = \\boxed{3{:}05}$"),
            ("none", "$\\boxed{4\\ \\text{V}}$"),
        ],
    );
}

#[test]
fn model_asks_a_question_after_its_answer() {
    animals(&[
        (
            "A",
            "A. cat\n\nWhat is the name of the street?\nA. Main Street\nB. High Street\nAnswer: B",
        ),
        ("B", "A\nWait, is it really a cat?\nNo, the answer is B."),
    ]);
}

#[test]
fn yes_and_no_as_statements() {
    all(
        "Is the man wearing a hat?",
        &[],
        &[
            ("yes", "The man is wearing a hat."),
            ("yes", "The man is wearing a black hat."),
            ("yes", "He is wearing a hat."),
            ("no", "The man is not wearing a hat."),
            ("no", "He has no hat."),
            ("none", "The woman is wearing a hat."),
            ("none", "The woman next to the man is wearing a hat."),
            ("none", "The man is wearing a cap."),
            ("none", "The man might be wearing a hat."),
            (
                "none",
                "The question asks whether the man is wearing a hat.",
            ),
            ("none", "Is the man wearing a hat?"),
            (
                "none",
                "The man stands on the left. The man is wearing a hat or",
            ),
            ("none", "Someone says that the man is wearing a hat."),
            ("none", "If the man is wearing a hat, it is small."),
            ("none", "The man is wearing a hat, but it is hardly one."),
        ],
    );
    all(
        "Is the man taller than the woman?",
        &[],
        &[
            ("yes", "The man is taller than the woman."),
            ("no", "The man is not taller than the woman."),
            ("none", "The woman is taller than the man."),
            ("none", "The man is taller than the boy."),
        ],
    );
    all(
        "Is there a dog in the picture?",
        &[],
        &[
            ("yes", "There is a dog in the picture."),
            ("yes", "In the picture, yes."),
            ("no", "I see no dog."),
            ("no", "Probably not."),
            ("none", "There is no big dog, but a small one."),
            ("none", "There is a cat in the picture."),
            ("none", "Yes No Yes No Yes No"),
            ("none", "Yes, if the toy counts. Otherwise, no."),
        ],
    );
    all(
        "Is the statement \"it rains\" true?",
        &[],
        &[
            ("no", "The statement is not true."),
            ("yes", "That statement is true."),
            ("none", "The statement may be true."),
        ],
    );
    all(
        "¿El niño tiene un globo?",
        &[],
        &[
            ("yes", "El niño tiene un globo."),
            ("yes", "Tiene un globo rojo."),
            ("no", "No tiene ningún globo."),
            ("none", "La niña tiene un globo."),
            ("none", "El niño podría tener un globo."),
        ],
    );
    all(
        "この部屋に窓はありますか。",
        &[],
        &[
            ("yes", "この部屋には窓があります。"),
            ("no", "この部屋に窓はありません。"),
            ("none", "窓があるかもしれません。"),
            ("refused", "窓があるかどうかはわかりません。"),
        ],
    );
}

#[test]
fn words_are_read_in_the_language_of_the_text() {
    // "se" is a condition in Italian and Portuguese, "no" means "in the" in Portuguese; in Spanish
    // they are neither.
    all(
        "¿Qué animal aparece en la foto?",
        &["gato", "perro", "conejo"],
        &[
            ("B", "En la foto se ve un perro."),
            ("C", "C, no B."),
            ("none", "No es un perro."),
        ],
    );
    all(
        "Kadın ne içiyor?",
        &["çay", "kahve", "su"],
        &[("B", "Doğru cevap B'dir."), ("none", "Kahve değil.")],
    );
}

#[test]
fn statement_with_another_value_means_no() {
    let door = [
        ("no", "The door is closed."),
        ("no", "It's closed."),
        ("yes", "The door is open."),
        ("none", "The window is closed."),
        ("none", "The door might be closed."),
        ("none", "The door is wooden."),
    ];
    all("Is the door open?", &[], &door);
    let cats = [
        ("no", "There are three cats in the picture."),
        ("none", "There are cats in the picture."),
        ("none", "One cat is on the left, one is on the right."),
        ("none", "There might be three cats."),
    ];
    all("Are there two cats in the picture?", &[], &cats);
    let more = [
        ("yes", "There are three cats."),
        ("no", "There are two cats."),
        ("none", "There are cats."),
        ("none", "There may be three cats."),
    ];
    all("Are there more than two cats?", &[], &more);
    let plates = [
        ("yes", "There are six cups and four plates."),
        ("no", "There are fewer cups than plates."),
        ("none", "There are six cups."),
    ];
    all("Are there more cups than plates?", &[], &plates);
    all(
        "Does the sign say \"stop\"?",
        &[],
        &[
            ("no", "The sign says \"yield\"."),
            ("none", "It says \"yield\"."),
        ],
    );
    all(
        "图中的门是开着的吗？",
        &[],
        &[
            ("no", "门是关着的。"),
            ("yes", "门是开着的。"),
            ("none", "窗户是关着的。"),
        ],
    );
}

#[test]
fn question_for_the_missing_thing() {
    let cases = [
        ("C", "There is no clock."),
        ("C", "A clock is not visible."),
        ("C", "The answer is C."),
        ("none", "There is a sofa."),
        ("none", "There is no clock and no lamp."),
        ("none", "It is not C."),
    ];
    all(
        "Which of these is not visible in the picture?",
        &["a lamp", "a sofa", "a clock", "a rug"],
        &cases,
    );
}
