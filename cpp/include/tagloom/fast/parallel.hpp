// A loop over sentences shared by several threads. Which thread takes which sentence does not matter: every sentence
// writes only its own results.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tagloom {

// The part of a parallel loop that does not depend on its body; `next` is the first item that no thread has taken.
struct SharedLoop {
    std::size_t count, chunk;
    std::atomic<std::size_t> next{0};

    // Calls run() on several threads, and rethrows the first exception after all threads have ended.
    void run_on(std::size_t threads, const std::function<void()>& run) {
        threads = std::clamp<std::size_t>(threads, 1, (count + chunk - 1) / chunk + 1);
        std::exception_ptr failure;
        std::mutex failure_lock;
        const auto guarded = [&] {
            try {
                run();
            } catch (...) {
                const std::lock_guard<std::mutex> guard(failure_lock);
                if (!failure) failure = std::current_exception();
                next = count;
            }
        };
        std::vector<std::thread> helpers;
        helpers.reserve(threads - 1);
        try {
            for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(guarded);
        } catch (const std::exception&) {
            // The machine has no more threads or no memory for them, so the existing threads share the work.
        }
        guarded();
        for (std::thread& helper : helpers) helper.join();
        if (failure) std::rethrow_exception(failure);
    }
};

// make_worker() is called once per thread and returns a function of the sentence number; a thread takes `chunk` of them
// at a time. The first exception is rethrown on the calling thread after all threads have ended.
template <class MakeWorker>
void parallel_for(std::size_t count, std::size_t threads, std::size_t chunk, MakeWorker make_worker) {
    SharedLoop loop{count, chunk};
    loop.run_on(threads, [&] {
        auto work = make_worker();
        for (std::size_t begin = loop.next.fetch_add(chunk); begin < count; begin = loop.next.fetch_add(chunk))
            for (std::size_t i = begin; i < std::min(begin + chunk, count); ++i) work(i);
    });
}

}  // namespace tagloom
