// Words that keep their dot, and words that begin sentences: the lists behind tokenizers and sentence splitter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace tagloom {

enum class Abbreviation : std::uint8_t {
    none,
    title,     // a name, a number or the rest of a phrase follows: never ends a sentence
    word,      // may end a sentence
    numbered,  // keeps its dot only before a number
};

// An entry with a capital stands for the capitalised word only, because the small one is common ("Sun.", "the sun.").
inline constexpr std::string_view title_abbreviations[] = {
    "adm",  "approx", "Apt", "asst", "attn", "bijv", "Brig", "bspw", "bzw", "ca",   "capt",   "cf",
    "cmdr", "Col",    "cpl", "dhr",  "dipl", "dr",   "drs",  "eg",   "esp", "evtl", "Gen",    "ggf",
    "gov",  "Hon",    "hr",  "hrsg", "ie",   "incl", "inkl", "insp", "lt",  "maj",  "messrs", "mevr",
    "mlle", "mme",    "mr",  "mrs",  "ms",   "msgr", "pres", "prof", "Rep", "Reps", "resp",   "Rev",
    "Sen",  "Sens",   "sgt", "sog",  "sra",  "st",   "ste",  "supt", "vgl", "viz",  "vs",     "zzgl",
};
inline constexpr std::string_view word_abbreviations[] = {
    "Al",   "al",   "Ala",   "apr",  "Ariz", "assn", "aug",  "Ave", "ave", "blvd", "bros", "Calif", "Co",   "Colo",
    "Conn", "corp", "dec",   "Dept", "dept", "enz",  "esq",  "Est", "etc", "feb",  "Fla",  "Fri",   "ft",   "Ill",
    "inc",  "jan",  "jr",    "Jul",  "Kan",  "La",   "lb",   "lbs", "ltd", "Mass", "Mich", "Minn",  "Mon",  "mos",
    "Mt",   "nov",  "oct",   "okla", "Ore",  "oz",   "Penn", "Pvt", "Rd",  "sept", "sq",   "sr",    "Tenn", "Tex",
    "Thu",  "thur", "thurs", "Tue",  "tues", "Univ", "usw",  "Va",  "Wed", "Wis",  "yr",   "yrs",
};
inline constexpr std::string_view numbered_abbreviations[] = {
    "abb", "abs", "Art", "art",  "bd", "ch",  "chap", "eq",  "ext", "fig", "figs", "Jun", "Mar", "no",   "nos",
    "nr",  "op",  "p",   "para", "pp", "Sat", "Sec",  "sec", "Sep", "Sun", "tel",  "v",   "vol", "vols",
};
// Words that begin a sentence when they are capitalised after an abbreviation.
inline constexpr std::string_view sentence_starters[] = {
    "a",       "after", "all",  "also",  "although", "an",   "and",  "another", "are",   "as",    "at",     "because",
    "both",    "but",   "by",   "can",   "could",    "das",  "der",  "did",     "die",   "do",    "does",   "each",
    "elle",    "er",    "es",   "even",  "for",      "from", "have", "he",      "her",   "here",  "his",    "how",
    "however", "i",     "if",   "il",    "in",       "is",   "it",   "its",     "le",    "les",   "let",    "many",
    "most",    "my",    "no",   "not",   "now",      "on",   "once", "one",     "or",    "our",   "please", "she",
    "should",  "since", "so",   "some",  "thanks",   "that", "the",  "their",   "then",  "there", "these",  "they",
    "this",    "those", "to",   "was",   "we",       "were", "what", "when",    "where", "which", "while",  "who",
    "why",     "will",  "with", "would", "yes",      "you",  "your",
};

// Looks up the lists. Words are given in lower case.
class Abbreviations {
public:
    static constexpr std::size_t longest = 8;

    static const Abbreviations& get() {
        static const Abbreviations lists;
        return lists;
    }

    Abbreviation find(std::string_view word, bool capitalised) const noexcept {
        const auto found = kinds_.find(word);
        if (found == kinds_.end()) return Abbreviation::none;
        return capitalised ? found->second.capitalised : found->second.small;
    }

    bool begins_sentences(std::string_view word) const noexcept { return starters_.contains(word); }

private:
    struct Kinds {
        Abbreviation small = Abbreviation::none, capitalised = Abbreviation::none;
    };

    Abbreviations() : starters_(std::begin(sentence_starters), std::end(sentence_starters)) {
        add(title_abbreviations, Abbreviation::title);
        add(word_abbreviations, Abbreviation::word);
        add(numbered_abbreviations, Abbreviation::numbered);
    }

    void add(std::span<const std::string_view> list, Abbreviation kind) {
        for (const std::string_view entry : list) {
            std::string word(entry);
            const bool capital = word[0] >= 'A' && word[0] <= 'Z';
            if (capital) word[0] = static_cast<char>(word[0] + 32);
            Kinds& kinds = kinds_[word];
            kinds.capitalised = kind;
            if (!capital) kinds.small = kind;
        }
    }

    struct Hasher : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::unordered_map<std::string, Kinds, Hasher, std::equal_to<>> kinds_;
    std::unordered_set<std::string_view> starters_;
};

}  // namespace tagloom
