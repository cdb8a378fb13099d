import type { Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { PaymentProvider } from '../provider/provider.ts';
import { sandboxProvider } from '../provider/sandbox-provider.ts';
import { keepReceipt } from '../records/charge-receipt.ts';
import {
  type Charge,
  type ChargeOrigin,
  type FinishedCharge,
  insertCharges,
  lockCharge,
  type NewCharge,
  selectCharge,
  updateChargeFinished,
} from '../records/charges.sql.ts';
import type { PaymentMethod } from '../records/method.ts';
import { selectDefaults } from '../records/methods.sql.ts';
import type { PaymentDependencies } from '../sessions/completion.ts';
import { callForCharge } from './remote-charges.ts';

/** The charge, and its customer. */
export interface ChargeRequestOfInvoice {
  readonly merchantId: string;
  readonly invoiceId: string;
  readonly customerId: string;
  readonly origin: ChargeOrigin;
  readonly amount: Decimal;
  readonly currency: string;
  /** The test clock of the invoice. */
  readonly clockId: string | null;
}

/** The card that is charged first; undefined where the customer has stored none. */
export const defaultMethodOf = async (tx: Tx, customerId: string): Promise<PaymentMethod | undefined> =>
  (await selectDefaults(tx, [customerId]))[0];

/** The same of some customers, by their ids; those without a card are left out. */
export const defaultMethodsOf = async (
  tx: Tx,
  customerIds: Iterable<string>,
): Promise<ReadonlyMap<string, PaymentMethod>> =>
  new Map((await selectDefaults(tx, [...new Set(customerIds)])).map((method) => [method.customerId, method]));

/**
 * Writes down the intents to charge the default cards of customers for invoices of one merchant, or that there is no
 * card (domain.md §8). The provider is called after this, and again under the same key whatever happens in between. The
 * caller holds the invoices and keeps all others from paying them until the outcomes are there.
 * @throws where a charge of an invoice is on its way (unique index).
 */
export async function intendCharges(
  tx: Tx,
  intended: readonly { readonly request: ChargeRequestOfInvoice; readonly method: PaymentMethod | undefined }[],
  now: Instant,
): Promise<Charge[]> {
  const [first] = intended;
  if (!first) return [];
  return insertCharges(tx, intended.map(newCharge), now);
}

const newCharge = ({
  request,
  method,
}: {
  readonly request: ChargeRequestOfInvoice;
  readonly method: PaymentMethod | undefined;
}): NewCharge => ({
  merchantId: request.merchantId,
  invoiceId: request.invoiceId,
  customerId: request.customerId,
  origin: request.origin,
  paymentMethodId: method?.id ?? null,
  provider: method?.provider ?? 'sandbox',
  providerToken: method?.providerToken ?? null,
  amount: request.amount,
  currency: request.currency,
  clockId: request.clockId,
});

/**
 * Charges what was intended, and writes down what came of it; its caller does what follows from that in the same
 * transaction. `now` is effective now for the invoice, which the caller has locked: it comes before the charge.
 * @throws where it is finished already.
 */
export async function performCharge(
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  now: Instant,
  provider: PaymentProvider = sandboxProvider,
): Promise<FinishedCharge> {
  const charge = await lockCharge(tx, id);
  if (charge?.status !== 'intended') throw new Error(`Charge ${id} is not in progress.`);
  const { providerToken: token, amount, currency } = charge;
  const outcome =
    token === null
      ? ({ accepted: false, reference: null, reason: 'no_payment_method' } as const)
      : await provider.charge(tx, { merchantId, key: id, token, amount, currency }, now);
  const finished = await updateChargeFinished(
    tx,
    charge,
    {
      status: outcome.accepted ? 'accepted' : 'declined',
      declineReason: outcome.accepted ? null : outcome.reason,
      providerReference: outcome.reference,
    },
    now,
  );
  return { charge: finished, receiptId: outcome.accepted ? await keepReceipt(tx, finished, now) : null };
}

/** Charges happen by due work, the first thing at their instant: an invoice waits for its outcome (domain.md §8). */
export const chargesDue = (dependencies: PaymentDependencies): DueKind => ({
  kind: 'payment_charge',
  step: async (tx, { merchantId, id }, now) => {
    const charge = await selectCharge(tx, id);
    if (!charge) throw new Error(`Charge ${id} is due and not there.`);
    if (charge.provider !== 'sandbox' && charge.providerToken !== null)
      return callForCharge(tx, dependencies, charge, now);
    // The caller holds the invoice and then locks the charge, whose row this step has already.
    await dependencies.handlers.lockNow?.(tx, [{ merchantId, entityType: 'invoice', entityId: charge.invoiceId }]);
    await dependencies.handlers.charged(
      tx,
      await performCharge(tx, { merchantId, id }, now, dependencies.provider),
      now,
    );
    return;
  },
});
