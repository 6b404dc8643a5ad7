"""Texts that try the tokenizers: pieces that mean something to the rules, and any characters between them."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = (
    "the", "The", "I", "a", "Mr", "mr", "St", "U.S", "e.g", "p.m", "etc", "Inc", "No", "no", "J",
    "Ph.D", "don't", "DON’T", "dogs'", "it's", "'s", "'tis", "'90s", "'em", "I'd've", "cannot",
    "gonna", "60's", "5'9", "5pm", "3.5", "1,000", "10%", "1/2", "5:30", "1996-08-22", "6-2",
    "+44", "-5", ".5", "$500", "US$", "well-known", "and/or", "AT&T", "U.S.-led", "end.The",
    "go.to", "comp.sources.unix", "example.org", "2001.doc", "http://a.b/c_(d)", "www.x.de/",
    "x.com/y", "a.b@c.org", "mailto:", "@me", "@", "#tag", "#1", "#", "C++", ":)", ":-(", "<3",
    "(:", "...", "..", ".", "…", "!", "?!", "。", "！", "，", "東京", "カナ", "ひら", "ー", "ไทย", "한국어",
    "שלום", "א'ב", 'א"ב', "e\u0301", "\u0301", "👩\u200d👧", "👍🏽", "🇩🇪🇫🇷", "\u200d", "\u00ad",
    "\u200b", "\x00", "\x07", "-", "--", "—", "/", "&", "'", "’", '"', "“", "”", "«", "(", ")",
    "[", "]", ",", ";", ":", "_", "*", "\ufeff", "𝟘", "Ⅷ", "²", "Ǆ", "ß",
)  # fmt: skip
BLANKS = (" ", " ", " ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\t", "\u00a0", "\u2029", "\u2028", "\x1f", "\u3000", "\x85")


def texts() -> st.SearchStrategy[str]:
    """Texts without surrogates."""
    anything = st.characters(exclude_categories=["Cs"])
    part = st.sampled_from(PIECES) | st.sampled_from(PIECES) | st.sampled_from(BLANKS) | anything
    return st.lists(part, max_size=16).map("".join)
