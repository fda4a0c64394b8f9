"""The pictures: what each shows of what the maps say (pictures_maps.cu) and of what was measured."""

import math

from pictures_svg import Picture

CUBE = "4096x4096x4096"


def kb(value):
    return f"{value // 1024} KB"


# ---- fragments ----


def fragment(known, name, label):
    """(row, column) -> (colour of the register, words)."""
    return {(row, column): (f"c{reg % 8}", label(lane, reg, item)) for lane, reg, item, row, column in known[name]}


def registers(picture, x, y, known, name, per):
    """Which colour is which register, with the elements that a lane has in each."""
    for reg in sorted({entry[1] for entry in known[name]}):
        picture.box(x, y + reg * 18 - 10, 14, 12, f"c{reg % 8}")
        own = [(row, column) for lane, r, _, row, column in known[name] if (lane, r) == (0, reg)]
        picture.text(x + 20, y + reg * 18, f"{per}{reg}: " + " ".join(f"({row},{column})" for row, column in own), "s")


def mma(known):
    picture = Picture(604, "mma.m16n8k16: which lane holds which element")
    lane_of = lambda lane, reg, item: lane
    picture.cells(430, 46, 26, 16, fragment(known, "mma_b", lane_of))
    picture.cells(16, 326, 24, 16, fragment(known, "mma_a", lane_of))
    picture.cells(430, 326, 26, 16, fragment(known, "mma_d", lane_of))
    picture.text(426, 60, "B, 16 x 8", "r")
    picture.text(400, 318, "A, 16 x 16", "r")
    picture.text(646, 340, "D, 16 x 8")
    picture.lines(16, 54, ["A cell shows the lane, its colour the lane's register.", "Of 16 bits a register holds two neighbours:",
                           "of A along a row, of B down a column.", "Lane 0's elements, (row,column):"])
    registers(picture, 16, 128, known, "mma_a", "a")
    registers(picture, 16, 208, known, "mma_b", "b")
    registers(picture, 16, 252, known, "mma_d", "d")
    picture.text(426, 456, "x", "r")
    return picture


def ldmatrix(known):
    picture = Picture(388, "ldmatrix.x4: who names an address, and who receives")
    picture.lines(16, 50, ["Lane i names the 16 bytes of one row (8 elements):", "row i % 8 of matrix i / 8."])
    cells = {(row, column // 8): (f"c{lane // 8}", f"lane {lane}") for lane, (row, column) in enumerate(known["ldmatrix"])}
    picture.cells(40, 84, 120, 16, cells)
    for row in (0, 8, 15):
        picture.text(34, 96 + row * 16, row, "s r")
    picture.lines(380, 50, ["Register i receives matrix i: row r goes to lanes", "4 r to 4 r + 3, two elements each."])
    for i in range(4):
        picture.box(380, 74 + i * 18, 14, 12, f"c{i}")
        picture.text(400, 84 + i * 18, f"matrix {i}: register {i} of every lane", "s")
    own = {(row, column): ("c0", lane) for lane, reg, _, row, column in known["mma_a"] if reg == 0}
    picture.cells(380, 156, 30, 18, own)
    picture.text(380, 316, "matrix 0 as it lies in register 0: the lanes")
    picture.lines(16, 358, ["The sixteen rows go down the left half, then down the right one: the registers are then those of A in mma.",
                            "For B, row by row as well, each matrix is transposed (.trans): registers 0 and 1 are B's for 8 columns, 2 and 3 for the next."], "s")
    return picture


def wgmma(known):
    picture = Picture(430, "wgmma's sums: 64 x N over four warps")
    for warp in range(4):
        picture.box(16, 52 + warp * 70, 96, 70, f"c{warp}")
        picture.box(16, 52 + warp * 70, 96, 70)
        picture.text(64, 82 + warp * 70, f"warp {warp}", "m")
        picture.text(64, 98 + warp * 70, f"rows {warp * 16} to {warp * 16 + 15}", "s m")
    picture.text(64, 350, "64 x N", "m")
    picture.text(150, 46, "A warp's 16 rows, the first 24 of N columns: the lanes", "")
    cells = {(row, column): (f"c{reg // 4 * 2 % 6 + (row >= 8)}", lane) for lane, reg, _, row, column in known["wgmma_d"]}
    picture.cells(150, 56, 23, 16, cells)
    for block in range(3):
        for half in range(2):
            regs = sorted({reg for _, reg, _, row, column in known["wgmma_d"] if column // 8 == block and row // 8 == half})
            picture.text(150 + block * 184 + 92, 334 + half * 18, f"rows {8 * half} to {8 * half + 7}: d[{regs[0]}], d[{regs[1]}]", "s m")
    picture.lines(16, 392, ["Eight columns more are four registers more: a lane holds N / 2 sums, 128 of 64 x 256. Pairs of neighbours in a row lie",
                            "in one lane, and 8 lanes of a column in 8 rows: stmatrix packs them into rows of 16 bytes before TMA stores them."], "s")
    return picture


# ---- banks ----


def memory(picture, x, y, case, lines, cell=38, chunks=2):
    """Shared memory as lines of 128 bytes: a cell is 16 bytes, four banks. What one 8x8 matrix of ldmatrix reads
    is coloured: the first 16 bytes of each row."""
    across = case["columns"] // 8
    cells = {(line, group): ("c7", "") for line in range(lines) for group in range(8)}
    for i, byte in enumerate(case["bytes"]):
        row, chunk = divmod(i, across)
        if byte // 128 < lines:
            cells[byte // 128, byte // 16 % 8] = ("c1" if chunk == 0 else "p", f"{row},{chunk}")
    for group in range(8):
        picture.text(x + group * cell + cell / 2, y - 4, group * 4, "s m g")
    picture.cells(x, y, cell, 15, cells)
    return cells


def passes(case):
    return f"{case['passes']} passes, {case['conflicts']} of them conflicts"


def padding(known):
    picture = Picture(466, "Padding: gemm_f16 step 07 and step 10")
    picture.lines(16, 46, ["A line is 128 bytes of shared memory: 32 banks, which give a word of 4 bytes each in a pass. A cell is 16 bytes, named",
                           "row,column / 8; grey ones are padding. Coloured is what an 8x8 matrix of a fragment load reads: it takes as many passes as",
                           "the column with most coloured cells has. A load of 16x16 has four such matrices, so that 4 passes are the least."], "s")
    for x, y, name, words, lines in ((16, 134, "f16_07_b", "07, B: rows of 128 bytes", 8),
                                     (384, 134, "f16_10_b", "10, B: rows of 144 bytes", 9),
                                     (16, 340, "f16_07_a", "07, A: rows of 32 bytes", 2),
                                     (384, 340, "f16_10_a", "10, A: rows of 80 bytes", 5)):
        picture.text(x, y - 20, words)
        memory(picture, x, y, known[name], lines)
        picture.text(x, y + lines * 15 + 16, "a load of 16x16: " + passes(known[name]), "s")
    return picture


def swizzle(known):
    picture = Picture(630, "XOR swizzle: gemm_bf16 step 07 and step 08")
    picture.lines(16, 46, ["As in the picture of padding, without any: a chunk of 16 bytes changes places with others of its row.",
                           "Coloured is what one 8x8 matrix of ldmatrix reads, the first chunk of 8 rows."], "s")
    for x, y, name, words, lines in ((16, 112, "bf16_07_a", "07, A: rows of 64 bytes", 4),
                                     (384, 112, "bf16_08_a", "08, A: Swizzle<2, 3, 3>", 4),
                                     (16, 254, "bf16_07_b", "07, B: rows of 256 bytes, two lines", 16),
                                     (384, 254, "bf16_08_b", "08, B: Swizzle<3, 3, 4>", 16)):
        picture.text(x, y - 20, words)
        memory(picture, x, y, known[name], lines)
        picture.text(x, y + lines * 15 + 16, "ldmatrix.x4: " + passes(known[name]), "s")
    picture.lines(16, 548, [f"B by Swizzle<3, 3, 3> instead: {passes(known['b_333'])}. Rows of 128 elements begin at bit 7 of an element's number,",
                            "and a shift by S = 3 takes bits 6 to 8: two of eight rows then agree in what is XORed, and share a place. S = 4 takes",
                            "bits 7 to 9, which tell all eight rows apart.",
                            f"A of 16 columns, rows of 32 bytes as they lie: {passes(known['source_a'])}."], "s")
    return picture


def toy(known):
    picture = Picture(300, "Swizzle<B, M, S> on a toy: 8 rows of 8 words, 8 banks")
    for x, words, place in ((16, "as it lies", lambda i: i), (262, "Swizzle<3, 0, 3>", lambda i: known["toy"][i])):
        picture.text(x, 50, words)
        cells = {divmod(place(i), 8): ("c1" if i % 8 == 0 else "p", f"{i // 8},{i % 8}") for i in range(64)}
        for bank in range(8):
            picture.text(x + bank * 27 + 13, 68, bank, "s m g")
        picture.cells(x, 72, 27, 18, cells)
    picture.text(16, 236, "8 passes for a column", "s")
    picture.text(262, 236, "1 pass for a column", "s")
    picture.lines(508, 84, ["M = 0: words move alone", "B = 3: three bits change", "S = 3: by those three", "bits higher", "",
                            "offset = r r r c c c", "becomes  r r r (c XOR r)"], "s", 17)
    plain, padded, swizzled = known["toy_passes"]
    picture.lines(16, 266, [f"32 rows of 32 words, 32 banks, Swizzle<5, 0, 5>: a warp that reads a column takes {plain} passes as it lies, {padded} with rows of",
                            f"33 words, {swizzled} swizzled. Rows take 1 in each case. Cells: row,column; their place: bank and line."], "s")
    return picture


def operand(known):
    picture = Picture(300, "TMA's 128-byte swizzle, and what wgmma reads of it")
    cells = {}
    for i, place in enumerate(known["tma_chunks"]):
        cells[divmod(place, 8)] = (f"c{i % 8 // 2}", f"{i // 8},{i % 8}")
    picture.text(16, 50, "8 rows of 64 elements of 16 bits: Swizzle<3, 4, 3> of bytes")
    for group in range(8):
        picture.text(16 + group * 44 + 22, 70, group * 4, "s m g")
    picture.cells(16, 74, 44, 20, cells)
    for step in range(4):
        picture.box(392, 82 + step * 20, 14, 12, f"c{step}")
        chunks = known["wgmma_chunks"][step * 16: step * 16 + 4]
        words = ", ".join(f"line {chunk // 8} bank {chunk % 8 * 4}" for chunk in chunks[2:])
        picture.text(412, 92 + step * 20, f"k {step * 16} to {step * 16 + 15}; of row 1: {words}", "s")
    picture.lines(16, 262, ["A cell is 16 bytes (row,column / 8). The descriptor of the next 16 along K begins 32 bytes further on, as if nothing were",
                            "swizzled: the tensor cores compute the same XOR from the address. Checked for all chunks when this is drawn."], "s")
    return picture


# ---- tiles ----


def hierarchy(known):
    tiles = known["tiles"]
    (block_m, block_n), (warp_m, warp_n), (sub_m, sub_n) = tiles["block"], tiles["warp"], tiles["sub"]
    lanes = known["lanes"]["at"]
    picture = Picture(322, "Grid, block, warp, thread: sgemm's 12_multistage at 4096^3")
    rows, columns = 4096 // block_m, 4096 // block_n
    x, y, side = 16, 70, 148
    picture.cells(x, y, side / columns, side / rows, {(r, c): ("c0" if (r, c) == (3, 2) else "p", "") for r in range(rows) for c in range(columns)})
    picture.text(x, 60, "C: the grid")
    picture.lines(x, 240, [f"{rows * columns} blocks of", f"{block_m} x {block_n} outputs", "operands: L2 and", "device memory"], "s")
    x += 178
    for warp, (row, column) in enumerate(tiles["warps"]):
        at = x + column * side / 256, y + row * side / 256, warp_n * side / 256, warp_m * side / 256
        picture.box(*at, "c1" if warp == 5 else "c0")
        picture.box(*at)
        picture.text(at[0] + at[2] / 2, at[1] + at[3] / 2 + 4, warp, "m")
    picture.text(x, 60, "a block: warps")
    picture.lines(x, 240, [f"{tiles['threads'] // 32} warps of {warp_m} x {warp_n}", f"operands: {tiles['stages']} stages of",
                           f"{tiles['k']} along K, in", "shared memory"], "s")
    x += 178
    scale = side / warp_m
    for row in range(0, warp_m, sub_m):
        for column in range(0, warp_n, sub_n):
            picture.box(x + column * scale, y + row * scale, sub_n * scale, sub_m * scale, "c2" if (row, column) == (0, 0) else "c1")
            picture.box(x + column * scale, y + row * scale, sub_n * scale, sub_m * scale)
            lane_row, lane_column = lanes[9]
            picture.box(x + (column + lane_column * 4) * scale, y + (row + lane_row * 4) * scale, 4 * scale, 4 * scale, "f")
    picture.text(x, 60, "a warp: sub-tiles")
    picture.lines(x, 240, [f"{warp_m // sub_m} x {warp_n // sub_n} of {sub_m} x {sub_n};", "black: what lane 9", "computes, a piece", "of each"], "s")
    x += 178
    cells = {(row, column): ("f" if lane == 9 else "c2", "" if lane == 9 else lane) for lane, (row, column) in enumerate(lanes)}
    picture.cells(x, y, side / 4, side / 8, cells)
    picture.text(x, 60, "a sub-tile: lanes")
    sums = warp_m // sub_m * warp_n // sub_n * 16
    picture.lines(x, 240, ["4 x 4 outputs each;", f"{sums} sums a thread,", "and its operands of", "one k, in registers"], "s")
    return picture


def thread_tiles(known):
    picture = Picture(352, "A block's tile walks along K; a thread's tile saves reads of shared memory")
    m, n, k = known["block_tile"]
    for x, y, width, height, words in ((16, 132, 150, 150, "A"), (182, 66, 150, 50, "B"), (182, 132, 150, 150, "C")):
        picture.box(x, y, width, height)
        picture.text(x + 6, y + 16, words)
    picture.box(16, 182, 150, 40, "c7")
    picture.box(232, 66, 40, 50, "c7")
    picture.box(56, 182, 14, 40, "c2")
    picture.box(232, 80, 40, 6, "c0")
    picture.box(232, 182, 40, 40, "c1")
    picture.text(252, 206, "sums", "s m")
    picture.arrow(74, 202, 120, 202)
    picture.lines(16, 304, [f"05: {m} x {n} sums stay in registers. Each k-block brings {m} x {k} of A", f"and {k} x {n} of B into shared memory; every thread reads",
                            "what its own sums need."], "s")
    x = 372
    for (tile_m, tile_n), step in zip(known["thread_tiles"], ("03", "04", "05")):
        y = 132
        picture.text(x, 60, f"{step}: {tile_m} x {tile_n} a thread")
        picture.cells(x, y, 14, 14, {(row, 0): ("c2", "") for row in range(tile_m)})
        picture.cells(x + 20, y - 22, 10, 16, {(0, column): ("c0", "") for column in range(tile_n)})
        picture.cells(x + 20, y, 10, 14, {(row, column): ("c1", "") for row in range(tile_m) for column in range(tile_n)})
        reads, sums = tile_m + tile_n, tile_m * tile_n
        picture.lines(x, 262, [f"{reads} reads,", f"{sums} FMA{'s' if sums > 1 else ''} for each k:", f"{reads / sums:g} reads an FMA"], "s")
        x += 116
    picture.text(372, 326, "A square of sums shares most: m n FMAs for m + n reads.", "s")
    return picture


def copies(_):
    picture = Picture(286, "From global to shared memory: three ways to copy 16 bytes a thread")
    for y, words, step, stops, costs in (
            (62, "through registers", "sgemm 02 to 06, gemm_bf16 03", ("L2", "L1", "registers", "shared"),
             "two instructions (LDG, STS), and registers that are held for a whole trip to memory"),
            (146, "cp.async", "sgemm 07 on, gemm_f16 06 to 13", ("L2", "shared"),
             "one instruction (LDGSTS), no register; a thread waits for its own groups, then a barrier"),
            (230, "TMA", "gemm_f16 14 on", ("L2", "shared, swizzled"),
             "one instruction of one thread for a whole box; an mbarrier counts its bytes; zeros beyond edges")):
        picture.text(16, y, words)
        picture.text(16, y + 16, step, "s g")
        for i, stop in enumerate(stops):
            x = 220 + (i * 125 if len(stops) > 2 else i * 375)
            picture.box(x, y - 16, 105, 30, f"c{(7, 0, 2, 1)[i] if len(stops) > 2 else (7, 1)[i]}")
            picture.box(x, y - 16, 105, 30)
            picture.text(x + 52, y + 4, stop, "s m")
            if i + 1 < len(stops):
                picture.arrow(x + 105, y - 1, x + (121 if len(stops) > 2 else 371), y - 1)
        picture.text(220, y + 32, costs, "s")
    return picture


def gemv(_):
    picture = Picture(266, "gemv: which thread takes which element of A (8 x 8, a toy)")
    ways = (("a thread a row", lambda row, column: row), ("4 threads a row", lambda row, column: row * 4 + column % 4),
            ("2 rows a thread", lambda row, column: row // 2), ("both", lambda row, column: row // 2 * 4 + column % 4))
    for i, (words, thread) in enumerate(ways):
        x = 16 + i * 176
        picture.text(x, 50, words)
        seen, cells = set(), {}
        for row in range(8):
            for column in range(8):
                first = thread(row, column) not in seen
                seen.add(thread(row, column))
                cells[row, column] = ("c1" if first else "p", thread(row, column))
        picture.cells(x, 60, 20, 18, cells)
        picture.text(x, 222, f"{len(seen)} threads", "s")
    picture.text(16, 250, "Coloured: what each thread loads first. Side by side in a row (4 threads a row, both) it is one run of memory.", "s")
    return picture


def lanes(known):
    picture = Picture(310, "lanes.cuh: where lanes lie, and the order of a thread's FMAs")
    for x, name, words in ((16, "lanes_plain", "row by row"), (230, "lanes", "lanes.cuh")):
        cells = {(row, column): (f"c{lane // 8 * 2 % 7}", lane) for lane, (row, column) in enumerate(known[name]["at"])}
        picture.text(x, 50, words)
        picture.cells(x, 60, 44, 20, cells)
        picture.text(x, 240, f"a float4 of A: {known[name]['passes_a']} passes", "s")
        picture.text(x, 256, f"a float4 of B: {known[name]['passes_b']} passes", "s")
    picture.text(446, 50, "an 8 x 8 thread tile: the order")
    step_of = {}
    for i, row in enumerate(known["snake"]):
        step_of[row, i // 8] = (f"c{i // 8 % 2 * 4 + (i % 8 < 4)}", i)
    picture.cells(446, 60, 32, 20, step_of)
    picture.lines(446, 240, ["down a column, up the next: a step changes", "one operand, the other is in the reuse cache"], "s")
    picture.lines(16, 284, ["A cell of the lanes is a lane's 4 x 4 piece of 32 x 16 outputs; 8 lanes of a colour go together. Lanes of a row need the same",
                            "float4 of A, lanes of a column the same of B: four banks are read once for all of them."], "s")
    return picture


def order(known):
    picture = Picture(362, "The order of blocks, a cache of 16 tiles, and what it has to load")
    for x, name, words in ((40, "by_rows", "row by row"), (400, "by_panels", "down panels two tiles wide")):
        case = known[name]
        first = case["order"][:4]
        rows, columns = {row for row, _ in first}, {column for _, column in first}
        picture.text(x, 50, words)
        picture.cells(x + 130, 62, 28, 14, {(k, n): ("c0" if n in columns else "p", "") for k in range(4) for n in range(4)})
        picture.cells(x, 132, 28, 28, {(m, k): ("c2" if m in rows else "p", "") for m in range(4) for k in range(4)})
        picture.cells(x + 130, 132, 28, 28, {tuple(at): ("c1" if i < 4 else "p", i) for i, at in enumerate(case["order"])})
        picture.text(x - 8, 194, "A", "r")
        picture.text(x + 122, 94, "B", "r")
        picture.text(x + 250, 194, "C")
        picture.text(x, 268, f"first 4 tiles of C: {case['first']} loads, all 16: {case['all']}")
    wave = known["wave"]
    picture.lines(16, 296, ["Four tiles along M, N and K. Each tile of C reads a row of A's tiles and a column of B's, in the order of K; what was used",
                            "longest ago leaves the cache. By place_in_panels() of gemm_f16's 10_swizzle, whose panels are four wide.",
                            f"How wide is best depends on how many work at once: of {wave['tiles']} x {wave['tiles']} tiles (8192 x 8192) the first {wave['blocks']}, 7 a multiprocessor,",
                            f"need {wave['rows']} rows and columns of tiles row by row, {wave['4']} down panels of four, {wave['32']} down panels of 32."], "s")
    return picture


# ---- time ----


def schedule(blocks, load, multiply, lag, after):
    """(load begins, products begin) of each k-block: its load is asked for `after` units after the products of the k-block
    `lag` before have begun."""
    times = []
    for i in range(blocks):
        asked = times[i - lag][1] + after if i >= lag else 0
        times.append((asked, max(asked + load, times[-1][1] + multiply if times else 0)))
    return times


def pipeline(known):
    ring = known["ring"]
    picture = Picture(426, "Loads and products in time: one buffer, two, a ring of stages")
    x0, unit, load, multiply, blocks = 116, 14.5, 3, 2, 8
    picture.lines(16, 46, [f"Made-up times: a load takes {load} units, the products of a k-block {multiply}. Numbers are k-blocks. With two buffers the",
                           "next load is asked for when the products of the k-block before begin, and a barrier ends each k-block."], "s")
    y = 80
    for words, stages, lag, after, steps in (("one buffer", 1, 1, multiply, "sgemm 02 to 06"), ("two buffers", 2, 1, 0, "sgemm 07, f16 07"),
                                             ("a ring of three", ring["stages"], ring["stages"], multiply, "f16 17, 21")):
        times = schedule(blocks, load, multiply, lag, after)
        picture.text(16, y + 12, words)
        picture.text(16, y + 28, steps, "s g")
        for i, (asked, product) in enumerate(times):
            stage = ring["producer"][i][0] if stages == 3 else i % stages
            top = y + stage * 24
            phase = f" p{ring['producer'][i][1]}" if stages == 3 else ""
            free = f" p{ring['consumer'][i][1]}" if stages == 3 else ""
            for at, length, colour, label in ((asked, load, "c0", f"{i}{phase}"), (product, multiply, "c2", f"{i}{free}")):
                picture.box(x0 + at * unit, top, length * unit, 20, colour)
                picture.box(x0 + at * unit, top, length * unit, 20)
                picture.text(x0 + (at + length / 2) * unit, top + 14, label, "s m")
        end = times[-1][1] + multiply
        picture.text(x0, y + stages * 24 + 14, f"{blocks} k-blocks in {end} units: the cores multiply for {blocks * multiply * 100 // end}% of the time", "s")
        y += stages * 24 + 44
    picture.box(16, y - 6, 14, 12, "c0")
    picture.text(36, y + 4, "load, by the producer", "s")
    picture.box(176, y - 6, 14, 12, "c2")
    picture.text(196, y + 4, "products, by the consumers", "s")
    picture.lines(16, y + 26, ["In the ring a row is a stage. p0 and p1 are the parities that the producer waits for at the stage's barrier `empty`, and the",
                               "consumers at `full`, from ring::next() of 21_persistent_cluster; they change each time round. A producer's first waits are",
                               "for 1, the parity before the first phase, and so do not wait."], "s")
    return picture


def multicast(known):
    cluster = known["cluster"]
    m, n, k = cluster["tile"]
    blocks, a, b = cluster["blocks"], cluster["a"], cluster["b"]
    flops = 2 * m * n * k
    picture = Picture(366, "A cluster of two: each loads half of B, and multicasts it")
    picture.lines(16, 46, [f"gemm_f16's 21_persistent_cluster: tiles of {m} x {n}, above each other; a k-block of {k}."], "s")
    picture.box(16, 66, 80, 242, "c7")
    picture.box(16, 66, 80, 242)
    picture.text(56, 190, "L2", "m")
    for rank, (row, _) in enumerate(cluster["at"]):
        y = 66 + rank * 130
        picture.box(330, y, 370, 112, "p")
        picture.box(330, y, 370, 112)
        picture.text(340, y + 18, f"block {rank}: rows from {row} on")
        picture.box(340, y + 28, 90, 70, "c2")
        picture.text(385, y + 68, f"A {kb(a)}", "m")
        for half in range(blocks):
            picture.box(450 + half * 120, y + 28, 116, 70, f"c{half}")
            picture.text(508 + half * 120, y + 60, f"B {half}: {kb(b // blocks)}", "m")
            picture.text(508 + half * 120, y + 76, "loaded here" if half == rank else f"by block {half}", "s m")
        picture.arrow(96, 110 + rank * 130, 322, 110 + rank * 130)
        picture.text(106, 102 + rank * 130, f"A of block {rank}: {kb(a)}, to it alone", "s")
        picture.arrow(96, 140 + rank * 130, 322, 140 + rank * 130)
        picture.text(106, 156 + rank * 130, f"B {rank}: {kb(b // blocks)}, to both", "s")
    without, shared = a + b, a + b // blocks
    picture.text(16, 334, f"From L2 for each block: {kb(a)} + {kb(b)} = {kb(without)} without the cluster, {kb(a)} + {kb(b // blocks)} = {kb(shared)} with it;")
    picture.text(16, 352, f"{flops / 1e6:.2f} MFLOP over that: {flops / without:.0f} and {flops / shared:.0f} FLOP per byte.")
    return picture


def split_k(known):
    parts = known["split"]
    total, longest = parts[-1][1], max(end - begin for begin, end in parts)
    picture = Picture(330, "Split-K: a tile's sum shared by several blocks")
    unit, x0 = 8, 110
    picture.text(16, 66, "one block")
    picture.box(x0, 52, total * unit, 20, "c0")
    picture.text(x0 + total * unit / 2, 66, f"{total} k-iterations", "m")
    for rank, (begin, end) in enumerate(parts):
        y = 90 + rank * 26
        picture.text(16, y + 14, f"block {rank} of {len(parts)}")
        picture.box(x0, y, (end - begin) * unit, 20, f"c{rank + 1}")
        picture.text(x0 + (end - begin) * unit / 2, y + 14, f"{begin} to {end - 1}", "m")
    picture.arrow(x0 + longest * unit, 126, x0 + longest * unit + 40, 126)
    picture.lines(x0 + longest * unit + 48, 112, ["sums meet in distributed shared memory,", "always in the same order; one block stores"], "s")
    picture.text(16, 190, f"own_k() of hopper/: {longest} k-iterations instead of {total}, and the exchange (0.9 to 2.5 us on an H200).", "s")
    sms, tiles = 80, (640 // 128) ** 2
    for x, split in ((16, 1), (376, 3)):
        busy = tiles * split
        picture.text(x, 220, f"split by {split}: {busy} blocks, {busy / sms * 100:.0f}% of {sms} multiprocessors")
        picture.cells(x, 228, 16, 16, {(i // 20, i % 20): (f"c{i // tiles + (split > 1)}" if i < busy else "p", "") for i in range(sms)})
    picture.text(16, 316, "The thesis' example: 640 x 640 x 640 in tiles of 128 x 128 on a V100.", "s")
    return picture


def coalescing(_):
    picture = Picture(300, "Coalescing: what a load of 32 lanes fetches")
    for y, words, sectors, apart in ((56, "00_uncoalesced: lanes go down A, a row of K floats apart", 32, True),
                                     (150, "01_naive: lanes go along a row of B", 4, False)):
        picture.text(16, y, words)
        for i in range(16 if apart else 4):
            x = 16 + i * (43 if apart else 140)
            width = 36 if apart else 136
            picture.box(x, y + 10, width, 26, "c7")
            picture.box(x, y + 10, width / 8 if apart else width, 26, "c1")
            picture.box(x, y + 10, width, 26)
            picture.text(x + width / 2, y + 50, f"lane {i}" if apart else f"lanes {8 * i} to {8 * i + 7}", "s m")
        picture.text(16, y + 72, f"{sectors} sectors of 32 bytes, {sectors * 32} bytes moved for 128 that are used" + (" (16 lanes shown)" if apart else ""), "s")
    picture.lines(16, 256, ["A multiply-add of a warp in 00 needs 32 sectors of A and one of B (all lanes read the same element of it), in 01 one of A",
                            "and four of B. The two indices have changed places, and nothing else. Of what is moved of A in 00 an eighth is used."], "s")
    return picture


# ---- speed ----


def fastest(results, folder, label, shape=CUBE):
    for run in results[folder]["runs"]:
        for timing in run["timings"]:
            if timing["shape"] == shape:
                for entry in timing["entries"]:
                    if entry["label"] == label:
                        return 2 * math.prod(int(side) for side in shape.split("x")) / entry["us"] / 1e6
    return None


PATH = (
    ("1  f32 on CUDA cores", "sgemm", 0, ("00_uncoalesced", "01_naive", "02_tiled", "03_blocked", "04_thread_tile_1d", "05_thread_tile_2d",
                                          "06_vectorised", "07_async_double_buffer", "08_warp_tile", "09_warp_subdivided",
                                          "10_transposed", "11_fragments_ahead", "11b_lane_map", "11c_fma_order", "12_multistage")),
    ("2  tensor cores by wmma", "gemm_f16", 1, ("03_wmma_global", "04_shared_tiles", "05_warp_tile", "06_async_copies", "07_double_buffer",
                                              "08_padding", "09_deeper_tiles", "10_swizzle", "11_four_stages", "12_any_size")),
    ("3  by mma.sync", "gemm_bf16", 2, ("07_mma", "08_swizzled", "08b_stages", "08c_fragments_ahead", "08d_large_tiles",
                                   "08e_panels", "08f_stores", "09_swizzled_three_level")),
    ("4  by wgmma", "gemm_f16", 3, ("13_wgmma", "14_tma_wgmma", "15_producer_warp", "16_products_ahead", "17_warp_specialised",
                                 "18_persistent", "19_tma_store", "20_tile_order", "21_persistent_cluster")),
)


def path(_, results):
    rows = sum(len(steps) + 1.4 for *_, steps in PATH)
    picture = Picture(int(118 + rows * 17), "The path, and what each step reaches at 4096^3 (TFLOP/s, log scale)")
    x0, across = 236, 380
    place = lambda speed: math.log(speed / 0.4) / math.log(1000 / 0.4) * across
    y = 48
    for title, folder, colour, steps in PATH:
        picture.text(16, y + 10, f"{title}: {folder}/")
        y += 20
        for step in steps:
            speed = fastest(results, folder, step + ".cu")
            picture.text(28, y + 11, step, "s")
            if speed:
                picture.box(x0, y + 1, place(speed), 13, f"c{colour}")
            picture.text(x0 + (place(speed) if speed else 0) + 6, y + 11, f"{speed:.3g}" if speed else "not measured", "s")
            y += 17
        y += 7
    for speed in (1, 10, 100, 1000):
        picture.line((x0 + place(speed), 44), (x0 + place(speed), y))
        picture.text(x0 + place(speed), y + 14, speed, "s m g")
    gpu = results["sgemm"]["runs"][0]["gpu"]["name"]
    picture.text(16, y + 32, f"{gpu}; solutions/results has the measurements. After the path: gemm_f16/hopper.cu.", "s")
    return picture


def roofline(known, results, intensity):
    gpu = known["gpus"]["h100"]
    per_clock = 2e6 * gpu["multiprocessors"] * gpu["mhz"] / 1e12
    f32, f16, dram, l2 = gpu["f32"] * per_clock, gpu["f16"] * per_clock, gpu["dram"] / 1e12, gpu["l2"] / 1e12
    picture = Picture(430, f"One roofline by hand: {gpu['name']}")
    left, right, top, bottom = 64, 700, 50, 356
    x = lambda flop: left + (math.log10(flop) + 1) / 4 * (right - left)
    y = lambda speed: bottom - (math.log10(speed) + 0.6) / 4 * (bottom - top)
    for power in range(-1, 4):
        picture.line((x(10.0 ** power), top), (x(10.0 ** power), bottom))
        picture.text(x(10.0 ** power), bottom + 16, f"{10.0 ** power:g}", "s m g")
    for speed in (1, 10, 100, 1000):
        picture.line((left, y(speed)), (right, y(speed)))
        picture.text(left - 6, y(speed) + 4, speed, "s r g")
    picture.text(right, bottom + 32, "FLOP per byte", "s r")
    picture.text(16, top - 6, "TFLOP/s", "s")
    picture.line((x(0.1), y(dram * 0.1)), (x(f16 / dram), y(f16)), (right, y(f16)), looks="e")
    picture.line((x(f32 / dram), y(f32)), (right, y(f32)), looks="e")
    picture.line((x(0.1), y(l2 * 0.1)), (x(f16 / l2), y(f16)), (x(f16 / dram), y(f16)), looks="e")
    picture.text(right - 4, y(f32) - 6, f"CUDA cores: {f32:.1f} TFLOP/s", "s r")
    picture.text(x(f16 / l2) - 8, y(f16) - 4, f"tensor cores: {f16:.0f} TFLOP/s", "s r")
    picture.text(x(0.7), y(dram * 0.7) + 14, f"device memory: {dram:g} TB/s", "s")
    picture.text(x(2.2), y(l2 * 2.2) - 8, f"L2: {l2:g} TB/s", "s r")
    for peak in (f32, f16):
        picture.line((x(peak / dram), y(peak)), (x(peak / dram), bottom), looks="e")
        picture.text(x(peak / dram) - 6, bottom - 8, f"balance {peak / dram:.0f}", "s r")
    for folder, step, dx, anchor in (("sgemm", "01_naive", 8, ""), ("sgemm", "02_tiled", 8, ""), ("sgemm", "05_thread_tile_2d", -8, " r"),
                                     ("sgemm", "12_multistage", 8, ""), ("gemm_f16", "10_swizzle", 8, ""),
                                     ("gemm_f16", "14_tma_wgmma", -8, " r"), ("gemm_f16", "21_persistent_cluster", 8, "")):
        speed, flop = fastest(results, folder, step + ".cu"), intensity.get(f"{folder}/{step}")
        if not speed or not flop:
            continue
        picture.box(x(flop) - 4, y(speed) - 4, 8, 8, "c1" if folder == "sgemm" else "c3")
        picture.box(x(flop) - 4, y(speed) - 4, 8, 8, "e")
        picture.text(x(flop) + dx, y(speed) + (15 if anchor == "" else 4), step, "s" + anchor)
    picture.lines(16, 408, ["Squares: measured at 4096^3, over the FLOP for each byte that the kernel requests of global memory (ladders.txt): what lies",
                            "above a roof is served by a cache before it, 01_naive by L1. The arithmetic is in solutions/README.md."], "s")
    return picture


def pictures(known, results, intensity):
    """File name -> SVG."""
    drawn = {name: draw(known) for name, draw in {
        "mma": mma, "ldmatrix": ldmatrix, "wgmma": wgmma, "padding": padding, "swizzle": swizzle, "swizzle_toy": toy,
        "wgmma_operand": operand, "hierarchy": hierarchy, "lanes": lanes, "order": order, "pipeline": pipeline,
        "multicast": multicast, "split_k": split_k, "coalescing": coalescing,
        "thread_tiles": thread_tiles, "copies": copies, "gemv": gemv}.items()}
    drawn |= {"path": path(known, results), "roofline": roofline(known, results, intensity)}
    return {f"{name}.svg": picture.svg() for name, picture in drawn.items()}
