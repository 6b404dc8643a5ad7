"""Slow truth of the tokenizers: the rules of docs/text.md, character by character. Only the tables are the core's."""

from __future__ import annotations

import re
from itertools import pairwise

from tagloom._core import get_breaks, list_abbreviations

WORD = (
    "other", "cr", "lf", "newline", "extend", "zwj", "format", "regional", "katakana", "hebrew", "letter",
    "single_quote", "double_quote", "mid_number_letter", "mid_letter", "mid_number", "numeric", "connector",
    "space",
)  # fmt: skip
SENTENCE = (
    "other", "separator", "extend", "space", "lower", "upper", "letter", "numeric", "dot", "continuation", "stop",
    "close",
)  # fmt: skip
PICTOGRAPHIC, CJK, BLANK, ALPHABETIC, OPENING = 1, 2, 4, 8, 16
IGNORED = ("extend", "format", "zwj")
LETTER = ("letter", "hebrew")
LISTS = list_abbreviations()
PHRASES = ("e.g", "i.e", "z.b", "d.h", "u.a", "p.ex", "i.d.r", "c.f")
NAMES = (
    "com", "org", "net", "edu", "gov", "mil", "info", "biz", "uk", "eu", "ca", "au", "cn", "jp", "ru", "nl", "io",
    "doc", "xls", "ppt", "docx", "xlsx", "pdf", "txt", "htm", "html", "jpg", "jpeg", "png", "gif", "zip", "exe",
    "url", "mp3", "xml", "csv", "php", "asp", "py", "js", "css",
)  # fmt: skip
HOSTS = (
    ".com", ".org", ".net", ".edu", ".gov", ".info", ".uk", ".de", ".fr", ".eu", ".ca", ".au", ".us", ".io", ".co",
    ".cn",
)  # fmt: skip
EMOTICONS = (
    ":-)", ":-(", ":-D", ":-P", ":-p", ":-/", ";-)", ":')", ":'(", "^_^", "-_-", ":)", ":(", ":D", ":P", ":p",
    ":/", ":|", ";)", ";(", ";P", "=)", "=(", "=D", "<3", "(:", "(;",
)  # fmt: skip
CLITICS = ("s", "re", "ve", "ll", "d", "m")
Token = tuple[int, int]


def tokenize(text: str, rules: str) -> tuple[list[Token], list[int]]:
    """Places of the tokens, and offsets of the sentences."""
    if rules in ("whitespace", "character"):
        return split_lines(text, r"\S+" if rules == "whitespace" else r"\S")
    tokens: list[Token] = []
    splitter = Splitter()
    last = 0
    for match in re.finditer(r"\S+", text):
        gap = text[last : match.start()]
        lines = len(re.findall("\r\n|[\n\r\x85\u2028]", gap)) + 2 * gap.count("\u2029")
        starts = lines > 1 or splitter.count == splitter.offsets[-1]
        chunk = Chunk(match.group(), rules == "ptb", text[match.end() :], starts)
        for begin, end, abbreviation, emoticon in chunk.scan():
            splitter.add(
                chunk, begin, end, lines if begin == 0 else 0, abbreviation=abbreviation, emoticon=emoticon
            )  # fmt: skip
            tokens.append((match.start() + begin, match.start() + end))
        last = match.end()
    return tokens, splitter.finish()


def split_lines(text: str, pattern: str) -> tuple[list[Token], list[int]]:
    tokens: list[Token] = []
    offsets = [0]
    begin = 0
    for line in text.split("\n"):
        tokens.extend((begin + match.start(), begin + match.end()) for match in re.finditer(pattern, line))
        begin += len(line) + 1
        if len(tokens) > offsets[-1]:
            offsets.append(len(tokens))
    return tokens, offsets


def find_word_breaks(text: str) -> list[int]:
    """Boundaries of UAX #29, each decided by its rules alone."""
    words, _, flags = describe(text)
    pictographic = [bool(flag & PICTOGRAPHIC) for flag in flags]
    return [
        0,
        *(i for i in range(1, len(text)) if breaks_before(words, pictographic, i)),
        *([len(text)] if text else []),
    ]


def describe(text: str) -> tuple[list[str], list[str], list[int]]:
    words, sentences, flags = get_breaks(text)
    return [WORD[w] for w in words.tolist()], [SENTENCE[s] for s in sentences.tolist()], flags.tolist()


def breaks_before(words: list[str], pictographic: list[bool], i: int) -> bool:
    if (words[i - 1], words[i]) == ("cr", "lf"):  # WB3
        return False
    if words[i - 1] in ("cr", "lf", "newline") or words[i] in ("cr", "lf", "newline"):  # WB3a, WB3b
        return True
    if words[i - 1] == "zwj" and pictographic[i]:  # WB3c
        return False
    if (words[i - 1], words[i]) == ("space", "space"):  # WB3d
        return False
    if words[i] in IGNORED:  # WB4
        return False
    before = strip_ignored(words[:i])
    after = [words[i], *(word for word in words[i + 1 :] if word not in IGNORED)]
    previous, beyond = (before[-2] if len(before) > 1 else ""), (after[1] if len(after) > 1 else "")
    return not joins(previous, before[-1], words[i], beyond, before)


def strip_ignored(words: list[str]) -> list[str]:
    """Ignored characters are dropped, unless they begin the text or a line."""
    kept: list[str] = []
    for word in words:
        if word not in IGNORED or not kept or kept[-1] in ("cr", "lf", "newline"):
            kept.append(word)
    return kept


def joins(previous: str, a: str, b: str, beyond: str, before: list[str]) -> bool:
    middle = ("mid_letter", "mid_number_letter", "single_quote")
    number = ("mid_number", "mid_number_letter", "single_quote")
    words = (*LETTER, "numeric")
    regional = 0
    while regional < len(before) and before[-1 - regional] == "regional":
        regional += 1
    return (
        (a in words and b in words)  # WB5, WB8 to WB10
        or (a in LETTER and b in middle and beyond in LETTER)  # WB6
        or (previous in LETTER and a in middle and b in LETTER)  # WB7
        or (a == "hebrew" and b == "single_quote")  # WB7a
        or (a == "hebrew" and b == "double_quote" and beyond == "hebrew")  # WB7b
        or (previous == "hebrew" and a == "double_quote" and b == "hebrew")  # WB7c
        or (previous == "numeric" and a in number and b == "numeric")  # WB11
        or (a == "numeric" and b in number and beyond == "numeric")  # WB12
        or (a == b == "katakana")  # WB13
        or (a in (*words, "katakana", "connector") and b == "connector")  # WB13a
        or (a == "connector" and b in (*words, "katakana"))  # WB13b
        or (b == "regional" and regional % 2 == 1)  # WB15, WB16
    )


def to_lower(text: str) -> str:
    """Simple lower case, character by character."""
    return "".join(c.lower()[0] for c in text)


class Chunk:
    """A run of characters without blanks, and what follows it in the text."""

    def __init__(self, chars: str, ptb: bool, rest: str, starts: bool) -> None:
        self.chars, self.ptb, self.rest, self.starts = chars, ptb, rest, starts
        self.words, self.sentences, self.flags = describe(chars)
        self.limit = len(chars)

    def scan(self) -> list[tuple[int, int, str, bool]]:
        """Begin, end, kind of abbreviation, and whether it is an emoticon, for every token."""
        links = find_links(self)
        self.tailor()
        tokens: list[tuple[int, int, str, bool]] = []
        at = 0
        for begin, end in [*links, (len(self.chars), len(self.chars))]:
            self.limit = begin
            while at < begin:
                found = self.scan_word(at, at) if self.starts_word(at) else self.scan_mark(at)
                tokens.extend(found)
                at = found[-1][1]
            if end > begin:
                tokens.append((begin, end, "", False))
            at = end
        return tokens

    def is_letter(self, at: int) -> bool:
        return at < len(self.words) and self.words[at] in LETTER

    def is_number(self, at: int) -> bool:
        return at < len(self.words) and self.words[at] == "numeric"

    def is_word(self, at: int) -> bool:
        return self.is_letter(at) or self.is_number(at)

    def char(self, at: int) -> str:
        return self.chars[at] if at < self.limit else ""

    def find_word_end(self, at: int) -> int:
        words = self.words[at : self.limit]
        pictographic = [bool(flag & PICTOGRAPHIC) for flag in self.flags[at : self.limit]]
        return at + next((i for i in range(1, len(words)) if breaks_before(words, pictographic, i)), len(words))

    def tailor(self) -> None:
        """Dots, hyphens and the like join or cut words by their neighbours."""
        before, letters, dotted = -1, 0, False
        for i, c in enumerate(self.chars):
            if self.words[i] in IGNORED:
                continue
            middle = before >= 0 and i + 1 < len(self.chars)
            if self.words[i] == "katakana":
                self.words[i] = "other"
            elif middle and c == ".":
                dotted = self.tailor_dot(i, before, letters, dotted)
            elif middle:
                self.tailor_mark(i, before)
            elif self.words[i] == "mid_letter":
                self.words[i] = "other"
            letters = letters + 1 if self.is_letter(i) else 0
            dotted = dotted and (letters > 0 or c == ".")
            before = i

    def tailor_mark(self, at: int, before: int) -> None:
        c = self.chars[at]
        numbers = self.is_number(before) and self.is_number(at + 1)
        words = self.is_word(before) and self.is_word(at + 1)
        if c == ":":
            self.words[at] = "mid_number" if numbers else "other"
        elif c == "/" and numbers:
            self.words[at] = "mid_number"
        elif not self.ptb:
            return
        elif (
            (c == "/" and words)
            or (c == "&" and self.is_letter(before) and self.is_letter(at + 1))
            or (c in "-\u2010\u2011" and (words or (self.chars[before] == "." and self.is_word(at + 1))))
            or (c in "'’" and self.is_number(before) and self.chars[at + 1] in "sS" and not self.is_word(at + 2))
        ):
            self.words[at] = "connector"
        elif c in "'’" and numbers:
            self.words[at] = "other"

    def tailor_dot(self, dot: int, before: int, letters: int, dotted: bool) -> bool:
        end = dot + 1
        while self.is_letter(end):
            end += 1
        if end == dot + 1:
            return False
        known = to_lower(self.chars[dot + 1 : end]) in NAMES
        if self.is_number(before) and known:
            self.words[dot] = "connector"
        if letters == 0:
            return False
        if self.ptb:
            dots = dotted or (self.chars[end : end + 1] == "." and self.is_letter(end + 1))
            joined = known or letters == 1 or (letters == 2 and end == dot + 2) or dots
        else:
            around = self.sentences[max(dot - 2, 0) : dot] + self.sentences[dot + 1 : dot + 3]
            joined = known or around != ["lower", "lower", "upper", "lower"]
        if not joined:
            self.words[dot] = "other"
        return joined

    def starts_word(self, at: int) -> bool:
        return self.is_word(at) or (self.words[at] == "connector" and self.chars[at] not in "-/&\u2010\u2011")

    def scan_word(self, begin: int, at: int) -> list[tuple[int, int, str, bool]]:
        end = self.find_word_end(at)
        kind = ""
        while self.char(end) == "." and (kind := self.classify_dot(begin, end)):
            end += 1
            if end == self.limit or self.words[end] != "connector":
                break
            end, kind = self.find_word_end(end), ""
        word = self.chars[begin:end]
        if word in ("c", "C") and re.match(r"\+\+(?!\+)", self.chars[end : self.limit]):
            end += 2
        elif self.ptb and re.fullmatch("[A-Z]{1,3}", word) and self.char(end) == "$":
            end += 1
        if kind or not self.ptb:
            return [(begin, end, kind, False)]
        cuts = [end]
        while cut := self.find_clitic(begin, cuts[0]):
            cuts.insert(0, cut)
        return [(a, b, "", False) for a, b in pairwise([begin, *cuts])]

    def classify_dot(self, begin: int, dot: int) -> str:
        word = self.chars[begin:dot]
        last = dot + 1 == len(self.chars)
        following = self.look_ahead() if last else ""
        capital = self.sentences[begin] == "upper"
        if len(word) > 12 or (self.char(dot + 1), self.char(dot + 2)) == (".", "."):
            return ""
        alone = self.starts and begin == 0
        if len(word) == 1 and capital:
            if not last:
                return "title" if self.chars[dot + 1] == "," else ""
            if word == "I" and begin == 0:
                return ""
            return "title" if (alone and following == "nothing") or following == "upper" else ""
        if self.ptb and self.is_number(begin):
            return "title" if alone and following == "nothing" else ""
        if any(c != "." and not self.flags[begin + i] & ALPHABETIC for i, c in enumerate(word)):
            return ""
        kind = classify_dotted(word) if "." in word else find_abbreviation(word, capital)
        if kind == "numbered":
            return "title" if following == "number" else ""
        ends = following in ("nothing", "starter") or (to_lower(word) == "etc" and following == "upper")
        return "" if kind == "word" and self.ptb and ends and not alone else kind

    def look_ahead(self) -> str:
        blanks = re.match("[ \t\r\n]*", self.rest).group()  # type: ignore[union-attr]
        rest = self.rest[len(blanks) :]
        if not rest or blanks.count("\n") > 1:
            return "nothing"
        words, sentences, _ = describe(rest[0])
        if sentences[0] == "upper":
            word = re.match("[A-Za-z]{0,8}", rest).group().lower()  # type: ignore[union-attr]
            return "starter" if word in LISTS["starter"] else "upper"
        return "number" if words[0] == "numeric" else "other"

    def find_clitic(self, begin: int, end: int) -> int:
        word = to_lower(self.chars[begin:end]).replace("’", "'")
        if re.search(".n't$", word, re.DOTALL):
            return end - 3
        if re.search(".'[smd]$", word, re.DOTALL):
            return 0 if self.is_number(end - 3) else end - 2
        if re.search(".'(re|ve|ll)$", word, re.DOTALL):
            return end - 3
        if re.search(".[ap]m$", word, re.DOTALL) and self.is_number(end - 3):
            return end - 2
        return begin + 3 if word in ("cannot", "gonna", "gotta", "wanna", "gimme", "lemme") else 0

    def scan_mark(self, at: int) -> list[tuple[int, int, str, bool]]:
        if end := self.find_emoticon(at):
            return [(at, end, "", True)]
        opened = at == 0 or self.flags[at - 1] & OPENING or self.chars[at - 1] == "$"
        if opened and at + 1 < self.limit and self.is_number(at + 1) and self.chars[at] in (".+-" if self.ptb else "."):
            return self.scan_word(at, at + 1)
        if self.ptb and self.chars[at] in "'’" and (end := self.find_apostrophe_word(at)):
            return [(at, end, "", False)]
        end = self.find_run(at)
        return [(at, end if end > at + 1 else self.find_word_end(at), "", False)]

    def find_apostrophe_word(self, at: int) -> int:
        if at + 1 >= self.limit or not self.is_word(at + 1):
            return 0
        end = self.find_word_end(at + 1)
        word = to_lower(self.chars[at + 1 : end])
        if word in CLITICS or (at == 0 and word in ("em", "til", "cause", "bout", "n")):
            return end
        if at == 0 and word in ("tis", "twas"):
            return at + 2
        numbers = at == 0 and self.is_number(at + 1) and end > at + 2 and self.is_number(at + 2)
        return end if numbers and (len(word) == 2 or (len(word) == 3 and word[2] == "s")) else 0

    def find_run(self, at: int) -> int:
        c = self.chars[at]
        same = "!?" if c in "!?" else ".…" if c in ".…" else c
        if same == c and not self.can_repeat(at):
            return at + 1
        end = at + 1
        while self.char(end) and self.char(end) in same:
            end += 1
        return end

    def can_repeat(self, at: int) -> bool:
        if self.sentences[at] == "close":
            return self.chars[at] in "'’"
        letter = self.flags[at] & (ALPHABETIC | CJK | PICTOGRAPHIC)
        return not letter and self.words[at] not in (*IGNORED, "regional")

    def find_emoticon(self, at: int) -> int:
        shape = next((shape for shape in EMOTICONS if self.chars.startswith(shape, at, self.limit)), None)
        if shape is None:
            return 0
        end = at + len(shape)
        inside = at > 0 and self.is_word(at - 1) and shape[-1] not in "()"
        return 0 if self.is_word(end) or self.chars[end : end + 1] == "/" or inside else end


def classify_dotted(word: str) -> str:
    if any(len(part) > 2 for part in word.split(".")):
        return ""
    return "title" if to_lower(word) in PHRASES else "word"


def find_abbreviation(word: str, capital: bool) -> str:
    lower = to_lower(word)
    found = ""
    for kind in ("title", "word", "numbered"):
        if lower in LISTS[kind] or (capital and lower.capitalize() in LISTS[kind]):
            found = kind
    return found


def find_links(chunk: Chunk) -> list[Token]:
    """URLs, e-mail addresses, mentions and hashtags, from left to right."""
    links: list[Token] = []
    at = done = 0
    while at < len(chunk.chars):
        link = find_link(chunk, at, done)
        if link:
            links.append(link)
            done = link[1]
        at = max(at + 1, done)
    return links


def find_link(chunk: Chunk, at: int, done: int) -> Token | None:
    chars = chunk.chars
    before = chars[done:at]
    word = [
        w in (*LETTER, "numeric", "connector", "extend") or bool(flag & ALPHABETIC)
        for w, flag in zip(chunk.words, chunk.flags)
    ]
    if chars.startswith("://", at):
        scheme = re.search("[A-Za-z0-9]+$", before)
        return (
            extend_url(chunk, word, done + scheme.start(), at + 3) if scheme and scheme.end() == len(before) else None
        )
    if chars[at : at + 4] in ("www.", "WWW.") and (at == done or not word[at - 1]):
        return extend_url(chunk, word, at, at + 4)
    if chars[at] == "/":
        host = re.search(r"[A-Za-z0-9.-]*\Z", before).group().lstrip(".-")  # type: ignore[union-attr]
        known = any(host.endswith(name) and len(host) > len(name) for name in HOSTS)
        return extend_url(chunk, word, at - len(host), at + 1) if known else None
    if chars[at] == "@":
        return find_address(chunk, word, at, done)
    if chars[at] == "#" and not (at > done and word[at - 1]):
        end = next((i for i in range(at + 1, len(chars)) if not word[i]), len(chars))
        return (at, end) if any(flag & ALPHABETIC for flag in chunk.flags[at + 1 : end]) else None
    return None


def extend_url(chunk: Chunk, word: list[bool], begin: int, at: int) -> Token | None:
    chars = chunk.chars
    end = at
    while end < len(chars):
        c = chars[end]
        if (c < "\x20" or c in '<>"`{}|\\^') if c < "\x80" else (chunk.flags[end] & CJK or not word[end]):
            break
        end += 1
    while end > at:
        inside = chars[at:end]
        surplus = inside.count(")") + inside.count("]") > inside.count("(") + inside.count("[")
        if inside[-1] not in ".,;:!?'*([" and not (inside[-1] in ")]" and surplus):
            break
        end -= 1
    return (begin, end) if end > at or chars[at - 1] == "/" else None


def find_address(chunk: Chunk, word: list[bool], sign: int, done: int) -> Token | None:
    chars = chunk.chars
    begin, end = sign, sign + 1
    while begin > done and (word[begin - 1] or chars[begin - 1] in ".%+-"):
        begin -= 1
    while begin < sign and not word[begin]:
        begin += 1
    while end < len(chars) and (word[end] or chars[end] in ".-"):
        end += 1
    while end > sign + 1 and not word[end - 1]:
        end -= 1
    if end == sign + 1 or not word[sign + 1]:
        return None
    if begin < sign:
        mail = begin - 7 >= done and chars[begin - 7 : begin] in ("mailto:", "MAILTO:")
        return (begin - 7 if mail else begin, end)
    if chunk.words[sign + 1] == "numeric":
        return None
    return sign, next((i for i in range(sign + 1, len(chars)) if not word[i]), len(chars))


class Splitter:
    """Sentences, token by token."""

    def __init__(self) -> None:
        self.offsets, self.count = [0], 0
        self.state, self.candidate, self.closed, self.short = "", -1, False, False

    def finish(self) -> list[int]:
        self.cut(self.count)
        return self.offsets

    def cut(self, at: int) -> None:
        if at > self.offsets[-1]:
            self.offsets.append(at)

    def add(self, chunk: Chunk, begin: int, end: int, lines: int, *, abbreviation: str, emoticon: bool) -> None:
        verdict = None
        if lines > 1:
            self.cut(self.count)
        elif self.state:
            verdict = self.decide(chunk, begin, end, lines, emoticon)
            if verdict:
                self.cut(self.candidate if self.candidate >= 0 else self.count)
        if lines > 1 or not self.state or verdict is not None:
            self.enter(chunk, begin, end, abbreviation)
        self.short = end - begin == 1 or chunk.is_number(begin)
        self.count += 1

    def decide(self, chunk: Chunk, begin: int, end: int, lines: int, emoticon: bool) -> bool | None:
        """Whether a sentence has ended; None leaves it open."""
        kind, sentence = get_final(chunk, begin, end), chunk.sentences[begin]
        if kind:
            self.state = max(self.state, kind, key=["abbreviation", "dot", "stop"].index)
            return None
        if emoticon:
            return None
        lonely = begin > 0 or end == len(chunk.chars) or chunk.chars[begin] not in "\"'"
        if sentence == "close" and not chunk.flags[begin] & OPENING and lonely:
            self.closed = True
            return None
        if lines and self.state != "abbreviation":
            return True
        if sentence == "continuation":
            return False
        if self.state == "abbreviation":
            return sentence == "upper" and chunk.chars[begin:end].lower() in LISTS["starter"]
        if self.state == "stop":
            return not (self.closed and sentence == "lower")
        if sentence == "lower":
            return False
        if chunk.is_word(begin) or chunk.flags[begin] & ALPHABETIC:
            return True
        if self.candidate < 0:
            self.candidate = self.count
        return None

    def enter(self, chunk: Chunk, begin: int, end: int, abbreviation: str) -> None:
        self.candidate, self.closed = -1, False
        self.state = get_final(chunk, begin, end) or ("abbreviation" if abbreviation == "word" else "")
        if self.state == "dot" and self.count == self.offsets[-1] + 1 and self.short:  # "1.", "a."
            self.state = ""


def get_final(chunk: Chunk, begin: int, end: int) -> str:
    mark = chunk.sentences[begin] in ("dot", "stop") and (end == begin + 1 or not chunk.is_word(begin + 1))
    if not mark and chunk.chars[begin] != "…":
        return ""
    return "stop" if chunk.sentences[end - 1] == "stop" else "dot"
