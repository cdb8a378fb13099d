import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loginUrl, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { migrate, type Scope, sql, sqlState, type Tx } from './index.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

let env: TestEnvironment;
let merchantId: string;
beforeAll(async () => {
  env = await openTestEnvironment();
  ({ id: merchantId } = await env.merchant());
});
afterAll(() => env.close());

const stateOf = async (work: Promise<unknown>): Promise<string> => work.then(() => 'done', sqlState);

/** Runs a statement after a transaction has reset its role. */
const withoutRole = (scope: Scope, statement: string) =>
  env.database.transaction(scope, async (tx: Tx) => {
    await tx.run(sql`reset role`);
    return tx.rows(sql.raw(statement));
  });

describe('a connection that lets go of its role', () => {
  it('uses a role without rights of its own', async () => {
    const roles = await withoutRole(
      { merchants: [merchantId] },
      `select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolinherit, session_user = current_user as "isLogin",
              (select array_agg(m.roleid::regrole::text order by 1) from pg_auth_members m where m.member = r.oid and m.set_option) as "mayTake",
              exists (select from pg_auth_members m where m.member = r.oid and (m.inherit_option or m.admin_option)) as "hasMore"
         from pg_roles r where rolname = session_user`,
    );
    expect(roles).toEqual([
      {
        rolname: 'reckoner_login',
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolinherit: false,
        isLogin: true,
        mayTake: ['reckoner_app', 'reckoner_operator'],
        hasMore: false,
      },
    ]);
  });

  it.each([
    'select * from organization',
    `update organization set name = 'x'`,
    'select * from resource',
    'create table mine (id int)',
    'alter table organization disable row level security',
    `copy (select 1) to program 'true'`,
    `select pg_read_file('/etc/hostname')`,
    'set role reckoner',
    'set session authorization reckoner',
    'alter role reckoner_login superuser',
    'grant reckoner to reckoner_login',
    'set session_replication_role = replica',
  ])('may not: %s', async (statement) => {
    for (const scope of [{ merchants: [merchantId] }, 'every merchant, reading', 'nobody'] as const)
      expect(await stateOf(withoutRole(scope, statement))).toBe(INSUFFICIENT_PRIVILEGE);
  });
});

it('a start by the role that logs in finds every migration there, and needs no right to change the schema', async () => {
  expect(await migrate(loginUrl(env.url))).toEqual({ applied: [], current: env.migratedTo, isNewer: false });
});
