// BigVector: a vector that uses huge pages when it is large. Rows of the weight table are visited in random order; with
// small pages every visit would miss the address translation cache as well. RawVector: one whose new elements have no
// value yet. ZeroVector: zeros that take memory only where another number was written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
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
    static constexpr std::size_t large = 8 * page;

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

// Leaves new elements as they are, so that the threads that write them also bring their pages into memory.
template <class T>
struct RawAllocator : HugePageAllocator<T> {
    template <class U>
    struct rebind {
        using other = RawAllocator<U>;
    };

    RawAllocator() = default;
    template <class U>
    RawAllocator(const RawAllocator<U>&) noexcept {}

    template <class U>
    void construct(U* place) noexcept {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
};

// A vector whose resize() sets nothing.
template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

// A vector of zeros whose size is fixed. Most features of a large corpus are rare, and learning moves few of their
// weights; the system gives memory to a page when it is first written, so that the others need none. Copies keep that.
// Frequent features come first: the head has huge pages, which are fast, and the rest small ones, which are fine.
template <class T>
class ZeroVector {
public:
    using value_type = T;

    ZeroVector() = default;
    explicit ZeroVector(std::size_t size) : size_(size) {
        if (size == 0) return;
        if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
        is_mapped_ = bytes() >= least_mapped && map();
        if (!is_mapped_) data_ = static_cast<T*>(std::calloc(size, sizeof(T)));
        if (!data_) throw std::bad_alloc();
    }
    ZeroVector(const ZeroVector& other) : ZeroVector(other.size_) { copy(other.data_); }
    ZeroVector(ZeroVector&& other) noexcept { swap(other); }
    ZeroVector& operator=(ZeroVector other) noexcept {
        swap(other);
        return *this;
    }
    ~ZeroVector() {
#if defined(__linux__)
        if (is_mapped_) munmap(mapped_, mapped_bytes());
#endif
        if (!is_mapped_) std::free(data_);
    }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }

    // Replaces the values, [size]; pages that are the same already are not written.
    void copy(const T* values) noexcept {
        constexpr std::size_t step = 4096 / sizeof(T);
        for (std::size_t i = 0; i < size_; i += step) {
            const std::size_t part = std::min(step, size_ - i) * sizeof(T);
            if (std::memcmp(data_ + i, values + i, part) != 0) std::memcpy(data_ + i, values + i, part);
        }
    }

private:
    static constexpr std::size_t page = std::size_t{1} << 21;
    static constexpr std::size_t least_mapped = 32 * page;
    static constexpr std::size_t head = 64 * page;

    std::size_t bytes() const noexcept { return size_ * sizeof(T); }
    std::size_t mapped_bytes() const noexcept {
        return bytes() + page;
    }  // one more, so that it can begin at a huge page

    bool map() {
#if defined(__linux__)
        void* found = mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (found == MAP_FAILED) throw std::bad_alloc();
        mapped_ = found;
        auto* begin = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(found) + page - 1) / page * page);
        data_ = reinterpret_cast<T*>(begin);
        madvise(begin, std::min(head, bytes()), MADV_HUGEPAGE);
        if (bytes() > head) madvise(begin + head, bytes() - head, MADV_NOHUGEPAGE);
        return true;
#else
        return false;
#endif
    }

    void swap(ZeroVector& other) noexcept {
        std::swap(data_, other.data_), std::swap(size_, other.size_);
        std::swap(mapped_, other.mapped_), std::swap(is_mapped_, other.is_mapped_);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    void* mapped_ = nullptr;  // what the system gave, which may begin before the data
    bool is_mapped_ = false;
};

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
