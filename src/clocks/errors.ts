import type { ErrorTable } from '../kernel/result.ts';

export const clockErrors = {
  CLOCK_BACKWARDS: { status: 400, message: 'A test clock only moves forward (§3).' },
  CLOCK_ADVANCING: { status: 409, message: 'The test clock is on its way; wait until advancingTo is null.' },
  TEST_CLOCK_IN_USE: { status: 409, message: 'The test clock has active subscriptions; end them first.' },
} as const satisfies ErrorTable;
