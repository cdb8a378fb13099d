import { ID_PREFIXES, randomBase62 } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const EVENT_ID = /^evt_(\d{4})(0[1-9]|1[0-2])[0-9A-Za-z]{1,58}$/;

/**
 * A new event's id: the month of its timestamp, so that a read by id looks into one partition; when it was accepted, so
 * that new ids stand together in the index; and 130 random bits.
 */
export function newEventId(at: string, acceptedAt: Instant): string {
  const month = at.slice(0, 4) + at.slice(5, 7);
  return (
    ID_PREFIXES.event + month + base62(acceptedAt.epochMilliseconds).padStart(8, '0') + randomBase62(RANDOM_LENGTH)
  );
}

const RANDOM_LENGTH = 22;

function base62(number: number): string {
  let text = '';
  for (let rest = number; rest > 0; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text;
}

/** The month that holds the event of this id, half-open. @returns null where the text is no id of an event. */
export function monthOfEvent(id: string): { from: Instant; to: Instant } | null {
  const [, year, month] = EVENT_ID.exec(id) ?? [];
  if (year === undefined) return null;
  const first = Temporal.PlainDate.from(`${year}-${month}-01`);
  const midnight = (date: Temporal.PlainDate) => date.toZonedDateTime('UTC').toInstant();
  return { from: midnight(first), to: midnight(first.add({ months: 1 })) };
}
