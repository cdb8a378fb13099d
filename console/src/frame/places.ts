import { useParams } from '@tanstack/react-router';

/** The merchant in the address bar. */
export function useMerchantId(): string {
  return (useParams({ strict: false }) as { merchantId: string }).merchantId;
}

/** The address of a page of the merchant: `/invoices` is `/org_…/invoices`. */
export function usePlace(): (path: string) => string {
  const merchantId = useMerchantId();
  return (path) => `/${merchantId}${path}`;
}
export { placeOf } from '../../../src/look/places.ts';
