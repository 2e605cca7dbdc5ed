// Runs one launch: reads it from standard input, writes the arrays as the kernel left them to standard output. All
// numbers are little-endian u32: kernel name (length, bytes); grid (3); threads of a block; bytes of dynamic shared
// memory; order of threads (0, or 1 for the opposite, with copies done at once and not at their wait); number of
// arguments; each as kind and value: 0 an array (length, bytes), 1 an unsigned, 2 a float, 3 a null pointer, 4 the array
// of the argument with that number. Exit status 2 with a line on standard error for a launch that is wrong; arrays end
// at a page that cannot be touched.
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

uint3_ threadIdx, blockIdx, blockDim, gridDim;

static void die(const char* what, const std::string& which = "") {
  fprintf(stderr, "%s %s\n", what, which.c_str());
  exit(2);
}

namespace host {
struct Copy { void* to; const void* from; };
enum State { READY, AT_BLOCK, AT_WARP, DONE };
struct Thread {
  ucontext_t context;
  State state;
  std::vector<std::vector<Copy>> groups;
  std::vector<Copy> open;
};
struct Slot { unsigned char bytes[32 * 64]; unsigned size; };

static std::vector<Thread> threads;
// Of which only what is used becomes memory.
static const size_t STACK = 128 << 10;
static unsigned char* stacks;
// Two by turns: a lane may bring its next while another still reads.
static std::vector<Slot> slots[2];
static std::vector<unsigned> turns;
static ucontext_t scheduler;
static unsigned current;
static std::vector<unsigned char> dynamic;
static std::function<void()> kernel;

void* dynamic_shared() { return dynamic.data(); }
uint32_t lane() { return current % 32; }

static void leave(State state) {
  const unsigned me = current;
  threads[me].state = state;
  swapcontext(&threads[me].context, &scheduler);
}
void block_barrier() { leave(AT_BLOCK); }

const unsigned char* exchange(const void* mine, unsigned n) {
  const unsigned me = current, warp = me / 32;
  if (n > 64) die("an exchange of too many bytes");
  Slot& slot = slots[turns[me] ^= 1][warp];
  memcpy(slot.bytes + lane() * n, mine, n);
  if (lane() == 0) slot.size = n;
  leave(AT_WARP);
  if (slot.size != n) die("lanes of a warp do different things");
  return slot.bytes;
}

static bool early;

static void copy(const Copy& copy) {
  if (((uintptr_t)copy.to | (uintptr_t)copy.from) % 16) die("a copy of 16 bytes that is not aligned");
  if (copy.from) memcpy(copy.to, copy.from, 16);
  else memset(copy.to, 0, 16);
}
void copy_later(void* to, const void* from) {
  if (early) copy({to, from});
  else threads[current].open.push_back({to, from});
}
void commit() {
  threads[current].groups.push_back(threads[current].open);
  threads[current].open.clear();
}
void wait(unsigned under_way) {
  auto& groups = threads[current].groups;
  while (groups.size() > under_way) {
    for (const Copy& one : groups.front()) copy(one);
    groups.erase(groups.begin());
  }
}

// Round to nearest, ties to even, by integers alone.
uint16_t to_half(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x47800000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Below the smallest normal half: a multiple of 2^-24.
    const int shift = 126 - (int)(magnitude >> 23);
    if (shift > 24) return sign;
    const uint32_t full = (magnitude & 0x7fffff) | 0x800000, rest = full & ((1u << shift) - 1), half = 1u << (shift - 1);
    uint32_t out = full >> shift;
    if (rest > half || (rest == half && (out & 1))) out++;
    return sign | out;
  }
  uint32_t out = (magnitude - 0x38000000) >> 13;
  const uint32_t rest = magnitude & 0x1fff;
  if (rest > 0x1000 || (rest == 0x1000 && (out & 1))) out++;
  return sign | out;
}
float from_half(uint16_t bits) {
  const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  uint32_t out = sign | (exponent + 112) << 23 | fraction << 13;
  if (exponent == 31) out = sign | 0x7f800000 | fraction << 13;
  float x;
  memcpy(&x, &out, 4);
  if (exponent == 0) x = sign ? -ldexpf(fraction, -24) : ldexpf(fraction, -24);
  return x;
}

static void enter() {
  kernel();
  threads[current].state = DONE;
}

// Until all threads of the block are done.
static void run_block(bool opposite) {
  const unsigned n = threads.size();
  for (unsigned i = 0; i < n; i++) {
    Thread& thread = threads[i];
    thread.state = READY;
    thread.groups.clear();
    thread.open.clear();
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = stacks + i * STACK;
    thread.context.uc_stack.ss_size = STACK;
    thread.context.uc_link = &scheduler;
    makecontext(&thread.context, enter, 0);
  }
  for (;;) {
    // Each warp runs as far ahead of the others as barriers of the block let it: what they still need it may overwrite.
    for (unsigned turn = 0; turn < n / 32; turn++) {
      const unsigned warp = (opposite ? n / 32 - 1 - turn : turn) * 32;
      for (;;) {
        unsigned waiting = 0;
        for (unsigned lane = 0; lane < 32; lane++) {
          current = warp + (opposite ? 31 - lane : lane);
          if (threads[current].state != READY) continue;
          threadIdx.x = current;
          swapcontext(&scheduler, &threads[current].context);
        }
        for (unsigned i = warp; i < warp + 32; i++) waiting += threads[i].state == AT_WARP;
        if (waiting == 0) break;
        if (waiting < 32) die("lanes of a warp wait for others that do not come");
        for (unsigned i = warp; i < warp + 32; i++) threads[i].state = READY;
      }
    }
    unsigned done = 0;
    for (Thread& thread : threads) done += thread.state == DONE;
    if (done == n) break;
    // What CUDA leaves undefined where only some threads come by.
    if (done) die("a thread ends while others wait for it at a barrier");
    for (Thread& thread : threads) thread.state = READY;
  }
  for (Thread& thread : threads)
    if (!thread.groups.empty() || !thread.open.empty()) die("a copy that nobody waited for");
}
}  // namespace host

struct Argument { uint32_t kind, bits; unsigned char* at; size_t bytes; };

template <typename T> T taken(const Argument& a) {
  if constexpr (std::is_pointer_v<T>) {
    if (a.kind == 1 || a.kind == 2) die("a number where an array is wanted");
    return (T)(void*)a.at;
  } else {
    if (a.kind != (std::is_same_v<T, float> ? 2u : 1u)) die("an argument of another kind");
    T value;
    static_assert(sizeof value == 4);
    memcpy(&value, &a.bits, 4);
    return value;
  }
}
template <typename... A, size_t... I>
static std::function<void()> bound(void (*f)(A...), const std::vector<Argument>& args, std::index_sequence<I...>) {
  if (args.size() != sizeof...(A)) die("another number of arguments");
  return [=] { f(taken<A>(args[I])...); };
}
template <typename... A> static std::function<void()> launchable(void (*f)(A...), const std::vector<Argument>& args) {
  return bound(f, args, std::index_sequence_for<A...>());
}

static void take(void* to, size_t n) {
  if (fread(to, 1, n, stdin) != n) die("the launch is cut short");
}
static uint32_t number() {
  uint32_t n;
  take(&n, 4);
  return n;
}

static unsigned char* fresh(size_t n) {
  void* map = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) die("no memory");
  return (unsigned char*)map;
}

// The kernels, and a line `KERNEL(name)` for each.
#include "kernels.inc"

int main() {
  std::string name(number(), ' ');
  take(&name[0], name.size());
  const uint3_ grid = {number(), number(), number()};
  gridDim = grid;
  const uint32_t block = number();
  blockDim = {block, 1, 1};
  host::dynamic.resize(number());
  const bool opposite = number();
  host::early = opposite;
  // What every card gives without being asked.
  if (block == 0 || block > 1024 || block % 32 || host::dynamic.size() > (48 << 10)) die("a block that no card takes");
  const bool fits = grid.x && grid.y && grid.z && grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535;
  if (!fits) die("a grid that no card takes");
  std::vector<Argument> args(number());
  const size_t page = sysconf(_SC_PAGESIZE);
  for (Argument& a : args) {
    a = {number(), 0, nullptr, 0};
    if (a.kind == 1 || a.kind == 2) a.bits = number();
    if (a.kind == 4) {
      const uint32_t other = number();
      if (&args[0] + other >= &a) die("the same array as a later one");
      a.at = args[other].at;
    }
    if (a.kind != 0) continue;
    a.bytes = number();
    const size_t room = (a.bytes + 15) / 16 * 16, pages = (room + page - 1) / page * page;
    unsigned char* map = fresh(pages + page);
    if (mprotect(map + pages, page, PROT_NONE)) die("no memory");
    memset(map, 0xa5, pages);
    a.at = map + pages - room;
    take(a.at, a.bytes);
  }
#define KERNEL(f) if (name == #f) host::kernel = launchable(f, args);
#include "table.inc"
  if (!host::kernel) die("no such kernel:", name);
  host::threads.resize(block);
  host::stacks = fresh(block * host::STACK);
  host::slots[0].resize(block / 32);
  host::slots[1].resize(block / 32);
  host::turns.resize(block);
  for (uint32_t z = 0; z < grid.z; z++)
    for (uint32_t y = 0; y < grid.y; y++)
      for (uint32_t x = 0; x < grid.x; x++) {
        blockIdx = {x, y, z};
        // Numbers that are none: what is read before it was written shows.
        host::dynamic.assign(host::dynamic.size(), 0xff);
        host::run_block(opposite);
      }
  for (const Argument& a : args) {
    if (a.kind != 0) continue;
    const size_t room = (a.bytes + 15) / 16 * 16, before = (room + page - 1) / page * page - room;
    for (size_t i = 0; i < before; i++)
      if (a.at[-1 - (long)i] != 0xa5) die("written before an array");
    for (size_t i = a.bytes; i < room; i++)
      if (a.at[i] != 0xa5) die("written behind an array");
    if (fwrite(a.at, 1, a.bytes, stdout) != a.bytes) die("cannot write");
  }
}
