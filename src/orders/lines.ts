import { lockItems } from '../catalog/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import { decimalOf, ZERO } from '../kernel/decimal.ts';
import { newId } from '../kernel/ids.ts';
import { type FieldError, invalid, notFound, ok, type Result } from '../kernel/result.ts';
import { type Instant, instantOrNull } from '../kernel/time.ts';
import { figureProblems, figuresOf, type GivenFigures } from './arithmetic.ts';
import type { OrderLine, OrderRow } from './order.ts';
import type { OrderLineItemCreateBody, OrderLineItemUpdateBody } from './schemas.ts';
import { lineTermProblems } from './terms.ts';

/** The order of some lines. */
type OfOrder = Pick<OrderRow, 'merchantId' | 'id' | 'currency' | 'termStartDate' | 'termEndDate'>;

/** A line to store, or its faults by field. */
type Decided = { readonly line: OrderLine; readonly problems: readonly FieldError[] };

function decide(
  line: Omit<OrderLine, 'unitPrice' | 'totalPrice'>,
  given: GivenFigures,
  order: OfOrder,
  at: string,
): Decided {
  const problems = [...figureProblems(given, order.currency, at), ...lineTermProblems(line, order, at)];
  return { line: { ...line, ...figuresOf(given, order.currency) }, problems };
}

function decideNew(order: OfOrder, body: OrderLineItemCreateBody, at: string, now: Instant): Decided {
  const figures = {
    quantity: decimalOf(body.quantity),
    listUnitPrice: decimalOf(body.listUnitPrice),
    discountUnitAmount: body.discountUnitAmount === undefined ? ZERO : decimalOf(body.discountUnitAmount),
    unitPrice: decimalOf(body.unitPrice),
    totalPrice: decimalOf(body.totalPrice),
  };
  const { unitPrice: _, totalPrice: __, ...own } = figures;
  const line = {
    merchantId: order.merchantId,
    id: newId('orderLineItem'),
    orderId: order.id,
    itemId: body.itemId ?? null,
    description: body.description ?? null,
    ...own,
    termStartDate: instantOrNull(body.termStartDate),
    termEndDate: instantOrNull(body.termEndDate),
    metadata: body.metadata ?? {},
    createdAt: now,
    updatedAt: now,
  };
  return decide(line, figures, order, at);
}

/**
 * New lines of an order to store.
 * @param at the place of each in the body: `lineItems.0.`, or nothing
 * @returns 400 with every contradicting field
 */
export function decideNewLines(
  order: OfOrder,
  bodies: readonly OrderLineItemCreateBody[],
  at: (index: number) => string,
  now: Instant,
): Result<OrderLine[]> {
  const decided = bodies.map((body, index) => decideNew(order, body, at(index), now));
  const problems = decided.flatMap((each) => each.problems);
  return problems.length > 0 ? invalid(problems) : ok(decided.map(({ line }) => line));
}

/**
 * A line as a PATCH leaves it. What follows from other figures is not asked for again: `unitPrice` and `totalPrice`
 * that are not sent are computed, and those that are sent must agree.
 */
export function decideChangedLine(
  order: OfOrder,
  line: OrderLine,
  body: OrderLineItemUpdateBody,
  now: Instant,
): Result<OrderLine> {
  const given = {
    quantity: body.quantity === undefined ? line.quantity : decimalOf(body.quantity),
    listUnitPrice: body.listUnitPrice === undefined ? line.listUnitPrice : decimalOf(body.listUnitPrice),
    discountUnitAmount:
      body.discountUnitAmount === undefined ? line.discountUnitAmount : decimalOf(body.discountUnitAmount),
    unitPrice: body.unitPrice === undefined ? null : decimalOf(body.unitPrice),
    totalPrice: body.totalPrice === undefined ? null : decimalOf(body.totalPrice),
  };
  const changed = {
    ...line,
    itemId: body.itemId === undefined ? line.itemId : body.itemId,
    description: body.description === undefined ? line.description : body.description,
    termStartDate: body.termStartDate === undefined ? line.termStartDate : instantOrNull(body.termStartDate),
    termEndDate: body.termEndDate === undefined ? line.termEndDate : instantOrNull(body.termEndDate),
    metadata: body.metadata ?? line.metadata,
    updatedAt: now,
  };
  const decided = decide(changed, given, order, '');
  return decided.problems.length > 0 ? invalid([...decided.problems]) : ok(decided.line);
}

/** The items that lines name are the merchant's, are there, and stay until the transaction ends. */
export async function keepItemsOf(
  tx: Tx,
  lines: readonly { readonly itemId?: string | null | undefined }[],
  at: (index: number) => string,
): Promise<Result<undefined>> {
  const ids = [...new Set(lines.flatMap(({ itemId }) => itemId ?? []))];
  if (ids.length === 0) return ok(undefined);
  const kept = new Set((await lockItems(tx, ids)).map(({ id }) => id));
  const place = lines.findIndex(({ itemId }) => itemId != null && !kept.has(itemId));
  if (place < 0) return ok(undefined);
  const field = `${at(place)}itemId`;
  const foreign = await checkReference(tx, 'item', lines[place]?.itemId as string, field);
  return foreign.ok ? notFound('item', field) : foreign;
}
