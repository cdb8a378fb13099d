import { resolveItems } from '../../catalog/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { bodyKey, findCreated, keyColumns } from '../../http/index.ts';
import { decimalOf } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import { type Instant, type InstantText, instantOf, isBefore } from '../../kernel/time.ts';
import type { ManualLineRow } from '../drafts/manual-line.ts';
import { insertManualLine, selectManualLineByKey } from '../drafts/manual-lines.sql.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockWithNow } from '../issue/actions.ts';
import type { LineItemCreateBody } from './line-item-schemas.ts';
import { selectNextToClose } from './open-invoices.sql.ts';

/** A line that was written, or the one that the same idempotency key wrote before, as it is now. */
export interface CreatedLine {
  readonly line: ManualLineRow;
  readonly isNew: boolean;
}

/**
 * POST /v2/invoices/lineItems: a line by hand for an invoice whose period is open (ACTIVE), or whose usage has not been
 * read yet (CLOSING). One for a subscription goes on the first invoice of the plan's own series that closes at or after
 * `invoiceAt`. `wall` is wall time.
 * @returns INVALID_TRANSITION where no such invoice is open; IDEMPOTENCY_KEY_REUSED where the key came with another
 *   body
 */
export async function createLineItem(
  dependencies: InvoicingDependencies,
  tx: Tx,
  body: LineItemCreateBody,
  wall: Instant,
): Promise<Result<CreatedLine>> {
  const key = bodyKey('lineItem', body);
  const known = await findCreated(tx, key, { kind: 'manual line', find: selectManualLineByKey });
  if (!known.ok) return known;
  if (known.value) return ok({ line: known.value, isNew: false });
  const named = await checkItem(tx, body.itemId ?? null);
  if (!named.ok) return named;
  const found = await openInvoiceOf(dependencies, tx, body, wall);
  if (!found.ok) return found;
  const { invoice, now } = found.value;
  if (body.currency !== invoice.currency) return invalidField('currency', `must be the invoice's, ${invoice.currency}`);
  const times = timesOf(body, invoice);
  if (!times.ok) return times;
  const line = await insertManualLine(tx, {
    merchantId: tx.merchantId,
    id: newId('lineItem'),
    subscriptionId: invoice.subscriptionId as string,
    invoiceId: body.invoiceId ?? null,
    itemId: body.itemId ?? null,
    displayName: body.displayName,
    description: body.description ?? null,
    currency: body.currency,
    quantity: decimalOf(body.quantity),
    unitPrice: decimalOf(body.unitPrice),
    ...times.value,
    calculatedAt: null,
    ...keyColumns(key),
    createdAt: now,
    updatedAt: now,
  });
  return ok({ line, isNew: true });
}

/** The invoice that the body names, or the open one of the plan's own series of the subscription; locked. */
async function openInvoiceOf(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { invoiceId, subscriptionId }: LineItemCreateBody,
  wall: Instant,
): Promise<Result<{ invoice: InvoiceRow; now: Instant }>> {
  if ((invoiceId === undefined) === (subscriptionId === undefined))
    return invalidField('subscriptionId', 'give subscriptionId or invoiceId, one of the two');
  const id = invoiceId ?? (await openOf(dependencies, tx, subscriptionId as string));
  const rule = {
    thing: 'invoice',
    trigger: 'addLineItem',
    allowedFrom: ['ACTIVE', 'CLOSING'],
    done: 'given line items',
  };
  if (id === undefined) return fail('INVALID_TRANSITION', { trigger: rule.trigger, subscriptionId }, NO_OPEN_INVOICE);
  const locked = await lockWithNow(tx, id, wall);
  if (!locked.ok) return notFound('invoice', 'invoiceId');
  const { invoice } = locked.value;
  const takesLines = invoice.kind === 'subscription' && (invoice.status === 'ACTIVE' || invoice.status === 'CLOSING');
  if (takesLines) return locked;
  const isOther = invoice.kind !== 'subscription';
  return wrongState(
    { ...rule, status: invoice.status },
    isOther ? { why: OTHER_KIND, details: { kind: invoice.kind } } : {},
  );
}

const NO_OPEN_INVOICE = 'This subscription has no open invoice for line items.';
const OTHER_KIND = 'Line items can only be added to an invoice for a period of a subscription.';

async function openOf({ source }: InvoicingDependencies, tx: Tx, subscriptionId: string): Promise<string | undefined> {
  const { planCadence } = await source.terms(tx, subscriptionId);
  return (await selectNextToClose(tx, subscriptionId, planCadence))?.id;
}

async function checkItem(tx: Tx, itemId: string | null): Promise<Result<unknown>> {
  if (itemId === null) return ok(undefined);
  const owned = await checkReference(tx, 'item', itemId, 'itemId');
  if (!owned.ok) return owned;
  return (await resolveItems(tx, [itemId])).length > 0 ? owned : notFound('item', 'itemId');
}

function timesOf(
  body: LineItemCreateBody,
  invoice: InvoiceRow,
): Result<Pick<ManualLineRow, 'periodStart' | 'periodEnd' | 'invoiceAt'>> {
  const given = (text: InstantText | undefined, otherwise: Instant) =>
    text === undefined ? otherwise : instantOf(text);
  const start = given(body.periodStart, invoice.periodStart);
  const end = given(body.periodEnd, invoice.periodEnd);
  if (isBefore(end, start)) return invalidField('periodEnd', 'must not be before periodStart');
  return ok({ periodStart: start, periodEnd: end, invoiceAt: given(body.invoiceAt, invoice.periodEnd) });
}
