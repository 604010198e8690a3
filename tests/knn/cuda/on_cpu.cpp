// The kernels of cellval/knn/cuda/kernels.cu as they stand, on a CPU: every thread of a
// block is a fiber, and a barrier is where one hands over to the next.
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

using std::isnan;
#define __device__ static
#define __global__
#define __shared__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __CUDA_ARCH__ 0
#define __launch_bounds__(...)

struct Index { int x, y; };
struct alignas(16) float4 { float x, y, z, w; };
static Index threadIdx, blockIdx;
alignas(16) char memory[1 << 20];

struct Barrier { int arrived = 0; long turn = 0; };
static Barrier of_block, of_warp[64];
static std::vector<ucontext_t> fibers;
static ucontext_t outside;
static std::vector<char> done;
static uint64_t lanes[64][32];

static void hand_over() {
  int me = threadIdx.x, next = me;
  do next = (next + 1) % BS; while (done[next] && next != me);
  if (next == me) return;
  threadIdx.x = next;
  swapcontext(&fibers[me], &fibers[next]);
  threadIdx.x = me;
}

static void meet_at(Barrier& barrier, int n) {
  long turn = barrier.turn;
  if (++barrier.arrived == n) {
    barrier.arrived = 0;
    barrier.turn++;
  } else {
    while (barrier.turn == turn) hand_over();
  }
}

static void __syncthreads() { meet_at(of_block, BS); }

template <class T> static T from_lane(T v, int lane) {
  int warp = threadIdx.x / 32;
  memcpy(&lanes[warp][threadIdx.x % 32], &v, sizeof v);
  meet_at(of_warp[warp], 32);
  memcpy(&v, &lanes[warp][lane], sizeof v);
  meet_at(of_warp[warp], 32);
  return v;
}
template <class T> static T __shfl_sync(unsigned, T v, int lane) { return from_lane(v, lane); }
template <class T> static T __shfl_xor_sync(unsigned, T v, int o) {
  return from_lane(v, (threadIdx.x % 32) ^ o);
}
template <class T> static T __shfl_up_sync(unsigned, T v, int o) {
  int lane = threadIdx.x % 32;
  return from_lane(v, lane >= o ? lane - o : lane);
}
static unsigned __ballot_sync(unsigned, bool in) {
  unsigned mask = 0;
  for (int lane = 0; lane < 32; lane++) mask |= (unsigned)from_lane((int)in, lane) << lane;
  return mask;
}
template <class Any> static Any __ldcg(const Any* from) { return *from; }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __clz(int x) { return __builtin_clz(x); }
static int __ffs(int x) { return __builtin_ffs(x); }
static float __fadd_rn(float a, float b) { return a + b; }
static float __fsub_rn(float a, float b) { return a - b; }
static float __fmul_rn(float a, float b) { return a * b; }
static long long __double2ll_rn(double x) { return llrint(x); }
static unsigned __float_as_uint(float x) { unsigned u; memcpy(&u, &x, 4); return u; }
static float __uint_as_float(unsigned u) { float x; memcpy(&x, &u, 4); return x; }
template <class T> static T atomicAdd(T* at, T v) { T old = *at; *at += v; return old; }

template <class T> static T atomicMax(T* at, T v) { T old = *at; *at = v > old ? v : old; return old; }
template <class T> static T atomicMin(T* at, T v) { T old = *at; *at = v < old ? v : old; return old; }
using std::max;
using std::min;

#include "kernels.cu"

static void (*body)();
static void one_thread() {
  body();
  done[threadIdx.x] = 1;
  hand_over();
  setcontext(&outside);
}

static void run(int x, int y, void (*what)()) {
  body = what;
  static std::vector<std::vector<char>> stacks(BS, std::vector<char>(1 << 16));
  fibers.resize(BS);
  for (blockIdx.y = 0; blockIdx.y < y; blockIdx.y++)
    for (blockIdx.x = 0; blockIdx.x < x; blockIdx.x++) {
      memset(memory, 0xcd, sizeof memory);  // shared memory holds anything at first
      done.assign(BS, 0);
      for (int k = 0; k < BS; k++) {
        getcontext(&fibers[k]);
        fibers[k].uc_stack.ss_sp = stacks[k].data();
        fibers[k].uc_stack.ss_size = stacks[k].size();
        fibers[k].uc_link = nullptr;
        makecontext(&fibers[k], one_thread, 0);
      }
      threadIdx.x = 0;
      swapcontext(&outside, &fibers[0]);
    }
}

static Table table;
static Answers answers;
#define POINTER(type, k) ((type)arguments[k])

extern "C" {
unsigned n_bytes(int which) {
  return which == 2 ? sizeof(Room) : which ? sizeof(Answers) : sizeof(Table);
}

static uint64_t* arguments;
static void take(uint64_t* given) {
  arguments = given;
  table = *(Table*)given[0];
  answers = *(Answers*)given[1];
}

void run_near_pairs(int x, int y, uint64_t* given) {
  take(given);
  run(x, y, [] {
    near_pairs(table, answers, POINTER(short*, 2), (int)arguments[3], POINTER(int*, 4),
               POINTER(float*, 5), POINTER(float*, 6), (int)arguments[7]);
  });
}
#define RUN_DENSE(name)                                                                   \
  void run_##name(int x, int y, uint64_t* given) {                                        \
    take(given);                                                                          \
    run(x, y, [] {                                                                        \
      name(table, answers, POINTER(short*, 2), (int)arguments[3], POINTER(double*, 4),    \
           POINTER(int*, 5), POINTER(double*, 6), POINTER(double*, 7), arguments[8],      \
           POINTER(float*, 9), arguments[10], POINTER(u64*, 11), (int)arguments[12]);     \
    });                                                                                   \
  }
RUN_DENSE(dense_pairs)
RUN_DENSE(dense_ends)
RUN_DENSE(dense_subsets)
RUN_DENSE(dense_whole)
void run_add_up_near(int x, int y, uint64_t* given) {
  take(given);
  run(x, y, [] {
    add_up_near(table, answers, POINTER(float*, 2), POINTER(int*, 3), POINTER(double*, 4),
                POINTER(double*, 5));
  });
}
void run_add_up_dense(int x, int y, uint64_t* given) {
  take(given);
  run(x, y, [] {
    add_up_dense(table, answers, POINTER(double*, 2), POINTER(int*, 3), POINTER(double*, 4),
                 POINTER(double*, 5));
  });
}
}
