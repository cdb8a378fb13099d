import { Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import { type Holding, inBurnOrder, type Ledger, use } from './burn.ts';
import { endsVoided } from './grant-time.ts';
import type { BalanceGrant, Moment, Reset } from './model.ts';

/**
 * What happens at one instant, in this order (domain.md §5): expire and void, roll over, recur, activate, burn what waits.
 * A question at the very instant sees all of it.
 */
export function settle(ledger: Ledger, moment: Moment): Ledger {
  const ended = end(ledger, moment.ending);
  const rolledOver = moment.reset ? rollOver(ended, moment.reset) : ended;
  const recurred = recur(rolledOver, moment.recurring);
  return use(activate(recurred, moment.starting), ZERO);
}

/** Does anything happen to what stands? Not where only grants end that were used up for ever. */
export const concerns = ({ reset, starting, ending, recurring }: Moment, { holdings }: Ledger): boolean =>
  reset !== null || starting.length > 0 || holdings.some(({ grant: { id } }) => ending.has(id) || recurring.has(id));

function end(ledger: Ledger, ending: ReadonlySet<string>): Ledger {
  let { expired, voided } = ledger.flows;
  for (const { grant, balance } of ledger.holdings) {
    if (!ending.has(grant.id)) continue;
    if (endsVoided(grant)) voided = voided.plus(balance);
    else expired = expired.plus(balance);
  }
  const holdings = ledger.holdings.filter(({ grant }) => !ending.has(grant.id));
  return { ...ledger, holdings, flows: { ...ledger.flows, expired, voided } };
}

/** This bound means that there is none (§2 Grant), also to a grant of more than that. */
const UNLIMITED = decimal('999999999999');

function rollOver(ledger: Ledger, { preserveOverage }: Reset): Ledger {
  const set = setBalances(ledger, ({ grant, balance }) => {
    const floored = Decimal.max(grant.minRollover, balance);
    return grant.maxRollover.gte(UNLIMITED) ? floored : Decimal.min(grant.maxRollover, floored);
  });
  return {
    ...set,
    holdings: set.holdings.filter((holding) => !isSpent(holding)),
    overage: preserveOverage ? Decimal.max(ZERO, ledger.overage) : ZERO,
    used: ZERO,
  };
}

/** Nothing is left at a reset, so no floor raises it at a later one either: without a recurrence it never covers anything again. */
const isSpent = ({ grant, balance }: Holding): boolean => balance.isZero() && grant.recurrence === null;

/** What a recurrence finds unused is gone, and the full amount is granted anew. */
function recur(ledger: Ledger, recurring: ReadonlySet<string>): Ledger {
  const isRecurring = ({ grant }: Holding) => recurring.has(grant.id);
  const emptied = setBalances(ledger, (holding) => (isRecurring(holding) ? ZERO : null));
  return setBalances(emptied, (holding) => (isRecurring(holding) ? holding.grant.amount : null));
}

/** Sets balances (null: it stays). What is taken away is dropped, what is added is granted; what was burned before stays burned. */
function setBalances(ledger: Ledger, decide: (holding: Holding) => Decimal | null): Ledger {
  let { granted, dropped } = ledger.flows;
  const holdings = ledger.holdings.map((holding) => {
    const balance = decide(holding);
    if (balance === null) return holding;
    const added = balance.minus(holding.balance);
    if (added.isNegative()) dropped = dropped.minus(added);
    else granted = granted.plus(added);
    return { ...holding, balance, returnable: ZERO };
  });
  return { ...ledger, holdings, flows: { ...ledger.flows, granted, dropped } };
}

function activate(ledger: Ledger, starting: readonly BalanceGrant[]): Ledger {
  if (starting.length === 0) return ledger;
  let { granted } = ledger.flows;
  for (const { amount } of starting) granted = granted.plus(amount);
  const started = starting.map((grant) => ({ grant, balance: grant.amount, burned: ZERO, returnable: ZERO }));
  return {
    ...ledger,
    holdings: inBurnOrder([...ledger.holdings, ...started]),
    flows: { ...ledger.flows, granted },
  };
}
