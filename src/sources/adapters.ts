import type { Adapter } from './adapter.ts';
import { genericAdapter } from './generic.ts';
import { revenuecatAdapter } from './revenuecat.ts';
import type { SourceType } from './source.ts';
import { stripeAdapter } from './stripe.ts';

/** A new provider is a file and a line here (domain.md §7). */
export const adapters: Readonly<Record<SourceType, Adapter>> = {
  stripe_revenue: stripeAdapter,
  revenuecat_revenue: revenuecatAdapter,
  generic_revenue: genericAdapter,
};
