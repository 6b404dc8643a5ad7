// Counters of non-local features: native features, features of a Python function, or both.
#include "nonlocal_objects.hpp"

using namespace tagloom;

namespace {

constexpr std::uint32_t most_rows = 1u << 24;  // limit of a Python function

// Calls Python for every labelling.
class CallingCounter final : public NonlocalCounter {
public:
    CallingCounter(std::unique_ptr<NonlocalCounter> native, const nb::object& function, std::size_t first_row)
        : native_(std::move(native)), function_(function), first_row_(first_row) {}

    void begin(std::size_t document) override {
        document_ = document;
        if (native_) native_->begin(document);
    }

    void count(std::span<const Label> labels, std::vector<Count>& counts) override {
        if (native_) native_->count(labels, counts);
        const nb::gil_scoped_acquire gil;
        const nb::object returned = function_(document_, to_numpy(std::vector<Label>(labels.begin(), labels.end())));
        Input<std::uint32_t> rows;
        if (!nb::try_cast(returned, rows, false))
            throw std::invalid_argument("a function of non-local features must return an array of rows (uint32)");
        for (const std::uint32_t row : view(rows)) {
            if (row >= most_rows) throw std::invalid_argument("too many non-local features");
            counts.push_back({static_cast<std::uint32_t>(first_row_ + row), 1});
        }
    }

private:
    std::unique_ptr<NonlocalCounter> native_;
    const nb::object& function_;
    std::size_t first_row_, document_ = 0;
};

// Without features, the total score is the local score.
class NoCounter final : public NonlocalCounter {
public:
    void begin(std::size_t) override {}
    void count(std::span<const Label>, std::vector<Count>&) override {}
};
}  // namespace

std::unique_ptr<NonlocalCounter> NonlocalObject::counter() const {
    std::unique_ptr<NonlocalCounter> counting = native ? native->counter() : nullptr;
    if (function.is_valid() && !function.is_none())
        return std::make_unique<CallingCounter>(std::move(counting), function, native_rows());
    return counting ? std::move(counting) : std::make_unique<NoCounter>();
}
