#include "bindings.hpp"

void bind_features(nb::module_&) {}
