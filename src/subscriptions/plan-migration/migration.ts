import type { CreditMode, Proration } from '../../invoicing/index.ts';
import { refuse, stateTable } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import type { PriceReplacement } from '../subscription/quantities.ts';

export type PlanMigrationStatus = 'running' | 'completed' | 'cancelled';

/** A migration of all subscriptions of one version of a plan to another version. */
export interface PlanMigration {
  readonly merchantId: string;
  readonly id: string;
  readonly planId: string;
  readonly fromVersionId: string;
  readonly fromVersion: number;
  readonly toVersionId: string;
  readonly toVersion: number;
  readonly replacePrices: readonly PriceReplacement[];
  readonly effective: 'now' | 'periodEnd';
  readonly proration: Proration;
  readonly credit: CreditMode;
  /** It only says what would be. */
  readonly isDry: boolean;
  readonly status: PlanMigrationStatus;
  /** Subscriptions that belong to it. */
  readonly total: number;
  /** Of them changed, or to be changed at the end of a period. */
  readonly done: number;
  /** Of them refused. */
  readonly failed: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly endedAt: Instant | null;
}

/** The result of a migration for one of its subscriptions. */
export interface MigrationOutcome {
  readonly outcome: 'applied' | 'scheduled' | 'refused';
  readonly effectiveAt: Instant | null;
  readonly changeId: string | null;
  /** The code of the refusal. */
  readonly reason: string | null;
  /** The error behind the reason INTERNAL_ERROR. */
  readonly fault: string | null;
}

/** A subscription of a migration whose turn it is. */
export interface MigrationMember {
  readonly position: number;
  readonly subscriptionId: string;
  readonly customerId: string;
}

const refused = refuse('INVALID_TRANSITION');

/** The states of a migration. Changes before a cancellation stay. */
export const planMigrationStates = stateTable<PlanMigrationStatus, 'complete' | 'cancel'>(
  { thing: 'migration', done: { cancel: 'cancelled' } },
  {
    running: { complete: 'completed', cancel: 'cancelled' },
    completed: { complete: refused, cancel: refused },
    cancelled: { complete: refused, cancel: refused },
  },
);

/**
 * Divides members into lists that may be changed side by side: subscriptions of one customer bill each other's usage
 * and share a wallet, so no list has two of them. Members of one customer keep their order.
 */
export function concurrentLists<Member extends Pick<MigrationMember, 'customerId'>>(
  members: readonly Member[],
): Member[][] {
  const lists: Member[][] = [];
  const counts = new Map<string, number>();
  for (const member of members) {
    const place = counts.get(member.customerId) ?? 0;
    counts.set(member.customerId, place + 1);
    const list = lists[place] ?? [];
    list.push(member);
    lists[place] = list;
  }
  return lists;
}
