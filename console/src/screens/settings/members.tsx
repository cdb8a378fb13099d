import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { makeSignInLink, useMay, useSession } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { useMerchantId } from '../../frame/places.ts';
import { To } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { wordsOf } from '../../look/words.ts';
import { Once } from '../../shape/copy.tsx';
import { Deed } from '../../shape/deed.tsx';
import { List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';

const nameOf = ({ firstName, lastName, email }: User): string =>
  [firstName, lastName].filter(Boolean).join(' ') || email;

/** The people of the merchant with their roles; an admin invites them by a link that signs in once. */
export function Members() {
  const { data: session } = useSession();
  const merchantId = useMerchantId();
  const may = useMay('admin');
  const link = useMutation({ mutationFn: (user: User) => makeSignInLink(user.id) });
  return (
    <Page
      title="Members"
      about="A viewer reads. A member also writes. An admin also changes users, settings and webhooks."
      actions={
        <>
          <To path="/settings/members/you">Your password and sessions</To>
          <Deed
            label="Invite"
            verb="Make the user and a link"
            operation="POST /v0/users"
            fields={['email', 'role', 'firstName', 'lastName']}
            labels={{ email: 'E-mail' }}
            initial={{ role: 'member' }}
            fixed={{ organizationId: merchantId }}
            needs="admin"
            isPrimary
            done={(user) => link.mutate(user)}
          />
        </>
      }
    >
      {link.error && (
        <p className="note bad" role="alert">
          No link for {link.variables && nameOf(link.variables)}: {link.error.message}
        </p>
      )}
      <List
        operation="GET /v0/users"
        fixed={{ organizationId: merchantId }}
        file="members"
        rowKey={({ id }) => id}
        isPart
        columns={[
          {
            name: 'Name',
            cell: (user) => `${nameOf(user)}${user.id === session?.user.id ? ' (you)' : ''}`,
            value: nameOf,
          },
          { name: 'E-mail', cell: ({ email }) => email, value: ({ email }) => email },
          { name: 'Role', cell: ({ role }) => wordsOf(role), value: ({ role }) => role },
          { name: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} />, value: ({ createdAt }) => createdAt },
          {
            name: 'Actions',
            cell: (user) =>
              may && (
                <div className="row">
                  <Deed
                    label="Edit"
                    verb="Save"
                    operation="PATCH /v0/users/{id}"
                    path={{ id: user.id }}
                    before={user}
                    fields={['role', 'email', 'firstName', 'lastName']}
                    labels={{ email: 'E-mail' }}
                    facts={[['User', nameOf(user)]]}
                    effects={['A new role holds for its session and its keys within a second.']}
                    needs="admin"
                  />
                  <Button
                    variant="default"
                    onClick={() => link.mutate(user)}
                    loading={link.isPending && link.variables.id === user.id}
                  >
                    Sign-in link
                  </Button>
                  <To path={`/developers/api-keys?user=${user.id}`}>API keys</To>
                </div>
              ),
          },
        ]}
        empty={{ text: 'Nobody yet. Invite the first person.' }}
      />
      <Once title="The sign-in link" text={link.data?.url ?? null} close={link.reset}>
        Give this link to {link.variables && nameOf(link.variables)}. It signs in once, until{' '}
        <Moment at={link.data?.expiresAt} />. It is shown this once, and no mail is sent.
      </Once>
    </Page>
  );
}
