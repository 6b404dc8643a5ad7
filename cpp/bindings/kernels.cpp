// Binding that tells which build of the kernels is in use.
#include "tagloom/fast/kernels.hpp"
#include "bindings.hpp"

using namespace tagloom;

void bind_kernels(nb::module_& m) {
    m.def("kernel_name", [] { return kernels().name; }, "Returns the instruction set of the kernels in use.");
    m.def(
        "use_baseline_kernels",
        [](bool baseline) { chosen_kernels() = baseline ? &baseline_kernels : &fastest_kernels(); },
        nb::arg("baseline"),
        "Selects the baseline kernels or the fastest ones, for tests; results do not depend on it.");
}
