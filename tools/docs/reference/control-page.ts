import { createExample } from '../../../apps/server/example/application.ts';
import { controlScopes } from '../../../packages/control-plane/src/control-rule.ts';
import { type Page, toPage } from '../page.ts';

/** The endpoints of the control plane, as the reference application has them. No variable of the environment changes it. */
export function controlPage(): Page {
  const { table } = createExample({ env: {} });
  const rows = [...table]
    .filter(({ plane }) => plane === 'control')
    .map((route) => {
      const needed = [...controlScopes(route.path, {}), ...route.scopes];
      const scopes = needed.length === 0 ? 'none' : needed.map((one) => `\`${one}\``).join(', ');
      return `| \`${route.method} ${table.pathOf(route)}\` | ${scopes} | ${escaped(route.summary)} |`;
    });
  return toPage({
    path: 'reference/control-plane',
    section: 'Reference',
    markdown: `# Control plane

What the service serves beside the routes of an application, below \`controlPrefix\` (\`/_svc\`). Where no authentication is declared, this machine alone reaches it, without scopes. \`mcpScopes\` puts others in the place of \`svc:admin\` for \`/mcp\` and \`/tools\`; with \`openapi: 'public'\` anybody reads the document. What each answers, with its fields, is in the README of [\`@waymark/control-plane\`](../../packages/control-plane/README.md), and in the OpenAPI document of your own server at \`/_svc/docs\`.

| endpoint | scopes | what it does |
|---|---|---|
${rows.join('\n')}
`,
  });
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
}
