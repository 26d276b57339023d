import type { DevelopmentKey } from './development-key.ts';

/**
 * The page, the same for all applications but for the name of a key during development. Its addresses are relative, since a service may be mounted below a path; from
 * the prefix its script finds where that path ends.
 */
export function toConsoleHtml(version: string, prefix: string, developmentKey?: DevelopmentKey): string {
  const key = developmentKey && `${developmentKey.variable} ${developmentKey.file}`;
  const files = `console/${version}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="control-prefix" content="${toAttribute(prefix)}">${key === undefined ? '' : `\n<meta name="development-key" content="${toAttribute(key)}">`}
<title>Console</title>
<link rel="icon" href="${files}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${files}/console.css">
<script type="module" src="${files}/console.js"></script>
</head>
<body>
<noscript><main><h1>Console</h1><p>This page shows nothing without JavaScript. All that it does, the control plane does for any client.</p></main></noscript>
</body>
</html>
`;
}

function toAttribute(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
