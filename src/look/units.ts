import { type Decimal, decimal } from '../kernel/decimal.ts';
import type { Locale } from '../kernel/locale.ts';
import { type Forms, pluralOf } from './plural.ts';

/** Words that are no singular, though they look like one. */
const KEPT: ReadonlySet<string> = new Set('data info min sec hrs usage storage traffic bandwidth'.split(' '));

/** Units that most price lists have, in the other languages. */
const UNITS: Readonly<Record<string, Readonly<Record<Exclude<Locale, 'en'>, Forms>>>> = {
  call: { de: ['Aufruf', 'Aufrufe'], fr: ['appel', 'appels'], es: ['llamada', 'llamadas'] },
  credit: { de: ['Credit', 'Credits'], fr: ['crédit', 'crédits'], es: ['crédito', 'créditos'] },
  day: { de: ['Tag', 'Tage'], fr: ['jour', 'jours'], es: ['día', 'días'] },
  document: { de: ['Dokument', 'Dokumente'], fr: ['document', 'documents'], es: ['documento', 'documentos'] },
  event: { de: ['Ereignis', 'Ereignisse'], fr: ['événement', 'événements'], es: ['evento', 'eventos'] },
  hour: { de: ['Stunde', 'Stunden'], fr: ['heure', 'heures'], es: ['hora', 'horas'] },
  image: { de: ['Bild', 'Bilder'], fr: ['image', 'images'], es: ['imagen', 'imágenes'] },
  message: { de: ['Nachricht', 'Nachrichten'], fr: ['message', 'messages'], es: ['mensaje', 'mensajes'] },
  minute: { de: ['Minute', 'Minuten'], fr: ['minute', 'minutes'], es: ['minuto', 'minutos'] },
  page: { de: ['Seite', 'Seiten'], fr: ['page', 'pages'], es: ['página', 'páginas'] },
  request: { de: ['Anfrage', 'Anfragen'], fr: ['requête', 'requêtes'], es: ['solicitud', 'solicitudes'] },
  seat: { de: ['Platz', 'Plätze'], fr: ['poste', 'postes'], es: ['puesto', 'puestos'] },
  second: { de: ['Sekunde', 'Sekunden'], fr: ['seconde', 'secondes'], es: ['segundo', 'segundos'] },
  token: { de: ['Token', 'Tokens'], fr: ['token', 'tokens'], es: ['token', 'tokens'] },
  unit: { de: ['Einheit', 'Einheiten'], fr: ['unité', 'unités'], es: ['unidad', 'unidades'] },
  user: { de: ['Nutzer', 'Nutzer'], fr: ['utilisateur', 'utilisateurs'], es: ['usuario', 'usuarios'] },
};

/**
 * The unit of a quantity: `token` of more than one is `tokens`, and `requests` are `Anfragen` in German. English words
 * in small letters get their plural; abbreviations (`GB`, `kWh`), plurals and all other words stay as the merchant
 * wrote them.
 */
export function unitOf(unit: string, quantity: Decimal | string, locale: Locale): string {
  const count = decimal(quantity).abs();
  if (locale !== 'en') {
    const singular = unit.endsWith('s') ? unit.slice(0, -1) : unit;
    const forms = Object.hasOwn(UNITS, singular) ? UNITS[singular]?.[locale] : undefined;
    return forms === undefined ? unit : pluralOf(locale, manyOf(count), forms);
  }
  const word = /(?:^|[\s/-])([a-z]{3,})$/.exec(unit)?.[1];
  if (word === undefined || count.eq(1) || word.endsWith('s') || KEPT.has(word)) return unit;
  return unit.slice(0, -word.length) + englishPlural(word);
}

/** A number with the same plural: languages tell one, less than two, and more apart. */
function manyOf(count: Decimal): number {
  if (count.eq(1)) return 1;
  return count.lt(2) ? 1.5 : 2;
}

function englishPlural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
