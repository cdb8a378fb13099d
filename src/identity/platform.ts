import { type Database, jsonb, sql, type Tx } from '../db/index.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { type EnvironmentName, hashApiKey, keyDisplay } from './keys.ts';
import { setAdmittedMerchant } from './organizations.sql.ts';

/**
 * Sees to it that the environment has its platform organization, a first operator, and that `key` is an API key of it
 * (api.md, Running it). Running it again changes nothing. Another key takes the place of the one before it, which is
 * not valid any more until it is given again. Two starts at once wait for each other.
 * @throws where the database belongs to the other environment: play money must never meet real invoices.
 */
export function ensurePlatform(
  database: Database,
  key: string,
  now: Instant,
  environment: EnvironmentName,
): Promise<{ organizationId: string; operatorId: string }> {
  return database.transaction('nobody', async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(hashtext('reckoner platform'))`);
    const organizationId = await ensureOrganization(tx, environment, now);
    const operatorId = await ensureOperator(tx, organizationId, now);
    const { prefix, last4 } = keyDisplay(key);
    await tx.run(sql`insert into api_key (merchant_id, id, user_id, name, hash, prefix, last4, created_at, setting)
      values (${organizationId}, ${newId('apiKey')}, ${operatorId}, 'First platform key',
              ${hashApiKey(key)}, ${prefix}, ${last4}, ${now}, 'current')
      on conflict (hash) do nothing`);
    // One that somebody has revoked stays revoked: it is still current.
    await tx.run(sql`update api_key
        set setting = case when setting = 'current' then 'former' else 'current' end,
            revoked_at = case when setting = 'current' then coalesce(revoked_at, ${now}::timestamptz) end
      where merchant_id = ${organizationId}
        and (setting = 'current' and hash <> ${hashApiKey(key)} or setting = 'former' and hash = ${hashApiKey(key)})`);
    return { organizationId, operatorId };
  });
}

async function ensureOrganization(tx: Tx, environment: EnvironmentName, now: Instant): Promise<string> {
  const known = await tx.one<{ id: string | null; environment: string | null }>(
    sql`select platform_organization() as id, environment_name() as environment`,
  );
  if (known.environment !== null && known.environment !== environment)
    throw new Error(`This database belongs to ${known.environment}, not to ${environment}.`);
  const id = known.id ?? newId('organization');
  await setAdmittedMerchant(tx.of(id));
  if (known.id === null)
    await tx.run(sql`insert into organization (merchant_id, id, type, name, settings, created_at, updated_at)
      values (${id}, ${id}, 'platform', 'Platform', ${jsonb({ environment })}, ${now}, ${now})`);
  return id;
}

async function ensureOperator(tx: Tx, organizationId: string, now: Instant): Promise<string> {
  const known = await tx.maybe<{ id: string }>(sql`select id from app_user
    where merchant_id = ${organizationId} and role = 'admin' order by seq limit 1`);
  if (known) return known.id;
  const id = newId('user');
  await tx.run(sql`insert into app_user (merchant_id, id, organization_id, email, role, created_at, updated_at)
    values (${organizationId}, ${id}, ${organizationId}, 'operator@platform.invalid', 'admin', ${now}, ${now})`);
  return id;
}
