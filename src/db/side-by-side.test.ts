import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cases } from '../../test/support/cases.ts';
import { openToyWorld, type ToyWorld } from '../../test/support/toy-work.ts';
import { jsonb, type Sql, sql, sqlState, type Tx } from './index.ts';

/**
 * Random statements with colliding keys give the same answers, counts and tables side by side and one after another.
 */

const RUNS = cases(20, 100);
const TIMEOUT = 60_000 + RUNS.numRuns * 500;
const NOW = Temporal.Instant.from('2026-01-01T00:00:00Z');

let world: ToyWorld;
let client: pg.Client;
beforeAll(async () => {
  world = await openToyWorld(NOW.toString());
  client = new pg.Client({ connectionString: world.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await world.close();
});

/** Three toys and an empty diary. Deleting is much cheaper than `truncate`. */
async function begin(): Promise<void> {
  await client.query(`
    delete from toy; delete from diary; delete from merchant_counter;
    insert into toy (merchant_id, id, seq, next_action_at) overriding system value
    select '${world.merchantId}', name, seq, '${NOW.toString()}' from (values ('ant', 1), ('bee', 2), ('cat', 3)) toys (name, seq)`);
}

/** The input of a statement from one work. */
interface Input {
  readonly id: string;
  readonly other: string;
  readonly number: number;
  readonly list: readonly string[];
}
type Statement = (input: Input) => Sql;

const ids = fc.constantFrom('ant', 'bee', 'cat', 'dog', "it's $1 where");
const inputs = fc.record({
  id: ids,
  other: ids,
  number: fc.integer({ min: 0, max: 3 }),
  list: fc.array(ids, { maxLength: 3 }),
});

const joined =
  (parts: readonly Statement[], between: Sql): Statement =>
  (input) =>
    sql.join(
      parts.map((part) => part(input)),
      between,
    );

const conditions = fc
  .uniqueArray(
    fc.constantFrom<Statement>(
      ({ id }) => sql`t.id = ${id}`,
      ({ other }) => sql`id = ${other}`,
      ({ id }) => sql`${id} = t.id`,
      ({ number }) => sql`steps = ${number}`,
      ({ number }) => sql`steps >= ${number}::int`,
      ({ number }) => sql`seq = ${number}`,
      ({ id, number }) => sql`(id = ${id} or steps = ${number})`,
      ({ list }) => sql`id = any (${list})`,
      ({ number }) => sql`steps between 0 and ${number}`,
      ({ id }) => sql`t.id <> 'where $1' and length(${id}) > 2`,
      ({ id }) => sql`not exists (select from diary d where d.line = ${id})`,
      ({ number }) => sql`steps <= (select count(*) from toy where steps > ${number})`,
      () => sql`steps is not null`,
    ),
    { minLength: 1, maxLength: 3, comparator: (one, other) => one === other },
  )
  .chain((parts) =>
    fc.constantFrom(joined(parts, sql` and `), joined(parts.toReversed(), sql` and `), joined(parts, sql` or `)),
  );

const settings = fc
  .uniqueArray(
    fc.constantFrom<readonly [string, Statement]>(
      ['steps', ({ number }) => sql`steps = t.steps * 2 + ${number}`],
      ['steps', ({ number }) => sql`steps = ${number}`],
      ['steps', ({ id }) => sql`steps = steps + (select count(*) from toy where id <= ${id})`],
      ['id', ({ other }) => sql`id = t.id || ${other}`],
      ['at', () => sql`next_action_at = null`],
    ),
    { minLength: 1, maxLength: 2, selector: ([column]) => column },
  )
  .map((parts) =>
    joined(
      parts.map(([, statement]) => statement),
      sql`, `,
    ),
  );

const answers = fc.constantFrom(
  sql``,
  sql` returning *`,
  sql` returning t.id, steps as now`,
  sql` returning t.*, 'returning $1' as said`,
);

const updates = fc.tuple(settings, conditions, answers).map(
  ([set, where, answer]): Statement =>
    (input) =>
      sql`update toy t set ${set(input)} where ${where(input)}${answer}`,
);
const deletes = fc.tuple(conditions, answers).map(
  ([where, answer]): Statement =>
    (input) =>
      sql`delete from toy t where ${where(input)}${answer}`,
);
const questions = fc
  .tuple(
    conditions,
    fc.constantFrom(
      [sql`t.*`, sql``],
      [sql`id, 'a $1'`, sql` for update`],
      [sql`count(*) over ()`, sql``],
      [sql``, sql` for update skip locked`],
    ),
  )
  .map(
    ([where, [columns, lock]]): Statement =>
      (input) =>
        sql`select ${columns} from toy t where ${where(input)} order by t.id${lock}`,
  );
const others = fc.constantFrom<Statement>(
  () => sql`select draw_numbers(${world.merchantId}, ${'invoice'}, 1) as drawn`,
  () =>
    sql`select draw_numbers(${world.merchantId}, ${'invoice'}, 1) as drawn, (select max(value) from merchant_counter) as last`,
  ({ id }) => sql`insert into diary (merchant_id, line) values (${world.merchantId}, ${id} || '$1') returning line`,
  ({ id }) => sql`insert into diary values (${world.merchantId}, default, ${id})`,
  ({ id, number }) =>
    sql`insert into toy (merchant_id, id, steps) values (${world.merchantId}, ${id}, ${number}) on conflict do nothing`,
  ({ id, number }) => sql`insert into toy as t (merchant_id, id, steps) values (${world.merchantId}, ${id}, ${number})
    on conflict (merchant_id, id) do update set steps = t.steps * 3 + excluded.steps`,
  ({ id, number }) => sql`insert into toy (merchant_id, id, steps) values (${world.merchantId}, ${id}, ${number})
    on conflict (merchant_id, id) do update set steps = toy.steps * 3 + excluded.steps where toy.id <> 'bee'`,
  ({ list }) => sql`insert into diary (merchant_id, line)
    select merchant_id, line from jsonb_to_recordset(${jsonb(
      list.map((line) => ({ merchant_id: world.merchantId, line })),
    )}) as r (merchant_id text, line text)`,
  ({ id }) =>
    sql`insert into diary (merchant_id, line) select merchant_id, ${id} || count(*) from diary group by merchant_id`,
  ({ id }) => sql`insert into diary (merchant_id, line) select merchant_id, ${id} || steps from toy order by id`,
  ({ id }) => sql`insert into diary (merchant_id, line) select ${world.merchantId}, ${id}`,
  ({ id, number }) =>
    sql`insert into diary (merchant_id, line) values (${world.merchantId}, ${id}), (${world.merchantId}, ${number}::text)`,
);
/** The rows that an update or a delete returns are in no order. */
const statements = fc.oneof(
  fc.record({ statement: fc.oneof(updates, deletes), isOrdered: fc.constant(false) }),
  fc.record({ statement: fc.oneof(questions, others), isOrdered: fc.constant(true) }),
);

/**
 * The answer and the tables afterwards; numbers of identity columns are left out, because a rollback does not return
 * them.
 */
async function outcomeOf(run: () => Promise<unknown[]>): Promise<unknown> {
  await begin();
  const answered = await run().catch((error: unknown) => sqlState(error));
  const held = await world.in(async (tx) => ({
    toys: await tx.rows<object>(sql`select id, steps, next_action_at::text as due from toy order by id`),
    diary: await tx.rows<object>(sql`select line from diary order by seq`),
    drawn: await tx.rows<object>(sql`select value from merchant_counter`),
  }));
  return JSON.parse(
    JSON.stringify({ answered, ...held }, (key, value: unknown) =>
      key === 'seq' ? undefined : typeof value === 'bigint' ? String(value) : value,
    ),
  );
}

async function holdsFor(works: readonly ((tx: Tx) => Promise<unknown>)[]): Promise<void> {
  const sideBySide = await outcomeOf(() => world.database.together({ merchants: [world.merchantId] }, works));
  const inOrder = await outcomeOf(() =>
    world.in(async (tx) => {
      const values: unknown[] = [];
      for (const work of works) values.push(await work(tx));
      return values;
    }),
  );
  expect(sideBySide).toEqual(inOrder);
}

const ask = async (tx: Tx, query: Sql, counts: boolean): Promise<unknown> => (counts ? tx.run(query) : tx.rows(query));

const inOneOrder = (answer: unknown): unknown =>
  Array.isArray(answer) ? answer.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1)) : answer;
const textOf = (row: unknown): string =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

it('a random statement of many works is the same side by side and one after another', {
  timeout: TIMEOUT,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      statements,
      fc.array(inputs, { minLength: 2, maxLength: 5 }),
      fc.boolean(),
      ({ statement, isOrdered }, given, counts) =>
        holdsFor(
          given.map((input) => async (tx) => {
            const answer = await ask(tx, statement(input), counts);
            return isOrdered ? answer : inOneOrder(answer);
          }),
        ),
    ),
    RUNS,
  );
});

/** Statements that read and change only the toy that an input names. */
const ofOwnToy = fc.constantFrom<Statement>(
  ({ id, number }) => sql`update toy t set steps = steps * 2 + ${number} where t.id = ${id} and steps >= 0 returning *`,
  ({ id }) => sql`update toy set next_action_at = null where merchant_id = ${world.merchantId} and id = ${id}`,
  ({ id }) => sql`select * from toy where id = ${id} for update`,
  ({ id }) => sql`delete from toy where id = ${id} and steps > ${1}`,
  ({ id, number }) => sql`insert into toy (merchant_id, id, steps) values (${world.merchantId}, ${id}, ${number})
    on conflict (merchant_id, id) do update set steps = toy.steps + excluded.steps`,
  ({ id, number }) =>
    sql`insert into toy (merchant_id, id, steps) values (${world.merchantId}, ${id}, ${number}) on conflict do nothing`,
);

it('works of many statements, each on a toy that another may have too, are the same', {
  timeout: TIMEOUT,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(ofOwnToy, { minLength: 1, maxLength: 4 }),
      fc.array(inputs, { minLength: 2, maxLength: 4 }),
      fc.boolean(),
      (asked, given, counts) =>
        holdsFor(
          given.map((input) => async (tx) => {
            const found: unknown[] = [];
            for (const statement of asked) found.push(await ask(tx, statement(input), counts));
            return found;
          }),
        ),
    ),
    RUNS,
  );
});
