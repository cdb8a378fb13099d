import { LRUCache } from 'lru-cache';
import type { Database } from '../../db/index.ts';
import type { Locale } from '../../kernel/locale.ts';
import type { Result } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import type { CheckoutDependencies } from '../link/dependencies.ts';
import type { CheckoutLink } from '../link/link.ts';
import type { Details } from '../sign-up/details.ts';
import { type Offer, rehearse } from '../sign-up/rehearse.ts';

const KEPT_MILLISECONDS = 3_000;
const OFFERS_KEPT = 500;

/** Whose offer it is. */
export interface OfferOf {
  readonly link: CheckoutLink;
  /** Whatever else it depends on, as JSON shows it. */
  readonly terms: readonly unknown[];
  /** Null: nothing is typed yet. */
  readonly typed: Details | null;
  readonly locale: Locale;
}

/**
 * The offers of pages. One is kept for a few seconds for everybody to whom it applies: visitors of all links of a plan
 * who have the same address and tax number (docs/decisions/0189). Only a page shows a kept offer. A form that is sent
 * is held against a new one.
 */
export class Offers {
  readonly #dependencies: CheckoutDependencies;
  readonly #kept = new LRUCache<string, Promise<Result<Offer>>>({ max: OFFERS_KEPT, ttl: KEPT_MILLISECONDS });

  constructor(dependencies: CheckoutDependencies) {
    this.#dependencies = dependencies;
  }

  /** An offer of the last seconds; a refusal if the plan cannot be sold this way any more. */
  recent(database: Database, of: OfferOf, now: Instant): Promise<Result<Offer>> {
    return this.#kept.get(keyOf(of, now)) ?? this.now(database, of, now);
  }

  /** The offer as it is now. */
  now(database: Database, of: OfferOf, now: Instant): Promise<Result<Offer>> {
    const { link, typed, locale } = of;
    const key = keyOf(of, now);
    const offer = database.transaction(
      { merchants: [link.merchantId] },
      (tx) => rehearse(this.#dependencies, tx, link, { typed, versionId: null, locale }, now),
      { byKeys: 'one thing' },
    );
    this.#kept.set(key, offer);
    offer.catch(() => this.#kept.delete(key));
    return offer;
  }
}

/** What an offer depends on, of what differs between visitors. A name and an e-mail address change no price. */
function keyOf({ link, terms, typed, locale }: OfferOf, now: Instant): string {
  const { merchantId, planId, currency, customerId, known, coupons } = link;
  const minute = formatInstant(now.round({ smallestUnit: 'minute', roundingMode: 'floor' }));
  const person = customerId ?? [known?.address, known?.taxId, known?.externalId];
  return JSON.stringify([
    merchantId,
    planId,
    currency,
    coupons,
    terms,
    person,
    typed && [typed.address, typed.taxId],
    locale,
    minute,
  ]);
}
