import { LOCK_NOT_AVAILABLE, sqlState } from '../../src/db/index.ts';
import { wireDomains } from '../../src/wiring.ts';
import type { TestEnvironment } from '../support/environment.ts';

const { chores } = wireDomains('sandbox', 'http://localhost');
const ofUsage = chores.find(({ isPrompt }) => isPrompt);
let last: Promise<void> = Promise.resolve();
let coming: Promise<void> | null = null;
let seconds = 0;

async function look(env: TestEnvironment): Promise<void> {
  coming = null;
  seconds += 20; // the lease of the look before is over
  try {
    await ofUsage?.run(env.database, Temporal.Now.instant().add({ seconds }));
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    return look(env); // the clock of another life held a lock, and a worker looks again, too
  }
  await env.runDueWork();
}

/**
 * Looks at the billing credits of customers with new usage, and does what follows, until nothing is due. One look is
 * for all lives that wait for it, and begins after the one before.
 */
export function lookAtCredits(env: TestEnvironment): Promise<void> {
  coming ??= last.then(() => look(env));
  last = coming.catch(() => undefined);
  return coming;
}
