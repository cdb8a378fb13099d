import { formatInstant, type Instant, isBefore } from '../kernel/time.ts';
import type { DemoCustomer } from './customers.ts';

/** Numbers in [0, 1) that look like chance and are the same every time, by the method called mulberry32. */
export function seededNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An event as the API takes it. */
export type DemoEvent = Readonly<Record<string, unknown>>;

const MODELS = ['large', 'small', 'vision'] as const;
const MEMBERS = 14;
const MINUTES_OF_WORK = 14 * 60;
const FIRST_HOUR = 6;

/**
 * The usage of a customer between two instants, day by day: more in the middle of the week, and a little more each
 * week.
 */
export function usageOf(customer: DemoCustomer, seed: number, from: Instant, to: Instant): DemoEvent[] {
  const draw = seededNumbers(seed);
  const events: DemoEvent[] = [];
  let day = from.toZonedDateTimeISO('UTC').startOfDay();
  for (let index = 0; isBefore(day.toInstant(), to); index += 1) {
    const rhythm = day.dayOfWeek > 5 ? 0.3 : 1;
    const count = Math.round(customer.activity * rhythm * (0.7 + 0.6 * draw()) * (1 + index / 180));
    for (let each = 0; each < count; each += 1) {
      const minute = FIRST_HOUR * 60 + Math.floor(draw() * MINUTES_OF_WORK);
      const at = day.add({ minutes: minute, seconds: Math.floor(draw() * 60) }).toInstant();
      const body = bodyOf(customer, index, draw);
      if (isBefore(at, from) || !isBefore(at, to)) continue;
      events.push({
        source: 'demo',
        externalSubject: customer.externalId,
        timestamp: formatInstant(at),
        idempotencyKey: `demo-${customer.externalId}-${index}-${each}`,
        ...body,
      });
    }
    day = day.add({ days: 1 });
  }
  return events;
}

function bodyOf({ plan }: DemoCustomer, day: number, draw: () => number): DemoEvent {
  if (plan === 'team') {
    return draw() < 0.7
      ? { type: 'notebook.opened', data: { member: `member-${Math.floor(draw() * MEMBERS)}` } }
      : { type: 'storage.measured', data: { gigabytes: 40 + day + Math.floor(draw() * 5) } };
  }
  if (draw() < 0.25) return { type: 'image.rendered', data: { size: draw() < 0.5 ? '512' : '1024' } };
  const busy = plan === 'scale' ? 40_000 : 9_000;
  return {
    type: 'tokens.used',
    data: { tokens: 200 + Math.floor(draw() * busy), model: MODELS[Math.floor(draw() * MODELS.length)] as string },
  };
}

/** Events that count nothing, each for another reason, and some whose customer does not exist yet. */
export function unmatchedEvents(to: Instant): DemoEvent[] {
  const at = (hoursAgo: number) => formatInstant(to.subtract({ hours: hoursAgo }));
  const unmatched = (name: string, hoursAgo: number, fields: DemoEvent) => ({
    source: 'demo',
    timestamp: at(hoursAgo),
    idempotencyKey: `demo-stray-${name}`,
    ...fields,
  });
  return [
    unmatched('type', 30, { type: 'tokens.usd', externalSubject: 'hayabusa', data: { tokens: 900, model: 'small' } }),
    unmatched('value', 20, { type: 'tokens.used', externalSubject: 'elaionas', data: { token: 1400, model: 'large' } }),
    unmatched('subject', 10, { type: 'tokens.used', subject: 'birchwood', data: { tokens: 2500, model: 'large' } }),
    ...[7, 5, 3].map((hoursAgo) =>
      unmatched(`early-${hoursAgo}`, hoursAgo, {
        type: 'tokens.used',
        externalSubject: 'atlas-freight',
        data: { tokens: 4000 - hoursAgo, model: 'small' },
      }),
    ),
  ];
}
