/** A page of a device. */
export type PageName = 'view' | 'connect';

/**
 * A page, the same for all devices: which one it is for stands in its address, and what it shows is asked for by its script.
 * All addresses are relative, since the hub may be mounted below a path.
 */
export function toPageHtml(name: PageName, version: string): string {
  const assets = `../_page/${version}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Device</title>
<link rel="icon" href="${assets}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets}/page.css">
<script type="module" src="${assets}/${name}.js"></script>
</head>
<body>
<noscript><main><h1>Device</h1><p>This page shows nothing without JavaScript.</p></main></noscript>
</body>
</html>
`;
}
