import { ok, orThrow } from '../kernel/result.ts';
import type { BalancesQuestion, EventBalances, EventUse } from '../metering/index.ts';
import { selectState } from './known/known.sql.ts';
import { type ReadingParts, type ReadingQuestion, Readings } from './known/readings.ts';
import { measuringEvents } from './reading.sql.ts';
import { type EntitlementDetail, MeteredEntitlementDetail } from './schemas.ts';

/**
 * The balances that POST /v0/events answers: of the active entitlements that measure the events, oldest first for each
 * customer. A customer whose entitlements this process knows takes one statement.
 */
export function eventBalances(parts: ReadingParts): EventBalances {
  const readings = new Readings(parts);
  return {
    schema: MeteredEntitlementDetail,
    find: async (asked, uses) => {
      const found: EntitlementDetail[] = [];
      for (const [customerId, ofOne] of Map.groupBy(uses, (use) => use.customerId))
        found.push(...orThrow(await readings.answer(questionOf(asked, customerId, ofOne))).details);
      return found;
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
      const state = await selectState(tx, asked.merchantId, customerId); // before all that is as it says
      const entitlements = await measuringEvents(tx, asked.merchantId, uses, asked.now);
      return ok({ customerId, state, entitlements, isActiveOnly: true, customer: null });
    },
  };
}
