import type { Route, RouteTable } from '@waymark/contract';
import { type ControlAccess, holds } from '@waymark/contract/principal';
import { essenceOf, mediaTypeOf } from '@waymark/contract/route';
import { type Face, facePage, signInAddress } from './face.ts';
import { html, type Markup } from './html.ts';

/** What the first page of an application is made of. */
export interface HomeShown extends Face {
  readonly version: string;
  readonly description: string;
  readonly table: () => RouteTable;
  mayReach(access: ControlAccess): boolean;
}

/** The most pages that are linked. */
const mostLinks = 30;

/** Pages of the control plane that a human can use, where they are there, and what they are empty without. */
const tools = [
  { path: '/console', label: 'Console', shows: '/overview' },
  { path: '/docs', label: 'Documentation of the API', shows: '/openapi.json' },
] as const;

/** The page at `/` of an application that has none of its own: what is there for whoever looks, and nothing else. */
export function homePage(shown: HomeShown, caller: Omit<ControlAccess, 'path'>): string {
  const { principal } = caller;
  const { name, version, description, prefix, home, signIn } = shown;
  const table = shown.table();
  const links = [
    ...tools
      .filter(({ path, shows }) => hasPage(table, path) && shown.mayReach({ ...caller, path: shows }))
      .map(({ path, label }) => link(prefix + path, label)),
    ...[...table]
      .filter((route) => isPage(route) && holds(principal, route.scopes))
      .slice(0, mostLinks)
      .map((route) => link(home.slice(0, -1) + route.path, labelOf(route))),
  ];
  return facePage(
    shown,
    'Start',
    html`<h1>${name}</h1>
<p>${description === '' ? 'This application is running.' : description}</p>
${links.length === 0 ? undefined : html`<ul>${links}</ul>`}
${signIn ? html`<div class="actions"><a class="button" href="${signInAddress(shown, '/')}">${principal.authenticated ? 'Your session' : 'Sign in'}</a></div>` : undefined}
<dl><dt>Version</dt><dd>${version}</dd></dl>`,
    principal,
  );
}

function hasPage(table: RouteTable, path: string): boolean {
  return [...table].some(
    (route) => route.plane === 'control' && route.method === 'GET' && route.path === path,
  );
}

/** What can be opened without saying more, and shows something to a human. */
function isPage({ plane, method, path, socket, parameters, output, facts }: Route): boolean {
  const answer = output[200];
  return (
    plane === 'data' &&
    method === 'GET' &&
    !socket &&
    !facts.named &&
    !path.includes('{') &&
    parameters.every(({ required }) => !required) &&
    answer !== undefined &&
    essenceOf(mediaTypeOf(answer) ?? '') === 'text/html'
  );
}

function labelOf({ path, summary, method }: Route): string {
  return summary === `${method} ${path}` ? path : summary;
}

function link(address: string, label: string): Markup {
  return html`<li><a href="${address}">${label}</a></li>`;
}
