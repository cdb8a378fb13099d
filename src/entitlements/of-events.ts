import { ok, orThrow } from '../kernel/result.ts';
import type { BalancesQuestion, EventBalances, EventUse } from '../metering/index.ts';
import { selectState } from './cache/cache.sql.ts';
import { type ReadingDependencies, type ReadingQuestion, Readings } from './cache/readings.ts';
import { type EntitlementDetailReply, MeteredEntitlementDetail } from './entitlement/schemas.ts';
import { selectMeasuringEvents } from './reading/reading.sql.ts';

/**
 * The balances that POST /v0/events answers: of the active entitlements that measure the events, oldest first for each
 * customer. Those of customers whose entitlements this process knows are asked in one statement, also for requests
 * whose events were stored together.
 */
export function eventBalances(dependencies: ReadingDependencies): EventBalances {
  const readings = new Readings(dependencies);
  return {
    schema: MeteredEntitlementDetail,
    find: async (asked, uses) => {
      const byCustomer = [...Map.groupBy(uses, (use) => use.customerId)];
      const answers = await readings.answerEach(byCustomer.map(([id, ofOne]) => questionOf(asked, id, ofOne)));
      return answers.flatMap((answer): readonly EntitlementDetailReply[] => orThrow(answer).details);
    },
  };
}

/** The question about the entitlements that measure some events of a customer. */
function questionOf(asked: BalancesQuestion, customerId: string, uses: readonly EventUse[]): ReadingQuestion {
  const texts = uses.map(({ subscriptionId, eventType }) => JSON.stringify([subscriptionId, eventType]));
  return {
    ...asked,
    text: JSON.stringify(['events', customerId, ...texts.toSorted()]),
    find: async (tx) => {
      const state = await selectState(tx, customerId); // before all that is as it says
      const entitlements = await selectMeasuringEvents(tx, uses, asked.now);
      return ok({ customerId, state, entitlements, isActiveOnly: true, customer: null });
    },
  };
}
