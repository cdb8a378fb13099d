import { PasswordInput } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import { Moment } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import type { InputProps } from '../../shape/fields.tsx';
import { Facts, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';

const KEYS = [
  ['secretKey', 'Secret key', 'sk_… or rk_… of your account'],
  ['webhookSecret', 'Signing secret of the webhook endpoint', 'whsec_…'],
] as const;

/** The two keys of the account; a key that is left empty stays as it is. The form has them as JSON. */
function Keys({ value, change, error }: InputProps) {
  const typed = JSON.parse(typeof value === 'string' && value !== '' ? value : '{}') as Record<string, string>;
  return (
    <div className="stack tight long">
      {KEYS.map(([name, label, hint]) => (
        <PasswordInput
          key={name}
          label={label}
          description={hint}
          autoComplete="off"
          value={typed[name] ?? ''}
          error={error}
          onChange={({ target }) => {
            const { [name]: _old, ...others } = typed;
            change(JSON.stringify(target.value === '' ? others : { ...others, [name]: target.value }));
          }}
        />
      ))}
    </div>
  );
}

/** The connection to Stripe: does it work, and the keys that it has. */
export function Stripe({ merchantId }: { readonly merchantId: string }) {
  const asked = useRead('GET /v0/merchantIntegrations', { query: { provider: 'stripe', limit: 1 } });
  return (
    <Sheet title="Stripe">
      <Part of={asked}>
        {({ data: [found] }) => (
          <div className="stack">
            {found ? (
              <Facts
                of={[
                  ['Connection', <Status key="status" of={found.status === 'active' ? 'connected' : found.status} />],
                  ['Reason', found.statusReason],
                  ['Account', found.externalId],
                  ['Keys that are stored', found.secrets.map(wordsOf).join(', ')],
                  ['Connected', found.status === 'active' && <Moment at={found.connectedAt} />],
                ]}
              />
            ) : (
              <p className="soft">No account is connected.</p>
            )}
            <p className="fine soft">
              Stripe sends its events to{' '}
              <code>{`${window.location.origin}/v0/providers/stripe/webhooks/${merchantId}`}</code>
            </p>
            <div className="row">
              <Deed
                label={found ? 'Change the keys' : 'Connect'}
                verb="Connect"
                operation="PUT /v0/merchantIntegrations"
                fields={['config']}
                fixed={{ provider: 'stripe' }}
                inputs={{ config: Keys }}
                effects={['The keys are tried at once. They are stored encrypted, and never shown.']}
                needs="admin"
              />
              {found && found.status !== 'disconnected' && (
                <Deed
                  label="Disconnect"
                  operation="PATCH /v0/merchantIntegrations/{id}/disconnect"
                  path={{ id: found.id }}
                  facts={[['Account', found.externalId]]}
                  effects={['The keys are deleted. Cards at Stripe are not charged any more.']}
                  undo="Connect again with the keys."
                  needs="admin"
                  isDangerous
                />
              )}
            </div>
          </div>
        )}
      </Part>
    </Sheet>
  );
}
