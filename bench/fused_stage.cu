// Hand-written CUDA of the fused stage of advdiff_stages.F90: one launch a Runge-Kutta stage, face fluxes recomputed in
// registers, two buffers in turn, a branch-free path for the interior. Also measures the copy rates that make the roof.
//
//     nvcc -O3 -arch=native bench/fused_stage.cu -o fused_stage
//     ./fused_stage CELLS STEPS ROUNDS       prints: copy GB/s, ms per step of each round, checksums
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                              \
  do {                                                                                           \
    cudaError_t code = (call);                                                                   \
    if (code != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code));                         \
      std::exit(1);                                                                              \
    }                                                                                            \
  } while (0)

__device__ __forceinline__ float value_inside(float a, float b, float c, float d) {
  return (7 * (b + c) - (a + d)) * (1.0f / 12.0f);
}
__device__ __forceinline__ float slope_inside(float a, float b, float c, float d) {
  return (15 * (c - b) - (d - a)) * (1.0f / 12.0f);
}

// value and slope at face k (0..n) of a line of cells with distance `step`; `line` points at its first cell
__device__ void at_face(const float *line, long step, int n, int k, float *value, float *slope) {
  auto q = [&](int i) { return line[i * step]; };
  const float r = 1.0f / 12.0f;
  if (k == 0) {
    *value = 1.0f;
    *slope = (-35 * q(0) + 69 * q(1) - 45 * q(2) + 11 * q(3)) * r;
  } else if (k == 1) {
    *value = (3 * q(0) + 13 * q(1) - 5 * q(2) + q(3)) * r;
    *slope = (-11 * q(0) + 9 * q(1) + 3 * q(2) - q(3)) * r;
  } else if (k < n - 1) {
    *value = value_inside(q(k - 2), q(k - 1), q(k), q(k + 1));
    *slope = slope_inside(q(k - 2), q(k - 1), q(k), q(k + 1));
  } else if (k == n - 1) {
    *value = (3 * q(n - 1) + 13 * q(n - 2) - 5 * q(n - 3) + q(n - 4)) * r;
    *slope = (11 * q(n - 1) - 9 * q(n - 2) - 3 * q(n - 3) + q(n - 4)) * r;
  } else {
    *value = (25 * q(n - 1) - 23 * q(n - 2) + 13 * q(n - 3) - 3 * q(n - 4)) * r;
    *slope = (35 * q(n - 1) - 69 * q(n - 2) + 45 * q(n - 3) - 11 * q(n - 4)) * r;
  }
}

__global__ void __launch_bounds__(256)
stage(const float *__restrict__ q0, const float *__restrict__ s, float *__restrict__ t, int n, float u, float v,
      float nurh, float c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  const long at = i + long(n) * j;
  float west, east, south, north, d_west, d_east, d_south, d_north;
  if (i >= 2 && i < n - 2 && j >= 2 && j < n - 2) {
    const float *p = s + at;
    const long m = n;
    west = value_inside(p[-2], p[-1], p[0], p[1]);
    east = value_inside(p[-1], p[0], p[1], p[2]);
    south = value_inside(p[-2 * m], p[-m], p[0], p[m]);
    north = value_inside(p[-m], p[0], p[m], p[2 * m]);
    d_west = slope_inside(p[-2], p[-1], p[0], p[1]);
    d_east = slope_inside(p[-1], p[0], p[1], p[2]);
    d_south = slope_inside(p[-2 * m], p[-m], p[0], p[m]);
    d_north = slope_inside(p[-m], p[0], p[m], p[2 * m]);
  } else {
    at_face(s + long(n) * j, 1, n, i, &west, &d_west);
    at_face(s + long(n) * j, 1, n, i + 1, &east, &d_east);
    at_face(s + i, n, n, j, &south, &d_south);
    at_face(s + i, n, n, j + 1, &north, &d_north);
  }
  t[at] = q0[at] + c * ((nurh * d_east - nurh * d_west) + (nurh * d_north - nurh * d_south) - (u * east - u * west) -
                        (v * north - v * south));
}

__global__ void copy(const float4 *__restrict__ a, float4 *__restrict__ b, long count) {
  for (long k = blockIdx.x * long(blockDim.x) + threadIdx.x; k < count; k += long(gridDim.x) * blockDim.x) b[k] = a[k];
}

static double copy_rate(size_t bytes) {
  float4 *a, *b;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMemset(a, 1, bytes));
  cudaEvent_t first, last;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&last));
  double best = 0;
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaEventRecord(first));
    for (int k = 0; k < 20; ++k) copy<<<2048, 256>>>(a, b, long(bytes / sizeof(float4)));
    CHECK(cudaEventRecord(last));
    CHECK(cudaEventSynchronize(last));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, first, last));
    const double rate = 2.0 * 20 * bytes / ms * 1e-6;
    if (rate > best) best = rate;
  }
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  return best;
}

int main(int count, char **words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1024, steps = count > 2 ? std::atoi(words[2]) : 100;
  const int rounds = count > 3 ? std::atoi(words[3]) : 5;
  int l2 = 0;
  CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
  std::printf("l2_bytes %d\ncopy_l2_GB_per_s %.1f\ncopy_dram_GB_per_s %.1f\n", l2, copy_rate(size_t(l2) / 8 / 16 * 16),
              copy_rate(size_t(1) << 30));
  std::vector<float> q(size_t(n) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double x = (i + 0.5) / n, y = (j + 0.5) / n;
      q[i + size_t(n) * j] = float(1.0 + 0.5 * std::exp(-((x - 0.4) * (x - 0.4) + (y - 0.45) * (y - 0.45)) * 50.0) +
                                   0.1 * std::sin(9.0 * x + 0.3) * std::cos(7.0 * y + 0.7));
    }
  const size_t bytes = q.size() * sizeof(float);
  float *buffers[3];
  for (float *&b : buffers) CHECK(cudaMalloc(&b, bytes));
  const float h = 1.0f / n, dt = 0.4f * h, cfl = dt / h, nurh = 1e-5f / h, u = 1.0f, v = 0.5f;
  const float weight[4] = {0.25f, 1.0f / 3.0f, 0.5f, 1.0f};
  const dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
  cudaEvent_t first, last;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&last));
  for (int round = 0; round <= rounds; ++round) {  // the first one warms up
    CHECK(cudaMemcpy(buffers[0], q.data(), bytes, cudaMemcpyHostToDevice));
    float *start = buffers[0], *s = buffers[1], *t = buffers[2];
    CHECK(cudaEventRecord(first));
    for (int step = 0; step < steps; ++step) {
      stage<<<grid, block>>>(start, start, s, n, u, v, nurh, weight[0] * cfl);
      stage<<<grid, block>>>(start, s, t, n, u, v, nurh, weight[1] * cfl);
      stage<<<grid, block>>>(start, t, s, n, u, v, nurh, weight[2] * cfl);
      stage<<<grid, block>>>(start, s, t, n, u, v, nurh, weight[3] * cfl);
      float *old = start;
      start = t;
      t = old;
    }
    CHECK(cudaEventRecord(last));
    CHECK(cudaEventSynchronize(last));
    CHECK(cudaGetLastError());
    float ms;
    CHECK(cudaEventElapsedTime(&ms, first, last));
    if (round) std::printf("ms_per_step %.6f\n", ms / steps);
    buffers[0] = start;
    buffers[1] = s;
    buffers[2] = t;
  }
  std::vector<float> out(q.size());
  CHECK(cudaMemcpy(out.data(), buffers[0], bytes, cudaMemcpyDeviceToHost));
  double sum = 0, weighted = 0;
  for (size_t k = 0; k < out.size(); ++k) {
    sum += out[k];
    weighted += double(out[k]) * out[k] * (1 + k % 16);
  }
  std::printf("checksums %.12e %.12e\n", sum / out.size(), weighted / out.size());
  return 0;
}
