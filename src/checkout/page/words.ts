import type { InEachLocale, Locale } from '../../kernel/locale.ts';
import { formatsOf, type Html, html } from '../../pages/index.ts';
import type { Field } from '../sign-up/details.ts';
import type { Offer } from '../sign-up/rehearse.ts';

interface Sentence {
  readonly heading: string;
  readonly text: string;
}

/** Of a duration, in one unit. */
export type Unit = 'day' | 'week' | 'month' | 'year';

/** The words of sign-up pages. Amounts, figures and days come as they are written in the language. */
interface CheckoutWords {
  readonly subscribe: string;
  readonly subscriptionTo: (plan: string) => string;
  readonly begun: (subscription: string) => string;
  readonly prices: string;
  readonly every: Readonly<Record<Unit, (count: number) => string>>;
  readonly once: string;
  readonly each: (price: string, unit: string) => string;
  readonly from: (price: string) => string;
  readonly byVolume: (price: string, unit: string) => string;
  readonly byPackage: (price: string, size: string, unit: string) => string;
  readonly share: (percent: string, unit: string) => string;
  readonly perUse: string;
  readonly upTo: (quantity: string) => string;
  readonly above: (quantity: string) => string;
  readonly flat: (price: string) => string;
  readonly included: (quantity: string, unit: string) => string;
  readonly atLeast: (amount: string) => string;
  readonly atMost: (amount: string) => string;
  readonly minimum: (amount: string) => string;
  readonly unit: string;
  readonly free: string;
  readonly quantity: (quantity: string, price: string) => string;
  readonly trialUntil: (day: string) => string;
  readonly dueNow: string;
  readonly nothingNow: string;
  readonly total: string;
  readonly fromBalance: string;
  readonly beforeAddress: string;
  readonly nextInvoice: (day: string, amount: string) => string;
  readonly nextUsage: string;
  readonly noNext: string;
  readonly yourDetails: string;
  readonly optional: string;
  readonly fields: Readonly<Record<Field, string>>;
  readonly chooseCountry: string;
  readonly taxIdHint: string;
  readonly checkTaxId: string;
  readonly taxIdRegistered: (taxId: string) => string;
  readonly taxIdUnknown: (taxId: string) => string;
  readonly taxIdGood: (taxId: string) => string;
  readonly taxIdUnchecked: string;
  readonly taxIdBad: string;
  readonly missing: Readonly<Record<Field, string>>;
  readonly wrong: Readonly<Record<Field, string>>;
  readonly problems: string;
  readonly changed: Sentence;
  readonly repeated: Sentence;
  readonly unavailable: Sentence;
  readonly used: Sentence;
  readonly expired: Sentence;
  readonly toPayment: string;
  readonly toCard: string;
  readonly begin: string;
  readonly keepsCard: (seller: Html) => Html;
  readonly worksUntil: (minute: string) => string;
  readonly returnTo: (seller: Html) => Html;
  readonly subscribed: string;
  readonly for: (name: Html) => Html;
  readonly closePage: string;
}

export const CHECKOUT_WORDS: InEachLocale<CheckoutWords> = {
  en: {
    subscribe: 'Subscribe',
    subscriptionTo: (plan) => `Subscription to ${plan}`,
    begun: (subscription) => `${subscription}: it has begun.`,
    prices: 'Prices',
    every: {
      day: (count) => (count === 1 ? 'every day' : `every ${count} days`),
      week: (count) => (count === 1 ? 'every week' : `every ${count} weeks`),
      month: (count) => (count === 1 ? 'every month' : `every ${count} months`),
      year: (count) => (count === 1 ? 'every year' : `every ${count} years`),
    },
    once: 'once',
    each: (price, unit) => `${price} for each ${unit}`,
    from: (price) => `from ${price}`,
    byVolume: (price, unit) => `${price} for each ${unit}, by the quantity as a whole`,
    byPackage: (price, size, unit) => `${price} for each package of ${size} (${unit})`,
    share: (percent, unit) => `${percent} of the value of ${unit}`,
    perUse: 'by what each use costs',
    upTo: (quantity) => `up to ${quantity}`,
    above: (quantity) => `above ${quantity}`,
    flat: (price) => `and ${price} flat`,
    included: (quantity, unit) => `${quantity} ${unit} included`,
    atLeast: (amount) => `at least ${amount}`,
    atMost: (amount) => `at most ${amount}`,
    minimum: (amount) => `At least ${amount} in each billing period.`,
    unit: 'unit',
    free: 'free',
    quantity: (quantity, price) => `${quantity} × ${price}`,
    trialUntil: (day) => `Free trial until ${day}`,
    dueNow: 'Due now',
    nothingNow: 'Nothing is due now.',
    total: 'Total',
    fromBalance: 'From your balance',
    beforeAddress: 'Tax may change with your address.',
    nextInvoice: (day, amount) => `The next invoice comes on ${day}: ${amount}, with tax.`,
    nextUsage: 'What you use is billed on top.',
    noNext: 'No further invoice follows automatically.',
    yourDetails: 'Your billing details',
    optional: 'optional',
    fields: {
      name: 'Name or company',
      email: 'E-mail',
      line1: 'Street and number',
      line2: 'Address, second line',
      zipCode: 'Postcode',
      city: 'Town',
      state: 'State or province',
      country: 'Country',
      taxId: 'Tax number (VAT)',
    },
    chooseCountry: 'Choose a country',
    taxIdHint: 'For companies. It is printed on the invoice.',
    checkTaxId: 'Check the number and the tax',
    taxIdRegistered: (taxId) => `${taxId} is registered.`,
    taxIdUnknown: (taxId) => `The register of the European Union does not know ${taxId}. Check the number.`,
    taxIdGood: (taxId) => `${taxId} has the right form.`,
    taxIdUnchecked: 'Numbers of this country are not checked here.',
    taxIdBad: 'This is not a tax number of this country. Check each digit.',
    missing: {
      name: 'Enter your name or that of your company.',
      email: 'Enter your e-mail address.',
      line1: 'Enter your street and number.',
      line2: 'Enter the second line of your address.',
      zipCode: 'Enter your postcode.',
      city: 'Enter your town.',
      state: 'Enter your state or province.',
      country: 'Choose your country.',
      taxId: 'Enter your tax number.',
    },
    wrong: {
      name: 'Shorten your name to 255 characters.',
      email: 'Enter an e-mail address like name@example.com.',
      line1: 'Shorten your street to 255 characters.',
      line2: 'Shorten the second line to 255 characters.',
      zipCode: 'Shorten your postcode to 40 characters.',
      city: 'Shorten your town to 255 characters.',
      state: 'Shorten your state to 255 characters.',
      country: 'Choose a country of the list.',
      taxId: 'Check your tax number, or leave the field empty.',
    },
    problems: 'Please look at these fields again',
    changed: {
      heading: 'The price has changed',
      text: 'It changed while you were here. Nothing was charged. Look at it again, and then go on.',
    },
    repeated: {
      heading: 'You have subscribed already',
      text:
        'A subscription with these details began less than a day ago. Nothing more was charged. To begin another one, ' +
        'go on again.',
    },
    unavailable: {
      heading: 'This offer is not available',
      text: 'Nothing was charged. Ask the sender of the link.',
    },
    used: {
      heading: 'This link has been used',
      text: 'Its subscription has started. There is nothing left to do here.',
    },
    expired: {
      heading: 'This link has expired',
      text: 'Nothing was charged. Ask for a new link if you still want it.',
    },
    toPayment: 'Go on to payment',
    toCard: 'Go on to your card',
    begin: 'Begin the subscription',
    keepsCard: (seller) => html`Your card is saved, and ${seller} charges it for later invoices of this subscription.`,
    worksUntil: (minute) => `This link works until ${minute}.`,
    returnTo: (seller) => html`Return to ${seller}`,
    subscribed: 'Your subscription has begun',
    for: (name) => html`For ${name}`,
    closePage: 'You can close this page.',
  },
  de: {
    subscribe: 'Abonnieren',
    subscriptionTo: (plan) => `Abonnement ${plan}`,
    begun: (subscription) => `${subscription}: Es hat begonnen.`,
    prices: 'Preise',
    every: {
      day: (count) => (count === 1 ? 'täglich' : `alle ${count} Tage`),
      week: (count) => (count === 1 ? 'wöchentlich' : `alle ${count} Wochen`),
      month: (count) => (count === 1 ? 'monatlich' : `alle ${count} Monate`),
      year: (count) => (count === 1 ? 'jährlich' : `alle ${count} Jahre`),
    },
    once: 'einmalig',
    each: (price, unit) => `${price} je ${unit}`,
    from: (price) => `ab ${price}`,
    byVolume: (price, unit) => `${price} je ${unit}, nach der gesamten Menge`,
    byPackage: (price, size, unit) => `${price} je Paket von ${size} (${unit})`,
    share: (percent, unit) => `${percent} des Wertes von ${unit}`,
    perUse: 'nach den Kosten jeder Nutzung',
    upTo: (quantity) => `bis ${quantity}`,
    above: (quantity) => `über ${quantity}`,
    flat: (price) => `und ${price} pauschal`,
    included: (quantity, unit) => `${quantity} ${unit} enthalten`,
    atLeast: (amount) => `mindestens ${amount}`,
    atMost: (amount) => `höchstens ${amount}`,
    minimum: (amount) => `Mindestens ${amount} je Abrechnungszeitraum.`,
    unit: 'Einheit',
    free: 'kostenlos',
    quantity: (quantity, price) => `${quantity} × ${price}`,
    trialUntil: (day) => `Kostenlose Testphase bis zum ${day}`,
    dueNow: 'Jetzt fällig',
    nothingNow: 'Jetzt ist nichts fällig.',
    total: 'Gesamtbetrag',
    fromBalance: 'Aus Ihrem Guthaben',
    beforeAddress: 'Die Steuer kann sich mit Ihrer Adresse ändern.',
    nextInvoice: (day, amount) => `Die nächste Rechnung kommt am ${day}: ${amount}, mit Steuer.`,
    nextUsage: 'Was Sie nutzen, kommt hinzu.',
    noNext: 'Von selbst folgt keine weitere Rechnung.',
    yourDetails: 'Ihre Rechnungsdaten',
    optional: 'freiwillig',
    fields: {
      name: 'Name oder Firma',
      email: 'E-Mail-Adresse',
      line1: 'Straße und Hausnummer',
      line2: 'Adresszusatz',
      zipCode: 'Postleitzahl',
      city: 'Ort',
      state: 'Bundesland oder Region',
      country: 'Land',
      taxId: 'Umsatzsteuer-Identifikationsnummer',
    },
    chooseCountry: 'Land wählen',
    taxIdHint: 'Für Unternehmen. Sie steht auf der Rechnung.',
    checkTaxId: 'Nummer und Steuer prüfen',
    taxIdRegistered: (taxId) => `${taxId} ist registriert.`,
    taxIdUnknown: (taxId) => `Das Register der Europäischen Union kennt ${taxId} nicht. Prüfen Sie die Nummer.`,
    taxIdGood: (taxId) => `${taxId} hat die richtige Form.`,
    taxIdUnchecked: 'Nummern dieses Landes werden hier nicht geprüft.',
    taxIdBad: 'Das ist keine Steuernummer dieses Landes. Prüfen Sie jede Ziffer.',
    missing: {
      name: 'Geben Sie Ihren Namen oder Ihre Firma ein.',
      email: 'Geben Sie Ihre E-Mail-Adresse ein.',
      line1: 'Geben Sie Straße und Hausnummer ein.',
      line2: 'Geben Sie den Adresszusatz ein.',
      zipCode: 'Geben Sie Ihre Postleitzahl ein.',
      city: 'Geben Sie Ihren Ort ein.',
      state: 'Geben Sie Ihr Bundesland oder Ihre Region ein.',
      country: 'Wählen Sie Ihr Land.',
      taxId: 'Geben Sie Ihre Steuernummer ein.',
    },
    wrong: {
      name: 'Kürzen Sie den Namen auf 255 Zeichen.',
      email: 'Geben Sie eine E-Mail-Adresse wie name@example.com ein.',
      line1: 'Kürzen Sie die Straße auf 255 Zeichen.',
      line2: 'Kürzen Sie den Adresszusatz auf 255 Zeichen.',
      zipCode: 'Kürzen Sie die Postleitzahl auf 40 Zeichen.',
      city: 'Kürzen Sie den Ort auf 255 Zeichen.',
      state: 'Kürzen Sie die Region auf 255 Zeichen.',
      country: 'Wählen Sie ein Land aus der Liste.',
      taxId: 'Prüfen Sie Ihre Steuernummer, oder lassen Sie das Feld leer.',
    },
    problems: 'Bitte sehen Sie sich diese Felder noch einmal an',
    changed: {
      heading: 'Der Preis hat sich geändert',
      text:
        'Er hat sich geändert, während Sie hier waren. Es wurde nichts abgebucht. Bitte prüfen Sie ihn noch ' +
        'einmal.',
    },
    repeated: {
      heading: 'Sie haben bereits abonniert',
      text:
        'Ein Abonnement mit diesen Angaben hat vor weniger als einem Tag begonnen. Es wurde nichts weiter abgebucht. ' +
        'Um ein weiteres zu beginnen, gehen Sie noch einmal weiter.',
    },
    unavailable: {
      heading: 'Dieses Angebot ist nicht verfügbar',
      text: 'Es wurde nichts abgebucht. Fragen Sie den Absender des Links.',
    },
    used: {
      heading: 'Dieser Link wurde schon verwendet',
      text: 'Das Abonnement hat begonnen. Hier ist nichts weiter zu tun.',
    },
    expired: {
      heading: 'Dieser Link ist abgelaufen',
      text: 'Es wurde nichts abgebucht. Bitten Sie um einen neuen Link, wenn Sie noch möchten.',
    },
    toPayment: 'Weiter zur Zahlung',
    toCard: 'Weiter zur Karte',
    begin: 'Abonnement beginnen',
    keepsCard: (seller) =>
      html`Ihre Karte wird gespeichert, und ${seller} belastet sie für spätere Rechnungen dieses Abonnements.`,
    worksUntil: (minute) => `Dieser Link gilt bis ${minute}.`,
    returnTo: (seller) => html`Zurück zu ${seller}`,
    subscribed: 'Ihr Abonnement hat begonnen',
    for: (name) => html`Für ${name}`,
    closePage: 'Sie können diese Seite schließen.',
  },
  fr: {
    subscribe: 'S’abonner',
    subscriptionTo: (plan) => `Abonnement à ${plan}`,
    begun: (subscription) => `${subscription} : il a commencé.`,
    prices: 'Tarifs',
    every: {
      day: (count) => (count === 1 ? 'par jour' : `tous les ${count} jours`),
      week: (count) => (count === 1 ? 'par semaine' : `toutes les ${count} semaines`),
      month: (count) => (count === 1 ? 'par mois' : `tous les ${count} mois`),
      year: (count) => (count === 1 ? 'par an' : `tous les ${count} ans`),
    },
    once: 'une seule fois',
    each: (price, unit) => `${price} par ${unit}`,
    from: (price) => `à partir de ${price}`,
    byVolume: (price, unit) => `${price} par ${unit}, selon la quantité totale`,
    byPackage: (price, size, unit) => `${price} par lot de ${size} (${unit})`,
    share: (percent, unit) => `${percent} de la valeur de ${unit}`,
    perUse: 'selon le coût de chaque utilisation',
    upTo: (quantity) => `jusqu’à ${quantity}`,
    above: (quantity) => `au-delà de ${quantity}`,
    flat: (price) => `plus ${price} forfaitaires`,
    included: (quantity, unit) => `${quantity} ${unit} inclus`,
    atLeast: (amount) => `au moins ${amount}`,
    atMost: (amount) => `au plus ${amount}`,
    minimum: (amount) => `Au moins ${amount} par période de facturation.`,
    unit: 'unité',
    free: 'gratuit',
    quantity: (quantity, price) => `${quantity} × ${price}`,
    trialUntil: (day) => `Essai gratuit jusqu’au ${day}`,
    dueNow: 'À payer maintenant',
    nothingNow: 'Rien n’est à payer maintenant.',
    total: 'Total',
    fromBalance: 'Sur votre solde',
    beforeAddress: 'La taxe peut changer selon votre adresse.',
    nextInvoice: (day, amount) => `La prochaine facture viendra le ${day} : ${amount}, taxes comprises.`,
    nextUsage: 'Ce que vous utilisez est facturé en plus.',
    noNext: 'Aucune autre facture ne suit d’elle-même.',
    yourDetails: 'Vos coordonnées de facturation',
    optional: 'facultatif',
    fields: {
      name: 'Nom ou société',
      email: 'Adresse e-mail',
      line1: 'Numéro et rue',
      line2: 'Complément d’adresse',
      zipCode: 'Code postal',
      city: 'Ville',
      state: 'État ou région',
      country: 'Pays',
      taxId: 'Numéro de TVA',
    },
    chooseCountry: 'Choisissez un pays',
    taxIdHint: 'Pour les entreprises. Il figure sur la facture.',
    checkTaxId: 'Vérifier le numéro et la taxe',
    taxIdRegistered: (taxId) => `${taxId} est enregistré.`,
    taxIdUnknown: (taxId) => `Le registre de l’Union européenne ne connaît pas ${taxId}. Vérifiez le numéro.`,
    taxIdGood: (taxId) => `${taxId} a la bonne forme.`,
    taxIdUnchecked: 'Les numéros de ce pays ne sont pas vérifiés ici.',
    taxIdBad: 'Ce n’est pas un numéro de TVA de ce pays. Vérifiez chaque chiffre.',
    missing: {
      name: 'Saisissez votre nom ou celui de votre société.',
      email: 'Saisissez votre adresse e-mail.',
      line1: 'Saisissez le numéro et la rue.',
      line2: 'Saisissez le complément d’adresse.',
      zipCode: 'Saisissez votre code postal.',
      city: 'Saisissez votre ville.',
      state: 'Saisissez votre État ou région.',
      country: 'Choisissez votre pays.',
      taxId: 'Saisissez votre numéro de TVA.',
    },
    wrong: {
      name: 'Raccourcissez le nom à 255 caractères.',
      email: 'Saisissez une adresse e-mail comme nom@example.com.',
      line1: 'Raccourcissez la rue à 255 caractères.',
      line2: 'Raccourcissez le complément à 255 caractères.',
      zipCode: 'Raccourcissez le code postal à 40 caractères.',
      city: 'Raccourcissez la ville à 255 caractères.',
      state: 'Raccourcissez la région à 255 caractères.',
      country: 'Choisissez un pays de la liste.',
      taxId: 'Vérifiez le numéro de TVA, ou laissez le champ vide.',
    },
    problems: 'Veuillez revoir ces champs',
    changed: {
      heading: 'Le prix a changé',
      text: 'Il a changé pendant votre visite. Rien n’a été débité. Regardez-le à nouveau, puis continuez.',
    },
    repeated: {
      heading: 'Vous êtes déjà abonné',
      text:
        'Un abonnement avec ces coordonnées a commencé il y a moins d’un jour. Rien de plus n’a été débité. Pour en ' +
        'commencer un autre, continuez à nouveau.',
    },
    unavailable: {
      heading: 'Cette offre n’est pas disponible',
      text: 'Rien n’a été débité. Demandez à la personne qui vous a envoyé le lien.',
    },
    used: {
      heading: 'Ce lien a déjà été utilisé',
      text: 'L’abonnement a commencé. Il n’y a plus rien à faire ici.',
    },
    expired: {
      heading: 'Ce lien a expiré',
      text: 'Rien n’a été débité. Demandez un nouveau lien si vous le souhaitez encore.',
    },
    toPayment: 'Continuer vers le paiement',
    toCard: 'Continuer vers la carte',
    begin: 'Commencer l’abonnement',
    keepsCard: (seller) =>
      html`Votre carte est conservée, et ${seller} la débite pour les factures suivantes de cet abonnement.`,
    worksUntil: (minute) => `Ce lien est valable jusqu’au ${minute}.`,
    returnTo: (seller) => html`Revenir chez ${seller}`,
    subscribed: 'Votre abonnement a commencé',
    for: (name) => html`Pour ${name}`,
    closePage: 'Vous pouvez fermer cette page.',
  },
  es: {
    subscribe: 'Suscribirse',
    subscriptionTo: (plan) => `Suscripción a ${plan}`,
    begun: (subscription) => `${subscription}: ha comenzado.`,
    prices: 'Precios',
    every: {
      day: (count) => (count === 1 ? 'cada día' : `cada ${count} días`),
      week: (count) => (count === 1 ? 'cada semana' : `cada ${count} semanas`),
      month: (count) => (count === 1 ? 'cada mes' : `cada ${count} meses`),
      year: (count) => (count === 1 ? 'cada año' : `cada ${count} años`),
    },
    once: 'una sola vez',
    each: (price, unit) => `${price} por ${unit}`,
    from: (price) => `desde ${price}`,
    byVolume: (price, unit) => `${price} por ${unit}, según la cantidad total`,
    byPackage: (price, size, unit) => `${price} por paquete de ${size} (${unit})`,
    share: (percent, unit) => `${percent} del valor de ${unit}`,
    perUse: 'según el coste de cada uso',
    upTo: (quantity) => `hasta ${quantity}`,
    above: (quantity) => `por encima de ${quantity}`,
    flat: (price) => `más ${price} fijos`,
    included: (quantity, unit) => `${quantity} ${unit} incluidos`,
    atLeast: (amount) => `como mínimo ${amount}`,
    atMost: (amount) => `como máximo ${amount}`,
    minimum: (amount) => `Como mínimo ${amount} por período de facturación.`,
    unit: 'unidad',
    free: 'gratis',
    quantity: (quantity, price) => `${quantity} × ${price}`,
    trialUntil: (day) => `Prueba gratuita hasta el ${day}`,
    dueNow: 'A pagar ahora',
    nothingNow: 'Ahora no hay nada que pagar.',
    total: 'Total',
    fromBalance: 'De su saldo',
    beforeAddress: 'El impuesto puede cambiar según su dirección.',
    nextInvoice: (day, amount) => `La próxima factura llegará el ${day}: ${amount}, con impuestos.`,
    nextUsage: 'Lo que utilice se factura aparte.',
    noNext: 'No sigue ninguna otra factura por sí sola.',
    yourDetails: 'Sus datos de facturación',
    optional: 'opcional',
    fields: {
      name: 'Nombre o empresa',
      email: 'Correo electrónico',
      line1: 'Calle y número',
      line2: 'Dirección, segunda línea',
      zipCode: 'Código postal',
      city: 'Ciudad',
      state: 'Estado o provincia',
      country: 'País',
      taxId: 'Número de IVA',
    },
    chooseCountry: 'Elija un país',
    taxIdHint: 'Para empresas. Figura en la factura.',
    checkTaxId: 'Comprobar el número y el impuesto',
    taxIdRegistered: (taxId) => `${taxId} está registrado.`,
    taxIdUnknown: (taxId) => `El registro de la Unión Europea no conoce ${taxId}. Compruebe el número.`,
    taxIdGood: (taxId) => `${taxId} tiene la forma correcta.`,
    taxIdUnchecked: 'Los números de este país no se comprueban aquí.',
    taxIdBad: 'No es un número de IVA de este país. Compruebe cada cifra.',
    missing: {
      name: 'Escriba su nombre o el de su empresa.',
      email: 'Escriba su correo electrónico.',
      line1: 'Escriba la calle y el número.',
      line2: 'Escriba la segunda línea de la dirección.',
      zipCode: 'Escriba su código postal.',
      city: 'Escriba su ciudad.',
      state: 'Escriba su estado o provincia.',
      country: 'Elija su país.',
      taxId: 'Escriba su número de IVA.',
    },
    wrong: {
      name: 'Acorte el nombre a 255 caracteres.',
      email: 'Escriba un correo electrónico como nombre@example.com.',
      line1: 'Acorte la calle a 255 caracteres.',
      line2: 'Acorte la segunda línea a 255 caracteres.',
      zipCode: 'Acorte el código postal a 40 caracteres.',
      city: 'Acorte la ciudad a 255 caracteres.',
      state: 'Acorte el estado a 255 caracteres.',
      country: 'Elija un país de la lista.',
      taxId: 'Compruebe el número de IVA o deje el campo vacío.',
    },
    problems: 'Revise estos campos, por favor',
    changed: {
      heading: 'El precio ha cambiado',
      text: 'Ha cambiado mientras estaba aquí. No se ha cobrado nada. Mírelo de nuevo y después continúe.',
    },
    repeated: {
      heading: 'Ya se ha suscrito',
      text:
        'Una suscripción con estos datos comenzó hace menos de un día. No se ha cobrado nada más. Para comenzar otra, ' +
        'continúe de nuevo.',
    },
    unavailable: {
      heading: 'Esta oferta no está disponible',
      text: 'No se ha cobrado nada. Pregunte a quien le envió el enlace.',
    },
    used: {
      heading: 'Este enlace ya se ha utilizado',
      text: 'La suscripción ha comenzado. No hay nada más que hacer aquí.',
    },
    expired: {
      heading: 'Este enlace ha caducado',
      text: 'No se ha cobrado nada. Pida un enlace nuevo si aún lo desea.',
    },
    toPayment: 'Continuar al pago',
    toCard: 'Continuar a la tarjeta',
    begin: 'Comenzar la suscripción',
    keepsCard: (seller) =>
      html`Su tarjeta se guarda, y ${seller} cobra en ella las facturas posteriores de esta suscripción.`,
    worksUntil: (minute) => `Este enlace es válido hasta el ${minute}.`,
    returnTo: (seller) => html`Volver a ${seller}`,
    subscribed: 'Su suscripción ha comenzado',
    for: (name) => html`Para ${name}`,
    closePage: 'Puede cerrar esta página.',
  },
};

/** The date and the amount of the next invoice, as far as they are known before any usage. */
export function nextSentence(
  { next, plan, version }: Pick<Offer, 'next' | 'plan' | 'version'>,
  locale: Locale,
): string {
  const words = CHECKOUT_WORDS[locale];
  const { day, money } = formatsOf(locale);
  if (next === null) return words.noNext;
  const hasUsage = version.prices.some(({ metric }) => metric !== null);
  const sentence = words.nextInvoice(day(next.at), money(next.amount, plan.currency));
  return hasUsage ? `${sentence} ${words.nextUsage}` : sentence;
}
