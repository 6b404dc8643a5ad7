// The portable build of the kernels.
#include <type_traits>

#include "tagloom/kernels_impl.hpp"

namespace tagloom {
const Kernels baseline_kernels = make_kernels("baseline");
}
