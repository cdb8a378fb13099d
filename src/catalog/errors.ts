import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The refusals of the catalog because of a state; if two apply, the first in the list answers. */
export const catalogErrors = {
  KEY_TAKEN: { status: 409, message: 'Another feature of this product has this key.' },
  FEATURE_IN_USE: { status: 409, message: 'The feature is in use; see details.blockers.' },
  METRIC_IN_USE: { status: 409, message: 'The metric has prices; its measure and its product cannot change.' },
  ITEM_IN_USE: { status: 409, message: 'The item is in use; see details.blockers.' },
  FEE_IN_USE: { status: 409, message: 'The fee is in use; see details.blockers.' },
  PRICE_IN_USE: {
    status: 409,
    message: 'A plan version uses the price. Replace it in a new version; only its display name can change.',
  },
  PLAN_IN_USE: {
    status: 409,
    message: 'The plan has subscriptions; the fields that decide their invoices cannot change.',
  },
  VERSION_IS_DEFAULT: { status: 409, message: 'The default version of a plan cannot be archived.' },
  VERSION_NOT_PUBLISHED: { status: 409, message: 'Only a published version can be the default.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof catalogErrors> {}
}
