import { partialDeepStrictEqual } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ended, runNode } from './run-node.ts';
import type { Verdict } from './verdict.ts';

/** One use of the command line, and what has to come of it. */
interface Use {
  readonly what: string;
  readonly argv: readonly string[];
  readonly code: number;
  /** Members that the JSON it prints has to have. */
  readonly shows?: object;
}

const call = (tool: string, ...argv: readonly string[]): readonly string[] => [
  ...['--method', 'tools/call', '--tool-name', tool],
  ...argv,
];
const text = (words: string): object => ({ type: 'text', text: words });

const uses: readonly Use[] = [
  // `--strict` fails for a schema that some client or model could not read.
  { what: 'lists', argv: ['--method', 'tools/list', '--strict'], code: 0 },
  {
    what: 'calls',
    argv: call('test_simple_text'),
    code: 0,
    shows: { result: { content: [text('This is a simple text response for testing.')], isError: false } },
  },
  {
    what: 'reads structured content',
    argv: call('echo', '--tool-arg', 'text=hi'),
    code: 0,
    shows: { result: { content: [text('{"text":"hi"}')], structuredContent: { text: 'hi' } } },
  },
  {
    what: 'reads an image',
    argv: call('test_image_content'),
    code: 0,
    shows: { result: { content: [{ type: 'image', mimeType: 'image/png' }] } },
  },
  {
    what: 'repeats a parameter in its header',
    argv: call('test_header_param', '--tool-arg', 'region=eu-west'),
    code: 0,
    shows: { result: { content: [text('eu-west')] } },
  },
  {
    what: 'sees a tool fail',
    argv: call('test_error_handling'),
    code: 5,
    shows: {
      result: {
        content: [
          text(
            'tool test_error_handling failed with 409: This tool intentionally returns an error for testing',
          ),
        ],
        isError: true,
      },
    },
  },
  { what: 'sees wrong arguments fail', argv: call('echo'), code: 5, shows: { result: { isError: true } } },
  { what: 'misses a tool', argv: call('no_such_tool'), code: 5 },
];

/** Uses the command line of the official Inspector in every way that concerns tools. @param program its JavaScript file */
export async function runInspector(program: string, url: string, era: string): Promise<Verdict> {
  const connection = ['--transport', 'http', '--protocol-era', era, '--format', 'json', '--quiet'];
  // It keeps what it knows of servers and clients in the home of whoever runs it.
  const home = await mkdtemp(join(tmpdir(), 'conformance-inspector-'));
  const faults = await Promise.all(
    uses.map(async ({ what, argv, code, shows }) => {
      const fault = faultOf(await runNode([program, url, ...connection, ...argv], home), code, shows);
      return fault === undefined ? [] : [`${what}: ${fault}`];
    }),
  );
  await rm(home, { recursive: true });
  const failures = faults.flat();
  return { passed: uses.length - failures.length, failures };
}

function faultOf({ code, stdout, stderr }: Ended, wanted: number, shows?: object): string | undefined {
  if (code !== wanted) return `ended with ${code} instead of ${wanted}: ${stdout}${stderr}`;
  try {
    if (shows) partialDeepStrictEqual(JSON.parse(stdout), shows);
    return undefined;
  } catch (error) {
    return String(error);
  }
}
