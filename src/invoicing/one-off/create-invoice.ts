import { resolveItems } from '../../catalog/index.ts';
import { findCustomer } from '../../customers/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { bodyKey, findCreated } from '../../http/index.ts';
import { decimalOf, decimalOrNull } from '../../kernel/decimal.ts';
import { type FieldError, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { OneOffLine } from '../calculation/one-off-lines.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectInvoiceByKey } from '../invoice/invoices.sql.ts';
import type { InvoiceCreateBody } from '../invoice/schemas.ts';
import { isBackwards, readServiceTime } from '../invoice/service-time.ts';
import { makeOneOffInvoice } from '../issue/make-one-off.ts';

/** An invoice that was made, or the one that the same idempotency key made before, as it is now. */
export interface CreatedInvoice {
  readonly invoice: InvoiceRow;
  readonly isNew: boolean;
}

/**
 * POST /v2/invoices: an invoice for whatever its lines say, a draft unless it is to be issued at once (domain.md §4). A
 * customer is on no test clock, so `now` is wall time.
 */
export async function createInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  body: InvoiceCreateBody,
  now: Instant,
): Promise<Result<CreatedInvoice>> {
  const idempotency = bodyKey('invoice', body);
  const known = await findCreated(tx, idempotency, { kind: 'invoice', find: selectInvoiceByKey });
  if (!known.ok) return known;
  if (known.value) return ok({ invoice: known.value, isNew: false });
  const backwards = backwardsOf(body);
  if (backwards.length > 0) return invalid(backwards);
  const named = await checkNamed(tx, body);
  if (!named.ok) return named;
  const made = await makeOneOffInvoice(
    dependencies,
    tx,
    {
      merchantId: tx.merchantId,
      customerId: body.customerId,
      subscriptionId: null,
      planId: null,
      clockId: null,
      kind: 'ad_hoc',
      currency: body.currency,
      lines: body.lines.map(lineOf),
      service: readServiceTime(body),
      ...(body.taxExempt !== undefined && { taxExempt: body.taxExempt }),
      paymentTermDays: body.paymentTermDays ?? 0,
      livesBySession: false,
      purpose: null,
      autoApprove: body.autoApprove ?? false,
      metadata: body.metadata ?? {},
      ...(idempotency && { idempotency }),
    },
    now,
  );
  return made.ok ? ok({ invoice: made.value.invoice, isNew: true }) : made;
}

/** The times that end before they begin. */
const backwardsOf = (body: InvoiceCreateBody): FieldError[] =>
  [{ time: body, at: '' }, ...body.lines.map((time, index) => ({ time, at: `lines.${index}.` }))].flatMap(
    ({ time, at }) =>
      isBackwards(readServiceTime(time))
        ? [{ field: `${at}serviceTo`, message: 'must not be before serviceFrom' }]
        : [],
  );

const lineOf = ({
  displayName,
  quantity,
  unitPrice,
  itemId,
  taxRate,
  ...times
}: InvoiceCreateBody['lines'][number]): OneOffLine => ({
  displayName,
  quantity: decimalOf(quantity),
  unitPrice: decimalOf(unitPrice),
  itemId: itemId ?? null,
  taxRate: decimalOrNull(taxRate),
  type: 'manual',
  service: readServiceTime(times),
});

/** Customer and items are the merchant's and are there. */
async function checkNamed(tx: Tx, { customerId, lines }: InvoiceCreateBody): Promise<Result<unknown>> {
  const owned = await checkReference(tx, 'customer', customerId, 'customerId');
  if (!owned.ok) return owned;
  const customer = await findCustomer(tx, customerId, { keep: true }); // a deletion waits for us
  if (!customer) return notFound('customer', 'customerId');
  const named = lines.flatMap(({ itemId }, index) =>
    itemId == null ? [] : [{ itemId, field: `lines.${index}.itemId` }],
  );
  const items = new Set((await resolveItems(tx, [...new Set(named.map(({ itemId }) => itemId))])).map(({ id }) => id));
  const missing = named.find(({ itemId }) => !items.has(itemId));
  if (!missing) return ok(undefined);
  const foreign = await checkReference(tx, 'item', missing.itemId, missing.field);
  return foreign.ok ? notFound('item', missing.field) : foreign;
}
