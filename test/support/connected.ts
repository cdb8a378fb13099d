import { jsonb, sql } from '../../src/db/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { placeOf, sealerOf } from '../../src/kernel/sealing.ts';
import type { Merchant, TestEnvironment } from './environment.ts';

/** The secret by which the fake provider signs its notices. */
export const NOTICE_SECRET = 'fake webhook secret';

/** Connects a merchant with the fake provider, which then takes the cards of its customers. */
export async function connectFake(env: TestEnvironment, merchant: Merchant, externalId = 'acct_fake'): Promise<void> {
  const sealer = sealerOf(env.masterKey);
  const id = newId('merchantIntegration');
  const seal = (name: string, value: string) => [name, sealer.seal(JSON.stringify(value), placeOf(id, name))];
  const secrets = Object.fromEntries([seal('secretKey', 'fake'), seal('webhookSecret', NOTICE_SECRET)]);
  await env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
    await tx.run(sql`
      insert into merchant_integration (merchant_id, id, provider, external_id, status, config, secrets, metadata,
                                        connected_at, created_at, updated_at)
      values (${merchant.id}, ${id}, 'stripe', ${externalId}, 'active', '{}', ${jsonb(secrets)}, '{}', now(), now(), now())`);
    await tx.run(sql`
      update organization set settings = coalesce(settings, '{}') || ${jsonb({ paymentProvider: 'stripe' })}
       where id = ${merchant.id}`);
  });
}
