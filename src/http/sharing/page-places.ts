import type { Database } from '../../db/index.ts';
import { addressGroup } from '../../kernel/network-address.ts';
import { AddressRate } from './address-rate.ts';
import { type Slot, type SlotLimits, Slots } from './slots.ts';

/** Pages that one address may ask for without an API key. */
const OF_ADDRESS = { perSecond: 10, burst: 300 };
const ID = /^[a-z]+_[A-Za-z0-9]{1,64}$/;

/** Pages for people in work at the same time: what is left of the connections is the API's (docs/decisions/0189). */
export const PAGE_LIMITS: SlotLimits = { ofMerchant: 1, ofAll: 2, waiting: 1_000, waitMilliseconds: 15_000 };

export interface PagePlacesOptions {
  readonly database: Database;
  readonly limits?: SlotLimits;
  /** Addresses come from a trusted proxy: one of this machine is then nothing special. */
  readonly isBehindProxy?: boolean;
  /** Milliseconds of a clock that only goes forward. */
  readonly clock?: () => number;
}

/**
 * The places of requests for pages, which need no key. An address has a rate. A merchant has a few pages in work, and
 * all merchants together fewer than the API has connections; the others wait, each merchant's in a line of its own. So
 * strangers who open many pages wait for each other, and nobody else does.
 */
export class PagePlaces {
  readonly #questions: OwnerQuestions;
  readonly #slots: Slots;
  readonly #isBehindProxy: boolean;
  readonly #rate: AddressRate;

  constructor({ database, limits = PAGE_LIMITS, isBehindProxy = false, clock }: PagePlacesOptions) {
    this.#questions = new OwnerQuestions(database);
    this.#slots = new Slots(limits);
    this.#isBehindProxy = isBehindProxy;
    this.#rate = new AddressRate(OF_ADDRESS, clock);
  }

  /** Counts a request from this address. @returns the seconds that it has to wait; null where it need not */
  count(address: string): number | null {
    return this.#rate.count(address, this.#isBehindProxy);
  }

  /**
   * Waits for a slot of the merchant whose resource the path names; a page without one is its visitor's own.
   * @returns null where too many wait already, or the wait has been too long
   * @throws the reason of the signal where that is aborted first
   */
  async take(id: string | undefined, address: string, signal: AbortSignal): Promise<Slot | null> {
    const merchantId = id !== undefined && ID.test(id) ? await this.#questions.ask(id) : null;
    return this.#slots.take(merchantId ?? addressGroup(address), signal);
  }
}

/**
 * Finds the merchants of ids that strangers send. One question is under way at a time, with all ids that came since
 * the last one began: hundreds of strangers at once occupy one connection.
 */
class OwnerQuestions {
  readonly #database: Pick<Database, 'owners'>;
  #next: { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, string>> } | null = null;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(database: Pick<Database, 'owners'>) {
    this.#database = database;
  }

  /** @returns null where the id is of no resource */
  async ask(id: string): Promise<string | null> {
    const known = this.#database.owners.known(id);
    if (known !== undefined) return known;
    this.#next ??= this.#begin();
    const asked = this.#next;
    asked.ids.add(id);
    return (await asked.found).get(id) ?? null;
  }

  #begin() {
    const ids = new Set<string>();
    const found = this.#underWay.then(() => {
      this.#next = null;
      return this.#database.owners.findAll([...ids]);
    });
    this.#underWay = found.catch(() => undefined);
    return { ids, found };
  }
}
