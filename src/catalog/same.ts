import { canonicalJson } from '../http/index.ts';

/** Are two values equal? Decimals and instants by their JSON form, objects in any order of their keys. */
export const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);
