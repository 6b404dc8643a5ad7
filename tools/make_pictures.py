"""Make the pictures of the README from what models show: `make pictures` (needs chromium).

One page holds an annotated text and a tree, as `annotation.to_html()` writes them; a browser takes its picture.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tagloom

TARGET = Path(__file__).parents[1] / "docs" / "images" / "annotation.png"
TEXT = "Anna Jordan flew to Lisbon on Monday. Shares of Boeing fell 3 percent in Tokyo after Mr. Tanaka resigned."
SENTENCE = "Shares of Boeing fell 3 percent in Tokyo on Monday."
SIZE = "720,370"  # pixels; the picture has twice as many


def build_page() -> str:
    """Train a tagger and a parser on generated news, and show what they find."""
    news = tagloom.datasets.newswire_split(200)
    tagger = tagloom.train(news.train, dev=news.dev, label="ner", tokenizer="ptb")
    parser = tagloom.train(
        news.train, system="parser", tag="pos", relations=False, depth=1, epochs=5, tag_folds=3, tokenizer="ptb"
    )
    parts = tagger(TEXT).to_html(), parser(SENTENCE).to_html()
    style = "body { margin: 0; padding: 14px; background: white; display: grid; gap: 14px }"
    head = f'<meta charset="utf-8"><meta name="color-scheme" content="only light"><style>{style}</style>'
    return f"<!doctype html><html><head>{head}</head><body>{''.join(parts)}</body></html>"


def main() -> None:
    """Write the picture."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("make pictures needs chromium: install it")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(build_page(), "utf-8")
        subprocess.run(
            [browser, "--headless=new", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=2",
             f"--user-data-dir={folder}/profile", f"--window-size={SIZE}", f"--screenshot={TARGET}", page.as_uri()],
            check=True, capture_output=True,
        )  # fmt: skip
    sys.stdout.write(f"wrote {TARGET}\n")


if __name__ == "__main__":
    main()
