import { type Database, sql } from '../db/index.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { hashApiKey, keyDisplay } from './keys.ts';

/**
 * Sees to it that the environment has its platform organization, a first operator, and that `key` is an API key of it
 * (api.md, Running it). Running it again changes nothing; another key becomes a further one.
 */
export async function ensurePlatform(
  database: Database,
  key: string,
  now: Instant,
): Promise<{ organizationId: string }> {
  const known = await database.transaction('nobody', (tx) =>
    tx.one<{ id: string | null }>(sql`select platform_organization() as id`),
  );
  const organizationId = known.id ?? newId('organization');
  await database.transaction({ merchants: [organizationId] }, async (tx) => {
    if (known.id === null) {
      await tx.run(sql`insert into organization (merchant_id, id, type, name, created_at, updated_at)
        values (${organizationId}, ${organizationId}, 'platform', 'Platform', ${now}, ${now})`);
    }
    const operator = (await tx.maybe<{ id: string }>(sql`select id from app_user
        where merchant_id = ${organizationId} and role = 'admin' order by seq limit 1`)) ?? { id: newId('user') };
    await tx.run(sql`insert into app_user (merchant_id, id, organization_id, email, role, created_at, updated_at)
      values (${organizationId}, ${operator.id}, ${organizationId}, 'operator@platform.invalid', 'admin', ${now}, ${now})
      on conflict do nothing`);
    const { prefix, last4 } = keyDisplay(key);
    await tx.run(sql`insert into api_key (merchant_id, id, user_id, name, hash, prefix, last4, created_at)
      values (${organizationId}, ${newId('apiKey')}, ${operator.id}, 'First platform key', ${hashApiKey(key)}, ${prefix}, ${last4}, ${now})
      on conflict (hash) do nothing`);
  });
  return { organizationId };
}
