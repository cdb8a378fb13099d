import { setFlagsFromString } from 'node:v8';

const GROWING_PERCENT = 50;

/**
 * Has garbage collected when the heap has grown by half over what is in use. By itself V8 waits for up to four times
 * that on a machine with much memory, so what a burst leaves behind stays: memory that the database could use
 * (docs/decisions/0030).
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}
