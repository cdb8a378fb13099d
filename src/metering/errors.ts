import type { CodesOf, ErrorTable } from '../kernel/result.ts';

export const meteringErrors = {
  INGEST_QUEUE_FULL: {
    status: 429,
    message:
      'More events are waiting to be stored than are taken in; nothing of this request was stored. Send it again.',
  },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof meteringErrors> {}
}
