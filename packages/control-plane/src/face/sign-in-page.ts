import type { Principal } from '@waymark/contract/principal';
import { type Face, facePage } from './face.ts';
import { html, type Markup } from './html.ts';

/** What the sign-in page shows. */
export interface SignInShown {
  readonly principal: Principal;
  /** A local path, checked: where it leads to. */
  readonly to: string;
  /** Why it is shown again. */
  readonly failure?: string | undefined;
}

/** The page on which somebody signs in with a key or token, or out again. Without scripts. */
export function signInPage(face: Face, { principal, to, failure }: SignInShown): string {
  if (principal.authenticated && failure === undefined)
    return facePage(face, 'Signed in', signedIn(face, principal, to), principal);
  return facePage(face, 'Sign in', signingIn(face, to, failure), undefined);
}

function signingIn(face: Face, to: string, failure: string | undefined): Markup {
  return html`<h1>Sign in to ${face.name}</h1>
<p class="quiet">The key is not kept in this browser. You stay signed in for 12 hours at most.</p>
${failure === undefined ? undefined : html`<p class="wrong" role="alert" id="failure">${failure}</p>`}
${form(face, to, failure === undefined ? html` autofocus` : html` autofocus aria-invalid="true" aria-describedby="failure"`)}`;
}

/** @param more attributes of the field */
function form({ prefix }: Face, to: string, more?: Markup): Markup {
  return html`<form method="post" action="${prefix}/session">
<label for="credential">Key or token</label>
<input id="credential" name="credential" type="password" autocomplete="current-password" autocapitalize="off" spellcheck="false" required${more}>
<p class="hint">Whoever runs the service gives them out.</p>
<input type="hidden" name="to" value="${to}">
<button type="submit">Sign in</button>
</form>`;
}

function signedIn(face: Face, { id, scopes, expiresAtMs }: Principal, to: string): Markup {
  const until = expiresAtMs === undefined ? undefined : new Date(expiresAtMs).toISOString().slice(0, 16);
  return html`<h1>You are signed in</h1>
<div class="actions">
<a class="button" href="${to === '/' ? face.home : to}">Continue</a>
<form method="post" action="${face.prefix}/session/end">
<input type="hidden" name="to" value="${to}">
<button type="submit" class="plain">Sign out</button>
</form>
</div>
<dl>
<dt>You are</dt><dd><b>${id}</b></dd>
<dt>You may</dt><dd>${scopes.length === 0 ? 'what everybody may' : scopes.join(', ')}</dd>
${until === undefined ? undefined : html`<dt>Until</dt><dd><time datetime="${until}Z">${until.replace('T', ' ')} UTC</time></dd>`}
</dl>
<h2>Sign in as somebody else</h2>
${form(face, to)}`;
}
