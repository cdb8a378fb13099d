/** The balance engine: a balance is a function of terms, grants, resets, usage and time (domain.md §5). Pure. */
export { UNLIMITED } from './grant-time.ts';
export { grantIdOf, issuedGrants } from './issued.ts';
export type {
  BalanceAt,
  BalanceGrant,
  BalanceInputs,
  BalanceState,
  BalanceStateJson,
  BalanceTerm,
  GrantBalance,
  GrantGone,
  ManualReset,
  PeriodRule,
  Replayed,
  Reset,
  Stretch,
  Timeline,
  Totals,
  UsagePeriod,
} from './model.ts';
export { replayInTurns, TooManyGrants, type Wanted } from './replay.ts';
export { resetsIn, usagePeriodAt } from './schedule.ts';
export { stateFromJson, stateToJson } from './state-json.ts';
export { countSteps, type Span, timelineInTurns } from './timeline.ts';
export { type Budget, TooManySteps } from './turns.ts';
