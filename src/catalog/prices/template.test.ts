import { describe, expect, it } from 'vitest';
import { validate } from '../../http/index.ts';
import { checkTemplate, EntitlementTemplate } from './template.ts';

const metered = (fields: object = {}) => ({ type: 'metered', ...fields });
/** The failing fields of a template for a feature of its own type. */
const fieldsOf = (template: unknown): string[] => {
  const errors = validate('body', EntitlementTemplate, template);
  const found =
    errors.length > 0 ? errors : checkTemplate(template as EntitlementTemplate, (template as EntitlementTemplate).type);
  return found.map(({ field }) => field);
};

it.each([
  { type: 'boolean' },
  { type: 'static', config: {} },
  { type: 'static', config: { regions: ['eu', 'us'], limits: { cpu: 4, ratio: 0.25 }, beta: true, note: null } },
  metered(),
  metered({ usagePeriod: { interval: 'P1M' } }),
  metered({ usagePeriod: { interval: 'P7D', anchor: '2026-01-31T00:00:00Z' } }),
  metered({ issueAfterReset: 0.5, issueAfterResetPriority: -5, isSoftLimit: true, preserveOverageAtReset: true }),
  metered({ resetMaxRollover: 10, resetMinRollover: 10 }),
  metered({ resetMaxRollover: 999_999_999_999 }),
  metered({ billableMetricIds: ['bm_a', 'bm_b'] }),
])('%j is a template', (template) => expect(fieldsOf(template)).toEqual([]));

it.each([
  { template: {}, fields: ['type'] },
  { template: { type: 'unlimited' }, fields: ['type'] },
  { template: { type: 'boolean', config: {} }, fields: ['config'] },
  { template: { type: 'static' }, fields: ['config'] },
  { template: { type: 'static', config: [] }, fields: ['config'] },
  { template: { type: 'static', config: JSON.rawJSON('12345678901234567890') }, fields: ['config'] },
  { template: { type: 'static', config: { a: ['\0'] } }, fields: ['config.a.0'] },
  { template: { type: 'static', config: { a: { b: '\ud800' } } }, fields: ['config.a.b'] },
  { template: { type: 'static', config: { 'k\0': 1 } }, fields: ['config'] },
  { template: { type: 'static', config: { n: JSON.rawJSON('1e400') } }, fields: ['config.n'] },
  { template: { type: 'static', config: {}, isSoftLimit: true }, fields: ['isSoftLimit'] },
  { template: metered({ config: {} }), fields: ['config'] },
  { template: metered({ usagePeriod: {} }), fields: ['usagePeriod.interval'] },
  { template: metered({ usagePeriod: { interval: 'P0D' } }), fields: ['usagePeriod.interval'] },
  { template: metered({ usagePeriod: { interval: 'PT1H' } }), fields: ['usagePeriod.interval'] },
  { template: metered({ usagePeriod: { interval: 'MONTH' } }), fields: ['usagePeriod.interval'] },
  { template: metered({ usagePeriod: { interval: 'P1M', anchor: '2026-01-31' } }), fields: ['usagePeriod.anchor'] },
  { template: metered({ usagePeriod: 'P1M' }), fields: ['usagePeriod'] },
  { template: metered({ issueAfterReset: 0 }), fields: ['issueAfterReset'] },
  { template: metered({ issueAfterReset: -1 }), fields: ['issueAfterReset'] },
  { template: metered({ issueAfterReset: '5' }), fields: ['issueAfterReset'] },
  { template: metered({ issueAfterReset: JSON.rawJSON('1e400') }), fields: ['issueAfterReset'] },
  { template: metered({ issueAfterResetPriority: 32768 }), fields: ['issueAfterResetPriority'] },
  { template: metered({ issueAfterResetPriority: 1.5 }), fields: ['issueAfterResetPriority'] },
  { template: metered({ resetMaxRollover: -1 }), fields: ['resetMaxRollover'] },
  { template: metered({ resetMaxRollover: 1_000_000_000_000 }), fields: ['resetMaxRollover'] },
  { template: metered({ resetMaxRollover: 9, resetMinRollover: 10 }), fields: ['resetMinRollover'] },
  { template: metered({ resetMinRollover: 1 }), fields: ['resetMinRollover'] }, // the maximum is 0 where absent
  { template: metered({ isSoftLimit: 'yes' }), fields: ['isSoftLimit'] },
  { template: metered({ billableMetricIds: [] }), fields: ['billableMetricIds'] },
  { template: metered({ billableMetricIds: ['bm_a', 'bm_a'] }), fields: ['billableMetricIds'] },
  { template: metered({ billableMetricIds: ['prod_a'] }), fields: ['billableMetricIds.0'] },
  { template: metered({ isHardLimit: true }), fields: ['isHardLimit'] },
])('$template is refused for $fields, and for nothing else', ({ template, fields }) => {
  expect(fieldsOf(template)).toEqual(fields);
});

describe('the type of a template', () => {
  it.each(['metered', 'static', 'boolean'] as const)('is that of its feature, %s', (type) => {
    for (const template of [{ type: 'boolean' }, { type: 'static', config: {} }, { type: 'metered' }] as const)
      expect(checkTemplate(template, type).map(({ field }) => field)).toEqual(template.type === type ? [] : ['type']);
  });
});
