import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ID_PREFIXES, type IdKind, isId, newId } from '../../src/kernel/ids.ts';
import { type Answer, type Client, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Call, operations, urlOf } from '../support/operations.ts';
import { allDeclarations, isWalkedThrough, propertiesOf, type RouteDeclaration } from '../support/routes.ts';
import { openTables, type Tables } from '../support/tables.ts';
import { kindOf, openWorld, type World } from '../support/world.ts';

/**
 * Two merchants, each with one of everything. Each gets a refusal for the other's records, by every method and at every
 * place of an id. The matrix is made from the list of routes, so a new route is in it from its first day.
 */
const declarations = await allDeclarations();
const guarded = declarations.filter(({ access }) => !('public' in access));
const named = (list: readonly RouteDeclaration[]) =>
  list.map((declaration) => ({ name: `${declaration.method} ${declaration.path}`, declaration }));

let env: TestEnvironment;
let tables: Tables;
let ours: World;
let theirs: World;
beforeAll(async () => {
  env = await openTestEnvironment();
  tables = await openTables(env.url);
  [ours, theirs] = [await openWorld(env), await openWorld(env)];
});
afterAll(async () => {
  await tables.close();
  await env.close();
});

type Method = RouteDeclaration['method'];
const send = (client: Client, method: Method, url: string, body?: unknown): Promise<Answer> =>
  method === 'GET' ? client.get(url) : client[method.toLowerCase() as 'post'](url, body);

const callsOf = ({ operationId }: RouteDeclaration) => {
  const scenarios = operations[operationId];
  if (!scenarios) throw new Error(`${operationId} has no calls in test/support/operations.ts.`);
  return scenarios;
};

/** A merchant's ids in an answer, without the sent ones. */
const leaked = (answer: Answer, of: World, sent: string): string[] =>
  Object.values(of.ids)
    .flat()
    .filter((id) => answer.text.includes(id) && !sent.includes(id));

/** Runs calls of which none may change anything of either merchant. */
async function changingNothing(work: () => Promise<void>): Promise<void> {
  const before = [await tables.snapshot(theirs.merchant.id), await tables.snapshot(ours.merchant.id)];
  await work();
  expect([await tables.snapshot(theirs.merchant.id), await tables.snapshot(ours.merchant.id)]).toEqual(before);
}

function expectRefusal(answer: Answer, what: string, sent: string, statuses: readonly number[] = [403, 404]): void {
  expect(statuses, `${what} answered ${answer.status} ${answer.text}`).toContain(answer.status);
  expect(leaked(answer, theirs, sent), what).toEqual([]);
}

/** The methods of a path; any other method is a 405 for every caller. */
const methodsOf = (path: string): ReadonlySet<string> =>
  new Set(declarations.filter((each) => patternOf(each.path).test(path)).map(({ method }) => method));

/** A webhook comes from any sender. Without a sender, the route reads its body first. */
const refusals = (method: Method, path: string): number[] =>
  declarations.some((each) => each.method === method && each.path === path && 'public' in each.access)
    ? [400, 403, 404]
    : [403, 404];

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+')}$`);

it('knows a call for every route, and no other', () => {
  const called = declarations.filter((each) => !isWalkedThrough(each)).map(({ operationId }) => operationId);
  expect(Object.keys(operations).toSorted()).toEqual(called.toSorted());
});

it('knows every route that the server has', async () => {
  const { body } = await env.client().get('/openapi.json');
  const served = Object.entries<Record<string, { operationId: string }>>(body.paths).flatMap(([, methods]) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const probes = ['getHealth', 'getReadiness', 'getMetrics'];
  const known = declarations.filter(({ hidden }) => !hidden).map(({ operationId }) => operationId);
  expect(served.filter((id) => !probes.includes(id)).toSorted()).toEqual(known.toSorted());
});

describe('a resource of another merchant, in the very state in which its owner may do this', () => {
  const withId = guarded.filter(({ path }) => path.includes(':'));
  const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

  it.each(named(withId))('$name', async ({ declaration }) => {
    const [scenario] = callsOf(declaration);
    const call = await scenario(theirs);
    const url = urlOf(declaration.path, call);
    const taken = methodsOf(declaration.path);
    await changingNothing(async () => {
      for (const method of METHODS) {
        // A file is a body of its own route only.
        const known = declaration.bodyBytes && method !== declaration.method ? undefined : call.body;
        for (const body of new Set([undefined, {}, known])) {
          expectRefusal(
            await send(ours.merchant, method, url, body),
            `${method} ${url}`,
            url + JSON.stringify(call.body),
            taken.has(method) ? refusals(method, declaration.path) : [405],
          );
        }
      }
    });
    const answer = await send(theirs.merchant, declaration.method, url, call.body);
    expect(answer.status, answer.text).toBeLessThan(300); // so the owner was the cause of the refusals
  });
});

/** Texts that look like ids and are none, or are answered otherwise. */
const NO_REFERENCES = new Set([
  'createEvents subject', // another merchant's id is an unknown one: kept, and unmatched (below)
  'createEvents *.subject',
  'creditInvoiceLines lines.*.lineItemId', // a line of another invoice is a 400, whoever's it is
  'updateSubscription terminatedBy', // domain.md §3: anything but the merchant's or the customer's id is a 400
  'completePaymentSession paymentMethod', // pm_ok is a test card
  'approveSourceEvents eventIds.*', // each has an outcome of its own, and an unknown one too
  'rejectSourceEvents eventIds.*',
]);

describe('the id of a resource of another merchant', () => {
  const withBody = guarded.filter(({ body, operationId }) => body && operationId !== 'createOrganization');
  it.each(named(withBody))('anywhere in the body of $name', async ({ declaration }) => {
    const places = new Set<string>();
    for (const scenario of callsOf(declaration)) {
      const call = await scenario(ours);
      await changingNothing(async () => {
        for (const { place, kind, replaced } of idsIn(call.body)) {
          places.add(place);
          if (NO_REFERENCES.has(`${declaration.operationId} ${place}`)) continue;
          for (const id of foreign(kind)) {
            const answer = await send(ours.merchant, declaration.method, urlOf(declaration.path, call), replaced(id));
            expectRefusal(answer, `${place} = ${id}`, JSON.stringify(replaced(id)));
          }
        }
      });
      const answer = await send(ours.merchant, declaration.method, urlOf(declaration.path, call), call.body);
      expect(answer.status, answer.text).toBeLessThan(300);
    }
    const declared = declaredIds(declaration.body);
    expect(
      declared.filter((place) => !places.has(place)),
      'id fields that no call fills',
    ).toEqual([]);
  });

  it.each(named(guarded.filter(({ query }) => query)))('in the query of $name', async ({ declaration }) => {
    const call = await callsOf(declaration)[0](ours);
    await changingNothing(async () => {
      for (const [name, property] of Object.entries(propertiesOf(declaration.query))) {
        if (!('pattern' in property)) continue;
        if (name === 'merchantId' && wins(declaration, call)) continue;
        const pattern = new RegExp(property.pattern as string);
        for (const id of Object.values(theirs.ids)
          .flat()
          .filter((each) => pattern.test(each))) {
          const answer = await send(
            ours.merchant,
            'GET',
            urlOf(declaration.path, { ...call, query: { ...call.query, [name]: id } }),
          );
          if (answer.status === 200) expect(rowsOf(answer), `${name} = ${id} ${answer.text}`).toEqual([]);
          else expectRefusal(answer, `${name} = ${id}`, id, name === 'after' ? [400, 403, 404] : undefined);
        }
      }
    });
  });

  // Proves 5.authentication.3.
  it('as merchantId is a 403 whatever else is sent', async () => {
    for (const declaration of guarded.filter(({ query }) => 'merchantId' in propertiesOf(query))) {
      const call = await callsOf(declaration)[0](ours);
      if (wins(declaration, call)) continue;
      const url = urlOf(declaration.path, { ...call, query: { ...call.query, merchantId: theirs.merchant.id } });
      expect((await ours.merchant.get(url)).status, url).toBe(403);
    }
  });

  // Proves 4.invoices.list.customerId.
  it('as customerId decides about a list of invoices, and wins over merchantId (§4)', async () => {
    const list = (query: string) => ours.merchant.get(`/v2/invoices?${query}`);
    const own = await list(`customerId=${ours.customer.id}&merchantId=${theirs.merchant.id}`);
    expect(own.status).toBe(200);
    expect(own.body.data.map(({ merchantId }: { merchantId: string }) => merchantId)).toContain(ours.merchant.id);
    expect(JSON.stringify(own.body)).not.toContain(theirs.merchant.id);
    expect((await list(`customerId=${theirs.customer.id}&merchantId=${ours.merchant.id}`)).status).toBe(403);
    expect((await list(`customerId=${newId('customer')}`)).status).toBe(404);
  });

  it('as the subject of an event names nobody, and its usage is on nobody’s bill', async () => {
    const event = { type: 'call', source: 'test', subject: theirs.subscription.id, data: { units: 1_000_000 } };
    const answer = await ours.merchant.post('/v0/events', event);
    expect(answer.status).toBe(202);
    expect(answer.body.subject).toBeUndefined();
    const found = await ours.merchant.get(`/v0/events/${answer.body.id}`);
    expect(found.body).toMatchObject({ status: 'unmatched', reason: 'UNKNOWN_SUBJECT' });
    const range = 'from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z';
    const usage = await theirs.merchant.get(`/v0/billableMetrics/${theirs.metric.id}/meter?${range}`);
    expect(usage.body.totalValue).toBeLessThan(1_000_000);
    expect((await theirs.merchant.get(`/v0/events/${answer.body.id}`)).status).toBe(404);
  });
});

describe('lists', () => {
  const OF_ONE = new Set([
    'listAvailablePlans',
    'listActiveEntitlements',
    'listLineItems',
    'getUnbilledUsage',
    'getCostReport',
    'search',
  ]);
  const mostOf = ({ operationId }: RouteDeclaration) => (operationId === 'search' ? '50' : '100');
  const lists = guarded.filter(({ method, path, query }) => method === 'GET' && query && !path.includes(':'));

  it.each(named(lists))('$name holds nothing of another merchant', async ({ declaration }) => {
    const call = await callsOf(declaration)[0](ours);
    const limit = 'limit' in propertiesOf(declaration.query) ? { limit: mostOf(declaration) } : {};
    const answer = await ours.merchant.get(urlOf(declaration.path, { query: { ...call.query, ...limit } }));
    expect(answer.status, answer.text).toBe(200);
    // An event shows the subject that its own sender wrote; one of ours names a subscription of theirs (above).
    const sent = declaration.operationId === 'listEvents' ? theirs.subscription.id : '';
    expect(leaked(answer, theirs, sent)).toEqual([]);
    for (const row of rowsOf(answer)) expect(row.merchantId ?? ours.merchant.id).toBe(ours.merchant.id);
  });

  it.each(named(lists.filter(({ query }) => 'limit' in propertiesOf(query))))(
    '$name of an operator holds every merchant’s',
    async ({ declaration }) => {
      if (OF_ONE.has(declaration.operationId)) return expectOperatorSees(declaration, theirs);
      const all = await env.platform.get(urlOf(declaration.path, { query: { limit: '100' } }));
      expect(all.status, all.text).toBe(200);
      const total = async ({ merchant }: World) => (await merchant.get(declaration.path)).body.pagination.total;
      expect(all.body.pagination.total).toBeGreaterThanOrEqual((await total(ours)) + (await total(theirs)));
      await expectOperatorSees(declaration, theirs);
    },
  );

  async function expectOperatorSees(declaration: RouteDeclaration, world: World): Promise<void> {
    const call = await callsOf(declaration)[0](world);
    const one = await env.platform.get(
      urlOf(declaration.path, { query: { ...call.query, merchantId: world.merchant.id } }),
    );
    const own = await world.merchant.get(urlOf(declaration.path, call));
    expect(one.body.pagination, declaration.path).toEqual(own.body.pagination);
  }
});

describe('a platform operator', () => {
  const reads = guarded.filter(({ method, path }) => method === 'GET' && path.includes(':'));
  // Proves 5.authentication.3.
  it.each(named(reads))('may $name of any merchant', async ({ declaration }) => {
    const call = await callsOf(declaration)[0](theirs);
    const answer = await env.platform.get(urlOf(declaration.path, call));
    expect(answer.status, answer.text).toBe(200);
  });

  const writes = guarded.filter(({ method, path }) => method !== 'GET' && path.includes(':'));
  // Proves 3.refund.callers.
  it.each(named(writes))('may $name of any merchant', async ({ declaration }) => {
    const [scenario] = callsOf(declaration);
    const call = await scenario(theirs);
    const answer = await send(env.platform, declaration.method, urlOf(declaration.path, call), call.body);
    expect(answer.status, answer.text).toBeLessThan(300);
  });

  const creations = guarded.filter(({ access }) => 'merchant' in access && access.merchant === 'body');
  it.each(named(creations))('names the merchant in $name, or is told so', async ({ declaration }) => {
    const [scenario] = callsOf(declaration);
    const { body } = (await scenario(theirs)) as { body: Record<string, unknown> };
    const { merchantId: _, ...without } = body;
    const hasOtherSource =
      'by' in declaration.access && (declaration.access.by ?? []).some((field) => field in without);
    if (!hasOtherSource) {
      const told = await send(env.platform, declaration.method, declaration.path, without);
      expect(told).toMatchObject({ status: 400, body: { errors: [{ field: 'merchantId' }] } });
    }
    const answer = await send(env.platform, declaration.method, declaration.path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    for (const { merchantId, organizationId } of answer.body.data ?? [answer.body])
      expect(merchantId ?? organizationId).toBe(theirs.merchant.id);
  });
});

describe('without the right to', () => {
  // Proves 4.endpoints.authentication, 5.authentication.1.
  it.each(named(guarded))('401 without a key, or with one that nobody has: $name', async ({ declaration }) => {
    const url = urlOf(declaration.path, {});
    const missing = await send(env.client(), declaration.method, url);
    expect(missing).toMatchObject({ status: 401, body: { error: 'unauthorized', code: 'API_KEY_MISSING' } });
    expect(missing.headers['www-authenticate']).toBe('Bearer');
    const unknown = await send(env.client('rk_test_nobody'), declaration.method, url);
    expect(unknown).toMatchObject({ status: 401, body: { code: 'API_KEY_INVALID' } });
  });

  const RENDERED = /(?:\/pdf|\.xml)$/;

  it('a viewer reads everything and writes nothing', { timeout: 900_000 }, async () => {
    const viewer = await env.userOf(ours.merchant, 'viewer');
    for (const declaration of guarded) {
      const call = await callsOf(declaration)[0](ours);
      // the first call stores the document
      if (RENDERED.test(declaration.path)) await ours.merchant.get(urlOf(declaration.path, call));
      const before = await tables.snapshot(ours.merchant.id);
      const answer = await send(viewer, declaration.method, urlOf(declaration.path, call), call.body);
      expect(answer.status, `${declaration.method} ${declaration.path} ${answer.text}`).toBe(
        declaration.method === 'GET' ? 200 : 403,
      );
      expect(await tables.snapshot(ours.merchant.id)).toEqual(before);
    }
  });

  it('a member does not do what is for admins', async () => {
    const member = await env.userOf(ours.merchant, 'member');
    const forAdmins = guarded.filter(({ access }) => 'role' in access && access.role === 'admin');
    expect(forAdmins.length).toBeGreaterThan(0);
    for (const declaration of forAdmins) {
      const [scenario] = callsOf(declaration);
      const call = await scenario(ours);
      expect((await send(member, declaration.method, urlOf(declaration.path, call), call.body)).status).toBe(403);
    }
  });
});

/** Does the call name a resource with a merchant, so that merchantId is ignored (§4, list of invoices)? */
const wins = ({ access }: RouteDeclaration, { query = {} }: Call): boolean =>
  'by' in access && (access.by ?? []).some((field) => field in query);

const foreign = (kind: IdKind): readonly string[] => {
  const ids = theirs.ids[kind];
  if (!ids) throw new Error(`The world of test/support/world.ts has no ${kind}.`);
  return ids;
};

const rowsOf = ({ body }: Answer): { merchantId?: string }[] => body.data ?? body.groups ?? [];

interface IdPlace {
  /** Dotted, with `*` for the members of a list. */
  place: string;
  kind: IdKind;
  /** The whole body with another id in this place. */
  replaced(id: string): unknown;
}

/** Every place of an id in a body: as a value, or as a key. */
function idsIn(value: unknown, path: readonly string[] = []): IdPlace[] {
  if (typeof value === 'string') {
    const kind = kindOf(value);
    return kind ? [{ place: path.join('.'), kind, replaced: (id) => id }] : [];
  }
  if (Array.isArray(value))
    return value.flatMap((each, index) =>
      idsIn(each, [...path, '*']).map((inner) => ({
        ...inner,
        replaced: (id) => value.with(index, inner.replaced(id)),
      })),
    );
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]): IdPlace[] => {
    const kind = kindOf(key);
    const { [key]: _, ...others } = value as Record<string, unknown>;
    if (kind) return [{ place: [...path, '*'].join('.'), kind, replaced: (id) => ({ ...others, [id]: each }) }];
    return idsIn(each, [...path, key]).map((inner) => ({
      ...inner,
      replaced: (id) => ({ ...others, [key]: inner.replaced(id) }),
    }));
  });
}

const PREFIXES = Object.values(ID_PREFIXES);

/** The possible places of ids in a body, by its schema. */
function declaredIds(schema: unknown, path: readonly string[] = []): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pattern, properties, items, anyOf } = schema as Record<string, unknown>;
  if (typeof pattern === 'string') return PREFIXES.some((prefix) => pattern.includes(prefix)) ? [path.join('.')] : [];
  const found = [
    ...Object.entries(properties ?? {}).flatMap(([key, inner]) => declaredIds(inner, [...path, key])),
    ...declaredIds(items, [...path, '*']),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((part) => declaredIds(part, path)) : []),
  ];
  return [...new Set(found)];
}

describe('the database itself', () => {
  const SAME_ERROR = '42501'; // insufficient privilege: no right to the table, or a row against its policy

  it('shows and takes nothing of another merchant, whatever is asked', async () => {
    expect(tables.names.length).toBeGreaterThan(30);
    const before = await tables.snapshot(theirs.merchant.id);
    for (const name of tables.names) await expectClosed(name);
    expect(await tables.snapshot(theirs.merchant.id)).toEqual(before);
  });

  async function expectClosed(name: string): Promise<void> {
    const [{ columns } = { columns: '' }] = await tables.query<{ columns: string }>(
      `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
        where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
      [name],
    );
    const isTheirs = await tables.rowsOf(name, theirs.merchant.id);
    const isOurs = await tables.rowsOf(name, ours.merchant.id);
    const [row] = await tables.query<{ row: unknown }>(
      `select to_jsonb(t) as row from ${name} t where ${isTheirs} limit 1`,
    );
    const filter = `where ${isTheirs}`;
    const [column] = isTheirs.split(' ');
    expect(await asOurs(`select count(*)::int as count from ${name} ${filter}`), name).toBeOneOf([
      SAME_ERROR,
      [{ count: 0 }],
    ]);
    expect(await asOurs(`update ${name} set ${column} = ${column} ${filter} returning 1`), name).toBeOneOf([
      SAME_ERROR,
      [],
    ]);
    expect(await asOurs(`delete from ${name} ${filter} returning 1`), name).toBeOneOf([SAME_ERROR, []]);
    const taken = await asOurs(`update ${name} set ${isTheirs} where ${isOurs} returning 1`);
    expect(typeof taken === 'string' || taken.length === 0, `${name} ${JSON.stringify(taken)}`).toBe(true);
    if (!row) return;
    const forged = `insert into ${name} (${columns}) overriding system value
      select ${columns} from jsonb_populate_record(null::${name}, '${JSON.stringify(row.row).replaceAll("'", "''")}')`;
    expect(await asOurs(forged), name).toBe(SAME_ERROR);
  }

  /**
   * The rows of a statement as the application runs it for our merchant, or the SQLSTATE of its refusal; rolled back.
   */
  async function asOurs(statement: string): Promise<Record<string, unknown>[] | string> {
    await tables.query('begin');
    try {
      await tables.query('set local role reckoner_app');
      await tables.query(`select set_config('reckoner.merchants', $1, true)`, [ours.merchant.id]);
      return await tables.query(statement);
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await tables.query('rollback');
    }
  }

  it('has row-level security on every table with rows of merchants, and nobody owns what it reads', async () => {
    const open = await tables.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('merchant_id', 'merchant_number')
        where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relrowsecurity`,
    );
    expect(open.map(({ name }) => name)).toEqual(['resource']); // only owner_of() reads it
    const rights = await tables.query<{ name: string; right: string }>(
      `select table_name as name, privilege_type as right from information_schema.role_table_grants
        where grantee in ('reckoner_app', 'reckoner_operator') and table_name = 'resource'`,
    );
    expect(rights).toEqual([]);
  });

  it('lets an operator’s reading write nothing', async () => {
    const rights = await tables.query<{ right: string }>(
      `select distinct privilege_type as right from information_schema.role_table_grants where grantee = 'reckoner_operator'`,
    );
    expect(rights.map(({ right }) => right)).toEqual(['SELECT']);
  });
});

it('an id of the matrix is one of its kind', () => {
  for (const [kind, ids] of Object.entries(ours.ids)) for (const id of ids) expect(isId(kind as IdKind, id)).toBe(true);
});
