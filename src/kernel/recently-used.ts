import { LRUCache } from 'lru-cache';

const one = (): number => 1;

/**
 * Keeps what was used last. It takes memory as it fills, unlike a cache with `max`, which takes all of it when it is
 * made.
 * @param most entries
 */
export const recentlyUsed = <Key extends object | string | number, Value extends object | string | number | boolean>(
  most: number,
  options: Pick<LRUCache.OptionsBase<Key, Value, unknown>, 'ttl' | 'ttlResolution' | 'perf' | 'fetchMethod'> = {},
): LRUCache<Key, Value> => new LRUCache<Key, Value>({ ...options, maxSize: most, sizeCalculation: one });
