// 2D-Shapley-KNN on a GPU: what `cellval.knn.cell_values` computes, for a batch of test
// points. One block takes one test point at a time.
//
// - Distances are added up by the same rounded operations in the same order as on the
//   CPU, so the same rows are tied.
// - No sum depends on which thread or block comes first: what threads add in any order
//   are whole numbers, and `add_up` adds test points in their order.
// - Rows come in a random order, so that the first ones are a sample of all.
//
// A wave of test points is valued into one `psi` each, then `add_up` adds them up.
// `near_pairs` is made for many rows in the near field: per step only the near rows are
// touched, and what all far rows share is kept as two numbers of the test point. `dense`
// does everything else (all rows in order, exact ends, all subsets, repeated rows) with
// one value per row and step.
//
// What bounds `near_pairs` (ncu, an H200, Adult): not bytes; cells as bytes instead of
// floats, brought near by beforehand, changed nothing. A step is some thirty short phases
// of one block, which has the processor to itself because its distances fill the shared
// memory. An instruction is issued in 41 % of the cycles; else its warps wait for the
// instruction before (25 %), for shared memory (18 %), memory (16 %) or each other (11 %).
//
// BS, the threads of a block, is defined when this is compiled: a power of two from 32;
// and PER, how many near rows each of them puts in order.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define ALL_LANES 0xffffffffu
#define LEFT_OUT_BITS 0x7f800000u  // infinity: a row that is no neighbour
#define CAP (PER * BS)             // near rows that a block can put in order
#define ASKED 2                    // float4 of a thread that are on their way at a time
#define WARPS (BS / 32)
#define BLOCKS (2048 / CAP)        // that share a processor, at least
#define FINE 17592186044416.0  // 2^44: whole numbers add up to the same in any order

struct Table {  // see `Rows` and `Queries`
  const float* cells;    // (m, stride)
  const float* weight;   // (m,)
  const int* category;   // (m,)
  const double* y;       // (n,)
  const u32* copies;     // (n,), or null: each row is there once
  const double* factors; // (m,), or null
  const double* steps;   // (4, n_steps): see `make_steps`
  int n, m, n_steps, stride;  // of cells: n, rounded up to whole float4
  const float* test_cells;  // (n_tests, m)
  const double* test_y;
  const int* own;
  const double* test_weight;
  const double* test_times;
  int n_tests, is_number, chance, near, n_sample;
};

// What is known of each test point; column m is that of whole rows. The value of a cell
// is scale * psi + what its agreement makes of `far`.
struct Answers {
  double* far;      // (n_tests, m + 1, 2): a miss, a hit
  double* scale;    // (n_tests,)
  double* columns;  // (n_tests, m): sums over all rows
};

struct Point {  // one test point as the rows see it
  int t, left_out, own;
  double y, n_agree, first_hit, first_miss;
  int n_rows;
};

__device__ __forceinline__ double agreement(const Table& table, double y, double at) {
  if (table.is_number) return fmax(0.0, 1.0 - fabs(y - at));
  return y == at ? 1.0 : 0.0;
}

__device__ __forceinline__ double mix(double s, double hit, double miss) {
  return miss + s * (hit - miss);
}

#define NUMBERS 0
#define CATEGORIES 1
#define BLANK 2  // the cell of the test point is missing
#define NO_COLUMN 3

// The distance of a cell from that of the test point; see `add_column`.
template <int KIND>
__device__ __forceinline__ float gap(float cell, float at, float weight) {
  if (KIND == BLANK) return isnan(cell) ? 0.0f : 1.0f;
  if (KIND == CATEGORIES) return isnan(cell) ? 1.0f : cell == at ? 0.0f : weight;
  float off = __fsub_rn(cell, at);
  return isnan(off) ? 1.0f : __fmul_rn(weight, __fmul_rn(off, off));
}

__device__ __forceinline__ float apart(float cell, float at, float weight, int category) {
  if (isnan(at)) return gap<BLANK>(cell, at, weight);
  return category ? gap<CATEGORIES>(cell, at, weight) : gap<NUMBERS>(cell, at, weight);
}

__device__ __forceinline__ u64 fixed_point(double x, double unit) {
  return (u64)__double2ll_rn(x * unit);
}

struct Near {
  int k;        // near rows in order
  int n_tied;   // rows at the distance `tie`, too many to be put in order
  u32 tie;
  double hit, miss;          // of far rows
  double tie_hit, tie_miss;  // of those tied
};

struct Room {  // what the threads of a block share, at the start of its memory
  u64 items[CAP];     // near rows: distance bits << 32 | row
  u64 agree[CAP];     // sums of agreement up to each of them, in units of FINE
  double tails[CAP];
  double sums[WARPS];
  u64 wholes[WARPS];
  Point point;
  Near near;
  u32 votes[6 * WARPS];
  u32 buckets[BS + 1];
  u32 limit, least;
  u32 found[2];  // in `guess`: rows before a bucket, and in it
  int count, t;
  u32* matches;  // a bit a row: does its class match? null where labels are numbers
};

extern __shared__ char memory[];
#define room (*(Room*)memory)

__device__ double block_sum(double v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(ALL_LANES, v, o);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) room.sums[threadIdx.x >> 5] = v;
  __syncthreads();
  double total = 0;
  for (int w = 0; w < WARPS; w++) total += room.sums[w];
  return total;
}

template <class Number> __device__ __forceinline__ Number warp_scan(Number v) {
  int lane = threadIdx.x & 31;
  for (int o = 1; o < 32; o <<= 1) {
    Number other = __shfl_up_sync(ALL_LANES, v, o);
    if (lane >= o) v += other;
  }
  return v;
}

// Sum of v up to and with this thread; `total` of all threads. `of_warps` has WARPS.
template <class Number>
__device__ __forceinline__ Number block_scan(Number v, Number* of_warps, Number& total) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warp_scan(v);
  __syncthreads();
  if (lane == 31) of_warps[warp] = v;
  __syncthreads();
  Number sums = warp_scan(lane < WARPS ? of_warps[lane] : (Number)0);
  total = __shfl_sync(ALL_LANES, sums, WARPS - 1);
  Number before = __shfl_sync(ALL_LANES, sums, warp ? warp - 1 : 0);
  return (warp ? before : (Number)0) + v;
}

__device__ __forceinline__ u32 warp_sum(u32 v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(ALL_LANES, v);
#else
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(ALL_LANES, v, o);
  return v;
#endif
}

__device__ __forceinline__ u32 warp_min(u32 v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(ALL_LANES, v);
#else
  for (int o = 16; o > 0; o >>= 1) {
    u32 other = __shfl_xor_sync(ALL_LANES, v, o);
    v = other < v ? other : v;
  }
  return v;
#endif
}

__device__ u32 block_count(u32 v) {
  int lane = threadIdx.x & 31;
  v = warp_sum(v);
  __syncthreads();
  if (lane == 0) room.votes[threadIdx.x >> 5] = v;
  __syncthreads();
  return warp_sum(lane < WARPS ? room.votes[lane] : 0);
}

// (hit, miss) of the group at positions a+1..b, and the tail of nearer groups.
__device__ __forceinline__ void group_values(const Table& table, int a, int b, double c,
                                             double tail, double& hit, double& miss,
                                             double& next_tail) {
  const double* steps = table.steps;
  const double *s1 = steps + table.n_steps, *s2 = s1 + table.n_steps,
               *inverse = s2 + table.n_steps;
  int size = b - a;
  double take = s1[b] - s1[a];
  double gain = (steps[b] - steps[a]) * inverse[size];
  double later = (s1[b] - (s2[b] - s2[a]) * inverse[size]) * inverse[size - 1];
  miss = -c * later - tail;
  hit = miss + gain + later;
  next_tail = tail + c * inverse[size] * take;
}

// How often row i is there as a neighbour of the test point.
__device__ __forceinline__ u32 count_of(const Table& table, int i, int own) {
  return (table.copies ? table.copies[i] : 1u) - (i == own ? 1u : 0u);
}

// The next test point; false if there is none. Fills the bits of matches, where there
// is room for them.
__device__ bool meet(const Table& table, int* next) {
  if (threadIdx.x == 0) room.t = atomicAdd(next, 1);
  __syncthreads();
  int t = room.t;
  if (t >= table.n_tests) return false;
  Point point;
  point.t = t;
  point.y = table.test_y[t];
  point.own = table.own[t];
  point.left_out =
      point.own >= 0 && (table.copies ? table.copies[point.own] : 1u) == 1u ? point.own : -1;
  if (room.matches) {  // classes, and each row is there once
    u32 hits = 0;
#pragma unroll 8
    for (int first = 0; first < table.n; first += BS) {
      int i = first + threadIdx.x;
      bool same = i < table.n && table.y[i] == point.y;
      u32 bits = __ballot_sync(ALL_LANES, same);
      if ((threadIdx.x & 31) == 0 && i < table.n) room.matches[i >> 5] = bits;
      hits += same && i != point.own;
    }
    point.n_rows = table.n - (point.own >= 0);
    point.n_agree = block_count(hits);
  } else {
    double rows = 0, agree = 0;
    for (int i = threadIdx.x; i < table.n; i += BS) {
      double count = count_of(table, i, point.own);
      rows += count;
      agree += count * agreement(table, table.y[i], point.y);
    }
    point.n_rows = (int)block_sum(rows);
    point.n_agree = block_sum(agree);
  }
  point.first_hit = point.first_miss = 0;
  double tail;
  if (table.chance && point.n_rows > 0)
    group_values(table, 0, point.n_rows, point.n_agree, 0.0, point.first_hit,
                 point.first_miss, tail);
  if (threadIdx.x == 0) room.point = point;
  __syncthreads();
  return true;
}

// Agreement of row i with the test point.
__device__ __forceinline__ double agrees(const Table& table, int i) {
  if (room.matches) return room.matches[i >> 5] >> (i & 31) & 1u ? 1.0 : 0.0;
  return agreement(table, table.y[i], room.point.y);
}

// Rows of a block in order, at most 2 * BS of them, by bitonic merging: exchanges within a
// warp need no shared memory. `size` is a power of two from 32.
__device__ __noinline__ void sort_few(u64* items, int size) {
  int e = threadIdx.x;
  bool two = size > BS, here = e < size;
  __syncthreads();
  u64 v = here ? items[e] : ~0ull, w = two ? items[e + BS] : ~0ull;
  for (int part = 2; part <= size; part <<= 1)
    for (int step = part >> 1; step > 0; step >>= 1) {
      if (step == BS) {  // only in the last part: all of it ascends
        u64 low = v < w ? v : w;
        w = v < w ? w : v;
        v = low;
        continue;
      }
      u64 ov, ow = 0;
      if (step >= 32) {
        __syncthreads();
        if (here) items[e] = v;
        if (two) items[e + BS] = w;
        __syncthreads();
        ov = here ? items[e ^ step] : v;
        if (two) ow = items[(e ^ step) + BS];
      } else {
        ov = __shfl_xor_sync(ALL_LANES, v, step);
        if (two) ow = __shfl_xor_sync(ALL_LANES, w, step);
      }
      bool lower = (e & step) == 0;
      bool least = lower == ((e & part) == 0);
      v = least == (v < ov) ? v : ov;
      if (two) {
        least = lower == (((e + BS) & part) == 0);
        w = least == (w < ow) ? w : ow;
      }
    }
  __syncthreads();
  if (here) items[e] = v;
  if (two) items[e + BS] = w;
  __syncthreads();
}

// The same for any number of items, a power of two.
__device__ __noinline__ void sort_many(u64* items, int size) {
  if (size <= 2 * BS) {
    sort_few(items, size);
    return;
  }
  for (int part = 2; part <= size; part <<= 1)
    for (int step = part >> 1; step > 0; step >>= 1) {
      __syncthreads();
      for (int k = threadIdx.x; k < size / 2; k += BS) {
        int i = 2 * k - (k & (step - 1)), o = i + step;
        u64 a = items[i], b = items[o];
        if ((a > b) == ((i & part) == 0)) {
          items[i] = b;
          items[o] = a;
        }
      }
    }
  __syncthreads();
}

__device__ __forceinline__ u32 key_of(u64 item) { return (u32)(item >> 32); }
__device__ __forceinline__ u32 row_of(u64 item) { return (u32)item; }

// Bounds [start, end) of the group of item e among the first k.
__device__ __forceinline__ void group_of(const u64* items, int e, int k, int& start, int& end) {
  u32 key = key_of(items[e]);
  start = e;
  end = e + 1;
  if (e > 0 && key_of(items[e - 1]) == key) {
    int low = -1;
    while (start - low > 1) {
      int mid = (low + start) >> 1;
      if (key_of(items[mid]) < key) low = mid; else start = mid;
    }
  }
  if (e + 1 < k && key_of(items[e + 1]) == key) {
    int low = e;
    end = k;
    while (end - low > 1) {
      int mid = (low + end) >> 1;
      if (key_of(items[mid]) == key) low = mid; else end = mid;
    }
  }
}

// The bucket of a distance, of buckets of equal width from `low` on: no function of a
// smaller distance is larger.
struct Scale {
  float low, factor;
};

__device__ __forceinline__ Scale scale_of(u32 low, u32 high) {
  float width = __uint_as_float(high) - __uint_as_float(low);
  Scale scale = {__uint_as_float(low), width > 0 ? (BS - 1) / width : 0.0f};
  if (!(scale.factor < 1e30f)) scale.factor = 0;  // as good as tied
  return scale;
}

__device__ __forceinline__ int bucket_of(const Scale& scale, u32 key) {
  int b = (int)((__uint_as_float(key) - scale.low) * scale.factor);
  return b < BS - 1 ? b : BS - 1;
}

// The bounds of buckets from their counts.
__device__ __forceinline__ void lay_out_buckets() {
  u32 total, count = room.buckets[threadIdx.x];
  u32 up_to = block_scan(count, room.votes, total);
  __syncthreads();
  room.buckets[threadIdx.x] = up_to - count;
  if (threadIdx.x == 0) room.buckets[BS] = total;
  __syncthreads();
}

// The least of all threads' `low`, and the least of the warps' largest `high`; where a
// warp has none its `low` is ~0.
__device__ __forceinline__ Scale common_scale(u32 low, u32 high, bool largest) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  low = warp_min(low);
  high = ~warp_min(~high);
  if (!largest && low == ~0u) high = ~0u;
  __syncthreads();
  if (lane == 0) {
    room.votes[warp] = low;
    room.votes[WARPS + warp] = high;
  }
  room.buckets[threadIdx.x] = 0;
  __syncthreads();
  low = warp_min(lane < WARPS ? room.votes[lane] : ~0u);
  high = lane < WARPS ? room.votes[WARPS + lane] : largest ? 0u : ~0u;
  high = largest ? ~warp_min(~high) : warp_min(high);
  if (threadIdx.x == 0) room.limit = high;
  return scale_of(low, high);
}

// Put the first k items in order, at most CAP: by buckets, and within them by counting.
// Rows at the same distance come in any order.
__device__ void order_items(int k) {
  u64 item[PER], *spare = (u64*)room.agree;
  u32* mixed = (u32*)room.tails;  // does a bucket hold different distances?
  int bucket[PER], at[PER];
  u32 low = ~0u, high = 0;
  __syncthreads();
  mixed[threadIdx.x] = 0;
  for (int z = 0; z < PER; z++) {
    int e = threadIdx.x + z * BS;
    if (e >= k) continue;
    item[z] = room.items[e];
    low = min(low, key_of(item[z]));
    high = max(high, key_of(item[z]));
  }
  Scale scale = common_scale(low, high, true);
  for (int z = 0; z < PER; z++) {
    if (threadIdx.x + z * BS >= k) continue;
    bucket[z] = bucket_of(scale, key_of(item[z]));
    at[z] = atomicAdd(room.buckets + bucket[z], 1u);
  }
  __syncthreads();
  lay_out_buckets();
  for (int z = 0; z < PER; z++)
    if (threadIdx.x + z * BS < k) spare[room.buckets[bucket[z]] + at[z]] = item[z];
  __syncthreads();
  for (int z = 0; z < PER; z++)
    if (threadIdx.x + z * BS < k &&
        key_of(spare[room.buckets[bucket[z]]]) != key_of(item[z]))
      mixed[bucket[z]] = 1;
  __syncthreads();
  for (int z = 0; z < PER; z++) {
    if (threadIdx.x + z * BS >= k) continue;
    int b = bucket[z], first = room.buckets[b], to = first + at[z];
    if (mixed[b]) {
      to = first;
      for (int q = first; q < (int)room.buckets[b + 1]; q++) to += spare[q] < item[z];
    }
    room.items[to] = item[z];
  }
  __syncthreads();
}

#define LEVELS 4  // of buckets within buckets

// About how far the nearest rows reach: a distance of the sample, with three standard
// deviations to spare.
__device__ __noinline__ u32 guess(const Table& table, const float* dist) {
  int tid = threadIdx.x, n = table.n_sample;
  double expected = (double)table.near * n / table.n;
  u32 wanted = (u32)(expected + 3 * sqrt(expected) + 2), low = ~0u, high = 0;
  if (wanted >= (u32)n) return LEFT_OUT_BITS - 1;
  for (int i = tid; i < n; i += BS) {
    u32 key = __float_as_uint(dist[i]);
    if (key >= LEFT_OUT_BITS) continue;
    low = min(low, key);
    high = max(high, key);
  }
  u32 few = 2 + wanted / 4;
  Scale scale = common_scale(low, high, false);  // a few absurd rows do not stretch it
  __syncthreads();
  high = room.limit;
  if (high >= LEFT_OUT_BITS) high = LEFT_OUT_BITS - 1;
  low = __float_as_uint(scale.low);
  for (int level = 0; level < LEVELS; level++) {
    for (int i = tid; i < n; i += BS) {
      u32 key = __float_as_uint(dist[i]);
      if (low <= key && key <= high) atomicAdd(room.buckets + bucket_of(scale, key), 1u);
    }
    __syncthreads();
    u32 total, many = room.buckets[tid], up_to = block_scan(many, room.votes, total);
    if (total < wanted) {
      high = LEFT_OUT_BITS - 1;
      break;
    }
    if (up_to - many < wanted && wanted <= up_to) {  // it is in this bucket
      room.count = tid;
      room.found[0] = up_to - many;
      room.found[1] = many;
      room.least = ~0u;
      room.limit = 0;
    }
    __syncthreads();
    int b = room.count;
    wanted -= room.found[0];
    if (room.found[1] <= few) {  // up to the end of the bucket
      high = min(high, __float_as_uint(scale.low + (b + 1) / scale.factor));
      break;
    }
    for (int i = tid; i < n; i += BS) {
      u32 key = __float_as_uint(dist[i]);
      if (key < low || key > high || bucket_of(scale, key) != b) continue;
      atomicMin(&room.least, key);
      atomicMax(&room.limit, key);
    }
    room.buckets[tid] = 0;
    __syncthreads();
    low = room.least;
    high = room.limit;
    if (low == high) break;
    scale = scale_of(low, high);
  }
  __syncthreads();
  if (tid == 0) room.count = 0;
  __syncthreads();
  return high;
}

// How many rows are at most as far as each of three limits; `votes` has 3 * WARPS.
__device__ __forceinline__ void count_three(const float* dist, int n, const u32* limits,
                                            u32* votes, u32* counts) {
  u32 a = 0, b = 0, c = 0;
#pragma unroll 4
  for (int i = threadIdx.x; i < n; i += BS) {
    u32 key = __float_as_uint(dist[i]);
    a += key <= limits[0];
    b += key <= limits[1];
    c += key <= limits[2];
  }
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  a = warp_sum(a);
  b = warp_sum(b);
  c = warp_sum(c);
  if (lane == 0) {
    votes[warp] = a;
    votes[WARPS + warp] = b;
    votes[2 * WARPS + warp] = c;
  }
  __syncthreads();
  for (int k = 0; k < 3; k++) counts[k] = warp_sum(lane < WARPS ? votes[k * WARPS + lane] : 0);
}

#define STEPS_DOWN 4  // where rows are tied, few distances lie below a guess

// The distance of the `wanted`-th nearest row: the distance `likely`, one of the next
// smaller ones, or else found by halving twice at a time.
// `n_tied` rows are at that distance.
__device__ __noinline__ u32 reach(const float* dist, int n, u32 wanted, u32 likely,
                                  int& n_tied) {
  u32 low = 0, high = LEFT_OUT_BITS - 1;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  __syncthreads();
  for (int turn = 0; turn < STEPS_DOWN && likely < high; turn++) {
    u32 nearer = 0, within = 0, next = 0;  // `next`: the largest distance below
#pragma unroll 4
    for (int i = 4 * threadIdx.x; i < n; i += 4 * BS) {
      float4 d = *(const float4*)(dist + i);
      u32 keys[4] = {__float_as_uint(d.x), __float_as_uint(d.y), __float_as_uint(d.z),
                     __float_as_uint(d.w)};
      for (int u = 0; u < 4; u++) {
        nearer += keys[u] < likely;
        within += keys[u] <= likely;
        if (keys[u] < likely) next = max(next, keys[u]);
      }
    }
    nearer = warp_sum(nearer);
    within = warp_sum(within);
    next = ~warp_min(~next);
    u32* votes = room.votes + (turn & 1) * 3 * WARPS;
    if (lane == 0) {
      votes[warp] = nearer;
      votes[WARPS + warp] = within;
      votes[2 * WARPS + warp] = next;
    }
    __syncthreads();
    nearer = warp_sum(lane < WARPS ? votes[lane] : 0);
    within = warp_sum(lane < WARPS ? votes[WARPS + lane] : 0);
    next = ~warp_min(~(lane < WARPS ? votes[2 * WARPS + lane] : 0u));
    if (nearer < wanted && wanted <= within) {
      __syncthreads();
      n_tied = within - nearer;
      return likely;
    }
    if (within < wanted) {
      low = likely + 1;
      break;
    }
    high = likely = next;
  }
  __syncthreads();
  for (int turn = 0; low < high; turn++) {
    u32 quarter = (high - low) >> 2;
    u32 limits[3] = {low + quarter, low + 2 * quarter, low + 3 * quarter}, counts[3];
    count_three(dist, n, limits, room.votes + (turn & 1) * 3 * WARPS, counts);
    if (counts[0] >= wanted) high = limits[0];
    else if (counts[1] >= wanted) { low = limits[0] + 1; high = limits[1]; }
    else if (counts[2] >= wanted) { low = limits[1] + 1; high = limits[2]; }
    else low = limits[2] + 1;
  }
  __syncthreads();
  u32 limits[3] = {high - 1, high, high}, counts[3];  // where high is 0, none is nearer
  count_three(dist, n, limits, room.votes, counts);
  n_tied = counts[1] - (high ? counts[0] : 0);
  __syncthreads();
  return high;
}

template <int KIND>
__device__ __forceinline__ u32 further(float& d, float cell, float at, float weight) {
  if (KIND != NO_COLUMN) d = __fadd_rn(d, gap<KIND>(cell, at, weight));
  return __float_as_uint(d);
}

// Add a column to the distances of rows [from, end), and append those that are then at
// most as far as `limit` to the items. Four rows side by side, 32 of a thread at a time.
template <int KIND>
__device__ __forceinline__ void sweep(const float* cells, float* dist, int from, int end,
                                      float at, float weight, u32 limit) {
  int lane = threadIdx.x & 31;
  for (int first = from; first < end; first += 32 * BS) {
    u32 mask = 0;
    for (int half = 0; half < 8; half += ASKED) {
      float4 c[ASKED];  // all of them are asked for before any is waited for
#pragma unroll
      for (int q = 0; q < ASKED; q++) {
        int i = first + 4 * ((half + q) * BS + threadIdx.x);
        // past the cache near by: what is used again stays there
        if (KIND != NO_COLUMN && i < end) c[q] = __ldcg((const float4*)(cells + i));
      }
#pragma unroll
      for (int q = 0; q < ASKED; q++) {
        int i = first + 4 * ((half + q) * BS + threadIdx.x);
        if (i >= end) continue;
        float4 d = *(float4*)(dist + i);
        u32 in = further<KIND>(d.x, c[q].x, at, weight) <= limit;
        in |= (u32)(further<KIND>(d.y, c[q].y, at, weight) <= limit) << 1;
        in |= (u32)(further<KIND>(d.z, c[q].z, at, weight) <= limit) << 2;
        in |= (u32)(further<KIND>(d.w, c[q].w, at, weight) <= limit) << 3;
        if (KIND != NO_COLUMN) *(float4*)(dist + i) = d;
        mask |= in << (4 * (half + q));
      }
    }
    u32 many = __popc(mask), up_to = warp_scan(many);
    int base = 0;
    if (lane == 31 && up_to) base = atomicAdd(&room.count, (int)up_to);
    base = __shfl_sync(ALL_LANES, base, 31) + up_to - many;
    for (; mask && base < CAP; mask &= mask - 1, base++) {
      int b = __ffs(mask) - 1, i = first + 4 * ((b >> 2) * BS + threadIdx.x) + (b & 3);
      room.items[base] = ((u64)__float_as_uint(dist[i]) << 32) | (u32)i;
    }
  }
}

struct Column {  // of a test point, at its place in a walk
  int j, kind;
  float to, weight;
  double factor;
};

// Add a column to the distances of the rows of the sample.
template <int KIND>
__device__ __forceinline__ void add_column(const float* cells, float* dist, int end, float at,
                                           float weight) {
  for (int i = 4 * threadIdx.x; i < end; i += 4 * BS) {
    float4 c = __ldcg((const float4*)(cells + i)), d = *(float4*)(dist + i);
    further<KIND>(d.x, c.x, at, weight);
    further<KIND>(d.y, c.y, at, weight);
    further<KIND>(d.z, c.z, at, weight);
    further<KIND>(d.w, c.w, at, weight);
    *(float4*)(dist + i) = d;
  }
}

__device__ __forceinline__ void add_to_sample(const Table& table, const Column& at,
                                              const float* cells, float* dist) {
  int end = table.n_sample;
  if (at.kind == NUMBERS) add_column<NUMBERS>(cells, dist, end, at.to, at.weight);
  else if (at.kind == CATEGORIES) add_column<CATEGORIES>(cells, dist, end, at.to, at.weight);
  else add_column<BLANK>(cells, dist, end, at.to, at.weight);
}

// And to those of all other rows; see `sweep`.
__device__ __forceinline__ void sweep_column(const Table& table, const Column& at,
                                             const float* cells, float* dist, u32 limit) {
  int from = table.n_sample, end = table.stride;
  if (at.kind == NUMBERS) sweep<NUMBERS>(cells, dist, from, end, at.to, at.weight, limit);
  else if (at.kind == CATEGORIES)
    sweep<CATEGORIES>(cells, dist, from, end, at.to, at.weight, limit);
  else sweep<BLANK>(cells, dist, from, end, at.to, at.weight, limit);
}

// Call `what(i)` for this thread's rows at the distance `tie`.
template <class What>
__device__ __forceinline__ void each_tied(const Table& table, const float* dist, u32 tie,
                                          What what) {
#pragma unroll 4
  for (int i = 4 * threadIdx.x; i < table.stride; i += 4 * BS) {
    float4 d = *(const float4*)(dist + i);
    if (__float_as_uint(d.x) == tie) what(i);
    if (__float_as_uint(d.y) == tie) what(i + 1);
    if (__float_as_uint(d.z) == tie) what(i + 2);
    if (__float_as_uint(d.w) == tie) what(i + 3);
  }
}

// Which of four rows are at the distance `tie`, a bit each.
__device__ __forceinline__ u32 tied_of(const float* four, u32 tie) {
  float4 d = *(const float4*)four;
  return (u32)(__float_as_uint(d.x) == tie) | (u32)(__float_as_uint(d.y) == tie) << 1 |
         (u32)(__float_as_uint(d.z) == tie) << 2 | (u32)(__float_as_uint(d.w) == tie) << 3;
}

// The sum of the agreement of the rows at the distance `tie`.
__device__ __forceinline__ double agreement_of_tied(const Table& table, const float* dist,
                                                    u32 tie) {
  if (room.matches) {
    u32 hits = 0;
#pragma unroll 4
    for (int i = 4 * threadIdx.x; i < table.stride; i += 4 * BS)
      hits += __popc(tied_of(dist + i, tie) & room.matches[i >> 5] >> (i & 31));
    return block_count(hits);
  }
  double sum = 0;
  each_tied(table, dist, tie, [&](int i) { sum += agrees(table, i); });
  return block_sum(sum);
}

// Put the nearest rows in order. All rows within `limit` are among the items already, if
// they are enough and not too many; else they are looked for.
__device__ __noinline__ void order_near(const Table& table, float* dist, u32 limit) {
  int wanted = table.near;
  Near near;
  near.n_tied = 0;
  double tied_agree = 0;
  int k = room.count;
  if (k < wanted || k > CAP) {
    // the distance of the last near row; the rows tied there share two numbers
    near.tie = reach(dist, table.stride, wanted, limit, near.n_tied);
    if (threadIdx.x == 0) room.count = 0;
    __syncthreads();
    if (near.tie) sweep<NO_COLUMN>(0, dist, 0, table.stride, 0, 0, near.tie - 1);
    tied_agree = agreement_of_tied(table, dist, near.tie);
    k = room.count;
  }
  order_items(k);
  if (!near.n_tied && k > wanted) {
    u32 last = key_of(room.items[wanted - 1]);
    int low = wanted - 1, high = k;  // the end of its group
    while (high - low > 1) {
      int mid = (low + high) >> 1;
      if (key_of(room.items[mid]) == last) low = mid; else high = mid;
    }
    k = high;
  }
  near.k = k;
  double s[PER] = {}, total;
  u64 sum = 0, whole;
  for (int z = 0; z < PER && z * BS < k; z++) {
    int e = threadIdx.x + z * BS;
    if (e < k) s[z] = agrees(table, row_of(room.items[e]));
    u64 up_to = sum + block_scan(fixed_point(s[z], FINE), room.wholes, whole);
    if (e < k) room.agree[e] = up_to;
    sum += whole;
  }
  double far = room.point.n_agree - sum / FINE - tied_agree, tail = 0;
  near.hit = near.miss = near.tie_hit = near.tie_miss = 0;
  int reached = k + near.n_tied;
  if (reached < room.point.n_rows)
    group_values(table, reached, room.point.n_rows, far, 0.0, near.hit, near.miss, tail);
  if (near.n_tied)
    group_values(table, k, reached, tied_agree, tail, near.tie_hit, near.tie_miss, tail);
  __syncthreads();
  const double *s1 = table.steps + table.n_steps, *inverse = s1 + 2 * table.n_steps;
  int start[PER], end[PER];
  double c[PER], nearer = 0;
  for (int z = 0; z < PER && z * BS < k; z++) {
    int e = threadIdx.x + z * BS;
    double takes = 0;
    if (e < k) {
      group_of(room.items, e, k, start[z], end[z]);
      c[z] = (room.agree[end[z] - 1] - (start[z] ? room.agree[start[z] - 1] : 0ull)) / FINE;
      takes = c[z] * inverse[end[z] - start[z]] * (s1[e + 1] - s1[e]);
    }
    double up_to = nearer + block_scan(takes, room.sums, total);
    if (e < k) room.tails[e] = up_to;
    nearer += total;
  }
  __syncthreads();
  double own[PER];
  for (int z = 0; z < PER && z * BS < k; z++) {
    int e = threadIdx.x + z * BS;
    if (e < k) {
      double hit, miss, next;
      group_values(table, start[z], end[z], c[z], tail + (nearer - room.tails[end[z] - 1]),
                   hit, miss, next);
      own[z] = mix(s[z], hit, miss) - mix(s[z], near.hit, near.miss);
    }
  }
  __syncthreads();
  for (int z = 0; z < PER && z * BS < k; z++) {  // by how much they differ from far rows
    int e = threadIdx.x + z * BS;
    if (e < k) room.tails[e] = own[z];
  }
  if (threadIdx.x == 0) room.near = near;
  __syncthreads();
}

__device__ __forceinline__ double tied_gap(double s, const Near& near) {
  return mix(s, near.tie_hit, near.tie_miss) - mix(s, near.hit, near.miss);
}

// What a step tells its column, and the next one's: that starts where this one ends.
struct Told {
  float *own, *next;  // psi of both; `next` may be null
  double factor, next_factor;
};

__device__ __forceinline__ void tell(const Told& told, u32 i, double gap) {
  atomicAdd(told.own + i, (float)(told.factor * gap));
  if (told.next) atomicAdd(told.next + i, (float)(-told.next_factor * gap));
}

// Add to four numbers side by side.
__device__ __forceinline__ void add_four(float* to, const float* four) {
#if __CUDA_ARCH__ >= 900
  atomicAdd((float4*)to, make_float4(four[0], four[1], four[2], four[3]));
#else
  for (int u = 0; u < 4; u++)
    if (four[u] != 0) atomicAdd(to + u, four[u]);
#endif
}

// Tell what sets the tied rows apart; returns what it sums to over this thread's rows.
__device__ double tell_tied(const Table& table, const float* dist, const Told& told) {
  double hit = tied_gap(1.0, room.near), miss = tied_gap(0.0, room.near);
  u32 tie = room.near.tie;
  if (!room.matches) {
    double sum = 0;
    each_tied(table, dist, tie, [&](int i) {
      double gap = mix(agrees(table, i), hit, miss);
      tell(told, i, gap);
      sum += gap;
    });
    return sum;
  }
  float own_hit = (float)(told.factor * hit), own_miss = (float)(told.factor * miss);
  float next_hit = (float)(-told.next_factor * hit);
  float next_miss = (float)(-told.next_factor * miss);
  u32 hits = 0, all = 0;
  for (int i = 4 * threadIdx.x; i < table.stride; i += 4 * BS) {
    u32 tied = tied_of(dist + i, tie);
    if (!tied) continue;
    u32 same = tied & room.matches[i >> 5] >> (i & 31);
    all += __popc(tied);
    hits += __popc(same);
    float own[4], next[4];
#pragma unroll
    for (int u = 0; u < 4; u++) {
      own[u] = same >> u & 1 ? own_hit : tied >> u & 1 ? own_miss : 0.0f;
      next[u] = same >> u & 1 ? next_hit : tied >> u & 1 ? next_miss : 0.0f;
    }
    add_four(told.own + i, own);
    if (told.next) add_four(told.next + i, next);
  }
  return hits * hit + (all - hits) * miss;
}

// Sampled values in the near field: each test point goes through its own orders of the
// columns and their reverses; see `permutations_near`. `psi` is (n_tests, m + 1, stride) and 0 at
// first.
extern "C" __global__ void __launch_bounds__(BS, BLOCKS)
near_pairs(const __grid_constant__ Table table, const __grid_constant__ Answers answers,
           const short* orders, int n_pairs, int* next, float* all_dist,
           float* all_psi, int with_matches) {
  int n = table.n, m = table.m, tid = threadIdx.x;
  char* at = memory + sizeof(Room);
  double* miss = (double*)at; at += 8 * m;
  double* hit = (double*)at; at += 8 * m;
  double* column = (double*)at; at += 8 * m;
  Column* columns = (Column*)at; at += sizeof(Column) * m;
  if (tid == 0) room.matches = with_matches ? (u32*)at : 0;
  if (with_matches) at += 4 * ((n + 31) / 32);
  at += (16 - ((size_t)(at - memory) & 15)) & 15;
  float* dist = all_dist ? all_dist + (size_t)blockIdx.x * table.stride : (float*)at;
  Near& near = room.near;
  while (meet(table, next)) {
    int t = room.t;
    float* psi = all_psi + (size_t)t * (m + 1) * table.stride;
    for (int j = tid; j < m; j += BS) miss[j] = hit[j] = column[j] = 0;
    for (int walk = 0; walk < 2 * n_pairs; walk++) {
      const short* order = orders + ((size_t)t * n_pairs + walk / 2) * m;
      __syncthreads();
      for (int p = tid; p < m; p += BS) {
        int j = order[walk % 2 ? p : m - 1 - p];
        float to = table.test_cells[(size_t)t * m + j];
        int kind = isnan(to) ? BLANK : table.category[j] ? CATEGORIES : NUMBERS;
        columns[p] = {j, kind, to, table.weight[j], table.factors ? table.factors[p] : 1.0};
      }
      if (tid == 0) {
        near.k = near.n_tied = 0;
        near.hit = room.point.first_hit;
        near.miss = room.point.first_miss;
      }
      double gaps = 0;
      for (int i = tid; i < table.stride; i += BS)
        dist[i] = i == room.point.left_out || i >= n ? __uint_as_float(LEFT_OUT_BITS) : 0.0f;
      for (int p = 0; p < m; p++) {
        __syncthreads();  // before distances change
        const Column& at = columns[p];
        int j = at.j;
        double factor = at.factor;
        const float* cells = table.cells + (size_t)j * table.stride;
        if (tid == 0) {
          miss[j] -= factor * near.miss;
          hit[j] -= factor * near.hit;
          column[j] -= factor * gaps;
          room.count = 0;
        }
        add_to_sample(table, at, cells, dist);
        __syncthreads();
        u32 limit = guess(table, dist);
        sweep<NO_COLUMN>(0, dist, 0, table.n_sample, 0, 0, limit);
        sweep_column(table, at, cells, dist, limit);
        __syncthreads();
        order_near(table, dist, limit);
        Told told = {psi + (size_t)j * table.stride, 0, factor, 0.0};
        if (p + 1 < m) {
          told.next = psi + (size_t)columns[p + 1].j * table.stride;
          told.next_factor = columns[p + 1].factor;
        }
        u64 sum = 0;
        for (int e = tid; e < near.k; e += BS) {
          double gap = room.tails[e];
          tell(told, row_of(room.items[e]), gap);
          sum += fixed_point(gap, FINE);
        }
        if (near.n_tied) sum += fixed_point(tell_tied(table, dist, told), FINE);
        u64 total;
        block_scan(sum, room.wholes, total);
        gaps = (i64)total / FINE;
        if (tid == 0) {
          miss[j] += factor * near.miss;
          hit[j] += factor * near.hit;
          column[j] += factor * gaps;
        }
      }
    }
    __syncthreads();
    double weight = table.test_weight[t], scale = weight * 0.5 / n_pairs;
    // what a row's cells sum to: its value in the last walk, where that is known
    double row_hit = 0, row_miss = 0;
    float* whole = psi + (size_t)m * table.stride;
    if (table.factors) {
      for (int j = 0; j < m; j++) {
        row_hit += scale * hit[j];
        row_miss += scale * miss[j];
      }
      for (int i = tid; i < n; i += BS)
        for (int j = 0; j < m; j++) whole[i] += psi[(size_t)j * table.stride + i];
    } else {
      row_hit = weight * (near.hit - room.point.first_hit);
      row_miss = weight * (near.miss - room.point.first_miss);
      for (int e = tid; e < near.k; e += BS)
        whole[row_of(room.items[e])] = (float)(2 * n_pairs * room.tails[e]);
      if (near.n_tied)
        each_tied(table, dist, near.tie, [&](int i) {
          whole[i] = (float)(2 * n_pairs * tied_gap(agrees(table, i), near));
        });
    }
    for (int j = tid; j <= m; j += BS) {
      double* far = answers.far + ((size_t)t * (m + 1) + j) * 2;
      far[0] = j < m ? scale * miss[j] : row_miss;
      far[1] = j < m ? scale * hit[j] : row_hit;
      if (j == 0) answers.scale[t] = scale;
      if (j < m)
        answers.columns[(size_t)t * m + j] = scale * column[j] + room.point.n_agree * far[1] +
                                             (room.point.n_rows - room.point.n_agree) * far[0];
    }
    __syncthreads();
  }
}

__device__ __forceinline__ void load_four(const float* from, float* to) {
  float4 four = *(const float4*)from;
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}

__device__ __forceinline__ void load_four(const double* from, double* to) {
  for (int u = 0; u < 4; u++) to[u] = from[u];
}

// Add what the test points say of every cell, and its square, to the sums (m + 1, n), in
// the order of the table: `place` is where a row stands there.
template <class Number>
__device__ void add_up(const Table& table, const Answers& answers, const Number* psi,
                       const int* place, double* cells, double* squares) {
  double *misses = (double*)memory, *hits = misses + BS, *ys = hits + BS, *scales = ys + BS,
         *times = scales + BS;
  int* own = (int*)(times + BS);
  int i = 4 * (blockIdx.x * BS + threadIdx.x), j = blockIdx.y, m = table.m;
  bool here = i < table.n;
  size_t column = (size_t)j * table.n;
  double y[4], sum[4], square[4];
  for (int u = 0; u < 4; u++) {
    int row = min(i + u, table.n - 1);  // beyond the last one nothing is kept
    y[u] = table.y[row];
    sum[u] = cells[column + place[row]];
    square[u] = squares[column + place[row]];
  }
  for (int first = 0; first < table.n_tests; first += BS) {
    int size = min(BS, table.n_tests - first), t = first + threadIdx.x;
    __syncthreads();
    if (threadIdx.x < size) {
      const double* pair = answers.far + ((size_t)t * (m + 1) + j) * 2;
      misses[threadIdx.x] = pair[0];
      hits[threadIdx.x] = pair[1];
      ys[threadIdx.x] = table.test_y[t];
      scales[threadIdx.x] = answers.scale[t];
      times[threadIdx.x] = table.test_times[t];
      own[threadIdx.x] = table.own[t];
    }
    __syncthreads();
    if (!here) continue;
    const Number* from = psi + ((size_t)first * (m + 1) + j) * table.stride + i;
#pragma unroll PER
    for (int k = 0; k < size; k++) {
      Number four[4];
      load_four(from + (size_t)k * (m + 1) * table.stride, four);
      double scale = scales[k], hit = hits[k], miss = misses[k], at = ys[k];
      for (int u = 0; u < 4; u++) {
        double v = scale * four[u] + mix(agreement(table, y[u], at), hit, miss);
        double said = times[k] - (own[k] == i + u ? 1 : 0);
        sum[u] += said * v;
        square[u] += said * v * v;
      }
    }
  }
  for (int u = 0; u < 4 && i + u < table.n; u++) {
    cells[column + place[i + u]] = sum[u];
    squares[column + place[i + u]] = square[u];
  }
}

extern "C" __global__ void __launch_bounds__(BS, BLOCKS)
add_up_near(const __grid_constant__ Table table, const __grid_constant__ Answers answers,
            const float* psi, const int* place, double* cells, double* squares) {
  add_up(table, answers, psi, place, cells, squares);
}

extern "C" __global__ void __launch_bounds__(BS, BLOCKS)
add_up_dense(const __grid_constant__ Table table, const __grid_constant__ Answers answers,
             const double* psi, const int* place, double* cells, double* squares) {
  add_up(table, answers, psi, place, cells, squares);
}

struct Order {  // memory of a block for the order of all rows
  u64* items;      // a power of two
  double* agree;   // (n,)
  double* tails;   // (n,)
  u32* positions;  // (n,)
  int size;
};

// phi: the value of every row at the distances `dist`, into `out`; see `row_values`.
__device__ __forceinline__ void row_values(const Table& table, float* dist,
                           Order order, double* out) {
  int n = table.n, tid = threadIdx.x, near = table.near;
  bool some = near > 0 && near < room.point.n_rows;
  __syncthreads();
  if (some && near <= CAP / 2 && n > CAP && !table.copies) {
    if (tid == 0) room.count = 0;
    __syncthreads();
    u32 limit = guess(table, dist);
    sweep<NO_COLUMN>(0, dist, 0, table.stride, 0, 0, limit);
    __syncthreads();
    order_near(table, dist, limit);
    const Near& found = room.near;
    for (int i = tid; i < n; i += BS) {
      double s = agreement(table, table.y[i], room.point.y);
      bool tied = found.n_tied && __float_as_uint(dist[i]) == found.tie;
      out[i] = mix(s, found.hit, found.miss) + (tied ? tied_gap(s, found) : 0.0);
      if (i == room.point.left_out) out[i] = 0;
    }
    __syncthreads();
    for (int e = tid; e < found.k; e += BS) out[row_of(room.items[e])] += room.tails[e];
    __syncthreads();
    return;
  }
  u64* items = order.items;
  for (int e = tid; e < order.size; e += BS)
    items[e] = e < n ? ((u64)__float_as_uint(dist[e]) << 32) | (u32)e : ~0ull;
  sort_many(items, order.size);
  int k = n - (room.point.left_out >= 0);  // left out: farther than all others
  double sum = 0, count = 0, total;
  for (int first = 0; first < k; first += BS) {
    int e = first + tid;
    double rows = 0, agree = 0;
    if (e < k) {
      int i = row_of(items[e]);
      rows = count_of(table, i, room.point.own);
      agree = rows * agreement(table, table.y[i], room.point.y);
    }
    double up_to = count + block_scan(rows, room.sums, total);
    count += total;
    if (e < k) order.positions[e] = (u32)up_to;
    up_to = sum + block_scan(agree, room.sums, total);
    sum += total;
    if (e < k) order.agree[e] = up_to;
  }
  __syncthreads();
  double hit = 0, miss = 0, tail = 0;
  if (some) {  // up to the group with which there are enough
    int low = -1, high = k - 1;
    while (high - low > 1) {
      int mid = (low + high) >> 1;
      if (order.positions[mid] >= (u32)near) high = mid; else low = mid;
    }
    int start, end;
    group_of(items, high, k, start, end);
    int reached = order.positions[end - 1];
    if (reached < room.point.n_rows)
      group_values(table, reached, room.point.n_rows, room.point.n_agree - order.agree[end - 1], 0.0,
                   hit, miss, tail);
    k = end;
  }
  const double* s1 = table.steps + table.n_steps;
  double nearer = 0;
  for (int first = 0; first < k; first += BS) {
    int e = first + tid;
    double takes = 0;
    if (e < k) {
      int start, end;
      group_of(items, e, k, start, end);
      double c = order.agree[end - 1] - (start ? order.agree[start - 1] : 0.0);
      int a = start ? order.positions[start - 1] : 0, b = order.positions[end - 1];
      int before = e ? order.positions[e - 1] : 0;
      takes = c / (b - a) * (s1[order.positions[e]] - s1[before]);
    }
    double up_to = nearer + block_scan(takes, room.sums, total);
    nearer += total;
    if (e < k) order.tails[e] = up_to;
  }
  __syncthreads();
  for (int e = tid; e < n; e += BS) {
    int i = row_of(items[e]);
    double s = agreement(table, table.y[i], room.point.y);
    if (i == room.point.left_out) out[i] = 0;
    else if (e >= k) out[i] = mix(s, hit, miss);
    else {
      int start, end;
      group_of(items, e, k, start, end);
      double c = order.agree[end - 1] - (start ? order.agree[start - 1] : 0.0);
      int a = start ? order.positions[start - 1] : 0, b = order.positions[end - 1];
      double own_hit, own_miss, next;
      group_values(table, a, b, c, tail + (nearer - order.tails[end - 1]), own_hit, own_miss,
                   next);
      out[i] = mix(s, own_hit, own_miss);
    }
  }
  __syncthreads();
}

// The same, not copied to where it is called.
__device__ __noinline__ void called_row_values(const Table& table, float* dist, Order order,
                                               double* out) {
  row_values(table, dist, order, out);
}

struct Walk {  // of a block: everything a walk through subsets needs
  Order order;
  float *dist, *before;                            // (n,), or (m + 1, n) for subsets
  double *psi, *phi, *previous, *whole, *firsts, *lasts;  // (m, n) or (n,)
};

__device__ __forceinline__ double nothing(const Table& table, int i) {
  if (i == room.point.left_out) return 0;
  return mix(agreement(table, table.y[i], room.point.y), room.point.first_hit, room.point.first_miss);
}

__device__ __forceinline__ float begin(int i) {
  return i == room.point.left_out ? __uint_as_float(LEFT_OUT_BITS) : 0.0f;
}

__device__ __forceinline__ float gap_in(const Table& table, int j, int i) {
  return apart(table.cells[(size_t)j * table.stride + i],
               table.test_cells[(size_t)room.point.t * table.m + j], table.weight[j],
               table.category[j]);
}

__device__ __forceinline__ double factor_of(const Table& table, int p) {
  return table.factors ? table.factors[p] : 1.0;
}

#define EACH_ROW for (int i = threadIdx.x; i < table.n; i += BS)

__device__ void add_difference(const Table& table, double* psi, const double* phi,
                               double* previous, int p) {
  double factor = factor_of(table, p);
  EACH_ROW {
    psi[i] += factor * (phi[i] - previous[i]);
    previous[i] = phi[i];
  }
}

__device__ void walk_order(const Table& table, Walk& walk,
                           const short* order, bool back, bool known) {
  int n = table.n, m = table.m;
  EACH_ROW {
    walk.dist[i] = begin(i);
    walk.previous[i] = nothing(table, i);
  }
  for (int p = 0; p < m; p++) {
    int j = order[back ? m - 1 - p : p];
    const double* phi = walk.whole;
    if (p < m - 1 || !known) {
      EACH_ROW walk.dist[i] = __fadd_rn(walk.dist[i], gap_in(table, j, i));
      double* out = p < m - 1 ? walk.phi : walk.whole;
      row_values(table, walk.dist, walk.order, out);
      phi = out;
    }
    add_difference(table, walk.psi + (size_t)j * table.stride, phi, walk.previous, p);
  }
}

// phi of every single column, and of every set that lacks a single column, and of all.
__device__ void exact_ends(const Table& table, Walk& walk) {
  int n = table.n, m = table.m;
  EACH_ROW walk.before[i] = begin(i);
  for (int j = 0; j < m; j++) {
    EACH_ROW walk.dist[i] = __fadd_rn(begin(i), gap_in(table, j, i));
    called_row_values(table, walk.dist, walk.order, walk.firsts + (size_t)j * n);
    EACH_ROW {
      float after = begin(i);
      for (int c = m - 1; c > j; c--) after = __fadd_rn(after, gap_in(table, c, i));
      walk.dist[i] = __fadd_rn(walk.before[i], after);
    }
    called_row_values(table, walk.dist, walk.order, walk.lasts + (size_t)j * n);
    EACH_ROW walk.before[i] = __fadd_rn(walk.before[i], gap_in(table, j, i));
  }
  called_row_values(table, walk.before, walk.order, walk.whole);
}

__device__ void walk_middle(const Table& table, Walk& walk,
                            const short* order, bool back) {
  int n = table.n, m = table.m;
  int first = order[back ? m - 1 : 0];
  EACH_ROW {
    walk.dist[i] = __fadd_rn(begin(i), gap_in(table, first, i));
    walk.previous[i] = walk.firsts[(size_t)first * n + i];
  }
  for (int p = 1; p < m - 1; p++) {
    int j = order[back ? m - 1 - p : p];
    const double* phi = walk.phi;
    if (p < m - 2) {
      EACH_ROW walk.dist[i] = __fadd_rn(walk.dist[i], gap_in(table, j, i));
      called_row_values(table, walk.dist, walk.order, walk.phi);
    } else {
      phi = walk.lasts + (size_t)order[back ? 0 : m - 1] * n;
    }
    add_difference(table, walk.psi + (size_t)j * table.stride, phi, walk.previous, p);
  }
}

// psi[j] = sum over subsets F with j of c(|F|) phi(F), depth first; see `walk_subsets`.
// `firsts` holds the totals of subtrees, `lasts` what a row is worth without regard to j.
__device__ void walk_subsets(const Table& table, Walk& walk,
                             const double* weights) {
  int n = table.n, m = table.m, depth = 0, j = 0;
  u32 path = 0;  // columns of the subset, a bit each
  double* below = walk.firsts;
  EACH_ROW {
    walk.dist[i] = begin(i);
    below[i] = 0;
    if (table.factors) walk.lasts[i] = weights[0] * nothing(table, i);
  }
  while (true) {
    if (j < m) {  // down: add column j
      const float* upper = walk.dist + (size_t)depth * table.stride;
      depth++;
      float* dist = walk.dist + (size_t)depth * table.stride;
      EACH_ROW dist[i] = __fadd_rn(upper[i], gap_in(table, j, i));
      path |= 1u << j;
      row_values(table, dist, walk.order, walk.phi);
      double c = weights[depth - 1] + weights[depth];
      EACH_ROW {
        below[(size_t)depth * n + i] = c * walk.phi[i];
        if (table.factors) walk.lasts[i] += weights[depth] * walk.phi[i];
        if (depth == m) walk.whole[i] = walk.phi[i];
      }
      j++;
    } else if (depth > 0) {  // up: this subtree is done
      j = 31 - __clz(path);
      path ^= 1u << j;
      EACH_ROW {
        double v = below[(size_t)depth * n + i];
        walk.psi[(size_t)j * table.stride + i] += v;
        below[(size_t)(depth - 1) * n + i] += v;
      }
      depth--;
      j++;
    } else {
      break;
    }
  }
}

#define PAIRS 0
#define ENDS 1
#define SUBSETS 2
#define WHOLE 3  // all columns, and nothing else: values of rows alone

// Values of any design, with one value per row and step. `weights` are those of subsets.
// `rooms` has for each block `n_doubles` doubles, `n_floats` floats, and, where the order
// of rows finds no place in shared memory, `n_items` items.
template <int design>
__device__ __forceinline__ void value_all(const Table& table, const Answers& answers,
                                          const short* orders, int n_pairs,
                                          const double* weights, int* next, double* all_psi,
                                          double* doubles, u64 n_doubles, float* floats,
                                          u64 n_floats, u64* all_items, int size) {
  int n = table.n, m = table.m, tid = threadIdx.x;
  Walk walk;
  char* at = memory + sizeof(Room);
  // what a walk needs is in shared memory, too, where it fits
  double* d = doubles ? doubles + blockIdx.x * n_doubles : (double*)at;
  if (!doubles) at += 8 * n_doubles;
  walk.phi = d; d += n;
  walk.previous = d; d += n;
  walk.whole = d; d += n;
  bool many = design == ENDS || design == SUBSETS;
  walk.firsts = d; d += (size_t)(many ? m + 1 : 0) * n;
  walk.lasts = d; d += (size_t)(many ? m + 1 : 0) * n;
  walk.order.size = size;
  if (tid == 0) room.matches = 0;
  if (all_items) {
    u64* items = all_items + (size_t)blockIdx.x * (size + 3 * (size_t)n);
    walk.order.items = items;
    walk.order.agree = (double*)(items + size);
    walk.order.tails = walk.order.agree + n;
    walk.order.positions = (u32*)(walk.order.tails + n);
  } else {
    walk.order.items = (u64*)at; at += 8 * size;
    walk.order.agree = (double*)at; at += 8 * n;
    walk.order.tails = (double*)at; at += 8 * n;
    walk.order.positions = (u32*)at; at += 4 * n;
  }
  at += (16 - ((size_t)(at - memory) & 15)) & 15;
  float* f = floats ? floats + blockIdx.x * n_floats : (float*)at;
  walk.dist = f; f += (size_t)(design == SUBSETS ? m + 1 : 1) * table.stride;
  walk.before = f;
  for (int k = tid; k < n_floats; k += BS)  // no row beyond the last one is near
    walk.dist[k] = __uint_as_float(LEFT_OUT_BITS);
  while (meet(table, next)) {
    int t = room.t;
    walk.psi = all_psi + (size_t)t * (m + 1) * table.stride;
    EACH_ROW for (int j = 0; j < m; j++) walk.psi[(size_t)j * table.stride + i] = 0;
    double times = 1;  // psi is summed over so many walks
    if (design == WHOLE) {
      EACH_ROW {
        float dist = begin(i);
        for (int j = 0; j < m; j++) dist = __fadd_rn(dist, gap_in(table, j, i));
        walk.dist[i] = dist;
      }
      row_values(table, walk.dist, walk.order, walk.whole);
    } else if (design == SUBSETS) {
      walk_subsets(table, walk, weights);
      if (table.factors)
        EACH_ROW for (int j = 0; j < m; j++) walk.psi[(size_t)j * table.stride + i] -= walk.lasts[i];
    } else {
      times = 2.0 * n_pairs;
      if (design == ENDS) {
        exact_ends(table, walk);
        double on_first = times / m * factor_of(table, 0),
               on_last = times / m * factor_of(table, m - 1);
        EACH_ROW for (int j = 0; j < m; j++) {
          size_t cell = (size_t)j * n + i;
          walk.psi[(size_t)j * table.stride + i] = on_first * (walk.firsts[cell] - nothing(table, i)) +
                           on_last * (walk.whole[i] - walk.lasts[cell]);
        }
      }
      for (int k = 0; k < 2 * n_pairs; k++) {
        const short* order = orders + ((size_t)t * n_pairs + k / 2) * m;
        if (design == ENDS) walk_middle(table, walk, order, k % 2 == 0);
        else walk_order(table, walk, order, k % 2 == 0, k > 0);
      }
    }
    double scale = table.test_weight[t] / times;
    bool settles = many && !table.factors;
    EACH_ROW {
      double sum = 0, whole = walk.whole[i] - nothing(table, i);
      for (int j = 0; j < m; j++) sum += walk.psi[(size_t)j * table.stride + i];
      double rest = settles ? (times * whole - sum) / m : 0;
      for (int j = 0; settles && j < m; j++) walk.psi[(size_t)j * table.stride + i] += rest;
      walk.psi[(size_t)m * table.stride + i] =
          table.factors && design != WHOLE ? sum : times * whole;
    }
    for (int j = tid; j <= m; j += BS) {
      double* far = answers.far + ((size_t)t * (m + 1) + j) * 2;
      far[0] = far[1] = 0;
      answers.scale[t] = scale;
    }
    for (int j = 0; j < m; j++) {
      double column = 0;
      EACH_ROW column += count_of(table, i, room.point.own) * walk.psi[(size_t)j * table.stride + i];
      column = block_sum(column);
      if (tid == 0) answers.columns[(size_t)t * m + j] = scale * column;
    }
    __syncthreads();
  }
}

// The same kernel for each design, each with no more than it needs.
#define DENSE(name, design)                                                                 \
  extern "C" __global__ void __launch_bounds__(BS, BLOCKS)                                  \
  name(const __grid_constant__ Table table, const __grid_constant__ Answers answers,        \
       const short* orders, int n_pairs, const double* weights, int* next, double* psi,     \
       double* doubles, u64 n_doubles, float* floats, u64 n_floats, u64* items, int size) { \
    value_all<design>(table, answers, orders, n_pairs, weights, next, psi, doubles,         \
                      n_doubles, floats, n_floats, items, size);                            \
  }

DENSE(dense_pairs, PAIRS)
DENSE(dense_ends, ENDS)
DENSE(dense_subsets, SUBSETS)
DENSE(dense_whole, WHOLE)
