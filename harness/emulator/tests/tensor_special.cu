// What random operands do not show of tensor cores: products with 0, signs of 0, subnormal and
// infinite results, NaN. A line a case; with tensor_special.txt, which has those of an H200, the
// lines that differ from it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#define CHECK(call)                                                                                \
	do {                                                                                           \
		cudaError_t error_ = (call);                                                               \
		if (error_ != cudaSuccess) {                                                               \
			printf("%s at line %d\n", cudaGetErrorName(error_), __LINE__);                         \
			exit(1);                                                                               \
		}                                                                                          \
	} while (0)
template <class T> struct device_array {
	T *p;
	size_t n;
	explicit device_array(size_t count) : n(count)
	{
		CHECK(cudaMalloc(&p, n * sizeof(T)));
	}
	~device_array()
	{
		cudaFree(p);
	}
	void up(const std::vector<T> &from)
	{
		CHECK(cudaMemcpy(p, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
	}
	std::vector<T> down()
	{
		std::vector<T> to(n);
		CHECK(cudaMemcpy(to.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
		return to;
	}
};
typedef std::vector<uint32_t> words;
// one warp: row 0 of A, column 0 of B, C at (0, 0); all else 0
template <int T>
__global__ void one(const uint16_t *A, const uint16_t *B, const uint32_t *C, uint32_t *D)
{ // T 0 f16, 1 bf16, 2 f16 with f16 sums
	int l = threadIdx.x, g = l / 4, t = l % 4;
	uint32_t a[4], b[2], d[4], c[4];
	for (int i = 0; i < 4; i++) {
		int r = g + (i & 1) * 8, k = t * 2 + (i / 2) * 8;
		a[i] = r ? 0 : A[k] | (uint32_t)A[k + 1] << 16;
	}
	for (int i = 0; i < 2; i++) {
		int k = t * 2 + i * 8;
		b[i] = g ? 0 : B[k] | (uint32_t)B[k + 1] << 16;
	}
	for (int i = 0; i < 4; i++)
		c[i] = l == 0 && i == 0 ? *C : 0;
	if (T == 0)
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
					 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
					 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
					 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]),
					   "r"(c[1]), "r"(c[2]), "r"(c[3]));
	if (T == 1)
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
					 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
					 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
					 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]),
					   "r"(c[1]), "r"(c[2]), "r"(c[3]));
	if (T == 2)
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
					 "{%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"
					 : "=r"(d[0]), "=r"(d[1])
					 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]),
					   "r"(c[1]));
	if (l == 0)
		*D = T == 2 ? d[0] & 0xffff : d[0];
}
template <int T>
__global__ void one8(const uint8_t *A, const uint8_t *B, const uint32_t *C, uint32_t *D)
{ // m16n8k32 e4m3: T 0 f32 sums, 1 f16 sums
	int l = threadIdx.x, g = l / 4, t = l % 4;
	uint32_t a[4], b[2], d[4], c[4];
	for (int i = 0; i < 4; i++) {
		int r = g + (i & 1) * 8, k = t * 4 + (i / 2) * 16;
		a[i] = 0;
		if (!r)
			memcpy(&a[i], A + k, 4);
	}
	for (int i = 0; i < 2; i++) {
		b[i] = 0;
		if (!g)
			memcpy(&b[i], B + t * 4 + i * 16, 4);
	}
	for (int i = 0; i < 4; i++)
		c[i] = l == 0 && i == 0 ? *C : 0;
	if (T == 0)
		asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
					 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
					 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
					 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]),
					   "r"(c[1]), "r"(c[2]), "r"(c[3]));
	if (T == 1)
		asm volatile("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 "
					 "{%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"
					 : "=r"(d[0]), "=r"(d[1])
					 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]),
					   "r"(c[1]));
	if (l == 0)
		*D = T == 1 ? d[0] & 0xffff : d[0];
}
__global__ void tf(const uint32_t *A, const uint32_t *B, const uint32_t *C, uint32_t *D)
{ // m16n8k8
	int l = threadIdx.x, g = l / 4, t = l % 4;
	uint32_t a[4], b[2], d[4], c[4];
	for (int i = 0; i < 4; i++)
		a[i] = g + (i & 1) * 8 ? 0 : A[t + (i / 2) * 4];
	for (int i = 0; i < 2; i++)
		b[i] = g ? 0 : B[t + i * 4];
	for (int i = 0; i < 4; i++)
		c[i] = l == 0 && i == 0 ? *C : 0;
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
				 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
				 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
				 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]),
				   "r"(c[1]), "r"(c[2]), "r"(c[3]));
	if (l == 0)
		*D = d[0];
}
__device__ uint64_t desc(unsigned a, unsigned lead, unsigned stride)
{
	return (uint64_t)((a & 0x3ffff) >> 4) | (uint64_t)(lead >> 4) << 16 |
		   (uint64_t)(stride >> 4) << 32;
}
template <int T>
__global__ void __launch_bounds__(128)
	wg(const uint8_t *A, const uint8_t *B, const uint32_t *C, uint32_t *D)
{ // 32 bytes of a row: T 0 f16, 1 e4m3, 2 e4m3 with f16 sums
	__shared__ alignas(1024) uint8_t sa[64 * 32], sb[8 * 32];
	int t = threadIdx.x;
	for (int i = t; i < 64 * 32; i += 128)
		sa[i] = 0;
	for (int i = t; i < 8 * 32; i += 128)
		sb[i] = 0;
	__syncthreads();
	if (t < 32) {
		sa[t / 16 * 128 + t % 16] = A[t];
		sb[t / 16 * 128 + t % 16] = B[t];
	}
	asm volatile("fence.proxy.async;" ::: "memory");
	__syncthreads();
	uint64_t da = desc((unsigned)__cvta_generic_to_shared(sa), 128, 256),
			 db = desc((unsigned)__cvta_generic_to_shared(sb), 128, 256);
	uint32_t d[4];
	for (int i = 0; i < 4; i++)
		d[i] = t == 0 && i == 0 ? *C : 0;
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	if (T == 0)
		asm volatile(
			"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3},%4,%5,1,1,1,0,0;"
			: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
			: "l"(da), "l"(db));
	if (T == 1)
		asm volatile(
			"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3},%4,%5,1,1,1;"
			: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
			: "l"(da), "l"(db));
	if (T == 2)
		asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e4m3 {%0,%1},%2,%3,1,1,1;"
					 : "+r"(d[0]), "+r"(d[1])
					 : "l"(da), "l"(db));
	asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
				 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])::"memory");
	if (t == 0)
		*D = T == 2 ? d[0] & 0xffff : d[0];
}
static FILE *wanted; // the lines of another run
static int differ;
template <class U, class K>
static void show(const char *what, K kernel, int threads, std::vector<U> a, std::vector<U> b,
				 uint32_t c)
{
	static device_array<uint32_t> C(1), D(1);
	a.resize(32);
	b.resize(32);
	device_array<U> A(32), B(32);
	A.up(a);
	B.up(b);
	C.up({c});
	kernel<<<1, threads>>>(A.p, B.p, C.p, D.p);
	CHECK(cudaDeviceSynchronize());
	char line[256], expected[256];
	snprintf(line, sizeof line, "%s c=%08x -> %08x\n", what, c, D.down()[0]);
	if (!wanted)
		fputs(line, stdout);
	else if (!fgets(expected, sizeof expected, wanted) || strcmp(line, expected) != 0)
		differ += printf("%s", line) > 0;
}
int main(int count, char **arguments)
{
	wanted = count > 1 ? fopen(arguments[1], "r") : nullptr;
	if (count > 1 && !wanted) {
		perror(arguments[1]);
		return 2;
	}
	typedef std::vector<uint16_t> h;
	typedef std::vector<uint8_t> q;
	typedef std::vector<uint32_t> w;
	struct {
		const char *name;
		void (*f)(const uint16_t *, const uint16_t *, const uint32_t *, uint32_t *);
	} kinds[] = {{"f16", one<0>}, {"f16 sums", one<2>}};
	for (auto &k : kinds) {
		bool s = k.name[3];
		auto S = [&](const char *what, h a, h b, uint32_t c) {
			char n[200];
			snprintf(n, 200, "%s: %s", k.name, what);
			show(n, k.f, 32, a, b, c);
		};
		S("0 * 2^15 + 2^-14 * 2^-14 * (1 + 2^-10)", {0, 0x0400}, {0x7800, 0x0401}, 0);
		S("2^15 * 0 + 1.0009765625 * 2^-14 * 2^-8 + ...", {0x7800, 0x0401, 0x0401},
		  {0, 0x1c00, 0x1c01}, 0);
		S("-0 * 1, c = -0", {0x8000}, {0x3c00}, s ? 0x8000 : 0x80000000);
		S("all -0 * 1, c = -0", h(16, 0x8000), h(16, 0x3c00), s ? 0x8000 : 0x80000000);
		S("0 * 0, c = -0", {0}, {0}, s ? 0x8000 : 0x80000000);
		S("1 - 1", {0x3c00, 0xbc00}, {0x3c00, 0x3c00}, 0);
		S("1, c = -1", {0x3c00}, {0x3c00}, s ? 0xbc00 : 0xbf800000);
		S("-2^-24 * 2^-24", {0x8001}, {0x0001}, 0);
		S("-2^-24 * 0.5", {0x8001}, {0x3800}, 0);
		S("2^-24 * 0.5", {1}, {0x3800}, 0);
		S("2^-24 * 1.5", {1}, {0x3e00}, 0);
		S("inf * 1", {0x7c00}, {0x3c00}, 0);
		S("-inf * 1", {0xfc00}, {0x3c00}, 0);
		S("inf * 0", {0x7c00}, {0}, 0);
		S("inf * 1 - inf * 1", {0x7c00, 0xfc00}, {0x3c00, 0x3c00}, 0);
		S("inf * 1, c = -inf", {0x7c00}, {0x3c00}, s ? 0xfc00 : 0xff800000);
		S("NaN * 0", {0x7e01}, {0}, 0);
		S("-NaN * 1", {0xfe01}, {0x3c00}, 0);
		S("1, c = NaN", {0x3c00}, {0x3c00}, s ? 0x7d01 : 0x7f812345);
		S("1, c = -NaN", {0x3c00}, {0x3c00}, s ? 0xfd01 : 0xffc12345);
		S("0, c = inf", {0}, {0}, s ? 0x7c00 : 0x7f800000);
		S("1, c = largest", {0x3c00}, {0x3c00}, s ? 0x7bff : 0x7f7fffff);
		S("16 * 65504^2", h(16, 0x7bff), h(16, 0x7bff), 0);
		if (!s) {
			S("16 * 1.999^2, c = 3.9999998", h(16, 0x3fff), h(16, 0x3fff), 0x407fffff);
			S("0, c = 2^-149", {0}, {0}, 1);
			S("0, c = 2^-127 (1 + 2^-22)", {0}, {0}, 0x00400001);
			S("2^-48, c = 2^-149", {1}, {1}, 1);
		} else
			S("32 + 2^-10 ties, c = 2048", {0x3c00, 0x1400}, {0x3c00, 0x3c00}, 0x6800);
	}
	auto B = [&](const char *what, h a, h b, uint32_t c) {
		char n[200];
		snprintf(n, 200, "bf16: %s", what);
		show(n, one<1>, 32, a, b, c);
	};
	B("2^-70 * 2^-70", {0x1c80}, {0x1c80}, 0);
	B("-2^-70 * 2^-80", {0x9c80}, {0x1780}, 0);
	B("2^-70 * 2^-79 * 1.5", {0x1c80}, {0x1840}, 0);
	B("2^-70 * 2^-80 * 1.5", {0x1c80}, {0x17c0}, 0);
	B("2^-133 * 2^-133", {1}, {1}, 0);
	B("2^-133 * 2^100", {1}, {0x7180}, 0);
	B("2^100 * 2^100 - 2^100 * 2^100 + 1", {0x7180, 0xf180, 0x3f80}, {0x7180, 0x7180, 0x3f80}, 0);
	B("2^100 * 2^100", {0x7180}, {0x7180}, 0);
	B("2^64 * 2^63, c = 2^127 * 1.9999999", {0x5f80}, {0x5f00}, 0x7f7fffff);
	B("-2^64 * 2^63, c = -largest", {0xdf80}, {0x5f00}, 0xff7fffff);
	B("2^104, c = largest", {0x7380}, {0x3f80}, 0x7f7fffff);
	B("2^103, c = largest", {0x7300}, {0x3f80}, 0x7f7fffff);
	B("0 * 2^127 + 2^-60 * (1 + 2^-7)", {0, 0x2180}, {0x7f00, 0x3f81}, 0);
	B("2^-149 in c, 0", {0}, {0}, 1);
	B("subnormal c = 2^-127, 2^-130 * 1", {0x0010}, {0x3f80}, 0x00400000);
	auto T = [&](const char *what, w a, w b, uint32_t c) {
		char n[200];
		snprintf(n, 200, "tf32: %s", what);
		show(n, tf, 32, a, b, c);
	};
	T("2^-70 * 2^-70 (1 + 2^-10)", {0x1c800000}, {0x1c802000}, 0);
	T("2^-70 * 2^-79 * 1.5", {0x1c800000}, {0x18400000}, 0);
	T("0 * 2^127 + 2^-60", {0, 0x21800000}, {0x7f000000, 0x3f802000}, 0);
	T("0x1fff * 2^127 + 2^-60", {0x1fff, 0x21800000}, {0x7f000000, 0x3f802000}, 0);
	T("NaN 0x7f801fff * 1", {0x7f801fff}, {0x3f800000}, 0);
	T("NaN 0x7fa00000 * 1", {0x7fa00000}, {0x3f800000}, 0);
	T("all -0", w(8, 0x80000000), w(8, 0x3f800000), 0x80000000);
	for (int s = 0; s < 2; s++) {
		auto Q = [&](const char *what, q a, q b, uint32_t c) {
			char n[200];
			snprintf(n, 200, "e4m3%s: %s", s ? " f16 sums" : "", what);
			if (s)
				show(n, one8<1>, 32, a, b, c);
			else
				show(n, one8<0>, 32, a, b, c);
		};
		Q("NaN * 1", {0x7f}, {0x38}, 0);
		Q("all -0, c = -0", q(32, 0x80), q(32, 0x38), s ? 0x8000 : 0x80000000);
		Q("-0 * 1, c = -0", {0x80}, {0x38}, s ? 0x8000 : 0x80000000);
		Q("-2^-9 * 2^-9", {0x81}, {1}, 0);
		Q("32 * 448^2", q(32, 0x7e), q(32, 0x7e), 0);
		Q("0, c = inf", {0}, {0}, s ? 0x7c00 : 0x7f800000);
		Q("1, c = NaN", {0x38}, {0x38}, s ? 0x7e01 : 0x7fc00001);
		Q("448^2 at k = 0, 1 and -448^2 at 2, 3", {0x7e, 0x7e, 0xfe, 0xfe},
		  {0x7e, 0x7e, 0x7e, 0x7e}, 0);
		Q("0, c = 2^-149", {0}, {0}, 1);
	}
	auto W = [&](const char *what, h a, h b, uint32_t c) {
		q x(32), y(32);
		a.resize(16);
		b.resize(16);
		memcpy(x.data(), a.data(), 32);
		memcpy(y.data(), b.data(), 32);
		char n[200];
		snprintf(n, 200, "wgmma f16: %s", what);
		show(n, wg<0>, 128, x, y, c);
	};
	W("0 * 2^15 + 2^-14 * 2^-14 * (1 + 2^-10)", {0, 0x0400}, {0x7800, 0x0401}, 0);
	W("all -0, c = -0", h(16, 0x8000), h(16, 0x3c00), 0x80000000);
	W("inf * 0", {0x7c00}, {0}, 0);
	W("NaN", {0xfe01}, {0x3c00}, 0);
	W("0, c = NaN", {0}, {0}, 0xff812345);
	W("0, c = 2^-149", {0}, {0}, 1);
	W("16 * 1.999^2, c = 3.9999998", h(16, 0x3fff), h(16, 0x3fff), 0x407fffff);
	for (int s = 0; s < 2; s++) {
		auto Q = [&](const char *what, q a, q b, uint32_t c) {
			char n[200];
			snprintf(n, 200, "wgmma e4m3%s: %s", s ? " f16 sums" : "", what);
			if (s)
				show(n, wg<2>, 128, a, b, c);
			else
				show(n, wg<1>, 128, a, b, c);
		};
		Q("0 * 448 + 2^-9 * 2^-6 * 1.125", {0, 1}, {0x7e, 0x09}, 0);
		Q("0 * 448 + 2^-9 * 2^-9", {0, 1}, {0x7e, 1}, 0);
		Q("NaN * 0", {0x7f}, {0}, 0);
		Q("NaN * 1, c = inf", {0x7f}, {0x38}, s ? 0x7c00 : 0x7f800000);
		Q("1, c = inf", {0x38}, {0x38}, s ? 0x7c00 : 0x7f800000);
		Q("1, c = -inf", {0x38}, {0x38}, s ? 0xfc00 : 0xff800000);
		Q("1, c = NaN", {0x38}, {0x38}, s ? 0x7d01 : 0xff812345);
		Q("all -0, c = -0", q(32, 0x80), q(32, 0x38), s ? 0x8000 : 0x80000000);
		Q("32 * 448^2", q(32, 0x7e), q(32, 0x7e), 0);
		Q("32 * 448^2, c = largest", q(32, 0x7e), q(32, 0x7e), s ? 0x7bff : 0x7f7fffff);
		Q("0, c = subnormal", {0}, {0}, s ? 0x0155 : 0x00155555);
		Q("0, c = 1 + ulp", {0}, {0}, s ? 0x3c01 : 0x3f800001);
	}
	return differ != 0 || (wanted && fgetc(wanted) != EOF);
}
