import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../conformance/run-node.ts';
import { inspectorFolder } from './load.ts';
import { type Connect, toAnswer } from './peer.ts';

const program = join(
  inspectorFolder,
  'node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js',
);

/** The command line of the official Inspector: a process for each use, which connects anew. */
export const connectInspector: Connect = async (url, access) => {
  if (!('key' in access)) throw new Error('the Inspector signs in with a browser');
  const home = mkdtempSync(join(tmpdir(), 'inspector-'));
  const use = async (...argv: readonly string[]): Promise<never> => {
    const header = ['--header', `x-api-key: ${access.key}`];
    const flags = ['--transport', 'http', ...header, '--format', 'json', '--quiet'];
    const { code, stdout, stderr } = await runNode([program, url.href, ...flags, ...argv], home);
    // 5 is a tool that failed.
    if (code !== 0 && code !== 5) throw new Error(`ended with ${code}: ${stdout}${stderr}`);
    return (JSON.parse(stdout) as { readonly result: never }).result;
  };
  return {
    async tools() {
      const { tools } = (await use('--method', 'tools/list')) as { tools: readonly { name: string }[] };
      return tools.map(({ name }) => name);
    },
    async call(tool, values = {}) {
      const args = Object.entries(values).flatMap(([name, value]) => [
        '--tool-arg',
        `${name}=${String(value)}`,
      ]);
      return toAnswer(await use('--method', 'tools/call', '--tool-name', tool, ...args));
    },
    close: async () => rmSync(home, { recursive: true }),
  };
};
