import { randomBytes } from 'node:crypto';

/** Unpredictable random bytes, for secrets. */
export const secretBytes = (count: number): Buffer => randomBytes(count);
