// Bindings of the tag dictionary of a model: it takes words and their labels and returns flags of the labels that
// tokens may take.
#include <algorithm>

#include "objects.hpp"
#include "tagloom/features/tag_dictionary.hpp"

using namespace tagloom;

namespace {

using Flags = Input<std::uint8_t>;

void init_dictionary(TagDictionary* self, const Input<std::uint64_t>& words, const Flags& bits, std::size_t labels) {
    const auto hashes = view(words);
    if (labels == 0) refuse("expected at least one label");
    new (self) TagDictionary(std::vector<Hash>(hashes.begin(), hashes.end()), view(bits), labels);
}

Array<std::uint8_t> flags(const TagDictionary& self, const ChainObject& chain, const StringTable& words,
                          const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences, const Flags& given) {
    if (chain.layout.labels != self.labels()) refuse("the tag dictionary has other labels than the chain");
    check_offsets(view(sentences), codes.size(), "sentence offsets do not span the tokens");
    for (const std::int32_t code : view(codes))
        if (code < 0 || static_cast<std::size_t>(code) >= words.size()) refuse("code out of range");
    if (given.size() != 0 && given.size() != codes.size() * self.labels())
        refuse("constraints do not fit the sentences");
    std::vector<std::uint8_t> found;
    {
        nb::gil_scoped_release release;
        found = dictionary_flags(self, words, view(codes), view(sentences), chain.mask_f32, view(given));
    }
    return to_numpy(std::move(found));
}

}  // namespace

void bind_tag_dictionary(nb::module_& m) {
    nb::class_<TagDictionary>(
        m, "TagDictionary", "The labels that words may take; a word that is not in the dictionary may take any label.")
        .def("__init__", &init_dictionary, nb::arg("words"), nb::arg("bits"), nb::arg("labels"),
             nb::sig(
                 "def __init__(self, words: NDArray[numpy.uint64], bits: NDArray[numpy.uint8], labels: int) -> None"))
        .def("__len__", &TagDictionary::size)
        .def("flags", &flags, nb::arg("chain"), nb::arg("words"), nb::arg("codes"), nb::arg("sentences"),
             nb::arg("given"),
             nb::sig("def flags(self, chain: Chain, words: StringTable, codes: NDArray[numpy.int32], sentences: "
                     "NDArray[numpy.int64], "
                     "given: NDArray[numpy.uint8]) -> NDArray[numpy.uint8]"),
             "Returns flags [N][L] that restrict `given`, which holds such flags or is empty, except where no label "
             "would be left.");
}
