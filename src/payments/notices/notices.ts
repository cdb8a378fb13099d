import type { Database, Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import { isId } from '../../kernel/ids.ts';
import { fail, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { byProviderClient, type Connection, connectionOf, type RemoteDependencies } from '../calls/dependencies.ts';
import { isGivenUp, nextLookUp } from '../calls/look-ups.ts';
import { recordChargeAnswer } from '../charges/remote-charges.ts';
import { recordCheckoutState } from '../checkouts/checkouts.ts';
import type { NoticeHeaders, ProviderFact } from '../provider/remote.ts';
import { selectCheckoutByReference } from '../records/checkouts.sql.ts';
import { selectPartReturn } from '../returns/part-returns.sql.ts';
import { recordPartReturnAnswer } from '../returns/part-returns.ts';
import { recordReturnAnswer } from '../returns/remote-returns.ts';
import { hasUnmatchedPayment } from '../returns/unmatched.sql.ts';
import { recordUnmatchedReturnAnswer } from '../returns/unmatched.ts';
import type { PaymentDependencies } from '../sessions/completion.ts';
import { applyDispute, applyOutsideRefund, type OfProvider } from './disputes.ts';
import { insertNotice, selectNotice, updateNotice } from './notices.sql.ts';

/** A webhook of a provider, as it arrived. */
export interface ArrivedNotice {
  readonly merchantId: string;
  readonly provider: string;
  readonly bytes: Buffer;
  readonly headers: NoticeHeaders;
}

/**
 * Keeps a notice of a provider once, after its signature was checked over the bytes. What it is about is read from the
 * provider beside, by due work: the notice itself is only a hint.
 * @returns PROVIDER_SIGNATURE_INVALID, also where there is no such account, so that nobody learns which merchants
 *   there are
 */
export async function receiveNotice(
  remote: RemoteDependencies,
  database: Database,
  { merchantId, provider, bytes, headers }: ArrivedNotice,
  now: Instant,
): Promise<Result<null>> {
  const known = remote.providers.find(({ name }) => name === provider);
  if (!known || !isId('organization', merchantId)) return fail('PROVIDER_SIGNATURE_INVALID');
  return database.transaction({ merchants: [merchantId] }, async (tx) => {
    const connection = await connectionOf(tx, remote, known.name);
    const notice = connection?.provider.readNotice(connection.account, bytes, headers, now);
    if (!notice) return fail('PROVIDER_SIGNATURE_INVALID');
    await insertNotice(tx, { merchantId, provider, notice }, now);
    return ok(null);
  });
}

const MOST_ERROR_LENGTH = 500;

/**
 * Reads what notices are about, and writes it down. Where that fails it is tried again for a month; after the first day
 * it is a payment exception, which people see.
 */
export const noticesDue = (dependencies: PaymentDependencies): DueKind => ({
  kind: 'provider_notice',
  step: async (tx, { merchantId, id }, now) => {
    const { remote } = dependencies;
    const notice = await selectNotice(tx, id);
    const { lookUps, at } = nextLookUp(notice.receivedAt, notice.attempts, now);
    await updateNotice(tx, { merchantId, id }, { attempts: lookUps, nextActionAt: isGivenUp(lookUps) ? null : at });
    const connection = await connectionOf(tx, remote, notice.provider);
    if (!connection) return;
    return byProviderClient(remote, { merchantId, clockId: null }, async () => {
      const error = await readFacts(dependencies, connection, merchantId, notice);
      const change = error === null ? { doneAt: remote.now(), nextActionAt: null, error } : { error };
      await remote.database.transaction({ merchants: [merchantId] }, (own: Tx) =>
        updateNotice(own, { merchantId, id }, change),
      );
    });
  },
});

/** @returns why it could not be read or written down; null where all is done */
async function readFacts(
  dependencies: PaymentDependencies,
  { provider, account }: Connection,
  merchantId: string,
  notice: Parameters<typeof provider.resolve>[1],
): Promise<string | null> {
  try {
    for (const fact of await provider.resolve(account, notice))
      await applyFact(dependencies, { merchantId, provider: provider.name }, fact);
    return null;
  } catch (error) {
    return String(error).slice(0, MOST_ERROR_LENGTH);
  }
}

async function applyFact(dependencies: PaymentDependencies, of: OfProvider, fact: ProviderFact): Promise<void> {
  const { merchantId } = of;
  switch (fact.kind) {
    case 'checkout': {
      const checkout = await dependencies.remote.database.transaction({ merchants: [merchantId] }, (tx) =>
        selectCheckoutByReference(tx, { ...of, reference: fact.reference }),
      );
      if (!checkout) throw new Error(`The payment page ${fact.reference} is not known yet.`);
      return recordCheckoutState(dependencies, { merchantId, id: checkout.id }, fact.state);
    }
    case 'charge':
      return recordChargeAnswer(dependencies, { merchantId, id: fact.key }, fact.charge);
    case 'refund':
      return fact.key === null
        ? applyOutsideRefund(dependencies, of, fact)
        : recordOwnRefundAnswer(dependencies.remote, merchantId, fact.key, fact);
    case 'dispute':
      return applyDispute(dependencies, of, fact);
  }
}

const OWN_REFUND = /^return:(pay_\w+)$/;

/** A refund that we asked for ourselves, of a receipt, a part of one, or of an unmatched payment. */
async function recordOwnRefundAnswer(
  remote: RemoteDependencies,
  merchantId: string,
  key: string,
  refund: Parameters<typeof recordReturnAnswer>[2],
): Promise<void> {
  const id = OWN_REFUND.exec(key)?.[1];
  if (id === undefined) return;
  const of = { merchantId, id };
  if (await isUnmatched(remote, of)) return recordUnmatchedReturnAnswer(remote, of, refund);
  if (await isPart(remote, of)) return recordPartReturnAnswer(remote, of, refund);
  return recordReturnAnswer(remote, of, refund);
}

const isUnmatched = (
  remote: RemoteDependencies,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<boolean> => remote.database.transaction({ merchants: [merchantId] }, (tx) => hasUnmatchedPayment(tx, id));

const isPart = (remote: RemoteDependencies, { merchantId, id }: { merchantId: string; id: string }): Promise<boolean> =>
  remote.database.transaction(
    { merchants: [merchantId] },
    async (tx) => (await selectPartReturn(tx, id)) !== undefined,
  );
