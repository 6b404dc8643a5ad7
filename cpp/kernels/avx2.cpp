// The kernels for x86-64 with AVX2; this file alone is compiled with -mavx2 (CMakeLists.txt).
#include "tagloom/fast/kernels_impl.hpp"

namespace tagloom {
#if defined(__AVX2__)
const Kernels avx2_kernels = make_kernels("avx2");
#else
const Kernels avx2_kernels = make_kernels("baseline");
#endif
}  // namespace tagloom
