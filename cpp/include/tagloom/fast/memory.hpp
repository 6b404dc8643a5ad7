// BigVector: a vector that uses huge pages when it is large. Rows of the weight table are visited in random order; with
// small pages every visit would miss the address translation cache as well.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tagloom {

template <class T>
struct HugePageAllocator {
    using value_type = T;
    static constexpr std::size_t page = std::size_t{1} << 21;
    // Below this size, the kernel may take longer to make room for huge pages than they save.
    static constexpr std::size_t large = 32 * page;

    HugePageAllocator() = default;
    template <class U>
    HugePageAllocator(const HugePageAllocator<U>&) noexcept {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
#if defined(__linux__)
        if (bytes >= large) {
            void* memory = std::aligned_alloc(page, (bytes + page - 1) / page * page);
            if (!memory) throw std::bad_alloc();
            madvise(memory, bytes, MADV_HUGEPAGE);  // advice only, so nothing is lost if it is not followed
            return static_cast<T*>(memory);
        }
#endif
        void* memory = std::malloc(bytes ? bytes : 1);
        if (!memory) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }

    friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) noexcept { return true; }
};

template <class T>
using BigVector = std::vector<T, HugePageAllocator<T>>;

// Prefetches memory; this is a hint without effect on results.
inline void prefetch(const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

template <class Real>
void prefetch_row(const Real* row, std::size_t stride) noexcept {
    constexpr std::size_t line = 64 / sizeof(Real);
    for (std::size_t i = 0; i < stride; i += line) prefetch(row + i);
    prefetch(row + stride - 1);
}

}  // namespace tagloom
