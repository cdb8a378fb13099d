import { randomBytes } from 'node:crypto';

/** Random bytes that nobody can guess, for secrets. */
export const secretBytes = (count: number): Buffer => randomBytes(count);
