import type { MerchantOrganization } from '../../identity/index.ts';
import type { PartyRecord } from '../invoice/invoice.ts';

/** A merchant as the seller on its invoices. */
export const sellerParty = (merchant: MerchantOrganization): PartyRecord => ({
  name: merchant.name,
  ...(merchant.legalName !== null && { legalName: merchant.legalName }),
  ...(merchant.taxId !== null && { taxId: merchant.taxId }),
  ...(merchant.address !== null && { address: merchant.address as Record<string, string> }),
  ...(merchant.billingEmails.length > 0 && { emails: merchant.billingEmails }),
  ...(merchant.phone !== null && { phone: merchant.phone }),
});
