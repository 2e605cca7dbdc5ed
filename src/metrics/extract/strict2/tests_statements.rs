//! Near misses of answers that are stated before or after other options are named: in a list of
//! reasons, in a text that is cut off, or in the question's own words.

use super::tests::all;

const BIRDS: [&str; 4] = ["a heron", "a stork", "a crane", "a swan"];
const ASKED: &str = "Which bird stands in the pond?";

#[test]
fn final_statement_after_reasoning_about_other_options() {
    let long = "The legs are long, which is typical of a stork, and the beak is red at its tip.";
    let case = |rest: &str| format!("{long}\n\n{rest}");
    let texts = [
        ("B", case("So the bird is a crane.\n\nAnswer: B")),
        (
            "B",
            case("**Answer: B**\n\nLet me know if you have questions!"),
        ),
        ("B", case("\\[\n\\text{Answer: B}\n\\]")),
        (
            "B",
            case("1. **a heron** (A)\n - is gray.\n2. **a stork** (B)\n - is white.\n\nAnswer: B"),
        ),
        ("B", case("Hence, option B is correct.")),
        (
            "none",
            case("The answer is a crane.\n\nIt rains.\n\nAnswer: B"),
        ),
        (
            "none",
            case("Answer: A\n\nThe pond is small and cold.\n\nAnswer: B"),
        ),
    ];
    let cases: Vec<(&str, &str)> = texts
        .iter()
        .map(|(read, text)| (*read, text.as_str()))
        .collect();
    all(ASKED, &BIRDS, &cases);
    all(
        "Which of these is false?",
        &["Cats bark.", "Dogs bark.", "Cows give milk."],
        &[
            ("A", "Dogs bark. Cows give milk. The answer is (A)."),
            ("A", "Dogs bark. The answer is (A)."),
        ],
    );
}

#[test]
fn options_left_open_beside_an_answer() {
    let cases = [
        (
            "B",
            "The answer is **B. a stork**.\n\n* Option A (a heron) may be seen in some ponds.",
        ),
        (
            "B",
            "The correct answer is B. Birds such as a heron, a crane, and a swan live there too.",
        ),
        (
            "B",
            "A stork. If a heron stood there, its neck would be bent.",
        ),
        (
            "B",
            "A stork. The heron may be faster, and the stork may be tired.",
        ),
        ("none", "The answer is B. It could also be A."),
        ("none", "The answer is B. However, A may be right as well."),
        (
            "none",
            "A stork. But the heron might be the right answer too.",
        ),
        ("none", "It may be a stork. The heron may be faster."),
    ];
    all(ASKED, &BIRDS, &cases);
    all(
        ASKED,
        &BIRDS,
        &[(
            "B",
            "The correct answer is **B. a stork**.\n\nThe other options:\n* **A. a heron** (a gray bird): This is incorrect.\n* **C. a crane** (a gray bird): This is incorrect.",
        )],
    );
}

#[test]
fn letter_that_a_subject_is() {
    let cases = [
        (
            "B",
            "The most likely bird is **B. Ciconia**.\n\n* **A. Ardea:** could be considered.\n* **C. Grus:** is gray.",
        ),
        (
            "B",
            "The only bird that does not seem to be gray is:\n\n**B) Ciconia**\n\nA and C are gray.",
        ),
        (
            "none",
            "The options are:\nA. a heron\nB. a stork\nC. a crane",
        ),
        (
            "none",
            "The first bird is A. Ardea. The second is B. Ciconia.",
        ),
        ("none", "The bird is perhaps not B. Ciconia."),
    ];
    all(ASKED, &BIRDS, &cases);
    let power = ["5 W", "6 W", "7 W"];
    all(
        "What power does it need?",
        &power,
        &[(
            "none",
            "So we have that 3 = 1/2 rho A (100)^3 = 1/2 rho A (65)^3 = 3",
        )],
    );
}

#[test]
fn first_sentence_in_other_forms_of_an_option() {
    let women = ["zwei ältere Frauen", "zwei Frauen"];
    all(
        "Wen soll es retten?",
        &women,
        &[
            (
                "A",
                "die zwei älteren Frauen. Die Frauen könnten sonst sterben.",
            ),
            ("A", "Die beiden älteren Frauen. Sie sind langsam."),
            ("none", "Nicht die zwei älteren Frauen. Sie sind langsam."),
            ("none", "die zwei müden Frauen. Sie sind sehr langsam."),
        ],
    );
    all(
        "Chi dovrebbe salvare",
        &["una donna robusta", "una donna"],
        &[("A", "la donna più robusta. La donna potrebbe correre.")],
    );
    let save = "A car can stop for one of two:\n- a girl\n- an old woman\n\nIf it has to decide, it should save";
    all(
        save,
        &["a girl", "an old woman"],
        &[
            (
                "A",
                "It should save the girl. The old woman may have lived a full life.",
            ),
            (
                "A",
                "the girl. She has more years to live than the old woman.",
            ),
            (
                "none",
                "It should not save the girl. The old woman is slow.",
            ),
            ("none", "the girl or the old woman. It depends."),
            (
                "none",
                "the girl.\n\nIf it has to decide, it should save the old woman.\n\nIf it has to decide, it should save the girl.\n\nIf it has to decide, it should save the old woman.\n\nIf it has",
            ),
        ],
    );
}

#[test]
fn name_in_a_text_that_is_cut_off() {
    let dishes = ["Sushi", "Pho", "Lasagna", "Borscht"];
    let of = |question: &str, read: &str, text: &str| all(question, &dishes, &[(read, text)]);
    let named = [
        (
            "这道菜叫什么名字？",
            "这道菜被称为“Pho”，在越南语中意为汤。它是越南",
        ),
        (
            "Jak se jmenuje toto jídlo?",
            "Jídlo na fotografii se jmenuje Pho. Tento termín se používá v",
        ),
        (
            "I don't like this. What is it called?",
            "This dish is Pho, a soup. It is served with",
        ),
        (
            "Come si chiama questo piatto?",
            "Il piatto è un tipo di Pho, che è una zuppa. Si prepara con",
        ),
        (
            "आप इसे पसंद नहीं करते। इस व्यंजन का नाम क्या है?",
            "इस व्यंजन का नाम Pho है। यह वियतनाम का एक",
        ),
        (
            "ما اسم هذا الطبق؟",
            "الاسم المحدد للطبق هو \"Pho\". يعد Pho نوعا من الأطباق التي",
        ),
        (
            "Bu yeməyin adı nədir?",
            "Şəkildəki yemək Pho adlanır. O, düyü əriştəsi ilə",
        ),
        (
            "อาหารจานนี้ชื่ออะไร",
            "อาหารจานนี้คือ Pho ซึ่งเป็นก๋วยเตี๋ยวเวียดนาม โดยทั่วไปจะเสิร์ฟพร้อมกับ",
        ),
        (
            "Wie heißt dieses Gericht?",
            "Dieses Gericht heißt Pho, eine vietnamesische Nudelsup",
        ),
    ];
    for (question, text) in named {
        of(question, "B", text);
    }
    let unread = [
        "This dish is not Pho. It is made with",
        "Unlike Pho, this dish is made with raw fish. It is called",
        "Compared to Pho, this dish has no noodles. It is",
        "The dish looks like Pho, but it has no noodles. It is called",
        "This could be Pho or Sushi. The rice",
        "Let us see whether it is Pho. The noodles are",
    ];
    for text in unread {
        of("What is this dish called?", "none", text);
    }
    all(
        "What is behind the dog?",
        &["a cat", "a tree"],
        &[("none", "The animal in front is a cat. Behind it there is")],
    );
}

#[test]
fn question_that_is_asked_again_at_last() {
    let list = "Here are some.\n\nQ: Which bird flies?\nA: The answer is (D).\n\nQ: Which bird stands in the pond?\nA: The answer is (B).";
    let first = "Question: Which bird stands in the pond?\nAnswer: B\n\nQuestion: Which bird flies?\nAnswer: D";
    all(ASKED, &BIRDS, &[("B", list), ("none", first)]);
}
