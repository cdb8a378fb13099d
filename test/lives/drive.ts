import { sql } from '../../src/db/index.ts';
import { decimal, plain } from '../../src/kernel/decimal.ts';
import type { FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import type { Answer, Merchant, TestEnvironment } from '../support/environment.ts';
import { type Exact, exact, nearest, plus, read, times } from '../support/exact.ts';
import { newOrder } from '../support/orders.ts';
import { type Resource, shopOf } from '../support/shop.ts';
import { scaled } from './agreed.ts';
import { COMMITTED_FOR, committedFrom, startOfLife, WIDE_PRIORITY } from './committed.ts';
import type { Deed } from './history.ts';
import {
  DIGITS,
  instantOf,
  type Life,
  type Metric,
  type Of,
  type Override,
  type Plan,
  type Price,
  type Step,
  secondsOf,
} from './life.ts';
import { lookAtCredits } from './looking.ts';
import { type Paying, payingOf, storeTestCard } from './paying.ts';

/** A lived life: the steps that the program accepted, and its answers at the end. */
export interface Lived {
  readonly merchantId: string;
  readonly deeds: readonly Deed[];
  /** The refused steps, with their codes. */
  readonly refused: readonly string[];
  /** Subscriptions that were never active. */
  readonly neverActive: ReadonlySet<string>;
  readonly subscriptionIds: ReadonlyMap<string, string>;
  /** With their lines. */
  readonly invoices: readonly Resource[];
  /** With their lines; of all invoices. */
  readonly notes: readonly Resource[];
  readonly payments: readonly Resource[];
  /** Of the customer and of who pays for it, a decimal text. */
  readonly wallet: string;
  /** The billing credits of the customer, and of who pays for it. */
  readonly credits: readonly Resource[];
  /** The commitments, each with the step that made it. */
  readonly commitments: readonly {
    readonly step: Of<'commit'>;
    readonly commitment: Resource;
    /** When a step ended it. */
    readonly endedAt: number | null;
  }[];
  /** Those of all subscriptions, alike. */
  readonly wide: readonly {
    readonly step: Of<'commitAll'>;
    readonly commitment: Resource;
    readonly endedAt: number | null;
  }[];
  /** The prepaid ones, and when a step ended them. */
  readonly prepaid: readonly {
    readonly step: Of<'prepay'>;
    readonly commitment: Resource;
    readonly endedAt: number | null;
  }[];
  /** The customer that pays at times. */
  readonly payerId: string;
  /** What the customer owes again of what voided refunds had given back, and what was not there any more. */
  readonly owedAgain: string;
  /** What the customer had spent of reversed payments, and no invoice has collected. */
  readonly toCollect: string;
  /** What no invoice could bear of deductions that credit notes had undone: it is in the wallet, and in no document. */
  readonly carried: string;
  /** The statements of the customer and of who pays for it: of all time, and split at some instants. */
  readonly statements: readonly { readonly whole: Resource; readonly halves: readonly (readonly Resource[])[] }[];
  /** Charges of the card, and what left of each: by refunds at the provider and by disputes that are not won. */
  readonly charges: readonly { readonly amount: string; readonly left: string }[];
  /** What was known of the billing credits after each step, in lives with a top-up. */
  readonly looks: readonly Look[];
  /** What the customer has paid for credits and not used yet, by the books. */
  readonly deferred: string;
  /** Faults on the way: an error, or a preview that differed from the result. */
  readonly wrong: readonly string[];
}

/** A step of a life with a top-up, and its billing credits: right after it, and after the look that follows usage. */
export interface Look {
  readonly step: Step;
  readonly at: number;
  readonly before: Known;
  readonly after: Known;
}

interface Known {
  readonly available: string;
  /** Null: there is none. */
  readonly topUp: Resource;
  /** The credits that were topped up. */
  readonly credits: readonly Resource[];
}

/** The program's facts of a life. Only these may differ from the oracle's, never the form of a step. */
export async function live(env: TestEnvironment, life: Life, provider?: FakeProvider): Promise<Lived> {
  const merchant = await env.merchant();
  const paying = provider && life.hasCard ? await payingOf(env, merchant, provider) : null;
  return new Driver(env, merchant, life, paying).live();
}

const NOT_UPCOMING: ReadonlySet<string> = new Set(['commitment', 'true_up', 'reversed_payment']);
const SETTLED_AFTER_DAYS = 45;
const REFUSALS = new Set([400, 404, 409]);

/** Steps that change nothing of billing credits. */
const QUIET: ReadonlySet<Step['do']> = new Set(['card', 'endTopUp', 'exempt']);

class Driver {
  readonly #env: TestEnvironment;
  readonly #merchant: Merchant;
  readonly #life: Life;
  readonly #shop;
  #now = 0;
  #clock: Resource;
  #order: Resource = undefined;
  #customer: Resource;
  /** Another customer, which pays for this one at times. */
  #payer: Resource;
  readonly #metrics: Resource[] = [];
  readonly #prices: Resource[] = [];
  readonly #plans: Resource[] = [];
  #keys = 0;
  #sent = 0;
  readonly #subs = new Map<string, Resource>();
  readonly #scheduled = new Map<string, string>();
  readonly #grants = new Map<string, string>();
  readonly #credits: string[] = [];
  readonly #commitments: { readonly step: Of<'commit'>; readonly id: string; readonly endedAt: number | null }[] = [];
  readonly #wide: { readonly step: Of<'commitAll'>; readonly id: string; readonly endedAt: number | null }[] = [];
  readonly #prepaid: { readonly step: Of<'prepay'>; readonly id: string; readonly endedAt: number | null }[] = [];
  readonly #redemptions = new Map<string, string[]>();
  readonly #ends = new Map<string, number>();
  readonly #deeds: Deed[] = [];
  readonly #refused: string[] = [];
  readonly #wrong: string[] = [];
  readonly #looks: Look[] = [];
  readonly #cards = new Map<string, { readonly works: string; readonly declined: string }>();
  readonly #notes: {
    readonly noteId: string;
    readonly invoiceId: string;
    readonly lineId: string;
    /** The units, of a note by quantity. */
    readonly units: Exact;
  }[] = [];
  readonly #paying: Paying | null;

  constructor(env: TestEnvironment, merchant: Merchant, life: Life, paying: Paying | null) {
    this.#env = env;
    this.#merchant = merchant;
    this.#paying = paying;
    this.#life = life;
    this.#shop = shopOf(merchant);
  }

  async live(): Promise<Lived> {
    await this.#open();
    const { steps } = this.#life;
    for (const [place, step] of steps.entries()) await this.#take(step, steps[place + 1]?.do);
    await this.#finish();
    return this.#look();
  }

  async #open(): Promise<void> {
    const { start, metrics, prices, plans, currency, taxBehavior, taxRate } = this.#life;
    const shop = this.#shop;
    for (const [index, metric] of metrics.entries()) this.#metrics.push(await this.#metric(index, metric));
    const made = this.#prices;
    for (const [index, price] of prices.entries()) made.push(await this.#price(index, price));
    for (const [place, plan] of plans.entries())
      this.#plans.push(
        await shop.plan(
          plan.prices.map((price) => made[price]),
          {
            ...{ currency, taxBehavior, defaultTaxRate: taxRate, billingCadence: plan.cadence },
            gracePeriod: `PT${plan.graceHours}H`,
            ...(plan.trialDays !== undefined && { trialPeriod: `P${plan.trialDays}D` }),
            ...(plan.anchor !== undefined && { billingAnchor: instantOf(this.#life, plan.anchor) }),
            ...(plan.minimum !== undefined && { minimumAmount: plan.minimum }),
            ...this.#abroad(place, plan),
          },
        ),
      );
    const grouping = this.#life.isGrouped ? { invoiceGrouping: 'customer' } : {};
    this.#customer = await shop.customer({ currency, ...grouping });
    this.#payer = await shop.customer({ currency, ...grouping });
    for (const each of [this.#customer, this.#payer]) await this.#storeCards(each);
    this.#clock = await shop.clock(start);
  }

  /** A plan of a life abroad is in a currency of its own, and has the minimum of the life's currency beside its own. */
  #abroad(place: number, { minimum }: Plan): object {
    const { isAbroad, currency } = this.#life;
    if (!isAbroad) return {};
    const own = { currency: ['EUR', 'GBP', 'CHF'][place % 3] };
    return minimum === undefined ? own : { ...own, minimumAmount: '7.77', currencyMinimums: { [currency]: minimum } };
  }

  /** The same of a price: at home it is three times as dear, and has bounds of its own. */
  #priceAbroad({ properties, minimum, maximum }: Price): object {
    const { isAbroad, currency } = this.#life;
    if (!isAbroad) return {};
    const minimumAmount = minimum ?? null;
    const here = { properties, minimumAmount, ...(maximum !== undefined && { maximumAmount: maximum }) };
    return {
      properties: scaled(properties, '3'),
      ...{ minimumAmount: '0.5', maximumAmount: '0.75' },
      currencyPrices: { [currency]: here },
    };
  }

  #metric(index: number, { aggregation, ...more }: Metric): Promise<Resource> {
    return this.#shop.metric({
      name: `m${index}`,
      aggregation,
      ...more,
      eventType: `call-${index}`,
      ...(aggregation === 'COUNT' && { valueProperty: undefined }),
      ...(this.#life.prices.some(({ metric, model }) => metric === index && model === 'matrix') && {
        groupBy: { region: '$.region' },
      }),
    });
  }

  async #price(index: number, price: Price): Promise<Resource> {
    const { metric, cadence, term, model, properties, minimum, maximum, ...more } = price;
    const fields = {
      invoiceDisplayName: `p${index}`,
      ...{ paymentTerm: term, model, properties },
      ...(cadence !== undefined && { billingCadence: cadence }),
      ...(minimum !== undefined && { minimumAmount: minimum }),
      ...(maximum !== undefined && { maximumAmount: maximum }),
      ...(more.taxRate !== undefined && { taxRate: more.taxRate }),
      ...this.#priceAbroad(price),
    };
    if (metric === undefined) return this.#shop.feePrice({ ...fields, quantity: more.quantity ?? 1 });
    const covered = more.allowance === undefined ? {} : await this.#covered(more.allowance);
    return this.#shop.usagePrice({ ...fields, ...covered, billableMetricId: this.#metrics[metric].id });
  }

  /** The units that a price grants each month; they do not roll over. */
  async #covered(allowance: number): Promise<object> {
    const { productId } = this.#metrics[0];
    const feature = await this.#shop.create('/v0/features', {
      key: 'units',
      name: 'Units',
      productId,
      type: 'metered',
    });
    const entitlementTemplate = {
      ...{ type: 'metered', usagePeriod: { interval: 'P1M' }, isSoftLimit: true },
      ...(allowance > 0 && { issueAfterReset: allowance }),
    };
    return { grantDiscountEnabled: true, feature: { featureId: feature.id, entitlementTemplate } };
  }

  /** A card that works, and in a life with top-ups one that does not. */
  async #storeCards(customer: Resource): Promise<void> {
    if (this.#paying) return this.#paying.store(customer);
    if (!this.#isToppedUp) return;
    const declined = await storeTestCard(this.#shop, customer, 'pm_then_declined');
    this.#cards.set(customer.id, { works: await storeTestCard(this.#shop, customer, 'pm_ok'), declined });
    await this.#useCard(customer, true);
  }

  async #useCard(customer: Resource, works: boolean): Promise<void> {
    const cards = this.#cards.get(customer.id);
    if (!cards) return;
    const path = `/v0/customers/${customer.id}/paymentMethods`;
    await this.#shop.act(`${path}/${works ? cards.works : cards.declined}/default`);
  }

  get #isToppedUp(): boolean {
    return this.#life.steps.some((step) => step.do === 'topUp');
  }

  /** All billing credits of a customer: top-ups of small amounts are many. */
  async #allCredits({ id } = this.#customer): Promise<Resource[]> {
    const most = 100;
    const all: Resource[] = [];
    for (let offset = 0; offset === all.length; offset += most) {
      const path = `/v0/customers/${id}/billingCredits?limit=${most}&offset=${offset}`;
      all.push(...(await this.#shop.read(path)).data);
    }
    return all;
  }

  async #known(): Promise<Known> {
    const path = `/v0/customers/${this.#customer.id}`;
    const { available } = await this.#shop.read(`${path}/billingCredits/balance?currency=${this.#life.currency}`);
    const topUp = await this.#merchant.get(`${path}/creditTopUp`);
    const credits = (await this.#allCredits()).filter(({ source }) => source === 'top_up');
    return { available, topUp: topUp.status === 200 ? topUp.body : null, credits };
  }

  /**
   * After each step somebody looks at the credits, as the program does within a second after usage; of several events
   * at once after the last one.
   */
  async #take(step: Step, next?: Step['do']): Promise<void> {
    await this.#act(step);
    if (!this.#isToppedUp || (step.do === 'use' && next === 'use')) return;
    const before = await this.#known();
    // A clock looks at its own instants; the bank of a card elsewhere answers outside of them.
    const isQuiet = QUIET.has(step.do) || (step.do === 'advance' && this.#paying === null);
    if (!isQuiet) await lookAtCredits(this.#env);
    this.#looks.push({ step, at: this.#now, before, after: isQuiet ? before : await this.#known() });
  }

  async #act(step: Step): Promise<void> {
    const answer = await this.#do(step);
    if (answer === null) return;
    if (answer === 'done') {
      this.#deeds.push({ step, at: this.#now });
      return;
    }
    const { status, text, body } = answer;
    if (status < 300) this.#deeds.push({ step, at: this.#now });
    else if (REFUSALS.has(status)) this.#refused.push(`${step.do} ${body.code ?? body.errors?.[0]?.field ?? status}`);
    else this.#wrong.push(`${JSON.stringify(step)} answered ${status}: ${text}`);
  }

  /** null: there is no record for it. */
  #do(step: Step): Promise<Answer | 'done' | null> {
    switch (step.do) {
      case 'advance':
        return this.#advance(step.to);
      case 'subscribe':
        return this.#subscribe(step);
      case 'change':
        return this.#change(step);
      case 'unschedule':
        return this.#unschedule(step.sub);
      case 'closeNow':
        return this.#closeNow(step);
      case 'pause':
        return this.#pause(step);
      case 'resume':
        return this.#on(step.sub, '/resume', { anchor: step.anchor });
      case 'moveTrial':
        return this.#patch(step.sub, { trialEnd: instantOf(this.#life, step.to) });
      case 'moveResume':
        return this.#patch(step.sub, { resumesAt: step.at === null ? null : instantOf(this.#life, step.at) });
      case 'end':
        return this.#end(step);
      case 'planEnd':
        return this.#patch(step.sub, { endingAt: step.at === null ? null : instantOf(this.#life, step.at) });
      case 'endPast':
        return this.#endPast(step);
      case 'use':
        return this.#use(step);
      case 'discount':
        return this.#on(step.sub, '/adjustments', {
          type: 'percentageDiscount',
          percentageDiscount: step.part,
          effectiveFrom: instantOf(this.#life, step.from),
          effectiveTo: step.to === undefined ? null : instantOf(this.#life, step.to),
          description: '',
        });
      case 'coupon':
        return this.#coupon(step);
      case 'endCoupon':
        return this.#endCoupon(step);
      case 'pay':
        return this.#pay(step);
      case 'grant':
        return this.#grant(step);
      case 'oneOff':
        return this.#oneOff(step);
      case 'payer':
        return this.#merchant.patch(`/v0/customers/${this.#customer.id}`, { payerId: step.is ? this.#payer.id : null });
      case 'exempt':
        return this.#exempt(step);
      case 'reissue':
        return this.#reissue(step);
      case 'reverse':
        return this.#reverse(step.at);
      case 'payByCard':
        return this.#payByCard(step.at);
      case 'dispute':
        return this.#dispute(step);
      case 'note':
        return this.#note(step);
      case 'voidNote':
        return this.#voidNote();
      case 'credit':
        return this.#credit(step);
      case 'topUp':
        return this.#topUp(step);
      case 'endTopUp':
        return this.#merchant.delete(`/v0/customers/${this.#customer.id}/creditTopUp`);
      case 'card':
        return this.#changeCards(step);
      case 'commit':
        return this.#commit(step);
      case 'commitAll':
        return this.#commitAll(step);
      case 'prepay':
        return this.#prepay(step);
      case 'endPrepaid':
        return this.#endOne(this.#prepaid, step.at);
      case 'endWide':
        return this.#endOne(this.#wide, 0);
      case 'endCommitment':
        return this.#endOne(this.#commitments, step.at);
      case 'voidCredit':
        return this.#voidCredit(step.at);
      default:
        return this.#actOnInvoice(step);
    }
  }

  #post(path: string, body?: unknown): Promise<Answer> {
    return this.#merchant.post(path, body);
  }

  async #on(sub: string, path: string, body?: unknown): Promise<Answer | null> {
    const subscription = this.#subs.get(sub);
    return subscription ? this.#post(`/v0/subscriptions/${subscription.id}${path}`, body) : null;
  }

  async #patch(sub: string, body: unknown): Promise<Answer | null> {
    const subscription = this.#subs.get(sub);
    return subscription ? this.#merchant.patch(`/v0/subscriptions/${subscription.id}`, body) : null;
  }

  async #advance(to: number): Promise<'done' | null> {
    if (to <= this.#now) return null;
    const promised = await this.#upcoming(to);
    await this.#shop.advance(this.#clock, instantOf(this.#life, to));
    this.#now = to;
    await this.#compareWithUpcoming(promised);
    return 'done';
  }

  /** The upcoming invoice, if it ends while the clock moves, without another event in between. */
  async #upcoming(to: number): Promise<Map<string, string>> {
    const [subscription, ...others] = this.#subs.values();
    // A prepaid commitment and a top-up may make a credit in between.
    const hasMore = others.length > 0 || this.#scheduled.size > 0 || this.#prepaid.length > 0 || this.#isToppedUp;
    if (!subscription || hasMore || this.#hasEventsFrom(this.#now)) return new Map();
    const { status, body } = await this.#merchant.get(`/v0/subscriptions/${subscription.id}/upcomingInvoice`);
    const isThen = status === 200 && secondsOf(this.#life, body.gracePeriodEnd) <= to;
    return new Map(isThen ? [[body.id, body.grandTotal]] : []);
  }

  #hasEventsFrom(at: number): boolean {
    return this.#deeds.some(({ step }) => step.do === 'use' && step.at >= at);
  }

  async #compareWithUpcoming(promised: ReadonlyMap<string, string>): Promise<void> {
    for (const [id, total] of promised) {
      const { grandTotal, lines, groupedIntoId, issuedAt } = await this.#shop.invoice(id);
      if (groupedIntoId) continue; // a preview is of one invoice, and this one has no lines of its own
      // A commitment is asked at the end of its period, and no open invoice shows it (domain.md §2).
      // A debt comes with the issue.
      if (grandTotal === total || lines.some(({ type }: Resource) => NOT_UPCOMING.has(type))) continue;
      if (await this.#hasPaidMinimum(issuedAt)) continue; // it took credits that the preview still had
      this.#wrong.push(`preview: the upcoming invoice ${id} was ${total}, and came to ${grandTotal}.`);
    }
  }

  /** Did a credit pay the minimum of a plan on an invoice of the same instant? */
  async #hasPaidMinimum(issuedAt: string): Promise<boolean> {
    const all = await Promise.all([...this.#subs.values()].map((subscription) => this.#shop.invoices(subscription)));
    const beside = all.flat().filter((invoice) => invoice.issuedAt === issuedAt);
    const details = await Promise.all(beside.map(({ id }) => this.#shop.invoice(id)));
    return details.some(({ lines }) =>
      lines.some(({ type, priceId }: Resource) => type === 'billing_credit' && priceId === null),
    );
  }

  #overrides(overrides: readonly Override[] | undefined): object {
    const at = (seconds: number | undefined) => (seconds === undefined ? null : instantOf(this.#life, seconds));
    this.#sent += 1;
    const priceOverrides = overrides?.map(({ price, from, to, minimum, maximum, ...said }) => ({
      ...{ priceId: this.#prices[price].id, from: at(from), to: at(to) },
      ...{ minimumAmount: minimum ?? null, maximumAmount: maximum ?? null },
      ...(this.#sent % 2 === 0 ? backwards(said) : said),
    }));
    return priceOverrides ? { priceOverrides } : {};
  }

  async #subscribe(step: Of<'subscribe'>): Promise<Answer | null> {
    const { sub, plan, startedAt, asks, endingAt, overrides, isOfOrder } = step;
    if (this.#subs.has(sub)) return null;
    const answer = await this.#post('/v0/subscriptions', {
      name: sub,
      planId: this.#plans[plan].id,
      customerId: this.#customer.id,
      startedAt: instantOf(this.#life, startedAt),
      testClockId: this.#clock.id,
      ...(asks === 'transfer' ? { bankTransferOnly: true } : { sessionExpiryMinutes: 43_200 }),
      ...(endingAt !== undefined && { endingAt: instantOf(this.#life, endingAt) }),
      ...(this.#life.isAbroad && { currency: this.#life.currency }),
      ...this.#overrides(overrides),
      ...(isOfOrder && { orderId: await this.#orderId() }),
    });
    if (answer.status === 201) this.#subs.set(sub, answer.body);
    return answer;
  }

  async #change({ sub, plan, ...order }: Of<'change'>): Promise<Answer | null> {
    const { do: _, quantities, overrides, ...asked } = order;
    const many = Object.entries(quantities ?? {}).map(([price, quantity]) => [
      this.#prices[Number(price)].id,
      quantity,
    ]);
    const body = {
      ...(plan !== undefined && { planId: this.#plans[plan].id }),
      ...(many.length > 0 && { quantities: Object.fromEntries(many) }),
      ...asked,
      ...this.#overrides(overrides),
    };
    const preview = await this.#on(sub, '/changes', { ...body, dryRun: true });
    const deed = await this.#on(sub, '/changes', body);
    if (preview === null || deed === null) return null;
    if (deed.status === 201) {
      if (deed.body.change.status === 'scheduled') this.#scheduled.set(sub, deed.body.change.id);
      const answer = ({ change, ...others }: Resource) => withoutNames({ ...others, change: { ...change, id: null } });
      const [shown, done] = [answer(preview.body), answer(deed.body)].map((each) => JSON.stringify(each));
      if (preview.status !== 200 || shown !== done)
        this.#wrong.push(
          `preview: the change of ${sub} to plan ${plan} showed ${preview.status} ${differenceOf(shown, done)}`,
        );
    } else if (preview.status !== deed.status)
      this.#wrong.push(`preview: ${preview.status} ${preview.text} for ${deed.status} ${deed.text}`);
    return deed;
  }

  /** The report of the step has the window that was answered. */
  async #coupon(step: Of<'coupon'>): Promise<Answer | 'done' | null> {
    const subscription = this.#subs.get(step.sub);
    if (!subscription) return null;
    const { percent, amount, periods, notBefore, carriesOver, minimum, prices, plans, sub: _, ...named } = step;
    const {
      body: coupon,
      status,
      text,
    } = await this.#post('/v0/coupons', {
      name: `C${this.#deeds.length}`,
      ...(percent === undefined ? { amountOff: amount, currency: this.#life.currency } : { percentOff: percent }),
      ...(periods === undefined
        ? { duration: 'forever' }
        : periods === 1
          ? { duration: 'once' }
          : { duration: 'periods', durationInPeriods: periods }),
      ...(carriesOver && { carriesOver }),
      ...(minimum !== undefined && { minimumAmount: minimum, currency: this.#life.currency }),
      appliesTo: {
        ...this.#chosen(prices ?? []),
        planIds: (plans ?? []).map((plan) => this.#plans[plan].id),
      },
    });
    if (status !== 201) this.#wrong.push(`The coupon ${JSON.stringify(named)} answered ${status}: ${text}`);
    const answer = await this.#post(`/v0/subscriptions/${subscription.id}/coupons`, {
      couponId: coupon.id,
      ...(notBefore !== undefined && { from: instantOf(this.#life, notBefore) }),
    });
    if (answer.status !== 201) return answer;
    const { from, until } = answer.body;
    const at = (time: string | null) => time && secondsOf(this.#life, time);
    this.#redemptions.set(step.sub, [...(this.#redemptions.get(step.sub) ?? []), answer.body.id]);
    this.#deeds.push({ step: { ...step, from: at(from), until: at(until) } as Step, at: this.#now });
    return null;
  }

  /** The program says when it ends, and whether it went out whole: stories say that it is right. */
  async #endCoupon(step: Of<'endCoupon'>): Promise<Answer | null> {
    const [subscription, redemptions = []] = [this.#subs.get(step.sub), this.#redemptions.get(step.sub)];
    if (!subscription || redemptions.length === 0) return null;
    const id = redemptions[step.at % redemptions.length];
    const answer = await this.#merchant.delete(`/v0/subscriptions/${subscription.id}/coupons/${id}`);
    if (answer.status !== 204) return answer;
    const { data } = await this.#shop.read(`/v0/subscriptions/${subscription.id}/coupons?limit=100`);
    const left = data.find((each: Resource) => each.id === id);
    const until = left?.until && secondsOf(this.#life, left.until);
    this.#deeds.push({ step: { ...step, ...(left ? { until } : { isGone: true }) } as Step, at: this.#now });
    return null;
  }

  #pause({ do: _, sub, resumesAt: at, ...asked }: Of<'pause'>): Promise<Answer | null> {
    return this.#on(sub, '/pause', { ...asked, ...(at !== undefined && { resumesAt: instantOf(this.#life, at) }) });
  }

  async #unschedule(sub: string): Promise<Answer | null> {
    const [subscription, change] = [this.#subs.get(sub), this.#scheduled.get(sub)];
    if (!subscription || change === undefined) return null;
    return this.#merchant.delete(`/v0/subscriptions/${subscription.id}/changes/${change}`);
  }

  /** Closes the open invoice at a place among the subscription's; the step names its cadence. */
  async #closeNow(step: Of<'closeNow'>): Promise<'done' | null> {
    const subscription = this.#subs.get(step.sub);
    if (!subscription) return null;
    const { data } = await this.#shop.read(`/v2/invoices?subscriptionId=${subscription.id}&status=ACTIVE&limit=100`);
    if (data.length === 0) return null;
    const invoice = data[step.at % data.length];
    const { status, text } = await this.#post(`/v2/invoices/${invoice.id}/closeNow`);
    if (status === 200) {
      const { billingCadence: cadence } = invoice;
      this.#deeds.push({ step: { ...step, cadence } as Step, at: this.#now });
    } else if (!REFUSALS.has(status)) this.#wrong.push(`closeNow answered ${status}: ${text}`);
    else this.#refused.push(`closeNow ${status}`);
    return null;
  }

  async #end({ sub, credit }: Of<'end'>): Promise<Answer | null> {
    const answer = await this.#on(sub, '/termination', { reason: 'The life says so', credit });
    if (answer?.status === 200) this.#ends.set(sub, this.#now);
    return answer;
  }

  async #endPast({ sub, at }: Of<'endPast'>): Promise<Answer | null> {
    const answer = await this.#patch(sub, { terminatedAt: instantOf(this.#life, at) });
    if (answer?.status === 200) this.#ends.set(sub, Math.min(at, this.#now));
    return answer;
  }

  /** Usage that comes too late for an ended subscription is not billed, so none is sent. */
  async #use({ metric, sub, at, units, region }: Of<'use'>): Promise<Answer | null> {
    const subject = sub === undefined ? this.#customer : this.#subs.get(sub);
    if (!subject) return null;
    const [first] = [...this.#ends.values()].toSorted((a, b) => a - b);
    if (first !== undefined && this.#now > first + 30 * 86_400) return null;
    this.#keys += 1;
    return this.#post('/v0/events', {
      type: `call-${metric}`,
      source: 'life',
      subject: subject.id,
      timestamp: instantOf(this.#life, at),
      idempotencyKey: `event-${this.#keys}`,
      data: { units: Number(units), ...(region !== undefined && { region }) },
    });
  }

  async #grant({ sub, amount, effectiveAt }: Of<'grant'>): Promise<Answer | null> {
    const subscription = this.#subs.get(sub);
    if (!subscription) return null;
    if (!this.#grants.has(sub)) {
      const { data } = await this.#shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`);
      if (data.length === 0) return null;
      this.#grants.set(sub, data[0].id);
    }
    return this.#post(`/v1/entitlements/${this.#grants.get(sub)}/grants`, {
      amount,
      resetMaxRollover: 0,
      effectiveAt: instantOf(this.#life, effectiveAt),
    });
  }

  async #invoices(status?: string): Promise<Resource[]> {
    const filter = status === undefined ? '' : `&status=${status}`;
    const found: Resource[] = [];
    for (const { id } of this.#billed())
      found.push(...(await this.#shop.read(`/v2/invoices?customerId=${id}&limit=100${filter}`)).data.toReversed());
    return found;
  }

  /** A grouped invoice is of who pays. */
  #billed(): Resource[] {
    return this.#life.isGrouped ? [this.#customer, this.#payer] : [this.#customer];
  }

  async #pay({ at, how }: Of<'pay'>): Promise<'done' | null> {
    const open = (await this.#invoices('ISSUED')).filter(({ unpaidAmount }) => Number(unpaidAmount) > 0);
    const chosen = at === undefined ? open : open.length === 0 ? [] : [open[at % open.length]];
    for (const { id, unpaidAmount } of chosen) {
      const unpaid = Number(unpaidAmount);
      const step = this.#life.currency === 'JPY' ? 1 : 0.01;
      const amount =
        how === 'full'
          ? unpaidAmount
          : (how === 'part' ? Math.max(step, unpaid / 4) : unpaid + 10).toFixed(step === 1 ? 0 : 2);
      this.#keys += 1;
      const key = `payment-${this.#keys}`;
      const { status, text } = await this.#post(`/v2/invoices/${id}/payments`, {
        amount,
        method: 'bank_transfer',
        idempotencyKey: key,
      });
      if (status !== 201 && !REFUSALS.has(status))
        this.#wrong.push(`A payment of ${amount} answered ${status}: ${text}`);
    }
    return 'done';
  }

  async #reverse(at: number): Promise<Answer | null> {
    const payments: Resource[] = [];
    for (const { id } of (await this.#invoices()).toReversed())
      payments.push(...(await this.#shop.read(`/v2/invoices/${id}/payments?limit=100`)).data);
    const recorded = payments.filter(({ method, status }) => method === 'bank_transfer' && status === 'completed');
    const payment = recorded[at % Math.max(1, recorded.length)];
    if (!payment) return null;
    this.#keys += 1;
    return this.#post(`/v2/invoices/${payment.invoiceId}/payments/${payment.id}/reverse`, {
      reason: 'It came back',
      idempotencyKey: `reversal-${this.#keys}`,
    });
  }

  /** No refusal is right. */
  async #exempt({ is }: Of<'exempt'>): Promise<'done'> {
    await this.#shop.change(`/v0/customers/${this.#customer.id}`, { taxExempt: is });
    return 'done';
  }

  /** Its lines name the place among the invoices of this kind. */
  #oneOff({ unitPrice, quantity, taxRate }: Of<'oneOff'>): Promise<Answer> {
    const displayName = `one-off ${this.#deeds.filter(({ step }) => step.do === 'oneOff').length}`;
    const line = { displayName, quantity, unitPrice, taxRate };
    const { currency } = this.#life;
    return this.#post('/v2/invoices', { customerId: this.#customer.id, currency, lines: [line], autoApprove: true });
  }

  async #payByCard(at: number): Promise<'done' | null> {
    const open = (await this.#invoices('ISSUED')).filter(({ unpaidAmount }) => Number(unpaidAmount) > 0);
    if (!this.#paying || open.length === 0) return null;
    return this.#paying.charge(open[at % open.length]);
  }

  async #reissue({ at, recalculate }: Of<'reissue'>): Promise<Answer | null> {
    const found = (await this.#invoices()).filter(({ status }) =>
      ['ISSUED', 'PAYMENT_FAILED', 'PAID'].includes(status),
    );
    const invoice = found[at % Math.max(1, found.length)];
    return invoice ? this.#post(`/v2/invoices/${invoice.id}/reissue`, { reason: 'A mistake', recalculate }) : null;
  }

  async #dispute({ at, status, isPart }: Of<'dispute'>): Promise<'done' | null> {
    const { currency } = this.#life;
    return (await this.#paying?.dispute(at, { status, isPart, digits: DIGITS[currency] })) ?? null;
  }

  async #actOnInvoice({
    do: action,
    at,
    ...more
  }: Of<'refund' | 'voidRefund' | 'cancel' | 'writeOff'>): Promise<Answer | null> {
    const wanted = action === 'refund' || action === 'voidRefund' ? 'PAID' : 'ISSUED';
    const all = await this.#invoices(wanted);
    const invoices = 'bearing' in more && more.bearing ? await this.#bearing(all) : all;
    const invoice = invoices[at % Math.max(1, invoices.length)];
    if (!invoice) return null;
    if (action === 'cancel' || action === 'writeOff') return this.#post(`/v2/invoices/${invoice.id}/${action}`);
    if (action === 'refund') return this.#post(`/v2/invoices/${invoice.id}/refunds`);
    for (const { id } of invoices) {
      const { data } = await this.#shop.read(`/v2/invoices/${id}/refunds`);
      const refund = data.find(({ status }: Resource) => status === 'ISSUED');
      if (refund) return this.#post(`/v2/invoices/${id}/refunds/${refund.id}/void`, { reason: 'A mistake' });
    }
    return null;
  }

  /** Credits a share of one of the charges of an invoice, as its price quotes it. */
  async #note({
    at,
    line: place,
    share,
    byQuantity,
    settlement,
    ...step
  }: Of<'note'>): Promise<Answer | 'done' | null> {
    const { currency, taxBehavior } = this.#life;
    const found = (await this.#invoices()).filter(({ status }) => ['ISSUED', 'PAID'].includes(status));
    if (found.length === 0) return null;
    const invoice = await this.#shop.invoice(found[at % found.length].id);
    const quoted = (each: Resource) => Number(taxBehavior === 'inclusive' ? each.totalAmount : each.totalPrice);
    const charges = invoice.lines.filter(
      ({ type, totalAmount }: Resource) =>
        ['charge', 'late_usage', 'commitment'].includes(type) && Number(totalAmount) > 0,
    );
    if (charges.length === 0) return null;
    const line = charges[place % charges.length];
    const own = invoice.lines.filter(({ id, appliesToLineId }: Resource) => [id, appliesToLineId].includes(line.id));
    const whole = own.reduce((total: number, each: Resource) => total + quoted(each), 0);
    const quantity =
      byQuantity && Number(line.quantity) > 0 ? plain(decimal(String(line.quantity)).times(share)) : undefined;
    const units = read(quantity ?? '0');
    const amount = quantity ? this.#amountOf(invoice, line, units) : (whole * Number(share)).toFixed(DIGITS[currency]);
    this.#keys += 1;
    const part = quantity ? { quantity } : { amount };
    const answer = await this.#post(`/v2/invoices/${invoice.id}/creditNotes`, {
      ...{ lines: [{ lineItemId: line.id, ...part }], reason: 'A share', idempotencyKey: `note-${this.#keys}` },
      ...(settlement && { settlement }),
    });
    const sub = [...this.#subs].find(([, { id }]) => id === line.subscriptionId)?.[0];
    if (answer.status !== 201) return answer;
    const { id: noteId } = answer.body;
    this.#notes.push({ noteId, invoiceId: invoice.id, lineId: line.id, units });
    const [from, to, issuedAt] = [line.periodStart, line.periodEnd, invoice.issuedAt].map((time) =>
      secondsOf(this.#life, time),
    ) as [number, number, number];
    const name = /^p(\d+)/.exec(line.invoiceDisplayName)?.[1];
    const price: number | 'minimum' = name === undefined ? 'minimum' : Number(name);
    const said = { amount, ...(quantity && { units: quantity }) };
    const facts = { noteId, price, from, to, issuedAt, quantity: String(line.quantity), ...said } as const;
    const noted = sub === undefined ? {} : { noted: { sub, ...facts } as const };
    this.#deeds.push({ step: { ...step, at, line: place, share, ...noted }, at: this.#now });
    return null;
  }

  /** What units of a line come to with its discounts, before billing credits and after the units of earlier notes. */
  #amountOf({ lines }: Resource, { id, quantity }: Resource, units: Exact): string {
    const { currency, taxBehavior } = this.#life;
    const unit = exact(10n ** BigInt(DIGITS[currency]));
    const whole = lines
      .filter((each: Resource) => each.type !== 'billing_credit' && [each.id, each.appliesToLineId].includes(id))
      .map((each: Resource) => times(read(taxBehavior === 'inclusive' ? each.totalAmount : each.totalPrice), unit))
      .reduce(plus, exact(0n));
    const before = this.#notes
      .filter(({ lineId }) => lineId === id)
      .reduce((sum, note) => plus(sum, note.units), exact(0n));
    const { over, under } = read(String(quantity));
    const upTo = (of: Exact) => nearest(times(times(whole, of), exact(under, over)));
    const minor = upTo(plus(before, units)) - upTo(before);
    return plain(decimal(String(minor)).div(String(unit.over)));
  }

  /** Its invoice is paid in the same breath, so that no payment of another step takes it. */
  async #buy({ days, amount }: Of<'credit'>): Promise<Answer> {
    const path = `/v0/customers/${this.#customer.id}/billingCredits`;
    const key = `bought-${this.#deeds.length}`;
    const answer = await this.#post(`${path}/purchase`, {
      ...{ amount, currency: this.#life.currency, testClockId: this.#clock.id, idempotencyKey: key },
      ...(days !== undefined && { expiresAt: instantOf(this.#life, this.#now + days * 86_400) }),
    });
    if (answer.status !== 201) return answer;
    const { invoiceId } = answer.body;
    const { unpaidAmount } = await this.#shop.invoice(invoiceId);
    const payment = { amount: unpaidAmount, method: 'bank_transfer', idempotencyKey: key };
    await this.#shop.create(`/v2/invoices/${invoiceId}/payments`, payment);
    const { data } = await this.#shop.read(`${path}?limit=100`);
    this.#credits.push(data.find((credit: Resource) => credit.invoiceId === invoiceId).id);
    return answer;
  }

  async #credit(step: Of<'credit'>): Promise<Answer | null> {
    if (step.isBought) return this.#buy(step);
    const { from = this.#now, days, prices, amount, isPaid, priority, sub, isOfPayer } = step;
    const subscription = sub === undefined ? undefined : this.#subs.get(sub);
    if (sub !== undefined && !subscription) return null;
    const { id } = isOfPayer ? this.#payer : this.#customer;
    const answer = await this.#post(`/v0/customers/${id}/billingCredits`, {
      ...{ name: `K${this.#credits.length}`, amount, currency: this.#life.currency, testClockId: this.#clock.id },
      ...{ effectiveAt: instantOf(this.#life, from), idempotencyKey: `credit-${this.#deeds.length}` },
      ...(days !== undefined && { expiresAt: instantOf(this.#life, from + days * 86_400) }),
      ...(prices && { appliesTo: this.#chosen(prices) }),
      ...(isPaid && { category: 'paid' }),
      ...(priority !== undefined && { priority }),
      ...(subscription && { subscriptionId: subscription.id }),
    });
    if (answer.status === 201) this.#credits.push(answer.body.id);
    return answer;
  }

  #topUp({ threshold, amount, days, mostInMonth }: Of<'topUp'>): Promise<Answer> {
    return this.#merchant.put(`/v0/customers/${this.#customer.id}/creditTopUp`, {
      ...{ threshold, amount, currency: this.#life.currency, testClockId: this.#clock.id },
      expiresAfter: days === undefined ? null : `P${days}D`,
      maximumPerMonth: mostInMonth ?? null,
    });
  }

  async #changeCards({ works }: Of<'card'>): Promise<'done' | null> {
    if (this.#cards.size === 0) return null;
    for (const each of [this.#customer, this.#payer]) await this.#useCard(each, works);
    return 'done';
  }

  async #commit(step: Of<'commit'>): Promise<Answer | null> {
    const subscription = this.#subs.get(step.sub);
    if (!subscription) return null;
    const { startedAt = this.#now } =
      this.#life.steps.find((each): each is Of<'subscribe'> => each.do === 'subscribe' && each.sub === step.sub) ?? {};
    const bounds = [committedFrom({ startedAt }, this.#now), ...step.ends, this.#now + COMMITTED_FOR];
    const segments = step.amounts.map((amount, place) => ({
      startDate: instantOf(this.#life, bounds[place] as number),
      endDate: instantOf(this.#life, bounds[place + 1] as number),
      amount,
    }));
    const answer = await this.#post('/v0/commitments', {
      ...{ customerId: this.#customer.id, subscriptionId: subscription.id, name: `T${this.#commitments.length}` },
      ...{ currency: this.#life.currency, type: 'postpaid', segments },
      trueUp: segments.length === 1 || step.isBySegment ? 'segment' : 'term',
      ...(step.onEnd && { onEnd: step.onEnd }),
      ...(step.priority !== undefined && { priority: step.priority }),
      ...(step.prices && { appliesTo: this.#chosen(step.prices) }),
    });
    if (answer.status === 201) this.#commitments.push({ step, id: answer.body.id, endedAt: null });
    return answer;
  }

  /** The order of the customer. */
  async #orderId(): Promise<string> {
    this.#order ??= await newOrder(this.#shop, this.#customer, {
      ...{ currency: this.#life.currency, testClockId: this.#clock.id },
    });
    return this.#order.id;
  }

  async #commitAll(step: Of<'commitAll'>): Promise<Answer> {
    const bounds = [startOfLife(this.#life), ...step.ends];
    const answer = await this.#post('/v0/commitments', {
      ...{ customerId: this.#customer.id, testClockId: this.#clock.id, name: `W${this.#wide.length}` },
      ...{ currency: this.#life.currency, type: 'postpaid', priority: WIDE_PRIORITY },
      ...(step.isOfOrder && { orderId: await this.#orderId() }),
      segments: step.amounts.map((amount, place) => ({
        startDate: instantOf(this.#life, bounds[place] as number),
        endDate: instantOf(this.#life, bounds[place + 1] as number),
        amount,
      })),
      trueUp: step.isBySegment ? 'segment' : 'term',
      ...(step.onEnd && { onEnd: step.onEnd }),
      ...(step.overrides && {
        overrides: step.overrides.map(({ price, multiplier }) => ({ priceId: this.#prices[price].id, multiplier })),
      }),
      ...(step.prices && { appliesTo: this.#chosen(step.prices) }),
    });
    if (answer.status === 201) this.#wide.push({ step, id: answer.body.id, endedAt: null });
    return answer;
  }

  async #prepay(step: Of<'prepay'>): Promise<Answer | null> {
    const subscription = this.#subs.get(step.sub);
    if (!subscription) return null;
    const at = (second: number | undefined) => instantOf(this.#life, second as number);
    const { bounds, amounts, dates, isOnPayment, rollover, onEnd, prices } = step;
    const answer = await this.#post('/v0/commitments', {
      ...{ customerId: this.#customer.id, subscriptionId: subscription.id, name: `K${100 + this.#prepaid.length}` },
      ...{ currency: this.#life.currency, type: 'prepaid', onEnd },
      segments: amounts.map((amount, place) => ({
        ...{ startDate: at(bounds[place]), endDate: at(bounds[place + 1]), amount },
      })),
      ...(dates && { invoiceAt: dates.map((date, place) => ({ date: at(date), amount: amounts[place] })) }),
      ...(isOnPayment && { availableOn: 'payment' }),
      ...(rollover && { rollover }),
      ...(prices && { appliesTo: this.#chosen(prices) }),
    });
    if (answer.status === 201) this.#prepaid.push({ step, id: answer.body.id, endedAt: null });
    return answer;
  }

  async #endOne<Made extends { readonly id: string; readonly endedAt: number | null }>(
    made: Made[],
    at: number,
  ): Promise<Answer | null> {
    const place = at % Math.max(1, made.length);
    const found = made[place];
    if (!found) return null;
    const answer = await this.#post(`/v0/commitments/${found.id}/end`, { reason: 'The life says so' });
    if (answer.status === 200) made[place] = { ...found, endedAt: this.#now };
    return answer;
  }

  /** Prices as what something is for: at times fees by themselves, and a metric where all of its prices are there. */
  #chosen(prices: readonly number[]): object {
    this.#sent += 1;
    const isById = this.#sent % 2 === 0;
    const all = this.#life.prices;
    const isWhole = (of: number) => all.every(({ metric }, price) => metric !== of || prices.includes(price));
    const [priceIds, feeIds, billableMetricIds] = [[], [], new Set()] as [string[], string[], Set<string>];
    for (const price of prices) {
      const { metric } = all[price] as Price;
      const { id, feeId } = this.#prices[price];
      if (isById || (metric !== undefined && !isWhole(metric))) priceIds.push(id);
      else if (metric === undefined) feeIds.push(feeId);
      else billableMetricIds.add(this.#metrics[metric].id);
    }
    return { priceIds, feeIds, billableMetricIds: [...billableMetricIds] };
  }

  async #voidCredit(at: number): Promise<Answer | null> {
    const id = this.#credits[at % Math.max(1, this.#credits.length)];
    return id === undefined ? null : this.#post(`/v0/billingCredits/${id}/void`, { reason: 'A mistake' });
  }

  async #voidNote(): Promise<Answer | null> {
    const note = this.#notes.pop();
    if (!note) return null;
    const { invoiceId, noteId } = note;
    const answer = await this.#post(`/v2/invoices/${invoiceId}/creditNotes/${noteId}/void`, { reason: 'A mistake' });
    if (answer.status !== 200) return answer;
    this.#deeds.push({ step: { do: 'voidNote', noteId }, at: this.#now });
    return null;
  }

  /** The invoices with a credit line. */
  async #bearing(invoices: readonly Resource[]): Promise<Resource[]> {
    const whole = await Promise.all(invoices.map(({ id }) => this.#shop.invoice(id)));
    return whole.filter(({ lines }) => lines.some(({ type }: Resource) => type === 'credit'));
  }

  /** Ends everything, and waits until late usage is billed and all is calculated. */
  async #finish(): Promise<void> {
    for (const sub of this.#subs.keys()) await this.#take({ do: 'end', sub, credit: 'invoice' });
    await this.#take({ do: 'advance', to: this.#now + SETTLED_AFTER_DAYS * 86_400 });
  }

  async #booked(account: string, keys = ''): Promise<string> {
    const [row] = await this.#env.database.transaction({ merchants: [this.#merchant.id] }, (tx) =>
      tx.rows<{ total: string }>(sql`
        select coalesce(sum(e.amount), 0)::text as total
          from ledger_entry e
          join ledger_transaction t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
         where e.merchant_id = ${this.#merchant.id} and e.account = ${account} and t.key like ${`${keys}%`}`),
    );
    return row?.total ?? '0';
  }

  /** A customer has its own statement while nobody pays for it. */
  async #statements(): Promise<Lived['statements']> {
    await this.#shop.change(`/v0/customers/${this.#customer.id}`, { payerId: null });
    const [from, to] = ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];
    const statements = [];
    for (const { id } of [this.#customer, this.#payer]) {
      const read = (since: string, until: string): Promise<Resource> =>
        this.#shop.read(
          `/v0/customers/${id}/statement?currency=${this.#life.currency}&from=${since}&to=${encodeURIComponent(until)}`,
        );
      const whole = await read(from, to);
      const dates: string[] = [...new Set<string>(whole.entries.map(({ date }: Resource) => date))];
      const middles = [0, 1, 2].flatMap((third) => dates[Math.floor((dates.length * third) / 3)] ?? []);
      const halves = [];
      for (const middle of new Set(middles)) halves.push([await read(from, middle), await read(middle, to)]);
      statements.push({ whole, halves });
    }
    return statements;
  }

  async #allInvoices(): Promise<Resource[]> {
    const all: Resource[] = [];
    for (const { id } of this.#billed())
      for (let offset = 0; ; offset += 100) {
        const { data } = await this.#shop.read(`/v2/invoices?customerId=${id}&limit=100&offset=${offset}`);
        all.push(...data);
        if (data.length < 100) break;
      }
    return all;
  }

  async #look(): Promise<Lived> {
    const shop = this.#shop;
    const [invoices, notes, payments]: [Resource[], Resource[], Resource[]] = [[], [], []];
    for (const { id, invoiceNumber, paidAmount } of await this.#allInvoices()) {
      invoices.push(await shop.invoice(id));
      if (invoiceNumber === null) continue;
      const listed = await shop.read(`/v2/invoices/${id}/creditNotes?limit=100`);
      for (const note of listed.data)
        notes.push(
          ['credit', 'partial'].includes(note.kind)
            ? await shop.read(`/v2/invoices/${id}/creditNotes/${note.id}`)
            : note,
        );
      const isPaid = Number(paidAmount) > 0 || listed.data.length > 0;
      if (!isPaid) continue;
      const { data: own } = await shop.read(`/v2/invoices/${id}/payments?limit=100`);
      payments.push(...own.map((payment: Resource) => ({ ...payment, invoiceId: id })));
    }
    // A subscription with a cancelled upfront invoice was never active.
    const neverActive = new Set<string>();
    for (const [sub, { id, status }] of this.#subs) {
      const upfront = invoices.findLast(({ subscriptionId, kind }) => subscriptionId === id && kind === 'upfront');
      if (status === 'pending_payment' && upfront?.status === 'CANCELLED') neverActive.add(sub);
    }
    const wallets = await Promise.all(
      [this.#customer, this.#payer].map(({ id }) => shop.read(`/v0/customers/${id}/wallet`)),
    );
    return {
      merchantId: this.#merchant.id,
      deeds: this.#deeds,
      refused: this.#refused,
      neverActive,
      subscriptionIds: new Map([...this.#subs].map(([sub, { id }]) => [sub, id])),
      invoices: invoices.toReversed(),
      notes,
      payments,
      wallet: totalOf(
        wallets.map(({ balances }) => balances[0]?.balance ?? '0'),
        DIGITS[this.#life.currency],
      ),
      credits: [...(await this.#allCredits()), ...(await this.#allCredits(this.#payer))],
      commitments: await Promise.all(
        this.#commitments.map(async ({ id, ...made }) => ({
          ...made,
          commitment: await shop.read(`/v0/commitments/${id}`),
        })),
      ),
      wide: await Promise.all(
        this.#wide.map(async ({ id, ...made }) => ({ ...made, commitment: await shop.read(`/v0/commitments/${id}`) })),
      ),
      prepaid: await Promise.all(
        this.#prepaid.map(async ({ id, ...made }) => ({
          ...made,
          commitment: await shop.read(`/v0/commitments/${id}`),
        })),
      ),
      payerId: this.#payer.id,
      owedAgain: await this.#booked('owed_again'),
      toCollect: await this.#booked('to_collect'),
      carried: await this.#booked('revenue', 'carried:'),
      deferred: await this.#booked('deferred_credits'),
      looks: this.#looks,
      statements: await this.#statements(),
      charges: (await this.#paying?.charges()) ?? [],
      wrong: this.#wrong,
    };
  }
}

/** The same with the fields of each object in the other order, which says nothing else. */
const backwards = (value: object): object =>
  JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toReversed())
      : inner,
  ) as object;

/** The sum of decimal texts. */
const totalOf = (texts: readonly string[], digits: number): string =>
  texts.reduce((sum, text) => sum.plus(text), decimal('0')).toFixed(digits);

/** An answer without generated names and times. */
function withoutNames(value: unknown): unknown {
  const names = new Map<string, string>();
  const named = (id: string) => names.get(id) ?? names.set(id, `#${names.size}`).get(id);
  const text = JSON.stringify(value, (key, inner) => (key === 'updatedAt' ? null : inner));
  return JSON.parse(text.replaceAll(/\b(?:[a-z]+_[0-9A-Za-z]{16,}|[0-9a-f]{64})\b/g, (id) => named(id) as string));
}

const SHOWN_AROUND = 80;

/** The first difference of two texts. */
function differenceOf(a = '', b = ''): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const around = (text: string) => text.slice(Math.max(0, at - SHOWN_AROUND), at + SHOWN_AROUND);
  return `…${around(a)}… and did …${around(b)}…`;
}
