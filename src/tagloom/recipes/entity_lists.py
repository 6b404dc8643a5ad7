"""Lists of entities by class in the folder of the data, for the English newswire of CoNLL-2003.

The lists of single names are among PER because they help on eng.testa (89.21 with them, 88.90 without; ner-edge,
cut-off 2, averaged perceptron, mean of seeds 1 to 3). docs/features.md has the other scores.
"""

from __future__ import annotations

_FOLDER = "resources/gazetteers"

ENTITY_LISTS: dict[str, tuple[str, ...]] = {
    name: tuple(f"{_FOLDER}/{file}" for file in files.split())
    for name, files in {
        "ORG": "WikiOrganizations.lst WikiOrganizationsRedirects.lst known_corporations.lst sports.sports_team "
        "education.university government.government_agency tv.tv_network book.newspaper",
        "PER": "government.politician sports.pro_athlete names.family names.female names.male firstname.5k lastname.5k",
        "MISC": "product time.holiday sports.sports_league",
    }.items()
}
