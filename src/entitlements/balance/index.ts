/** The balance engine: a balance is a function of terms, grants, resets, usage and time (domain.md §5). Pure. */
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
export {
  grantIdOf,
  issuedGrants,
  replay,
  resetsIn,
  stateFromJson,
  stateToJson,
  timelineOf,
  usagePeriodAt,
} from './signatures.ts';
