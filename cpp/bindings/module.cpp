#include "bindings.hpp"

NB_MODULE(_core, m) {
    m.doc() = "Native core of tagloom: no I/O, no logging, no random numbers; arrays in, arrays out.";
#ifdef NDEBUG
    nb::set_leak_warnings(false);  // what caches of Python modules hold until the process ends is no leak
#endif
    bind_kernels(m);
    bind_strings(m);
    bind_features(m);
    bind_clusters(m);
    bind_items(m);
    bind_chain(m);
    bind_decoding(m);
    bind_nonlocal(m);
    bind_candidates(m);
    bind_settings(m);
    bind_online(m);
    bind_batch(m);
    bind_words(m);
    bind_tokens(m);
    bind_arcs(m);
    bind_trees(m);
    bind_parser(m);
    bind_global_features(m);
    bind_tag_dictionary(m);
    bind_ranking(m);
    bind_phrases(m);
    bind_segments(m);
}
