import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useSession } from '../../api/session.ts';
import { Moment } from '../../look/figures.tsx';
import { Once } from '../../shape/copy.tsx';
import { Deed } from '../../shape/deed.tsx';
import { List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';
import { UserPicker } from '../../shape/picker.tsx';

/** The API keys of the person who is signed in; an admin sees and revokes those of each user. */
export function ApiKeys() {
  const { data: session } = useSession();
  const { user } = useSearch({ strict: false }) as { user?: string };
  const navigate = useNavigate();
  const isAdmin = useMay('admin');
  const [secret, setSecret] = useState<string | null>(null);
  if (!session) return null;
  const userId = user ?? session.user.id;
  const isOwn = userId === session.user.id;
  return (
    <Page
      title="API keys"
      about={`These keys work in the ${session.environment} only, each with the role of its user.`}
      actions={
        (isOwn || isAdmin) && (
          <Deed
            label="New key"
            operation="POST /v0/users/{userId}/apikeys"
            path={{ userId }}
            labels={{ expiresAt: 'Works until' }}
            isPrimary
            done={(key) => setSecret(key.secret ?? null)}
          />
        )
      }
    >
      {isAdmin && (
        <div style={{ maxWidth: '20rem' }}>
          <UserPicker
            label="Keys of"
            value={userId}
            onChange={(value) => void navigate({ to: '.', search: { user: value ?? undefined } as never })}
          />
        </div>
      )}
      <List
        key={userId}
        operation="GET /v0/users/{userId}/apikeys"
        path={{ userId }}
        file="api-keys"
        rowKey={({ id }) => id}
        isPart
        columns={[
          { name: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
          {
            name: 'Key',
            cell: ({ prefix, last4 }) => <code>{`${prefix}…${last4}`}</code>,
            value: ({ prefix, last4 }) => `${prefix}…${last4}`,
          },
          {
            name: 'Last used',
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Moment at={lastUsedAt} />),
            value: ({ lastUsedAt }) => lastUsedAt,
          },
          {
            name: 'Works until',
            cell: ({ expiresAt }) => (expiresAt === null ? 'Until it is revoked' : <Moment at={expiresAt} />),
            value: ({ expiresAt }) => expiresAt,
          },
          { name: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} />, value: ({ createdAt }) => createdAt },
          {
            name: 'Actions',
            cell: ({ id, name, prefix, last4, lastUsedAt }) =>
              (isOwn || isAdmin) && (
                <Deed
                  label="Revoke"
                  verb="Revoke the key"
                  operation="DELETE /v0/users/{userId}/apikeys/{keyId}"
                  path={{ userId, keyId: id }}
                  facts={[
                    ['Name', name],
                    ['Key', <code key="key">{`${prefix}…${last4}`}</code>],
                    ['Last used', lastUsedAt === null ? 'Never' : <Moment key="used" at={lastUsedAt} />],
                  ]}
                  effects={['Programs with this key are refused within a second.']}
                  undo="This cannot be undone. Make a new key instead."
                  isDangerous
                />
              ),
          },
        ]}
        empty={{
          text: 'A program calls the API with a key. Make one for each program, so that you can revoke it alone.',
          example: { method: 'GET', path: '/v0/me' },
        }}
      />
      <Once title="The new key" text={secret} close={() => setSecret(null)}>
        Store the key now. It is shown this once, and nobody can read it later.
      </Once>
    </Page>
  );
}
