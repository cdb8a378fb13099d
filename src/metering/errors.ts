import type { ErrorTable } from '../kernel/result.ts';

export const meteringErrors = {
  INGEST_QUEUE_FULL: {
    status: 429,
    message:
      'More events are waiting to be stored than are taken in; nothing of this request was stored. Send it again.',
  },
} as const satisfies ErrorTable;
