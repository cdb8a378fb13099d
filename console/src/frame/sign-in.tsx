import { Button, PasswordInput, Select, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { queryClient } from '../api/queries.ts';
import { sessionKey, signIn } from '../api/session.ts';
import { Outside } from './outside.tsx';

interface Choice {
  readonly userId: string;
  readonly organization: { readonly id: string; readonly name: string };
}

/** Only addresses of the console: nobody is sent elsewhere by a link. */
const isOurs = (next: string | undefined): next is string => next !== undefined && /^\/[^/\\]/.test(next);

/** Signs in by e-mail and password, and goes on to the page that was asked for. */
export function SignIn() {
  const navigate = useNavigate();
  const { next } = useSearch({ strict: false }) as { next?: string };
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [userId, setUserId] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: { preventDefault: () => void }) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const session = await signIn({ email, password, ...(userId !== null && { userId }) });
      queryClient.clear();
      queryClient.setQueryData(sessionKey, session);
      await navigate({ to: isOurs(next) ? next : '/' });
    } catch (error) {
      if (error instanceof ApiError && Array.isArray(error.details.choices))
        setChoices(error.details.choices as Choice[]);
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Outside title="Sign in">
      <form className="stack" onSubmit={(event) => void submit(event)}>
        {problem !== null && (
          <p className="note bad" role="alert">
            {problem}
          </p>
        )}
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
          data-autofocus
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        {choices.length > 0 && (
          <Select
            label="Organization"
            required
            value={userId}
            onChange={setUserId}
            data={choices.map((each) => ({ value: each.userId, label: each.organization.name }))}
          />
        )}
        <Button type="submit" loading={isBusy} size="sm">
          Sign in
        </Button>
        <p className="fine soft">
          No password yet? Ask an admin of your organization for a sign-in link, or run{' '}
          <code>npm run sign-in-link -- EMAIL</code> on the server.
        </p>
      </form>
    </Outside>
  );
}
