import { sql } from '../../src/db/index.ts';
import { decimal } from '../../src/kernel/decimal.ts';
import { recordUnmatchedPayment } from '../../src/payments/returns/unmatched.ts';
import type { TestEnvironment } from './environment.ts';

let counter = 0;

/** Money that a provider took without a purpose and could not send back. @returns its id */
export async function addUnmatchedPayment(env: TestEnvironment, merchantId: string): Promise<string> {
  counter += 1;
  const reference = `pi_stray${counter}`;
  const nothing = { invoiceId: null, sessionId: null, chargeId: null } as const;
  const money = { provider: 'stripe', amount: decimal('5'), currency: 'USD', reason: 'too_late' } as const;
  const now = Temporal.Now.instant().round('microsecond');
  return env.database.transaction({ merchants: [merchantId] }, async (tx) => {
    await recordUnmatchedPayment(tx, { merchantId, ...nothing, ...money, reference }, now);
    const { id } = await tx.one<{ id: string }>(sql`
      update stray_payment set return_status = 'manual', next_action_at = null
       where merchant_id = ${merchantId} and provider_reference = ${reference} returning id`);
    return id;
  });
}
