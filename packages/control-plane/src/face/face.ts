import type { Principal } from '@waymark/contract/principal';
import { html, type Markup } from './html.ts';

/** What all pages of the service itself have in common. */
export interface Face {
  /** The application's name. */
  readonly name: string;
  /** Path of the control plane as browsers see it: `/_svc`, behind what a proxy in front takes off. */
  readonly prefix: string;
  /** Path of the application as browsers see it; ends with a slash. */
  readonly home: string;
  /** Whether anybody can sign in: authentication is configured. */
  readonly signIn: boolean;
}

/** The path of the stylesheet below the control prefix. */
export const stylePath = '/sign-in/style.css';

/**
 * Headers of each of these pages, whatever the application sends elsewhere: nothing runs, nothing comes from elsewhere,
 * nobody frames them, and nobody keeps them.
 */
export const faceHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  vary: 'Accept, Cookie',
};

/** A whole page. @param principal who is shown it; undefined where that is not known */
export function facePage(face: Face, title: string, main: Markup, principal: Principal | undefined): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${face.name}</title>
<link rel="stylesheet" href="${face.prefix}${stylePath}">
<link rel="icon" href="data:,">
</head>
<body>
<header>
<a class="brand" href="${face.home}">${face.name}</a>
${principal?.authenticated ? html`<p>Signed in as <b>${principal.id}</b></p>` : undefined}
</header>
<main>
${main}
</main>
</body>
</html>
`.text;
}

/** The address of the sign-in page. @param to where it leads back */
export function signInAddress({ prefix }: Face, to: string): string {
  return to === '/' ? `${prefix}/sign-in` : `${prefix}/sign-in?to=${encodeURIComponent(to)}`;
}
