#include "bindings.hpp"

void bind_chain(nb::module_&) {}
