"""Draw the Indonesian sample that tagloom ships from the POS corpus of the PyPI package nlp-id 0.1.9.8.

    pip download nlp-id==0.1.9.8 --no-binary :all: --no-deps
    tar xzf nlp_id-0.1.9.8.tar.gz
    python bench/make_idn_sample.py nlp_id-0.1.9.8/nlp_id/data/dataset_postag.txt

It is plain Python, so that it runs before tagloom is built.
"""

from __future__ import annotations

import hashlib
import lzma
import sys
from pathlib import Path

SOURCE_SHA256 = "4f2449d1368925cfe9fb8fce54970d4d35fb7dd4177c636947dd75a82728609b"
TARGET = Path(__file__).parents[1] / "src/tagloom/datasets/data/idn-pos.tsv.xz"
SIZE = 2500


def select_usable(sentences: list[str]) -> list[str]:
    """Return each word sequence once, without sentences that have the tag SS, which is not in the tag set."""
    first: dict[tuple[str, ...], str] = {}
    for sentence in sentences:
        first.setdefault(tuple(line.split("\t")[0] for line in sentence.splitlines()), sentence)
    return [sentence for sentence in first.values() if "\tSS\n" not in sentence + "\n"]


def sample_evenly(sentences: list[str], size: int) -> list[str]:
    """Return an even sample in the order of the corpus: its parts differ in subject and in the share of names."""
    return [sentences[number * len(sentences) // size] for number in range(size)]


def main(path: Path) -> None:
    raw = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    if hashlib.sha256(raw).hexdigest() != SOURCE_SHA256:
        sys.exit(f"{path}: not dataset_postag.txt of nlp-id 0.1.9.8 (sha256 differs)")
    sentences = [block.strip("\n") for block in raw.decode().split("\n\n") if block.strip("\n")]
    sample = sample_evenly(select_usable(sentences), SIZE)
    TARGET.write_bytes(lzma.compress("".join(f"{sentence}\n\n" for sentence in sample).encode(), preset=9))
    print(f"{TARGET.name}: {len(sample)} of {len(sentences)} sentences, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {Path(sys.argv[0]).name} dataset_postag.txt")
    main(Path(sys.argv[1]))
