#include "models/padded.hpp"

#include <new>

namespace models {

void FreeAligned::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{cache_line_bytes});
}

AlignedMemory allocate_aligned(size_t bytes) {
  AlignedMemory memory(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{cache_line_bytes})));
  std::memset(memory.get(), 0, bytes);
  return memory;
}

}  // namespace models
