import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;
const tsc = join(folder, '../../node_modules/typescript/bin/tsc');

/** A body as it was sent, and the type of an official client that it shall have. */
export interface TypedBody {
  readonly type: 'openai' | 'anthropic';
  readonly body: unknown;
}

const imports = `import type { ChatCompletionCreateParamsNonStreaming, ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { MessageCreateParamsNonStreaming, MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';`;

const typeNames = { openai: 'ChatCompletionCreateParams', anthropic: 'MessageCreateParams' };

const settings = {
  compilerOptions: {
    noEmit: true,
    strict: true,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: [],
    // The clients are not ours to check.
    skipLibCheck: true,
  },
  files: ['requests.ts'],
};

/**
 * Compiles each body as a literal of the type that the official client takes it as: unknown members are errors, too.
 * The clients must be installed.
 *
 * @returns what the compiler says, by the place of the body in the list
 */
export function checkTypes(bodies: readonly TypedBody[]): ReadonlyMap<number, readonly string[]> {
  const header = imports.split('\n');
  // One line for each, so that lines tell whose errors they are.
  const lines = bodies.map(({ type, body }, i) => {
    const streamed = (body as { readonly stream?: unknown }).stream === true;
    return `export const body${i}: ${typeNames[type]}${streamed ? 'Streaming' : 'NonStreaming'} = ${JSON.stringify(body)};`;
  });
  const place = mkdtempSync(join(folder, 'node_modules/.types-'));
  try {
    writeFileSync(join(place, 'requests.ts'), [...header, ...lines, ''].join('\n'));
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(settings));
    const { stdout, stderr, status } = spawnSync(process.execPath, [tsc, '-p', place, '--pretty', 'false'], {
      cwd: place,
      encoding: 'utf8',
    });
    return readErrors(`${stdout}${stderr}`, status, header.length);
  } finally {
    rmSync(place, { recursive: true });
  }
}

function readErrors(
  output: string,
  status: number | null,
  headerLines: number,
): ReadonlyMap<number, string[]> {
  const errors = new Map<number, string[]>();
  for (const line of output.split('\n').filter((text) => text.includes('error TS'))) {
    const [, at = '', message = ''] = /^requests\.ts\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    const index = Number(at) - headerLines - 1;
    // An error outside of the bodies would make all of them fine: the client was not found, or the like.
    if (at === '' || index < 0) throw new Error(`the compiler failed:\n${output}`);
    errors.set(index, [...(errors.get(index) ?? []), message]);
  }
  if (status !== 0 && errors.size === 0) throw new Error(`the compiler failed:\n${output}`);
  return errors;
}
