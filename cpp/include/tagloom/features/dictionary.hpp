// Finds the words of a lexicon in a sentence whose tokens are characters: the words that begin and end at a token (Sun
// et al. 2012), and the segmentation of the sentence by maximum matching, forward or backward (He & Wang 2012, section
// 3.2).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tagloom/features/lookup.hpp"
#include "tagloom/features/phrase_trie.hpp"
#include "tagloom/features/values.hpp"
#include "tagloom/text/strings.hpp"
#include "tagloom/text/utf8.hpp"

namespace tagloom {

using Tokens = std::span<const std::int32_t>;

enum class Direction { forward, backward };
enum class Side { begin, end };  // words that begin or end at a token

// A range of tokens.
struct Stretch {
    std::size_t begin, length;
};

// The words of a lexicon in one sentence; the scratch memory is reused from sentence to sentence.
class WordFinder {
public:
    WordFinder(const PhraseTrie& trie, const StringTable& strings) : trie_(trie), strings_(strings) {}

    void load(Tokens tokens) {
        tokens_ = tokens;
        hashes_.clear();
        for (const std::int32_t token : tokens) hashes_.push_back(strings_.hash(token));
    }

    std::size_t size() const noexcept { return hashes_.size(); }

    // Calls visit(length) for every word of at most `limit` tokens that begins at t, shortest first.
    template <class Visit>
    void words_from(std::size_t t, std::size_t limit, Visit visit) const {
        const auto rest = std::span<const Hash>(hashes_).subspan(t, std::min(limit, size() - t));
        trie_.match(PhraseTrie::exact, rest, [&](ListSets::Id, std::size_t length) { visit(length); });
    }

    // Maximum matching takes the longest words from the left or from the right; a token that no word covers is a word
    // by itself.
    const std::vector<Stretch>& cut(Direction direction) {
        cut_.clear();
        if (direction == Direction::forward) cut_forward();
        else cut_backward();
        return cut_;
    }

    std::string_view text(Stretch word) {
        text_.clear();
        for (const std::int32_t token : tokens_.subspan(word.begin, word.length)) text_ += strings_.view(token);
        return text_;
    }

private:
    void cut_forward() {
        for (std::size_t t = 0; t < size(); t += cut_.back().length) {
            cut_.push_back({t, 1});
            words_from(t, size(), [&](std::size_t length) { cut_.back().length = length; });
        }
    }

    void cut_backward() {
        longest_.assign(size() + 1, 1);  // longest_[e]: length of the longest word that ends before token e
        for (std::size_t t = 0; t < size(); ++t)
            words_from(t, size(),
                       [&](std::size_t length) { longest_[t + length] = std::max(longest_[t + length], length); });
        for (std::size_t end = size(); end > 0; end -= longest_[end])
            cut_.push_back({end - longest_[end], longest_[end]});
        std::reverse(cut_.begin(), cut_.end());
    }

    const PhraseTrie& trie_;
    const StringTable& strings_;
    Tokens tokens_;
    std::vector<Hash> hashes_;
    std::vector<Stretch> cut_;
    std::vector<std::size_t> longest_;
    std::string text_;
};

// Gives every token its place in the words of the segmentation: S, B, M, E, or, with `sizes`, the size of its word
// ("single", "multiple").
class CutLabels {
public:
    CutLabels(const PhraseTrie& trie, const StringTable& strings, Direction direction, bool sizes,
              AttributeValues& values)
        : finder_(trie, strings), direction_(direction), sizes_(sizes), values_(values) {}

    void operator()(Tokens tokens) {
        finder_.load(tokens);
        for (const Stretch word : finder_.cut(direction_))
            for (std::size_t i = 0; i < word.length; ++i) {
                values_.add(sizes_ ? size_of(word) : label_of(i, word));
                values_.end_item();
            }
    }

private:
    static std::string_view label_of(std::size_t i, Stretch word) noexcept {
        return word.length == 1 ? "S" : i == 0 ? "B" : i + 1 == word.length ? "E" : "M";
    }
    static std::string_view size_of(Stretch word) noexcept { return word.length == 1 ? "single" : "multiple"; }

    WordFinder finder_;
    Direction direction_;
    bool sizes_;
    AttributeValues& values_;
};

// Gives every token the words of at most `limit` tokens that begin (or end) there, shortest first, or only the length
// of the longest word.
class WordsAt {
public:
    WordsAt(const PhraseTrie& trie, const StringTable& strings, Side side, std::size_t limit, bool length_only,
            AttributeValues& values)
        : finder_(trie, strings), side_(side), limit_(limit), length_only_(length_only), values_(values) {}

    void operator()(Tokens tokens) {
        finder_.load(tokens);
        found_.resize(std::max(found_.size(), tokens.size()));
        for (std::size_t t = 0; t < tokens.size(); ++t) found_[t].clear();
        for (std::size_t t = 0; t < tokens.size(); ++t)
            finder_.words_from(t, limit_, [&](std::size_t length) {
                found_[side_ == Side::begin ? t : t + length - 1].push_back({t, length});
            });
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            if (side_ == Side::end) std::reverse(found_[t].begin(), found_[t].end());  // the longest was found first
            add(found_[t]);
            values_.end_item();
        }
    }

private:
    void add(const std::vector<Stretch>& words) {
        if (!length_only_)
            for (const Stretch word : words) values_.add(finder_.text(word));
        else if (!words.empty()) values_.add(std::to_string(words.back().length));
    }

    WordFinder finder_;
    Side side_;
    std::size_t limit_;
    bool length_only_;
    AttributeValues& values_;
    std::vector<std::vector<Stretch>> found_;  // [at least as many as tokens]
};

// Gives every token the categories of the word that contains it after the segmentation: the first n characters of each
// of the word's codes (all characters for n = 0), without repetition. `codes` maps a word to its codes, joined by
// blanks. A token of several characters that is a word by itself has the categories of that word.
class Categories {
public:
    Categories(const Lookup& codes, const PhraseTrie& trie, const StringTable& strings, Direction direction,
               std::size_t n, AttributeValues& values)
        : codes_(codes), finder_(trie, strings), direction_(direction), n_(n), values_(values) {}

    void operator()(Tokens tokens) {
        finder_.load(tokens);
        for (const Stretch word : finder_.cut(direction_)) {
            split(codes_.find(finder_.text(word)));
            for (std::size_t i = 0; i < word.length; ++i) {
                for (const std::string_view code : prefixes_) values_.add(code);
                values_.end_item();
            }
        }
    }

private:
    std::string_view first_characters(std::string_view code) const noexcept {
        std::size_t at = 0;
        for (std::size_t i = 0; i < n_ && at < code.size(); ++i)
            at += std::max<std::size_t>(decode_utf8(code, at).length, 1);
        return n_ ? code.substr(0, at) : code;
    }

    void split(std::string_view codes) {
        prefixes_.clear();
        while (!codes.empty()) {
            const std::size_t end = std::min(codes.find(' '), codes.size());
            const std::string_view prefix = first_characters(codes.substr(0, end));
            if (!prefix.empty() && std::find(prefixes_.begin(), prefixes_.end(), prefix) == prefixes_.end())
                prefixes_.push_back(prefix);
            codes.remove_prefix(std::min(end + 1, codes.size()));
        }
    }

    const Lookup& codes_;
    WordFinder finder_;
    Direction direction_;
    std::size_t n_;
    AttributeValues& values_;
    std::vector<std::string_view> prefixes_;
};

}  // namespace tagloom
