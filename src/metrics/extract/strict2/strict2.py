"""The rule strict@2: what a model's output commits itself to, and nothing else. A port of benchtop's own code, held to it by its tests.

`read(options, kind, output)` gives the place of an option, "yes", "no", "refused", or None where the output commits itself to nothing.
"""

import json

CLASSES = ["cue", "final", "so", "noun", "right", "is", "link", "not", "hedge", "or", "and", "if", "but", "wait", "weak", "reason",
           "refuse", "yes", "no", "open", "plain", "yes_word", "no_word", "over", "lean", "mild", "mid", "true", "false", "depends", "though", "first"]
(CUE, FINAL, SO, NOUN, RIGHT, IS, LINK, NOT, HEDGE, OR, AND, IF, BUT, WAIT, WEAK, REASON, REFUSE, YES, NO, OPEN, PLAIN, YES_WORD,
 NO_WORD, OVER, LEAN, MILD, MID, TRUE, FALSE, DEPENDS, THOUGH, FIRST) = (1 << at for at in range(len(CLASSES)))

FOLD = {"ё": "е", "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ک": "ك", "ی": "ي", "ı": "i", "İ": "I", "☑": "✓", "✅": "✓",
        "✔": "✓", "❌": "✗", "✘": "✗", "✖": "✗", "，": ",", "、": ",", "،": ",", "؟": "?", "؛": ";", "।": "。", "۔": "。", "｡": "。",
        "【": "[", "】": "]", "〔": "(", "〕": ")", "⟨": "<", "⟩": ">", "→": ">", "⇒": ">", "‖": "|", "•": " ", "·": " ", "▪": " ",
        "・": " ", "¿": " ", "¡": " ", "\r": " ", "\t": " ", "\u2028": "\n", "\u2029": "\n", "\u3000": " ", "\u202f": " ",
        "\u205f": " ", "\u2212": "-", "*": "*", "_": "*", "`": "*", "~": "*", "#": "*", "$": "*"}
for _c in "‘’‛ʼ′＇":
    FOLD[_c] = "'"
for _c in "“”„«»‹›「」『』《》＂":
    FOLD[_c] = '"'
OUT = [(0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2069), (0xFE00, 0xFE0F), (0x64B, 0x652)]
OUT_ONE = (0xFEFF, 0xAD, 0x640, 0x670, 0x20E3)
MARKUP = {"text", "textbf", "textit", "textrm", "texttt", "textsf", "mathrm", "mathbf", "mathit", "mathsf", "mathtt", "mathbb", "mathcal",
          "mathnormal", "rm", "bf", "it", "sf", "tt", "em", "emph", "underline", "operatorname", "mbox", "hbox", "large", "Large",
          "LARGE", "huge", "Huge", "displaystyle", "left", "right", "quad", "qquad", "boldsymbol", "bm", "rightarrow", "Rightarrow"}
SYMBOLS = {"circ": "°", "degree": "°", "angle": "∠", "times": "×", "pi": "π", "sqrt": "√", "triangle": "△", "pm": "±", "infty": "∞", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "neq": "≠"}
FRACTIONS = {"frac", "dfrac", "tfrac"}
BOXES = {"boxed", "fbox", "framebox"}
ANSWER_TAGS = {"answer", "ans", "finalanswer", "choice", "option", "beginofbox", "endofbox", "correctanswer", "selectedanswer", "response"}
BREAKS = {"br", "p", "div", "li", "tr", "hr"}
THOUGHTS = [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>"), ("<reasoning>", "</reasoning>"),
            ("<analysis>", "</analysis>"), ("<seed:think>", "</seed:think>"), ("◁think▷", "◁/think▷"), ("[think]", "[/think]"),
            ("<|begin_of_thought|>", "<|end_of_thought|>"), ("<unused94>", "<unused95>"), ("<|thinking|>", "<|/thinking|>"),
            ("<reflection>", "</reflection>"), ("<scratchpad>", "</scratchpad>"), ("<|channel|>analysis", "<|channel|>final<|message|>"),
            ("<|start_think|>", "<|end_think|>"), ("<thoughts>", "</thoughts>"), ("<reason>", "</reason>")]
ENDS = ["<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end_of_text|>", "<end_of_turn>", "<|end|>", "</s>", "<|return|>",
        "<|end_of_sentence|>", "<eos>", "<|im_start|>", "<|user|>", "[/inst]", "<|eom_id|>"]
FAILED = "Failed to obtain answer"
ALPHABETS = ["АБ?Г??", "аб?г??", "ΑΒΓΔΕ", "αβγδε", "ابجده", "कखगघङ", "কখগঘঙ", "אבגדה", "アイウエオ", "가나다라마", "กขคง", "甲乙丙丁戊"]
CYRILLIC = ["АБВГДЕЖЗ", "абвгдежз"]
UNCLEAR, SEVERAL = -1, -2
LONG = 60
SHORT = 12
SHORTISH = 24
NUMBERED = 30
# Longest first sentence, in words, that is held against the options.
OPENING = 8
# Longest question, in characters, that asks for a name.
NAMING = 150
# Longest text, in words and marks, whose sentences are held against the question.
LONGEST = 2000
# As many words as are looked at for the language of a text.
WORDS = 200
# Words at the ends of an option without which a sentence may name it.
ARTICLES = ("a", "an", "the", "un", "une", "ein", "eine", "einen", "una", "uno", "um", "uma", "een", "el", "la", "le", "der", "die", "das", "il", "lo", "het", "o", "os", "los", "las", "les")
ELIDED = ("l", "un", "d", "qu")
PRONOUNS = ("it", "he", "she", "they", "il", "elle", "ils", "er", "sie", "es", "ella", "él", "ele", "ela", "lui", "lei", "hij", "zij", "hun", "han", "hon", "он", "она", "они", "оно", "він", "вона")
COPULAS = ("dir", "dur", "dür", "tir", "tur", "tür")
OBJECTS = ("it", "them", "him", "her")
# Words for the numbers from 0 to 10, where they are nothing else.
NUMBERS = [
    "zero cero ноль нуль 零", "one один", "two deux zwei dos due dois duas twee два две dwa dwie två iki 两 兩 二 dva dua दो", "three trois drei tres tre três drie три trzy üç 三 tři tiga तीन",
    "four quatre vier cuatro quattro quatro четыре cztery fyra dört 四 čtyři чотири empat चार", "five cinq fünf cinco cinque vijf пять pięć fem beş 五 pět lima पाँच 다섯",
    "six sechs seis zes шесть sześć altı 六 šest шість enam छह 여섯", "seven sept sieben siete sette sete zeven семь siedem yedi 七 sedm сім tujuh सात 일곱",
    "eight huit acht ocho otto oito восемь osiem sekiz 八 osm вісім delapan आठ 여덟", "nine neuf neun nueve nove negen девять dziewięć dokuz 九 devět sembilan नौ 아홉",
    "ten dix zehn diez dieci dez tien десять dziesięć 十 deset sepuluh दस"]
# Of these, those that are articles too; and all the others.
ONES = NUMBERS[1].split()
COUNTS = {word for number in NUMBERS[2:] for word in number.split()}
# Words before a question that a model goes on to ask itself.
ASKS = ["question", "q", "user", "human", "问题", "問題", "質問", "질문", "문제", "вопрос", "питання", "frage", "pregunta", "pergunta", "domanda", "vraag",
        "pytanie", "soru", "câu hỏi", "سؤال", "السؤال", "प्रश्न", "सवाल", "pertanyaan", "คำถาม"]
# Words of which a question asks whether something is or not.
EITHER = ["有没有", "有沒有", "是不是", "是否", "能不能", "หรือไม่"]
# Words by which a question begins, and by which it is about the answer itself.
INTERROGATIVES = ("what", "which", "is", "are", "was", "were", "does", "do", "did", "has", "have", "how", "who", "whose", "where", "when", "why", "can",
                  "quel", "quelle", "que", "qui", "où", "combien", "was", "welche", "welcher", "welches", "wie", "wer", "wo", "warum", "qué", "cuál", "cuántos", "quién", "dónde",
                  "qual", "quantos", "quem", "onde", "o", "quale", "quanti", "chi", "dove", "что", "какой", "какая", "какое", "сколько", "кто", "где")
ABOUT = ("answer", "answers", "correct", "right", "sure", "option", "options", "choice", "really", "wait", "could", "it", "réponse", "antwort", "respuesta", "resposta", "risposta", "ответ")
# What asks whether something is there.
EXISTS = [" is there ", " are there ", " is anyone ", " is anybody ", " do you see ", " can you see ", " can we see ", " y a t il ", " est ce qu il y a ",
          " voit on ", " gibt es ", " ist ein ", " ist eine ", " sieht man ", " hay ", " se ve ", " há ", " existe ", " c è ", " ci sono ", " si vede ", " есть ", " є ",
          " is er ", " zijn er ", " staat er ", " czy jest ", " czy są ", " jest ", " apakah ada ", " var mi ", " có ", "有", "いますか", "ありますか",
          "写っていますか", "見えますか", "있습니까", "있나요", "있어요", "보입니까", "보이나요", " توجد ", " يوجد ", " هناك ", " मौजूद ", " कोई ", " কোনো "]
# Lists of words before a number that is a bound.
BOUNDS = ("above", "below", "least", "most")
COMPARES = {"above": ("more", "greater", "larger", "higher"), "below": ("fewer", "less", "smaller", "lower")}
# Where a question asks whether something is right.
JUDGES = ("right", 0.5)
# Longest answer, in characters, that is read as the question put as a statement.
STATED = 600
NEAR = 64

W, P, N, OPENS, CLOSES = "w", "p", "n", "o", "c"


def fold(text):
    out = []
    for c in text:
        o = ord(c)
        if o < 128:
            out.append(FOLD.get(c, c))
        elif c in FOLD:
            out.append(FOLD[c])
        elif 0xFF01 <= o <= 0xFF5E:
            c = chr(o - 0xFEE0)
            out.append(FOLD.get(c, c))
        elif 0x24B6 <= o <= 0x24E9:
            out.append("(" + chr(65 + (o - 0x24B6) % 26) + ")")
        elif 0x1F130 <= o <= 0x1F149 or 0x1F150 <= o <= 0x1F169 or 0x1F170 <= o <= 0x1F189:
            out.append("(" + chr(65 + (o - 0x1F130) % 32) + ")")
        elif 0x1D400 <= o <= 0x1D6A3:
            at = (o - 0x1D400) % 52
            out.append(chr(65 + at) if at < 26 else chr(71 + at))
        elif 0x2010 <= o <= 0x2015:
            out.append("-")
        elif o == 0xA0 or 0x2000 <= o <= 0x200A:
            out.append(" ")
        elif o in OUT_ONE or any(low <= o <= high for low, high in OUT):
            continue
        else:
            out.append(c)
    return "".join(out)


def script(c):
    """0 no part of a word, 1 Latin letters and digits, 2 other letters, 3 written without blanks."""
    o = ord(c)
    if o < 128:
        return 1 if c.isalnum() else 0
    if o in (0x2713, 0x2717):
        return 3
    if o < 0xC0 or o in (0xD7, 0xF7) or 0x2000 <= o <= 0x2BFF or 0x3000 <= o <= 0x3004 or 0x3008 <= o <= 0x3020:
        return 0
    if o == 0x3002 or 0xFE10 <= o <= 0xFE6F or o >= 0x1F000 and o < 0x20000 or o in (0x60C, 0x61B, 0x61F, 0x6D4, 0x964, 0x965):
        return 0
    if o < 0x250 or 0x1E00 <= o <= 0x1EFF or 0x300 <= o <= 0x36F:
        return 1
    if 0xE00 <= o <= 0xE7F or 0x1100 <= o <= 0x11FF or 0x3005 <= o <= 0x9FFF or 0xAC00 <= o <= 0xD7FF or 0xF900 <= o <= 0xFAFF or o >= 0x20000:
        return 3
    return 2


class Token:
    __slots__ = ("kind", "text", "raw", "blank", "marked", "script")

    def __init__(self, kind, text, raw, blank, script=0):
        self.kind, self.text, self.raw, self.blank, self.marked, self.script = kind, text, raw, blank, False, script


def lower(text):
    return "".join(c.lower() for c in text)


def tokens(text):
    """Words, marks, line ends, and where an answer is boxed in."""
    text, out, at = fold(text).replace("{:}", ":").replace("{,}", ","), Tokens(), 0
    n = len(text)
    blank, mark, braces = True, -1, []

    def put(kind, word, kind_of=0):
        nonlocal blank, mark
        token = Token(kind, lower(word) if kind == W else word, word, blank, kind_of)
        if kind == W and mark == len(out) and not blank:
            token.marked = True
        out.append(token)
        blank = False

    while at < n:
        c = text[at]
        if c == "\n":
            if out and out[-1].kind != N:
                out.append(Token(N, "\n", "\n", True))
            blank, at = True, at + 1
        elif c <= " ":
            blank, at = True, at + 1
        elif c in '*"':
            # Emphasis and quotes mark a word that they enclose.
            mark, at = len(out), at + 1
        elif c == "\\":
            end = at + 1
            while end < n and end - at < 24 and text[end].isascii() and text[end].isalpha():
                end += 1
            command = text[at + 1:end]
            if command in BOXES:
                while end < n and text[end] == " ":
                    end += 1
                if end < n and text[end] == "{":
                    put(OPENS, "{")
                    braces.append(True)
                    end += 1
                at = end
            elif command in MARKUP or not command:
                if command and end < n and text[end] == "{":
                    braces.append(None)
                    end += 1
                at = end
            elif command in SYMBOLS:
                while command == "circ" and out and out[-1].kind == P and out[-1].text in "^{":
                    out.pop()
                put(P if script(SYMBOLS[command]) == 0 else W, SYMBOLS[command], script(SYMBOLS[command]))
                at = end
            elif command in FRACTIONS and fraction(text, end):
                stop, word = fraction(text, end)
                put(W, word, 1)
                at = stop
            else:
                put(W, command, 1)
                at = end
        elif c == "<":
            end = at + 1
            while end < n and end - at < 32 and text[end] not in "<>\n ":
                end += 1
            closed = end < n and text[end] in "> "
            if closed and text[end] == " ":
                # Attributes are passed over, where there is no more than a few of them.
                stop = text.find(">", end, end + 60)
                line = text.find("\n", end, end + 60)
                closed = stop >= 0 and (line < 0 or line > stop)
                end = stop if closed else end
            body = text[at + 1:end].split(" ")[0] if closed else ""
            name = "".join(c for c in lower(body) if c.isascii() and c.isalnum())
            if closed and (len(name) > 1 or (name in ("b", "i", "u", "p", "s") and body.islower()) or body.startswith("/")) and name:
                if name in ANSWER_TAGS:
                    put(CLOSES if "/" in body or name.startswith("end") else OPENS, name)
                elif name in BREAKS and out and out[-1].kind != N:
                    out.append(Token(N, "\n", "\n", True))
                    blank = True
                at = end + 1
            else:
                put(P, c)
                at += 1
        elif c == "[" and text.startswith("[[", at):
            put(OPENS, "[[")
            at += 2
        elif c == "]" and text.startswith("]]", at):
            put(CLOSES, "]]")
            at += 2
        elif c in "{}":
            at += 1
            if c == "{":
                braces.append(False)
                put(P, c)
            else:
                was = braces.pop() if braces else False
                if was is not None:
                    put(CLOSES if was else P, "}")
        elif c == "|":
            blank, at = True, at + 1
        else:
            of = script(c)
            sign = c == "-" and at + 1 < n and text[at + 1].isdigit() and text[at + 1].isascii() and (blank or bool(out) and out[-1].kind == OPENS)
            if of == 0 and not sign:
                put(P, c)
                at += 1
                continue
            end = at + 1
            if of != 3:
                while end < n:
                    d = text[end]
                    if of and script(d) == of or (of == 2 and 0x300 <= ord(d) <= 0x36F):
                        end += 1
                    elif d in ".,:/" and text[end - 1].isascii() and text[end - 1].isdigit() and end + 1 < n and text[end + 1].isascii() \
                            and text[end + 1].isdigit():
                        end += 1
                    elif sign and d.isascii() and d.isdigit():
                        end += 1
                    else:
                        break
            put(W, text[at:end], of or 1)
            at = end
            out[-1].marked = out[-1].marked and at < n and text[at] in '*"'
    while out and out[-1].kind == N:
        out.pop()
    return out


def fraction(text, at):
    """Where "{1}{2}" ends, and "1/2"; None where numbers stand otherwise."""
    found = []
    for _ in range(2):
        end = at + 1
        while end < len(text) and end - at < 10 and text[end].isascii() and text[end].isdigit():
            end += 1
        if at >= len(text) or text[at] != "{" or end == at + 1 or end >= len(text) or text[end] != "}":
            return None
        found.append(text[at + 1:end])
        at = end + 1
    return at, "/".join(found)


def trie(phrases):
    """All phrases, by their words: at each end, the classes by language."""
    root = {}
    for at, of in enumerate(phrases[language] for language in sorted(phrases)):
        for name, words in of.items():
            if name in ECHO:
                continue
            bit = 1 << CLASSES.index(name)
            for phrase in words:
                node = root
                words_of = tokens(phrase)
                for token in words_of:
                    node = node.setdefault(token.text, {})
                # "Certainly not" denies too.
                ends = node.setdefault(None, {})
                ends[at] = ends.get(at, 0) | bit | (NOT if bit == NO and len(words_of) > 1 else 0)
    ENGLISH.append(sorted(phrases).index("en"))
    TABLE.extend(echo_table(phrases))
    MIDDLES.extend({plain_words(word) for word in phrases[language].get("mid", ())} for language in sorted(phrases))
    for at, of in enumerate(TABLE):
        for word in of["stop"]:
            STOPS.setdefault(word.strip(), []).append(at)
    return root


# Classes of words by which a statement is held against a question; they are no phrases.
ECHO = ("stop", "place", "denies", "doubts", "pronouns", "short_yes", "short_no", "turns", "joins", "claim", "holds", "fails", "inverse", "contrast", "alike", "kinds", "empty", "yet", "lone", "compounds", "every", "above", "below", "least", "most", "names")
TRIE, ENGLISH, TABLE, STOPS, MIDDLES = None, [], [], {}, []


class Tokens(list):
    """A text's tokens, and the languages that it may be in: None for all."""
    languages = None


def languages(text, question):
    """The languages that a text may be in: those of its own words, and those of the question. None for all."""
    asked = likely([question])
    if asked is None:
        return likely([text, question])
    return asked | (likely([text], least=1) or set())


# How near languages have to be where each has to be meant.
NEAREST = 10


def likely(texts, least=120, part=2):
    """The languages of texts by the words of the table: those that have far fewer of them than another are none. None where there are too few."""
    scores = {}
    for text in texts:
        for token in text[:WORDS]:
            ends = TRIE.get(token.text, {}).get(None) if token.kind == W else None
            for of in (ends, STOPS.get(token.text)) if token.kind == W else ():
                for at in of or ():
                    scores[at] = scores.get(at, 0) + 60 // len(of)
    best = max(scores.values(), default=0)
    if best < least:
        return None
    return {at for at, score in scores.items() if score * part >= best * (part - 1)} | (set(ENGLISH) if part < NEAREST else set())


def phrase(all_tokens, at):
    """The longest phrase that begins at a token: where it ends, and its classes."""
    node, end, mask, k = TRIE, at, 0, at
    while k < len(all_tokens):
        token = all_tokens[k]
        # A line end is no part of a phrase, and no more than one mark is.
        if token.kind not in (W, P):
            break
        node = node.get(token.text)
        if node is None:
            break
        k += 1
        if None in node:
            of = 0
            for language, classes in node[None].items():
                if all_tokens.languages is None or language in all_tokens.languages:
                    of |= classes
            if of:
                end, mask = k, of
    short = end == at + 1 or end == at + 2 and all_tokens[at + 1].text == "'"
    if short and len(all_tokens[at].text) == 1 and all_tokens[at].raw != all_tokens[at].text:
        return at, 0
    return end, mask


class Item:
    __slots__ = ("kind", "mask", "option", "sure", "token", "text", "low", "label", "digit", "own", "place")

    def __init__(self, kind, token, mask=0, option=None):
        self.kind, self.token, self.mask, self.option = kind, token, mask, option
        self.sure, self.low, self.text, self.label, self.digit, self.own, self.place = False, False, "", False, False, False, None


def joined(all_tokens, at):
    """Whether a token follows the one before it without a blank."""
    return 0 < at < len(all_tokens) and not all_tokens[at].blank and all_tokens[at - 1].kind in (W, P)


def letter(all_tokens, at, count, cyrillic):
    """The option that a token names by its letter, and how: None, or (option, enclosed, weak)."""
    token = all_tokens[at]
    raw = token.raw
    if len(raw) != 1:
        return None
    option, weak = None, False
    if raw.isascii():
        if not raw.isalpha():
            return None
        option, weak = ord(raw.upper()) - 65, raw.islower()
        if raw == "I" and count <= 8 and not token.marked and at + 1 < len(all_tokens) and all_tokens[at + 1].kind == W:
            # The pronoun.
            return None
        if cyrillic and option > 0:
            option = UNCLEAR
    else:
        weak = True
        if cyrillic:
            for row in CYRILLIC:
                if raw in row:
                    option = row.index(raw)
        if option is None:
            for row in ALPHABETS:
                if raw in row:
                    option = row.index(raw)
            if raw in "Сс":
                option = 2
            if raw in "ВДЕвде":
                option = UNCLEAR
        if option is None:
            return None
    if option > 9 and count <= 8 and not token.marked and raw.isascii():
        # "The first letter is an S."
        return None
    before = all_tokens[at - 1] if at else None
    after = all_tokens[at + 1] if at + 1 < len(all_tokens) else None
    tight_before, tight_after = joined(all_tokens, at), joined(all_tokens, at + 1)
    if before and before.text == "^" or after and after.text == "^" or weak and raw.isascii() and after and after.kind == P and after.text in "={":
        # "b^2", "a = 7"
        return None
    if before and raw.isascii() and not before.kind == N and before.text[-1:].isascii() and before.text[-1:].isdigit() and ("." in before.text or "," in before.text) and not token.marked:
        # "0.02 A"
        return None
    if tight_after and after.text == "(" and at + 3 < len(all_tokens) and len(all_tokens[at + 2].raw) == 1 and all_tokens[at + 2].raw.islower() and all_tokens[at + 3].text == ")":
        # "E(u)"
        return None
    enclosed = token.marked or bool(before and after and (
        before.kind == P and before.text in "([{<" and after.kind == P and after.text in ")]}>" or
        before.kind == OPENS and after.kind == CLOSES or
        before.text == "'" and after.text == "'"))
    if not enclosed:
        if tight_before and (before.text in "'°@&+%\\/∠△" and not (before.text in "/&" and at > 1 and len(all_tokens[at - 2].raw) == 1)
                             or before.text == "-" and at > 1 and joined(all_tokens, at - 1) and all_tokens[at - 2].kind == W
                             or before.text == "." and at > 1 and len(all_tokens[at - 2].raw) == 1 and all_tokens[at - 2].raw.isalpha() and not token.blank):
            return None
        if tight_after and after.kind == P and (after.text in "+%°@" or after.text == "'" and not phrase(all_tokens, at + 1)[1] & IS or after.text == "." and joined(all_tokens, at + 2) and all_tokens[at + 2].kind == W and all_tokens[at + 2].script == token.script
                                                 or after.text == "-" and joined(all_tokens, at + 2) and all_tokens[at + 2].kind == W and all_tokens[at + 2].script == token.script):
            return None
        # A character among others of its script is a part of a word.
        if token.script == 3 and (tight_before and before.kind == W or tight_after and after.kind == W):
            return None
    return option, enclosed, weak


# What stands before the digits of other scripts, and signs that are digits in circles.
ZEROS = [0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0x1040, 0x17E0]
CIRCLED = {0x2460 + at: f"({at + 1})" for at in range(9)}
# What is written behind the number of an option.
COUNTERS = ("번", "番", "号", "號")


def digit(c):
    """The value of a digit of any script; None for other characters."""
    o = ord(c)
    if 0x30 <= o <= 0x39:
        return o - 0x30
    if 0xFF10 <= o <= 0xFF19:
        return o - 0xFF10
    return next((o - zero for zero in ZEROS if zero <= o < zero + 10), None)


def value(text):
    """The number that one or two digits of any script write; None for other texts."""
    digits = [digit(c) for c in text]
    if not 0 < len(digits) < 3 or None in digits:
        return None
    return digits[0] if len(digits) == 1 else 10 * digits[0] + digits[1]


def label_before(text, at):
    """The label that stands before a place of a text: a number from 1, or a letter; None where there is none."""
    end = at
    while end and text[end - 1] == " ":
        end -= 1
    if not end:
        return None
    if ord(text[end - 1]) in CIRCLED:
        return ord(text[end - 1]) - 0x245F
    if text[end - 1] not in ".)]:、．）】：-":
        return None
    end -= 1
    while end and text[end - 1] == " ":
        end -= 1
    start = end
    while start and end - start < 2 and digit(text[start - 1]) is not None:
        start -= 1
    if start == end and end and text[end - 1].isascii() and text[end - 1].isalpha():
        start -= 1
    if start == end or start and (text[start - 1].isalnum() or text[start - 1] in ".,/-'"):
        return None
    return text[start].upper() if text[start].isalpha() else value(text[start:end])


def is_numbered(instruction, options):
    """Whether an instruction lists the options by number, and not by letter."""
    text = " ".join(instruction.split())
    return len(options) > 1 and not lists_by(text, options, lambda at: chr(65 + at)) and lists_by(text, options, lambda at: at + 1)


def lists_by(text, options, label):
    """Whether each option stands in a text behind its label, in order."""
    start = 0
    for k, option in enumerate(options):
        option = " ".join(option.split())
        at = text.find(option, start)
        while option and at >= 0 and label_before(text, at) != label(k):
            at = text.find(option, at + 1)
        if not option or at < 0:
            return False
        start = at + len(option)
    return True


class Numbers:
    """The options of a prompt that numbers them: the first words of each, and the numbers in them."""

    def __init__(self, options):
        self.words = [[t.text for t in tokens(option) if t.kind == W][:4] for option in options]
        self.own = bare_numbers(options)

    def begins(self, all_tokens, at, option):
        """Whether the text of an option begins at a token."""
        words = self.words[option]
        found = []
        while at < len(all_tokens) and len(found) < len(words) and all_tokens[at].kind in (W, P):
            if all_tokens[at].kind == W:
                found.append(all_tokens[at].text)
            at += 1
        return bool(words) and found == words

    def at(self, all_tokens, at, out):
        """The option that a number names: None, or (option, enclosed, weak, whether its text follows)."""
        token = all_tokens[at]
        number = value(token.text)
        if number is None or not 0 < number <= len(self.words):
            return None
        option, n = number - 1, len(all_tokens)
        before = all_tokens[at - 1] if at else None
        after = all_tokens[at + 1] if at + 1 < n else None
        tight_after = joined(all_tokens, at + 1)
        enclosed = token.marked or bool(before and after and (
            before.kind == P and before.text in "([{<" and after.kind == P and after.text in ")]}>" or
            before.kind == OPENS and after.kind == CLOSES or before.text == "'" and after.text == "'"))
        if not enclosed:
            if before is not None and before.kind == P and (before.text in "+<^×÷≈±√/%°€£@&~" or before.text in "-.'" and joined(all_tokens, at)):
                return None
            if before is not None and before.text == "=" and not (len(out) > 1 and out[-2].kind == "ph"):
                # "x = 2"
                return None
            if after is not None and after.kind == P and after.text in "=+<^×÷≈±√/%°€£@&~":
                return None
        begins = not out or out[-1].kind == N
        named = bool(out) and out[-1].kind == "ph" and bool(out[-1].mask & NOUN)
        label = after is not None and after.kind == P and after.text in ".):]-" and not after.blank
        # Where a text may follow: behind the closing bracket, or behind a mark.
        behind = at + 2 if label or enclosed and not token.marked else at + 1
        while behind < n and all_tokens[behind].kind == P and all_tokens[behind].text in ".:-" and behind < at + 4:
            behind += 1
        own = self.begins(all_tokens, behind, option)
        follows = all_tokens[behind] if behind < n and all_tokens[behind].kind == W else None
        if own or follows is None:
            pass
        elif label and after.text == "-" and tight_after and joined(all_tokens, at + 2):
            # "2-year"
            return None
        elif label:
            if begins and not (not out and (number > 1 or not self.goes_on(all_tokens))):
                # The number of a list.
                return None
        elif not (phrase(all_tokens, behind)[1] or named or follows.text in COUNTERS):
            # "2 apples"
            return None
        number = self.own.get(token.text)
        if number is not None and number != option and not own:
            option = SEVERAL
        return option, enclosed, not own, own

    def goes_on(self, all_tokens):
        """Whether a later line begins with the number 2."""
        return any(all_tokens[k - 1].kind == N and value(all_tokens[k].text) == 2 for k in range(1, len(all_tokens)))


def number_words(options):
    """Words for the options' numbers, where the options are nothing else and none is above 10."""
    numbers = [t.strip() for t in options]
    if len(set(numbers)) < len(numbers) or not all(t.isascii() and t.isdigit() and len(t) < 3 and int(t) <= 10 for t in numbers):
        return {}
    return {word: [((word,), at)] for at, t in enumerate(numbers) for word in NUMBERS[int(t)].split()}


def option_table(options):
    """The options' texts as tokens, by their first; texts that two options have are nobody's."""
    found = {}
    for at, text in enumerate(options):
        words = [t.text for t in tokens(text) if t.kind in (W, P)]
        while words and words[-1] in (".", "。", "!"):
            words.pop()
        forms = [words]
        if len(words) > 2 and words[0] in ELIDED and words[1] == "'":
            forms.append(words[2:])
        if len(words) > 1 and words[0] in ARTICLES:
            forms.append(words[1:])
        if len(words) == 2 and words[0] in PRONOUNS and len(words[1]) > 4:
            forms.append(words[1:])
        comma = next((at for at, word in enumerate(words) if word in (",", "(")), 0)
        if 0 < comma < 4:
            forms.append(words[:comma])
        if len(words) > 2 and words[0] in PRONOUNS:
            forms.append(words[2:] if words[1] in ("is", "are", "was") and len(words) > 3 else words[1:])
        if words and words[-1].endswith(".00"):
            # "1,364 dollars" for "$1,364.00".
            forms.append([words[-1][:-3]])
        if len(words) > 1 and words[0] == "one":
            forms.append(["a"] + words[1:])
        if len(words) > 1 and words[-1] in OBJECTS:
            forms.append(words[:-1])
        for form in forms:
            if form:
                key = tuple(form)
                found[key] = at if key not in found or found[key] == at else SEVERAL
    table = {}
    for key, at in found.items():
        if at != SEVERAL:
            table.setdefault(key[0], []).append((key, at))
    for rows in table.values():
        rows.sort(key=lambda row: (-len(row[0]), row[1]))
    return table


def bare_numbers(options):
    """The options' numbers without the unit that all of them have."""
    found = {}
    for at, option in enumerate(options):
        words = [t.text for t in tokens(option) if t.kind == W]
        if len(words) < 2 or not all("0" <= c <= "9" or c in ".,/" for c in words[0]) or any("0" <= word[0] <= "9" for word in words[1:]):
            return {}
        if words[0] in found:
            return {}
        found[words[0]] = at
    return found


def is_hangul(text):
    return 0x1100 <= ord(text[0]) <= 0x11FF or 0xAC00 <= ord(text[0]) <= 0xD7FF


def forms(text):
    """A word, and what it is without what Turkish and Arabic write together with it."""
    yield text
    if len(text) > 4 and text[-3:] in COPULAS:
        yield text[:-3]
    if "\u0621" <= text[0] <= "\u064a":
        if len(text) > 4 and text.startswith("ال"):
            yield text[2:]
        if len(text) > 3 and text.endswith("ا"):
            yield text[:-1]


def option_at(all_tokens, at, table):
    for key, option in (row for form in forms(all_tokens[at].text) for row in table.get(form, ())):
        if at + len(key) <= len(all_tokens) and all(key[k] in forms(all_tokens[at + k].text) for k in range(len(key))):
            end = at + len(key)
            if all_tokens[end - 1].script == 3 and joined(all_tokens, end) and all_tokens[end].script == 3 and not phrase(all_tokens, end)[1] \
                    and (len(key) < 3 or is_hangul(all_tokens[end].text)):
                continue
            return end, option
    return at, None


def symbols(options):
    """The letters in brackets in the options' texts, each with the word before it: "f(A)"."""
    found = set()
    for option in options:
        some = [t.text for t in tokens(option)]
        found.update((some[k], some[k + 2]) for k in range(len(some) - 3) if some[k + 1] == "(" and some[k + 3] == ")" and len(some[k + 2]) == 1)
    return found


def items(all_tokens, table, count, cyrillic, numbers=None, symbols=()):
    out, at, n = [], 0, len(all_tokens)
    while at < n:
        token = all_tokens[at]
        if token.kind != W:
            if token.kind == P and token.text == "'":
                end, mask = phrase(all_tokens, at)
                if mask:
                    out.append(Item("ph", at, mask))
                at = max(end, at + 1)
                continue
            text_end, option = option_at(all_tokens, at, table) if token.kind == P else (at, None)
            if option is not None and text_end > at + 1:
                out.append(Item("T", at, option=option))
                at = text_end
                continue
            item = Item(token.kind, at)
            item.text = token.text
            out.append(item)
            at += 1
            continue
        end, mask = phrase(all_tokens, at)
        found = letter(all_tokens, at, count, cyrillic) if not symbols or at < 2 or (all_tokens[at - 2].text, token.text) not in symbols or all_tokens[at - 1].text != "(" else None
        place = found[0] if found else None
        number = numbers.at(all_tokens, at, out) if numbers else None
        found = number[:3] if number else found
        after = all_tokens[at + 1] if at + 1 < n else None
        text_end, option = option_at(all_tokens, at, table)
        if option is not None and token.script == 3 and joined(all_tokens, at) and all_tokens[at - 1].script == 3 and out and out[-1].kind == W \
                and (text_end - at < 2 or is_hangul(token.text)):
            option = None
        if number and number[3] and text_end == at + 1:
            option = None
        if option is not None and found and text_end == at + 1:
            # A text of one letter is read as a letter, unless it names another option.
            if found[0] >= count:
                found = (option, True, found[2])
            elif found[0] != option:
                found = (SEVERAL, found[1], found[2])
            option = None
        if option is not None and text_end == at + 1 and all("0" <= c <= "9" for c in token.text) and (not out or out[-1].kind == N) and after is not None and after.text in ".)" \
                and after.kind == P and not after.blank and at + 2 < n and all_tokens[at + 2].kind == W and n > SHORT:
            # "1. The man on the left": the number of a list.
            option = None
        if option is not None and text_end >= end and text_end > at:
            out.append(Item("T", at, option=option))
            at = text_end
            continue
        if mask == PLAIN and any(option_at(all_tokens, k, table)[0] >= end for k in range(at + 1, end)):
            # "to the right" where "right of the plate" is an option.
            end, mask = at, 0
        label = bool(after and after.kind == P and after.text in ".):]" and not after.blank)
        alone = n == 1 or (found and found[2] and mask and label and (not out or out[-1].kind == N))
        if found and (found[1] or not mask or alone or (out and out[-1].kind == P and out[-1].text == ":" and (after is None or after.kind == N))):
            if mask == 0 or end == at + 1 or found[1]:
                item = Item("L", at, option=found[0])
                item.sure, item.low, item.label = found[1], found[2], label
                item.place = place if place is not None else found[0]
                item.digit, item.own = number is not None, number is not None and number[3]
                out.append(item)
                at += 1
                continue
        if mask and end == at + 1 and "\u3041" <= token.text <= "\u309f" and out and out[-1].kind == W and joined(all_tokens, at) and all_tokens[at - 1].script == 3 \
                and at + 1 < n and joined(all_tokens, at + 1) and all_tokens[at + 1].script == 3 and not phrase(all_tokens, at + 1)[1] and option_at(all_tokens, at + 1, table)[1] is None:
            # A character within a word.
            mask = 0
        if mask and end == at + 1 and token.text == "か" and at + 1 < n and joined(all_tokens, at + 1) and "\u3041" <= all_tokens[at + 1].text <= "\u309f" and all_tokens[at + 1].text not in "もな":
            mask = 0
        if mask:
            out.append(Item("ph", at, mask))
            at = end
            continue
        item = Item(W, at)
        item.text = token.text
        out.append(item)
        at += 1
    for at, item in enumerate(out):
        # "В. зелёный": the text says which alphabet the letter is of.
        if item.kind == "L" and item.option == UNCLEAR:
            k = at + 1
            while k < len(out) and k < at + 4 and out[k].kind == P and out[k].text in ")].:-(":
                k += 1
            if k > at + 1 and k < len(out) and out[k].kind == "T":
                item.option = out[k].option
    return out


def sentences(all_items, all_tokens):
    """Where sentences are, and whether each is a question."""
    out, start = [], 0
    for at, item in enumerate(all_items):
        stop = False
        if item.kind == N:
            before = next((i for i in reversed(all_items[max(start, at - 3):at]) if not (i.kind == P and i.text in ")]}")), None)
            goes_on = before is not None and at > start and (
                before.kind == P and before.text in ":=" or before.kind == "ph" and before.mask & (CUE | FINAL | IS) and not before.mask & (YES | NO))
            # A heading above the answer is read with it, once.
            stop = not (goes_on and not any(i.kind == N for i in all_items[max(start, at - 8):at]))
        elif item.kind == P and item.text in "!?;…。":
            stop = True
        elif item.kind == P and item.text == ".":
            after = all_items[at + 1] if at + 1 < len(all_items) else None
            label = at > start and all_items[at - 1].kind == "L" and after is not None and after.kind != N and \
                (at - 1 - start <= 1 or (after.kind == "T" or all_items[at - 1].own) and not all_items[at - 1].low)
            stop = not label
        if stop:
            if at > start:
                out.append((start, at, item.kind == P and item.text == "?"))
            start = at + 1
    if start < len(all_items):
        out.append((start, len(all_items), False))
    return out


CUED, DENIED, HEDGED, LEANED, BACK, BUTTED, NAMED, START, OTHER, HYPOTHETICAL, COMMA = range(11)
# How an answer is stated: it is said to be the answer.
TOLD = 2
# Words of one thing among several.
ORDINALS = ("first", "second", "third", "fourth", "next", "last", "other", "another", "primera", "segunda", "primeiro", "segundo", "première", "deuxième", "erste", "zweite", "prima", "seconda")
# Words for two that are known.
PAIR = ("both", "beide", "beiden", "ambos", "ambas", "entrambi", "entrambe")
# What is left open says nothing of any answer, not even of its own.
ANY = 2


class Reader:
    def __init__(self, all_items, all_tokens, numbers={}, denies=False):
        self.items, self.tokens, self.numbers, self.denies = all_items, all_tokens, numbers, denies
        self.events, self.closes, opened, self.asked, self.questioned = [], {}, [], None, False
        self.turns_at = None
        for at, item in enumerate(all_items):
            if item.kind == OPENS:
                opened.append(at)
            elif item.kind == CLOSES and opened:
                self.closes[opened.pop()] = at

    def left(self, first, start):
        """What stands before an answer: its kind, and the place of what decides."""
        flags, k, colon = 0, first - 1, False
        while k >= start and first - k <= NEAR:
            item = self.items[k]
            if item.kind == P:
                if item.text == "," and flags & SO:
                    return CUED, k + 1
                if item.text == "," and flags & NOUN:
                    return CUED if flags & RIGHT and flags & IS else NAMED, k
                if item.text == ",":
                    before = self.items[k - 1] if k > start else None
                    if flags == 0 and before is not None and before.kind == "ph" and before.mask & (SO | WAIT | WEAK | FINAL | CUE) \
                            and (not before.mask & NOT or before.mask & (WEAK | WAIT)):
                        k -= 1
                        continue
                    if before is not None and before.kind == "ph" and before.mask & (WAIT | WEAK):
                        return BACK, k
                    if before is not None and before.kind == "ph" and before.mask & SO and not before.mask & NOT and flags & (RIGHT | CUE):
                        return CUED, k - 1
                    turned = before is not None and before.kind == "ph" and before.mask & BUT and (before.mask & NOT and self.follows(k - 1, start) or self.tokens[before.token].script == 3 and not before.mask & (NOT | CUE))
                    return (BUTTED if flags & IS or turned else COMMA), k
                if item.text in ":=":
                    colon = True
                elif item.text not in "([{<>-|/)]}":
                    break
            elif item.kind == N:
                pass
            elif item.kind == "ph":
                mask = item.mask
                comma_after = k + 1 < first and self.items[k + 1].kind == P and self.items[k + 1].text == ","
                if comma_after and mask & (WAIT | WEAK):
                    return BACK, k
                if mask & BUT and not mask & CUE and k > start and self.items[k - 1].kind == P and self.items[k - 1].text == ",":
                    back = k > start + 1 and self.items[k - 2].kind == "ph" and self.items[k - 2].mask & WAIT
                    return (BACK if back else BUTTED), k
                if mask & BUT and mask & LINK and not mask & (CUE | NOT) and k > start and self.items[k - 1].kind in ("L", "T"):
                    return BUTTED, k
                if mask & NO and mask & WEAK and k + 1 == first:
                    # "No bear", where "No, bear" has a comma.
                    return DENIED, k
                if mask & (NOT | RIGHT) and self.tokens[item.token].text in "✓✗" and k > start and (
                        self.items[k - 1].kind in ("L", "T") or self.items[k - 1].kind == P and self.items[k - 1].text in ")].:-"):
                    # "A ✗ B ✓": a mark is of the letter before it.
                    return COMMA, k
                if mask & OVER and (self.wide(k) or self.follows(k, start)) and not colon:
                    return DENIED, k
                if mask & NOT and not mask & (RIGHT | IS | REASON):
                    return (BUTTED if mask & BUT and self.follows(k, start) else DENIED), k
                if mask & (CUE | FINAL | SO) and not (mask & LINK and not mask & FINAL):
                    before = self.items[k - 1] if k > start else None
                    if mask & MILD and before is not None and before.kind == "ph" and before.mask & MID and before.mask & LINK and not before.mask & (AND | BUT | SO | CUE):
                        # "Part of it is"
                        break
                    return CUED, k
                if mask & (LINK | IS | NOUN | RIGHT):
                    flags |= mask
                elif mask & HEDGE:
                    return (LEANED if mask & LEAN and flags & IS else HEDGED), k
                elif mask & (WAIT | WEAK):
                    return BACK, k
                elif mask & BUT:
                    return BUTTED, k
                elif mask & IF:
                    return HYPOTHETICAL, k
                elif mask & OR and k == start:
                    return HEDGED, k
                else:
                    break
                if mask & HEDGE and not mask & (LINK | NOUN):
                    return HEDGED, k
            else:
                break
            k -= 1
        # "Analysis:", "Option A, which": a heading above does not say that the option is the answer.
        beside = colon and not any(i.kind == N for i in self.items[k + 1:first])
        if flags & RIGHT and (flags & (IS | NOUN | CUE) or colon) or flags & NOUN and (flags & IS or beside):
            return CUED, k + 1
        if flags & NOUN:
            return NAMED, k
        if k < start:
            return START, k
        if flags & IS and not self.items[k].kind == "ph":
            # "The answer to the question in the picture is B"
            back = k
            while back >= start and first - back < 16:
                item = self.items[back]
                if item.kind == P and item.text != "-" or item.kind in ("L", "T", N, OPENS, CLOSES):
                    break
                if item.kind == "ph":
                    if item.mask & (NOT | HEDGE | IF) and not item.mask & LINK:
                        break
                    if item.mask & (CUE | FINAL | RIGHT) and not item.mask & LINK:
                        return CUED, back
                back -= 1
        return OTHER, k

    def wide(self, k):
        """Whether a phrase is more than one word."""
        stop = self.items[k + 1].token if k + 1 < len(self.items) else len(self.tokens)
        return stop - self.items[k].token > 1

    def follows(self, k, start):
        """Whether an answer stands before a phrase, as before "ではなく"."""
        k -= 1
        if k > start and self.items[k].kind == "ph" and self.items[k].mask & (IS | LINK):
            k -= 1
        return k >= start and self.items[k].kind in ("L", "T")

    def clause(self, k, start):
        """What else stands before a cue in its clause: DENIED, HEDGED, LEANED, HYPOTHETICAL or None."""
        if k < len(self.items) and self.items[k].kind == "ph" and self.items[k].mask & SO and not self.items[k].mask & CUE:
            return None
        least = max(start, k - NEAR)
        k -= 1
        while k >= least:
            item = self.items[k]
            if item.kind == P and item.text in ",:-()" or item.kind in (N, "L", "T", OPENS, CLOSES):
                return None
            if item.kind == "ph":
                if item.mask & NOT and item.mask & BUT and self.follows(k, start):
                    return None
                if item.mask & (NOT | REFUSE) and not item.mask & (LINK | REASON):
                    return DENIED
                if item.mask & SO or item.mask & BUT and not item.mask & CUE:
                    return None
                if item.mask & OR and not item.mask & (LINK | REASON | AND | BUT):
                    return HEDGED
                if item.mask & HEDGE and not item.mask & (LINK | REASON):
                    return LEANED if item.mask & LEAN else HEDGED
                if item.mask & IF and not item.mask & (LINK | REASON):
                    return HYPOTHETICAL
            k -= 1
        return None

    def right(self, last, end, option, bare):
        """What stands behind an answer: "end", "after", "not", "hedge", "if", "comma", "reason", "or", "word"."""
        k, flags, mark, after = last + 1, 0, False, None
        while k < end and k - last <= NEAR:
            item = self.items[k]
            if item.kind == P:
                if item.text in ")]}>" or item.text in "-:.=":
                    mark = True
                elif item.text in "○◯√×✕" and not flags and (k + 1 >= end or self.items[k + 1].kind == N or self.items[k + 1].kind == P and self.items[k + 1].text in ",.)"):
                    return "after" if item.text in "○◯√" else "not"
                elif item.text == "(":
                    inner = self.items[k + 1] if k + 1 < end else None
                    if inner is not None and inner.kind in ("T", "L") and inner.option == option:
                        k += 2
                        continue
                    if bare and not mark and not after and inner is not None and inner.kind == W and "0" <= inner.text[0] <= "9":
                        # "A (100)" is a product.
                        return "word"
                    return after or "end"
                elif item.text == ",":
                    return after or "comma"
                else:
                    return after or ("after" if flags & IS and flags & NOUN else "end")
            elif item.kind in ("T", "L"):
                if item.option != option:
                    return after or ("text" if item.kind == "T" and not after else "word")
                mark = True
            elif item.kind == N:
                return after or "end"
            elif item.kind == "ph":
                mask = item.mask
                token = self.tokens[item.token]
                if mask & OVER and (self.wide(k) or k + 1 < end and self.items[k + 1].kind in ("L", "T")):
                    return "after"
                if mask & NOT:
                    return "not"
                nxt = self.items[k + 1] if k + 1 < end else None
                if (mark or nxt is None) and not flags and mask & (YES | NO) and not mask & (IS | RIGHT | LINK):
                    # "B: yes" in a list of verdicts.
                    if nxt is None or nxt.kind in (P, N):
                        return "word" if self.denies else "after" if mask & YES else "not"
                if mask & HEDGE and mark and item.token > 0 and bare is False and k + 1 < end and self.items[k + 1].kind == W and self.items[last].label and not after:
                    # "C. Both lines rise": the words of an option, or of a reason.
                    return "end"
                if mask & HEDGE and not mask & (LINK | IS | NOUN | REASON):
                    return "hedge" if not after else after
                if mask & IF and not mask & (LINK | IS | REASON):
                    return "if"
                if mask & REASON and not mask & (IS | NOUN):
                    return after or "reason"
                wide = self.wide(k)
                if mask & MILD and mask & CUE and not mask & (RIGHT | IS | LINK | NOUN):
                    # "8 gives 12"
                    return after or "word"
                if mask & (RIGHT | CUE | FINAL) and not (mask & (LINK | IS) and not mask & RIGHT) and not (mask & (NOUN | LINK) and not mask & RIGHT):
                    final = k + 1 >= end or self.items[k + 1].kind in (P, N)
                    if mask & BUT and not final:
                        return after or "word"
                    if flags & IS or mask & IS or mark or not bare or wide or token.script != 1 or final and not self.article(self.items[last]):
                        after = "after"
                    elif not after:
                        return "word"
                elif mask & (IS | LINK | NOUN):
                    flags |= mask
                    mark = mark or bool(mask & NOUN) and not self.article(self.items[last])
                elif mask & OR:
                    return after or "or"
                elif mask & BUT and self.items[k - 1].kind == P and self.items[k - 1].text == "-":
                    return after or "comma"
                elif mask & (SO | WAIT | WEAK | BUT | AND):
                    return after or "end"
                else:
                    return after or "word"
            else:
                return after or "word"
            k += 1
        # "Midnight is the most likely option"
        return after or ("after" if flags & IS and flags & NOUN and k > last + 2 else "end")

    def group(self, first, end):
        """An answer and those joined to it: the options, where the last stands, and whether they are joined."""
        options, last, k = [self.items[first].option], first, first + 1
        while k < end and len(options) < NEAR:
            j, sep, comma = k, False, False
            while j < end and j - k < NEAR:
                item = self.items[j]
                if item.kind == P and item.text in ")]}>([{.:":
                    if item.text in ".:" and j > k:
                        break
                elif item.kind == P and item.text in "/&+,":
                    sep, comma = True, item.text == ","
                elif item.kind == "ph" and item.mask & (OR | AND) and (item.mask & OR or not item.mask & NOT):
                    sep, comma = True, False
                elif item.kind == "ph" and sep and item.mask & (NOUN | LINK | HEDGE) and not item.mask & (NOT | BUT | WAIT | WEAK):
                    pass
                elif item.kind == "ph" and not sep and item.mask & NOUN:
                    pass
                elif item.kind in ("T", "L") and item.option == self.items[last].option and not sep:
                    pass
                else:
                    break
                j += 1
            if j >= end or j - k >= NEAR or self.items[j].kind not in ("T", "L"):
                break
            item = self.items[j]
            if not sep:
                adjacent = item.kind == "L" and self.items[last].kind == "L" and (j == last + 1 or item.sure and self.items[last].sure)
                if not adjacent:
                    break
            if comma:
                # Behind a comma only what ends there, or goes on as a list.
                nxt = self.items[j + 1] if j + 1 < end else None
                if nxt is not None and nxt.kind == P and nxt.text in ")]}":
                    nxt = self.items[j + 2] if j + 2 < end else None
                after = self.items[j + 2] if j + 2 < end else None
                # "A, B, C는 아니므로": a particle and a denial behind the last of three.
                denied = len(options) > 1 and nxt is not None and nxt.kind == "ph" and (
                    nxt.mask & NOT or nxt.mask & (IS | LINK) and after is not None and after.kind == "ph" and after.mask & NOT)
                listed = denied or nxt is None or nxt.kind == P and nxt.text in ",/" or nxt.kind == "ph" and nxt.mask & (OR | AND)
                if not listed:
                    break
            options.append(item.option)
            last = j
            k = j + 1
        return options, last

    def sentence(self, start, end, question):
        k = start
        turns = False
        after = self.questioned
        self.questioned = question
        condition = self.conditional(start) or \
            any(i.kind == "ph" and i.mask & DEPENDS for i in self.items[start:min(end, start + 4)])
        if self.verdict(start, end, question):
            return
        line = next((j for j in range(start + 1, min(end, start + NEAR)) if self.items[j].kind == N), end)
        if line + 1 < end and self.items[line - 1].kind == P and self.items[line - 1].text == ":" and self.verdict(line + 1, end, question):
            # "The other options:", "A. dog: wrong"
            return
        if k < end and self.items[k].kind == "ph" and self.items[k].mask & THOUGH and not question:
            # "Although it looks like a dog, it is a cat."
            comma = next((j for j in range(k, min(end, k + NEAR)) if self.items[j].kind == P and self.items[j].text == ","), None)
            if comma is not None:
                for i in self.items[k:comma]:
                    if i.kind == "T" or i.kind == "L" and not self.article(i):
                        self.events.append(("denied", i.option))
                        turns = True
                k = comma + 1
        passed = -1
        first = next((j for j in range(start, min(end, start + NEAR)) if self.items[j].kind == "ph" and self.items[j].mask & FIRST), None)
        if first is not None:
            # "At first I thought of a dog, but it is a cat."
            passed = next((j for j in range(first, min(end, first + NEAR)) if self.items[j].kind == "ph" and self.items[j].mask & BUT and not self.items[j].mask & (CUE | LINK | NOT)), -1)
        while k < end:
            item = self.items[k]
            if item.kind == OPENS:
                k = self.box(k, end)
                continue
            if first is not None and first < k < passed and item.kind in ("L", "T"):
                turns = True
                k += 1
                continue
            if item.kind == "ph":
                clause_start = k == start or self.items[k - 1].kind in (P, N, OPENS, CLOSES) or \
                    self.items[k - 1].kind == "ph" and self.items[k - 1].mask & (WAIT | WEAK | NOT | BUT | SO | OR)
                if item.mask & (WAIT | WEAK) and clause_start and any(e[0] in ("commit", "mention", "mark") for e in self.events) \
                        and not (item.mask & NOT and k + 1 < len(self.items) and self.items[k + 1].kind not in (P, N)):
                    self.turns_at = k
                if item.mask & WAIT and clause_start:
                    self.events.append(("wait",))
                elif item.mask & WEAK and clause_start:
                    rest = [i for i in self.items[k + 1:min(end, k + 3)] if i.kind not in (P, N)]
                    self.events.append(("wait",) if not rest and k == start else ("weak",))
                k += 1
                continue
            if item.kind not in ("T", "L"):
                k += 1
                continue
            options, last = self.group(k, end)
            several = len(set(options)) > 1
            if not several:
                options, last = [item.option], k
            commits = False
            left, where = self.left(k, start)
            option = item.option
            bare = item.kind == "L" and not item.sure and not item.label
            right = self.right(last, end, option, bare)
            outer = self.clause(where, start) if left in (CUED, NAMED) else self.clause(k, start) if right == "after" else None
            told_of = self.items[k + 2] if item.kind == "T" and k + 3 < end and self.items[k + 1].kind == P and self.items[k + 1].text == "(" else None
            beside = self.beside(k, end)
            if question:
                self.events.append(("asked", set(options)))
            elif beside is not None:
                # "B (dog)", "B - dog" where that is another option.
                self.events.append(("hedge", {option, beside}, False))
                last = next(j for j in range(k + 1, end) if self.items[j].kind == "T")
            elif told_of is not None and told_of.kind == "L" and told_of.sure and not told_of.low and told_of.option != option and self.items[k + 3].kind == P and self.items[k + 3].text == ")":
                # "Flying a kite (B)" where that is another option.
                self.events.append(("hedge", {option, told_of.option}, False))
                last = k + 2
            elif left == DENIED or right == "not" or outer == DENIED:
                for o in set(options):
                    self.events.append(("denied", o))
                turns = True
            elif several and k - start <= 1 and last + 1 >= end and any(e[0] == "commit" for e in self.events) and item.kind == "L" and end + 1 < len(self.items) and self.items[end].text == "." and self.items[end + 1].kind != N:
                # "C and D. They are": a heading above what is said of them.
                pass
            elif several:
                joined_by_or = any(i.kind == "ph" and i.mask & OR and not i.mask & LINK for i in self.items[k:last])
                passing = right == "word" and left in (START, NAMED, OTHER, COMMA) and not joined_by_or
                self.events.append(("hedge", set(options), item.kind == "T" and left == OTHER or passing, not joined_by_or))
                turns = True
            elif (outer == LEANED or left == LEANED or left == HEDGED and right == "after" and self.items[where].mask & LEAN) and not condition:
                self.events.append(("lean", option))
                turns = True
            elif condition or left == HEDGED or outer == HEDGED or right in ("hedge", "or", "if") and self.stands(k, left, right) \
                    or left == HYPOTHETICAL or outer == HYPOTHETICAL:
                self.events.append(("hedge", {option}, item.kind == "T" and left == OTHER, self.aside(k, start, end, condition, left, right)))
                turns = True
            elif item.kind == "T" and self.first_person(k, start):
                # "I strongly disagree with it."
                self.events.append(("commit", option, 2, False, False, False))
            elif self.stands(k, left, right):
                strength = 2
                with_text = False
                if left == CUED and self.items[where].kind == "ph" and self.items[where].mask & FINAL:
                    strength = 3
                if right == "after":
                    commits = True
                elif left == CUED:
                    crossed = any(i.kind == N for i in self.items[where:k])
                    with_text = crossed and item.kind == "L" and self.has_text(k, end)
                    commits = item.kind == "L" or right in ("end", "comma", "reason")
                elif left == BACK:
                    commits = item.kind == "L" or right in ("end", "comma", "reason")
                elif left == BUTTED and (turns or self.turned(item, start, where)):
                    commits = right in ("end", "comma", "reason")
                elif left == START or left == NAMED and self.whole_before(k, start):
                    if right == "end" and self.whole(k, start, end):
                        commits, with_text = True, item.kind == "L" and self.has_text(k, end)
                    elif (start == 0 or after) and k - start <= 2 and (item.label or right in ("comma", "reason") or item.kind == "L" and right == "end" and item.sure):
                        commits, with_text = True, item.label
                        if item.kind == "T" and right == "reason":
                            commits = False
                        if item.kind == "L" and not item.label and right == "reason" and not item.sure and self.article(item):
                            commits = self.strong_reason(last + 1, end)
                    elif item.label and k - start <= 2:
                        self.events.append(("label", option))
                shown = not commits and self.presented(k, start)
                if shown:
                    commits, with_text = True, False
                if commits and item.kind == "L" and item.label and self.lists(k, end):
                    with_text = True
                if commits and item.digit and not item.own and not self.leads(k, start, left, where):
                    # "That gives 2."
                    commits = False
                if not commits and right == "end" and (item.kind == "L" and (not item.digit or self.ends(k)) or turns) and self.told(k, start):
                    commits, with_text = True, any(i.kind == N for i in self.items[start:k]) and self.has_text(k, end)
                ends = right == "end" or item.kind == "T" and right in ("word", "comma", "reason") and end - k < 5
                concluded = not commits and ends and not item.digit and self.concluded(k, start)
                if concluded:
                    strength = 2
                    commits = True
                if commits:
                    # Of a text that is cut off neither the mere naming of things nor a list of options is an answer.
                    mild = item.kind == "T" and left == CUED and self.items[where].kind == "ph" and self.items[where].mask & MILD and not strength == 3
                    self.events.append(("commit", option, strength, with_text, bool(mild) or concluded or start > 0 and left == START and (with_text or item.kind == "T" and self.items[start - 1].kind == P),
                                        TOLD if shown else self.level(k, start, end, (left, where), (right, last), with_text)))
                elif item.kind == "T":
                    self.events.append(("mention", option, self.negated(start, end), self.clear(k, start, end)))
                elif item.sure or left == NAMED or item.label and (not item.digit or item.own or left == START):
                    self.events.append(("mark", option, self.negated(start, end), right in ("end", "comma", "reason") and self.clear(k, start, end)))
            elif item.kind == "T":
                self.events.append(("mention", option, self.negated(start, end), self.clear(k, start, end)))
            elif right == "text" and (item.label or item.sure):
                self.events.append(("hedge", {option, SEVERAL}, False))
            elif right == "text" and self.items[k + 1].kind == "ph" and self.tokens[self.items[k + 1].token].script == 3:
                # "Aの駐車場" where that is another option.
                self.events.append(("hedge", {option, SEVERAL}, False))
                last = next(j for j in range(k + 1, end) if self.items[j].kind == "T")
            if item.label and item.kind == "L" and self.has_text(k, end, k - start > 2):
                self.events.append(("label", option))
            k = last + 1
            # The text of the letter that stands before it is no second answer.
            while k < end and (commits or item.kind == "L") and (self.items[k].kind == P and self.items[k].text in ")]}.:-(" or self.items[k].kind in ("T", "L") and self.items[k].option == option and len(options) == 1):
                k += 1

    def aside(self, k, start, end, condition, left, right):
        """Whether what is left open of an option says nothing of an answer that is another: "If B were asked for", "Option B may be useful"."""
        if condition and not any(i.kind == P and i.text == "," for i in self.items[start:k]):
            return True
        if right != "hedge" or left not in (START, OTHER, NAMED, COMMA):
            return False
        stop = next((j for j in range(k + 1, min(end, k + NEAR)) if self.items[j].kind == N or self.items[j].kind == P and self.items[j].text == "," or self.items[j].kind == "ph" and self.items[j].mask & BUT), min(end, k + NEAR))
        clause = self.items[k + 1:stop]
        if any(i.kind == "ph" and i.mask & (RIGHT | CUE) for i in clause):
            return False
        # "The dog may be tired": what it may be is said of a thing.
        return ANY if self.items[k].kind == "T" and any(i.kind == W for i in clause) else True

    def is_named(self, k, start, names):
        """Whether what stands before a text says that something is it, or is called so."""
        k -= 1
        while k > start and self.items[k].kind == "ph" and self.items[k].mask & LINK and not self.items[k].mask & (IS | CUE):
            k -= 1
        if k < start:
            return False
        item = self.items[k]
        return item.kind == "ph" and bool(item.mask & (IS | CUE)) or item.kind == W and any(same_word(item.text, word) or item.text == word[0] for word in names)

    def conditional(self, start):
        """Whether a sentence begins with a condition."""
        return any(i.kind == "ph" and i.mask & IF and not i.mask & (LINK | REASON | HEDGE | YES) for i in self.items[start:start + 2])

    def leads(self, k, start, left, where):
        """Whether what stands before a number says that it names an option, and does not only count."""
        if left != CUED:
            return True
        some = [i for i in self.items[where:k] if i.kind == "ph"]
        return self.items[k].sure or any(i.mask & (FINAL | NOUN) or i.mask & CUE and not i.mask & MILD or i.mask & RIGHT for i in some) or k - start <= 2

    def first_person(self, k, start):
        """Whether the text of an option is what the speaker does: "I agree", "I would agree"."""
        k -= 1
        if k > start and self.items[k].kind == "ph" and self.items[k].mask & LINK:
            k -= 1
        return k >= start and self.tokens[self.items[k].token].raw == "I" and self.items[k].kind != "L" and not self.items[k].mask & (NOT | REFUSE | HEDGE | IF | WAIT)

    def presented(self, k, start):
        """Whether a letter with its mark is what a subject is: "The most likely diagnosis is B. Measles"."""
        item = self.items[k]
        if item.kind != "L" or item.low or not (item.label or item.sure) or item.digit and not item.own:
            return False
        j, colon = k - 1, False
        while j > start and (self.items[j].kind == N or self.items[j].kind == P and self.items[j].text in "(:"):
            colon = colon or self.items[j].text == ":"
            j -= 1
        if j - start < 2 or self.items[j].kind != "ph" or not self.items[j].mask & IS or self.items[j].mask & (NOT | CUE):
            return False
        subject = self.items[max(start, j - NEAR):j]
        if any(i.kind in ("T", "L", OPENS, CLOSES) or i.kind == W and i.text in ORDINALS for i in subject) or len(subject) < 5 and any(i.kind == "ph" and i.mask & NOUN for i in subject):
            return False
        if self.is_listed(k):
            return False
        return colon or not any(i.kind == "ph" and i.mask & (NOT | HEDGE | IF | OPEN | OR) and not i.mask & (LINK | REASON) for i in subject)

    def is_listed(self, k):
        """Whether the next line begins with the next letter."""
        line = next((j for j in range(k + 1, min(len(self.items), k + NEAR)) if self.items[j].kind == N), None)
        if line is None:
            return False
        after = next((i for i in self.items[line:line + 4] if i.kind not in (P, N)), None)
        return after is not None and after.kind == "L" and after.label and after.option == self.items[k].option + 1

    def level(self, k, start, end, left, right, with_text):
        """How an answer is stated: TOLD where it is said to be the answer, 1 where it stands for itself, 0 otherwise."""
        explicit = self.explicit(k, start, end, left, right, with_text)
        if not explicit:
            return 0
        if self.items[k].kind == "L":
            return TOLD if left[0] == CUED or start == 0 else 1
        cued = left[0] == CUED and any(i.kind == "ph" and i.mask & (CUE | FINAL) and not i.mask & MILD for i in self.items[left[1]:k])
        return TOLD if cued else 1

    def explicit(self, k, start, end, left, right, with_text):
        """Whether a letter is stated to be the answer: "The answer is B", "Answer: B", or a line that is "B" alone."""
        (left, where), (right, last) = left, right
        if self.items[k].kind != "L":
            # A number may be one on the way.
            return (right in ("end", "reason") or right == "comma" and start == 0 and left == START) and not (is_count(self.tokens[self.items[k].token].text) and not (self.wide(k) and self.tokens[self.items[k].token].text[0].isalpha()))
        if start == 0 and left == START and with_text and self.items[k].option > 0 and self.whole(k, start, end):
            # "B. dog" as the first line, above what is said of it.
            after = next((i for i in self.items[end:] if i.kind not in (N, P)), None)
            return after is not None and after.kind != "L"
        if left == START:
            return not with_text and right == "end" and self.whole(k, start, end)
        if left != CUED:
            return False
        some = self.items[where:k]
        joins = any(i.kind in (N, P) and i.text in ":=\n" or i.kind == "ph" and bool(i.mask & IS) for i in some)
        nxt = self.items[last + 1] if last + 1 < end else None
        closes = right in ("end", "reason") or right == "comma" and nxt is not None and nxt.kind == P or self.items[k].label
        return (closes or right == "after" and joins) and any(
            i.kind == "ph" and (i.mask & (CUE | FINAL) or i.mask & RIGHT and joins or i.mask & SO and self.wide(k2) and self.tokens[i.token].script != 3) and not i.mask & MILD for k2, i in enumerate(some, where))

    def ends(self, k):
        return all(i.kind in (P, N) for i in self.items[k + 1:])

    def beside(self, k, end):
        """The other option whose text stands beside a letter, alone or in brackets; None where there is none."""
        item = self.items[k]
        if item.kind != "L" or item.low or self.article(item) and not item.sure and not item.label:
            return None
        j = k + 1
        while j < end and self.items[j].kind == P and self.items[j].text in ")]-:(":
            j += 1
        if j >= end or self.items[j].kind != "T" or self.items[j].option == item.option:
            return None
        after = self.items[j + 1] if j + 1 < len(self.items) else None
        closes = after is None or after.kind in (N, CLOSES) or after.kind == P and after.text in ".!?;,)"
        return self.items[j].option if closes else None

    def verdict(self, start, end, question):
        """What a list of verdicts says of an option: "B. dog: correct", "Saturn - rings ✓"; also "B? No." """
        k = start
        while k < end and self.items[k].kind == P and self.items[k].text in "-(":
            k += 1
        if k >= end:
            return False
        item = self.items[k]
        if self.asked is not None and item.kind == "ph" and item.mask & (YES | NO) and not item.mask & (OPEN | HEDGE) and (k + 1 >= end or self.items[k + 1].kind in (P, N)) \
                and bool(item.mask & YES) != bool(item.mask & NO):
            self.events.pop()
            self.events.append(("commit", self.asked, 2, False, False, False) if item.mask & YES else ("denied", self.asked))
            self.asked = None
            return False
        self.asked = None
        if question:
            found = {i.option for i in self.items[k:end] if i.kind in ("L", "T")}
            if item.kind in ("L", "T") and len(found) == 1:
                self.events.append(("asked", found))
                self.asked = item.option
                return True
            return False
        if item.kind not in ("L", "T") or item.kind == "L" and not item.label and not item.sure and k + 1 < end and self.items[k + 1].kind in (W, "T"):
            return False
        if any(i.kind == "T" or i.kind == "L" and (i.sure or not i.low) for i in self.items[k:end] if i.option != item.option):
            return False
        last = end - 1
        while last > k and self.items[last].kind == P and self.items[last].text in ")]":
            last -= 1
        mask, at = 0, last
        while at > k and self.items[at].kind == "ph":
            mask |= self.items[at].mask
            if self.tokens[self.items[at].token].text in "✓✗":
                break
            at -= 1
        sign = at > k and self.items[at].kind == "ph"
        if not mask or not sign and not (self.items[at].kind == P and self.items[at].text in ",:-(") or at == k or mask & (HEDGE | IF | WAIT | OR) or at - k < 3 and not sign:
            return False
        if mask & (NOT | NO):
            self.events.append(("denied", item.option))
        elif mask & (RIGHT | YES):
            self.events.append(("commit", item.option, 2, False, False, False))
        else:
            return False
        return True

    def turned(self, item, start, where):
        """Whether what stands before a "but" is a doubt or a denial; before a letter that is the first option, anything."""
        before = self.items[max(start, where - NEAR):where]
        return item.kind == "L" and not any(i.kind in ("L", "T") for i in before) or any(i.kind == "ph" and i.mask & (NOT | HEDGE) for i in before)

    def told(self, k, start):
        """Whether an answer stands behind a colon, of which nothing denies or leaves open what it is: "The bat settles it: C"."""
        item, was, k = self.items[k], k, k - 1
        while k > start and (self.items[k].kind == P and self.items[k].text in "([{<" or item.kind == "L" and (self.items[k].kind == N or self.items[k].kind == "ph" and self.items[k].mask & NOUN)):
            k -= 1
        if k <= start or self.items[k].kind != P or self.items[k].text != ":":
            return False
        if any(i.kind == N for i in self.items[k:was]):
            # "Its name is:", "B. dog": the whole of a line.
            after = next((i for i in self.items[was + 1:] if i.kind != P), None)
            if not (after is None or after.kind == N or after.kind == "T" and after.option == item.option):
                return False
        least = max(start, k - NEAR)
        while k > least:
            k -= 1
            item = self.items[k]
            if item.kind == P and item.text == "," or item.kind in (N, OPENS, CLOSES):
                break
            if item.kind in ("L", "T") or item.kind == "ph" and item.mask & (NOT | HEDGE | OR | IF | AND) and not item.mask & (LINK | REASON):
                return False
        return True

    def concluded(self, k, start):
        """Whether an answer stands at the end of a clause that concludes, as the only one: "So what differs is the dog"."""
        least, k, was = max(start, k - NEAR), k, k
        while k > least:
            k -= 1
            item = self.items[k]
            begins = k == start or self.items[k - 1].kind == P and self.items[k - 1].text == ","
            if item.kind == "ph" and item.mask & SO and not item.mask & REASON and (begins or not item.mask & LINK):
                return k + 1 < was
            if item.kind == "ph" and self.tokens[item.token].text == "than":
                return False
            if item.kind in ("L", "T", N, OPENS, CLOSES) or item.kind == P and item.text in ",:" and not (k > least and self.items[k - 1].kind == "ph" and self.items[k - 1].mask & SO) \
                    or item.kind == "ph" and item.mask & (NOT | HEDGE | OR | IF | THOUGH | OPEN) and not item.mask & (LINK | REASON):
                return False
        return False

    def clear(self, k, start, end):
        """Whether nothing in the clause of an answer denies it or leaves it open."""
        def bound(i):
            return i.kind == N or i.kind == P and i.text in ",:" or i.kind == "ph" and i.mask & BUT and not i.mask & (CUE | LINK)
        first, last = k, k + 1
        while first > start and k - first <= NEAR and not bound(self.items[first - 1]):
            first -= 1
        while last < end and last - k <= NEAR and not bound(self.items[last]):
            last += 1
        return not self.negated(first, last)

    def article(self, item):
        token = self.tokens[item.token]
        return item.kind == "L" and token.raw in "AIEOYaieoyАИОУВСКЯ"

    def contradicts(self, k):
        """Whether the text of another option stands alone behind a letter: "(B) cat"."""
        k += 1
        while k < len(self.items) and self.items[k].kind == P and self.items[k].text in ")]}.:-":
            k += 1
        k += 1
        return k >= len(self.items) or self.items[k].kind in (N, CLOSES) or self.items[k].kind == P and self.items[k].text in ".!?;,)"

    def lists(self, k, end):
        """Whether a letter with its text is followed by the next: "A. a bird B. a mouse"."""
        j = k + 1
        while j < end and (self.items[j].kind == P and self.items[j].text in ")].:-(" or self.items[j].kind == "T" and self.items[j].option == self.items[k].option):
            j += 1
        return j > k + 2 and j < end and self.items[j].kind == "L" and self.items[j].label and self.items[j].option != self.items[k].option

    def strong_reason(self, k, end):
        item = self.items[k] if k < end else None
        return item is not None and item.kind == "ph" and item.mask & REASON and not item.mask & LINK

    def has_text(self, k, end, of_option=False):
        j = k + 1
        while j < end and self.items[j].kind == P and self.items[j].text in ")]}.:-":
            j += 1
        if of_option:
            return j < end and self.items[j].kind == "T" and j > k + 1
        return j < end and self.items[j].kind not in (P, N) and not (self.items[j].kind == "ph" and self.items[j].mask & (WAIT | WEAK))

    def negated(self, start, end):
        return any(i.kind == "ph" and i.mask & (NOT | HEDGE | IF | OPEN) and not i.mask & (LINK | REASON) for i in self.items[start:min(end, start + 200)])

    def whole_before(self, k, start):
        return k - start <= NEAR and all(i.kind != W for i in self.items[start:k])

    def whole(self, k, start, end):
        """Whether a sentence is one answer and nothing else."""
        option, joins = self.items[k].option, False
        for i in self.items[k + 1:end]:
            # "A is a bear" says what A is, not that A is right.
            joins = joins or i.kind == "ph" and bool(i.mask & IS)
            if joins and (i.kind == "T" or i.kind == "ph" and i.mask & NOUN and not i.mask & RIGHT):
                return False
        for i in self.items[start:end]:
            if i.kind in (W, OPENS, CLOSES) or i.kind in ("T", "L") and i.option != option:
                return False
            if i.kind == P and i.text not in "()[]{}<>.:-=,":
                return False
            if i.kind == "ph" and not i.mask & (LINK | NOUN | IS | RIGHT | CUE | SO | WAIT | WEAK | BUT | YES):
                return False
        return True

    def stands(self, k, left, right):
        """Whether a letter stands there as an answer, and is not a word of the sentence."""
        item = self.items[k]
        if item.kind == "T":
            return True
        if right == "text" and (not item.sure or self.contradicts(k)):
            return False
        if item.sure:
            return True
        if item.low:
            if item.digit and k < 2 and left == START and right in ("comma", "reason"):
                return True
            return right == "after" and left == START and not self.article(item) and self.tokens[item.token].script == 1 or item.label and (left == START or right == "end" and left == CUED) or right in ("end", "comma", "after") and left in (CUED, NAMED, BACK) \
                or right == "end" and left == START
        return not (right == "word" and self.article(item)) or left == NAMED or item.label

    def box(self, k, end):
        """Reads what is boxed in: one answer and nothing else."""
        close = self.closes.get(k)
        if close is None:
            close = k + 1
            while close < end and close - k <= NEAR and self.items[close].kind != N:
                close += 1
        if close - k > NEAR:
            return k + 1
        inner = self.items[k + 1:close]
        found = set()
        clear = True
        for i in inner:
            if i.kind in ("T", "L"):
                found.add(i.option)
            elif len(inner) == 1 and i.kind == W and i.text in self.numbers:
                # A number without the unit that the options have.
                found.add(self.numbers[i.text])
            elif i.kind == W or i.kind == "ph" and i.mask & (NOT | HEDGE | OR) and not i.mask & LINK:
                clear = False
        article = len(found) == 2 and inner and inner[0].kind == "L" and self.tokens[inner[0].token].raw == "A" and len(inner) > 1 and inner[1].kind == "T"
        if article:
            found = {inner[1].option}
        led = inner and inner[0].kind == "L" and (inner[0].label or len(inner) > 1 and inner[1].kind in (P,))
        if len(found) == 1 and (clear or led and not any(i.kind == "ph" and i.mask & (NOT | HEDGE | OR) and not i.mask & LINK for i in inner)):
            # A number may be boxed on the way to the answer: a letter that is stated later outweighs it.
            number = len(inner) == 1 and inner[0].kind in ("T", W) and all("0" <= c <= "9" for c in self.tokens[inner[0].token].text)
            self.events.append(("commit", found.pop(), 4 if number else 3, False, False, not number))
        elif len(found) > 1:
            self.events.append(("hedge", found, False))
        return min(close, end)


def decide(events, count, cut_off):
    """What all that an output says comes to: an option, None, and why."""
    if cut_off:
        events = [e for e in events if e[0] != "commit" or not e[4]]
    labels = {e[1] for e in events if e[0] == "label"} | {e[1] for e in events if e[0] == "commit" and e[3]}
    listed = len(labels) > 1
    current, strength, conflict, back, any_commit, plain = None, 0, False, False, False, False
    for event in events:
        if event[0] == "commit":
            option, strong, with_text, _, explicit = event[1:]
            if with_text and listed and not explicit:
                continue
            any_commit = True
            if current is None or current == option or back or strong > strength:
                # What stands against another answer is settled by a conclusion, or by taking the earlier back.
                if back or strong > strength:
                    conflict = False
                strength = max(strength, strong) if current == option and strong != 4 else strong
                strength = 1 if strong == 4 else strength
                plain = bool(explicit) or plain and current == option
                current, back = option, False
            elif strong == strength:
                conflict = True
        elif event[0] == "hedge":
            if current is not None and plain and len(event) > 3 and (event[3] == ANY or event[3] and current not in event[1]):
                continue
            if current is not None and event[1] - {current} and not event[2]:
                current, conflict = None, False
                strength = 0
            elif current is not None and event[1] == {current} and not event[2]:
                current = None
                strength = 0
        elif event[0] == "denied":
            if event[1] == current:
                current, strength = None, 0
        elif event[0] == "wait":
            back = True
            if current is not None:
                any_commit = True
        elif event[0] == "weak":
            if current is not None and back is not True:
                back = "weak"
    if any_commit:
        if conflict or current is None or back is True or current < 0 or current >= count:
            return None, True
        return current, True
    return None, False


def cut(output):
    """Without thoughts and what follows the end of the answer; None where thoughts do not end."""
    low = lower_ascii(output)
    start, opened = 0, -1
    for begin, finish in THOUGHTS:
        at = low.rfind(finish)
        if at >= 0:
            start = max(start, at + len(finish))
    for begin, _ in THOUGHTS:
        if low.find(begin, start) >= 0:
            return None
    while True:
        while start < len(output) and output[start] <= " ":
            start += 1
        mark = next((mark for mark in ENDS if low.startswith(mark, start)), None)
        if mark is None:
            break
        start += len(mark)
    stop = min((at for at in (low.find(mark, start) for mark in ENDS) if at >= 0), default=len(output))
    return output[start:stop].strip()


def lower_ascii(text):
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)


def is_cyrillic(instruction):
    for line in instruction.splitlines():
        line = line.strip().lstrip("(")
        if len(line) > 1 and line[0] in "Бб" and line[1] in ".):":
            return True
    return False


def read(options, kind, output, instruction="", count=None):
    text = cut(output)
    if text is None or not text or text.startswith(FAILED):
        return None
    if not options and kind in ("yes-no", "true-false"):
        head = before_question(text)
        found = yes_no(head) if head is not None else None
        if found not in ("yes", "no"):
            found = yes_no(text, instruction)
        return found
    found = None
    head = before_question(text)
    if head is not None:
        found, stated = choose(options, head, instruction)
        found = found if stated else None
    if found is None:
        found = choose(options, text, instruction)[0]
    if found is None:
        # "Q: (the question) A: B" among other questions.
        again = same_question(text, instruction)
        found = choose(options, again, instruction)[0] if again and again.strip() else None
        found = None if found == "refused" else found
    if found is None and text.startswith(("{", "```")):
        found = of_object(options, text)
    if found is None and {t.strip().lower() for t in options} == {"yes", "no"}:
        word = yes_no(text)
        for at, option in enumerate(options):
            if option.strip().lower() == word:
                return at
    return found


def of_object(options, text):
    """The one option that a value of a JSON object is: its letter, or its text."""
    text = text.strip("`").strip()
    try:
        values = json.loads(text[text.find("{"):text.rfind("}") + 1])
    except ValueError:
        return None
    said = set()
    for value in values.values() if isinstance(values, dict) else ():
        value = value.strip() if isinstance(value, str) else ""
        if len(value) == 1 and "A" <= value <= "Z":
            said.add(ord(value) - 65 if ord(value) - 65 < len(options) else None)
        said.update(at for at, option in enumerate(options) if option.strip().lower() == value.lower())
    said.discard(None)
    return said.pop() if len(said) == 1 else None


def before_question(text):
    """What stands before a line in which a model goes on with a question of its own; None where there is none."""
    if is_heading(text[:232].lstrip(" \n#*").split("\n")[0][:32].lower()):
        # Questions with their answers, of which none is the one that was asked.
        return None
    at = text.find("\n")
    while at >= 0:
        whole = text[at + 1:at + 233].lstrip(" \n#*").split("\n")[0][:200].lower()
        line = whole[:32]
        if asks_anew(whole) or whole.rstrip().endswith("?") and len(text[:at].strip(" .*()")) == 1 and text[at + 1:].lstrip().partition("\n")[2].lstrip()[:2] in ("A.", "A)", "(A"):
            return text[:at]
        if is_heading(line):
            return text[:at]
        at = text.find("\n", at + 1)
    return None


def same_question(text, question):
    """What stands below the last question that a model asks itself, where that is the one that was asked; None otherwise."""
    wanted = plain_words(asking_sentence(question))
    lines = text.split("\n")
    last = next((at for at in range(len(lines) - 1, -1, -1) if is_heading(lines[at].lstrip(" #*")[:32].lower())), None)
    if last is None or len(wanted.split()) < 3 and len(wanted) < 12 or not plain_words(lines[last][-1000:]).endswith(wanted):
        return None
    below = "\n".join(lines[last + 1:])
    # "Q: ... A: ...": this A is no letter of an option.
    return below[2:] if below.startswith("A:") and lines[last].lstrip(" #*").lower().startswith("q") else below


def is_heading(line):
    """Whether a line begins with a word for a question and a colon."""
    return any(line.startswith(word) and line[len(word):].lstrip(" 0123456789*")[:1] in (":", "：") for word in ASKS)


def asks_anew(line):
    """Whether a line is a question about the picture, and none about the answer."""
    plain = plain_words(line.split("?")[0])
    words = plain.split()
    if line.rstrip().endswith("?") or "? please" in line or "? answer" in line:
        return len(words) > 3 and words[0] in INTERROGATIVES and not any(" " + word + " " in plain for word in ABOUT)
    return line.rstrip().endswith(("吗？", "什么？", "ですか？", "ますか？", "ですか。", "ますか。", "입니까?", "습니까?")) and len(plain) > 7


def above_options(text):
    """The lines of a question above its options."""
    above = text[:4000]
    stop = min((at for at in (above.find(mark) for mark in ("\nA.", "\nA)", "\n(A", "\n1.", "\n1)")) if at > 0), default=len(above))
    return above[:stop]


def asking_sentence(text):
    """The last sentence that asks, where one does, of the lines above the options; the first line otherwise."""
    above = above_options(text)
    last = max(above.rfind(mark) for mark in "?？؟")
    if last < 0:
        return first_line(text)
    begin = max([above.rfind(mark, 0, last) + len(mark) for mark in (". ", "? ", "! ", "\n", "。", "？", "؟", "।", "！") if above.rfind(mark, 0, last) >= 0] + [0])
    return above[begin:last + 1][-400:]


def first_line(text):
    return text.split("\n")[0][:400]


def quoted(text):
    """What stands in double quotes, as bare words."""
    parts = fold(text).split('"')
    return [plain_words(part) for part in parts[1::2]] if len(parts) % 2 else []


def plain_words(text):
    """A text in small letters, with a blank for each mark, and one around."""
    text = lower(fold(text)).replace("can't", "cannot").replace("n't", " not")
    return " " + " ".join("".join(c if script(c) else " " for c in text).split()) + " "


def echo_table(phrases):
    """The words of the languages by which a statement is held against a question."""
    table = []
    for language in sorted(phrases):
        table.append({name: sorted({plain_words(word) for word in phrases[language].get(name, ())}, key=lambda w: (-len(w), w)) for name in ECHO})
    return table


def has(plain, words):
    """Whether a plain text has one of these words; those of scripts without blanks anywhere."""
    return any((word.strip() if script(word[1]) == 3 else word) in plain for word in words)


def without(plain, words):
    for word in words:
        if script(word[1]) == 3 and not is_hangul(word[1]):
            plain = plain.replace(word.strip(), " ")
        else:
            while word in plain:
                plain = plain.replace(word, " ")
    return " " + " ".join(plain.split()) + " "


def units(plain):
    """The words of a plain text; of scripts without blanks characters, runs of Katakana, and what stands between blanks in Korean and Thai."""
    out, last = [], 0
    for c in plain:
        o = ord(c)
        if c == " " or 0x3041 <= o <= 0x309F:
            kind = 0
        elif 0x30A0 <= o <= 0x30FF:
            kind = 1
        elif 0x1100 <= o <= 0x11FF or 0xAC00 <= o <= 0xD7FF or 0xE00 <= o <= 0xE7F:
            kind = 2
        elif script(c) == 3:
            kind = 3
        else:
            kind = 4
        if kind == last and kind not in (0, 3):
            out[-1] += c
        elif kind:
            out.append(c)
        last = kind
    return out


def same_word(one, other):
    """Whether two words are forms of one: all but their last letters count."""
    if one == other:
        return True
    if len(one) == len(other) and one[:-1] == other[:-1] and {one[-1], other[-1]} in ({"o", "a"}, {"ा", "ी"}):
        # "niño" and "niña"
        return False
    if len(one) > 3 and len(other) > 3 and stem(one) == stem(other):
        return True
    short, long = min(len(one), len(other)), max(len(one), len(other))
    alike = 0
    while alike < short and one[alike] == other[alike]:
        alike += 1
    if script(one[0]) == 3:
        return is_hangul(one) and alike >= max(1, short - 1)
    return not "0" <= one[0] <= "9" and long - short <= 3 and alike >= max(3, short - (0 if short < 4 else 1 if short < 6 else 2))


def stem(word):
    """A word without what English puts behind it: "riding" and "rides"."""
    for end in ("ing", "ed", "es", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word[:-len(end)]
            return word[:-1] if end in ("ing", "ed") and len(word) > 3 and word[-1] == word[-2] else word
    return word


def stated(question, text):
    """Whether a text says what a question asks, as a statement: "yes", "no", or None. "Is the man wearing a hat?" - "The man wears a black hat." """
    if len(text) > STATED:
        return None
    question = first_line(question)
    active = likely([tokens(question), tokens(text)], least=1, part=NEAREST)
    lists = {name: [w for at, of in enumerate(TABLE) if active is None or at in active for w in of[name]] for name in ECHO}
    for name in ECHO:
        lists[name].sort(key=lambda w: (-len(w), w))
    first = lower(fold(question))
    end = first.find("?")
    asks = plain_words(first[:end] if end > 0 else first)
    for word in EITHER:
        asks = asks.replace(word, " ")
    words = asks.split()
    if words and words[-1] in ("không", "chưa"):
        asks = " " + " ".join(words[:-1]) + " "
    yet = [word for word in lists["yet"] if word not in asks]
    # A word that turns in one language is an article in another.
    turns = lists["turns"]
    if has(asks, lists["denies"]) or has(without(plain_words(text), yet), [word for word in turns if word not in asks and word not in yet]):
        return None
    doubts = [word for word in lists["doubts"] if word not in asks and not any(same_word(word.strip(), other) for other in asks.split())]
    quotes = quoted(question), quoted(text)
    if len(quotes[0]) == 1 == len(quotes[1]) and quotes[0] != quotes[1] and not has(plain_words(text), lists["denies"] + doubts):
        # Does the sign say "stop"? "It says "go"."
        frame = [word for word in units(without(without(asks, lists["place"]), lists["stop"])) if word not in units(quotes[0][0])]
        rest = units(without(plain_words(text), lists["stop"]))
        return "no" if all(any(same_word(word, other) for other in rest) for word in frame) else None
    exists = any(word in asks for word in EXISTS)
    wanted = units(without(without(asks, lists["place"]), lists["stop"]))
    if " the " in asks or " both " in asks:
        # "Are the two lines parallel?": the number is no part of what is asked.
        wanted = [word for word in wanted if not (is_count(word) and word in asks.split() and asks.split()[asks.split().index(word) - 1] == "the")]
    bound = None
    for kind in BOUNDS:
        for phrase_of in lists[kind]:
            behind = asks.partition(phrase_of)[2].split()
            if bound is None and behind and is_count(behind[0]) and count_of(behind[0]).isdigit() and len(wanted) > 1:
                bound = kind, int(count_of(behind[0]))
    if bound is None and has(asks, lists["holds"]) and not has(asks, lists["fails"] + lists["claim"]):
        bound = JUDGES
    if bound is None and " than " in asks:
        for kind in ("above", "below"):
            for word in COMPARES[kind]:
                left, _, right = asks.partition(" than ")
                if " " + word + " " in left + " ":
                    sides = [[unit for unit in units(without(without(side, lists["place"]), lists["stop"])) if unit != word] for side in (left, right)]
                    if sides[0] and sides[1]:
                        bound = kind, None, sides[0][-1:], sides[1][:1]
    if bound is not None and bound[1] not in (None, 0.5):
        wanted = list(dict.fromkeys(units(without(without(asks, [word for name in BOUNDS for word in lists[name]] + lists["place"]), lists["stop"]))))
    said = set()
    flat = lower(fold(text)).replace("\n", ". ").replace("。", ". ").replace("!", ". ").replace(";", ". ").replace("…", ". ")
    sentences_of = [part.strip() for part in flat.replace("?", "?. ").split(". ")]
    if not flat.rstrip().endswith((".", "?")) and len([part for part in sentences_of if part]) > 1:
        return None
    alone = len([part for part in sentences_of if part]) == 1
    for at, sentence in enumerate(sentences_of):
        if not sentence or sentence.endswith("?"):
            continue
        parts = [part for part in sentence.replace(":", ",").replace("(", ",").split(",") if part.strip()]
        plain = plain_words(parts[0]) if parts else " "
        if len(sentences_of) - 1 <= 1 or at == 0:
            short = without(plain, lists["place"])
            if any(short == word for word in lists["short_yes"]):
                said.add("yes")
                continue
            if any(short == word for word in lists["short_no"]):
                said.add("no")
                continue
        found = None
        whole_of = sentence
        last = max((k for k, part in enumerate(parts) if has(plain_words(part), yet)), default=None)
        turned = last is not None and not (bound is not None and bound[1] is None)
        if turned:
            # What stands behind the last "but" counts, where nothing before says otherwise.
            head, tail = halves(plain_words(parts[last]), yet)
            before = {part_states(plain_words(part), wanted, exists, doubts, lists, False, bound) for part in parts[:last] + [head]} | said
            parts = [tail] + parts[last + 1:]
            sentence = ", ".join(parts)
        parts = [piece for part in parts for piece in split_at(plain_words(part), lists["joins"])]
        if bound is not None and bound[1] is None:
            parts = [plain_words(whole_of)]
        for part in parts + ([sentence] if len(parts) > 1 else []):
            found = found or part_states(plain_words(part), wanted, exists, doubts, lists, alone and len(parts) == 1, bound)
        if turned and not found and before - {None} == {"no"} and not has(plain_words(sentence), doubts + lists["pronouns"] + [" one ", " ones ", " there ", " some "]) \
                and not any(same_word(want, word) for want in (wanted[0], wanted[-1]) for word in units(plain_words(sentence))):
            # "It is not a dog but a cat."
            found = "no"
        if found == "doubt" or turned and (not found or before - {found, None}):
            return None
        if found:
            said.add(found)
    return said.pop() if len(said) == 1 else None


def halves(plain, words):
    """What stands before and behind the last of these words, each with it: it may deny the one or the other."""
    at, word = max((plain.rfind(word.strip() if script(word[1]) == 3 else word), word) for word in words)
    end = at + len(word.strip() if script(word[1]) == 3 else word)
    return plain[:end] + " ", " " + plain[at:]


def split_at(plain, words):
    """What stands between these words."""
    for word in words:
        if script(word[1]) == 3:
            plain = plain.replace(word.strip(), "\n")
        else:
            plain = plain.replace(word, " \n ")
    return [part for part in plain.split("\n") if part.strip()]


def part_states(plain, wanted, exists, doubts, lists, alone, bound):
    """What a clause says of the words that a question wants."""
    if not wanted:
        return None
    judges = bound == JUDGES
    bound = None if judges else bound
    doubt = has(plain, doubts)
    bare = without(plain, lists["place"])
    denied = has(bare, lists["denies"])
    words = units(without(without(without(without(bare, lists["stop"]), lists["denies"]), lists["pronouns"]), lists["yet"]))
    claims, holds, fails = ({word for one in lists[name] for word in units(one)} for name in ("claim", "holds", "fails"))
    if any(word in claims for word in wanted) and any(word in claims for word in words):
        verdicts = {word in holds for word in words if word in holds or word in fails}
        others = [word for word in words if word not in claims and word not in holds and word not in fails and not any(same_word(want, word) for want in wanted)]
        if len(verdicts) == 1 and not others:
            return "doubt" if doubt else "yes" if verdicts.pop() != denied else "no"
    if judges and has(plain, lists["fails"]) and not denied and any(same_word(want, word) for want in wanted for word in words):
        # Is the sum correct? "The sum has an error."
        return "doubt" if doubt else "no"
    if exists and has(bare, lists["empty"]) and len(wanted) > 1 and not denied:
        # Are there people in the room? "The room is empty."
        rest = [word for word in words if not has(" " + word + " ", lists["empty"])]
        if len(rest) == 1 and same_word(rest[0], wanted[-1]):
            return "doubt" if doubt else "no"
    if bound is not None and bound[1] is None:
        # Are there more cups than plates? "There are six cups and four plates."
        sides, at_of = [], []
        for side in bound[2:]:
            at = next((k for k, word in enumerate(words) for want in side if same_word(want, word)), None)
            before = [word for word in words[:at] if is_count(word)] if at is not None else []
            at_of.append(at)
            sides.append(int(count_of(before[-1])) if before and is_count(words[at - 1]) and count_of(before[-1]).isdigit() else None)
        said = [kind for kind in ("above", "below") if any(word in words for word in COMPARES[kind])]
        if None not in at_of and len(said) == 1 and " than " in plain and not denied and not doubt and at_of[0] != at_of[1]:
            # "There are fewer cups than plates."
            return "yes" if (said[0] == bound[0]) == (at_of[0] < at_of[1]) else "no"
        if None in sides or len([word for word in words if is_count(word)]) != 2 or denied or any(word in doubts for word in doubts if word.strip() != "only" and word in plain):
            return None
        return "yes" if (sides[0] > sides[1] if bound[0] == "above" else sides[0] < sides[1]) else "no"
    if bound is not None:
        # Are there more than five cups? "There are seven cups."
        counts, rest = [word for word in words if is_count(word)], [word for word in wanted if not is_count(word)]
        had = [any(same_word(want, word) for word in words) for want in rest]
        if doubt or denied or len(counts) != 1 or not (all(had) or exists and had[0]) or has(bare, [word for name in BOUNDS for word in lists[name]]):
            return None
        kind, least = bound
        number = count_of(counts[0])
        if not number.isdigit():
            return None
        number = int(number)
        return "yes" if (number > least if kind == "above" else number < least if kind == "below" else number >= least if kind == "least" else number <= least) else "no"
    places, used = [], set()
    compounds = lists["compounds"]
    for want in wanted:
        at = next((k for k, word in enumerate(words) if k not in used and same_word(want, word)), None)
        if at is None and compounds and len(want) > 3:
            # "Kochmütze" is a "Mütze".
            at = next((k for k, word in enumerate(words) if k not in used and word.endswith(want)), None)
        if at is None:
            kin = [word for one in lists["alike"] if " " + want + " " in one for word in one.split()] + \
                [word for one in lists["kinds"] if one.startswith(" " + want + " ") for word in one.split()]
            at = next((k for k, word in enumerate(words) if k not in used and word in kin), None)
            if at is None and any(" " + word + " " in bare for word in kin):
                at = -1
        places.append(at)
        used.add(at)
    again = [k for k, at in enumerate(places) if at is None and wanted[k] in wanted[:k]]
    if again:
        # "Is the triangle a right triangle?": said once is enough.
        wanted = [word for k, word in enumerate(wanted) if k not in again]
        places = [at for k, at in enumerate(places) if k not in again]
    if -1 in places:
        wanted = [word for word, at in zip(wanted, places) if at != -1]
        places = [at for at in places if at != -1]
        if not wanted:
            # Is there anybody? "Nobody is there."
            return ("doubt" if doubt else "no") if denied and exists and not words else None
    if exists and not denied and places[0] is None and is_lone(bare, lists["lone"]) and not any(same_word(want, word) for want in wanted[:1] for word in words) and alone:
        # Is there a dog? "There is only a cat."
        return "no" if not has(plain, [word for word in doubts if not any(lone.strip() in word for lone in lists["lone"])]) else "doubt"
    if exists and not denied and places[0] is None and script(wanted[0][0]) != 3 and not is_count(wanted[0]):
        # What is asked for is not named.
        return None
    missing = [k for k, at in enumerate(places) if at is None]
    found = [at for at in places if at is not None]
    if missing and not denied and differs(wanted, words, places, missing, has(bare, lists["pronouns"]), lists["contrast"], lists["every"]):
        return "doubt" if doubt else "no"
    if not found:
        return None
    if missing:
        # "He is wearing a hat", "Not open": without the subject that the question has.
        han = script(wanted[0][0]) == 3 and not is_hangul(wanted[0])
        leading = missing == list(range(len(missing)))
        subject = len(wanted) > 1 and has(bare, lists["pronouns"]) and (missing == [0] or missing == [1] and any(bare.startswith(word) for word in lists["pronouns"]) or leading and len(missing) < 4)
        whole = alone and len(found) == len(words)
        left_out = whole and (missing == [0] and len(wanted) == 2 or han and len(plain) < 12)
        # "Has a red balloon": in languages without pronouns. "No umbrella", "She has no umbrella".
        verb = missing == [0] and len(wanted) > 2 and min(found) == 0 and max(found) < 4
        none = denied and len(found) == len(words) and (places[-1] is not None or places[0] is None)
        # Is there snow on the hills? "There is no snow anywhere."
        none = none or denied and exists and places[0] is not None and len(words) - len(found) <= 1 and not has(bare, lists["pronouns"])
        counted = any(wanted[k] in COUNTS or "0" <= wanted[k][0] <= "9" for k in missing)
        if not subject and not none and (counted and not han or not left_out and not verb):
            return None
    # In the order of the question, but for one word: a verb or a place may stand elsewhere.
    best = [0] * len(found)
    for k, at in enumerate(found):
        best[k] = 1 + max((best[j] for j in range(k) if found[j] < at), default=0)
    if max(best) < len(found) - 1 or len(found) == 2 and max(best) < 2 and not exists and not denied and len(words) > 2:
        return None
    han = script(wanted[0][0]) == 3 and not is_hangul(wanted[0])
    extra = max(found) + 1 - len(found)
    if exists and not denied and len(wanted) == len(found) and extra > 0 and (len(found) == 1 or han and max(found) - min(found) + 1 == len(found)):
        # "At the edge of the river a small wooden boat is tied up": one thing, wherever it stands.
        extra = 0
    if extra > (4 if exists else 2 if han else 1):
        return None
    if doubt:
        return "doubt"
    return "no" if denied else "yes"


def is_lone(plain, lone):
    """Whether nothing else is there than what is named."""
    return has(plain, lone) or any(is_hangul(word) and len(word) > 2 and word.endswith("만") for word in plain.split())


def differs(wanted, words, places, missing, pronoun, contrast, every):
    """Whether a clause has another word where the question has one, and both cannot hold: "The door is closed", "There are three cats"."""
    rest = [(k, word) for k, word in enumerate(words) if k not in places]
    counts = [k for k in missing if is_count(wanted[k])]
    if missing == counts and len(counts) == 1 and len(wanted) > 1:
        others = [word for _, word in rest if is_count(word)]
        return len(others) == 1 and len(rest) <= 2 and count_of(others[0]) != count_of(wanted[counts[0]])
    if len(wanted) < 2 and not pronoun:
        return False
    if missing[-1] == 0 and len(wanted) > 1 or "than" in wanted[:missing[-1]]:
        # Of another subject, or held against another.
        return False
    leading = [k for k in missing[:-1] if " " + wanted[k] + " " not in every]
    if leading and not (pronoun and leading == list(range(len(leading))) and len(leading) < 4):
        return False
    want = wanted[missing[-1]]
    found = [k for k in places if k is not None]
    if not found and len(rest) > 1:
        return False
    for one in contrast:
        group = units(one)
        if not any(is_kin(want, word) for word in group) or any(is_kin(word, want) for _, word in rest):
            continue
        for k, word in rest:
            # Next to a word of the question, or one modifier away at the end: "The car is dark blue".
            near = not found or k - 1 in found or k + 1 in found or k - 2 in found and k == len(words) - 1
            if near and any(is_kin(word, other) for other in group if not is_kin(want, other)):
                return True
    return False


def is_kin(one, other):
    """Whether two words are forms of one, whatever their gender."""
    return same_word(one, other) or len(one) == len(other) > 3 and one[:-1] == other[:-1]


def is_count(word):
    return word in COUNTS or word in ONES or all("0" <= c <= "9" for c in word)


def count_of(word):
    """The number that a word says."""
    if all("0" <= c <= "9" for c in word):
        return word.lstrip("0")
    return next((str(number) for number, words in enumerate(NUMBERS) if word in words.split()), word)


def choose(options, text, instruction):
    """The option that a text comes to, and whether it is stated."""
    count = len(options) or 26
    text = completed(text, instruction)
    numbered = is_numbered(instruction, options)
    all_tokens = tokens(text.translate(CIRCLED) if numbered else text)
    all_tokens.languages = languages(all_tokens, tokens(first_line(instruction)))
    table = option_table(options)
    if len(all_tokens) <= NUMBERED:
        for word, rows in number_words(options).items():
            if len(all_tokens) <= SHORT or word not in ONES:
                table.setdefault(word, rows)
    found = items(all_tokens, table, count, is_cyrillic(instruction), Numbers(options) if numbered else None, symbols(options))
    asked = Asked(instruction, options, all_tokens.languages)
    if asked.inverse:
        # Which statement is false? "B is false" is the answer, and "A is true" rules A out.
        for item in found:
            if item.kind == "ph" and item.mask & FALSE:
                item.mask = item.mask & ~(NOT | NO) | RIGHT
            elif item.kind == "ph" and item.mask & TRUE and not item.mask & CUE:
                item.mask = item.mask & ~(RIGHT | YES) | NOT
    for at, item in enumerate(found):
        if item.kind == "L" and not item.sure and not item.label and all_tokens[item.token].raw in asked.points:
            before = next((i for i in reversed(found[max(0, at - 3):at]) if i.kind != N), None)
            if before is None or not (before.kind == "ph" and before.mask & (CUE | FINAL | SO | NOUN | IS | RIGHT) or before.kind == P and before.text in ":(["):
                # A point of the figure: "the angle at B".
                item.kind, item.text = W, all_tokens[item.token].text
    for at, item in enumerate(found):
        # What the question itself leaves open does not make an answer open: "Which is partially hidden?"
        if item.kind == "ph" and item.mask & HEDGE and not item.mask & (NOT | OR):
            stop = found[at + 1].token if at + 1 < len(found) else len(all_tokens)
            if asked.asks(" ".join(t.text for t in all_tokens[item.token:stop])):
                item.mask = item.mask & ~(HEDGE | OPEN | LEAN) | LINK
    found = opened(options, asked, found, all_tokens)
    while found and found[-1].kind == N:
        found.pop()
    result, committed, turns_at, _, _ = weigh(options, asked, found, all_tokens, count)
    if turns_at is not None:
        # What stands behind a correction counts, where it is an answer by itself.
        later = weigh(options, asked, found[turns_at + 1:], all_tokens, count)[0]
        if later is not None and later != "refused":
            return later, True
    return result, committed


def completed(text, question):
    """What stands behind the last words of a question that its answer completes: "(The car should save) the girl" """
    stem = above_options(question).rstrip(" \n:_…-")
    words = plain_words(stem[-2000:]).split()
    if len(words) < 3 or stem[-1:] in (".", "!", "?", "？", "؟", "。", ")"):
        return text
    tail = " ".join(words[-2:])
    head = lower_ascii(text[:300])
    at = head.find(tail + " ")
    before = text[:at]
    if at <= 0 or any(mark in before for mark in ".!?\n") or any(word not in words for word in plain_words(before).split()):
        return text
    return text[at + len(tail) + 1:]


def opened(options, asked, found, all_tokens):
    """The items, where a short first sentence is one option in other forms of its words: "Die zwei älteren Frauen." for "zwei ältere Frauen"."""
    end = next((k for k, i in enumerate(found[:OPENING + 1]) if i.kind == N or i.kind == P and i.text in ".;。"), 0)
    if end == 0 or end + 1 >= len(found) or not any(i.kind == W for i in found[:end]):
        return found
    if any(i.kind not in (W, "T") and not (i.kind == "ph" and i.mask & LINK and not i.mask & (NOT | HEDGE | IF | OR | CUE)) and not (i.kind == P and i.text == "'") for i in found[:end]):
        return found
    said = [t.text for k, i in enumerate(found[:end]) if i.kind in (W, "T") for t in all_tokens[i.token:found[k + 1].token] if t.kind == W and t.text not in ARTICLES]
    said = [word for word in said if word not in PAIR]
    counted = any(is_count(word) for word in said)
    fits = []
    for at, option in enumerate(options):
        words = [t.text for t in tokens(option) if t.kind == W and t.text not in ARTICLES and t.text not in ELIDED and " " + t.text + " " not in asked.middles]
        left = [word for word in words if counted or not is_count(word)]
        for word in said:
            one = next((k for k, other in enumerate(left) if same_word(other, word)), None)
            if one is None:
                break
            left.pop(one)
        else:
            if not left and said:
                fits.append(at)
    if len(fits) != 1:
        return found
    return [Item("T", found[0].token, option=fits[0])] + found[end:]


def weigh(options, asked, found, all_tokens, count):
    """The option that these items come to, whether it is stated, where what is said is last taken back, the options that are stated, and those that are said to be the answer."""
    reader = Reader(found, all_tokens, bare_numbers(options), asked.denies)
    spans = sentences(found, all_tokens)
    # The last sentence that says anything of an option, or the last.
    final, before = len(spans) - 1, 0
    for at, (start, end, question) in enumerate(spans):
        so_far = len(reader.events)
        reader.sentence(start, end, question)
        if len(reader.events) > so_far:
            final, before = at, so_far
    told, stated_of = told_of(reader.events, 1), told_of(reader.events, TOLD)
    told_before, stated_before = told_of(reader.events[:before], 1), told_of(reader.events[:before], TOLD)
    result, committed = settle(options, asked, found, all_tokens, count, reader, spans)
    if isinstance(result, int) and result not in stated_of and loops(reader, spans):
        result, committed = None, True
    elif result is None and final > 0 and not spans[final][2]:
        # "So he must stop", "Answer: B": what the last sentence concludes or states, where none before states another.
        start = spans[final][0]
        first = found[start]
        last, stated, _, of, stated_last = weigh(options, asked, found[start:], all_tokens, count)
        so = first.kind == "ph" and bool(first.mask & SO) and not first.mask & NOT
        states = stated and (of == {last} and (any(i.kind == "L" for i in found[start:]) or stated_last == of) or so and any(i.kind == "L" and i.option == last for i in found[start:spans[final][1]]))
        before = stated_before if states else told_before
        if isinstance(last, int) and (so or states) and not before - {last} and (asked.denies or asked.inverse or not mismatched(last, found, reader)):
            result, committed = last, stated
        elif of == {SEVERAL} and found[start - 1].kind == N and first.mask & (CUE | FINAL) and len(found) - start < 5 and all(len(option.strip()) == 1 for option in options):
            # "Answer: A" where the options are letters themselves.
            place = next(i.place for i in found[start:] if i.kind == "L")
            if 0 <= place < count:
                result, committed = place, True
    return result, committed, reader.turns_at, told, stated_of


def told_of(events, level):
    """The options that are stated, at this level or above."""
    return {e[1] for e in events if e[0] == "commit" and e[5] >= level}


def settle(options, asked, found, all_tokens, count, reader, spans):
    cut_off = is_cut_off(found, all_tokens, spans)
    if asked.denies:
        # Which is not in the picture? That it is not there says nothing against it.
        kept, stated_so_far = [], set()
        for event in reader.events:
            if event[0] == "commit":
                stated_so_far.add(event[1])
            if event[0] != "denied" or event[1] not in stated_so_far:
                kept.append(event)
        reader.events = kept
    option, committed = decide(reader.events, count, cut_off)
    if committed:
        if option is not None and not cut_off and reader.events[0][0] == "commit" and len(spans) > 1 and reader.events[0][2] < 3 and all(e[0] in ("mention", "mark") for e in reader.events[1:]):
            # "A cat. The animal on the sofa is a dog." says two things.
            other = echoed(asked, reader, spans[-1:], cut_off, False)
            if other is not None and other != option:
                return None, True
        if option is not None and mismatched(option, found, reader):
            return None, True
        return option, True
    events = reader.events
    open_ended = any(e[0] in ("hedge", "asked", "wait") for e in events)
    denied = {e[1] for e in events if e[0] == "denied"}
    leans = {e[1] for e in events if e[0] == "lean"}
    if leans and not open_ended and not cut_off:
        one = leans.pop()
        return (one if not leans and one not in denied and 0 <= one < count else None), False
    if any(i.kind == "ph" and i.mask & REFUSE for i in found):
        return "refused", False
    # Several that are only named, as in a list, leave nothing open for the last sentence.
    listed = open_ended and all(e[0] == "hedge" and e[2] for e in events if e[0] in ("hedge", "asked", "wait"))
    if open_ended and not listed:
        return None, False
    if cut_off and not listed and not denied and not asked.denies and (len(spans) > 1 or asked.names):
        one = begun(asked, found, reader, spans[0])
        if one is not None and 0 <= one < count:
            return one, False
    one = echoed(asked, reader, spans, cut_off, listed) if not asked.denies else None
    if one is not None and one not in denied and 0 <= one < count:
        return one, False
    if cut_off or listed:
        return None, False
    if denied and asked.denies:
        # Which is not visible? "There is no clock."
        one = denied.pop()
        bare = all(i.kind == "T" for i in found if i.kind in ("L", "T") and i.option == one)
        return (one if not denied and bare and 0 <= one < count else None), False
    if denied:
        # "Not a dog, a cat": what is left, where all else is denied before.
        first = next(k for k, e in enumerate(events) if e[0] == "denied")
        left = {e[1] for e in events if e[0] in ("mention", "mark", "label")} - denied
        clear = {e[1] for e in events[first:] if e[0] in ("mention", "mark") and e[3]} - denied
        if len(left) == 1 and clear == left and len(found) <= LONG:
            one = clear.pop()
            return (one if 0 <= one < count else None), False
        return None, False
    marks = {e[1] for e in events if e[0] in ("mark", "label")}
    if marks:
        one = marks.pop()
        clear = not marks and 0 <= one < count and not any(e[0] == "mark" and e[2] for e in events)
        return (one if clear else None), False
    mentions = {e[1] for e in events if e[0] == "mention"}
    if not asked.denies and not cut_off and len(mentions) == 1 and len(found) <= LONG and all(e[3] for e in events if e[0] == "mention"):
        # "It could be a mix, but of these a husky is the closest."
        turn = max((k for k in range(spans[-1][0], len(found)) if found[k].kind == "ph" and found[k].mask & BUT and not found[k].mask & (CUE | LINK | IS)), default=None)
        if turn is not None and not spans[-1][2] and not any(i.kind == "T" for i in found[:turn]) and any(i.kind == "T" for i in found[turn:]) and not reader.negated(turn + 1, len(found)):
            one = mentions.pop()
            return (one if one >= 0 else None), False
    # "The angle at A is 50°, so the other is 65°": another number is the last.
    numbers = [i.kind for i in found if i.kind in ("T", W) and "0" <= all_tokens[i.token].text[0] <= "9"] if any(i.kind == P and i.text == "=" for i in found) else []
    if not asked.denies and len(mentions) == 1 and len(found) <= LONG and numbers[-1:] != [W] and not any(e[0] == "mention" and e[2] for e in events) and not reader.negated(0, len(found)):
        one = mentions.pop()
        return (one if one >= 0 and not foreign(asked, found, all_tokens) and not breaks_off(found, "\u0e00" <= all_tokens[-1].text[0] <= "\u0e7f") else None), False
    if not asked.denies and not mentions and (len(found) < 7 or found[-1].kind == P) and len(found) <= LONG and not reader.negated(0, len(found)):
        return embedded(asked, options, [t.text for t in all_tokens[found[0].token:] if t.kind == W]) if found and not foreign(asked, found, all_tokens) else None, False
    return None, False


def loops(reader, spans):
    """Whether a text says the same sentence of one option and of another in turn."""
    if len(spans) < 3:
        return False
    said = {}
    for start, end, question in spans:
        answers = [i for i in reader.items[start:end] if i.kind == "T"]
        if question or len(answers) != 1 or end - start < 4 or any(i.kind == "ph" and i.mask & NOT and not i.mask & LINK for i in reader.items[start:end]):
            continue
        frame = tuple(None if i.kind == "T" else reader.tokens[i.token].text for i in reader.items[start:end])
        said.setdefault(frame, []).append(answers[0].option)
    return any(sum(one != other for one, other in zip(options, options[1:])) > 1 and len(set(options)) < len(options) for options in said.values())


def begun(asked, found, reader, span):
    """The option that the first sentence says it is, where a text that is cut off later names no other: "It is called pho. It is a soup of"."""
    start, end, question = span
    answers = [k for k, i in enumerate(found) if i.kind in ("L", "T") and not reader.article(i)]
    texts = {found[k].option for k in answers}
    first = [k for k in answers if k < end]
    only = end == len(found)
    if question or len(texts) != 1 or not first or found[first[0]].kind != "T" or not (asked.names if only else found[end].text in (".", "。")) or end - start > LONG:
        return None
    # "It is pho, which is": what follows a comma is said of it.
    k = first[-1] if asked.names else first[0]
    stop = next((j for j in range(k + 1, end) if found[j].kind == P and found[j].text == ","), end)
    if any(i.kind == "ph" and i.mask & (NOT | HEDGE | OPEN | OR | BUT | THOUGH) and not i.mask & (LINK | REASON | IS) for i in found[start:min(stop + 2, end)]) or reader.conditional(start):
        return None
    if asked.names and (only or stop < end):
        # Of a sentence that goes on or breaks off: "It is called pho, a soup", and not "Compared to pho, it".
        thai = k + 1 < end and "\u0e00" <= reader.tokens[found[k + 1].token].text[0] <= "\u0e7f" and reader.tokens[found[k + 1].token].blank
        if only and (stop == end and not thai or not reader.is_named(k, start, asked.name_words)):
            return None
        if not (found[k - 1].kind in (W, P) or any(i.kind == "ph" and i.mask & (IS | CUE) for i in found[start:k])):
            return None
    told = any(i.kind == W for i in found[start:first[0]])
    closes = all(i.kind == P or i.kind == "ph" and i.mask & (IS | LINK | CUE) for i in found[first[-1] + 1 if stop == end else k + 1:stop])
    said = units(plain_words(" ".join(t.text for t in reader.tokens[found[start].token:found[k].token])))
    echoes = any(same_word(word, other) for word in asked.words for other in said)
    return texts.pop() if told and (asked.names or closes and echoes) else None


def foreign(asked, found, all_tokens):
    """Whether a text is of another subject than the one asked about: of the woman, where the man is."""
    for item in found:
        if item.kind in ("T", "L", P, N) or item.kind == "ph" and item.mask & IS:
            return False
        word = all_tokens[item.token].text
        if item.kind == W and word not in asked.every and any(word in group and any(one in asked.every for one in group) for group in asked.contrast):
            return True
    return False


def breaks_off(found, thai):
    """Whether a text goes on behind an option's text and ends without a mark."""
    at = max((k for k, i in enumerate(found) if i.kind == "T"), default=0)
    return found[-1].kind != P and len(found) - at > 3 and len(found) > 8 and not thai


def mismatched(option, found, reader):
    """Whether a short answer is a letter, and names the text of another option, and of no other: "B. It shows a cat." """
    texts = {i.option for i in found if i.kind == "T"}
    if any(is_count(reader.tokens[i.token].text) for i in found if i.kind == "T"):
        # A number may be one on the way.
        return False
    if len(texts) != 1 or option in texts or len(found) > SHORTISH or reader.turns_at is not None or any(e[0] == "denied" for e in reader.events):
        return False
    return not reader.negated(0, len(found))


def own_words(asked, options):
    """The words of each option that say something, and those of them that no other option has."""
    wanted = []
    for option in options:
        words = without(without(" " + " ".join(t.text for t in tokens(option) if t.kind == W) + " ", asked.place), asked.stop)
        wanted.append(units_of(words.split(), asked.middles))
    return [(words, [word for word in words if not any(same_word(word, other) for k, others in enumerate(wanted) if k != at for other in others)]) for at, words in enumerate(wanted)]


def units_of(words, middles):
    """Words one by one, numbers as they are."""
    return [unit for word in words for unit in ([word] if "0" <= word[0] <= "9" else units(word)) if unit not in ARTICLES and " " + unit + " " not in middles]


def embedded(asked, options, words):
    """The one option whose own words a text has, in other forms or among others: "The dog is barking" for "it barks"."""
    said = units_of(without(" " + " ".join(words) + " ", asked.stop).split(), asked.middles)
    found = []
    for at, (words, own) in enumerate(own_words(asked, options)):
        had = [word for word in own if any(told_as(word, other) for other in said)]
        if had:
            whole = bool(said) and all(any(told_as(word, other) for word in words) for other in said)
            numbers = all(word in had for word in own if "0" <= word[0] <= "9")
            found.append((at, numbers and (whole or sum(any(told_as(word, other) for other in said) for word in words) * 3 >= len(words) * (1 if numbers and any("0" <= word[0] <= "9" for word in own) else 2) and len(had) * 3 >= len(own) * 2)))
    return found[0][0] if len(found) == 1 and found[0][1] else None


def told_as(word, other):
    """Whether a word of an option is said as another: "south" as "southward"."""
    return same_word(word, other) or len(word) > 4 and other.startswith(word) and len(other) - len(word) < 5 and script(word[0]) != 3


class Asked:
    """What matters of a question: its words, whether it asks for what is false, and whether it denies."""

    def __init__(self, question, options, active):
        plain = plain_words(first_line(question))
        asking = plain_words(asking_sentence(question))
        lists = {name: sorted({w for at, of in enumerate(TABLE) if active is None or at in active for w in of[name]}, key=lambda w: (-len(w), w))
                 for name in ("stop", "place", "denies", "inverse", "names")}
        lettered = {t.raw for option in options for t in tokens(option)}
        self.middles = {word for at, of in enumerate(MIDDLES) if active is None or at in active for word in of}
        self.every = units(plain)
        self.contrast = [units(one) for at, of in enumerate(TABLE) if active is None or at in active for one in of["contrast"]]
        self.points = {t.raw for t in tokens(first_line(question)) if len(t.raw) == 1 and t.raw in "BCDEFGH" and t.raw not in lettered}
        self.stop, self.place, self.plain = lists["stop"], lists["place"], plain
        # Whether it asks what something is called.
        self.names = len(asking) < NAMING and has(asking, lists["names"])
        self.name_words = [word.strip() for word in lists["names"]]
        nearest = likely([tokens(first_line(question))], least=1, part=NEAREST)
        denies = [word for at, of in enumerate(TABLE) if nearest is None or at in nearest for word in of["denies"]]
        self.inverse = has(plain, lists["inverse"]) or has(plain_words(question.split("\n")[0][-400:]), lists["inverse"])
        self.denies = not self.inverse and has(asking.split(" even though ")[0].split(" although ")[0], [w for w in denies if w.strip() not in ("no", "non", "n")])
        named = [word for option in options for word in units(plain_words(option))]
        self.words = [word for word in dict.fromkeys(units(without(without(plain, lists["place"]), lists["stop"]))) if word not in named]


    def asks(self, words):
        return words.isascii() and not words.startswith(("can", "could", "may", "might", "perhaps", "poss")) and " " + words + " " in self.plain


def found_at(reader, j):
    """Whether a reason begins behind a comma."""
    item, after = reader.items[j], reader.items[j + 1]
    return item.kind == P and item.text == "," and after.kind == "ph" and after.mask & REASON and not after.mask & LINK


def paired(reader, start, end):
    """Where the first text of an option ends that stands with its own letter in brackets; None where there is none."""
    for k in range(start, end):
        if reader.items[k].kind == "T":
            part = reader.items[k + 1:min(end, k + 5)]
            if len(part) > 2 and part[1].kind == "ph" and part[1].mask & NOUN:
                part = part[:1] + part[2:]
            if len(part) > 2 and part[0].kind == P and part[0].text == "(" and part[1].kind == "L" and part[1].option == reader.items[k].option and part[2].kind == P and part[2].text == ")":
                return k + 4
            return None
    return None


def echoed(asked, reader, spans, cut_off, listed):
    """The option that a statement in the question's words names: "The first year is 2018", "Only D shows a reptile"."""
    if not asked.words or len(reader.items) > LONGEST:
        return None
    named, passed = [], []
    for at, (start, end, question) in enumerate(spans):
        last = at == len(spans) - 1
        # "The arrow points to the heart (A), which": a text with its letter, also where the text is cut off behind it.
        pair = paired(reader, start, end) if cut_off and not question else None
        end = pair or end
        if question or cut_off and last and pair is None or listed and not last or end - start > LONG:
            continue
        found, words, k, final, is_at = set(), "", start, -1, -1
        # What stands behind ", since" is a reason.
        end = next((j for j in range(start + 1, end - 1) if found_at(reader, j) and any(i.kind in ("L", "T") for i in reader.items[start:j])), end)
        while k < end:
            item = reader.items[k]
            stop = reader.items[k + 1].token if k + 1 < len(reader.items) else len(reader.tokens)
            article = item.kind == "L" and reader.article(item) and not item.sure and k + 1 < end and reader.items[k + 1].kind in (W, "T")
            if item.kind in ("L", "T") and not article:
                found.add(item.option)
                words += " "
                final = k
            else:
                if item.kind == "ph" and item.mask & IS or item.kind == P and item.text == "-":
                    is_at = k
                for token in reader.tokens[item.token:stop]:
                    words += (" " if token.blank else "") + token.text
            k += 1
        if len(found) != 1:
            continue
        if any(i.kind == "ph" and i.mask & (NOT | HEDGE | IF | OPEN | OR | THOUGH) and not i.mask & (LINK | REASON | IS) for i in reader.items[start:end]):
            continue
        said = units(without(plain_words(words), asked.stop))
        alike = sum(any(same_word(word, other) for other in said) for word in asked.words)
        # "The first year is 2018" at the end; "The sport is hockey (C)".
        ends = 0 <= is_at < final and all(i.kind == P for i in reader.items[final + 1:end])
        both = ends and reader.items[final].kind == "L" and any(i.kind == "T" for i in reader.items[start:final])
        if alike and (pair or both or ends and last and not cut_off) or alike * 2 >= len(asked.words) and (not cut_off or alike == len(asked.words)):
            named.append((found.pop(), last, alike))
        elif alike and ends:
            passed.append((found.pop(), alike))
    if not named:
        return None
    option, last, alike = named[-1]
    if any(one != option and other >= alike for one, other in passed):
        return None
    if all(one == option or last and other < alike for one, _, other in named):
        return option
    return None


CUT = "はがをにのともでへや的和与與在是而는은이가을를와과의에로"


def is_cut_off(found, all_tokens, spans):
    """Whether a text ends within a sentence."""
    last = len(found) - 1
    while last >= 0 and found[last].kind == P and found[last].text in ")]}'":
        last -= 1
    if last < 0 or found[last].kind in (CLOSES, OPENS):
        return False
    item = found[last]
    if item.kind == P and item.text in ".!?。;…":
        return item.text == "…" or item.text == "." and last > 1 and all(found[last - k].kind == P and found[last - k].text == "." for k in (1, 2))
    if not spans or item.kind == "L":
        return False
    start = spans[-1][0]
    if item.kind == "T" and all_tokens[-1].script == 3 and any(i.kind == P and i.text == "," for i in found[start:last]) and any(i.kind == W for i in found[start:last]):
        # Without a word that ends the sentence.
        before = found[last - 1]
        return not (before.kind == "ph" and before.mask & (IS | CUE | SO | FINAL | RIGHT) or before.kind == P and before.text in ":,")
    if item.kind == "T" and last > start and any(i.kind == W for i in found[start:last]):
        # Where a sentence ends with a verb, or a text is long, an option's text does not end it.
        script_of = all_tokens[item.token].text[0]
        verb = is_hangul(script_of) or any("\u3041" <= t.text[0] <= "\u309f" for t in all_tokens)
        long = "\u0621" <= script_of <= "\u06ff" and sum(i.kind == W for i in found[start:last]) > 3
        before = found[last - 1]
        if (verb or long) and not (before.kind == "ph" and before.mask & (IS | CUE | SO | FINAL | RIGHT) or before.kind == P or before.kind == "L"):
            return True
    if item.kind == "T":
        # A bare text behind the end of a sentence, in the same line.
        return start > 2 and found[start - 1].kind == P and found[start - 1].text in ".!?。" and all(i.kind != W for i in found[start:last]) and \
            not any(i.kind == "ph" and i.mask & (CUE | FINAL | SO | RIGHT | BUT) for i in found[start:last])
    if start > 0 and found[start - 1].kind == P and found[start - 1].text in ".!?。":
        return True
    if item.kind == P and item.text in ",:-(" or item.kind == "ph" and item.mask & (AND | OR | BUT | MID) and not item.mask & (YES | NO) or all_tokens[-1].text in CUT and all_tokens[-1].script == 3:
        return True
    answer = next((k for k in range(last, start - 1, -1) if found[k].kind in ("T", "L")), None)
    if answer is None:
        return False
    behind = found[answer + 1:last]
    return any(i.kind == "ph" and i.mask & (AND | BUT) and not i.mask & (LINK | IS | CUE) for i in behind) or \
        item.kind == W and any(i.kind == P and i.text == "," for i in (found[start:last] if all_tokens[-1].script == 3 else behind))


def yes_no(text, asked=""):
    all_tokens = tokens(text)
    if len(all_tokens) in (1, 2) and all_tokens[0].text in ("y", "n") and all(t.kind == P for t in all_tokens[1:]):
        return "yes" if all_tokens[0].text == "y" else "no"
    all_tokens.languages = languages(all_tokens, tokens(first_line(asked)))
    found = items(all_tokens, {}, 0, False)
    reader = Reader(found, all_tokens)
    current, back, conflict, seen, strength, turns_at = None, False, False, False, 0, None

    def says(mask):
        yes, no = bool(mask & (YES | YES_WORD)), bool(mask & (NO | NO_WORD))
        return None if mask & OPEN or yes == no else "yes" if yes else "no"

    first = True
    for start, end, question in sentences(found, all_tokens):
        k, looked, leads = start, start, True
        # "Yes... no", "Yes. Actually, no": what follows may stand in place of what was said before.
        weak = current is not None and (start > 1 and found[start - 1].kind == P and (found[start - 1].text == "…" or found[start - 1].text == found[start - 2].text == ".")
                                        or found[start].kind == "ph" and bool(found[start].mask & WEAK) and not says(found[start].mask))
        while k < end:
            item = found[k]
            if item.kind == OPENS:
                close = k + 1
                while close < end and found[close].kind != CLOSES:
                    close += 1
                inner = [i for i in found[k + 1:close] if i.kind not in (P, N)]
                word = says(inner[0].mask) if len(inner) == 1 and inner[0].kind == "ph" else None
                if word:
                    current, conflict, back, seen, strength = word, strength == 3 and current not in (None, word), False, True, 3
                k = close + 1
                continue
            if item.kind != "ph":
                k += 1
                continue
            while looked < k:
                i = found[looked]
                leads = leads and (i.kind in (P, N) or i.kind == "ph" and bool(i.mask & (SO | LINK)) and not i.mask & (YES | NO))
                looked += 1
            lead = leads
            begins = k == start or found[k - 1].kind in (P, N) or found[k - 1].kind == "ph" and (found[k - 1].mask & (WAIT | WEAK) or item.mask & WAIT and found[k - 1].mask & BUT)
            nxt = found[k + 1] if k + 1 < end else None
            closed = nxt is None or nxt.kind in (P, N, CLOSES) and nxt.text not in "/" or nxt.kind == "ph" and nxt.mask & (REASON | YES | NO | IS) \
                and not nxt.mask & (OPEN | OR) or all_tokens[found[k + 1].token].blank and 0xE00 <= ord(all_tokens[item.token].text[0]) <= 0xE7F
            # "Yes, possibly" is open, and "yes, a house, possibly an office" is not.
            answers = k > start and found[k - 1].kind not in (P, N) or k > start + 1 and found[k - 2].kind == "ph" and says(found[k - 2].mask) is not None
            begins_open = begins and (k == start or answers or nxt is None or nxt.kind in (P, N))
            if item.mask & OPEN and (lead or begins_open or reader.left(k, start)[0] in (CUED, HEDGED)) and not item.mask & PLAIN:
                if current is not None or lead:
                    current, seen, back = None, True, False
                    strength = 0
                k += 1
                continue
            word = says(item.mask)
            left, where = reader.left(k, start) if word else (OTHER, 0)
            if word and not question:
                sure = item.mask & (YES_WORD | NO_WORD)
                outer = reader.clause(where, start) if left == CUED else None
                commits = False
                after_wait = begins and k > start and back
                if left == CUED and outer is None:
                    commits = closed
                elif lead and first:
                    commits = closed or bool(sure)
                elif lead:
                    commits = closed and (nxt is None or nxt.kind in (P, N))
                elif left == BACK and (back or weak or current is None) or after_wait:
                    commits = closed
                elif (item.mask & YES_WORD or nxt is None or nxt.kind == P) and item.mask & (YES | NO) and k > start and found[k - 1].kind == P and found[k - 1].text in ",-" \
                        and (current is None or weak or back) and not reader.negated(start, k):
                    # "In the picture, yes."
                    commits = closed
                if commits and nxt is not None and nxt.kind == P and nxt.text == "," and k + 2 < end and found[k + 2].kind == "ph" and found[k + 2].mask & IF \
                        and not found[k + 2].mask & (LINK | REASON | HEDGE | YES | NO):
                    # "Yes, if"
                    return None
                if commits and nxt is not None and nxt.kind == "ph" and nxt.mask & (OR | AND) and not nxt.mask & (REASON | YES | NO):
                    commits = False
                if commits:
                    following = [says(i.mask) if i.kind == "ph" else None for i in found[k + 1:min(end, k + 3)]]
                    if len(following) == 2 and following[0] not in (None, word) and following[1] == word:
                        # "Yes No Yes No"
                        return None
                    strong = 3 if left == CUED and found[where].mask & FINAL else 2
                    if current is None or current == word or back or weak or strong > strength:
                        turns_at = None
                        if current != word:
                            conflict = False
                        current, back, strength, seen = word, False, max(strong, strength if current == word else 0), True
                    elif strong == strength:
                        conflict = True
                    k += 1
                    continue
            if item.mask & WEAK and k == start and not word and current is not None:
                turns_at = k
            if item.mask & WAIT and begins or item.mask & WEAK and begins and k > start and not word:
                turns_at = k if current is not None else turns_at
                back = current is not None or back
                if item.mask & WAIT and current is not None:
                    seen = True
            k += 1
        first = False
    if seen and turns_at is not None and asked and turns_at + 1 < len(found):
        # What stands behind a correction: "Yes. Sorry, there is no train."
        rest = all_tokens[found[turns_at + 1].token:]
        later = stated(asked, "".join((" " if t.blank else "") + t.text for t in rest))
        if back or later:
            return later
    if seen:
        if conflict or current is None or back:
            return None
        return current
    said = stated(asked, text) if asked and not is_cut_off(found, all_tokens, sentences(found, all_tokens)) else None
    if said:
        return said
    if any(i.kind == "ph" and i.mask & REFUSE for i in found):
        return "refused"
    return None
