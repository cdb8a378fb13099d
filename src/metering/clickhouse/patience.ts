/** After failures so many turns are passed over at most. */
const MOST_PASSED_OVER = 60;

/**
 * Work that comes in turns and is tried half as often with each failure in a row: of a server that is away nobody need
 * be told each second, nor need it be asked.
 */
export class Patience {
  #failures = 0;
  #toPassOver = 0;

  async turn(work: () => Promise<void>): Promise<void> {
    if (this.#toPassOver > 0) {
      this.#toPassOver -= 1;
      return;
    }
    try {
      await work();
      this.#failures = 0;
    } catch (error) {
      this.#toPassOver = Math.min(2 ** this.#failures - 1, MOST_PASSED_OVER);
      this.#failures += 1;
      throw error;
    }
  }
}
