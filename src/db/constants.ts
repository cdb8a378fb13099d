/** Facts of a database that never change while a process runs (`Tx.constant`). */
export class Constants {
  readonly #known = new Map<string, unknown>();

  /** The value of a key. What fails to load is loaded again the next time. */
  async of<T>(key: string, load: () => Promise<T>): Promise<T> {
    if (this.#known.has(key)) return this.#known.get(key) as T;
    const value = await load();
    this.#known.set(key, value);
    return value;
  }
}
