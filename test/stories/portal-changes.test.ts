import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import type { Page } from '../support/page-reader.ts';
import { visit } from '../support/portal.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Plans, quantities and ends that customers change by themselves: each is shown before it is done, to the cent. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const allow = (portal: object) => shop.change(`/v0/organizations/${merchant.id}`, { settings: { portal } });
/** The last total of a page is that of its invoice; the ones before it are of lines. */
const totalOf = ({ words }: Page): string => [...words.matchAll(/Total (\S+)/g)].at(-1)?.[1] as string;
const upcoming = ({ id }: Resource) => shop.read(`/v0/subscriptions/${id}/upcomingInvoice`);
const dollars = (amount: string): string => `$${Number(amount).toFixed(2)}`;

/** Somebody on a plan of 31.00 a month in advance, half of January later, with one of 93.00 to move to. */
async function halfAMonth(fields: object = {}) {
  const clock = await shop.clock(START);
  const price = (unitPrice: string) =>
    shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice }, invoiceDisplayName: `At ${unitPrice}` });
  const [small, large] = [
    await shop.plan([await price('31')], { defaultTaxRate: 20, ...fields }),
    await shop.plan([await price('93')], { defaultTaxRate: 20, description: 'Three times as much' }),
  ];
  const subscription = await shop.subscribe(small, { clock });
  const { customerId } = subscription;
  await shop.act(`/v0/paymentSessions/${subscription.payment.paymentSessionId}/complete`, { paymentMethod: 'pm_ok' });
  await shop.advance(clock, '2026-01-16T12:00:00Z');
  return { clock, small, large, subscription, customer: { id: customerId } };
}

describe('without the merchant’s leave', () => {
  it('nothing can be changed, by the page or by a forged form', async () => {
    await allow({ planChange: null, quantities: false, cancellation: 'none' });
    const { large, subscription, customer } = await halfAMonth();
    const reader = await visit(env, shop, { id: subscription.id });
    expect(reader.first.address).toBe(`/portal/subscriptions/${subscription.id}`);
    expect(reader.first.forms).toHaveLength(1); // to sign out
    const formKey = reader.first.forms[0]?.fields[0]?.value as string;
    const headers = {
      cookie: `reckoner_portal=${reader.cookies.get('reckoner_portal')}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const before = await shop.read(`/v0/subscriptions/${subscription.id}`);
    const [price] = Object.keys(before.quantities) as [string];
    for (const fields of [{ plan: large.id }, { cancel: 'now' }, { cancel: 'period_end' }, { [price]: '5' }, {}]) {
      const body = new URLSearchParams({ formKey, print: 'x', ...(fields as Record<string, string>) }).toString();
      const path = `/portal/subscriptions/${subscription.id}`;
      expect((await env.client().post(`${path}/change`, body, headers)).status).toBe(303);
      expect((await env.client().get(`${path}/preview?${body}`, headers)).status).toBe(303);
    }
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toEqual(before);
    expect(customer.id).toBe(before.customerId);
  });

  it('another site, or a form of another visit, ends no subscription', async () => {
    await allow({ planChange: null, quantities: false, cancellation: 'now' });
    const { subscription } = await halfAMonth();
    const reader = await visit(env, shop, { id: subscription.id });
    const formKey = reader.first.forms[0]?.fields[0]?.value as string;
    const send = (key: string, site: string) =>
      env
        .client()
        .post(
          `/portal/subscriptions/${subscription.id}/change`,
          new URLSearchParams({ formKey: key, print: 'x', cancel: 'now' }).toString(),
          {
            cookie: `reckoner_portal=${reader.cookies.get('reckoner_portal')}`,
            'content-type': 'application/x-www-form-urlencoded',
            'sec-fetch-site': site,
          },
        );
    for (const [key, site] of [
      [formKey, 'cross-site'],
      [`${formKey}x`, 'same-origin'],
    ] as const)
      expect((await send(key, site)).headers.location).toMatch(/\/portal$/);
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({ status: 'active' });
    expect(String((await send(formKey, 'same-origin')).headers.location)).not.toMatch(/\/portal$/);
  });

  it('only the merchant’s own plans can be offered', async () => {
    const stranger = await env.merchant();
    const plan = await shopOf(stranger).plan([await shopOf(stranger).feePrice()]);
    const { status } = await merchant.patch(`/v0/organizations/${merchant.id}`, {
      settings: { portal: { planChange: { plans: [plan.id] } } },
    });
    expect(status).toBe(403);
  });
});

describe('a change of the plan', () => {
  it('comes to what was shown, on the upcoming invoice and on the one that is issued', async () => {
    const { clock, large, subscription } = await halfAMonth();
    await allow({ planChange: { plans: [large.id] } });
    const reader = await visit(env, shop, { id: subscription.id });
    const preview = await reader.press(reader.first, 'See what this costs', { plan: large.id });
    expect([preview.status, preview.headings[0]]).toEqual([200, 'Change the plan']);
    expect(preview.words).toContain('from 16 January 2026 on');
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({ planId: subscription.planId });
    const done = await reader.press(preview, 'Change the plan now');
    expect(done.words).toContain('Your plan was changed.');
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({ planId: large.id });
    const { grandTotal } = await upcoming(subscription);
    expect(dollars(grandTotal)).toBe(totalOf(preview));
    expect(totalOf(done)).toBe(totalOf(preview));
    await shop.advance(clock, 'P1M');
    const issued = (await shop.invoices(subscription)).find(
      (each: Resource) => each.issuedAt !== null && each.kind === 'subscription' && each.periodStart === START,
    );
    expect(issued.grandTotal).toBe(grandTotal);
    const { data } = await shop.read(`/v0/auditLog?resourceId=${subscription.id}&operation=changePortalSubscription`);
    expect(data).toMatchObject([
      { actor: 'customer', customerId: subscription.customerId, before: { planId: subscription.planId } },
    ]);
  });

  it('pressed ten times at once happens once', async () => {
    const { large, subscription } = await halfAMonth();
    await allow({ planChange: { plans: [large.id] } });
    const reader = await visit(env, shop, { id: subscription.id });
    const preview = await reader.press(reader.first, 'See what this costs', { plan: large.id });
    const pages = await Promise.all(Array.from({ length: 10 }, () => reader.press(preview, 'Change the plan now')));
    for (const { status } of pages) expect([200, 409]).toContain(status);
    expect((await shop.read(`/v0/subscriptions/${subscription.id}/changes`)).data).toHaveLength(1);
  });

  it('is shown again where it would cost something else by now', async () => {
    const { clock, large, subscription } = await halfAMonth();
    await allow({ planChange: { plans: [large.id] } });
    const reader = await visit(env, shop, { id: subscription.id });
    const preview = await reader.press(reader.first, 'See what this costs', { plan: large.id });
    await shop.advance(clock, 'P1D');
    const again = await reader.press(preview, 'Change the plan now');
    expect([again.status, again.words]).toEqual([409, expect.stringContaining('The figures have changed.')]);
    expect(totalOf(again)).not.toBe(totalOf(preview));
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({ planId: subscription.planId });
    await reader.press(again, 'Change the plan now');
    expect(dollars((await upcoming(subscription)).grandTotal)).toBe(totalOf(again));
  });

  it('is valid for its day, with any usage in between', async () => {
    const metric = await shop.metric({ eventType: 'portal.meanwhile' });
    const usage = await shop.usagePrice({ billableMetricId: metric.id });
    const clock = await shop.clock(START);
    const plan = await shop.plan([usage, await shop.feePrice()]);
    const other = await shop.plan([usage, await shop.feePrice({ properties: { unitPrice: '20' } })]);
    const subscription = await shop.subscribe(plan, { clock });
    await shop.advance(clock, '2026-01-16T12:00:00Z');
    await allow({ planChange: { plans: [other.id] } });
    const reader = await visit(env, shop, { id: subscription.id });
    const preview = await reader.press(reader.first, 'See what this costs', { plan: other.id });
    await shop.use(subscription.customerId, '2026-01-10T00:00:00Z', 3, { type: 'portal.meanwhile' });
    await shop.advance(clock, '2026-01-16T18:00:00Z');
    expect((await reader.press(preview, 'Change the plan now')).words).toContain('Your plan was changed.');
  });

  it('is of a list with prices, in which the present plan is marked and none is chosen', async () => {
    const { small, large, subscription } = await halfAMonth();
    await allow({ planChange: { plans: [large.id, small.id] } });
    const reader = await visit(env, shop, { id: subscription.id });
    expect(reader.first.words).toContain(`${small.name} Your plan now At 31 $31.00 every month`);
    expect(reader.first.words).toContain(`${large.name} Three times as much At 93 $93.00 every month`);
    expect(reader.first.words).not.toContain('usage');
    const choices = reader.first.forms.flatMap(({ fields }) => fields).filter(({ kind }) => kind === 'radio');
    expect(choices).toMatchObject([{ value: large.id, isSent: false }]);
    await expect(reader.press(reader.first, 'See what this costs')).rejects.toThrow('A browser asks for plan');
  });

  it('waits for the end of the period where the merchant says so', async () => {
    const { large, subscription } = await halfAMonth();
    await allow({ planChange: { plans: [large.id], effective: 'periodEnd' } });
    const reader = await visit(env, shop, { id: subscription.id });
    const preview = await reader.press(reader.first, 'See what this costs', { plan: large.id });
    expect(preview.words).not.toContain('now');
    const done = await reader.press(preview, 'Change the plan on 1 February 2026');
    expect(done.words).toContain('is planned for 1 February 2026.');
    expect(done.forms).toHaveLength(1);
    expect(dollars((await upcoming(subscription)).grandTotal)).toBe(totalOf(preview));
  });
});

describe('a change of quantities', () => {
  it('comes to what was shown', async () => {
    await allow({ planChange: null, quantities: true });
    const { subscription } = await halfAMonth();
    const [price] = Object.keys(subscription.quantities) as [string];
    const reader = await visit(env, shop, { id: subscription.id });
    const preview = await reader.press(reader.first, 'See what this costs', { [price]: '4' });
    expect(preview.words).toContain('At 31 : 4');
    const done = await reader.press(preview, 'Change the quantities now');
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({ quantities: { [price]: 4 } });
    expect(dollars((await upcoming(subscription)).grandTotal)).toBe(totalOf(preview));
    expect(totalOf(done)).toBe(totalOf(preview));
  });

  it.each(['-1', '1.5', 'many', '1000001'])('of “%s” is refused', async (count) => {
    await allow({ quantities: true });
    const { subscription } = await halfAMonth();
    const [price] = Object.keys(subscription.quantities) as [string];
    const reader = await visit(env, shop, { id: subscription.id });
    const page = await reader.press(reader.first, 'See what this costs', { [price]: count });
    expect([page.status, page.words]).toEqual([400, expect.stringContaining('Enter a whole number')]);
  });

  it('to what it is already is not possible', async () => {
    await allow({ quantities: true });
    const { subscription } = await halfAMonth();
    const reader = await visit(env, shop, { id: subscription.id });
    expect((await reader.press(reader.first, 'See what this costs')).status).toBe(409);
  });
});

describe('an end', () => {
  it('at once comes to what was shown, minutes later too', async () => {
    await allow({ cancellation: 'now' });
    const { clock, subscription } = await halfAMonth();
    const reader = await visit(env, shop, { id: subscription.id });
    const preview = await reader.press(reader.first, 'Cancel plan…');
    expect(preview.words).toContain('ends on 16 January 2026.');
    expect(preview.words).toContain('$15.50 before tax, and the tax on it, is credited to your account');
    await shop.advance(clock, 'PT9M');
    const done = await reader.press(preview, 'End the plan now');
    expect(done.words).toContain('Your plan has ended.');
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({
      status: 'terminated',
      terminatedAt: '2026-01-16T12:00:00Z',
      terminatedBy: subscription.customerId,
    });
    await shop.advance(clock, 'P2D');
    const last = (await shop.invoices(subscription)).find(
      ({ periodStart, kind }) => kind === 'subscription' && periodStart === START,
    );
    expect(dollars(last.grandTotal)).toBe(totalOf(preview));
    const { balances } = await shop.read(`/v0/customers/${subscription.customerId}/wallet`);
    expect(balances).toMatchObject([{ currency: 'USD', balance: '18.60' }]); // 15.50 and 20 % tax
  });

  it('is shown again after a quarter of an hour', async () => {
    await allow({ cancellation: 'now' });
    const { clock, subscription } = await halfAMonth();
    const reader = await visit(env, shop, { id: subscription.id });
    const preview = await reader.press(reader.first, 'Cancel plan…');
    await shop.advance(clock, 'PT16M');
    expect((await reader.press(preview, 'End the plan now')).status).toBe(409);
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({ status: 'active' });
  });

  it('with the period comes then, and says so on its button', async () => {
    await allow({ cancellation: 'period_end' });
    const { clock, subscription } = await halfAMonth();
    const reader = await visit(env, shop, { id: subscription.id });
    const preview = await reader.press(reader.first, 'Cancel plan…');
    const done = await reader.press(preview, 'End on 1 February 2026');
    expect(done.words).toContain('Ends on 1 February 2026');
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({
      status: 'active',
      endingAt: '2026-02-01T00:00:00Z',
    });
    expect(dollars((await upcoming(subscription)).grandTotal)).toBe(totalOf(preview));
    await shop.advance(clock, 'P1M');
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({ status: 'terminated' });
  });

  it('that a customer has planned is taken back by it, while the plan runs', async () => {
    await allow({ cancellation: 'period_end' });
    const { clock, subscription } = await halfAMonth();
    const path = `/v0/subscriptions/${subscription.id}`;
    const reader = await visit(env, shop, { id: subscription.id });
    const before = await upcoming(subscription);
    const ending = await reader.press(await reader.press(reader.first, 'Cancel plan…'), 'End on 1 February 2026');
    await allow({ cancellation: 'none' }); // the end stays the customer's
    const preview = await reader.press(ending, 'Keep my plan…');
    expect(preview.words).toContain('no longer ends on 1 February 2026');
    expect(await shop.read(path)).toMatchObject({ endingAt: '2026-02-01T00:00:00Z' });
    const kept = await Promise.all([1, 2].map(() => reader.press(preview, 'Keep my plan')));
    expect(kept.map(({ words }) => words)).toContainEqual(expect.stringContaining('Your plan continues.'));
    expect(await shop.read(path)).toMatchObject({ status: 'active', endingAt: null });
    expect((await upcoming(subscription)).grandTotal).toBe(before.grandTotal);
    const { data } = await shop.read(`/v0/auditLog?resourceId=${subscription.id}&operation=changePortalSubscription`);
    expect(data).toMatchObject([{ actor: 'customer', before: { endingAt: '2026-02-01T00:00:00Z' } }, {}]);
    await shop.advance(clock, 'P1M');
    expect(await shop.read(path)).toMatchObject({ status: 'active' });
  });

  it('that the merchant has planned, or moved, is not the customer’s to take back', async () => {
    await allow({ cancellation: 'period_end' });
    const { subscription } = await halfAMonth();
    const path = `/v0/subscriptions/${subscription.id}`;
    await shop.change(path, { endingAt: '2026-03-01T00:00:00Z' });
    const reader = await visit(env, shop, { id: subscription.id });
    expect(reader.first.text).not.toContain('Keep my plan');
    expect((await reader.open(`/portal/subscriptions/${subscription.id}/preview?keep=yes`)).status).toBe(409);
    await shop.change(path, { endingAt: null });
    const plan = await reader.open(`/portal/subscriptions/${subscription.id}`);
    const ending = await reader.press(await reader.press(plan, 'Cancel plan…'), 'End on 1 February 2026');
    expect(ending.text).toContain('Keep my plan');
    await shop.change(path, { endingAt: '2026-03-01T00:00:00Z' });
    const moved = await reader.press(ending, 'Keep my plan…');
    expect([moved.status, moved.text]).toEqual([409, expect.not.stringContaining('Keep my plan')]);
    expect(await shop.read(path)).toMatchObject({ endingAt: '2026-03-01T00:00:00Z' });
  });
});
