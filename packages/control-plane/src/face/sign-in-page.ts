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
  return facePage(face, 'Sign in', form(face, to, failure), undefined);
}

function form({ name, prefix }: Face, to: string, failure: string | undefined): Markup {
  return html`<h1>Sign in to ${name}</h1>
<p class="quiet">With a key or a token of this service. It is not kept in this browser: a session is, for 12 hours at most.</p>
${failure === undefined ? undefined : html`<p class="wrong" role="alert" id="failure">${failure}</p>`}
<form method="post" action="${prefix}/session">
<label for="credential">Key or token</label>
<input id="credential" name="credential" type="password" autocomplete="current-password" autocapitalize="off" spellcheck="false" required autofocus${failure === undefined ? undefined : html` aria-invalid="true" aria-describedby="failure"`}>
<p class="hint">Whoever runs the service gives them out.</p>
<input type="hidden" name="to" value="${to}">
<button type="submit">Sign in</button>
</form>`;
}

function signedIn({ prefix, home }: Face, { id, scopes, expiresAtMs }: Principal, to: string): Markup {
  const until = expiresAtMs === undefined ? undefined : new Date(expiresAtMs).toISOString().slice(0, 16);
  return html`<h1>You are signed in</h1>
<div class="actions">
<a class="button" href="${to === '/' ? home : to}">Go on</a>
<form method="post" action="${prefix}/session/end">
<input type="hidden" name="to" value="${to}">
<button type="submit" class="plain">Sign out</button>
</form>
</div>
<dl>
<dt>You are</dt><dd><b>${id}</b></dd>
<dt>You may</dt><dd>${scopes.length === 0 ? 'what everybody may' : scopes.join(', ')}</dd>
${until === undefined ? undefined : html`<dt>Until</dt><dd><time datetime="${until}Z">${until.replace('T', ' ')} UTC</time></dd>`}
</dl>`;
}
