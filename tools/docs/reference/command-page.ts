import { commandNames, run } from '../../../apps/server/src/cli/run.ts';
import { type Page, toPage } from '../page.ts';

/** What the command line says of itself. */
export async function commandPage(): Promise<Page> {
  const parts: string[] = [];
  for (const name of commandNames)
    parts.push(`## waymark ${name}\n\n\`\`\`text\n${await said([name, '--help'])}\n\`\`\``);
  const head = `# Command line

\`npx waymark <command>\`, in the folder of an application. Data goes to stdout and what is wrong to stderr; the exit code is 0, 1 for a failure, 2 for a wrong command line, 78 for wrong declarations. Every command has \`--help\` and \`--json\`. The README of [\`@waymark/server\`](../../apps/server/README.md#command-line) says more of \`dev\`, \`chat\`, \`push\` and \`watch\`.`;
  return toPage({
    path: 'reference/cli',
    section: 'Reference',
    markdown: [head, ...parts].join('\n\n'),
  });
}

/** What a command prints, in this process. */
async function said(argv: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const { log } = console;
  console.log = (text: unknown) => void lines.push(String(text));
  try {
    await run(argv);
  } finally {
    console.log = log;
  }
  return lines.join('\n').trim();
}
