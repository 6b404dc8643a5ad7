// Parser of CoNLL-style column text: one token per line, fields separated by blanks or by one tab, and an empty line
// between sentences. It works on one buffer in memory; the caller reads and decompresses files.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tagloom/text/strings.hpp"
#include "tagloom/text/utf8.hpp"

namespace tagloom {

// A line that cannot be read: its number (from 1) and what is wrong with it.
struct LineError : std::runtime_error {
    LineError(std::int64_t number, const std::string& what) : std::runtime_error(what), line(number) {}
    std::int64_t line;
};

struct ColumnText {
    std::vector<StringTable> tables;                             // [columns]
    std::vector<std::vector<std::int32_t>> codes;                // [columns][N]
    std::vector<std::int64_t> sentences{0};                      // [S + 1] token offsets
    std::vector<std::int64_t> documents{0};                      // [D + 1] sentence offsets
    std::vector<std::int64_t> sentence_lines;                    // [S] line number of the first token
    std::vector<std::pair<std::int64_t, std::string>> comments;  // (sentence that follows, line)
    bool has_documents = false;
};

class ColumnParser {
public:
    // The separator '\t' splits at every tab, ' ' at runs of blanks. Lines before a sentence that start with the prefix
    // `comment` are kept separately; if it is empty, there are no comments.
    ColumnParser(std::size_t columns, char separator, std::string comment)
        : separator_(separator), comment_(std::move(comment)) {
        text_.tables.resize(columns);
        text_.codes.resize(columns);
        fields_.reserve(columns + 1);
    }

    ColumnText parse(std::string_view buffer) {
        for (std::size_t at = 0; at < buffer.size(); ++line_) {
            std::size_t end = buffer.find('\n', at);
            if (end == std::string_view::npos) end = buffer.size();
            std::string_view row = buffer.substr(at, end - at);
            if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
            take(row);
            at = end + 1;
        }
        end_sentence();
        end_document();
        return std::move(text_);
    }

private:
    void take(std::string_view row) {
        split(row);
        if (fields_.empty()) return end_sentence();
        const bool inside = !text_.codes[0].empty() && text_.sentences.back() < tokens();
        if (!comment_.empty() && !inside && row.starts_with(comment_)) {
            check_utf8(row);
            text_.comments.emplace_back(sentence_count(), std::string(row));
            return;
        }
        if (fields_[0] == "-DOCSTART-") return begin_document();
        take_token(row);
    }

    void take_token(std::string_view row) {
        check_utf8(row);
        if (fields_.size() != text_.tables.size())
            throw LineError(line_, "expected " + std::to_string(text_.tables.size()) + " columns, found "
                                       + std::to_string(fields_.size()));
        if (text_.sentences.back() == tokens()) text_.sentence_lines.push_back(line_);
        for (std::size_t c = 0; c < fields_.size(); ++c) {
            if (fields_[c].empty()) throw LineError(line_, "column " + std::to_string(c + 1) + " is empty");
            text_.codes[c].push_back(text_.tables[c].intern(fields_[c]));
        }
    }

    void check_utf8(std::string_view row) const {
        const std::size_t bad = find_malformed_utf8(row);
        if (bad != std::string_view::npos)
            throw LineError(line_, "byte " + std::to_string(bad + 1) + " of the line is not valid UTF-8");
    }

    void split(std::string_view row) {
        fields_.clear();
        if (separator_ == '\t') return split_at_tabs(row);
        const auto blank = [](char c) { return c == ' ' || c == '\t'; };
        for (std::size_t at = 0; at < row.size();) {
            while (at < row.size() && blank(row[at])) ++at;
            const std::size_t start = at;
            while (at < row.size() && !blank(row[at])) ++at;
            if (at > start) fields_.push_back(row.substr(start, at - start));
        }
    }

    void split_at_tabs(std::string_view row) {
        if (row.find_first_not_of(" \t") == std::string_view::npos) return;
        for (std::size_t at = 0;;) {
            const std::size_t end = row.find('\t', at);
            fields_.push_back(row.substr(at, end == std::string_view::npos ? end : end - at));
            if (end == std::string_view::npos) return;
            at = end + 1;
        }
    }

    // A document line ends the sentence before it, whether or not a blank line follows.
    void begin_document() {
        end_sentence();
        end_document();
        text_.has_documents = true;
    }

    void end_sentence() {
        if (text_.sentences.back() < tokens()) text_.sentences.push_back(tokens());
    }

    void end_document() {
        if (text_.documents.back() < sentence_count()) text_.documents.push_back(sentence_count());
    }

    std::int64_t tokens() const { return static_cast<std::int64_t>(text_.codes[0].size()); }
    std::int64_t sentence_count() const { return static_cast<std::int64_t>(text_.sentences.size()) - 1; }

    char separator_;
    std::string comment_;
    ColumnText text_;
    std::vector<std::string_view> fields_;
    std::int64_t line_ = 1;
};

}  // namespace tagloom
