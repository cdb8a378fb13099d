import { setTimeout as sleep } from 'node:timers/promises';
import type { Reckoner, types } from '../../sdk/src/index.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { CommandFailure } from './failure.ts';

/** What a trigger makes: real resources on a test clock of their own, so all that belongs to the event comes too. */
interface Stage {
  readonly api: Reckoner;
  readonly plan: types.Plan;
  readonly customer: types.Customer;
  readonly clock: types.TestClock;
}

type Kind = types.WebhookDelivery['type'];

const BEGIN = '2026-01-01T00:00:00Z';
const LOOK_MILLISECONDS = 200;
const MOST_LOOKS = 3_000;

/** How each kind of event comes to be. */
const SCENES: Readonly<Partial<Record<Kind, (stage: Stage) => Promise<unknown>>>> = {
  'customer.created.v0': async ({ customer }) => customer,
  'subscription.created.v0': (stage) => subscribe(stage),
  'subscription.activated.v0': (stage) => subscribe(stage),
  'subscription.updated.v0': async (stage) => {
    const { id } = await subscribe(stage);
    return stage.api.subscriptions.update(id, { name: 'Renamed by a trigger' });
  },
  'subscription.terminated.v0': async (stage) => {
    const { id } = await subscribe(stage);
    return stage.api.subscriptions.terminate(id, { reason: 'A trigger' });
  },
  'invoice.issued.v0': (stage) => issued(stage),
  'invoice.paid.v0': (stage) => paid(stage),
  'payment_session.completed.v0': (stage) => paid(stage),
  'invoice.refunded.v0': async (stage) => stage.api.invoices.refund((await paid(stage)).id, {}),
  'invoice.cancelled.v0': async (stage) => stage.api.invoices.cancel((await issued(stage)).id, { reason: 'A trigger' }),
  'invoice.written_off.v0': async (stage) =>
    stage.api.invoices.writeOff((await issued(stage)).id, { reason: 'A trigger' }),
  'invoice.payment_failed.v0': async (stage) => {
    const setup = await stage.api.customers.setUpPaymentMethod(stage.customer.id);
    await stage.api.paymentSessions.complete(setup.id, { paymentMethod: 'pm_then_declined' });
    await subscribe(stage, { autoCharge: true });
    return advance(stage, 'P1M');
  },
  'invoice.overdue.v0': async (stage) => {
    await issued(stage);
    return advance(stage, 'P1Y');
  },
};

/** The kinds that can be triggered. */
export const triggers = (): string[] => Object.keys(SCENES);

/** Makes an event of a kind happen. @returns what was made last */
export async function trigger(api: Reckoner, kind: string): Promise<unknown> {
  const scene = SCENES[kind as Kind];
  if (!scene) throw new CommandFailure(`No trigger makes "${kind}".`, `the kinds are: ${triggers().join(', ')}`);
  const suffix = randomBase62(8);
  const product = await api.products.create({ name: `Trigger ${suffix}`, description: 'Made by reckoner trigger' });
  const fee = await api.fees.create({ name: `Trigger ${suffix}`, description: 'A flat fee', productId: product.id });
  const price = await api.prices.create({
    feeId: fee.id,
    invoiceDisplayName: 'Flat fee',
    paymentTerm: 'in_arrears',
    billingCadence: 'P1M',
    model: 'standard',
    properties: { unitPrice: '10' },
  });
  const plan = await api.plans.create({
    ...{ name: `Trigger ${suffix}`, productId: product.id, currency: 'EUR', gracePeriod: 'P0D' },
    prices: [price.id],
  });
  const customer = await api.customers.create({
    consumer: { name: `Trigger ${suffix}`, email: `trigger-${suffix}@example.com`, address: { country: 'DE' } },
  });
  const clock = await api.testClocks.create({ name: `Trigger ${suffix}`, currentTime: BEGIN });
  return scene({ api, plan, customer, clock });
}

const subscribe = (
  { api, plan, customer, clock }: Stage,
  more: Partial<types.SubscriptionCreate> = {},
): Promise<types.Subscription> =>
  api.subscriptions.create({
    name: plan.name,
    planId: plan.id,
    customerId: customer.id,
    testClockId: clock.id,
    startedAt: BEGIN,
    ...more,
  });

async function issued(stage: Stage): Promise<types.Invoice> {
  const { id: subscriptionId } = await subscribe(stage);
  await advance(stage, 'P1M');
  const { data } = await stage.api.invoices.list({ subscriptionId, status: 'ISSUED' });
  const [invoice] = data;
  if (!invoice) throw new CommandFailure('No invoice was issued.', 'see whether the merchant requires approvals');
  return invoice;
}

async function paid(stage: Stage): Promise<types.Invoice> {
  const invoice = await issued(stage);
  const session = await stage.api.invoices.openPaymentSession(invoice.id);
  await stage.api.paymentSessions.complete(session.id, { paymentMethod: 'pm_ok' });
  return stage.api.invoices.get(invoice.id);
}

/** Moves the clock, and waits until all that was due on the way is done. */
export async function advance(
  { api, clock }: Pick<Stage, 'api' | 'clock'>,
  by: string,
  tell: (clock: types.TestClock) => void = () => undefined,
): Promise<types.TestClock> {
  const goal = by.startsWith('P') ? { advanceBy: by } : { currentTime: by };
  let moved = await api.testClocks.advance(clock.id, goal);
  for (let looks = 0; moved.advancingTo !== null; looks += 1) {
    tell(moved);
    if (looks === MOST_LOOKS)
      throw new CommandFailure(
        `The clock is still on its way to ${moved.advancingTo}.`,
        'look at it again: reckoner list testClocks',
      );
    await sleep(LOOK_MILLISECONDS);
    moved = await api.testClocks.get(clock.id);
  }
  return moved;
}
