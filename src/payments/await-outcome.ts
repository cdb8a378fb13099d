import { setTimeout as sleep } from 'node:timers/promises';
import { effectiveNow } from '../clocks/index.ts';
import type { Tx } from '../db/index.ts';
import { type Instant, isBefore } from '../kernel/time.ts';
import { selectOpenCalls } from './await-outcome.sql.ts';
import { type Call, writeOutcome } from './calls/dependencies.ts';
import { prepareCharge } from './charges/remote-charges.ts';
import { type Charge, lockCharge } from './records/charges.sql.ts';
import { lockAnyReceipt } from './records/receipts.sql.ts';
import { prepareReturn } from './returns/remote-returns.ts';
import type { PaymentDependencies } from './sessions/completion.ts';

/** An invoice whose charge or return is asked for. */
export interface PaidInvoice {
  readonly merchantId: string;
  readonly invoiceId: string;
}

/** Is a provider outside still to be called for an invoice, or being called? Then the outcome is worth waiting for. */
export const isCallOpen = async (tx: Tx, of: PaidInvoice): Promise<boolean> =>
  (await selectOpenCalls(tx, of)).length > 0;

const POLL_MILLISECONDS = 100;
const LONGEST_POLL_MILLISECONDS = 800;

/**
 * Makes the calls that are intended for an invoice, and waits for their outcomes. Due work may have begun some of them,
 * in this process or in another one: those are looked at again until they are over. While it waits it has no
 * transaction. A call whose outcome nobody knows is not waited for any longer: it is looked up later.
 */
export async function awaitOutcome(
  dependencies: PaymentDependencies,
  of: PaidInvoice,
  signal: AbortSignal,
): Promise<void> {
  const { remote } = dependencies;
  for (let pause = POLL_MILLISECONDS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_POLL_MILLISECONDS)) {
    const { calls, isElsewhere } = await writeOutcome(remote, of.merchantId, (tx, wall) =>
      begin(tx, dependencies, of, wall),
    );
    await Promise.all(calls.map((call) => remote.providerClient.call(of.merchantId, call)));
    if (!isElsewhere) return;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** Commits that the calls of an invoice are made now. @returns them, and whether others are being made elsewhere */
async function begin(
  tx: Tx,
  dependencies: PaymentDependencies,
  of: PaidInvoice,
  wall: Instant,
): Promise<{ calls: Call[]; isElsewhere: boolean }> {
  const { merchantId, invoiceId } = of;
  const open = await selectOpenCalls(tx, of);
  const [first] = open;
  if (!first) return { calls: [], isElsewhere: false };
  const now = await effectiveNow(tx, first.clockId, wall);
  const ours = open.filter(({ begunAt }) => isOurs(begunAt, now));
  if (ours.length > 0)
    await dependencies.handlers.lock?.(tx, { merchantId, entityType: 'invoice', entityId: invoiceId });
  const begun: (Call | 'elsewhere' | undefined)[] = [];
  for (const { kind, id } of ours)
    begun.push(await (kind === 'charge' ? beginCharge : beginReturn)(tx, dependencies, { merchantId, id }, now));
  return {
    calls: begun.filter((each) => typeof each === 'function'),
    isElsewhere: ours.length < open.length || begun.includes('elsewhere'),
  };
}

/** A call waits up to 30 seconds for its turn, and takes up to 10. After that it has ended. */
const LONGEST_CALL = { seconds: 40 } as const;

/** Was this call never begun, or did its process die? Then it is looked up. */
const isOurs = (begunAt: Instant | null, now: Instant): boolean =>
  begunAt === null || !isBefore(now, begunAt.add(LONGEST_CALL));

type Begin = (
  tx: Tx,
  dependencies: PaymentDependencies,
  of: { merchantId: string; id: string },
  now: Instant,
) => Promise<Call | 'elsewhere' | undefined>;

const beginCharge: Begin = async (tx, dependencies, { id }, now) => {
  const charge = (await lockCharge(tx, id)) as Charge;
  if (charge.status !== 'intended' && charge.status !== 'sent') return;
  return isOurs(charge.sentAt, now) ? prepareCharge(tx, dependencies, charge, now) : 'elsewhere';
};

const beginReturn: Begin = async (tx, { remote }, { id }, now) => {
  const receipt = await lockAnyReceipt(tx, id);
  if (receipt?.returnStatus !== 'requested') return;
  return isOurs(receipt.returnStartedAt, now) ? prepareReturn(tx, remote, receipt, now) : 'elsewhere';
};
