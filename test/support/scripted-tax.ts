import { decimal } from '../../src/kernel/decimal.ts';
import type { CreditNoteRequest, TaxProvider, VoidRequest } from '../../src/tax-providers/index.ts';

/** A tax provider with 10 % tax and documents of its own, and the reversals and voids that it was asked for. */
export function scriptedTax(): TaxProvider & {
  readonly credited: CreditNoteRequest[];
  readonly voided: VoidRequest[];
} {
  const taxes = new Map<string, string>();
  const credited: CreditNoteRequest[] = [];
  const voided: VoidRequest[] = [];
  const documentOf = (id: string) => ({
    permalink: `https://tax.example/${id}`,
    pdfUrl: `https://tax.example/${id}.pdf`,
  });
  return {
    name: 'stripe_tax',
    integration: 'stripe',
    credited,
    voided,
    probe: async () => ({ ready: true }),
    validateAddress: async ({ externalId }, { country }) =>
      country === 'AQ'
        ? { valid: false, message: `${externalId} knows no tax there.` }
        : { valid: true, message: null },
    calculate: async (_, { items }) => {
      const taxed = items.map(({ reference, amount }) => ({
        reference,
        tax: amount.div(10).toDecimalPlaces(2),
        rate: decimal(10),
      }));
      const id = `calculation_${taxes.size}`;
      taxes.set(id, taxed.reduce((all, { tax }) => all.plus(tax), decimal(0)).toFixed());
      return { kind: 'calculated', reference: id, expiresAt: null, items: taxed };
    },
    commit: async (_, { key, calculation }) => ({
      reference: `sale_${key}`,
      tax: decimal(taxes.get(calculation) ?? '0'),
      document: documentOf(key),
    }),
    createCreditNote: async (_, request) => {
      credited.push(request);
      return { reference: `note_${request.key}`, tax: request.part.tax.negated(), document: documentOf(request.key) };
    },
    voidCreditNote: async (_, request) => {
      voided.push(request);
      const of = credited.find(({ key }) => request.creditNote === `note_${key}`);
      return { reference: `void_${request.key}`, tax: of?.part.tax ?? decimal(0), document: null };
    },
  };
}
