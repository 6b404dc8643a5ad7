// Fuzz target: attributes of any words, templates that join them, and the keys of a sentence.
#include "input.hpp"
#include "tagloom/features/encoding.hpp"

using namespace tagloom;

namespace {

AttributeSource draw_attribute(fuzz::Input& input) {
    const auto row = input.take<std::uint8_t>();
    if (row < 200)
        return {AttributeSource::Kind::native, 0, input.take<std::uint16_t>(),
                &attribute_table[row % attribute_table.size()], nullptr};
    const char32_t command = U"xXtTmM"[row % 6];
    AttributeSource source{AttributeSource::Kind::macro, 0, 0, nullptr, nullptr};
    source.macro = std::make_shared<Macro>(command, input.take_text());
    return source;
}

Encoder draw_encoder(fuzz::Input& input) {
    Encoder encoder;
    encoder.columns = 1;
    for (int count = input.take<std::uint8_t>() % 6; count >= 0; --count) {
        encoder.attributes.push_back(draw_attribute(input));
        encoder.attributes.back().group = static_cast<std::uint8_t>(count % 4);
    }
    for (int count = input.take<std::uint8_t>() % 6; count >= 0; --count) {
        Template made{input.take<Hash>(), {}};
        for (int parts = input.take<std::uint8_t>() % 4; parts > 0; --parts) {
            const std::size_t attribute = input.take<std::uint8_t>() % encoder.attributes.size();
            made.parts.push_back({attribute, input.take<std::int8_t>() % (Encoder::max_offset + 1)});
        }
        (count % 2 ? encoder.edge_templates : encoder.node_templates).push_back(std::move(made));
    }
    return encoder;
}

void collect(Extractor& extractor, const Batch& batch, SentenceFeatures& features) {
    FeatureCollector nodes, edges(7);
    std::vector<FeatureCollector::Part> node_part(1, FeatureCollector::Part(nodes));
    FeatureCollector::Part edge_part(edges);
    auto node_room = nodes.open_room(), edge_room = edges.open_room();
    for (std::size_t i = 0; i < batch.copies() * (batch.sentences.size() - 1); ++i) {
        extractor.load(batch, i / batch.copies(), i % batch.copies());
        extractor.node_features(features);
        node_part.front().take(features, node_room, edge_room);
        extractor.edge_features(features);
        edge_part.take(features, edge_room, node_room);
    }
    nodes.add(node_part, 1);
    rename_rows(node_part.front().rows, nodes.finish(1));
    for (const FeatureTable::Row row : node_part.front().rows.rows) fuzz::require(row < nodes.table().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    try {
        const Encoder encoder = draw_encoder(input);
        StringTable words;
        std::vector<std::int32_t> codes;
        while (!input.empty()) codes.push_back(words.intern(input.take_text()));
        const auto count = static_cast<std::int64_t>(codes.size());
        const std::int64_t sentences[] = {0, count / 2, count};
        AttributeStore store(encoder);
        const StringTable* tables[] = {&words};
        store.extend(encoder, tables);
        Extractor extractor(encoder, store);
        SentenceFeatures features;
        std::vector<std::uint8_t> masks;  // of two copies
        for (std::size_t t = 0; t < 2 * codes.size(); ++t) masks.push_back(static_cast<std::uint8_t>(t % 3));
        collect(extractor, {{codes}, sentences, masks}, features);
    } catch (const std::invalid_argument&) {  // no expression
    } catch (const std::length_error&) {      // too many combinations of values
    }
    return 0;
}
