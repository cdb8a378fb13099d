/** The balance engine: a balance is a function of terms, grants, resets, usage and time (domain.md §5). Pure. */
export { grantIdOf, issuedGrants } from './issued.ts';
export type {
  BalanceAt,
  BalanceGrant,
  BalanceInputs,
  BalanceState,
  BalanceStateJson,
  BalanceTerm,
  GrantBalance,
  ManualReset,
  PeriodRule,
  Replayed,
  Reset,
  Stretch,
  Timeline,
  Totals,
  UsagePeriod,
} from './model.ts';
export { replay } from './replay.ts';
export { resetsIn, usagePeriodAt } from './schedule.ts';
export { stateFromJson, stateToJson } from './state-json.ts';
export { timelineOf } from './timeline.ts';
