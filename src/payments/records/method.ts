import type { Instant } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';

/** A card that a customer has stored. */
export interface PaymentMethod {
  merchantId: string;
  id: string;
  customerId: string;
  type: 'card';
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  isDefault: boolean;
  provider: ProviderName;
  /** The provider's name of it; never shown. */
  providerToken: string;
  /** The merchant's account at the provider that keeps it; null in the sandbox, and where it is not known. */
  accountId: string | null;
  createdAt: Instant;
}
