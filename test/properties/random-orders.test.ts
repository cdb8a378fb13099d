import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder, orderLine } from '../support/orders.ts';
import { approveOrder, intervalBody, newSchedule, putIntervals } from '../support/schedules.ts';
import { SEED } from '../support/seed.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Random orders against an oracle that shares no code with the program: invoiced less credited amounts equal the final
 * contract, after any changes. Orders have one or two lines, some with another quantity in each window. `RANDOM_ORDERS`
 * is their number, `SEED` chooses others.
 */
const MANY = Number(process.env.RANDOM_ORDERS ?? 30);
const MONTHS = 12;

let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

/** The same numbers for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

const DIGITS: Readonly<Record<string, number>> = { USD: 2, JPY: 0, KWD: 3 };
const DAY = 86_400_000;
const monthStart = (month: number): number => Date.UTC(2026, month, 1);
const textOf = (time: number): string => new Date(time).toISOString();

interface PlannedLine {
  readonly mode: 'advance' | 'arrears';
  /** In minor units: the first total, and its later values at the beginnings of months. */
  readonly totals: readonly { readonly month: number; readonly units: bigint }[];
  /** Of each window. */
  readonly quantities: readonly number[];
}

interface Plan {
  readonly currency: string;
  readonly window: number;
  readonly lines: readonly PlannedLine[];
  readonly cancel: { readonly month: number; readonly at: number } | null;
  readonly pays: boolean;
}

function lineOf(random: (below: number) => number, window: number): PlannedLine {
  const changes = Array.from({ length: random(4) }, () => ({
    month: 1 + random(MONTHS - 1),
    units: BigInt(random(500_000)),
  }));
  const isRamp = random(2) === 0;
  return {
    mode: random(2) === 0 ? 'advance' : 'arrears',
    totals: [{ month: 0, units: BigInt(1 + random(500_000)) }, ...changes.toSorted((a, b) => a.month - b.month)],
    quantities: Array.from({ length: MONTHS / window }, () => (isRamp ? 1 + random(9) : 1)),
  };
}

function planOf(random: (below: number) => number): Plan {
  const month = 1 + random(MONTHS - 1);
  const window = [1, 3, 6, 12][random(4)] as number;
  return {
    currency: ['USD', 'JPY', 'KWD'][random(3)] as string,
    window,
    lines: Array.from({ length: 1 + random(2) }, () => lineOf(random, window)),
    cancel: random(2) === 0 ? { month, at: monthStart(month) + random(60) * DAY - 20 * DAY } : null,
    pays: random(2) === 0,
  };
}

const halfUp = (value: bigint, over: bigint): bigint => (2n * value + over) / (2n * over);

/** The final contract, in minor units. */
const owedBy = (plan: Plan): bigint => plan.lines.reduce((sum, line) => sum + owedOfLine(plan, line), 0n);

function owedOfLine({ window, cancel }: Plan, { totals, quantities }: PlannedLine): bigint {
  const all = BigInt(quantities.reduce((sum, quantity) => sum + quantity, 0));
  const lastChange = cancel === null ? MONTHS : cancel.month;
  const total = totals.findLast(({ month }) => month < lastChange || month === 0)?.units ?? 0n;
  let left = total;
  let owed = 0n;
  for (const [n, quantity] of quantities.entries()) {
    const rounded = halfUp(total * BigInt(quantity), all);
    const amount = n === quantities.length - 1 || rounded > left ? left : rounded;
    left -= amount;
    const [start, end] = [monthStart(n * window), monthStart((n + 1) * window)];
    const until = cancel === null ? end : Math.min(Math.max(start, cancel.at), end);
    owed += until === end ? amount : halfUp(amount * BigInt((until - start) / DAY), BigInt((end - start) / DAY));
  }
  return owed;
}

const money = (units: bigint, currency: string): string => {
  const digits = DIGITS[currency] as number;
  const text = units.toString().padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
};
const unitsOf = (amount: string): bigint => BigInt(amount.replace('.', ''));
const figures = (units: bigint, currency: string) => {
  const price = money(units, currency);
  return { quantity: '1', listUnitPrice: price, unitPrice: price, totalPrice: price };
};

async function begin(shop: Shop, clock: Resource, plan: Plan) {
  const order = await newOrder(shop, await shop.customer(), {
    testClockId: clock.id,
    currency: plan.currency,
    lineItems: plan.lines.map(({ totals }) => orderLine(figures(totals[0]?.units ?? 0n, plan.currency))),
  });
  const cadence = `P${plan.window}M`;
  const schedule = await newSchedule(shop, order, { periodPreset: plan.window === 12 ? 'P1Y' : cadence });
  const intervals = plan.lines.map(({ mode, quantities: [first = 1, ...later] }, index) =>
    intervalBody({
      orderLineItemId: order.lineItems[index].id,
      billingCadence: cadence,
      billingMode: mode,
      baseQuantity: `${first}`,
      quantityTransitions: later.map((quantity, n) => ({
        effectiveDate: textOf(monthStart((n + 1) * plan.window)),
        quantity: `${quantity}`,
      })),
    }),
  );
  await putIntervals(shop, schedule, intervals);
  await approveOrder(env, order);
  return { plan, order, schedule };
}

async function change(shop: Shop, month: number, { plan, order, schedule }: Awaited<ReturnType<typeof begin>>) {
  if (plan.pays) await payAll(shop, schedule);
  if (plan.cancel !== null && plan.cancel.month < month) return;
  if (plan.cancel?.month === month) {
    await shop.change(`/v0/orders/${order.id}`, { cancelledAt: textOf(plan.cancel.at) });
    return;
  }
  for (const [index, { totals }] of plan.lines.entries())
    for (const { units } of totals.filter((total) => total.month === month))
      await shop.change(`/v0/orders/${order.id}/lineItems/${order.lineItems[index].id}`, figures(units, plan.currency));
  await approveOrder(env, order); // before the first invoice, a change makes it a draft again
}

const invoicesOf = async (shop: Shop, schedule: Resource): Promise<Resource[]> => {
  const rows = (await shop.read(`/v0/billingSchedules/${schedule.id}/invoices?status=pushed`)).data;
  const ids: string[] = rows.flatMap(({ invoiceId }: Resource) => invoiceId ?? []);
  return Promise.all(ids.map((id) => shop.read(`/v2/invoices/${id}`)));
};

async function payAll(shop: Shop, schedule: Resource): Promise<void> {
  for (const invoice of await invoicesOf(shop, schedule))
    if (invoice.status === 'ISSUED')
      await shop.create(`/v2/invoices/${invoice.id}/payments`, {
        amount: invoice.unpaidAmount,
        method: 'bank_transfer',
        idempotencyKey: `paid ${invoice.id}`,
      });
}

async function invoicedBy(shop: Shop, schedule: Resource): Promise<bigint> {
  let sum = 0n;
  for (const { id, subtotal } of await invoicesOf(shop, schedule)) {
    const notes = (await shop.read(`/v2/invoices/${id}/creditNotes`)).data;
    sum += unitsOf(subtotal) - notes.reduce((all: bigint, { amount }: Resource) => all + unitsOf(amount), 0n);
  }
  return sum;
}

it(`${MANY} random orders are invoiced to what their contracts say`, { timeout: 600_000 }, async () => {
  const random = randomFrom(SEED);
  const shop = shopOf(await env.merchant());
  const clock = await shop.clock(START);
  const orders: Awaited<ReturnType<typeof begin>>[] = [];
  for (let n = 0; n < MANY; n += 1) orders.push(await begin(shop, clock, planOf(random)));
  for (let month = 1; month <= MONTHS + 2; month += 1) {
    await shop.advance(clock, textOf(monthStart(month)));
    for (const each of orders) await change(shop, month, each);
  }
  await shop.advance(clock, textOf(monthStart(MONTHS + 3)));
  for (const { plan, schedule } of orders) {
    const lines = plan.lines.map((line) => ({
      ...line,
      totals: line.totals.map(({ month, units }) => `${month}: ${units}`),
    }));
    const said = { ...plan, lines };
    expect({ ...said, invoiced: await invoicedBy(shop, schedule) }).toEqual({ ...said, invoiced: owedBy(plan) });
    const rows = (await shop.read(`/v0/billingSchedules/${schedule.id}/invoices`)).data;
    const inForce = rows.filter(({ status }: Resource) => status === 'pushed');
    const sum = inForce.reduce((all: bigint, { amount }: Resource) => all + unitsOf(amount), 0n);
    expect({ ...said, sum }).toEqual({ ...said, sum: owedBy(plan) });
  }
});
