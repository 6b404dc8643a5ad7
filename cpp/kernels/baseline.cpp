// The portable build of the kernels.
#include "tagloom/fast/kernels_impl.hpp"

namespace tagloom {
const Kernels baseline_kernels = make_kernels("baseline");
}
