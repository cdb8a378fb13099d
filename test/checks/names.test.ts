import { describe, expect, it } from 'vitest';
import {
  innerVerbsInIndexes,
  presentersWithOtherNames,
  schemasWithOtherEndings,
  statementsWithOtherVerbs,
} from '../../scripts/checks/names.ts';
import { type Exceptions, projectFiles, report } from '../../scripts/checks/project.ts';

const files = projectFiles();

const OTHER_VERBS: Exceptions = {
  'src/webhooks/outbox.sql.ts': 'publishes one event as a list of one',
};

const INFRASTRUCTURE: Exceptions = {
  'src/db/index.ts': 'chores of all domains go through the merchants by it',
};

const OTHER_PRESENTERS: Exceptions = {
  'src/portal/frame/visit.ts': 'answers who is signed out',
};

describe('the program', () => {
  it('begins the name of each statement with what it does to rows', () => {
    expect(report(statementsWithOtherVerbs(files), OTHER_VERBS)).toEqual([]);
  });

  it('lets other domains find, not select, get, load or fetch', () => {
    expect(report(innerVerbsInIndexes(files), INFRASTRUCTURE)).toEqual([]);
  });

  it('ends the names of schemas with what they describe', () => {
    expect(report(schemasWithOtherEndings(files))).toEqual([]);
  });

  it('names what makes an answer to…Reply', () => {
    expect(report(presentersWithOtherNames(files), OTHER_PRESENTERS)).toEqual([]);
  });
});

describe('these checks see', () => {
  const statement = (text: string) => [{ path: 'src/orders/orders.sql.ts', text }];

  it.each([
    'export const findOrder = (tx: Tx, id: string) => tx.one(sql`select * from sale`);',
    'export async function orderOf(tx: Tx) { return tx.one(sql`select 1`); }',
    'export const keepOrder = (database: Database) => database.call(sql`select save_order()`);',
  ])('another verb in: %s', (text) => {
    expect(report(statementsWithOtherVerbs(statement(text)))).toHaveLength(1);
    expect(report(statementsWithOtherVerbs([{ path: 'src/orders/orders.ts', text }]))).toEqual([]);
  });

  it.each([
    'export const selectOrder = (tx: Tx, id: string) => tx.one(sql`select * from sale`);',
    'export const drawNumbers = (tx: Tx) => tx.one(sql`select draw_numbers()`);',
    'export const ordersWhere = (merchantId: string) => sql`merchant_id is null`;',
    'const findOrder = (tx: Tx) => tx.one(sql`select 1`);',
  ])('nothing in: %s', (text) => {
    expect(report(statementsWithOtherVerbs(statement(text)))).toEqual([]);
  });

  it.each([
    { text: "export { selectOrder } from './orders.sql.ts';", seen: 1 },
    { text: "export { loadOrder, getOrder } from './orders.ts';", seen: 2 },
    { text: "export { selectOrder as findOrder } from './orders.sql.ts';", seen: 0 },
    { text: "export { type LoadOrder, loader } from './orders.ts';", seen: 0 },
    { text: 'export const fetchOrder = () => 1;', seen: 1 },
  ])('$seen names of loading in: $text', ({ text, seen }) => {
    expect(report(innerVerbsInIndexes([{ path: 'src/orders/index.ts', text }]))).toHaveLength(seen);
    expect(report(innerVerbsInIndexes([{ path: 'src/orders/lines/index.ts', text }]))).toEqual([]);
  });

  it.each([
    { declaration: 'body: OrderCreate, replies: { 201: OrderReply }', seen: 1 },
    { declaration: 'query: OrderFilter, replies: { 200: ListOf(Order), 404: PDF }', seen: 2 },
    { declaration: 'body: OrderCreateBody, query: OrderQuery, replies: { 200: ListOf(OrderReply) }', seen: 0 },
    { declaration: 'query: OrderQuery, of: Order', seen: 1 },
    { declaration: 'body: Type.Object({}), replies: { 200: orderReply() }', seen: 0 },
  ])('$seen schemas with another ending in: $declaration', ({ declaration, seen }) => {
    const text = `const orders = api.get('/v0/orders', 'listOrders', { ${declaration}, handler: () => ok(1) });`;
    expect(report(schemasWithOtherEndings([{ path: 'src/orders/routes.ts', text }]))).toHaveLength(seen);
  });

  it.each([
    { text: 'const presentOrder = (order: Order) => ({ id: order.id });', seen: 1 },
    { text: 'export function orderOut(order: Order) { return { id: order.id }; }', seen: 1 },
    { text: 'const toOrderReply = (order: Order) => ({ id: order.id }); const present = 1;', seen: 0 },
  ])('$seen presenters with another name in: $text', ({ text, seen }) => {
    expect(report(presentersWithOtherNames([{ path: 'src/orders/present.ts', text }]))).toHaveLength(seen);
  });
});
