import {
  FreeMap,
  Id,
  ListQuery,
  MapOut,
  Metadata,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { Provider } from '../references/index.ts';
import { INTEGRATION_STATUSES } from './integration.ts';

const StatusWord = OneOf(INTEGRATION_STATUSES);

export const IntegrationReply = Type.Object(
  {
    id: Id('merchantIntegration'),
    object: Type.Literal('merchantIntegration'),
    merchantId: Id('organization'),
    provider: Type.String(),
    externalId: Nullable(Type.String()),
    status: StatusWord,
    statusReason: Nullable(
      Type.String({ description: 'Why the connection does not work, as its provider said when it was tried.' }),
    ),
    config: Type.Unsafe<Record<string, unknown>>({ ...MapOut, description: 'Without its secrets.' }),
    secrets: Type.Array(Type.String(), {
      description: 'The paths in `config` of the secrets that are stored. The secrets are never answered.',
    }),
    metadata: MapOut,
    connectedAt: Timestamp,
    disconnectedAt: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'MerchantIntegration' },
);

export const IntegrationBody = Strict(
  {
    provider: Provider,
    externalId: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 255 }))),
    status: Type.Optional(StatusWord),
    config: Type.Optional(
      FreeMap({
        description:
          'Replaced whole, save for its secrets: one that is not sent stays, null removes it. A field is a secret by its ' +
          'name, such as `secretKey`, `webhookSecret`, `apiKey` or `token`.',
      }),
    ),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'MerchantIntegrationPut' },
);
export type IntegrationBody = Static<typeof IntegrationBody>;

export const IntegrationsQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  provider: Type.Optional(Provider),
  status: Type.Optional(StatusWord),
});
export type IntegrationsQuery = Static<typeof IntegrationsQuery>;
