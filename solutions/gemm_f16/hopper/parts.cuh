/* A solution in parts (harness/compile/in_parts.h): the launches of its configurations, each in an
 * object of its own. Compiled as a whole, this object has all of them. The f32 solutions share it.
 *
 *     #if SOLUTION_SOLVES
 *     extern "C" void solve(...)         // calls part_linked(number, launches[number])
 *     extern "C" int solution_part(...)  // returns the number
 *     #else
 *     static const part_entry entry(launches[SOLUTION_PART]); // compiled if part_is_here(number)
 *     #endif */
#ifndef HOPPER_PARTS_CUH
#define HOPPER_PARTS_CUH

#ifndef SOLUTION_PART
#define SOLUTION_SOLVES 1

constexpr bool part_is_here(int)
{
	return true;
}

template <class Function> static Function *part_linked(int, Function *here)
{
	return here;
}
#else
#define SOLUTION_SOLVES (SOLUTION_PART < 0)

constexpr int PARTS_MOST = 256;
extern void (*part_launches[PARTS_MOST])(void); // NULL: that object is not linked
#if SOLUTION_SOLVES
void (*part_launches[PARTS_MOST])(void);
#endif

/* Whether this object is to have the part's launch. */
constexpr bool part_is_here(int part)
{
	return part == SOLUTION_PART;
}

/* The part's launch, in whichever object it is; NULL: in none. */
template <class Function> static Function *part_linked(int part, Function *)
{
	return reinterpret_cast<Function *>(part_launches[part]);
}

/* Enters the launch of this object's part when the library is loaded. */
struct part_entry {
	template <class Function> part_entry(Function *launch)
	{
		part_launches[SOLUTION_PART] = reinterpret_cast<void (*)(void)>(launch);
	}
};
#endif

#endif
