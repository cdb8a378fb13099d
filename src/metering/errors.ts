import type { CodesOf, ErrorTable } from '../kernel/result.ts';

export const meteringErrors = {
  INGEST_QUEUE_FULL: {
    status: 429,
    message: 'The queue of events to store is full; no event of this request was stored. Send it again.',
  },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof meteringErrors> {}
}
