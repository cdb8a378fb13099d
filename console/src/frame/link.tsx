import { Button, PasswordInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { queryClient } from '../api/queries.ts';
import { changePassword, type Session, sessionKey, signInByLink } from '../api/session.ts';
import { Outside } from './outside.tsx';

/** Signs in by a one-time link, and offers to choose a password. The token stands behind `#`, so no log has it. */
export function LinkPage() {
  const navigate = useNavigate();
  const [token] = useState(() => window.location.hash.slice(1));
  const [session, setSession] = useState<Session | null>(null);
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(
        error instanceof ApiError && error.fields[0]
          ? `The password ${error.fields[0].message}.`
          : (error as Error).message,
      );
    } finally {
      setBusy(false);
    }
  };
  const use = () =>
    attempt(async () => {
      const found = await signInByLink(token);
      window.history.replaceState(null, '', window.location.pathname);
      queryClient.clear();
      queryClient.setQueryData(sessionKey, found);
      setSession(found);
    });
  const save = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    void attempt(async () => {
      await changePassword({ password });
      await navigate({ to: '/' });
    });
  };
  const said = problem !== null && (
    <p className="note bad" role="alert">
      {problem}
    </p>
  );
  if (session === null)
    return (
      <Outside title="Sign in by a link">
        {said}
        <p>The link works once. Afterwards you can choose a password.</p>
        <Button onClick={() => void use()} loading={isBusy} disabled={token === ''} size="sm">
          Sign in
        </Button>
      </Outside>
    );
  return (
    <Outside title="Choose a password">
      <p>
        You are signed in as {session.user.email} of {session.organization.name}.
      </p>
      <form className="stack" onSubmit={save}>
        {said}
        <input type="hidden" name="username" autoComplete="username" value={session.user.email} />
        <PasswordInput
          label="Password"
          description="At least 12 characters, and none of the common ones."
          autoComplete="new-password"
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        <Button type="submit" loading={isBusy} size="sm">
          Save the password
        </Button>
        <Button variant="default" onClick={() => void navigate({ to: '/' })} size="sm">
          Later
        </Button>
      </form>
    </Outside>
  );
}
