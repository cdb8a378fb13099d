import type { InEachLocale, Locale } from '../kernel/locale.ts';

/** The reasons of credit notes that Reckoner gives itself, as they are stored. */
export const OWN_REASONS = {
  unused: 'Not used',
  correction: 'Correction of usage',
  refundedOutside: 'Refunded at the payment provider',
} as const;

const REASONS: InEachLocale<Readonly<Record<keyof typeof OWN_REASONS, string>>> = {
  en: OWN_REASONS,
  de: {
    unused: 'Nicht genutzte Zeit',
    correction: 'Korrektur der Nutzung',
    refundedOutside: 'Beim Zahlungsanbieter erstattet',
  },
  fr: {
    unused: 'Période non utilisée',
    correction: 'Correction de la consommation',
    refundedOutside: 'Remboursé chez le prestataire de paiement',
  },
  es: {
    unused: 'Periodo no utilizado',
    correction: 'Corrección del consumo',
    refundedOutside: 'Reembolsado en el proveedor de pagos',
  },
};

const REASON_BY_TEXT = new Map(
  (Object.entries(OWN_REASONS) as [keyof typeof OWN_REASONS, string][]).map(([key, text]) => [text, key]),
);

/** The reason of a credit note in this language. Reasons of the merchant stay as they are. */
export function reasonIn(locale: Locale, reason: string): string {
  const own = REASON_BY_TEXT.get(reason);
  return own === undefined ? reason : REASONS[locale][own];
}
