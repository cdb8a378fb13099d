import { findMetric, findPlan } from '../catalog/index.ts';
import { customerParties, findCustomersOfExternalIds } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import type { Refusal } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import { acceptInTransaction } from '../metering/index.ts';
import { findSubscriptionsOfPlan } from '../subscriptions/index.ts';
import { publishAll } from '../webhooks/index.ts';
import type { Judged } from './conditions.ts';
import { decideUsage, type Known } from './decide-usage.ts';
import { type Outcome, updateOutcomes } from './events.sql.ts';
import { matchRules } from './rules.ts';
import type { Source, SourceEvent } from './source.ts';

/** Processes pending events by the source's mode: at once, or where a rule approves them. The others stay pending. */
export async function processArrived(
  tx: Tx,
  source: Source,
  events: readonly SourceEvent[],
  now: Instant,
): Promise<SourceEvent[]> {
  if (source.processingMode === 'automatic') return processEvents(tx, source, events, () => 'system', now);
  const approvers = await matchRules(tx, source, await judgedOf(tx, events), now);
  const byId = new Map(events.map(({ id }, index) => [id, approvers[index] ?? null]));
  const approved = events.filter(({ id }) => byId.get(id) !== null);
  const done = await processEvents(tx, source, approved, ({ id }) => byId.get(id) as string, now);
  const waiting = events.filter(({ id }) => byId.get(id) === null);
  await publishOutcomes(tx, waiting, now);
  return [...done, ...waiting];
}

/** The facts for the rules. */
async function judgedOf(tx: Tx, events: readonly SourceEvent[]): Promise<Judged[]> {
  const customers = await findCustomersOfExternalIds(tx, namesIn(events));
  const parties = await customerParties(tx, customers.values());
  return events.map(({ amount, occurredAt, customerExternalId }) => {
    const party = parties.get(customers.get(customerExternalId ?? '') ?? '');
    return { amount, occurredAt, customer: party ? { name: party.name, emails: party.emails ?? [] } : null };
  });
}

const namesIn = (events: readonly SourceEvent[]): string[] => [
  ...new Set(events.flatMap(({ customerExternalId }) => customerExternalId ?? [])),
];

/**
 * Writes the usage events of pending events that are locked, or says of each why there is none. The usage events come
 * last, because their intake keeps the merchant's ingest lock until the transaction ends.
 * @param byOf who approved an event
 */
export async function processEvents(
  tx: Tx,
  source: Source,
  events: readonly SourceEvent[],
  byOf: (event: SourceEvent) => string,
  now: Instant,
): Promise<SourceEvent[]> {
  if (events.length === 0) return [];
  const knownOf = await loadKnown(tx, source, events);
  const outcomes: Outcome[] = [];
  for (const event of events) outcomes.push(await processEvent(tx, event, knownOf(event), byOf(event), now));
  const done = await updateOutcomes(tx, outcomes, now);
  await publishOutcomes(tx, done, now);
  return done;
}

/** The known facts of each event: loaded for all of them. */
async function loadKnown(
  tx: Tx,
  source: Source,
  events: readonly SourceEvent[],
): Promise<(event: SourceEvent) => Known> {
  const { planId } = source;
  const plan = await findPlan(tx, planId);
  if (!plan) throw new Error(`Source ${source.id} has lost its plan.`); // a foreign key holds it
  const metric = await findMetric(tx, source.metadata.billableMetricMapping.revenue);
  const customers = await findCustomersOfExternalIds(tx, namesIn(events));
  const subscriptions = await findSubscriptionsOfPlan(tx, planId, [...customers.values()]);
  const byCustomer = Map.groupBy(subscriptions, ({ customerId }) => customerId);
  return ({ customerExternalId }) => {
    const customerId = customers.get(customerExternalId ?? '') ?? null;
    return {
      source,
      metric,
      currency: plan.currency,
      customerId,
      subscriptions: byCustomer.get(customerId ?? '') ?? [],
    };
  };
}

async function processEvent(
  tx: Tx,
  event: SourceEvent,
  known: Known,
  processedBy: string,
  now: Instant,
): Promise<Outcome> {
  const decision = decideUsage(event, known);
  const { subscriptionId } = decision;
  const base = { id: event.id, customerId: known.customerId, subscriptionId, processedBy };
  const failed = (errorMessage: string): Outcome => ({ ...base, status: 'failed', errorMessage, usageEventIds: [] });
  if (!decision.ok) return failed(decision.reason);
  const accepted = await acceptInTransaction(tx, decision.usage, now);
  if (!accepted.ok) return failed(`The usage event was refused: ${reasonOf(accepted.refusal)}`);
  return { ...base, status: 'processed', errorMessage: null, usageEventIds: [accepted.value.id] };
}

/** A refusal of metering in words. */
function reasonOf(refusal: Refusal): string {
  if (refusal.kind === 'validation')
    return refusal.errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  if (refusal.kind === 'code') return refusal.message ?? refusal.code;
  return refusal.kind;
}

/** Publishes the outcomes of source events (domain.md §9), except rejections, which their caller knows. */
export const publishOutcomes = async (tx: Tx, events: readonly SourceEvent[], now: Instant): Promise<void> =>
  void (await publishAll(
    tx,
    events.flatMap(({ merchantId, status, id, sourceId, customerId, subscriptionId }) =>
      status === 'rejected'
        ? []
        : {
            merchantId,
            type: `source_event.${status}.v0` as const,
            data: { sourceEventId: id, sourceId, customerId, subscriptionId },
          },
    ),
    now,
  ));
