import type { CallOptions } from './call.ts';
import { ApiError, ConnectionError } from './errors.ts';
import type { Resources } from './generated/resources.ts';
import type { FeatureAccess, Plan, Subscription, SubscriptionCreate } from './generated/types.ts';

/** Who is asked about: by the id of Reckoner, or by your own (`externalId`). */
export type Customer =
  | { readonly customerId: string; readonly externalCustomerId?: undefined }
  | { readonly externalCustomerId: string; readonly customerId?: undefined };

export type Check = Customer & {
  /** The key of the feature. */
  readonly feature: string;
  /** How many units are needed at once. Default: more than none. */
  readonly amount?: number;
  /** How old the answer may be, in milliseconds; 0 asks the server. Default: that of the client. */
  readonly maxMilliseconds?: number;
};

export interface Checked {
  readonly allowed: boolean;
  /** Why not. `unknown_customer`: nobody has this id yet. Null: allowed. */
  readonly reason: FeatureAccess['reason'] | 'unknown_customer' | 'not_enough';
  /** The units left of a metered feature; null: it has none to count. */
  readonly balance: number | string | null;
  /** The configuration of a static feature. */
  readonly config: Readonly<Record<string, unknown>> | null;
  /** Other plans that give the feature, where it is not allowed. */
  readonly upgrades: readonly Pick<Plan, 'id' | 'name'>[];
  /** How old the answer is, in milliseconds. */
  readonly age: number;
}

interface Known {
  readonly at: number;
  readonly features: Promise<ReadonlyMap<string, FeatureAccess> | null>;
}

const MOST_CUSTOMERS = 10_000;
const UPGRADES_MILLISECONDS = 300_000;

/** Answers checks from memory: one request for all features of a customer, however many ask at once. */
export class Checker {
  readonly #api: Resources;
  readonly #milliseconds: number;
  readonly #known = new Map<string, Known>();
  readonly #upgrades = new Map<string, { readonly at: number; readonly plans: Promise<Checked['upgrades']> }>();

  constructor(api: Resources, milliseconds: number) {
    this.#api = api;
    this.#milliseconds = milliseconds;
  }

  async check(check: Check): Promise<Checked> {
    const { feature, amount, maxMilliseconds = this.#milliseconds } = check;
    const { at, features } = this.#accessOf(check, maxMilliseconds);
    const known = await features;
    const found = known?.get(feature);
    const balance = (found?.type === 'metered' ? found.balance : undefined) ?? null;
    const isShort = amount !== undefined && balance !== null && Number(balance) < amount;
    const reason = known === null ? 'unknown_customer' : found === undefined ? 'not_entitled' : found.reason;
    const allowed = found?.hasAccess === true && !isShort;
    return {
      allowed,
      reason: allowed ? null : (reason ?? 'not_enough'),
      balance,
      config: (found?.type === 'static' ? found.config : undefined) ?? null,
      upgrades: allowed || known === null ? [] : await this.#upgradesOf(check),
      age: Date.now() - at,
    };
  }

  #accessOf(customer: Customer, most: number): Known {
    const key = keyOf(customer);
    const known = this.#known.get(key);
    if (known !== undefined && Date.now() - known.at < most) return known;
    const asked = { at: Date.now(), features: this.#ask(customer) };
    this.#known.delete(key); // the newest stands last
    this.#known.set(key, asked);
    if (this.#known.size > MOST_CUSTOMERS) this.#known.delete(this.#known.keys().next().value as string);
    asked.features.catch(() => this.#known.get(key) === asked && this.#known.delete(key));
    return asked;
  }

  async #ask(customer: Customer): Promise<ReadonlyMap<string, FeatureAccess> | null> {
    try {
      const { features } =
        customer.customerId === undefined
          ? await this.#api.customers.getExternalAccess({ externalCustomerId: customer.externalCustomerId })
          : await this.#api.customers.getAccess(customer.customerId);
      return new Map(features.map((each) => [each.featureKey, each]));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** A hint: where it cannot be had, there is none. */
  #upgradesOf(check: Check): Promise<Checked['upgrades']> {
    const key = `${keyOf(check)} ${check.feature}`;
    const known = this.#upgrades.get(key);
    if (known !== undefined && Date.now() - known.at < UPGRADES_MILLISECONDS) return known.plans;
    const plans = this.#plansWith(check).catch((error: unknown) => {
      this.#upgrades.delete(key);
      if (error instanceof ApiError || error instanceof ConnectionError) return [];
      throw error;
    });
    if (this.#upgrades.size > MOST_CUSTOMERS) this.#upgrades.clear();
    this.#upgrades.set(key, { at: Date.now(), plans });
    return plans;
  }

  /** What is known of a customer is asked anew, by whichever id: the plan has changed. */
  forget(customerId: string, externalId: string | undefined): void {
    for (const key of [customerId, `:${externalId}`]) {
      this.#known.delete(key);
      for (const each of this.#upgrades.keys()) if (each.startsWith(`${key} `)) this.#upgrades.delete(each);
    }
  }

  async #plansWith(check: Check): Promise<Checked['upgrades']> {
    const customerId = check.customerId ?? (await customerOf(this.#api, check.externalCustomerId))?.id;
    if (customerId === undefined) return [];
    const [plans, living] = await Promise.all([this.#api.plans.list().all(), livingOf(this.#api, customerId)]);
    const has = new Set(living.map(({ planId }) => planId));
    const wanted = plans.filter((plan) => !has.has(plan.id) && gives(check.feature)(plan));
    return wanted.map(({ id, name }) => ({ id, name }));
  }
}

const gives =
  (key: string) =>
  ({ prices }: Plan): boolean =>
    prices.some(({ features }) => features.some(({ feature }) => feature.key === key));

const keyOf = ({ customerId, externalCustomerId }: Customer): string => customerId ?? `:${externalCustomerId}`;

const customerOf = async (api: Resources, externalId: string) => (await api.customers.list({ externalId })).data[0];

export type Attach = Customer & {
  readonly planId: string;
  readonly quantities?: Readonly<Record<string, number>>;
  /** When a change of plan takes effect. Default: `now`. */
  readonly effective?: 'now' | 'periodEnd';
  /** Further fields of a new subscription. */
  readonly subscription?: Partial<Omit<SubscriptionCreate, 'planId' | 'customerId' | 'customer' | 'quantities'>>;
};

export interface Attached {
  readonly subscription: Subscription;
  /** What happened: it was made, its plan or its quantities changed, or it was so before. */
  readonly outcome: 'created' | 'changed' | 'unchanged';
  /** Where the customer pays first; null: nothing is due. */
  readonly paymentUrl: string | null;
}

/**
 * Puts a customer on a plan. A customer with an active subscription of the same product changes to the plan; else a
 * subscription begins. What waits for its payment is handed out again.
 */
export async function attach(api: Resources, wish: Attach, options?: CallOptions): Promise<Attached> {
  const { planId, quantities, effective = 'now', subscription: more = {} } = wish;
  const customerId = wish.customerId ?? (await customerOf(api, wish.externalCustomerId as string))?.id;
  if (customerId === undefined) throw new Error(`No customer has the externalId ${wish.externalCustomerId}.`);
  const { pagination } = await api.subscriptions.list({ customerId, limit: 1 }); // before the others are looked at
  const [plan, living] = await Promise.all([api.plans.get(planId, options), livingOf(api, customerId)]);
  const waiting = living.find((each) => each.status === 'pending_payment' && each.planId === planId);
  if (waiting) return shown(waiting, 'unchanged');
  const present = await sameProduct(api, living, plan);
  if (!present) {
    const body = {
      ...{ name: plan.name, startedAt: new Date().toISOString() },
      idempotencyKey: `attach ${customerId} ${pagination.total}`, // of two at once, one begins
      ...more,
      ...(quantities && { quantities }),
    };
    try {
      return shown(await api.subscriptions.create({ ...body, planId, customerId }, options), 'created');
    } catch (error) {
      const isTwin = error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_REUSED';
      if (isTwin && more.idempotencyKey === undefined) return attach(api, wish, options);
      throw error;
    }
  }
  if (present.planId === planId && !differs(present, quantities)) return shown(present, 'unchanged');
  const change = { ...(present.planId !== planId && { planId }), ...(quantities && { quantities }), effective };
  await api.subscriptions.changePlan(present.id, change, options);
  return shown(await api.subscriptions.get(present.id, options), 'changed');
}

const livingOf = async (api: Resources, customerId: string): Promise<Subscription[]> =>
  (
    await Promise.all(
      (['active', 'pending_payment'] as const).map((status) => api.subscriptions.list({ customerId, status }).all()),
    )
  ).flat();

async function sameProduct(
  api: Resources,
  living: readonly Subscription[],
  plan: Plan,
): Promise<Subscription | undefined> {
  for (const each of living) {
    if (each.status !== 'active') continue;
    const { productId } = each.planId === plan.id ? plan : await api.plans.get(each.planId);
    if (productId === plan.productId) return each;
  }
  return undefined;
}

const differs = ({ quantities: now }: Subscription, wanted: Attach['quantities'] = {}): boolean =>
  Object.entries(wanted).some(([priceId, quantity]) => Number(now[priceId]) !== quantity);

const shown = (subscription: Subscription, outcome: Attached['outcome']): Attached => ({
  subscription,
  outcome,
  paymentUrl: subscription.payment?.status === 'pending' ? subscription.payment.checkoutUrl : null,
});
