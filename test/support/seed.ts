/**
 * The seed of all random choices in tests: lives, orders, values of properties, the moments of kills. `SEED` sets
 * another one; without it each run chooses the same (decision 0174).
 */
export const SEED = Number(process.env.SEED ?? 20260201);
