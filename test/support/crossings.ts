import { decimal, sum } from '../../src/kernel/decimal.ts';
import { formatMoney } from '../../src/kernel/money.ts';
import { transfer } from './bills.ts';
import type { Resource, Shop } from './shop.ts';

type Fields = Record<string, unknown>;

/** Invoices with a demand for money, now or before. A draft is not one yet; a cancelled one is not one any more. */
const IN_FORCE: ReadonlySet<string> = new Set(['ISSUED', 'PAID', 'PAYMENT_FAILED', 'WRITTEN_OFF']);

/** The invoices of a customer that are in force, with their lines, oldest first. */
export async function invoicesInForce(shop: Shop, customerId: string): Promise<Resource[]> {
  const { data } = await shop.read(`/v2/invoices?customerId=${customerId}&limit=100`);
  const found: Resource[] = [];
  for (const { id, status } of data.toReversed()) if (IN_FORCE.has(status)) found.push(await shop.invoice(id));
  return found;
}

/** The credits of an invoice by valid credit notes: off the unpaid amount, to the payer, or to the wallet. */
async function creditedOf(shop: Shop, { id }: Resource) {
  const { data } = await shop.read(`/v2/invoices/${id}/creditNotes?limit=100`);
  return sum(data.filter(({ status }: Resource) => status === 'ISSUED').map(({ total }: Resource) => decimal(total)));
}

/**
 * The total of a customer's invoices, with tax, after all credit notes. It does not depend on the document of a credit:
 * a line of the next invoice lowers its total, a credit note is subtracted here, and the wallet only pays.
 */
export async function costOf(shop: Shop, customerId: string): Promise<string> {
  const invoices = await invoicesInForce(shop, customerId);
  const amounts = [];
  for (const invoice of invoices) amounts.push(decimal(invoice.grandTotal).minus(await creditedOf(shop, invoice)));
  return formatMoney(sum(amounts), invoices[0]?.currency ?? 'USD');
}

/** The contents of the customer's wallets, by currency, without empty ones. */
export async function walletsOf(shop: Shop, customerId: string): Promise<Record<string, string>> {
  const { balances } = await shop.read(`/v0/customers/${customerId}/wallet`);
  const filled = balances.filter(({ balance }: Resource) => Number(balance) !== 0);
  return Object.fromEntries(filled.map(({ currency, balance }: Resource) => [currency, balance]));
}

/** Full transfers for all unpaid invoices of a customer. */
export async function payAll(shop: Shop, customerId: string): Promise<void> {
  for (const invoice of await invoicesInForce(shop, customerId))
    if (Number(invoice.unpaidAmount) > 0) await transfer(shop, invoice, invoice.unpaidAmount);
}

/** A plan with invoices that are issued at the end of their periods. */
export const promptPlan = (shop: Shop, prices: readonly Resource[], fields: Fields = {}): Promise<Resource> =>
  shop.plan(prices, { gracePeriod: 'P0D', ...fields });

export const fee = (shop: Shop, paymentTerm: 'in_advance' | 'in_arrears', unitPrice: string, fields: Fields = {}) =>
  shop.feePrice({ paymentTerm, properties: { unitPrice }, ...fields });

/** A subscription of a customer who pays by transfer, so no step waits for a card. */
export async function subscribed(shop: Shop, plan: Resource, from: string, fields: Fields = {}) {
  const clock = await shop.clock(from);
  const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true, ...fields });
  return { clock, subscription, customerId: subscription.customerId as string };
}

export const changeTo = (shop: Shop, subscription: Resource, plan: Resource, fields: Fields = {}) =>
  shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: plan.id, ...fields });

export const end = (shop: Shop, subscription: Resource, fields: Fields = {}) =>
  shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over', ...fields });

export const endAsOf = (shop: Shop, subscription: Resource, terminatedAt: string) =>
  shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt });

/** POST …/closeNow of the open period that closes next, of all series or of that of a cadence. */
export async function closeNow(shop: Shop, subscription: Resource, cadence?: string): Promise<Resource> {
  const query = cadence === undefined ? '' : `?billingCadence=${cadence}`;
  const { id } = await shop.read(`/v0/subscriptions/${subscription.id}/upcomingInvoice${query}`);
  return shop.act(`/v2/invoices/${id}/closeNow`, { reason: 'The customer asked for it' });
}
