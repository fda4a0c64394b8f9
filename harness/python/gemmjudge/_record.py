"""The objects of the JSON report, by their members; harness/report/README.md says what these hold.

Made by `tools/record write` from harness/judgement/record.def: a change is a change there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class Device(TypedDict):
    kind: str
    name: str
    count: int
    architecture: str
    multiprocessors: int
    memory_bytes: int
    l2_bytes: int
    sm_clock_mhz: float | str
    pci_bus_id: str
    driver: str
    runtime: str
    library: str


class Run(TypedDict):
    schema_version: int
    program: str
    version: str
    started: str
    command: str
    nvcc: str | None
    seed: str
    seed_given: NotRequired[bool]
    suite: str | None
    suites: list[str]
    max_dim: int | None
    multiple_of: int | None
    sizes: str | None
    tolerance: str
    nvcc_flags: list[str]
    epilogue: str | None
    tool: str | None
    interrupted: bool
    device: Device | None


class Test(TypedDict):
    name: str
    m: int
    n: int
    k: int
    batch: int
    group: int
    alpha: float | str
    beta: float | str
    scalars: dict[str, Any]
    operands: dict[str, Any]
    seed: str
    exact: bool


class Element(TypedDict):
    batch: int
    row: int
    column: int
    written: bool
    got: float | str
    want: float | str
    bound: float | str


class Check(TypedDict):
    elements: int
    result_digest: NotRequired[str]
    wrong: int
    untouched: int
    read: int
    worst_ratio: float | str
    rms_ratio: NotRequired[float | str]
    worst_error: float | str
    worst_batch: int
    worst_row: int
    worst_column: int
    changed: dict[str, Any]
    guard_changed: int
    extra_changed: int
    extra_wrong: int
    reference_spot_checks: int
    reference_disagreements: int
    first_wrong: list[Element]
    map: NotRequired[dict[str, Any]]


class Case(TypedDict):
    name: str
    m: int
    n: int
    k: int
    batch: int
    group: int
    alpha: float | str
    beta: float | str
    scalars: dict[str, Any]
    operands: dict[str, Any]
    seed: str
    exact: bool
    verdict: str
    detail: str
    seconds: float | str
    device_bytes: int
    steps: int | None
    output: str | None
    check: Check | None


class Kernel(TypedDict):
    name: str
    grid: list[int]
    block: list[int]
    cluster: list[int]
    registers: int
    shared_bytes: int


class Stats(TypedDict):
    samples: int
    median_us: float | str
    min_us: float | str
    p95_us: float | str
    low_us: float | str
    high_us: float | str


class Algorithm(TypedDict):
    id: int
    tile: int
    stages: int
    split_k: int
    reduction: int
    swizzle: int
    custom: int
    inner: int
    cluster: int


class Steady(TypedDict):
    time: Stats
    joules: float | str | None
    watts: float | str | None
    sm_clock_mhz: float | str | None
    calls: int


class Seal(TypedDict):
    state: str
    why: NotRequired[str]
    host_side: NotRequired[float | str]
    uncertainty: NotRequired[float | str]
    idle: NotRequired[float | str]
    least: NotRequired[float | str]
    slowed: NotRequired[bool]
    floor: NotRequired[float | str]
    calls: NotRequired[int]
    passes: NotRequired[int]


class Entry(TypedDict):
    label: str
    ran: bool
    verdict: str
    detail: str
    span: Stats | None
    event: Stats | None
    steady: Steady | None
    sealed: Seal
    passes_us: list[float]
    clock: str
    microseconds: float | str
    low_us: float | str
    high_us: float | str
    activities_per_call: int
    kernels: NotRequired[list[Kernel]]
    kernels_left_out: NotRequired[int]
    tflops: float | str
    gbytes_per_s: float | str
    percent_of_cublas: float | str | None
    percent_of_cublaslt: float | str | None
    ratio_to_fastest_library: float | str | None
    wrong_elements: int
    compared_elements: int
    worst_ratio: float | str
    rms_ratio: NotRequired[float | str]
    cause: NotRequired[str]
    library_mode: NotRequired[str]
    algorithm: NotRequired[Algorithm]
    role: str
    schedule: str | None
    speed_up_over: NotRequired[dict[str, Any]]
    fusion_cost_percent: NotRequired[dict[str, Any]]
    fusion_cost_us: NotRequired[float | str | None]


class Timing(TypedDict):
    problem: str
    case: Test
    clock: str
    timing: str
    warm_up_seconds: float | str | None
    settled: bool | None
    entries: list[Entry]
    floor_us: dict[str, Any] | None
    fastest_library: str | None
    fastest_of_all_libraries: str | None
    sm_clock_mhz_min: float | str
    sm_clock_mhz_median: float | str
    sm_clock_mhz_limit: float | str
    throttled: bool
    throttle_reason: str
    wide_interval: bool
    seconds: float | str
    input_sets: int
    libraries_age_seconds: NotRequired[float | str]


class Denied(TypedDict):
    call: str
    what: str
    times: int


class KernelUse(TypedDict):
    name: str
    of: str
    registers: int
    shared_bytes: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int


class Compile(TypedDict):
    log: str
    seconds: float | str
    objects: NotRequired[int]
    cached: bool
    jailed: bool
    kernels: list[KernelUse] | None


class Difference(TypedDict):
    between: str
    shape: str
    m: int
    output: str
    row: int
    column: int
    before: float | str
    now: float | str
    elements: int


class Bits(TypedDict):
    repeatable: str
    calls: int
    differing: int
    shape: str
    batch_invariant: str
    rows_shape: str
    rows: list[float]
    why: str
    difference: Difference | None
    rows_difference: Difference | None


class Result(TypedDict):
    file: str
    problem: str | None
    content: str | None
    tokens: NotRequired[str]
    verdict: str
    detail: str
    reason: str
    schedule: str | None
    device: str | None
    reward: dict[str, Any]
    hints: list[str]
    guarantees: list[str] | None
    denied: list[Denied] | None
    denied_more: int
    compile: Compile
    bits: Bits | None
    cases_total: int
    cases_accepted: int
    worst: dict[str, Any] | None
    cases_too_large: int
    cases: list[Case]
    counters: list[dict[str, Any]] | None
    tool_report: str | None
    timing: Timing | None
    larger_timing: Timing | None
    timing_note: str
