#include "bindings.hpp"

NB_MODULE(_core, m) {
    m.doc() = "Native core of tagloom: no I/O, no logging, no random numbers; arrays in, arrays out.";
    bind_strings(m);
    bind_features(m);
    bind_chain(m);
    bind_nonlocal(m);
    bind_train(m);
    bind_words(m);
    bind_arcs(m);
    bind_parse(m);
    bind_global_features(m);
    bind_tag_dictionary(m);
    bind_ranking(m);
    bind_phrases(m);
}
