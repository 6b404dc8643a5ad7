#include "bindings.hpp"

void bind_train(nb::module_&) {}
