import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCALES } from '../../src/kernel/locale.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { readerOf } from '../support/page-reader.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Pages for the customers of merchants, in the language of each (docs/decisions/0111). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const bill = ({ id }: Resource): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: id,
    currency: 'EUR',
    lines: [{ displayName: 'Nordlicht', quantity: 2, unitPrice: '617.25', taxRate: 20 }],
    paymentTermDays: 14,
    autoApprove: true,
  });

const said = {
  en: {
    invoice: ['Invoice INV-', 'This invoice is not paid yet', '€1,481.40', 'Documents', 'Questions?'],
    buttons: ['Pay €1,481.40 by card', 'Pay €1,481.40', 'Confirm'],
    declined: 'The card was declined. Nothing was charged. Try another card.',
    confirm: 'Confirm this payment',
    waiting: 'Your payment is in progress',
    paid: ['Payment received', 'This invoice is paid'],
    unknown: 'This link does not exist',
    payment: 'Payment Deposit',
  },
  de: {
    invoice: ['Rechnung INV-', 'Diese Rechnung ist noch offen', '1.481,40 €', 'Dokumente', 'Fragen?'],
    buttons: ['1.481,40 € mit Karte zahlen', '1.481,40 € zahlen', 'Bestätigen'],
    declined: 'Die Karte wurde abgelehnt. Es wurde nichts abgebucht. Versuchen Sie es mit einer anderen Karte.',
    confirm: 'Zahlung bestätigen',
    waiting: 'Ihre Zahlung ist unterwegs',
    paid: ['Zahlung eingegangen', 'Diese Rechnung ist bezahlt'],
    unknown: 'Diesen Link gibt es nicht',
    payment: 'Zahlung Deposit',
  },
  fr: {
    invoice: ['Facture INV-', 'Cette facture n’est pas encore payée', '1 481,40 €', 'Documents', 'Des questions ?'],
    buttons: ['Payer 1 481,40 € par carte', 'Payer 1 481,40 €', 'Confirmer'],
    declined: 'La carte a été refusée. Rien n’a été débité. Essayez une autre carte.',
    confirm: 'Confirmez ce paiement',
    waiting: 'Votre paiement est en cours',
    paid: ['Paiement reçu', 'Cette facture est payée'],
    unknown: 'Ce lien n’existe pas',
    payment: 'Paiement Deposit',
  },
  es: {
    invoice: ['Factura INV-', 'Esta factura aún no está pagada', '1.481,40 €', 'Documentos', '¿Preguntas?'],
    buttons: ['Pagar 1.481,40 € con tarjeta', 'Pagar 1.481,40 €', 'Confirmar'],
    declined: 'La tarjeta fue rechazada. No se ha cobrado nada. Pruebe con otra tarjeta.',
    confirm: 'Confirme este pago',
    waiting: 'Su pago está en curso',
    paid: ['Pago recibido', 'Esta factura está pagada'],
    unknown: 'Este enlace no existe',
    payment: 'Pago Deposit',
  },
} as const;

describe.each(LOCALES)('a customer who reads %s', (locale) => {
  const words = said[locale];

  it('sees an invoice, has a card declined, confirms with another, and sees that it is paid', async () => {
    const customer = await shop.customer();
    await shop.change(`/v0/customers/${customer.id}`, { locale });
    const invoice = await bill(customer);
    const reader = readerOf(env.client(), { language: locale === 'en' ? 'de' : 'en' });
    const page = await reader.open(`/pay/invoices/${invoice.id}`);
    expect(page.language).toBe(locale);
    for (const part of words.invoice) expect(page.words).toContain(part);

    const open = await reader.press(page, words.buttons[0]);
    const declined = await reader.press(open, words.buttons[1], { paymentMethod: 'pm_declined' });
    expect([declined.language, declined.words]).toEqual([locale, expect.stringContaining(words.declined)]);
    const asked = await reader.press(declined, words.buttons[1], { paymentMethod: 'pm_3ds' });
    expect(asked.headings).toEqual([words.confirm]);
    const paid = await reader.press(asked, words.buttons[2]);
    expect(paid.headings).toEqual([words.paid[0]]);
    expect((await reader.open(`/pay/invoices/${invoice.id}`)).headings).toContain(words.paid[1]);
  });

  it('without a known language gets the browser’s language', async () => {
    const { paymentSessionId, customerId } = await shop.create('/v0/payments', {
      amount: '20',
      currency: 'EUR',
      reference: 'Deposit',
    });
    expect(customerId).toBeUndefined();
    const reader = readerOf(env.client(), { language: `xx, ${locale};q=0.9` });
    const page = await reader.open(`/pay/${paymentSessionId}`);
    expect([page.language, page.headings[0]]).toEqual([locale, words.payment]);
    const [button] = page.forms.flatMap(({ buttons }) => buttons);
    const waiting = await reader.press(page, button?.words as string, { paymentMethod: 'pm_slow' });
    expect(waiting.headings).toEqual([words.waiting]);
    for (const address of ['/pay/ps_none', '/pay/invoices/inv_none'])
      expect((await reader.open(address)).headings).toEqual([words.unknown]);
    expect((await reader.open('/pay/too/many/parts')).language).toBe(locale);
  });
});
