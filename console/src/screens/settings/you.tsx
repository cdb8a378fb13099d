import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { ApiError } from '../../api/errors.ts';
import { changePassword, endSession, useSession, useSessions } from '../../api/session.ts';
import { Moment } from '../../look/figures.tsx';
import { Table } from '../../shape/list.tsx';
import { Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';

/** The person who is signed in: its password, and the browsers where it is signed in. */
export function You() {
  const { data: session } = useSession();
  if (!session) return null;
  return (
    <Page
      up={{ path: '/settings/members', name: 'Members' }}
      title="You"
      about={`${session.user.email} · ${session.role} · ${session.environment}`}
    >
      <Password email={session.user.email} />
      <Sessions />
    </Page>
  );
}

const wordsOfProblem = (error: Error): string =>
  error instanceof ApiError && error.fields[0] ? `The password ${error.fields[0].message}.` : error.message;

function Password({ email }: { readonly email: string }) {
  const client = useQueryClient();
  const [currentPassword, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const save = useMutation({
    mutationFn: () => changePassword({ password, ...(currentPassword !== '' && { currentPassword }) }),
    onSuccess: () => {
      setCurrent('');
      setPassword('');
      return client.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Sheet title="Password">
      <form className="stack" onSubmit={submit}>
        {save.error && (
          <p className="note bad" role="alert">
            {wordsOfProblem(save.error)}
          </p>
        )}
        {save.isSuccess && (
          <p className="note good" role="status">
            The new password holds. All your other sessions have ended.
          </p>
        )}
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <div className="fields">
          <PasswordInput
            label="Present password"
            description="Not needed within 15 minutes of a sign-in by a link."
            autoComplete="current-password"
            value={currentPassword}
            onChange={({ target }) => setCurrent(target.value)}
          />
          <PasswordInput
            label="New password"
            description="At least 12 characters, and none of the common ones."
            autoComplete="new-password"
            required
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </div>
        <div className="row">
          <Button type="submit" loading={save.isPending} disabled={password === ''}>
            Change the password
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

function Sessions() {
  const asked = useSessions();
  const end = useMutation({ mutationFn: endSession, onSettled: () => asked.refetch() });
  return (
    <Sheet title="Where you are signed in" flush>
      {end.error && (
        <p className="note bad" role="alert">
          {end.error.message}
        </p>
      )}
      <Part of={asked}>
        {({ data }) => (
          <Table
            caption="Your sessions"
            rows={data}
            rowKey={({ id }) => id}
            columns={[
              {
                name: 'Browser',
                cell: ({ userAgent, isCurrent }) => (
                  <div>
                    {userAgent || 'Unknown'}
                    {isCurrent && <strong className="block fine">This browser</strong>}
                  </div>
                ),
              },
              { name: 'Address', cell: ({ ipAddress }) => <code className="figure">{ipAddress}</code> },
              { name: 'By', cell: ({ method }) => (method === 'link' ? 'A link' : 'Password') },
              { name: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} /> },
              { name: 'Last used', cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
              {
                name: 'Actions',
                cell: ({ id, isCurrent }) =>
                  !isCurrent && (
                    <Button
                      variant="default"
                      onClick={() => end.mutate(id)}
                      loading={end.isPending && end.variables === id}
                    >
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Part>
    </Sheet>
  );
}
