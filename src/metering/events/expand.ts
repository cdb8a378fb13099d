import type { Database } from '../../db/index.ts';
import { OneOf, type Static, Strict, type TSchema, Type } from '../../http/index.ts';
import { ID_PREFIXES } from '../../kernel/ids.ts';
import { invalidField, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EventRecord } from './event-record.ts';
import type { IncomingEvent } from './incoming-event.ts';

/** The subjects whose balances one request may ask for. */
const MOST_SUBJECTS = 100;

export const EventsCreateQuery = Strict({
  expand: Type.Optional({
    ...OneOf(['entitlements']),
    description: `entitlements: the answer has the balances that the events change. At most ${MOST_SUBJECTS} subjects.`,
  }),
});
export type EventsCreateQuery = Static<typeof EventsCreateQuery>;

/** The owner of the balances that an accepted event can change. */
export interface EventUse {
  readonly customerId: string;
  /** Of an event that was sent to a subscription: it counts for that one alone. */
  readonly subscriptionId: string | null;
  readonly eventType: string;
}

/** The sender and the time of a question about balances. */
export interface BalancesQuestion {
  readonly database: Database;
  readonly merchantId: string;
  /** Wall time. */
  readonly now: Instant;
  readonly signal: AbortSignal;
}

/** The balances that metering does not know; `wiring.ts` binds it. */
export interface EventBalances {
  /** One entitlement as it is answered. */
  readonly schema: TSchema;
  /** The balances that uses of a merchant's events change, each once. Every event that was committed before counts. */
  readonly find: (asked: BalancesQuestion, uses: readonly EventUse[]) => Promise<readonly unknown[]>;
}

/** May the balances of these events be asked for? Looked at before any of them is stored. */
export function checkSubjects(events: readonly IncomingEvent[]): Result<void> {
  const subjects = new Set<string>();
  for (const { merchantId, subject, externalSubject } of events)
    subjects.add(JSON.stringify([merchantId, subject, subject === null ? externalSubject : null]));
  return subjects.size > MOST_SUBJECTS
    ? invalidField('expand', `is answered for at most ${MOST_SUBJECTS} subjects; the body has ${subjects.size}`)
    : ok(undefined);
}

/**
 * The balances after events were stored. Read after their commit, so they hold the events.
 * @param sent the events as they came, in the order of `accepted`
 */
export async function balancesAfter(
  balances: EventBalances,
  asked: Omit<BalancesQuestion, 'merchantId'>,
  { sent, accepted }: { readonly sent: readonly IncomingEvent[]; readonly accepted: readonly EventRecord[] },
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [merchantId, uses] of usesByMerchant(sent, accepted))
    found.push(...(await balances.find({ ...asked, merchantId }, uses)));
  return found;
}

function usesByMerchant(
  sent: readonly IncomingEvent[],
  accepted: readonly EventRecord[],
): ReadonlyMap<string, readonly EventUse[]> {
  const uses = new Map<string, EventUse & { readonly merchantId: string }>();
  for (const [index, { merchantId, subject: customerId, type: eventType }] of accepted.entries()) {
    if (customerId === null) continue;
    const subject = sent[index]?.subject ?? null;
    const subscriptionId = subject?.startsWith(ID_PREFIXES.subscription) === true ? subject : null;
    const key = JSON.stringify([merchantId, customerId, subscriptionId, eventType]);
    if (!uses.has(key)) uses.set(key, { merchantId, customerId, subscriptionId, eventType });
  }
  return Map.groupBy(uses.values(), ({ merchantId }) => merchantId);
}
