/**
 * The page, the same for all applications. All addresses are relative, since the application may be mounted below a path
 * and its control plane below any prefix.
 */
export function toDocsHtml(version: string): string {
  const files = `docs/${version}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>API</title>
<link rel="icon" href="${files}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${files}/docs.css">
<script type="module" src="${files}/docs.js"></script>
</head>
<body>
<noscript><main><h1>API</h1><p>This page shows nothing without JavaScript. The document itself is at <a href="openapi.json">openapi.json</a>.</p></main></noscript>
</body>
</html>
`;
}
