import { describe, expect, it } from 'vitest';
import { next } from '../../kernel/state-table.ts';
import { planVersionStates, VERSION_STATUSES, type VersionStatus } from './version-states.ts';
import { decideVersionChange } from './versions.ts';

const expected: Record<VersionStatus, Record<'publish' | 'archive', VersionStatus | 'INVALID_TRANSITION'>> = {
  draft: { publish: 'published', archive: 'archived' },
  published: { publish: 'published', archive: 'archived' },
  archived: { publish: 'INVALID_TRANSITION', archive: 'archived' },
};

describe.each(VERSION_STATUSES)('a version that is %s', (status) => {
  it.each(['publish', 'archive'] as const)('%s', (event) => {
    const cell = next(planVersionStates, status, event);
    expect(cell.ok ? cell.value : cell.refusal).toEqual(
      expected[status][event] === 'INVALID_TRANSITION'
        ? expect.objectContaining({
            kind: 'code',
            code: 'INVALID_TRANSITION',
            details: expect.objectContaining({ status, trigger: event }),
          })
        : expected[status][event],
    );
  });
});

it.each([
  { status: 'draft', isDefault: false, change: {}, to: 'draft' },
  { status: 'published', isDefault: true, change: {}, to: 'published' },
  { status: 'draft', isDefault: false, change: { status: 'published' }, to: 'published' },
  { status: 'draft', isDefault: false, change: { status: 'published', default: true }, to: 'published, default' },
  { status: 'published', isDefault: false, change: { default: true }, to: 'published, default' },
  { status: 'published', isDefault: true, change: { default: true }, to: 'published' },
  { status: 'published', isDefault: false, change: { status: 'archived' }, to: 'archived' },
  { status: 'archived', isDefault: false, change: { status: 'archived' }, to: 'archived' },
  { status: 'published', isDefault: true, change: { status: 'archived' }, to: 'VERSION_IS_DEFAULT' },
  { status: 'published', isDefault: false, change: { status: 'archived', default: true }, to: 'VERSION_IS_DEFAULT' },
  { status: 'draft', isDefault: false, change: { default: true }, to: 'VERSION_NOT_PUBLISHED' },
  { status: 'archived', isDefault: false, change: { default: true }, to: 'VERSION_NOT_PUBLISHED' },
  { status: 'archived', isDefault: false, change: { status: 'published' }, to: 'INVALID_TRANSITION' },
] as const)('$status (default: $isDefault) and $change: $to', ({ status, isDefault, change, to }) => {
  const decided = decideVersionChange({ status }, isDefault, change);
  const found = decided.ok
    ? `${decided.value.status}${decided.value.makeDefault ? ', default' : ''}`
    : decided.refusal.kind === 'code' && decided.refusal.code;
  expect(found).toBe(to);
});
