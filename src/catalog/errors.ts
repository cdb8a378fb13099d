import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** What the catalog refuses because of the state it is in; where two apply, the first listed answers. */
export const catalogErrors = {
  KEY_TAKEN: { status: 409, message: 'Another feature of this product has this key.' },
  FEATURE_IN_USE: { status: 409, message: 'The feature is held by something; see details.blockers.' },
  METRIC_IN_USE: { status: 409, message: 'The metric is priced; what it measures and its product cannot change.' },
  ITEM_IN_USE: { status: 409, message: 'The item is held by something; see details.blockers.' },
  FEE_IN_USE: { status: 409, message: 'The fee is held by something; see details.blockers.' },
  PRICE_IN_USE: {
    status: 409,
    message: 'The price is held by a plan version. Replace it in a new version; only its display name can change.',
  },
  PLAN_IN_USE: { status: 409, message: 'The plan has subscriptions; what their bills stand on cannot change.' },
  VERSION_IS_DEFAULT: { status: 409, message: 'The default version of a plan cannot be archived.' },
  VERSION_NOT_PUBLISHED: { status: 409, message: 'Only a published version can be the default.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof catalogErrors> {}
}
