"""The rule strict@2: what a model's output commits itself to, and nothing else. A port of benchtop's own code, held to it by its tests.

`read(options, kind, output)` gives the place of an option, "yes", "no", "refused", or None where the output commits itself to nothing.
"""

CLASSES = ["cue", "final", "so", "noun", "right", "is", "link", "not", "hedge", "or", "and", "if", "but", "wait", "weak", "reason",
           "refuse", "yes", "no", "open", "plain", "yes_word", "no_word"]
(CUE, FINAL, SO, NOUN, RIGHT, IS, LINK, NOT, HEDGE, OR, AND, IF, BUT, WAIT, WEAK, REASON, REFUSE, YES, NO, OPEN, PLAIN, YES_WORD,
 NO_WORD) = (1 << at for at in range(len(CLASSES)))

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
# Words for the numbers from 0 to 10, where they are nothing else.
NUMBERS = [
    "zero cero ноль нуль 零", "one один", "two deux zwei dos due dois duas twee два две dwa dwie två iki 两 兩 二", "three trois drei tres tre três drie три trzy üç 三",
    "four quatre vier cuatro quattro quatro четыре cztery fyra dört 四", "five cinq fünf cinco cinque vijf пять pięć fem beş 五",
    "six sechs seis zes шесть sześć altı 六", "seven sept sieben siete sette sete zeven семь siedem yedi 七",
    "eight huit acht ocho otto oito восемь osiem sekiz 八", "nine neuf neun nueve nove negen девять dziewięć dokuz 九",
    "ten dix zehn diez dieci dez tien десять dziesięć 十"]
# Words before a question that a model goes on to ask itself.
ASKS = ["question", "q", "user", "human", "问题", "問題", "質問", "질문", "문제", "вопрос", "питання", "frage", "pregunta", "pergunta", "domanda", "vraag",
        "pytanie", "soru", "câu hỏi", "سؤال", "السؤال", "प्रश्न", "सवाल", "pertanyaan", "คำถาม"]
# What asks whether something is there.
EXISTS = [" is there ", " are there ", " is anyone ", " is anybody ", " do you see ", " can you see ", " y a t il ", " est ce qu il y a ", " gibt es ", " ist ein ",
          " hay ", " há ", " existe ", " c è ", " ci sono ", " есть ", " є ", " is er ", " zijn er ", " czy jest ", " czy są ", " apakah ada ", "有",
          "いますか", "ありますか", "写っていますか", "있습니까", "있나요", "있어요", "보입니까", "보이나요"]
# What makes such a question one that denies.
DENIES = [" not ", " n t ", " no ", " without ", " never ", " nothing ", " pas ", " sans ", " kein ", " keine ", " nicht ", " ohne ", " sin ", " não ", " sem ",
          " non ", " senza ", " не ", " нет ", " без ", " немає ", " geen ", " niet ", " nie ", " bez ", " tidak ", "没有", "沒有", "不", "没", "ない", "ません", "없", "않"]
# What denies that there is what follows, or what stands before.
NONE_BEFORE = ["there is no ", "there are no ", "there isn't any ", "there isn't a ", "there isn't an ", "there is not a ", "there is not an ", "there is not any ",
               "there aren't any ", "there are not any ", "i see no ", "i can see no ", "i don't see any ", "i don't see a ", "i don't see an ", "i do not see any ",
               "i do not see a ", "i do not see an ", "i can't see any ", "i can't see a ", "i cannot see any ", "i cannot see a ", "there's no ",
               "il n'y a pas de ", "il n'y a pas d'", "il n'y a aucun ", "il n'y a aucune ", "je ne vois pas de ", "je ne vois aucun ", "je ne vois aucune ",
               "es gibt keine ", "es gibt keinen ", "es gibt kein ", "ich sehe keine ", "ich sehe keinen ", "ich sehe kein ", "no hay ningún ", "no hay ninguna ",
               "no hay ", "no veo ningún ", "no veo ninguna ", "não há nenhum ", "não há nenhuma ", "não há ", "não vejo nenhum ", "não vejo nenhuma ",
               "non c'è nessun ", "non c'è nessuna ", "non c'è ", "non ci sono ", "non vedo nessun ", "er is geen ", "er zijn geen ", "ik zie geen ",
               "нет ", "здесь нет ", "я не вижу ", "немає ", "nie ma ", "nie widzę ", "tidak ada ", "没有", "沒有", "看不到", "没看到", "沒看到"]
NONE_AFTER = [" нет", " не видно", " немає", "はいません", "はありません", "は写っていません", "は見えません", "は見当たりません", "がいません", "はいない", "はない",
              "は写っていない", "이 없습니다", "가 없습니다", "은 없습니다", "는 없습니다", "이 보이지 않습니다", "가 보이지 않습니다", "은 보이지 않습니다",
              "는 보이지 않습니다", "이 없어요", "가 없어요", "은 없어요", "는 없어요"]
# Where that is said to be.
PLACES = ["in the picture", "in the image", "in the photo", "in this picture", "in this image", "in this photo", "sur l'image", "sur la photo", "dans l'image",
          "auf dem bild", "im bild", "auf dem foto", "en la imagen", "en la foto", "na imagem", "na foto", "nell'immagine", "nella foto", "op de foto", "op de afbeelding",
          "in de afbeelding", "на картинке", "на изображении", "на фото", "на фотографии", "на зображенні", "na zdjęciu", "na obrazku", "di gambar", "dalam gambar",
          "图片中", "圖片中", "图片里", "圖片裡", "图中", "圖中", "图里", "画面中", "畫面中", "照片中", "照片里", "图片上", "写真に", "写真には", "画像に", "画像には",
          "사진에는 ", "사진에 ", "이미지에 ", "이미지에는 ", "그림에 "]
ANYWHERE = ["here", "visible", "shown", "present", "any", "ici", "hier", "aquí", "aqui", "qui", "здесь", "тут"]
# What turns from a denial.
TURNS = [" but ", " however ", " although ", " though ", " except ", " mais ", " aber ", " sondern ", " doch ", " pero ", " mas ", " ma ", " maar ", " но ", " а ",
         " ale ", " tapi ", " tetapi ", "但", "不过", "而是", "しかし", "でも", "ですが", "하지만", "그러나", "지만", " or ", " unless ", " maybe ", " perhaps ", " only if "]
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
    text, out, at, n = fold(text), [], 0, len(text)
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
                at = end
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
            elif braces and braces.pop():
                put(CLOSES, "}")
            else:
                put(P, c)
        elif c == "|":
            blank, at = True, at + 1
        else:
            of = script(c)
            sign = c == "-" and at + 1 < n and text[at + 1].isdigit() and text[at + 1].isascii() and blank
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


def trie(phrases):
    root = {}
    for of in phrases.values():
        for name, words in of.items():
            bit = 1 << CLASSES.index(name)
            for phrase in words:
                node = root
                words_of = tokens(phrase)
                for token in words_of:
                    node = node.setdefault(token.text, {})
                # "Certainly not" denies too.
                node[None] = node.get(None, 0) | bit | (NOT if bit == NO and len(words_of) > 1 else 0)
    return root


TRIE = None


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
            end, mask = k, node[None]
    if end == at + 1 and len(all_tokens[at].text) == 1 and all_tokens[at].raw != all_tokens[at].text:
        return at, 0
    return end, mask


class Item:
    __slots__ = ("kind", "mask", "option", "sure", "token", "text", "low", "label")

    def __init__(self, kind, token, mask=0, option=None):
        self.kind, self.token, self.mask, self.option = kind, token, mask, option
        self.sure, self.low, self.text, self.label = False, False, "", False


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
    before = all_tokens[at - 1] if at else None
    after = all_tokens[at + 1] if at + 1 < len(all_tokens) else None
    tight_before, tight_after = joined(all_tokens, at), joined(all_tokens, at + 1)
    enclosed = token.marked or bool(before and after and (
        before.kind == P and before.text in "([{<" and after.kind == P and after.text in ")]}>" or
        before.kind == OPENS and after.kind == CLOSES or
        before.text == "'" and after.text == "'"))
    if not enclosed:
        if tight_before and (before.text in "'°@&+%\\/" and not (before.text in "/&" and at > 1 and len(all_tokens[at - 2].raw) == 1)
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
        if len(words) > 1 and words[0] in ("a", "an", "the"):
            forms.append(words[1:])
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


def option_at(all_tokens, at, table):
    for key, option in table.get(all_tokens[at].text, ()):
        if at + len(key) <= len(all_tokens) and all(all_tokens[at + k].text == key[k] for k in range(len(key))):
            end = at + len(key)
            if all_tokens[end - 1].script == 3 and joined(all_tokens, end) and all_tokens[end].script == 3 and not phrase(all_tokens, end)[1]:
                continue
            return end, option
    return at, None


def items(all_tokens, table, count, cyrillic):
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
            item = Item(token.kind, at)
            item.text = token.text
            out.append(item)
            at += 1
            continue
        end, mask = phrase(all_tokens, at)
        found = letter(all_tokens, at, count, cyrillic)
        after = all_tokens[at + 1] if at + 1 < n else None
        text_end, option = option_at(all_tokens, at, table)
        if option is not None and token.script == 3 and joined(all_tokens, at) and all_tokens[at - 1].script == 3 and out and out[-1].kind == W:
            option = None
        if option is not None and found and text_end == at + 1:
            # A text of one letter is read as a letter, unless it names another option.
            if found[0] != option:
                found = (SEVERAL, found[1], found[2])
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
                out.append(item)
                at += 1
                continue
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
                (at - 1 - start <= 1 or after.kind == "T" and not all_items[at - 1].low)
            stop = not label
        if stop:
            if at > start:
                out.append((start, at, item.kind == P and item.text == "?"))
            start = at + 1
    if start < len(all_items):
        out.append((start, len(all_items), False))
    return out


CUED, DENIED, HEDGED, OPENED, BACK, BUTTED, NAMED, START, OTHER, HYPOTHETICAL, COMMA = range(11)


class Reader:
    def __init__(self, all_items, all_tokens):
        self.items, self.tokens = all_items, all_tokens
        self.events, self.closes, opened = [], {}, []
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
                    return NAMED, k
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
                    turned = before is not None and before.kind == "ph" and before.mask & NOT and before.mask & BUT and self.follows(k - 1, start)
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
                if mask & NO and mask & WEAK and k + 1 == first and self.items[first].kind == "T":
                    # "No bear", where "No, bear" has a comma.
                    return DENIED, k
                if mask & NOT and not mask & (RIGHT | IS | REASON):
                    return (BUTTED if mask & BUT and self.follows(k, start) else DENIED), k
                if mask & (CUE | FINAL | SO) and not (mask & LINK and not mask & FINAL):
                    return CUED, k
                if mask & (LINK | IS | NOUN | RIGHT):
                    flags |= mask
                elif mask & HEDGE:
                    return HEDGED, k
                elif mask & (WAIT | WEAK):
                    return BACK, k
                elif mask & BUT:
                    return BUTTED, k
                elif mask & IF:
                    return HYPOTHETICAL, k
                else:
                    break
                if mask & HEDGE and not mask & (LINK | NOUN):
                    return HEDGED, k
            else:
                break
            k -= 1
        if flags & RIGHT and (flags & (IS | NOUN | CUE) or colon) or flags & NOUN and (flags & IS or colon):
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

    def follows(self, k, start):
        """Whether an answer stands before a phrase, as before "ではなく"."""
        k -= 1
        if k > start and self.items[k].kind == "ph" and self.items[k].mask & (IS | LINK):
            k -= 1
        return k >= start and self.items[k].kind in ("L", "T")

    def clause(self, k, start):
        """What else stands before a cue in its clause: DENIED, HEDGED, HYPOTHETICAL or None."""
        if k < len(self.items) and self.items[k].kind == "ph" and self.items[k].mask & SO and not self.items[k].mask & CUE:
            return None
        least = max(start, k - NEAR)
        k -= 1
        while k >= least:
            item = self.items[k]
            if item.kind == P and item.text in ",:-()" or item.kind in (N, "L", "T", OPENS, CLOSES):
                return None
            if item.kind == "ph":
                if item.mask & (NOT | REFUSE) and not item.mask & (LINK | REASON):
                    return DENIED
                if item.mask & SO or item.mask & BUT and not item.mask & CUE:
                    return None
                if item.mask & OR and not item.mask & (LINK | REASON | AND | BUT):
                    return HEDGED
                if item.mask & HEDGE and not item.mask & (LINK | REASON):
                    return HEDGED
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
                elif item.text == "(":
                    inner = self.items[k + 1] if k + 1 < end else None
                    if inner is not None and inner.kind in ("T", "L") and inner.option == option:
                        k += 2
                        continue
                    return after or "end"
                elif item.text == ",":
                    return after or "comma"
                else:
                    return after or "end"
            elif item.kind in ("T", "L"):
                if item.option != option:
                    return after or ("text" if item.kind == "T" and not after else "word")
                mark = True
            elif item.kind == N:
                return after or "end"
            elif item.kind == "ph":
                mask = item.mask
                token = self.tokens[item.token]
                if mask & NOT:
                    return "not"
                if mask & HEDGE and not mask & (LINK | IS | NOUN):
                    return "hedge" if not after else after
                if mask & IF and not mask & (LINK | IS | REASON):
                    return "if"
                if mask & REASON and not mask & (IS | NOUN):
                    return after or "reason"
                wide = k + 1 < len(self.items) and self.items[k + 1].token - item.token > 1
                if mask & (RIGHT | CUE | FINAL) and not (mask & (LINK | IS) and not mask & RIGHT) and not (mask & (NOUN | LINK) and not mask & RIGHT):
                    final = k + 1 >= end or self.items[k + 1].kind in (P, N)
                    if flags & IS or mask & IS or mark or not bare or wide or token.script != 1 or final and not self.article(self.items[last]):
                        after = "after"
                    elif not after:
                        return "word"
                elif mask & (IS | LINK | NOUN):
                    flags |= mask
                    mark = mark or bool(mask & NOUN) and not self.article(self.items[last])
                elif mask & OR:
                    return after or "or"
                elif mask & (SO | WAIT | WEAK | BUT | AND):
                    return after or "end"
                else:
                    return after or "word"
            else:
                return after or "word"
            k += 1
        return after or "end"

    def group(self, first, end):
        """An answer and those joined to it: the options, where the last stands, and whether they are joined."""
        options, last, k = [self.items[first].option], first, first + 1
        while k < end:
            j, sep, comma = k, False, False
            while j < end:
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
            if j >= end or self.items[j].kind not in ("T", "L"):
                break
            item = self.items[j]
            if not sep:
                adjacent = item.kind == "L" and self.items[last].kind == "L" and j == last + 1
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
        denied_here = False
        condition = any(i.kind == "ph" and i.mask & IF and not i.mask & (LINK | REASON | HEDGE | YES) for i in self.items[start:start + 2])
        while k < end:
            item = self.items[k]
            if item.kind == OPENS:
                k = self.box(k, end)
                continue
            if item.kind == "ph":
                clause_start = k == start or self.items[k - 1].kind in (P, N, OPENS, CLOSES) or \
                    self.items[k - 1].kind == "ph" and self.items[k - 1].mask & (WAIT | WEAK | NOT | BUT | SO | OR)
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
            left, where = self.left(k, start)
            option = item.option
            bare = item.kind == "L" and not item.sure and not item.label
            right = self.right(last, end, option, bare)
            outer = self.clause(where, start) if left in (CUED, NAMED) else self.clause(k, start) if right == "after" else None
            if question:
                self.events.append(("asked", set(options)))
            elif left == DENIED or right == "not" or outer == DENIED:
                for o in set(options):
                    self.events.append(("denied", o))
                denied_here = True
            elif several:
                self.events.append(("hedge", set(options), item.kind == "T" and left == OTHER))
            elif condition or left == HEDGED or outer == HEDGED or right in ("hedge", "or", "if") and self.stands(k, left, right) \
                    or left == HYPOTHETICAL or outer == HYPOTHETICAL:
                self.events.append(("hedge", {option}, item.kind == "T" and left == OTHER))
            elif self.stands(k, left, right):
                strength = 2
                with_text = False
                if left == CUED and self.items[where].kind == "ph" and self.items[where].mask & FINAL:
                    strength = 3
                commits = False
                if right == "after":
                    commits = True
                elif left == CUED:
                    crossed = any(i.kind == N for i in self.items[where:k])
                    with_text = crossed and item.kind == "L" and self.has_text(k, end)
                    commits = item.kind == "L" or right in ("end", "comma", "reason")
                elif left == BACK:
                    commits = item.kind == "L" or right in ("end", "comma", "reason")
                elif left == BUTTED and denied_here:
                    commits = right in ("end", "comma", "reason")
                elif left == START or left == NAMED and self.whole_before(k, start):
                    if right == "end" and self.whole(k, start, end):
                        commits, with_text = True, item.kind == "L" and self.has_text(k, end)
                    elif start == 0 and k - start <= 2 and (item.label or right in ("comma", "reason") or item.kind == "L" and right == "end" and item.sure):
                        commits, with_text = True, item.label
                        if item.kind == "T" and right == "reason":
                            commits = False
                        if item.kind == "L" and not item.label and right == "reason" and not item.sure and self.article(item):
                            commits = self.strong_reason(last + 1, end)
                    elif item.label and k - start <= 2:
                        self.events.append(("label", option))
                if commits:
                    self.events.append(("commit", option, strength, with_text))
                elif item.kind == "T":
                    self.events.append(("mention", option, self.negated(start, end)))
                elif item.sure or left == NAMED or item.label:
                    self.events.append(("mark", option, self.negated(start, end)))
            elif item.kind == "T":
                self.events.append(("mention", option, self.negated(start, end)))
            elif right == "text" and (item.label or item.sure):
                self.events.append(("hedge", {option, SEVERAL}, False))
            if item.label and item.kind == "L" and self.has_text(k, end):
                self.events.append(("label", option))
            k = last + 1
            # The text of the letter that stands before it is no second answer.
            while k < end and (self.items[k].kind == P and self.items[k].text in ")]}.:-(" or self.items[k].kind in ("T", "L") and self.items[k].option == option and len(options) == 1):
                k += 1

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

    def strong_reason(self, k, end):
        item = self.items[k] if k < end else None
        return item is not None and item.kind == "ph" and item.mask & REASON and not item.mask & LINK

    def has_text(self, k, end):
        j = k + 1
        while j < end and self.items[j].kind == P and self.items[j].text in ")]}.:-":
            j += 1
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
            return item.label and (left == START or right == "end" and left == CUED) or right in ("end", "comma", "after") and left in (CUED, NAMED, BACK) \
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
            elif i.kind == W or i.kind == "ph" and i.mask & (NOT | HEDGE | OR) and not i.mask & LINK:
                clear = False
        article = len(found) == 2 and inner and inner[0].kind == "L" and self.tokens[inner[0].token].raw == "A" and len(inner) > 1 and inner[1].kind == "T"
        if article:
            found = {inner[1].option}
        led = inner and inner[0].kind == "L" and (inner[0].label or len(inner) > 1 and inner[1].kind in (P,))
        if len(found) == 1 and (clear or led and not any(i.kind == "ph" and i.mask & (NOT | HEDGE | OR) and not i.mask & LINK for i in inner)):
            # A number may be boxed on the way to the answer: a letter that is stated later outweighs it.
            number = len(inner) == 1 and inner[0].kind == "T" and all("0" <= c <= "9" for c in self.tokens[inner[0].token].text)
            self.events.append(("commit", found.pop(), 4 if number else 3, False))
        elif len(found) > 1:
            self.events.append(("hedge", found, False))
        return min(close, end)


def decide(events, count):
    """What all that an output says comes to: an option, None, and why."""
    labels = {e[1] for e in events if e[0] == "label"} | {e[1] for e in events if e[0] == "commit" and e[3]}
    listed = len(labels) > 1
    current, strength, conflict, back, any_commit = None, 0, False, False, False
    for event in events:
        if event[0] == "commit":
            _, option, strong, with_text = event
            if with_text and listed:
                continue
            any_commit = True
            if current is None or current == option or back or strong > strength:
                # What stands against another answer is settled by a conclusion, or by taking the earlier back.
                if back or strong > strength:
                    conflict = False
                strength = max(strength, strong) if current == option and strong != 4 else strong
                strength = 1 if strong == 4 else strength
                current, back = option, False
            elif strong == strength:
                conflict = True
        elif event[0] == "hedge":
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
    if found is None and {t.strip().lower() for t in options} == {"yes", "no"}:
        word = yes_no(text)
        for at, option in enumerate(options):
            if option.strip().lower() == word:
                return at
    return found


def before_question(text):
    """What stands before a line in which a model goes on with a question of its own; None where there is none."""
    at = text.find("\n")
    while at >= 0:
        line = text[at + 1:at + 33].lstrip(" \n#*").lower()
        for word in ASKS:
            if line.startswith(word) and line[len(word):].lstrip(" 0123456789*")[:1] in (":", "："):
                return text[:at]
        at = text.find("\n", at + 1)
    return None


def plain_words(text):
    """A text in small letters, with a blank for each mark, and one around."""
    return " " + " ".join("".join(c if script(c) else " " for c in lower(fold(text))).split()) + " "


def denies(question, text):
    """Whether a text denies that there is what a question asks for, in the question's words and nothing else."""
    question = plain_words(question.split("\n")[0][:400])
    if len(text) > 600 or not any(word in question for word in EXISTS):
        return False
    asked = question
    for word in ("有没有", "有沒有", "是否有"):
        asked = asked.replace(word, "")
    if any(word in asked for word in DENIES) or any(word in plain_words(text) for word in TURNS):
        return False
    found = False
    for part in lower(fold(text)).replace("\n", ".").replace("。", ".").replace("!", ".").replace(";", ".").split("."):
        part = part.strip()
        if not part:
            continue
        part = part.split(",")[0].strip()
        for place in PLACES:
            part = part.replace(place, "").strip()
        rest = next((part[len(word):] for word in NONE_BEFORE if part.startswith(word)), None)
        if rest is None:
            rest = next((part[:len(part) - len(word)] for word in NONE_AFTER if part.endswith(word)), None)
        if rest is None:
            continue
        words = plain_words(rest).split()
        if not words or not all(asked_for(question, word) for word in words):
            return False
        found = True
    return found


def asked_for(question, word):
    """Whether a question has a word, in this form or another: all but its last letters count."""
    if word in ANYWHERE:
        return True
    if script(word[0]) == 3:
        return word in question
    cut = 0 if len(word) < 4 else 1 if len(word) < 6 else 2
    return " " + word[:len(word) - cut] in question


def choose(options, text, instruction):
    """The option that a text comes to, and whether it is stated."""
    count = len(options) or 26
    all_tokens = tokens(text)
    table = option_table(options)
    if len(all_tokens) <= SHORT:
        for word, rows in number_words(options).items():
            table.setdefault(word, rows)
    found = items(all_tokens, table, count, is_cyrillic(instruction))
    while found and found[-1].kind == N:
        found.pop()
    reader = Reader(found, all_tokens)
    spans = sentences(found, all_tokens)
    for start, end, question in spans:
        reader.sentence(start, end, question)
    option, committed = decide(reader.events, count)
    if committed:
        return option, True
    if any(i.kind == "ph" and i.mask & REFUSE for i in found):
        return "refused", False
    events = reader.events
    if any(e[0] in ("hedge", "denied", "asked", "wait") for e in events):
        return None, False
    marks = {e[1] for e in events if e[0] in ("mark", "label")}
    if marks:
        one = marks.pop()
        clear = not marks and 0 <= one < count and not any(e[0] == "mark" and e[2] for e in events)
        return (one if clear else None), False
    mentions = {e[1] for e in events if e[0] == "mention"}
    if len(mentions) == 1 and len(found) <= LONG and not any(e[0] == "mention" and e[2] for e in events) and not reader.negated(0, len(found)):
        one = mentions.pop()
        return (one if one >= 0 else None), False
    return None, False


def yes_no(text, asked=""):
    all_tokens = tokens(text)
    found = items(all_tokens, {}, 0, False)
    reader = Reader(found, all_tokens)
    current, back, conflict, seen, strength = None, False, False, False, 0

    def says(mask):
        yes, no = bool(mask & (YES | YES_WORD)), bool(mask & (NO | NO_WORD))
        return None if mask & OPEN or yes == no else "yes" if yes else "no"

    first = True
    for start, end, question in sentences(found, all_tokens):
        k, looked, leads = start, start, True
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
            begins = k == start or found[k - 1].kind in (P, N) or found[k - 1].kind == "ph" and found[k - 1].mask & (WAIT | WEAK)
            nxt = found[k + 1] if k + 1 < end else None
            closed = nxt is None or nxt.kind in (P, N, CLOSES) and nxt.text not in "/" or nxt.kind == "ph" and nxt.mask & (REASON | YES | NO | IS) \
                and not nxt.mask & (OPEN | OR)
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
                elif left == BACK and (back or current is None) or after_wait:
                    commits = closed
                if commits and nxt is not None and nxt.kind == "ph" and nxt.mask & (OR | AND) and not nxt.mask & (REASON | YES | NO):
                    commits = False
                if commits:
                    strong = 3 if left == CUED and found[where].mask & FINAL else 2
                    if current is None or current == word or back or strong > strength:
                        if current != word:
                            conflict = False
                        current, back, strength, seen = word, False, max(strong, strength if current == word else 0), True
                    elif strong == strength:
                        conflict = True
                    k += 1
                    continue
            if item.mask & WAIT and begins or item.mask & WEAK and begins and k > start and not word:
                back = current is not None or back
                if item.mask & WAIT and current is not None:
                    seen = True
            k += 1
        first = False
    if seen:
        if conflict or current is None or back:
            return None
        return current
    if denies(asked, text):
        return "no"
    if any(i.kind == "ph" and i.mask & REFUSE for i in found):
        return "refused"
    return None
