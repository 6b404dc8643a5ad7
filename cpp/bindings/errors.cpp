#include "bindings.hpp"

void refuse(const char* what) { throw nb::value_error(what); }
