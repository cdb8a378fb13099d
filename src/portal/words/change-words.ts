import type { InEachLocale } from '../../kernel/locale.ts';

/** The words of the pages about one plan. */
const en = {
  nextInvoice: (day: string) => `Your next invoice, on ${day}, as of today`,
  soFar: 'With the usage so far.',
  planned: (plan: string, day: string) => `A change to ${plan} is planned for ${day}.`,
  changePlan: 'Change the plan',
  choose: 'Plan',
  look: 'See what this costs',
  changeQuantities: 'Change quantities',
  badQuantity: 'Enter a whole number from 0 to 1,000,000.',
  cancel: 'End the plan',
  cancelNote: {
    period_end: 'It continues to the end of the period that you have paid for.',
    now: 'It ends at once. Your payment for the unused time is credited.',
  },
  preview: 'What would happen',
  previewNote: 'Nothing has been changed yet.',
  movesTo: (plan: string, day: string) => `Your plan is ${plan} from ${day} on.`,
  newQuantities: (day: string) => `These quantities apply from ${day}:`,
  ends: (day: string) => `Your plan ends on ${day}.`,
  invoiceOf: (day: string) => `Your invoice of ${day}`,
  usageNote: 'Usage that is still to come is added.',
  noInvoice: 'No invoice changes.',
  credited: (amount: string) => `${amount} is credited to your account.`,
  toCredit: (amount: string) =>
    `${amount} before tax, and the tax on it, is credited to your account as the invoice is issued.`,
  confirm: { plan: 'Change the plan now', quantities: 'Change the quantities now', cancel: 'End the plan now' },
  back: 'Back without a change',
  hasChanged: 'The figures have changed. Please check the new ones.',
  notPossible: 'This change is not possible at the moment.',
};

type Words = typeof en;

const de: Words = {
  nextInvoice: (day) => `Ihre nächste Rechnung, am ${day}, nach heutigem Stand`,
  soFar: 'Mit dem bisherigen Verbrauch.',
  planned: (plan, day) => `Ein Wechsel zu ${plan} ist für den ${day} vorgemerkt.`,
  changePlan: 'Tarif wechseln',
  choose: 'Tarif',
  look: 'Ansehen, was das kostet',
  changeQuantities: 'Mengen ändern',
  badQuantity: 'Geben Sie eine ganze Zahl von 0 bis 1.000.000 ein.',
  cancel: 'Tarif beenden',
  cancelNote: {
    period_end: 'Er läuft bis zum Ende des Zeitraums, den Sie bezahlt haben.',
    now: 'Er endet sofort. Was Sie für die Zeit danach bezahlt haben, wird gutgeschrieben.',
  },
  preview: 'Was geschehen würde',
  previewNote: 'Es ist noch nichts geändert.',
  movesTo: (plan, day) => `Ihr Tarif ist ${plan} vom ${day} an.`,
  newQuantities: (day) => `Diese Mengen gelten vom ${day} an:`,
  ends: (day) => `Ihr Tarif endet am ${day}.`,
  invoiceOf: (day) => `Ihre Rechnung vom ${day}`,
  usageNote: 'Verbrauch, der noch kommt, wird hinzugerechnet.',
  noInvoice: 'Keine Rechnung ändert sich.',
  credited: (amount) => `${amount} werden Ihrem Konto gutgeschrieben.`,
  toCredit: (amount) =>
    `${amount} vor Steuer und die Steuer darauf werden Ihrem Konto gutgeschrieben, wenn die Rechnung ausgestellt wird.`,
  confirm: { plan: 'Tarif jetzt wechseln', quantities: 'Mengen jetzt ändern', cancel: 'Tarif jetzt beenden' },
  back: 'Zurück ohne Änderung',
  hasChanged: 'Inzwischen hat sich etwas geändert. Bitte sehen Sie sich die neuen Beträge an.',
  notPossible: 'Diese Änderung ist zurzeit nicht möglich.',
};

const fr: Words = {
  nextInvoice: (day) => `Votre prochaine facture, le ${day}, à ce jour`,
  soFar: 'Avec la consommation actuelle.',
  planned: (plan, day) => `Un passage à ${plan} est programmé pour le ${day}.`,
  changePlan: 'Changer de formule',
  choose: 'Formule',
  look: 'Voir ce que cela coûte',
  changeQuantities: 'Modifier les quantités',
  badQuantity: 'Saisissez un nombre entier de 0 à 1 000 000.',
  cancel: 'Mettre fin à la formule',
  cancelNote: {
    period_end: 'Elle continue jusqu’à la fin de la période que vous avez payée.',
    now: 'Elle se termine immédiatement. Ce que vous avez payé pour la suite est crédité.',
  },
  preview: 'Ce qui se passerait',
  previewNote: 'Rien n’a encore été modifié.',
  movesTo: (plan, day) => `Votre formule est ${plan} à partir du ${day}.`,
  newQuantities: (day) => `Ces quantités s’appliquent à partir du ${day} :`,
  ends: (day) => `Votre formule se termine le ${day}.`,
  invoiceOf: (day) => `Votre facture du ${day}`,
  usageNote: 'La consommation à venir s’y ajoute.',
  noInvoice: 'Aucune facture ne change.',
  credited: (amount) => `${amount} sont crédités sur votre compte.`,
  toCredit: (amount) =>
    `${amount} hors taxe, et la taxe correspondante, seront crédités sur votre compte à l’émission de la facture.`,
  confirm: {
    plan: 'Changer de formule maintenant',
    quantities: 'Modifier les quantités maintenant',
    cancel: 'Mettre fin à la formule maintenant',
  },
  back: 'Retour sans modification',
  hasChanged: 'Quelque chose a changé entre-temps. Veuillez consulter les nouveaux montants.',
  notPossible: 'Cette modification n’est pas possible pour le moment.',
};

const es: Words = {
  nextInvoice: (day) => `Su próxima factura, el ${day}, hasta ahora`,
  soFar: 'Con el consumo hasta hoy.',
  planned: (plan, day) => `Hay un cambio a ${plan} previsto para el ${day}.`,
  changePlan: 'Cambiar de plan',
  choose: 'Plan',
  look: 'Ver cuánto cuesta',
  changeQuantities: 'Cambiar las cantidades',
  badQuantity: 'Introduzca un número entero de 0 a 1.000.000.',
  cancel: 'Terminar el plan',
  cancelNote: {
    period_end: 'Continúa hasta el final del periodo que ha pagado.',
    now: 'Termina de inmediato. Lo que ha pagado por el tiempo posterior se abona.',
  },
  preview: 'Qué ocurriría',
  previewNote: 'Todavía no se ha cambiado nada.',
  movesTo: (plan, day) => `Su plan es ${plan} a partir del ${day}.`,
  newQuantities: (day) => `Estas cantidades valen a partir del ${day}:`,
  ends: (day) => `Su plan termina el ${day}.`,
  invoiceOf: (day) => `Su factura del ${day}`,
  usageNote: 'Se añade el consumo que aún se produzca.',
  noInvoice: 'Ninguna factura cambia.',
  credited: (amount) => `Se abonan ${amount} en su cuenta.`,
  toCredit: (amount) =>
    `Se abonarán ${amount} antes de impuestos, y su impuesto, en su cuenta cuando se emita la factura.`,
  confirm: {
    plan: 'Cambiar de plan ahora',
    quantities: 'Cambiar las cantidades ahora',
    cancel: 'Terminar el plan ahora',
  },
  back: 'Volver sin cambiar nada',
  hasChanged: 'Algo ha cambiado entretanto. Mire los nuevos importes.',
  notPossible: 'Este cambio no es posible en este momento.',
};

export const CHANGE_WORDS: InEachLocale<Words> = { en, de, fr, es };
