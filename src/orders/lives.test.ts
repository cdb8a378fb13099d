import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cases } from '../../test/support/cases.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { orderBody } from '../../test/support/orders.ts';
import { shopOf } from '../../test/support/shop.ts';
import type { Tx } from '../db/index.ts';
import { MapOut } from '../http/index.ts';
import { orThrow, type Result } from '../kernel/result.ts';
import {
  findOrders,
  lockOrder,
  markApproved,
  markRecalled,
  markRejected,
  markSubmitted,
  markWithdrawn,
  type Order,
  type OrderDependencies,
  totalAmountOf,
} from './index.ts';
import { createLine, deleteLine, updateLine } from './line-items.ts';
import { createOrder, deleteOrder, updateOrderBy } from './orders.ts';
import type { OrderCreateBody } from './schemas.ts';

/**
 * Random lives of orders against a small model of them: whole numbers instead of decimals, and the rules of domain.md
 * §6 as sentences instead of a table.
 */
const RUNS = cases(8, 40);
const now = Temporal.Instant.from('2026-03-10T09:30:00Z');
const who = { by: 'usr_a', wall: now };

let env: TestEnvironment;
let merchant: Merchant;
let body: OrderCreateBody;
beforeAll(async () => {
  env = await openTestEnvironment({ audited: false }); // approvals are stand-ins here, so no order has one
  merchant = await env.merchant();
  body = orderBody(await shopOf(merchant).customer(), { lineItems: [] }) as unknown as OrderCreateBody;
});
afterAll(() => env.close());

const THOUSAND = 1000n;

/** A line in whole numbers: thousandths of a unit, and of a dollar. */
interface ModelLine {
  id: string;
  quantity: bigint;
  list: bigint;
  discount: bigint;
}

/** The expected order. */
interface Model {
  status: 'draft' | 'pending' | 'approved' | 'rejected';
  isPushed: boolean;
  isCancelled: boolean;
  lines: ModelLine[];
  named: bigint | null;
  days: number;
}

const centsOf = ({ quantity, list, discount }: Omit<ModelLine, 'id'>): bigint =>
  (quantity * (list - discount) + 5000n) / 10_000n;
const sumOf = (lines: readonly ModelLine[]): bigint => lines.reduce((total, line) => total + centsOf(line), 0n);
const text = (thousandths: bigint): string =>
  `${thousandths / THOUSAND}.${String(thousandths % THOUSAND).padStart(3, '0')}`;
const dollars = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;

const figures = fc
  .record({
    quantity: fc.bigInt({ min: 0n, max: 5000n }),
    a: fc.bigInt({ min: 0n, max: 90_000n }),
    b: fc.bigInt({ min: 0n, max: 90_000n }),
  })
  .map(({ quantity, a, b }) => ({ quantity, list: a > b ? a : b, discount: a > b ? b : a }));

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), figures }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), figures, place: fc.nat(9) }) },
  fc.record({ kind: fc.constant('drop' as const), place: fc.nat(9) }),
  fc.record({ kind: fc.constant('name' as const), cents: fc.option(fc.bigInt({ min: 0n, max: 100_000n })) }),
  fc.record({ kind: fc.constant('days' as const), days: fc.nat(2) }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('submit' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('approve' as const) }) },
  fc.record({
    kind: fc.constantFrom('note', 'reject', 'recall', 'withdraw', 'push', 'cancel', 'remove'),
  }),
);
type Step = (typeof step extends fc.Arbitrary<infer S> ? S : never) & { place?: number };

/** An edit of the content: approvals of it no longer hold. One that was invoiced waits for the next approval. */
const amended = (model: Model, change: Partial<Model>): Model => ({
  ...model,
  ...change,
  status: model.isPushed ? 'pending' : 'draft',
});

/** The expected result of a step on an order; null: a refusal. */
function expected(model: Model, each: Step, line: ModelLine | undefined): Model | null {
  if (model.isCancelled) return each.kind === 'push' ? model : null;
  const { status, isPushed, lines, named } = model;
  const total = named ?? sumOf(lines);
  const addsUp = lines.length > 0 && total === sumOf(lines);
  const isAmended = isPushed && status === 'pending';
  switch (each.kind) {
    case 'add':
      return followed(model, [...lines, { id: '', ...each.figures }]);
    case 'change':
      return line
        ? followed(
            model,
            lines.map((one) => (one === line ? { ...one, ...each.figures } : one)),
          )
        : null;
    case 'drop':
      return line
        ? followed(
            model,
            lines.filter((one) => one !== line),
          )
        : null;
    case 'name': {
      const cents = each.cents ?? sumOf(lines);
      const next = cents === sumOf(lines) ? null : cents;
      return cents === total ? noted({ ...model, named: next }) : amended(model, { named: next });
    }
    case 'days':
      return each.days === model.days ? noted(model) : amended(model, { days: each.days });
    case 'note':
      return noted(model);
    case 'submit':
      if (status === 'rejected' || !addsUp) return null;
      return { ...model, status: status === 'draft' ? 'pending' : status };
    case 'approve':
      if (isAmended && !addsUp) return null;
      return status === 'pending' || status === 'approved' ? { ...model, status: 'approved' } : null;
    case 'reject':
      if (isAmended) return model;
      return status === 'pending' ? { ...model, status: 'rejected' } : status === 'approved' ? model : null;
    case 'recall':
      if (isAmended) return model;
      return status === 'pending' ? { ...model, status: 'draft' } : status === 'approved' ? model : null;
    case 'withdraw':
      return !isPushed && (status === 'pending' || status === 'approved') ? { ...model, status: 'draft' } : null;
    case 'push':
      return status === 'approved' ? { ...model, isPushed: true } : model;
    case 'cancel':
      return { ...model, isCancelled: true };
    default:
      return null; // 'remove' ends the life; other tests apply it to drafts
  }
}

const noted = (model: Model): Model => ({ ...model, status: model.status === 'rejected' ? 'draft' : model.status });

/** Every line belongs to the content. A line that is changed back gives the same content. */
function followed(model: Model, lines: ModelLine[]): Model {
  const isSame = lines.length === model.lines.length && lines.every((line, at) => sameLine(line, model.lines[at]));
  return isSame ? noted(model) : amended(model, { lines });
}

const sameLine = (a: ModelLine, b: ModelLine | undefined): boolean =>
  b !== undefined && a.quantity === b.quantity && a.list === b.list && a.discount === b.discount;

/** Does a step to the order itself. */
function perform(
  dependencies: OrderDependencies,
  tx: Tx,
  order: Order,
  each: Step,
  line: ModelLine | undefined,
): Promise<Result<unknown>> {
  const key = { merchantId: order.merchantId, id: order.id };
  const update = (change: object) => updateOrderBy(dependencies, tx, key, change, who);
  const own = 'figures' in each ? bodyOf(each.figures) : null;
  const lineKey = { order: key, id: line?.id ?? 'oli_none' };
  const moves = {
    submit: markSubmitted,
    approve: markApproved,
    reject: markRejected,
    recall: markRecalled,
    withdraw: markWithdrawn,
  };
  switch (each.kind) {
    case 'add':
      return createLine(dependencies, tx, key, own as never, who);
    case 'change':
      return updateLine(dependencies, tx, lineKey, own as never, who);
    case 'drop':
      return deleteLine(dependencies, tx, lineKey, who);
    case 'name':
      return update({ totalAmount: dollars(each.cents ?? centsOfOrder(order)) });
    case 'days':
      return update({ defaultPaymentTermDays: each.days });
    case 'note':
      return update({ metadata: { note: 'read' } });
    case 'cancel':
      return update({ cancelledAt: now.toString() });
    default:
      return moves[each.kind as keyof typeof moves](dependencies, tx, order, now);
  }
}

const centsOfOrder = (order: Order): bigint =>
  order.lineItems.reduce((total, { totalPrice }) => total + BigInt(totalPrice.times(100).toFixed(0)), 0n);

const bodyOf = ({ quantity, list, discount }: Omit<ModelLine, 'id'>) => ({
  quantity: text(quantity),
  listUnitPrice: text(list),
  discountUnitAmount: text(discount),
  unitPrice: text(list - discount),
  totalPrice: dollars(centsOf({ quantity, list, discount })),
});

it('an order of any life is what its history makes of it', { timeout: 120_000 }, async () => {
  const scope = { merchants: [merchant.id] };
  const life = async (steps: readonly Step[]): Promise<void> => {
    let model: Model = { status: 'draft', isPushed: false, isCancelled: false, lines: [], named: null, days: 0 };
    const dependencies: OrderDependencies = {
      environment: 'sandbox',
      scheduleReply: MapOut,
      schedulesOf: async () => new Map(),
      contentOfSchedules: async () => new Map(),
      totalOfSchedules: async () => null,
      requestApprovals: async () => undefined,
      hasPushed: async (_tx, _merchantIds, ids) => new Set(model.isPushed ? ids : []),
      cancelApprovals: async () => undefined,
      approvedKinds: async () => new Set(),
      approvedContents: async () => [],
      holdersOf: async () => [],
      listeners: [],
    };
    const made = env.database.transaction(scope, (tx) => createOrder(dependencies, tx, body, now));
    const key = { merchantId: merchant.id, id: orThrow(await made).id };
    for (const each of steps) {
      const line = model.lines[(each.place ?? 0) % Math.max(1, model.lines.length)];
      const wanted = expected(model, each, line);
      if (each.kind === 'push') {
        model = wanted ?? model;
        continue;
      }
      if (each.kind === 'remove') {
        const removed = await env.database.transaction(scope, (tx) => deleteOrder(dependencies, tx, key, now));
        expect(removed.ok).toBe(model.status === 'draft' && !model.isCancelled);
        if (removed.ok) return;
        continue;
      }
      const done = await env.database.transaction(scope, async (tx) => {
        const { order } = orThrow(await lockOrder(tx, key, now));
        return perform(dependencies, tx, order, each, line);
      });
      expect(done.ok, JSON.stringify(done)).toBe(wanted !== null);
      const [order] = (await env.database.transaction(scope, (tx) => findOrders(tx, [merchant.id], [key.id]))) as [
        Order,
      ];
      const ids = order.lineItems.map(({ id }) => id);
      model = wanted ?? model;
      model = { ...model, lines: model.lines.map((one, at) => ({ ...one, id: ids[at] ?? '' })) };
      expect(order.approvalStatus).toBe(model.status);
      expect(order.cancelledAt !== null).toBe(model.isCancelled);
      expect(order.lineItems.map((one) => one.totalPrice.toFixed(2))).toEqual(
        model.lines.map((one) => dollars(centsOf(one))),
      );
      expect(totalAmountOf(order).toFixed(2)).toBe(dollars(model.named ?? sumOf(model.lines)));
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step as fc.Arbitrary<Step>, { maxLength: 24 }), life), RUNS);
});
