import {
  Country,
  DecimalNumber,
  type FieldWords,
  Formed,
  Id,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  type TSchema,
  Type,
} from '../http/index.ts';
import { decimalOrNull, jsonNumber } from '../kernel/decimal.ts';
import { type FieldError, fail, invalid, ok, type Result } from '../kernel/result.ts';
import { registrationProblems, type TaxRegistration } from '../tax/index.ts';
import { bicProblem, compact, ibanProblem } from './bank-account.ts';
import type { EnvironmentName } from './keys.ts';

/** A tax rate in requests: percent, 0 to 100, read exactly (8.875 is 8.875 percent). */
export const Percent = DecimalNumber({ minimum: '0', maximum: '100', fractionDigits: 9 });

const APPROVAL_KINDS = ['data_review', 'financial_review', 'push'] as const;
const PAYMENT_PROVIDERS = ['none', 'stripe', 'sandbox'] as const;
const TAX_SCHEMES = ['standard', 'oss'] as const;
const CHANGE_TIMES = ['now', 'periodEnd'] as const;
/**
 * A host as it is written in an address, with a port where that is not the usual one; nothing that a header would read
 * otherwise.
 */
const HOST = '^(?:[a-z0-9_-]{1,63}\\.){0,8}[a-z0-9-]{1,63}(?::[0-9]{1,5})?$';

const host = new RegExp(HOST);

/** Is this a host that may be sent people to, and be named in a header? In lower case. */
export const isHost = (text: string): boolean => text.length <= 253 && host.test(text);

export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

const SETTINGS_FIELDS: FieldWords = {
  defaultTaxRate: [
    'The tax rate in percent if nothing else sets one: 20 is 20 %. Default: null, which counts as 0.',
    20,
  ],
  taxProvider: '`internal`: your own rates. `stripe_tax`: Stripe calculates tax. Default: `internal`.',
  invoicePrefix: ['The beginning of invoice numbers, before a hyphen and the counter. Default: `INV`.', 'ACME'],
  requiredApprovals: 'The approvals for which an invoice or an order waits. Default: none.',
  invoice: 'The kinds of approval for which an invoice waits.',
  order: 'The kinds of approval for which an order waits.',
  dunning: 'The retries after a declined charge.',
  retryAfterDays: ['The days from each attempt to the next one, at most 10. Default: 2, 5, 7, 7.', [2, 5, 7, 7]],
  finally:
    'The action after the last retry: `keep` the invoice open, `write_off` the invoice, or `terminate` ' +
    'the subscription. Default: `keep`.',
  paymentProvider: 'The provider of payments. Default: `none` in production, `sandbox` in the sandbox.',
  lateUsageDays: ['How many days after the end of a subscription late usage is still billed. Default: 35.', 35],
  rateLimits: 'The rate limits of the organization; only operators set them. Default: null, no limits.',
  general: 'The limit of all requests but usage events.',
  events: 'The limit of requests with usage events.',
  perSecond: ['How many requests a second are allowed.', 50],
  burst: ['How many requests may come at once.', 100],
  redirectHosts: [
    'The hosts to which checkout may send people back. Default: none, which allows every host.',
    ['app.acme.example'],
  ],
  mail: 'Settings of the emails to customers.',
  branding: 'The look of pages and documents.',
  color: ['The colour of the merchant, such as `#1a2b3c`. Null: the usual one.', '#1a2b3c'],
  footer: ['The text at the foot of documents. Null: none.', 'Acme GmbH, Berlin'],
  bankTransfer: 'The account to which customers send money. It needs an `iban` or an `account`. Default: null, none.',
  holder: ['The name of the account holder.', 'Acme GmbH'],
  iban: ['The IBAN, with or without spaces.', 'DE89 3704 0044 0532 0130 00'],
  account: 'The number of an account without an IBAN.',
  bic: ['The BIC of the bank.', 'COBADEFFXXX'],
  bank: ['The name of the bank.', 'Commerzbank'],
  note: 'A note for the payer.',
  portal: 'The changes that customers can make in the customer portal. Default: none.',
  planChange: 'The plans that customers can choose. Null: they cannot change their plan.',
  plans: 'The ids of these plans.',
  effective: 'When a change takes effect: `now` or at `periodEnd`. Default: `now`.',
  cancellation: 'How customers can end a subscription: `none`, at `period_end`, or `now`. Default: `none`.',
  country: ['The country of the registration.', 'DE'],
  taxId: ['The tax id of the registration.', 'DE136695976'],
  from: ['The first day of the registration.', '2026-01-01'],
  to: 'The first day after the registration. Absent or null: it has no end.',
  invoiceNotes: 'The sentences on documents about sales without tax. Default: the common wording.',
  exempt: 'The sentence for an exempt customer.',
  reverseCharge: 'The sentence for reverse charge.',
  outside: 'The sentence for a sale outside the scope of tax.',
};

const Bucket = Strict({
  perSecond: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  burst: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
});

const BucketReply = Type.Object({ perSecond: Type.Integer(), burst: Type.Integer() });

const PlanChange = Strict({
  plans: Type.Array(Id('plan'), { minItems: 1, maxItems: 50, uniqueItems: true }),
  effective: Type.Optional(OneOf(CHANGE_TIMES)),
});

const Day = Formed('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 'must be a date such as 2026-01-31', { format: 'date' });

const TaxRegistrationBody = Strict({
  country: Country,
  taxId: Text({ minLength: 1, maxLength: 100 }),
  scheme: Type.Optional(
    OneOf(TAX_SCHEMES, {
      description:
        '`oss`: the one-stop shop of the European Union, whose return this country takes. Default `standard`.',
    }),
  ),
  from: Day,
  to: Type.Optional(Nullable(Day)),
});

const TaxRegistrationReply = Type.Object({
  country: Type.String(),
  taxId: Type.String(),
  scheme: OneOf(TAX_SCHEMES, { description: '`oss`: the one-stop shop of the European Union.' }),
  from: Type.String({ format: 'date' }),
  to: Nullable(Type.String({ format: 'date' })),
});

/** A setting, or a field of one. */
interface Field<Sent, Value> {
  /** The schema in requests. */
  readonly input: TSchema;
  /** The schema in answers. */
  readonly shown: TSchema;
  /** The value of what was sent, or the default. */
  readonly read: (sent: Sent | null | undefined, environment: EnvironmentName) => Value;
}

type Fields = Readonly<Record<string, Field<never, unknown>>>;
type SentTo<F> = F extends Field<infer Sent, unknown> ? Sent : never;
type Values<T extends Fields> = { readonly [Name in keyof T]: ReturnType<T[Name]['read']> };

/** A field with one default. */
const field = <S extends TSchema, Value>(input: S, shown: TSchema, initial: Value) => ({
  input,
  shown,
  read: (sent: Static<S> | null | undefined): NonNullable<Static<S>> | Value => sent ?? initial,
});

const oneOf = <const Words extends readonly string[]>(words: Words, initial: Words[number]) =>
  field(OneOf(words), OneOf(words), initial);

/** @param meaning of `true` */
const flag = (meaning: string, initial: boolean) =>
  field(
    Type.Boolean({ description: `\`true\`: ${meaning}. Default: \`${initial}\`.` }),
    Type.Boolean({ description: `\`true\`: ${meaning}.` }),
    initial,
  );

/** A text that may be null, which is its default. */
const text = (input: TSchema, change = (sent: string) => sent) => ({
  input: Nullable(input),
  shown: Nullable(Type.String()),
  read: (sent: string | null | undefined) => (sent == null ? null : change(sent)),
});

/** A setting with fields of its own. Each that is absent has its default. */
const group = <T extends Fields>(fields: T): Field<{ [Name in keyof T]?: SentTo<T[Name]> }, Values<T>> => ({
  input: Strict(each(fields, ({ input }) => Type.Optional(input))),
  shown: Type.Object(each(fields, ({ shown }) => shown)),
  read: (sent, environment) => valuesOf(fields, sent ?? {}, environment),
});

/** A setting that is null if it is absent. */
const orNull = <Sent, Value>({ input, shown, read }: Field<Sent, Value>): Field<Sent, Value | null> => ({
  input,
  shown: Nullable(shown),
  read: (sent, environment) => (sent == null ? null : read(sent, environment)),
});

const each = <To>(fields: Fields, to: (row: Fields[string], name: string) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(fields).map(([name, row]) => [name, to(row, name)]));

const valuesOf = <T extends Fields>(fields: T, sent: object, environment: EnvironmentName): Values<T> =>
  each(fields, (row, name) => row.read((sent as Record<string, never>)[name], environment)) as Values<T>;

const ApprovalsNeeded = field(
  Type.Array(OneOf(APPROVAL_KINDS), { uniqueItems: true, maxItems: APPROVAL_KINDS.length }),
  Type.Array(OneOf(APPROVAL_KINDS)),
  [],
);

/** A sentence of documents. */
const sentence = text(Text({ minLength: 1, maxLength: 1000 }));

/** Every setting of a merchant (api.md, Identity). */
const SETTINGS = {
  defaultTaxRate: { input: Percent, shown: Nullable(NumberOut), read: decimalOrNull },
  taxProvider: oneOf(['internal', 'stripe_tax'], 'internal'),
  invoicePrefix: field(
    Formed(
      '^[A-Za-z0-9][A-Za-z0-9_/-]{0,19}$',
      'must be 1 to 20 letters, digits, underscores, slashes and hyphens, such as ACME',
    ),
    Type.String(),
    'INV',
  ),
  requiredApprovals: group({ invoice: ApprovalsNeeded, order: ApprovalsNeeded }),
  dunning: group({
    retryAfterDays: field(
      Type.Array(Type.Integer({ minimum: 1, maximum: 90 }), { maxItems: 10 }),
      Type.Array(Type.Integer()),
      [2, 5, 7, 7] as readonly number[],
    ),
    finally: oneOf(['keep', 'write_off', 'terminate'], 'keep'),
  }),
  paymentProvider: {
    input: OneOf(PAYMENT_PROVIDERS),
    shown: OneOf(PAYMENT_PROVIDERS),
    read: (sent: (typeof PAYMENT_PROVIDERS)[number] | null | undefined, environment: EnvironmentName) =>
      sent ?? (environment === 'production' ? 'none' : 'sandbox'),
  },
  lateUsageDays: field(Type.Integer({ minimum: 0, maximum: 400 }), Type.Integer(), 35),
  rateLimits: field(
    Strict({ general: Type.Optional(Bucket), events: Type.Optional(Bucket) }),
    Nullable(Type.Object({ general: Type.Optional(BucketReply), events: Type.Optional(BucketReply) })),
    null,
  ),
  redirectHosts: field(
    Type.Array(Formed(HOST, 'must be a host, such as pay.example.com', { maxLength: 253 }), {
      maxItems: 50,
      uniqueItems: true,
    }),
    Type.Array(Type.String()),
    [],
  ),
  mail: group({
    attachDocuments: flag('emails have the PDF attached', true),
    zeroInvoices: flag('invoices with a total of 0 are mailed too', false),
    portalLinks: flag('emails lead to the customer portal', true),
  }),
  branding: group({
    color: text(Formed('^#[0-9A-Fa-f]{6}$', 'must be a colour such as #1a2b3c')),
    footer: text(Text({ maxLength: 1000 })),
  }),
  bankTransfer: orNull(
    group({
      holder: text(Text({ minLength: 1, maxLength: 140 })),
      iban: text(Text({ maxLength: 50 }), compact),
      account: text(Text({ minLength: 1, maxLength: 100 })),
      bic: text(Text({ maxLength: 20 }), compact),
      bank: text(Text({ minLength: 1, maxLength: 140 })),
      note: sentence,
    }),
  ),
  portal: group({
    planChange: {
      input: Nullable(PlanChange),
      shown: Nullable(Type.Object({ plans: Type.Array(Id('plan')), effective: OneOf(CHANGE_TIMES) })),
      read: (sent: Static<typeof PlanChange> | null | undefined) =>
        sent ? { effective: 'now' as const, ...sent } : null,
    },
    quantities: flag('customers can change quantities', false),
    cancellation: oneOf(['none', 'period_end', 'now'], 'none'),
  }),
  taxRegistrations: {
    input: Type.Array(TaxRegistrationBody, {
      maxItems: 100,
      description:
        'Where the merchant is registered for tax, from which day on and until before which. While one holds, ' +
        'the place of each sale decides its tax (docs/taxes.md). The request replaces the whole list: send ended ' +
        'registrations, too.',
    }),
    shown: Type.Array(TaxRegistrationReply, { description: 'Where the merchant is registered for tax.' }),
    read: (sent: Static<typeof TaxRegistrationBody>[] | null | undefined): TaxRegistration[] =>
      (sent ?? []).map((registration) => ({ scheme: 'standard', ...registration, to: registration.to ?? null })),
  },
  invoiceNotes: group({ exempt: sentence, reverseCharge: sentence, outside: sentence }),
};

/**
 * The settings that a merchant can change, as they are sent and stored. An absent field is unchanged, `null` is the
 * default again.
 */
export type SettingsInput = { [Name in keyof typeof SETTINGS]?: SentTo<(typeof SETTINGS)[Name]> | null };
export const SettingsInput = Type.Unsafe<SettingsInput>(
  Strict(
    each(SETTINGS, ({ input }) => Type.Optional(Nullable(input))),
    {
      $id: 'SettingsInput',
      description: 'The settings of a merchant that a request changes.',
      'x-fields': SETTINGS_FIELDS,
    },
  ),
);

/** The settings of a merchant with their defaults. An organization that is no merchant has none of them. */
export const SettingsReply = Type.Object(
  each(SETTINGS, ({ shown }) => Type.Optional(shown)),
  { $id: 'Settings', description: 'The settings of a merchant, with their defaults.', 'x-fields': SETTINGS_FIELDS },
);

/** A merchant's settings with every default filled in (api.md, Identity). */
export type MerchantSettings = Values<typeof SETTINGS>;

/** The settings of a merchant with defaults. The payment provider's default depends on the environment. */
export const settingsWithDefaults = (stored: SettingsInput, environment: EnvironmentName): MerchantSettings =>
  valuesOf(SETTINGS, stored, environment);

/** Settings as an answer shows them. */
export const publicSettings = (settings: MerchantSettings): Record<string, unknown> => ({
  ...settings,
  defaultTaxRate: settings.defaultTaxRate && jsonNumber(settings.defaultTaxRate),
});

/** The stored settings after a change: absent fields stay unchanged, null ones go back to their default. */
export function changedSettings(stored: SettingsInput, change: SettingsInput): SettingsInput {
  const merged = Object.entries({ ...stored, ...change }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(merged);
}

/** The status of a merchant at Stripe. */
export interface ProviderStanding {
  /** Is an account connected that works? */
  readonly isConnected: boolean;
  /** The reason why it cannot calculate tax; null: it can, or it was not asked. */
  readonly taxProblem: string | null;
}

/**
 * The rules that a schema cannot say: no play money in production, and no provider that is not connected: nothing would
 * be taxed, or paid.
 */
export function checkSettings(
  input: SettingsInput,
  environment: EnvironmentName,
  { isConnected, taxProblem }: ProviderStanding,
): Result<SettingsInput> {
  const errors: FieldError[] = [];
  if (input.paymentProvider === 'sandbox' && environment === 'production')
    errors.push({ field: 'settings.paymentProvider', message: 'must not be sandbox in production' });
  errors.push(...bankAccountProblems(input.bankTransfer));
  if (errors.length > 0) return invalid(errors);
  const message = 'stripe is not connected: put its keys by PUT /v0/merchantIntegrations.';
  if (input.taxProvider === 'stripe_tax' && !isConnected) return notConnected('taxProvider', message);
  if (input.taxProvider === 'stripe_tax' && taxProblem !== null)
    return fail('TAX_NOT_ENABLED', { field: 'settings.taxProvider' }, taxProblem);
  if (input.paymentProvider === 'stripe' && !isConnected) return notConnected('paymentProvider', message);
  return ok(input);
}

/** The rules of registrations for tax: countries, ids and dates that can be, and none twice at once. */
export async function checkTaxRegistrations(input: SettingsInput): Promise<Result<void>> {
  const errors = await registrationProblems(
    SETTINGS.taxRegistrations.read(input.taxRegistrations),
    'settings.taxRegistrations',
  );
  return errors.length > 0 ? invalid(errors) : ok(undefined);
}

const notConnected = (name: 'taxProvider' | 'paymentProvider', message: string) =>
  fail('PROVIDER_NOT_CONNECTED', { field: `settings.${name}` }, message);

/** An account that money can be sent to: a number of one kind at least, without a slip of the pen. */
function bankAccountProblems(account: SettingsInput['bankTransfer']): FieldError[] {
  if (account == null) return [];
  const { iban, bic } = account;
  const problems: [string, string | null][] = [
    ['iban', iban == null ? null : ibanProblem(iban)],
    ['bic', bic == null ? null : bicProblem(bic)],
  ];
  const errors = problems.flatMap(([field, message]) =>
    message === null ? [] : [{ field: `settings.bankTransfer.${field}`, message }],
  );
  return iban == null && account.account == null
    ? [{ field: 'settings.bankTransfer', message: 'needs an iban or an account' }, ...errors]
    : errors;
}
