import { expect } from 'vitest';
import { selectBroken } from '../../src/auditor/broken.sql.ts';
import { invariants } from '../../src/auditor/invariants.sql.ts';
import type { TestEnvironment } from './environment.ts';

/** The auditor's invariants about money; an unknown name is a fault of this list. */
const RULES = [
  'paid-means-paid-in-full',
  'refunds-within-payments',
  'payments-are-of-sessions',
  'books-balance',
  'wallets-are-their-entries',
  'receivables-are-unpaid',
  'top-ups-due-are-open',
  'wallet-applied-is-booked',
  'cash-is-what-came',
  'paid-is-what-pays',
  'receipts-wait-in-the-books',
  'reversed-money-is-collected',
  'revenue-facts-are-true',
  'revenue-is-booked',
  'refunds-payable-are-asked',
];

/**
 * Holds the books of one merchant to all that they promise, as the auditor does for all merchants when an environment
 * closes.
 */
export async function expectBooksToBalance(
  env: Pick<TestEnvironment, 'database'>,
  merchant: { id: string },
): Promise<void> {
  for (const rule of RULES) {
    const broken = invariants.find(({ name }) => name === rule)?.broken;
    if (!broken) throw new Error(`The auditor knows no ${rule}.`);
    const found = await env.database.transaction({ merchants: [merchant.id] }, (tx) => selectBroken(tx, broken));
    expect({ rule, found }).toEqual({ rule, found: [] });
  }
}
