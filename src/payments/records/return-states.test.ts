import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { next } from '../../kernel/state-table.ts';
import { RETURN_EVENTS, RETURN_STATUSES, returnStates, statusesFor } from './return-states.ts';

/** Every cell, written out a second time; a dot is refused. */
const cells: Record<string, readonly string[]> = {
  //          request      byHand    send        fail      said        stop
  none: ['requested', 'manual', '.', '.', '.', '.'],
  requested: ['.', '.', 'returned', 'manual', '.', 'stopped'],
  manual: ['.', '.', '.', '.', 'returned', 'stopped'],
  stopped: ['requested', 'manual', '.', '.', '.', '.'],
  returned: ['.', '.', '.', '.', '.', '.'],
};

describe('money that came in', () => {
  it.each(
    RETURN_STATUSES.flatMap((status) =>
      RETURN_EVENTS.map((event, index) => ({ status, event, result: cells[status]?.[index] as string })),
    ),
  )('that is $status answers $event with $result', ({ status, event, result }) => {
    const moved = next(returnStates, status, event);
    expect(moved.ok ? moved.value : moved.refusal).toEqual(
      result === '.'
        ? expect.objectContaining({
            kind: 'code',
            code: 'INVALID_TRANSITION',
            details: expect.objectContaining({ status, trigger: event }),
          })
        : result,
    );
    expect(statusesFor(event).includes(status)).toBe(result !== '.');
  });

  it('has the same table in the README', async () => {
    const readme = await readFile(new URL('README.md', import.meta.url), 'utf8');
    for (const status of RETURN_STATUSES)
      expect(readme).toContain(`| ${[`\`${status}\``, ...(cells[status] ?? [])].join(' | ')} |`);
  });
});
