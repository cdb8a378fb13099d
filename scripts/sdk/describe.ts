/** A JSON schema as the OpenAPI document has it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

interface Parameter {
  readonly $ref?: string;
  readonly in?: string;
  readonly name?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Content {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** The parts of the OpenAPI document from which the SDK is made. */
export interface ApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/** An operation as the SDK has it: `resource.method(…)`. */
export interface Described {
  readonly id: string;
  /** Null: a method of the client itself. */
  readonly resource: string | null;
  readonly method: string;
  readonly verb: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly string[];
  /** The name of the type of the query; null: it takes none. */
  readonly query: string | null;
  readonly body: { readonly type: string; readonly isRequired: boolean } | null;
  /** The name of the type of the answer; null: it has no content. `bytes`: it is a file. */
  readonly reply: string | null;
  /** A page of a list that can be read on. */
  readonly isList: boolean;
}

/** A provider of payments calls these, not a program of the merchant. */
const NOT_CALLED = new Set(['receiveProviderNotice']);

/** The noun of a resource in the ids of its operations, where it is not the name of the path in the singular. */
const NOUNS: Readonly<Record<string, readonly string[]>> = {
  billableMetrics: ['BillableMetric', 'Metric'],
  billingSchedules: ['BillingSchedule', 'Schedule'],
  webhookEndpoints: ['WebhookEndpoint', 'Webhook'],
  webhookEvents: ['WebhookEvent', 'Webhook'],
  webhookInbox: ['WebhookInbox'],
  auditLog: ['AuditLog'],
  usage: ['Usage'],
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const small = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '');

/** `POST /v2/invoices/{id}/refunds`, `refundInvoice` is `invoices.refund`. */
function placeOf(path: string, operationId: string, isAlone: boolean): Pick<Described, 'resource' | 'method'> {
  const [, , first = '', second = ''] = path.split('/');
  if (isAlone) return { resource: null, method: operationId };
  const resource = second === 'lineItems' ? second : first;
  const nouns = NOUNS[resource] ?? [capital(singular(resource))];
  for (const noun of nouns) {
    const [found, isSeveral] = new RegExp(`${noun}(s)?(?=[A-Z]|$)`).exec(operationId) ?? [];
    if (found === undefined) continue;
    const isOfMany = path.endsWith('/bulk') || !/^(?:list|create)/.test(operationId);
    const method = operationId.replace(found, isSeveral && isOfMany ? 'Many' : '');
    return { resource, method: small(method) };
  }
  return { resource, method: operationId };
}

const nameOf = (ref: string): string => ref.split('/').at(-1) as string;

/**
 * Every operation with its place in the SDK, and all types that they need by name. A schema without a name in the
 * document gets the one of its operation: `ListCustomersQuery`.
 */
export function describe({ paths, components }: ApiDocument): {
  readonly operations: readonly Described[];
  readonly schemas: Readonly<Record<string, Schema>>;
} {
  const schemas: Record<string, Schema> = { ...components.schemas };
  const named = (name: string, schema: Schema): string => {
    if (schema.$ref !== undefined) return nameOf(schema.$ref);
    schemas[name] = schema;
    return name;
  };
  const resources = Map.groupBy(Object.keys(paths), (path) => path.split('/')[2]);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([verb, operation]) => {
      const { operationId: id } = operation;
      if (NOT_CALLED.has(id)) return [];
      const isAlone =
        path.split('/').length === 3 &&
        resources.get(path.split('/')[2])?.length === 1 &&
        Object.keys(methods).length === 1 &&
        !id.startsWith('list');
      const parameters = (operation.parameters ?? []).map((each) =>
        each.$ref === undefined ? each : (components.parameters?.[nameOf(each.$ref)] ?? each),
      );
      const query = parameters.filter((each) => each.in === 'query');
      const json = operation.requestBody?.content?.['application/json']?.schema;
      const isFile = operation.requestBody !== undefined && json === undefined;
      const [, answer] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
      const answered = answer?.content?.['application/json']?.schema;
      const reply =
        answered === undefined
          ? answer?.content === undefined
            ? null
            : 'bytes'
          : named(`${capital(id)}Reply`, answered);
      const shape = reply === null ? undefined : schemas[reply]?.properties;
      return [
        {
          id,
          ...placeOf(path, id, isAlone),
          verb: verb.toUpperCase(),
          path,
          summary: operation.summary,
          description: operation.description ?? '',
          parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
          query: query.length === 0 ? null : named(`${capital(id)}Query`, queryOf(query)),
          body: isFile
            ? { type: 'Blob', isRequired: true }
            : json === undefined
              ? null
              : { type: named(`${capital(id)}Body`, json), isRequired: operation.requestBody?.required === true },
          reply,
          isList:
            shape?.data !== undefined && shape.pagination !== undefined && query.some(({ name }) => name === 'after'),
        },
      ];
    }),
  );
  return { operations, schemas };
}

const queryOf = (parameters: readonly Parameter[]): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: parameters.filter(({ required }) => required).map(({ name }) => name as string),
  properties: Object.fromEntries(
    parameters.map(({ name = '', schema = {}, description }) => [
      name,
      { ...schema, ...(description && { description }) },
    ]),
  ),
});
