/** A customer with new usage. */
export interface UsedBy {
  readonly merchantId: string;
  /** The customer or subscription for which the events count. */
  readonly addressee: string;
}

/**
 * The customers with new events in this process since the last question, each once, in the order of arrival. A hint and
 * no record: it ends with the process, has nothing of other processes, and drops entries without room. So its users
 * also read the database at times.
 */
export interface UsageWatch {
  /** Fit to be handed to the intake. */
  readonly add: (merchantId: string, addressees: readonly string[]) => void;
  /** Takes out up to `most`, the longest there first. */
  take(most: number): UsedBy[];
  /** Was anybody dropped since `clearOverflow`? */
  readonly overflowed: boolean;
  clearOverflow(): void;
}

/** @param limits how many it holds at most */
export const createUsageWatch = (limits: { readonly most: number }): UsageWatch => new Watch(limits.most);

class Watch implements UsageWatch {
  readonly #most: number;
  readonly #waiting = new Map<string, UsedBy>();
  #overflowed = false;

  constructor(most: number) {
    this.#most = most;
  }

  readonly add = (merchantId: string, addressees: readonly string[]): void => {
    for (const addressee of addressees) {
      const key = `${merchantId} ${addressee}`;
      if (this.#waiting.has(key)) continue;
      if (this.#waiting.size < this.#most) this.#waiting.set(key, { merchantId, addressee });
      else this.#overflowed = true;
    }
  };

  take(most: number): UsedBy[] {
    const taken = [...this.#waiting.entries().take(most)];
    for (const [key] of taken) this.#waiting.delete(key);
    return taken.map(([, used]) => used);
  }

  get overflowed(): boolean {
    return this.#overflowed;
  }

  clearOverflow(): void {
    this.#overflowed = false;
  }
}
