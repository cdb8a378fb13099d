import type { FastifyRequest } from 'fastify';
import type { Database } from '../db/index.ts';
import { Id, OneOf, Reply, type Route, routesOf, Strict, Text, Timestamp, Type } from '../http/index.ts';
import { checkGrantedRole, Email, type EnvironmentName, findUser, MeReply, me } from '../identity/index.ts';
import { fail, notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant } from '../kernel/time.ts';
import { callerOf, type Door } from './door.ts';
import { hashOfToken, type SignInPlace } from './logins.ts';
import { isSafeToSignIn } from './origin.ts';
import { deleteSession, deleteSessionOfToken, type Session, selectPasswords, selectSessions } from './sessions.sql.ts';
import { changePassword, createLink, type SignInParts, signIn, signInByLink } from './sign-in.ts';

const api = routesOf('Console');

const SessionReply = Type.Object({
  ...MeReply.properties,
  object: Type.Literal('session'),
  expiresAt: Timestamp,
});

const ListedSessionReply = Type.Object({
  id: Type.String(),
  object: Type.Literal('consoleSession'),
  isCurrent: Type.Boolean(),
  method: OneOf(['password', 'link']),
  ipAddress: Type.String(),
  userAgent: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
});

const LinkReply = Type.Object({ url: Type.String(), expiresAt: Timestamp });

/** A password that is typed may have any length; what is set is checked apart. */
const Typed = Text({ minLength: 1, maxLength: 1_000 });

const placeOf = ({ ip, headers }: FastifyRequest): SignInPlace => ({
  address: ip,
  userAgent: headers['user-agent'] ?? '',
});

/** The operations on sessions of the console (docs/console.md, Signing in). */
export function sessionRoutes(
  environment: EnvironmentName,
  door: Door,
  parts: SignInParts,
  database: Database,
): readonly Route[] {
  const { publicUrl } = parts;
  const usual = { access: { public: true }, hidden: true } as const;
  const sessionOf = (request: FastifyRequest): Promise<Session> => door.session(door.secretOf(request));

  const sessionReply = async (session: Session) => {
    const caller = callerOf(session);
    const own = await database.transaction({ merchants: [caller.organizationId] }, (tx) => me(tx, caller, environment));
    return { ...own, object: 'session' as const, expiresAt: formatInstant(session.expiresAt) };
  };

  /** The answer to a sign-in: the session, in a cookie with a new token. The one of the browser before ends. */
  const begun = async (request: FastifyRequest, made: Result<string>): Promise<Result<Reply>> => {
    if (!made.ok) return made;
    const before = door.secretOf(request);
    if (before !== '') await database.transaction('nobody', (tx) => deleteSessionOfToken(tx, hashOfToken(before)));
    const session = await door.session(made.value);
    return ok(new Reply(200, await sessionReply(session), { 'set-cookie': door.cookie.set(made.value) }));
  };

  return [
    api.post('/console/api/session', 'signIn', {
      ...usual,
      summary: 'Sign in with a password',
      body: Strict({ email: Email, password: Typed, userId: Type.Optional(Id('user')) }),
      replies: { 200: SessionReply },
      free: async ({ request, body }) => {
        if (!isSafeToSignIn(request.headers, publicUrl)) return fail('INSECURE_SIGN_IN');
        return begun(request, await signIn(parts, body, placeOf(request)));
      },
    }),
    api.post('/console/api/session/link', 'signInByLink', {
      ...usual,
      summary: 'Sign in with a link',
      body: Strict({ token: Text({ minLength: 1, maxLength: 200 }) }),
      replies: { 200: SessionReply },
      free: async ({ request, body, now }) => {
        if (!isSafeToSignIn(request.headers, publicUrl)) return fail('INSECURE_SIGN_IN');
        return begun(request, await signInByLink(parts, body.token, placeOf(request), now));
      },
    }),
    api.get('/console/api/session', 'getSession', {
      ...usual,
      summary: 'Retrieve the person who is signed in',
      replies: { 200: SessionReply },
      free: async ({ request }) => ok(await sessionReply(await sessionOf(request))),
    }),
    api.delete('/console/api/session', 'signOut', {
      ...usual,
      summary: 'Sign out',
      handler: async ({ tx, request }) => {
        await deleteSessionOfToken(tx, hashOfToken(door.secretOf(request)));
        return ok(new Reply(204, undefined, { 'set-cookie': door.cookie.removed }));
      },
    }),
    api.get('/console/api/sessions', 'listSessions', {
      ...usual,
      summary: 'List your sessions',
      replies: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(ListedSessionReply) }) },
      handler: async ({ tx, request, now }) => {
        const { id: current, userId } = await sessionOf(request);
        const sessions = await selectSessions(tx, userId, now);
        const data = sessions.map(({ createdAt, usedAt, ...session }) => ({
          ...session,
          object: 'consoleSession' as const,
          isCurrent: session.id === current,
          createdAt: formatInstant(createdAt),
          lastUsedAt: formatInstant(usedAt),
        }));
        return ok({ object: 'list' as const, data });
      },
    }),
    api.delete('/console/api/sessions/:id', 'endSession', {
      ...usual,
      summary: 'End one of your sessions',
      handler: async ({ tx, request, params }) => {
        const { userId } = await sessionOf(request);
        return (await deleteSession(tx, userId, params.id)) === 1 ? ok(undefined) : notFound('session');
      },
    }),
    api.put('/console/api/session/password', 'changePassword', {
      ...usual,
      summary: 'Set your password',
      body: Strict({ password: Typed, currentPassword: Type.Optional(Typed) }),
      replies: { 204: Type.Null() },
      free: async ({ request, body, now }) => {
        const session = await sessionOf(request);
        const { user } = await sessionReply(session);
        return changePassword(parts, { session, email: user.email, address: request.ip }, body, now);
      },
    }),
    api.post('/console/api/users/:userId/signInLink', 'createSignInLink', {
      summary: 'Create a link that signs a user in once',
      hidden: true,
      access: { role: 'admin', merchant: { of: 'userId', kind: 'user' } },
      idempotent: false,
      replies: { 201: LinkReply },
      free: async ({ caller, merchantId, params, now, audit }) => {
        const known = await database.transaction('nobody', (tx) => selectPasswords(tx, [params.userId]));
        if (known.length > 0) return fail('PASSWORD_EXISTS');
        return database.transaction({ merchants: [merchantId] }, async (tx) => {
          const user = await findUser(tx, params.userId);
          if (!user.ok) return user;
          const granted = checkGrantedRole(caller, user.value.role);
          if (!granted.ok) return granted;
          await audit(tx, null, { id: user.value.id, object: 'user' });
          const login = { userId: user.value.id, merchantId };
          const { url, expiresAt } = await database.transaction('nobody', (other) =>
            createLink(other, login, publicUrl, now),
          );
          return ok({ url, expiresAt: formatInstant(expiresAt) });
        });
      },
    }),
  ];
}
