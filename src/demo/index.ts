/** All that other folders may use of the demo. */

export { type SeededDemo, seedDemo } from './seed.ts';
