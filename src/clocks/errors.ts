import type { CodesOf, ErrorTable } from '../kernel/result.ts';

export const clockErrors = {
  CLOCK_BACKWARDS: { status: 400, message: 'A test clock only moves forward.' },
  CLOCK_ADVANCING: {
    status: 409,
    message:
      'The test clock is advancing: wait until advancingTo is null, or stop it with a PATCH to its present ' +
      'currentTime.',
  },
  TEST_CLOCK_IN_USE: { status: 409, message: 'The test clock has active subscriptions; end them first.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof clockErrors> {}
}
