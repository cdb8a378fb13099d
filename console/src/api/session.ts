import { useQuery } from '@tanstack/react-query';
import { request } from './client.ts';
import { ApiError } from './errors.ts';
import type { Organization, User } from './types.ts';

/** Who is signed in, and for how long. */
export interface Session {
  readonly user: User;
  readonly organization: Organization;
  readonly role: 'viewer' | 'member' | 'admin';
  readonly environment: 'production' | 'sandbox';
  readonly expiresAt: string;
}

const ADDRESS = '/console/api/session';

export const sessionKey = ['session'] as const;

/** The session of this browser; null: nobody is signed in. */
export const readSession = async (): Promise<Session | null> => {
  try {
    return (await request('GET', ADDRESS)).value as Session;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
};

export const useSession = () => useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: 60_000 });

export const signIn = async (body: { email: string; password: string; userId?: string }): Promise<Session> =>
  (await request('POST', ADDRESS, { body: body as never })).value as Session;

export const signOut = (): Promise<unknown> => request('DELETE', ADDRESS);

/** Signs in by a one-time link. */
export const signInByLink = async (token: string): Promise<Session> =>
  (await request('POST', `${ADDRESS}/link`, { body: { token } as never })).value as Session;

export const changePassword = (body: { password: string; currentPassword?: string }): Promise<unknown> =>
  request('PUT', `${ADDRESS}/password`, { body: body as never });

/** A browser that is signed in as this person. */
export interface ListedSession {
  readonly id: string;
  readonly isCurrent: boolean;
  readonly method: 'password' | 'link';
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
}

export const useSessions = () =>
  useQuery({
    queryKey: ['sessions'],
    queryFn: async () =>
      (await request('GET', '/console/api/sessions')).value as { readonly data: readonly ListedSession[] },
  });

export const endSession = (id: string): Promise<unknown> => request('DELETE', `/console/api/sessions/${id}`);

/** Makes a link that signs a user in once, within 24 hours. @throws ApiError for a user with a password */
export const makeSignInLink = async (userId: string): Promise<{ readonly url: string; readonly expiresAt: string }> =>
  (await request('POST', `/console/api/users/${userId}/signInLink`, { body: {} as never })).value as {
    readonly url: string;
    readonly expiresAt: string;
  };

const RANK = { viewer: 0, member: 1, admin: 2 } as const;

/** May this person do what takes the role? An operator acts for a merchant as its admin. */
export function useMay(role: keyof typeof RANK): boolean {
  const { data } = useSession();
  return data ? RANK[data.role] >= RANK[role] : false;
}
