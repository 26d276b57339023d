import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWorkspaces } from '../lib/workspace.ts';
import { type Page, toPage } from './page.ts';

/** A part of the documentation, and which files it is made of, in the order of reading; relative to `docs`. */
interface Section {
  readonly title: string;
  readonly files: readonly string[];
}

const howTos = [
  ...[
    'scopes',
    'tokens',
    'rate-limits',
    'sql',
    'migrations',
    'pages',
    'proxies',
    'webhooks',
    'tests',
    'metrics',
  ],
  ...['docker', 'systemd', 'reverse-proxy', 'machines', 'backup'],
  ...['from-express', 'from-hono', 'from-fastmcp', 'from-mastra'],
];

/** What an example is made of, in its folder. */
const exampleFiles = ['package.json', '*.ts', 'browser/*.{ts,tsx,json}', 'templates/*.hbs'];

/** What people write, by section; what is generated follows in `Reference`. */
const sections: readonly Section[] = [
  { title: 'Start', files: ['index.md'] },
  {
    title: 'Tutorials',
    files: ['first-route', 'refunds', 'camera'].map((name) => `tutorials/${name}.md`),
  },
  {
    title: 'How-to guides',
    files: [
      ...howTos.map((name) => `how-to/${name}.md`),
      ...['mcp.md', 'embedding.md', 'embedding-the-hub.md', 'scaling.md'],
    ],
  },
  {
    title: 'Explanation',
    files: ['four-surfaces', 'one-door', 'durable-runs', 'frames-and-receipts', 'threat-model'].map(
      (name) => `explanation/${name}.md`,
    ),
  },
  { title: 'Reference', files: ['versioning.md'] },
];

/** The written pages. A file of `docs` that no section names is in none of them: a test finds it. */
export function readWritten(root: string): readonly Page[] {
  return sections.flatMap(({ title, files }) =>
    files.map((file) =>
      toPage({
        path: file.replace(/\.md$/, ''),
        section: title,
        markdown: readFileSync(join(root, 'docs', file), 'utf8'),
        source: `docs/${file}`,
      }),
    ),
  );
}

/** The READMEs of the packages, which are their reference. */
export function readPackages(root: string): readonly Page[] {
  return readWorkspaces(root)
    .filter(({ manifest, dir }) => !manifest.private && readdirSync(join(root, dir)).includes('README.md'))
    .map(({ dir }) =>
      toPage({
        path: `reference/packages/${dir.replace(/^.*\//, '')}`,
        section: 'Packages',
        markdown: readFileSync(join(root, dir, 'README.md'), 'utf8'),
        source: `${dir}/README.md`,
      }),
    );
}

/** The examples: what their folders say, and the files that are there, but for tests. */
export function readExamples(root: string): readonly Page[] {
  return globSync('examples/*/README.md', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
    .map((source) =>
      toPage({
        path: source.replace(/\/README\.md$/, ''),
        section: 'Examples',
        markdown: `${readFileSync(join(root, source), 'utf8').trim()}\n\n${filesBeside(root, source)}`,
        source,
      }),
    );
}

function filesBeside(root: string, readme: string): string {
  const folder = join(root, readme, '..');
  const blocks = exampleFiles
    .flatMap((pattern) => globSync(pattern, { cwd: folder, exclude: ['node_modules/**', '.waymark/**'] }))
    .map((file) => file.replaceAll('\\', '/'))
    // The client of an example is generated.
    .filter((file) => !/\.test\.ts$|\/client\.ts$/.test(file))
    .toSorted()
    .map((file) => {
      const language = file.replace(/^.*\./, '');
      const text = readFileSync(join(folder, file), 'utf8').trim();
      return `\`\`\`${language} ${file} skip="a file of the folder"\n${text}\n\`\`\``;
    });
  return `## Files\n\n${blocks.join('\n\n')}\n`;
}
