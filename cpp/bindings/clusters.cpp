// Bindings of clusterings of words: Brown clusters of bigrams, and k-means of vectors.
#include "tagloom/clusters/brown.hpp"

#include "bindings.hpp"
#include "tagloom/clusters/kmeans.hpp"

using namespace tagloom;

namespace {

constexpr std::size_t max_clusters = 10'000;

void check_thread_count(std::size_t threads) {
    if (threads < 1 || threads > 4096) refuse("expected 1 to 4096 threads");
}

void make_brown(BrownClustering* self, const Input<std::int32_t>& left, const Input<std::int32_t>& right,
                const Input<std::uint32_t>& counts, std::size_t words, std::size_t clusters) {
    if (clusters < 1 || clusters > max_clusters) refuse("expected 1 to 10,000 clusters");
    if (words > std::size_t{1} << 30) refuse("expected at most 2^30 words");
    if (left.size() != counts.size() || right.size() != counts.size())
        refuse("expected two words and a count per bigram");
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        for (const std::int32_t word : {left(i), right(i)})
            if (word < 0 || static_cast<std::size_t>(word) > words + 1) refuse("word out of range");
        total += counts(i);
    }
    if (total >> 32 != 0) refuse("expected fewer than 2^32 bigrams");
    nb::gil_scoped_release release;
    new (self) BrownClustering({view(left), view(right), view(counts)}, words, clusters);
}

nb::object list_merges(const BrownClustering& self) {
    std::vector<std::int32_t> into, from;
    std::vector<std::int64_t> losses;
    for (const BrownClustering::Merge& merge : self.merges())
        into.push_back(merge.into), from.push_back(merge.from), losses.push_back(merge.loss);
    return nb::make_tuple(to_numpy(std::move(into)), to_numpy(std::move(from)), to_numpy(std::move(losses)));
}

void make_kmeans(KMeans* self, const Input<float>& points, std::size_t dimensions, const Input<double>& random,
                 std::size_t threads) {
    if (dimensions < 1 || points.size() % dimensions != 0) refuse("expected whole points");
    for (const double chance : view(random))
        if (!(chance >= 0 && chance < 1)) refuse("expected random numbers from 0 to 1");
    check_thread_count(threads);
    nb::gil_scoped_release release;
    new (self) KMeans({points.data(), points.data() + points.size()}, dimensions, view(random), threads);
}

template <class T>
auto copied(const std::vector<T>& values) {
    return to_numpy(std::vector<T>(values));
}

}  // namespace

void bind_clusters(nb::module_& m) {
    m.attr("MAX_CLUSTERS") = max_clusters;
    m.attr("LOSS_DIGITS") = EntropyTable::digits;
    nb::class_<BrownClustering>(m, "BrownClustering",
                                "Brown clusters of words that are numbered by falling frequency, in the making.")
        .def("__init__", &make_brown, nb::arg("left"), nb::arg("right"), nb::arg("counts"), nb::arg("words"),
             nb::arg("clusters"),
             "Takes distinct bigrams. The number `words` stands for all rarer words, `words` + 1 for the boundary of "
             "sentences.")
        .def(
            "run",
            [](BrownClustering& self, std::size_t steps, std::size_t threads) {
                check_thread_count(threads);
                nb::gil_scoped_release release;
                return self.run(steps, threads);
            },
            nb::arg("steps"), nb::arg("threads") = 1, "Does up to `steps` steps and returns how many are left.")
        .def("merges", &list_merges,
             nb::sig("def merges(self) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int64]]"),
             "Returns (into, from, loss) of all merges so far. A cluster has the number of its most frequent word. The "
             "loss is that of average mutual information times the number of bigrams, in bits times 2^LOSS_DIGITS.");
    nb::class_<KMeans>(m, "KMeans", "Clusters of points, in the making.")
        .def("__init__", &make_kmeans, nb::arg("points"), nb::arg("dimensions"), nb::arg("random"),
             nb::arg("threads") = 1, "Chooses one seed per random number by k-means++, fewer if points are equal.")
        .def(
            "run_pass",
            [](KMeans& self, std::size_t threads) {
                check_thread_count(threads);
                nb::gil_scoped_release release;
                return self.pass(threads);
            },
            nb::arg("threads") = 1, "Does one pass and returns how many points have changed their cluster.")
        .def("__len__", &KMeans::size)
        .def("centroids", [](const KMeans& self) { return copied(self.centroids()); })
        .def("nearest", [](const KMeans& self) { return copied(self.nearest()); })
        .def(
            "distances", [](const KMeans& self) { return copied(self.distances()); },
            "Returns the squared distance of every point from its centroid.");
}
