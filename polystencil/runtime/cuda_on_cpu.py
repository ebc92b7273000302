"""What CUDA C++ adds to C++, for a host compiler.

One translation unit holds the kernels of a program, each in a namespace; an entry runs all threads of all blocks of a
launch one after the other.
"""

HEADER = """\
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <math.h>

#define __global__ static
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct ps_index { unsigned x, y, z; };
static ps_index threadIdx, blockIdx, blockDim, gridDim;

struct alignas(8) float2 { float x, y; };
struct alignas(16) double2 { double x, y; };
static inline float2 make_float2(float x, float y) { float2 r; r.x = x; r.y = y; return r; }
static inline double2 make_double2(double x, double y) { double2 r; r.x = x; r.y = y; return r; }

template <class F> static inline void ps_all_threads(const unsigned *grid, const unsigned *block, F run) {
  gridDim = ps_index{grid[0], grid[1], grid[2]};
  blockDim = ps_index{block[0], block[1], block[2]};
  for (unsigned bz = 0; bz < grid[2]; ++bz)
    for (unsigned by = 0; by < grid[1]; ++by)
      for (unsigned bx = 0; bx < grid[0]; ++bx) {
        blockIdx = ps_index{bx, by, bz};
        for (unsigned tz = 0; tz < block[2]; ++tz)
          for (unsigned ty = 0; ty < block[1]; ++ty)
            for (unsigned tx = 0; tx < block[0]; ++tx) {
              threadIdx = ps_index{tx, ty, tz};
              run();
            }
      }
}
"""
