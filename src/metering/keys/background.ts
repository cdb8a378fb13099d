/**
 * Work that takes longer than the worker's other work should wait: one at a time, and its failure is told at the next
 * turn.
 */
export class Background {
  #running: Promise<void> | null = null;
  #failure: Error | null = null;

  async turn(work: () => Promise<void>): Promise<void> {
    const failure = this.#failure;
    this.#failure = null;
    this.#running ??= work()
      .catch((error: unknown) => {
        this.#failure = error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => {
        this.#running = null;
      });
    if (failure !== null) throw failure;
  }

  async end(): Promise<void> {
    await this.#running;
  }
}
