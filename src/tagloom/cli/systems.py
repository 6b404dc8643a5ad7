"""The systems of ``tagloom train``, and which of its options belong to which of them."""

from __future__ import annotations

from collections.abc import Mapping

from tagloom.errors import ConfigError, unknown_name

TAGGER, PARSER, PHRASES = "tagger", "parser", "phrases"
#: What a system makes.
SYSTEMS = {TAGGER: "tagger", PARSER: "parser", PHRASES: "phrase chunker"}

#: The systems that have an option; all have those that are not named here.
_OWNERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("sequences", "document_features", "direction", "history", "start"), (TAGGER,)),
    **dict.fromkeys(("label", "scheme", "cutoff"), (TAGGER, PHRASES)),
    **dict.fromkeys(("learner", "depth", "beam"), (TAGGER, PARSER)),
    **dict.fromkeys(("tags", "tag"), (PARSER,)),
    "degree": (PHRASES,),
}


def checked_system(system: str, options: Mapping[str, object]) -> str:
    """The system, if it is known and has all options that were given."""
    if system not in SYSTEMS:
        raise unknown_name("system", system, SYSTEMS)
    for name in options:
        owners = _OWNERS.get(name, tuple(SYSTEMS))
        if system in owners:
            continue
        option, nouns = f"--{name.replace('_', '-')}", " and ".join(f"{SYSTEMS[owner]}s" for owner in owners)
        if system == TAGGER:
            raise ConfigError(f"{option} is for {nouns}; add --system {owners[0]}, or leave it out")
        raise ConfigError(f"{option} is for {nouns}, a {SYSTEMS[system]} has none; leave it out")
    return system
