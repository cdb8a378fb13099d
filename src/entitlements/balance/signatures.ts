import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type {
  BalanceGrant,
  BalanceInputs,
  BalanceState,
  BalanceStateJson,
  Replayed,
  Reset,
  Timeline,
  UsagePeriod,
} from './model.ts';

const soon = (): never => {
  throw new Error('The balance engine is on its way.');
};
export const usagePeriodAt: (inputs: BalanceInputs, at: Instant) => UsagePeriod = soon;
export const resetsIn: (inputs: BalanceInputs, after: Instant, until: Instant) => Reset[] = soon;
export const issuedGrants: (inputs: BalanceInputs, after: Instant | null, until: Instant) => BalanceGrant[] = soon;
export const grantIdOf: (entitlementId: string, issuedAt: Instant) => string = soon;
export const stateToJson: (state: BalanceState) => BalanceStateJson = soon;
export const stateFromJson: (json: BalanceStateJson) => BalanceState = soon;
export const timelineOf: (inputs: BalanceInputs, state: BalanceState | null, observed: readonly Instant[]) => Timeline =
  soon;
export const replay: (timeline: Timeline, flows: readonly Decimal[], levels?: readonly Decimal[]) => Replayed = soon;
