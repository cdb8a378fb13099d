import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { next } from '../../kernel/state-table.ts';
import { SESSION_EVENTS, SESSION_STATUSES, type SessionStatus, sessionStates } from './session-states.ts';

const NOT_ALLOWED = 'INVALID_TRANSITION';
const EXPIRED = 'PAYMENT_SESSION_EXPIRED';

/** Every cell, written out a second time. */
const cells: Record<string, readonly string[]> = {
  //           process      complete     decline      expire       cancel
  pending: ['processing', 'completed', 'failed', 'expired', 'cancelled'],
  failed: ['processing', 'completed', 'failed', 'expired', 'cancelled'],
  processing: [NOT_ALLOWED, 'completed', 'failed', NOT_ALLOWED, NOT_ALLOWED],
  completed: [NOT_ALLOWED, 'completed', NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED],
  expired: [EXPIRED, EXPIRED, EXPIRED, 'expired', NOT_ALLOWED],
  cancelled: [NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, 'cancelled'],
};

describe('a payment session', () => {
  it.each(
    SESSION_STATUSES.flatMap((status) =>
      SESSION_EVENTS.map((event, index) => ({ status, event, result: cells[status]?.[index] as string })),
    ),
  )('that is $status answers $event with $result', ({ status, event, result }) => {
    const moved = next(sessionStates, status, event);
    expect(moved.ok ? moved.value : moved.refusal).toEqual(
      result === result.toUpperCase()
        ? expect.objectContaining({
            kind: 'code',
            code: result,
            details: expect.objectContaining({ status, trigger: event }),
          })
        : result,
    );
  });

  it('never leaves completed, expired or cancelled', () => {
    for (const status of ['completed', 'expired', 'cancelled'] as const)
      for (const event of SESSION_EVENTS) {
        const moved = next(sessionStates, status, event);
        if (moved.ok) expect(moved.value).toBe(status);
      }
  });

  it('has the same table in the README', async () => {
    const text = await readFile(new URL('README.md', import.meta.url), 'utf8');
    const rows = (Object.keys(sessionStates) as SessionStatus[]).map((status) => {
      const answers = SESSION_EVENTS.map((event) => {
        const cell = sessionStates[status][event];
        if (typeof cell === 'string') return `\`${cell}\``;
        return cell.refuse === NOT_ALLOWED ? '–' : `409 \`${cell.refuse}\``;
      });
      return `| \`${status}\` | ${answers.join(' | ')} |`;
    });
    expect(text).toContain(
      [`| from | ${SESSION_EVENTS.join(' | ')} |`, '|---|---|---|---|---|---|', ...rows].join('\n'),
    );
  });
});
