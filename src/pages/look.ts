import type { EnvironmentName, MerchantSettings } from '../identity/index.ts';
import { DEFAULT_LOCALE, type Locale } from '../kernel/locale.ts';

/** The look of a page: the merchant's and the customer's own. */
export interface Look {
  readonly environment: EnvironmentName;
  readonly locale: Locale;
  /** The merchant's colour, `#rrggbb`; null where it has none. */
  readonly accent: string | null;
}

/** For a page without a merchant, such as one for an unknown address. */
export const plainLook = (environment: EnvironmentName, locale: Locale = DEFAULT_LOCALE): Look => ({
  environment,
  locale,
  accent: null,
});

/**
 * The look of a merchant's page for one of its customers: the merchant's colour, the customer's language.
 * @param settings of the merchant
 * @param locale of the customer; none for somebody who is no customer yet
 * @param asked the language that the browser asks for, where the customer has none
 */
export const lookOf = (
  environment: EnvironmentName,
  { branding }: Pick<MerchantSettings, 'branding'>,
  locale: Locale | null | undefined,
  asked: Locale = DEFAULT_LOCALE,
): Look => ({ environment, locale: locale ?? asked, accent: branding.color });
