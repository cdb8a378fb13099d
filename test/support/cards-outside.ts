import { expect } from 'vitest';
import { FAKE_TOKENS, type FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { connectFake, NOTICE_SECRET } from './connected.ts';
import type { Merchant, TestEnvironment } from './environment.ts';
import { type Resource, type Shop, START, shopOf } from './shop.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A merchant with customers' cards at a provider outside our database. */
export interface CardsOutside {
  readonly merchant: Merchant;
  readonly shop: Shop;
  /** Goes to the provider's page of a session. @returns the provider's reference of the page */
  leaveFor(sessionId: string): Promise<string>;
  /** A customer with a card at the provider. */
  customerWith(token?: string): Promise<Resource>;
  /** A one-off invoice over 10.00 that is issued, on no test clock. */
  issue(customer: Resource): Promise<Resource>;
  /** Delivers these notices of the provider, or all. Background jobs read them. */
  tell(notices?: FakeProvider['notices']): Promise<void>;
  payments(invoice: Resource): Promise<Resource[]>;
  /** The payments that need a person. */
  exceptions(): Promise<Resource[]>;
}

export async function cardsOutside(env: TestEnvironment, provider: FakeProvider): Promise<CardsOutside> {
  env.setNow(START);
  const merchant = await env.merchant();
  await connectFake(env, merchant);
  const shop = shopOf(merchant);
  const nobody = env.client();
  const leaveFor = async (sessionId: string) => {
    const { status, headers } = await nobody.post(`/pay/${sessionId}`, '', FORM);
    expect(status).toBe(303);
    return String(headers.location).split('/').at(-1) as string;
  };
  return {
    merchant,
    shop,
    leaveFor,
    customerWith: async (token = FAKE_TOKENS.ok) => {
      const customer = await shop.customer();
      const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
      provider.pay(await leaveFor(setup.id), { token });
      await nobody.get(`/pay/${setup.id}/return`);
      return customer;
    },
    issue: (customer) =>
      shop.create('/v2/invoices', {
        customerId: customer.id,
        currency: 'USD',
        autoApprove: true,
        lines: [{ displayName: 'Service', quantity: 1, unitPrice: 10 }],
      }),
    tell: async (notices = provider.notices) => {
      for (const notice of notices)
        await nobody.post(`/v0/providers/stripe/webhooks/${merchant.id}`, JSON.stringify(notice), {
          'content-type': 'application/json',
          'fake-signature': NOTICE_SECRET,
        });
    },
    payments: async ({ id }) => (await shop.read(`/v2/invoices/${id}/payments`)).data,
    exceptions: async () => (await shop.read('/v0/paymentExceptions')).data,
  };
}
