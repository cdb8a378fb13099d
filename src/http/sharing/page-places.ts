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
  readonly #database: Pick<Database, 'owners'>;
  readonly #slots: Slots;
  readonly #isBehindProxy: boolean;
  readonly #rate: AddressRate;

  constructor({ database, limits = PAGE_LIMITS, isBehindProxy = false, clock }: PagePlacesOptions) {
    this.#database = database;
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
    const merchantId = id !== undefined && ID.test(id) ? await this.#database.owners.find(id) : null;
    return this.#slots.take(merchantId ?? addressGroup(address), signal);
  }
}
