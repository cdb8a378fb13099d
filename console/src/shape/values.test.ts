import { describe, expect, it } from 'vitest';
import type { Field } from '../api/document.ts';
import { bodyOf, shownValue } from './values.ts';

const field = (path: string, kind: Field['kind'], rows: readonly Field[] = []): Field => ({
  ...{ path, kind, rows, about: '', isRequired: true, isNullable: false },
  ...{ choices: [], idPrefix: null, fallback: undefined },
});

const segments = field('segments', 'rows', [
  field('startDate', 'moment'),
  field('amount', 'decimal'),
  field('units', 'number'),
]);

/** A moment as a person types it, in the zone of the browser. */
const MINUTE = '2026-01-01T12:30';
const INSTANT = new Date(MINUTE).toISOString();

describe('a field with rows', () => {
  it('is sent as its rows, each field as the API takes it; what was left empty is not sent', () => {
    const typed = [{ startDate: MINUTE, amount: '300.00', units: '12' }, { amount: ' 500 ' }];
    expect(bodyOf([segments], { segments: typed })).toEqual({
      segments: [{ startDate: INSTANT, amount: '300.00', units: 12 }, { amount: '500' }],
    });
  });

  it('shows what the API has, and is not sent while nobody changes it', () => {
    const present = [{ startDate: INSTANT, amount: '300.00', units: 12 }];
    const shown = shownValue(segments, present);
    expect(shown).toEqual([{ startDate: MINUTE, amount: '300.00', units: '12' }]);
    expect(bodyOf([segments], { segments: shown }, { segments: shown })).toEqual({});
  });

  it('is not sent without rows, and is emptied where there were some', () => {
    expect(bodyOf([segments], { segments: [] })).toEqual({});
    const before = { segments: [{ amount: '300.00' }] };
    expect(bodyOf([segments], { segments: [] }, before)).toEqual({ segments: [] });
    const nullable = { ...segments, isNullable: true };
    expect(bodyOf([nullable], { segments: [] }, before)).toEqual({ segments: [] }); // null would change nothing
  });
});
