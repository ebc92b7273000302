// A stand-in for libcuda.so.1: the entry points of the CUDA driver that the host program uses, on the CPU.
// A "cubin" is a shared library that the stand-in compiler made. Launches and copies to the host wait in the stream
// until somebody synchronises, fresh memory holds rubbish, and copies outside of allocations are errors, so that what
// a GPU would punish shows here too.
#include <cuda.h>
#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;

struct CUctx_st { int current; };
struct CUstream_st { int number; };
struct CUevent_st { Clock::time_point at; bool reached; };
struct CUmod_st { void *library; };
struct CUfunc_st {
  void (*run)(const unsigned *, const unsigned *, const void *);
  size_t bytes;
};

static CUctx_st the_context;
static std::vector<CUcontext> stack;
static std::vector<std::function<void()>> queue;
static std::map<char *, size_t> allocations;
static const size_t total_memory = size_t(8) << 30;

static void drain() {
  std::vector<std::function<void()>> work;
  work.swap(queue);
  for (auto &f : work) f();
}

static bool inside(CUdeviceptr pointer, size_t bytes) {
  char *p = (char *)pointer;
  auto it = allocations.upper_bound(p);
  if (it == allocations.begin()) return false;
  --it;
  return p + bytes <= it->first + it->second;
}

extern "C" {

CUresult cuInit(unsigned) { return std::getenv("STANDIN_NO_DEVICE") ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) { *version = CUDA_VERSION; return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult code, const char **text) {
  static thread_local char buffer[64];
  std::snprintf(buffer, sizeof buffer, "stand-in driver: error %d", int(code));
  *text = buffer;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult code, const char **text) { return cuGetErrorString(code, text); }

CUresult cuDeviceGet(CUdevice *device, int k) { *device = k; return k == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDeviceGetCount(int *count) { *count = 1; return CUDA_SUCCESS; }
CUresult cuDeviceGetName(char *name, int size, CUdevice) { std::snprintf(name, size, "stand-in GPU"); return CUDA_SUCCESS; }
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice) { *major = 8; *minor = 0; return CUDA_SUCCESS; }
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) { *bytes = total_memory; return CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = 33554432; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 8; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 2; break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
    default: *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) { *context = &the_context; return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRelease(CUdevice) { drain(); return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent(CUcontext context) { stack.push_back(context); return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent(CUcontext *context) {
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context) { *context = stack.empty() ? nullptr : stack.back(); return CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice *device) { *device = 0; return stack.empty() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS; }
CUresult cuCtxGetApiVersion(CUcontext, unsigned *version) { *version = CUDA_VERSION; return CUDA_SUCCESS; }
CUresult cuCtxSynchronize(void) { drain(); return CUDA_SUCCESS; }

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  size_t used = 0;
  for (auto &a : allocations) used += a.second;
  if (used + bytes > total_memory) return CUDA_ERROR_OUT_OF_MEMORY;
  char *p = (char *)std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(p, 0xA5, bytes);
  allocations[p] = bytes;
  *pointer = (CUdeviceptr)p;
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr pointer) {
  drain();
  if (!allocations.erase((char *)pointer)) return CUDA_ERROR_INVALID_VALUE;
  std::free((void *)pointer);
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo(size_t *free, size_t *total) {
  *free = *total = total_memory;
  for (auto &a : allocations) *free -= a.second;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream) {
  if (!inside(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  std::string staged((const char *)from, bytes);
  queue.push_back([=] { std::memcpy((void *)to, staged.data(), staged.size()); });
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream) {
  if (!inside(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  queue.push_back([=] { std::memcpy(to, (const void *)from, bytes); });
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  CUresult code = cuMemcpyHtoDAsync(to, from, bytes, nullptr);
  drain();
  return code;
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  CUresult code = cuMemcpyDtoHAsync(to, from, bytes, nullptr);
  drain();
  return code;
}

CUresult cuStreamCreate(CUstream *stream, unsigned) { *stream = new CUstream_st(); return CUDA_SUCCESS; }
CUresult cuStreamDestroy(CUstream stream) { drain(); delete stream; return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { drain(); return CUDA_SUCCESS; }
CUresult cuStreamQuery(CUstream) { return queue.empty() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY; }

CUresult cuEventCreate(CUevent *event, unsigned) { *event = new CUevent_st(); return CUDA_SUCCESS; }
CUresult cuEventDestroy(CUevent event) { drain(); delete event; return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent event, CUstream) {
  event->reached = false;
  queue.push_back([=] { event->at = Clock::now(); event->reached = true; });
  return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) { return event->reached ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY; }
CUresult cuEventSynchronize(CUevent) { drain(); return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float *milliseconds, CUevent first, CUevent last) {
  if (!first->reached || !last->reached) return CUDA_ERROR_NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(last->at - first->at).count();
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned, CUjit_option *, void **) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG)) return CUDA_ERROR_INVALID_IMAGE;
  size_t bytes = header->e_shoff + size_t(header->e_shnum) * header->e_shentsize;
  char name[] = "/tmp/standin-XXXXXX";
  int file = mkstemp(name);
  if (file < 0 || write(file, image, bytes) != (ssize_t)bytes) return CUDA_ERROR_FILE_NOT_FOUND;
  close(file);
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) std::fprintf(stderr, "%s\n", dlerror());
  unlink(name);
  if (!library) return CUDA_ERROR_INVALID_IMAGE;
  *module = new CUmod_st{library};
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule *module, const void *image) { return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr); }
CUresult cuModuleUnload(CUmodule module) { drain(); delete module; return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  void *run = dlsym(module->library, (std::string("ps_run_") + name).c_str());
  void *bytes = dlsym(module->library, (std::string("ps_size_") + name).c_str());
  if (!run || !bytes) return CUDA_ERROR_NOT_FOUND;
  *function = new CUfunc_st{(void (*)(const unsigned *, const unsigned *, const void *))run, *(size_t *)bytes};
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute, CUfunction) { *value = 0; return CUDA_SUCCESS; }

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned, CUstream, void **parameters, void **extra) {
  if (parameters || !extra) return CUDA_ERROR_NOT_SUPPORTED;
  if (!gx || !gy || !gz || !bx || !by || !bz || bx * by * bz > 1024) return CUDA_ERROR_INVALID_VALUE;
  if (gx > 2147483647u || gy > 65535 || gz > 65535) return CUDA_ERROR_INVALID_VALUE;
  const char *buffer = nullptr;
  size_t bytes = 0;
  for (void **e = extra; *e != CU_LAUNCH_PARAM_END; e += 2) {
    if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = (const char *)e[1];
    else if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *(size_t *)e[1];
    else return CUDA_ERROR_INVALID_VALUE;
  }
  if (!buffer || bytes != f->bytes) return CUDA_ERROR_INVALID_VALUE;
  std::vector<double> packed((bytes + 23) / 8 + 1);
  std::memcpy(packed.data(), buffer, bytes);
  queue.push_back([=] {
    const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
    char *start = (char *)packed.data();
    start += (16 - (size_t)start % 16) % 16;
    std::memmove(start, packed.data(), bytes);
    f->run(grid, block, start);
  });
  return CUDA_SUCCESS;
}

}  // extern "C"
