/**
 * How many requests may be in work, and how many may wait. Both environments count for themselves, each process too.
 */
export interface SlotLimits {
  /** Requests of one merchant in work at the same time. */
  readonly ofMerchant: number;
  /**
   * Requests of all merchants in work at the same time: fewer than there are connections, so that probes and keys find
   * one.
   */
  readonly ofAll: number;
  /** Requests of one merchant that wait for a slot. */
  readonly waiting: number;
  /** How long a request waits at most. */
  readonly waitMilliseconds: number;
}

/** The limits of a process (docs/decisions/0042-slots.md). The pool has 20 connections. */
export const SLOT_LIMITS: SlotLimits = { ofMerchant: 6, ofAll: 16, waiting: 200, waitMilliseconds: 10_000 };

/** The right of one request to be in work. */
export interface Slot {
  /** Gives the slot to the next one. A second call does nothing. */
  end(): void;
}

interface Waiter {
  readonly start: (slot: Slot) => void;
}

interface Line {
  readonly merchantId: string;
  working: number;
  /** The number of its last slot; 0: none so far. */
  lastSlot: number;
  /** In the order in which the requests came. */
  readonly waiting: Set<Waiter>;
}

/**
 * Shares the work of this process among merchants. A merchant has a few requests in work, the others wait in a line of
 * its own, first come, first served. A slot that ends goes to the merchant whose last slot is longest ago. A request
 * takes one slot and never waits for a second one, so that nobody waits in a circle.
 */
export class Slots {
  readonly #limits: SlotLimits;
  /** Of the merchants that have requests here. */
  readonly #lines = new Map<string, Line>();
  #started = 0;
  #working = 0;
  #waiting = 0;
  #refused = 0;

  constructor(limits: SlotLimits = SLOT_LIMITS) {
    this.#limits = limits;
  }

  /** Requests in work and waiting now, and how many were refused since the start. */
  get load(): { working: number; waiting: number; refused: number } {
    return { working: this.#working, waiting: this.#waiting, refused: this.#refused };
  }

  /**
   * Waits for a slot of this merchant.
   * @returns null where too many wait already, or the wait has been too long
   * @throws the reason of the signal where that is aborted first
   */
  async take(merchantId: string, signal: AbortSignal): Promise<Slot | null> {
    signal.throwIfAborted();
    const line = this.#lineOf(merchantId);
    if (line.waiting.size === 0 && this.#hasRoom(line)) return this.#start(line);
    const slot = line.waiting.size < this.#limits.waiting ? await this.#wait(line, signal) : null;
    if (slot === null) {
      this.#refused += 1;
      this.#forgetIdle(line);
    }
    return slot;
  }

  #lineOf(merchantId: string): Line {
    const known = this.#lines.get(merchantId);
    if (known) return known;
    const line = { merchantId, working: 0, lastSlot: 0, waiting: new Set<Waiter>() };
    this.#lines.set(merchantId, line);
    return line;
  }

  #hasRoom(line: Line): boolean {
    return this.#working < this.#limits.ofAll && line.working < this.#limits.ofMerchant;
  }

  #wait(line: Line, signal: AbortSignal): Promise<Slot | null> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        line.waiting.delete(waiter);
        this.#waiting -= 1;
        this.#forgetIdle(line);
      };
      const waiter: Waiter = {
        start: (slot) => {
          leave();
          resolve(slot);
        },
      };
      const giveUp = () => {
        leave();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        leave();
        resolve(null);
      }, this.#limits.waitMilliseconds);
      signal.addEventListener('abort', giveUp);
      line.waiting.add(waiter);
      this.#waiting += 1;
    });
  }

  #start(line: Line): Slot {
    this.#working += 1;
    this.#started += 1;
    line.working += 1;
    line.lastSlot = this.#started;
    let hasEnded = false;
    return {
      end: () => {
        if (hasEnded) return;
        hasEnded = true;
        this.#working -= 1;
        line.working -= 1;
        this.#forgetIdle(line);
        this.#startNext();
      },
    };
  }

  /** Starts those who wait as long as there is room. */
  #startNext(): void {
    for (let line = this.#nextLine(); line; line = this.#nextLine()) {
      const [first] = line.waiting;
      first?.start(this.#start(line));
    }
  }

  /** The line of those that may start one whose last slot is longest ago. */
  #nextLine(): Line | undefined {
    let next: Line | undefined;
    for (const line of this.#lines.values()) {
      if (line.waiting.size === 0 || !this.#hasRoom(line)) continue;
      if (!next || line.lastSlot < next.lastSlot) next = line;
    }
    return next;
  }

  #forgetIdle({ merchantId, working, waiting }: Line): void {
    if (working === 0 && waiting.size === 0) this.#lines.delete(merchantId);
  }
}
