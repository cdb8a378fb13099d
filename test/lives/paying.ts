import { sql } from '../../src/db/index.ts';
import { decimal } from '../../src/kernel/decimal.ts';
import type { FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { connectFake, NOTICE_SECRET } from '../support/connected.ts';
import type { Merchant, TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import type { Lived } from './drive.ts';

/** The card of a life's customer, at a provider in memory that several lives share. */
export interface Paying {
  /** Stores the card. */
  store(customer: Resource): Promise<void>;
  charge(invoice: Resource): Promise<'done' | null>;
  /** About the charge at a place of those without a dispute or a refund; null: there is none. */
  dispute(
    at: number,
    terms: { status: 'open' | 'won' | 'lost'; isPart: boolean; digits: number },
  ): Promise<'done' | null>;
  charges(): Promise<Lived['charges']>;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MOST_LOOKS = 50;

interface Charge {
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
}

/** Connects the merchant with the provider. */
export async function payingOf(env: TestEnvironment, merchant: Merchant, provider: FakeProvider): Promise<Paying> {
  await connectFake(env, merchant);
  const shop = shopOf(merchant);
  const disputed = new Map<string, { amount: string; isWon: boolean }>();
  const find = () =>
    env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows<Charge>(sql`select provider_reference as reference, amount::text, currency from payment_receipt
        where provider_reference is not null order by seq`),
    );
  /** Tells what the provider knows of an object. */
  const tell = async (reference: string): Promise<void> => {
    for (const notice of provider.notices.filter(({ objectReference }) => objectReference === reference))
      await env.client().post(`/v0/providers/stripe/webhooks/${merchant.id}`, JSON.stringify(notice), {
        'content-type': 'application/json',
        'fake-signature': NOTICE_SECRET,
      });
    await env.runDueWork();
  };
  return {
    async store({ id }) {
      const setup = await shop.create(`/v0/customers/${id}/paymentMethods`);
      const { headers } = await env.client().post(`/pay/${setup.id}`, '', FORM);
      provider.pay(String(headers.location).split('/').at(-1) as string);
      await env.client().get(`/pay/${setup.id}/return`);
    },
    async charge({ id }) {
      const { status } = await merchant.post(`/v2/invoices/${id}/pay`);
      if (status !== 200) return null;
      for (let look = 0; look < MOST_LOOKS; look += 1) {
        if (!(await shop.read(`/v2/invoices/${id}`)).paymentInFlight) return 'done';
        await env.runDueWork();
      }
      throw new Error(`The charge of ${id} did not end.`);
    },
    async dispute(at, { status, isPart, digits }) {
      // A bank takes nothing back that the payer already has.
      const returned = new Set(provider.refunds.map(({ chargeReference }) => chargeReference));
      const free = (await find()).filter(({ reference }) => !(disputed.has(reference) || returned.has(reference)));
      const charge = free[at % Math.max(1, free.length)];
      if (!charge) return null;
      const amount = isPart ? decimal(charge.amount).div(4).toDecimalPlaces(digits) : decimal(charge.amount);
      if (amount.isZero()) return null;
      const about = { chargeReference: charge.reference, amount, currency: charge.currency, reason: 'fraudulent' };
      const reference = provider.dispute({ ...about, status: 'open' });
      disputed.set(charge.reference, { amount: amount.toFixed(), isWon: status === 'won' });
      await tell(reference);
      if (status !== 'open') {
        provider.dispute({ ...about, status }, reference);
        await tell(reference);
      }
      return 'done';
    },
    charges: async () =>
      (await find()).map(({ reference, amount }) => {
        const returned = provider.refunds.filter(
          (refund) => refund.chargeReference === reference && refund.status === 'succeeded',
        );
        const dispute = disputed.get(reference);
        const taken = dispute && !dispute.isWon ? dispute.amount : '0';
        return { amount, left: returned.reduce((sum, refund) => sum.plus(refund.amount), decimal(taken)).toFixed() };
      }),
  };
}

/** Stores a test card of the sandbox. @returns its id */
export async function storeTestCard(shop: Shop, { id }: Resource, card: string): Promise<string> {
  const setup = await shop.create(`/v0/customers/${id}/paymentMethods`);
  await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: card });
  const { data } = await shop.read(`/v0/customers/${id}/paymentMethods`);
  return data[0].id;
}
