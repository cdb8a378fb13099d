import { describe, expect, it } from 'vitest';
import { plain } from '../../kernel/decimal.ts';
import { isId } from '../../kernel/ids.ts';
import { grantIdOf, issuedGrants } from './issued.ts';
import { ENTITLEMENT, entitlement, grant, on, term } from './testing/given.ts';

describe('the id of an issued grant', () => {
  it('is one by its form, and always the same', () => {
    const id = grantIdOf(ENTITLEMENT, on('2026-01-01'));
    expect(isId('grant', id)).toBe(true);
    // reckoned by another program: rows that are written already are known by it
    expect(id).toBe('grt_aQ9FxAPfq2WIsde8sOWcnexY');
  });

  it('is another for another entitlement and for another reset', () => {
    const ids = [ENTITLEMENT, 'ent_2'].flatMap((entitlementId) =>
      ['2026-01-01', '2026-01-01T00:00:00.000001Z'].map((at) => grantIdOf(entitlementId, on(at))),
    );
    expect(new Set(ids).size).toBe(4);
  });
});

describe('issued grants', () => {
  const issuing = [term({ issue: '100', priority: 3, max: '5' }), term({ from: '2026-03-01', issue: '200' })];
  const row = grant('grt_row', { issuedAt: '2026-02-01', voided: '2026-02-01' });

  it.each([
    {
      what: 'the start and each reset',
      given: {},
      after: null,
      until: '2026-03-01',
      issued: '01-01 100, 02-01 100, 03-01 200',
    },
    { what: 'not yet the start', given: {}, after: null, until: '2025-12-31', issued: '' },
    {
      what: 'after an instant, without the start',
      given: {},
      after: '2026-01-01',
      until: '2026-02-28',
      issued: '02-01 100',
    },
    {
      what: 'manual resets',
      given: { resets: ['2026-01-10'] },
      after: null,
      until: '2026-02-28',
      issued: '01-01 100, 01-10 100, 02-10 100',
    },
    {
      what: 'none that has a row, voided or not',
      given: { grants: [row] },
      after: null,
      until: '2026-02-28',
      issued: '01-01 100',
    },
    { what: 'none at the end', given: { to: '2026-02-01' }, after: null, until: '2026-05-01', issued: '01-01 100' },
    {
      what: 'nothing by a template that issues nothing',
      given: { terms: [term()] },
      after: null,
      until: '2026-05-01',
      issued: '',
    },
    { what: 'nothing of 0', given: { terms: [term({ issue: '0' })] }, after: null, until: '2026-05-01', issued: '' },
  ])('$what', ({ given, after, until, issued }) => {
    const found = issuedGrants(entitlement({ terms: issuing, ...given }), after === null ? null : on(after), on(until));
    expect(
      found.map(({ issuedAt, amount }) => `${issuedAt?.toString().slice(5, 10)} ${plain(amount)}`).join(', '),
    ).toBe(issued);
  });

  it('are as the template says', () => {
    const [issued] = issuedGrants(entitlement({ terms: issuing }), null, on('2026-01-01'));
    const created = grant(grantIdOf(ENTITLEMENT, on('2026-01-01')), {
      amount: '100',
      priority: 3,
      max: '5',
      issuedAt: '2026-01-01',
    });
    expect(issued).toEqual(created);
  });
});
