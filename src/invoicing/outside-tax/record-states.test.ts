import { expect, it } from 'vitest';
import { next } from '../../kernel/state-table.ts';
import { recordStates } from './record-states.ts';

it.each([
  ['waiting', 'send', 'sent'],
  ['waiting', 'record', 'refused'],
  ['waiting', 'refuse', 'failed'],
  ['sent', 'send', 'sent'],
  ['sent', 'record', 'done'],
  ['sent', 'refuse', 'failed'],
  ...(['done', 'failed'] as const).flatMap((state) =>
    (['send', 'record', 'refuse'] as const).map((event) => [state, event, 'refused'] as const),
  ),
] as const)('the record of an invoice that is %s: %s, %s', (state, event, to) => {
  const found = next(recordStates, state, event);
  expect(found.ok ? found.value : 'refused').toBe(to);
});
