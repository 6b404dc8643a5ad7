// The portable build of the kernels.
#include "tagloom/kernels_impl.hpp"

namespace tagloom {
const Kernels baseline_kernels = make_kernels("baseline");
}
