import type { Tx } from '../db/index.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { type Answered, decideHealth, isDelivered, judge } from './attempts.ts';
import { type Attempt, type Begun, insertAttempts, updateDeliveries } from './deliveries.sql.ts';
import type { DisabledReason, Endpoint } from './endpoint.ts';
import { lockEndpoints, selectSecondsOff, updateDelivered, updateEndpoint } from './endpoints.sql.ts';
import { publishAll } from './outbox.sql.ts';

/** An attempt that is over. */
export interface Ended {
  readonly begun: Begun;
  readonly answered: Answered;
  readonly startedAt: Instant;
  readonly durationMilliseconds: number;
  /** Between 0 and 1, drawn for it. */
  readonly chance: number;
}

const LOST = 'The outcome of this attempt is unknown: its worker was lost.';

/** Writes down what came of attempts of some merchants, and what follows for their deliveries and endpoints. */
export async function noteEnded(tx: Tx, ended: readonly Ended[], now: Instant): Promise<void> {
  const judged = ended.map((each) => ({ ...each, verdict: judge(each.answered, each.begun.slot, each.chance, now) }));
  await insertAttempts(tx, ended.flatMap(attemptsOf));
  await updateDeliveries(
    tx,
    judged
      .map(({ begun, verdict: { status, nextAttemptAt } }) => ({
        merchantId: begun.merchantId,
        eventId: begun.eventId,
        endpointId: begun.endpointId,
        number: begun.attempts,
        status,
        nextAttemptAt,
      }))
      .toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1)),
  );
  const delivered = new Set(judged.flatMap(({ begun, answered }) => (isDelivered(answered) ? begun.endpointId : [])));
  if (delivered.size > 0) await updateDelivered(tx, [...delivered].toSorted(), now);
  const gone = new Set(judged.flatMap(({ begun, verdict }) => (verdict.isGone ? begun.endpointId : [])));
  const failing = judged.flatMap(({ begun }) =>
    delivered.has(begun.endpointId) && !gone.has(begun.endpointId) ? [] : begun.endpointId,
  );
  if (failing.length === 0) return;
  for (const endpoint of await lockEndpoints(tx, [...new Set(failing)].toSorted())) {
    const failures = failing.filter((id) => id === endpoint.id).length;
    await noteFailures(tx, endpoint, failures, gone.has(endpoint.id), now);
  }
}

const attemptsOf = ({ begun, answered, startedAt, durationMilliseconds }: Ended): Attempt[] => {
  const { merchantId, eventId, endpointId, attempts, lostAt } = begun;
  const of = { merchantId, eventId, endpointId };
  const made: Attempt = {
    ...of,
    id: newId('webhookAttempt'),
    number: attempts,
    status: isDelivered(answered) ? 'delivered' : 'failed',
    statusCode: answered.kind === 'answered' ? answered.status : null,
    error: answered.kind === 'failed' ? answered.error : null,
    reply: answered.kind === 'answered' ? answered.reply : null,
    durationMilliseconds,
    createdAt: startedAt,
  };
  if (lostAt === null) return [made];
  const unknown = { statusCode: null, error: LOST, reply: null, durationMilliseconds: null };
  const id = newId('webhookAttempt');
  return [{ ...of, ...unknown, id, number: attempts - 1, status: 'failed', createdAt: lostAt }, made];
};

/** Counts failures of a locked endpoint. The merchant gets a webhook after a day, and at the disabling. */
async function noteFailures(
  tx: Tx,
  endpoint: Endpoint,
  failures: number,
  isGone: boolean,
  now: Instant,
): Promise<void> {
  if (endpoint.status === 'disabled') return;
  const { failingSince: before } = endpoint;
  const secondsOff = before === null ? 0 : await selectSecondsOff(tx, before, now);
  const { notifies, disables, ...health } = decideHealth(endpoint, failures, secondsOff, now);
  const ofHealth = disables ? 'failing' : null;
  const reason: DisabledReason | null = isGone ? 'gone' : ofHealth;
  await updateEndpoint(tx, {
    ...endpoint,
    ...health,
    ...(reason !== null && { status: 'disabled', disabledReason: reason }),
  });
  const event = { merchantId: endpoint.merchantId, data: { webhookEndpointId: endpoint.id } };
  if (reason !== null) {
    const data = { ...event.data, reason };
    await publishAll(tx, [{ ...event, data, type: 'webhook_endpoint.disabled.v0' }], now);
  } else if (notifies) await publishAll(tx, [{ ...event, type: 'webhook_endpoint.failing.v0' }], now);
}
