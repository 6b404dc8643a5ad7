// Helpers shared by the binding files: array types, moving a vector into NumPy, views of NumPy arrays. Bindings are
// thin: arrays in, shape check, GIL released, arrays out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace nb = nanobind;

// Raises ValueError. Checks call it instead of throwing in place, because the code for an exception in every check
// takes long to compile.
[[noreturn]] void refuse(const char* what);

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Input<T>& array) {
    return {array.data(), array.size()};
}

template <class T>
std::span<T> view(const Output<T>& array) {
    return {array.data(), array.size()};
}

// The array takes over the memory of the vector; nothing is copied.
template <class Vector, class T = typename Vector::value_type>
    requires(!std::is_lvalue_reference_v<Vector>)
[[gnu::noinline]] Array<T> to_numpy(Vector&& values) {
    auto* owned = new Vector(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Vector*>(p); });
    return Array<T>(owned->data(), {owned->size()}, owner);
}

// Returns the labels of every sentence as a list; equal labels share one string object.
nb::list build_label_lists(std::span<const std::int32_t> labels, std::span<const std::int64_t> sentences,
                           const nb::list& names);

void bind_kernels(nb::module_& m);
void bind_strings(nb::module_& m);
void bind_features(nb::module_& m);
void bind_clusters(nb::module_& m);
void bind_chain(nb::module_& m);
void bind_decoding(nb::module_& m);
void bind_nonlocal(nb::module_& m);
void bind_candidates(nb::module_& m);
void bind_settings(nb::module_& m);
void bind_online(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_words(nb::module_& m);
void bind_items(nb::module_& m);
void bind_tokens(nb::module_& m);
void bind_arcs(nb::module_& m);
void bind_trees(nb::module_& m);
void bind_parser(nb::module_& m);
void bind_global_features(nb::module_& m);
void bind_tag_dictionary(nb::module_& m);
void bind_ranking(nb::module_& m);
void bind_phrases(nb::module_& m);
void bind_segments(nb::module_& m);
