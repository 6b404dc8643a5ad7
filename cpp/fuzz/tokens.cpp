// Fuzz target: the tokenizers and the sentence splitter. Tokens cover everything but blanks, in order, without overlap.
#include "input.hpp"
#include "tagloom/text/tokenizer.hpp"

using namespace tagloom;

namespace {

// Characters of a text, and where each begins.
struct Characters {
    std::vector<char32_t> values;
    std::vector<std::size_t> starts;

    explicit Characters(std::string_view text) {
        for (std::size_t at = 0; at < text.size(); at += decode_utf8(text, at).length) {
            values.push_back(decode_utf8(text, at).value);
            starts.push_back(at);
        }
        starts.push_back(text.size());
    }
};

void check_tokens(std::string_view text, const Characters& chars, const TokenizedText& found,
                  const StringTable& forms) {
    const BreakTable& table = BreakTable::get();
    std::size_t at = 0;
    for (std::size_t i = 0; i < found.codes.size(); ++i) {
        const auto start = static_cast<std::size_t>(found.starts[i]), end = static_cast<std::size_t>(found.ends[i]);
        fuzz::require(at <= start && start < end && end < chars.starts.size());
        for (; at < start; ++at) fuzz::require(is_blank(table[chars.values[at]]));
        const std::size_t first = chars.starts[start];
        fuzz::require(forms.view(found.codes[i]) == text.substr(first, chars.starts[end] - first));
        at = end;
    }
    for (; at < chars.values.size(); ++at) fuzz::require(is_blank(table[chars.values[at]]));
    fuzz::require(found.sentences.front() == 0);
    fuzz::require(found.sentences.back() == static_cast<std::int64_t>(found.codes.size()));
    fuzz::require(std::is_sorted(found.sentences.begin(), found.sentences.end(), std::less_equal<>()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::Input(data, size).take_rest();
    if (find_malformed_utf8(text) != std::string_view::npos) return 0;
    const Characters chars(text);
    for (const TokenRules rules :
         {TokenRules::unicode, TokenRules::ptb, TokenRules::whitespace, TokenRules::character}) {
        StringTable forms;
        check_tokens(text, chars, tokenize(text, rules, forms), forms);
    }
    return 0;
}
