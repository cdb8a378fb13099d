import type { Route } from '../http/index.ts';
import { costRoutes } from './costs/routes.ts';
import { featureRoutes } from './features/routes.ts';
import { feeRoutes } from './fees/routes.ts';
import { itemRoutes } from './items/routes.ts';
import { metricRoutes } from './metrics/routes.ts';
import type { CatalogOptions } from './options.ts';
import { planRoutes } from './plans/routes.ts';
import { priceRoutes } from './prices/routes.ts';
import { productRoutes } from './products/routes.ts';

/** Every operation of the catalog (§4; api.md, Catalog). */
export const catalogRoutes = (options: CatalogOptions): readonly Route[] => [
  ...productRoutes,
  ...featureRoutes(options),
  ...metricRoutes(options),
  ...costRoutes(options),
  ...itemRoutes(options),
  ...feeRoutes,
  ...priceRoutes,
  ...planRoutes(options),
];
