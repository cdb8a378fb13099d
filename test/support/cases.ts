/** Is this the deep run (`npm run test:deep`), which tries many random values, races and orders? */
export const isDeep: boolean = process.env.TEST_RUN === 'deep';

/** A number of rounds: few in `npm test`, many in `npm run test:deep`. */
export const rounds = (few: number, many: number): number => (isDeep ? many : few);

/** A number of cases that a person asks for, in place of each property's own. */
const { PROPERTY_RUNS } = process.env;

/** The same for the options of a property; `PROPERTY_RUNS` sets another number of cases. */
export const cases = (few: number, many: number): { numRuns: number } => ({
  numRuns: PROPERTY_RUNS === undefined ? rounds(few, many) : Number(PROPERTY_RUNS),
});
