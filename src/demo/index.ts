/** All that other folders may use of the demo. */

export { type OpenedDemo, openDemo, type SeedingStep } from './seed.ts';
