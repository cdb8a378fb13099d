import { effectiveNow, effectiveNowForReading } from '../clocks/index.ts';
import type { Database, Tx } from '../db/index.ts';
import { evaluateBalances } from '../entitlements/index.ts';
import { findWatchedCustomers, wakeCredits } from '../invoicing/index.ts';
import type { Chore } from '../jobs/index.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { findCustomersWithEvents, settledSeq } from '../metering/index.ts';
import { lockAlert, selectAlertsById } from './alerts.sql.ts';
import { isReached } from './decide.ts';
import type { AlertDependencies } from './dependencies.ts';
import { evaluateAlert } from './evaluate.ts';
import { isInPeriod, type KnownAlert, readKnown } from './figures.ts';
import {
  claimMark,
  selectAlertsOfCustomers,
  selectStanding,
  type UsedAlert,
  updateMark,
  updateToBeDue,
} from './watch.sql.ts';

/** After this time, another process replaces a process that has stopped evaluating. */
const LEASE = { milliseconds: 2_500 };
/** So many events are read at once; the mark moves after each. */
const MOST_EVENTS = 50_000n;
/** After a long write transaction, the visible events are read, and the mark stays. */
const EVERY_EVENT = 2n ** 63n - 1n;
/** So many alerts of a merchant share a transaction. */
const MOST_TOGETHER = 200;

/**
 * Evaluates the alerts and the balances of customers with new usage, every second. Events are read in the order of
 * acceptance, from a mark in the database on: so nothing is passed over, not what other processes accept, nor what was
 * accepted before a crash. The mark moves after the evaluations; an alert that is evaluated twice is triggered once.
 * @param worker names the process among others
 */
export function alertWatchChore(dependencies: AlertDependencies, worker = newId('alert')): Chore {
  return {
    name: 'evaluating alerts and balances of customers with new usage',
    everySeconds: 1,
    isPrompt: true,
    run: async (database, now) => {
      const { seenSeq, isWatched } = await database.transaction('every merchant, reading', selectStanding);
      const upTo = await settledSeq(database);
      const lease = () => database.transaction('nobody', (tx) => claimMark(tx, worker, now, now.add(LEASE)));
      const evaluate = (stretch: Stretch) => evaluateUsed(dependencies, database, stretch, now);
      if (upTo === null) return evaluate({ after: seenSeq, upTo: EVERY_EVENT });
      if (upTo <= seenSeq) return;
      for (let seen = seenSeq; seen < upTo; ) {
        if (!(await lease())) return;
        const next = !isWatched || seen + MOST_EVENTS > upTo ? upTo : seen + MOST_EVENTS;
        if (isWatched) await evaluate({ after: seen, upTo: next });
        await database.transaction('nobody', (tx) => updateMark(tx, next));
        seen = next;
      }
    },
  };
}

/** A stretch of the order of acceptance. */
interface Stretch {
  readonly after: bigint;
  readonly upTo: bigint;
}

/** Evaluates the alerts and the balances of the customers to whom some events are addressed. */
async function evaluateUsed(
  dependencies: AlertDependencies,
  database: Database,
  { after, upTo }: Stretch,
  now: Instant,
): Promise<void> {
  const { customers, used, credited } = await database.transaction('every merchant, reading', async (tx) => {
    const found = await findCustomersWithEvents(tx, after, upTo);
    return {
      customers: found,
      used: await selectAlertsOfCustomers(tx, found),
      credited: await findWatchedCustomers(tx, found),
    };
  });
  for (const [merchantId, those] of Map.groupBy(used, (alert) => alert.merchantId)) {
    for (let place = 0; place < those.length; place += MOST_TOGETHER) {
      const ids = those.slice(place, place + MOST_TOGETHER).map(({ id }) => id);
      const changed = await inMerchant(database, merchantId, (tx) => findChanged(dependencies, tx, ids, now)).catch(
        () => ids, // one of them is at fault: each is evaluated by itself
      );
      for (const id of changed) await evaluate(dependencies, database, { merchantId, id }, now);
    }
  }
  for (const [merchantId, those] of Map.groupBy(credited, (each) => each.merchantId))
    await inMerchant(database, merchantId, (tx) =>
      wakeCredits(
        tx,
        those.map(({ customerId }) => customerId),
      ),
    );
  await evaluateBalances(database, customers, now);
}

const inMerchant = <T>(database: Database, merchantId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  database.transaction({ merchants: [merchantId] }, work);

/** The alerts among some whose figures have crossed since the last evaluation. Locks nothing, writes nothing. */
async function findChanged(
  dependencies: AlertDependencies,
  tx: Tx,
  ids: readonly string[],
  wall: Instant,
): Promise<string[]> {
  const changed: string[] = [];
  const known: KnownAlert[] = [];
  for (const alert of await selectAlertsById(tx, ids)) {
    const now = await effectiveNowForReading(tx, alert.clockId, wall);
    if (isInPeriod(alert, now)) known.push({ alert, now });
    else changed.push(alert.id);
  }
  const figures = await readKnown(dependencies, tx, known);
  for (const [index, { alert }] of known.entries()) {
    const figure = figures[index];
    // An event moves the instant at which a figure over time gets there.
    const isMoved = figure?.isOverTime === true && !alert.isReached;
    if (!figure || isMoved || isReached(alert, figure) !== alert.isReached) changed.push(alert.id);
  }
  return changed;
}

/** Evaluates an alert in a transaction of its own. If that throws, a background job retries and counts its attempts. */
async function evaluate(
  dependencies: AlertDependencies,
  database: Database,
  { merchantId, id }: UsedAlert,
  wall: Instant,
): Promise<void> {
  try {
    await inMerchant(database, merchantId, async (tx) => {
      const [seen] = await selectAlertsById(tx, [id]);
      if (!seen) return;
      const now = await effectiveNow(tx, seen.clockId, wall);
      const alert = await lockAlert(tx, id);
      if (alert) await evaluateAlert(dependencies, tx, alert, now, 'event');
    });
  } catch {
    await inMerchant(database, merchantId, (tx) => updateToBeDue(tx, [id], wall));
  }
}
