// Keeps memory accesses in the order in which they are written.
#pragma once

/// Ends the compiler's freedom to move loads and stores across. Prefetchers learn from addresses that ascend:
/// gcc 12 interleaved eight loads of one turn as it liked, and sets in a shared last-level cache were read 10
/// to 15 % slower for it (Zen 5).
#define IN_ORDER asm volatile("" ::: "memory")
