import { describe, expect, it } from 'vitest';
import { describeSandbox } from '../support/documents.ts';
import { type OpenApiDocument, type Schema, withoutParts } from './client.ts';
import { branchesOf, isFree, type Place, placesOf, referenceOf, withoutNull } from './document-walk.ts';

const documents = await describeSandbox();

/** The places of JSON with any content, with the reason. */
const ANY_JSON: Readonly<Record<string, string>> = {
  'Error.details': 'the code of the error decides',
  'ValidationError.details': 'the code of the error decides',
  'AuditEntry.before': 'any resource',
  'AuditEntry.after': 'any resource',
  'ApprovalChanges.changes[].before': 'any field of an invoice or an order',
  'ApprovalChanges.changes[].after': 'any field of an invoice or an order',
  'CloudEvent.data': 'the caller’s own',
  'EventCreate.data': 'the caller’s own',
  'EventWithData.data': 'the caller’s own',
  'MeterEvent.data': 'the caller’s own',
  'StaticTemplate.config': 'the caller’s own',
  'StaticEntitlement.config': 'the caller’s own',
  'StaticEntitlementDetail.config': 'the caller’s own',
  'StaticFeatureAccess.config': 'the caller’s own',
  'SubscriptionReconciliation.features.updated[].config.before': 'the caller’s own',
  'SubscriptionReconciliation.features.updated[].config.after': 'the caller’s own',
  'ScheduleInterval.usageFilter': 'the caller’s own',
  'ScheduleIntervalInput.usageFilter': 'the caller’s own',
  'MerchantIntegration.config': 'the outside system decides',
  'MerchantIntegrationPut.config': 'the outside system decides',
  'SourceEvent.rawData': 'the outside system decides',
  'receiveSourceEvent body': 'the outside system decides',
  'receiveProviderNotice body': 'the outside system decides',
};

/** Places with any value or with fields of any name, with the reason. */
const OPEN: Readonly<Record<string, string>> = {
  JsonObject: 'the type itself',
  JsonValue: 'the type itself',
  CloudEvent: 'attributes of other names',
  'Source.config': 'fields of the caller’s own beside those of the program',
  'Source.metadata': 'fields of the caller’s own beside those of the program',
  'SourceCreate.config': 'fields of the caller’s own beside those of the program',
  'SourceCreate.metadata': 'fields of the caller’s own beside those of the program',
  'SourceUpdate.config': 'fields of the caller’s own beside those of the program',
  'SourceUpdate.metadata': 'fields of the caller’s own beside those of the program',
};

/** Unions of objects without a distinguishing field, with the reason. */
const OPEN_UNIONS: Readonly<Record<string, string>> = {
  BadRequest: '`errors` is there, or it is not',
  'PriceUpdate.properties': 'the stored price has the model where the change has none',
  'PriceOverride.properties': 'the price has the model',
  'CommitmentCreate.overrides[].properties': 'the price has the model',
  'SubscriptionCreate.priceOverrides[].properties': 'the price has the model',
  'SubscriptionChangeCreate.priceOverrides[].properties': 'the price has the model',
};

/** Prices in other currencies: the price has the model. */
const IN_CURRENCIES = /\.currencyPrices\{\}\.properties$/;

/** Fields that are figures by their names. */
const FIGURE =
  /\.(?:\w*(?:Amount|Quantity|Price|Percent|Subtotal|Total|Tax|Cost|Balance)|amount|quantity|price|percent|percentage|percentageDiscount|subtotal|total|cost|balance)$/;
/** Figures that may be the word `none` instead. */
const OR_NONE = /(?:PriceOverride|\.(?:priceO|o)verrides\[\])\.(?:minimum|maximum)Amount$/;
/** Fields that are times or days by their names. */
const TIME = /\.(?:\w*(?:At|Until|PeriodStart|PeriodEnd|Date)|taxRegistrations\[\]\.(?:from|to))$/;
const DECIMALS = new Set(['Decimal', 'DecimalNumber', 'DecimalInput']);

/** Times without a format, with the reason. */
const OPEN_TIMES: Readonly<Record<string, string>> = {
  'Commitment.invoiceAt': 'a word, or a list of dates',
  'CommitmentCreate.invoiceAt': 'the same',
  'MeteredEntitlement.currentPeriodEnd': 'it can lie after 2199, where times of requests end',
  'MeteredEntitlementDetail.currentPeriodEnd': 'the same',
};

/** The last name of a place without the marks of lists and maps. */
const plainAt = (at: string): string => at.replace(/(?:\{\}|\[\])+$/, '');

describe.each(['plain', 'compact'] as const)('the %s document for generators of clients', (kind) => {
  const document = withoutParts(documents[kind]);
  const places = placesOf(document);
  const named = document.components.schemas;
  const isObject = (schema: Schema): boolean => {
    const { type, oneOf } = named[referenceOf(schema) ?? ''] ?? schema;
    return type === 'object' || oneOf !== undefined;
  };

  it('has no value of which it does not say the type', () => {
    const free = places.filter(({ schema }) => isFree(schema)).map(({ at }) => at);
    expect(free.toSorted()).toEqual(Object.keys(OPEN).toSorted());
  });

  it('has JSON of any content where there is a reason, and nowhere else', () => {
    const found = places
      .filter(({ schema }) => ['JsonObject', 'JsonValue'].includes(referenceOf(schema) ?? ''))
      .map(({ at }) => plainAt(at));
    expect([...new Set(found)].toSorted()).toEqual(Object.keys(ANY_JSON).toSorted());
  });

  it('has an optional description in every request, except where it is the text of a line for the payer', () => {
    const requests = places.filter(({ isSent }) => isSent).map(({ schema }) => schema);
    const seen = new Set<string>();
    for (const schema of requests) {
      const name = referenceOf(schema);
      if (name === undefined || seen.has(name)) continue;
      seen.add(name);
      requests.push(
        ...places.filter(({ at }) => new RegExp(`^${name}(?![\\w])`).test(at)).map((place) => place.schema),
      );
    }
    const described = [...seen].filter((name) => 'description' in ((named[name]?.properties ?? {}) as object));
    const required = described.filter((name) =>
      (named[name]?.required as string[] | undefined)?.includes('description'),
    );
    expect(required).toEqual(['PaymentItemCreate']);
    expect(described.length).toBeGreaterThan(12);
  });

  it('tells the objects of a union apart by a field', () => {
    const unions = places.filter(({ schema }) => branchesOf(schema).filter(isObject).length > 1);
    const open = unions.filter(({ schema }) => schema.discriminator === undefined).map(({ at }) => at);
    expect(open.filter((at) => !IN_CURRENCIES.test(at)).toSorted()).toEqual(Object.keys(OPEN_UNIONS).toSorted());
    expect(unions.length).toBeGreaterThan(10);
  });

  it('names each kind of a union by a word that only it has', () => {
    const optional: string[] = [];
    const faults: string[] = [];
    for (const { at, schema } of places) {
      if (schema.discriminator === undefined) continue;
      const { propertyName, mapping } = schema.discriminator as {
        propertyName: string;
        mapping: Record<string, string>;
      };
      const words = branchesOf(schema).flatMap((branch) => {
        const { properties = {}, required = [] } = named[referenceOf(branch) ?? ''] as {
          properties?: Record<string, Schema>;
          required?: string[];
        };
        if (!required.includes(propertyName)) optional.push(`${at} ${referenceOf(branch)}`);
        const own = withoutNull(properties[propertyName] ?? {}).flatMap(
          (each) => (each.enum ?? [each.const]) as string[],
        );
        return own.map((word) => [word, String(branch.$ref)] as const);
      });
      if (JSON.stringify(words) !== JSON.stringify(Object.entries(mapping))) faults.push(at);
      if (new Set(words.map(([word]) => word)).size !== words.length) faults.push(at);
    }
    expect(faults).toEqual([]);
    expect(optional).toEqual([]);
  });

  it('has the properties of each price model in bodies and answers, and the template of each type', () => {
    const mappingOf = (name: string) => {
      const { discriminator } = named[name] as { discriminator: { mapping: object } };
      return Object.keys(discriminator.mapping);
    };
    const models = ['standard', 'graduated', 'volume', 'package', 'percentage', 'dynamic', 'matrix'];
    for (const name of ['Price', 'PriceCreate', 'PlanVersionPriceSlot', 'ExplainedPrice'])
      expect(mappingOf(name), name).toEqual(models);
    for (const name of ['EntitlementTemplate', 'EntitlementTemplateBody'])
      expect(mappingOf(name).toSorted(), name).toEqual(['boolean', 'metered', 'static']);
    expect(mappingOf('Alert')).toEqual(['balance', 'invoice_total', 'usage', 'billing_credits']);
    expect(mappingOf('WebhookEvent')).toContain('invoice.paid.v0');
  });

  it('has a decimal type for every figure', () => {
    const isFigure = ({ at, schema }: Place): boolean =>
      FIGURE.test(at) && schema.type !== 'null' && withoutNull(schema).every((each) => !isObject(each));
    const figures = places.filter(isFigure);
    const isExact = (schema: Schema): boolean =>
      DECIMALS.has(referenceOf(schema) ?? '') || [schema.type].flat().includes('integer');
    const others = figures.filter(({ at, schema }) => !OR_NONE.test(at) && !withoutNull(schema).every(isExact));
    expect(others.map(({ at }) => at)).toEqual([]);
    expect(figures.length).toBeGreaterThan(150);
  });

  it('has a format for every time and day', () => {
    const times = places.filter(
      ({ at, schema }) => TIME.test(at) && referenceOf(schema) === undefined && branchesOf(schema).length === 0,
    );
    const isTime = ({ type, format }: Schema): boolean =>
      type === 'null' || ['date-time', 'date'].includes(String(format));
    const open = new Set(times.filter(({ schema }) => !isTime(schema)).map(({ at }) => at));
    expect([...open].toSorted()).toEqual(Object.keys(OPEN_TIMES));
    expect(times.length).toBeGreaterThan(200);
  });

  it('says the form of decimals once', () => {
    const forms = places.filter(({ at, schema }) => !DECIMALS.has(at) && schema.format === 'decimal');
    expect(forms.map(({ at }) => at)).toEqual([]);
    const numbers = places.filter(
      ({ at, schema }) => [schema.type].flat().includes('number') && !/^(?:Json|Dec)/.test(at),
    );
    expect(numbers.map(({ at }) => at)).toEqual([]);
    for (const name of DECIMALS) expect(named[name]).toMatchObject({ format: 'decimal' });
  });

  it('names every operation once, with a summary and a description', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as unknown as Record<
      string,
      string
    >[];
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, summary, description } of operations) {
      expect(operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
      expect(summary, operationId).toMatch(/^[A-Z]/);
      expect(description, operationId).toMatch(/^[`A-Z]/);
    }
  });
});

it('has the same ids of operations in both documents', () => {
  const idsOf = ({ paths }: OpenApiDocument) =>
    Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(idsOf(documents.compact)).toEqual(idsOf(documents.plain));
});

describe('the walk sees', () => {
  it.each([
    { schema: {}, what: 'an empty schema' },
    { schema: { type: 'object' }, what: 'an object without fields' },
    { schema: { type: 'object', properties: {}, additionalProperties: true }, what: 'fields of any kind' },
    { schema: { type: 'array' }, what: 'a list of anything' },
    { schema: { type: 'array', items: {} }, what: 'a list of empty schemas' },
    { schema: { description: 'words' }, what: 'words alone' },
  ])('$what', ({ schema }) => expect(isFree(schema)).toBe(true));
});
