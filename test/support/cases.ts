const { PROPERTY_RUNS, TEST_RUN } = process.env;

/** Is this the random run (`npm run test:random`), which tries the most values? */
const isRandom = TEST_RUN === 'random';

/** Is this the deep run (`npm run test:deep`), which tries many random values, races and orders, or the random run? */
export const isDeep: boolean = isRandom || TEST_RUN === 'deep';

/** A number of rounds: few in `npm test`, a third of the way to many in the deep run, many in the random run. */
export function rounds(few: number, many: number): number {
  if (isRandom) return many;
  return isDeep ? few + Math.ceil((many - few) / 3) : few;
}

/** The same for the options of a property; `PROPERTY_RUNS` sets another number of cases. */
export const cases = (few: number, many: number): { numRuns: number } => ({
  numRuns: PROPERTY_RUNS === undefined ? rounds(few, many) : Number(PROPERTY_RUNS),
});
