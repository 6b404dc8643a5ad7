// Defines the precision of weights. The sources that include this file are compiled twice: in single precision for
// tagloom._core, and in double precision for tagloom._core_double, which tests compare with slow and plain versions.
#pragma once

#if defined(TAGLOOM_DOUBLE)
using Weight = double;
inline constexpr const char* weight_type = "numpy.float64";
inline constexpr const char* method_suffix = "_f64";
#else
using Weight = float;
inline constexpr const char* weight_type = "numpy.float32";
inline constexpr const char* method_suffix = "";
#endif
