import { expect, it } from 'vitest';
import type { ApprovalKind } from '../identity/index.ts';
import { isComplete, missingKinds } from './complete.ts';

it.each<[required: ApprovalKind[], given: ApprovalKind[], missing: ApprovalKind[], complete: boolean]>([
  [[], [], [], false],
  [[], ['push'], [], true],
  [['data_review'], [], ['data_review'], false],
  [['data_review'], ['push'], ['data_review'], false],
  [['data_review'], ['data_review', 'push'], [], true],
  [['data_review', 'push'], ['data_review'], ['push'], false],
  [['data_review', 'push'], ['push', 'data_review'], [], true],
])('of %j with %j given, %j is missing: complete is %j', (required, given, missing, complete) => {
  expect(missingKinds(required, new Set(given))).toEqual(missing);
  expect(isComplete(required, new Set(given))).toBe(complete);
});
