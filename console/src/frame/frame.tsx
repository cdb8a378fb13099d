import { Button, Popover, useMantineColorScheme } from '@mantine/core';
import { useIsFetching } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useMerchantInCalls } from '../api/client.ts';
import { ConnectionLost } from '../api/errors.ts';
import { queryClient, useRead } from '../api/queries.ts';
import { type Session, signOut, useSession } from '../api/session.ts';
import { wordsOf } from '../look/words.ts';
import { useFind } from './find.tsx';
import { useMerchantId } from './places.ts';
import { SCREENS } from './screens.ts';
import { To } from './to.tsx';

/** The frame around each page of a merchant: menu, search, who is signed in, and in which of the two worlds. */
export function Frame() {
  const merchantId = useMerchantId();
  useMerchantInCalls(merchantId);
  const { data: session } = useSession();
  const { pathname } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const find = useFind();
  const main = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    setOpen(false);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  if (!session) return <SignedOut />;
  return (
    <div className="frame" key={merchantId}>
      <a className="skip" href="#main">
        To the content
      </a>
      <Navigation session={session} isOpen={isOpen} close={() => setOpen(false)} />
      <div>
        <header>
          <Progress />
          <div className="top">
            <Button variant="default" className="menu-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              Menu
            </Button>
            <Button variant="default" onClick={find.open} aria-keyshortcuts="Control+K">
              Find anything <span className="soft fine">&nbsp;Ctrl K</span>
            </Button>
            <span className="space" />
            <Account session={session} />
          </div>
          {session.environment === 'sandbox' && (
            <p className="band">
              Sandbox: test data. No real money moves here. <To path="/settings">Where is production?</To>
            </p>
          )}
          <Connection />
        </header>
        <main id="main" className="main" ref={main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      {find.dialog}
    </div>
  );
}

/** A bar at the top wherever something takes more than a second. */
function Progress() {
  return useIsFetching() > 0 ? <div className="progress" role="progressbar" aria-label="Loading" /> : null;
}

/** Says that the connection is lost; what was typed stays where it is, and reading goes on by itself. */
function Connection() {
  const [isLost, setLost] = useState(false);
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe(({ type, query }) => {
        if (type !== 'updated') return;
        if (query.state.fetchFailureReason instanceof ConnectionLost) setLost(true);
        else if (query.state.status === 'success' && query.state.fetchStatus === 'idle') setLost(false);
      }),
    [],
  );
  return isLost ? (
    <p className="band lost" role="alert">
      The connection to the server is lost. Trying again; what you have typed is kept.
    </p>
  ) : null;
}

function Navigation({
  session,
  isOpen,
  close,
}: {
  readonly session: Session;
  readonly isOpen: boolean;
  readonly close: () => void;
}) {
  const merchantId = useMerchantId();
  const { data: merchant } = useRead('GET /v0/organizations/{id}', { path: { id: merchantId } });
  const { pathname } = useLocation();
  const shown = SCREENS.filter(
    ({ menu, sandbox }) => menu !== undefined && (!sandbox || session.environment === 'sandbox'),
  );
  const here = shown
    .map(({ path }) => `/${merchantId}${path === '/' ? '' : path}`)
    .filter((href) => pathname === href || (href !== `/${merchantId}` && pathname.startsWith(`${href}/`)))
    .toSorted((a, b) => b.length - a.length)[0];
  return (
    <nav
      className={isOpen ? 'nav open' : 'nav'}
      aria-label="Pages"
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <div className="who">
        {merchant?.name ?? '…'}
        <div className="fine soft">{wordsOf(session.environment)}</div>
        {session.organization.type !== 'merchant' && (
          <div className="fine">
            <Link to="/merchants">All merchants</Link>
          </div>
        )}
      </div>
      <ul>
        {shown.map(({ path, menu, group }) => {
          const href = `/${merchantId}${path === '/' ? '' : path}`;
          const isHere = href === here;
          return (
            <li key={path}>
              {group !== undefined && <div className="group">{group}</div>}
              <Link to={href} activeOptions={{ exact: true }} {...(isHere && { 'aria-current': 'page' as const })}>
                {menu}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

const OTHER_SCHEME = { light: 'dark', dark: 'light', auto: 'dark' } as const;

function Account({ session }: { readonly session: Session }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const leave = async () => {
    await signOut();
    queryClient.clear();
    await navigate({ to: '/sign-in' });
  };
  return (
    <Popover position="bottom-end" opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button
          variant="default"
          aria-label={`Account of ${session.user.email}`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {session.user.firstName ?? session.user.email.split('@')[0]}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className="account">
          <span className="soft fine">
            {session.user.email} · {session.role}
          </span>
          <To path="/settings/members/you">Your password and sessions</To>
          <Button variant="default" onClick={() => setColorScheme(OTHER_SCHEME[colorScheme])}>
            {colorScheme === 'dark' ? 'Light colours' : 'Dark colours'}
          </Button>
          <Button variant="default" onClick={() => void leave()}>
            Sign out
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Shown in the middle of work when the session has ended: what stands on the page is not lost by going away. */
function SignedOut() {
  const { href } = useLocation();
  return (
    <div className="main stack">
      <h1>You are signed out</h1>
      <p>Your session has ended. Sign in again to come back to this page.</p>
      <p>
        <Link to="/sign-in" search={{ next: href }}>
          Sign in
        </Link>
      </p>
    </div>
  );
}
