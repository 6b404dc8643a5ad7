// Module tagloom._core_double, for tests: classes of tagloom._core in double precision. Importing it also gives
// ChainData methods in double precision, whose names end in _f64.
#include "bindings.hpp"

NB_MODULE(_core_double, m) {
    m.doc() = "Double precision, for tests: not part of an installed package.";
    nb::module_::import_("tagloom._core");
    bind_kernels(m);
    bind_decoding(m);
    bind_candidates(m);
    bind_online(m);
    bind_batch(m);
    bind_parser(m);
}
