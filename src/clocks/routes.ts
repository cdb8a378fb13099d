import { setTimeout as sleep } from 'node:timers/promises';
import {
  type FieldWords,
  Id,
  ListQuery,
  Name,
  Nullable,
  type Route,
  routesOf,
  Slots,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import type { DueRunner } from '../jobs/index.ts';
import { invalid, mapped, ok, orThrow } from '../kernel/result.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import type { Clock } from './clock.ts';
import { selectClocks } from './clocks.sql.ts';
import { type ClockBlockers, changeClock, createClock, deleteClock, getClock } from './clocks.ts';

const api = routesOf('Test clocks');

const CLOCK_FIELDS: FieldWords = {
  name: ['A name for the clock. Null: none.', 'A year'],
  description: ['A description of the clock. Null: none.', 'Yearly billing'],
  currentTime: 'The simulated time. Default of a creation: the time of the request.',
  advancingTo: 'The target of the advance. Null: the clock is not advancing.',
  progress: 'The progress of the advance. Null: the clock is not advancing.',
  from: 'The time at which the advance began.',
  steps: ['How many steps the advance has taken.', 12],
  deletedAt: 'When the clock was deleted. Null: it exists.',
  advanceBy: ['How far to advance: an ISO 8601 duration, such as `P1M` or `PT12H`. Send it or `currentTime`.', 'P1M'],
};

const TestClockReply = Type.Object(
  {
    id: Id('testClock'),
    object: Type.Literal('testClock'),
    merchantId: Id('organization'),
    name: Nullable(Type.String()),
    description: Nullable(Type.String()),
    currentTime: Timestamp,
    advancingTo: Nullable(Timestamp),
    progress: Nullable(Type.Object({ from: Timestamp, steps: Type.Integer({ minimum: 0 }) })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Nullable(Timestamp),
  },
  { $id: 'TestClock', description: 'A clock with simulated time, in the sandbox.', 'x-fields': CLOCK_FIELDS },
);

const TestClockCreateBody = Strict(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Text()),
    currentTime: Type.Optional(Timestamp),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'TestClockCreate',
    'x-fields': CLOCK_FIELDS,
    examples: [{ name: 'A year', currentTime: '2026-01-01T00:00:00Z' }],
  },
);

const TestClockUpdateBody = Strict(
  {
    name: Type.Optional(Nullable(Name)),
    description: Type.Optional(Nullable(Text())),
    currentTime: Type.Optional(Timestamp),
    advanceBy: Type.Optional(Text({ maxLength: 100 })),
  },
  {
    $id: 'TestClockUpdate',
    description: 'Exactly one of currentTime and advanceBy, unless only the name changes.',
    'x-fields': {
      ...CLOCK_FIELDS,
      currentTime: 'The time to which the clock advances. A time that it has reached already stops an advance.',
    },
    examples: [{ advanceBy: 'P1M' }],
  },
);

export interface ClockRoutesOptions {
  readonly environment: 'production' | 'sandbox';
  readonly runner: Pick<DueRunner, 'runClock'>;
  readonly blockers: ClockBlockers;
  /**
   * How long a PATCH waits for its advance before it answers with `advancingTo` still set; default 15 s (domain.md §8).
   */
  readonly answerWithinMilliseconds?: number;
}

const toClockReply = (clock: Clock) => ({
  id: clock.id,
  object: 'testClock' as const,
  merchantId: clock.merchantId,
  name: clock.name,
  description: clock.description,
  currentTime: formatInstant(clock.currentTime),
  advancingTo: textOf(clock.advancingTo),
  progress: progressOf(clock),
  createdAt: formatInstant(clock.createdAt),
  updatedAt: formatInstant(clock.updatedAt),
  deletedAt: textOf(clock.deletedAt),
});

const progressOf = ({ advancingTo, advancingFrom, advanceSteps }: Clock) =>
  advancingTo === null || advancingFrom === null ? null : { from: formatInstant(advancingFrom), steps: advanceSteps };

const textOf = (instant: Instant | null): string | null => (instant === null ? null : formatInstant(instant));

/** How many advances requests drive at the same time; others wait, and are taken up by the workers. */
const ADVANCES = { ofMerchant: 2, ofAll: 4, waiting: 1_000 };

/** The routes of test clocks. In production there are none: every path is a 404 (domain.md §8). */
export function clockRoutes(options: ClockRoutesOptions): readonly Route[] {
  const { environment, runner, blockers, answerWithinMilliseconds = 15_000 } = options;
  if (environment === 'production') return [];
  const slots = new Slots({ ...ADVANCES, waitMilliseconds: answerWithinMilliseconds });
  /** Drives a clock until it has arrived, or its caller no longer waits; then any worker continues. */
  const drive = async (clock: { merchantId: string; id: string }, late: AbortSignal): Promise<void> => {
    const slot = await slots.take(clock.merchantId, late).catch(() => null);
    if (slot) await runner.runClock(clock, late).finally(() => slot.end());
  };
  const ofClock = { of: 'id', kind: 'testClock' } as const;
  return [
    api.post('/v0/testClocks', 'createTestClock', {
      summary: 'Create a test clock',
      description: 'Only in the sandbox. A subscription or an order is attached to the clock when it is created.',
      access: { role: 'member', merchant: 'body' },
      body: TestClockCreateBody,
      replies: { 201: TestClockReply },
      handler: async ({ tx, now, body }) => {
        const { merchantId: _, ...draft } = body;
        return ok(toClockReply(orThrow(await createClock(tx, draft, now))));
      },
    }),
    api.list('/v0/testClocks', 'listTestClocks', {
      summary: 'List test clocks',
      description: 'Only in the sandbox. Newest first, without deleted clocks.',
      access: { role: 'viewer', merchant: 'query' },
      query: ListQuery({ merchantId: Type.Optional(Id('organization')) }),
      of: TestClockReply,
      list: ({ tx, merchantId, page }) => selectClocks(tx, merchantId, page),
      each: toClockReply,
    }),
    api.get('/v0/testClocks/:id', 'getTestClock', {
      summary: 'Retrieve a test clock',
      description: 'Only in the sandbox. Shows how far an advance has come.',
      access: { role: 'viewer', merchant: ofClock },
      replies: { 200: TestClockReply },
      handler: async ({ tx, params }) => mapped(await getClock(tx, params.id), toClockReply),
    }),
    api.patch('/v0/testClocks/:id', 'advanceTestClock', {
      summary: 'Advance a test clock',
      description:
        'Runs everything that is due in between, in order, each step at its own time. Answers when all is done, or ' +
        'after 15 seconds with `advancingTo` still set while the work goes on. A clock never goes back.',
      access: { role: 'member', merchant: ofClock },
      body: TestClockUpdateBody,
      replies: { 200: TestClockReply },
      errors: [409],
      free: async ({ database, audit, now, merchantId, params, body, endSlot }) => {
        const id = params.id;
        if (body.currentTime !== undefined && body.advanceBy !== undefined)
          return invalid([{ field: 'advanceBy', message: 'must not be sent together with currentTime' }]);
        if (Object.keys(body).length === 0)
          return invalid([{ field: 'currentTime', message: 'is required, or advanceBy' }]);
        const scope = { merchants: [merchantId] };
        const changed = await database.transaction(scope, async (tx) => {
          const done = await changeClock(tx, id, body, now);
          if (done.ok) await audit(tx, toClockReply(done.value.before), toClockReply(done.value.after));
          return done;
        });
        if (!changed.ok) return changed;
        if (changed.value.after.advancingTo === null) return ok(toClockReply(changed.value.after));
        endSlot(); // the advance has a slot of its own; this request only waits for it
        const late = new AbortController();
        const timer = new AbortController();
        await Promise.race([
          drive({ merchantId, id }, late.signal),
          sleep(answerWithinMilliseconds, undefined, { signal: timer.signal }).catch(() => undefined),
        ]).finally(() => {
          timer.abort();
          late.abort();
        });
        const found = await database.transaction(scope, (tx) => getClock(tx, id));
        return found.ok ? ok(toClockReply(found.value)) : found;
      },
    }),
    api.delete('/v0/testClocks/:id', 'deleteTestClock', {
      summary: 'Delete a test clock',
      description:
        'Ends an advance too. Refused with 409 and the blockers while a subscription or an order on the clock has ' +
        'not ended.',
      access: { role: 'member', merchant: ofClock },
      replies: { 200: TestClockReply },
      errors: [409],
      handler: async ({ tx, now, params }) => mapped(await deleteClock(tx, params.id, blockers, now), toClockReply),
    }),
  ];
}
