import type { ComponentType } from 'preact';
import type { App } from './app-context.ts';
import type { Place } from './place.ts';

/** What a page is given. */
export interface PageProps {
  readonly place: Place;
}

/** One page of the console. Its script is loaded when it is first shown. */
export interface Page {
  /** The first part of its fragments. */
  readonly path: string;
  readonly title: string;
  /** Goes there behind `g`. */
  readonly key: string;
  load(): Promise<{ readonly page: ComponentType<PageProps> }>;
  /** How many things wait there. */
  count?(app: App): number;
  /** Whether a key without `svc:admin` sees something there. */
  readonly open?: true;
}

/** All pages, in the order of the navigation. A page is a folder beside this one and a row here. */
export const pages: readonly Page[] = [
  {
    path: '',
    title: 'Overview',
    key: 'o',
    load: () => import('../pages/overview/overview-page.tsx'),
    open: true,
  },
  {
    path: 'approvals',
    title: 'Approvals',
    key: 'a',
    load: () => import('../pages/approvals/approvals-page.tsx'),
    count: ({ connection }) => connection.health.value?.pending_approvals ?? 0,
  },
  { path: 'runs', title: 'Runs', key: 'r', load: () => import('../pages/runs/runs-page.tsx') },
  {
    path: 'playground',
    title: 'Playground',
    key: 'p',
    load: () => import('../pages/playground/playground-page.tsx'),
  },
  { path: 'devices', title: 'Devices', key: 'd', load: () => import('../pages/devices/devices-page.tsx') },
  {
    path: 'routes',
    title: 'Routes & tools',
    key: 't',
    load: () => import('../pages/routes/routes-page.tsx'),
  },
  {
    path: 'reference',
    title: 'API reference',
    key: 'i',
    load: () => import('../pages/reference/reference-page.tsx'),
  },
  { path: 'usage', title: 'Usage', key: 'u', load: () => import('../pages/usage/usage-page.tsx') },
  { path: 'audit', title: 'Audit', key: 'l', load: () => import('../pages/audit/audit-page.tsx') },
  {
    path: 'webhooks',
    title: 'Webhooks',
    key: 'w',
    load: () => import('../pages/webhooks/webhooks-page.tsx'),
  },
  {
    path: 'security',
    title: 'Security',
    key: 's',
    load: () => import('../pages/security/security-page.tsx'),
  },
  { path: 'data', title: 'Data', key: 'm', load: () => import('../pages/data/data-page.tsx') },
];
