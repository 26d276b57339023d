import { STATUS_CODES } from 'node:http';
import type { RouteTable } from '@waymark/contract';
import type { ShownProblem, ToProblemPage } from '@waymark/contract/http';
import { anonymous, type ControlAccess } from '@waymark/contract/principal';
import { localPath } from '../session/local-path.ts';
import { type Face, faceHeaders, facePage, signInAddress } from './face.ts';
import { homePage } from './home-page.ts';
import { html, type Markup } from './html.ts';

/** Options of `problemPages`, besides what all pages have. */
export interface ProblemPagesOptions extends Face {
  /** Version and purpose of the application, for its first page. */
  readonly version: string;
  readonly description: string;
  readonly table: () => RouteTable;
  /** Scopes of callers without a credential; default: none. */
  readonly anonymousScopes?: readonly string[];
  /** Tells whether a caller is let in to a path below the control prefix. */
  mayReach(access: ControlAccess): boolean;
}

/**
 * Makes the pages that browsers are shown in place of problem documents (decision 12.4): what happened, how to sign in, and
 * the id of the request. An application without a route for `/` has a first page.
 */
export function problemPages(options: ProblemPagesOptions): ToProblemPage {
  return (problem) => {
    const isFirst = problem.status === 404 && !problem.matched && /^\/(?:\?|$)/.test(problem.target);
    return isFirst
      ? { status: 200, html: homePage(options, callerOf(problem, options)), headers: faceHeaders }
      : { html: problemPage(options, problem), headers: faceHeaders };
  };
}

function callerOf(
  { principal, clientAddress, headers }: ShownProblem,
  { anonymousScopes }: ProblemPagesOptions,
): Omit<ControlAccess, 'path'> {
  return { principal: principal ?? anonymous(anonymousScopes), clientAddress, headers };
}

interface Words {
  readonly title: string;
  readonly text: string;
}

const words: Readonly<Record<number, Words>> = {
  400: { title: 'That was not understood', text: 'The request cannot be read.' },
  401: { title: 'Please sign in', text: 'This is for people who have signed in.' },
  403: { title: 'You may not see this', text: 'This is not open to you, or not from where you ask.' },
  404: {
    title: 'There is nothing here',
    text: 'The address leads nowhere. It may be misspelt, or what was here is gone.',
  },
  405: { title: 'That cannot be done here', text: 'The address is right, but not for this.' },
  409: { title: 'That cannot be done now', text: 'Something else has changed in the meantime.' },
  413: { title: 'That is too large', text: 'What was sent is larger than is taken here.' },
  422: { title: 'Something is not right yet', text: 'What was sent does not fit.' },
  429: { title: 'That was too often', text: 'Please wait a moment, and try again.' },
  500: {
    title: 'Something went wrong',
    text: 'It is our fault, and has been written down under the number below.',
  },
  502: {
    title: 'Something behind this failed',
    text: 'Another service that is needed for this did not answer as it should.',
  },
  503: { title: 'Not at the moment', text: 'Please try again soon.' },
  504: { title: 'That took too long', text: 'Please try again.' },
};

function problemPage(face: Face, problem: ShownProblem): string {
  const { status, detail, requestId, principal } = problem;
  const phrase = STATUS_CODES[status] ?? 'Unknown';
  const { title, text } = words[status] ?? { title: phrase, text: 'That did not work.' };
  return facePage(
    face,
    title,
    html`<h1>${title}</h1>
<p>${text}</p>
<div class="actions">${ways(face, problem)}</div>
<dl>
<dt>Answer</dt><dd>${status} ${phrase}</dd>
<dt>Because</dt><dd>${detail}</dd>
<dt>Request</dt><dd><code>${requestId}</code></dd>
</dl>`,
    principal,
  );
}

/** Where to go from here. Only who asked to see something is brought back to it. */
function ways(face: Face, { status, principal, method, target }: ShownProblem): readonly Markup[] {
  const looked = method === 'GET' || method === 'HEAD';
  const to = looked ? localPath(face.home.slice(0, -1) + target) : face.home;
  const signIn = (label: string, look: string): Markup =>
    html`<a class="${look}" href="${signInAddress(face, to)}">${label}</a>`;
  const home = (look: string): Markup => html`<a class="${look}" href="${face.home}">To the start</a>`;
  if (!face.signIn) return [home('button')];
  if (status === 401) return [signIn('Sign in', 'button'), home('button plain')];
  if (status === 403)
    return [
      signIn(principal?.authenticated ? 'Sign in as somebody else' : 'Sign in', 'button'),
      home('button plain'),
    ];
  return principal?.authenticated ? [home('button')] : [home('button'), signIn('Sign in', 'button plain')];
}
