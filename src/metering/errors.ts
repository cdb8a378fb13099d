import type { CodesOf, ErrorTable } from '../kernel/result.ts';

export const meteringErrors = {
  INGEST_QUEUE_FULL: {
    status: 429,
    message: 'The queue of events to store is full; no event of this request was stored. Send it again.',
  },
  EVENTS_ARCHIVED: {
    status: 503,
    message:
      'These events are being fetched from the archive. Send the request again after the seconds in Retry-After.',
  },
  ARCHIVE_UNAVAILABLE: {
    status: 503,
    message: 'These events are in the archive, which does not answer. Nothing is lost; send the request again later.',
  },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof meteringErrors> {}
}
