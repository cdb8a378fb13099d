import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The codes of the web console (docs/console.md, Signing in). */
export const consoleErrors = {
  SIGNED_OUT: { status: 401, message: 'Sign in at the console: there is no session, or it has ended.' },
  SIGN_IN_FAILED: { status: 401, message: 'This e-mail address and this password do not match.' },
  SIGN_IN_LINK_INVALID: { status: 401, message: 'This link was used before, has expired, or does not exist.' },
  ORGANIZATION_NEEDED: {
    status: 409,
    message: 'Users of several organizations match. Choose one of details.choices, and send its userId.',
  },
  INSECURE_SIGN_IN: {
    status: 400,
    message:
      'The console is signed in to by https. By http it works on the same machine alone: open it at localhost, or ' +
      'set PUBLIC_URL (SANDBOX_PUBLIC_URL) to the https address of a proxy.',
  },
  CROSS_SITE: { status: 403, message: 'The console takes no requests from other sites.' },
  CONSOLE_HEADER_MISSING: {
    status: 403,
    message: 'Send X-Reckoner-Console: 1 with each request that changes something.',
  },
  PASSWORD_WRONG: { status: 403, message: 'The current password is another one.' },
  SIGN_IN_AGAIN: {
    status: 403,
    message: 'A password without the current one is set within 15 minutes of the sign-in by a link. Use a new link.',
  },
  PASSWORD_EXISTS: { status: 409, message: 'This user has a password. A link is for users who have none yet.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof consoleErrors> {}
}
