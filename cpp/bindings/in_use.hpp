// Training goes on without the GIL, so that another thread may call the same object: it gets an error, not a race.
#pragma once

#include <atomic>
#include <stdexcept>

class InUse {
public:
    explicit InUse(std::atomic<bool>& flag) : flag_(flag) {
        if (flag_.exchange(true)) throw std::runtime_error("another thread is using this object");
    }
    ~InUse() { flag_ = false; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

private:
    std::atomic<bool>& flag_;
};
