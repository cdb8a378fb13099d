import { expect, it } from 'vitest';
import { tryAgain } from './try-again.ts';

const isWorthwhile = (error: unknown): boolean => error instanceof RangeError;

/** Work that fails with these errors in turn, and then returns the number of its attempts. */
function failing(...errors: readonly Error[]) {
  let tries = 0;
  return async (): Promise<number> => {
    tries += 1;
    const error = errors[tries - 1];
    if (error) throw error;
    return tries;
  };
}

it('tries five times at most, with a pause before each further try', async () => {
  const pauses: number[] = [];
  const pause = async (tries: number) => {
    pauses.push(tries);
  };
  const locked = () => new RangeError('locked');
  expect(await tryAgain(failing(locked(), locked(), locked(), locked()), { isWorthwhile, pause })).toBe(5);
  expect(pauses).toEqual([1, 2, 3, 4]);
  const work = failing(locked(), locked(), locked(), locked(), locked());
  await expect(tryAgain(work, { isWorthwhile })).rejects.toThrow('locked');
});

it('gives up at once where no other try is worthwhile', async () => {
  const work = failing(new RangeError('locked'), new Error('broken'));
  await expect(tryAgain(work, { isWorthwhile })).rejects.toThrow('broken');
});
