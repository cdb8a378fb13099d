import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { HOURS_PER_DAY, type Instant } from '../../kernel/time.ts';
import type { ProviderDisputeFact } from '../provider/remote.ts';
import { isToBeDisputed, sandboxProvider } from '../provider/sandbox-provider.ts';
import { insertDispute } from './disputes.sql.ts';

/** A payment that was taken. */
interface Paid {
  readonly merchantId: string;
  readonly id: string;
  readonly provider: string | null;
  readonly providerReference: string | null;
  readonly amount: Decimal;
  readonly currency: string;
  readonly clockId: string | null;
}

/** The sandbox disputes a payment by `pm_disputed`, all of it, a day later. Of any other payment nothing is written. */
export async function scheduleDispute(tx: Tx, paid: Paid, now: Instant): Promise<void> {
  const { merchantId, id: paymentId, provider, providerReference: chargeReference, amount, currency, clockId } = paid;
  if (provider !== sandboxProvider.name || chargeReference === null || !isToBeDisputed(chargeReference)) return;
  const fact: ProviderDisputeFact = {
    kind: 'dispute',
    ...{ reference: paymentId, chargeReference, amount, currency, reason: 'fraudulent', status: 'inquiry' },
  };
  const opens = { at: now.add({ hours: HOURS_PER_DAY }), clockId };
  await insertDispute(tx, { merchantId, id: `${provider}:${paymentId}`, provider, paymentId, fact }, now, opens);
}
