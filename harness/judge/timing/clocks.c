#include "judge/timing/clocks.h"

#include <dlfcn.h>
#include <stdio.h>

/* NVML's ABI, as its reference manual documents it. */
#define NVML_CLOCK_SM 1
#define NVML_REASON_POWER_CAP 0x4ull
#define NVML_REASON_HW_SLOWDOWN 0x8ull
#define NVML_REASON_SW_THERMAL 0x20ull
#define NVML_REASON_HW_THERMAL 0x40ull
#define NVML_REASON_POWER_BRAKE 0x80ull

void clocks_open(struct clocks *clocks, const char *pci_bus_id)
{
	*clocks = (struct clocks){0};
	void *library = pci_bus_id[0] != '\0' ? dlopen("libnvidia-ml.so.1", RTLD_NOW) : NULL;
	if (library == NULL)
		return;
	int (*init)(void) = dlsym(library, "nvmlInit_v2");
	int (*find)(const char *, void **) = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
	int (*limit)(void *, int, unsigned *) = dlsym(library, "nvmlDeviceGetMaxClockInfo");
	clocks->clock_info = dlsym(library, "nvmlDeviceGetClockInfo");
	clocks->reasons = dlsym(library, "nvmlDeviceGetCurrentClocksEventReasons");
	if (clocks->reasons == NULL)
		clocks->reasons = dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons");

	clocks->power = dlsym(library, "nvmlDeviceGetPowerUsage");
	clocks->energy = dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");

	unsigned mhz = 0;
	if (init == NULL || find == NULL || clocks->clock_info == NULL || init() != 0 ||
		find(pci_bus_id, &clocks->device) != 0) {
		dlclose(library);
		*clocks = (struct clocks){0};
		return;
	}
	clocks->library = library;
	if (limit != NULL && limit(clocks->device, NVML_CLOCK_SM, &mhz) == 0)
		clocks->limit_mhz = mhz;
}

uint64_t clocks_least_memory(void)
{
	struct memory {
		unsigned long long total, available, used;
	} memory;
	unsigned count = 0;
	void *device, *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
	if (library == NULL)
		return 0;
	int (*init)(void) = dlsym(library, "nvmlInit_v2");
	int (*ask_count)(unsigned *) = dlsym(library, "nvmlDeviceGetCount_v2");
	int (*find)(unsigned, void **) = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
	int (*ask)(void *, struct memory *) = dlsym(library, "nvmlDeviceGetMemoryInfo");
	uint64_t least = 0;
	if (init == NULL || ask_count == NULL || find == NULL || ask == NULL || init() != 0 ||
		ask_count(&count) != 0)
		return 0;
	for (unsigned i = 0; i < count; i++)
		if (find(i, &device) == 0 && ask(device, &memory) == 0 &&
			(least == 0 || memory.total < least))
			least = memory.total;
	return least;
}

void clocks_begin(struct clocks *clocks)
{
	samples_free(&clocks->mhz);
	clocks->seen = 0;
}

bool clocks_known(const struct clocks *clocks)
{
	return clocks->clock_info != NULL;
}

double clocks_sample(struct clocks *clocks)
{
	if (!clocks_known(clocks))
		return 0.0;
	unsigned mhz = 0;
	if (clocks->clock_info(clocks->device, NVML_CLOCK_SM, &mhz) == 0) {
		float value = (float)mhz;
		samples_add(&clocks->mhz, &value, 1);
	} else {
		mhz = 0;
	}
	unsigned long long bits = 0;
	if (clocks->reasons != NULL && clocks->reasons(clocks->device, &bits) == 0)
		clocks->seen |= bits;
	return (double)mhz;
}

double clocks_watts(const struct clocks *clocks)
{
	unsigned milliwatts = 0;
	bool known = clocks->power != NULL && clocks->power(clocks->device, &milliwatts) == 0;
	return known ? 1e-3 * (double)milliwatts : 0.0;
}

unsigned long long clocks_millijoules(const struct clocks *clocks)
{
	unsigned long long millijoules = 0;
	bool known = clocks->energy != NULL && clocks->energy(clocks->device, &millijoules) == 0;
	return known ? millijoules : 0;
}

void clocks_report(struct clocks *clocks, struct timing_result *out)
{
	struct timing_stats stats = stats_of(&clocks->mhz);
	out->sm_clock_mhz_min = stats.min;
	out->sm_clock_mhz_median = stats.median;
	out->sm_clock_mhz_limit = clocks->limit_mhz;

	static const struct {
		unsigned long long bit;
		const char *text;
	} reasons[] = {
		{NVML_REASON_POWER_CAP, "power cap"},
		{NVML_REASON_HW_SLOWDOWN, "hardware slowdown"},
		{NVML_REASON_SW_THERMAL, "temperature"},
		{NVML_REASON_HW_THERMAL, "temperature (hardware)"},
		{NVML_REASON_POWER_BRAKE, "power brake"},
	};
	if (clocks->power_cap_expected)
		clocks->seen &= ~NVML_REASON_POWER_CAP;
	size_t used = 0;
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		if ((clocks->seen & reasons[i].bit) == 0 || used >= sizeof out->throttle_reason)
			continue;
		out->throttled = true;
		used += (size_t)snprintf(out->throttle_reason + used, sizeof out->throttle_reason - used,
								 "%s%s", used > 0 ? ", " : "", reasons[i].text);
	}
}

void clocks_close(struct clocks *clocks)
{
	samples_free(&clocks->mhz);
	/* NVML is left initialised: shutting it down races with its own threads, and
	 * the process ends soon. */
	*clocks = (struct clocks){0};
}
