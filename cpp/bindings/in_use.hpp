// Training releases the GIL, so another thread may call the same object: it gets an error instead of a race.
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

// The same for an object that any number of threads may read while no thread changes it. Readers are counted; -1 stands
// for a change.
class Reading {
public:
    explicit Reading(std::atomic<int>& users) : users_(users) {
        int now = users_.load();
        do {
            if (now < 0) throw std::runtime_error("another thread is changing this object");
        } while (!users_.compare_exchange_weak(now, now + 1));
    }
    ~Reading() { --users_; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

private:
    std::atomic<int>& users_;
};

class Changing {
public:
    explicit Changing(std::atomic<int>& users) : users_(users) {
        int nobody = 0;
        if (!users_.compare_exchange_strong(nobody, -1))
            throw std::runtime_error("another thread is using this object");
    }
    ~Changing() { users_ = 0; }
    Changing(const Changing&) = delete;
    Changing& operator=(const Changing&) = delete;

private:
    std::atomic<int>& users_;
};
