import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { queryClient } from '../api/queries.ts';
import { readSession, sessionKey } from '../api/session.ts';
import { Failed, Missing } from '../shape/states.tsx';
import { Frame } from './frame.tsx';
import { LinkPage } from './link.tsx';
import { Merchants } from './merchants.tsx';
import { SCREENS } from './screens.ts';
import { SignIn } from './sign-in.tsx';

const session = () => queryClient.query({ queryKey: sessionKey, queryFn: readSession, staleTime: 'static' });

const root = createRootRoute({ component: Outlet, notFoundComponent: Missing, errorComponent: Failed });
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignIn });
const link = createRoute({ getParentRoute: () => root, path: '/link', component: LinkPage });

/** The parts of the console on one page, in development alone. */
const kit = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => root,
        path: '/kit',
        component: lazyRouteComponent(async () => ({ default: (await import('./kit.tsx')).Kit })),
      }),
    ]
  : [];

/** Everything behind the sign-in. Who is not signed in comes back to the same address afterwards. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Outlet,
  beforeLoad: async ({ location }) => {
    if ((await session()) === null) redirect({ to: '/sign-in', search: { next: location.href }, throw: true });
  },
});
const start = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: async () => {
    const found = await session();
    if (found?.organization.type === 'merchant') redirect({ to: `/${found.organization.id}`, throw: true });
    redirect({ to: '/merchants', throw: true });
  },
});
const merchants = createRoute({ getParentRoute: () => inside, path: '/merchants', component: Merchants });
const merchant = createRoute({ getParentRoute: () => inside, path: '/$merchantId', component: Frame });
const screens = SCREENS.map(({ path, load }) =>
  createRoute({
    getParentRoute: () => merchant,
    path,
    component: lazyRouteComponent(async () => ({ default: await load() })),
  }),
);

/** The pages of the console. The query of each address is plain text: `?status=PAID`. */
export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    link,
    ...kit,
    inside.addChildren([start, merchants, merchant.addChildren(screens)]),
  ]),
  basepath: '/console',
  scrollRestoration: true,
  defaultNotFoundComponent: Missing,
  defaultErrorComponent: Failed,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const kept = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
});
